"""`Ratings`: one row per rating, whatever engine holds it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, Self

import narwhals as nw
import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument, RatingsError, listed
from covary.ratings.checks import (
    IDENTITY,
    Fault,
    Scales,
    check_columns,
    check_filled,
    find_duplicates,
    scales_of,
)
from covary.ratings.encode import Matrix, as_matrix, encode
from covary.ratings.frames import Frame, as_frame, column_values, fetch, with_rows
from covary.scales import Level, Scale, as_level, as_scale

__all__ = ["COLUMNS", "Ratings"]

COLUMNS = (
    "item", "judge", "rating", "criterion", "system", "source", "group",
    "occasion", "round", "cluster", "order", "seconds",
)  # fmt: skip

MIXED = (
    "the rating column mixes kinds of values (numbers and words); make it all numbers, with "
    "nothing where there is no rating, or all words"
)

ScaleLike = Scale | str | Mapping[Any, Scale | str] | None
LevelLike = Level | str | Mapping[Any, Level | str] | None


class Ratings:
    """One row per rating: which item, which judge, which rating, and what else is known.

    Parameters
    ----------
    frame
        Any data frame (Polars, pandas, PyArrow, DuckDB, Spark), taken as it is, or a dict of
        columns.
    item, judge, rating
        The names of the columns that hold them. With `judges="slots"`, `judge` may be None:
        the n-th rating of an item is then slot n.
    criterion, system, source, group, occasion, round, cluster, order, seconds
        The names of further columns; a column of just that name is found by itself.
    scale
        A `Scale`, its short form (`"1-5"`), or one of these for each criterion. Without it the
        categories are only those that were seen, and coefficients that depend on the number of
        possible categories refuse.
    level
        The level of measurement where no scale is given; guessed, and said so, when left out.
    judges
        `"named"`, or `"slots"` when a judge column does not stand for one person throughout.
    repeats
        What two ratings by one judge of one item mean: `"error"`, or `"occasions"` for test and
        retest in the order of the rows.
    faulty
        What to do with ratings off the scale and with duplicates: `"refuse"` them all, or
        `"set-aside"`: the first of duplicates counts, ratings off the scale count as missing, and
        `faults` says which they were.

    Examples
    --------
    >>> ratings = Ratings(
    ...     {
    ...         "qid": ["q1", "q1", "q2", "q2"],
    ...         "who": ["Ann", "Bo", "Ann", "Bo"],
    ...         "score": [4, 5, 1, 2],
    ...     },
    ...     item="qid",
    ...     judge="who",
    ...     rating="score",
    ...     scale="1-5",
    ... )
    >>> ratings
    Ratings(4 ratings of 2 items by 2 judges)
    """

    def __init__(
        self,
        frame: object,
        *,
        item: str = "item",
        judge: str | None = "judge",
        rating: str = "rating",
        criterion: str | None = None,
        system: str | None = None,
        source: str | None = None,
        group: str | None = None,
        occasion: str | None = None,
        round: str | None = None,
        cluster: str | None = None,
        order: str | None = None,
        seconds: str | None = None,
        scale: ScaleLike = None,
        level: LevelLike = None,
        judges: Literal["named", "slots"] = "named",
        repeats: Literal["error", "occasions"] = "error",
        faulty: Literal["refuse", "set-aside"] = "refuse",
    ) -> None:
        _one_of("judges", judges, ("named", "slots"))
        _one_of("faulty", faulty, ("refuse", "set-aside"))
        _one_of("repeats", repeats, ("error", "occasions"))
        named = {"item": item, "judge": judge, "rating": rating, "criterion": criterion,
                 "system": system, "source": source, "group": group, "occasion": occasion,
                 "round": round, "cluster": cluster, "order": order,
                 "seconds": seconds}  # fmt: skip
        slots = judges == "slots"
        _refuse_mixed(frame, rating)
        table = _renamed(as_frame(frame), named, slots)
        if slots and judge is None:
            table = _numbered(table, "judge", without=("judge",))
        if repeats == "occasions":
            table = _numbered(table, "occasion", without=("occasion",))
        check_filled(table, int(fetch(table.select(n=nw.len()))["n"][0]))
        table, scales, faults = _checked(table, _scales(scale), _levels(level), faulty)
        self._matrix: Matrix | None = None
        self.slots = slots
        self.scales: Scales = scales
        self.faults: tuple[Fault, ...] = faults
        self.notes: tuple[str, ...] = ()
        self.cache: dict[Any, Any] = {}
        self.__dict__["frame"] = table

    @classmethod
    def from_wide(
        cls,
        matrix: object,
        *,
        level: Level | str | None = None,
        scale: Scale | str | None = None,
        judges: Sequence[Any] | Literal["slots"] | None = None,
    ) -> Self:
        """Take a matrix with one row per item and one column per judge.

        Parameters
        ----------
        matrix
            A list of lists or an array; None or NaN where a judge did not rate an item.
        level, scale
            As in `Ratings`.
        judges
            Their names, one for each column; `"slots"` when a column is not one person.

        Examples
        --------
        >>> Ratings.from_wide([[1, 2], [3, 3], [None, 2]], level="ordinal", judges=["Ann", "Bo"])
        Ratings(5 ratings of 3 items by 2 judges)
        """
        values = as_matrix(matrix)
        names = _judge_names(judges, values.shape[1])
        declared = as_scale(scale) if isinstance(scale, str) else scale
        codes, kept, used = encode(values, declared, None if level is None else as_level(level))
        return cls._from_parts(Matrix(codes, kept, names), {None: used}, _are_slots(judges))

    @classmethod
    def from_counts(
        cls,
        frame: object,
        *,
        judges: Sequence[str],
        count: str = "items",
        scale: ScaleLike = None,
        level: LevelLike = None,
        slots: bool = False,
        **columns: str,
    ) -> Self:
        """Take a frequency table: one row per pattern of ratings, and how many items show it.

        Parameters
        ----------
        frame
            A data frame or a dict of columns.
        judges
            The columns that hold each judge's rating (empty where there is none).
        count
            The column that says how many items have the pattern.
        scale, level
            As in `Ratings`.
        slots
            True when the columns of ratings are not persons.
        columns
            Further columns by name, such as `criterion="criterion"`, `system="system"`.

        Examples
        --------
        >>> table = {"Ann": [1, 1, 2], "Bo": [1, 2, 2], "items": [10, 3, 7]}
        >>> Ratings.from_counts(table, judges=["Ann", "Bo"], scale="1-2")
        Ratings(40 ratings of 20 items by 2 judges)
        """
        table = as_frame(frame)
        present = table.collect_schema().names()
        kept = {name: name for name in COLUMNS if name in present and name not in judges} | columns
        check_columns(present, {f"judge {name}": name for name in judges} | {"count": count} | kept)
        long = _expanded(fetch(table), tuple(judges), count, kept)
        return cls(long, scale=scale, level=level, judges="slots" if slots else "named")

    @classmethod
    def _from_parts(cls, held: Matrix | Frame, scales: Scales, slots: bool) -> Self:
        """Make ratings from parts that were checked already."""
        made = cls.__new__(cls)
        made._matrix = held if isinstance(held, Matrix) else None
        made.slots, made.scales, made.cache = slots, scales, {}
        made.faults, made.notes = (), ()
        if not isinstance(held, Matrix):
            made.__dict__["frame"] = held
        return made

    @property
    def matrix(self) -> Matrix | None:
        """The items × judges matrix, where the ratings came as one."""
        return self._matrix

    @cached_property
    def frame(self) -> Frame:
        """The long table with covary's column names, in the engine that holds the data."""
        assert self._matrix is not None
        codes, values = self._matrix.codes, self._matrix.values
        item, column = np.nonzero(codes >= 0)
        judges = self._matrix.judges
        whole = all(isinstance(judge, int) for judge in judges)
        names = np.array([judge if whole else str(judge) for judge in judges],
                         dtype=np.int64 if whole else object)  # fmt: skip
        kinds = np.asarray(values, dtype=None if _all_numbers(values) else object)
        return as_frame(
            {"item": item, "judge": names[column], "rating": kinds[codes[item, column]]}
        )

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns that are known."""
        return ("item", "judge", "rating") if self._matrix else self._names()

    @property
    def criteria(self) -> tuple[Any, ...]:
        """The criteria that were judged; `(None,)` when there is only one and it has no name."""
        return tuple(self.scales)

    @cached_property
    def judges(self) -> tuple[Any, ...]:
        """The judges, sorted; the columns in their own order where a matrix was given."""
        return self._matrix.judges if self._matrix else column_values(self.frame, "judge")

    @cached_property
    def n_ratings(self) -> int:
        """How many ratings there are, missing ones not counted."""
        if self._matrix:
            return int((self._matrix.codes >= 0).sum())
        return int(fetch(self._rated().select(n=nw.len()))["n"][0])

    @cached_property
    def n_items(self) -> int:
        """How many items have at least one rating."""
        if self._matrix:
            return int((self._matrix.codes >= 0).any(axis=1).sum())
        return int(fetch(self._rated().select("item").unique().select(n=nw.len()))["n"][0])

    @property
    def n_judges(self) -> int:
        """How many judges there are."""
        return len(self.judges)

    def scale(self, criterion: Any = None) -> Scale:
        """Return the scale of a criterion; of the only one when none is named."""
        return self.scales[self.one_criterion(criterion)]

    def one_criterion(self, criterion: Any = None) -> Any:
        """Return the criterion that is meant, or refuse when that is not clear."""
        if criterion is None and len(self.scales) == 1:
            return next(iter(self.scales))
        if criterion not in self.scales or criterion is None:
            said = "is not among the criteria" if criterion is not None else "must be one of them"
            raise InvalidArgument(
                f"criterion={criterion!r} {said}: the ratings hold {listed(self.criteria)}"
            )
        return criterion

    def values(self, column: str) -> tuple[Any, ...]:
        """Return the distinct values of a column, sorted."""
        if column not in self.columns:
            raise InvalidArgument(f"the ratings have no {column!r}, only {listed(self.columns)}")
        return self.judges if column == "judge" else column_values(self.frame, column)

    def select(self, **wanted: Any) -> Ratings:
        """Keep the ratings whose columns have the wanted values.

        Each argument names a column (criterion, group, judge, system, occasion, round, …) and
        gives one value or a list of values.

        Examples
        --------
        >>> ratings = Ratings.from_wide([[1, 2, 2], [3, 3, 1]], judges=["Ann", "Bo", "Cy"])
        >>> ratings.select(judge=["Ann", "Cy"]).judges
        ('Ann', 'Cy')
        """
        chosen = {name: _as_list(value) for name, value in wanted.items()}
        for name, values in chosen.items():
            unknown = [value for value in values if value not in self.values(name)]
            if unknown:
                raise InvalidArgument(
                    f"no rating has {name}={listed(unknown)}; there are {listed(self.values(name))}"
                )
        if self._matrix and set(chosen) <= {"judge"}:
            return self._columns_of(chosen.get("judge", list(self.judges)))
        kept = self.frame
        for name, values in chosen.items():
            kept = kept.filter(nw.col(name).is_in(values))
        scales = {c: s for c, s in self.scales.items() if c in chosen.get("criterion", self.scales)}
        return self._part(kept, scales)

    def as_slots(self) -> Ratings:
        """Return the same ratings without regard to who gave them."""
        made = self._part(self._matrix or self.frame, self.scales)
        made.slots = True
        return made

    def about(self, criterion: Any, collapsed: Any) -> Ratings:
        """Return ratings on one criterion whose patterns are known already, such as one batch."""
        made = self._part(self._matrix or self.frame, {criterion: self.scales[criterion]})
        made.cache = {(criterion, True): collapsed, (criterion, False): collapsed}
        return made

    def with_notes(self, *sentences: str) -> Ratings:
        """Return the same ratings with more notes on how they came to be."""
        made = self._part(self._matrix or self.frame, self.scales)
        made.notes, made.cache = (*self.notes, *sentences), self.cache
        return made

    def __len__(self) -> int:
        return self.n_ratings

    def __repr__(self) -> str:
        parts = [f"{_counted(self.n_ratings, 'rating')} of {_counted(self.n_items, 'item')}"]
        if not self.slots:
            parts.append(f" by {_counted(self.n_judges, 'judge')}")
        if self.criteria != (None,):
            parts.append(f" on {listed(self.criteria, 6)}")
        return f"Ratings({''.join(parts)})"

    def _names(self) -> tuple[str, ...]:
        return tuple(self.frame.collect_schema().names())

    def _rated(self) -> Frame:
        return self.frame.filter(~nw.col("rating").is_null())

    def _columns_of(self, judges: list[Any]) -> Ratings:
        assert self._matrix is not None
        places = [self._matrix.judges.index(judge) for judge in judges]
        part = Matrix(self._matrix.codes[:, places], self._matrix.values, tuple(judges))
        return self._part(part, self.scales)

    def _part(self, held: Matrix | Frame, scales: Scales) -> Ratings:
        made = Ratings._from_parts(held, scales, self.slots)
        made.faults, made.notes = self.faults, self.notes
        return made


def _checked(
    table: Frame, declared: Scales, levels: dict[Any, Level | None], faulty: str
) -> tuple[Frame, Scales, tuple[Fault, ...]]:
    """Refuse ratings that cannot be used, or set them aside and say which."""
    faults = []
    if duplicate := find_duplicates(table):
        faults.append(_met(duplicate, faulty))
        copies = _numbered(table, "copy", without=("copy",))
        table = copies.filter(nw.col("copy") == 1).select(nw.exclude("copy"))
    scales, off_scale = scales_of(table, declared, levels)
    for fault, outside in off_scale:
        faults.append(_met(fault, faulty))
        table = table.with_columns(rating=nw.when(~outside).then(nw.col("rating")))
    return table, scales, tuple(faults)


def _met(fault: Fault, faulty: str) -> Fault:
    if faulty == "refuse":
        raise RatingsError(fault.message)
    return fault


def _refuse_mixed(frame: object, rating: str) -> None:
    """Refuse a plain list of ratings that holds numbers and words."""
    column = frame.get(rating) if isinstance(frame, Mapping) else None
    if isinstance(column, list | tuple):
        words = {isinstance(value, str) for value in column if value is not None and value == value}
        if len(words) > 1:
            raise InvalidArgument(MIXED)


def _renamed(frame: Frame, named: Mapping[str, str | None], slots: bool) -> Frame:
    """Give the columns covary's names and the rating column one kind of value."""
    present = frame.collect_schema().names()
    used = {role: name for role, name in named.items() if name is not None}
    if not slots and "judge" not in used:
        raise InvalidArgument("judge=None is only possible with judges='slots'")
    check_columns(present, used)
    taken = set(used.values())
    by_itself = (role for role in COLUMNS if role not in used and role != "judge")
    used |= {role: role for role in by_itself if role in present and role not in taken}
    table = frame.select(**{role: nw.col(name) for role, name in used.items()})
    return table.with_columns(rating=_rating(table.collect_schema()["rating"]))


