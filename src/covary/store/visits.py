"""People who come from a recruiting platform: their link, their place, and how the visit ends.

Arriving is one transaction of the only writer, so that nobody becomes two judges. How it ended is
noted, and notes are only ever added.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, get_args

from sqlalchemy import Connection, Row, func, insert, select, update

from covary.errors import InvalidArgument
from covary.store.judges import add_judge, digest, judge_by_id
from covary.store.notes import add_note
from covary.store.records import Judge, as_time, check_text, microseconds, now
from covary.store.schema import answers, issues, judges, notes, sheets, visitors
from covary.store.settings import put_setting, read_setting
from covary.store.sheets import FREE, first_free, give, reclaim, sheet_number_of
from covary.store.writer import StoreSection, Transactions, reads, writes

Ending = Literal["done", "screened out", "failed checks", "withdrew"]
"""How a visit ends for good."""

ENDINGS: tuple[str, ...] = get_args(Ending)

Outcome = Literal["arrived", "at work", "declined", "full", "abandoned"] | Ending

NOTE = "outcome"
"""The kind of note that says how it stands with somebody who was recruited."""

TAKEN_BACK = "taken-back"
"""What is noted when a researcher takes a sheet back by hand."""

SECOND = "second-session"
"""What is noted when somebody came with the name of a judge who is at work elsewhere."""

SETTING = "join"

SECRET_BYTES = 24  # 192 random bits

StoryLine = tuple[str, Mapping[str, Any], int]
"""Kind, data and time of a note about somebody's visit."""


@dataclass(frozen=True)
class Arrival:
    """Somebody has come: as which judge, the token that lets them in, and whether they are new."""

    judge: Judge
    token: str
    new: bool


