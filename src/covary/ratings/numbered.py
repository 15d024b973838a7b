"""Items and judges of a long pandas frame as numbers, found once.

pandas would find them again for every question, where other engines answer as quickly as they read.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.ratings.frames import MANY_NAMES, Frame
from covary.records import dataclass
from covary.scales import Scale

Ints = npt.NDArray[np.int64]

MOST_CELLS = 16
"""Items × judges may have so many times more cells than there are ratings."""

DIVIDING = ("criterion", "occasion", "round", "cluster", "source", "system")
"""Columns that part ratings, or items, so that there is more to look at than items and judges."""


@dataclass(frozen=True, kw_only=True)
class NumberedRows:
    """The item and the judge of each row as numbers from 0, and its rating, NaN where missing."""

    item: Ints
    judge: Ints
    rating: npt.NDArray[Any]
    n_items: int
    judges: tuple[Any, ...]

    @cached_property
    def all_distinct(self) -> bool:
        """Whether no judge rated an item twice."""
        cells = np.zeros(self.n_items * len(self.judges), dtype=bool)
        cells[self.item * len(self.judges) + self.judge] = True
        return int(np.count_nonzero(cells)) == self.item.size

    @cached_property
    def kinds(self) -> npt.NDArray[Any]:
        """The distinct ratings, in no order."""
        import pandas

        kinds = pandas.unique(self.rating)
        return np.asarray(kinds[~np.isnan(kinds)])

    def all_on(self, scale: Scale) -> bool:
        """Whether every rating is possible on a scale of numbers."""
        if scale.categories is None:
            return bool(((self.kinds >= scale.low) & (self.kinds <= scale.high)).all())
        return set(self.kinds.tolist()) <= set(scale.categories)


def number_rows(table: Frame) -> NumberedRows | None:
    """Number the rows of a long pandas frame that holds nothing that parts its ratings."""
    frame: Any = table.to_native()
    if len(frame) <= MANY_NAMES or any(name in frame.columns for name in DIVIDING):
        return None
    rating = frame["rating"].to_numpy()
    if rating.dtype.kind not in "iuf":
        return None
    judge, judges = _numbers(frame["judge"])
    if len(judges) == 0 or judge.min() < 0:
        return None
    item, items = _numbers(frame["item"], in_order=False)
    if item.min() < 0 or len(items) * len(judges) > MOST_CELLS * len(frame):
        return None
    return NumberedRows(
        item=item, judge=judge, rating=rating, n_items=len(items), judges=tuple(judges)
    )


def _numbers(column: Any, *, in_order: bool = True) -> tuple[Ints, list[Any]]:
    """Number the values of a column from 0, and return them; in their order, where that counts."""
    import pandas

    if isinstance(column.dtype, pandas.CategoricalDtype) and column.cat.ordered:
        return column.cat.codes.to_numpy().astype(np.int64), column.cat.categories.tolist()
    codes, values = pandas.factorize(column)
    names = values.tolist()
    if not in_order:
        return codes, names
    order = sorted(range(len(names)), key=lambda n: (isinstance(names[n], str), names[n]))
    places = np.append(np.argsort(order), -1)
    return places[codes], [names[place] for place in order]