def _rating(dtype: nw.dtypes.DType) -> nw.Expr:
    """Bring ratings to numbers or text, with one kind of missing value."""
    rating = nw.col("rating")
    if dtype.is_float():
        return rating.fill_nan(None)
    if dtype.is_integer():
        return rating
    if dtype == nw.Boolean:
        return rating.cast(nw.Int64)
    if dtype.is_numeric():
        return rating.cast(nw.Float64)
    if dtype == nw.Object:
        raise InvalidArgument(MIXED)
    return rating.cast(nw.String)


def _numbered(frame: Frame, column: str, *, without: tuple[str, ...]) -> Frame:
    """Number the rows that are otherwise the same rating: 1, 2, … in the order of the rows."""
    if frame.implementation.is_pyarrow():  # has no windows, so DuckDB holds the table instead
        frame = as_frame(fetch(frame))
    table = (
        frame.select(nw.exclude(*without)) if column in frame.collect_schema().names() else frame
    )
    rows = with_rows(table)
    keys = [n for n in IDENTITY if n in table.collect_schema().names() and n not in without]
    place = nw.col("row").rank(method="ordinal").over(*keys).cast(nw.Int64)
    return rows.with_columns(place.alias(column)).select(nw.exclude("row"))


def _expanded(
    columns: dict[str, npt.NDArray[Any]], judges: tuple[str, ...], count: str, kept: dict[str, str]
) -> dict[str, npt.NDArray[Any]]:
    """Write a frequency table out as one row per rating."""
    times = _times(columns[count], count)
    pattern = np.repeat(np.arange(times.size), times)
    long: dict[str, list[npt.NDArray[Any]]] = {"item": [], "judge": [], "rating": []}
    long |= {role: [] for role in kept}
    for judge in judges:
        ratings = columns[judge][pattern]
        item = np.flatnonzero(np.array([r is not None and r == r for r in columns[judge]])[pattern])
        long["item"].append(item)
        long["judge"].append(np.full(item.size, judge, dtype=object))
        long["rating"].append(ratings[item])
        for role, name in kept.items():
            long[role].append(columns[name][pattern][item])
    return {name: np.concatenate(parts) for name, parts in long.items()}


