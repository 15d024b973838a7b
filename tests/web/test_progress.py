"""Where judges stand and how long things took, at the edges of every rule."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from covary.store.answers import AnswerCounts
from covary.store.records import Judge
from covary.study.model import Recruiting
from covary.web.judge.sheets import SheetsInUse
from covary.web.researcher import progress
from covary.web.researcher.measures import Flag
from covary.web.researcher.progress import JudgeRow, LeftBehind, NotesOfAll, Overview, ago, lasting
from tests.web import studies

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
SECOND = timedelta(seconds=1)


@pytest.fixture(autouse=True)
def at_noon(monkeypatch):
    class Clock(datetime):
        @classmethod
        def now(cls, _):
            return NOON

    monkeypatch.setattr(progress, "datetime", Clock)


@pytest.mark.parametrize(
    ("since", "words"),
    [
        (MINUTE - SECOND, "just now"),
        (MINUTE, "1 min ago"),
        (HOUR - SECOND, "59 min ago"),
        (HOUR, "1 h ago"),
        (2 * DAY - SECOND, "47 h ago"),
        (2 * DAY, "2 days ago"),
        (5 * DAY + 23 * HOUR, "5 days ago"),
    ],
    ids=str,
)
def test_how_long_ago_something_was_is_said_in_whole_units(since, words):
    assert ago(NOON - since) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(9.94, "9.9 s"), (10, "10 s"), (119, "119 s"), (120, "2 min"), (150.1, "3 min")],
)
def test_how_long_something_takes_is_said_as_exactly_as_it_matters(seconds, words):
    assert lasting(seconds) == words


def a_judge(name="Ann", **changes):
    made = Judge(id=1, name=name, group=None, attributes={}, revoked=False, created_at=NOON - DAY)
    return replace(made, **changes)


def row(name="Ann", **changes):
    made = JudgeRow(
        judge=a_judge(name), standing="at work", sheet=1, answered=0, asked=3, changed=0,
        last_at=None, began_at=NOON - DAY, pace=None, flags=(), known={},
    )  # fmt: skip
    return replace(made, **changes)


@pytest.mark.parametrize(
    ("changes", "stuck"),
    [
        ({"last_at": NOON - HOUR}, False),
        ({"last_at": NOON - HOUR - SECOND}, True),
        ({"began_at": NOON - HOUR - SECOND}, True),
        ({"began_at": NOON - HOUR}, False),
        ({"standing": "done"}, False),
        ({"standing": "reading"}, False),
        ({"judge": a_judge(revoked=True)}, False),
    ],
)
def test_stuck_is_who_has_begun_and_sent_nothing_for_more_than_an_hour(changes, stuck):
    assert row(**changes).stuck == stuck


@pytest.mark.parametrize(
    ("changes", "waiting"),
    [
        ({"standing": "not begun"}, True),
        ({"standing": "reading"}, True),
        ({"standing": "reading", "sheet": 1}, False),
        ({"standing": "abandoned"}, False),
        ({"standing": "reading", "judge": a_judge(revoked=True)}, False),
        ({"standing": "reading", "judge": a_judge(attributes={"recruited": "link"})}, False),
    ],
)
def test_a_sheet_is_found_for_those_who_are_yet_to_come_by_a_link_of_their_own(changes, waiting):
    assert row(**{"sheet": None} | changes).waiting == waiting


def test_the_last_sign_of_life_is_an_answer_or_else_the_beginning():
    assert (row().last, row().quiet, row().pace_words) == ("", "24 h ago", "")
    answered = row(last_at=NOON - 2 * HOUR, pace=8.24)
    assert (answered.last, answered.quiet, answered.pace_words) == ("2 h ago", "2 h ago", "8.2 s")


def seen(*rows, sheets=(), items=(), left=()):
    in_use = SheetsInUse({sheet.number: sheet for sheet in sheets}, {}, {}, {})
    counts = AnswerCounts(answers=0, judges={}, items=dict(items))
    return Overview(
        rows=rows, answers=0, answered=0, asked=0, places=0, snapshot=None, in_use=in_use,
        counts=counts, left=LeftBehind(0, dict(left)),
    )  # fmt: skip


def names(rows):
    return [each.judge.name for each in rows]


def test_judges_are_listed_by_what_needs_a_look_first():
    flag = Flag("too fast", "")
    now = seen(
        row("one", flags=(flag,), last_at=NOON - 3 * HOUR),
        row("none"),
        row("two", flags=(flag, flag), last_at=NOON - 2 * HOUR),
        row("busy", last_at=NOON),
        row("done", standing="done", last_at=NOON - MINUTE),
    )
    assert names(now.flagged) == ["two", "one"]
    assert names(now.stuck) == ["none", "one", "two"]
    assert names(now.latest) == ["busy", "done", "two", "one", "none"]
    assert (now.last, seen(row()).last) == ("just now", "")
    assert (now.standing("at work"), now.standing("done", "at work")) == (4, 5)


def test_a_sheet_takes_as_long_as_its_tasks_at_the_median_judges_pace(tmp_path):
    study = studies.study(tmp_path)
    sheets = [studies.sheet(study), studies.sheet(study, 2, occasions=2)]  # 4 and 7 tasks
    paced = [row(pace=6.0), row(pace=8.0), row(pace=None), row(pace=30.0)]
    assert seen(*paced, sheets=sheets).usual_pace == 8.0
    assert seen(*paced, sheets=sheets).usual_length == 8.0 * 5.5
    assert seen(*paced).usual_length is None
    assert seen(row(), sheets=sheets).usual_length is None


def test_answers_on_sheets_that_were_taken_back_are_not_among_those_of_an_item():
    now = seen(items={("a", "x"): 5, ("b", "x"): 2}.items(), left={("a", "x"): 2}.items())
    assert [now.times(item, "x") for item in "abc"] == [3, 2, 0]


@pytest.mark.parametrize(
    ("places", "recruited", "wanted"),
    [
        (None, 1, [1, 2, 3, 4]),
        (1, 1, [1, 2]),
        (2, 1, [1, 2, 3]),
        (9, 1, [1, 2, 3, 4]),
        (0, 1, [1, 2]),
        (2, 0, [1, 2, 3, 4]),
    ],
)
def test_of_the_free_sheets_only_those_are_wanted_for_which_people_are_recruited(
    tmp_path, places, recruited, wanted
):
    """Sheets 1 and 2 are held, by a judge with a link and by one who was recruited."""
    recruiting = Recruiting(platform="link", done="D", places=places)
    study = replace(studies.bare(tmp_path), recruiting=recruiting)
    in_use = SheetsInUse({}, {3: None, 1: 1, 2: 2, 4: None}, {}, {})
    rows = [row(), row(judge=a_judge(attributes={"recruited": "x"} if recruited else {}))]
    assert progress._wanted(study, in_use, rows) == wanted
    everybody = replace(study, recruiting=None)
    assert progress._wanted(everybody, in_use, rows) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("notes", "sheet", "answered", "standing"),
    [
        ({}, None, False, "not begun"),
        ({"agreed": {1: True}}, None, False, "reading"),
        ({"agreed": {1: False}}, None, False, "did not agree"),
        ({"agreed": {1: True}}, None, True, "taken back"),
        ({}, 4, True, "at work"),
        ({"finished": frozenset({(1, 4)})}, 4, True, "done"),
        ({"finished": frozenset({(1, 3)})}, 4, True, "at work"),
        ({"outcomes": {1: {"outcome": "full"}}, "agreed": {1: True}}, None, False, "full"),
        ({"outcomes": {1: {"outcome": "abandoned"}}}, None, True, "abandoned"),
        ({"outcomes": {1: {"outcome": "done"}}}, None, True, "taken back"),
    ],
)
def test_where_a_judge_stands_follows_from_the_notes(notes, sheet, answered, standing):
    plain = NotesOfAll(finished=frozenset(), began={}, agreed={}, outcomes={})
    assert replace(plain, **notes).standing(a_judge(), sheet, answered=answered) == standing
