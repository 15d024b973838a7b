"""Judges and researchers. Tokens are given out once and kept only as digests."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from covary.errors import InvalidArgument
from covary.store.records import Judge
from covary.store.tables import judges, researchers
from covary.store.times import as_time, microseconds, now

__all__ = [
    "add_judge",
    "all_judges",
    "claim_researcher",
    "end_researcher",
    "is_researcher",
    "judge_by_id",
    "judge_by_token",
    "new_researcher_link",
    "new_token",
    "revoke",
    "set_group",
]

TOKEN_BYTES = 24  # 192 random bits


def add_judge(
    connection: Connection, name: str | None, group: str | None, attributes: Mapping[str, Any]
) -> tuple[Judge, str]:
    """Add a judge; one without a name is called J and its number."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    taken = name and connection.scalar(select(judges.c.id).where(judges.c.name == name))
    if taken:
        raise InvalidArgument(f"there is a judge called {name!r} already; give another name")
    values = {
        "name": name or secrets.token_hex(16),
        "token_hash": digest(token),
        "group_name": group,
        "attributes": json.dumps(dict(attributes)),
        "created_at": microseconds(now()),
    }
    number = connection.scalar(insert(judges).values(**values).returning(judges.c.id))
    assert number is not None
    if name is None:
        _change(connection, number, name=_free_name(connection, number))
    added = judge_by_id(connection, number)
    assert added is not None
    return added, token


def judge_by_token(connection: Connection, token: str) -> Judge | None:
    """Find the judge whom a token lets in."""
    query = select(judges).where(
        judges.c.token_hash == digest(token), judges.c.revoked_at.is_(None)
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else _as_judge(row)


def judge_by_id(connection: Connection, judge: int) -> Judge | None:
    """Find a judge by number."""
    row = connection.execute(select(judges).where(judges.c.id == judge)).one_or_none()
    return None if row is None else _as_judge(row)


def all_judges(connection: Connection) -> list[Judge]:
    """Return the judges in the order in which they were added."""
    return [_as_judge(row) for row in connection.execute(select(judges).order_by(judges.c.id))]


def revoke(connection: Connection, judge: int) -> None:
    """Let a judge in no more; what was answered stays."""
    _change(connection, judge, revoked_at=microseconds(now()))


def new_token(connection: Connection, judge: int) -> str:
    """Give a judge a new token; the old one is worth nothing from now on."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    _change(connection, judge, token_hash=digest(token), revoked_at=None)
    return token


def set_group(connection: Connection, judge: int, group: str | None) -> None:
    """Say which group a judge belongs to."""
    _change(connection, judge, group_name=group)


def new_researcher_link(connection: Connection, again: bool) -> str | None:
    """Make a one-time link; None when a researcher has signed in and no other is asked for."""
    claimed = connection.scalar(select(func.count()).where(researchers.c.session_hash.is_not(None)))
    if claimed and not again:
        return None
    token = secrets.token_urlsafe(TOKEN_BYTES)
    connection.execute(
        insert(researchers).values(link_hash=digest(token), created_at=microseconds(now()))
    )
    return token


def claim_researcher(connection: Connection, token: str) -> str | None:
    """Take a one-time link for a session; every other link that nobody used ends with it."""
    session = secrets.token_urlsafe(TOKEN_BYTES)
    unused = researchers.c.session_hash.is_(None)
    mine = researchers.c.link_hash == digest(token)
    claimed = connection.execute(
        update(researchers)
        .where(mine, unused)
        .values(session_hash=digest(session), claimed_at=microseconds(now()))
    )
    if not claimed.rowcount:
        return None
    connection.execute(researchers.delete().where(unused))
    return session


def is_researcher(connection: Connection, session: str) -> bool:
    """Say whether a session is a researcher's."""
    query = select(researchers.c.id).where(researchers.c.session_hash == digest(session))
    return connection.scalar(query) is not None


def end_researcher(connection: Connection, session: str) -> None:
    """End a session: it stays on record as signed in once, with a digest of nothing known."""
    nobody = digest(secrets.token_urlsafe(TOKEN_BYTES))
    mine = researchers.c.session_hash == digest(session)
    connection.execute(update(researchers).where(mine).values(session_hash=nobody))


def digest(token: str) -> str:
    """Return what is kept of a token. It is random and long, so that one pass is enough."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


def _change(connection: Connection, judge: int, **values: Any) -> None:
    changed = connection.execute(update(judges).where(judges.c.id == judge).values(**values))
    if not changed.rowcount:
        raise InvalidArgument(f"there is no judge {judge}")


def _free_name(connection: Connection, number: int) -> str:
    """Return J and the number, or the next that nobody was named by hand."""
    taken = set(connection.scalars(select(judges.c.name).where(judges.c.name.startswith("J"))))
    while f"J{number}" in taken:
        number += 1
    return f"J{number}"


def _as_judge(row: Row[Any]) -> Judge:
    return Judge(
        id=row.id,
        name=row.name,
        group=row.group_name,
        attributes=json.loads(row.attributes),
        revoked=row.revoked_at is not None,
        created_at=as_time(row.created_at),
    )
