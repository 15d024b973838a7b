"""The assignments of a Mechanical Turk batch: who was paid what for how long, and broken rows.

`covary.formats.mturk` reads the answers; this file reads everything else and looks at each row.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from covary.errors import RatingsError, listed
from covary.formats.encoding import encoding_of, opened

__all__ = ["COLUMNS", "Assignment", "Batch", "BrokenRow", "read_batch", "write_batch"]

COLUMNS = (
    "HITId", "HITTypeId", "Title", "Description", "Keywords", "Reward", "CreationTime",
    "MaxAssignments", "RequesterAnnotation", "AssignmentDurationInSeconds",
    "AutoApprovalDelayInSeconds", "Expiration", "NumberOfSimilarHITs", "LifetimeInSeconds",
    "AssignmentId", "WorkerId", "AssignmentStatus", "AcceptTime", "SubmitTime", "AutoApprovalTime",
    "ApprovalTime", "RejectionTime", "RequesterFeedback", "WorkTimeInSeconds",
    "LifetimeApprovalRate", "Last30DaysApprovalRate", "Last7DaysApprovalRate",
)  # fmt: skip
"""What the platform wrote before Input.… and Answer.…, in its order."""

NEEDED = ("HITId", "AssignmentId", "WorkerId")
STATUSES = ("Submitted", "Approved", "Rejected")
ANSWER = "Answer."
REWARD = re.compile(r"\$?\s*([0-9]{1,6}(?:\.[0-9]{1,4})?)")
NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]+)?")


@dataclass(frozen=True)
class BrokenRow:
    """A row that cannot be taken as it is: where it stands, and what is wrong with it.

    `line` is the line of the file that the row begins in.
    """

    line: int
    column: str
    message: str

    def __str__(self) -> str:
        where = f", {self.column}" if self.column else ""
        return f"line {self.line}{where}: {self.message}"


@dataclass(frozen=True)
class Assignment:
    """One assignment; None where the platform wrote nothing."""

    line: int
    id: str
    hit: str
    worker: str
    status: str
    reward: Decimal | None
    seconds: float | None
    of_hit: int | None
    accepted: str
    submitted: str


@dataclass(frozen=True)
class Batch:
    """A batch: its sound rows as assignments and as cells, and the broken ones.

    `missing` are columns that the platform always wrote and that are not there.
    """

    columns: tuple[str, ...]
    assignments: tuple[Assignment, ...]
    cells: tuple[tuple[str, ...], ...]
    broken: tuple[BrokenRow, ...]
    missing: tuple[str, ...]

    @property
    def statuses(self) -> Mapping[str, int]:
        """How many assignments have each status, in the order in which statuses follow."""
        found = [each.status for each in self.assignments]
        return {each: found.count(each) for each in STATUSES if each in found}


def read_batch(path: str | Path) -> Batch:
    """Read a batch and look at every row.

    Raises
    ------
    RatingsError
        Where the file is no batch: it lacks a column that names the HIT, the assignment or the
        worker, or has no answers. Broken rows are no error; they are told in `broken`.
    """
    file = Path(path)
    with opened(file) as stream:
        text = stream.read().decode(encoding_of(file))
    rows = _rows(text, file.name)
    columns = next(rows, (0, []))[1]
    _check_columns(columns, file.name)
    broken: list[BrokenRow] = []
    kept: list[tuple[Assignment, tuple[str, ...]]] = []
    seen: dict[tuple[str, ...], int] = {}
    for line, cells in rows:
        faults = [BrokenRow(line, *fault) for fault in _faults(columns, cells, line, seen)]
        broken += faults
        if not faults:
            kept.append((_assignment(line, dict(zip(columns, cells, strict=True))), tuple(cells)))
    return Batch(
        columns=tuple(columns),
        assignments=tuple(each for each, _ in kept),
        cells=tuple(cells for _, cells in kept),
        broken=tuple(broken),
        missing=tuple(each for each in COLUMNS if each not in columns),
    )


def write_batch(batch: Batch, path: Path) -> Path:
    """Write the sound rows as the platform would have."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator="\n")
        table.writerows([batch.columns, *batch.cells])
    return path


