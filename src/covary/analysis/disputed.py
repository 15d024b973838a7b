"""`covary.disputed`: the items that judges disagree on most, once their severity is taken out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from covary.analysis.disagreement import ROOM
from covary.analysis.judge_model import JudgeEffects, scores
from covary.analysis.stability import first_occasion
from covary.errors import InvalidArgument, quiet
from covary.ratings import Ratings
from covary.ratings import expressions as nw
from covary.ratings.frames import Tabular, distinct, fetch
from covary.records import dataclass
from covary.stats.estimate import Result
from covary.stats.patterns import Patterns, collapse, has_too_many_patterns, number_values

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_JUDGES = 500
"""Judges up to whom severity is taken out item by item."""

COLUMNS = "criterion rank item share distance lowest highest ratings furthest alike text"


@dataclass(frozen=True, kw_only=True)
class DisputedItem(Result):
    """An item, who gave it what, and its part of the disagreement that severity leaves.

    `share` is of the disagreement on the criterion. `distance` is how far apart the item's ratings
    lie, where ratings of different items are 1 apart on average. `furthest` is the judge furthest
    from the others on this item; None where that is nobody, or nobody is known. `alike` counts the
    items with the very same ratings by the same judges, this one among them.
    """

    criterion: Any
    rank: int
    item: Any
    share: float
    distance: float
    judges: tuple[Any, ...]
    ratings: tuple[Any, ...]
    furthest: Any = None
    alike: int = 1
    text: str = ""

    @property
    def given(self) -> str:
        """Who gave what: `Ann: 4, Bo: 1`; the ratings alone where nobody knows who."""
        ratings = [f"{r:g}" if isinstance(r, float) else str(r) for r in self.ratings]
        if not self.judges:
            return ", ".join(ratings)
        pairs = zip(self.judges, ratings, strict=True)
        return ", ".join(f"{judge}: {rating}" for judge, rating in pairs)

    @property
    def weight(self) -> float:
        """What the item adds to the disagreement, comparable between criteria."""
        return self.distance * len(self.ratings)

    def row(self) -> dict[str, Any]:
        """Return the item as one row."""
        own = {name: value for name, value in vars(self).items() if name in COLUMNS.split()}
        low, high = _ends(self.ratings)
        criterion = "" if self.criterion is None else self.criterion
        return own | {
            "criterion": criterion,
            "lowest": low,
            "highest": high,
            "ratings": self.given,
            "furthest": "" if self.furthest is None else self.furthest,
        }


def _ends(ratings: Sequence[Any]) -> tuple[Any, Any]:
    """The lowest and the highest of numbers; names have none."""
    if any(isinstance(rating, str) for rating in ratings):
        return "", ""
    return min(ratings), max(ratings)


@dataclass(frozen=True, kw_only=True)
class Disputed(Tabular):
    """The items of each criterion, the most disputed first.

    `unadjusted` names the criteria whose judges' severity is not known, so that it is still in.
    `n_items` counts the items of all criteria that two or more judges rated.
    """

    items: tuple[DisputedItem, ...]
    n_items: int
    unadjusted: tuple[Any, ...] = ()
    notes: tuple[str, ...] = ()

    columns: ClassVar[tuple[str, ...]] = tuple(COLUMNS.split())

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each item."""
        return [item.row() for item in self.items]

    def top(self, number: int) -> list[DisputedItem]:
        """Return the most disputed of each criterion in turn; of equal ratings only one item.

        An item that all rated the same is never among them, although a strict judge who gives what
        others give was milder than usual.
        """
        kinds: dict[Any, DisputedItem] = {}
        for item in self.items:
            if item.share > 0 and len(set(item.ratings)) > 1:
                kinds.setdefault((item.criterion, item.judges, item.ratings), item)
        places: Counter[Any] = Counter()
        turns = []
        for item in kinds.values():
            turns.append((places[item.criterion], -item.weight, item))
            places[item.criterion] += 1
        return [item for *_, item in sorted(turns, key=lambda turn: turn[:2])][:number]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        items = [item.to_dict() for item in self.items]
        unadjusted = [name for name in self.unadjusted if name is not None]
        return {"items": items, "n_items": self.n_items, "unadjusted": unadjusted}

    def __str__(self) -> str:
        return "\n".join(
            f"{item.criterion or 'ratings'}: {item.item} ({item.given})" for item in self.top(10)
        )


