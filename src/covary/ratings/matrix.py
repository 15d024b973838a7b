"""An items × judges matrix turned into category numbers, and the scale that nobody declared.

Numbers pass through in blocks that stay in the processor's cache. Whole numbers on a scale become
one number for each row at once; ratings on a line stay as they came until their order is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument, RatingsError
from covary.scales import Category, Level, ObservedScale, Scale, is_number

Codes = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Keys = npt.NDArray[np.int64]
Values = npt.NDArray[Any]

MOST_CATEGORIES = 64
"""More distinct numbers than this are treated as a continuum."""

EXACT = 2**53
"""Whole numbers up to here are exact in floating-point sums."""

BLOCK = 1 << 15
"""So many numbers are looked at at once, which fit in the processor's cache."""

SAMPLE = 4096
"""If so many numbers hold more than `MOST_CATEGORIES`, all of them do."""


class Matrix:
    """One row per item and one column per judge: category numbers, -1 where there is no rating.

    `line` holds ratings on a line as they came, NaN where there is none, and their places are found
    when they are asked for; `ends` are the lowest and the highest, and `without_gaps` says that no
    rating is missing, where that is known. `keys` holds one number for each row, whose digits in
    base `len(values) + 1` are the row's category numbers + 1.
    """

    def __init__(
        self,
        judges: tuple[Any, ...],
        *,
        values: tuple[Category, ...] | Floats | None = None,
        codes: Codes | None = None,
        line: Floats | None = None,
        keys: Keys | None = None,
        ends: tuple[float, float] | None = None,
        without_gaps: bool = False,
    ) -> None:
        self.judges, self.line, self.keys, self.ends = judges, line, keys, ends
        self.without_gaps = without_gaps
        if codes is not None:
            self.codes = codes
        if values is not None:
            self.values = values

    def renamed(self, names: Mapping[Any, str]) -> Matrix:
        """The same ratings by judges of other names."""
        other = copy(self)
        other.judges = tuple(names[judge] for judge in self.judges)
        return other

    @cached_property
    def codes(self) -> Codes:
        """The category numbers, or the places of ratings on a line among the distinct ones."""
        if self.keys is not None:
            return _digits(self.keys, len(self.values) + 1, len(self.judges))
        return self._places[0]

    @cached_property
    def values(self) -> tuple[Category, ...] | Floats:
        """What the numbers stand for."""
        return self._places[1]

    @cached_property
    def _places(self) -> tuple[Codes, Floats]:
        assert self.line is not None
        return place_numbers(self.line)

    def columns(self, judges: Sequence[Any]) -> Matrix:
        """Keep some of the judges."""
        places = [self.judges.index(judge) for judge in judges]
        if self.line is not None:
            return Matrix(tuple(judges), line=self.line[:, places])
        return Matrix(tuple(judges), values=self.values, codes=self.codes[:, places])


def place_numbers(line: Floats) -> tuple[Codes, Floats]:
    """The place of each number among the distinct ones (-1 where there is none), and these."""
    present = ~np.isnan(line)
    values_seen, places = _sorted(line[present])
    return _filled(present, places), values_seen


def _digits(keys: Keys, base: int, places: int) -> Codes:
    codes = np.empty((keys.size, places), dtype=np.int32)
    rest = keys
    for place in range(places):
        rest, digit = np.divmod(rest, base)
        codes[:, place] = digit - 1
    return codes


def as_matrix(matrix: object) -> Values:
    """Check the shape of an items × judges matrix and give numbers as floats, text as objects."""
    array = np.asarray(_rows(matrix) if isinstance(matrix, Sequence) else matrix)
    if array.ndim != 2 or 0 in array.shape:
        raise InvalidArgument("ratings.matrix-shape", shape=array.shape)
    if array.dtype.kind in "iufb":
        return array if array.dtype.kind == "i" else np.asarray(array, dtype=float)
    flat = [_clean(value) for value in array.ravel().tolist()]
    if all(value is None or is_number(value) for value in flat):
        numbers = [np.nan if value is None else float(value) for value in flat]
        return np.array(numbers).reshape(array.shape)
    cleaned = np.empty(len(flat), dtype=object)
    cleaned[:] = flat
    return cleaned.reshape(array.shape)


