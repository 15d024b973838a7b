"""How each system was rated: its mean, its median and how its ratings spread over the scale."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.scales import Level, Scale
from covary.stats.layout import Floats, Layout
from covary.stats.plain import plain

__all__ = ["Range", "SystemScore", "scores"]


@dataclass(frozen=True)
class Range:
    """Both ends of an interval; NaN where there is none."""

    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class SystemScore:
    """One system on one criterion.

    `interval` is that of the mean for these judges and sources, from the error of the model that
    compares the systems; `wide` that for other judges and other sources (items, where sources are
    not known). `counts` says how often each category of the scale was given, where it has
    categories. `rank` is 1 for the best mean; `adjusted` the mean after the severity of judges is
    removed (NaN where that cannot be done), `adjusted_rank` the rank by it. `best` and
    `adjusted_best` are how probable it is that the system comes first.
    """

    system: Any
    human: bool
    n_ratings: int
    n_items: int
    mean: float
    median: float
    quartiles: tuple[float, float]
    deviation: float
    counts: tuple[int, ...] | None
    rank: int
    interval: Range = Range()
    wide: Range = Range()
    letters: str = ""
    best: float = math.nan
    adjusted: float = math.nan
    adjusted_rank: int | None = None
    adjusted_best: float = math.nan

    @property
    def name(self) -> str:
        """The system's name, and whether a person wrote its texts."""
        return f"{self.system} (human)" if self.human else str(self.system)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; NaN becomes None."""
        return dict(plain(self))


def scores(
    layout: Layout, scale: Scale, ranks: Sequence[int], human: frozenset[str]
) -> Iterator[SystemScore]:
    """Describe the ratings of each system, in the order of their names."""
    items = _items(layout)
    groups = layout.groups("system")
    for place, (system, own) in enumerate(zip(layout.names["system"], groups, strict=True)):
        low, middle, high = np.quantile(own, (0.25, 0.5, 0.75))
        yield SystemScore(
            system=system,
            human=str(system) in human,
            n_ratings=own.size,
            n_items=int(items[place]),
            mean=float(own.mean()),
            median=float(middle),
            quartiles=(float(low), float(high)),
            deviation=float(own.std(ddof=1)) if own.size > 1 else math.nan,
            counts=_counts(own, scale),
            rank=int(ranks[place]),
        )


def _items(layout: Layout) -> npt.NDArray[np.intp]:
    """How many items of each system were rated."""
    system, item = layout.factors["system"], layout.factors["item"]
    pairs = np.unique(system.astype(np.int64) * len(layout.names["item"]) + item)
    return np.bincount(pairs // len(layout.names["item"]), minlength=len(layout.names["system"]))


def _counts(own: Floats, scale: Scale) -> tuple[int, ...] | None:
    if scale.categories is None:
        return None
    positions = np.asarray(scale.positions(Level.INTERVAL))
    order = np.argsort(positions)
    places = order[np.searchsorted(positions[order], own)]
    return tuple(np.bincount(places, minlength=positions.size).tolist())
