"""From a share to a sheet: practice first, then each occasion, part by part, in its own order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from covary.design.chance import stream
from covary.design.ordering import Placed, apart, in_rounds, with_extras, with_repeats
from covary.design.plan import Sheet, Task
from covary.design.share import Share
from covary.errors import InvalidArgument
from covary.study.model import DesignWish, Item, Study

__all__ = ["Assembler", "sections"]


class Assembler:
    """Puts shares of one study in order; each sheet draws from a stream of its own number."""

    def __init__(self, study: Study, wish: DesignWish) -> None:
        self.study = study
        self.wish = wish
        self.anchors = study.items_of("anchor")
        self.extras = (*study.items_of("check"), *study.items_of("gold"))
        self.place = {each.id: place for place, each in enumerate(study.items)}

    def sheet(self, share: Share, number: int, index: int) -> Sheet:
        """Return the sheet of a share; `index` decides which part comes first."""
        if self.wish.repeats > len(share.items):
            raise InvalidArgument(
                f"repeats = {self.wish.repeats} is more than the {len(share.items)} items that a "
                f"judge rates; use {len(share.items)} or fewer"
            )
        tasks = [
            Task(position, item.id, kind, part, occasion)
            for position, (part, occasion, (item, kind)) in enumerate(
                self._all(share, number, index), start=1
            )
        ]
        return Sheet(number, tuple(tasks), share.row)

    def _all(self, share: Share, number: int, index: int) -> Iterator[tuple[str, int, Placed]]:
        parts = self._parts(index)
        for part in parts:
            for item in self._asked(self.study.items_of("practice"), part):
                yield part, 1, (item, "practice")
        for occasion in range(1, self.wish.occasions + 1):
            for part in parts:
                rng = stream(self.wish.seed, "order", number, part, occasion)
                for placed in self._section(share, part, rng):
                    yield part, occasion, placed

    def _parts(self, index: int) -> tuple[str, ...]:
        """Return the parts in this judge's order, so that each comes first equally often."""
        parts = self.study.parts
        if self.wish.parts == "as-listed":
            return parts
        turn = index % len(parts)
        return parts[turn:] + parts[:turn]

    def _section(self, share: Share, part: str, rng: np.random.Generator) -> list[Placed]:
        between, extras = self.wish.source_distance, self._asked(self.extras, part)
        step = 1
        if self.wish.order == "as-listed":
            whole = sorted((*share.items, *self.anchors, *extras), key=lambda e: self.place[e.id])
            order = _kinds(whole)
            extras = ()
        elif share.rounds:
            step = len(share.rounds[0])
            order = _kinds(in_rounds(share.rounds, share.items, between, rng))
            extras = (*self.anchors, *extras)
        else:
            order = _kinds(apart((*share.items, *self.anchors), between, rng))
        order = with_repeats(
            order, self.wish.repeats, self.wish.repeat_distance, between, rng, step
        )
        return with_extras(order, extras, between, rng, step)

    def _asked(self, items: Sequence[Item], part: str) -> tuple[Item, ...]:
        """Return the items that belong to a part: those that expect no answer in another one."""
        keys = {each.key for each in self.study.criteria_of(part)}
        return tuple(each for each in items if not each.expected or keys & each.expected.keys())


def sections(sheet: Sheet) -> list[list[Task]]:
    """Return the tasks of each part on each occasion, in order, without practice."""
    found: dict[tuple[int, str], list[Task]] = {}
    for task in sheet.tasks:
        if task.kind != "practice":
            found.setdefault((task.occasion, task.part), []).append(task)
    return list(found.values())


def _kinds(items: Sequence[Item]) -> list[Placed]:
    return [(each, each.kind) for each in items if each.kind != "training"]
