"""Ratings of systems that stay in their engine: what it sums of them for a comparison.

A model needs of an item only who rated it and what its ratings add up to; and of items that the
same judges rated (a *kind*), only how many they are, and the sums of their totals and of the
squares of these. The same holds for sources, with who rated which system's output. So the engine
sums by item, by source and by kind, and only kinds come to Python. Kinds are told apart by three
fingerprints: sums of products of random whole numbers, one for each system and one for each judge,
which every engine adds exactly and which are all equal by chance once in 10¹⁸ pairs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument, RatingsError
from covary.ratings import Ratings
from covary.ratings import expressions as nw
from covary.ratings.engine_tables import kept, table_beside
from covary.ratings.frames import Columns, Frame, distinct, fetch, with_groups
from covary.ratings.memory_limit import refuse_many
from covary.ratings.pattern_counts import case
from covary.records import dataclass
from covary.scales import Scale
from covary.stats.models.observations import Floats, encode, refuse_names
from covary.stats.patterns import refuse_repeats, scale_numbers
from covary.stats.posthoc.effects import EffectSize, delta_of_counts

Ints = npt.NDArray[np.int64]

MOST_KINDS = 20_000
"""So many kinds of items, and of sources, are brought at most."""

MOST_CELLS = 10_000_000
"""So many numbers the kinds may have: kinds × systems × judges."""

MOST_SIZES = 12
"""So many different numbers of ratings may the items of sources have."""

MOST_JUDGES = 300
"""With more judges a comparison of systems needs the ratings themselves."""

DRAWN_ALONE, GROUPS = 2_000, 200
"""So many sources or items are drawn one by one; more are drawn in so many groups."""

MOST_VALUES, STEPS = 2_000, 1_000
"""Numbers on a line are tallied one by one up to so many different ones, and else in steps."""

SEED, PRINTS = 20_261_118, ("f1", "f2", "f3")


@dataclass(frozen=True, kw_only=True)
class UnitKinds:
    """Units (items or sources) that the same judges rated, summed.

    Of each kind: how many units there are (`counts`), how many ratings each has (`sizes`), the sum
    of their totals and of the squares of these, about the means of the systems, and in `members`
    how many ratings a unit has from each judge for each system. `by_size` and `by_two_sizes` are
    the sums over sources of the totals of their items of each size, each times the size, and the
    sums of the products of these.
    """

    counts: Floats
    sizes: Floats
    totals: Floats
    squares: Floats
    members: Floats
    by_size: Floats
    by_two_sizes: Floats

    @property
    def n_units(self) -> int:
        """How many units there are."""
        return int(self.counts.sum())


@dataclass(frozen=True, kw_only=True)
class LargeObservations:
    """What a comparison of systems needs of ratings that stay in their engine.

    `numbers` and `sums` are those of the ratings by system and judge (one judge where they are not
    known), `spread` the squares about the systems' means, and `items_of` how many items each system
    has. `tallies` says how often each system got each of `values`, from the lowest to the highest;
    on a line with very many different numbers these are the middles of `steps` steps. `items` and
    `sources` are None where there are too many kinds.
    """

    criterion: Any
    names: Mapping[str, tuple[Any, ...]]
    numbers: Floats
    sums: Floats
    spread: Floats
    values: Floats
    tallies: Floats
    steps: int
    n_items: int
    n_sources: int
    items_of: Ints
    items: UnitKinds | None
    sources: UnitKinds | None
    item_sizes: Floats

    @property
    def n_ratings(self) -> int:
        """How many ratings there are."""
        return int(self.numbers.sum())

    @property
    def mean(self) -> float:
        """The mean of all ratings."""
        return float(self.sums.sum()) / self.n_ratings

    def counts(self, factor: str = "system") -> Ints:
        """How many ratings each level of a factor has."""
        axis = 1 if factor == "system" else 0
        return np.asarray(self.numbers.sum(axis=axis), dtype=np.int64)

    def means(self, factor: str = "system") -> Floats:
        """The plain mean of the ratings of each level of a factor."""
        axis = 1 if factor == "system" else 0
        return np.asarray(self.sums.sum(axis=axis) / self.counts(factor))

    def item_means(self) -> Floats:
        """The mean over the items of each system of the means of their ratings."""
        if self.items is None:
            raise InvalidArgument("systems.large-designs", most=MOST_KINDS)
        own = self.items.members.sum(axis=2) > 0
        away = own.T @ (self.items.totals / self.items.sizes)
        return np.asarray(self.means() + away / self.items_of)

    def units_of(self, _: str) -> Ints:
        """How many items (or sources) of each system were rated: one item of each source."""
        return self.items_of

    def meetings(self) -> Floats:
        """How often each system was rated by each judge."""
        return self.numbers

    def delta(self, first: int, second: int, confidence: float) -> EffectSize:
        """Cliff's delta of two systems, by their places."""
        one, other = self.tallies[first], self.tallies[second]
        return delta_of_counts(one, other, confidence=confidence)


