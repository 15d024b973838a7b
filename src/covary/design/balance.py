"""What a plan balances and what it does not, counted from the plan itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from covary.design.aspects import (
    Aspect,
    Balance,
    counted,
    even,
    multiples_near,
    range_of,
    times,
)
from covary.design.counts import Counts
from covary.design.cyclic import balanced_in
from covary.design.make import wish_of
from covary.design.plan import Plan, Task
from covary.design.williams import rows_needed
from covary.study.model import DesignWish, Study

__all__ = ["Aspect", "Balance", "balance"]

ENOUGH_COMMON = 10
"""On fewer common items the coefficients of a pair of judges rest on next to nothing."""


def balance(study: Study, plan: Plan) -> Balance:
    """Say what a plan balances and what it does not.

    Who rates what, positions, carry-over, pairs of systems, the efficiency factor, common items of
    judges and whether they link all judges, sides and distances are counted from the tasks, so
    that a plan that was changed by hand is described as it is.
    """
    counts, wish = Counts(study, plan), wish_of(study, plan)
    aspects = (
        *_loads(counts, wish),
        *_systems(counts, wish),
        *_sources(counts),
        *_order(counts, wish),
        *_overlap(counts),
        *_parts(counts),
        *_sides(counts),
        *_distances(counts, wish),
    )
    tasks = sum(len(sheet.tasks) for sheet in plan.sheets)
    return Balance(len(plan.sheets), len(study.items_of("item")), tasks, aspects)


def _loads(counts: Counts, wish: DesignWish) -> Iterator[Aspect]:
    low, high = range_of(counts.per_judge)
    words = f"each judge rates {counted(low, high, 'item')}"
    yield even("items per judge", low, high, words, close=wish.kind == "overlap")
    low, high = range_of(counts.per_item)
    unrated = int((counts.per_item == 0).sum())
    words = f"each item is rated by {counted(low, high, 'judge')}"
    if unrated:
        words += f" ({unrated} of {counts.per_item.size} by nobody)"
    advice = ""
    if wish.kind in ("latin-squares", "williams") and counts.systems:
        near = multiples_near(len(counts.plan.sheets), len(counts.systems))
        advice = f"; {near} judges would make it even"
    if wish.kind == "blocks" and unrated:
        advice = "; judges_per_item says how often each is to be rated"
    yield even("judges per item", low, high, words, advice)


def _systems(counts: Counts, wish: DesignWish) -> Iterator[Aspect]:
    table = counts.judges_by_systems
    systems = len(counts.systems)
    if systems < 2:
        return
    low, high = range_of(table)
    if wish.kind != "blocks":
        words = f"each judge rates each system {times(low, high)}"
        yield even("systems per judge", low, high, words, close=wish.kind == "overlap")
    if wish.kind == "blocks" or low == 0:
        low, high = range_of((table > 0).sum(axis=0))
        words = f"each system is rated by {counted(low, high, 'judge')}"
        yield even("judges per system", low, high, words)
        yield _meetings(counts, wish)
    yield _efficiency(counts)


def _meetings(counts: Counts, wish: DesignWish) -> Aspect:
    marks = (counts.judges_by_systems > 0).astype(np.int64)
    meets = (marks.T @ marks)[np.triu_indices(marks.shape[1], 1)]
    low, high = range_of(meets)
    advice = ""
    if wish.kind == "blocks" and wish.per_judge:
        step = balanced_in(marks.shape[1], wish.per_judge)
        advice = (
            "; the search found nothing more even"
            if len(counts.plan.sheets) % step == 0
            else f"; a multiple of {step} judges can make it even"
        )
    words = f"each pair of systems meets at {counted(low, high, 'judge')}"
    return even("pairs of systems", low, high, words, advice)


def _efficiency(counts: Counts) -> Aspect:
    factors = counts.efficiencies
    if not factors.size or factors[0] < 1e-9:
        return Aspect(
            "efficiency", False, "not linked",
            "some systems are never compared within a judge, directly or through others", 0.0, 0.0,
        )  # fmt: skip
    if factors[0] > 1 - 1e-9:
        words = "each comparison of systems within judges is as good as it can be (factor 1)"
        return Aspect("efficiency", True, "balanced", words, 1.0, 1.0)
    mean = factors.size / float((1 / factors).sum())
    words = (
        f"systems are compared within judges with efficiency factor {mean:.3f} (1 if each judge "
        f"rated all of them alike), the worst comparison with {factors[0]:.3f}"
    )
    return Aspect("efficiency", None, "", words, float(factors[0]), mean)


def _sources(counts: Counts) -> Iterator[Aspect]:
    items = counts.study.items_of("item")
    names = {name: place for place, name in enumerate(dict.fromkeys(e.source for e in items))}
    if len(names) < 2:
        return
    of_item = np.array([names[each.source] for each in items])
    judges, rated = counts.rated
    kept = rated < len(items)
    cells = judges[kept] * len(names) + of_item[rated[kept]]
    _, often = np.unique(cells, return_counts=True)
    low, high = range_of(often)
    low = low if often.size == len(counts.plan.sheets) * len(names) else 0
    good = high <= 1 or low == high
    words = f"each judge meets each source {times(low, high)}"
    yield Aspect("sources", good, "balanced" if good else "not balanced", words, low, high)


def _order(counts: Counts, wish: DesignWish) -> Iterator[Aspect]:
    if len(counts.systems) < 2:
        return
    table = counts.positions
    low, high = range_of(table)
    ratings = table.sum(axis=1)
    words = f"each system stands in each position {times(low, high)}"
    if low != high and ratings.all():
        means = (table * np.arange(1, table.shape[1] + 1)).sum(axis=1) / ratings
        words += f"; mean positions lie between {means.min():.1f} and {means.max():.1f}"
    yield even("positions", low, high, words)
    others = ~np.eye(len(counts.systems), dtype=bool)
    low, high = range_of(counts.neighbours[others])
    own = int(counts.neighbours[~others].max(initial=0))
    words = f"each system comes right after each other one {times(low, high)}"
    words += f", after itself up to {times(own, own)}" if own else ""
    yield even("carry-over", low, high, words, _carry_over_advice(counts, wish))


def _carry_over_advice(counts: Counts, wish: DesignWish) -> str:
    judges, step = len(counts.plan.sheets), rows_needed(len(counts.systems))
    if "williams" not in (wish.kind, wish.order):
        return "" if wish.kind in ("overlap", "blocks") else "; order = 'williams' would even it"
    if judges % step:
        return f"; {multiples_near(judges, step)} judges would make it even"
    return "; within each round it is even"


def _overlap(counts: Counts) -> Iterator[Aspect]:
    judges = len(counts.plan.sheets)
    if judges < 2:
        return
    groups = counts.groups
    words = "common items link all judges" if groups == 1 else (
        f"the judges fall into {groups} groups that share no item, between which agreement cannot "
        "be told; add anchor items, or let more judges rate each item"
    )  # fmt: skip
    yield Aspect("links", groups == 1, "linked" if groups == 1 else "not linked", words, groups)
    if counts.common is None:
        return
    low, high = range_of(counts.common)
    if high == 0:  # the links say so
        return
    words = f"each pair of judges shares {counted(low, high, 'item')}"
    if low < ENOUGH_COMMON:
        words += (
            f"; a coefficient of one pair needs {ENOUGH_COMMON} or more, those over all judges "
            "do not"
        )
    yield even("pairs of judges", low, high, words)


def _parts(counts: Counts) -> Iterator[Aspect]:
    if len(counts.study.parts) < 2:
        return
    orders = Counter(
        tuple(dict.fromkeys(task.part for task in sheet.tasks)) for sheet in counts.plan.sheets
    )
    low, high = min(orders.values()), max(orders.values())
    shown = ", ".join(f"{' – '.join(order)} {times(n, n)}" for order, n in orders.most_common(6))
    yield even("order of parts", low, high, shown)


def _sides(counts: Counts) -> Iterator[Aspect]:
    """Count how often each order of an item's texts is shown, over judges and for each judge."""
    shown: Counter[tuple[str, str, int, tuple[int, ...]]] = Counter()
    first: Counter[tuple[int, int]] = Counter()
    sizes: set[int] = set()
    for sheet in counts.plan.sheets:
        for task in sheet.tasks:
            if task.order and task.kind in ("item", "anchor"):
                shown[task.item, task.part, task.occasion, task.order] += 1
                first[sheet.number, task.order[0]] += 1
                sizes.add(len(task.order))
    if not shown:
        return
    low, high = _side_range(shown)
    size = max(sizes)
    own = [first[s.number, place] for s in counts.plan.sheets for place in range(size)]
    good = high - low <= 1
    words = (
        f"each order of an item's texts is shown {times(low, high)}; to one judge each place of "
        f"texts comes first {times(min(own), max(own))}"
    )
    yield Aspect("sides", good, "balanced" if good else "not balanced", words, low, high)


