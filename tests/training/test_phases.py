"""The phases of a round at their edges: consensus, half-rated items, what an edit may hold."""

import math
from dataclasses import replace

import pytest

from covary.scales import VerbalScale
from covary.study.manual import Edition
from covary.training import (
    Agreed,
    Began,
    Change,
    Changed,
    Cycle,
    Finished,
    JudgeJoined,
    JudgeLeft,
    MovedOn,
    Proposed,
    Rated,
    Refused,
    RoundOpened,
    Said,
    SetAsideMark,
    SetAsideProposal,
    Stopped,
)
from tests.training.courses import (
    FIRST,
    FLUENCY,
    JUDGES,
    RELEVANCE,
    RULE,
    an_edit,
    begun,
    in_combination,
    in_externalisation,
    in_socialisation,
    rated,
)

T1 = (("t1", "relevance"),)


def proposed(*votes):
    """A proposal by Bo, and how others voted on it."""
    cycle = in_externalisation().apply(Proposed("Bo", RULE, T1))
    for judge, agrees in votes:
        cycle = cycle.apply(Agreed(judge, 1, agrees=agrees))
    return cycle


@pytest.mark.parametrize(
    ("votes", "undecided", "accepted"),
    [
        ((), ("Ann", "Cy"), False),
        ((("Ann", True),), ("Cy",), False),
        ((("Ann", True), ("Cy", True)), (), True),
        ((("Ann", True), ("Cy", False)), (), False),
        ((("Ann", False), ("Ann", True), ("Cy", True)), (), True),
        ((("Ann", True), ("Cy", True), ("Bo", False)), (), False),
    ],
)
def test_consensus_is_everybody_and_an_undecided_judge_is_not_everybody(votes, undecided, accepted):
    cycle = proposed(*votes)
    (proposal,) = cycle.proposals
    assert cycle.undecided(proposal) == undecided
    assert cycle.accepted(proposal) is accepted
    assert cycle.history().work[0].accepted == accepted


def test_who_left_is_not_waited_for_and_who_did_not_rate_has_no_vote():
    cycle = proposed(("Ann", True)).apply(JudgeLeft("Cy", "ill"))
    assert cycle.accepted(cycle.proposals[0])
    assert cycle.apply(MovedOn("combination")).phase == "combination"
    written = in_combination()
    joined = written.apply(an_edit(written)).apply(JudgeJoined("Di"))
    assert joined.undecided(joined.proposals[0]) == ()


@pytest.mark.parametrize(
    ("votes", "against"), [((("Ann", True),), "Cy"), ((("Ann", False), ("Cy", True)), "Ann")]
)
def test_a_proposal_without_consensus_cannot_change_the_manual(votes, against):
    cycle = proposed(*votes).apply(SetAsideProposal(1, "later")).apply(MovedOn("combination"))
    with pytest.raises(Refused, match=rf"proposal 1 has no consensus \({against}\)"):
        cycle.apply(an_edit(cycle))


def test_one_that_somebody_opposes_may_be_left_and_one_that_is_open_may_not():
    opposed = proposed(("Ann", False), ("Cy", True)).apply(MovedOn("combination"))
    assert opposed.apply(RoundOpened(("t3",))).round.number == 2
    with pytest.raises(Refused, match=r"whether they agree: proposal 1 \(Cy\)"):
        proposed(("Ann", True)).apply(MovedOn("combination"))


def test_a_remark_stays_with_its_proposal_and_an_empty_one_is_none():
    cycle = in_externalisation().apply(Proposed("Bo", RULE, T1)).apply(Proposed("Cy", "x", T1))
    cycle = cycle.apply(Agreed("Ann", 2, agrees=False, remark="too strict"))
    cycle = cycle.apply(Agreed("Bo", 2, agrees=True, remark="  "))
    first, second = cycle.proposals
    assert [each.number for each in cycle.proposals] == [1, 2]
    assert first.remarks == ()
    assert second.remarks == (("Ann", "too strict"),)
    assert dict(second.words) == {"Cy": True, "Ann": False, "Bo": True}


