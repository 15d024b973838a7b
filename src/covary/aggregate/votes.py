"""The ratings of one criterion as votes: who gave which item which category, in a fixed order.

Items and judges are numbered in the order of their names and votes are sorted by item, judge and
category, so that nothing that follows can depend on the order of rows in a file. Models compute
with a sparse matrix that has one row per distinct item: where few judges rate many items there are
few such rows, and a model costs what they cost.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument, RatingsError
from covary.ratings import Ratings
from covary.ratings import expressions as nw
from covary.ratings.frames import Frame, distinct, fetch
from covary.ratings.matrix import Matrix
from covary.ratings.memory_limit import refuse_many
from covary.scales import Level, Scale, is_number

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Occasions = Literal["refuse", "votes"]


@dataclass(frozen=True, kw_only=True)
class Votes:
    """One entry per vote: the numbers of its item, its judge and its value.

    `values` are the categories of the scale, or the distinct ratings where it is a line. Every item
    has at least one vote; `n_unrated` items had none and are not here. Where the engine counted the
    votes, an entry stands for `times` votes, and nobody knows whose. Where the items stay in the
    engine, each of `items` stands for `alike` items whose votes are the same.
    """

    items: tuple[Any, ...]
    judges: tuple[Any, ...]
    item: Ints
    judge: Ints
    code: Ints
    values: tuple[Any, ...] | Floats
    scale: Scale
    criterion: Any
    slots: bool
    n_unrated: int = 0
    times: Ints | None = None
    alike: Ints | None = None

    @cached_property
    def weights(self) -> Ints:
        """How many items each of `items` stands for."""
        return np.ones(len(self.items), np.int64) if self.alike is None else self.alike

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return int(self.weights.sum())

    @property
    def continuous(self) -> bool:
        """Whether ratings are numbers on a line; undeclared numbers of interval level are."""
        return self.scale.categories is None or (
            not self.scale.declared and self.scale.level >= Level.INTERVAL
        )

    @cached_property
    def n_votes(self) -> Ints:
        """How many votes each item has."""
        return np.bincount(self.item, self.times, minlength=len(self.items)).astype(np.int64)

    def one_by_one(self) -> tuple[Floats, Ints]:
        """The number of every single vote, and its item; an entry may stand for several votes."""
        numbers = self.positions[self.code]
        if self.times is None:
            return numbers, self.item
        return np.repeat(numbers, self.times), np.repeat(self.item, self.times)

    @cached_property
    def counts(self) -> Ints:
        """How many votes each item gives each category: items × categories."""
        size = len(self.items) * len(self.values)
        flat = np.bincount(self.item * len(self.values) + self.code, self.times, minlength=size)
        return flat.astype(np.int64).reshape(len(self.items), len(self.values))

    @cached_property
    def shares(self) -> Floats:
        """The share of each item's votes that each category has; no columns on a line."""
        if self.continuous:
            return np.empty((len(self.items), 0))
        return np.asarray(self.counts / self.n_votes[:, None])

    @cached_property
    def positions(self) -> Floats:
        """Where each value stands: its number from interval level up, else its rank."""
        if self.continuous:
            return np.asarray(self.values, dtype=float)
        return np.asarray(self.scale.positions(), dtype=float)


def votes_of(ratings: Ratings, criterion: Any, occasions: Occasions) -> Votes:
    """Read the votes on a criterion; read once, they are kept with the ratings."""
    chosen = ratings.one_criterion(criterion)
    key = ("votes", chosen, occasions)
    if key not in ratings.cache:
        ratings.cache[key] = _read(ratings, chosen, occasions)
    votes: Votes = ratings.cache[key]
    if not votes.items:
        raise RatingsError("aggregate.no-votes")
    return votes


def tallied_votes_of(ratings: Ratings, criterion: Any, occasions: Occasions) -> Votes:
    """Read the votes for a method that only counts them; the engine counts where they are many."""
    chosen = ratings.one_criterion(criterion)
    few = not ratings.large and (ratings.matrix is not None or ratings.n_ratings <= FEW_COUNTED)
    if few or ratings.scales[chosen].categories is None:
        return votes_of(ratings, criterion, occasions)
    key = ("tallied votes", chosen, occasions)
    if key not in ratings.cache:
        ratings.cache[key] = _tally(ratings, chosen, occasions)
    votes: Votes = ratings.cache[key]
    if not votes.items:
        raise RatingsError("aggregate.no-votes")
    return votes


