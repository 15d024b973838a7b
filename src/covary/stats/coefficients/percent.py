"""Percent agreement, exact or within a tolerance, and the indices of prevalence and bias."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.scales import Level
from covary.stats.coefficient import (
    OwnIntervals,
    Request,
    check_choice,
    needs_named_judges,
    prepare,
)
from covary.stats.coefficients.chance import gwet_interval
from covary.stats.estimate import Estimate
from covary.stats.intervals import IntervalSpec
from covary.stats.patterns import Patterns
from covary.stats.statistic import TINY, Linear, ratio
from covary.words import Note

Floats = npt.NDArray[np.float64]


def percent_agreement(
    ratings: Ratings,
    *,
    criterion: Any = None,
    tolerance: float = 0,
    average: Literal["items", "pairs"] = "items",
    judges: Sequence[Any] | None = None,
    confidence: float = 0.95,
    interval: str | None = "auto",
    resamples: int = 1000,
    rng: Any = None,
) -> Estimate:
    """How often do two judges of an item agree, exactly or within a tolerance?

    Easy to read and easy to be fooled by: judges who always choose the same category agree
    perfectly. Report it beside a coefficient that corrects for chance.

    Parameters
    ----------
    ratings
        The ratings; missing ones are allowed.
    tolerance
        How far apart two ratings may be and still count as agreement: ranks on a scale with
        categories, points on a visual scale.
    average
        Where items have unequal numbers of ratings: `"items"` averages the items' shares, so that
        every item counts the same; `"pairs"` is the share of all pairs of judges on an item, so
        that an item of 6 ratings counts 15 times as much as one of 2, which some papers print.
    criterion, judges, confidence, interval, resamples, rng
        As in `fleiss_kappa`.

    Returns
    -------
    Estimate
        A share from 0 to 1.

    Notes
    -----
    The mean over items with at least two ratings of the share of agreeing pairs, or with
    `average="pairs"` the agreeing pairs of all items over all pairs. Items with one
    rating are dropped and counted. Checked against R irrCAC 1.0 (value and standard error).

    References
    ----------
    Artstein & Poesio (2008), Inter-coder agreement for computational linguistics, section 2.3.

    Examples
    --------
    Krippendorff (2011), example A: ten items, two judges, published .6.

    >>> from covary import Ratings, percent_agreement
    >>> pairs = [[0, 1], [1, 1], [0, 1], [0, 0], [0, 0], [0, 1], [0, 0], [0, 0], [1, 0], [0, 0]]
    >>> percent_agreement(Ratings.from_wide(pairs, level="nominal"), interval=None).value
    0.6

    Two judges differ on an item, three agree on another: half of the items, 3 of 4 pairs.

    >>> unequal = Ratings.from_wide([[0, 1, None], [1, 1, 1]], level="nominal")
    >>> for average in ("items", "pairs"):
    ...     percent_agreement(unequal, average=average, interval=None).value
    0.5
    0.75
    """
    check_choice("average", average, ("items", "pairs"))
    if not tolerance >= 0:
        raise InvalidArgument("stats.tolerance", argument="tolerance", value=tolerance)
    spec = IntervalSpec.of(interval, confidence, resamples, rng)
    request = Request(ratings=ratings, criterion=criterion, judges=judges, spec=spec)
    variant = "tolerance" if tolerance else ""
    coefficient = prepare(
        "percent_agreement", "percent agreement", request, variant=variant, named=False
    )
    pairable = coefficient.pairable
    everything = _agreement_share(coefficient.merged, tolerance, average)
    own: OwnIntervals = {"analytic": lambda spec: gwet_interval(everything, spec, fixed=1)}
    weighted = {"average": average} if average != "items" else {}
    return pairable.estimate(
        _agreement_share(pairable.merged, tolerance, average),
        own={} if weighted else own,
        settings={"tolerance": tolerance, **weighted, "missing": "available pairs"},
        notes=[Note("stats.not-corrected")],
        undefined=Note("stats.nothing-shared"),
    )


def prevalence_index(
    ratings: Ratings,
    *,
    criterion: Any = None,
    judges: Sequence[Any] | None = None,
    confidence: float = 0.95,
    interval: str | None = "auto",
    resamples: int = 1000,
    rng: Any = None,
) -> Estimate:
    """How unevenly are the two categories of a binary scale used, where two judges agree?

    High prevalence pulls kappa down however well judges agree; see `gwet_ac1`.

    Parameters
    ----------
    ratings, criterion, judges, confidence, interval, resamples, rng
        As in `cohen_kappa`; a scale of two categories.

    Returns
    -------
    Estimate
        From 0 (both categories are agreed on equally often) to 1 (only one ever is).

    Notes
    -----
    |a - d| / n, where a and d are the numbers of items that both judges put into the one and into
    the other category. Undefined without common items.

    References
    ----------
    Byrt, Bishop & Carlin (1993), Bias, prevalence and kappa.

    Examples
    --------
    >>> from covary import Ratings, prevalence_index
    >>> table = {"A": [1, 1, 0], "B": [1, 0, 1], "items": [118, 5, 2]}
    >>> ratings = Ratings.from_counts(table, judges=["A", "B"], scale="0-1")
    >>> prevalence_index(ratings, interval=None).value  # |118 - 0| / 125
    0.944
    """
    spec = IntervalSpec.of(interval, confidence, resamples, rng)
    request = Request(ratings=ratings, criterion=criterion, judges=judges, spec=spec)
    return _index("prevalence_index", "prevalence index", request, (0, 3))


def bias_index(
    ratings: Ratings,
    *,
    criterion: Any = None,
    judges: Sequence[Any] | None = None,
    confidence: float = 0.95,
    interval: str | None = "auto",
    resamples: int = 1000,
    rng: Any = None,
) -> Estimate:
    """How differently do two judges use the two categories of a binary scale?

    Parameters
    ----------
    ratings, criterion, judges, confidence, interval, resamples, rng
        As in `cohen_kappa`; a scale of two categories.

    Returns
    -------
    Estimate
        From 0 (both use them alike) to 1 (they never agree, always in the same direction).

    Notes
    -----
    |b - c| / n, where b and c are the numbers of items on which the judges differ in the one and in
    the other direction. Undefined without common items.

    References
    ----------
    Byrt, Bishop & Carlin (1993), Bias, prevalence and kappa.

    Examples
    --------
    >>> from covary import Ratings, bias_index
    >>> table = {"A": [1, 1, 0], "B": [1, 0, 1], "items": [118, 5, 2]}
    >>> ratings = Ratings.from_counts(table, judges=["A", "B"], scale="0-1")
    >>> bias_index(ratings, interval=None).value  # |5 - 2| / 125
    0.024
    """
    spec = IntervalSpec.of(interval, confidence, resamples, rng)
    request = Request(ratings=ratings, criterion=criterion, judges=judges, spec=spec)
    return _index("bias_index", "bias index", request, (1, 2))


def _index(name: str, title: str, request: Request, cells: tuple[int, int]) -> Estimate:
    coefficient = prepare(name, title, request)
    needs_named_judges(coefficient)
    patterns = coefficient.patterns
    if patterns.continuous or patterns.n_values > 2 or len(patterns.judges) > 2:
        counts: dict[str, Any]
        counts = {"n_judges": len(patterns.judges), "n_categories": patterns.n_values}
        raise InvalidArgument("stats.two-judges-two-categories", name=name, **counts)
    both = coefficient.pairable
    return both.estimate(
        _difference(both.patterns, cells),
        settings={"missing": "items rated by both"},
        undefined=Note("stats.no-common-items"),
    )


def _difference(patterns: Patterns, cells: tuple[int, int]) -> Linear:
    """The absolute difference of two cells of the 2 × 2 table, as a share of all items."""
    cell = patterns.codes @ np.array([2, 1])[: patterns.codes.shape[1]]
    sums = np.column_stack([cell == cells[0], cell == cells[1], np.ones(cell.size)]).astype(float)

    def share(totals: Floats) -> Floats:
        return ratio(np.abs(totals[..., 0] - totals[..., 1]), totals[..., 2])

    def remake(other: Patterns) -> Linear:
        return _difference(other, cells)

    return Linear(patterns, sums, share, remake=remake, floor=0.0)


def _agreement_share(patterns: Patterns, tolerance: float, average: str = "items") -> Linear:
    few = patterns.n_values <= math.comb(patterns.n_columns, 2) and not patterns.continuous
    by_row = _pairs_by_category if few else _pairs_one_by_one

    def build(weights: Floats) -> Linear:
        agreed, pairs = by_row(patterns, tolerance, weights)
        known = pairs > 0
        share = np.where(known, agreed / np.maximum(pairs, TINY), 0)
        weight = pairs if average == "pairs" else known.astype(float)
        sums = np.column_stack([share * weight, weight])
        return Linear(patterns, sums, finish, build, remake=remake, floor=0.0)

    def remake(other: Patterns) -> Linear:
        return _agreement_share(other, tolerance, average)

    def finish(totals: Floats) -> Floats:
        return ratio(totals[..., 0], totals[..., 1])

    return build(np.ones(len(patterns.judges)))


def _pairs_one_by_one(
    patterns: Patterns, tolerance: float, weights: Floats
) -> tuple[Floats, Floats]:
    """How many pairs of each row's ratings agree, and how many pairs there are."""
    numbers = patterns.numbers(Level.INTERVAL if patterns.continuous else Level.ORDINAL)
    agreed, pairs = np.zeros(len(numbers)), np.zeros(len(numbers))
    for a, b in combinations(range(numbers.shape[1]), 2):
        apart = np.abs(numbers[:, a] - numbers[:, b])
        agreed += weights[a] * weights[b] * (apart <= tolerance + TINY)
        pairs += weights[a] * weights[b] * ~np.isnan(apart)
    return agreed, pairs


def _pairs_by_category(
    patterns: Patterns, tolerance: float, weights: Floats
) -> tuple[Floats, Floats]:
    """The same from how often each row holds each category: all ordered pairs less each's own."""
    tally, own = patterns.tally(weights), patterns.judges_by_row(weights**2)
    places = patterns.positions(Level.ORDINAL)
    near = np.abs(np.subtract.outer(places, places)) <= tolerance + TINY
    agreed = np.einsum("ij,ij->i", tally @ near.astype(float), tally) - own
    return agreed / 2, (tally.sum(axis=1) ** 2 - own) / 2
