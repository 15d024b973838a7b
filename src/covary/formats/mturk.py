"""Batch results of Amazon Mechanical Turk: one row per assignment, answers in Answer.… columns.

Read are `HITId` (the item, unless there is an `Input.item`), `WorkerId` (the judge),
`WorkTimeInSeconds`, `AssignmentStatus` and one criterion for each `Answer.<name>`. Radio buttons
come as `Answer.<name>.<option>` with true and false, or all answers together as JSON in
`Answer.taskAnswers`; both are read as well. `read_batch` reads everything else: who was paid what
for how long, and which rows are broken.
"""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fnmatch import fnmatchcase
from pathlib import Path

from covary.errors import InvalidArgument, RatingsError
from covary.formats.cells import Relation, identifier, literal
from covary.formats.column_roles import about_person, criteria_of_one_kind, guess
from covary.formats.long import melt, numeric_columns
from covary.formats.ratings_file import RatingsFile
from covary.formats.text_files import detect_encoding, open_bytes
from covary.ratings import COLUMNS
from covary.records import dataclass
from covary.words import Note

MARKS = ("HITId", "AssignmentId", "WorkerId")
ANSWER, INPUT, TOGETHER = "Answer.", "Input.", "Answer.taskAnswers"
FURTHER = ("system", "source", "cluster")


def recognises(file: RatingsFile) -> bool:
    """A table with Mechanical Turk's own columns and at least one answer."""
    return _is_batch(file.columns)


def read(file: RatingsFile) -> Relation:
    """Read one rating for each answer of each assignment that was not rejected."""
    _refuse_other(file.columns, file.path.name)
    file.takes_only(*(role for role in COLUMNS if role != "criterion"))
    file.note("formats.read-as-mturk", file=file.path.name)
    rows = _not_rejected(file)
    answers = _answers(file, rows)
    kept = _kept_columns(file)
    file.row_names = kept
    stay = [
        f"{identifier(column)} as {identifier('kept ' + role)}" for role, column in kept.items()
    ]
    clean = rows.project(
        ", ".join([*stay, *(f"{sql} as {identifier(a)}" for a, sql in answers.items())])
    )
    chosen = _chosen_criteria(file, clean, list(answers))
    cells = {identifier(criterion): criterion for criterion in chosen}
    stayed = {role: identifier("kept " + role) for role in kept}
    return melt(file, cells, stayed, into="criterion", rows=clean)


def _is_batch(columns: Sequence[str]) -> bool:
    answers = any(column.startswith(ANSWER) for column in columns)
    return answers and set(MARKS) <= set(columns)


def _refuse_other(columns: Sequence[str], file: str) -> None:
    if not _is_batch(columns):
        raise RatingsError("formats.not-mturk", allowed=MARKS, file=file)


def _not_rejected(file: RatingsFile) -> Relation:
    if file.keep_rejected or "AssignmentStatus" not in file.columns:
        return file.table
    rejected = "lower(trim(coalesce(AssignmentStatus, ''))) = 'rejected'"
    (left_out,) = file.table.aggregate(f"count_if({rejected})").fetchone()
    if left_out:
        file.note("formats.rejected-left-out", count=left_out)
    return file.table.filter(f"not ({rejected})")


def _kept_columns(file: RatingsFile) -> dict[str, str]:
    """Return the column of each role but the rating."""
    said = {r: _column(file, r) for r in file.said if r not in ("rating", "criterion")}
    inputs = {c.removeprefix(INPUT): c for c in file.columns if c.startswith(INPUT)}
    guessed = guess(list(inputs), dict.fromkeys(said), FURTHER)
    file.notes.extend(guessed.notes)
    known = {"item": "HITId", "judge": "WorkerId", "seconds": "WorkTimeInSeconds"}
    usual = {role: column for role, column in known.items() if column in file.columns}
    if "item" in inputs and "item" not in said:
        usual["item"] = inputs["item"]
        file.note("formats.input-is-item", column=inputs["item"])
    roles = usual | {role: inputs[column] for role, column in guessed.roles.items()} | said
    return {role: column for role, column in roles.items() if column is not None}


def _column(file: RatingsFile, role: str) -> str | None:
    """Return the column that was named for a role, also without its 'Input.'."""
    column = file.one_column(role)
    if column is None or column in file.columns:
        return column
    if INPUT + column in file.columns:
        return INPUT + column
    raise InvalidArgument(
        "formats.no-such-column", argument=role, value=column, allowed=file.columns
    )


