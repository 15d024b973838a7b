"""What the researchers' pages are given to show: counts, orders and limits, by hand."""

from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from covary.scales import CannotJudge, VerbalScale
from covary.store.records import Answer, LoggedAnswer
from covary.study.model import Criterion, Item
from covary.web.judge import sheets as judge_sheets
from covary.web.judge.sheets import SheetCache, give_sheet, take_back
from covary.web.researcher import progress, routes
from covary.web.researcher.answers import _row, show_answers
from covary.web.researcher.desk import PER_PAGE, Desk, Researcher, TablePage
from covary.web.researcher.people import PlaceCounts, count_places, show_recruiting
from covary.web.researcher.routes import MOST_REMARKS, _items_words, _preferred, _reports
from covary.web.site import Site
from tests.web import studies
from tests.web.recruiting import RECRUITING
from tests.web.researching import answer, everything, many_items, rated

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Shown(Researcher):
    """A researcher whose pages are what they are drawn with."""

    def page(self, name, status=200, **values):
        return SimpleNamespace(name=name, **values)


def shown(study, store, work, **query):
    desk = Desk(Site(study, store))
    request = SimpleNamespace(query_params={name: str(value) for name, value in query.items()},
                              headers={"host": "study.test"},
                              url=SimpleNamespace(scheme="http", netloc="study.test"))  # fmt: skip
    return work(Shown(desk, "session", request))


# what was said


def test_the_newest_remarks_are_shown_and_the_others_counted(store, tmp_path):
    study = many_items(tmp_path, 2)
    for number in range(MOST_REMARKS + 2):
        judge, _ = store.judges.add()
        store.notes.add(judge.id, "remarks", {"text": f"Remark {number}."})
    silent, _ = store.judges.add()
    store.notes.add(silent.id, "remarks", {"text": ""})
    page = shown(study, store, routes.show_study)
    assert page.hidden_remarks == 2
    assert [page.remarks[place] for place in (0, -1)] == [
        ("J3", "Remark 2."), (f"J{MOST_REMARKS + 2}", f"Remark {MOST_REMARKS + 1}."),
    ]  # fmt: skip
    assert len(page.remarks) == MOST_REMARKS


def test_as_few_remarks_as_fit_are_all_shown(store, tmp_path):
    judge, _ = store.judges.add()
    store.notes.add(judge.id, "remarks", {"text": "One."})
    page = shown(many_items(tmp_path, 2), store, routes.show_study)
    assert (page.remarks, page.hidden_remarks) == ([("J1", "One.")], 0)


def test_preferred_parts_are_counted_with_those_who_have_no_preference(store, tmp_path):
    parts = (replace(studies.VERBAL, part="words"), replace(studies.VISUAL, part="line"))
    desk = Desk(Site(studies.bare(tmp_path, *parts), store))
    assert _preferred(desk) == []
    for part in ("line", None, "line", "words", None):
        judge, _ = store.judges.add()
        store.notes.add(judge.id, "preferred", {"part": part})
    assert _preferred(desk) == [("words", 1), ("line", 2), ("no preference", 2)]


# how often items were rated


@pytest.mark.parametrize(
    ("times", "words"),
    [
        ({}, ""),
        ({"a": 2, "b": 2}, "Each of the 2 items has 2 ratings on each criterion."),
        ({"a": 1, "b": 1}, "Each of the 2 items has 1 rating on each criterion."),
        ({"a": 1}, "Each of the 2 items has 0 to 1 rating on each criterion."),
        ({"a": 1000, "b": 1}, "Each of the 2 items has 1 to 1,000 ratings on each criterion."),
        ({"gold": 3}, ""),
    ],
)
def test_it_is_said_how_often_items_were_rated(tmp_path, times, words):
    items = (Item("a", ("A.",)), Item("b", ("B.",), kind="anchor"),
             Item("gold", ("C.",), kind="gold"))  # fmt: skip
    study = studies.bare(tmp_path, items=items)
    seen = SimpleNamespace(times=lambda item, _: times.get(item, 0))
    assert _items_words(study, seen) == words


def test_items_keep_their_numbers_on_every_page_of_their_table(store, tmp_path):
    study = many_items(tmp_path, PER_PAGE + 2)
    rated(study, store, {"Ann": [3] * (PER_PAGE + 1), "Bo": [3]})
    first, last = (shown(study, store, routes.show_items, page=page) for page in (1, 2))
    assert [number for number, _ in first.rows] == list(range(PER_PAGE))
    assert [(n, item.id, counts) for n, (item, counts) in last.rows] == [
        (PER_PAGE, f"i{PER_PAGE + 1}", [(1, 2)]), (PER_PAGE + 1, f"i{PER_PAGE + 2}", [(0, 2)]),
    ]  # fmt: skip
    assert first.rows[0][1][1] == [(2, 2)]


