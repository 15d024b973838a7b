"""What is checked when a frame becomes ratings; each refusal names rows and the way out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import narwhals as nw
import numpy as np

from covary.errors import InvalidArgument, RatingsError, listed, meant
from covary.ratings.digits import case
from covary.ratings.encode import MOST_CATEGORIES, observed_scale
from covary.ratings.frames import Frame, column_values, distinct, fetch, with_rows
from covary.scales import Level, Scale, is_number

__all__ = [
    "IDENTITY",
    "Fault",
    "Scales",
    "check_columns",
    "check_filled",
    "find_duplicates",
    "scales_of",
]

IDENTITY = ("criterion", "item", "judge", "occasion", "round")
"""The columns that together say which rating a row is."""

MANY_ROWS = 1_000_000
"""From here on it pays to look for duplicates item by item before looking at every rating."""

MOST_BITS, MOST_KINDS = 52, 1_000_000
"""So many judges have a bit each in an exact sum; so many different sums are brought."""

Scales = dict[Any, Scale]


@dataclass(frozen=True)
class Fault:
    """Rows that cannot be used as they are: what is wrong, how many, and which (the first few)."""

    kind: Literal["duplicate", "off-scale"]
    criterion: Any
    count: int
    rows: str
    message: str


OffScale = tuple[Fault, nw.Expr]
"""A fault and the condition that its rows meet."""


def check_columns(present: Sequence[str], wanted: Mapping[str, str]) -> None:
    """Refuse column names that the frame does not have, and offer near ones."""
    for role, name in wanted.items():
        if name not in present:
            raise InvalidArgument(
                f"the {role} column {name!r} is not in the data, which has {listed(present)}"
                f"{meant(name, present) or '.'} Say which column holds the {role}: {role}='…'"
            )
    taken: dict[str, str] = {}
    for role, name in wanted.items():
        if name in taken:
            raise InvalidArgument(f"column {name!r} is given twice, as {taken[name]} and as {role}")
        taken[name] = role


def check_filled(frame: Frame, n_rows: int) -> None:
    """Refuse ratings without rows, and rows that do not say which item, judge, … they are of."""
    if not n_rows:
        raise RatingsError("there are no ratings: the data have a header but no rows")
    present = frame.collect_schema().names()
    needed = [name for name in (*IDENTITY, "cluster") if name in present]
    nameless = nw.any_horizontal(*(nw.col(name).is_null() for name in needed), ignore_nulls=True)
    shown = _examples(frame, nameless)
    if shown:
        blank = [name for name in needed if _examples(frame, nw.col(name).is_null(), 1)]
        raise RatingsError(
            f"some rows do not say which {' or which '.join(blank)}: {shown}. "
            "Fill them in, or remove the rows"
        )


def find_duplicates(frame: Frame, n_rows: int) -> Fault | None:
    """Find two ratings by one judge of one item on one criterion on one occasion."""
    keys = [name for name in IDENTITY if name in frame.collect_schema().names()]
    if n_rows > MANY_ROWS and _all_distinct(frame, keys):
        return None
    repeated = frame.group_by(keys).agg(times=nw.len()).filter(nw.col("times") > 1)
    found = fetch(repeated.head(5))
    if not len(found["times"]):
        return None
    extra = fetch(repeated.select(n=(nw.col("times") - 1).sum()))["n"][0]
    shown = "; ".join(sorted(_repeated_row(found, keys, i) for i in range(len(found["times"]))))
    return Fault(
        "duplicate", None, int(extra), shown,
        f"a judge rated the same item more than once: {shown}. If these are repeated measurements, "
        "say repeats='occasions' (test and retest) or name the occasion column; if one item name "
        "stands for several texts, make it unique; else remove one",
    )  # fmt: skip


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


def scales_of(
    frame: Frame, declared: Scales, levels: Mapping[Any, Level | None]
) -> tuple[Scales, list[OffScale]]:
    """Return each criterion's scale, declared or observed, and the ratings that are not on it."""
    names = frame.collect_schema().names()
    by = ["criterion"] if "criterion" in names else []
    summary = _by_criterion(frame, by)
    unknown = [name for name in declared if name not in summary and name is not None]
    if unknown:
        raise InvalidArgument(
            f"scale= names the criterion {listed(unknown)}, but the ratings have "
            f"{listed(summary) if by else 'no criterion column'}"
        )
    scales: Scales = {}
    off: list[OffScale] = []
    for criterion, kinds in summary.items():
        scale = declared.get(criterion, declared.get(None))
        if scale is None:
            scales[criterion] = _observed(frame, criterion, kinds, levels)
        else:
            scales[criterion] = scale
            off += _off_scale(frame, criterion, scale)
    return scales, off


