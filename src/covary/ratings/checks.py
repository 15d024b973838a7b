"""What is checked when a frame becomes ratings; each refusal names rows and the way out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from covary.errors import InvalidArgument, RatingsError
from covary.ratings import expressions as nw
from covary.ratings.frames import Frame, column_values, distinct, fetch, with_rows
from covary.ratings.matrix import MOST_CATEGORIES, observed_scale
from covary.ratings.numbered import NumberedRows
from covary.ratings.pattern_counts import case
from covary.records import dataclass
from covary.scales import Level, Scale, is_number
from covary.words import describe_records

IDENTITY = ("criterion", "item", "judge", "occasion", "round")
"""The columns that together say which rating a row is."""

MANY_ROWS = 1_000_000
"""From here on it pays to look for duplicates item by item before looking at every rating."""

MOST_HASHED = 5_000_000
"""Up to so many rows have a number each in memory, to be sorted."""

MOST_BITS, MOST_KINDS = 52, 1_000_000
"""So many judges have a bit each in an exact sum; so many different sums are brought."""

Scales = dict[Any, Scale]


Row = dict[str, Any]
"""What is said of a row in a message: where it stands, and its cells by their columns."""


@dataclass(frozen=True, kw_only=True)
class RatingsFault:
    """Rows that cannot be used as they are: what is wrong, how many, and which (the first few)."""

    kind: Literal["duplicate", "off-scale"]
    criterion: Any = None
    count: int
    examples: tuple[Row, ...]
    all: bool = False
    """Whether no rating on the criterion is left without them."""
    scale: str = ""
    finer: str = ""
    """A scale between the same ends on which all ratings would be possible: one with finer steps,
    or a line."""

    @property
    def error(self) -> RatingsError:
        """The refusal of these rows."""
        kind = "none-on-scale" if self.all else self.kind
        return RatingsError(
            "ratings.between-points" if self.finer else f"ratings.{kind}",
            rows=self.examples,
            count=self.count,
            all=self.all,
            criterion=self.criterion,
            scale=self.scale,
            finer=self.finer,
        )

    @property
    def message(self) -> str:
        """What is wrong, and the way out."""
        return str(self.error)

    @property
    def rows(self) -> str:
        """The first of the rows, and how many more there are."""
        return describe_records(self.examples, self.count if self.kind == "off-scale" else 0)

    def anonymous(self, names: Mapping[Any, str]) -> RatingsFault:
        """The same with other names of judges."""
        rows = [
            {name: names.get(cell, cell) if name == "judge" else cell for name, cell in row.items()}
            for row in self.examples
        ]
        return replace(self, examples=tuple(rows))


OffScale = tuple[RatingsFault, nw.Expr]
"""A fault and the condition that its rows meet."""


def check_columns(present: Sequence[str], wanted: Mapping[str, str]) -> None:
    """Refuse column names that the frame does not have, and offer near ones."""
    for role, name in wanted.items():
        if name not in present:
            raise InvalidArgument("ratings.no-column", argument=role, value=name, allowed=present)
    taken: dict[str, str] = {}
    for role, name in wanted.items():
        if name in taken:
            raise InvalidArgument(
                "ratings.column-twice", argument=role, value=name, first=taken[name]
            )
        taken[name] = role


def check_filled(frame: Frame, n_rows: int) -> None:
    """Refuse ratings without rows, and rows that do not say which item, judge, … they are of."""
    if not n_rows:
        raise RatingsError("ratings.empty")
    present = frame.collect_schema().names()
    needed = [name for name in (*IDENTITY, "cluster") if name in present]
    nameless = nw.any_horizontal(*(nw.col(name).is_null() for name in needed), ignore_nulls=True)
    count = _count(frame, nameless)
    if count:
        blank = [name for name in needed if _count(frame, nw.col(name).is_null())]
        rows = _examples(frame, nameless)
        raise RatingsError("ratings.unnamed-rows", rows=rows, count=count, columns=blank)


def find_duplicates(
    frame: Frame, n_rows: int, numbered: NumberedRows | None = None
) -> RatingsFault | None:
    """Find two ratings by one judge of one item on one criterion on one occasion."""
    if numbered is not None and numbered.all_distinct:
        return None
    keys = [name for name in IDENTITY if name in frame.collect_schema().names()]
    if n_rows <= MOST_HASHED and _distinct_hashes(frame, keys):
        return None
    if n_rows > MANY_ROWS and _all_distinct(frame, keys):
        return None
    repeated = frame.group_by(keys).agg(times=nw.len()).filter(nw.col("times") > 1)
    counts = fetch(repeated.sort(*keys).head(5))
    if not len(counts["times"]):
        return None
    extra = fetch(repeated.select(n=(nw.col("times") - 1).sum()))["n"][0]
    rows = sorted(_rows(counts, (*keys, "times")), key=lambda row: describe_records([row]))
    return RatingsFault(kind="duplicate", count=int(extra), examples=tuple(rows))


def _distinct_hashes(frame: Frame, keys: Sequence[str]) -> bool:
    """Show by one whole number for each rating that no two are alike; False where it does not."""
    if not frame.implementation.is_duckdb():
        return False
    types = frame.select(*keys).collect_schema().dtypes()
    if any(type_.is_float() for type_ in types):  # 0 and -0 are alike
        return False
    named = ", ".join(f'"{key}"' for key in keys)
    hashes = frame.to_native().project(f"hash({named}) as number").fetchnumpy()["number"]
    hashes.sort()
    return not bool((hashes[1:] == hashes[:-1]).any())


def _all_distinct(frame: Frame, keys: Sequence[str]) -> bool:
    """Show by one sum for each item that no judge rated it twice; False where it takes more.

    Each judge adds a power of two of their own. If no judge adds it twice, the sum has as many
    binary ones as the item has ratings; otherwise it has fewer.
    """
    judges = column_values(frame, "judge")
    if len(judges) > MOST_BITS:
        return False
    bit = case("judge", judges, [float(2**place) for place in range(len(judges))])
    by_item = frame.with_columns(bits=bit).group_by([name for name in keys if name != "judge"])
    sums = by_item.agg(nw.col("bits").sum(), times=nw.len())
    kinds = fetch(distinct(sums, "bits", "times").head(MOST_KINDS))
    if len(kinds["bits"]) == MOST_KINDS:
        return False
    pairs = zip(kinds["bits"].tolist(), kinds["times"].tolist(), strict=True)
    return all(int(bits).bit_count() == times for bits, times in pairs)


def resolve_scales(
    frame: Frame,
    declared: Scales,
    levels: Mapping[Any, Level | None],
    numbered: NumberedRows | None = None,
) -> tuple[Scales, list[OffScale]]:
    """Return each criterion's scale, declared or observed, and the ratings that are not on it."""
    names = frame.collect_schema().names()
    by = ["criterion"] if "criterion" in names else []
    summary = _by_criterion(frame, by) if numbered is None else {None: numbered.kinds.size}
    unknown = [name for name in declared if name not in summary and name is not None]
    if unknown:
        known = summary if by else ()
        raise InvalidArgument("ratings.foreign-criterion", value=unknown, allowed=known)
    scales: Scales = {}
    off: list[OffScale] = []
    for criterion, kinds in summary.items():
        scale = declared.get(criterion, declared.get(None))
        if scale is None:
            scales[criterion] = _observed(frame, criterion, kinds, levels)
        else:
            scales[criterion] = scale
            if numbered is not None and numbered.all_on(scale):
                continue
            off += _off_scale(frame, criterion, scale) if kinds else []
    return scales, off


