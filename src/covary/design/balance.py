"""What a plan balances and what it does not, counted from the plan itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from covary.design.blocks import judges_for_balance
from covary.design.counts import PlanCounts
from covary.design.make import settings_of
from covary.design.plan import Plan, Task
from covary.design.squares import rows_needed
from covary.study.model import DesignSettings, Study
from covary.words import Note

VERDICTS = {
    "balanced": True,
    "as even as can be": True,
    "kept": True,
    "linked": True,
    "not balanced": False,
    "not kept": False,
    "not linked": False,
    "": None,
}
"""Whether a verdict is good; None where there is nothing to be balanced."""

Range = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Aspect:
    """One thing that a plan may balance: what was found, in a word and in a sentence.

    `low` and `high` are the smallest and the largest count. `part` is the part of the study that
    it is about, empty where one plan is for all parts.
    """

    name: str
    verdict: str
    words: Note
    low: float | None = None
    high: float | None = None
    part: str = ""

    @property
    def good(self) -> bool | None:
        """Whether it is balanced; None where there is nothing to be balanced."""
        return VERDICTS[self.verdict]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        names = ("name", "good", "verdict", "words", "low", "high", "part")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, kw_only=True)
class Balance:
    """What a plan balances, aspect by aspect."""

    judges: int
    items: int
    tasks: int
    aspects: tuple[Aspect, ...]

    def aspect(self, name: str) -> Aspect:
        """Return the aspect of this name."""
        return next(aspect for aspect in self.aspects if aspect.name == name)

    def __contains__(self, name: object) -> bool:
        return any(aspect.name == name for aspect in self.aspects)

    def sentences(self) -> tuple[str, ...]:
        """Say all of it, one sentence for each aspect."""
        return tuple(
            f"{f'{aspect.part}: ' if aspect.part else ''}{aspect.name}: "
            f"{f'{aspect.verdict}: ' if aspect.verdict else ''}{aspect.words}."
            for aspect in self.aspects
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        counts = {"judges": self.judges, "items": self.items, "tasks": self.tasks}
        return {**counts, "aspects": [aspect.to_dict() for aspect in self.aspects]}


def _judged(name: str, verdict: str, words: Note, ends: Range) -> Aspect:
    return Aspect(name=name, verdict=verdict, words=words, low=ends[0], high=ends[1])


def _even(
    name: str, words: Note, ends: Range, advice: Note | None = None, *, close: bool = False
) -> Aspect:
    """Say whether counts are equal; where they cannot be, `close` ones that differ by 1 will do."""
    low, high = ends
    if low == high:
        return _judged(name, "balanced", words, ends)
    if close and high - low == 1:
        return _judged(name, "as even as can be", words, ends)
    if advice is not None:
        words = Note("design.with-advice", words=words, advice=advice)
    return _judged(name, "not balanced", words, ends)


def range_of(values: Any) -> tuple[int, int]:
    """Return the smallest and the largest count; 0 and 0 where there is none."""
    counts = np.asarray(values)
    return (int(counts.min()), int(counts.max())) if counts.size else (0, 0)


def multiples_near(number: int, step: int) -> list[int]:
    """Return the multiples of a step next to a number."""
    below = number // step * step
    return [multiple for multiple in (below, below + step) if multiple > 0]


LEAST_ORDERED = 2
"""Two judges can only order alike what both of them rated: two items or more."""

ENOUGH_COMMON = 10
"""On fewer common items the coefficients of a pair of judges rest on next to nothing."""


def balance(study: Study, plan: Plan) -> Balance:
    """Say what a plan balances and what it does not.

    Who rates what, positions, carry-over, pairs of systems, the efficiency factor, common items of
    judges and whether they link all judges, sides and distances are counted from the tasks, so
    that a plan that was changed by hand is described as it is.
    """
    wish = settings_of(study, plan)
    if study.dealt_by_part:
        aspects = [aspect for part in study.parts for aspect in _of_part(study, plan, wish, part)]
        if wish.parts != "one-each":
            aspects += _part_aspects(PlanCounts(study, plan))
    else:
        aspects = list(_aspects(PlanCounts(study, plan), wish))
    return Balance(
        judges=len(plan.sheets),
        items=len(study.items_of("item")),
        tasks=sum(len(sheet.tasks) for sheet in plan.sheets),
        aspects=tuple(aspects),
    )


def _of_part(study: Study, plan: Plan, wish: DesignSettings, part: str) -> Iterator[Aspect]:
    """Say what a plan balances within one part, whose items or judges are its own."""
    own = replace(study.of_part(part), parts=(part,))
    tasks = {
        sheet: tuple(task for task in sheet.tasks if task.part == part) for sheet in plan.sheets
    }
    sheets = tuple(replace(sheet, tasks=some) for sheet, some in tasks.items() if some)
    for aspect in _aspects(PlanCounts(own, replace(plan, sheets=sheets)), wish.of_part(part)):
        yield replace(aspect, part=part)


def _aspects(counts: PlanCounts, wish: DesignSettings) -> Iterator[Aspect]:
    yield from _load_aspects(counts, wish)
    yield from _system_aspects(counts, wish)
    yield from _source_aspects(counts)
    yield from _order_aspects(counts, wish)
    yield from _overlap_aspects(counts)
    yield from _part_aspects(counts)
    yield from _side_aspects(counts)
    yield from _distance_aspects(counts, wish)


def _load_aspects(counts: PlanCounts, wish: DesignSettings) -> Iterator[Aspect]:
    ends = range_of(counts.per_judge)
    words = Note("design.items-per-judge", ends=ends)
    yield _even("items per judge", words, ends, close=wish.kind == "overlap")
    ends = range_of(counts.per_item)
    unrated = int((counts.per_item == 0).sum())
    code = "design.unrated-items" if unrated else "design.judges-per-item"
    words = Note(code, ends=ends, unrated=unrated, items=counts.per_item.size)
    advice = None
    if wish.kind in ("latin-squares", "williams") and counts.systems:
        near = multiples_near(len(counts.plan.sheets), len(counts.systems))
        advice = Note("design.even-with-judges", near=near)
    if wish.kind == "blocks" and unrated:
        advice = Note("design.say-judges-per-item")
    yield _even("judges per item", words, ends, advice)


def _system_aspects(counts: PlanCounts, wish: DesignSettings) -> Iterator[Aspect]:
    table = counts.judges_by_systems
    if len(counts.systems) < 2:
        return
    ends = range_of(table)
    is_scarce = ends[0] == 0
    if wish.kind != "blocks":
        words = Note("design.systems-per-judge", ends=ends)
        yield _even("systems per judge", words, ends, close=wish.kind == "overlap")
    if wish.kind == "blocks" or is_scarce:
        ends = range_of((table > 0).sum(axis=0))
        yield _even("judges per system", Note("design.judges-per-system", ends=ends), ends)
        yield _meeting_aspect(counts, wish)
    yield _efficiency_aspect(counts)


def _meeting_aspect(counts: PlanCounts, wish: DesignSettings) -> Aspect:
    marks = (counts.judges_by_systems > 0).astype(np.int64)
    ends = range_of((marks.T @ marks)[np.triu_indices(marks.shape[1], 1)])
    advice = None
    if wish.kind == "blocks" and wish.per_judge:
        step = judges_for_balance(marks.shape[1], wish.per_judge)
        possible = len(counts.plan.sheets) % step == 0
        code = "design.nothing-more-even" if possible else "design.even-with-multiple"
        advice = Note(code, step=step)
    return _even("pairs of systems", Note("design.meetings", ends=ends), ends, advice)


def _efficiency_aspect(counts: PlanCounts) -> Aspect:
    factors = counts.efficiencies
    if not factors.size or factors[0] < 1e-9:
        return _judged("efficiency", "not linked", Note("design.never-compared"), (0.0, 0.0))
    if factors[0] > 1 - 1e-9:
        return _judged("efficiency", "balanced", Note("design.best-efficiency"), (1.0, 1.0))
    worst, mean = float(factors[0]), factors.size / float((1 / factors).sum())
    words = Note("design.efficiency", mean=mean, worst=worst)
    return _judged("efficiency", "", words, (worst, mean))


def _source_aspects(counts: PlanCounts) -> Iterator[Aspect]:
    items = counts.study.items_of("item")
    sources = dict.fromkeys(item.source for item in items)
    if len(sources) < 2:
        return
    codes = {name: place for place, name in enumerate(sources)}
    of_item = np.array([codes[item.source] for item in items])
    judges, rated = counts.rated
    kept = rated < len(items)
    cells = judges[kept] * len(sources) + of_item[rated[kept]]
    _, often = np.unique(cells, return_counts=True)
    low, high = range_of(often)
    low = low if often.size == len(counts.plan.sheets) * len(sources) else 0
    verdict = "balanced" if high <= 1 or low == high else "not balanced"
    words = Note("design.sources", ends=(low, high))
    yield _judged("sources", verdict, words, (low, high))


def _order_aspects(counts: PlanCounts, wish: DesignSettings) -> Iterator[Aspect]:
    if len(counts.systems) < 2:
        return
    table = counts.positions
    ends = range_of(table)
    ratings = table.sum(axis=1)
    words = Note("design.positions", ends=ends)
    if ends[0] != ends[1] and ratings.all():
        means = (table * np.arange(1, table.shape[1] + 1)).sum(axis=1) / ratings
        facts = {"least": float(means.min()), "most": float(means.max())}
        words = Note("design.mean-positions", ends=ends, **facts)
    yield _even("positions", words, ends)
    others = ~np.eye(len(counts.systems), dtype=bool)
    ends = range_of(counts.neighbours[others])
    own = int(counts.neighbours[~others].max(initial=0))
    code = "design.carry-over-itself" if own else "design.carry-over"
    words = Note(code, ends=ends, own=(own, own))
    yield _even("carry-over", words, ends, _carry_over_advice(counts, wish))


def _carry_over_advice(counts: PlanCounts, wish: DesignSettings) -> Note | None:
    judges, step = len(counts.plan.sheets), rows_needed(len(counts.systems))
    if "williams" not in (wish.kind, wish.order):
        free = wish.kind in ("overlap", "blocks")
        return None if free else Note("design.order-williams")
    if judges % step:
        return Note("design.even-with-judges", near=multiples_near(judges, step))
    return Note("design.even-in-rounds")


def _overlap_aspects(counts: PlanCounts) -> Iterator[Aspect]:
    if len(counts.plan.sheets) < 2:
        return
    groups = counts.groups
    linked = groups == 1
    words = Note("design.linked" if linked else "design.not-linked", groups=groups)
    verdict = "linked" if linked else "not linked"
    yield Aspect(name="links", verdict=verdict, words=words, low=groups)
    if counts.common is None:
        return
    ends = range_of(counts.common)
    if ends[1] == 0:  # the links say so
        return
    code = "design.few-common" if ends[0] < ENOUGH_COMMON else "design.common"
    code = "design.no-common-pair" if ends[1] < LEAST_ORDERED else code
    yield _even("pairs of judges", Note(code, ends=ends, enough=ENOUGH_COMMON), ends)


def _part_aspects(counts: PlanCounts) -> Iterator[Aspect]:
    if len(counts.study.parts) < 2:
        return
    orders = Counter(
        tuple(dict.fromkeys(task.part for task in sheet.tasks)) for sheet in counts.plan.sheets
    )
    words = Note("design.orders-of-parts", orders=orders.most_common(6))
    yield _even("order of parts", words, (min(orders.values()), max(orders.values())))


def _side_aspects(counts: PlanCounts) -> Iterator[Aspect]:
    """Count how often each order of an item's texts is shown, over judges and for each judge."""
    shown: Counter[tuple[str, str, int, tuple[int, ...]]] = Counter()
    first: Counter[tuple[int, int]] = Counter()
    for sheet in counts.plan.sheets:
        for task in sheet.tasks:
            if task.order and task.kind in ("item", "anchor"):
                shown[task.item, task.part, task.occasion, task.order] += 1
                first[sheet.number, task.order[0]] += 1
    if not shown:
        return
    low, high = _side_range(shown)
    size = max(len(order) for *_, order in shown)
    own = [first[sheet.number, place] for sheet in counts.plan.sheets for place in range(size)]
    words = Note("design.sides", ends=(low, high), own=(min(own), max(own)))
    verdict = "balanced" if high - low <= 1 else "not balanced"
    yield _judged("sides", verdict, words, (low, high))


