"""What comes next, from what is known, without a server."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from covary.design.plan import Sheet, Task
from covary.study.model import Background, Item, Manual, Session
from covary.web.judge_flow import FlowProgress, FlowStep, JudgeFlow
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
    return JudgeFlow(study, given, tuple(notes), now)


def whole(**session):
    return studies.study(Path(), session=Session(**session))


def items(**session):
    return studies.bare(Path(), session=Session(**session))


AGREED = Noted("consent", {"agreed": True})
TOLD = Noted("background", {"answers": {}})
READ = Noted("guidelines", {"version": "m1"})


def test_the_first_steps_come_one_after_another():
    study = whole()
    assert walk(study).step() == FlowStep("consent")
    assert walk(study, AGREED).step() == FlowStep("background")
    assert walk(study, AGREED, TOLD).step() == FlowStep("guidelines")
    assert walk(study, AGREED, TOLD, READ, sheet=False).step() == FlowStep("sheet")
    step = walk(study, AGREED, TOLD, READ).step()
    assert (step.name, step.task.kind, step.task.position) == ("item", "practice", 1)


def test_who_declines_may_think_again():
    declined = Noted("consent", {"agreed": False})
    assert walk(whole(), declined).step() == FlowStep("declined")
    assert walk(whole(), declined, AGREED).step() == FlowStep("background")


def test_changed_guidelines_are_shown_again():
    study = whole()
    changed = replace(study, manual=Manual("New rules.", "m2"))
    assert walk(changed, AGREED, TOLD, READ, *left(1, 2)).step() == FlowStep("guidelines")


def test_what_a_study_does_not_have_is_not_asked():
    step = walk(items()).step()
    assert (step.name, step.task.position) == ("item", 1)


def test_practice_is_counted_apart_and_ends_with_a_word():
    study = whole()
    begun = (AGREED, TOLD, READ)
    here = walk(study, *begun)
    assert here.progress(here.step().task) == FlowProgress(1, 0, 1, practice=True)
    here = walk(study, *begun, *left(1))
    assert here.step().name == "practice-over"
    here = walk(study, *begun, *left(1), passed("practice-over", 2))
    assert here.step().name == "item"
    assert here.progress(here.step().task) == FlowProgress(1, 0, 3)


def test_a_break_is_offered_after_so_many_items_and_once():
    study = items(break_every=2)
    assert walk(study, *left(1)).step().name == "item"
    assert walk(study, *left(1, 2)).step().name == "break"
    assert walk(study, *left(1, 2), passed("break", 3)).step().name == "item"
    assert walk(study, *left(1, 2, 3)).step() == FlowStep("done")


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
    assert walk(study, *end).step() == FlowStep("preferred")
    assert walk(study, *end, Noted("preferred")).step() == FlowStep("remarks")
    assert walk(study, *end, Noted("preferred"), Noted("remarks")).step() == FlowStep("done")


def test_practice_of_another_part_does_not_say_that_a_part_is_finished():
    study = two_parts()
    item = study.items[0].id
    kinds = [("practice", "words"), ("practice", "line"), ("item", "words"), ("item", "line")]
    tasks = (Task(place, item, kind, part) for place, (kind, part) in enumerate(kinds, 1))
    sheet = Sheet(1, tuple(tasks))

    def step(*notes):
        return JudgeFlow(study, sheet, notes, NOON).step()

    assert step(*left(1)) == FlowStep("item", sheet.tasks[1])
    begun = (*left(1, 2), passed("practice-over", 3))
    assert step(*left(1, 2)).name == "practice-over"
    assert step(*begun).name == "item"
    assert step(*begun, *left(3)).name == "part"


def test_one_part_leaves_nothing_to_prefer():
    assert walk(items(ask_preference=True), *left(1, 2, 3)).step() == FlowStep("done")


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


def test_the_questions_of_a_new_occasion_come_after_its_welcome_and_once():
    asked = (Background("tired", "How tired are you?", ("not", "very"), ask="between"),)
    study = replace(items(occasion_gap_hours=0), background=asked)
    notes = (*left(1, 2, 3), passed("occasion", 4))
    assert walk(study, *notes, occasions=2).step().name == "questions"
    assert walk(study, *notes, passed("questions", 4), occasions=2).step().name == "item"


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


def practising(number, **session):
    """A study that begins with so many practice items, and nothing before them."""
    plain = items(**session)
    practice = tuple(
        Item(f"practice-{place}", ("Rain later.",), kind="practice") for place in range(number)
    )
    return replace(plain, items=(*practice, *plain.items))


def test_nobody_is_sent_into_a_break_while_they_practise():
    study = practising(3, break_every=1)
    assert walk(study, *left(1)).step().task.kind == "practice"
    assert walk(study, *left(1)).step().name == "item"
    assert walk(study, *left(1, 2)).step().name == "item"
    assert walk(study, *left(1, 2, 3)).step().name == "practice-over"


def test_a_break_comes_after_every_so_many_items_and_not_before_the_first():
    study = items(break_every=3)
    names = [walk(study, *left(*range(1, done + 1)), occasions=1).step().name for done in range(4)]
    assert names == ["item", "item", "item", "done"]
    assert walk(items(break_every=0), *left(1)).step().name == "item"


def test_a_break_stands_before_the_page_of_a_new_part():
    study = two_parts(break_every=3)
    assert walk(study, *left(1, 2, 3)).step().name == "break"
    assert walk(study, *left(1, 2, 3), passed("break", 4)).step().name == "part"
    ready = (*left(1, 2, 3), passed("break", 4), passed("part", 4))
    assert walk(study, *ready).step() == FlowStep("item", walk(study).task(4))


def test_a_step_says_before_which_item_it_stands():
    assert walk(items(break_every=1), *left(1)).step().about == 2
    assert walk(whole()).step().about == 0


def test_practice_once_more_puts_only_the_practice_before_the_judge_again():
    study = practising(2)
    again = Noted("practice-again", {"sheet": 1})
    assert walk(study, *left(1, 2, 3), again).left() == {3}
    assert walk(study, *left(1, 2), again, *left(1)).step().task.position == 2
    other = Noted("practice-again", {"sheet": 7})
    assert walk(study, *left(1, 2), other).left() == {1, 2}


def test_what_is_told_after_practice_is_told_again_when_it_is_done_again():
    made = practising(1, feedback=("practice", "gold"))
    known = [replace(each, expected={"Fluency": 6}) for each in made.items]
    gold = replace(known[1], kind="gold")
    study = replace(made, items=(known[0], gold, *known[2:]))
    first = (*left(1), passed("feedback", 1))
    again = Noted("practice-again", {"sheet": 1})
    assert walk(study, *left(1)).step().name == "feedback"
    assert walk(study, *first).step().name == "practice-over"
    assert walk(study, *first, again, *left(1)).step().name == "feedback"
    twice = (*first, again, *first)
    assert walk(study, *twice).step().name == "practice-over"
    told = (*first, *left(2), passed("feedback", 2), again, *first)
    assert walk(study, *told).step().task.position == 3  # gold is not done again


def test_a_task_is_found_by_its_place_from_the_first_to_the_last():
    here = walk(items())
    assert [here.task(place) and here.task(place).position for place in range(-1, 5)] == [
        None, None, 1, 2, 3, None,
    ]  # fmt: skip
    assert walk(items(), sheet=False).task(1) is None


def test_progress_counts_what_is_done_before_an_item():
    here = walk(items(), *left(1))
    assert here.progress(here.task(2)) == FlowProgress(2, 1, 3)


def test_the_item_before_is_gone_back_to_only_when_it_was_left():
    here = walk(items(), *left(1))
    assert here.before(here.task(2)).position == 1
    assert here.before(here.task(1)) is None
    assert here.before(here.task(3)) is None  # the second is not left yet
    assert walk(items(go_back=False), *left(1)).before(here.task(2)) is None


def test_the_wait_is_counted_from_when_the_last_item_was_left_last():
    study = items(occasion_gap_hours=24)
    told = Noted("feedback", {"sheet": 1, "position": 3}, NOON + timedelta(hours=1))
    notes = (*left(1, 2, 3, at=NOON - timedelta(hours=5)), *left(3), told)
    step = walk(study, *notes, occasions=2, now=NOON).step()
    assert (step.name, step.until) == ("wait", NOON + timedelta(hours=24))
    assert step.task.position == 4


def test_nothing_is_seen_while_the_guidelines_are_unread_or_a_session_is_not_open():
    assert walk(whole(), AGREED, TOLD).may_see(1) is None
    waiting = walk(items(occasion_gap_hours=24), *left(1, 2, 3), occasions=2)
    assert waiting.step().name == "wait"
    assert waiting.may_see(3) is None


def test_guidelines_of_another_version_or_without_words_need_not_be_read():
    blank = replace(whole(), manual=Manual("  \n", "m9"))
    assert walk(blank, AGREED, TOLD, sheet=False).step() == FlowStep("sheet")


def test_a_preference_or_a_remark_is_asked_for_once_and_only_where_the_study_asks():
    assert walk(two_parts(), *left(*range(1, 7))).step() == FlowStep("done")
    assert walk(items(remarks=True), *left(1, 2, 3)).step() == FlowStep("remarks")
    assert walk(items(remarks=True), *left(1, 2, 3), Noted("remarks")).step() == FlowStep("done")
