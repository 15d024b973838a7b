"""What is wrong with a store, and what to do about it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import Connection, Table, func, select

from covary.errors import listed
from covary.store.check_cycle import cycle_in, look_at_cycle
from covary.store.records import Problem
from covary.store.sheets import all_sheets
from covary.store.tables import answers, issues, judges, notes, sheets
from covary.study.in_force import in_force
from covary.study.model import Study
from covary.training import Cycle

__all__ = ["look_through"]

RESTORE = "keep a copy of the file as it is, and go back to the last backup"

SHOWN = 5

KEPT = ("answers", "notes", "cycle_events")
"""Tables whose rows are only ever added."""


def look_through(connection: Connection, study: Study | None) -> list[Problem]:
    """Look through the whole store; with its study, also at whether the two fit."""
    damage = list(_damage(connection))
    if damage:  # what else could be read from such a file says little
        return damage
    found = [problem for look in LOOKS for problem in look(connection)]
    if study is not None:
        found += _with_study(connection, study)
    return sorted(found, key=lambda each: not each.serious)


def _damage(connection: Connection) -> Iterator[Problem]:
    """Let SQLite read every page; PostgreSQL's own tools do that for a server."""
    if connection.dialect.name != "sqlite":
        return
    said = connection.exec_driver_sql("PRAGMA integrity_check(20)").scalars().all()
    if said != ["ok"]:
        yield Problem(
            "damaged", f"the file is damaged: {'; '.join(map(str, said))}", RESTORE, len(said)
        )


def _unprotected(connection: Connection) -> Iterator[Problem]:
    wanted = {
        "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
        "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'D' "
        "AND tgrelid IN ('answers'::regclass, 'notes'::regclass, 'cycle_events'::regclass)",
    }
    needed = {
        "sqlite": {f"{t}_no_{v}" for t in KEPT for v in ("update", "delete")},
        "postgresql": {f"{t}_append_only" for t in KEPT},
    }
    kind = connection.dialect.name
    missing = needed[kind] - set(connection.exec_driver_sql(wanted[kind]).scalars())
    if missing:
        yield Problem(
            "unprotected",
            f"somebody removed what keeps answers from being changed: {', '.join(sorted(missing))}",
            "compare the answers with a backup before you rely on them",
            len(missing),
        )


def _orphans(connection: Connection) -> Iterator[Problem]:
    """Find rows that refer to a judge or a sheet that is not there."""
    for table, column, target in (
        (answers, "judge", judges.c.id), (answers, "sheet", sheets.c.number),
        (notes, "judge", judges.c.id), (sheets, "judge", judges.c.id),
        (issues, "judge", judges.c.id), (issues, "sheet", sheets.c.number),
    ):  # fmt: skip
        lost = _lost(connection, table, column, target)
        if lost:
            yield Problem(
                "orphans",
                f"{sum(lost.values())} rows of {table.name} name a {column} that is not there: "
                f"{listed(lost, SHOWN)}",
                RESTORE,
                sum(lost.values()),
            )


def _lost(connection: Connection, table: Table, column: str, target: Any) -> dict[Any, int]:
    named = table.c[column]
    query = (
        select(named, func.count())
        .select_from(table.outerjoin(target.table, target == named))
        .where(named.is_not(None), target.is_(None))
        .group_by(named)
    )
    return {row[0]: row[1] for row in connection.execute(query)}


def _twice_saved(connection: Connection) -> Iterator[Problem]:
    key = (answers.c.judge, answers.c.answer_key)
    query = select(*key).group_by(*key).having(func.count() > 1)
    found = connection.execute(query).all()
    if found:
        yield Problem(
            "saved-twice",
            f"{len(found)} answers are stored more than once, such as {found[0].answer_key!r} of "
            f"judge {found[0].judge}",
            "an index is damaged: " + RESTORE,
            len(found),
        )


def _twice_issued(connection: Connection) -> Iterator[Problem]:
    """Find sheets that two judges have, and hand-outs that do not fit who has them."""
    open_now = select(issues.c.sheet, issues.c.judge).where(issues.c.reclaimed_at.is_(None))
    issued = [tuple(row) for row in connection.execute(open_now)]
    twice = [sheet for sheet, number in Counter(sheet for sheet, _ in issued).items() if number > 1]
    if twice:
        yield Problem(
            "issued-twice",
            f"sheets {listed(twice, SHOWN)} were issued to several judges at once",
            "decide whose answers count and take the sheet back from the others (reclaim)",
            len(twice),
        )
    held = select(sheets.c.number, sheets.c.judge).where(sheets.c.judge.is_not(None))
    apart = {tuple(row) for row in connection.execute(held)} ^ set(issued)
    if apart:
        yield Problem(
            "issue-log",
            f"the log of issued sheets does not fit who has them: sheet and judge "
            f"{listed(sorted(apart), SHOWN)}",
            "the answers are not touched by this; take the sheets back and issue them again",
            len(apart),
        )