def test_words_and_numbers_have_a_report_each_and_only_where_there_are_any(tmp_path):
    words = Criterion("Tone", "Which?", VerbalScale(["cold", "warm"]))
    both = studies.bare(tmp_path, studies.VERBAL, words, studies.VISUAL)
    assert _reports(both) == {"numbers": ("Fluency", "Clarity"), "words": ("Tone",)}
    assert _reports(studies.bare(tmp_path, words)) == {"words": ("Tone",)}
    assert _reports(studies.bare(tmp_path)) == {"numbers": ("Fluency",)}


def rows_of(number, **changes):
    made = SimpleNamespace(last_at=None, began_at=NOON, flags=(), stuck=False, pace=None)
    return tuple(SimpleNamespace(**vars(made) | changes, place=place) for place in range(number))


@pytest.mark.parametrize(
    ("judges", "rows"),
    [(routes.FIRST_ROWS, "rows"), (routes.FIRST_ROWS + 1, "latest")],
)
def test_of_many_judges_the_first_page_shows_those_who_answered_last(
    monkeypatch, store, tmp_path, judges, rows
):
    every = rows_of(judges)
    seen = SimpleNamespace(
        rows=every, latest=every[::-1], flagged=every * 3, stuck=every * 2, usual_pace=8.24,
        usual_length=None, times=lambda *_: 0,
    )  # fmt: skip
    monkeypatch.setattr(routes, "overview", lambda desk, patience: seen)
    page = shown(many_items(tmp_path, 2), store, routes.show_progress)
    assert page.name == "progress"
    assert list(page.rows) == list(getattr(seen, rows))[: routes.FIRST_ROWS]
    assert len(page.flagged) == len(page.stuck) == routes.MOST_FLAGGED
    assert (page.pace, page.length) == ("8.2 s", None)
    assert shown(many_items(tmp_path, 2), store, routes.show_live).name == "live"


# answers


def logged(counts=True, **changes):
    made = Answer(
        judge=1, sheet=1, position=1, item="gone", criterion="Fluency", rating=3, key="k",
        page="p", sequence=1, kind="item", touched=True, seconds=8.24, manual="m1",
    )  # fmt: skip
    return LoggedAnswer(id=1, judge="Ann", answer=replace(made, **changes), counts=counts)


@pytest.mark.parametrize(
    ("changes", "rating", "reason", "note", "seconds"),
    [
        ({}, "3", "", "", "8.2 s"),
        ({"rating": None, "seconds": None}, "untouched", "", "", ""),
        ({"rating": CannotJudge("In French.")}, "cannot judge", "In French.", "", "8.2 s"),
        ({"counts": False}, "3", "", "does not count", "8.2 s"),
        ({"counts": False, "late": True}, "3", "", "late", "8.2 s"),
    ],
)
def test_an_answer_is_a_row_in_words(changes, rating, reason, note, seconds):
    row = _row(logged(**changes), versions=None, known=set())
    assert (row.item, row.rating, row.reason, row.note) == ("gone", rating, reason, note)
    assert row.seconds == seconds


@pytest.mark.parametrize(
    ("page", "places"), [(1, list(range(PER_PAGE))), (2, [PER_PAGE]), (3, [])], ids="123"
)
def test_answers_are_shown_page_by_page_the_newest_first(store, tmp_path, page, places):
    study = many_items(tmp_path, PER_PAGE + 1)
    rated(study, store, {"Ann": [3] * (PER_PAGE + 1)})
    drawn = shown(study, store, show_answers, page=page, judge=" Ann ")
    newest = [f"i{number}" for number in range(PER_PAGE + 1, 0, -1)]
    assert [row.item for row in drawn.rows] == [newest[place] for place in places]
    assert (drawn.total, drawn.shown.number, drawn.shown.last) == (PER_PAGE + 1, page, 2)
    assert drawn.address == "/researcher/answers?judge=Ann&item=&criterion=&"
    assert shown(study, store, show_answers, judge="Bo").total == 0
    assert shown(study, store, show_answers, judge="Bo").shown.last == 1


@pytest.mark.parametrize(("number", "first"), [(1, 0), (3, 2 * PER_PAGE)])
def test_a_page_of_a_table_knows_the_place_of_its_first_row(number, first):
    assert TablePage(number, 9, ()).first == first


# sheets


REMARK = replace(studies.QUALITY, name="Remark", optional=True)


def test_what_a_sheet_asks_for_is_counted_without_repeats_and_what_may_be_left_out(store, tmp_path):
    study = many_items(tmp_path, 2, studies.VERBAL, studies.VISUAL, REMARK)
    sheet = everything(study, 1)
    again = replace(sheet.tasks[0], position=3, kind="repeat")
    store.sheets.put([replace(sheet, tasks=(*sheet.tasks, again)), everything(study, 2)])
    in_use = SheetCache(study, store).in_use()
    assert in_use.answers == {1: 6, 2: 4}
    assert in_use.items == {("i1", "Fluency"): 2, ("i1", "Clarity"): 2,
                            ("i2", "Fluency"): 2, ("i2", "Clarity"): 2}  # fmt: skip
    assert (in_use.tasks, in_use.sheet_of) == (5, {})
    judge, _ = store.judges.add()
    store.sheets.issue(judge.id)
    assert SheetCache(study, store).in_use().sheet_of == {judge.id: 1}


