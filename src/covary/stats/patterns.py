"""Items collapsed to distinct patterns of ratings, counted where the data live.

`covary.ratings.collapse` says how an engine counts. Where there are so many ratings that they
stay in their engine, coefficients that ask for no judge take tallies instead of patterns, and
coefficients of judge pairs may take the judges' cross tables (`stats/crossed.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument, listed
from covary.ratings import Ratings
from covary.ratings.collapse import count_patterns, count_tallies, refuse_split_clusters
from covary.ratings.digits import EXACT, digits
from covary.ratings.encode import Matrix
from covary.ratings.frames import Frame, column_values, fetch
from covary.scales import Level, Scale, is_number

__all__ = ["Patterns", "collapse", "given_on", "too_many"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]

MOST_PLACES = 64
"""With more judges than this a pattern has too many places to be worth collapsing."""

MOST_PATTERNS = 100_000
"""More patterns than this are no small table, where the ratings themselves are not brought."""


@dataclass(frozen=True)
class Patterns:
    """Distinct rows of an items × judges matrix, and how many items show each.

    `codes` holds category numbers (-1 where a judge did not rate), `values` what they stand for.
    Where a scale is continuous every item is a row of its own and `values` are the distinct
    ratings in order. Rows are sorted, so that a seed gives the same draws in every engine.

    `crossed` holds the judges' cross tables (pairs × groups of items × categories × categories)
    where their patterns are too many; the columns of `codes` are then slots and no judges.
    """

    codes: Codes
    counts: Ints
    values: tuple[Any, ...] | Floats
    judges: tuple[Any, ...]
    scale: Scale
    clusters: Ints | None = None
    crossed: Floats | None = None

    @cached_property
    def rated(self) -> npt.NDArray[np.bool_]:
        """Where there is a rating."""
        return self.codes >= 0

    @property
    def n_values(self) -> int:
        """How many categories (or distinct ratings) there are."""
        return len(self.values)

    @property
    def continuous(self) -> bool:
        """Whether the ratings are numbers on a line and not categories."""
        return self.scale.categories is None

    @cached_property
    def n_items(self) -> int:
        """How many items there are, each with at least one rating."""
        return int(self.counts.sum())

    @cached_property
    def n_ratings(self) -> int:
        """How many ratings there are."""
        return int(self.rated.sum(axis=1) @ self.counts)

    def positions(self, level: Level | None = None) -> Floats:
        """Where each category stands on the scale at a level."""
        if self.continuous:
            return np.asarray(self.values, dtype=float)
        return np.asarray(self.scale.positions(level), dtype=float)

    def numbers(self, level: Level | None = None) -> Floats:
        """The ratings as numbers, NaN where there is none."""
        if not self.n_values:
            return np.full(self.codes.shape, np.nan)
        return np.where(self.rated, self.positions(level)[self.codes], np.nan)

    @cached_property
    def given(self) -> tuple[Ints, Ints, Codes]:
        """The ratings one by one: their row, their judge and their category."""
        rows, columns = np.nonzero(self.rated)
        return rows, columns, self.codes[rows, columns]

    def by_row(self, each: Floats) -> Floats:
        """Add up a number that belongs to each of the `given` ratings over each row."""
        return np.bincount(self.given[0], each, minlength=self.counts.size).astype(float)

    def judges_by_row(self, weights: Floats) -> Floats:
        """Add up the weights of the judges who rated each row."""
        return self.by_row(weights[self.given[1]])

    def tally(self, judge_weights: Floats | None = None) -> Floats:
        """How often each row holds each category: rows × categories."""
        rows, columns, codes = self.given
        places = rows * self.n_values + codes
        weights = None if judge_weights is None else judge_weights[columns]
        size = self.counts.size * self.n_values
        flat = np.bincount(places, weights=weights, minlength=size).astype(float)
        return flat.reshape(self.counts.size, self.n_values)

    def keep(self, rows: Any) -> Patterns:
        """Keep some of the rows, given as a mask or by number."""
        clusters = None if self.clusters is None else self.clusters[rows]
        return replace(self, codes=self.codes[rows], counts=self.counts[rows], clusters=clusters)

    def only(self, judges: Sequence[Any]) -> Patterns:
        """Keep some of the judges, and the items that they rated."""
        places = [self.judges.index(judge) for judge in judges]
        codes = self.codes[:, places]
        part = Patterns(codes, self.counts, self.values, tuple(judges), self.scale, self.clusters)
        return _merged(part.keep((codes >= 0).any(axis=1)))

    def without_judges(self) -> Patterns:
        """Merge the rows that differ only in who gave which rating."""
        if self.continuous or not self.codes.size:
            return self
        ordered = -np.sort(-self.codes, axis=1)  # the missing go last
        part = Patterns(ordered, self.counts, self.values, self.judges, self.scale, self.clusters)
        return _merged(part)


def collapse(ratings: Ratings, criterion: Any = None, *, named: bool = True) -> Patterns:
    """Collapse the ratings on one criterion to patterns, in the engine that holds them.

    Unless judges are `named`, a column may be "the n-th rating of the item" instead of a judge,
    which keeps the patterns narrow where many judges rate a few items each.
    """
    chosen = ratings.one_criterion(criterion)
    named = named or _surely_few(ratings, chosen)
    if named and too_many(ratings, chosen):
        _refuse_patterns(len(ratings.judges))
    if (chosen, named) not in ratings.cache:
        ratings.cache[chosen, named] = _collapse(ratings, chosen, named)
    found: Patterns = ratings.cache[chosen, named]
    return found


def too_many(ratings: Ratings, criterion: Any = None) -> bool:
    """Say whether the judges' patterns are too many to be brought to Python."""
    chosen = ratings.one_criterion(criterion)
    if not ratings.large or _surely_few(ratings, chosen) or (chosen, True) in ratings.cache:
        return False
    if (chosen, "too many") not in ratings.cache:
        frame, judges = given_on(ratings, chosen)
        found = _few_patterns(frame, judges, ratings.scales[chosen])
        ratings.cache[chosen, "too many"] = found is None
        if found is not None:
            ratings.cache[chosen, True] = found
    return bool(ratings.cache[chosen, "too many"])


