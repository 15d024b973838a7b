"""What is wrong with a store, and what to do about it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from sqlalchemy import Connection, Row, Table, func, select
from sqlalchemy.exc import DBAPIError

from covary.errors import CovaryError
from covary.store.items import changes_in
from covary.store.records import Problem
from covary.store.schema import (
    answers,
    cycle_events,
    issues,
    item_versions,
    judges,
    notes,
    sheets,
)
from covary.store.seals import broken_seals
from covary.store.sheets import all_sheets
from covary.study.manual import apply_edition, digest_of
from covary.study.model import Study
from covary.training import Cycle, as_event

RESTORE = "store.advice-restore"

SHOWN = 5

Look = Callable[[Connection], Iterator[Problem]]

UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, RecursionError, StopIteration)
"""What reading raises where a row says what covary never wrote."""

KEPT = ("answers", "notes", "cycle_events", "item_versions", "seals")
"""Tables whose rows are only ever added."""

TRIGGERS = {
    "sqlite": {f"{table}_no_{verb}" for table in KEPT for verb in ("update", "delete")},
    "postgresql": {f"{table}_append_only" for table in KEPT},
}
"""What each database refuses changes with."""

ACTIVE_TRIGGERS = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'D' "
    "AND tgrelid::regclass::text IN ('" + "', '".join(KEPT) + "')",
}


def find_problems(
    connection: Connection, study: Study | None, head: str | None = None
) -> list[Problem]:
    """Look through the whole store; with its study, also at whether the two fit."""
    damage = list(_damage(connection))
    if damage:  # what else could be read from such a file says little
        return damage
    looks: list[Look] = [*LOOKS, partial(broken_seals, head=head)]
    if study is not None:
        looks.append(partial(_with_study, study=study))
    problems = [problem for look in looks for problem in _findings(look, connection)]
    return sorted(problems, key=lambda problem: not problem.serious)


def _findings(look: Look, connection: Connection) -> list[Problem]:
    """Let one look find what it finds; a store that it cannot read is a finding too."""
    try:
        return list(look(connection))
    except (DBAPIError, CovaryError, *UNREADABLE) as error:
        return [Problem("store.unreadable-part", RESTORE, reason=type(error).__name__)]


def _damage(connection: Connection) -> Iterator[Problem]:
    """Let SQLite read every page; PostgreSQL's own tools do that for a server."""
    if connection.dialect.name != "sqlite":
        return
    lines = connection.exec_driver_sql("PRAGMA integrity_check(20)").scalars().all()
    if lines != ["ok"]:
        yield Problem("store.damaged", RESTORE, len(lines), faults="; ".join(map(str, lines)))


def _unprotected(connection: Connection) -> Iterator[Problem]:
    kind = connection.dialect.name
    active = set(connection.exec_driver_sql(ACTIVE_TRIGGERS[kind]).scalars())
    missing = sorted(TRIGGERS[kind] - active)
    if missing:
        yield Problem(
            "store.unprotected", "store.advice-compare", len(missing), missing=", ".join(missing)
        )


def _orphans(connection: Connection) -> Iterator[Problem]:
    """Find rows that refer to a judge or a sheet that is not there."""
    targets = {"judge": judges.c.id, "sheet": sheets.c.number}
    for table in (answers, notes, sheets, issues):
        for column in (name for name in targets if name in table.columns):
            lost = _lost(connection, table, column, targets[column])
            yield from _counted("store.orphans", RESTORE, lost, table=table.name, column=column)


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
    twice = connection.execute(query).all()
    if twice:
        yield Problem(
            "store.saved-twice",
            "store.advice-index",
            len(twice),
            key=twice[0].answer_key,
            judge=twice[0].judge,
        )


