"""Seals: a chain of hashes over what was collected, so that what was changed by hand is noticed.

Whoever adds rows seals them in the same transaction. A seal holds a hash of each of its rows, and a
digest of these, of the seal before it and of the study's secret. The newest seal, the head, stands
in the settings too, and every backup and export names it: somebody who rewrites a store and all its
seals still cannot change what was written down elsewhere.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import (
    Boolean,
    Connection,
    Select,
    Table,
    bindparam,
    literal_column,
    or_,
    select,
    text,
    update,
)

from covary.store.database import Database, QuickStatement
from covary.store.records import Problem, microseconds, now
from covary.store.schema import (
    answers,
    cycle_events,
    item_versions,
    judges,
    migrate,
    notes,
    seals,
    settings,
    sheets,
)
from covary.store.settings import make_secret, put_setting, read_setting

SEALED: Mapping[Table, tuple[str, ...]] = {
    **{table: tuple(table.columns.keys()) for table in (item_versions, answers, notes)},
    cycle_events: tuple(cycle_events.columns.keys()),
    judges: ("id", "name", "group_name", "attributes", "created_at"),
    sheets: ("number", "square_row", "tasks"),
}
"""What is sealed of each table: all of what is only ever added, and what ratings rest on."""

GROWING = (item_versions, answers, notes, cycle_events)
"""Tables whose rows are only ever added, in the order of their numbers."""

HEAD = "seal"
SECRET: Any = literal_column("'secret'")

# A save waits for these, so they are made once.
SETTINGS = QuickStatement(
    select(settings.c.name, settings.c.value).where(
        or_(settings.c.name == literal_column(f"'{HEAD}'"), settings.c.name == SECRET)
    )
)
NEW_SEAL = QuickStatement(
    text(
        "INSERT INTO seals (number, table_name, hashes, digest, at) "
        "VALUES (:number, :table_name, :hashes, :digest, :at)"
    )
)
NEW_HEAD = QuickStatement(
    update(settings)
    .where(settings.c.name == literal_column(f"'{HEAD}'"))
    .values(value=bindparam("head"))
)
ADDED = {
    table: QuickStatement(
        select(*(table.columns[name] for name in SEALED[table]))
        .where(key > bindparam("last"))
        .order_by(key)
    )
    for table in GROWING
    for key in table.primary_key.columns
}
AT_ONCE = 1000
HASH_LENGTH = 32
FIRST = ""


@dataclass(frozen=True, kw_only=True)
class Head:
    """The newest seal: its number, its digest, and the last row of each table that is sealed."""

    number: int = 0
    digest: str = FIRST
    last: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.number}:{self.digest[:16]}" if self.number else "0"


def head_of(connection: Connection) -> Head:
    """Return the newest seal as the settings have it."""
    kept = read_setting(connection, HEAD)
    return Head(**json.loads(kept)) if kept else Head()


def seal_added(connection: Connection, table: Table) -> None:
    """Seal the rows that were added to a table; in the transaction that added them."""
    kept: dict[str, str] = dict(SETTINGS.rows(connection))
    head = Head(**json.loads(kept[HEAD])) if HEAD in kept else Head()
    added = ADDED[table].rows(connection, (head.last.get(table.name, 0),))
    for start in range(0, len(added), AT_ONCE):
        rows = added[start : start + AT_ONCE]
        head = _sealed(connection, table, rows, head, secret=kept.get("secret"))


def seal_changed(connection: Connection, table: Table, keys: Collection[int]) -> None:
    """Seal rows that were added or changed, by their numbers; the newest seal of a row holds."""
    key = _key(table)
    wanted = sorted(keys)
    for start in range(0, len(wanted), AT_ONCE):
        part = wanted[start : start + AT_ONCE]
        rows = connection.execute(_sealed_columns(table).where(key.in_(part)).order_by(key)).all()
        _sealed(connection, table, rows, head_of(connection))


def upgrade(database: Database) -> None:
    """Bring a store to the newest schema, and seal what a store without seals holds."""
    if not migrate(database.migrating()):
        return
    with database.writing() as connection:
        if head_of(connection).number == 0:
            for table in SEALED:
                seal_changed(connection, table, connection.scalars(select(_key(table))).all())


def row_digest(values: Sequence[Any]) -> bytes:
    """Return a hash of what a row says; whichever database says it, the hash is the same."""
    return hashlib.sha256(json.dumps(values, ensure_ascii=True).encode()).digest()


def plain_values(row: Sequence[Any], truths: Collection[int]) -> list[Any]:
    """Return values of a row as both databases give them; `truths` are the places of yes and no."""
    values = list(row)
    for place in truths:
        if values[place] is not None:
            values[place] = bool(values[place])
    return values


def truth_places(table: Table, names: Collection[str]) -> tuple[int, ...]:
    """Return which of these columns hold yes or no, which one database keeps as 1 or 0."""
    return tuple(
        place for place, name in enumerate(names) if isinstance(table.columns[name].type, Boolean)
    )


TRUTHS = {table: truth_places(table, names) for table, names in SEALED.items()}


def _key(table: Table) -> Any:
    (key,) = table.primary_key.columns
    return key


def _hash(table: Table, row: Sequence[Any]) -> str:
    return row_digest(plain_values(row, TRUTHS[table])).hex()[:HASH_LENGTH]


def _sealed_columns(table: Table) -> Select[Any]:
    """Select what is sealed of each row, its number first."""
    return select(*(table.columns[name] for name in SEALED[table]))


def _sealed(
    connection: Connection,
    table: Table,
    rows: Sequence[Sequence[Any]],
    head: Head,
    *,
    secret: str | None = None,
) -> Head:
    """Add a seal of these rows behind the head, and return the new head."""
    if not rows:
        return head
    hashes = json.dumps({str(row[0]): _hash(table, row) for row in rows})
    number = head.number + 1
    digest = _digest(
        secret or make_secret(connection), head.digest, str(number), f"{table.name} {hashes}"
    )
    last = max(rows[-1][0], head.last.get(table.name, 0))
    after = Head(number=number, digest=digest, last={**head.last, table.name: last})
    NEW_SEAL.run(connection, (number, table.name, hashes, digest, microseconds(now())))
    kept = json.dumps({"number": number, "digest": digest, "last": dict(after.last)})
    if head.number:
        NEW_HEAD.run(connection, (kept,))
    else:
        put_setting(connection, HEAD, kept)
    return after


def _digest(secret: str, *parts: str) -> str:
    return hmac.digest(secret.encode(), "\n".join(parts).encode(), "sha256").hex()


# what is wrong


def broken_seals(connection: Connection, head: str | None = None) -> Iterator[Problem]:
    """Find what was changed, removed or added without covary, row by row.

    `head` is one that was written down elsewhere; the store must hold that very seal.
    """
    kept = {table.name: dict[str, str]() for table in SEALED}
    digests: dict[int, str] = {0: FIRST}
    wrong = []
    secret = read_setting(connection, "secret") or ""
    for seal in connection.execute(select(seals).order_by(seals.c.number)):
        before = digests.get(seal.number - 1)
        digests[seal.number] = seal.digest
        made = _digest(secret, before or "", str(seal.number), f"{seal.table_name} {seal.hashes}")
        if before is None or made != seal.digest:
            wrong.append(seal.number)
        elif seal.table_name in kept:
            kept[seal.table_name] |= json.loads(seal.hashes)
    yield from _broken_chain(connection, digests, wrong)
    if head is not None and not _is_held(head, digests):
        yield Problem("store.seal-other-head", "store.advice-compare", head=head)
    for table in SEALED:
        yield from _misfits(connection, table, kept[table.name], complete=not wrong)


def _broken_chain(
    connection: Connection, digests: Mapping[int, str], wrong: list[int]
) -> Iterator[Problem]:
    head = head_of(connection)
    last = max(digests)
    if wrong and len(wrong) == len(digests) - 1:
        yield Problem("store.seal-other-secret", "store.advice-compare", len(wrong))
    elif wrong:
        yield Problem("store.seal-broken", "store.advice-compare", len(wrong), places=wrong)
    elif (head.number, head.digest) != (last, digests[last]):
        yield Problem("store.seal-head", "store.advice-compare", number=head.number, last=last)


def _is_held(head: str, digests: Mapping[int, str]) -> bool:
    number, _, digest = head.partition(":")
    return number.isdecimal() and digests.get(int(number), "-").startswith(digest)


def _misfits(
    connection: Connection, table: Table, kept: Mapping[str, str], *, complete: bool
) -> Iterator[Problem]:
    """Compare the rows of a table with their hashes."""
    changed, unknown, found = [], [], set()
    rows = connection.execution_options(yield_per=AT_ONCE).execute(
        _sealed_columns(table).order_by(_key(table))
    )
    for row in rows:
        key = str(row[0])
        found.add(key)
        if key not in kept:
            unknown.append(key)
        elif kept[key] != _hash(table, row):
            changed.append(key)
    gone = [key for key in kept if key not in found]
    name = table.name.replace("_", " ")
    for code, places in (("changed", changed), ("gone", gone)):
        if places:
            yield Problem(
                f"store.rows-{code}", "store.advice-compare", len(places), table=name, places=places
            )
    if unknown and complete:
        yield Problem(
            "store.rows-unsealed", "store.advice-compare", len(unknown), table=name, places=unknown
        )
