"""What each two judges did on the items that both rated, counted in one pass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["MOST_JUDGES", "Pairs", "count_pairs"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

MOST_JUDGES = 200
"""Pairs grow with the square of the judges; beyond this only those with the most ratings count."""


@dataclass(frozen=True)
class Pairs:
    """Tables of judges × judges; a row and a column stand for the judge in `kept`.

    `common` counts the items that both rated, `equal` those with equal ratings, and `above` those
    on which the judge of the column rated higher. `correlation` is Pearson's (NaN where one of the
    two does not vary). `severity` is each judge's mean difference from the others on the same
    items, in the additive model of items and judges; NaN where nothing links a judge to others.
    """

    kept: Ints
    limited: bool
    common: Ints
    equal: Ints
    above: Ints
    correlation: Floats
    severity: Floats


def count_pairs(unit: Ints, judge: Ints, rating: Floats, n_judges: int) -> Pairs:
    """Count the pairs of ratings within each unit by the two judges who gave them."""
    kept = np.sort(np.argsort(-np.bincount(judge, minlength=n_judges), kind="stable")[:MOST_JUDGES])
    place = np.full(n_judges, -1, dtype=np.int64)
    place[kept] = np.arange(kept.size)
    own = np.flatnonzero(place[judge] >= 0)
    order = own[np.lexsort((judge[own], unit[own]))]
    centred = rating - (rating.mean() if rating.size else 0)
    table = _Table.of(unit[order], place[judge[order]], centred[order], kept.size)
    return Pairs(
        kept, n_judges > kept.size, table.counts("common"), table.counts("equal"),
        table.counts("above"), table.correlation(), table.severity(),
    )  # fmt: skip


class _Table:
    """Sums over pairs of ratings of one unit, by the two judges."""

    def __init__(self, n_judges: int) -> None:
        self.n = n_judges
        names = ("common", "equal", "above", "shared", "x", "xx", "xy")
        self.sums = {name: np.zeros((n_judges, n_judges)) for name in names}
        self.deviation = np.zeros(n_judges)
        self.given = np.zeros(n_judges)

    @classmethod
    def of(cls, unit: Ints, judge: Ints, rating: Floats, n_judges: int) -> _Table:
        """Add up all pairs: the ratings of a unit stand side by side, so compare by distance."""
        table = cls(n_judges)
        sizes = np.bincount(unit) if unit.size else np.zeros(1, dtype=np.int64)
        means = np.bincount(unit, rating) / np.maximum(sizes, 1) if unit.size else np.zeros(1)
        table.deviation += np.bincount(judge, rating - means[unit], minlength=n_judges)
        table.given += np.bincount(judge, 1 - 1 / sizes[unit], minlength=n_judges)
        for gap in range(1, int(sizes.max())):
            first = np.flatnonzero(unit[gap:] == unit[:-gap])
            second = first + gap
            table.add(judge[first], judge[second], rating[first], rating[second],
                      1 / sizes[unit[first]])  # fmt: skip
        return table

    def add(self, a: Ints, b: Ints, x: Floats, y: Floats, shared: Floats) -> None:
        """Count pairs of ratings, x by judge a and y by judge b."""
        place = a * self.n + b

        def summed(weights: Floats | npt.NDArray[np.bool_] | None) -> Floats:
            flat = np.bincount(place, weights, minlength=self.n * self.n)
            return flat.reshape(self.n, self.n).astype(float)

        for name, weights in (("common", None), ("equal", x == y), ("shared", shared)):
            once = summed(weights)
            self.sums[name] += once + once.T
        for name, of_b, of_a in (("above", y > x, x > y), ("x", x, y), ("xx", x * x, y * y)):
            self.sums[name] += summed(of_b) + summed(of_a).T
        product = summed(x * y)
        self.sums["xy"] += product + product.T

    def counts(self, name: str) -> Ints:
        """A table of counts."""
        return np.rint(self.sums[name]).astype(np.int64)

    def correlation(self) -> Floats:
        """Pearson's correlation of each two judges."""
        n, x, xx, xy = (self.sums[name] for name in ("common", "x", "xx", "xy"))
        with np.errstate(invalid="ignore", divide="ignore"):
            spread = xx - x * x / n
            spread[spread <= 1e-9 * xx] = np.nan  # what rounding leaves of no variation
            return np.asarray((xy - x * x.T / n) / np.sqrt(spread * spread.T))

    def severity(self) -> Floats:
        """Least-squares effects of the judges, the items eliminated."""
        normal = np.diag(self.given) - self.sums["shared"]
        effects = np.linalg.lstsq(normal, self.deviation, rcond=1e-9)[0] if self.n else np.zeros(0)
        return np.where(self.sums["common"].sum(axis=1) > 0, effects, np.nan)