def test_a_proposal_comes_from_what_was_discussed():
    cycle = in_socialisation().apply(Said("Bo", "t1", "relevance", "why"))
    cycle = cycle.apply(SetAsideMark("t2", "fluency", "a slip")).apply(MovedOn("externalisation"))
    with pytest.raises(Refused, match=r"nobody has said anything about t2 \(fluency\)"):
        cycle.apply(Proposed("Ann", "x", (("t2", "fluency"),)))
    assert cycle.apply(Proposed("Ann", "x", T1)).proposals[0].round == 1


def test_what_is_still_silent_is_known_mark_by_mark():
    cycle = in_socialisation().apply(Said("Ann", "t1", "relevance", "why"))
    first, second = cycle.round.marks
    assert cycle.round.silent(first) == ("Bo", "Cy")
    assert cycle.round.silent(second) == ("Ann", "Bo", "Cy")
    assert [mark.key for mark in cycle.round.undiscussed] == [("t2", "fluency")]
    assert [entry.text for entry in cycle.round.entries("t1", "relevance")] == ["why"]
    assert cycle.round.entries("t1", "fluency") == ()
    aside = cycle.apply(SetAsideMark("t2", "fluency", "a slip"))
    assert [mark.set_aside for mark in aside.round.marks] == ["", "a slip"]
    assert aside.round.undiscussed == ()


def test_times_add_up_and_none_takes_none():
    cycle = begun().apply(RoundOpened(("t1", "t2")))
    for seconds in (0, 1.5, None, 2):
        cycle = cycle.apply(Rated("Ann", "t1", {"relevance": 1}, seconds=seconds))
    assert dict(cycle.round.seconds) == {("Ann", "t1"): 3.5}
    for wrong in (-0.1, math.inf, math.nan):
        with pytest.raises(Refused, match="is not a time"):
            cycle.apply(Rated("Ann", "t1", {"relevance": 1}, seconds=wrong))


def test_a_judge_finishes_when_every_criterion_of_every_item_has_its_answer():
    cycle = begun().apply(RoundOpened(("t1", "t2")))
    cycle = cycle.apply(Rated("Ann", "t1", {"relevance": 1, "fluency": None}))
    cycle = cycle.apply(Rated("Ann", "t2", {"relevance": 1}))
    with pytest.raises(Refused, match=r"Ann has not rated 1 of the items yet: t2 \(fluency\);"):
        cycle.apply(Finished("Ann"))
    done = cycle.apply(Rated("Ann", "t2", {"fluency": 3})).apply(Finished("Ann"))
    assert done.round.finished == ("Ann",)
    assert done.waiting_for() == ("Bo", "Cy")
    with pytest.raises(Refused, match="Ann has finished round 1"):
        done.apply(Finished("Ann"))


def test_two_who_wait_are_named_and_the_others_are_not():
    cycle = rated(begun().apply(RoundOpened(("t1", "t2"))), finish=False).apply(Finished("Bo"))
    with pytest.raises(Refused, match=r"^Ann, Cy have not finished round 1"):
        cycle.apply(MovedOn("socialisation"))


def test_an_item_that_one_judge_rated_is_not_compared():
    cycle = begun().apply(RoundOpened(("t1",)))
    for judge, rank in zip(JUDGES, (1, None, None), strict=True):
        cycle = cycle.apply(Rated(judge, "t1", {"relevance": rank, "fluency": 5}))
        cycle = cycle.apply(Finished(judge))
    cycle = cycle.apply(MovedOn("socialisation"))
    assert cycle.round.compared == {"relevance": (), "fluency": ("t1",)}
    assert cycle.round.counts == {"relevance": (0, 0), "fluency": (0, 1)}


CLEARER = (Change("wording", "clearer"),)


def edit_of(cycle, *, criteria=None, guidelines=None, changes=CLEARER):
    edition = Edition(
        cycle.edition.criteria if criteria is None else criteria,
        guidelines or cycle.edition.guidelines + "\nMore.\n",
    )
    return Changed("Cy", cycle.edition.version, edition, changes)


@pytest.mark.parametrize(
    ("criteria", "reason"),
    [
        ((), "relevance, fluency has ratings"),
        ((RELEVANCE, FLUENCY, FLUENCY), "criteria must differ in name"),
        ((FLUENCY,), "relevance has ratings"),
    ],
)
def test_an_edit_keeps_every_criterion_that_was_rated_once(criteria, reason):
    cycle = in_combination()
    with pytest.raises(Refused, match=reason):
        cycle.apply(edit_of(cycle, criteria=criteria))