def _tally(ratings: Ratings, criterion: Any, occasions: Occasions) -> Votes:
    """Let the engine count each item's votes by category, in one pass.

    It adds floating-point numbers, which are exact here, sooner than whole ones.
    """
    if ratings.large and ratings.n_items > ratings.room:
        count, most = ratings.n_items, ratings.room
        raise InvalidArgument("aggregate.too-many-items", count=count, most=most)
    scale = ratings.scales[criterion]
    categories = tuple(scale.categories or ())
    given = {f"_{k}": nw.col("rating") == value for k, value in enumerate(categories)}
    columns = fetch(
        vote_rows(ratings, criterion, occasions)
        .select("item", **{name: vote.cast(nw.Float64) for name, vote in given.items()})
        .group_by("item")
        .agg(*(nw.col(name).sum() for name in given))
        .sort("item")
    )
    sums = np.column_stack([columns[name] for name in given]).astype(float)
    counts = np.nan_to_num(sums).astype(np.int64)  # an item without ratings has no sum
    rated = counts.any(axis=1)
    items, place = _numbered(columns["item"][rated])
    row, code = np.nonzero(counts[rated][np.argsort(place)])
    return Votes(
        items=items,
        judges=(),
        item=row,
        judge=np.full(row.size, -1),
        code=code,
        values=categories,
        scale=scale,
        criterion=criterion,
        slots=ratings.slots,
        n_unrated=int((~rated).sum()),
        times=counts[rated][np.argsort(place)][row, code],
    )


def vote_rows(ratings: Ratings, criterion: Any, occasions: Occasions) -> Frame:
    """The rows of a criterion, with and without a rating."""
    frame = ratings.frame
    if criterion is not None:
        frame = frame.filter(nw.col("criterion") == criterion)
    if occasions == "refuse":
        _refuse_repeats(ratings, frame.filter(~nw.col("rating").is_null()))
    return frame


def _read(ratings: Ratings, criterion: Any, occasions: Occasions) -> Votes:
    scale = ratings.scales[criterion]
    if ratings.matrix is not None:
        return _from_matrix(ratings.matrix, scale, ratings.slots)
    refuse_many(ratings, "combining votes")
    frame = vote_rows(ratings, criterion, occasions)
    rated = frame.filter(~nw.col("rating").is_null())
    names = {column: _names_in_order(ratings, rated, column) for column in ("item", "judge")}
    for column, ordered in names.items():
        if ordered is not None:
            rated = rated.join(ordered, on=column).drop(column).rename({NUMBER: column})
    columns = fetch(rated.select("item", "judge", "rating"))
    items, item = _numbered(columns["item"], names["item"])
    judges, judge = _numbered(columns["judge"], names["judge"])
    values, code = _encode(columns["rating"], scale)
    unrated = frame.filter(nw.col("rating").is_null()).select("item")
    missing = set(fetch(unrated)["item"].tolist()) - set(items)
    order = _order(item, judge, code)
    return Votes(
        items=items,
        judges=judges,
        item=item[order],
        judge=judge[order],
        code=code[order],
        values=values,
        scale=scale,
        criterion=criterion,
        slots=ratings.slots,
        n_unrated=len(missing),
    )


def _from_matrix(matrix: Matrix, scale: Scale, slots: bool) -> Votes:
    row, judge = np.nonzero(matrix.codes >= 0)
    code = matrix.codes[row, judge].astype(np.int64)
    rated, item = np.unique(row, return_inverse=True)
    return Votes(
        items=tuple(rated.tolist()),
        judges=matrix.judges,
        item=item.astype(np.int64),
        judge=judge,
        code=code,
        values=matrix.values,
        scale=scale,
        criterion=None,
        slots=slots,
        n_unrated=len(matrix.codes) - rated.size,
    )