def _twice_issued(connection: Connection) -> Iterator[Problem]:
    """Find sheets that two judges have, and hand-outs that do not fit who has them."""
    open_now = select(issues.c.sheet, issues.c.judge).where(issues.c.reclaimed_at.is_(None))
    issued = [tuple(row) for row in connection.execute(open_now)]
    times = Counter(sheet for sheet, _ in issued)
    twice = [sheet for sheet, number in times.items() if number > 1]
    yield from _listed("store.issued-twice", "store.advice-decide", twice)
    held = select(sheets.c.number, sheets.c.judge).where(sheets.c.judge.is_not(None))
    apart = {tuple(row) for row in connection.execute(held)} ^ set(issued)
    yield from _listed("store.issue-log", "store.advice-reissue", sorted(apart))


def _never_issued(connection: Connection) -> Iterator[Problem]:
    pair = (answers.c.judge, answers.c.sheet)
    issued = {tuple(row) for row in connection.execute(select(issues.c.judge, issues.c.sheet))}
    strange = {key: number for key, number in _tally(connection, *pair) if key not in issued}
    yield from _counted("store.not-issued", "store.advice-leave-judges-out", strange)


def _off_the_sheet(connection: Connection) -> Iterator[Problem]:
    """Find answers about another item than the sheet has at that position."""
    items = {
        (sheet.number, task.position): task.item
        for sheet in all_sheets(connection)
        for task in sheet.tasks
    }
    columns = (answers.c.sheet, answers.c.position, answers.c.item)
    wrong = {
        (sheet, position, item): number
        for (sheet, position, item), number in _tally(connection, *columns)
        if items.get((sheet, position)) != item
    }
    yield from _counted("store.off-the-sheet", "store.advice-leave-items-out", wrong)


def _unreadable(connection: Connection) -> Iterator[Problem]:
    for table, column in ((answers, answers.c.rating), (notes, notes.c.data)):
        query = select(column).where(column.is_not(None)).distinct()
        bad = [text for text in connection.execute(query).scalars() if not _is_json(text)]
        yield from _listed("store.unreadable", RESTORE, bad, table=table.name)


def _cycle_faults(connection: Connection) -> Iterator[Problem]:
    """Find gaps in the numbers of the events, and events that cannot be read or do not fit."""
    rows = _event_rows(connection)
    numbers = [row.number for row in rows]
    missing = sorted(set(range(1, max(numbers, default=0) + 1)) - set(numbers))
    yield from _listed("store.cycle-gap", RESTORE, missing)
    _, misfit = _fold(rows)
    if misfit is not None and not missing:
        yield misfit


def _rewritten_versions(connection: Connection) -> Iterator[Problem]:
    """Find versions of items that say something else than their digest, and missing ones."""
    kept: set[tuple[str, str]] = set()
    rewritten = []
    for row in connection.execute(select(item_versions).order_by(item_versions.c.id)):
        kept.add((row.item, row.version))
        if not _is_json(row.content) or digest_of(json.loads(row.content)) != row.version:
            rewritten.append(row.item)
    yield from _listed("store.version-rewritten", RESTORE, rewritten)
    lost = {
        place: number
        for place, number in _tally(connection, answers.c.item, answers.c.item_version)
        if place[1] and place not in kept
    }
    yield from _counted("store.version-lost", "store.advice-version-lost", lost)


LOOKS: tuple[Look, ...] = (
    _unprotected,
    _orphans,
    _twice_saved,
    _twice_issued,
    _never_issued,
    _off_the_sheet,
    _unreadable,
    _cycle_faults,
    _rewritten_versions,
)