def large_observations(ratings: Ratings, criterion: Any) -> LargeObservations:
    """Let the engine sum the ratings on one criterion by item, source and kind."""
    scale = ratings.scales[criterion]
    refuse_names(scale)
    refuse_repeats(ratings, ratings.values)
    frame = _rows(ratings, criterion)
    table = _tally(frame, scale) if scale.categories else _tally_line(frame, scale)
    if len(table.names.get("judge", ())) > MOST_JUDGES:
        refuse_many(ratings, f"a comparison of systems by more than {MOST_JUDGES} judges")
    reading = _Reading(frame, criterion, table)
    with kept(reading.by_item(_number(scale))) as items:
        return reading.read(items)


@dataclass(frozen=True, kw_only=True)
class _FirstPass:
    """What the first pass over the ratings finds, with the names as in `LargeObservations`."""

    names: Mapping[str, tuple[Any, ...]]
    numbers: Floats
    sums: Floats
    spread: Floats
    values: Floats
    tallies: Floats
    steps: int = 0


class _Reading:
    """The passes over the ratings: by item, by kind of item, by source, by kind of source."""

    def __init__(self, frame: Frame, criterion: Any, table: _FirstPass) -> None:
        self.frame, self.criterion, self.table = frame, criterion, table
        self.names, self.shape = table.names, table.numbers.shape
        self.sourced = "source" in frame.collect_schema().names()

    def read(self, items: Frame) -> LargeObservations:
        """Read what is needed from a row for each item."""
        self._refuse_shared(items)
        own = fetch(items.group_by("system", "k").agg(n=nw.len()))
        items_of = np.zeros(self.shape[0], dtype=np.int64)
        np.add.at(items_of, _codes(own["system"], self.names["system"]), own["n"].astype(np.int64))
        sizes = np.unique(own["k"].astype(float))
        kinds = self._kinds(items, "item", ["system", "k", *PRINTS], np.zeros(0))
        sources, n_sources = None, 0
        if self.sourced:
            with kept(self._sources(items, sizes)) as by_source:
                n_sources = int(fetch(by_source.select(n=nw.len()))["n"][0])
                sources = self._kinds(by_source, "source", ["k", "items", *PRINTS], sizes)
        found = {name: getattr(self.table, name) for name in self.table.__dataclass_fields__}
        return LargeObservations(
            criterion=self.criterion,
            n_items=int(items_of.sum()),
            n_sources=n_sources,
            items_of=items_of,
            items=kinds,
            sources=sources,
            item_sizes=sizes,
            **found,
        )

    def by_item(self, number: nw.Expr) -> Frame:
        """A row for each item: its ratings, their sum about the system's mean, its fingerprints."""
        random = np.random.default_rng(SEED).integers(1, 2**20, (6, max(self.shape))).astype(float)
        systems, judges = self.names["system"], self.names.get("judge", ())
        own = [case("system", systems, row[: len(systems)].tolist()) for row in random[:3]]
        if judges:
            theirs = [case("judge", judges, row[: len(judges)].tolist()) for row in random[3:]]
            own = [one * other for one, other in zip(own, theirs, strict=True)]
        means = self.table.sums.sum(axis=1) / self.table.numbers.sum(axis=1)
        left = number - case("system", systems, means.tolist())
        ends = {"other": nw.col("system").max()}
        if self.sourced:
            ends |= {"source": nw.col("source").min(), "elsewhere": nw.col("source").max()}
        rows = self.frame.with_columns(t=left, **dict(zip(PRINTS, own, strict=True)))
        sums = {name: nw.col(name).sum() for name in ("t", *PRINTS)}
        items = rows.group_by("item").agg(k=nw.len(), system=nw.col("system").min(), **sums, **ends)
        apart = nw.col("system") != nw.col("other")
        if self.sourced:
            apart = apart | (nw.col("source") != nw.col("elsewhere"))
        return items.with_columns(apart=apart).drop(*(set(ends) - {"source"}))

    def _refuse_shared(self, items: Frame) -> None:
        """Refuse items of several systems or sources, and several of one system and source."""
        shared = fetch(items.filter(nw.col("apart")).select("item").head(5))["item"].tolist()
        if shared:
            raise InvalidArgument("systems.large-items", items=shared)
        if self.sourced:
            pairs = items.group_by("source", "system").agg(n=nw.len()).filter(nw.col("n") > 1)
            several = fetch(pairs.select("source").head(5))["source"].tolist()
            if several:
                raise InvalidArgument("systems.large-sources", sources=several)

    def _sources(self, items: Frame, sizes: Floats) -> Frame:
        """A row for each source, with the totals of its items by their number of ratings."""
        total: Any = nw.col("t")
        by_size = {}
        if sizes.size <= MOST_SIZES:
            by_size = {
                f"u{place}": nw.when(nw.col("k") == int(size)).then(total * size).otherwise(0.0)
                for place, size in enumerate(sizes.tolist())
            }
        wider = items.with_columns(**by_size) if by_size else items
        sums = {name: nw.col(name).sum() for name in ("k", "t", *PRINTS, *by_size)}
        return wider.group_by("source").agg(items=nw.len(), **sums)

    def _kinds(self, units: Frame, unit: str, keys: list[str], sizes: Floats) -> UnitKinds | None:
        """Sum the units of each kind, and look at one of each to see who rated it."""
        if sizes.size > MOST_SIZES:
            return None
        places = range(sizes.size)
        pairs = [(a, b) for a in places for b in places if a <= b]
        products = {f"p{a}_{b}": nw.col(f"u{a}") * nw.col(f"u{b}") for a, b in pairs}
        wider = units.with_columns(tt=nw.col("t") * nw.col("t"), **products)
        summed = [f"u{place}" for place in places] + list(products)
        sums = {name: nw.col(name).sum() for name in ("t", "tt", *summed)}
        kinds = wider.group_by(keys).agg(n=nw.len(), **{unit: nw.col(unit).min()}, **sums)
        columns = fetch(kinds.head(MOST_KINDS + 1))
        n_kinds = columns["n"].size
        if n_kinds > MOST_KINDS or n_kinds * self.shape[0] * self.shape[1] > MOST_CELLS:
            return None
        order = np.lexsort([columns[key] for key in keys if key != "system"])
        held = {name: column[order] for name, column in columns.items()}
        by_two = np.zeros((n_kinds, sizes.size, sizes.size))
        for a, b in pairs:
            by_two[:, a, b] = by_two[:, b, a] = held[f"p{a}_{b}"]
        one_by_one = [held[f"u{place}"].astype(float) for place in places]
        return UnitKinds(
            counts=held["n"].astype(float),
            sizes=held["k"].astype(float),
            totals=held["t"].astype(float),
            squares=held["tt"].astype(float),
            members=self._members(unit, held[unit]),
            by_size=np.column_stack([np.zeros((n_kinds, 0)), *one_by_one]),
            by_two_sizes=by_two,
        )

    def _members(self, unit: str, examples: npt.NDArray[Any]) -> Floats:
        """How many ratings each example has from each judge for each system."""
        wanted = table_beside(self.frame, {unit: _column(examples.tolist())})
        factors = list(self.names)
        rows = self.frame.join(wanted, on=unit, how="inner")
        cells = fetch(rows.group_by(unit, *factors).agg(n=nw.len()))
        place = {name: number for number, name in enumerate(examples.tolist())}
        row = np.array([place[name] for name in cells[unit].tolist()], dtype=np.int64)
        members = np.zeros((examples.size, *self.shape))
        system = _codes(cells["system"], self.names["system"])
        judge = _codes(cells["judge"], self.names["judge"]) if "judge" in self.names else 0 * row
        np.add.at(members, (row, system, judge), cells["n"].astype(float))
        return members


