"""The real test of guidelines: a new group of judges who have only the written manual."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from covary.analysis.rounds.differences import Gap, RoundsOptions, as_dict, estimate_gap
from covary.errors import InvalidArgument, quiet
from covary.ratings import Ratings
from covary.ratings import expressions as nw
from covary.ratings.frames import fetch
from covary.scales import Level
from covary.stats.coefficients.cross_replication import xrr
from covary.stats.coefficients.krippendorff import alpha_statistic, krippendorff_alpha
from covary.stats.estimate import Estimate
from covary.stats.intervals import IntervalSpec, bootstrap
from covary.stats.patterns import Patterns, collapse
from covary.stats.statistic import Statistic
from covary.words import Note

Floats = npt.NDArray[np.float64]

SAME, OTHER = 0.8, 0.9
"""Two groups measure nearly the same thing when their normalised cross-replication reliability is
surely above the first, and not quite the same thing when it is surely below the second."""


@dataclass(frozen=True, kw_only=True)
class FreshGroup:
    """A new group beside those who wrote the guidelines.

    `gap` is the alpha of the new group less that of the authors; `xrr` says whether both measure
    the same thing, where they rated the same items; otherwise `reason` says why it is missing.
    """

    authors: Estimate
    fresh: Estimate
    gap: Gap | None
    xrr: Estimate | None = None
    reason: str = ""

    @property
    def difference(self) -> Literal["lower", "higher", "open"]:
        """Whether the new group clearly agrees less or more than the authors."""
        if self.gap is None or not self.gap.clear:
            return "open"
        return "lower" if self.gap.high < 0 else "higher"

    @property
    def same_thing(self) -> Literal["shown", "ruled out", "open", "unknown"] | None:
        """Whether both groups measure the same thing; None where they share no items."""
        if self.xrr is None:
            return None
        details = self.xrr.details
        groups = (self.authors, self.fresh)
        if math.isnan(details["normalised"]) or not all(map(_above_chance, groups)):
            return "unknown"
        if details.get("normalised_low", math.nan) >= SAME:
            return "shown"
        return "ruled out" if details.get("normalised_high", math.nan) < OTHER else "open"

    @property
    def sentence(self) -> Note:
        """What the new group says about the guidelines."""
        return Note(
            "rounds.fresh",
            authors=self.authors.value,
            fresh=self.fresh.value,
            difference=self.difference,
            same=self.same_thing,
            xrr=None if self.xrr is None else self.xrr.value,
            normalised=None if self.xrr is None else self.xrr.details["normalised"],
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "alpha_authors": self.authors.to_dict(),
            "alpha_fresh": self.fresh.to_dict(),
            "gap": as_dict(self.gap),
            "xrr": as_dict(self.xrr),
            "reason": self.reason,
        }


def _above_chance(alpha: Estimate) -> bool:
    return alpha.interval is not None and alpha.interval.low > 0


def compare_groups(
    authors: Ratings, fresh: Ratings, criterion: Any, options: RoundsOptions
) -> FreshGroup:
    """Compare a new group with the authors of the guidelines on one criterion."""
    keywords = {"level": options.level, **options.keywords(criterion)}
    with quiet():
        first, second = (krippendorff_alpha(group, **keywords) for group in (authors, fresh))
        try:
            crossed = xrr(authors, fresh, **keywords)
        except InvalidArgument as error:
            gap = estimate_gap(first, second, options.confidence)
            reason = Note(error.code, **error.facts)
            return FreshGroup(authors=first, fresh=second, gap=gap, reason=reason)
    gap = joint_gap(authors, fresh, criterion, options)
    return FreshGroup(authors=first, fresh=second, gap=gap, xrr=crossed)


def joint_gap(
    before: Ratings, after: Ratings, criterion: Any, options: RoundsOptions
) -> Gap | None:
    """Return alpha after less alpha before on the items of both, items drawn once for both."""
    both = _join_sides(before, after, criterion)
    if not both.n_ratings:
        return None
    level = both.scale().level if options.level is None else options.level
    statistic = _AlphaGap(collapse(both), level)
    if math.isnan(statistic.value):
        return None
    interval = bootstrap(
        statistic, IntervalSpec("bootstrap", options.confidence, options.resamples, options.seed)
    )
    return Gap(
        value=statistic.value,
        low=interval.low,
        high=interval.high,
        confidence=options.confidence,
        method="both drawn together",
    )


class _AlphaGap(Statistic):
    """Alpha of the judges after less that of the judges before, on the same items."""

    def __init__(self, patterns: Patterns, level: Level) -> None:
        self.counts, self.clusters = patterns.counts.astype(float), patterns.clusters
        sides = [str(judge).startswith("after ") for judge in patterns.judges]
        self.before, self.after = (
            alpha_statistic(_columns(patterns, np.array(sides) == side), level)
            for side in (False, True)
        )

    def evaluate(self, counts: Floats) -> Floats:
        return self.after.evaluate(counts) - self.before.evaluate(counts)


def _columns(patterns: Patterns, chosen: npt.NDArray[np.bool_]) -> Patterns:
    judges = tuple(judge for judge, kept in zip(patterns.judges, chosen, strict=True) if kept)
    return patterns.columns(judges)


def _join_sides(before: Ratings, after: Ratings, criterion: Any) -> Ratings:
    """The ratings of items that both have, each judge's name after the side's."""
    parts = [_rows(side, criterion) for side in (before, after)]
    shared = set(parts[0]["item"]) & set(parts[1]["item"])
    columns: dict[str, list[Any]] = {"item": [], "judge": [], "rating": []}
    for side, part in zip(("before", "after"), parts, strict=True):
        for item, judge, rating in zip(part["item"], part["judge"], part["rating"], strict=True):
            if item in shared:
                columns["item"].append(item)
                columns["judge"].append(f"{side} {judge}")
                columns["rating"].append(rating)
    return Ratings(columns, scale=after.scale(criterion))


def _rows(ratings: Ratings, criterion: Any) -> dict[str, list[Any]]:
    frame = ratings.frame.filter(~nw.col("rating").is_null())
    if criterion is not None:
        frame = frame.filter(nw.col("criterion") == criterion)
    return {n: v.tolist() for n, v in fetch(frame.select("item", "judge", "rating")).items()}
