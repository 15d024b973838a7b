"""People from a platform go through the real pages: in by the open link, back with a code."""

import asyncio
from datetime import timedelta

import pytest

from covary.store import StoreError
from covary.store.export import ratings_of
from covary.study.model import Session
from covary.study.recruiting import idle_limit
from covary.web import recruiting as recruit_sweep
from covary.web.serving.app import create_app
from tests.store.clock import clock  # noqa: F401 (a fixture)
from tests.web import recruiting, studies
from tests.web.client import heading
from tests.web.recruiting import BACK, code, goes_to, led_to, right
from tests.web.researching import Researcher


@pytest.fixture
def study(tmp_path):
    return recruiting.study(tmp_path)


@pytest.fixture
def send(store, study):
    """Send people to the study: `send(3, places=2)` returns three clients for two places."""
    made = []

    def sent(number=1, places=None, of=study):
        found = recruiting.people(store, of, number, places)
        made.extend(found)
        return found[0] if number == 1 else found

    yield sent
    for each in made:
        each.close()


def outcomes(store):
    return [each.outcome for each in store.visits.all()]


def test_somebody_who_finishes_gets_the_code_and_goes_back_at_once(send, study, store):
    ann = send()
    page = ann.work(*right(study))
    assert heading(page) == "Thank you, you are done"
    assert code(page) == "DONE1"
    assert goes_to(page) == led_to(page) == f"{BACK}DONE1"
    (record,) = store.visits.all()
    assert (record.platform, record.participant, record.submission, record.study) == (
        "Prolific", "p1", "s-p1", "t1",
    )  # fmt: skip
    assert (record.outcome, record.code, record.sheet) == ("done", "DONE1", 1)
    assert len(ratings_of(study, store)) == 3


def test_who_comes_again_after_the_end_gets_the_code_again(send, study, store):
    ann = send()
    ann.work(*right(study))
    for page in (ann.come(), ann.come(SESSION_ID="another"), ann.page()):
        assert code(page) == "DONE1"
        assert goes_to(page) is None  # whoever comes back wants to read
    assert len(store.judges.all()) == 1
    assert store.answers.counts().answers == 6


def test_two_tabs_another_session_and_another_device_are_one_judge(send, study, store):
    ann, same = send(2, places=2)
    same.person = ann.person  # another browser, without Ann's cookie
    first = ann.agree()
    assert "Practice 1 of 1" in first.text
    ann.rate(6)
    assert "Item 1 of 5" in same.come().text  # the same submission
    same.rate(3)
    assert "Item 2 of 5" in ann.come(SESSION_ID="s2").text  # the first browser still is in
    assert len(store.judges.all()) == len(store.visits.all()) == 1
    assert store.visits.all()[0].submission == "s2"


def test_another_session_with_somebody_elses_name_is_flagged_and_changes_nothing(
    send, study, store
):
    ann, other = send(2, places=2)
    ann.work(6, 5)
    before = [answer for _, _, answer in store.answers.log()]
    other.person = ann.person
    page = other.come(SESSION_ID="guessed")
    assert (page.status_code, heading(page)) == (409, "You are taking part already")
    assert other.page().status_code == 403, "the stranger was given a cookie"
    (record,) = store.visits.all()
    assert (record.submission, record.visits, record.others) == (f"s-{ann.person}", 1, 1)
    assert [answer for _, _, answer in store.answers.log()] == before
    assert "Item 2 of 5" in ann.page().text
    researcher = Researcher(ann.http._transport.app, store)
    researcher.enter()
    shown = researcher.page("/recruiting").text
    assert "1 visit was turned away" in shown
    assert "1 more came with this name" in shown
    researcher.close()


def test_a_lab_computer_serves_one_person_after_another(send, study, store):
    ann = send()
    ann.work(*right(study))
    store.sheets.put([studies.sheet(study, 2)])
    ann.person = "p2"
    assert heading(ann.come()) == "Before you begin"
    assert [each.participant for each in store.visits.all()] == ["p1", "p2"]


