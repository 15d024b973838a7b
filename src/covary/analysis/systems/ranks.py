"""How probable it is that a system is the best, or has any other rank, in a study like this one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from covary.analysis.systems.adjusted import adjusted_means
from covary.analysis.systems.cells import Cells
from covary.stats.plain import plain

__all__ = ["Ranks", "bootstrap", "ranks_of"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_TABULATED = 100
"""Systems up to which the probability of every rank is kept, and not only that of the first."""

ALIKE = 1e-9
"""Means that differ by less, as a share of the largest, are tied."""


@dataclass(frozen=True)
class Ranks:
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

    def to_dict(self) -> dict[str, object]:
        """Return plain values."""
        found: dict[str, object] = plain(self)
        return found


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


def bootstrap(
    cells: Cells, best: str, *, resamples: int, seed: int, confidence: float, adjusted: bool = False
) -> Ranks:
    """Draw judges and sources again and rank the systems each time.

    With `adjusted`, each judge's severity is estimated and removed anew in every resample.
    """
    means = np.concatenate(list(_means(cells, resamples, seed, adjusted)))
    known = means[~np.isnan(means).any(axis=1)]
    places = _places(known, best, np.random.default_rng(seed + 1))
    tails = (1 - confidence) / 2, (1 + confidence) / 2
    low, high = _quantiles(places, tails)
    mean_low, mean_high = _quantiles(known, tails)
    return Ranks(
        best=_floats((places == 1).mean(axis=0)) if len(known) else _floats(mean_low),
        expected=_floats(places.mean(axis=0)) if len(known) else _floats(mean_low),
        low=_ints(low),
        high=_ints(high),
        mean_low=_floats(mean_low),
        mean_high=_floats(mean_high),
        probabilities=_tabulated(places),
        drawn=cells.drawn,
        resamples=resamples,
        undefined=resamples - len(known),
        seed=seed,
    )


def _means(cells: Cells, resamples: int, seed: int, adjusted: bool) -> Iterator[Floats]:
    if not adjusted:
        return cells.means(resamples, seed)
    return (adjusted_means(draw) for draw in cells.draws(resamples, seed))


def _places(means: Floats, best: str, rng: np.random.Generator) -> Ints:
    """The rank of each system in each resample; ties are broken by lot."""
    if not means.size:
        return np.zeros(means.shape, dtype=np.int64)
    turned = means if best == "low" else -means
    step = ALIKE * (float(np.abs(turned).max()) or 1.0)
    order = np.lexsort((rng.random(turned.shape), np.round(turned / step)), axis=-1)
    places = np.empty(order.shape, dtype=np.int64)
    np.put_along_axis(places, order, np.arange(1, order.shape[1] + 1)[None, :], axis=1)
    return places


def _quantiles(found: npt.NDArray[np.generic], tails: tuple[float, float]) -> tuple[Floats, Floats]:
    if not len(found):
        nothing = np.full(found.shape[1], np.nan)
        return nothing, nothing
    method = "linear" if found.dtype.kind == "f" else "closest_observation"
    low, high = np.quantile(found.astype(float), tails, axis=0, method=method)  # type: ignore[call-overload]
    return low, high


def _tabulated(places: Ints) -> tuple[tuple[float, ...], ...] | None:
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