@dataclass(frozen=True, kw_only=True)
class CellSums:
    """Sums and numbers of ratings by system and judge (rows) and drawn unit (columns).

    `grouped` says that units were drawn in groups; `owners` is the system of each column where
    units belong to systems.
    """

    sums: Floats
    numbers: Floats
    unit: str
    grouped: bool
    owners: Ints | None


def cell_sums(ratings: Ratings, criterion: Any, observed: LargeObservations) -> CellSums:
    """Sum the ratings by system, judge and source (or item), or groups of these where many."""
    frame = _rows(ratings, criterion)
    unit = "source" if observed.n_sources else "item"
    n_units = observed.n_sources or observed.n_items
    grouped = n_units > DRAWN_ALONE
    key = "group" if grouped else unit
    rows = with_groups(frame, unit, GROUPS) if grouped else frame
    factors = list(observed.names)
    rows = rows.with_columns(number=_number(ratings.scales[criterion]))
    sums = {"n": nw.len(), "total": nw.col("number").sum()}
    cells = fetch(rows.group_by(key, *factors).agg(**sums))
    system = _codes(cells["system"], observed.names["system"])
    shape = observed.numbers.shape
    judge = _codes(cells["judge"], observed.names["judge"]) if "judge" in factors else 0 * system
    column, units = encode(key, cells[key], cells[key])
    n_columns, owners = len(units), None
    if unit == "item":
        pairs, column = np.unique(column * shape[0] + system, return_inverse=True)
        owners, n_columns = pairs % shape[0], pairs.size
    places = (system * shape[1] + judge) * n_columns + column
    size = shape[0] * shape[1] * n_columns
    totals, numbers = (
        np.bincount(places, weights, minlength=size).astype(float).reshape(-1, n_columns)
        for weights in (cells["total"].astype(float), cells["n"].astype(float))
    )
    return CellSums(sums=totals, numbers=numbers, unit=unit, grouped=grouped, owners=owners)