def _never_issued(connection: Connection) -> Iterator[Problem]:
    pairs = select(answers.c.judge, answers.c.sheet, func.count()).group_by(
        answers.c.judge, answers.c.sheet
    )
    known = {tuple(row) for row in connection.execute(select(issues.c.judge, issues.c.sheet))}
    strange = {(j, s): n for j, s, n in connection.execute(pairs) if (j, s) not in known}
    if strange:
        yield Problem(
            "not-issued",
            f"{sum(strange.values())} answers are on sheets that their judge never had: judge and "
            f"sheet {listed(strange, SHOWN)}",
            "leave these judges out (--only judge=…), or ask who answered for them",
            sum(strange.values()),
        )


def _off_the_sheet(connection: Connection) -> Iterator[Problem]:
    """Find answers about another item than the sheet has at that position."""
    places = {
        (sheet.number, task.position): task.item
        for sheet in all_sheets(connection)
        for task in sheet.tasks
    }
    where = (answers.c.sheet, answers.c.position, answers.c.item)
    query = select(*where, func.count()).group_by(*where)
    wrong = {
        (sheet, position, item): number
        for sheet, position, item, number in connection.execute(query)
        if places.get((sheet, position)) != item
    }
    if wrong:
        yield Problem(
            "off-the-sheet",
            f"{sum(wrong.values())} answers are about another item than their sheet has there: "
            f"sheet, position and item {listed(wrong, SHOWN)}",
            "these answers cannot be trusted; leave the items out, and report how it happened",
            sum(wrong.values()),
        )


def _unreadable(connection: Connection) -> Iterator[Problem]:
    for table, column in ((answers, answers.c.rating), (notes, notes.c.data)):
        query = select(column).where(column.is_not(None)).distinct()
        bad = [text for text in connection.execute(query).scalars() if not _is_json(text)]
        if bad:
            yield Problem(
                "unreadable", f"{table.name} holds what covary did not write: {listed(bad, SHOWN)}",
                RESTORE, len(bad),
            )  # fmt: skip


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


LOOKS: tuple[Callable[[Connection], Iterator[Problem]], ...] = (
    _unprotected,
    _orphans,
    _twice_saved,
    _twice_issued,
    _never_issued,
    _off_the_sheet,
    _unreadable,
    look_at_cycle,
)


def _with_study(connection: Connection, study: Study) -> Iterator[Problem]:
    cycle = cycle_in(connection)
    study = in_force(study, cycle.edition) if cycle.editions else study
    items = {item.id for item in study.items}
    scales = {criterion.key: criterion.scale for criterion in study.criteria}
    yield from _strangers(connection, "item", items)
    yield from _training_items(cycle, items)
    yield from _strangers(connection, "criterion", set(scales))
    lost = sorted(
        {t.item for sheet in all_sheets(connection) for t in sheet.tasks if t.item not in items}
    )
    if lost:
        yield Problem(
            "sheet-without-item",
            f"sheets ask for items that the study does not have: {listed(lost, SHOWN)}",
            "put the items back into the study's file of items",
            len(lost),
        )
    yield from _off_scale(connection, scales)
    yield from _other_manuals(connection, study)


def _strangers(connection: Connection, column: str, known: set[str]) -> Iterator[Problem]:
    named = answers.c[column]
    counts = connection.execute(select(named, func.count()).group_by(named))
    strange = {value: number for value, number in counts if value not in known}
    if strange:
        yield Problem(
            f"unknown-{column}",
            f"{sum(strange.values())} answers are about a {column} that the study does not have: "
            f"{listed(strange, SHOWN)}",
            f"put the {column} back into the study; until then these answers are left out",
            sum(strange.values()),
        )


def _training_items(cycle: Cycle, known: set[str]) -> Iterator[Problem]:
    """Find items of a training round that the study does not have."""
    lost = [item for each in cycle.rounds for item in each.items if item not in known]
    if lost:
        yield Problem(
            "unknown-training-item",
            f"judges trained on items that the study does not have: {listed(lost, SHOWN)}",
            "put the items back into the study's file of items, so that pages can show them",
            len(lost),
        )


def _off_scale(connection: Connection, scales: dict[str, Any]) -> Iterator[Problem]:
    pair = (answers.c.criterion, answers.c.rating)
    query = select(*pair, func.count()).where(answers.c.rating.is_not(None)).group_by(*pair)
    for criterion, scale in scales.items():
        counts = connection.execute(query.where(answers.c.criterion == criterion))
        off = {
            text: number
            for _, text, number in counts
            if _is_json(text) and not scale.accepts(json.loads(text))
        }
        if off:
            yield Problem(
                "off-scale",
                f"{sum(off.values())} ratings are not on the scale of {criterion!r} "
                f"({scale.describe()}): {', '.join(list(off)[:SHOWN])}",
                "the scale was changed after that; put it back, or report with --set-aside",
                sum(off.values()),
            )


def _other_manuals(connection: Connection, study: Study) -> Iterator[Problem]:
    counts = connection.execute(select(answers.c.manual, func.count()).group_by(answers.c.manual))
    others = {m: number for m, number in counts if m and m != study.manual.version}
    if others:
        yield Problem(
            "other-manual",
            f"{sum(others.values())} answers were given under another version of the manual: "
            f"{listed(others, SHOWN)}; now it is {study.manual.version!r}",
            "if the wording changed in between, say so in the paper; the export names the version",
            sum(others.values()),
            serious=False,
        )
