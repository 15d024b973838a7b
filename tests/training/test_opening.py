"""How the cycle of a study begins, and which of its training sets a round may show."""

from dataclasses import replace
from pathlib import Path

import pytest

from covary.study.manual import edition_of
from covary.study.model import Item, Manual, Study, TrainingSettings
from covary.training import (
    Began,
    Cycle,
    EvaluationFirst,
    Refused,
    RoundOpened,
    StopRule,
    awaits_training,
    begin,
    check_training_set,
    open_set,
    rule_of,
    unused_sets,
)
from tests.training.courses import FLUENCY, RELEVANCE, begun, in_combination

ITEMS = (
    Item("e1", ("One.",), ("x",), source="s1"),
    Item("p1", ("Practice.",), kind="practice"),
    Item("c1", ("Check.",), kind="check"),
    Item("t1", ("Two.",), kind="training", set=1),
    Item("t2", ("Three.",), kind="training", set=1),
    Item("t3", ("Four.",), kind="training", set=2),
)


def study(items=ITEMS, **more):
    criteria = (RELEVANCE, FLUENCY)
    return Study(Path(), "Questions", criteria, items, Manual("1 is best.", "m1"), **more)


def test_a_study_begins_with_its_manual_judges_items_and_wishes():
    wishes = TrainingSettings(thresholds={"relevance": 2}, share=0.8, at_least=0.7, confidence=0.9)
    event = begin(study(training=wishes), ["Ann", "Bo"])
    assert event == Began(
        edition=edition_of(study()),
        judges=("Ann", "Bo"),
        evaluation_items=("e1", "p1", "c1"),
        thresholds={"relevance": 2},
        rule=StopRule(0.8, 0.7, 0.9),
    )
    assert rule_of(study()) == StopRule(0.95, 0.9, 0.95)


def test_a_study_without_training_items_cannot_begin():
    with pytest.raises(Refused, match="no training items"):
        begin(study(ITEMS[:3]), ["Ann", "Bo"])


def test_a_set_opens_a_round_and_is_then_used():
    cycle = Cycle().apply(begin(study(), ["Ann", "Bo"]))
    assert unused_sets(study(), cycle) == (1, 2)
    event = open_set(study(), 1)
    assert event == RoundOpened(("t1", "t2"))
    assert unused_sets(study(), cycle.apply(event)) == (2,)
    with pytest.raises(Refused, match="no training set 3; it has 1, 2"):
        open_set(study(), 3)


@pytest.mark.parametrize(
    ("kind", "refused"), [("item", True), ("check", True), ("practice", False)]
)
def test_a_set_shows_nothing_that_the_evaluation_shows(kind, refused):
    items = (*ITEMS, Item("e9", ("two.",), kind=kind))
    if not refused:
        assert open_set(study(items), 1).items == ("t1", "t2")
        return
    with pytest.raises(Refused, match=r"1 training item is not new: t1 \(the text of e9\)"):
        open_set(study(items), 1)


def test_nothing_shared_is_nothing_refused():
    check_training_set(ITEMS[3:], ITEMS[:3])
    with pytest.raises(Refused, match="2 training items are not new"):
        check_training_set(ITEMS[3:5], ITEMS[3:5])


def test_a_round_shows_no_item_of_any_round_before():
    cycle = in_combination()
    with pytest.raises(Refused, match="2 items were in the training set of round 1: t1, t2"):
        cycle.apply(RoundOpened(("t1", "t3", "t2")))
    with pytest.raises(Refused, match="2 items of the training set belong to the evaluation"):
        begun().apply(RoundOpened(("e1", "e2")))


def test_rounds_are_numbered_from_one():
    first = begun().apply(RoundOpened(("t1",))).round
    assert (first.number, first.items) == (1, ("t1",))
    assert first.version == begun().edition.version


def test_two_judges_are_enough_and_thresholds_fit_their_scale():
    made = begin(study(), ["Ann", "Bo"])
    assert Cycle().apply(made).judges == ("Ann", "Bo")
    with pytest.raises(Refused, match="at least two judges, and there is only 'Ann'"):
        Cycle().apply(replace(made, judges=("Ann",)))
    with pytest.raises(Refused, match="the threshold of fluency"):
        Cycle().apply(replace(made, thresholds={"fluency": -1}))
    assert Cycle().apply(replace(made, thresholds={"fluency": 5})).thresholds == {"fluency": 5}


def test_the_evaluation_waits_for_a_training_until_one_begins_or_it_is_to_come_first():
    new = Cycle()
    assert awaits_training(study(), new)
    assert not awaits_training(study(ITEMS[:3]), new)  # no training set
    assert not awaits_training(study(), new.apply(begin(study(), ("Ann", "Bo"))))
    first = new.apply(EvaluationFirst())
    assert not awaits_training(study(), first)
    assert not awaits_training(study(), Cycle.of(first.to_dicts()))
    assert first.apply(begin(study(), ("Ann", "Bo"))).phase == "ready"


@pytest.mark.parametrize("before", [EvaluationFirst(), begin(study(), ("Ann", "Bo"))])
def test_the_evaluation_comes_first_once_and_before_any_training(before):
    with pytest.raises(Refused):
        Cycle().apply(before).apply(EvaluationFirst())
