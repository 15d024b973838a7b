"""What is checked when a frame becomes ratings; each refusal names rows and the way out."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np

from covary.errors import InvalidArgument, RatingsError, listed
from covary.ratings.encode import MOST_CATEGORIES, observed_scale
from covary.ratings.frames import Frame, column_values, fetch, with_rows
from covary.scales import Level, Scale, is_number

__all__ = ["IDENTITY", "Scales", "check_columns", "check_duplicates", "check_filled", "scales_of"]

IDENTITY = ("criterion", "item", "judge", "occasion", "round")
"""The columns that together say which rating a row is."""

Scales = dict[Any, Scale]


def check_columns(present: Sequence[str], wanted: Mapping[str, str]) -> None:
    """Refuse column names that the frame does not have, and offer near ones."""
    for role, name in wanted.items():
        if name not in present:
            near = difflib.get_close_matches(name, present, 1, 0.6)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise InvalidArgument(
                f"the {role} column {name!r} is not in the data, which has {listed(present)}{hint} "
                f"Say which column holds the {role}: {role}='…'"
            )
    taken: dict[str, str] = {}
    for role, name in wanted.items():
        if name in taken:
            raise InvalidArgument(f"column {name!r} is given twice, as {taken[name]} and as {role}")
        taken[name] = role


def check_filled(frame: Frame, n_rows: int) -> None:
    """Refuse ratings without rows, and rows that do not say which item, judge or criterion."""
    if not n_rows:
        raise RatingsError("there are no ratings: the data have a header but no rows")
    present = frame.collect_schema().names()
    needed = [name for name in ("item", "judge", "criterion") if name in present]
    nameless = nw.any_horizontal(*(nw.col(name).is_null() for name in needed), ignore_nulls=True)
    shown = _examples(frame, nameless)
    if shown:
        raise RatingsError(
            f"some rows do not say which {' or which '.join(needed)}: {shown}. "
            "Fill them in, or remove the rows"
        )


def check_duplicates(frame: Frame) -> None:
    """Refuse two ratings by one judge of one item on one criterion on one occasion."""
    keys = [name for name in IDENTITY if name in frame.collect_schema().names()]
    repeated = fetch(frame.group_by(keys).agg(times=nw.len()).filter(nw.col("times") > 1).head(5))
    if len(repeated["times"]):
        rows = [
            ", ".join(f"{name} {_plain(repeated[name][i])!r}" for name in keys)
            + f" ({repeated['times'][i]} times)"
            for i in range(len(repeated["times"]))
        ]
        raise RatingsError(
            f"a judge rated the same item more than once: {'; '.join(sorted(rows))}. If these are "
            "repeated measurements, say repeats='occasions' (test and retest) or name the occasion "
            "column; if one item name stands for several texts, make it unique; else remove one"
        )


def scales_of(frame: Frame, declared: Scales, levels: Mapping[Any, Level | None]) -> Scales:
    """Return each criterion's scale, declared or observed; refuse ratings that are not on it."""
    names = frame.collect_schema().names()
    by = ["criterion"] if "criterion" in names else []
    summary = _by_criterion(frame, by)
    unknown = [name for name in declared if name not in summary and name is not None]
    if unknown:
        raise InvalidArgument(
            f"scale= names the criterion {listed(unknown)}, but the ratings have "
            f"{listed(summary) if by else 'no criterion column'}"
        )
    return {
        criterion: _scale(frame, criterion, distinct, declared, levels)
        for criterion, distinct in summary.items()
    }


def _by_criterion(frame: Frame, by: list[str]) -> dict[Any, int]:
    """How many distinct ratings each criterion has; 0 where all of them are missing."""
    ratings = frame.filter(~nw.col("rating").is_null())
    if not by:
        kinds = ratings.select("rating").unique()  # n_unique of no rows is NULL in DuckDB
        return {None: int(fetch(kinds.select(n=nw.len()))["n"][0])}
    found = fetch(ratings.group_by(by).agg(n=nw.col("rating").n_unique()))
    distinct = dict(zip(found["criterion"].tolist(), found["n"].tolist(), strict=True))
    return {c: int(distinct.get(c, 0)) for c in column_values(frame, "criterion")}


def _scale(
    frame: Frame,
    criterion: Any,
    distinct: int,
    declared: Scales,
    levels: Mapping[Any, Level | None],
) -> Scale:
    own = ~nw.col("rating").is_null()
    if criterion is not None:
        own = own & (nw.col("criterion") == criterion)
    scale = declared.get(criterion, declared.get(None))
    if scale is None:
        if frame.collect_schema()["rating"].is_float():
            _refuse_infinite(frame, own)
        found = _found(frame.filter(own), distinct)
        return observed_scale(found, levels.get(criterion, levels.get(None)))
    numeric = frame.collect_schema()["rating"].is_numeric()
    if scale.categories is None:
        outside = (
            (nw.col("rating") < scale.low) | (nw.col("rating") > scale.high) if numeric else None
        )
    elif numeric and all(is_number(c) for c in scale.categories):
        places = [float(c) for c in scale.categories]  # Polars compares floats with floats only
        outside = ~nw.col("rating").cast(nw.Float64).is_in(places)
    elif not numeric and not any(is_number(c) for c in scale.categories):
        outside = ~nw.col("rating").is_in(list(scale.categories))
    else:
        outside = None
    _refuse_outside(frame, None if outside is None else own & outside, criterion, scale)
    return scale


def _found(ratings: Frame, distinct: int) -> list[Any]:
    """Return the distinct ratings, or only their ends when they form a continuum."""
    rating = nw.col("rating")
    if distinct > MOST_CATEGORIES and ratings.collect_schema()["rating"].is_numeric():
        ends = fetch(ratings.select(low=rating.min(), high=rating.max()))
        return list(np.linspace(ends["low"][0], ends["high"][0], MOST_CATEGORIES + 1))
    return sorted(fetch(ratings.select("rating").unique())["rating"].tolist())


def _refuse_infinite(frame: Frame, own: nw.Expr) -> None:
    shown = _examples(frame, own & ~nw.col("rating").is_finite())
    if shown:
        raise RatingsError(f"some ratings are infinite: {shown}. Correct them or mark them as missing")


def _refuse_outside(frame: Frame, outside: nw.Expr | None, criterion: Any, scale: Scale) -> None:
    about = "" if criterion is None else f" for {criterion!r}"
    if outside is None:
        raise RatingsError(
            f"the scale{about} ({scale.describe()}) and the ratings do not go together: one has "
            "numbers and the other words. Convert the ratings or declare the scale in their terms"
        )
    shown = _examples(frame, outside)
    if shown:
        raise RatingsError(
            f"some ratings are not possible on the scale{about} ({scale.describe()}): {shown}. "
            "Correct them, mark them as missing, or declare the scale that was used"
        )


def _examples(frame: Frame, condition: nw.Expr, limit: int = 5) -> str:
    """Describe the first rows that meet a condition, and say how many there are; '' for none."""
    count = int(fetch(frame.filter(condition).select(n=nw.len()))["n"][0])
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