def test_a_place_is_taken_by_agreeing_and_not_by_reading(send, store):
    ann, bo = send(2, places=1)
    first = ann.come()
    assert heading(first) == "Before you begin"
    assert store.sheets.of(1) is None
    assert heading(bo.come()) == "Before you begin"
    bo.send("consent", agreed="yes")
    assert store.sheets.of(2).number == 1
    form = recruiting.hidden_fields(first) | {"agreed": "yes"}
    page = ann.post("/judge/consent", data=form, follow_redirects=True)
    assert heading(page) == "The study is full"
    assert code(page) == "BACK1"
    assert led_to(page) == f"{BACK}BACK1"
    assert outcomes(store) == ["full", "at work"]
    assert len(store.sheets.all()) == 1


def test_the_full_are_told_before_they_read_anything(send, store, study):
    ann, bo = send(2, places=1)
    ann.work(*right(study))
    assert heading(bo.come()) == "The study is full"
    assert outcomes(store) == ["done", "full"]


def test_a_place_that_is_free_again_can_be_taken_by_one_who_found_none(send, store):
    ann, bo = send(2, places=1)
    ann.agree()
    assert heading(bo.come()) == "The study is full"
    ann.send("stop")
    assert heading(bo.come()) == "Before you begin"
    bo.send("consent", agreed="yes")
    assert outcomes(store) == ["withdrew", "at work"]


def test_fewer_places_than_sheets(send, store, tmp_path):
    made = recruiting.study(tmp_path, recruiting.Recruiting(done="D", places=1))
    ann, bo = send(2, places=3, of=made)
    ann.agree()
    assert heading(bo.come()) == "The study is full"


def test_without_consent_the_place_is_taken_on_arrival(send, store, tmp_path):
    ann = send(of=recruiting.study(tmp_path, consent=""))
    assert heading(ann.come()) == "Guidelines"
    assert store.sheets.of(1).number == 1


def test_who_does_not_agree_is_told_how_to_go_back_and_may_think_again(send, store):
    ann = send()
    ann.come()
    page = ann.send("consent", agreed="no")
    assert heading(page) == "Thank you for considering it"
    assert (code(page), led_to(page)) == ("BACK1", f"{BACK}BACK1")
    assert outcomes(store) == ["declined"]
    ann.send("consent", agreed="yes")
    assert outcomes(store) == ["at work"]


def test_stopping_sets_the_place_free_and_the_answers_do_not_count(send, study, store):
    ann, bo = send(2, places=1)
    page = ann.work(6, 4)
    assert '<a href="/judge/stop">I want to stop</a>' in page.text
    asked = ann.page("/judge/stop")
    assert heading(asked) == "Do you want to stop?"
    assert store.sheets.of(1) is not None  # to ask is not to stop
    page = ann.send("stop")
    assert heading(page) == "You have stopped"
    assert (code(page), goes_to(page)) == ("BACK1", None)
    assert heading(ann.come()) == "You have stopped"
    bo.work(*right(study))
    assert outcomes(store) == ["withdrew", "done"]
    ratings = ratings_of(study, store)
    assert set(ratings.judges) == {"J2"}
    assert "1 answer of a judge who stopped" in ratings.notes[0]


# practice and checks


@pytest.fixture
def choosy(tmp_path):
    return recruiting.study(
        tmp_path,
        recruiting.Recruiting(done="DONE1", screened_out="OUT1", returned="BACK1", qualify=1.0),
    )


def test_practice_that_is_right_goes_on(send, choosy, store):
    page = send(of=choosy).work(6)
    assert "Item 1 of 5" in page.text
    assert outcomes(store) == ["at work"]


