"""How probable each rank is: judges and sources drawn again, with and without severity.

The cluster bootstrap draws judges and sources (items, where sources are not known) with
replacement (Owen 2007). Where judges rated different systems, a mild judge lifts the systems that
he happened to see. The additive model rating = system + judge tells the two apart wherever systems
and judges are connected by ratings (Godwin & Piwek's 2016 questions show what happens where this is
not done).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.records import dataclass
from covary.stats.models.observations import Codes, Floats, Observations

Ints = npt.NDArray[np.int64]

NUMBERS_AT_ONCE = 4_000_000
"""How many numbers the resamples that are drawn together may hold."""

DENSE = 0.2
"""From this share of filled cells up, a plain matrix is quicker than a sparse one."""


@dataclass(frozen=True)
class Draw:
    """Some resamples: the weighted sums and numbers of ratings, resamples × systems × judges."""

    sums: Floats
    numbers: Floats


@dataclass(frozen=True, kw_only=True)
class Cells:
    """Sums and numbers of ratings; one row per system and judge, one column per drawn unit.

    `unit` names what is drawn beside the judges: source or item. `owners` holds the system of
    each unit where every unit belongs to one system, which then keeps its number of units.
    """

    sums: Any
    numbers: Any
    n_systems: int
    n_judges: int
    unit: str
    owners: Codes | None

    @property
    def drawn(self) -> tuple[str, ...]:
        """What can be drawn again: judges, and sources or items, where there are several."""
        alone = np.arange(1) if self.owners is None else self.owners
        several = self.sums.shape[1] > np.unique(alone).size
        judges = ("judges",) if self.n_judges > 1 else ()
        return (*judges, *((f"{self.unit}s",) if several else ()))

    def whole(self) -> Draw:
        """Return what was observed as a draw of its own."""
        ones = np.ones((self.sums.shape[1], 1))
        return self._drawn(ones, np.ones((1, self.n_judges)))

    def draws(self, resamples: int, seed: int) -> Iterator[Draw]:
        """Draw judges and units again, a block of resamples at a time."""
        for units, judges in self._weights(resamples, seed):
            yield self._drawn(units, judges)

    def means(self, resamples: int, seed: int) -> Iterator[Floats]:
        """The mean of each system in the same resamples; NaN where nothing of it was drawn."""
        shape = self.n_systems, self.n_judges, -1
        for units, judges in self._weights(resamples, seed):
            sums, numbers = (
                np.einsum("sjr,rj->rs", np.asarray(part @ units).reshape(shape), judges)
                for part in (self.sums, self.numbers)
            )
            with np.errstate(invalid="ignore", divide="ignore"):
                yield np.asarray(sums / numbers)

    def _weights(self, resamples: int, seed: int) -> Iterator[tuple[Floats, Floats]]:
        """How often units (units × resamples) and judges (resamples × judges) are drawn."""
        rng = np.random.default_rng(seed)
        block = max(1, NUMBERS_AT_ONCE // (self.sums.shape[0] + self.sums.shape[1]))
        for start in range(0, resamples, block):
            size = min(block, resamples - start)
            yield self._units(rng, size), self._judges(rng, size)

    def _units(self, rng: np.random.Generator, size: int) -> Floats:
        """How often each unit is drawn, units × resamples."""
        number = self.sums.shape[1]
        if self.owners is None:
            return rng.multinomial(number, np.full(number, 1 / number), size).T.astype(float)
        drawn = np.zeros((number, size))
        for system in range(self.n_systems):
            own = np.flatnonzero(self.owners == system)
            drawn[own] = rng.multinomial(own.size, np.full(own.size, 1 / own.size), size).T
        return drawn

    def _judges(self, rng: np.random.Generator, size: int) -> Floats:
        return rng.multinomial(
            self.n_judges, np.full(self.n_judges, 1 / self.n_judges), size
        ).astype(float)

    def _drawn(self, units: Floats, judges: Floats) -> Draw:
        shape = self.n_systems, self.n_judges, units.shape[1]
        sums, numbers = (
            np.moveaxis(np.asarray(part @ units).reshape(shape), 2, 0) * judges[:, None, :]
            for part in (self.sums, self.numbers)
        )
        return Draw(sums, numbers)


def sum_cells(observed: Observations, values: Floats | None = None) -> Cells:
    """Sum the ratings by system, judge and source (or item); `values` may replace the ratings."""
    unit = "source" if "source" in observed.factors else "item"
    system, units = observed.factors["system"], observed.factors[unit]
    judge = observed.factors.get("judge", np.zeros_like(system))
    n_judges = len(observed.names.get("judge", (None,)))
    n_systems, n_units = len(observed.names["system"]), len(observed.names[unit])
    row = system * n_judges + judge
    shape = n_systems * n_judges, n_units
    held = observed.values if values is None else values
    return Cells(
        sums=_sum_by(row, units, held, shape),
        numbers=_sum_by(row, units, None, shape),
        n_systems=n_systems,
        n_judges=n_judges,
        unit=unit,
        owners=_owners(system, units, n_units),
    )


def _sum_by(row: Codes, column: Codes, values: Floats | None, shape: tuple[int, int]) -> Any:
    if shape[0] * shape[1] * DENSE <= row.size:
        places = row * shape[1] + column
        flat = np.bincount(places, values, minlength=shape[0] * shape[1])
        return flat.reshape(shape).astype(float)
    from scipy import sparse

    filled = np.ones(row.size) if values is None else values
    table = sparse.coo_array((filled, (row, column)), shape=shape)
    # Draws of the many are read in their order, and those of the few stay in the cache.
    return table.tocsc() if shape[0] < shape[1] else table.tocsr()


def _owners(system: Codes, units: Codes, n_units: int) -> Codes | None:
    """The system of each unit, or None where a unit belongs to several."""
    owners = np.zeros(n_units, dtype=np.intp)
    owners[units] = system
    return owners if bool((owners[units] == system).all()) else None


MOST_JUDGES = 200
"""Judges up to whom severity is removed anew in every resample."""

SINGULAR = 1e-9
"""Below this smallest eigenvalue, as a share of the largest, a resample falls into parts."""


def adjusted_means(draw: Draw) -> Floats:
    """The mean of each system without the severity of judges, in each resample.

    Least squares of rating = system + judge. Severities sum to 0 over ratings, so that the grand
    mean stays what it was. NaN where a system was not drawn or the systems fall into parts that
    share no judge.
    """
    numbers, sums = draw.numbers, draw.sums
    per_system, per_judge = numbers.sum(axis=2), numbers.sum(axis=1)
    seen = per_judge > 0
    shares = numbers / np.maximum(per_system, 1)[:, :, None]
    matrix = -(numbers.transpose(0, 2, 1) @ shares)
    diagonal = np.arange(numbers.shape[2])
    matrix[:, diagonal, diagonal] += per_judge
    right = sums.sum(axis=1) - np.einsum("rsj,rs->rj", shares, sums.sum(axis=2))
    matrix += per_judge[:, :, None] * per_judge[:, None, :] / per_judge.sum(axis=1)[:, None, None]
    matrix[:, diagonal, diagonal] += ~seen
    known = _solvable(matrix, seen) & (per_system > 0).all(axis=1)
    severity = np.full(right.shape, np.nan)
    if known.any():
        severity[known] = np.linalg.solve(matrix[known], right[known][:, :, None])[:, :, 0]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(
            (sums.sum(axis=2) - np.einsum("rsj,rj->rs", numbers, severity)) / per_system
        )


def _solvable(matrix: Floats, seen: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    eigenvalues = np.linalg.eigvalsh(matrix)
    return np.asarray((eigenvalues[:, 0] > SINGULAR * eigenvalues[:, -1]) & seen.any(axis=1))


def balanced(numbers: Floats) -> bool:
    """Whether every system has the same share of ratings by each judge (systems × judges)."""
    expected = np.outer(numbers.sum(axis=1), numbers.sum(axis=0)) / numbers.sum()
    return bool(np.allclose(numbers, expected, atol=1e-9))


def parts(numbers: Floats) -> Codes:
    """The part of each system: those that judges connect, directly or through others, share one.

    `numbers` says how often each system was rated by each judge (systems × judges).
    """
    met = numbers > 0
    found = np.full(len(met), -1, dtype=np.intp)
    for first in range(len(met)):
        reached = np.zeros(len(met), dtype=bool)
        reached[first] = found[first] < 0
        size = 0
        while reached.sum() > size:
            size = int(reached.sum())
            reached |= met[:, met[reached].any(axis=0)].any(axis=1)
        found[reached] = first
    return found


def connected(numbers: Floats) -> bool:
    """Whether ratings connect every system with every other through judges (systems × judges)."""
    return not parts(numbers).any()


MOST_TABULATED = 100
"""Systems up to which the probability of every rank is kept, and not only that of the first."""

ALIKE = 1e-9
"""Means that differ by less, as a share of the largest, are tied."""


@dataclass(frozen=True, kw_only=True)
class RankProbabilities:
    """The ranks of systems over resamples, in the order of the systems' names.

    `best` is how probable the first rank is, `expected` the mean rank, `low` and `high` the ends
    of the interval of ranks; `probabilities` a row for each system and a column for each rank
    where there are few enough systems. `mean_low` and `mean_high` are the ends of the interval of
    each mean for other judges and other sources. `undefined` counts resamples in which a system
    had no rating, or could not be told from its judges; they are left out. `drawn` names what was
    drawn.
    """

    best: tuple[float, ...]
    expected: tuple[float, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]
    mean_low: tuple[float, ...]
    mean_high: tuple[float, ...]
    probabilities: tuple[tuple[float, ...], ...] | None
    drawn: tuple[str, ...]
    resamples: int
    undefined: int
    seed: int


def ranks_of(scores: Floats, best: str) -> Ints:
    """The rank of each system from 1, the best; equal scores share the rank of the first of them.

    Examples
    --------
    >>> ranks_of(np.array([2.0, 1.0, 3.0]), "low").tolist()
    [2, 1, 3]
    """
    turned = scores if best == "low" else -scores
    tolerance = ALIKE * float(np.abs(turned).max(initial=0.0))
    return np.array([1 + int((turned < score - tolerance).sum()) for score in turned])


def bootstrap_ranks(
    cells: Cells, best: str, *, resamples: int, seed: int, confidence: float, adjusted: bool = False
) -> RankProbabilities:
    """Draw judges and sources again and rank the systems each time.

    With `adjusted`, each judge's severity is estimated and removed anew in every resample.
    """
    means = np.concatenate(list(_drawn_means(cells, resamples, seed, adjusted)))
    known = means[~np.isnan(means).any(axis=1)]
    places = _rank_draws(known, best, np.random.default_rng(seed + 1))
    tails = (1 - confidence) / 2, (1 + confidence) / 2
    low, high = _quantiles(places, tails)
    mean_low, mean_high = _quantiles(known, tails)
    return RankProbabilities(
        best=_floats((places == 1).mean(axis=0)) if len(known) else _floats(mean_low),
        expected=_floats(places.mean(axis=0)) if len(known) else _floats(mean_low),
        low=_ints(low),
        high=_ints(high),
        mean_low=_floats(mean_low),
        mean_high=_floats(mean_high),
        probabilities=_tabulate(places),
        drawn=cells.drawn,
        resamples=resamples,
        undefined=resamples - len(known),
        seed=seed,
    )


def _drawn_means(cells: Cells, resamples: int, seed: int, adjusted: bool) -> Iterator[Floats]:
    if not adjusted:
        return cells.means(resamples, seed)
    return (adjusted_means(draw) for draw in cells.draws(resamples, seed))


def _rank_draws(means: Floats, best: str, rng: np.random.Generator) -> Ints:
    """The rank of each system in each resample; ties are broken by lot."""
    if not means.size:
        return np.zeros(means.shape, dtype=np.int64)
    turned = means if best == "low" else -means
    step = ALIKE * (float(np.abs(turned).max()) or 1.0)
    order = np.lexsort((rng.random(turned.shape), np.round(turned / step)), axis=-1)
    places = np.empty(order.shape, dtype=np.int64)
    np.put_along_axis(places, order, np.arange(1, order.shape[1] + 1)[None, :], axis=1)
    return places


def _quantiles(
    values: npt.NDArray[np.generic], tails: tuple[float, float]
) -> tuple[Floats, Floats]:
    if not len(values):
        nothing = np.full(values.shape[1], np.nan)
        return nothing, nothing
    method = "linear" if values.dtype.kind == "f" else "closest_observation"
    low, high = np.quantile(values.astype(float), tails, axis=0, method=method)  # type: ignore[call-overload]
    return low, high


def _tabulate(places: Ints) -> tuple[tuple[float, ...], ...] | None:
    number = places.shape[1]
    if number > MOST_TABULATED or not len(places):
        return None
    keys = np.arange(number)[None, :] * number + places - 1
    table = np.bincount(keys.ravel(), minlength=number * number).reshape(number, number)
    return tuple(_floats(row) for row in table / len(places))


def _floats(values: npt.NDArray[np.generic]) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


def _ints(values: Floats) -> tuple[int, ...]:
    return tuple(0 if np.isnan(value) else int(value) for value in values)
