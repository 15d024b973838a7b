"""A refusal knows whom and what it names, so that a page can say it with names of its own."""

from dataclasses import fields, is_dataclass

import pytest

from covary.training import (
    Finished,
    MovedOn,
    Proposed,
    Rated,
    Refused,
    RoundOpened,
    Said,
    Stopped,
    cycle,
    events,
    opening,
    phases,
    state,
    stop_rule,
)
from tests.training.courses import RULE, an_edit, begun, in_combination, in_externalisation
from tests.training.courses import in_socialisation as talking

ALIASES = {"Ann": "Judge A", "Bo": "Judge B", "Cy": "Judge C"}
NUMBERS = {"t1": "item 1", "t2": "item 2"}
STEPS = {"internalisation": "‘Rate alone’", "socialisation": "‘Discuss’"}


def one_round():
    return begun().apply(RoundOpened(("t1", "t2")))


def proposed():
    return in_externalisation().apply(Proposed("Bo", RULE, (("t1", "relevance"),)))


@pytest.mark.parametrize(
    ("where", "event", "words"),
    [
        (one_round, MovedOn("socialisation"), "Judge A, Judge B, Judge C have not finished"),
        (one_round, Finished("Bo"), "Judge B has not rated 4 of the items yet: item 1 (relevance)"),
        (one_round, Rated("Cy", "t2", {"relevance": 9}), "Judge C, item 2, relevance: 9 is not"),
        (one_round, Rated("Di", "t2", {}), "'Di' does not take part; the judges are Judge A, Jud"),
        (one_round, MovedOn("combination"), "after ‘Rate alone’ comes ‘Discuss’, and not combin"),
        (one_round, RoundOpened(("t3",)), "after combination, and the cycle is in ‘Rate alone’"),
        (talking, Rated("Cy", "t2", {}), "this belongs to ‘Rate alone’, and the cycle is in ‘Dis"),
        (talking, Said("Cy", "t1", "relevance", ""), "Judge C has said nothing about item 1"),
        (talking, MovedOn("externalisation"), "item 1 (relevance), item 2 (fluency)"),
        (proposed, MovedOn("combination"), "proposal 1 (Judge A, Judge C)"),
        (in_combination, RoundOpened(("t2",)), "round 1: item 2; each round needs a new set"),
        (in_combination, MovedOn("socialisation"), "comes a new round, opened with RoundOpened"),
    ],
)
def test_a_refusal_is_worded_with_other_names(where, event, words):
    with pytest.raises(Refused) as caught:
        where().apply(event)
    worded = caught.value.worded(
        judge=lambda name: ALIASES.get(name, name),
        item=lambda name: NUMBERS.get(name, name),
        phase=lambda name: STEPS.get(name, name),
    )
    assert words in worded
    assert not set(ALIASES) & set(worded.replace("(", " ").replace(",", " ").split())
    assert caught.value.worded() == str(caught.value)


def test_an_editor_is_named_as_the_page_names_them():
    cycle = in_combination()
    with pytest.raises(Refused) as caught:
        cycle.apply(an_edit(cycle, based_on="older"))
    assert "the edit by Judge C begins" in caught.value.worded(judge=ALIASES.get)
    assert caught.value.code == "training.unknown-version"
    assert caught.value.facts["judge"] == "Cy"


def test_before_it_began_a_cycle_has_no_manual_and_no_round():
    cycle = begun()
    assert (cycle.phase, cycle.apply(Stopped("researcher", "x")).phase) == ("ready", "ended")
    with pytest.raises(Refused, match="no round has been opened yet"):
        _ = cycle.round
    with pytest.raises(Refused, match="has not begun"):
        _ = type(cycle)().edition
    assert type(cycle)().phase == "new"
    assert cycle.waiting_for() == ()


@pytest.mark.parametrize("module", [cycle, events, opening, phases, state, stop_rule])
def test_what_a_cycle_is_made_of_cannot_be_changed(module):
    records = [each for each in vars(module).values() if is_dataclass(each)]
    for record in records:
        assert record.__dataclass_params__.frozen


@pytest.mark.parametrize(
    "record", [state.Disagreement, state.Explanation, state.Proposal, state.Edit, state.Round]
)
def test_records_with_many_fields_are_made_by_keyword(record):
    assert all(each.kw_only for each in fields(record))