def _by_criterion(frame: Frame, by: list[str]) -> dict[Any, int]:
    """How many distinct ratings each criterion has; 0 where all of them are missing."""
    if not by:  # n_unique of no rows is NULL in DuckDB
        return {None: int(fetch(distinct(frame, "rating").select(n=nw.len()))["n"][0])}
    ratings = frame.filter(~nw.col("rating").is_null())
    counts = fetch(ratings.group_by(by).agg(n=nw.col("rating").n_unique()))
    kinds = dict(zip(counts["criterion"].tolist(), counts["n"].tolist(), strict=True))
    return {c: int(kinds.get(c, 0)) for c in column_values(frame, "criterion")}


def _observed(
    frame: Frame, criterion: Any, kinds: int, levels: Mapping[Any, Level | None]
) -> Scale:
    own = _on_criterion(criterion)
    if frame.collect_schema()["rating"].is_float():
        _refuse_infinite(frame, own)
    counts = _distinct_ratings(frame.filter(own), kinds)
    return observed_scale(counts, levels.get(criterion, levels.get(None)))


def _on_criterion(criterion: Any) -> nw.Expr:
    """The ratings on a criterion that are not missing."""
    rated = ~nw.col("rating").is_null()
    return rated if criterion is None else rated & (nw.col("criterion") == criterion)