def given_on(ratings: Ratings, criterion: Any) -> tuple[Frame, list[Any]]:
    """Return the ratings on a criterion that are not missing, and the judges who gave them."""
    frame = ratings.frame.filter(~nw.col("rating").is_null())
    if criterion is not None:
        frame = frame.filter(nw.col("criterion") == criterion)
    _refuse_repeats(ratings, frame)
    return frame, list(column_values(frame, "judge"))


def _surely_few(ratings: Ratings, criterion: Any) -> bool:
    """Say whether patterns with a place for each judge are few, whatever the ratings are."""
    if ratings.matrix is not None:
        return True
    if not ratings.large:
        return len(ratings.judges) <= MOST_PLACES
    categories = ratings.scales[criterion].categories
    return categories is None or (len(categories) + 1) ** len(ratings.judges) <= MOST_PATTERNS


def _collapse(ratings: Ratings, criterion: Any, named: bool) -> Patterns:
    scale = ratings.scales[criterion]
    if ratings.matrix is not None:
        return _from_matrix(ratings.matrix, scale)
    frame, judges = given_on(ratings, criterion)
    if not judges:
        none, categories = np.empty((0, 0), np.int32), scale.categories or ()
        return Patterns(none, np.empty(0, np.int64), categories, (), scale)
    if ratings.large:
        return _of_many(frame, judges, scale, named)
    if scale.categories is None or len(judges) > MOST_PLACES:
        return _from_rows(frame, judges, scale, named)
    found = _from_engine(frame, judges, scale)
    assert found is not None
    return found


def _of_many(frame: Frame, judges: list[Any], scale: Scale, named: bool) -> Patterns:
    """Collapse ratings that stay in their engine, or say why that gives no small table."""
    if scale.categories is None:
        raise InvalidArgument(
            "on a continuous scale every item is a pattern of its own, and so many ratings are not "
            "brought into memory; choose a part of them (ratings.first_items(100_000)), allow more "
            "memory (ratings.within('16GB'), --memory 16GB), or put them into steps, which is an "
            "approximation (ratings.in_steps(20), --steps 20)"
        )
    if not named:
        return _from_tallies(frame, len(judges), scale)
    found = _few_patterns(frame, judges, scale)
    assert found is not None  # or it would have been too many
    return found


