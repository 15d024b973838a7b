"""Cross-replication reliability: do two groups of judges measure the same thing?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.ratings import expressions as nw
from covary.ratings.frames import fetch
from covary.ratings.memory_limit import refuse_many
from covary.records import dataclass
from covary.scales import Level, Scale, as_level
from covary.stats.coefficient import Coefficient, check_ratings
from covary.stats.distances import fixed_distances
from covary.stats.estimate import Estimate
from covary.stats.intervals import IntervalSpec, bootstrap
from covary.stats.ordering import midranks
from covary.stats.patterns import Patterns, collapse
from covary.stats.statistic import Linear
from covary.words import Note

Floats = npt.NDArray[np.float64]

BY_MOMENTS = np.array([[0.0, 0.0, 1.0], [0.0, -2.0, 0.0], [1.0, 0.0, 0.0]])
"""(v - w)² from the numbers 1, v, v² of one rating and 1, w, w² of another."""


def xrr(
    a: Ratings,
    b: Ratings,
    *,
    criterion: Any = None,
    level: Level | str | None = None,
    confidence: float = 0.95,
    interval: str | None = "auto",
    resamples: int = 1000,
    rng: Any = None,
) -> Estimate:
    """Do two groups of judges measure the same thing: experts and crowd, old and new guidelines?

    It is the agreement between a judge of one group and a judge of the other on the same items,
    beyond chance. Noise within the groups lowers it; `details["normalised"]` divides by what that
    noise allows, so that a value near 1 says that the groups differ in noise only.

    Parameters
    ----------
    a, b
        The ratings of the two groups, on the same scale. Items are matched by name; those that
        only one group rated are left out and counted.
    criterion
        Which criterion, where there are several.
    level
        Of the distances: `"nominal"`, `"ordinal"` or `"interval"`; that of the scale by default.
    confidence, interval, resamples, rng
        The interval: its confidence; its method (`"auto"` is a percentile bootstrap over items,
        the ratings of both groups drawn together; `"analytic"`, `"bca"`, `"bootstrap"`,
        `"jackknife"` or None); the number of resamples; and the seed, which is recorded.

    Returns
    -------
    Estimate
        At most 1; 0 when ratings of the same item are no closer than those of any two items.
        `details` holds `normalised`, its interval (`normalised_low`, `normalised_high`), and
        Krippendorff's alpha of each group on the shared items (`alpha_a`, `alpha_b`).

    Notes
    -----
    1 - d_o / d_e, where d_o is the mean distance between ratings of one item by the two groups,
    items weighted by (R_i + S_i) / (R + S), and d_e that between all ratings of the one and all of
    the other. With one rating each it is Cohen's kappa. Ordinal distances are squared differences
    of mid-ranks over the ratings of both groups. Normalised: divided by the square root of the
    product of the two alphas; it may exceed 1, and is undefined where an alpha is 0 or less.
    Undefined when all ratings are the same. Checked against the worked example of the authors'
    formula by hand, and on the ratings behind Godwin & Piwek (2016).

    References
    ----------
    Wong, Paritosh & Aroyo (2021), Cross-replication reliability: an empirical approach to
    interpreting inter-rater reliability, ACL.

    Examples
    --------
    With one rating each it is Cohen's kappa:

    >>> import covary
    >>> x, y = [1, 1, 2, 2, 2], [1, 2, 2, 2, 1]
    >>> a = covary.Ratings.from_wide([[one] for one in x], scale="1-2", judges=["x"])
    >>> b = covary.Ratings.from_wide([[one] for one in y], scale="1-2", judges=["y"])
    >>> covary.xrr(a, b, level="nominal", interval=None).value  # (3/5 - 13/25) / (12/25), by hand
    0.1667
    """
    check_ratings("xrr", a)
    check_ratings("xrr", b)
    spec = IntervalSpec.of(interval, confidence, resamples, rng)
    if spec.method == "two-way":
        raise InvalidArgument("stats.xrr-two-way")
    both = _join_groups(a, b, criterion)
    patterns = collapse(both)
    coefficient = Coefficient(
        name="xrr",
        title="Cross-replication reliability",
        patterns=patterns,
        level=_level(level, both.scale()),
        spec=spec,
        slots=a.slots or b.slots,
        n_judges=len(patterns.judges),
        n_requested=patterns.n_items,
    )
    return _estimate(coefficient)


@dataclass(frozen=True)
class GroupSums:
    """The sums that each item adds to the coefficient and to the two alphas."""

    sums: Floats
    width: int
    metric: Floats

    def value(self, totals: Floats) -> Floats:
        """Cross-replication reliability from the totals."""
        observed, r, s = totals[..., 0], totals[..., 1], totals[..., 2]
        x, y = self._block(totals, 0), self._block(totals, 1)
        expected = self._form(x, y)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = 1 - (observed / (r + s)) / (expected / (r * s))
        return np.where(expected > 0, value, np.nan)

    def alpha(self, totals: Floats, group: int) -> Floats:
        """Krippendorff's alpha of one group, from its items with two ratings or more."""
        inside, n = totals[..., 3 + 2 * group], totals[..., 4 + 2 * group]
        margins = self._block(totals, 2 + group)
        expected = self._form(margins, margins)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = 1 - (n - 1) * inside / expected
        return np.where(expected > 0, value, np.nan)

    def normalised(self, totals: Floats) -> Floats:
        """The coefficient over the most that the noise within the groups allows."""
        product = self.alpha(totals, 0) * self.alpha(totals, 1)
        low = np.minimum(self.alpha(totals, 0), self.alpha(totals, 1))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(low > 0, self.value(totals) / np.sqrt(product), np.nan)

    def _block(self, totals: Floats, number: int) -> Floats:
        start = 7 + number * self.width
        return totals[..., start : start + self.width]

    def _form(self, x: Floats, y: Floats) -> Floats:
        form: Floats = np.einsum("...f,fg,...g->...", x, self.metric, y)
        return form


