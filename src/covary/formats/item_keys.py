"""A table of items beside the ratings: which system, source or cluster each item belongs to."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from covary.errors import RatingsError
from covary.formats.column_roles import guess
from covary.formats.sources import open_source
from covary.formats.text_files import explain_errors
from covary.ratings import Ratings
from covary.records import dataclass
from covary.words import Note

JOINED = ("system", "source", "cluster")
"""What a table of items may say of them."""


@dataclass(frozen=True, kw_only=True)
class ItemKey:
    """A table of items: its name, which column has which role, and its rows as text."""

    name: str
    roles: Mapping[str, str]
    rows: Sequence[Mapping[str, str]]

    def by_item(self, role: str) -> dict[str, str]:
        """Return the values of a role by item; an item has one."""
        values: dict[str, str] = {}
        for row in self.rows:
            item, value = row[self.roles["item"]], row[self.roles[role]]
            if value and values.setdefault(item, value) != value:
                facts: dict[str, Any] = {
                    "item": item,
                    "role": role,
                    "values": [values[item], value],
                }
                raise RatingsError("formats.item-key-twice", file=self.name, **facts)
        return values


def join_items(ratings: Ratings, items: Any) -> Ratings:
    """Give ratings the systems, sources or clusters of a table of items, matched by name."""
    by_name = {str(item): item for item in ratings.values("item")}
    key = _read_key(items, by_name)
    wanted = [role for role in JOINED if role in key.roles]
    known = [role for role in wanted if role in ratings.columns]
    if known:
        raise RatingsError("formats.item-key-known", file=key.name, roles=known)
    found = {
        role: {by_name[name]: own for name, own in key.by_item(role).items() if name in by_name}
        for role in wanted
    }
    if not any(found.values()):
        listed = [row[key.roles["item"]] for row in key.rows]
        facts: dict[str, Any] = {"column": key.roles["item"], "listed": listed, "items": [*by_name]}
        raise RatingsError("formats.item-key-unmatched", file=key.name, **facts)
    n = len({item for own in found.values() for item in own})
    joined = {"column": key.roles["item"], "roles": wanted, "n": n, "of": len(by_name)}
    notes = [Note("formats.items-joined", file=key.name, **joined)]
    for role, own in found.items():
        without = [name for name, item in by_name.items() if item not in own]
        if without:
            lacking = {"n": len(without), "items": without}
            notes.append(Note("formats.items-without", file=key.name, role=role, **lacking))
    return ratings.with_item_columns(found).with_notes(*notes)


def _read_key(items: Any, by_name: Mapping[str, Any]) -> ItemKey:
    """Open the table, and find its column of items by its name, or by what it holds."""
    file = open_source(items, {}, {})
    name = file.path.name if isinstance(items, str | os.PathLike) else "items"
    with explain_errors(file.path, file.find_fault):
        columns, cells = list(file.columns), file.table.fetchall()
    rows = [
        {
            column: "" if cell is None else str(cell).strip()
            for column, cell in zip(columns, row, strict=True)
        }
        for row in cells
    ]
    matches = {column: len({row[column] for row in rows} & {*by_name}) for column in columns}
    roles = {"item": max(matches, key=lambda column: matches[column])}
    said = guess([column for column in columns if column != roles["item"]], {"item": None}, JOINED)
    roles |= said.roles
    if len(columns) == 2 and len(roles) == 1:
        roles["system"] = next(column for column in columns if column != roles["item"])
    if len(roles) == 1:
        raise RatingsError("formats.item-key-columns", file=name, columns=columns)
    return ItemKey(name=name, roles=roles, rows=rows)