@dataclass(frozen=True)
class IdleSweep:
    """What was done about those who were idle: who lost their sheet, and who was done unseen."""

    abandoned: tuple[int, ...] = ()
    done: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class VisitorRecord:
    """Somebody from a platform: who they are there, which judge, and how it stands or ended.

    `submission` is the platform's name of the visit that counts, the newest before the end, and
    `visits` says how many there were, `others` how many more were turned away because they came
    with the same name from another browser and with another submission. `code` is what they were
    sent back with. `seconds` is the time from the first arrival to the end; None where there is no
    end yet.
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
    others: int = 0

    @property
    def seconds(self) -> float | None:
        """How long it took from the arrival to the end."""
        return None if self.ended_at is None else (self.ended_at - self.arrived_at).total_seconds()


class Visits(StoreSection):
    """Recruited people: the open link by which they come, and each one's way to an end."""

    def __init__(self, transactions: Transactions, secret: Callable[[], bytes]) -> None:
        super().__init__(transactions)
        self._secret = secret

    # the link

    @reads
    def join_secret(self, connection: Connection) -> str | None:
        """Return the last part of the open recruiting link; None where there is none."""
        return read_setting(connection, SETTING) or None

    @writes
    def new_join_secret(self, connection: Connection) -> str:
        """Make an open recruiting link and return its last part; the link before ends."""
        secret = secrets.token_urlsafe(SECRET_BYTES)
        put_setting(connection, SETTING, secret)
        add_note(connection, None, "join-link", {"made": True})
        return secret

    @writes
    def revoke_join_secret(self, connection: Connection) -> None:
        """Let nobody new in by the open recruiting link; those who came by it go on."""
        if read_setting(connection, SETTING):
            put_setting(connection, SETTING, "")
            add_note(connection, None, "join-link", {"made": False})

    # arriving

    def arrive(
        self, platform: str, participant: str, submission: str = "", study: str = ""
    ) -> Arrival:
        """Return the judge who is this participant of a platform, made when they first come."""
        names = {"platform": platform, "participant": participant}
        visit = {"submission": submission, "study": study}
        for argument, text in (names | visit).items():
            check_text(argument, text)
        if not platform or not participant:
            raise InvalidArgument("store.visitor-unnamed")
        return self._arrive(names, visit, _token(self._secret(), platform, participant))

    @writes
    def _arrive(
        self, connection: Connection, names: dict[str, str], visit: dict[str, str], token: str
    ) -> Arrival:
        row = connection.execute(select(visitors).filter_by(**names)).one_or_none()
        if row is None:
            judge, _ = add_judge(connection, None, None, {"recruited": names["platform"]})
            _set_token(connection, judge, token)
            values = {**names, **visit, "judge": judge.id, "arrived_at": microseconds(now())}
            connection.execute(insert(visitors).values(**values))
        else:
            judge = _returning_judge(connection, row, token)
            if visit["submission"] and ending_of(connection, judge.id) is None:
                connection.execute(update(visitors).filter_by(**names).values(**visit))
        mark = _visit_mark(judge.id, visit["submission"])
        key = f"{judge.id}:arrived:{mark}"
        add_note(connection, judge.id, "arrived", {"visit": mark}, key=key)
        return Arrival(judge, token, row is None)

    @reads
    def last_visit(
        self, connection: Connection, platform: str, participant: str
    ) -> tuple[int, str] | None:
        """Return which judge somebody of a platform is, and the submission; None if not come."""
        query = select(visitors.c.judge, visitors.c.submission).filter_by(
            platform=platform, participant=participant
        )
        row = connection.execute(query).one_or_none()
        return None if row is None else (row.judge, row.submission)

    @writes
    def note_second(self, connection: Connection, judge_id: int, submission: str) -> bool:
        """Note that somebody else came with a judge's name of the platform; False if noted."""
        mark = _visit_mark(judge_id, submission)
        key = f"{judge_id}:{SECOND}:{mark}"
        return add_note(connection, judge_id, SECOND, {"visit": mark}, key=key)

    @reads
    def all(self, connection: Connection) -> list[VisitorRecord]:
        """Return everybody who came from a platform, and how it stands or ended."""
        return _visitors(connection)

    @reads
    def of(self, connection: Connection, judge_id: int) -> VisitorRecord | None:
        """Return who a judge is on a platform; None for one who did not come from any."""
        return next(iter(_visitors(connection, judge_id)), None)

    # places

    @reads
    def place_for(
        self, connection: Connection, judge_id: int, places: int | None = None, part: str = ""
    ) -> int | None:
        """Return the sheet that a recruited person has or could have now; nothing is changed.

        `places` is how many recruited people may have a sheet; None: as many as there are sheets.
        With `part`, only sheets of this part are for them.
        """
        return _place_for(connection, judge_id, places, part)

    @writes
    def take_place(
        self, connection: Connection, judge_id: int, places: int | None = None, part: str = ""
    ) -> int | None:
        """Give a recruited person a sheet, where there is a place; no sheet is ever added.

        Somebody who had one before gets the same again, or none once they have rated something.
        """
        held = sheet_number_of(connection, judge_id)
        number = _place_for(connection, judge_id, places, part)
        if number is None or held is not None:
            return held
        again = _last_sheet(connection, judge_id) is not None
        give(connection, judge_id, number)
        if again:
            add_note(connection, judge_id, NOTE, {"outcome": "at work", "sheet": number})
        return number

    @writes
    def note_full(self, connection: Connection, judge_id: int) -> bool:
        """Note that somebody found no place; False when that was noted before."""
        return add_note(connection, judge_id, NOTE, {"outcome": "full"}, key=f"{judge_id}:full")

    # the end

    @writes
    def end(
        self,
        connection: Connection,
        /,
        judge_id: int,
        ending: Ending,
        *,
        code: str = "",
        **details: Any,
    ) -> Ending | None:
        """End a recruited person's visit, and return how it has ended: the first ending stays.

        The sheet of everybody who is not done is free again. None where somebody should be done
        whose sheet was given on.
        """
        return _end(connection, judge_id, ending, {"code": code, **details})

    @reads
    def ending_of(self, connection: Connection, judge_id: int) -> Ending | None:
        """Return how a recruited person's visit ended; None while it may go on."""
        return ending_of(connection, judge_id)

    @writes
    def reclaim_idle(
        self, connection: Connection, after: timedelta, *, code: str = ""
    ) -> IdleSweep:
        """Take back the sheets of recruited people who did nothing for so long.

        Their answers stay. Who had judged everything and only not seen the last page is done, with
        this code.
        """
        abandoned, done = [], []
        for judge, sheet in _idle(connection, microseconds(now() - after)):
            if _is_complete(connection, judge, sheet):
                _end(connection, judge, "done", {"code": code, "seen": False})
                done.append(judge)
            else:
                reclaim(connection, judge, free=True)
                add_note(connection, judge, NOTE, {"outcome": "abandoned", "sheet": sheet})
                abandoned.append(judge)
        return IdleSweep(tuple(abandoned), tuple(done))


