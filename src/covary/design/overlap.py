"""Overlap: more items than a judge can rate, so each item is rated by some of the judges.

Items are dealt system by system. Each goes to the judges who have the fewest items so far; among
these to who has the fewest of this system and shares the fewest items with the others who get it.
Loads therefore differ by one at most, for each system too. Items of one system are then exchanged
between judges, until few meet a source twice and pairs of judges share about equally many items.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from covary.design.chance import stream
from covary.design.parting import improve
from covary.design.share import Share, system_of
from covary.errors import InvalidArgument
from covary.study.model import DesignWish, Item, Study

__all__ = ["further_shares", "overlap_row", "overlap_shares"]

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


def overlap_row(index: int, wish: DesignWish) -> str:
    """Name the share of the judge at this index."""
    return f"{'list' if wish.order == 'as-listed' else 'share'} {index + 1}"


def overlap_shares(study: Study, wish: DesignWish) -> list[Share]:
    """Deal the items to the judges of the study."""
    items = study.items_of("item")
    number = _judges_per_item(len(items), wish, anchors=bool(study.items_of("anchor")))
    rng = stream(wish.seed, "deal")
    dealer = Dealer(wish.judges, rng)
    hands: list[list[Item]] = [[] for _ in range(wish.judges)]
    for group in _by_system(items, rng):
        dealer.next_system()
        for item in group:
            for judge in dealer.deal(number):
                hands[judge].append(item)
    improve(hands, rng)
    return [Share(overlap_row(index, wish), tuple(hand)) for index, hand in enumerate(hands)]


def further_shares(
    study: Study, wish: DesignWish, indices: Sequence[int], before: Sequence[Sequence[str]]
) -> list[Share]:
    """Give further judges the items with the fewest ratings, each system equally often.

    `before` holds the items of each sheet that there is.
    """
    items = {each.id: each for each in study.items_of("item")}
    count = dict.fromkeys(items, 0)
    for rated in chain.from_iterable(before):
        if rated in count:
            count[rated] += 1
    load = round(float(np.mean([len(sheet) for sheet in before]))) if before else len(items)
    shares = []
    for index in indices:
        rng = stream(wish.seed, "further", index)
        chosen = _fewest(_by_system(tuple(items.values()), rng), count, max(1, load))
        for each in chosen:
            count[each.id] += 1
        shares.append(Share(overlap_row(index, wish), tuple(chosen)))
    return shares


def _fewest(groups: list[list[Item]], count: dict[str, int], load: int) -> list[Item]:
    """Take items in turn from each system, those with the fewest ratings and new sources first."""
    for group in groups:
        group.sort(key=lambda each: count[each.id])  # stable: equals stay shuffled
    ranked = sorted(
        ((place, number) for number, group in enumerate(groups) for place in range(len(group)))
    )
    fewest = [groups[number][place] for place, number in ranked]
    fewest.sort(key=lambda each: count[each.id])
    seen: set[str] = set()
    fresh: list[Item] = []
    again: list[Item] = []
    for each in fewest:
        known = each.source is not None and each.source in seen
        (again if known and count[each.id] > count[fewest[0].id] else fresh).append(each)
        seen.add(each.source or "")
    return (fresh + again)[:load]


def _by_system(items: Sequence[Item], rng: np.random.Generator) -> list[list[Item]]:
    groups: dict[str | None, list[Item]] = {}
    for place in rng.permutation(len(items)):
        groups.setdefault(system_of(items[place]), []).append(items[place])
    return list(groups.values())


def _judges_per_item(items: int, wish: DesignWish, *, anchors: bool) -> int:
    """Refuse numbers that do not fit together; return how many judges rate each item."""
    judges, most = wish.judges, wish.per_judge
    if not items:
        raise InvalidArgument("the study has no items of the kind 'item'")
    if wish.order == "williams":
        raise InvalidArgument(
            "order = 'williams' needs judges who rate each system equally often; with "
            "kind = 'overlap' use order = 'random', or kind = 'latin-squares' with it"
        )
    if most is not None and most > items:
        raise InvalidArgument(
            f"per_judge = {most} is more than the {items} items of the study; use {items} or fewer"
        )
    if wish.judges_per_item is not None:
        number = wish.judges_per_item
    elif most is not None:
        number = judges * most // items
    else:
        number = min(2, judges)
    if number > judges:
        raise InvalidArgument(
            f"judges_per_item = {number} is more than the {judges} judges; use {judges} or fewer"
        )
    if most is not None and (number < 1 or judges * most < items * number):
        wanted = max(number, 1)
        raise InvalidArgument(
            f"{judges} judges with at most {most} items each cannot rate {items} items "
            f"{wanted} times; use {-(-items * wanted // most)} judges, or "
            f"per_judge = {-(-items * wanted // judges)}"
        )
    if number < 2 and judges > 1 and not anchors:
        raise InvalidArgument(
            "with one judge per item no two judges share an item, and neither agreement nor "
            "severity can be told from the items; use judges_per_item = 2, or add anchor items"
        )
    return number