def _with_study(connection: Connection, study: Study) -> Iterator[Problem]:
    cycle, _ = _fold(_event_rows(connection))
    study = apply_edition(study, cycle.edition) if cycle.editions else study
    items = {item.id for item in study.items}
    scales = {criterion.key: criterion.scale for criterion in study.criteria + study.questions}
    trained = [item for round_ in cycle.rounds for item in round_.items if item not in items]
    tasks = (task for sheet in all_sheets(connection) for task in sheet.tasks)
    unknown = sorted({task.item for task in tasks if task.item not in items})
    yield from _strangers(connection, "store.unknown-item", "item", items)
    yield from _listed("store.unknown-training-item", "store.advice-training-items", trained)
    yield from _strangers(connection, "store.unknown-criterion", "criterion", set(scales))
    yield from _listed("store.sheet-without-item", "store.advice-items", unknown)
    yield from _off_scale(connection, scales)
    yield from _other_manuals(connection, study)
    changed = {change.item: change.answers for change in changes_in(connection, study)}
    yield from _counted("store.item-changed", "store.advice-changed", changed)
    yield from _several_versions(connection)


def _strangers(
    connection: Connection, code: str, column: str, known: set[str]
) -> Iterator[Problem]:
    tally = _tally(connection, answers.c[column])
    strange = {value: number for (value,), number in tally if value not in known}
    yield from _counted(code, "store.advice-put-back", strange, column=column)


def _off_scale(connection: Connection, scales: dict[str, Any]) -> Iterator[Problem]:
    tally = list(_tally(connection, answers.c.criterion, answers.c.rating))
    for criterion, scale in scales.items():
        off = {
            text: number
            for (key, text), number in tally
            if key == criterion and text is not None and _is_off(scale, text)
        }
        yield from _counted(
            "store.off-scale",
            "store.advice-scale",
            off,
            criterion=criterion,
            scale=scale.describe(),
            ratings=", ".join(list(off)[:SHOWN]),
        )


def _other_manuals(connection: Connection, study: Study) -> Iterator[Problem]:
    now = study.manual.version
    tally = _tally(connection, answers.c.manual)
    others = {manual: number for (manual,), number in tally if manual and manual != now}
    yield from _counted("store.other-manual", "store.advice-manual", others, serious=False, now=now)


def _several_versions(connection: Connection) -> Iterator[Problem]:
    tally = _tally(connection, answers.c.item, answers.c.item_version)
    versions = Counter(item for (item, version), _ in tally if version)
    several = [item for item, number in versions.items() if number > 1]
    if several:
        yield Problem(
            "store.judged-in-versions",
            "store.advice-versions",
            len(several),
            serious=False,
            places=several,
        )


def _counted(
    code: str, advice: str, places: dict[Any, int], *, serious: bool = True, **data: Any
) -> Iterator[Problem]:
    """Tell of rows that are not as they should be, by where they are; of none say nothing."""
    if places:
        rows = sum(places.values())
        yield Problem(code, advice, rows, serious=serious, places=list(places), **data)


def _listed(code: str, advice: str, places: list[Any], **data: Any) -> Iterator[Problem]:
    """Tell of places that are not as they should be; of none say nothing."""
    if places:
        yield Problem(code, advice, len(places), places=places, **data)


def _tally(connection: Connection, *columns: Any) -> Iterator[tuple[tuple[Any, ...], int]]:
    """Count answers by the values of these columns."""
    for *values, number in connection.execute(select(*columns, func.count()).group_by(*columns)):
        yield tuple(values), number


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _is_off(scale: Any, text: str) -> bool:
    if not _is_json(text):
        return False
    rating = json.loads(text)
    return not isinstance(rating, dict) and not scale.accepts(rating)  # a dict: cannot judge


def _event_rows(connection: Connection) -> list[Row[tuple[int, str]]]:
    query = select(cycle_events.c.number, cycle_events.c.event)
    return list(connection.execute(query.order_by(cycle_events.c.number)))


def _fold(rows: list[Row[tuple[int, str]]]) -> tuple[Cycle, Problem | None]:
    """Return the guideline cycle as far as it can be read, and the event that does not fit."""
    cycle = Cycle()
    for row in rows:
        try:
            cycle = cycle.apply(as_event(json.loads(row.event)))
        except (CovaryError, ValueError, KeyError, TypeError, AttributeError) as error:
            return cycle, Problem("store.cycle-event", RESTORE, number=row.number, reason=error)
    return cycle, None
