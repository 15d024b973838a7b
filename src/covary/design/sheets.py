"""From a share to a sheet: practice first, then each occasion, part by part, in its own order.

Items of one source stand apart, repeats come late, and the sides of texts are balanced.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from covary.design.plan import JudgeShare, Sheet, Task, TaskKind, random_stream, system_of
from covary.design.squares import williams_square
from covary.errors import InvalidArgument
from covary.study.model import DesignSettings, Item, Study

Placed = tuple[Item, TaskKind]
"""An item and what it is shown for."""

LOOKED_AT = 30
"""How many items of a system are compared for the next place of a round."""

PASSES = 40
"""How often an order is gone through to part sources that stand too near."""


@dataclass(frozen=True)
class Spacing:
    """How items are kept apart: so many others `between` two of one source, drawn from `rng`.

    Whatever is inserted comes only between rounds of `step` items.
    """

    between: int
    rng: np.random.Generator
    step: int = 1


def order_apart(items: Sequence[Item], between: int, rng: np.random.Generator) -> list[Item]:
    """Return the items in random order, with so many others between two of the same source.

    Each step takes the next item of a shuffled list whose source has rested long enough. Only when
    the most frequent sources would no longer fit into the rest are they taken first.
    """
    queue = [items[i] for i in rng.permutation(len(items))]
    if between < 1 or len({_source_key(item) for item in queue}) == len(queue):
        return queue
    waiting = _SourceQueue(queue)
    resting: deque[str] = deque(maxlen=between)
    order: list[Item] = []
    while waiting.left:
        chosen = waiting.take(set(resting), between)
        resting.append(_source_key(chosen))
        order.append(chosen)
    return order


class _SourceQueue:
    """Shuffled items by source, with the number of sources that have each number of items left."""

    def __init__(self, queue: Sequence[Item]) -> None:
        self.of: dict[str, deque[int]] = {}
        for place, item in enumerate(queue):
            self.of.setdefault(_source_key(item), deque()).append(place)
        self.queue = queue
        self.left = len(queue)
        self.following = [*range(1, len(queue) + 1)]
        self.preceding = [*range(-1, len(queue))]
        self.first = 0
        self.sources: dict[int, dict[str, None]] = {}
        for source, places in self.of.items():
            self.sources.setdefault(len(places), {})[source] = None
        self.most = max(self.sources, default=0)

    def take(self, resting: set[str], between: int) -> Item:
        source = self._pressing(resting, between)
        if source is None:
            source = self._next(resting)
        return self._remove(source)

    def _pressing(self, resting: set[str], between: int) -> str | None:
        """Return a most frequent source if only taking it now leaves room for the rest."""
        fullest = self.sources[self.most]
        if (self.most - 1) * (between + 1) + len(fullest) < self.left:
            return None
        return next((source for source in fullest if source not in resting), None)

    def _next(self, resting: set[str]) -> str:
        place = self.first
        while place < len(self.queue):
            if (source := _source_key(self.queue[place])) not in resting:
                return source
            place = self.following[place]
        return max(resting & self.of.keys(), key=lambda source: len(self.of[source]))

    def _remove(self, source: str) -> Item:
        places = self.of[source]
        self._count(source, len(places))
        place = places.popleft()
        if not places:
            del self.of[source]
        before, after = self.preceding[place], self.following[place]
        if before < 0:
            self.first = after
        else:
            self.following[before] = after
        if after < len(self.queue):
            self.preceding[after] = before
        self.left -= 1
        return self.queue[place]

    def _count(self, source: str, number: int) -> None:
        del self.sources[number][source]
        if number > 1:
            self.sources.setdefault(number - 1, {})[source] = None
        while self.most and not self.sources.get(self.most):
            self.most -= 1


def order_in_rounds(
    rounds: Iterable[Sequence[str]],
    items: Sequence[Item],
    between: int,
    rng: np.random.Generator,
) -> list[Item]:
    """Return the items in the order of systems that the rounds say, with sources apart."""
    left: dict[str | None, list[Item]] = {}
    for place in rng.permutation(len(items)):
        left.setdefault(system_of(items[place]), []).append(items[place])
    keys = {system: [_source_key(item) for item in some] for system, some in left.items()}
    open_ = Counter(_source_key(item) for item in items)
    recent: deque[str] = deque(maxlen=max(between, 0))
    order = []
    for system in chain.from_iterable(rounds):
        best = max(
            enumerate(keys[system][:LOOKED_AT]),
            key=lambda place_and_key: (place_and_key[1] not in recent, open_[place_and_key[1]]),
        )[0]
        key = keys[system].pop(best)
        open_[key] -= 1
        recent.append(key)
        order.append(left[system].pop(best))
    return _separate_sources(order, between, rng)


def _separate_sources(order: list[Item], between: int, rng: np.random.Generator) -> list[Item]:
    """Exchange items of the same system where two of one source are too near.

    Exchanges that are no worse are taken too, so that the search moves on; the best order counts.
    """
    places: dict[str | None, list[int]] = {}
    for place, item in enumerate(order):
        places.setdefault(system_of(item), []).append(place)
    best, fewest = list(order), len(order) + 1
    for _ in range(PASSES):
        near = [place for place in range(len(order)) if _too_near(order, place, between)]
        if len(near) < fewest:
            best, fewest = list(order), len(near)
        if not near:
            break
        for place in near:
            _exchange_items(order, place, places[system_of(order[place])], Spacing(between, rng))
    return best


def _exchange_items(order: list[Item], place: int, others: list[int], spacing: Spacing) -> None:
    """Exchange an item for the best of some others of its system, if that is no worse."""
    between, size = spacing.between, min(len(others), LOOKED_AT)
    some = [others[index] for index in spacing.rng.integers(len(others), size=size)]
    before = [_too_near(order, place, between) + _too_near(order, other, between) for other in some]
    gains = []
    for other, now in zip(some, before, strict=True):
        order[place], order[other] = order[other], order[place]
        after = _too_near(order, place, between) + _too_near(order, other, between)
        gains.append(now - after if other != place else -1)
        order[place], order[other] = order[other], order[place]
    best = int(np.argmax(gains))
    if gains[best] >= 0:
        other = some[best]
        order[place], order[other] = order[other], order[place]


def _too_near(order: Sequence[Item], place: int, between: int) -> int:
    """Count the others of the same source that stand too near."""
    around = order[max(place - between, 0) : place + between + 1]
    return sum(_source_key(item) == _source_key(order[place]) for item in around) - 1


def insert_repeats(
    order: Sequence[Placed], number: int, distance: int, spacing: Spacing
) -> list[Placed]:
    """Show some items again, with at least so many others between the two showings.

    Items of different systems are chosen in turn.
    """
    placed = list(order)
    places = [place for place, (_, kind) in enumerate(order) if kind == "item"]
    if not 0 < number <= len(places):
        return placed
    fits = min(distance, len(order) - 1 - places[number - 1])
    early = [item for item, kind in order[: len(order) - fits] if kind == "item"]
    kept: list[Item] = []
    for item in _alternate_systems(early, spacing.rng):
        gap, free = _repeat_gap(placed, item, fits, spacing)
        if not free:
            kept.append(item)
        elif number:
            placed.insert(gap, (item, "repeat"))
            number -= 1
    for item in kept[:number]:  # nowhere without a neighbour of the same source
        gap, _ = _repeat_gap(placed, item, fits, spacing)
        placed.insert(gap, (item, "repeat"))
    return placed


def _repeat_gap(
    placed: Sequence[Placed], item: Item, fits: int, spacing: Spacing
) -> tuple[int, bool]:
    start = next(place for place, (other, _) in enumerate(placed) if other is item) + 1 + fits
    return _gap(placed, item, range(start, len(placed) + 1), spacing)


def insert_extras(
    order: Sequence[Placed], extras: Sequence[Item], spacing: Spacing
) -> list[Placed]:
    """Spread checks, gold items and the like evenly, in random order, one in each stretch."""
    placed = list(order)
    shuffled = [extras[place] for place in spacing.rng.permutation(len(extras))]
    for turn, item in enumerate(shuffled):
        stretch = (len(order) / len(extras) + 1) if extras else 1
        start, end = round(turn * stretch), round((turn + 1) * stretch)
        gaps = range(min(start + 1, len(placed)), min(max(end, start + 2), len(placed) + 1))
        placed.insert(_gap(placed, item, gaps, spacing)[0], (item, item.kind))
    return placed


def _gap(placed: Sequence[Placed], item: Item, gaps: range, spacing: Spacing) -> tuple[int, bool]:
    """Return a random gap where no neighbour has the item's source and True; else any, False."""
    if not gaps:
        return len(placed), False
    allowed = _between_rounds(placed, gaps, spacing.step) or list(gaps)
    turn = int(spacing.rng.integers(len(allowed)))
    for gap in allowed[turn:] + allowed[:turn]:
        near = placed[max(gap - spacing.between, 0) : gap + spacing.between]
        if all(_source_key(other) != _source_key(item) for other, _ in near):
            return gap, True
    return allowed[turn], False


