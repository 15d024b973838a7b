"""Overlapping shares: each item is rated by some of the judges, who share items with each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain, permutations

import numpy as np
import numpy.typing as npt

from covary.design.plan import JudgeShare, random_stream, system_of
from covary.errors import InvalidArgument
from covary.study.model import DesignSettings, Item, Study

PASSES, TRIES = 6, 40
"""How often items whose source a judge meets again are gone through, and what each tries."""

MOST_EVENED, MOST_PROPOSALS = 200, 150_000
"""Beyond so many judges pairs share next to nothing anyway, and are left as they are."""

SOURCE_WEIGHT = 8
"""What a source that is met again counts beside the squares of what pairs of judges share."""

HandPlace = tuple[int, int]
"""A judge and the place of an item among theirs."""


def even_out(hands: list[list[Item]], rng: np.random.Generator) -> None:
    """Exchange items of one system between judges, in place, while that makes things more even.

    Each judge keeps the number of items of each system, and each item its number of judges.
    """
    exchange = _Exchange(hands)
    if any(item.source is not None for hand in hands for item in hand):
        exchange.part_sources(rng)
    if exchange.paired:
        exchange.even_pairs(rng)


class _Exchange:
    def __init__(self, hands: list[list[Item]]) -> None:
        self.hands = hands
        self.met = [Counter(item.source for item in hand) for hand in hands]
        self.judges: dict[str, set[int]] = {}
        self.places: dict[str | None, list[HandPlace]] = {}
        for judge, hand in enumerate(hands):
            for place, item in enumerate(hand):
                self.judges.setdefault(item.id, set()).add(judge)
                self.places.setdefault(system_of(item), []).append((judge, place))
        self.paired = len(hands) <= MOST_EVENED
        size = len(hands) if self.paired else 0
        self.shared = [[0] * size for _ in range(size)]
        if self.paired:
            for some in self.judges.values():
                for judge, other in permutations(some, 2):
                    self.shared[judge][other] += 1

    def part_sources(self, rng: np.random.Generator) -> None:
        """Try to give away each item whose source its judge meets again."""
        for _ in range(PASSES):
            again = [
                (judge, place)
                for judge, hand in enumerate(self.hands)
                for place, item in enumerate(hand)
                if item.source is not None and self.met[judge][item.source] > 1
            ]
            for judge, place in again:
                if self.met[judge][self.hands[judge][place].source] > 1:
                    self._give_away((judge, place), rng)
            if not again:
                return

    def _give_away(self, place: HandPlace, rng: np.random.Generator) -> None:
        same = self.places[system_of(self.hands[place[0]][place[1]])]
        for pick in rng.integers(len(same), size=TRIES).tolist():
            if self._possible(place, same[pick]) and self._again(place, same[pick]) < 0:
                self._do(place, same[pick])
                return

    def even_pairs(self, rng: np.random.Generator) -> None:
        """Take random exchanges that make what pairs of judges share more even."""
        groups = [group for group in self.places.values() if len(group) > 1]
        total = sum(map(len, groups))
        for group in groups:
            number = min(20 * len(group), MOST_PROPOSALS * len(group) // total)
            for i, j in rng.integers(len(group), size=(number, 2)).tolist():
                place, other = group[i], group[j]
                if self._possible(place, other):
                    change = SOURCE_WEIGHT * self._again(place, other) + self._uneven(place, other)
                    if change < 0:
                        self._do(place, other)

    def _possible(self, place: HandPlace, other: HandPlace) -> bool:
        """Say whether neither judge has the item of the other."""
        (a, i), (b, j) = place, other
        return b not in self.judges[self.hands[a][i].id] and (
            a not in self.judges[self.hands[b][j].id]
        )

    def _again(self, place: HandPlace, other: HandPlace) -> int:
        """Return by how much an exchange changes how often judges meet a source again."""
        (a, i), (b, j) = place, other
        mine, yours = self.hands[a][i].source, self.hands[b][j].source
        if mine == yours:
            return 0
        now = (mine is not None) * (self.met[a][mine] - 1)
        now += (yours is not None) * (self.met[b][yours] - 1)
        then = (yours is not None) * self.met[a][yours] + (mine is not None) * self.met[b][mine]
        return then - now

    def _uneven(self, place: HandPlace, other: HandPlace) -> int:
        """Return by how much an exchange changes the sum of squares of what pairs share."""
        (a, i), (b, j) = place, other
        mine, yours = self.judges[self.hands[a][i].id], self.judges[self.hands[b][j].id]
        first, second = self.shared[a], self.shared[b]
        lost = sum(2 * (second[judge] - first[judge]) + 2 for judge in mine - yours if judge != a)
        won = sum(2 * (first[judge] - second[judge]) + 2 for judge in yours - mine if judge != b)
        return lost + won

    def _do(self, place: HandPlace, other: HandPlace) -> None:
        (a, i), (b, j) = place, other
        mine, yours = self.hands[a][i], self.hands[b][j]
        for judge, gone, come in ((a, mine, yours), (b, yours, mine)):
            self.met[judge][gone.source] -= 1
            self.met[judge][come.source] += 1
            self._share(judge, gone, -1)
        for judge, come in ((a, yours), (b, mine)):
            self._share(judge, come, 1)
        self.hands[a][i], self.hands[b][j] = yours, mine

    def _share(self, judge: int, item: Item, step: int) -> None:
        """Take a judge from an item or add one, and count the pairs anew."""
        judges = self.judges[item.id]
        judges.discard(judge)
        if self.paired:
            for other in judges:
                self.shared[judge][other] += step
                self.shared[other][judge] += step
        if step > 0:
            judges.add(judge)


MOST_JUDGES = 4000
"""With more judges, whose pairs grow with the square, pairs are left to chance."""

LOAD, SYSTEM = 1e9, 1e6
"""What counts first: equal loads, then systems, then even pairs."""

Ints = npt.NDArray[np.int64]


class Dealer:
    """Deals items to judges one by one and remembers who got what."""

    def __init__(self, judges: int, rng: np.random.Generator) -> None:
        self.rng = rng
        self.load = np.zeros(judges)
        self.of_system = np.zeros(judges)
        paired = judges <= MOST_JUDGES
        self.shared = np.zeros((judges, judges), dtype=np.float32) if paired else None

    def next_system(self) -> None:
        """Begin the items of another system."""
        self.of_system[:] = 0

    def deal(self, number: int) -> list[int]:
        """Return the judges of the next item."""
        price = LOAD * self.load + SYSTEM * self.of_system + self.rng.random(len(self.load))
        chosen: list[int] = []
        for _ in range(number):
            judge = int(price.argmin())
            chosen.append(judge)
            price[judge] = np.inf
            if self.shared is not None:
                price += self.shared[judge]
        self.load[chosen] += 1
        self.of_system[chosen] += 1
        if self.shared is not None:
            self.shared[np.ix_(chosen, chosen)] += 1
        return chosen


def overlap_row(index: int, wish: DesignSettings) -> str:
    """Name the share of the judge at this index."""
    return f"{'list' if wish.order == 'as-listed' else 'share'} {index + 1}"


def overlap_row_names(_study: Study, wish: DesignSettings) -> Callable[[int], str]:
    """Return what names the shares."""
    return lambda index: overlap_row(index, wish)


def overlap_shares(study: Study, wish: DesignSettings, _rows: range) -> list[JudgeShare]:
    """Deal the items to the judges of the study, all at once."""
    items = study.items_of("item")
    number = _judges_per_item(len(items), wish, anchors=bool(study.items_of("anchor")))
    rng = random_stream(wish.seed, "deal")
    dealer = Dealer(wish.judges, rng)
    hands: list[list[Item]] = [[] for _ in range(wish.judges)]
    for group in _by_system(items, rng):
        dealer.next_system()
        for item in group:
            for judge in dealer.deal(number):
                hands[judge].append(item)
    even_out(hands, rng)
    return [JudgeShare(overlap_row(index, wish), tuple(hand)) for index, hand in enumerate(hands)]


def further_shares(
    study: Study, wish: DesignSettings, indices: Sequence[int], before: Sequence[Sequence[str]]
) -> list[JudgeShare]:
    """Give further judges the items with the fewest ratings, each system equally often.

    `before` holds the items of each sheet that there is.
    """
    items = {item.id: item for item in study.items_of("item")}
    count = dict.fromkeys(items, 0)
    for rated in chain.from_iterable(before):
        if rated in count:
            count[rated] += 1
    load = round(float(np.mean([len(sheet) for sheet in before]))) if before else len(items)
    shares = []
    for index in indices:
        rng = random_stream(wish.seed, "further", index)
        chosen = _fewest(_by_system(tuple(items.values()), rng), count, max(1, load))
        for item in chosen:
            count[item.id] += 1
        shares.append(JudgeShare(overlap_row(index, wish), tuple(chosen)))
    return shares


def _fewest(groups: list[list[Item]], count: dict[str, int], load: int) -> list[Item]:
    """Take items in turn from each system, those with the fewest ratings and new sources first."""
    for group in groups:
        group.sort(key=lambda item: count[item.id])  # stable: equals stay shuffled
    ranked = sorted(
        ((place, number) for number, group in enumerate(groups) for place in range(len(group)))
    )
    fewest = [groups[number][place] for place, number in ranked]
    fewest.sort(key=lambda item: count[item.id])
    seen: set[str] = set()
    fresh: list[Item] = []
    again: list[Item] = []
    for item in fewest:
        met = item.source is not None and item.source in seen
        (again if met and count[item.id] > count[fewest[0].id] else fresh).append(item)
        seen.add(item.source or "")
    return (fresh + again)[:load]


def _by_system(items: Sequence[Item], rng: np.random.Generator) -> list[list[Item]]:
    groups: dict[str | None, list[Item]] = {}
    for place in rng.permutation(len(items)):
        groups.setdefault(system_of(items[place]), []).append(items[place])
    return list(groups.values())


def _judges_per_item(items: int, wish: DesignSettings, *, anchors: bool) -> int:
    """Refuse numbers that do not fit together; return how many judges rate each item."""
    judges, most = wish.judges, wish.per_judge
    if wish.order == "williams":
        raise InvalidArgument("design.overlap-williams")
    if most is not None and most > items:
        raise InvalidArgument("design.overlap-per-judge", per_judge=most, items=items)
    if wish.judges_per_item is not None:
        number = wish.judges_per_item
    elif most is not None:
        number = judges * most // items
    else:
        number = min(2, judges)
    if number > judges:
        raise InvalidArgument("design.more-than-judges", judges_per_item=number, judges=judges)
    if most is not None and (number < 1 or judges * most < items * number):
        ratings = items * max(number, 1)
        raise InvalidArgument(
            "design.too-few-ratings",
            judges=judges,
            most=most,
            items=items,
            times=max(number, 1),
            needed_judges=-(-ratings // most),
            needed_per_judge=-(-ratings // judges),
        )
    if number * items < judges and not anchors:
        raise InvalidArgument(
            "design.idle-judges",
            judges=judges,
            items=items,
            times=number,
            ratings=items * number,
            needed=-(-judges // items),
        )
    if number < 2 and judges > 1 and not anchors:
        raise InvalidArgument("design.no-overlap")
    return number