def _refuse_patterns(n_judges: int) -> None:
    raise InvalidArgument(
        f"the ratings of these {n_judges:,} judges have more than {MOST_PATTERNS:,} different "
        "patterns, so what follows each judge through all items cannot be had from small tables; "
        "name some judges with judges=[…], or use a coefficient of judge pairs "
        "(goodman_kruskal_gamma, light_kappa, pearson) or one that does not need to know who rated "
        "(krippendorff_alpha, fleiss_kappa, gwet_ac1)"
    )


def _few_patterns(frame: Frame, judges: list[Any], scale: Scale) -> Patterns | None:
    if len(judges) > MOST_PLACES:
        return None
    return _from_engine(frame, judges, scale, MOST_PATTERNS)


def _refuse_repeats(ratings: Ratings, frame: Frame) -> None:
    for column in ("occasion", "round"):
        if column in ratings.columns:
            found = column_values(frame, column)
            if len(found) > 1:
                raise InvalidArgument(
                    f"the ratings come from several values of {column} ({listed(found)}), so a "
                    f"judge counts twice or more; choose with ratings.select({column}={found[0]!r})"
                )


def _from_matrix(matrix: Matrix, scale: Scale) -> Patterns:
    codes, places = matrix.codes, len(matrix.judges)
    base = len(matrix.values) + 1
    if scale.categories is None or base**places >= EXACT:
        part = Patterns(codes, np.ones(len(codes), np.int64), matrix.values, matrix.judges, scale)
        part = part.keep((codes >= 0).any(axis=1))
        return _in_order(part) if scale.categories is None else _merged(part)
    keys = np.zeros(len(codes), dtype=np.int64)
    for place in range(places):
        keys += (codes[:, place].astype(np.int64) + 1) * base**place
    distinct, counts = _counted(keys, base**places)
    found = (digits(distinct.astype(float)[:, None], base, [places]) - 1).astype(np.int32)
    part = Patterns(found, counts, matrix.values, matrix.judges, scale)
    return part.keep((found >= 0).any(axis=1))


def _counted(keys: Ints, most: int) -> tuple[Ints, Ints]:
    """Count equal keys: by place where there are few, else by sorting."""
    if most <= max(1 << 16, keys.size):
        counts = np.bincount(keys, minlength=most)
        distinct = np.flatnonzero(counts)
        return distinct, counts[distinct]
    found, times = np.unique(keys, return_counts=True)
    return found, times


def _from_engine(
    frame: Frame, judges: list[Any], scale: Scale, most: int | None = None
) -> Patterns | None:
    """Count patterns in the engine; None where there are more than `most`."""
    assert scale.categories is not None
    found = count_patterns(frame, judges, scale.categories, most=most)
    if found is None:
        return None
    codes, clusters = (found.digits - 1).astype(np.int32), found.clusters
    numbers = None if clusters is None else _numbered(clusters)
    order = np.lexsort([*codes.T, *([] if numbers is None else [numbers])])
    made = Patterns(codes, found.counts, scale.categories, tuple(judges), scale, numbers)
    return made.keep(order)


def _from_tallies(frame: Frame, n_judges: int, scale: Scale) -> Patterns:
    """Count tallies in the engine; a column is then "the n-th rating of the item"."""
    assert scale.categories is not None
    found = count_tallies(frame, scale.categories, n_judges)
    given = found.digits.sum(axis=1)
    codes = np.full((len(given), int(given.max())), -1, dtype=np.int32)
    rows, categories = np.divmod(np.arange(found.digits.size), len(scale.categories))
    times = found.digits.ravel()
    each = np.repeat(rows, times)
    codes[each, _slots(each)] = np.repeat(categories, times)
    clusters = None if found.clusters is None else _numbered(found.clusters)
    slots = tuple(range(1, codes.shape[1] + 1))
    part = Patterns(codes, found.counts, scale.categories, slots, scale, clusters)
    return part.without_judges()


