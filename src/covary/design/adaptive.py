"""Sheets for the next ratings where they help most: so many of each system, thin items first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from covary.design.make import settings_of
from covary.design.plan import JudgeShare, Plan, Sheet, random_stream, system_of
from covary.design.sheets import Assembler, Sides
from covary.errors import InvalidArgument
from covary.study.model import Item, Study

ROW = "adaptive"
"""How the rows of such sheets are called, before their number."""


def is_adaptive(sheet: Sheet) -> bool:
    """Whether a sheet was dealt out adaptively."""
    return sheet.row.split(" ")[0] == ROW


def usual_load(plan: Plan) -> int:
    """How many items a sheet of a plan has, on average and at least one."""
    sizes = [len(_items_of(sheet)) for sheet in plan.sheets]
    return max(1, round(float(np.mean(sizes)))) if sizes else 1


def fullest_load(study: Study, shares: Mapping[Any, int], judges: int) -> int:
    """How many items fit on each sheet in these proportions: a judge rates an item once."""
    there = Counter(str(system_of(item)) for item in study.items_of("item"))
    total = sum(shares.values())
    full = [there[str(name)] * total // share for name, share in shares.items() if share]
    return max(1, min([*full, total // judges]))


def adaptive_sheets(
    study: Study, plan: Plan, shares: Mapping[str, int], judges: int
) -> tuple[Sheet, ...]:
    """Return sheets that give each system its share of the next ratings.

    The items with the fewest ratings on the sheets of the plan come first, and among them those
    whose source the judge has not met. The sheets continue the plan's numbers; practice, checks,
    anchors and items with a known answer are on them as on every sheet.

    Parameters
    ----------
    study, plan
        The study, and the sheets there are.
    shares
        How many of the next ratings each system gets.
    judges
        Over how many sheets they are spread, as evenly as whole numbers allow.
    """
    wish = settings_of(study, plan)
    if study.dealt_by_part or wish.parts == "one-each":
        raise InvalidArgument("design.adaptive-parts")
    wish = replace(wish, kind="overlap", per_judge=None, judges_per_item=None)
    if wish.order == "williams":
        wish = replace(wish, order="random")
    count = Counter(item for sheet in plan.sheets for item in _items_of(sheet))
    groups = _by_system(study, shares)
    assembler, sides = Assembler(study, wish), Sides(study, wish.seed, plan.sheets)
    last = max((sheet.number for sheet in plan.sheets), default=0)
    before = sum(map(is_adaptive, plan.sheets))
    sheets = []
    for turn in range(judges):
        number = last + turn + 1
        quotas = {
            system: share * (turn + 1) // judges - share * turn // judges
            for system, share in shares.items()
        }
        items = _deal(groups, quotas, count, random_stream(wish.seed, ROW, number))
        count.update(item.id for item in items)
        own = JudgeShare(f"{ROW} {before + turn + 1}", tuple(items))
        dealt = assembler.sheet(dict.fromkeys(study.parts, own), own.row, number, number - 1)
        sheets.append(sides.on(dealt))
    return tuple(sheets)


def _items_of(sheet: Sheet) -> set[str]:
    return {task.item for task in sheet.tasks if task.kind == "item"}


def _by_system(study: Study, shares: Mapping[str, int]) -> dict[str, list[Item]]:
    groups: dict[str, list[Item]] = {system: [] for system in shares}
    for item in study.items_of("item"):
        groups.setdefault(str(system_of(item)), []).append(item)
    missing = [system for system, share in shares.items() if share and not groups[system]]
    if missing:
        raise InvalidArgument("design.adaptive-unknown", systems=missing)
    return groups


def _deal(
    groups: Mapping[str, Sequence[Item]],
    quotas: Mapping[str, int],
    count: Mapping[str, int],
    rng: np.random.Generator,
) -> list[Item]:
    """Take so many items of each system, those with the fewest ratings and new sources first."""
    met: set[str | None] = set()
    dealt: list[Item] = []
    for system, quota in sorted(quotas.items(), key=lambda pair: -pair[1]):
        left = [groups[system][place] for place in rng.permutation(len(groups[system]))]
        for _ in range(min(quota, len(left))):
            item = min(left, key=lambda one: (count[one.id], one.source in met))
            left.remove(item)
            dealt.append(item)
            met |= {item.source} if item.source is not None else set()
    return dealt
