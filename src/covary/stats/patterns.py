"""Items collapsed to distinct patterns of ratings, counted where the data live.

`covary.ratings.pattern_counts` says how an engine counts. Where there are so many ratings that they
stay in their engine, coefficients that ask for no judge take tallies instead of patterns, and
coefficients of judge pairs may take the judges' cross tables (`stats/pair_counts.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.ratings import expressions as nw
from covary.ratings.frames import Frame, column_values, distinct, fetch
from covary.ratings.matrix import Matrix
from covary.ratings.numbered import NumberedRows
from covary.ratings.pattern_counts import (
    EXACT,
    count_patterns,
    count_tallies,
    digits,
    refuse_split_clusters,
)
from covary.records import dataclass
from covary.scales import Level, Scale, is_number
from covary.stats.ordering import CommonRatings

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]

MOST_PLACES = 64
"""With more judges than this a pattern has too many places to be worth collapsing."""

FILLED = 0.1
"""Of many judges' places no more than this share is filled where ratings are kept one by one."""

MOST_PATTERNS = 100_000
"""More patterns than this are no small table, where the ratings themselves are not brought."""


@dataclass(frozen=True, kw_only=True)
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

    @cached_property
    def sizes(self) -> Ints:
        """How many ratings each row has."""
        return np.asarray(self.rated.sum(axis=1))

    @property
    def several(self) -> npt.NDArray[np.bool_]:
        """Which rows have two ratings or more."""
        return np.asarray(self.sizes > 1)

    @cached_property
    def times(self) -> Floats:
        """How often each row counts, for products with numbers that are not whole."""
        return self.counts.astype(float)

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
        return int(self.sizes @ self.counts)

    @cached_property
    def n_informative(self) -> int:
        """How many items, or clusters of items, show another rating than the commonest."""
        rows, _, codes = self.entries
        if not codes.size:
            return 0
        commonest = np.bincount(codes, self.counts[rows]).argmax()
        telling = np.unique(rows[codes != commonest])
        if self.clusters is not None:
            return int(np.unique(self.clusters[telling]).size)
        return int(self.counts[telling].sum())

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
    def entries(self) -> tuple[Ints, Ints, Codes]:
        """The ratings one by one: their row, their judge and their category."""
        rows, columns = np.nonzero(self.rated)
        return rows, columns, self.codes[rows, columns]

    @cached_property
    def memory(self) -> dict[Any, Any]:
        """What was found of these patterns and is dear to find again."""
        return {}

    @cached_property
    def common(self) -> CommonRatings:
        """What every two judges gave the same items."""
        codes, rated = self.codes, self.rated
        return CommonRatings(
            rated=lambda: rated,
            codes=lambda: codes,
            counts=self.times,
            n_values=self.n_values,
            n_judges=self.n_columns,
        )

    def codes_of(self, judge: int) -> Ints:
        """One judge's ratings, row by row, as whole numbers in their order."""
        return self.codes[:, judge].astype(np.int64)

    def shared_codes(self, pair: int) -> tuple[Ints, Ints, Ints | slice]:
        """Two judges' ratings of what both rated, as whole numbers in their order, and the rows."""
        rows, cells = self.common.of_pair(pair)
        first, second = np.divmod(cells, self.n_values)
        return first, second, rows

    def has_few_values(self, most: int) -> bool:
        """Say whether there are no more categories (or distinct ratings) than so many."""
        return self.n_values <= most

    def by_row(self, numbers: Floats) -> Floats:
        """Add up a number that belongs to each of the `entries` over each row."""
        return np.bincount(self.entries[0], numbers, minlength=self.counts.size).astype(float)

    def judges_by_row(self, weights: Floats) -> Floats:
        """Add up the weights of the judges who rated each row."""
        return self.by_row(weights[self.entries[1]])

    def tally(self, judge_weights: Floats | None = None) -> Floats:
        """How often each row holds each category: rows × categories."""
        rows, columns, codes = self.entries
        places = rows * self.n_values + codes
        weights = None if judge_weights is None else judge_weights[columns]
        size = self.counts.size * self.n_values
        flat = np.bincount(places, weights=weights, minlength=size).astype(float)
        return flat.reshape(self.counts.size, self.n_values)

    def keep(self, rows: Any) -> Patterns:
        """Keep some of the rows, given as a mask or by number."""
        clusters = None if self.clusters is None else self.clusters[rows]
        return replace(self, codes=self.codes[rows], counts=self.counts[rows], clusters=clusters)

    @property
    def n_columns(self) -> int:
        """How many columns there are: judges, or slots."""
        return int(self.rated.shape[1])

    @property
    def full_rows(self) -> npt.NDArray[np.bool_]:
        """Which rows have a rating in every column."""
        return np.asarray(self.sizes == self.n_columns)

    @property
    def complete(self) -> bool:
        """Whether every column of every row has a rating."""
        return bool(self.full_rows.all())

    def on_scale(self, values: Floats, scale: Scale) -> Patterns:
        """The same rows with other places for their ratings."""
        return replace(self, values=values, scale=scale)

    def recount(self, counts: Ints) -> Patterns:
        """The same rows, which count otherwise."""
        return replace(self, counts=counts)

    def add(self, codes: Codes, clusters: Ints | None) -> Patterns:
        """Add rows that count 0 times, with the clusters of all rows where there are any."""
        none = np.zeros(len(codes), np.int64)
        both, counts = np.concatenate([self.codes, codes]), np.concatenate([self.counts, none])
        return replace(self, codes=both, counts=counts, clusters=clusters)

    def only(self, judges: Sequence[Any]) -> Patterns:
        """Keep some of the judges, and the items that they rated."""
        part = self.columns(judges)
        return _merge_rows(part.keep(part.rated.any(axis=1)))

    def columns(self, judges: Sequence[Any]) -> Patterns:
        """Keep some of the judges and every row, also where nobody of them rated."""
        places = [self.judges.index(judge) for judge in judges]
        return replace(self, codes=self.codes[:, places], judges=tuple(judges), crossed=None)

    def without_judges(self) -> Patterns:
        """Merge the rows that differ only in who gave which rating."""
        if self.continuous or not self.codes.size:
            return self
        ordered = -np.sort(-self.codes, axis=1)  # the missing go last
        return _merge_rows(replace(self, codes=ordered, crossed=None))