def _from_rows(frame: Frame, judges: list[Any], scale: Scale, named: bool) -> Patterns:
    """Bring the ratings themselves: every item its own row, the distinct ratings as values."""
    clustered = "cluster" in frame.collect_schema().names()
    wanted = ["item", "judge", "rating"] + (["cluster"] if clustered else [])
    columns = fetch(frame.select(wanted))
    item = _numbered(columns["item"])
    place = _numbered(columns["judge"]) if named else _slots(item)
    judges = judges if named else list(range(1, int(place.max()) + 2))
    values: Any = scale.categories
    if values is None:
        values, code = np.unique(columns["rating"].astype(float), return_inverse=True)
    else:
        code = _coded(columns["rating"], values).astype(np.int64)
    codes = np.full((int(item.max()) + 1, len(judges)), -1, dtype=np.int32)
    codes[item, place] = code
    clusters = None
    if clustered:
        own = _numbered(columns["cluster"])
        clusters = np.empty(len(codes), dtype=np.int64)
        clusters[item] = own
        split = columns["item"][clusters[item] != own].tolist()
        refuse_split_clusters(list(dict.fromkeys(split))[:5])
    ones = np.ones(len(codes), dtype=np.int64)
    part = Patterns(codes, ones, values, tuple(judges), scale, clusters)
    return _in_order(part) if scale.categories is None else _merged(part)


def _slots(item: Ints) -> Ints:
    """Number the ratings of each item from 0."""
    order = np.argsort(item, kind="stable")
    sizes = np.bincount(item)
    slots = np.empty_like(item)
    slots[order] = np.arange(item.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return slots


def _in_order(patterns: Patterns) -> Patterns:
    """Sort the rows, so that a seed gives the same draws whichever way the ratings came."""
    places, base = patterns.codes.shape[1], patterns.n_values + 1
    if base**places >= 2**62:
        return patterns.keep(np.lexsort(patterns.codes.T))
    keys = np.zeros(len(patterns.codes), dtype=np.int64)
    for place in range(places):  # one number for each row sorts quicker than its columns in turn
        keys += (patterns.codes[:, place].astype(np.int64) + 1) * base**place
    return patterns.keep(np.argsort(keys))


def _merged(patterns: Patterns) -> Patterns:
    """Merge equal rows and sort them."""
    table = patterns.codes
    if patterns.clusters is not None:
        table = np.column_stack([patterns.clusters, table])
    if not table.size:
        return patterns
    order = np.lexsort(table.T)
    ordered = table[order]
    new = np.ones(len(ordered), dtype=bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    counts = np.add.reduceat(patterns.counts[order], np.flatnonzero(new))
    clusters = None if patterns.clusters is None else patterns.clusters[order][new]
    codes = patterns.codes[order][new]
    return Patterns(codes, counts, patterns.values, patterns.judges, patterns.scale, clusters)


def _coded(ratings: npt.NDArray[Any], categories: tuple[Any, ...]) -> Codes:
    if all(is_number(category) for category in categories):
        order = np.argsort(np.asarray(categories, dtype=float))
        ranked = np.asarray(categories, dtype=float)[order]
        return order[np.searchsorted(ranked, ratings.astype(float))].astype(np.int32)
    numbers = {category: number for number, category in enumerate(categories)}
    return np.array([numbers[rating] for rating in ratings.tolist()], dtype=np.int32)


def _numbered(column: npt.NDArray[Any]) -> Ints:
    """Number the distinct values of a column from 0 in their order."""
    if column.dtype != object:
        return np.unique(column, return_inverse=True)[1].astype(np.int64)
    numbers = {value: number for number, value in enumerate(_sorted(list(set(column.tolist()))))}
    return np.array([numbers[value] for value in column.tolist()], dtype=np.int64)


def _sorted(values: list[Any]) -> list[Any]:
    return sorted(values, key=lambda value: (isinstance(value, str), value))
