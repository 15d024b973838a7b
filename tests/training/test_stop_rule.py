"""When training may end, to the last rating."""

import math

import pytest

from covary.errors import InvalidArgument
from covary.training import StopRule


def test_so_many_ratings_are_needed_that_perfect_agreement_is_sure_enough():
    """By hand: Wilson's lower end of n of n is n / (n + z²), so that n ≥ z² b / (1 − b)."""
    assert StopRule().fewest == 35  # 1.96² · 9 = 34.57
    assert StopRule(bound=0.5).fewest == 4  # 1.96² = 3.84
    assert StopRule(bound=0.1).fewest == 1  # 1.96² / 9 = 0.43
    assert StopRule(bound=0.5, confidence=0.5).fewest == 1  # 0.6745² = 0.45
    assert StopRule(bound=0.8, confidence=0.99).fewest == 27  # 2.576² · 4 = 26.54


@pytest.mark.parametrize(("number", "few", "met"), [(34, True, False), (35, False, True)])
def test_one_rating_makes_the_difference(number, few, met):
    verdict = StopRule().judge({"relevance": (0, number)})
    assert (verdict.few, verdict.met) == (few, met)
    assert ("So few can never be sure enough: it takes 35 or more." in verdict.sentence) is few


def test_what_is_asked_for_is_enough():
    exactly = StopRule(target=0.95, bound=0.5).judge({"relevance": (5, 100)})
    assert exactly.share.value == 0.95
    assert exactly.met
    assert exactly.below == ()
    low = exactly.share.low
    assert StopRule(target=0.9, bound=low).judge({"relevance": (5, 100)}).met
    assert not StopRule(target=0.9, bound=low + 1e-9).judge({"relevance": (5, 100)}).met
    assert not StopRule(target=0.96, bound=0.5).judge({"relevance": (5, 100)}).met


def test_criteria_below_the_target_are_named_where_there_are_several():
    rule = StopRule(target=0.95, bound=0.5)
    verdict = rule.judge({"good": (5, 100), "bad": (6, 100), "best": (0, 100)})
    assert verdict.below == ("bad",)
    assert rule.judge({"bad": (6, 100)}).below == ()
    assert verdict.share.number == 289
    assert verdict.share.of_all == 300


def test_nothing_rated_by_two_says_nothing():
    verdict = StopRule().judge({})
    assert math.isnan(verdict.share.value)
    assert not verdict.met
    assert verdict.sentence.code == "training.nothing-shared"


def test_a_verdict_is_facts_and_a_sentence_of_them():
    verdict = StopRule().judge({"relevance": (17, 200)})
    assert verdict.sentence.code == "training.verdict"
    assert verdict.sentence == (
        "183 of 200 ratings of items (91.5%, at least 86.8% with 95% confidence) lie within the "
        "threshold; the rule asks for 95.0% and at least 90.0%: training goes on."
    )


@pytest.mark.parametrize("name", ["target", "bound", "confidence"])
@pytest.mark.parametrize("wrong", [0, -0.1, 1.1, "x", None, True, False])
def test_what_is_no_share_is_refused(name, wrong):
    with pytest.raises(InvalidArgument, match=f"StopRule: {name}=.* must be a share"):
        StopRule(**{name: wrong})


def test_what_can_never_be_reached_is_refused_with_what_is_usual():
    assert StopRule(target=1).target == 1
    with pytest.raises(InvalidArgument, match=r"bound=1 can never be reached; say 0\.9$"):
        StopRule(bound=1)
    with pytest.raises(InvalidArgument, match=r"confidence=1 can never be reached; say 0\.95$"):
        StopRule(confidence=1)
    assert StopRule(0.8, 0.7, 0.9).to_dict() == {"target": 0.8, "bound": 0.7, "confidence": 0.9}