def _side_range(shown: Counter[tuple[str, str, int, tuple[int, ...]]]) -> tuple[int, int]:
    """Return the least and the most often that an order of an item was shown."""
    orders: dict[tuple[str, str, int], list[int]] = {}
    for (item, part, occasion, _), often in shown.items():
        orders.setdefault((item, part, occasion), []).append(often)
    sizes = {len(order) for *_, order in shown}
    possible = rows_needed(next(iter(sizes))) if len(sizes) == 1 else 0
    low = min(0 if len(often) < possible else min(often) for often in orders.values())
    return low, max(max(often) for often in orders.values())


def _distance_aspects(counts: PlanCounts, wish: DesignSettings) -> Iterator[Aspect]:
    repeats = [gap for run in counts.runs for gap in _repeat_gaps(run)]
    if repeats:
        yield _distance_aspect("repeats", min(repeats), wish.repeat_distance)
    if wish.source_distance and len(counts.study.sources) > 1:
        sources = [gap for run in counts.runs for gap in _source_gaps(run, counts.study)]
        if sources:
            yield _distance_aspect("source distance", min(sources), wish.source_distance)


def _distance_aspect(name: str, least: int, distance: int) -> Aspect:
    kept = least >= distance
    code = f"design.{name.replace(' ', '-')}" + ("" if kept else "-not-kept")
    words = Note(code, least=least, distance=distance)
    return Aspect(name=name, verdict="kept" if kept else "not kept", words=words, low=least)


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