def _answers(file: RatingsFile, rows: Relation) -> dict[str, str]:
    """Return the SQL of each criterion's answer."""
    columns = [column for column in file.columns if column.startswith(ANSWER)]
    answers = _taken_apart(rows) if TOGETHER in columns else {}
    options = defaultdict(list)
    for column in columns:
        options[column.removeprefix(ANSWER).rpartition(".")[0]].append(column)
    for column in columns:
        label = column.removeprefix(ANSWER)
        stem = label.rpartition(".")[0]
        if stem and len(options[stem]) > 1 and _true_or_false(rows, options[stem]):
            answers[stem] = _the_true_one(options[stem])
        elif column != TOGETHER:
            answers[label] = identifier(column)
    return answers


def _true_or_false(rows: Relation, columns: Sequence[str]) -> bool:
    odd = " or ".join(f"lower({identifier(column)}) not in ('true', 'false')" for column in columns)
    return not rows.filter(odd).limit(1).fetchall()


def _the_true_one(columns: Sequence[str]) -> str:
    """Return the SQL for the only option that is true; nothing where none or several are."""
    true = {c: f"(lower(coalesce({identifier(c)}, 'false')) = 'true')" for c in columns}
    several = " + ".join(f"cast({sql} as integer)" for sql in true.values())
    cases = " ".join(f"when {sql} then {literal(c.rpartition('.')[2])}" for c, sql in true.items())
    return f"case when {several} = 1 then case {cases} end end"


def _taken_apart(rows: Relation) -> dict[str, str]:
    """Return the SQL of each answer in the JSON of `Answer.taskAnswers`."""
    whole = f"(cast({identifier(TOGETHER)} as json) -> '$[0]')"
    keys = rows.project(f"unnest(json_keys({whole})) as key").distinct().order("key").fetchall()
    answers = {}
    for (key,) in keys:
        path = literal('$."' + key.replace('"', '\\"') + '"')
        answer = f"json_extract({whole}, {path})"
        true = f"list_filter(json_keys({answer}), k -> ({answer} ->> k) = 'true')"
        answers[key] = (
            f"case when json_type({answer}) = 'OBJECT' then "
            f"case when len({true}) = 1 then {true}[1] end else {answer} ->> '$' end"
        )
    return answers


def _chosen_criteria(file: RatingsFile, clean: Relation, answers: list[str]) -> list[str]:
    wanted = file.keywords.get("rating")
    if wanted is None:
        persons = [name for name in answers if about_person(name)]
        if persons:
            file.note("formats.persons-left-out", columns=persons)
            answers = [name for name in answers if name not in persons]
        return criteria_of_one_kind(answers, numeric_columns(clean, answers), file.notes)
    patterns = [wanted] if isinstance(wanted, str) else list(wanted)
    plain = [pattern.removeprefix(ANSWER) for pattern in patterns]
    chosen = [name for name in answers if any(fnmatchcase(name, pattern) for pattern in plain)]
    if not chosen:
        raise InvalidArgument(
            "formats.no-such-answer", argument="rating", value=wanted, allowed=answers
        )
    return chosen


PLATFORM_COLUMNS = """
    HITId HITTypeId Title Description Keywords Reward CreationTime MaxAssignments
    RequesterAnnotation AssignmentDurationInSeconds AutoApprovalDelayInSeconds Expiration
    NumberOfSimilarHITs LifetimeInSeconds AssignmentId WorkerId AssignmentStatus AcceptTime
    SubmitTime AutoApprovalTime ApprovalTime RejectionTime RequesterFeedback WorkTimeInSeconds
    LifetimeApprovalRate Last30DaysApprovalRate Last7DaysApprovalRate
"""
BATCH_COLUMNS = tuple(PLATFORM_COLUMNS.split())
"""What the platform wrote before Input.… and Answer.…, in its order."""

STATUSES = ("Submitted", "Approved", "Rejected")
REWARD = re.compile(r"\$?\s*([0-9]{1,6}(?:\.[0-9]{1,4})?)")
NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]+)?")


