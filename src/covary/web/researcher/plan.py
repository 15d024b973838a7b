"""What is planned: how many answers each sheet asks for, and how often each item is to be rated."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from threading import Lock

from covary.design import Balance, Plan, Sheet, balance, make_plan, read_plan, reissue
from covary.store.store import Store
from covary.study.model import Study
from covary.web.judge.sheets import DESIGN, ONE_AT_A_TIME

__all__ = ["InUse", "Planned", "plan_of", "take_back"]

SECONDS_TO_KEEP = 30
"""Free sheets may be replaced by hand; those that were given out never change."""

MOST_TASKS_BALANCED = 20_000
"""Up to so many tasks the balance is counted while somebody waits for the page."""


@dataclass(frozen=True)
class InUse:
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


class Planned:
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

    def in_use(self) -> InUse:
        """Return the sheets in use, who has them and what they ask for."""
        with self._alone:
            holders = self._store.holders()
            self._read(holders)
            answers, items = self._count(frozenset(holders))
            sheets = {number: self._known[number] for number in holders}
            return InUse(sheets, holders, answers, items)

    def balance(self) -> Balance | None:
        """Return what the sheets in use balance; None where that would take too long."""
        in_use = self.in_use()
        if in_use.tasks > MOST_TASKS_BALANCED or not in_use.sheets:
            return None
        sheets = tuple(in_use.sheets.values())
        with self._alone:
            if self._balance is None or self._balance[0] != sheets:
                plan = replace(plan_of(self._study), sheets=sheets)
                self._balance = (sheets, balance(self._study, plan))
            return self._balance[1]

    def _read(self, holders: Mapping[int, int | None]) -> None:
        now = time.monotonic()
        if holders.keys() <= self._known.keys() and now < self._read_at + SECONDS_TO_KEEP:
            return
        if not holders.keys() <= self._known.keys() or None in holders.values():
            self._known = {sheet.number: sheet for sheet in self._store.sheets()}
            self._counted = None
        self._read_at = now

    def _count(self, numbers: frozenset[int]) -> tuple[dict[int, int], dict[tuple[str, str], int]]:
        if self._counted is None or self._counted[0] != numbers:
            asked = {part: self._study.criteria_of(part) for part in self._study.parts}
            answers: dict[int, int] = {}
            items: Counter[tuple[str, str]] = Counter()
            for number in numbers:
                tasks = self._known[number].tasks
                answers[number] = sum(len(asked.get(task.part, ())) for task in tasks)
                for task in tasks:
                    if task.kind != "repeat":
                        items.update((task.item, each.key) for each in asked.get(task.part, ()))
            self._counted = (numbers, answers, dict(items))
        return self._counted[1], self._counted[2]


def plan_of(study: Study) -> Plan:
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
        sheet = store.sheet_of(judge)
        if sheet is None:
            return None
        store.revoke(judge)
        everything = store.sheets()
        plan = replace(plan_of(study), sheets=tuple(everything))
        number = max(each.number for each in everything) + 1
        store.put_sheets([reissue(sheet, number, study=study, plan=plan)])
        store.reclaim(judge, free=False)
        store.note(judge, "taken-back", {"sheet": sheet.number, "again_as": number})
        return sheet.number, number
