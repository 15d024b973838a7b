"""The verdict for every combination of agreement and correlation."""

import pytest

from covary.analysis.verdict import verdict
from covary.scales import Level
from covary.stats.estimate import Estimate, Interval


def estimate(low, high):
    value = (low + high) / 2
    interval = Interval(low, high, 0.95, "made up")
    return Estimate("made_up", value, interval, 10, 2, 20, 0, Level.ORDINAL)


@pytest.mark.parametrize(
    ("agreement", "correlation", "word", "sure"),
    [
        ((0.8, 0.9), (0.8, 0.9), "interchangeable", True),
        ((0.2, 0.4), (0.8, 0.9), "consistent, different severity", True),
        ((0.2, 0.4), (0.1, 0.3), "not reliable", True),
        ((0.6, 0.7), (0.8, 0.9), "consistent, different severity", False),
        ((0.2, 0.4), (0.4, 0.6), "not reliable", False),
        ((0.667, 0.8), (0.5, 0.6), "interchangeable", True),
        ((0.8, 0.9), (0.1, 0.3), "little variation", True),
    ],
)
def test_the_intervals_and_not_the_points_decide(agreement, correlation, word, sure):
    found = verdict(estimate(*agreement), estimate(*correlation), 0.4)
    assert (found.word, found.sure) == (word, sure)


def test_a_dominant_category_hides_everything_but_clear_success():
    assert verdict(estimate(0.1, 0.3), estimate(0.1, 0.9), 0.95).word == "little variation"
    assert verdict(estimate(0.8, 0.9), estimate(0.8, 0.9), 0.95).word == "interchangeable"


def test_a_doubtful_verdict_says_what_is_open():
    found = verdict(estimate(0.6, 0.7), estimate(0.8, 0.9), 0.4)
    assert "agreement may reach 0.667" in found.sentence