def _refuse_repeats(ratings: Ratings, rated: Frame) -> None:
    """Refuse several occasions, which would give some judges more votes than others."""
    for column in ("occasion", "round"):
        if column in ratings.columns:
            values = sorted(fetch(rated.select(column).unique())[column].tolist(), key=str)
            if len(values) > 1:
                raise InvalidArgument("aggregate.several-occasions", column=column, values=values)


NUMBER = "_number"

FEW = 200_000
"""Python numbers the names of so many votes sooner than the engine does."""

FEW_COUNTED = 20_000
"""And counts so many votes sooner, where nobody asks who gave them."""


def _names_in_order(ratings: Ratings, rated: Frame, column: str) -> Frame | None:
    """Let the engine number names where they are text and many; None where it does not."""
    if ratings.n_ratings <= FEW or str(rated.collect_schema()[column]) != "String":
        return None
    return distinct(rated, column).with_row_index(NUMBER, order_by=column)


def _numbered(
    column: npt.NDArray[Any], ordered: Frame | None = None
) -> tuple[tuple[Any, ...], Ints]:
    """Return the distinct names in order, and the number of each entry's name."""
    if ordered is not None:
        names = fetch(ordered)
        order = np.argsort(names[NUMBER])
        (text,) = (values for name, values in names.items() if name != NUMBER)
        return tuple(text[order].tolist()), column.astype(np.int64)
    if column.dtype != object:
        different, numbers = np.unique(column, return_inverse=True)
        return tuple(different.tolist()), numbers.astype(np.int64)
    entries = column.tolist()
    if _in_order(entries):
        return tuple(entries), np.arange(len(entries))
    sorted_names = _sorted(list(set(entries)))
    places = dict(zip(sorted_names, range(len(sorted_names)), strict=True))
    return tuple(sorted_names), np.fromiter(
        map(places.__getitem__, entries), np.int64, len(entries)
    )


def _in_order(names: Sequence[Any]) -> bool:
    """Whether names, all text, stand in order and differ, as the engine returns them."""
    return set(map(type, names)) == {str} and all(map(operator.lt, names, names[1:]))


def _sorted(names: Sequence[Any]) -> list[Any]:
    """Sort names; numbers come before words where there are both."""
    try:
        return sorted(names)
    except TypeError:
        return sorted(names, key=lambda name: (isinstance(name, str), name))


def _encode(ratings: npt.NDArray[Any], scale: Scale) -> tuple[Any, Ints]:
    """Return the values that a rating can have, and the number of each rating's value."""
    if scale.categories is None:
        values, code = np.unique(ratings.astype(float), return_inverse=True)
        return values, code.astype(np.int64)
    if all(is_number(category) for category in scale.categories):
        places = np.asarray(scale.categories, dtype=float)
        order = np.argsort(places)
        codes = order[np.searchsorted(places[order], ratings.astype(float))]
        return scale.categories, codes.astype(np.int64)
    numbers = {category: number for number, category in enumerate(scale.categories)}
    entries = ratings.tolist()
    return scale.categories, np.fromiter(map(numbers.__getitem__, entries), np.int64, len(entries))


def _order(item: Ints, judge: Ints, code: Ints) -> Ints:
    """Sort by item, then judge, then category."""
    if not item.size:
        return item
    judges, values = int(judge.max()) + 1, int(code.max()) + 1
    if (int(item.max()) + 1) * judges * values < 2**62:
        return np.argsort((item * judges + judge) * values + code)
    return np.lexsort((code, judge, item))


EXACT = 2**53
"""Whole numbers up to here are exact as floating-point numbers."""


