"""A plan for a study, sheets for further judges, and a row once more for somebody else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import count, islice
from types import MappingProxyType
from typing import Any

from covary.design.blocks import block_row_names, block_shares
from covary.design.counts import PlanCounts
from covary.design.overlap import further_shares, overlap_row_names, overlap_shares
from covary.design.plan import LEAST, PART_ORDERS, JudgeShare, Plan, Sheet, Task
from covary.design.sheets import Assembler, Sides, sections
from covary.design.squares import (
    everyone_row_names,
    everyone_shares,
    latin_row_names,
    latin_shares,
)
from covary.errors import InvalidArgument
from covary.study.model import DesignSettings, Study
from covary.version import __version__

Shares = Callable[[Study, DesignSettings, range], list[JudgeShare]]
RowNames = Callable[[Study, DesignSettings], Callable[[int], str]]


@dataclass(frozen=True)
class DesignKind:
    """A kind of design: the shares of some rows, and how the row at an index is called."""

    shares: Shares
    row_names: RowNames


KINDS: Mapping[str, DesignKind] = MappingProxyType(
    {
        "latin-squares": DesignKind(latin_shares, latin_row_names),
        "williams": DesignKind(latin_shares, latin_row_names),
        "blocks": DesignKind(block_shares, block_row_names),
        "overlap": DesignKind(overlap_shares, overlap_row_names),
        "everyone": DesignKind(everyone_shares, everyone_row_names),
    }
)
"""The kinds of design, by their names in study.toml."""

CHOICES = {
    "kind": tuple(KINDS),
    "order": ("random", "williams", "as-listed"),
    "parts": PART_ORDERS,
}

KEPT = {"block", "list", "sequence"}
"""Words in the names of rows that are an order themselves."""


def make_plan(study: Study, *, judges: int | None = None, seed: int | None = None) -> Plan:
    """Say who rates what in which order.

    Parameters
    ----------
    study
        The study; its `design` says what is wanted.
    judges, seed
        Used instead of those of the study.

    Returns
    -------
    Plan
        A sheet for each judge, numbered from 1. The same study and seed give the same plan.

    Raises
    ------
    InvalidArgument
        The wish cannot be had; the message says which nearest one can.
    """
    changes: dict[str, Any] = {"judges": judges, "seed": seed}
    wish = replace(study.design, **{k: v for k, v in changes.items() if v is not None})
    _check(wish)
    slots = [_slot(study, wish, index) for index in range(wish.judges)]
    shares = {part: _dealt(study, wish, part, slots) for part in _parts_dealt(study)}
    assembler, sides = Assembler(study, wish), Sides(study, wish.seed)
    sheets = [
        sides.on(assembler.sheet(*_of_judge(study, slot, shares), index + 1, index))
        for index, slot in enumerate(slots)
    ]
    return Plan(wish.kind, wish.seed, tuple(sheets), _settings(wish))


def more_sheets(study: Study, plan: Plan, number: int) -> tuple[Sheet, ...]:
    """Return sheets for late and further judges, which continue the plan.

    They stand for the rows that the plan has not used yet: first the rest of a square that was
    begun, then a new one. With `overlap` they hold the items with the fewest ratings. Where parts
    have their own numbers of judges, those who come after all are for the part with the most.
    """
    if number < 1:
        raise InvalidArgument("design.no-number", number=number)
    wish = settings_of(study, plan)
    used = {sheet.row for sheet in plan.sheets}
    name = _slot_namer(study, wish)
    free = list(islice((index for index in count() if name(index) not in used), number))
    slots = [_slot(study, wish, index) for index in free]
    shares = {
        part: _dealt_later(study, wish, part=part, slots=slots, plan=plan)
        for part in _parts_dealt(study)
    }
    assembler, sides = Assembler(study, wish), Sides(study, wish.seed, plan.sheets)
    last = max((sheet.number for sheet in plan.sheets), default=0)
    return tuple(
        sides.on(assembler.sheet(*_of_judge(study, slot, shares), last + turn, index))
        for turn, (slot, index) in enumerate(zip(slots, free, strict=True), start=1)
    )


@dataclass(frozen=True)
class _Slot:
    """A sheet to fill: the only part of its judge, or None for all parts, and its row there."""

    part: str | None
    row: int


def _slot(study: Study, wish: DesignSettings, index: int) -> _Slot:
    if wish.parts != "one-each":
        return _Slot(None, index)
    if not _have_own_judges(wish):
        row, turn = divmod(index, len(study.parts))
        return _Slot(study.parts[turn], row)
    judges = {part: wish.of_part(part).judges for part in study.parts}
    for part, number in judges.items():
        if index < number:
            return _Slot(part, index)
        index -= number
    largest = max(judges, key=lambda part: judges[part])
    return _Slot(largest, judges[largest] + index)


def _have_own_judges(wish: DesignSettings) -> bool:
    return any(own.judges is not None for own in wish.part.values())


def _slot_namer(study: Study, wish: DesignSettings) -> Callable[[int], str]:
    """Return what names the row of the sheet at an index."""
    names = {}
    for part in _parts_dealt(study):
        own = wish if part == ALL else wish.of_part(part)
        names[part] = KINDS[own.kind].row_names(_study_dealt(study, part), own)

    def name(index: int) -> str:
        slot = _slot(study, wish, index)
        dealt = slot.part if slot.part in names else next(iter(names))
        return _row_name(names[dealt](slot.row), slot)

    return name


def _row_name(row: str, slot: _Slot) -> str:
    return row if slot.part is None else f"{row}, {slot.part}"


ALL = "all parts"
"""What the shares are called that hold for every part of a study."""


def _parts_dealt(study: Study) -> tuple[str, ...]:
    """Return the parts that are dealt out one by one; otherwise one deal is for all of them."""
    return study.parts if study.dealt_by_part else (ALL,)


def _study_dealt(study: Study, part: str) -> Study:
    return study if part == ALL else study.of_part(part)


def _wish_dealt(study: Study, wish: DesignSettings, part: str) -> DesignSettings:
    """Return what is asked of one deal, with the number of judges it is for."""
    groups = len(study.parts) if wish.parts == "one-each" else 1
    each = replace(wish, judges=-(-wish.judges // groups))
    if part == ALL:
        return each
    return wish.of_part(part) if _have_own_judges(wish) else each.of_part(part)


def _dealt(
    study: Study, wish: DesignSettings, part: str, slots: Sequence[_Slot]
) -> dict[int, JudgeShare]:
    """Return the shares of a part by row."""
    own = _wish_dealt(study, wish, part)
    rows = {slot.row for slot in slots if part == ALL or slot.part in (None, part)}
    shares = _shares(_study_dealt(study, part), own, range(own.judges))
    return {row: shares[row] for row in rows}


def _dealt_later(
    study: Study, wish: DesignSettings, *, part: str, slots: Sequence[_Slot], plan: Plan
) -> dict[int, JudgeShare]:
    own, dealt = _wish_dealt(study, wish, part), _study_dealt(study, part)
    rows = [slot.row for slot in slots if part == ALL or slot.part in (None, part)]
    if own.kind != "overlap":
        return {row: _shares(dealt, own, range(row, row + 1))[0] for row in rows}
    before = [_items_of(sheet, None if part == ALL else part) for sheet in plan.sheets]
    shares = further_shares(dealt, own, rows, [items for items in before if items])
    return dict(zip(rows, shares, strict=True))


def _of_judge(
    study: Study, slot: _Slot, shares: Mapping[str, Mapping[int, JudgeShare]]
) -> tuple[dict[str, JudgeShare], str]:
    """Return the shares of a judge by part, and how the row is called."""
    parts = study.parts if slot.part is None else (slot.part,)
    own = {part: shares[part if part in shares else ALL][slot.row] for part in parts}
    return own, _row_name(own[parts[0]].row, slot)


def unplanned_items(study: Study, sheets: Iterable[Sheet]) -> tuple[str, ...]:
    """Return the items to be judged that are on none of some sheets."""
    planned = {task.item for sheet in sheets for task in sheet.tasks}
    return tuple(item.id for item in study.items_of("item") if item.id not in planned)


def extension(study: Study, plan: Plan, items: Collection[str], judges: int | None = None) -> Plan:
    """Return sheets that hold only some items, which are on no sheet of a plan yet.

    As many judges as the design has get one, or as many as have something to rate.
    They continue the plan's numbers and are dealt out as the plan was. Where the new items cannot
    be (a square needs every system for every source), each of the sheets holds all of them.
    Practice, checks, anchors and items with a known answer are on them as on every sheet.
    """
    kept = tuple(item for item in study.items if item.kind != "item" or item.id in items)
    wish = replace(settings_of(study, plan), judges=judges or study.design.judges)
    try:
        made = make_plan(replace(study, items=kept, design=wish))
    except InvalidArgument as refusal:
        if judges is None and refusal.code == "design.idle-judges":
            wish = replace(wish, judges=refusal.facts["ratings"])
        else:
            wish = replace(wish, kind="everyone", per_judge=None, judges_per_item=None)
        made = make_plan(replace(study, items=kept, design=wish))
    last = max((sheet.number for sheet in plan.sheets), default=0)
    sheets = tuple(
        Sheet(last + sheet.number, sheet.tasks, f"{sheet.row}, new items") for sheet in made.sheets
    )
    return replace(made, sheets=sheets)


def reissue(
    sheet: Sheet, number: int, *, study: Study | None = None, plan: Plan | None = None
) -> Sheet:
    """Return the same row once more, for somebody else: the same items and sides in a new order.

    With the study (and the plan, if its settings are not those of the study) the order is drawn
    anew under the same distances. Without it the order is turned round within each part, which
    keeps every distance. Where the row itself is an order (Williams squares, blocks, items as
    listed) it stays.
    """
    if study is None:
        return Sheet(number, _turn_around(sheet), sheet.row)
    wish = settings_of(study, plan) if plan is not None else study.design
    if wish.kind in ("williams", "blocks") or wish.order != "random":
        return replace(sheet, number=number)
    shares = {
        part: JudgeShare(sheet.row, tuple(map(study.item, _items_of(sheet, part))))
        for part in dict.fromkeys(task.part for task in sheet.tasks)
    }
    again = Assembler(study, wish).sheet(shares, sheet.row, number, 0)
    return _like_before(again, sheet)


def settings_of(study: Study, plan: Plan) -> DesignSettings:
    """Return the wish that a plan was made for; what the plan does not tell is the study's."""
    known = {field.name for field in fields(DesignSettings)}
    settings: dict[str, Any] = {name: value for name, value in plan.settings if name in known}
    before = DesignSettings() if settings else study.design
    settings |= {"kind": plan.kind or study.design.kind, "seed": plan.seed}
    return replace(before, **settings | {"part": study.design.part})