def disputed(ratings: Ratings, *, criterion: Any = None, most: int | None = None) -> Disputed:
    """On which items do judges disagree most, apart from severity?

    Parameters
    ----------
    ratings
        The ratings. A column `text` says what the items are. Where judges rated items on several
        occasions, the first one counts.
    criterion
        One criterion; all by default.
    most
        How many items of each criterion; all by default.

    Returns
    -------
    Disputed
        `items`, the most disputed of each criterion first, with `rows()` and `to_frame()`.

    Notes
    -----
    On the metric of the agreement coefficient (mid-ranks for ordinal ratings, values for numbers,
    an indicator of each category for names) each judge's severity is taken off, by least squares of
    item and judge effects. An item with m ratings of variance v then adds m v to the observed
    disagreement, as in Krippendorff's alpha; its share is of the sum over items. `distance` is v
    over the variance of all these ratings. Severity stays in where nobody knows who gave which
    rating, or where judges are more than 500.

    Examples
    --------
    Bo is stricter by one, but for the third item:

    >>> from covary import Ratings, disputed
    >>> table = [[4, 3], [3, 2], [1, 4], [5, 4], [2, 1]]
    >>> ratings = Ratings.from_wide(table, scale="1-5", level="interval", judges=["Ann", "Bo"])
    >>> worst = disputed(ratings).items[0]
    >>> worst.item, worst.given, f"{worst.share:.0%}"
    (2, 'Ann: 1, Bo: 4', '80%')
    """
    if most is not None and most < 1:
        raise InvalidArgument("disputed.most", argument="most", value=most)
    looked_at = first_occasion(ratings).looked_at()
    names = looked_at.criteria if criterion is None else (looked_at.one_criterion(criterion),)
    texts = item_texts(looked_at)
    found = [_Criterion(looked_at, name) for name in names]
    items = (item for part in found for item in part.items(texts, most))
    return Disputed(
        items=tuple(items),
        n_items=sum(part.n_items for part in found),
        unadjusted=tuple(part.criterion for part in found if not part.adjusted),
        notes=looked_at.notes if looked_at is not ratings else (),
    )


def item_texts(ratings: Ratings) -> dict[Any, str]:
    """What each item says, where the ratings know it; the first of several."""
    if "text" not in ratings.columns:
        return {}
    known = fetch(distinct(ratings.frame, "item", "text").sort("item", "text", descending=True))
    return dict(zip(known["item"].tolist(), map(str, known["text"].tolist()), strict=True))