def test_practice_may_be_tried_twice_and_then_screens_out(send, choosy, store):
    ann = send(of=choosy)
    page = ann.work(2)
    assert heading(page) == "Please practise once more"
    assert "Read the <em>whole</em> text first" in page.text
    assert heading(ann.page("/judge/item/2")) == "Please practise once more"  # no way round
    page = ann.send("practice-again")
    assert "Practice 1 of 1" in page.text
    page = ann.rate(3)
    assert heading(page) == "Thank you for trying"
    assert goes_to(page) == f"{BACK}OUT1"
    assert store.sheets.of(1) is None
    assert [(each.outcome, each.code) for each in store.visits.all()] == [("screened out", "OUT1")]
    kinds = {answer.kind for _, _, answer in store.answers.log()}
    assert kinds == {"practice"}  # nobody is screened out who has rated an item


def test_the_second_attempt_can_qualify(send, choosy, store):
    ann = send(of=choosy)
    ann.work(2)
    ann.send("practice-again")
    assert "Item 1 of 5" in ann.rate(6).text
    for rating in right(choosy)[1:]:
        page = ann.rate(rating)
    assert code(page) == "DONE1"


def test_the_expected_answer_is_told_after_each_attempt_and_before_what_follows_from_it(
    send, choosy, store
):
    made = recruiting.replace(choosy, session=Session(feedback=("practice",)))
    ann = send(of=made)
    ann.agree()
    for following in ("Please practise once more", "Thank you for trying"):
        told = ann.send("next", rating_0="2", sequence="1")
        assert heading(told) == "The expected answer"
        assert heading(ann.page("/judge/item/2")) == "The expected answer"  # no way round
        assert heading(ann.go_on()) == following
        ann.send("practice-again")


def test_another_attempt_is_given_only_where_one_is_due(send, choosy, store):
    ann = send(of=choosy)
    ann.work(6, 4)
    ann.send("practice-again")
    assert "Item 2 of 5" in ann.page().text


def test_an_answer_near_the_expected_one_on_a_line_qualifies(send, store, tmp_path):
    """60 is within a tenth of the line's length of 55, and 40 is not."""
    line = studies.study(tmp_path, studies.VISUAL)
    items = (studies.Item("p", ("Rain.",), kind="practice", expected={"Clarity": 55}),)
    made = recruiting.replace(
        line,
        items=items + line.items[1:],
        background=(),
        recruiting=recruiting.Recruiting(done="D1", screened_out="O1", qualify=1, attempts=1),
    )
    near, far = send(2, places=2, of=made)
    for person, pointed in ((near, "60"), (far, "40")):
        person.agree()
        person.send("next", rating_0=pointed, touched_0="1", sequence="1")
    assert outcomes(store) == ["at work", "screened out"]


def test_one_failed_check_is_allowed_and_a_second_ends_it_at_once(send, study, store):
    ann, bo = send(2, places=1)
    page = ann.work(6, 4, 4, 4, 7)
    assert "Item 5 of 5" in page.text
    page = ann.rate(7)
    assert heading(page) == "The study ends here"
    assert goes_to(page) == f"{BACK}FAIL1"
    (record,) = store.visits.all()
    assert (record.outcome, record.code) == ("failed checks", "FAIL1")
    bo.work(*right(study))
    ratings = ratings_of(study, store)
    assert set(ratings.judges) == {"J2"}
    assert "3 answers of judges who failed attention checks" in ratings.notes[0]
    assert store.check(study) == []


def test_a_check_that_is_put_right_is_not_failed(send, study, store):
    ann = send()
    ann.work(6, 4, 4, 4, 7)
    again = ann.page("/judge/item/5")
    assert "Please choose 1 here" in again.text
    form = recruiting.hidden_fields(again) | {"rating-0": "1", "sequence": "1"}
    ann.post("/judge/next", data=form, follow_redirects=True)
    page = ann.rate(7)
    assert code(page) == "DONE1"  # one failed check is allowed


# going away


