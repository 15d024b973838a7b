"""Counts taken from the tasks of a plan, without help from covary."""

from collections import Counter
from itertools import pairwise


def rated(plan, kind="item"):
    """(sheet, item) of each task of a kind, part and occasion left aside."""
    return {(s.number, t.item) for s in plan.sheets for t in s.tasks if t.kind == kind}


def by_judge_and_system(study, plan):
    return Counter((number, study.item(item).system) for number, item in rated(plan))


def by_item(plan):
    return Counter(item for _, item in rated(plan))


def by_judge_and_source(study, plan):
    return Counter((number, study.item(item).source) for number, item in rated(plan))


def systems_in_order(study, sheet):
    return [study.item(task.item).system for task in sheet.tasks if task.kind == "item"]


def neighbours(study, plan):
    rows = [systems_in_order(study, sheet) for sheet in plan.sheets]
    return Counter(pair for row in rows for pair in pairwise(row))


def positions(study, plan):
    rows = [systems_in_order(study, sheet) for sheet in plan.sheets]
    return Counter((place, system) for row in rows for place, system in enumerate(row))


def common_items(plan, kinds=("item", "anchor")):
    """How many items each pair of sheets shares."""
    hands = {s.number: {t.item for t in s.tasks if t.kind in kinds} for s in plan.sheets}
    return {(a, b): len(hands[a] & hands[b]) for a in hands for b in hands if a < b}


def others_between(sheet, of):
    """The least number of other tasks between two that are alike, or None."""
    last, least = {}, None
    for place, task in enumerate(t for t in sheet.tasks if t.kind != "practice"):
        key = of(task)
        if key is not None and key in last:
            gap = place - last[key] - 1
            least = gap if least is None else min(least, gap)
        last[key] = place
    return least
