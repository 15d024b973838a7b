"""Dealt items exchanged between judges: fewer sources met twice, pairs of judges more even."""

from __future__ import annotations

from collections import Counter

import numpy as np

from covary.design.share import system_of
from covary.study.model import Item

__all__ = ["improve"]

PASSES, TRIES = 6, 40
"""How often items whose source a judge meets again are gone through, and what each tries."""

MOST_JUDGES, MOST_PROPOSALS = 200, 150_000
"""Beyond so many judges pairs share next to nothing anyway, and are left as they are."""

WEIGHT = 8
"""What a source that is met again counts beside the squares of what pairs of judges share."""

Place = tuple[int, int]
"""A judge and the place of an item among theirs."""


def improve(hands: list[list[Item]], rng: np.random.Generator) -> None:
    """Exchange items of one system between judges, in place, while that makes things more even.

    Each judge keeps the number of items of each system, and each item its number of judges.
    """
    exchange = _Exchange(hands)
    if any(each.source is not None for hand in hands for each in hand):
        exchange.part_sources(rng)
    if exchange.paired:
        exchange.even_pairs(rng)


class _Exchange:
    def __init__(self, hands: list[list[Item]]) -> None:
        self.hands = hands
        self.met = [Counter(each.source for each in hand) for hand in hands]
        self.judges: dict[str, set[int]] = {}
        self.places: dict[str | None, list[Place]] = {}
        for judge, hand in enumerate(hands):
            for place, each in enumerate(hand):
                self.judges.setdefault(each.id, set()).add(judge)
                self.places.setdefault(system_of(each), []).append((judge, place))
        self.paired = len(hands) <= MOST_JUDGES
        size = len(hands) if self.paired else 0
        self.shared = [[0] * size for _ in range(size)]
        if self.paired:
            for some in self.judges.values():
                for one in some:
                    for other in some - {one}:
                        self.shared[one][other] += 1

    def part_sources(self, rng: np.random.Generator) -> None:
        """Try to give away each item whose source its judge meets again."""
        for _ in range(PASSES):
            again = [
                (judge, place)
                for judge, hand in enumerate(self.hands)
                for place, each in enumerate(hand)
                if each.source is not None and self.met[judge][each.source] > 1
            ]
            for one in again:
                judge, place = one
                if self.met[judge][self.hands[judge][place].source] > 1:
                    self._give_away(one, rng)
            if not again:
                return

    def _give_away(self, one: Place, rng: np.random.Generator) -> None:
        same = self.places[system_of(self.hands[one[0]][one[1]])]
        for pick in rng.integers(len(same), size=TRIES).tolist():
            if self._possible(one, same[pick]) and self._again(one, same[pick]) < 0:
                self._do(one, same[pick])
                return

    def even_pairs(self, rng: np.random.Generator) -> None:
        """Take random exchanges that make what pairs of judges share more even."""
        groups = [group for group in self.places.values() if len(group) > 1]
        total = sum(map(len, groups))
        for group in groups:
            number = min(20 * len(group), MOST_PROPOSALS * len(group) // total)
            for i, j in rng.integers(len(group), size=(number, 2)).tolist():
                one, other = group[i], group[j]
                if self._possible(one, other):
                    change = WEIGHT * self._again(one, other) + self._uneven(one, other)
                    if change < 0:
                        self._do(one, other)

    def _possible(self, one: Place, other: Place) -> bool:
        """Say whether neither judge has the item of the other one."""
        (a, i), (b, j) = one, other
        return b not in self.judges[self.hands[a][i].id] and (
            a not in self.judges[self.hands[b][j].id]
        )

    def _again(self, one: Place, other: Place) -> int:
        """Return by how much an exchange changes how often judges meet a source again."""
        (a, i), (b, j) = one, other
        mine, yours = self.hands[a][i].source, self.hands[b][j].source
        if mine == yours:
            return 0
        now = (mine is not None) * (self.met[a][mine] - 1)
        now += (yours is not None) * (self.met[b][yours] - 1)
        then = (yours is not None) * self.met[a][yours] + (mine is not None) * self.met[b][mine]
        return then - now

    def _uneven(self, one: Place, other: Place) -> int:
        """Return by how much an exchange changes the sum of squares of what pairs share."""
        (a, i), (b, j) = one, other
        mine, yours = self.judges[self.hands[a][i].id], self.judges[self.hands[b][j].id]
        first, second = self.shared[a], self.shared[b]
        lost = sum(2 * (second[each] - first[each]) + 2 for each in mine - yours if each != a)
        won = sum(2 * (first[each] - second[each]) + 2 for each in yours - mine if each != b)
        return lost + won

    def _do(self, one: Place, other: Place) -> None:
        (a, i), (b, j) = one, other
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
            for each in judges:
                self.shared[judge][each] += step
                self.shared[each][judge] += step
        if step > 0:
            judges.add(judge)
