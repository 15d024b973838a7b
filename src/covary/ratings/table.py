"""`Ratings`: one row per rating, whatever engine holds it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np

from covary.errors import InvalidArgument
from covary.ratings import expressions as nw
from covary.ratings.checks import (
    IDENTITY,
    RatingsFault,
    Scales,
    check_columns,
    check_filled,
)
from covary.ratings.conversion import (
    COLUMNS,
    LevelLike,
    ScaleLike,
    check_ratings,
    expand_counts,
    in_steps,
    join_columns,
    keep_one,
    name_items,
    number_repeats,
    parse_levels,
    parse_scales,
    part_by_system,
    pseudonyms,
    refuse_mixed,
    rename_columns,
    rename_judges,
    scale_at_level,
)
from covary.ratings.frames import (
    ENGINES,
    Frame,
    as_frame,
    column_values,
    distinct,
    fetch,
    held_in_engine,
    html_table,
    make_frame,
    with_quick_names,
)
from covary.ratings.matrix import Matrix, as_matrix, encode
from covary.ratings.memory_limit import LOOKED_AT, MOST_BROUGHT, most_ratings_within, parse_bytes
from covary.ratings.numbered import NumberedRows
from covary.scales import Level, Scale, as_level
from covary.words import Note, counted, quoted_list


class Ratings:
    """One row per rating: which item, which judge, which rating, and what else is known.

    Parameters
    ----------
    frame
        Any data frame (Polars, pandas, PyArrow, DuckDB, Spark), taken as it is, or a dict of
        columns.
    item, judge, rating
        The names of the columns that hold them; `item` may be several columns that name it
        together (`["document", "system"]`). An item that occurs under several systems is split by
        system: it becomes the source, and each system's output of it an item. With
        `judges="slots"`, `judge` may be None: the n-th rating of an item is then slot n.
    criterion, system, source, group, occasion, round, manual, cluster, order, seconds
        The names of further columns; a column of just that name is found by itself. A column
        `text`, what the items say, is kept for `disputed` and reports.
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
        What two ratings by one judge of one item mean: `"error"`; `"occasions"` for test and
        retest in the order of the rows; `"first"` or `"last"` to keep one, as where somebody sent
        a form twice.
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
        item: str | Sequence[str] = "item",
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
        repeats: Literal["error", "occasions", "first", "last"] = "error",
        faulty: Literal["refuse", "set-aside"] = "refuse",
    ) -> None:
        _one_of("judges", judges, ("named", "slots"))
        _one_of("faulty", faulty, ("refuse", "set-aside"))
        _one_of("repeats", repeats, ("error", "occasions", "first", "last"))
        first = (item, judge, rating, criterion, system, source, group)
        further = (occasion, round, manual, cluster, order, seconds)
        named = dict(zip(COLUMNS, first + further, strict=True))
        slots = judges == "slots"
        refuse_mixed(frame, rating)
        table = rename_columns(*join_columns(as_frame(frame), named), slots)
        table, shared = part_by_system(with_quick_names(table, "judge", "criterion"))
        if slots and judge is None:
            table = number_repeats(table, "judge", without=("judge",))
        if repeats == "occasions":
            table = number_repeats(table, "occasion", without=("occasion",))
        n_given = n_rows = int(fetch(table.select(n=nw.len()))["n"][0])
        check_filled(table, n_rows)
        if repeats in ("first", "last"):
            table = keep_one(table, repeats)
            n_rows = int(fetch(table.select(n=nw.len()))["n"][0])
        levels = parse_levels(level)
        checked = check_ratings(table, n_rows, parse_scales(scale, levels), levels, faulty=faulty)
        self._matrix: Matrix | None = None
        self.numbered: NumberedRows | None = checked.numbered
        self.slots = slots
        self.scales: Scales = checked.scales
        self.faults: tuple[RatingsFault, ...] = checked.faults
        again = n_given - n_rows
        self.notes: tuple[str, ...] = (
            *([Note("ratings.parted-by-system", items=shared)] if shared else ()),
            *([Note("ratings.one-kept", count=again, which=repeats)] if again else ()),
        )
        self.room = MOST_BROUGHT
        self.cache: dict[Any, Any] = {}
        self.account: Any = None
        self.measured = False
        self.__dict__["frame"] = checked.table

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
        declared = None if scale is None else scale_at_level(scale, measured)
        held, used = encode(values, declared, measured, names)
        return cls._from_parts(held, {None: used}, _are_slots(judges))

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
        long = expand_counts(fetch(table), tuple(judges), count, kept)
        return cls(long, scale=scale, level=level, judges="slots" if slots else "named")

    @classmethod
    def _from_parts(cls, held: Matrix | Frame, scales: Scales, slots: bool) -> Self:
        """Make ratings from parts that were checked already."""
        ratings = cls.__new__(cls)
        ratings._matrix = held if isinstance(held, Matrix) else None
        ratings.slots, ratings.scales, ratings.cache = slots, scales, {}
        ratings.faults, ratings.notes, ratings.room = (), (), MOST_BROUGHT
        ratings.account = ratings.numbered = None
        ratings.measured = False
        if not isinstance(held, Matrix):
            ratings.__dict__["frame"] = held
        return ratings

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
        names = np.array(judges if whole else [*map(str, judges)], np.int64 if whole else object)
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
        rated = self.frame.select("rating").filter(~nw.col("rating").is_null())
        return int(fetch(rated.select(n=nw.len()))["n"][0])

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
        large = self._matrix is None and self.n_ratings > self.room
        if large:  # what is joined there shall be held by one engine
            self.__dict__["frame"] = held_in_engine(self.frame)
        return large

    def scale(self, criterion: Any = None) -> Scale:
        """Return the scale of a criterion; of the only one when none is named."""
        return self.scales[self.one_criterion(criterion)]

    def one_criterion(self, criterion: Any = None) -> Any:
        """Return the criterion that is meant, or refuse when that is not clear."""
        if criterion is None and len(self.scales) == 1:
            return next(iter(self.scales))
        if criterion not in self.scales or criterion is None:
            raise InvalidArgument(
                "ratings.unknown-criterion",
                argument="criterion",
                value=criterion,
                allowed=self.criteria,
            )
        return criterion

    def values(self, column: str) -> tuple[Any, ...]:
        """Return the distinct values of a column, sorted."""
        if column not in self.columns:
            raise InvalidArgument("ratings.no-such-column", value=column, allowed=self.columns)
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
            self._check_values(name, values)
        if self._matrix and set(chosen) <= {"judge"}:
            return self._columns_of(chosen.get("judge", list(self.judges)))
        kept = self.frame
        for name, values in chosen.items():
            kept = kept.filter(nw.col(name).is_in(values))
        scales = {c: s for c, s in self.scales.items() if c in chosen.get("criterion", self.scales)}
        return self._part(kept, scales)

    def without(self, **unwanted: Any) -> Ratings:
        """Leave out the ratings whose columns have these values: `select` the other way round.

        Examples
        --------
        >>> ratings = Ratings.from_wide([[1, 2, 2], [3, 3, 1]], judges=["Ann", "Bo", "Cy"])
        >>> ratings.without(judge="Bo").judges
        ('Ann', 'Cy')
        """
        kept = self
        for name, value in unwanted.items():
            values = _as_list(value)
            self._check_values(name, values)
            if name == "judge" and not self.slots:
                kept = kept.select(judge=[judge for judge in kept.judges if judge not in values])
                continue
            column = nw.col(name)
            frame = kept.frame.filter(column.is_null() | ~column.is_in(values))
            gone = values if name == "criterion" else []
            kept = kept._part(frame, {c: s for c, s in kept.scales.items() if c not in gone})
        return kept

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

    def first_occasion(self) -> Ratings:
        """Return each judge's first rating of each item; those of later occasions are set aside.

        Agreement between judges asks for one rating each; what a judge says again tells of
        stability. A note says how many were set aside. Ratings of one occasion are returned as
        they are.

        Examples
        --------
        >>> again = {"item": ["a", "a", "b"], "judge": ["Ann"] * 3, "rating": [4, 5, 2]}
        >>> ratings = Ratings({**again, "occasion": ["test", "retest", "retest"]})
        >>> sorted(ratings.first_occasion().frame.collect()["rating"].to_list())
        [2, 4]
        """
        occasions = self.values("occasion") if "occasion" in self.columns else ()
        if len(occasions) < 2:
            return self
        place = nw.lit(len(occasions))
        ordered = sorted(occasions, key=lambda name: _is_retest(name, occasions))
        for number, name in enumerate(ordered):
            place = nw.when(nw.col("occasion") == name).then(nw.lit(number)).otherwise(place)
        keys = [name for name in IDENTITY if name in self.columns and name != "occasion"]
        placed = self._rated().with_columns(place.alias("place"))
        is_first = nw.col("place") == nw.col("place").min().over(*keys)
        columns = [name for name in self._names() if name != "occasion"]
        first = self._part(placed.filter(is_first).select(*columns), self.scales)
        later = self.n_ratings - first.n_ratings
        return first.with_notes(Note("ratings.first-occasion", later=later, occasions=ordered))

    def looked_at(self) -> Ratings:
        """Return the ratings that can be looked at one by one: all, or those of the first items.

        Where not all of them may be brought, a note says so.
        """
        if not self.large:
            return self
        count = max(1, LOOKED_AT * self.n_items // self.n_ratings)
        note = Note("ratings.first-items-only", count=self.n_ratings, items=count)
        return self.first_items(count).with_notes(note)

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
        return self._part(frame, scales).with_notes(Note("ratings.in-steps", steps=steps))

    def within(self, memory: str) -> Ratings:
        """Return the same ratings, of which only so many are brought as fit, such as in 16GB."""
        copy = self._alike()
        copy.cache, copy.room = self.cache, most_ratings_within(parse_bytes(memory))
        copy.__dict__.pop("large", None)
        return copy

    def as_slots(self) -> Ratings:
        """Return the same ratings without regard to who gave them."""
        copy = self._alike()
        copy.slots = True
        return copy

    def anonymous(self, names: Mapping[Any, str] | None = None) -> Ratings:
        """Return the same ratings with judges called J1, J2, … instead of by their names.

        The numbers follow the order of the names. `names` gives other ones, by judge.

        Examples
        --------
        >>> ratings = Ratings.from_wide([[1, 2], [3, 3]], judges=["ann@uni.example", "Bo"])
        >>> ratings.anonymous().judges
        ('J1', 'J2')
        """
        if self.slots:
            return self
        names = names or pseudonyms(self.judges)
        held = self._matrix and self._matrix.renamed(names)
        copy = self._part(held or rename_judges(self.frame, names), self.scales)
        copy.faults = tuple(fault.anonymous(names) for fault in self.faults)
        return copy

    def with_item_columns(self, columns: Mapping[str, Mapping[Any, str]]) -> Ratings:
        """Return the same ratings with columns, such as the system, that are known by item.

        Examples
        --------
        >>> ratings = Ratings.from_wide([[1, 2], [3, 3]])
        >>> ratings.with_item_columns({"system": {0: "A", 1: "B"}}).values("system")
        ('A', 'B')
        """
        return self._part(name_items(self.frame, columns, large=self.large), self.scales)

    def about(self, criterion: Any, collapsed: Any) -> Ratings:
        """Return ratings on one criterion whose patterns are known already, such as one batch."""
        copy = self._alike()
        copy.scales = {criterion: self.scales[criterion]}
        copy.cache = {(criterion, True): collapsed, (criterion, False): collapsed}
        return copy

    def with_notes(self, *sentences: str) -> Ratings:
        """Return the same ratings with more notes on how they came to be."""
        copy = self._alike()
        copy.notes, copy.cache = (*self.notes, *sentences), self.cache
        return copy

    def with_measured_times(self) -> Ratings:
        """Return the same ratings, of which covary measured the times itself: in seconds."""
        copy = self._alike()
        copy.measured, copy.cache = True, self.cache
        return copy

    def with_account(self, account: Any) -> Ratings:
        """Return the same ratings with an account of how they were read."""
        copy = self._alike()
        copy.account, copy.cache = account, self.cache
        return copy

    def first_ratings(self, count: int = 3) -> list[dict[str, Any]]:
        """Return the first ratings, each with what is known of it by name.

        Examples
        --------
        >>> Ratings({"item": ["a"], "judge": ["Ann"], "rating": [4]}).first_ratings()
        [{'item': 'a', 'judge': 'Ann', 'rating': 4}]
        """
        columns = fetch(self._rated().head(count))
        cells = zip(*(values.tolist() for values in columns.values()), strict=True)
        rows = [dict(zip(columns, row, strict=True)) for row in cells]
        return [{name: row[name] for name in COLUMNS if name in row} for row in rows]

    def to_frame(self, engine: str | None = None) -> Any:
        """Return the ratings as a data frame, one row each: pandas, polars or pyarrow.

        It is of the package that the ratings came in, unless `engine` names another.

        Examples
        --------
        >>> Ratings({"item": ["a"], "judge": ["Ann"], "rating": [4]}).to_frame("polars").shape
        (1, 3)
        """
        given = getattr(self.account, "given_as", None) or self.frame.implementation.value
        return make_frame(self.rows(), engine or (given if given in ENGINES else None))

    def rows(self) -> list[dict[str, Any]]:
        """Return the ratings as plain values, one row each, with covary's names."""
        return self.first_ratings(self.n_ratings)

    def _repr_html_(self) -> str:
        return f"<p>{self!r}</p>{html_table(self.first_ratings(5))}"

    def __len__(self) -> int:
        return self.n_ratings

    def __repr__(self) -> str:
        return f"Ratings({self.describe()})"

    def describe(self) -> str:
        """Say how many ratings there are, of what and by whom."""
        judges = "" if self.slots else f" by {counted(self.n_judges, 'judge')}"
        criteria = "" if self.criteria == (None,) else f" on {quoted_list(self.criteria, 6)}"
        items = f"{counted(self.n_ratings, 'rating')} of {counted(self.n_items, 'item')}"
        return f"{items}{judges}{criteria}"

    def _names(self) -> tuple[str, ...]:
        return tuple(self.frame.collect_schema().names())

    def _rated(self) -> Frame:
        return self.frame.filter(~nw.col("rating").is_null())

    def _check_values(self, column: str, values: Sequence[Any]) -> None:
        known = self.values(column)
        unknown = [value for value in values if value not in known]
        if unknown:
            raise InvalidArgument(
                "ratings.no-such-value", argument=column, value=unknown, allowed=known
            )

    def _columns_of(self, judges: list[Any]) -> Ratings:
        assert self._matrix is not None
        return self._part(self._matrix.columns(judges), self.scales)

    def _alike(self) -> Ratings:
        """Return the same ratings, with what is known of them."""
        copy = self._part(self._matrix or self.frame, self.scales)
        copy.numbered = self.numbered
        known = ("judges", "n_ratings", "n_items", "columns", "large")
        copy.__dict__ |= {name: self.__dict__[name] for name in known if name in self.__dict__}
        return copy

    def _part(self, held: Matrix | Frame, scales: Scales) -> Ratings:
        copy = Ratings._from_parts(held, scales, self.slots)
        copy.faults, copy.notes, copy.room = self.faults, self.notes, self.room
        copy.account, copy.measured = self.account, self.measured
        return copy


def _is_retest(name: Any, occasions: Sequence[Any]) -> bool:
    """Say whether an occasion is called after another one, as a retest after a test."""
    text = str(name).casefold()
    return text.startswith("re") and text[2:].lstrip("- ") in {
        str(other).casefold() for other in occasions
    }


def _judge_names(judges: Any, columns: int) -> tuple[Any, ...]:
    numbered = judges is None or _are_slots(judges)
    names = tuple(range(1, columns + 1)) if numbered else tuple(judges)
    if len(names) != columns or len(set(names)) != columns:
        raise InvalidArgument(
            "ratings.judges-mismatch", argument="judges", value=list(names), columns=columns
        )
    return names


def _are_slots(judges: Any) -> bool:
    return isinstance(judges, str) and judges == "slots"


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]


def _all_numbers(values: Any) -> bool:
    return not any(isinstance(value, str) for value in values)


def _one_of(name: str, given: object, allowed: tuple[str, ...]) -> None:
    if given not in allowed:
        raise InvalidArgument("ratings.unknown-choice", argument=name, value=given, allowed=allowed)