def _side_range(shown: Counter[tuple[str, str, int, tuple[int, ...]]]) -> tuple[int, int]:
    """Return the least and the most often that an order of an item was shown."""
    orders: dict[tuple[str, str, int], list[int]] = {}
    for (item, part, occasion, _), often in shown.items():
        orders.setdefault((item, part, occasion), []).append(often)
    rows = {key[3] for key in shown}
    size = {len(row) for row in rows}
    possible = rows_needed(next(iter(size))) if len(size) == 1 else 0
    low = min(0 if len(often) < possible else min(often) for often in orders.values())
    return low, max(max(often) for often in orders.values())


def _distances(counts: Counts, wish: DesignWish) -> Iterator[Aspect]:
    repeats = [gap for run in counts.runs for gap in _repeat_gaps(run)]
    if repeats:
        yield _kept("repeats", min(repeats), wish.repeat_distance, "an item and its repeat")
    if wish.source_distance and len(counts.study.sources) > 1:
        sources = [gap for run in counts.runs for gap in _source_gaps(run, counts.study)]
        if sources:
            yield _kept(
                "source distance", min(sources), wish.source_distance, "two items of one source"
            )


def _kept(name: str, least: int, wanted: int, what: str) -> Aspect:
    good = least >= wanted
    words = f"at least {least} other{'' if least == 1 else 's'} between {what}"
    if not good:
        words += f", where {wanted} {'was' if wanted == 1 else 'were'} asked for"
    return Aspect(name, good, "kept" if good else "not kept", words, least)


def _repeat_gaps(run: Iterable[Task]) -> Iterator[int]:
    first: dict[str, int] = {}
    for place, task in enumerate(run):
        if task.kind == "repeat" and task.item in first:
            yield place - first[task.item] - 1
        first.setdefault(task.item, place)


def _source_gaps(run: Iterable[Task], study: Study) -> Iterator[int]:
    last: dict[str, int] = {}
    for place, task in enumerate(run):
        source = study.item(task.item).source
        if source is not None:
            if source in last:
                yield place - last[source] - 1
            last[source] = place