class WidePatterns(Patterns):
    """Patterns of so many judges that nearly all places are empty: the ratings one by one.

    A table of items × judges is made only where somebody asks for `codes` or `rated`.
    """

    entries: tuple[Ints, Ints, Codes]
    sizes: Ints

    def __new__(cls, **fields: Any) -> Any:
        """Give plain patterns where fields are replaced."""
        return Patterns(**fields)

    @classmethod
    def of(cls, entries: tuple[Ints, Ints, Codes], counts: Ints, **known: Any) -> WidePatterns:
        """Take the ratings by row and then by judge, and how often each row counts."""
        made: WidePatterns = object.__new__(cls)
        sizes = np.bincount(entries[0], minlength=counts.size)
        made.__dict__.update(entries=entries, counts=counts, sizes=sizes, **known)
        return made

    @cached_property
    def codes(self) -> Codes:
        table = np.full((self.counts.size, len(self.judges)), -1, dtype=np.int32)
        table[self.entries[:2]] = self.entries[2]
        return table

    @cached_property
    def begins(self) -> Ints:
        """Where each row's ratings begin, and where the last one's end."""
        return np.concatenate([[0], np.cumsum(self.sizes)])

    @cached_property
    def common(self) -> CommonRatings:
        rows, judges, codes = self.entries
        return CommonRatings(
            listed=(rows, judges, codes.astype(np.int64)),
            n_judges=len(self.judges),
            counts=self.times,
            n_values=self.n_values,
        )

    @property
    def _known(self) -> dict[str, Any]:
        return {"values": self.values, "judges": self.judges, "scale": self.scale}

    def keep(self, rows: Any) -> WidePatterns:
        rows = np.asarray(rows)
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows
        sizes = self.sizes[rows]
        firsts = np.cumsum(sizes) - sizes
        places = np.arange(int(sizes.sum())) + np.repeat(self.begins[rows] - firsts, sizes)
        _, judges, codes = self.entries
        clusters = None if self.clusters is None else self.clusters[rows]
        entries = np.repeat(np.arange(rows.size), sizes), judges[places], codes[places]
        return WidePatterns.of(entries, self.counts[rows], clusters=clusters, **self._known)

    @property
    def n_columns(self) -> int:
        return len(self.judges)

    def on_scale(self, values: Floats, scale: Scale) -> WidePatterns:
        known = {"judges": self.judges, "clusters": self.clusters}
        return WidePatterns.of(self.entries, self.counts, values=values, scale=scale, **known)

    def recount(self, counts: Ints) -> WidePatterns:
        return WidePatterns.of(self.entries, counts, clusters=self.clusters, **self._known)

    def add(self, codes: Codes, clusters: Ints | None) -> WidePatterns:
        rows, judges = np.nonzero(codes >= 0)
        more = rows + self.counts.size, judges, codes[rows, judges]
        pairs: Any = zip(self.entries, more, strict=True)
        entries: Any = tuple(np.concatenate(both) for both in pairs)
        counts = np.concatenate([self.counts, np.zeros(len(codes), np.int64)])
        return WidePatterns.of(entries, counts, clusters=clusters, **self._known)

    def only(self, judges: Sequence[Any]) -> Patterns:
        if len(judges) <= MOST_PLACES:
            return super().only(judges)
        numbers = np.full(len(self.judges), -1)
        numbers[[self.judges.index(judge) for judge in judges]] = np.arange(len(judges))
        rows, places, codes = self.entries
        chosen = numbers[places] >= 0
        rows, places, codes = rows[chosen], numbers[places[chosen]], codes[chosen]
        order = np.lexsort([places, rows])
        known = self._known | {"judges": tuple(judges), "clusters": self.clusters}
        part = WidePatterns.of((rows[order], places[order], codes[order]), self.counts, **known)
        return part.keep(part.sizes > 0).sorted()

    def columns(self, judges: Sequence[Any]) -> Patterns:
        numbers = np.full(len(self.judges), -1)
        numbers[[self.judges.index(judge) for judge in judges]] = np.arange(len(judges))
        rows, places, codes = self.entries
        chosen = numbers[places] >= 0
        table = np.full((self.counts.size, len(judges)), -1, dtype=np.int32)
        table[rows[chosen], numbers[places[chosen]]] = codes[chosen]
        known = self._known | {"judges": tuple(judges), "clusters": self.clusters}
        return Patterns(codes=table, counts=self.counts, **known)

    def without_judges(self) -> Patterns:
        """Merge the rows that differ only in who gave which rating.

        There are as many columns as an item has ratings, and one that stays empty.
        """
        if self.continuous:
            return self
        rows, _, codes = self.entries
        width = min(int(self.sizes.max(initial=0)) + 1, len(self.judges))
        table = np.full((self.counts.size, width), -1, dtype=np.int32)
        table[rows, np.arange(rows.size) - self.begins[rows]] = codes
        known = self._known | {"counts": self.counts, "clusters": self.clusters}
        return _merge_rows(Patterns(codes=-np.sort(-table, axis=1), **known))

    def sorted(self) -> WidePatterns:
        """Sort the rows as a table of all judges is sorted, and merge equal ones of categories."""
        rows, judges, codes = self.entries
        last = self.begins[rows + 1] - 1 - np.arange(rows.size)  # the last judge decides first
        table = np.zeros((self.counts.size, int(self.sizes.max(initial=0))), dtype=np.int64)
        table[rows, last] = judges * (self.n_values + 1) + codes + 1
        keys = [*([] if self.clusters is None else [self.clusters]), *table.T[::-1]]
        order = np.lexsort(keys) if keys else np.arange(0)
        if self.continuous:
            return self.keep(order)
        new = np.ones(order.size, dtype=bool)
        new[1:] = np.any([key[order][1:] != key[order][:-1] for key in keys], axis=0)
        counts = np.add.reduceat(self.counts[order], np.flatnonzero(new))
        return self.keep(order[new]).recount(counts)


