"""An items × judges matrix turned into category numbers, and the scale that nobody declared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument, RatingsError, listed
from covary.scales import Category, Level, ObservedScale, Scale, is_number

__all__ = ["Matrix", "as_matrix", "encode", "guess_level", "observed_scale"]

Codes = npt.NDArray[np.int32]
Values = npt.NDArray[Any]

MOST_CATEGORIES = 64
"""More distinct numbers than this are treated as a continuum."""


@dataclass(frozen=True)
class Matrix:
    """One row per item and one column per judge: category numbers, -1 where there is no rating."""

    codes: Codes
    values: tuple[Category, ...] | npt.NDArray[np.float64]
    judges: tuple[Any, ...]


def as_matrix(matrix: object) -> Values:
    """Check the shape of an items × judges matrix and give numbers as floats, text as objects."""
    array = np.asarray(_rows(matrix) if isinstance(matrix, Sequence) else matrix)
    if array.ndim != 2 or 0 in array.shape:
        raise InvalidArgument(
            f"Ratings.from_wide needs one row per item and one column per judge, got an array of "
            f"shape {array.shape}"
        )
    if array.dtype.kind in "iufb":
        return array.astype(float) if array.dtype.kind != "i" else array
    flat = [_clean(value) for value in array.ravel().tolist()]
    if all(value is None or is_number(value) for value in flat):
        numbers = [np.nan if value is None else float(value) for value in flat]
        return np.array(numbers).reshape(array.shape)
    cleaned = np.empty(len(flat), dtype=object)
    cleaned[:] = flat
    return cleaned.reshape(array.shape)


def encode(values: Values, scale: Scale | None, level: Level | None) -> tuple[Codes, Any, Scale]:
    """Number the categories of a matrix: codes, what they stand for, and the scale."""
    if values.dtype == object:
        return _encode_text(values, scale, level)
    present = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(values.shape, dtype=bool)
    found, ranks = _distinct(values, present)
    if scale is None:
        scale = observed_scale(_few(found), level)
    if scale.categories is None:
        _refuse_outside(found[(found < scale.low) | (found > scale.high)].tolist(), values, scale)
        kept = found
        if ranks is not None:
            return _filled(present, ranks), kept, scale
    else:
        _refuse_outside([v for v in found.tolist() if v not in scale.categories], values, scale)
        kept = np.array(scale.categories, dtype=float)
    return _look_up(values, present, kept), _named(kept, scale), scale


def observed_scale(found: Sequence[Any], level: Level | None) -> ObservedScale:
    """Make a scale from the ratings that were seen, because nobody declared one."""
    measured = guess_level(found) if level is None else level
    numeric = all(is_number(value) for value in found)
    low, high = (float(min(found)), float(max(found))) if numeric and found else (np.nan, np.nan)
    if numeric and len(found) > MOST_CATEGORIES:
        return ObservedScale(measured, None, low, high, guessed=level is None)
    if not numeric and measured >= Level.INTERVAL:
        raise InvalidArgument(
            f"level='{measured}' needs numbers, and the ratings hold {listed(found)}"
        )
    tidy = tuple(_whole(value) for value in found) if numeric else tuple(str(v) for v in found)
    return ObservedScale(measured, tidy, low, high, guessed=level is None)


def guess_level(found: Sequence[Any]) -> Level:
    """Guess a level: words are nominal, a few whole numbers ordinal, other numbers interval."""
    if not all(is_number(value) for value in found):
        return Level.NOMINAL
    few_and_whole = len(found) <= 11 and all(float(value).is_integer() for value in found)
    return Level.ORDINAL if few_and_whole else Level.INTERVAL


def _rows(matrix: Sequence[Any]) -> Values:
    if not all(
        isinstance(row, Sequence | np.ndarray) and not isinstance(row, str) for row in matrix
    ):
        raise InvalidArgument("a matrix is a list of rows, each a list with one value per judge")
    rows = [list(row) for row in matrix]
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        raise InvalidArgument(
            f"the rows have different lengths ({listed(sorted(lengths))}); give one value for each "
            "judge in every row, with None where a judge did not rate the item"
        )
    array = np.empty((len(rows), lengths.pop() if lengths else 0), dtype=object)
    for index, row in enumerate(rows):
        array[index] = row
    return array


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, bool | Decimal):
        value = float(value)
    return None if _is_missing(value) else value


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA is neither equal to itself nor not
        return True


def _whole(value: Any) -> Category:
    return int(value) if float(value).is_integer() else float(value)


def _distinct(
    values: Values, present: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64] | None]:
    """The distinct ratings in order; unless they are small whole numbers, also each one's place."""
    flat = values[present]
    if not flat.size:
        return np.empty(0), None
    if not np.isfinite(flat).all():
        raise RatingsError("the ratings hold an infinite number; remove it or mark it as missing")
    low, high = flat.min(), flat.max()
    if high - low < 4096 and max(abs(low), abs(high)) < 2**53:
        whole = flat.astype(np.int64)
        if values.dtype.kind == "i" or (whole == flat).all():
            used = np.flatnonzero(np.bincount(whole - int(low)))
            return used.astype(float) + float(low), None
    return _sorted(flat)


