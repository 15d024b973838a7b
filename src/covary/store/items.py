"""Items as judges saw them: every version is kept, and a change to a judged item needs a word."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, insert, select

from covary.errors import InvalidArgument
from covary.store.records import as_time, check_text, microseconds, now
from covary.store.schema import answers, item_versions
from covary.store.seals import seal_added
from covary.store.writer import StoreSection, reads, writes
from covary.study.item_versions import ItemVersion
from covary.study.item_versions import item_versions as versions_of
from covary.study.model import Study


@dataclass(frozen=True)
class KeptVersion:
    """A version of an item, and when it was kept; `number` counts the versions of the item."""

    content: ItemVersion
    version: str
    number: int
    at: datetime

    @property
    def name(self) -> str:
        """What ratings call the item: its id, and from the second version on its number too."""
        return version_name(self.content.item, self.number)


@dataclass(frozen=True)
class ItemChange:
    """A judged item that says something else now: in which fields, and how many answers it has."""

    item: str
    fields: tuple[str, ...]
    answers: int


def version_name(item: str, number: int | str) -> str:
    """Name a version of an item apart from the first.

    Examples
    --------
    >>> version_name("q1", 1), version_name("q1", 2)
    ('q1', 'q1 @2')
    """
    return item if number == 1 else f"{item} @{number}"


class KeptItems(StoreSection):
    """What the items of a study said, version by version. The last one kept is in force."""

    @reads
    def all(self, connection: Connection) -> list[KeptVersion]:
        """Return every version in the order in which they were kept, each once."""
        return all_versions(connection)

    @reads
    def in_force(self, connection: Connection) -> dict[str, ItemVersion]:
        """Return the version of each item that was kept last."""
        return _in_force(connection)

    @reads
    def changes(self, connection: Connection, study: Study) -> tuple[ItemChange, ...]:
        """Return the judged items that say something else in the folder than when last kept."""
        return changes_in(connection, study)

    def take(self, study: Study, *, accept: bool = False) -> tuple[ItemChange, ...]:
        """Keep the items of a study as they are now, and return the changes to judged ones.

        A judged item may change only where that is accepted: its ratings then stay those of the
        version that was shown.

        Raises
        ------
        InvalidArgument
            Judged items have changed and that was not accepted; nothing has been kept.
        """
        return self._take(versions_of(study), str(study.folder), accept)

    @writes
    def _take(
        self, connection: Connection, items: Mapping[str, ItemVersion], folder: str, accept: bool
    ) -> tuple[ItemChange, ...]:
        changes = _changes(connection, items)
        if changes and not accept:
            raise InvalidArgument("store.items-changed", changes=changes, folder=folder)
        kept = _in_force(connection)
        new = [version for version in items.values() if kept.get(version.item) != version]
        _keep(connection, new)
        return changes


def _keep(connection: Connection, versions: Sequence[ItemVersion]) -> None:
    at = microseconds(now())
    rows = []
    for version in versions:
        content = json.dumps(version.content, ensure_ascii=False)
        check_text("item", content)
        rows.append(
            {"item": version.item, "version": version.version, "content": content, "at": at}
        )
    if rows:
        connection.execute(insert(item_versions), rows)
        seal_added(connection, item_versions)


def all_versions(connection: Connection) -> list[KeptVersion]:
    """Return every version, each once, numbered for each item as they were first kept."""
    numbers: dict[str, dict[str, int]] = {}
    versions = []
    for row in connection.execute(select(item_versions).order_by(item_versions.c.id)):
        known = numbers.setdefault(row.item, {})
        if row.version not in known:
            known[row.version] = len(known) + 1
            content = ItemVersion(row.item, json.loads(row.content))
            versions.append(KeptVersion(content, row.version, known[row.version], as_time(row.at)))
    return versions


def _in_force(connection: Connection) -> dict[str, ItemVersion]:
    rows: Any = connection.execute(select(item_versions).order_by(item_versions.c.id))
    return {row.item: ItemVersion(row.item, json.loads(row.content)) for row in rows}


def changes_in(connection: Connection, study: Study) -> tuple[ItemChange, ...]:
    """Return the judged items that say something else in the folder than when last kept."""
    return _changes(connection, versions_of(study))


def _changes(connection: Connection, items: Mapping[str, ItemVersion]) -> tuple[ItemChange, ...]:
    kept = _in_force(connection)
    changed = [item for item in items if item in kept and kept[item] != items[item]]
    if not changed:
        return ()
    query = select(answers.c.item, func.count()).group_by(answers.c.item)
    judged = {item: number for item, number in connection.execute(query)}  # noqa: C416
    return tuple(
        ItemChange(item, kept[item].differences(items[item]), judged[item])
        for item in changed
        if item in judged
    )