def collapse(ratings: Ratings, criterion: Any = None, *, named: bool = True) -> Patterns:
    """Collapse the ratings on one criterion to patterns, in the engine that holds them.

    Unless judges are `named`, a column may be "the n-th rating of the item" instead of a judge,
    which keeps the patterns narrow where many judges rate a few items each.
    """
    chosen = ratings.one_criterion(criterion)
    named = named or _certainly_few(ratings, chosen)
    if named and has_too_many_patterns(ratings, chosen):
        n_judges = len(ratings.judges)
        raise InvalidArgument("stats.too-many-patterns", n_judges=n_judges, most=MOST_PATTERNS)
    if (chosen, named) not in ratings.cache:
        ratings.cache[chosen, named] = _collapse(ratings, chosen, named)
    patterns: Patterns = ratings.cache[chosen, named]
    return patterns


def has_too_many_patterns(ratings: Ratings, criterion: Any = None) -> bool:
    """Say whether the judges' patterns are too many to be brought to Python."""
    chosen = ratings.one_criterion(criterion)
    if not ratings.large or _certainly_few(ratings, chosen) or (chosen, True) in ratings.cache:
        return False
    if (chosen, "too many") not in ratings.cache:
        frame, judges = criterion_frame(ratings, chosen)
        patterns = _few_patterns(frame, judges, ratings.scales[chosen])
        ratings.cache[chosen, "too many"] = patterns is None
        if patterns is not None:
            ratings.cache[chosen, True] = patterns
    return bool(ratings.cache[chosen, "too many"])


