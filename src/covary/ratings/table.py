"""`Ratings`: one row per rating, whatever engine holds it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Literal, Self

import narwhals as nw
import numpy as np

from covary.errors import InvalidArgument, listed, meant
from covary.ratings.checks import (
    Fault,
    Scales,
    check_columns,
    check_filled,
)
from covary.ratings.encode import Matrix, as_matrix, encode
from covary.ratings.frames import Frame, as_frame, column_values, distinct, fetch
from covary.ratings.room import LOOKED_AT, MOST_BROUGHT, bytes_of, room_within
from covary.ratings.shaping import (
    COLUMNS,
    LevelLike,
    ScaleLike,
    checked,
    expanded,
    in_steps,
    levels_given,
    numbered,
    refuse_mixed,
    renamed,
    scale_with,
    scales_given,
)
from covary.scales import Level, Scale, as_level

__all__ = ["COLUMNS", "Ratings"]


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
    criterion, system, source, group, occasion, round, manual, cluster, order, seconds
        The names of further columns; a column of just that name is found by itself.
    scale
        A `Scale`, its short form (`"1-5"`), or one of these for each criterion. Without it the
        categories are only those that were seen, and coefficients that depend on the number of
        possible categories refuse.
    level
        The level of measurement, for a scale in its short form or where none is given; guessed,
        and said so, when both are left out.
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
        manual: str | None = None,
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
                 "round": round, "manual": manual, "cluster": cluster, "order": order,
                 "seconds": seconds}  # fmt: skip
        slots = judges == "slots"
        refuse_mixed(frame, rating)
        table = renamed(as_frame(frame), named, slots)
        if slots and judge is None:
            table = numbered(table, "judge", without=("judge",))
        if repeats == "occasions":
            table = numbered(table, "occasion", without=("occasion",))
        n_rows = int(fetch(table.select(n=nw.len()))["n"][0])
        check_filled(table, n_rows)
        levels = levels_given(level)
        table, scales, faults = checked(table, n_rows, scales_given(scale, levels), levels, faulty)
        self._matrix: Matrix | None = None
        self.slots = slots
        self.scales: Scales = scales
        self.faults: tuple[Fault, ...] = faults
        self.notes: tuple[str, ...] = ()
        self.room = MOST_BROUGHT
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
        measured = None if level is None else as_level(level)
        declared = None if scale is None else scale_with(scale, measured)
        codes, kept, used = encode(values, declared, measured)
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
        long = expanded(fetch(table), tuple(judges), count, kept)
        return cls(long, scale=scale, level=level, judges="slots" if slots else "named")

    @classmethod
    def _from_parts(cls, held: Matrix | Frame, scales: Scales, slots: bool) -> Self:
        """Make ratings from parts that were checked already."""
        made = cls.__new__(cls)
        made._matrix = held if isinstance(held, Matrix) else None
        made.slots, made.scales, made.cache = slots, scales, {}
        made.faults, made.notes, made.room = (), (), MOST_BROUGHT
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
        return int(fetch(distinct(self._rated(), "item").select(n=nw.len()))["n"][0])

    @property
    def n_judges(self) -> int:
        """How many judges there are."""
        return len(self.judges)

    @cached_property
    def large(self) -> bool:
        """Whether the ratings stay in their engine because there are more than may be brought."""
        return self._matrix is None and self.n_ratings > self.room

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
                f"{meant(criterion, self.criteria)}"
            )
        return criterion

    def values(self, column: str) -> tuple[Any, ...]:
        """Return the distinct values of a column, sorted."""
        if column not in self.columns:
            raise InvalidArgument(
                f"the ratings have no {column!r}, only {listed(self.columns)}"
                f"{meant(column, self.columns)}"
            )
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

    def first_items(self, count: int) -> Ratings:
        """Return all ratings of the first items in the order of their names.

        Examples
        --------
        >>> table = {"item": ["b", "b", "a", "a"], "judge": [1, 2, 1, 2], "rating": [1, 2, 2, 2]}
        >>> Ratings(table).first_items(1).values("item")
        ('a',)
        """
        items = distinct(self._rated(), "item").sort("item").head(count)
        last = fetch(items.select(nw.col("item").max()))["item"].tolist()[0]
        return self._part(self.frame.filter(nw.col("item") <= last), self.scales)

    def looked_at(self) -> Ratings:
        """Return the ratings that can be looked at one by one: all, or those of the first items.

        Where not all of them may be brought, a note says so.
        """
        if not self.large:
            return self
        count = max(1, LOOKED_AT * self.n_items // self.n_ratings)
        return self.first_items(count).with_notes(
            f"The {self.n_ratings:,} ratings stay where they are. What needs them one by one is "
            f"about those of the first {count:,} items in the order of their names."
        )

    def in_steps(self, steps: int) -> Ratings:
        """Return the ratings with those on a line put into steps of equal width: 1, 2, …

        An approximation, for so many ratings on a continuous scale that they are not brought into
        memory: in steps they have patterns that can be counted.

        Examples
        --------
        >>> ratings = Ratings.from_wide([[0.0, 49.9], [51.0, 100.0]], scale="0-100")
        >>> ratings.in_steps(4).values("rating")
        (1.0, 2.0, 3.0, 4.0)
        """
        frame, scales = in_steps(self.frame, self.scales, steps)
        return self._part(frame, scales).with_notes(
            f"Ratings on a continuous scale were put into {steps} steps of equal width, so that "
            "numbers about them are approximate."
        )

    def within(self, memory: str) -> Ratings:
        """Return the same ratings, of which only so many are brought as fit, such as in 16GB."""
        made = self._alike()
        made.cache, made.room = self.cache, room_within(bytes_of(memory))
        made.__dict__.pop("large", None)
        return made

    def as_slots(self) -> Ratings:
        """Return the same ratings without regard to who gave them."""
        made = self._alike()
        made.slots = True
        return made

    def about(self, criterion: Any, collapsed: Any) -> Ratings:
        """Return ratings on one criterion whose patterns are known already, such as one batch."""
        made = self._alike()
        made.scales = {criterion: self.scales[criterion]}
        made.cache = {(criterion, True): collapsed, (criterion, False): collapsed}
        return made

    def with_notes(self, *sentences: str) -> Ratings:
        """Return the same ratings with more notes on how they came to be."""
        made = self._alike()
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

    def _alike(self) -> Ratings:
        """Return the same ratings, with what is known of them."""
        made = self._part(self._matrix or self.frame, self.scales)
        known = ("judges", "n_ratings", "n_items", "columns", "large")
        made.__dict__ |= {name: self.__dict__[name] for name in known if name in self.__dict__}
        return made

    def _part(self, held: Matrix | Frame, scales: Scales) -> Ratings:
        made = Ratings._from_parts(held, scales, self.slots)
        made.faults, made.notes, made.room = self.faults, self.notes, self.room
        return made


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
