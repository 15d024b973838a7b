"""A plan for a study, sheets for further judges, and a row once more for somebody else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from itertools import count, islice
from typing import Any

from covary.design.blocks import block_row, block_shares
from covary.design.everyone import everyone_row, everyone_shares
from covary.design.grid import grid_of
from covary.design.latin import latin_row, latin_shares
from covary.design.overlap import further_shares, overlap_row, overlap_shares
from covary.design.plan import Plan, Sheet, Task
from covary.design.share import Share
from covary.design.sheets import Assembler, sections
from covary.design.sides import Sides
from covary.errors import InvalidArgument, choose
from covary.study.model import DesignWish, Study
from covary.version import __version__

__all__ = ["KINDS", "make_plan", "more_sheets", "reissue", "wish_of"]

KINDS = ("latin-squares", "williams", "blocks", "overlap", "everyone")

LEAST = {
    "judges": 1, "seed": 0, "per_judge": 1, "judges_per_item": 1, "repeats": 0,
    "repeat_distance": 0, "source_distance": 0, "occasions": 1,
}  # fmt: skip

CHOICES = {
    "kind": KINDS,
    "order": ("random", "williams", "as-listed"),
    "parts": ("rotate", "as-listed"),
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
    assembler, sides = Assembler(study, wish), Sides(study, wish.seed)
    sheets = [
        sides.on(assembler.sheet(share, index + 1, index))
        for index, share in enumerate(_shares(study, wish))
    ]
    return Plan(wish.kind, wish.seed, tuple(sheets), _settings(wish))


def more_sheets(study: Study, plan: Plan, number: int) -> tuple[Sheet, ...]:
    """Return sheets for late and further judges, which continue the plan.

    They stand for the rows that the plan has not used yet: first the rest of a square that was
    begun, then a new one. With `overlap` they hold the items with the fewest ratings.
    """
    if number < 1:
        raise InvalidArgument(f"number = {number} must be at least 1")
    wish = wish_of(study, plan)
    used = {sheet.row for sheet in plan.sheets}
    name = _namer(study, wish)
    free = list(islice((index for index in count() if name(index) not in used), number))
    if wish.kind == "overlap":
        before = [_items(sheet) for sheet in plan.sheets]
        shares = further_shares(study, wish, free, before)
    else:
        shares = [_shares(study, wish, range(index, index + 1))[0] for index in free]
    assembler, sides = Assembler(study, wish), Sides(study, wish.seed, plan.sheets)
    last = max((sheet.number for sheet in plan.sheets), default=0)
    return tuple(
        sides.on(assembler.sheet(share, last + turn, index))
        for turn, (share, index) in enumerate(zip(shares, free, strict=True), start=1)
    )


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
        return Sheet(number, _turned(sheet), sheet.row)
    wish = wish_of(study, plan) if plan is not None else study.design
    if wish.kind in ("williams", "blocks") or wish.order != "random":
        return replace(sheet, number=number)
    items = tuple(study.item(each) for each in _items(sheet))
    made = Assembler(study, wish).sheet(Share(sheet.row, items), number, 0)
    return _as_before(made, sheet)


def wish_of(study: Study, plan: Plan) -> DesignWish:
    """Return the wish that a plan was made for; what the plan does not tell is the study's."""
    known = {each.name for each in fields(DesignWish)}
    settings: dict[str, Any] = {name: value for name, value in plan.settings if name in known}
    before = DesignWish() if settings else study.design
    return replace(before, **settings | {"kind": plan.kind or study.design.kind, "seed": plan.seed})


def _settings(wish: DesignWish) -> tuple[tuple[str, Any], ...]:
    names = [each.name for each in fields(wish) if each.name not in ("kind", "seed")]
    kept = [(name, getattr(wish, name)) for name in names if getattr(wish, name) is not None]
    return (*kept, ("covary", __version__))


def _check(wish: DesignWish) -> None:
    for name, allowed in CHOICES.items():
        given = getattr(wish, name)
        if given not in allowed:
            raise InvalidArgument(f"{name} = {given!r} is not possible; {choose(given, allowed)}")
    for name, least in LEAST.items():
        value = getattr(wish, name)
        if value is not None and (type(value) is not int or value < least):
            raise InvalidArgument(f"{name} = {value!r} must be a whole number of at least {least}")


def _shares(study: Study, wish: DesignWish, indices: range | None = None) -> list[Share]:
    if not study.items_of("item"):
        raise InvalidArgument("the study has no items of the kind 'item', so there is no design")
    rows = range(wish.judges) if indices is None else indices
    if wish.kind == "overlap":
        return overlap_shares(study, wish)
    if wish.kind == "everyone":
        return everyone_shares(study, wish, rows)
    if wish.kind == "blocks":
        return block_shares(study, wish, rows)
    return latin_shares(study, wish, rows)


def _namer(study: Study, wish: DesignWish) -> Callable[[int], str]:
    if wish.kind in ("latin-squares", "williams"):
        grid = grid_of(study, wish.kind)
        return lambda index: latin_row(index, grid, wish)
    if wish.kind == "blocks":
        return block_row
    name = overlap_row if wish.kind == "overlap" else everyone_row
    return lambda index: name(index, wish)


def _items(sheet: Sheet) -> list[str]:
    """Return the items of a share, each once."""
    return list(dict.fromkeys(task.item for task in sheet.tasks if task.kind == "item"))


def _turned(sheet: Sheet) -> tuple[Task, ...]:
    if KEPT & {*sheet.row.split()}:
        return sheet.tasks
    tasks = [task for task in sheet.tasks if task.kind == "practice"]
    for section in sections(sheet):
        tasks += _mirrored(section)
    return tuple(replace(task, position=place) for place, task in enumerate(tasks, start=1))


def _mirrored(section: list[Task]) -> list[Task]:
    """Turn a section round; of an item that is shown twice, the second showing is the repeat."""
    kinds = {task.item: task.kind for task in section if task.kind != "repeat"}
    seen: set[str] = set()
    turned = []
    for task in reversed(section):
        turned.append(replace(task, kind="repeat" if task.item in seen else kinds[task.item]))
        seen.add(task.item)
    return turned


def _as_before(made: Sheet, sheet: Sheet) -> Sheet:
    """Give a sheet the parts' order and the sides of another sheet of the same row."""
    order = {(task.item, task.part, task.occasion): task.order for task in sheet.tasks}
    parts = list(dict.fromkeys(task.part for task in sheet.tasks))
    tasks = sorted(
        made.tasks, key=lambda t: (t.kind != "practice", t.occasion, parts.index(t.part))
    )
    return replace(
        made,
        tasks=tuple(
            replace(
                task, position=place, order=order.get((task.item, task.part, task.occasion), ())
            )
            for place, task in enumerate(tasks, start=1)
        ),
    )