def test_a_criterion_that_nobody_could_rate_may_go():
    cycle = begun().apply(RoundOpened(("t1",)))
    for judge in JUDGES:
        cycle = cycle.apply(Rated(judge, "t1", {"relevance": 1, "fluency": None}))
        cycle = cycle.apply(Finished(judge))
    for phase in ("socialisation", "externalisation", "combination"):
        cycle = cycle.apply(MovedOn(phase))
    assert cycle.apply(edit_of(cycle, criteria=(RELEVANCE,))).edition.keys == ("relevance",)
    again = cycle.apply(edit_of(cycle))
    assert [edit.by for edit in again.round.edits] == ["Cy"]
    assert again.editions == (FIRST, again.edition)


def test_a_rule_about_the_scheme_needs_no_sentence_and_one_about_words_does():
    cycle = in_combination()
    change = Change("rule", "three ranks", "", (1,))
    scheme = (replace(RELEVANCE, scale=VerbalScale([1, 2, 3], best="low")), FLUENCY)
    edit = edit_of(cycle, criteria=scheme, changes=(change,))
    assert cycle.apply(edit).edition.criteria == scheme
    for kind in ("rule", "conceptual"):
        with pytest.raises(Refused, match=f"the {kind} change .* names no sentence"):
            cycle.apply(edit_of(cycle, changes=(replace(change, kind=kind),)))
    assert cycle.apply(edit_of(cycle, changes=(Change("wording", "clearer"),))).editions[1:]


def test_a_sentence_is_found_however_its_lines_are_broken():
    cycle = in_combination()
    change = Change("rule", "more", "One  sentence\nof two lines.", (1,))
    guidelines = "Before. One sentence of\ntwo lines. After.\n"
    edit = edit_of(cycle, guidelines=guidelines, changes=(change,))
    assert cycle.apply(edit).edition.guidelines.startswith("Before.")


def test_phases_follow_each_other_and_the_end_is_a_new_round():
    cycle = in_combination()
    assert cycle.round.phase == "combination"
    for to in ("socialisation", "externalisation", "combination"):
        with pytest.raises(Refused, match="after combination comes a new round"):
            cycle.apply(MovedOn(to))


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (Began(FIRST, ("Ann", " ")), "a judge has no name"),
        (Began(Edition((FLUENCY, FLUENCY), ""), JUDGES), "criteria must be given once each"),
        (Began(FIRST, ()), "at least two judges"),
    ],
)
def test_a_cycle_begins_with_names_that_differ(event, reason):
    with pytest.raises(Refused, match=reason):
        Cycle().apply(event)
    assert Cycle().apply(Began(FIRST, ("Ann", "Bo"))).judges == ("Ann", "Bo")


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (JudgeJoined("  "), "the judge has no name"),
        (JudgeLeft("Di", "ill"), "Di does not take part; there are Ann, Bo, Cy"),
        (Stopped("nobody"), "and not by 'nobody'"),
    ],
)
def test_who_takes_part_and_who_ends_it_is_known(event, reason):
    with pytest.raises(Refused, match=reason):
        begun().apply(event)


def test_the_rule_cannot_end_what_was_not_compared():
    cycle = begun()
    for ready in (cycle, cycle.apply(RoundOpened(("t1",)))):
        with pytest.raises(Refused, match="needs a round"):
            ready.apply(Stopped("rule"))
    assert cycle.apply(Stopped("researcher", "enough")).phase == "ended"


def test_a_judge_joins_before_the_first_round_and_after_the_last():
    assert begun().apply(JudgeJoined("Di")).judges == (*JUDGES, "Di")
    assert in_combination().apply(JudgeJoined("Di")).judges == (*JUDGES, "Di")
    assert begun().apply(JudgeLeft("Bo", "ill")).judges == ("Ann", "Cy")


def test_only_an_accepted_proposal_has_to_be_written_before_the_next_round():
    cycle = in_combination()
    with pytest.raises(Refused, match="accepted proposals 1"):
        cycle.apply(RoundOpened(("t3",)))
    assert cycle.apply(SetAsideProposal(1, "known")).apply(RoundOpened(("t3",))).round.number == 2
    assert cycle.apply(an_edit(cycle)).apply(RoundOpened(("t3",))).round.number == 2