def test_free_sheets_are_read_again_after_a_while_because_they_may_have_been_replaced(
    store, tmp_path, monkeypatch
):
    now = [0.0]
    monkeypatch.setattr(judge_sheets, "time", SimpleNamespace(monotonic=lambda: now[0]))
    study = many_items(tmp_path, 2)
    store.sheets.put([everything(study, 1)])
    cache, readings, read = SheetCache(study, store), [], store.sheets.all
    monkeypatch.setattr(store.sheets, "all", lambda: readings.append(now[0]) or read())
    for now[0] in (0, 29.9, 30, 45, 60):
        cache.in_use()
    assert readings == [0, 30, 60]
    judge, _ = store.judges.add()
    store.sheets.issue(judge.id)
    for now[0] in (90, 120):
        cache.in_use()  # sheets that were given out never change
    assert readings == [0, 30, 60]


def test_a_judge_for_whom_there_is_no_sheet_after_five_attempts_is_told(
    store, tmp_path, monkeypatch
):
    added = []
    monkeypatch.setattr(judge_sheets, "add_sheets", lambda *given: added.append(given[2]))
    judge, _ = store.judges.add()
    with pytest.raises(judge_sheets.CovaryError, match="no sheet"):
        give_sheet(Site(many_items(tmp_path, 2), store), judge.id)
    assert added == [1] * judge_sheets.ATTEMPTS


def test_a_sheet_that_is_taken_back_is_put_in_again_under_the_next_number(store, tmp_path):
    study = many_items(tmp_path, 2)
    store.sheets.put([everything(study, number) for number in (1, 4)])
    judge, _ = store.judges.add()
    store.sheets.issue(judge.id)
    assert take_back(study, store, judge.id) == (1, 5)
    assert store.sheets.holders() == {4: None, 5: None}
    assert [task.item for task in store.sheets.all()[-1].tasks] == ["i1", "i2"]
    (note,) = store.notes.all(kind="taken-back")
    assert (note.judge, note.data) == (judge.id, {"sheet": 1, "again_as": 5})
    assert store.judges.by_id(judge.id).revoked


# people


@pytest.mark.parametrize(
    ("total", "done", "at_work", "free"), [(5, 2, 1, 2), (3, 2, 1, 0), (2, 2, 1, 0)]
)
def test_places_are_free_that_nobody_has_or_had(total, done, at_work, free):
    assert PlaceCounts(total, done, at_work).free == free


@pytest.mark.parametrize(("places", "total"), [(None, 2), (1, 1), (2, 2), (9, 2)])
def test_places_are_sheets_for_recruited_people_and_no_more_than_are_wanted(
    store, tmp_path, places, total
):
    study = many_items(tmp_path, 2)
    store.sheets.put([everything(study, number) for number in (1, 2, 3)])
    linked, _ = store.judges.add()
    store.sheets.issue(linked.id)  # whose sheet is none of theirs
    people = [SimpleNamespace(judge=7, outcome=outcome) for outcome in ("done", "done", "at work")]
    counted = count_places(store, replace(RECRUITING, places=places), people)
    assert (counted.total, counted.done, counted.at_work) == (total, 2, 1)


def test_people_are_listed_the_newest_first_with_how_many_were_turned_away(
    store, tmp_path, monkeypatch
):
    study = many_items(tmp_path, 2, recruiting=RECRUITING)
    people = [SimpleNamespace(judge=n, outcome="done", others=n, arrived_at=NOON) for n in (1, 2)]
    monkeypatch.setattr(store.visits, "all", lambda: people)
    page = shown(study, store, show_recruiting)
    assert [person.judge for person, _ in page.rows] == [2, 1]
    assert (page.shown_total, page.seconds_turned_away) == (2, 3)
    assert page.outcomes == {"done": 2}


def test_answers_of_who_lost_the_sheet_are_counted_apart(store, tmp_path):
    study = many_items(tmp_path, 2)
    store.sheets.put([everything(study, 1), everything(study, 2)])
    for ratings in ([3, 3], [4]):
        judge, _ = store.judges.add()
        answer(store, judge.id, store.sheets.issue(judge.id), ratings)
    store.sheets.reclaim(1)
    seen = progress.overview(Desk(Site(study, store)))
    assert (seen.answers, seen.answered, seen.left.answers) == (3, 1, 2)
    assert [row.standing for row in seen.rows] == ["taken back", "at work"]
    assert [(row.sheet, row.answered, row.asked) for row in seen.rows] == [(None, 0, 0), (2, 1, 2)]
    assert seen.rows[0].last_at is not None
    assert [seen.times(item, "Fluency") for item in ("i1", "i2")] == [1, 0]
