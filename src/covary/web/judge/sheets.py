"""Sheets for judges: given out, counted, taken back."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock

from covary.design import (
    Balance,
    Plan,
    Sheet,
    balance,
    make_plan,
    more_sheets,
    read_plan,
    reissue,
    unplanned_items,
    write_plan,
)
from covary.errors import CovaryError, InvalidArgument
from covary.store.store import Store
from covary.study.model import Criterion, Study
from covary.web.site import Site
from covary.words import word

DESIGN = "design.csv"
"""Where the plan of a study is kept, in its folder."""

ONE_AT_A_TIME = Lock()
ATTEMPTS = 5
"""Another server of the same study may add sheets at the same moment."""


def prepare_sheets(study: Study, store: Store) -> str:
    """Put the sheets of the plan into a store that has none, and say in a sentence what was done.

    Where the study has no design.csv yet, the plan is made and written there. The items are kept
    as they are now; a study whose judged items have changed is refused until that is accepted.
    """
    present = store.sheets.all()
    _refuse_another_study(study, store, present)
    store.items.take(study)
    if present:
        new = unplanned_items(study, present)
        advice = f" {word('web.items-on-no-sheet', {'items': new})}" if new else ""
        return f"{len(present)} sheets are in the store.{advice}"
    place = study.folder / DESIGN
    if place.is_file():
        plan = read_plan(place, study)
        store.sheets.put(plan.sheets)
        return f"{len(plan.sheets)} sheets were taken from {DESIGN}."
    plan = make_plan(study)
    write_plan(plan, place)
    store.sheets.put(plan.sheets)
    return (
        f"There was no {DESIGN}, so a plan was made as study.toml asks: {len(plan.sheets)} sheets, "
        f"written to {DESIGN}."
    )


def _refuse_another_study(study: Study, store: Store, sheets: Sequence[Sheet]) -> None:
    """Refuse a store whose sheets hold items, but none of this study: it belongs to another one."""
    planned = {task.item for sheet in sheets for task in sheet.tasks if task.kind == "item"}
    if planned and planned.isdisjoint(item.id for item in study.items_of("item")):
        raise InvalidArgument("web.other-study", store=store.name, items=sorted(planned))


def give_sheet(site: Site, judge: int) -> Sheet:
    """Return the judge's sheet: the next free one, or a new one where none is free."""
    for _ in range(ATTEMPTS):
        sheet = site.store.sheets.of(judge) or site.store.sheets.issue(judge)
        if sheet is not None:
            return sheet
        add_sheets(site.study, site.store, 1)
    raise CovaryError("web.no-sheet")


def add_sheets(study: Study, store: Store, number: int) -> None:
    """Add places: sheets that continue the plan, with all that were made since."""
    with ONE_AT_A_TIME:
        plan = replace(study_plan(study), sheets=tuple(store.sheets.all()))
        store.sheets.put(more_sheets(study, plan, number))


SECONDS_TO_KEEP = 30
"""Free sheets may be replaced by hand; those that were given out never change."""

MOST_TASKS_BALANCED = 20_000
"""Up to so many tasks the balance is counted while somebody waits for the page."""


@dataclass(frozen=True)
class SheetsInUse:
    """The sheets in use: who has each, how many answers each asks for, and what it holds."""

    sheets: Mapping[int, Sheet]
    holders: Mapping[int, int | None]
    answers: Mapping[int, int]
    items: Mapping[tuple[str, str], int]

    @property
    def sheet_of(self) -> dict[int, int]:
        """The number of the sheet that each judge has."""
        return {judge: number for number, judge in self.holders.items() if judge is not None}

    @property
    def tasks(self) -> int:
        """How many tasks there are on all sheets."""
        return sum(len(sheet.tasks) for sheet in self.sheets.values())


class SheetCache:
    """Reads the sheets when they have changed, because to read a thousand of them takes a while."""

    def __init__(self, study: Study, store: Store) -> None:
        self._study = study
        self._store = store
        self._alone = Lock()
        self._known: dict[int, Sheet] = {}
        self._read_at = -float(SECONDS_TO_KEEP)
        self._counted: tuple[frozenset[int], dict[int, int], dict[tuple[str, str], int]] | None
        self._counted = None
        self._balance: tuple[tuple[Sheet, ...], Balance] | None = None

    def in_use(self) -> SheetsInUse:
        """Return the sheets in use, who has them and what they ask for."""
        with self._alone:
            holders = self._store.sheets.holders()
            self._read(holders)
            answers, items = self._count(frozenset(holders))
            sheets = {number: self._known[number] for number in holders}
            return SheetsInUse(sheets, holders, answers, items)

    def balance(self) -> Balance | None:
        """Return what the sheets in use balance; None where that would take too long."""
        in_use = self.in_use()
        if in_use.tasks > MOST_TASKS_BALANCED or not in_use.sheets:
            return None
        sheets = tuple(in_use.sheets.values())
        with self._alone:
            if self._balance is None or self._balance[0] != sheets:
                plan = replace(study_plan(self._study), sheets=sheets)
                self._balance = (sheets, balance(self._study, plan))
            return self._balance[1]

    def _read(self, holders: Mapping[int, int | None]) -> None:
        now = time.monotonic()
        if holders.keys() <= self._known.keys() and now < self._read_at + SECONDS_TO_KEEP:
            return
        if not holders.keys() <= self._known.keys() or None in holders.values():
            self._known = {sheet.number: sheet for sheet in self._store.sheets.all()}
            self._counted = None
        self._read_at = now

    def _count(self, numbers: frozenset[int]) -> tuple[dict[int, int], dict[tuple[str, str], int]]:
        if self._counted is None or self._counted[0] != numbers:
            criteria = {part: _always_asked(self._study, part) for part in self._study.parts}
            answers: dict[int, int] = {}
            items: Counter[tuple[str, str]] = Counter()
            for number in numbers:
                tasks = self._known[number].tasks
                answers[number] = sum(len(criteria.get(task.part, ())) for task in tasks)
                for task in tasks:
                    if task.kind != "repeat":
                        items.update(
                            (task.item, criterion.key) for criterion in criteria.get(task.part, ())
                        )
            self._counted = (numbers, answers, dict(items))
        return self._counted[1], self._counted[2]


def _always_asked(study: Study, part: str) -> list[Criterion]:
    asked = study.asked_of(part)
    return [criterion for criterion in asked if not criterion.optional and criterion.when is None]


def study_plan(study: Study) -> Plan:
    """Return the plan of a study as design.csv has it, with the settings that made it."""
    place = study.folder / DESIGN
    return read_plan(place) if place.is_file() else make_plan(study)


def take_back(study: Study, store: Store, judge: int) -> tuple[int, int] | None:
    """Take an abandoned sheet back and put its row in again for the next judge.

    The judge's link is revoked, or the judge would be given the same row once more. The answers
    stay, marked as those of an abandoned sheet. Returns the numbers of the old sheet and of the
    new one; None where the judge has no sheet.
    """
    with ONE_AT_A_TIME:
        sheet = store.sheets.of(judge)
        if sheet is None:
            return None
        store.judges.revoke(judge)
        everything = store.sheets.all()
        plan = replace(study_plan(study), sheets=tuple(everything))
        number = max(other.number for other in everything) + 1
        store.sheets.put([reissue(sheet, number, study=study, plan=plan)])
        store.sheets.reclaim(judge, free=False)
        store.notes.add(judge, "taken-back", {"sheet": sheet.number, "again_as": number})
        return sheet.number, number