def encode(
    values: Values, scale: Scale | None, level: Level | None, judges: tuple[Any, ...]
) -> tuple[Matrix, Scale]:
    """Number the categories of a matrix, or keep ratings on a line, and return the scale."""
    quick = None if values.dtype == object else _quick(values, scale, level, judges)
    if quick is not None:
        return quick
    if values.dtype == object:
        codes, kept, scale = _encode_text(values, scale, level)
    else:
        codes, kept, scale = _encode_numbers(values, scale, level)
    return Matrix(judges, values=kept, codes=codes), scale


def _quick(
    values: Values, scale: Scale | None, level: Level | None, judges: tuple[Any, ...]
) -> tuple[Matrix, Scale] | None:
    """Take the ratings in one pass, where nothing speaks against it."""
    if scale is not None and scale.categories is not None:
        keys = _row_keys(values, scale.categories)
        return None if keys is None else (Matrix(judges, values=scale.categories, keys=keys), scale)
    if values.dtype.kind != "f" or not _is_continuous(values):
        return None
    low, high, without_gaps = _ends(values)
    if not (np.isfinite(low) and np.isfinite(high)):
        return None
    ends = low, high
    if scale is None:
        scale = observed_scale(list(np.linspace(*ends, MOST_CATEGORIES + 1)), level)
    elif ends[0] < scale.low or ends[1] > scale.high:
        return None
    line = np.array(values, dtype=float, order="F")
    return Matrix(judges, line=line, ends=ends, without_gaps=without_gaps), scale


