"""The pages of a round are shown to whoever takes part in it, and to the researcher."""

import math
from dataclasses import replace

import pytest

from covary.study.manual import edition_of
from covary.training import Began, Cycle, Finished, Rated, RoundOpened
from covary.web.discussion.judge_pages import training_tasks
from covary.web.serving.app import create_app
from tests.web import in_training, studies
from tests.web.client import heading, hidden
from tests.web.in_training import Room, Trainee

PAGES = ("", "/differences", "/mark/1/1", "/talk/1/1", "/proposals", "/manual", "/compare")


@pytest.mark.parametrize("path", PAGES)
def test_a_page_of_the_discussion_is_shown_as_one_that_is_there(store, tmp_path, path):
    room = Room(store, in_training.study(tmp_path))
    room.discussed()
    pages = [room.judges["Ann"].get(f"/judge/round{path}"),
             room.researcher.get(f"/researcher/rounds{path}")]  # fmt: skip
    room.close()
    assert [page.status_code for page in pages] == [200, 200]


def test_before_the_first_round_judges_read_that_training_begins_soon(store, tmp_path):
    made = in_training.study(tmp_path)
    room = Room(store, made)
    room.apply(Began(edition_of(made), tuple(room.judges), ())).enter()
    page = room.judges["Ann"].page("/judge/round")
    room.close()
    assert page.status_code == 200
    assert heading(page) == "Training begins soon"
    assert "0 of" not in page.text


def test_before_the_training_begins_judges_wait_until_the_researcher_starts_without_one(
    store, tmp_path
):
    room = Room(store, in_training.study(tmp_path)).enter()
    ann = room.judges["Ann"]
    assert heading(ann.page()) == "The training has not begun yet"
    assert store.sheets.of(1) is None
    told = room.researcher.do("/evaluate")
    assert "which you started without training" in told.text
    assert heading(ann.page()) == "Item 1 of 3"
    assert store.sheets.of(1) is not None
    again = room.researcher.do("/evaluate")
    assert "evaluation has begun without training already" in again.text
    room.researcher.begin(1, 2)  # a training may still follow
    assert room.cycle.phase == "ready"
    assert heading(ann.page()) == "Training begins soon"
    room.close()


def test_who_has_begun_the_evaluation_goes_on_with_it(store, tmp_path):
    made = in_training.study(tmp_path)
    plain = Room(store, replace(made, items=studies.bare(tmp_path).items)).enter()
    assert heading(plain.judges["Ann"].page()) == "Item 1 of 3"
    plain.close()
    app = create_app(made, store)
    ann = Trainee(app, "Ann", plain.judges["Ann"].token)
    assert heading(ann.enter()) == "Item 1 of 3"
    ann.close()


def test_a_study_without_training_sets_waits_for_no_training(store, tmp_path):
    room = Room(store, studies.bare(tmp_path)).enter()
    assert heading(room.judges["Ann"].page()) == "Item 1 of 3"
    room.close()


def test_before_the_training_the_researcher_reads_what_will_not_work(store, tmp_path):
    made = in_training.study(tmp_path)
    unknown = replace(made, training=replace(made.training, editors=("Nobody", "Ann")))
    room = Room(store, unknown).enter()
    page = room.researcher.rounds()
    room.close()
    assert "Nobody can rate the evaluation yet" in page.text
    assert "No judge is called Nobody:" in page.text
    # Wilson's lower limit of n agreements of n is n / (n + z²): above 0.9 from n = 35 on.
    needed = math.ceil(35 / len(made.criteria))
    small = [len(made.training_set(n)) < needed for n in made.training_sets]
    assert any(small)
    assert f"A set needs {needed} items." in page.text


def test_ratings_can_be_looked_at_until_they_are_fixed_and_then_there_is_only_the_wait(
    store, tmp_path
):
    room = Room(store, in_training.study(tmp_path)).begun()
    ann = room.judges["Ann"]
    early = ann.post("/judge/round/finish", data=hidden(ann.page("/judge/round").text))
    assert (early.status_code, early.headers["location"]) == (303, "/judge/round/item/1")
    for item in room.cycle.round.items:
        room.apply(Rated("Ann", item, {"relevance": 2}))
    assert ann.get("/judge/round/item/1").status_code == 200
    assert ann.get("/judge/round/rated").status_code == 200
    room.apply(Finished("Ann"))
    for path in ("/item/1", "/rated"):
        fixed = ann.get(f"/judge/round{path}")
        assert (fixed.status_code, fixed.headers["location"]) == (303, "/judge/round")
    assert heading(ann.page("/judge/round")) == "You have finished this round"
    room.close()


def test_who_takes_no_part_goes_on_with_the_study_and_a_script_is_told(store, tmp_path):
    room = Room(store, in_training.study(tmp_path)).begun()
    dee = Trainee(room.app, "Dee", store.judges.add("Dee")[1])
    dee.enter()
    page = dee.get("/judge/round")
    assert (page.status_code, page.headers["location"]) == (303, "/judge")
    told = dee.get("/judge/round", headers={"Accept": "application/json"})
    assert told.status_code == 409
    sent = dee.post("/judge/round/finish", data=hidden(dee.page().text))
    assert sent.status_code == 409
    dee.close()
    room.close()


def test_who_has_not_consented_is_asked_first(store, tmp_path):
    made = in_training.study(tmp_path, consent="Do you agree?")
    room = Room(store, made).begun()
    page = room.judges["Ann"].get("/judge/round")
    room.close()
    assert (page.status_code, page.headers["location"]) == (303, "/judge")


def test_a_rating_that_is_saved_on_the_way_is_acknowledged_as_on_every_page(store, tmp_path):
    room = Room(store, in_training.study(tmp_path)).begun()
    ann = room.judges["Ann"]
    fields = hidden(ann.page("/judge/round").text)
    body = {"position": 1, "criterion": "relevance", "rating": "2", "page": fields["page"],
            "sequence": 1}  # fmt: skip
    saved = ann.post("/judge/round/answer", json=body,
                     headers={"X-Covary-Token": fields["token"]})  # fmt: skip
    assert (saved.status_code, saved.json()) == (200, {"saved": True, "late": False})
    room.close()


def test_of_two_texts_each_stands_left_about_as_often_and_alone_nothing_is_turned(tmp_path):
    made = in_training.study(tmp_path, studies.BETTER, items=400, sets=1)
    pairs = tuple(replace(item, texts=("One.", "Two."), systems=("a", "b")) for item in made.items)
    made = replace(made, items=pairs)
    begun = Cycle().apply(Began(edition_of(made), ("Ann", "Bo"), ()))
    cycle = begun.apply(RoundOpened(tuple(item.id for item in made.training_set(1))))
    left = [task.order for task in training_tasks(made, cycle, 1, b"secret")]
    assert set(left) == {(0, 1), (1, 0)}
    assert 150 < left.count((0, 1)) < 250  # five standard deviations of a coin
    single = replace(made, items=tuple(replace(i, texts=("One.",), systems=("a",)) for i in pairs))
    assert {task.order for task in training_tasks(single, cycle, 1, b"secret")} == {()}