def _times(column: npt.NDArray[Any], name: str) -> npt.NDArray[np.int64]:
    """Read how many items show each pattern."""
    numbers = np.array([np.nan if n is None else n for n in column.tolist()], dtype=float)
    if (numbers < 0).any():
        raise InvalidArgument(f"the column {name!r} holds negative numbers of items")
    if not np.array_equal(numbers, np.round(numbers)):
        rows = np.flatnonzero(numbers != np.round(numbers)) + 1
        raise InvalidArgument(
            f"the column {name!r} must hold a whole number of items in every row; look at rows "
            f"{listed(rows.tolist(), 5)}"
        )
    return numbers.astype(np.int64)


def _scales(scale: ScaleLike) -> Scales:
    if scale is None:
        return {}
    given = scale if isinstance(scale, Mapping) else {None: scale}
    return {name: as_scale(s) if isinstance(s, str) else s for name, s in given.items()}


def _levels(level: LevelLike) -> dict[Any, Level | None]:
    if level is None:
        return {}
    given = level if isinstance(level, Mapping) else {None: level}
    return {name: as_level(each) for name, each in given.items()}


def _judge_names(judges: Any, columns: int) -> tuple[Any, ...]:
    numbered = judges is None or _are_slots(judges)
    names = tuple(range(1, columns + 1)) if numbered else tuple(judges)
    if len(names) != columns or len(set(names)) != columns:
        raise InvalidArgument(
            f"judges={list(names)!r} does not name the {columns} columns one by one; the matrix "
            "has one row per item and one column per judge"
        )
    return names


def _are_slots(judges: Any) -> bool:
    return isinstance(judges, str) and judges == "slots"


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]


def _all_numbers(values: Any) -> bool:
    return not any(isinstance(value, str) for value in values)


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _one_of(name: str, given: object, allowed: tuple[str, ...]) -> None:
    if given not in allowed:
        raise InvalidArgument(f"{name}={given!r} is not known; choose one of {listed(allowed)}")
