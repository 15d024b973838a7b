"""How far a study is: judge by judge, item by item, and in a few words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any, Literal

from covary.store.answers import AnswerCounts
from covary.store.records import Judge
from covary.store.store import Store
from covary.store.visits import NOTE
from covary.study.model import Item, Study
from covary.web.judge.sheets import SheetCache, SheetsInUse
from covary.web.researcher.desk import Desk
from covary.web.researcher.live import LiveNumbers, Snapshot
from covary.web.researcher.measures import Flag, KnownAnswers

Standing = Literal[
    "not begun",
    "reading",
    "at work",
    "done",
    "did not agree",
    "taken back",
    "abandoned",
    "full",
    "screened out",
    "failed checks",
    "withdrew",
]

ENDS: dict[object, Standing] = {
    "abandoned": "abandoned",
    "full": "full",
    "screened out": "screened out",
    "failed checks": "failed checks",
    "withdrew": "withdrew",
}
"""How it ended for recruited people who have no sheet any more."""

MINUTE, HOUR, DAY = 60, 3600, 86_400

STUCK_AFTER = timedelta(hours=1)
"""Somebody who has begun and sends nothing for so long may need a word."""


@dataclass(frozen=True)
class JudgeRow:
    """One judge: where they stand, how much is answered of how much, when last, what is notable."""

    judge: Judge
    standing: Standing
    sheet: int | None
    answered: int
    asked: int
    changed: int
    last_at: datetime | None
    began_at: datetime
    pace: float | None
    flags: tuple[Flag, ...]
    known: Mapping[str, KnownAnswers]

    @property
    def last(self) -> str:
        """When the judge last answered, in words."""
        return "" if self.last_at is None else ago(self.last_at)

    @property
    def stuck(self) -> bool:
        """Whether the judge has begun, is not done, and has sent nothing for an hour."""
        quiet = datetime.now(UTC) - (self.last_at or self.began_at)
        return self.standing == "at work" and not self.judge.revoked and quiet > STUCK_AFTER

    @property
    def waiting(self) -> bool:
        """Whether a sheet will be found for the judge, who has none and a link that works.

        Recruited people get a place when they agree, and none once they have left.
        """
        yet_to_come = self.standing in ("not begun", "reading")
        recruited = "recruited" in self.judge.attributes
        return self.sheet is None and yet_to_come and not (recruited or self.judge.revoked)

    @property
    def quiet(self) -> str:
        """How long ago the judge gave the last sign of life, in words."""
        return ago(self.last_at or self.began_at)

    @property
    def pace_words(self) -> str:
        """The median time on an item."""
        return "" if self.pace is None else lasting(self.pace)


@dataclass(frozen=True)
class Overview:
    """Everything that the first page says about progress.

    `places` is how many judges are wanted: those who came and left again are none of them.
    """

    rows: tuple[JudgeRow, ...]
    answers: int
    answered: int
    asked: int
    places: int
    snapshot: Snapshot | None
    in_use: SheetsInUse
    counts: AnswerCounts
    left: LeftBehind

    def times(self, item: str, criterion: str) -> int:
        """Return how many ratings of an item count: none of sheets that were taken back."""
        answered = self.counts.items.get((item, criterion), 0)
        return answered - self.left.items.get((item, criterion), 0)

    def standing(self, *wanted: Standing) -> int:
        """Return how many judges stand so."""
        return sum(row.standing in wanted for row in self.rows)

    @property
    def flagged(self) -> list[JudgeRow]:
        """Judges about whom something is notable, those with most first."""
        return sorted((row for row in self.rows if row.flags), key=lambda row: -len(row.flags))

    @property
    def stuck(self) -> list[JudgeRow]:
        """Judges who have begun and send nothing, the quietest first."""
        return sorted(
            (row for row in self.rows if row.stuck), key=lambda row: row.last_at or row.began_at
        )

    @property
    def latest(self) -> list[JudgeRow]:
        """Judges by when they last answered."""
        return sorted(self.rows, key=lambda row: (row.last_at is None, _since(row.last_at)))

    @property
    def last(self) -> str:
        """When the last answer came, in words."""
        times = [row.last_at for row in self.rows if row.last_at]
        return ago(max(times)) if times else ""

    @property
    def usual_pace(self) -> float | None:
        """The median judge's time on an item."""
        known = [row.pace for row in self.rows if row.pace is not None]
        return median(known) if known else None

    @property
    def usual_length(self) -> float | None:
        """About how long a whole sheet takes, breaks not counted."""
        sheets = [len(sheet.tasks) for sheet in self.in_use.sheets.values()]
        return None if self.usual_pace is None or not sheets else self.usual_pace * median(sheets)


@dataclass(frozen=True)
class LeftBehind:
    """Answers on sheets that their judges no longer have: how many, and how often on each item."""

    answers: int
    items: Mapping[tuple[str, str], int]


class LeftBehindCache:
    """Counts the answers that were left behind, anew when there are others."""

    def __init__(self, _: Study, store: Store) -> None:
        self._store = store
        self._seen: tuple[Mapping[tuple[int, int], int], LeftBehind] = ({}, LeftBehind(0, {}))

    def newest(self, counts: AnswerCounts, in_use: SheetsInUse) -> LeftBehind:
        """Return what was left behind."""
        mark = {
            (judge, sheet): work.answered
            for (judge, sheet), work in counts.judges.items()
            if in_use.holders.get(sheet) != judge
        }
        if mark != self._seen[0]:
            items = self._store.answers.left_behind({judge for judge, _ in mark})
            self._seen = (mark, LeftBehind(sum(mark.values()), items))
        return self._seen[1]


