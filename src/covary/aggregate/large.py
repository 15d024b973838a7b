"""Votes that are too many to be brought: counted by kind, combined, and given back to each item.

What a method makes of an item depends on its votes alone, so that items whose votes are alike (a
*kind*) get the same rating. The engine counts the items of each kind, the method combines the few
kinds, each as often as it occurs, and the engine joins what came out to all items.

A method that only counts votes needs to know how often an item got each category; a model of judges
needs to know who gave which. On a line the engine itself takes the mean or the median.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from covary.aggregate.method import check_choice
from covary.aggregate.result import Aggregated, Combination, describe
from covary.aggregate.votes import Floats, Ints, Occasions, Votes, vote_rows
from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.ratings import expressions as nw
from covary.ratings.engine_tables import table_beside
from covary.ratings.frames import Columns, Frame, column_values, fetch, stacked
from covary.ratings.pattern_counts import chunks, digits, pattern_keys

MOST_KINDS = 100_000
"""So many kinds of votes are brought at most."""

MOST_FOLLOWED = 64
"""So many judges a model can follow by kinds."""

MODELS = ("dawid-skene", "one-coin", "mace", "glad")
"""The methods that ask who gave which vote."""

NAMED_KEY = "key {}"


@dataclass(frozen=True, kw_only=True, eq=False)
class LargeAggregated(Combination):
    """Combined ratings of more items than fit into memory: they stay in their engine.

    `frame` has a row for each item (item, rating, certainty, votes, tie, the share of votes and,
    from a model, the probability of each category) as a lazy frame of Narwhals;
    `frame.to_native()` is the engine's own. `given` says how many items got each category, and
    `n_kinds` how many kinds of votes there are: items of one kind have the same votes.
    """

    n_items: int
    n_kinds: int
    n_ties: int
    n_abstained: int
    all_votes: int
    given: Mapping[Any, int]
    expected_errors: float
    frame: Frame = field(repr=False)

    def ratings_of(self, items: Collection[Any]) -> dict[Any, Any]:
        """The ratings of some items, as far as they have one."""
        wanted = self.frame.filter(nw.col("item").is_in(list(items)))
        columns = fetch(wanted.select("item", "rating"))
        names = {str(category): category for category in self.categories}
        pairs = zip(columns["item"].tolist(), columns["rating"].tolist(), strict=True)
        return {item: names.get(_text(rating), rating) for item, rating in pairs if _known(rating)}

    def __str__(self) -> str:
        return describe(self)


Method = Callable[..., Aggregated]


def stays(ratings: Ratings, method: str) -> bool:
    """Say whether the combined ratings stay in the engine."""
    if not ratings.large or (method in MODELS and ratings.slots):
        return False
    return method in MODELS or ratings.n_items > ratings.room


def combine_large(
    ratings: Ratings, method: str, combined_by: Method, options: Mapping[str, Any]
) -> LargeAggregated:
    """Combine the votes of each kind once, and let the engine give each item what came out."""
    criterion = ratings.one_criterion(options.get("criterion"))
    occasions: Occasions = options.get("occasions", "refuse")
    check_choice("occasions", occasions, ("refuse", "votes"))
    if options.get("ties") == "random":
        raise InvalidArgument("aggregate.large-random", argument="ties", value="random")
    if method in MODELS:
        kinds = _patterns(ratings, criterion, occasions)
    elif ratings.scales[criterion].categories is None:
        kinds = _numbers_of_votes(ratings, criterion, occasions)
    else:
        kinds = _tallies(ratings, criterion, occasions)
    votes = kinds.votes(ratings, criterion)
    made = combined_by(_holding(ratings, votes, occasions), **options)
    if kinds.values is None:
        return _joined(made, kinds, votes)
    return _summary(made, votes, _on_the_line(kinds.items, method))


@dataclass(frozen=True, kw_only=True)
class Kinds:
    """The kinds of votes: their keys, how many items are of each, and who gave which vote.

    `items` has a row for each item with its keys. `entries` are the kind, judge (-1 where nobody
    follows judges), category and number of each vote. On a line the kinds only say how many votes
    items have, and `values` holds a number to stand for all.
    """

    items: Frame
    keys: Columns
    alike: Ints
    judges: tuple[Any, ...]
    entries: tuple[Ints, Ints, Ints, Ints]
    n_unrated: int
    values: Floats | None = None

    def votes(self, ratings: Ratings, criterion: Any) -> Votes:
        """The votes of each kind, once."""
        scale = ratings.scales[criterion]
        item, judge, code, times = self.entries
        return Votes(
            items=tuple(range(self.alike.size)),
            judges=self.judges,
            item=item,
            judge=judge,
            code=code,
            values=tuple(scale.categories or ()) if self.values is None else self.values,
            scale=scale,
            criterion=criterion,
            slots=ratings.slots,
            n_unrated=self.n_unrated,
            times=None if self.judges else times,
            alike=self.alike,
        )


def _tallies(ratings: Ratings, criterion: Any, occasions: Occasions) -> Kinds:
    """Count the items by how often they got each category."""
    categories = tuple(ratings.scales[criterion].categories or ())
    given = [(nw.col("rating") == value).cast(nw.Int64).fill_null(0) for value in categories]
    items, keys, alike, unrated = _counted(vote_rows(ratings, criterion, occasions), given)
    counts = np.column_stack(list(keys.values()))
    row, code = np.nonzero(counts)
    return Kinds(
        items=items,
        keys=keys,
        alike=alike,
        judges=(),
        entries=(row, np.full(row.size, -1), code, counts[row, code].astype(np.int64)),
        n_unrated=unrated,
    )


def _numbers_of_votes(ratings: Ratings, criterion: Any, occasions: Occasions) -> Kinds:
    """Count the items by how many votes on a line they have."""
    frame = vote_rows(ratings, criterion, occasions)
    known = (~nw.col("rating").is_null()).cast(nw.Int64)
    _, keys, alike, unrated = _counted(frame, [known])
    (number,) = keys.values()
    row = np.arange(number.size)
    return Kinds(
        items=frame.filter(~nw.col("rating").is_null()).select("item", "rating"),
        keys=keys,
        alike=alike,
        judges=(),
        entries=(row, np.full(row.size, -1), np.zeros(row.size, np.int64), number.astype(np.int64)),
        n_unrated=unrated,
        values=np.zeros(1),
    )


def _on_the_line(votes: Frame, method: str) -> Frame:
    """The mean of each item's votes with its standard error, or their median."""
    rating = nw.col("rating").cast(nw.Float64)
    numbers = votes.with_columns(rating=rating)
    middle = nw.col("rating").mean() if method == "mean" else nw.col("rating").median()
    spread = {"deviation": nw.col("rating").std()} if method == "mean" else {}
    own = {"votes": nw.len(), **spread}
    items = numbers.group_by("item").agg(middle, **own)
    frame = items.with_columns(certainty=nw.lit(None).cast(nw.Float64), tie=nw.lit(value=False))
    names = ["item", "rating", "certainty", "votes", "tie"]
    if method == "mean":
        error = nw.col("deviation") / nw.col("votes").cast(nw.Float64).sqrt()
        return frame.with_columns(standard_error=error).select(*names, "standard_error")
    return frame.select(*names)


