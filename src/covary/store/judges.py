"""Judges and researchers. Tokens are given out once and kept only as digests."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from covary.errors import InvalidArgument
from covary.store.records import Judge, JudgeMark, as_time, check_text, microseconds, now
from covary.store.schema import judges, researchers
from covary.store.seals import seal_changed
from covary.store.sheets import sheet_numbers_of
from covary.store.writer import StoreSection, reads, writes

TOKEN_BYTES = 24  # 192 random bits


AT_ONCE = 1000


class Judges(StoreSection):
    """Those who rate."""

    @writes
    def add(
        self,
        connection: Connection,
        name: str | None = None,
        *,
        group: str | None = None,
        attributes: Mapping[str, Any] | None = None,
    ) -> tuple[Judge, str]:
        """Add a judge; the token comes back this once and is kept only as a digest."""
        return add_judge(connection, name, group, attributes or {})

    @reads
    def by_token(self, connection: Connection, token: str) -> Judge | None:
        """Return the judge whom a token lets in; None when it is unknown or revoked."""
        return judge_by_token(connection, token)

    @reads
    def by_id(self, connection: Connection, judge_id: int) -> Judge | None:
        """Return the judge of this number."""
        return judge_by_id(connection, judge_id)

    @reads
    def all(self, connection: Connection) -> list[Judge]:
        """Return all judges in the order in which they were added."""
        return [_as_judge(row) for row in connection.execute(select(judges).order_by(judges.c.id))]

    @writes
    def revoke(self, connection: Connection, judge_id: int) -> None:
        """Let a judge in no more; what was answered stays."""
        _change(connection, judge_id, revoked_at=microseconds(now()))

    @writes
    def new_token(self, connection: Connection, judge_id: int) -> str:
        """Give a judge a new token; the old one is worth nothing from now on."""
        token = new_token()
        _change(connection, judge_id, token_hash=digest(token), revoked_at=None)
        return token


class Researchers(StoreSection):
    """Those who run the study: each comes by a one-time link, and stays by a session."""

    @writes
    def new_link(self, connection: Connection, *, again: bool = False) -> str | None:
        """Return a new one-time token; None once a researcher has signed in, unless `again`."""
        signed_in = researchers.c.session_hash.is_not(None)
        if not again and connection.scalar(select(func.count()).where(signed_in)):
            return None
        token = new_token()
        values = {"link_hash": digest(token), "created_at": microseconds(now())}
        connection.execute(insert(researchers).values(**values))
        return token

    @writes
    def claim(self, connection: Connection, token: str) -> str | None:
        """Take a one-time token for a session token; None when it is not, or no longer, good.

        Every other link that nobody used ends with it.
        """
        session = new_token()
        unused = researchers.c.session_hash.is_(None)
        claimed = connection.execute(
            update(researchers)
            .where(researchers.c.link_hash == digest(token), unused)
            .values(session_hash=digest(session), claimed_at=microseconds(now()))
        )
        if not claimed.rowcount:
            return None
        connection.execute(researchers.delete().where(unused))
        return session

    @reads
    def admits(self, connection: Connection, session: str) -> bool:
        """Say whether a session token is a researcher's."""
        query = select(researchers.c.id).where(researchers.c.session_hash == digest(session))
        return connection.scalar(query) is not None

    @writes
    def sign_out(self, connection: Connection, session: str) -> None:
        """Let a session token in no more.

        It stays on record as signed in once, with a digest of nothing known.
        """
        own = researchers.c.session_hash == digest(session)
        nobody = digest(new_token())
        connection.execute(update(researchers).where(own).values(session_hash=nobody))


def add_judge(
    connection: Connection, name: str | None, group: str | None, attributes: Mapping[str, Any]
) -> tuple[Judge, str]:
    """Add a judge; one without a name is called J and its number."""
    for argument, text in (("name", name), ("group", group)):
        if text is not None:
            check_text(argument, text)
    if name and connection.scalar(select(judges.c.id).where(judges.c.name == name)):
        raise InvalidArgument("store.judge-name-taken", argument="name", value=name)
    token = new_token()
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
    else:
        seal_changed(connection, judges, [number])
    added = judge_by_id(connection, number)
    assert added is not None
    return added, token


def judge_by_token(connection: Connection, token: str) -> Judge | None:
    """Find the judge whom a token lets in."""
    return judges_by_token(connection, [token]).get(token)


def judges_by_token(connection: Connection, tokens: Collection[str]) -> dict[str, Judge]:
    """Find the judges whom tokens let in."""
    digests = {digest(token): token for token in tokens}
    ordered = sorted(digests)
    found: dict[str, Judge] = {}
    for start in range(0, len(ordered), AT_ONCE):
        part = ordered[start : start + AT_ONCE]
        query = select(judges).where(judges.c.token_hash.in_(part), judges.c.revoked_at.is_(None))
        for row in connection.execute(query):
            found[digests[row.token_hash]] = _as_judge(row)
    return found


def judge_marks(connection: Connection, wanted: Collection[int]) -> dict[int, JudgeMark]:
    """Return the marks of these judges, in two statements for up to a thousand of them."""
    marks: dict[int, JudgeMark] = {}
    ordered = sorted(wanted)
    for start in range(0, len(ordered), AT_ONCE):
        part = ordered[start : start + AT_ONCE]
        numbers = sheet_numbers_of(connection, part)
        for row in connection.execute(select(judges).where(judges.c.id.in_(part))):
            marks[row.id] = JudgeMark(_as_judge(row), row.token_hash, numbers.get(row.id))
    return marks


def judge_by_id(connection: Connection, judge: int) -> Judge | None:
    """Find a judge by number."""
    row = connection.execute(select(judges).where(judges.c.id == judge)).one_or_none()
    return None if row is None else _as_judge(row)


def new_token() -> str:
    """Return a token that nobody can guess."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def digest(token: str) -> str:
    """Return what is kept of a token. It is random and long, so that one pass is enough."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


def _change(connection: Connection, judge: int, **values: Any) -> None:
    changed = connection.execute(update(judges).where(judges.c.id == judge).values(**values))
    if not changed.rowcount:
        raise InvalidArgument("store.judge-unknown", argument="judge_id", value=judge)
    seal_changed(connection, judges, [judge])


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
