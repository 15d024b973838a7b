"""How numbers are written: expected strings are worked out by hand."""

import math

import pytest

from covary.reports import formatting
from covary.stats.estimate import Interval


@pytest.mark.parametrize(
    ("low", "high", "places"),
    [
        (0.41, 0.63, 2),  # half-width .11: the first decimal is uncertain already
        (0.50, 0.52, 2),  # half-width .01: the second
        (0.512, 0.519, 3),  # half-width .0035: the third
        (0.51234, 0.51235, 3),  # never more than three
        (0.5, 0.5, 2),
        (math.nan, 0.5, 2),
    ],
    ids=["wide", "hundredth", "narrow", "tiny", "point", "undefined"],
)
def test_an_interval_says_how_many_decimals_it_supports(low, high, places):
    assert formatting.decimals(low, high) == places


@pytest.mark.parametrize(
    ("value", "written"),
    [(0.5267, ".53"), (0.525 - 1e-16, ".53"), (-0.0512, "-.05"), (1.0, "1.00"), (-1.0, "-1.00"),
     (-0.001, ".00"),
     (math.nan, "–"), (-1.5, "-1.50")],
    ids=["plain", "half", "negative", "one", "minus one", "nearly zero", "undefined", "below -1"],
)  # fmt: skip
def test_a_coefficient_has_no_zero_before_its_point(value, written):
    assert formatting.coefficient(value) == written


def test_other_amounts_keep_the_zero():
    assert formatting.amount(0.5267) == "0.53"
    assert formatting.amount(-0.001) == "0.00"


def test_an_interval_and_its_value_share_their_decimals(made_estimate):
    assert formatting.with_interval(made_estimate(0.5163, 0.5121, 0.5194)) == ".516 [.512, .519]"
    assert formatting.with_interval(made_estimate(0.5163, 0.41, 0.63)) == ".52 [.41, .63]"


def test_what_is_undefined_is_a_dash(made_estimate):
    assert formatting.with_interval(made_estimate(math.nan)) == "–"
    assert formatting.with_interval(None) == "–"
    assert formatting.interval(None) == "–"
    assert formatting.interval(Interval(math.nan, math.nan, 0.95, "jackknife")) == "–"
    assert formatting.percent(math.nan) == formatting.p_value(math.nan) == "–"


def test_a_value_without_interval_stands_alone(made_estimate):
    assert formatting.with_interval(made_estimate(0.5163)) == ".52"


@pytest.mark.parametrize(
    ("p", "written"),
    [(0.5, ".50"), (0.0342, ".034"), (0.049996, ".050"), (0.00123, ".0012"), (1.23e-7, "1.2e-7"),
     (1.0, "1.00"), (0.0, "0")],
    ids=["half", "small", "near a threshold", "smaller", "tiny", "one", "underflow"],
)  # fmt: skip
def test_a_p_value_is_written_itself(p, written):
    assert formatting.p_value(p) == written


@pytest.mark.parametrize(
    ("share", "written"),
    [(0.314, "31%"), (0.004, "0.4%"), (0.996, "99.6%"), (0, "0%"), (1, "100%")],
)
def test_a_share_is_a_percentage_that_is_never_rounded_to_none_or_all(share, written):
    assert formatting.percent(share) == written