def _visit_mark(judge: int, submission: str) -> str:
    """Return a name of a visit: the platform's own stays out of notes, which are exported."""
    return hashlib.sha256(f"{judge} {submission}".encode()).hexdigest()[:12]


def _token(secret: bytes, platform: str, participant: str) -> str:
    """Return a person's token: always the same, so that two tabs opened at once both hold it."""
    message = "\0".join(("visitor", platform, participant)).encode()
    return urlsafe_b64encode(hmac.new(secret, message, hashlib.sha256).digest()[:24]).decode()


def _returning_judge(connection: Connection, row: Row[Any], token: str) -> Judge:
    judge = judge_by_id(connection, row.judge)
    assert judge is not None
    if not judge.revoked:
        _set_token(connection, judge, token)
    return judge


def _set_token(connection: Connection, judge: Judge, token: str) -> None:
    own = judges.c.id == judge.id
    connection.execute(update(judges).where(own).values(token_hash=digest(token)))


# who came


def _visitors(connection: Connection, judge: int | None = None) -> list[VisitorRecord]:
    """Return everybody who came, or who this judge is, in the order in which they came."""
    stories = _stories(connection, judge)
    query = (
        select(visitors, judges.c.name, sheets.c.number)
        .join(judges, judges.c.id == visitors.c.judge)
        .outerjoin(sheets, sheets.c.judge == visitors.c.judge)
        .order_by(visitors.c.arrived_at, visitors.c.judge)
    )
    if judge is not None:
        query = query.where(visitors.c.judge == judge)
    return [_record(row, stories.get(row.judge, ())) for row in connection.execute(query)]


def _stories(connection: Connection, judge: int | None) -> dict[int, list[StoryLine]]:
    """Return what was noted of each person about coming, agreeing and ending."""
    query = select(notes.c.judge, notes.c.kind, notes.c.data, notes.c.at).where(
        notes.c.kind.in_((NOTE, "arrived", "consent", TAKEN_BACK, SECOND)),
        notes.c.judge.is_not(None),
    )
    if judge is not None:
        query = query.where(notes.c.judge == judge)
    stories: dict[int, list[StoryLine]] = {}
    for who, kind, data, at in connection.execute(query.order_by(notes.c.id)):
        stories.setdefault(who, []).append((kind, json.loads(data), at))
    return stories


def _record(row: Row[Any], story: Iterable[StoryLine]) -> VisitorRecord:
    counts, outcome, code, ended = Counter[str](), "arrived", "", None
    for kind, data, at in story:
        counts[kind] += 1
        if kind in ("arrived", SECOND):
            continue
        if ended is not None:
            continue
        if kind == "consent" and row.number is None:
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
        visits=max(counts["arrived"], 1),
        others=counts[SECOND],
    )


# places and ends