def criterion_frame(ratings: Ratings, criterion: Any) -> tuple[Frame, list[Any]]:
    """Return the ratings on a criterion that are not missing, and the judges who gave them."""
    frame = ratings.frame.filter(~nw.col("rating").is_null())
    if criterion is not None:
        frame = frame.filter(nw.col("criterion") == criterion)
    refuse_repeats(ratings, lambda column: column_values(frame, column))
    return with_clusters(ratings, frame), list(column_values(frame, "judge"))


def with_clusters(ratings: Ratings, frame: Frame) -> Frame:
    """Take the source for the cluster where items share sources and no cluster is said."""
    if "source" not in ratings.columns or "cluster" in ratings.columns:
        return frame
    if "sources shared" not in ratings.cache:
        ratings.cache["sources shared"] = _share_sources(frame)
    if not ratings.cache["sources shared"]:
        return frame
    return frame.with_columns(nw.col("source").alias("cluster"))


def _share_sources(frame: Frame) -> bool:
    """Say whether every item has one source, and several items have the same."""
    wanted = (["item"], ["source"], ["item", "source"])
    n_items, n_sources, n_pairs = (_count_distinct(frame, *names) for names in wanted)
    known = frame.filter(~nw.col("source").is_null())
    return n_items == _count_distinct(known, "item") == n_pairs and 1 < n_sources < n_items


def _count_distinct(frame: Frame, *names: str) -> int:
    return int(fetch(distinct(frame, *names).select(n=nw.len()))["n"][0])


def _certainly_few(ratings: Ratings, criterion: Any) -> bool:
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
    numbered = None if ratings.large else ratings.numbered
    known = None if numbered is None else _from_numbers(numbered, scale)
    if known is not None:
        return known
    frame, judges = criterion_frame(ratings, criterion)
    if not judges:
        nothing: dict[str, Any] = {
            "codes": np.empty((0, 0), np.int32),
            "counts": np.empty(0, np.int64),
        }
        return Patterns(values=scale.categories or (), judges=(), scale=scale, **nothing)
    if ratings.large:
        return _collapse_in_engine(frame, judges, scale, named)
    if scale.categories is None or len(judges) > MOST_PLACES:
        return _from_rows(frame, judges, scale, named)
    patterns = _from_engine(frame, judges, scale)
    assert patterns is not None
    return patterns


def _collapse_in_engine(frame: Frame, judges: list[Any], scale: Scale, named: bool) -> Patterns:
    """Collapse ratings that stay in their engine, or say why that gives no small table."""
    if scale.categories is None:
        raise InvalidArgument("stats.continuous-and-many")
    few = _few_patterns(frame, judges, scale) if named else None
    patterns = few if named else _from_tallies(frame, len(judges), scale)
    assert patterns is not None  # or it would have been too many
    return patterns


def _few_patterns(frame: Frame, judges: list[Any], scale: Scale) -> Patterns | None:
    if len(judges) > MOST_PLACES:
        return None
    return _from_engine(frame, judges, scale, MOST_PATTERNS)


def refuse_repeats(ratings: Ratings, values: Callable[[str], Sequence[Any]]) -> None:
    """Refuse ratings of several occasions or rounds, in which a judge counts twice."""
    for column in ("occasion", "round"):
        if column in ratings.columns and len(several := values(column)) > 1:
            raise InvalidArgument("stats.repeats", column=column, values=several)


def scale_numbers(ratings: npt.NDArray[Any], scale: Scale) -> Floats:
    """Ratings as numbers: words by their place on the scale."""
    if ratings.dtype.kind in "iuf" or scale.categories is None:
        return ratings.astype(float)
    places = dict(zip(scale.categories, scale.positions(Level.INTERVAL), strict=True))
    return np.array([places[rating] for rating in ratings.tolist()], dtype=float)