def test_an_abandoned_place_goes_to_the_next_who_comes(send, study, store, clock):  # noqa: F811
    ann, bo, cid = send(3, places=2)
    ann.work(6, 4)
    bo.work(*right(study))
    clock.go_on(minutes=119)
    assert heading(cid.come()) == "The study is full"
    clock.go_on(minutes=2)
    assert heading(cid.come()) == "Before you begin"
    assert outcomes(store) == ["abandoned", "done", "full"]
    cid.send("consent", agreed="yes")
    cid.go_on()
    for rating in right(study):
        page = cid.rate(rating)
    assert code(page) == "DONE1"
    assert outcomes(store) == ["abandoned", "done", "done"]
    assert set(ratings_of(study, store).judges) == {"J2", "J3"}


def test_who_went_away_gets_the_place_back_while_it_is_free(send, study, store, clock):  # noqa: F811
    ann = send()
    ann.work(6, 4)
    clock.go_on(hours=3)
    store.visits.reclaim_idle(clock.hours(2))
    assert outcomes(store) == ["abandoned"]
    assert "Item 2 of 5" in ann.come().text
    for rating in right(study)[2:]:
        page = ann.rate(rating)
    assert code(page) == "DONE1"
    assert len(ratings_of(study, store)) == 3


def test_who_went_away_for_too_long_is_told_kindly(send, study, store, clock):  # noqa: F811
    ann, bo = send(2, places=1)
    form = recruiting.hidden_fields(ann.work(6, 4))
    clock.go_on(hours=3)
    bo.work(6)
    page = ann.page()
    assert heading(page) == "Your place was given to somebody else"
    assert code(page) == "BACK1"
    assert ann.post("/judge/next", data=form | {"rating-0": "4"}).status_code == 422
    assert heading(ann.come(SESSION_ID="new")) == "Your place was given to somebody else"
    assert outcomes(store) == ["abandoned", "at work"]


def test_who_answered_all_and_closed_the_page_is_done(send, store, tmp_path, clock):  # noqa: F811
    made = recruiting.study(tmp_path, session=recruiting.replace(
        studies.Session(), remarks=True))  # fmt: skip
    ann, bo = send(2, places=1, of=made)
    page = ann.work(*right(made))
    assert "remarks" in page.text
    clock.go_on(hours=3)
    assert heading(bo.come()) == "The study is full"
    assert [(each.outcome, each.code) for each in store.visits.all()] == [
        ("done", "DONE1"), ("full", ""),
    ]  # fmt: skip
    assert code(ann.come()) == "DONE1"


def test_the_server_looks_after_abandoned_places_by_itself(
    send, study, store, clock, monkeypatch  # noqa: F811
):  # fmt: skip
    """Also after a time at which it could not."""
    send().work(6, 4)
    clock.go_on(hours=3)
    monkeypatch.setattr(recruit_sweep, "SECONDS_BETWEEN", 0.01)
    attempts, real = [], recruit_sweep.reclaim_idle

    def first_fails(site):
        attempts.append(site)
        if len(attempts) == 1:
            raise StoreError("the database is away")
        return real(site)

    monkeypatch.setattr(recruit_sweep, "reclaim_idle", first_fails)
    app = create_app(study, store)

    async def serve_for_a_while():
        async with asyncio.timeout(180), app.router.lifespan_context(app):
            while outcomes(store) != ["abandoned"]:
                await asyncio.sleep(0.01)

    asyncio.run(serve_for_a_while())
    assert len(attempts) > 1


def test_between_two_occasions_nobody_is_taken_to_have_gone_away(tmp_path):
    made = recruiting.study(
        tmp_path,
        session=recruiting.replace(studies.Session(), occasion_gap_hours=24),
        design=recruiting.replace(studies.study(tmp_path).design, occasions=2),
    )
    assert idle_limit(made) == timedelta(hours=26)
    assert idle_limit(recruiting.study(tmp_path)) == timedelta(hours=2)