def _between_rounds(placed: Sequence[Placed], gaps: range, step: int) -> list[int]:
    """Return the gaps that have whole rounds before them."""
    if step == 1:
        return list(gaps)
    before = np.cumsum([0, *(kind == "item" for _, kind in placed)])
    return [gap for gap in gaps if before[gap] % step == 0]


def _alternate_systems(items: Sequence[Item], rng: np.random.Generator) -> list[Item]:
    """Return the items shuffled, one of each system after the other."""
    groups: dict[str | None, int] = {}
    ranked: list[tuple[int, int, Item]] = []
    for place in rng.permutation(len(items)):
        system = system_of(items[place])
        groups[system] = groups.get(system, 0) + 1
        ranked.append((groups[system], len(ranked), items[place]))
    return [item for _, _, item in sorted(ranked, key=lambda rank: rank[:2])]


def _source_key(item: Item) -> str:
    """Return the source, or something of its own for an item without one."""
    return f"source {item.source}" if item.source is not None else f"item {item.id}"


Order = tuple[int, ...]


class Sides:
    """Chooses orders of texts, and remembers which were shown how often.

    The orders are the rows of a Williams square, so that each text comes to stand in each place
    and after each other. An item is shown in the order that it was shown in least; among several,
    in the order that this judge has met least.
    """

    def __init__(self, study: Study, seed: int, sheets: Iterable[Sheet] = ()) -> None:
        self.study = study
        self.seed = seed
        self.shown: Counter[tuple[str, str, int, Order]] = Counter()
        self.rows: dict[int, list[Order]] = {}
        for sheet in sheets:
            self._remember(sheet.tasks)

    def on(self, sheet: Sheet) -> Sheet:
        """Return the sheet with an order for each item that has several texts."""
        rng = random_stream(self.seed, "sides", sheet.number)
        met: Counter[Order] = Counter()
        first: dict[tuple[str, str, int], Order] = {}
        tasks = []
        for task in sheet.tasks:
            key = (task.item, task.part, task.occasion)
            size = len(self.study.item(task.item).texts)
            if size > 1 and key in first:  # a repeat is the same again
                tasks.append(replace(task, order=first[key]))
                continue
            if size > 1:
                rows = self._rows(size)
                luck = rng.permutation(len(rows))
                least = min(
                    range(len(rows)),
                    key=lambda i: (self.shown[*key, rows[i]], met[rows[i]], luck[i]),
                )
                first[key] = rows[least]
                met[rows[least]] += 1
                task = replace(task, order=rows[least])
            tasks.append(task)
        self._remember(tasks)
        return replace(sheet, tasks=tuple(tasks))

    def _rows(self, size: int) -> list[Order]:
        if size not in self.rows:
            self.rows[size] = williams_square(size)
        return self.rows[size]

    def _remember(self, tasks: Iterable[Task]) -> None:
        for task in tasks:
            if task.order and task.kind != "repeat":
                self.shown[task.item, task.part, task.occasion, task.order] += 1