def _from_matrix(matrix: Matrix, scale: Scale) -> Patterns:
    places, base = len(matrix.judges), len(matrix.values) + 1
    known: dict[str, Any] = {"values": matrix.values, "judges": matrix.judges, "scale": scale}
    if scale.categories is None or base**places >= EXACT:
        codes = matrix.codes
        part = Patterns(codes=codes, counts=np.ones(len(codes), np.int64), **known)
        part = part.keep(part.rated.any(axis=1))
        return _sort_rows(part) if scale.categories is None else _merge_rows(part)
    keys = _row_keys(matrix.codes, base) if matrix.keys is None else matrix.keys
    return _from_keys(keys, matrix.judges, scale)


def _from_keys(keys: Ints, judges: tuple[Any, ...], scale: Scale) -> Patterns:
    """Count items from one number for each, whose digits are its categories + 1."""
    assert scale.categories is not None
    base, places = len(scale.categories) + 1, len(judges)
    distinct, counts = _count_keys(keys, base**places)
    rows = (digits(distinct.astype(float)[:, None], base, [places]) - 1).astype(np.int32)
    part = Patterns(codes=rows, counts=counts, values=scale.categories, judges=judges, scale=scale)
    return part.keep(part.rated.any(axis=1))


def _from_numbers(rows: NumberedRows, scale: Scale) -> Patterns | None:
    """Count patterns of rows whose items and judges are numbers; None where they are too many."""
    judges, categories = rows.judges, scale.categories
    if categories is None or (len(categories) + 1) ** len(judges) >= EXACT:
        return None
    item, judge, rating = rows.item, rows.judge, rows.rating
    missing = np.isnan(rating)
    if missing.any():
        item, judge, rating = (column[~missing] for column in (item, judge, rating))
    if not np.bincount(judge, minlength=len(judges)).all():
        return None  # somebody rated nothing, and has no column
    powers = float(len(categories) + 1) ** np.arange(len(judges))
    keys = np.bincount(item, (_encode(rating, categories) + 1) * powers[judge])
    return _from_keys(keys.astype(np.int64), judges, scale)


def _row_keys(codes: Codes, base: int) -> Ints:
    """One number for each row, whose digits are the row's codes."""
    keys = np.zeros(len(codes), dtype=np.int64)
    for place in range(codes.shape[1]):
        keys += (codes[:, place].astype(np.int64) + 1) * base**place
    return keys


def _count_keys(keys: Ints, most: int) -> tuple[Ints, Ints]:
    """Count equal keys: by place where there are few, else by sorting."""
    if most <= max(1 << 16, keys.size):
        counts = np.bincount(keys, minlength=most)
        distinct = np.flatnonzero(counts)
        return distinct, counts[distinct]
    return np.unique(keys, return_counts=True)


def _from_engine(
    frame: Frame, judges: list[Any], scale: Scale, most: int | None = None
) -> Patterns | None:
    """Count patterns in the engine; None where there are more than `most`."""
    assert scale.categories is not None
    table = count_patterns(frame, judges, scale.categories, most=most)
    if table is None:
        return None
    codes = (table.digits - 1).astype(np.int32)
    clusters = None if table.clusters is None else number_values(table.clusters)[0]
    patterns = Patterns(
        codes=codes,
        counts=table.counts,
        values=scale.categories,
        judges=tuple(judges),
        scale=scale,
        clusters=clusters,
    )
    return patterns.keep(np.lexsort([*codes.T, *([] if clusters is None else [clusters])]))


def few_tallies(ratings: Ratings, criterion: Any) -> Patterns | None:
    """Count the tallies of ratings that stay in their engine; None where they are too many."""
    frame, judges = criterion_frame(ratings, criterion)
    return _from_tallies(frame, len(judges), ratings.scales[criterion], MOST_PATTERNS)


def _from_tallies(
    frame: Frame, n_judges: int, scale: Scale, most: int | None = None
) -> Patterns | None:
    """Count tallies in the engine; a column is then "the n-th rating of the item"."""
    assert scale.categories is not None
    table = count_tallies(frame, scale.categories, n_judges, most=most)
    if table is None:
        return None
    given, times = table.digits.sum(axis=1), table.digits.ravel()
    codes = np.full((len(given), int(given.max())), -1, dtype=np.int32)
    rows, categories = np.divmod(np.arange(times.size), len(scale.categories))
    row = np.repeat(rows, times)
    codes[row, _slots(row)] = np.repeat(categories, times)
    patterns = Patterns(
        codes=codes,
        counts=table.counts,
        values=scale.categories,
        judges=tuple(range(1, codes.shape[1] + 1)),
        scale=scale,
        clusters=None if table.clusters is None else number_values(table.clusters)[0],
    )
    return patterns.without_judges()


