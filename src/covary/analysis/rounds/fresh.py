"""The real test of guidelines: a new group of judges who have only the written manual."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from covary.analysis.rounds.asking import Asked, change, quietly
from covary.analysis.rounds.shares import Gap
from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.ratings.frames import fetch
from covary.scales import Level
from covary.stats.alpha import alpha_statistic, krippendorff_alpha
from covary.stats.cross import xrr
from covary.stats.estimate import Estimate
from covary.stats.intervals import Wanted, bootstrap
from covary.stats.patterns import Patterns, collapse
from covary.stats.statistic import Statistic

__all__ = ["Fresh", "fresh_group", "joint_gap"]

Floats = npt.NDArray[np.float64]

SAME, OTHER = 0.8, 0.9
"""Two groups measure nearly the same thing when their normalised cross-replication reliability is
surely above the first, and not quite the same thing when it is surely below the second."""


@dataclass(frozen=True)
class Fresh:
    """A new group beside those who wrote the guidelines.

    `gap` is the alpha of the new group less that of the authors; `xrr` says whether both measure
    the same thing, where they rated the same items; otherwise `reason` says why it is missing.
    """

    authors: Estimate
    fresh: Estimate
    gap: Gap | None
    xrr: Estimate | None
    reason: str = ""

    @property
    def sentence(self) -> str:
        """What the new group says about the guidelines."""
        told = (
            f"A new group reaches alpha {self.fresh.value:.2f}, the authors of the guidelines "
            f"{self.authors.value:.2f}"
        )
        if self.gap is None or not self.gap.clear:
            head = f"{told}: they cannot be told apart."
        elif self.gap.high < 0:
            head = f"{told}: part of what the authors share is not in the manual."
        else:
            head = f"{told}: the new group agrees more than the authors."
        return f"{head} {self._same_thing()}".strip()

    def _same_thing(self) -> str:
        if self.xrr is None:
            return ""
        found = self.xrr.details
        shown = f"cross-replication reliability {self.xrr.value:.2f}"
        if math.isnan(found["normalised"]) or not all(map(_above_chance, self._alphas)):
            return (
                f"Whether both measure the same thing cannot be said ({shown}): a group's own "
                "agreement is not shown to be better than chance."
            )
        low, high = found.get("normalised_low", math.nan), found.get("normalised_high", math.nan)
        noise = f"({shown}, {found['normalised']:.2f} of what their noise allows)"
        if low >= SAME:
            return f"Both groups measure nearly the same thing {noise}."
        if high < OTHER:
            return f"Both groups measure not quite the same thing {noise}."
        return f"Whether both groups measure the same thing is not shown {noise}."

    @property
    def _alphas(self) -> tuple[Estimate, Estimate]:
        return self.authors, self.fresh

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "alpha_authors": self.authors.to_dict(),
            "alpha_fresh": self.fresh.to_dict(),
            "gap": None if self.gap is None else self.gap.to_dict(),
            "xrr": None if self.xrr is None else self.xrr.to_dict(),
            "reason": self.reason,
        }


def _above_chance(alpha: Estimate) -> bool:
    return alpha.interval is not None and alpha.interval.low > 0


def fresh_group(authors: Ratings, fresh: Ratings, criterion: Any, asked: Asked) -> Fresh:
    """Compare a new group with the authors of the guidelines on one criterion."""
    wish: dict[str, Any] = {
        "criterion": criterion, "level": asked.level, "confidence": asked.confidence,
        "resamples": asked.resamples, "rng": asked.seed,
    }  # fmt: skip
    with quietly():
        first, second = (krippendorff_alpha(each, **wish) for each in (authors, fresh))
        try:
            crossed = xrr(authors, fresh, **wish)
        except InvalidArgument as error:
            return Fresh(first, second, change(first, second, asked.confidence), None, str(error))
    return Fresh(first, second, joint_gap(authors, fresh, criterion, asked), crossed)


def joint_gap(before: Ratings, after: Ratings, criterion: Any, asked: Asked) -> Gap | None:
    """Return alpha after less alpha before on the items of both, items drawn once for both."""
    both = _together(before, after, criterion)
    if not both.n_ratings:
        return None
    patterns = collapse(both)
    level = both.scale().level if asked.level is None else asked.level
    statistic = _AlphaGap(patterns, level)
    if math.isnan(statistic.value):
        return None
    made = bootstrap(statistic, Wanted("bootstrap", asked.confidence, asked.resamples, asked.seed))
    return Gap(statistic.value, made.low, made.high, asked.confidence, "both drawn together")


class _AlphaGap(Statistic):
    """Alpha of the judges after less that of the judges before, on the same items."""

    def __init__(self, patterns: Patterns, level: Level) -> None:
        self.counts, self.clusters = patterns.counts.astype(float), patterns.clusters
        sides = [str(judge).startswith("after ") for judge in patterns.judges]
        self.before, self.after = (
            alpha_statistic(_columns(patterns, np.array(sides) == side), level)
            for side in (False, True)
        )

    def at(self, counts: Floats) -> Floats:
        return self.after.at(counts) - self.before.at(counts)


def _columns(patterns: Patterns, chosen: npt.NDArray[np.bool_]) -> Patterns:
    judges = tuple(judge for judge, kept in zip(patterns.judges, chosen, strict=True) if kept)
    return Patterns(
        patterns.codes[:, chosen], patterns.counts, patterns.values, judges, patterns.scale,
        patterns.clusters,
    )  # fmt: skip


def _together(before: Ratings, after: Ratings, criterion: Any) -> Ratings:
    """The ratings of items that both have, each judge's name after the side's."""
    parts = [_rows(each, criterion) for each in (before, after)]
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