class Assembler:
    """Puts shares of one study in order; each sheet draws from a stream of its own number."""

    def __init__(self, study: Study, wish: DesignSettings) -> None:
        self.study = study
        self.wish = wish
        self.anchors = study.items_of("anchor")
        self.extras = (*study.items_of("check"), *study.items_of("gold"))
        self.places = {item.id: place for place, item in enumerate(study.items)}

    def sheet(self, shares: Mapping[str, JudgeShare], row: str, number: int, index: int) -> Sheet:
        """Return the sheet of a judge's shares by part; `index` decides which part comes first."""
        for share in shares.values():
            if self.wish.repeats > len(share.items):
                raise InvalidArgument(
                    "design.more-repeats", repeats=self.wish.repeats, items=len(share.items)
                )
        tasks = (
            Task(position, item.id, kind, part=part, occasion=occasion)
            for position, (part, occasion, (item, kind)) in enumerate(
                self._all(shares, number, index), start=1
            )
        )
        return Sheet(number, tuple(tasks), row)

    def _all(
        self, shares: Mapping[str, JudgeShare], number: int, index: int
    ) -> Iterator[tuple[str, int, Placed]]:
        parts = [part for part in self._parts(index) if part in shares]
        for part in parts:
            for item in self._asked(self.study.items_of("practice"), part):
                yield part, 1, (item, "practice")
        for occasion in range(1, self.wish.occasions + 1):
            for part in parts:
                rng = random_stream(self.wish.seed, "order", number, *(part, occasion))
                for placed in self._section(shares[part], part, rng):
                    yield part, occasion, placed

    def _place(self, item: Item) -> int:
        return self.places[item.id]

    def _parts(self, index: int) -> tuple[str, ...]:
        """Return the parts in this judge's order: as listed, or each first equally often."""
        parts = self.study.parts
        if self.wish.parts == "as-listed":
            return parts
        turn = index % len(parts)
        return parts[turn:] + parts[:turn]

    def _section(self, share: JudgeShare, part: str, rng: np.random.Generator) -> list[Placed]:
        between, extras = self.wish.source_distance, self._asked(self.extras, part)
        anchors = tuple(item for item in self.anchors if item.belongs_to(part))
        step = 1
        if self.wish.of_part(part).order == "as-listed":
            whole = sorted((*share.items, *anchors, *extras), key=self._place)
            order = _with_kinds(whole)
            extras = ()
        elif share.rounds:
            step = len(share.rounds[0])
            order = _with_kinds(order_in_rounds(share.rounds, share.items, between, rng))
            extras = (*anchors, *extras)
        else:
            order = _with_kinds(order_apart((*share.items, *anchors), between, rng))
        spacing = Spacing(between, rng, step)
        order = insert_repeats(order, self.wish.repeats, self.wish.repeat_distance, spacing)
        return insert_extras(order, extras, spacing)

    def _asked(self, items: Sequence[Item], part: str) -> tuple[Item, ...]:
        """Return the items that belong to a part: those that expect no answer in another one."""
        keys = {criterion.key for criterion in self.study.criteria_of(part)}
        return tuple(
            item
            for item in items
            if item.belongs_to(part) and (not item.expected or keys & item.expected.keys())
        )


def sections(sheet: Sheet) -> list[list[Task]]:
    """Return the tasks of each part on each occasion, in order, without practice."""
    parts: dict[tuple[int, str], list[Task]] = {}
    for task in sheet.tasks:
        if task.kind != "practice":
            parts.setdefault((task.occasion, task.part), []).append(task)
    return list(parts.values())


def _with_kinds(items: Sequence[Item]) -> list[Placed]:
    return [(item, item.kind) for item in items if item.kind != "training"]
