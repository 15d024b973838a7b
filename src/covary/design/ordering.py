"""Random order under constraints: sources apart, repeats far from their first showing.

Everything here ends after as many steps as there are tasks. Where a distance cannot be had, the
order comes as near to it as the method gets, and `balance` says so.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence

import numpy as np

from covary.design.plan import TaskKind
from covary.design.share import system_of
from covary.study.model import Item

__all__ = ["Placed", "apart", "in_rounds", "with_extras", "with_repeats"]

Placed = tuple[Item, TaskKind]
"""An item and what it is shown for."""

LOOKED_AT = 30
"""How many items of a system are compared for the next place of a round."""

PASSES = 40
"""How often an order is gone through to part sources that stand too near."""


def apart(items: Sequence[Item], between: int, rng: np.random.Generator) -> list[Item]:
    """Return the items in random order, with so many others between two of the same source.

    Each step takes the next item of a shuffled list whose source has rested long enough. Only when
    the most frequent sources would no longer fit into the rest are they taken first.
    """
    queue = [items[i] for i in rng.permutation(len(items))]
    if between < 1 or len({_key(each) for each in queue}) == len(queue):
        return queue
    waiting = _Waiting(queue)
    resting: deque[str] = deque(maxlen=between)
    order: list[Item] = []
    while waiting.left:
        chosen = waiting.take(set(resting), between)
        resting.append(_key(chosen))
        order.append(chosen)
    return order


class _Waiting:
    """Shuffled items by source, with the number of sources that have each number of items left."""

    def __init__(self, queue: Sequence[Item]) -> None:
        self.of: dict[str, deque[int]] = {}
        for place, each in enumerate(queue):
            self.of.setdefault(_key(each), deque()).append(place)
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
        return next((each for each in fullest if each not in resting), None)

    def _next(self, resting: set[str]) -> str:
        place = self.first
        while place < len(self.queue):
            if (source := _key(self.queue[place])) not in resting:
                return source
            place = self.following[place]
        return max(resting & self.of.keys(), key=lambda each: len(self.of[each]))

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


def in_rounds(
    rounds: Iterable[Sequence[str]],
    items: Sequence[Item],
    between: int,
    rng: np.random.Generator,
) -> list[Item]:
    """Return the items in the order of systems that the rounds say, with sources apart."""
    left: dict[str | None, list[Item]] = {}
    for place in rng.permutation(len(items)):
        left.setdefault(system_of(items[place]), []).append(items[place])
    keys = {system: [_key(each) for each in some] for system, some in left.items()}
    open_ = Counter(_key(each) for each in items)
    recent: deque[str] = deque(maxlen=max(between, 0))
    order = []
    for system in (each for one in rounds for each in one):
        best = max(
            enumerate(keys[system][:LOOKED_AT]),
            key=lambda place_and_key: (place_and_key[1] not in recent, open_[place_and_key[1]]),
        )[0]
        key = keys[system].pop(best)
        open_[key] -= 1
        recent.append(key)
        order.append(left[system].pop(best))
    return _part_sources(order, between, rng)


def _part_sources(order: list[Item], between: int, rng: np.random.Generator) -> list[Item]:
    """Exchange items of the same system where two of one source are too near.

    Exchanges that are no worse are taken too, so that the search moves on; the best order counts.
    """
    places: dict[str | None, list[int]] = {}
    for place, each in enumerate(order):
        places.setdefault(system_of(each), []).append(place)
    best, fewest = list(order), len(order) + 1
    for _ in range(PASSES):
        near = [place for place in range(len(order)) if _too_near(order, place, between)]
        if len(near) < fewest:
            best, fewest = list(order), len(near)
        if not near:
            break
        for place in near:
            _exchange(order, place, places[system_of(order[place])], between, rng)
    return best


def _exchange(
    order: list[Item], place: int, others: list[int], between: int, rng: np.random.Generator
) -> None:
    """Exchange an item for the best of some others of its system, if that is no worse."""
    some = [others[i] for i in rng.integers(len(others), size=min(len(others), LOOKED_AT))]
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
    return sum(_key(each) == _key(order[place]) for each in around) - 1


def with_repeats(
    order: Sequence[Placed],
    number: int,
    distance: int,
    between: int,
    rng: np.random.Generator,
    step: int = 1,
) -> list[Placed]:
    """Show some items again, with at least so many others between the two showings.

    Items of different systems are chosen in turn. Repeats come only between rounds of `step`.
    """
    placed = list(order)
    places = [place for place, (_, kind) in enumerate(order) if kind == "item"]
    if not 0 < number <= len(places):
        return placed
    fits = min(distance, len(order) - 1 - places[number - 1])
    early = [item for item, kind in order[: len(order) - fits] if kind == "item"]
    kept: list[Item] = []
    for item in _in_turn(early, rng):
        gap, free = _repeat_gap(placed, item, fits, between, rng, step)
        if not free:
            kept.append(item)
        elif number:
            placed.insert(gap, (item, "repeat"))
            number -= 1
    for item in kept[:number]:  # nowhere without a neighbour of the same source
        gap, _ = _repeat_gap(placed, item, fits, between, rng, step)
        placed.insert(gap, (item, "repeat"))
    return placed


def _repeat_gap(
    placed: Sequence[Placed], item: Item, fits: int, between: int, rng: np.random.Generator,
    step: int,
) -> tuple[int, bool]:  # fmt: skip
    start = next(i for i, (each, _) in enumerate(placed) if each is item) + 1 + fits
    return _gap(placed, item, range(start, len(placed) + 1), between, rng, step)


def with_extras(
    order: Sequence[Placed],
    extras: Sequence[Item],
    between: int,
    rng: np.random.Generator,
    step: int = 1,
) -> list[Placed]:
    """Spread checks, gold items and the like evenly, in random order, one in each stretch."""
    placed = list(order)
    shuffled = [extras[i] for i in rng.permutation(len(extras))]
    for turn, item in enumerate(shuffled):
        stretch = (len(order) / len(extras) + 1) if extras else 1
        start, end = round(turn * stretch), round((turn + 1) * stretch)
        gaps = range(min(start + 1, len(placed)), min(max(end, start + 2), len(placed) + 1))
        placed.insert(_gap(placed, item, gaps, between, rng, step)[0], (item, item.kind))
    return placed


def _gap(
    placed: Sequence[Placed], item: Item, gaps: range, between: int, rng: np.random.Generator,
    step: int,
) -> tuple[int, bool]:  # fmt: skip
    """Return a random gap where no neighbour has the item's source and True; else any, False."""
    if not gaps:
        return len(placed), False
    allowed = _between_rounds(placed, gaps, step) or list(gaps)
    turn = int(rng.integers(len(allowed)))
    for gap in allowed[turn:] + allowed[:turn]:
        near = placed[max(gap - between, 0) : gap + between]
        if all(_key(each) != _key(item) for each, _ in near):
            return gap, True
    return allowed[turn], False


def _between_rounds(placed: Sequence[Placed], gaps: range, step: int) -> list[int]:
    """Return the gaps that have whole rounds before them."""
    if step == 1:
        return list(gaps)
    before = np.cumsum([0, *(kind == "item" for _, kind in placed)])
    return [gap for gap in gaps if before[gap] % step == 0]


def _in_turn(items: Sequence[Item], rng: np.random.Generator) -> list[Item]:
    """Return the items shuffled, one of each system after the other."""
    groups: dict[str | None, int] = {}
    ranked: list[tuple[int, int, Item]] = []
    for place in rng.permutation(len(items)):
        system = system_of(items[place])
        groups[system] = groups.get(system, 0) + 1
        ranked.append((groups[system], len(ranked), items[place]))
    return [item for _, _, item in sorted(ranked, key=lambda each: each[:2])]


def _key(item: Item) -> str:
    """Return the source, or something of its own for an item without one."""
    return f"source {item.source}" if item.source is not None else f"item {item.id}"
