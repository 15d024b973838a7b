"""Ranks of ratings, and how they move when items count more or less."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from covary.stats.distances import midranks

__all__ = ["Ranked"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Ranked:
    """One judge's ratings as mid-ranks around 0, item by item; `used` counts each rating."""

    codes: Ints
    ranks: Floats
    used: Floats

    @classmethod
    def of(cls, codes: Ints, counts: Floats) -> Ranked:
        """Rank items, each of which counts a number of times."""
        used = np.bincount(codes, counts).astype(float)
        return cls(codes, midranks(used)[codes] - (counts.sum() + 1) / 2, used)

    def beyond(self, weights: Floats) -> Floats:
        """For each item, the weights of items that rank above it less those that rank below it.

        One more item of a rank moves every higher rank up by a half and every lower one down by a
        half, so half of this is how a sum of `weights` times ranks changes.
        """
        sums = np.bincount(self.codes, weights, minlength=self.used.size).astype(float)
        through = np.cumsum(sums)
        above, below = through[-1] - through, through - sums
        return np.asarray((above - below)[self.codes])