def _rows(ratings: Ratings, criterion: Any) -> Frame:
    frame = ratings.frame.filter(~nw.col("rating").is_null())
    if criterion is not None:
        frame = frame.filter(nw.col("criterion") == criterion)
    known = [name for name in ("judge", "source") if name in ratings.columns]
    if ratings.slots:
        known.remove("judge")
    for name in ("system", *(own for own in known if own == "source")):
        _refuse_empty(frame, name)
    return frame.select("item", "system", *known, "rating")


def _positions(scale: Scale) -> tuple[list[Any], Floats]:
    """The categories of a scale, and which number each is."""
    categories = list(scale.categories or ())
    return categories, scale_numbers(np.array(categories, dtype=_kind(categories)), scale)


def _number(scale: Scale) -> nw.Expr:
    """A rating as a number."""
    if scale.categories is None:
        return nw.col("rating").cast(nw.Float64)
    categories, positions = _positions(scale)
    return case("rating", categories, positions.tolist())


def _tally(frame: Frame, scale: Scale) -> _FirstPass:
    """How often each judge gave each system each category: the first pass."""
    categories, positions = _positions(scale)
    return _tallied(frame, "rating", categories, positions)


def _tallied(frame: Frame, column: str, values: list[Any], positions: Floats) -> _FirstPass:
    factors = _factors(frame)
    cells = fetch(frame.group_by(*factors, column).agg(n=nw.len()))
    names, system, judge = _named(cells, factors)
    tallies = np.zeros((len(names["system"]), len(names.get("judge", (None,))), len(values)))
    np.add.at(tallies, (system, judge, _codes(cells[column], values)), cells["n"].astype(float))
    numbers, sums, own = tallies.sum(axis=2), tallies @ positions, tallies.sum(axis=1)
    means = sums.sum(axis=1) / numbers.sum(axis=1)
    order = np.argsort(positions, kind="stable")
    return _FirstPass(
        names=names,
        numbers=numbers,
        sums=sums,
        spread=np.sum(own * (positions[None, :] - means[:, None]) ** 2, axis=1),
        values=positions[order],
        tallies=own[:, order],
    )