@dataclass(frozen=True)
class BrokenRow:
    """A row that cannot be taken as it is: where it stands, and what is wrong with it.

    `line` is the line of the file that the row begins in.
    """

    line: int
    column: str
    message: Note

    def __str__(self) -> str:
        where = f", {self.column}" if self.column else ""
        return f"line {self.line}{where}: {self.message}"


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True, kw_only=True)
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
        statuses = [assignment.status for assignment in self.assignments]
        return {status: statuses.count(status) for status in STATUSES if status in statuses}


def read_batch(path: str | Path) -> Batch:
    """Read a batch and look at every row.

    Raises
    ------
    RatingsError
        Where the file is not a batch: it lacks a column that names the HIT, the assignment or the
        worker, or has no answers. Broken rows are no error; they are told in `broken`.
    """
    file = Path(path)
    with open_bytes(file) as stream:
        text = stream.read().decode(detect_encoding(file))
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
        assignments=tuple(assignment for assignment, _ in kept),
        cells=tuple(cells for _, cells in kept),
        broken=tuple(broken),
        missing=tuple(column for column in BATCH_COLUMNS if column not in columns),
    )


def write_batch(batch: Batch, path: Path) -> Path:
    """Write the sound rows as the platform would have."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator="\n")
        table.writerows([batch.columns, *batch.cells])
    return path


def _rows(text: str, file: str) -> Iterator[tuple[int, list[str]]]:
    """Return the line that each row begins in, and its cells; blank rows are not rows."""
    reader = csv.reader(io.StringIO(text, newline=""))
    begins = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield begins, [cell.strip() for cell in cells]
            begins = reader.line_num + 1
    except csv.Error as error:
        raise RatingsError("formats.batch-quotes", file=file, line=begins, reason=error) from None


def _check_columns(columns: Sequence[str], file: str) -> None:
    _refuse_other(columns, file)
    twice = sorted({column for column in columns if columns.count(column) > 1})
    if twice:
        raise RatingsError("formats.batch-columns-twice", file=file, columns=twice)


def _faults(
    columns: Sequence[str], cells: list[str], line: int, seen: dict[tuple[str, ...], int]
) -> Iterator[tuple[str, Note]]:
    """Say what is wrong with a row; remember the assignments and people that were seen."""
    if len(cells) < len(columns):  # the last columns, Approve and Reject, are often cut off
        cells += [""] * max(0, len(columns) - len(cells)) if _may_end(columns, cells) else []
    if len(cells) != len(columns):
        yield "", Note("formats.row-cells", cells=len(cells), columns=len(columns))
        return
    row = dict(zip(columns, cells, strict=True))
    empty = [column for column in MARKS if not row[column]]
    yield from ((column, Note("formats.row-empty")) for column in empty)
    if not empty:
        yield from _repeated_keys(row, line, seen)
    if row.get("Reward") and not REWARD.fullmatch(row["Reward"]):
        yield "Reward", Note("formats.row-reward", value=row["Reward"])
    seconds = row.get("WorkTimeInSeconds")
    if seconds and not NUMBER.fullmatch(seconds):
        yield "WorkTimeInSeconds", Note("formats.row-seconds", value=seconds)
    status = row.get("AssignmentStatus")
    if status and status.capitalize() not in STATUSES:
        statuses = ", ".join(STATUSES)
        yield "AssignmentStatus", Note("formats.row-status", value=status, statuses=statuses)
    if not any(cell for column, cell in row.items() if column.startswith(ANSWER)):
        yield "", Note("formats.row-unanswered")


def _may_end(columns: Sequence[str], cells: Sequence[str]) -> bool:
    """Whether only the researcher's own columns at the end are missing."""
    return not set(columns[len(cells) :]) - {"Approve", "Reject"}


def _repeated_keys(
    row: Mapping[str, str], line: int, seen: dict[tuple[str, ...], int]
) -> Iterator[tuple[str, Note]]:
    assignment, person = (row["AssignmentId"],), (row["HITId"], row["WorkerId"])
    first = seen.setdefault(assignment, line)
    if first != line:
        note = Note("formats.row-assignment-twice", value=assignment[0], first=first)
        yield "AssignmentId", note
        return
    first = seen.setdefault(person, line)
    if first != line:
        hit, worker = person
        yield "WorkerId", Note("formats.row-person-twice", value=worker, hit=hit, first=first)


def _assignment(line: int, row: Mapping[str, str]) -> Assignment:
    reward = REWARD.fullmatch(row.get("Reward", ""))
    seconds, of_hit = row.get("WorkTimeInSeconds", ""), row.get("MaxAssignments", "")
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
