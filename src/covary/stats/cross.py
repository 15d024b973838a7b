"""Cross-replication reliability: do two groups of judges measure the same thing?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.ratings.frames import fetch
from covary.ratings.room import refuse_many
from covary.scales import Level, Scale, as_level
from covary.stats import intervals
from covary.stats.distances import fixed_distances, midranks
from covary.stats.estimate import Estimate, Interval
from covary.stats.intervals import Wanted
from covary.stats.patterns import Patterns, collapse
from covary.stats.question import Question, check_ratings
from covary.stats.statistic import Linear

__all__ = ["xrr"]

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
    Undefined when all ratings are alike. Checked against the worked example of the authors'
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
    wanted = Wanted.of(interval, confidence, resamples, rng)
    if wanted.method == "two-way":
        raise InvalidArgument("interval='two-way' is not defined for xrr; use interval='bootstrap'")
    both = _together(a, b, criterion)
    measured = _level(level, both.scale())
    patterns = collapse(both)
    question = Question("xrr", "Cross-replication reliability", patterns, measured, wanted,
                        slots=a.slots or b.slots, n_judges=len(patterns.judges))  # fmt: skip
    return _answer(question, measured)


@dataclass(frozen=True)
class Crossed:
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
            found = 1 - (observed / (r + s)) / (expected / (r * s))
        return np.where(expected > 0, found, np.nan)

    def alpha(self, totals: Floats, group: int) -> Floats:
        """Krippendorff's alpha of one group, from its items with two ratings or more."""
        inside, n = totals[..., 3 + 2 * group], totals[..., 4 + 2 * group]
        margins = self._block(totals, 2 + group)
        expected = self._form(margins, margins)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = 1 - (n - 1) * inside / expected
        return np.where(expected > 0, found, np.nan)

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
        found: Floats = np.einsum("...f,fg,...g->...", x, self.metric, y)
        return found


def _crossed(patterns: Patterns, level: Level) -> Crossed:
    """Add up each item's ratings as vectors whose products with `metric` are distances."""
    features, metric = _features(patterns, level)
    rows, columns, codes = patterns.given
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
    return Crossed(sums, x.shape[1], metric)


def _features(patterns: Patterns, level: Level) -> tuple[Floats, Floats]:
    """What stands for each rating, so that distances are products: the moments, or the category."""
    positions = patterns.positions(level)
    if level is Level.NOMINAL:
        return np.eye(patterns.n_values), fixed_distances(level, positions)
    if level is Level.ORDINAL:
        _, _, codes = patterns.given
        times = patterns.counts[patterns.given[0]].astype(float)
        positions = midranks(np.bincount(codes, times, minlength=patterns.n_values).astype(float))
    centred = positions - positions.mean()
    return np.column_stack([np.ones_like(centred), centred, centred**2]), BY_MOMENTS


def _answer(question: Question, level: Level) -> Estimate:
    patterns = question.patterns
    of_b = _group_of(patterns)
    shared = patterns.rated[:, of_b].any(axis=1) & patterns.rated[:, ~of_b].any(axis=1)
    if not shared.any():
        raise InvalidArgument(
            "xrr compares ratings of the same items, and no item was rated by both groups; look "
            "at how the items are named"
        )
    chosen = question.among(shared)
    crossed = _crossed(chosen.patterns, level)
    statistic = Linear(chosen.patterns, crossed.sums, crossed.value)
    normalised = Linear(chosen.patterns, crossed.sums, crossed.normalised)
    made = chosen.answer(
        statistic,
        settings={"weights": "items by their ratings"},
        asked=patterns,
        undefined="all ratings are alike",
        details=_details(crossed, normalised, chosen.wanted),
    )
    return replace(made, notes=(*made.notes, *_notes(normalised)))


def _details(crossed: Crossed, normalised: Linear, wanted: Wanted) -> dict[str, Any]:
    totals = normalised.total
    made: Interval | None = None
    if wanted.method is not None and not math.isnan(normalised.value):
        made = intervals.bootstrap(normalised, wanted.instead("bootstrap"))
    return {
        "normalised": normalised.value,
        "normalised_low": math.nan if made is None else made.low,
        "normalised_high": math.nan if made is None else made.high,
        "alpha_a": float(crossed.alpha(totals, 0)),
        "alpha_b": float(crossed.alpha(totals, 1)),
    }


def _notes(normalised: Linear) -> tuple[str, ...]:
    if not math.isnan(normalised.value):
        return ()
    return (
        "there is no normalised value: it needs two ratings of an item within each group, and an "
        "alpha above 0 in both",
    )


def _level(level: Level | str | None, scale: Scale) -> Level:
    measured = scale.level if level is None else as_level(level)
    if measured is Level.RATIO:
        measured = Level.INTERVAL
    if measured > Level.NOMINAL and scale.level is Level.NOMINAL:
        raise InvalidArgument(f"xrr with level='{measured}' needs order, and the scale is nominal")
    if measured is Level.NOMINAL and scale.categories is None:
        raise InvalidArgument("xrr with level='nominal' needs categories, and the scale is a line")
    return measured


def _together(a: Ratings, b: Ratings, criterion: Any) -> Ratings:
    """Both groups as one table, each judge with the number of the group."""
    scales = [each.scale(criterion) for each in (a, b)]
    if scales[0].categories != scales[1].categories or scales[0].level != scales[1].level:
        told = " and ".join(f"'{scale.describe()}'" for scale in scales)
        raise InvalidArgument(f"xrr compares ratings on one scale, and these are on {told}")
    columns = ["item", "judge", "rating"]
    columns += ["cluster"] if all("cluster" in each.columns for each in (a, b)) else []
    parts = [_columns(each, group, criterion, columns) for group, each in enumerate((a, b))]
    frame = {name: [*parts[0][name], *parts[1][name]] for name in columns}
    return Ratings(frame, scale=scales[0])


def _columns(
    ratings: Ratings, group: int, criterion: Any, columns: Sequence[str]
) -> dict[str, list[Any]]:
    """The ratings on one criterion as columns, each judge's name after the group's number."""
    chosen = ratings.one_criterion(criterion)
    refuse_many(ratings, "a comparison of two groups of judges")
    frame = ratings.frame.filter(~nw.col("rating").is_null())
    if chosen is not None:
        frame = frame.filter(nw.col("criterion") == chosen)
    found = {name: values.tolist() for name, values in fetch(frame.select(columns)).items()}
    return found | {"judge": [f"{group} {judge}" for judge in found["judge"]]}


def _group_of(patterns: Patterns) -> npt.NDArray[np.bool_]:
    """Which of the judges belong to the second group."""
    return np.array([str(judge).startswith("1 ") for judge in patterns.judges])
