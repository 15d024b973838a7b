"""Cronbach's alpha: how consistent the sum of several parts is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.stats.criteria import SideBySide, ask_by_criterion
from covary.stats.distributions import f_quantile
from covary.stats.estimate import Estimate, Interval
from covary.stats.intervals import Wanted
from covary.stats.mean_squares import ROUNDING, cleared, mean_squares, row_sums, shifted
from covary.stats.patterns import Patterns
from covary.stats.question import ask, needs_named_judges
from covary.stats.statistic import Linear, ratio

__all__ = ["cronbach_alpha"]

Floats = npt.NDArray[np.float64]


def cronbach_alpha(
    ratings: Ratings,
    *,
    standardised: bool = False,
    parts: Literal["judges", "criteria"] = "judges",
    criterion: Any = None,
    judges: Sequence[Any] | None = None,
    confidence: float = 0.95,
    interval: str | None = "auto",
    resamples: int = 1000,
    rng: int | np.random.Generator | None = None,
) -> Estimate:
    """How well does the sum (or mean) of the judges' ratings tell items apart?

    A measure of consistency, not of agreement: a strict judge does not lower it, and more judges
    raise it. It equals `icc(form="3,k")`; its neighbour `icc(form="2,k")` counts strictness.

    Parameters
    ----------
    ratings
        The ratings.
    standardised
        Bring the parts to equal variances first; alpha then depends on their correlations only.
    parts
        What is summed: the judges of one criterion, or `"criteria"`, where each row is one judge's
        ratings of one item (do the criteria measure one thing?). A criterion whose scale runs the
        other way (`best="low"` among `best="high"`) is turned round, and a note says so.
    criterion
        Which criterion, where the ratings hold several; with `parts="criteria"` the list of those
        to sum, or None for all.
    judges
        Only these judges.
    confidence
        The confidence of the interval.
    interval
        `"auto"` takes Feldt's exact limits (`"analytic"`) for the raw alpha of independent rows;
        `"bootstrap"` for the standardised alpha, for items in clusters, and for criteria where
        several judges rated an item. Also `"bca"`, `"jackknife"`, or None.
    resamples
        How many resamples, where the interval draws any.
    rng
        A seed or a NumPy generator, to repeat the draws.

    Returns
    -------
    Estimate
        At most 1; 0 when the parts do not go together; negative when they go against each other.
        `details["if_deleted"]` says what alpha would be without each part. With two parts
        `details["spearman_brown"]` is the coefficient to report instead.

    Notes
    -----
    With k parts, s² the variance of a part, S² that of the sum and r the mean correlation::

        alpha = k / (k-1) (1 - Σ s² / S²)        standardised = k r / (1 + (k-1) r)

    Feldt's limits are 1 - (1 - alpha) F, with F of n-1 and (n-1)(k-1) degrees of freedom.

    Rows with a missing rating are dropped and counted.

    Undefined (NaN) with fewer than two parts or two complete rows, when the sum does not vary, and
    for the standardised alpha when a part does not vary.

    Checked against R psych 2.2.9 (`alpha` of the attitude data: values, limits, standardised).

    References
    ----------
    Cronbach (1951), Psychometrika 16, equation 2. Feldt, Woodruff & Salih (1987), Applied
    Psychological Measurement 11.

    Examples
    --------
    The data of Shrout & Fleiss (1979), whose ICC(3,4) is .91:

    >>> from covary import Ratings
    >>> rows = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    >>> found = cronbach_alpha(Ratings.from_wide(rows, level="interval"))
    >>> print(f"{found.value:.2f}", found.interval)
    0.91 [0.6757, 0.9859]
    """
    wanted = Wanted.of(interval, confidence, resamples, rng)
    name, title, beside = "cronbach_alpha", "Cronbach's alpha", None
    if parts == "criteria":
        beside = ask_by_criterion(name, title, ratings, wanted, criteria=criterion, judges=judges)
        asked = beside.question
    elif parts == "judges":
        asked = ask(name, title, ratings, wanted, criterion=criterion, judges=judges)
    else:
        raise InvalidArgument(f"parts={parts!r} is not known; choose 'judges' or 'criteria'")
    needs_named_judges(asked)
    question = asked.among(asked.patterns.rated.all(axis=1))
    statistic = _statistic(question.patterns, standardised)
    exact = not standardised and question.patterns.clusters is None
    details = _details(question.patterns, standardised)
    found = question.answer(
        statistic,
        settings={"parts": parts, "standardised": standardised, "missing": "complete rows"},
        default="analytic" if exact else "bootstrap",
        details=details,
        own={"analytic": lambda wanted: _feldt(statistic, wanted)} if exact else {},
        asked=asked.patterns,
        undefined=_why_undefined(question.patterns, parts),
        notes=_two_parts_note(details),
    )
    return found if beside is None else _counted(found, beside)


def _statistic(patterns: Patterns, standardised: bool) -> Linear:
    k = len(patterns.judges)
    if not standardised:
        return Linear(patterns, row_sums(patterns, by_judge=True), lambda sums: _raw(sums, k))
    x = shifted(patterns)
    products = (x[:, :, None] * x[:, None, :]).reshape(len(x), k * k)
    sums = np.hstack([np.ones((len(x), 1)), x, products])
    return Linear(patterns, sums, lambda sums: _alpha(_correlations(_covariances(sums, k))))


def _raw(sums: Floats, k: int) -> Floats:
    squares = mean_squares(sums, k)
    return ratio(squares.items - squares.error, squares.items)


def _alpha(matrix: Floats) -> Floats:
    """Alpha from covariances (or, standardised, from correlations) of the parts."""
    k = matrix.shape[-1]
    own, whole = np.trace(matrix, axis1=-2, axis2=-1), matrix.sum(axis=(-2, -1))
    whole = cleared(whole, np.abs(matrix).sum(axis=(-2, -1)))
    return ratio(k * (whole - own), (k - 1) * whole)


def _covariances(sums: Floats, k: int) -> Floats:
    """Sums of squares and products about the means, from n, totals and products."""
    n, totals = sums[..., 0, None, None], sums[..., 1 : k + 1]
    products = sums[..., k + 1 :].reshape(*sums.shape[:-1], k, k)
    centred = products - ratio(totals[..., :, None] * totals[..., None, :], n)
    own = np.sqrt(np.diagonal(products, axis1=-2, axis2=-1))
    scale = own[..., :, None] * own[..., None, :]
    return np.where(np.abs(centred) < ROUNDING * scale, 0.0, centred)


def _correlations(covariances: Floats) -> Floats:
    spread = np.sqrt(np.diagonal(covariances, axis1=-2, axis2=-1))
    return ratio(covariances, spread[..., :, None] * spread[..., None, :])


def _details(patterns: Patterns, standardised: bool) -> dict[str, Any]:
    x, weights, k = shifted(patterns), patterns.counts.astype(float), len(patterns.judges)
    products = x.T @ (weights[:, None] * x)
    covariances = _covariances(np.concatenate([[weights.sum()], weights @ x, products.ravel()]), k)
    matrix = _correlations(covariances) if standardised else covariances
    details: dict[str, Any] = {"if_deleted": _if_deleted(matrix, patterns.judges)}
    if k == 2:
        details["spearman_brown"] = float(_alpha(_correlations(covariances)))
    return details


def _if_deleted(matrix: Floats, names: tuple[Any, ...]) -> dict[Any, float]:
    """Alpha without each part; NaN where only one part would be left."""
    left = {}
    for place, name in enumerate(names):
        part = np.delete(np.delete(matrix, place, axis=0), place, axis=1)
        left[name] = float(_alpha(part))
    return left


def _feldt(statistic: Linear, wanted: Wanted) -> Interval:
    n, k = statistic.counts.sum(), len(statistic.patterns.judges)
    df1, df2 = n - 1, (n - 1) * (k - 1)
    tail, error = (1 - wanted.confidence) / 2, 1 - statistic.value
    low = 1 - error * f_quantile(1 - tail, df1, df2)
    high = 1 - error * f_quantile(tail, df1, df2)
    return Interval(low, high, wanted.confidence, "Feldt")


def _two_parts_note(details: dict[str, Any]) -> tuple[str, ...]:
    better = details.get("spearman_brown", math.nan)
    if math.isnan(better):
        return ()
    return (
        f"with two parts report the Spearman-Brown coefficient instead ({better:.4f}); alpha "
        "assumes that both have the same variance",
    )


def _why_undefined(patterns: Patterns, parts: str) -> str:
    one = "judge" if parts == "judges" else "criterion"
    if not patterns.n_items:
        return f"no item has a rating from every {one}"
    if patterns.n_items == 1:
        return f"only one item has a rating from every {one}, so nothing varies between items"
    return f"the sum of the {parts} does not vary, or a {one} gave all items the same rating"


def _counted(found: Estimate, beside: SideBySide) -> Estimate:
    """Count items and judges, and not rows and criteria."""
    kept = beside.question.patterns.rated.all(axis=1)
    items, judges = (int(np.unique(column[kept]).size) for column in (beside.items, beside.judges))
    note = f"{int(kept.sum())} rows, each one judge's ratings of one item"
    return replace(found, n_items=items, n_judges=judges, notes=(*found.notes, note))
