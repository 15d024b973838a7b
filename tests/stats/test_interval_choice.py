"""Which interval means over very many pairs have, and an interval of very few draws."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from covary.stats import intervals
from covary.stats.intervals import (
    FEW_ROWS,
    MOST_PARTS,
    IntervalSpec,
    default_method,
)
from tests.stats.test_interval_arithmetic import mean_of


@pytest.fixture(autouse=True)
def lines(monkeypatch):
    """Patterns say themselves whether they are places on a line."""
    monkeypatch.setattr(intervals, "on_a_line", lambda patterns: patterns == "line")


def statistic(rows, *, parts=1, cheap=False, smooths=False, line=False):
    return SimpleNamespace(
        n_parts=parts, cheap=cheap, smooths=smooths, counts=np.ones(rows),
        patterns="line" if line else "categories",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "more", "method"),
    [
        (FEW_ROWS, {"smooths": True}, "tilted"),
        (FEW_ROWS + 1, {"smooths": True}, "analytic"),
        (9, {}, "analytic"),
        (9, {"smooths": True, "line": True}, "analytic"),
    ],
)
def test_of_very_many_pairs_categories_alone_get_pseudo_items(rows, more, method):
    assert default_method(statistic(rows, parts=MOST_PARTS + 1, **more)) == method


@pytest.mark.parametrize(
    ("values", "ends", "undefined"),
    [
        ([0.2, 0.4], (0.205, 0.395), 0),  # by hand: 2.5 and 97.5 % of the way
        ([0.2, math.nan, 0.4], (0.205, 0.395), 1),
        ([0.2], (math.nan, math.nan), 0),
        ([math.nan, 0.2], (math.nan, math.nan), 1),
    ],
)
def test_two_draws_make_an_interval_and_one_makes_none(values, ends, undefined):
    spec = IntervalSpec.of("bootstrap", 0.95, 9, 1)
    found = intervals._percentile(np.array(values), spec, "bootstrap")
    assert (found.low, found.high) == pytest.approx(ends, nan_ok=True)
    assert found.undefined == undefined
    expected = math.sqrt(0.02) if sum(v == v for v in values) == 2 else math.nan
    assert found.standard_error == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("items", [10_000, 9_999])
def test_the_interval_of_a_mean_of_very_many_numbers_is_students(items):
    """By its formula, s divided by the root of n; with fewer items the caller draws instead."""
    numbers = (np.arange(items) % 7) / 10
    spec = IntervalSpec.of("bootstrap", 0.95, 9, 1)
    found = intervals.from_many_items(mean_of(numbers), spec)
    if items < 10_000:
        assert found is None
        return
    error = numbers.std(ddof=1) / math.sqrt(items)
    assert found.standard_error == pytest.approx(error, rel=1e-6)
    assert (found.high - found.low) / 2 == pytest.approx(1.9602 * error, rel=1e-4)
    assert (found.high + found.low) / 2 == pytest.approx(numbers.mean(), rel=1e-9)