class _Criterion:
    """The ratings on one criterion, item by item, with severity taken off."""

    def __init__(self, ratings: Ratings, criterion: Any) -> None:
        self.criterion = criterion
        frame = ratings.frame.filter(~nw.col("rating").is_null())
        if criterion is not None:
            frame = frame.filter(nw.col("criterion") == criterion)
        columns = fetch(frame.select("item", "judge", "rating"))
        item, names = number_values(columns["item"])
        judge, judges = number_values(columns["judge"])
        several = (np.bincount(item, minlength=len(names)) > 1)[item]
        order = np.flatnonzero(several)[np.lexsort((judge[several], item[several]))]
        self.names, self.judges = names, judges
        self.item, self.judge, self.rating = item[order], judge[order], columns["rating"][order]
        self.starts = np.flatnonzero(np.diff(self.item, prepend=-1))
        self.sizes = np.diff(self.starts, append=len(self.item))
        self.n_items = len(self.starts)
        self.slots = ratings.slots
        self.numbers, self.adjusted = self._metric(ratings)

    def _metric(self, ratings: Ratings) -> tuple[Floats, bool]:
        """The ratings on the metric of agreement, a column for each part, without severity."""
        if not self.n_items:
            return np.zeros((0, 1)), False
        slots = ratings.slots or has_too_many_patterns(ratings, self.criterion)
        with quiet():
            patterns = collapse(ratings, self.criterion, named=not slots)
        shared = patterns.keep(patterns.sizes > 1)
        scored = tuple(scores(shared))
        codes = _codes(patterns, self.rating)
        numbers = np.column_stack([part.positions()[codes] for part in scored])
        many = len(self.judges) > MOST_JUDGES or shared.counts.size * shared.n_columns > ROOM
        if slots or many or len(self.judges) < 2:
            return numbers, False
        effects = JudgeEffects(scored).effects.reshape(len(scored), -1)
        place = {judge: number for number, judge in enumerate(shared.judges)}
        columns = np.array([place[judge] for judge in self.judges])
        return numbers - effects[:, columns[self.judge]].T, True

    def items(self, texts: dict[Any, str], most: int | None) -> Iterator[DisputedItem]:
        """The items, the most disputed first."""
        if not self.n_items:
            return
        sums = np.add.reduceat(self.numbers, self.starts, axis=0)
        own = np.repeat(sums / self.sizes[:, None], self.sizes, axis=0)
        squares = np.add.reduceat(((self.numbers - own) ** 2).sum(axis=1), self.starts)
        variances = squares / (self.sizes - 1)
        weights = np.where(variances > 1e-12, variances, 0.0) * self.sizes
        spread = self.numbers.var(axis=0, ddof=1).sum()
        whole, alike = weights.sum(), self._alike()
        order = np.lexsort((np.arange(self.n_items), -np.round(weights, 12)))[:most]
        for rank, place in enumerate(order.tolist(), 1):
            start, size = int(self.starts[place]), int(self.sizes[place])
            rows = slice(start, start + size)
            name = self.names[int(self.item[start])]
            yield DisputedItem(
                criterion=self.criterion,
                rank=rank,
                item=name,
                share=float(weights[place] / whole) if whole > 0 else 0.0,
                distance=float(variances[place] / spread) if spread > 0 else math.nan,
                judges=() if self.slots else tuple(self.judges[j] for j in self.judge[rows]),
                ratings=tuple(self.rating[rows].tolist()),
                furthest=None if self.slots else self._furthest(rows),
                alike=int(alike[place]),
                text=texts.get(name, ""),
            )

    def _furthest(self, rows: slice) -> Any:
        """The judge furthest from the others on an item, if it is one."""
        numbers = self.numbers[rows]
        off = ((numbers - numbers.mean(axis=0)) ** 2).sum(axis=1)
        place = int(np.argmax(off))
        alone = np.sum(off > off[place] - 1e-9) == 1 and off[place] > 1e-12
        return self.judges[int(self.judge[rows][place])] if alone else None

    def _alike(self) -> Ints:
        """How many items have the same ratings by the same judges, for each item."""
        ratings = np.unique(self.rating, return_inverse=True)[1]
        judges = np.zeros_like(self.judge) if self.slots else self.judge
        marks = np.random.default_rng(0).integers(2**62, size=(judges.max() + 1, ratings.max() + 1))
        kinds = np.add.reduceat(marks[judges, ratings], self.starts)
        _, which, times = np.unique(kinds, return_inverse=True, return_counts=True)
        return np.asarray(times[which])


def _codes(patterns: Patterns, ratings: Any) -> Ints:
    """Which of the patterns' values each rating is."""
    if patterns.continuous:
        known = np.asarray(patterns.values, dtype=float)
        return np.asarray(np.searchsorted(known, ratings.astype(float)))
    place = {value: number for number, value in enumerate(patterns.values)}
    return np.array([place[rating] for rating in ratings.tolist()])