def _row_keys(values: Values, categories: tuple[Category, ...]) -> Keys | None:
    """One number for each row of whole numbers on a scale without gaps; None if any is off it."""
    first, base = categories[0], len(categories) + 1
    if not isinstance(first, int) or categories != tuple(range(first, first + base - 1)):
        return None
    if base ** values.shape[1] >= EXACT or abs(first) + base >= EXACT:
        return None
    powers = float(base) ** np.arange(values.shape[1])
    keys, step = np.empty(len(values), dtype=np.int64), max(1, BLOCK // values.shape[1])
    for start in range(0, len(values), step):
        digits = values[start : start + step] - (first - 1.0)
        missing = np.isnan(digits)
        gaps = np.count_nonzero(missing)
        if gaps:
            digits[missing] = 0.0
        if not (digits.min() >= 0 and digits.max() < base):
            return None
        if digits.size - np.count_nonzero(digits) != gaps or (np.floor(digits) != digits).any():
            return None
        keys[start : start + step] = digits @ powers
    return keys


def _is_continuous(values: Values) -> bool:
    """Whether the first ratings alone are more different numbers than there are categories."""
    for most in (MOST_CATEGORIES * 4, SAMPLE):
        some = values[: -(-most // values.shape[1])].ravel()
        some = some[~np.isnan(some)]
        if np.unique(some).size > MOST_CATEGORIES and not (np.floor(some) == some).all():
            return True
    return False


def _ends(values: Values) -> tuple[float, float, bool]:
    """The lowest and the highest number, and whether there is one in every place."""
    low, high, without_gaps = np.inf, -np.inf, True
    step = max(1, BLOCK // values.shape[1])
    for start in range(0, len(values), step):
        block = values[start : start + step]
        if without_gaps:
            without_gaps = not np.isnan(block.min())
        low = min(low, float(np.fmin.reduce(block, axis=None)))
        high = max(high, float(np.fmax.reduce(block, axis=None)))
    return low, high, without_gaps


def _encode_numbers(
    values: Values, scale: Scale | None, level: Level | None
) -> tuple[Codes, Any, Scale]:
    present = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(values.shape, dtype=bool)
    values_seen, ranks = _distinct(values, present)
    if scale is None:
        scale = observed_scale(_few(values_seen), level)
    if scale.categories is None:
        _refuse_outside(
            values_seen[(values_seen < scale.low) | (values_seen > scale.high)].tolist(),
            values,
            scale,
        )
        kept = values_seen
        if ranks is not None:
            return _filled(present, ranks), kept, scale
    else:
        _refuse_outside(
            [v for v in values_seen.tolist() if v not in scale.categories], values, scale
        )
        kept = np.array(scale.categories, dtype=float)
    return _look_up(values, present, kept), _named(kept, scale), scale


def observed_scale(values_seen: Sequence[Any], level: Level | None) -> ObservedScale:
    """Make a scale from the ratings that were seen, because nobody declared one."""
    measured = guess_level(values_seen) if level is None else level
    numeric = all(is_number(value) for value in values_seen)
    low, high = (
        (float(min(values_seen)), float(max(values_seen)))
        if numeric and values_seen
        else (np.nan, np.nan)
    )
    if numeric and len(values_seen) > MOST_CATEGORIES:
        return ObservedScale(measured, None, low, high, guessed=level is None)
    if not numeric and measured >= Level.INTERVAL:
        raise InvalidArgument(
            "ratings.level-needs-numbers", argument="level", value=str(measured), values=values_seen
        )
    tidy = (
        tuple(_whole(value) for value in values_seen)
        if numeric
        else tuple(str(v) for v in values_seen)
    )
    return ObservedScale(measured, tidy, low, high, guessed=level is None)


def guess_level(values_seen: Sequence[Any]) -> Level:
    """Guess a level: words are nominal, a few whole numbers ordinal, other numbers interval."""
    if not all(is_number(value) for value in values_seen):
        return Level.NOMINAL
    few_and_whole = len(values_seen) <= 11 and all(
        float(value).is_integer() for value in values_seen
    )
    return Level.ORDINAL if few_and_whole else Level.INTERVAL


def _rows(matrix: Sequence[Any]) -> Values:
    if not all(
        isinstance(row, Sequence | np.ndarray) and not isinstance(row, str) for row in matrix
    ):
        raise InvalidArgument("ratings.matrix-rows")
    rows = [list(row) for row in matrix]
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        raise InvalidArgument("ratings.matrix-lengths", lengths=sorted(lengths))
    array = np.empty((len(rows), lengths.pop() if lengths else 0), dtype=object)
    for index, row in enumerate(rows):
        array[index] = row
    return array


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, bool) or type(value).__name__ == "Decimal":
        value = float(value)
    return None if _is_missing(value) else value


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA is neither equal to itself nor not
        return True


def _whole(value: Any) -> Category:
    exact = float(value).is_integer() and abs(value) < 2**53  # beyond, a float is no count of ones
    return int(value) if exact else float(value)


def _distinct(
    values: Values, present: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64] | None]:
    """The distinct ratings in order; unless they are small whole numbers, also each one's place."""
    flat = values[present]
    if not flat.size:
        return np.empty(0), None
    if not np.isfinite(flat).all():
        raise RatingsError("ratings.matrix-infinite")
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


def _few(values_seen: npt.NDArray[np.float64]) -> list[Any]:
    """The distinct ratings, or as many points between their ends when they form a continuum."""
    if values_seen.size <= MOST_CATEGORIES:
        return list(values_seen.tolist())
    return list(np.linspace(values_seen[0], values_seen[-1], MOST_CATEGORIES + 1))


def _named(kept: npt.NDArray[np.float64], scale: Scale) -> Any:
    return kept if scale.categories is None else scale.categories


def _encode_text(
    values: Values, scale: Scale | None, level: Level | None
) -> tuple[Codes, Any, Scale]:
    mixed = {value for value in values.ravel().tolist() if value is not None}
    if scale is None:
        if not all(isinstance(value, str) for value in mixed):
            raise InvalidArgument("ratings.matrix-mixed", values=sorted(mixed, key=str))
        scale = observed_scale(sorted(mixed, key=str), level)
    if scale.categories is None:
        raise RatingsError("ratings.not-numbers", values=sorted(map(str, mixed)))
    numbers: dict[Any, int] = {c: i for i, c in enumerate(scale.categories)}
    numbers |= {str(c): i for c, i in numbers.items()} | {None: -1}
    _refuse_outside([v for v in sorted(mixed, key=str) if v not in numbers], values, scale)
    flat = [numbers.get(value, numbers.get(str(value), -1)) for value in values.ravel().tolist()]
    return np.array(flat, dtype=np.int32).reshape(values.shape), scale.categories, scale


def _refuse_outside(outside: list[Any], values: Values, scale: Scale) -> None:
    if outside:
        rows = np.flatnonzero(np.isin(values, np.array(outside, dtype=values.dtype)).any(axis=1))
        raise RatingsError(
            "ratings.matrix-off-scale",
            rows=(rows + 1).tolist(),
            values=outside,
            scale=scale.describe(),
        )