def _settings(wish: DesignSettings) -> tuple[tuple[str, Any], ...]:
    others = ("kind", "seed", "part", "page")
    names = [field.name for field in fields(wish) if field.name not in others]
    kept = [(name, getattr(wish, name)) for name in names if getattr(wish, name) is not None]
    return (*kept, ("covary", __version__))


def _check(wish: DesignSettings) -> None:
    for name, allowed in CHOICES.items():
        value = getattr(wish, name)
        if value not in allowed:
            raise InvalidArgument("design.no-choice", argument=name, value=value, allowed=allowed)
    for name, least in LEAST.items():
        value = getattr(wish, name)
        if value is not None and (type(value) is not int or value < least):
            raise InvalidArgument("design.no-whole", argument=name, value=value, least=least)


def _shares(study: Study, wish: DesignSettings, rows: range) -> list[JudgeShare]:
    if not study.items_of("item"):
        raise InvalidArgument("design.no-items")
    try:
        return KINDS[wish.kind].shares(study, wish, rows)
    except InvalidArgument as refusal:
        if refusal.code not in NO_SQUARE:
            raise
        _offer_overlap(study, wish, refusal)
        raise


NO_SQUARE = (
    "design.sources-no-multiple",
    "design.latin-per-judge",
    "design.latin-judges-per-item",
)
"""Squares that numbers forbid; shares of items can then be had that are nearly as good."""