def _by_criterion(frame: Frame, by: list[str]) -> dict[Any, int]:
    """How many distinct ratings each criterion has; 0 where all of them are missing."""
    ratings = frame.filter(~nw.col("rating").is_null())
    if not by:  # n_unique of no rows is NULL in DuckDB
        return {None: int(fetch(distinct(ratings, "rating").select(n=nw.len()))["n"][0])}
    found = fetch(ratings.group_by(by).agg(n=nw.col("rating").n_unique()))
    kinds = dict(zip(found["criterion"].tolist(), found["n"].tolist(), strict=True))
    return {c: int(kinds.get(c, 0)) for c in column_values(frame, "criterion")}


def _observed(
    frame: Frame, criterion: Any, kinds: int, levels: Mapping[Any, Level | None]
) -> Scale:
    own = _own(criterion)
    if frame.collect_schema()["rating"].is_float():
        _refuse_infinite(frame, own)
    found = _found(frame.filter(own), kinds)
    return observed_scale(found, levels.get(criterion, levels.get(None)))


def _own(criterion: Any) -> nw.Expr:
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
    raise RatingsError(
        f"the scale{_about(criterion)} ({scale.describe()}) and the ratings do not match: one "
        "has numbers and the other words. Convert the ratings or declare the scale in their terms"
    )


def _off_scale(frame: Frame, criterion: Any, scale: Scale) -> list[OffScale]:
    outside = _own(criterion) & _outside(frame, criterion, scale)
    count = _count(frame, outside)
    if not count:
        return []
    shown = _examples(frame, outside)
    message = (
        f"some ratings are not possible on the scale{_about(criterion)} ({scale.describe()}): "
        f"{shown}. Correct them, mark them as missing, or declare the scale that was used"
    )
    return [(Fault("off-scale", criterion, count, shown, message), outside)]


def _about(criterion: Any) -> str:
    return "" if criterion is None else f" for {criterion!r}"


def _found(ratings: Frame, kinds: int) -> list[Any]:
    """Return the distinct ratings, or only their ends when they form a continuum."""
    rating = nw.col("rating")
    if kinds > MOST_CATEGORIES and ratings.collect_schema()["rating"].is_numeric():
        ends = fetch(ratings.select(low=rating.min(), high=rating.max()))
        return list(np.linspace(ends["low"][0], ends["high"][0], MOST_CATEGORIES + 1))
    return sorted(fetch(distinct(ratings, "rating"))["rating"].tolist())


def _refuse_infinite(frame: Frame, own: nw.Expr) -> None:
    shown = _examples(frame, own & ~nw.col("rating").is_finite())
    if shown:
        raise RatingsError(
            f"some ratings are infinite: {shown}. Correct them or mark them as missing"
        )


def _repeated_row(found: Mapping[str, Any], keys: Sequence[str], i: int) -> str:
    names = ", ".join(f"{name} {_plain(found[name][i])!r}" for name in keys)
    return f"{names} ({found['times'][i]} times)"


def _count(frame: Frame, condition: nw.Expr) -> int:
    return int(fetch(frame.filter(condition).select(n=nw.len()))["n"][0])


def _examples(frame: Frame, condition: nw.Expr, limit: int = 5) -> str:
    """Describe the first rows that meet a condition, and say how many there are; '' for none."""
    count = _count(frame, condition)
    if not count:
        return ""
    rows = fetch(with_rows(frame).filter(condition).head(limit))
    shown = [name for name in ("item", "judge", "rating") if name in rows]
    described = [
        (f"row {rows['row'][i]}: " if "row" in rows else "")
        + ", ".join(f"{name} {_plain(rows[name][i])!r}" for name in shown)
        for i in range(len(rows["rating"]))
    ]
    more = f" and {count - limit} more" if count > limit else ""
    return "; ".join(described) + more


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
