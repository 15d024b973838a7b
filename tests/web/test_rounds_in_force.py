"""The manual in force: changed while the study is served, also by another process."""

import pytest

from covary.store import Store
from covary.study.manual import Edition
from covary.training import Change, Changed
from covary.web import session_cache as round_study
from covary.web.researcher.desk import Desk
from covary.web.researcher.live import LiveNumbers
from covary.web.serving.app import create_app
from covary.web.session_cache import ManualInForce
from tests.web import in_training
from tests.web.client import heading, hidden
from tests.web.in_training import RULE, VAGUE, Room, Trainee


def changed(cycle, guidelines=f"{VAGUE}\n{RULE}\n"):
    edition = Edition(cycle.edition.criteria, guidelines)
    change = Change("rule", "what cannot be answered", RULE, (1,))
    return Changed("the researcher", cycle.edition.version, edition, (change,))


@pytest.fixture
def room(store, tmp_path):
    opened = Room(store, in_training.study(tmp_path)).agreed()
    yield opened
    opened.close()


@pytest.fixture
def elsewhere(tmp_path):
    """The same store, as another process has it."""
    with Store.open(tmp_path / "study.db") as other:
        yield other.training


def outsider(room):
    """A judge of the evaluation, at an item, with a way to save as the page's script does."""
    _, token = room.store.judges.add("Dee")
    dee = Trainee(room.app, "Dee", token)
    fields = hidden(dee.arrive().text)
    body = {"position": 1, "criterion": "relevance", "page": fields["page"]}
    headers = {"X-Covary-Token": fields["token"]}

    def save(rating, sequence):
        sent = body | {"rating": rating, "sequence": sequence, "key": f"k{sequence}"}
        return dee.post("/judge/answer", json=sent, headers=headers).status_code

    return dee, save


def test_a_save_asks_the_store_nothing_about_the_manual(room, monkeypatch):
    dee, save = outsider(room)
    assert save("2", 1) == 200
    monkeypatch.setattr(room.store.training, "events", None)
    assert save("3", 2) == 200
    dee.close()


def test_what_this_process_changes_is_known_to_the_next_save(room):
    dee, save = outsider(room)
    assert save("2", 1) == 200
    room.apply(changed(room.cycle))
    room.app.state.site.manual.now()
    assert save("3", 2) == 422  # the page shows older guidelines
    assert heading(dee.page()) == "Guidelines"
    assert "They have changed since you last read them" in dee.page().text
    assert "/judge/round/compare" not in dee.page().text  # which is for those who train
    dee.close()


def test_what_another_process_changes_is_drawn_at_once_and_saved_under_soon(
    room, elsewhere, monkeypatch
):
    dee, save = outsider(room)
    assert save("2", 1) == 200
    elsewhere.apply(changed(elsewhere.cycle()))
    monkeypatch.setattr("covary.web.session_cache.SECONDS_TO_RELY", 0.0)
    assert save("3", 2) == 422
    assert RULE in dee.page().text
    dee.go_on()
    assert dee.save("4").status_code == 200
    assert [answer.rating for _, _, answer in room.store.answers.log()] == [2, 4]
    version = elsewhere.cycle().edition.version
    assert [answer.manual for _, _, answer in room.store.answers.log()][-1] == version
    dee.close()


def test_the_study_is_looked_up_again_only_after_a_while(room, elsewhere, monkeypatch):
    manual = ManualInForce(room.study, room.store.training)
    first = manual.lately()
    elsewhere.apply(changed(elsewhere.cycle()))
    assert manual.lately() is first
    monkeypatch.setattr(round_study, "SECONDS_TO_RELY", 0.0)
    second = manual.lately()
    assert second.manual.version == elsewhere.cycle().edition.version
    assert manual.lately() is second  # the same edition makes the same study
    assert manual.known is second


def test_a_study_without_a_cycle_is_served_as_it_is(store, tmp_path):
    made = in_training.study(tmp_path)
    assert create_app(made, store).state.site.study is made


def test_what_is_worked_out_beside_the_pages_begins_anew_with_another_manual(room):
    desk = Desk(room.app.state.site)
    before = desk.kept(LiveNumbers)
    assert desk.kept(LiveNumbers) is before
    room.apply(changed(room.cycle))
    room.app.state.site.manual.now()
    assert desk.kept(LiveNumbers) is not before
    assert desk.study.manual.version == room.cycle.edition.version


def test_a_judge_who_trains_reads_a_new_version_before_the_next_items(room):
    room.apply(changed(room.cycle))
    room.researcher.do("/open", set="2")
    ann = room.judges["Ann"]
    page = ann.page()
    assert heading(page) == "Guidelines"
    assert 'href="/judge/round/compare?old=1&amp;new=2"' in page.text
    assert heading(ann.page("/judge/round/compare?old=1&new=2")) == "From version 1 to version 2"
    assert heading(ann.page("/judge/round/item/1")) == "Guidelines"
    assert heading(ann.go_on()) == "Item 1 of 2"


def test_what_went_wrong_is_told_also_when_the_store_cannot_be_asked(room, monkeypatch):
    monkeypatch.setattr(round_study, "SECONDS_TO_RELY", 0.0)
    monkeypatch.setattr(room.store.training, "events", None)
    lost = room.judges["Ann"].get("/nowhere")
    assert lost.status_code == 404
    assert heading(lost) == "There is no such page"
    broken = room.judges["Ann"].get("/judge/round")
    assert broken.status_code == 500
    assert heading(broken) == "Something went wrong on our side"