def _patterns(ratings: Ratings, criterion: Any, occasions: Occasions) -> Kinds:
    """Count the items by which judge gave which category."""
    repeated = [name for name in ("occasion", "round") if name in ratings.columns]
    if occasions == "votes" and any(len(ratings.values(name)) > 1 for name in repeated):
        raise InvalidArgument("aggregate.large-occasions", argument="occasions", value=occasions)
    frame = vote_rows(ratings, criterion, occasions)
    judges = column_values(frame.filter(~nw.col("rating").is_null()), "judge")
    if len(judges) > MOST_FOLLOWED:
        raise _too_many_kinds()
    categories = tuple(ratings.scales[criterion].categories or ())
    base = len(categories) + 1
    items, keys, alike, unrated = _counted(frame, pattern_keys(judges, categories))
    packed = np.column_stack(list(keys.values()))
    codes = digits(packed, base, chunks(len(judges), base))
    row, judge = np.nonzero(codes)
    return Kinds(
        items=items,
        keys=keys,
        alike=alike,
        judges=judges,
        entries=(row, judge, codes[row, judge] - 1, np.ones(row.size, np.int64)),
        n_unrated=unrated,
    )


def _counted(frame: Frame, parts: Sequence[nw.Expr]) -> tuple[Frame, Columns, Ints, int]:
    """Sum each item's votes to keys and count the items by key, in the order of the keys.

    Items whose keys are all 0 have no vote; they are only counted.
    """
    names = [NAMED_KEY.format(number) for number in range(len(parts))]
    summed = frame.select("item", **dict(zip(names, parts, strict=True)))
    items = summed.group_by("item").agg(*(nw.col(name).sum() for name in names))
    columns = fetch(items.group_by(names).agg(n=nw.len()).head(MOST_KINDS + 2))
    if len(columns["n"]) > MOST_KINDS + 1:
        raise _too_many_kinds()
    keys = np.column_stack([columns[name] for name in names])
    rated = np.asarray(keys.any(axis=1), dtype=bool)
    order = np.lexsort(keys.T)
    order = order[rated[order]]
    alike = columns["n"].astype(np.int64)
    held = {name: columns[name][order] for name in names}
    return items, held, alike[order], int(alike[~rated].sum())


