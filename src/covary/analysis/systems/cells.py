"""What a bootstrap of systems needs of the ratings: sums by system, judge and what is drawn.

A resample draws judges and sources (items, where sources are not known) again. The mean of a
system in it needs only the sums of its ratings by judge and source, so a resample costs what these
cells cost and not what the ratings cost.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.stats.layout import Layout

__all__ = ["Cells", "Draw", "cells"]

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]

NUMBERS_AT_ONCE = 4_000_000
"""How many numbers the resamples that are drawn together may hold."""

DENSE = 0.2
"""From this share of filled cells up, a plain matrix is quicker than a sparse one."""


@dataclass(frozen=True)
class Draw:
    """Some resamples: the weighted sums and numbers of ratings, resamples × systems × judges."""

    sums: Floats
    numbers: Floats


@dataclass(frozen=True)
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


def cells(layout: Layout, values: Floats | None = None) -> Cells:
    """Sum the ratings by system, judge and source (or item); `values` may replace the ratings."""
    unit = "source" if "source" in layout.factors else "item"
    system, units = layout.factors["system"], layout.factors[unit]
    judge = layout.factors.get("judge", np.zeros_like(system))
    n_judges = len(layout.names.get("judge", (None,)))
    n_systems, n_units = len(layout.names["system"]), len(layout.names[unit])
    row = system * n_judges + judge
    shape = n_systems * n_judges, n_units
    held = layout.values if values is None else values
    sums, numbers = _summed(row, units, held, shape), _summed(row, units, None, shape)
    return Cells(sums, numbers, n_systems, n_judges, unit, _owners(system, units, n_units))


def _summed(row: Codes, column: Codes, values: Floats | None, shape: tuple[int, int]) -> Any:
    if shape[0] * shape[1] * DENSE <= row.size:
        places = row * shape[1] + column
        flat = np.bincount(places, values, minlength=shape[0] * shape[1])
        return flat.reshape(shape).astype(float)
    from scipy import sparse

    filled = np.ones(row.size) if values is None else values
    return sparse.coo_array((filled, (row, column)), shape=shape).tocsr()


def _owners(system: Codes, units: Codes, n_units: int) -> Codes | None:
    """The system of each unit, or None where a unit belongs to several."""
    owners = np.zeros(n_units, dtype=np.intp)
    owners[units] = system
    return owners if bool((owners[units] == system).all()) else None