def _from_rows(frame: Frame, judges: list[Any], scale: Scale, named: bool) -> Patterns:
    """Bring the ratings themselves: every item its own row, the distinct ratings as values."""
    clustered = "cluster" in frame.collect_schema().names()
    columns = fetch(frame.select(["item", "judge", "rating", *["cluster"] * clustered]))
    item = _number_items(columns["item"])
    place = number_values(columns["judge"])[0] if named else _slots(item)
    judges = judges if named else list(range(1, int(place.max()) + 2))
    values: Any = scale.categories
    if values is None:
        values, code = np.unique(columns["rating"].astype(float), return_inverse=True)
    else:
        code = _encode(columns["rating"], values).astype(np.int64)
    n_items, clusters = int(item.max()) + 1, None
    if clustered:
        own = number_values(columns["cluster"])[0]
        clusters = np.empty(n_items, dtype=np.int64)
        clusters[item] = own
        split = columns["item"][clusters[item] != own].tolist()
        refuse_split_clusters(list(dict.fromkeys(split))[:5])
    known: dict[str, Any] = {
        "counts": np.ones(n_items, dtype=np.int64),
        "values": values,
        "judges": tuple(judges),
        "scale": scale,
        "clusters": clusters,
    }
    if len(judges) > MOST_PLACES and item.size <= FILLED * n_items * len(judges):
        order = np.lexsort([place, item])
        entries = item[order], place[order], code[order].astype(np.int32)
        return WidePatterns.of(entries, **known).sorted()
    codes = np.full((n_items, len(judges)), -1, dtype=np.int32)
    codes[item, place] = code
    patterns = Patterns(codes=codes, **known)
    return _sort_rows(patterns) if scale.categories is None else _merge_rows(patterns)


def _slots(item: Ints) -> Ints:
    """Number the ratings of each item from 0."""
    order = np.argsort(item, kind="stable")
    sizes = np.bincount(item)
    slots = np.empty_like(item)
    slots[order] = np.arange(item.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return slots


def _sort_rows(patterns: Patterns) -> Patterns:
    """Sort the rows, so that a seed gives the same draws whichever way the ratings came."""
    places, base = patterns.codes.shape[1], patterns.n_values + 1
    if base**places >= 2**62:
        return patterns.keep(np.lexsort(patterns.codes.T))
    # one number for each row sorts quicker than its columns in turn
    return patterns.keep(np.argsort(_row_keys(patterns.codes, base)))


def _merge_rows(patterns: Patterns) -> Patterns:
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
    return replace(patterns.keep(order[new]), counts=counts)


def _encode(ratings: npt.NDArray[Any], categories: tuple[Any, ...]) -> Codes:
    if all(is_number(category) for category in categories):
        order = np.argsort(np.asarray(categories, dtype=float))
        ranked = np.asarray(categories, dtype=float)[order]
        return order[np.searchsorted(ranked, ratings.astype(float))].astype(np.int32)
    numbers = {category: number for number, category in enumerate(categories)}
    return np.array([numbers[rating] for rating in ratings.tolist()], dtype=np.int32)


def number_values(column: npt.NDArray[Any]) -> tuple[Ints, tuple[Any, ...]]:
    """Number the distinct values of a column from 0 in their order; and return these."""
    if column.dtype != object:
        values, numbers = np.unique(column, return_inverse=True)
        return numbers.astype(np.int64), tuple(values.tolist())
    entries = column.tolist()
    names = _sorted(list(set(entries)))
    places = dict(zip(names, range(len(names)), strict=True))
    return np.fromiter(map(places.__getitem__, entries), np.int64, len(entries)), tuple(names)


def _number_items(column: npt.NDArray[Any]) -> Ints:
    """Number the distinct values of a column from 0, in any order."""
    if column.dtype != object:
        return number_values(column)[0]
    names = column.tolist()
    numbers = dict(zip(dict.fromkeys(names), range(len(names)), strict=False))
    return np.fromiter(map(numbers.__getitem__, names), np.int64, len(names))


def _sorted(values: list[Any]) -> list[Any]:
    return sorted(values, key=lambda value: (isinstance(value, str), value))
