"""How far a study is: judge by judge, item by item, and in a few words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median
from typing import Literal

from covary.store.background import last_said
from covary.store.counts import Counts
from covary.store.places import NOTE
from covary.store.records import Judge
from covary.store.store import Store
from covary.study.model import Item, Study
from covary.web.researcher.desk import Desk
from covary.web.researcher.flags import Flag, Known
from covary.web.researcher.live import Snapshot
from covary.web.researcher.plan import InUse

__all__ = ["Overview", "Row", "ago", "item_rows", "lasting", "overview"]

Standing = Literal[
    "not begun", "reading", "at work", "done", "did not agree", "taken back",
    "abandoned", "full", "screened out", "failed checks", "withdrew",
]  # fmt: skip

ENDS: dict[object, Standing] = {
    "abandoned": "abandoned",
    "full": "full",
    "screened out": "screened out",
    "failed checks": "failed checks",
    "withdrew": "withdrew",
}
"""How it ended for recruited people who have no sheet any more."""

MINUTE, HOUR, DAY = 60, 3600, 86_400


@dataclass(frozen=True)
class Row:
    """One judge: where they stand, how much is answered of how much, when last, what is notable."""

    judge: Judge
    standing: Standing
    sheet: int | None
    answered: int
    asked: int
    changed: int
    last_at: datetime | None
    pace: float | None
    flags: tuple[Flag, ...]
    known: Mapping[str, Known]

    @property
    def last(self) -> str:
        """When the judge last answered, in words."""
        return "" if self.last_at is None else ago(self.last_at)

    @property
    def pace_words(self) -> str:
        """The median time on an item."""
        return "" if self.pace is None else lasting(self.pace)


@dataclass(frozen=True)
class Overview:
    """Everything that the first page says about progress."""

    rows: tuple[Row, ...]
    answers: int
    answered: int
    asked: int
    snapshot: Snapshot | None
    in_use: InUse
    counts: Counts

    def standing(self, *wanted: Standing) -> int:
        """Return how many judges stand so."""
        return sum(row.standing in wanted for row in self.rows)

    @property
    def flagged(self) -> list[Row]:
        """Judges about whom something is notable, those with most first."""
        return sorted((row for row in self.rows if row.flags), key=lambda row: -len(row.flags))

    @property
    def latest(self) -> list[Row]:
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


def overview(desk: Desk, patience: float = 0.0) -> Overview:
    """Look at where everybody stands."""
    store = desk.store
    counts, in_use = store.counts(), desk.planned.in_use()
    snapshot = desk.live.newest((counts.answers, frozenset(in_use.holders)), patience)
    rows = tuple(_rows(store, counts, in_use, snapshot))
    return Overview(
        rows=rows,
        answers=counts.answers,
        answered=sum(row.answered for row in rows),
        asked=sum(in_use.answers.values()),
        snapshot=snapshot,
        in_use=in_use,
        counts=counts,
    )


def item_rows(
    study: Study, seen: Overview, chosen: Sequence[Item]
) -> list[tuple[Item, list[tuple[int, int]]]]:
    """Return, for some items, how often each criterion was answered and how often it is planned."""
    return [
        (
            item,
            [
                (seen.counts.items.get((item.id, each.key), 0),
                 seen.in_use.items.get((item.id, each.key), 0))
                for each in study.criteria
            ],
        )
        for item in chosen
    ]  # fmt: skip


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


def _rows(store: Store, counts: Counts, in_use: InUse, snapshot: Snapshot | None) -> Iterator[Row]:
    sheets = in_use.sheet_of
    before = _sheets_before(counts)
    finished = {(note.judge, note.data.get("sheet")) for note in store.notes(kind="finished")}
    agreed = {note.judge: note.data.get("agreed") for note in store.notes(kind="consent")}
    outcomes = last_said(store, NOTE)
    flags = snapshot.flags if snapshot else {}
    pace = snapshot.pace if snapshot else {}
    known = snapshot.known if snapshot else {}
    for judge in store.judges():
        sheet = sheets.get(judge.id)
        number = sheet if sheet is not None else before.get(judge.id)
        found = None if number is None else counts.judges.get((judge.id, number))
        ended = ENDS.get(outcomes.get(judge.id, {}).get("outcome")) if sheet is None else None
        yield Row(
            judge=judge,
            standing=ended or _standing(judge, sheet, finished, agreed, judge.id in before),
            sheet=sheet,
            answered=0 if found is None or sheet is None else found.answered,
            asked=0 if sheet is None else in_use.answers[sheet],
            changed=0 if found is None or sheet is None else found.changed,
            last_at=None if found is None else found.last_at,
            pace=pace.get(judge.name),
            flags=flags.get(judge.name, ()),
            known=known.get(judge.name, {}),
        )


def _sheets_before(counts: Counts) -> dict[int, int]:
    """The newest sheet on which each judge has answered."""
    return dict(sorted(counts.judges))


def _standing(
    judge: Judge,
    sheet: int | None,
    finished: set[tuple[int | None, object]],
    agreed: Mapping[int | None, object],
    answered: bool,
) -> Standing:
    if sheet is not None:
        return "done" if (judge.id, sheet) in finished else "at work"
    if answered:
        return "taken back"
    if judge.id in agreed:
        return "reading" if agreed[judge.id] else "did not agree"
    return "not begun"


def _since(then: datetime | None) -> float:
    return 0.0 if then is None else -then.timestamp()
