"""Cronbach's alpha: how consistent the sum of several judges or of several criteria is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.ratings import expressions as nw
from covary.ratings.frames import fetch
from covary.ratings.memory_limit import refuse_many
from covary.scales import ObservedScale, Scale
from covary.stats.coefficient import (
    Coefficient,
    Request,
    check_choice,
    check_ratings,
    needs_named_judges,
    prepare,
)
from covary.stats.coefficients.mean_squares import (
    RatingSums,
    centred_ratings,
    clear_rounding,
    mean_squares,
    rating_moments,
)
from covary.stats.distributions import f_quantile
from covary.stats.estimate import Estimate, Interval
from covary.stats.intervals import IntervalSpec
from covary.stats.line import BY_SUMS
from covary.stats.patterns import Patterns, refuse_repeats, scale_numbers, with_clusters
from covary.stats.statistic import ROUNDING, Linear, ratio
from covary.stats.suitability import check_suitability
from covary.words import Note

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

NAME, TITLE = "cronbach_alpha", "Cronbach's alpha"


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
    raise it. It equals `icc(form="3,k")`; its neighbour `icc(form="2,k")` counts severity.

    Parameters
    ----------
    ratings
        The ratings.
    standardised
        Bring the parts to equal variances first; alpha then depends on their correlations only.
    parts
        What is summed: the judges of one criterion, or `"criteria"`, where each row is one judge's
        ratings of one item (do the criteria measure one thing?). A criterion whose scale runs the
        other way (`best="low"` among `best="high"`) is reversed, and a note says so.
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
    >>> alpha = cronbach_alpha(Ratings.from_wide(rows, level="interval"))
    >>> print(f"{alpha.value:.2f}", alpha.interval)
    0.91 [0.6757, 0.9859]
    """
    spec = IntervalSpec.of(interval, confidence, resamples, rng)
    request = Request(ratings=ratings, criterion=criterion, judges=judges, spec=spec)
    check_choice("parts", parts, ("judges", "criteria"))
    table = _prepare_criteria(request) if parts == "criteria" else None
    every = (
        prepare(NAME, TITLE, request, unsorted_for=BY_SUMS) if table is None else table.coefficient
    )
    needs_named_judges(every)
    coefficient = every.among(every.patterns.sizes == len(every.patterns.judges))
    statistic = _statistic(coefficient.patterns, standardised)
    exact = not standardised and coefficient.patterns.clusters is None
    details = _details(coefficient.patterns, statistic, standardised)
    estimate = coefficient.estimate(
        statistic,
        settings={"parts": parts, "standardised": standardised, "missing": "complete rows"},
        default="analytic" if exact else "bootstrap",
        details=details,
        own={"analytic": lambda spec: _feldt(statistic, spec)} if exact else {},
        undefined=_why_undefined(coefficient.patterns, parts),
        notes=_two_parts_note(details),
    )
    return estimate if table is None else _count_items(estimate, table)


def _statistic(patterns: Patterns, standardised: bool) -> Linear:
    k = len(patterns.judges)
    if not standardised:
        return RatingSums(patterns, lambda sums: _raw(sums, k))
    x = centred_ratings(patterns)
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
    whole = clear_rounding(whole, np.abs(matrix).sum(axis=(-2, -1)))
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


def _details(patterns: Patterns, statistic: Linear, standardised: bool) -> dict[str, Any]:
    moments = statistic.moments if isinstance(statistic, RatingSums) else rating_moments(patterns)
    (totals, products), n, k = moments, float(patterns.n_items), len(patterns.judges)
    covariances = _covariances(np.concatenate([[n], totals, products.ravel()]), k)
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


def _feldt(statistic: Linear, spec: IntervalSpec) -> Interval:
    n, k = statistic.counts.sum(), len(statistic.patterns.judges)
    df1, df2 = n - 1, (n - 1) * (k - 1)
    tail, error = (1 - spec.confidence) / 2, 1 - statistic.value
    low = 1 - error * f_quantile(1 - tail, df1, df2)
    high = 1 - error * f_quantile(tail, df1, df2)
    return Interval(low, high, spec.confidence, "Feldt")


def _two_parts_note(details: dict[str, Any]) -> tuple[str, ...]:
    better = details.get("spearman_brown", math.nan)
    return () if math.isnan(better) else (Note("stats.two-parts", better=better),)


def _why_undefined(patterns: Patterns, parts: str) -> str:
    part = "judge" if parts == "judges" else "criterion"
    if not patterns.n_items:
        return Note("stats.no-complete-row", part=part)
    if patterns.n_items == 1:
        return Note("stats.one-complete-row", part=part)
    return Note("stats.sum-constant", parts=parts, part=part)


