"""What comes next, from what is known, without a server."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from covary.study.model import Manual, Session
from covary.web.judge.walk import Progress, Step, Walk
from tests.web import studies

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Noted:
    kind: str
    data: dict = field(default_factory=dict)
    at: datetime = NOON


def left(*positions, sheet=1, at=NOON):
    return tuple(Noted("left", {"sheet": sheet, "position": each}, at) for each in positions)


def passed(kind, position):
    return Noted(kind, {"sheet": 1, "position": position})


def walk(study, *notes, sheet=True, now=NOON, **more):
    given = studies.sheet(study, **more) if sheet else None
    return Walk(study, given, tuple(notes), now)


def whole(**session):
    return studies.study(Path(), session=Session(**session))


def items(**session):
    return studies.bare(Path(), session=Session(**session))


AGREED = Noted("consent", {"agreed": True})
TOLD = Noted("background", {"answers": {}})
READ = Noted("guidelines", {"version": "m1"})


def test_the_first_steps_come_one_after_another():
    study = whole()
    assert walk(study).step() == Step("consent")
    assert walk(study, AGREED).step() == Step("background")
    assert walk(study, AGREED, TOLD).step() == Step("guidelines")
    assert walk(study, AGREED, TOLD, READ, sheet=False).step() == Step("sheet")
    step = walk(study, AGREED, TOLD, READ).step()
    assert (step.name, step.task.kind, step.task.position) == ("item", "practice", 1)


def test_who_declines_may_think_again():
    declined = Noted("consent", {"agreed": False})
    assert walk(whole(), declined).step() == Step("declined")
    assert walk(whole(), declined, AGREED).step() == Step("background")


def test_changed_guidelines_are_shown_again():
    study = whole()
    changed = replace(study, manual=Manual("New rules.", "m2"))
    assert walk(changed, AGREED, TOLD, READ, *left(1, 2)).step() == Step("guidelines")


def test_what_a_study_does_not_have_is_not_asked():
    step = walk(items()).step()
    assert (step.name, step.task.position) == ("item", 1)


def test_practice_is_counted_apart_and_ends_with_a_word():
    study = whole()
    begun = (AGREED, TOLD, READ)
    here = walk(study, *begun)
    assert here.progress(here.step().task) == Progress("Practice 1 of 1", 0, 1)
    here = walk(study, *begun, *left(1))
    assert here.step().name == "practice-over"
    here = walk(study, *begun, *left(1), passed("practice-over", 2))
    assert here.step().name == "item"
    assert here.progress(here.step().task) == Progress("Item 1 of 3", 0, 3)


def test_a_break_is_offered_after_so_many_items_and_once():
    study = items(break_every=2)
    assert walk(study, *left(1)).step().name == "item"
    assert walk(study, *left(1, 2)).step().name == "break"
    assert walk(study, *left(1, 2), passed("break", 3)).step().name == "item"
    assert walk(study, *left(1, 2, 3)).step() == Step("done")


def test_practice_items_do_not_count_towards_a_break():
    study = replace(whole(break_every=1), consent="", background=(), manual=Manual("", ""))
    notes = (*left(1), passed("practice-over", 2))
    assert walk(study, *notes).step().name == "item"
    assert walk(study, *notes, *left(2)).step().name == "break"


def two_parts(**session):
    parts = (replace(studies.VERBAL, part="words"), replace(studies.VISUAL, part="line"))
    return studies.bare(Path(), *parts, session=Session(**session))


def test_a_new_part_is_announced_and_the_preferred_one_is_asked_for_in_the_end():
    study = two_parts(ask_preference=True, remarks=True)
    assert walk(study, *left(1, 2)).step().task.part == "words"
    assert walk(study, *left(1, 2, 3)).step().name == "part"
    assert walk(study, *left(1, 2, 3), passed("part", 4)).step().task.part == "line"
    end = left(*range(1, 7))
    assert walk(study, *end).step() == Step("preferred")
    assert walk(study, *end, Noted("preferred")).step() == Step("remarks")
    assert walk(study, *end, Noted("preferred"), Noted("remarks")).step() == Step("done")


def test_one_part_leaves_nothing_to_prefer():
    assert walk(items(ask_preference=True), *left(1, 2, 3)).step() == Step("done")


def test_the_next_occasion_waits_its_time():
    study = items(occasion_gap_hours=24)
    notes = left(1, 2, at=NOON - timedelta(hours=2)) + left(3)
    waiting = walk(study, *notes, occasions=2, now=NOON + timedelta(hours=23)).step()
    assert (waiting.name, waiting.until) == ("wait", NOON + timedelta(hours=24))
    later = NOON + timedelta(hours=24)
    assert walk(study, *notes, occasions=2, now=later).step().name == "occasion"
    here = walk(study, *notes, passed("occasion", 4), occasions=2, now=later)
    assert here.step().task.occasion == 2
    assert here.progress(here.step().task).words == "Item 1 of 3"


def test_notes_of_a_sheet_that_was_taken_back_do_not_count():
    assert walk(items(), *left(1, 2, 3, sheet=7)).step().task.position == 1


@pytest.mark.parametrize(("allowed", "seen"), [(True, [1, 2, 3]), (False, [3])])
def test_earlier_items_are_seen_again_only_where_the_study_allows_it(allowed, seen):
    here = walk(items(go_back=allowed), *left(1, 2))
    assert [n for n in range(-1, 9) if here.may_see(n)] == seen


def test_nobody_goes_back_to_practice_to_another_occasion_or_after_the_end():
    study = replace(whole(), consent="", background=(), manual=Manual("", ""))
    assert walk(study, *left(1), passed("practice-over", 2)).may_see(1) is None
    second = walk(items(), *left(1, 2, 3), passed("occasion", 4), occasions=2)
    assert second.may_see(3) is None
    assert second.before(second.step().task) is None
    assert walk(items(), *left(1, 2, 3)).may_see(3) is None


def test_an_item_behind_a_break_is_not_seen_before_the_break_is_over():
    here = walk(items(break_every=1), *left(1))
    assert here.may_see(2) is None
    assert here.may_see(1) is not None