def _outside(frame: Frame, criterion: Any, scale: Scale) -> nw.Expr:
    """The ratings that are not possible on a scale; refuse words against numbers."""
    numeric, rating = frame.collect_schema()["rating"].is_numeric(), nw.col("rating")
    if numeric and scale.categories is None:
        return (rating < scale.low) | (rating > scale.high)
    if numeric and scale.categories and all(is_number(c) for c in scale.categories):
        places = [float(c) for c in scale.categories]  # Polars compares floats with floats only
        return ~rating.cast(nw.Float64).is_in(places)
    if not numeric and scale.categories and not any(is_number(c) for c in scale.categories):
        return ~rating.is_in(list(scale.categories))
    words = fetch(distinct(frame.filter(_on_criterion(criterion)), "rating"))["rating"].tolist()
    kind = "numbers" if numeric else "text" if all(map(_reads_as_number, words)) else "words"
    facts = {"criterion": criterion, "scale": scale.describe(), "words": sorted(words)}
    raise RatingsError(f"ratings.scale-mismatch-{kind}", **facts)


def _reads_as_number(word: Any) -> bool:
    try:
        float(word)
    except (TypeError, ValueError):
        return False
    return True


def _off_scale(frame: Frame, criterion: Any, scale: Scale) -> list[OffScale]:
    own = _on_criterion(criterion)
    outside = own & _outside(frame, criterion, scale)
    count = _count(frame, outside)
    if not count:
        return []
    fault = RatingsFault(
        kind="off-scale",
        criterion=criterion,
        count=count,
        examples=_examples(frame, outside),
        all=count == _count(frame, own),
        scale=scale.describe(),
        finer=_finer_scale(frame.filter(own), scale),
    )
    return [(fault, outside)]


STEPS = (2, 4)
"""Halves and quarters of a point, in which judges think; what is finer is a line."""


def _finer_scale(ratings: Frame, scale: Scale) -> str:
    """Return a scale between the same ends that holds all ratings, if any: finer, or a line."""
    numbers = [float(point) for point in scale.categories or () if is_number(point)]
    if not numbers or len(numbers) < len(scale.categories or ()):
        return ""
    low, high = min(numbers), max(numbers)
    for parts in STEPS:
        points = [low + step / parts for step in range(int((high - low) * parts) + 1)]
        if len(points) <= MOST_CATEGORIES and not _count(ratings, _off_step(low, high, parts)):
            return ",".join(f"{point:g}" for point in points)
    rating = nw.col("rating").cast(nw.Float64)
    return "" if _count(ratings, (rating < low) | (rating > high)) else f"{low:.1f}-{high:.1f}"


def _off_step(low: float, high: float, parts: int) -> nw.Expr:
    rating = nw.col("rating").cast(nw.Float64)
    steps = (rating - low) * parts
    return (rating < low) | (rating > high) | ((steps - steps.round()).abs() > 1e-9)


def _distinct_ratings(ratings: Frame, kinds: int) -> list[Any]:
    """Return the distinct ratings, or only their ends when they form a continuum."""
    rating = nw.col("rating")
    if kinds > MOST_CATEGORIES and ratings.collect_schema()["rating"].is_numeric():
        ends = fetch(ratings.select(low=rating.min(), high=rating.max()))
        return list(np.linspace(ends["low"][0], ends["high"][0], MOST_CATEGORIES + 1))
    return sorted(fetch(distinct(ratings, "rating"))["rating"].tolist())


LARGEST = 1e100
"""A rating beyond this has a square that no floating-point number can hold twice over."""


def _refuse_infinite(frame: Frame, own: nw.Expr) -> None:
    infinite = own & (~nw.col("rating").is_finite() | (nw.col("rating").abs() > LARGEST))
    count = _count(frame, infinite)
    if count:
        raise RatingsError("ratings.infinite", rows=_examples(frame, infinite), count=count)


def _count(frame: Frame, condition: nw.Expr) -> int:
    """Count the rows that meet a condition, without making a table of them."""
    met = fetch(frame.select(n=condition.cast(nw.Int64).sum()))["n"].tolist()[0]
    return int(met or 0)  # a sum over nothing is NULL in DuckDB


def _examples(frame: Frame, condition: nw.Expr) -> tuple[Row, ...]:
    """Return the first five rows that meet a condition."""
    return _rows(
        fetch(with_rows(frame).filter(condition).head(5)), ("row", "item", "judge", "rating")
    )


def _rows(columns: Mapping[str, Any], names: Sequence[str]) -> tuple[Row, ...]:
    """Turn columns into rows of plain values."""
    known = {name: columns[name].tolist() for name in names if name in columns}
    return tuple(
        dict(zip(known, cells, strict=True)) for cells in zip(*known.values(), strict=True)
    )