@dataclass(frozen=True, kw_only=True)
class VoteRows:
    """Distinct items, their votes (entries), and which row each item is.

    `entry_row`, `entry_judge` and `entry_code` list the votes of the rows; `weights` says how many
    items show each row.
    """

    entry_row: Ints
    entry_judge: Ints
    entry_code: Ints
    weights: Floats
    row_of_item: Ints
    n_judges: int
    n_categories: int

    @cached_property
    def matrix(self) -> Any:
        """How often each row holds each vote of each judge: rows × (judge, category), sparse."""
        from scipy.sparse import csr_array

        places = self.entry_judge * self.n_categories + self.entry_code
        shape = (self.weights.size, self.n_judges * self.n_categories)
        ones = np.ones(places.size)
        return csr_array((ones, (self.entry_row, places)), shape=shape)

    def expected(self, belief: Floats) -> Floats:
        """Expected votes by judge, true category and vote, given what each row is believed to be.

        `belief` holds a probability for each row and category.
        """
        shape = (self.n_judges, self.n_categories, self.n_categories)
        # Turned only in name: read row by row, so that what is added to stays in the cache.
        flat = self.matrix.T @ (belief * self.weights[:, None])
        return np.asarray(flat).reshape(shape).transpose(0, 2, 1)

    def believed(self, prior: Floats, confusion: Floats) -> tuple[Floats, float]:
        """What each row is, given the judges' confusion matrices; and the log-likelihood."""
        tiny = np.finfo(float).tiny
        by_vote = np.log(np.maximum(confusion, tiny)).transpose(0, 2, 1)
        logs = self.matrix @ by_vote.reshape(-1, self.n_categories)
        logs += np.log(np.maximum(prior, tiny))
        belief, row_logs = normalise_logs(logs)
        return belief, float((self.weights * row_logs).sum())

    def mean_belief(self, belief: Floats) -> Floats:
        """The share of items that are believed to be of each category."""
        shares = [float((self.weights * column).sum()) for column in belief.T]
        return np.array(shares) / float(self.weights.sum())

    def weighed(self, judge_weights: Floats) -> Floats:
        """Vote shares of the rows in which judges have different weights."""
        flat = np.repeat(judge_weights, self.n_categories)[:, None]
        categories = np.tile(np.eye(self.n_categories), (self.n_judges, 1))
        shares = np.asarray(self.matrix @ (flat * categories))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))


ROWS_AT_ONCE = 8_192
"""So many rows fit the cache."""


def normalise_logs(logs: Floats) -> tuple[Floats, Floats]:
    """Turn log probabilities of each row's categories into a belief; and the log of their sum."""
    belief, totals = np.empty(logs.shape), np.empty(len(logs))
    for start in range(0, len(logs), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        totals[rows] = _normalise_block(logs[rows], belief[rows])
    return belief, totals


def _normalise_block(logs: Floats, belief: Floats) -> Floats:
    """Column by column, because there are few columns and many rows."""
    columns = np.array(logs.T, order="C")
    top = reduce(np.maximum, columns)
    columns -= top
    np.exp(columns, out=columns)
    total = reduce(np.add, columns)
    for place, column in enumerate(columns):
        np.divide(column, total, out=belief[:, place])
    return np.asarray(top + np.log(total))


def distinct_rows(votes: Votes) -> VoteRows:
    """Collapse items to distinct rows where that pays."""
    judges, categories, n = len(votes.judges), len(votes.values), len(votes.items)
    base = categories + 1
    repeated = votes.item.size > 1 and bool(
        ((np.diff(votes.item) == 0) & (np.diff(votes.judge) == 0)).any()
    )
    if votes.alike is not None or repeated or judges > 64 or base**judges >= EXACT:
        return VoteRows(
            entry_row=votes.item,
            entry_judge=votes.judge,
            entry_code=votes.code,
            weights=votes.weights.astype(float),
            row_of_item=np.arange(n),
            n_judges=judges,
            n_categories=categories,
        )
    digits = (votes.code + 1).astype(float) * float(base) ** votes.judge
    keys = np.bincount(votes.item, digits, minlength=n).astype(np.int64)
    _, first, row_of_item, times = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    entries = np.isin(votes.item, first)
    place = np.full(n, -1)
    place[first] = np.arange(first.size)
    return VoteRows(
        entry_row=place[votes.item[entries]],
        entry_judge=votes.judge[entries],
        entry_code=votes.code[entries],
        weights=times.astype(float),
        row_of_item=row_of_item.ravel(),
        n_judges=judges,
        n_categories=categories,
    )