def _rows(text: str, file: str) -> Iterator[tuple[int, list[str]]]:
    """Return the line that each row begins in, and its cells; blank rows are no rows."""
    reader = csv.reader(io.StringIO(text, newline=""))
    begins = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield begins, [cell.strip() for cell in cells]
            begins = reader.line_num + 1
    except csv.Error as error:
        raise RatingsError(f"{file}, line {begins}: {error}; look at its quotation marks") from None


def _check_columns(columns: Sequence[str], file: str) -> None:
    missing = [each for each in NEEDED if each not in columns]
    if missing or not any(each.startswith(ANSWER) for each in columns):
        raise RatingsError(
            f"{file} is no batch of Mechanical Turk: it needs the columns {listed(NEEDED)} and at "
            f"least one that begins with {ANSWER!r}"
        )
    twice = sorted({each for each in columns if columns.count(each) > 1})
    if twice:
        raise RatingsError(f"{file} has two columns called {listed(twice)}; remove one")


def _faults(
    columns: Sequence[str], cells: list[str], line: int, seen: dict[tuple[str, ...], int]
) -> Iterator[tuple[str, str]]:
    """Say what is wrong with a row; remember the assignments and people that were seen."""
    if len(cells) < len(columns):  # the last columns, Approve and Reject, are often cut off
        cells += [""] * max(0, len(columns) - len(cells)) if _may_end(columns, cells) else []
    if len(cells) != len(columns):
        yield "", f"{len(cells)} cells where the first row has {len(columns)}"
        return
    row = dict(zip(columns, cells, strict=True))
    empty = [each for each in NEEDED if not row[each]]
    yield from ((each, "is empty") for each in empty)
    if not empty:
        yield from _seen_before(row, line, seen)
    if row.get("Reward") and not REWARD.fullmatch(row["Reward"]):
        yield "Reward", f"{row['Reward']!r} is no amount such as $0.05"
    taken = row.get("WorkTimeInSeconds")
    if taken and not NUMBER.fullmatch(taken):
        yield "WorkTimeInSeconds", f"{taken!r} is no number of seconds"
    status = row.get("AssignmentStatus")
    if status and status.capitalize() not in STATUSES:
        yield "AssignmentStatus", f"{status!r} is none of {', '.join(STATUSES)}"
    if not any(cell for each, cell in row.items() if each.startswith(ANSWER)):
        yield "", "no question was answered"


def _may_end(columns: Sequence[str], cells: Sequence[str]) -> bool:
    """Whether only the researcher's own columns at the end are missing."""
    return not set(columns[len(cells) :]) - {"Approve", "Reject"}


def _seen_before(
    row: Mapping[str, str], line: int, seen: dict[tuple[str, ...], int]
) -> Iterator[tuple[str, str]]:
    assignment, person = (row["AssignmentId"],), (row["HITId"], row["WorkerId"])
    first = seen.setdefault(assignment, line)
    if first != line:
        yield "AssignmentId", f"{assignment[0]!r} stands in line {first} already"
        return
    first = seen.setdefault(person, line)
    if first != line:
        yield "WorkerId", f"{person[1]!r} did HIT {person[0]!r} in line {first} already"


def _assignment(line: int, row: Mapping[str, str]) -> Assignment:
    reward = REWARD.fullmatch(row.get("Reward", ""))
    seconds, of_hit = (row.get(each, "") for each in ("WorkTimeInSeconds", "MaxAssignments"))
    return Assignment(
        line=line,
        id=row["AssignmentId"],
        hit=row["HITId"],
        worker=row["WorkerId"],
        status=row.get("AssignmentStatus", "").capitalize(),
        reward=Decimal(reward[1]) if reward else None,
        seconds=float(seconds) if seconds else None,
        of_hit=int(of_hit) if of_hit.isdecimal() else None,
        accepted=row.get("AcceptTime", ""),
        submitted=row.get("SubmitTime", ""),
    )