def _tally_line(frame: Frame, scale: Scale) -> _FirstPass:
    """The same of numbers on a line: each of few different ones, or steps beside exact sums."""
    different = fetch(distinct(frame, "rating").head(MOST_VALUES + 1))["rating"].astype(float)
    if different.size <= MOST_VALUES:
        values = np.sort(different)
        return _tallied(frame, "rating", values.tolist(), values)
    width = (scale.high - scale.low) / STEPS
    place = ((nw.col("rating") - scale.low) / width).floor().clip(0, STEPS - 1)
    middles: Floats = scale.low + width * (np.arange(STEPS, dtype=np.float64) + 0.5)
    stepped = frame.with_columns(step=place.cast(nw.Int64))
    table = _tallied(stepped, "step", list(range(STEPS)), middles)
    factors = _factors(frame)
    cells = fetch(frame.group_by(*factors).agg(total=nw.col("rating").cast(nw.Float64).sum()))
    _, system, judge = _named(cells, factors)
    sums = np.zeros(table.numbers.shape)
    np.add.at(sums, (system, judge), cells["total"].astype(float))
    means = sums.sum(axis=1) / table.numbers.sum(axis=1)
    away: Any = nw.col("rating").cast(nw.Float64) - case(
        "system", table.names["system"], means.tolist()
    )
    squares = fetch(frame.with_columns(q=away * away).group_by("system").agg(q=nw.col("q").sum()))
    spread = np.zeros(len(means))
    spread[_codes(squares["system"], table.names["system"])] = squares["q"].astype(float)
    return replace(table, sums=sums, spread=spread, steps=STEPS)


def _factors(frame: Frame) -> list[str]:
    present = frame.collect_schema().names()
    return [name for name in ("system", "judge") if name in present]


def _named(cells: Columns, factors: list[str]) -> tuple[dict[str, tuple[Any, ...]], Ints, Ints]:
    """The names of systems and judges, and which each cell is of."""
    coded = {name: encode(name, cells[name], cells[name]) for name in factors}
    system = coded["system"][0].astype(np.int64)
    judge = coded["judge"][0].astype(np.int64) if "judge" in coded else 0 * system
    return {name: names for name, (_, names) in coded.items()}, system, judge


def _refuse_empty(frame: Frame, name: str) -> None:
    empty = frame.filter(nw.col(name).is_null())
    some = fetch(empty.select("item").head(5))["item"].tolist()
    if some:
        n = int(fetch(empty.select(n=nw.len()))["n"][0])
        raise RatingsError("stats.factor-empty", rows=dict.fromkeys(some), n=n, factor=name)


def _codes(column: npt.NDArray[Any], names: Any) -> Ints:
    places = {name: place for place, name in enumerate(names)}
    return np.fromiter((places[value] for value in column.tolist()), np.int64, len(column))


def _kind(values: list[Any]) -> Any:
    return object if any(isinstance(value, str) for value in values) else None


def _column(values: list[Any]) -> npt.NDArray[Any]:
    return np.array(values, dtype=_kind(values))