def _group_sums(patterns: Patterns, level: Level) -> GroupSums:
    """Add up each item's ratings as vectors whose products with `metric` are distances."""
    features, metric = _features(patterns, level)
    rows, columns, codes = patterns.entries
    of_b = _group_of(patterns)[columns]
    size = patterns.counts.size

    def summed(chosen: npt.NDArray[np.bool_]) -> Floats:
        weights = features[codes[chosen]].T
        return np.stack([np.bincount(rows[chosen], w, minlength=size) for w in weights], axis=1)

    x, y = summed(~of_b), summed(of_b)
    r, s = (np.bincount(rows[chosen], minlength=size).astype(float) for chosen in (~of_b, of_b))
    across = (r + s) / (r * s) * np.einsum("if,fg,ig->i", x, metric, y)
    columns_of = [across, r, s]
    margins = []
    for own, n in ((x, r), (y, s)):
        several = n > 1
        within = np.einsum("if,fg,ig->i", own, metric, own) / np.maximum(n - 1, 1)
        columns_of += [np.where(several, within, 0.0), np.where(several, n, 0.0)]
        margins.append(np.where(several[:, None], own, 0.0))
    sums = np.column_stack([*columns_of, x, y, *margins])
    return GroupSums(sums, x.shape[1], metric)


def _features(patterns: Patterns, level: Level) -> tuple[Floats, Floats]:
    """What stands for each rating, so that distances are products: the moments, or the category."""
    positions = patterns.positions(level)
    if level is Level.NOMINAL:
        return np.eye(patterns.n_values), fixed_distances(level, positions)
    if level is Level.ORDINAL:
        _, _, codes = patterns.entries
        times = patterns.counts[patterns.entries[0]].astype(float)
        positions = midranks(np.bincount(codes, times, minlength=patterns.n_values).astype(float))
    centred = positions - positions.mean()
    return np.column_stack([np.ones_like(centred), centred, centred**2]), BY_MOMENTS


def _estimate(coefficient: Coefficient) -> Estimate:
    patterns = coefficient.patterns
    of_b = _group_of(patterns)
    shared = patterns.rated[:, of_b].any(axis=1) & patterns.rated[:, ~of_b].any(axis=1)
    if not shared.any():
        raise InvalidArgument("stats.xrr-nothing-shared")
    chosen = coefficient.among(shared)
    groups = _group_sums(chosen.patterns, coefficient.level)
    normalised = Linear(chosen.patterns, groups.sums, groups.normalised)
    estimate = chosen.estimate(
        Linear(chosen.patterns, groups.sums, groups.value),
        settings={"weights": "items by their ratings"},
        undefined=Note("stats.all-alike"),
        details=_details(groups, normalised, chosen.spec),
    )
    if math.isnan(normalised.value):
        return replace(estimate, notes=(*estimate.notes, Note("stats.not-normalised")))
    return estimate


def _details(groups: GroupSums, normalised: Linear, spec: IntervalSpec) -> dict[str, Any]:
    low = high = math.nan
    if spec.method is not None and not math.isnan(normalised.value):
        interval = bootstrap(normalised, spec.instead("bootstrap"))
        low, high = interval.low, interval.high
    return {
        "normalised": normalised.value,
        "normalised_low": low,
        "normalised_high": high,
        "alpha_a": float(groups.alpha(normalised.total, 0)),
        "alpha_b": float(groups.alpha(normalised.total, 1)),
    }


def _level(level: Level | str | None, scale: Scale) -> Level:
    measured = min(scale.level if level is None else as_level(level), Level.INTERVAL)
    if measured > Level.NOMINAL and scale.level is Level.NOMINAL:
        raise InvalidArgument("stats.xrr-needs-order", level=measured)
    if measured is Level.NOMINAL and scale.categories is None:
        raise InvalidArgument("stats.xrr-needs-categories")
    return measured


def _join_groups(a: Ratings, b: Ratings, criterion: Any) -> Ratings:
    """Both groups as one table, each judge with the number of the group."""
    first, second = a.scale(criterion), b.scale(criterion)
    if first.categories != second.categories or first.level != second.level:
        scales = {"first": first.describe(), "second": second.describe()}
        raise InvalidArgument("stats.xrr-two-scales", **scales)
    columns = ["item", "judge", "rating"]
    columns += ["cluster"] if "cluster" in a.columns and "cluster" in b.columns else []
    parts = [_columns(group, place, criterion, columns) for place, group in enumerate((a, b))]
    frame = {name: [*parts[0][name], *parts[1][name]] for name in columns}
    return Ratings(frame, scale=first)


def _columns(
    ratings: Ratings, group: int, criterion: Any, columns: Sequence[str]
) -> dict[str, list[Any]]:
    """The ratings on one criterion as columns, each judge's name after the group's number."""
    chosen = ratings.one_criterion(criterion)
    refuse_many(ratings, "a comparison of two groups of judges")
    frame = ratings.frame.filter(~nw.col("rating").is_null())
    if chosen is not None:
        frame = frame.filter(nw.col("criterion") == chosen)
    values = {name: column.tolist() for name, column in fetch(frame.select(columns)).items()}
    return values | {"judge": [f"{group} {judge}" for judge in values["judge"]]}


def _group_of(patterns: Patterns) -> npt.NDArray[np.bool_]:
    """Which of the judges belong to the second group."""
    return np.array([str(judge).startswith("1 ") for judge in patterns.judges])