def _place_for(connection: Connection, judge: int, places: int | None, part: str) -> int | None:
    """Return the sheet that this person has or could have now; None where there is no place."""
    held = sheet_number_of(connection, judge)
    if held is not None:
        return held
    if ending_of(connection, judge) is not None or _all_taken(connection, places):
        return None
    before = _last_sheet(connection, judge)
    if before is not None:
        again = select(sheets.c.number).where(sheets.c.number == before, *FREE)
        same: int | None = connection.scalar(again)
        if same is not None or _has_rated(connection, judge):
            return same
    return first_free(connection, part=part)


def _last_sheet(connection: Connection, judge: int) -> int | None:
    """Return the number of the sheet that somebody had last."""
    query = select(issues.c.sheet).where(issues.c.judge == judge).order_by(issues.c.id.desc())
    return connection.scalar(query.limit(1))


def _all_taken(connection: Connection, places: int | None) -> bool:
    """Say whether as many recruited people have a sheet as are wanted."""
    if places is None:
        return False
    held = select(func.count()).select_from(
        visitors.join(sheets, sheets.c.judge == visitors.c.judge)
    )
    return (connection.scalar(held) or 0) >= places


def _has_rated(connection: Connection, judge: int) -> bool:
    rated = select(answers.c.id).where(answers.c.judge == judge, answers.c.kind != "practice")
    return connection.scalar(rated.limit(1)) is not None


def ending_of(connection: Connection, judge: int) -> Ending | None:
    """Return how this person's visit ended; None while it may go on."""
    outcomes = select(notes.c.data).where(notes.c.judge == judge, notes.c.kind == NOTE)
    for data in connection.scalars(outcomes):
        ending: Ending = json.loads(data)["outcome"]
        if ending in ENDINGS:
            return ending
    return None


def _end(
    connection: Connection, judge: int, ending: Ending, details: Mapping[str, Any]
) -> Ending | None:
    """End a visit, and return how it has ended: once for each person, whoever asks twice."""
    if ending not in ENDINGS:
        raise InvalidArgument(
            "store.unknown-ending", argument="ending", value=ending, allowed=ENDINGS
        )
    before = ending_of(connection, judge)
    if before is not None:
        return before
    sheet = sheet_number_of(connection, judge)
    if ending != "done":
        reclaim(connection, judge, free=True)
    elif sheet is None:
        return None
    else:
        key = f"{judge}:finished:{sheet}"
        add_note(connection, judge, "finished", {"sheet": sheet}, key=key)
    data = {"outcome": ending, "sheet": sheet, **details}
    add_note(connection, judge, NOTE, data, key=f"{judge}:ended")
    return ending


def _idle(connection: Connection, since: int) -> list[tuple[int, int]]:
    """Find who holds a sheet, has not ended, and did nothing after a moment."""
    issued = select(func.max(issues.c.issued_at)).where(issues.c.judge == visitors.c.judge)
    noted = select(func.max(notes.c.at)).where(notes.c.judge == visitors.c.judge)
    answered = select(func.max(answers.c.answered_at)).where(
        answers.c.judge == visitors.c.judge, answers.c.sheet == sheets.c.number
    )
    moments = (query.scalar_subquery() for query in (issued, noted, answered))
    query = select(visitors.c.judge, sheets.c.number, *moments).join(
        sheets, sheets.c.judge == visitors.c.judge
    )
    return [
        (judge, sheet)
        for judge, sheet, *times in connection.execute(query.order_by(visitors.c.judge))
        if max(time or 0 for time in times) < since and ending_of(connection, judge) is None
    ]


def _is_complete(connection: Connection, judge: int, sheet: int) -> bool:
    """Say whether every task of a sheet is behind its judge."""
    tasks = connection.scalars(select(sheets.c.tasks).where(sheets.c.number == sheet)).one()
    left = select(notes.c.data).where(notes.c.judge == judge, notes.c.kind == "left")
    leavings = [json.loads(data) for data in connection.scalars(left)]
    positions = {leaving["position"] for leaving in leavings if leaving["sheet"] == sheet}
    return {task["position"] for task in json.loads(tasks)} <= positions