@dataclass(frozen=True)
class SideBySide:
    """A coefficient whose columns are criteria, and the item and the judge of each of its rows."""

    coefficient: Coefficient
    items: Ints
    judges: Ints


def _prepare_criteria(request: Request) -> SideBySide:
    """Check the criteria and put them side by side.

    Rows of one item are drawn together (they are a cluster), because they share the item.
    """
    chosen = _select_criteria(request)
    scales = chosen.scales
    notes = [note for scale in scales.values() for note in check_suitability(NAME, scale)]
    turned = _reversed_criteria(scales)
    if turned:
        notes.append(Note("stats.criteria-reversed", criteria=turned))
    patterns, items, judges = _side_by_side(_rows(chosen), scales, turned)
    coefficient = Coefficient(
        name=NAME,
        title=TITLE,
        patterns=patterns,
        level=patterns.scale.level,
        spec=request.spec,
        slots=chosen.slots,
        n_judges=len(patterns.judges),
        n_requested=patterns.n_items,
        notes=tuple(dict.fromkeys(notes)),
    )
    return SideBySide(coefficient, items, judges)


def _select_criteria(request: Request) -> Ratings:
    check_ratings(NAME, request.ratings)
    kept = {"criterion": request.criterion, "judge": request.judges}
    chosen = request.ratings.select(
        **{column: values for column, values in kept.items() if values is not None}
    )
    if len(chosen.criteria) < 2:
        raise InvalidArgument("stats.one-criterion", name=NAME, criteria=chosen.criteria)
    refuse_repeats(chosen, chosen.values)
    return chosen


def _reversed_criteria(scales: dict[Any, Scale]) -> list[Any]:
    """The criteria whose best end is low, where others have it high."""
    low = [criterion for criterion, scale in scales.items() if scale.best == "low"]
    high = any(scale.best == "high" for scale in scales.values())
    return low if high else []


def _rows(ratings: Ratings) -> dict[str, npt.NDArray[Any]]:
    refuse_many(ratings, "a comparison of criteria")
    frame = with_clusters(ratings, ratings.frame.filter(~nw.col("rating").is_null()))
    columns = {"item", "judge", "criterion", "rating", "cluster"}
    return fetch(frame.select([name for name in frame.collect_schema() if name in columns]))


def _side_by_side(
    columns: dict[str, npt.NDArray[Any]], scales: dict[Any, Scale], turned: list[Any]
) -> tuple[Patterns, Ints, Ints]:
    item, judge = _number_values(columns["item"]), _number_values(columns["judge"])
    pair, first, row = np.unique(
        np.column_stack([item, judge]), axis=0, return_index=True, return_inverse=True
    )
    table = np.full((len(pair), len(scales)), np.nan)
    for place, (criterion, scale) in enumerate(scales.items()):
        rows = columns["criterion"] == criterion
        sign = -1.0 if criterion in turned else 1.0
        table[row.ravel()[rows], place] = sign * scale_numbers(columns["rating"][rows], scale)
    groups = _number_values(columns["cluster"])[first] if "cluster" in columns else pair[:, 0]
    patterns = _patterns(table, scales)
    if np.unique(groups).size < len(pair):
        patterns = replace(patterns, clusters=groups)
    return patterns, pair[:, 0], pair[:, 1]


def _patterns(table: Floats, scales: dict[Any, Scale]) -> Patterns:
    rated = ~np.isnan(table)
    values = np.unique(table[rated])
    low, high = (float(values[0]), float(values[-1])) if values.size else (np.nan, np.nan)
    level = min(scale.level for scale in scales.values())
    return Patterns(
        codes=np.where(rated, np.searchsorted(values, table), -1).astype(np.int32),
        counts=np.ones(len(table), np.int64),
        values=values,
        judges=tuple(scales),
        scale=ObservedScale(level, None, low, high, guessed=False),
    )


def _number_values(column: npt.NDArray[Any]) -> Ints:
    return np.unique(column.astype(str), return_inverse=True)[1].astype(np.int64)


def _count_items(estimate: Estimate, table: SideBySide) -> Estimate:
    """Count items and judges, and not rows and criteria."""
    kept = table.coefficient.patterns.rated.all(axis=1)
    items, judges = (int(np.unique(column[kept]).size) for column in (table.items, table.judges))
    note = Note("stats.rows-of-criteria", rows=int(kept.sum()))
    return replace(estimate, n_items=items, n_judges=judges, notes=(*estimate.notes, note))
