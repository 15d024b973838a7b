"""People who come from a recruiting platform: the link, who they are there, how it stands.

Arriving is one transaction of the only writer, so that nobody becomes two judges. How it ended is
noted, and notes are only ever added.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, Row, insert, select, update

from covary.store.events import add_note, put_setting, setting
from covary.store.people import add_judge, digest, judge_by_id
from covary.store.places import ENDINGS, NOTE, ending_of
from covary.store.records import Judge
from covary.store.tables import judges, notes, sheets, visitors
from covary.store.times import as_time, microseconds, now

__all__ = [
    "Arrival",
    "Outcome",
    "VisitorRecord",
    "arrive",
    "found_visitors",
    "has_come",
    "join_secret",
    "new_join_secret",
    "revoke_join_secret",
]

Outcome = Literal[
    "arrived", "at work", "declined", "full", "abandoned",
    "done", "screened out", "failed checks", "withdrew",
]  # fmt: skip

SETTING = "join"
TAKEN_BACK = "taken-back"
"""What is noted when a researcher takes a sheet back by hand."""

SECRET_BYTES = 24  # 192 random bits


@dataclass(frozen=True)
class Arrival:
    """Somebody has come: as which judge, the token that lets them in, and whether they are new."""

    judge: Judge
    token: str
    new: bool


@dataclass(frozen=True)
class VisitorRecord:
    """Somebody from a platform: who they are there, which judge, and how it stands or ended.

    `submission` is the platform's name of the visit that counts, the newest before the end, and
    `visits` says how many there were. `code` is what they were sent back with. `seconds` is the
    time from the first arrival to the end; None where there is no end yet.
    """

    platform: str
    participant: str
    submission: str
    study: str
    judge: int
    name: str
    arrived_at: datetime
    outcome: Outcome
    code: str = ""
    sheet: int | None = None
    ended_at: datetime | None = None
    visits: int = 1

    @property
    def seconds(self) -> float | None:
        """How long it took from the arrival to the end."""
        return None if self.ended_at is None else (self.ended_at - self.arrived_at).total_seconds()


# the link


def join_secret(connection: Connection) -> str | None:
    """Return the secret of the open link; None where there is none, or it was revoked."""
    return setting(connection, SETTING) or None


def new_join_secret(connection: Connection) -> str:
    """Make an open link, which ends the one before."""
    made = secrets.token_urlsafe(SECRET_BYTES)
    put_setting(connection, SETTING, made)
    add_note(connection, None, "join-link", {"made": True}, None)
    return made


def revoke_join_secret(connection: Connection) -> None:
    """Let nobody in by the open link; those who came by it go on."""
    if join_secret(connection) is not None:
        put_setting(connection, SETTING, "")
        add_note(connection, None, "join-link", {"made": False}, None)


# arriving


def arrive(
    connection: Connection,
    secret: bytes,
    platform: str,
    participant: str,
    submission: str,
    study: str,
) -> Arrival:
    """Return the judge who is this participant, made where there is none yet."""
    token = _token(secret, platform, participant)
    mine = (visitors.c.platform == platform, visitors.c.participant == participant)
    found = connection.execute(select(visitors).where(*mine)).one_or_none()
    if found is None:
        judge = _new_judge(connection, platform, token)
        values = {"platform": platform, "participant": participant, "judge": judge.id}
        values |= {"submission": submission, "study": study, "arrived_at": microseconds(now())}
        connection.execute(insert(visitors).values(**values))
    else:
        judge = _again(connection, found, token)
        if submission and ending_of(connection, judge.id) is None:
            values = {"submission": submission, "study": study}
            connection.execute(update(visitors).where(*mine).values(**values))
    # The platform's own names stay out of the notes, which are exported with the ratings.
    visit = hashlib.sha256(f"{judge.id} {submission}".encode()).hexdigest()[:12]
    add_note(connection, judge.id, "arrived", {"visit": visit}, f"{judge.id}:arrived:{visit}")
    return Arrival(judge, token, found is None)


def _token(secret: bytes, platform: str, participant: str) -> str:
    """Return a person's token: always the same, so that two tabs opened at once both hold it."""
    message = "\0".join(("visitor", platform, participant)).encode()
    return urlsafe_b64encode(hmac.new(secret, message, hashlib.sha256).digest()[:24]).decode()


def _new_judge(connection: Connection, platform: str, token: str) -> Judge:
    judge, _ = add_judge(connection, None, None, {"recruited": platform})
    connection.execute(
        update(judges).where(judges.c.id == judge.id).values(token_hash=digest(token))
    )
    return judge


def _again(connection: Connection, found: Row[Any], token: str) -> Judge:
    judge = judge_by_id(connection, found.judge)
    assert judge is not None
    if not judge.revoked:
        mine = judges.c.id == judge.id
        connection.execute(update(judges).where(mine).values(token_hash=digest(token)))
    return judge


# who came


def has_come(connection: Connection, platform: str, participant: str) -> bool:
    """Say whether somebody of this name came before."""
    mine = (visitors.c.platform == platform, visitors.c.participant == participant)
    return connection.scalar(select(visitors.c.judge).where(*mine)) is not None


def found_visitors(connection: Connection, judge: int | None = None) -> list[VisitorRecord]:
    """Return everybody who came, or who this judge is, in the order in which they came."""
    told = _told(connection, judge)
    query = (
        select(visitors, judges.c.name, sheets.c.number)
        .join(judges, judges.c.id == visitors.c.judge)
        .outerjoin(sheets, sheets.c.judge == visitors.c.judge)
        .order_by(visitors.c.arrived_at, visitors.c.judge)
    )
    if judge is not None:
        query = query.where(visitors.c.judge == judge)
    return [_record(row, told.get(row.judge, ())) for row in connection.execute(query)]


def _told(
    connection: Connection, judge: int | None
) -> dict[int, list[tuple[str, Mapping[str, Any], int]]]:
    """Return what was noted of each person about coming, agreeing and ending."""
    query = select(notes.c.judge, notes.c.kind, notes.c.data, notes.c.at).where(
        notes.c.kind.in_((NOTE, "arrived", "consent", TAKEN_BACK)), notes.c.judge.is_not(None)
    )
    if judge is not None:
        query = query.where(notes.c.judge == judge)
    found: dict[int, list[tuple[str, Mapping[str, Any], int]]] = {}
    for who, kind, data, at in connection.execute(query.order_by(notes.c.id)):
        found.setdefault(who, []).append((kind, json.loads(data), at))
    return found


def _record(row: Row[Any], told: Iterable[tuple[str, Mapping[str, Any], int]]) -> VisitorRecord:
    visits, outcome, code, ended = 0, "arrived", "", None
    for kind, data, at in told:
        if ended is not None and kind != "arrived":
            continue
        if kind == "arrived":
            visits += 1
        elif kind == "consent" and row.number is None:
            outcome = "arrived" if data.get("agreed") else "declined"
        elif kind == TAKEN_BACK:
            outcome = "abandoned"
        elif kind == NOTE:
            outcome = data["outcome"]
            if outcome in ENDINGS:
                code, ended = str(data.get("code", "")), as_time(at)
    if ended is None and row.number is not None:
        outcome = "at work"
    return VisitorRecord(
        platform=row.platform,
        participant=row.participant,
        submission=row.submission,
        study=row.study,
        judge=row.judge,
        name=row.name,
        arrived_at=as_time(row.arrived_at),
        outcome=outcome,  # type: ignore[arg-type]
        code=code,
        sheet=row.number,
        ended_at=ended,
        visits=max(visits, 1),
    )
