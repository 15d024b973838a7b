"""People from a platform: one judge each, one place each, and an end that stays."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest

from covary.design.plan import Sheet, Task
from covary.errors import InvalidArgument
from covary.store import Store
from covary.store.export import ratings_of
from tests.store.clock import clock  # noqa: F401 (a fixture)
from tests.store.made_up import answer, sheets, study

TWO_HOURS = timedelta(hours=2)


@pytest.fixture
def three(empty):
    """A store with three sheets of four tasks, and nobody."""
    empty.sheets.put(sheets(3, tasks=4))
    return empty


def come(store, name, **more):
    return store.visits.arrive("Prolific", name, **{"submission": f"s-{name}", "study": "t"} | more)


def at_work(store, *names):
    """Let people come and take a place each."""
    made = [come(store, name).judge.id for name in names]
    for judge in made:
        store.visits.take_place(judge)
    return made


def outcomes(store):
    return {each.participant: each.outcome for each in store.visits.all()}


def rate(store, judge, positions=(1, 2)):
    sheet = store.sheets.of(judge).number
    store.answers.save([answer(judge=judge, sheet=sheet, position=place) for place in positions])
    for place in positions:
        store.notes.add(judge, "left", {"sheet": sheet, "position": place})


def test_the_same_person_is_the_same_judge_with_the_same_token(three):
    first, again = come(three, "p1"), come(three, "p1", submission="another")
    assert (first.new, again.new) == (True, False)
    assert first.judge == again.judge
    assert first.token == again.token  # two tabs opened at once both hold it
    assert three.judges.by_token(first.token) == first.judge
    (record,) = three.visits.all()
    assert (record.submission, record.visits, record.outcome) == ("another", 2, "arrived")


def test_people_of_two_platforms_or_names_are_different_people(three):
    made = [
        three.visits.arrive("Prolific", "p"),
        three.visits.arrive("SONA", "p"),
        three.visits.arrive("SONA", "q"),
    ]
    assert len({each.judge.id for each in made}) == len({each.token for each in made}) == 3


def test_a_token_depends_on_the_secret_of_the_store(three, tmp_path):
    with Store.open(tmp_path / "other.db") as other:
        assert come(other, "p1").token != come(three, "p1").token


def test_nobody_is_two_judges_whoever_comes_at_once(three, place):
    with Store.open(place) as other, ThreadPoolExecutor(12) as pool:
        barrier = Barrier(12)

        def arrive(number):
            barrier.wait(120)
            return come((three, other)[number % 2], "p1", submission=f"s{number}")

        made = list(pool.map(arrive, range(12)))
    assert len({each.judge.id for each in made}) == 1
    assert sum(each.new for each in made) == 1
    assert len(three.judges.all()) == len(three.visits.all()) == 1


def test_the_last_place_is_given_once(three, place):
    at_work(three, "a", "b")
    late = [come(three, f"late{number}").judge.id for number in range(8)]
    with Store.open(place) as other, ThreadPoolExecutor(8) as pool:
        barrier = Barrier(8)

        def take(number):
            barrier.wait(120)
            return (three, other)[number % 2].visits.take_place(late[number])

        given = list(pool.map(take, range(8)))
    assert sorted(given, key=str) == [3, *[None] * 7]
    assert len(three.sheets.all()) == 3
    assert three.check() == []


def test_fewer_places_than_sheets(three):
    first, second = (come(three, name).judge.id for name in "ab")
    assert three.visits.place_for(first, places=1) == 1
    assert three.visits.take_place(first, places=1) == 1
    assert three.visits.take_place(first, places=1) == 1  # theirs already
    assert three.visits.place_for(second, places=1) is None
    assert three.visits.take_place(second, places=1) is None
    three.visits.end(first, "withdrew")
    assert three.visits.take_place(second, places=1) == 1


def test_a_revoked_person_is_not_let_in_by_coming_again(three):
    came = come(three, "p1")
    three.judges.revoke(came.judge.id)
    assert come(three, "p1").judge.revoked
    assert three.judges.by_token(came.token) is None


@pytest.mark.parametrize("ending", ["screened out", "failed checks", "withdrew"])
def test_an_ending_sets_the_place_free_and_stays(three, ending):
    (judge,) = at_work(three, "a")
    rate(three, judge)
    assert three.visits.end(judge, ending, code="C9") == ending
    assert three.visits.end(judge, "done", code="C1") == ending
    assert three.sheets.of(judge) is None
    assert three.visits.take_place(judge) is None
    (record,) = three.visits.all()
    assert (record.outcome, record.code) == (ending, "C9")
    assert at_work(three, "b") == [judge + 1]
    assert three.sheets.of(judge + 1).number == 1


def test_who_is_done_keeps_the_sheet_and_is_not_idle(three, clock):  # noqa: F811
    (judge,) = at_work(three, "a")
    clock.go_on(minutes=10)
    assert three.visits.end(judge, "done", code="C1") == "done"
    assert three.visits.end(judge, "withdrew") == "done"
    clock.go_on(days=3)
    assert three.visits.reclaim_idle(TWO_HOURS).abandoned == ()
    (record,) = three.visits.all()
    assert (record.outcome, record.code, record.sheet) == ("done", "C1", 1)
    assert record.seconds == pytest.approx(600, abs=60)


def test_only_a_person_with_a_sheet_can_be_done(three):
    judge = come(three, "a").judge.id
    assert three.visits.end(judge, "done") is None
    assert outcomes(three) == {"a": "arrived"}
    with pytest.raises(InvalidArgument, match="ending='gone' is not known"):
        three.visits.end(judge, "gone")


def test_idle_people_lose_their_place_and_get_it_back_while_it_is_free(three, clock):  # noqa: F811
    ann, bo = at_work(three, "ann", "bo")
    rate(three, ann)
    clock.go_on(minutes=90)
    rate(three, bo, [1])
    clock.go_on(minutes=90)
    assert three.visits.reclaim_idle(TWO_HOURS).abandoned == (ann,)
    assert three.visits.reclaim_idle(TWO_HOURS).abandoned == ()
    assert outcomes(three) == {"ann": "abandoned", "bo": "at work"}
    assert three.visits.take_place(ann) == 1
    assert outcomes(three)["ann"] == "at work"
    assert len(three.answers.current(ann)) == 2
    assert three.visits.reclaim_idle(TWO_HOURS).abandoned == ()  # coming back counts as being there
    assert three.check() == []


def test_a_place_that_somebody_took_is_not_given_back(three, clock):  # noqa: F811
    (ann,) = at_work(three, "ann")
    rate(three, ann)
    clock.go_on(hours=3)
    three.visits.reclaim_idle(TWO_HOURS)
    (cid,) = at_work(three, "cid")
    assert three.sheets.of(cid).number == 1
    assert three.visits.take_place(ann) is None  # though two other sheets are free
    rate(three, cid, [1, 2, 3])
    ratings = ratings_of(study(), three)
    assert set(ratings.judges) == {three.judges.by_id(cid).name}
    assert len(ratings) == 3
    assert ratings.notes[0] == "Left out: 2 answers on sheets that were taken back."
    assert three.head() in ratings.notes[1]


def test_who_had_rated_nothing_gets_another_place(three, clock):  # noqa: F811
    (ann,) = at_work(three, "ann")
    clock.go_on(hours=3)
    three.visits.reclaim_idle(TWO_HOURS)
    at_work(three, "cid")
    assert three.visits.take_place(ann) == 2


def test_who_judged_everything_and_left_is_done(three, clock):  # noqa: F811
    ann, bo = at_work(three, "ann", "bo")
    rate(three, ann, [1, 2, 3, 4])
    rate(three, bo, [1, 2, 3])
    clock.go_on(hours=3)
    found = three.visits.reclaim_idle(TWO_HOURS, code="C1")
    assert (found.done, found.abandoned) == ((ann,), (bo,))
    assert [(each.outcome, each.code) for each in three.visits.all()] == [
        ("done", "C1"), ("abandoned", ""),
    ]  # fmt: skip


def test_judges_with_personal_links_are_never_idle(three, clock):  # noqa: F811
    judge, _ = three.judges.add("colleague")
    three.sheets.issue(judge.id)
    clock.go_on(days=30)
    assert three.visits.reclaim_idle(TWO_HOURS).abandoned == ()
    assert three.sheets.of(judge.id).number == 1


def test_the_visit_that_counts_is_the_newest_before_the_end(three):
    (judge,) = at_work(three, "a")
    come(three, "a", submission="second")
    three.visits.end(judge, "done", code="C1")
    come(three, "a", submission="third")
    (record,) = three.visits.all()
    assert (record.submission, record.visits) == ("second", 3)


def test_the_link_is_made_replaced_and_revoked(three):
    assert three.visits.join_secret() is None
    first = three.visits.new_join_secret()
    assert three.visits.join_secret() == first
    second = three.visits.new_join_secret()
    assert three.visits.join_secret() == second != first
    assert len(second) >= 32
    three.visits.revoke_join_secret()
    assert three.visits.join_secret() is None


def test_declining_and_finding_it_full_are_told(three):
    ann, bo = come(three, "ann").judge.id, come(three, "bo").judge.id
    three.notes.add(ann, "consent", {"agreed": False})
    assert three.visits.note_full(bo)
    assert not three.visits.note_full(bo)
    assert outcomes(three) == {"ann": "declined", "bo": "full"}


def test_names_of_the_platform_stay_out_of_the_notes_and_the_judges(three):
    come(three, "secret-pid", submission="secret-session")
    written = [(note.data, note.key) for note in three.notes.all()]
    assert "secret" not in str(written)
    assert "secret" not in str(three.judges.all())


@pytest.mark.parametrize("wrong", [("", "p"), ("Prolific", ""), ("Prolific", "a\0b")])
def test_a_visitor_needs_a_name_that_is_text(three, wrong):
    with pytest.raises(InvalidArgument):
        three.visits.arrive(*wrong)
    assert three.judges.all() == []


def test_who_has_come_is_known_by_platform_and_name_with_the_last_visit(three):
    judge = come(three, "p1", submission="s1").judge.id
    come(three, "p1", submission="s2")
    assert three.visits.last_visit("Prolific", "p1") == (judge, "s2")
    assert three.visits.last_visit("Prolific", "p2") is None
    assert three.visits.last_visit("other", "p1") is None


def test_an_answer_alone_shows_that_somebody_is_there(three, clock):  # noqa: F811
    """Nothing is noted before the page is left; an answer on a sheet of before shows nothing."""
    (ann,) = at_work(three, "ann")
    clock.go_on(minutes=90)
    three.answers.save([answer(judge=ann, sheet=1)])
    clock.go_on(minutes=90)
    assert three.visits.reclaim_idle(TWO_HOURS).abandoned == ()
    three.answers.save([answer(judge=ann, sheet=2, key="elsewhere")])
    clock.go_on(minutes=31)
    assert three.visits.reclaim_idle(TWO_HOURS).abandoned == (ann,)


def test_who_left_before_the_last_page_has_not_seen_it(three, clock):  # noqa: F811
    (ann,) = at_work(three, "ann")
    rate(three, ann, [1, 2, 3, 4])
    clock.go_on(hours=3)
    three.visits.reclaim_idle(TWO_HOURS, code="C1")
    assert three.notes.last_of_each("outcome") == {
        ann: {"outcome": "done", "sheet": 1, "code": "C1", "seen": False}
    }


def test_a_judge_is_one_person_of_a_platform_or_nobody(three):
    ann, bo = at_work(three, "ann", "bo")
    colleague, _ = three.judges.add("colleague")
    assert [three.visits.of(judge).participant for judge in (ann, bo)] == ["ann", "bo"]
    assert three.visits.of(bo).visits == 1
    assert three.visits.of(colleague.id) is None


def test_who_came_with_the_name_of_somebody_at_work_is_noted_once_for_each_visit(three):
    (ann,) = at_work(three, "ann")
    assert three.visits.note_second(ann, "s-2")
    assert not three.visits.note_second(ann, "s-2")
    assert three.visits.note_second(ann, "s-3")
    record = three.visits.of(ann)
    assert (record.visits, record.others, record.outcome) == (1, 2, "at work")


def test_agreeing_after_declining_counts_and_a_visit_that_ended_stays_as_it_ended(three):
    ann = come(three, "ann").judge.id
    three.notes.add(ann, "consent", {"agreed": False})
    three.notes.add(ann, "consent", {"agreed": True})
    assert outcomes(three) == {"ann": "arrived"}
    three.visits.end(ann, "screened out", code="C7")
    three.notes.add(ann, "taken-back", {"sheet": 1})
    (record,) = three.visits.all()
    assert (record.outcome, record.code) == ("screened out", "C7")


def test_a_sheet_that_a_researcher_takes_back_is_abandoned(three):
    (ann,) = at_work(three, "ann")
    three.sheets.reclaim(ann)
    three.notes.add(ann, "taken-back", {"sheet": 1})
    assert outcomes(three) == {"ann": "abandoned"}


def test_places_of_a_part_are_sheets_of_that_part(three):
    task = Task(1, "a1", part="line")
    three.sheets.put([Sheet(number, (task,), "row") for number in (4, 5)])
    ann = come(three, "ann").judge.id
    assert three.visits.place_for(ann, part="line") == 4
    assert three.visits.take_place(ann, part="line") == 4


def test_making_and_ending_the_link_is_noted_for_the_researcher(three):
    three.visits.revoke_join_secret()  # there is none yet, so nothing has ended
    three.visits.new_join_secret()
    three.visits.revoke_join_secret()
    made = [note.data["made"] for note in three.notes.all(kind="join-link")]
    assert made == [True, False]


def test_those_who_come_later_do_not_keep_the_place_of_who_is_idle(three, clock):  # noqa: F811
    (ann,) = at_work(three, "ann")
    clock.go_on(hours=3)
    (bo,) = at_work(three, "bo")
    rate(three, bo, [1])
    assert three.visits.reclaim_idle(TWO_HOURS).abandoned == (ann,)


def test_pages_of_another_sheet_make_nobody_done(three, clock):  # noqa: F811
    (ann,) = at_work(three, "ann")
    for place in range(1, 5):
        three.notes.add(ann, "left", {"sheet": 2, "position": place})
    clock.go_on(hours=3)
    assert three.visits.reclaim_idle(TWO_HOURS).abandoned == (ann,)
