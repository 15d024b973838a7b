"""How often the levels of crossed factors meet, summed up for the mixed-model equations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.stats.least_squares import Design

__all__ = ["Products", "Tables"]

Floats = npt.NDArray[np.float64]

ROOM = 20_000_000
"""The most numbers that are kept to save work at each step."""


@dataclass(frozen=True)
class Products:
    """Sums over the levels of the first factor: with themselves, and with the other factors."""

    second: Floats
    across: Floats
    rest: Floats


class Tables:
    """How often levels meet, as the elimination of the first factor needs it."""

    def __init__(self, design: Design, first: str, second: str | None, rest: list[str]) -> None:
        from scipy import sparse

        self.counts = design.counts[first]
        self.size = sum(design.levels(name) for name in rest)
        nothing = sparse.csr_array((self.counts.size, 0))
        self.meets = sparse.hstack([nothing, *(design.table(first, name) for name in rest)]).tocsr()
        self.rest = np.zeros((0, 0))
        if rest:
            self.rest = sparse.block_array(
                [
                    [sparse.diags_array(design.counts[a]) if a == b else design.table(a, b)
                     for b in rest]
                    for a in rest
                ]
            ).toarray()  # fmt: skip
        self.parents = np.zeros((0, self.counts.size))  # which level of the second each belongs to
        self.second, self.across = np.zeros(0), np.zeros((0, self.size))
        if second is not None:
            parents = design.table(second, first)
            self.parents = parents @ sparse.diags_array(1 / self.counts)
            self.second = design.counts[second]
            if rest:
                across = [design.table(second, name) for name in rest]
                self.across = sparse.hstack(across).toarray()
        self.different, self.places = np.unique(self.counts, return_inverse=True)

    @cached_property
    def _by_count(self) -> list[Products] | None:
        """The products of the levels with as many ratings."""
        each = self.second.size * (1 + self.size) + self.size**2
        if self.different.size * each > ROOM:
            return None
        places = range(self.different.size)
        return [self._products((self.places == place).astype(float)) for place in places]

    def _products(self, weights: Floats) -> Products:
        from scipy import sparse

        weighted = sparse.diags_array(weights) @ self.meets
        counted = sparse.diags_array(self.counts) @ weighted
        return Products(
            self.parents @ (weights * self.counts**2),
            _dense(self.parents @ counted),
            _dense(self.meets.T @ weighted),
        )

    def products(self, weights: Floats) -> Products:
        """Sum over the levels, whose weights depend only on how many ratings they have."""
        if self._by_count is None:
            return self._products(weights)
        by_count = np.empty(self.different.size)
        by_count[self.places] = weights
        pairs = list(zip(by_count.tolist(), self._by_count, strict=True))
        return Products(
            np.sum([weight * each.second for weight, each in pairs], axis=0),
            np.sum([weight * each.across for weight, each in pairs], axis=0),
            np.sum([weight * each.rest for weight, each in pairs], axis=0),
        )


def _dense(table: Any) -> Floats:
    return np.asarray(table.toarray() if hasattr(table, "toarray") else table, dtype=float)