def _sorted(flat: Values) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Sort once for both: the distinct ratings, and which of them each rating is."""
    order = np.argsort(flat)
    ordered = flat[order].astype(float)
    new = np.ones(ordered.size, dtype=bool)
    new[1:] = ordered[1:] != ordered[:-1]
    places = np.empty(ordered.size, dtype=np.int64)
    places[order] = np.cumsum(new) - 1
    return ordered[new], places


def _filled(present: npt.NDArray[np.bool_], places: npt.NDArray[np.int64]) -> Codes:
    codes = np.full(present.shape, -1, dtype=np.int32)
    codes[present] = places
    return codes


def _look_up(
    values: Values, present: npt.NDArray[np.bool_], kept: npt.NDArray[np.float64]
) -> Codes:
    codes = np.full(values.shape, -1, dtype=np.int32)
    if kept.size and np.array_equal(kept, kept[0] + np.arange(kept.size)):
        np.subtract(values, kept[0], out=codes, where=present, casting="unsafe")
    elif kept.size:
        order = np.argsort(kept)
        codes[present] = order[np.searchsorted(kept[order], values[present])]
    return codes


def _few(found: npt.NDArray[np.float64]) -> list[Any]:
    """The distinct ratings, or as many points between their ends when they form a continuum."""
    if found.size <= MOST_CATEGORIES:
        return list(found.tolist())
    return list(np.linspace(found[0], found[-1], MOST_CATEGORIES + 1))


def _named(kept: npt.NDArray[np.float64], scale: Scale) -> Any:
    return kept if scale.categories is None else scale.categories


def _encode_text(
    values: Values, scale: Scale | None, level: Level | None
) -> tuple[Codes, Any, Scale]:
    mixed = {value for value in values.ravel().tolist() if value is not None}
    if scale is None:
        if not all(isinstance(value, str) for value in mixed):
            raise InvalidArgument(
                f"the matrix mixes numbers and words ({listed(sorted(mixed, key=str), 5)}); make "
                "it all numbers, with None where there is no rating, or all words"
            )
        scale = observed_scale(sorted(mixed, key=str), level)
    if scale.categories is None:
        raise RatingsError(
            f"the ratings hold {listed(sorted(map(str, mixed)))}, which are not numbers"
        )
    numbers: dict[Any, int] = {c: i for i, c in enumerate(scale.categories)}
    numbers |= {str(c): i for c, i in numbers.items()} | {None: -1}
    _refuse_outside([v for v in sorted(mixed, key=str) if v not in numbers], values, scale)
    flat = [numbers.get(value, numbers.get(str(value), -1)) for value in values.ravel().tolist()]
    return np.array(flat, dtype=np.int32).reshape(values.shape), scale.categories, scale


def _refuse_outside(outside: list[Any], values: Values, scale: Scale) -> None:
    if outside:
        rows = np.flatnonzero(np.isin(values, np.array(outside, dtype=values.dtype)).any(axis=1))
        raise RatingsError(
            f"{listed(outside, 5)} cannot be given on this scale ({scale.describe()}); found in "
            f"item rows {listed((rows + 1).tolist(), 5)}. Correct them, mark them as missing "
            "(None), or declare the scale that was used"
        )