def _offer_overlap(study: Study, wish: DesignSettings, refusal: InvalidArgument) -> None:
    """Refuse a square with the overlapping shares that stand for it, and how good they are."""
    number = wish.judges_per_item or max(2, wish.judges // max(len(study.systems), 1))
    instead = replace(wish, kind="overlap", order="random", judges_per_item=number)
    try:
        shares = overlap_shares(study, replace(instead, per_judge=None), range(wish.judges))
    except InvalidArgument:
        return
    tasks = (tuple(Task(0, item.id) for item in share.items) for share in shares)
    plan = Plan("overlap", wish.seed, tuple(Sheet(0, own) for own in tasks))
    factors = PlanCounts(study, plan).efficiencies
    if factors.size:
        facts = {"judges_per_item": number, "efficiency": factors.size / (1 / factors).sum()}
        raise InvalidArgument("design.or-overlap", refusal=refusal, **facts) from refusal


def _items_of(sheet: Sheet, part: str | None = None) -> list[str]:
    """Return the items of a share, each once; of one part, where it is named."""
    tasks = (task for task in sheet.tasks if part is None or task.part == part)
    return list(dict.fromkeys(task.item for task in tasks if task.kind == "item"))


def _turn_around(sheet: Sheet) -> tuple[Task, ...]:
    if KEPT & {*sheet.row.split()}:
        return sheet.tasks
    tasks = [task for task in sheet.tasks if task.kind == "practice"]
    for section in sections(sheet):
        tasks += _mirror(section)
    return tuple(replace(task, position=place) for place, task in enumerate(tasks, start=1))


def _mirror(section: list[Task]) -> list[Task]:
    """Turn a section round; of an item that is shown twice, the second showing is the repeat."""
    kinds = {task.item: task.kind for task in section if task.kind != "repeat"}
    seen: set[str] = set()
    turned = []
    for task in reversed(section):
        turned.append(replace(task, kind="repeat" if task.item in seen else kinds[task.item]))
        seen.add(task.item)
    return turned


def _like_before(again: Sheet, before: Sheet) -> Sheet:
    """Give a sheet the parts' order and the sides of another sheet of the same row."""
    sides = {(task.item, task.part, task.occasion): task.order for task in before.tasks}
    parts = list(dict.fromkeys(task.part for task in before.tasks))
    tasks = sorted(
        again.tasks,
        key=lambda task: (task.kind != "practice", task.occasion, parts.index(task.part)),
    )
    placed = (
        replace(task, position=place, order=sides.get((task.item, task.part, task.occasion), ()))
        for place, task in enumerate(tasks, start=1)
    )
    return replace(again, tasks=tuple(placed))