def _too_many_kinds() -> InvalidArgument:
    return InvalidArgument("aggregate.too-many-kinds", most=MOST_KINDS)


def _holding(ratings: Ratings, votes: Votes, occasions: Occasions) -> Ratings:
    """Ratings whose votes have been read already, so that a method takes them as they are."""
    copy = ratings.with_notes()
    names = ("votes", "tallied votes")
    copy.cache = {(name, votes.criterion, occasions): votes for name in names}
    copy.__dict__["large"] = False
    return copy


def _joined(made: Aggregated, kinds: Kinds, votes: Votes) -> LargeAggregated:
    """Give each item what was made of its kind."""
    table: Columns = dict(kinds.keys)
    for name, column in made.to_columns().items():
        if name != "item":
            table[name] = _plain_column(column)
    names = list(kinds.keys)
    joined = kinds.items.join(table_beside(kinds.items, table), on=names, how="inner")
    frame = joined.select("item", *(name for name in table if name not in names))
    return _summary(made, votes, frame)


def _summary(made: Aggregated, votes: Votes, frame: Frame) -> LargeAggregated:
    """Say of all items what was made of their kinds."""
    rated = np.array([rating is not None for rating in made.ratings])
    given = {
        category: int(votes.weights[[rating == category for rating in made.ratings]].sum())
        for category in made.categories
    }
    fields = {name: getattr(made, name) for name in Combination.__dataclass_fields__}
    return LargeAggregated(
        **fields,
        n_items=votes.n_items,
        n_kinds=votes.weights.size,
        n_ties=int(votes.weights[made.tied].sum()),
        n_abstained=int(votes.weights[~rated].sum()),
        all_votes=int(votes.weights @ votes.n_votes),
        given=given,
        expected_errors=_expected_errors(made, votes.weights * rated),
        frame=frame,
    )


def _expected_errors(made: Aggregated, weights: Ints) -> float:
    if made.probabilities is None or not weights.any():
        return float("nan")
    sure: Floats = np.nan_to_num(made.certainty)
    return float(1 - sure @ weights / weights.sum())


def _plain_column(column: Any) -> Any:
    """A column that an engine takes: numbers, yes and no, or text, each with its gaps."""
    if isinstance(column, np.ndarray) and column.dtype != object:
        return column
    values = list(column)
    present = {type(value) for value in values if value is not None}
    if present <= {int, float} and present:
        return np.array([np.nan if value is None else value for value in values], dtype=float)
    array = np.empty(len(values), dtype=object)
    array[:] = [None if value is None else str(value) for value in values]
    return array


def _known(rating: Any) -> bool:
    return rating is not None and rating == rating


def _text(rating: Any) -> str:
    whole = isinstance(rating, float) and rating.is_integer()
    return str(int(rating)) if whole else str(rating)


def named_items(ratings: Ratings, names: Collection[str]) -> list[Any]:
    """The items with such names, as the ratings hold them."""
    text = nw.col("item").cast(nw.String)
    rows = ratings.frame.filter(text.is_in(list(names)))
    return list(column_values(rows, "item"))


def large_table(results: Sequence[LargeAggregated]) -> Frame:
    """Put the tables of all criteria under each other, in the order of the items' names."""
    frames = [_with_criterion(result) for result in results]
    names = list(dict.fromkeys(n for f in frames for n in f.collect_schema().names()))
    filled = []
    for frame in frames:
        known = frame.collect_schema().names()
        missing = {name: nw.lit(None).cast(nw.Float64) for name in names if name not in known}
        wider = frame.with_columns(**missing) if missing else frame
        filled.append(wider.select(*names))
    first = [name for name in ("criterion", "item") if name in names]
    return stacked(filled).sort(*first)


def _with_criterion(result: LargeAggregated) -> Frame:
    frame = result.frame
    floats = {n for n, kind in frame.collect_schema().items() if str(kind) == "Float64"}
    for name in sorted(floats):
        number = nw.col(name)
        frame = frame.with_columns(nw.when(~number.is_nan()).then(number).alias(name))
    if "rating" in floats and all(isinstance(category, int) for category in result.categories):
        frame = frame.with_columns(nw.col("rating").cast(nw.Int64))
    if result.criterion is None:
        return frame
    names = frame.collect_schema().names()
    return frame.with_columns(nw.lit(str(result.criterion)).alias("criterion")).select(
        "criterion", *names
    )
