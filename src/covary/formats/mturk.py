"""Batch results of Amazon Mechanical Turk: one row per assignment, answers in Answer.… columns.

Read are `HITId` (the item, unless there is an `Input.item`), `WorkerId` (the judge),
`WorkTimeInSeconds`, `AssignmentStatus` and one criterion for each `Answer.<name>`. Radio buttons
come as `Answer.<name>.<option>` with true and false, or all answers together as JSON in
`Answer.taskAnswers`; both are read as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fnmatch import fnmatchcase

from covary.errors import InvalidArgument, RatingsError, listed, meant
from covary.formats.cells import Relation, name, text
from covary.formats.guess import guess
from covary.formats.kinds import criteria_of_one_kind
from covary.formats.long import melted, numeric_columns
from covary.formats.opened import Opened
from covary.ratings import COLUMNS

__all__ = ["read", "recognises"]

MARKS = ("HITId", "AssignmentId", "WorkerId")
ANSWER, INPUT, TOGETHER = "Answer.", "Input.", "Answer.taskAnswers"
FURTHER = ("system", "source", "cluster")


def recognises(file: Opened) -> bool:
    """A table with Mechanical Turk's own columns and at least one answer."""
    answers = any(column.startswith(ANSWER) for column in file.columns)
    return answers and set(MARKS) <= set(file.columns)


def read(file: Opened) -> Relation:
    """Read one rating for each answer of each assignment that was not rejected."""
    if not recognises(file):
        raise RatingsError(
            f"{file.path.name} is no batch of Mechanical Turk: it needs the columns "
            f"{listed(MARKS)} and at least one that begins with {ANSWER!r}"
        )
    file.takes_only(*(role for role in COLUMNS if role != "criterion"))
    file.notes.append(f"{file.path.name} was read as batch results of Mechanical Turk.")
    rows = _not_rejected(file)
    answers = _answers(file, rows)
    kept = _kept(file)
    stay = [f"{name(column)} as {name('kept ' + role)}" for role, column in kept.items()]
    clean = rows.project(", ".join([*stay, *(f"{sql} as {name(a)}" for a, sql in answers.items())]))
    chosen = _chosen(file, clean, list(answers))
    cells = {name(each): each for each in chosen}
    return melted(file, cells, {r: name("kept " + r) for r in kept}, "criterion", clean)


def _not_rejected(file: Opened) -> Relation:
    if file.keep_rejected or "AssignmentStatus" not in file.columns:
        return file.table
    rejected = "lower(trim(coalesce(AssignmentStatus, ''))) = 'rejected'"
    (left_out,) = file.table.aggregate(f"count_if({rejected})").fetchone()
    if left_out:
        file.notes.append(
            f"Rejected assignments were left out: {left_out:,} (keep_rejected=True keeps them)."
        )
    return file.table.filter(f"not ({rejected})")


def _kept(file: Opened) -> dict[str, str]:
    """Return the column of each role but the rating."""
    said = {r: _column(file, r) for r in file.said if r not in ("rating", "criterion")}
    inputs = {c.removeprefix(INPUT): c for c in file.columns if c.startswith(INPUT)}
    found = guess(list(inputs), dict.fromkeys(said), FURTHER)
    file.notes.extend(found.notes)
    known = {"item": "HITId", "judge": "WorkerId", "seconds": "WorkTimeInSeconds"}
    usual = {role: column for role, column in known.items() if column in file.columns}
    if "item" in inputs and "item" not in said:
        usual["item"] = inputs["item"]
        file.notes.append(f"{inputs['item']!r} is the item, not 'HITId'.")
    roles = usual | {role: inputs[column] for role, column in found.roles.items()} | said
    return {role: column for role, column in roles.items() if column is not None}


def _column(file: Opened, role: str) -> str | None:
    """Return the column that was named for a role, also without its 'Input.'."""
    column = file.one_column(role)
    if column is None or column in file.columns:
        return column
    if INPUT + column in file.columns:
        return INPUT + column
    raise InvalidArgument(
        f"{role}={column!r} is not a column: {listed(file.columns, 60)}"
        f"{meant(column, file.columns)}"
    )


def _answers(file: Opened, rows: Relation) -> dict[str, str]:
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
            answers[label] = name(column)
    return answers


def _true_or_false(rows: Relation, columns: Sequence[str]) -> bool:
    odd = " or ".join(f"lower({name(column)}) not in ('true', 'false')" for column in columns)
    return not rows.filter(odd).limit(1).fetchall()


def _the_true_one(columns: Sequence[str]) -> str:
    """Return the SQL for the only option that is true; nothing where none or several are."""
    true = {c: f"(lower(coalesce({name(c)}, 'false')) = 'true')" for c in columns}
    several = " + ".join(f"cast({each} as integer)" for each in true.values())
    cases = " ".join(f"when {sql} then {text(c.rpartition('.')[2])}" for c, sql in true.items())
    return f"case when {several} = 1 then case {cases} end end"


def _taken_apart(rows: Relation) -> dict[str, str]:
    """Return the SQL of each answer in the JSON of `Answer.taskAnswers`."""
    whole = f"(cast({name(TOGETHER)} as json) -> '$[0]')"
    keys = rows.project(f"unnest(json_keys({whole})) as key").distinct().order("key").fetchall()
    found = {}
    for (key,) in keys:
        path = text('$."' + key.replace('"', '\\"') + '"')
        answer = f"json_extract({whole}, {path})"
        true = f"list_filter(json_keys({answer}), k -> ({answer} ->> k) = 'true')"
        found[key] = (
            f"case when json_type({answer}) = 'OBJECT' then "
            f"case when len({true}) = 1 then {true}[1] end else {answer} ->> '$' end"
        )
    return found


def _chosen(file: Opened, clean: Relation, answers: list[str]) -> list[str]:
    wanted = file.keywords.get("rating")
    if wanted is None:
        return criteria_of_one_kind(answers, numeric_columns(clean, answers), file.notes)
    patterns = [wanted] if isinstance(wanted, str) else list(wanted)
    plain = [pattern.removeprefix(ANSWER) for pattern in patterns]
    found = [each for each in answers if any(fnmatchcase(each, pattern) for pattern in plain)]
    if not found:
        raise InvalidArgument(f"rating={wanted!r} is not among the answers {listed(answers)}")
    return found