def overview(desk: Desk, patience: float = 0.0) -> Overview:
    """Look at where everybody stands."""
    store = desk.store
    counts, in_use = store.answers.counts(), desk.kept(SheetCache).in_use()
    snapshot = desk.kept(LiveNumbers).newest((counts.answers, frozenset(in_use.holders)), patience)
    rows = tuple(_judge_rows(store, counts, in_use, snapshot))
    wanted = _wanted(desk.study, in_use, rows)
    return Overview(
        rows=rows,
        answers=counts.answers,
        answered=sum(row.answered for row in rows),
        asked=sum(in_use.answers[number] for number in wanted),
        places=len(wanted),
        snapshot=snapshot,
        in_use=in_use,
        counts=counts,
        left=desk.kept(LeftBehindCache).newest(counts, in_use),
    )


def _wanted(study: Study, in_use: SheetsInUse, rows: Sequence[JudgeRow]) -> list[int]:
    """Return the sheets that are to be judged: recruited people get no more than their places."""
    held = [number for number, judge in in_use.holders.items() if judge is not None]
    free = [number for number, judge in in_use.holders.items() if judge is None]
    recruiting = study.recruiting
    if recruiting is None or recruiting.places is None:
        return held + free
    taken = sum(row.sheet is not None and "recruited" in row.judge.attributes for row in rows)
    return held + free[: max(0, recruiting.places - taken)]


def item_rows(
    study: Study, seen: Overview, chosen: Sequence[Item]
) -> list[tuple[Item, list[tuple[int, int]]]]:
    """Return, for some items, how many ratings of each criterion count and how many are planned."""
    return [
        (
            item,
            [
                (
                    seen.times(item.id, criterion.key),
                    seen.in_use.items.get((item.id, criterion.key), 0),
                )
                for criterion in study.criteria
            ],
        )
        for item in chosen
    ]


def ago(then: datetime) -> str:
    """Say how long ago something was.

    Examples
    --------
    >>> from datetime import timedelta
    >>> ago(datetime.now(UTC) - timedelta(minutes=5))
    '5 min ago'
    """
    seconds = (datetime.now(UTC) - then).total_seconds()
    if seconds < MINUTE:
        return "just now"
    if seconds < HOUR:
        return f"{seconds // MINUTE:.0f} min ago"
    if seconds < 2 * DAY:
        return f"{seconds // HOUR:.0f} h ago"
    return f"{seconds // DAY:.0f} days ago"


def lasting(seconds: float) -> str:
    """Say how long something takes.

    Examples
    --------
    >>> lasting(8.24), lasting(75), lasting(4000)
    ('8.2 s', '75 s', '67 min')
    """
    if seconds < 10:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 2 * MINUTE else f"{seconds / MINUTE:.0f} min"


@dataclass(frozen=True)
class NotesOfAll:
    """What was noted of all judges that says where they stand."""

    finished: frozenset[tuple[int | None, object]]
    began: Mapping[int | None, datetime]
    agreed: Mapping[int | None, object]
    outcomes: Mapping[int, Mapping[str, Any]]

    @classmethod
    def read(cls, store: Store) -> NotesOfAll:
        """Read the notes."""
        finished = store.notes.all(kind="finished")
        return cls(
            frozenset((note.judge, note.data.get("sheet")) for note in finished),
            {note.judge: note.at for note in store.notes.all(kind="began")},
            {note.judge: note.data.get("agreed") for note in store.notes.all(kind="consent")},
            store.notes.last_of_each(NOTE),
        )

    def standing(self, judge: Judge, sheet: int | None, *, answered: bool) -> Standing:
        """Say where a judge stands, who has a sheet or none."""
        if sheet is not None:
            return "done" if (judge.id, sheet) in self.finished else "at work"
        ended = ENDS.get(self.outcomes.get(judge.id, {}).get("outcome"))
        if ended is not None:
            return ended
        if answered:
            return "taken back"
        if judge.id in self.agreed:
            return "reading" if self.agreed[judge.id] else "did not agree"
        return "not begun"


def _judge_rows(
    store: Store, counts: AnswerCounts, in_use: SheetsInUse, snapshot: Snapshot | None
) -> Iterator[JudgeRow]:
    notes, sheets = NotesOfAll.read(store), in_use.sheet_of
    before = dict(sorted(counts.judges))  # the newest sheet on which each judge has answered
    seen = snapshot or Snapshot(None, datetime.now(UTC))
    for judge in store.judges.all():
        sheet = sheets.get(judge.id)
        number = before.get(judge.id) if sheet is None else sheet
        work = None if number is None else counts.judges.get((judge.id, number))
        counted = None if sheet is None else work
        asked = 0 if sheet is None else in_use.answers[sheet]
        yield JudgeRow(
            judge=judge,
            standing=notes.standing(judge, sheet, answered=judge.id in before),
            sheet=sheet,
            answered=min(counted.answered, asked) if counted else 0,
            asked=asked,
            changed=counted.changed if counted else 0,
            last_at=work.last_at if work else None,
            began_at=notes.began.get(judge.id, judge.created_at),
            pace=seen.pace.get(judge.name),
            flags=seen.flags.get(judge.name, ()),
            known=seen.known.get(judge.name, {}),
        )


def _since(then: datetime | None) -> float:
    return 0.0 if then is None else -then.timestamp()
