"""What a plan lets be counted: judges by items and by systems, positions, neighbours."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from covary.design.plan import Plan, Task, system_of
from covary.design.sheets import sections
from covary.study.model import Study

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

MOST_PAIRS = 2_000_000
"""Pairs of judges beyond which they are not counted one by one."""


@dataclass(frozen=True)
class PlanCounts:
    """Counts of a plan. Who rates what is the same in each part and on each occasion."""

    study: Study
    plan: Plan

    @cached_property
    def systems(self) -> list[str]:
        """The systems of the items, in their order."""
        systems = dict.fromkeys(system_of(item) for item in self.study.items_of("item"))
        return [system for system in systems if system is not None]

    @cached_property
    def rated(self) -> tuple[Ints, Ints]:
        """The sheet and the item of each rating: by place, items before anchors."""
        kinds = ("item", "anchor")
        ids = [item.id for kind in kinds for item in self.study.items if item.kind == kind]
        place = {name: number for number, name in enumerate(ids)}
        pairs = {
            (number, place[task.item])
            for number, sheet in enumerate(self.plan.sheets)
            for task in sheet.tasks
            if task.kind in kinds
        }
        ratings = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
        return ratings[:, 0], ratings[:, 1]

    @cached_property
    def per_item(self) -> Ints:
        """How many judges rate each item; anchors are left out."""
        items = len(self.study.items_of("item"))
        return np.bincount(self.rated[1], minlength=items)[:items]

    @cached_property
    def per_judge(self) -> Ints:
        """How many items each judge rates; anchors are left out."""
        judges, items = self.rated
        kept = judges[items < len(self.study.items_of("item"))]
        return np.bincount(kept, minlength=len(self.plan.sheets))

    @cached_property
    def judges_by_systems(self) -> Ints:
        """How many items of each system each judge rates."""
        of_item = np.array(list(self._code.values()), dtype=np.int64)
        judges, items = self.rated
        kept = items < len(of_item)
        judges, system = judges[kept], of_item[items[kept]]
        width = len(self.systems)
        flat = np.bincount(
            (judges * width + system)[system >= 0], minlength=len(self.plan.sheets) * width
        )
        return flat.reshape(len(self.plan.sheets), width)

    @cached_property
    def common(self) -> Ints | None:
        """How many items each pair of judges shares; None where there are too many pairs."""
        judges, items = self.rated
        number = len(self.plan.sheets)
        if number * (number - 1) // 2 > MOST_PAIRS:
            return None
        size = int(items.max(initial=-1)) + 1
        if judges.size > number * size / 20:
            marks = np.zeros((number, size), dtype=np.float32)
            marks[judges, items] = 1
            shared = (marks @ marks.T).astype(np.int64)
        else:
            shared = _sparse_product(judges, items, (number, size))
        return shared[np.triu_indices(number, 1)]

    @cached_property
    def groups(self) -> int:
        """Into how many groups without a common item the judges fall."""
        judges, items = self.rated
        lead = list(range(len(self.plan.sheets)))

        def top(judge: int) -> int:
            while lead[judge] != judge:
                lead[judge] = lead[lead[judge]]
                judge = lead[judge]
            return judge

        first: dict[int, int] = {}
        for judge, item in zip(judges.tolist(), items.tolist(), strict=True):
            lead[top(judge)] = top(first.setdefault(item, judge))
        return len({top(judge) for judge in lead})

    @cached_property
    def efficiencies(self) -> Floats:
        """The canonical efficiency factors of comparing systems within judges.

        They are the eigenvalues, all but one 0, of the information matrix of the systems scaled by
        their numbers of ratings; 1 where each judge rates each system equally often.
        """
        counts = self.judges_by_systems.astype(float)
        counts = counts[counts.sum(axis=1) > 0]
        ratings = counts.sum(axis=0)
        if len(ratings) < 2 or not ratings.all():
            return np.array([])
        within = np.diag(ratings) - (counts / counts.sum(axis=1, keepdims=True)).T @ counts
        scaled = within / np.sqrt(np.outer(ratings, ratings))
        return np.asarray(np.clip(np.sort(np.linalg.eigvalsh(scaled))[1:], 0, 1))

    @cached_property
    def positions(self) -> Ints:
        """How often each system stands in each position among the items of a part."""
        runs = [[task for task in run if task.kind == "item"] for run in self.runs]
        table = np.zeros((len(self.systems), max(map(len, runs), default=0)), dtype=np.int64)
        for run in runs:
            codes = np.array([self._code[task.item] for task in run], dtype=np.int64)
            known = codes >= 0
            table[codes[known], np.flatnonzero(known)] += 1
        return table

    @cached_property
    def neighbours(self) -> Ints:
        """How often each system comes directly after each other one."""
        pairs = Counter(
            (self._code[task.item], self._code[other.item])
            for run in self.runs
            for task, other in pairwise(run)
            if task.kind == other.kind == "item"
        )
        table = np.zeros((len(self.systems), len(self.systems)), dtype=np.int64)
        for (before, after), times in pairs.items():
            if before >= 0 and after >= 0:
                table[before, after] = times
        return table

    @cached_property
    def runs(self) -> list[list[Task]]:
        """The tasks of each part and occasion of each sheet, in order, without practice."""
        return [run for sheet in self.plan.sheets for run in sections(sheet)]

    @cached_property
    def _code(self) -> dict[str, int]:
        """The number of each item's system; -1 where it has none."""
        code = {name: number for number, name in enumerate(self.systems)}
        items = self.study.items_of("item")
        return {item.id: code.get(system_of(item) or "", -1) for item in items}


def _sparse_product(judges: Ints, items: Ints, shape: tuple[int, int]) -> Ints:
    from scipy.sparse import csr_array

    marks = csr_array((np.ones(judges.size, dtype=np.int32), (judges, items)), shape=shape)
    return np.asarray((marks @ marks.T).toarray(), dtype=np.int64)
