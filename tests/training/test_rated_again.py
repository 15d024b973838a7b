"""Rating again after the discussion: an occasion of its own, by which no training ends."""

import math

import pytest

from covary.analysis.rounds import rounds
from covary.reports.rounds import rounds_report
from covary.training import (
    Cycle,
    MovedOn,
    Proposed,
    Refused,
    RoundOpened,
    Said,
    Stopped,
    open_again,
)
from tests.training.courses import (
    JUDGES,
    an_edit,
    begun,
    in_combination,
    in_socialisation,
    rated,
)

AGREED = {judge: {"t1": (3, 60), "t2": (2, 50)} for judge in JUDGES}


def written():
    cycle = in_combination()
    return cycle.apply(an_edit(cycle))


def rated_again(given=AGREED):
    opened = written()
    return rated(opened.apply(open_again(opened)), given).apply(MovedOn("socialisation"))


def test_the_same_items_are_rated_blind_and_kept_apart():
    cycle = written()
    opened = cycle.apply(open_again(cycle))
    assert (opened.round.number, opened.round.again) == (2, 1)
    assert opened.round.items == cycle.round.items
    assert opened.seen_by("Ann") == {}
    assert opened.round.version != cycle.rounds[0].version  # under the manual that was written
    assert Cycle.of(opened.to_dicts()) == opened


def test_the_next_round_may_follow_at_once():
    cycle = rated_again()
    assert cycle.between_rounds
    assert cycle.apply(RoundOpened(("u1", "u2"))).round.again is None


@pytest.mark.parametrize(
    ("state", "event", "words"),
    [
        (in_socialisation, RoundOpened(("t1", "t2"), again=True), "the cycle is in socialisation"),
        (begun, RoundOpened(("t1",), again=True), "no round"),
        (written, RoundOpened(("t1", "u1"), again=True), "only the training set of round 1"),
        (written, RoundOpened(("t1", "t2")), "each round needs a new set"),
        (rated_again, RoundOpened(("t1", "t2"), again=True), "was rated again already"),
    ],
)
def test_nothing_else_can_be_rated_again(state, event, words):
    with pytest.raises(Refused, match=words):
        state().apply(event)


def test_the_stop_rule_looks_at_new_items_only():
    cycle = rated_again()
    assert cycle.rounds[1].counts == {"relevance": (0, 2), "fluency": (0, 2)}
    assert cycle.verdict() == cycle.verdict(1)
    with pytest.raises(Refused, match="the stop rule is not met"):
        cycle.apply(Stopped("rule"))


def test_agreement_before_and_after_the_discussion_stands_side_by_side():
    """Relevance: t1 differed (1, 4, 2) and t2 did not; then all gave 3 and 2: alpha is 1."""
    cycle = rated_again()
    found = rounds(cycle.ratings(), history=cycle.history(), rng=1, resamples=20)
    assert found.labels == (1,)
    (again,) = found["relevance"].again
    assert (again.before.differing, again.after.differing) == (1, 0)
    assert math.isclose(again.after.alpha.value, 1.0)
    assert again.before.alpha.value < 1
    assert "rated again after the discussion: 1 differed before and 0 after" in again.sentence
    assert found["relevance"].first is found["relevance"].last


def test_the_report_has_a_section_of_its_own():
    cycle = rated_again()
    found = rounds(cycle.ratings(), history=cycle.history(), rng=1, resamples=20)
    report = rounds_report(found)
    (section,) = (each for each in report.contents.sections if each.key == "again")
    assert "no other number" in section.blocks[0].text
    assert "rated again after the discussion" in report.short()
    assert [work.name for work in found.history.work] == ["1", "2 (round 1 again)"]
    assert found.history.work[1].verdict == ""
    assert report.to_dict()["rounds"]["criteria"][0]["again"][0]["after"]["differing"] == 0


def test_a_word_about_the_whole_item_is_about_each_of_its_marks():
    cycle = in_socialisation()
    assert {mark.key for mark in cycle.round.marks} == {("t1", "relevance"), ("t2", "fluency")}
    cycle = cycle.apply(Said("Bo", "t1", "", "It asks about another sentence."))
    assert [mark.key for mark in cycle.round.undiscussed] == [("t2", "fluency")]
    assert [entry.text for entry in cycle.round.entries("t1", "relevance")] == [
        "It asks about another sentence."
    ]
    assert cycle.round.silent(cycle.round.mark("t1", "relevance")) == ("Ann", "Cy")
    cycle = cycle.apply(Said("Ann", "t2", "fluency", "x")).apply(MovedOn("externalisation"))
    assert cycle.apply(Proposed("Bo", "A rule.", (("t1", "relevance"),))).proposals
    with pytest.raises(Refused, match="t9"):
        cycle.apply(Said("Bo", "t9", "", "x"))
