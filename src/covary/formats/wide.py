"""Wide tables: one row per item and one column per judge."""

from __future__ import annotations

import re
from collections.abc import Sequence

from covary.errors import InvalidArgument, listed
from covary.formats.cells import Relation, name
from covary.formats.guess import guess, known_role, numbered_alike, plain
from covary.formats.long import chosen_columns, melted, numeric_columns
from covary.formats.opened import Opened
from covary.ratings import COLUMNS
from covary.ratings.checks import check_columns

__all__ = ["judge_columns", "kept_columns", "read", "recognises"]

NO_JUDGES = (
    "accuracy adequacy age appropriateness clarity coherence completeness consistency correctness "
    "count counts engagement faithfulness fluency freq frequency grammar grammaticality "
    "helpfulness informativeness items length meaning n naturalness nitems overall quality "
    "readability relevance specificity tokens usefulness variety words year"
)
"""Names of columns of numbers that are criteria or measures, and no persons."""

OF_VOTES = re.compile(r"(?:vote|assignment|slot|hit)s?[0-9]{1,3}")
"""A column with the n-th vote on each item, whoever gave it."""


def recognises(file: Opened, without: Sequence[str] = ()) -> bool:
    """A table is wide when it is said, or when only columns of judges are left to be found."""
    if file.wide is not None:
        return file.wide is not False
    if not file.is_table or {"judge", "rating"} & file.said.keys():
        return False
    if any(known_role(column) in ("judge", "rating") for column in file.columns):
        return False
    return bool(judge_columns(file, without))


def read(file: Opened) -> Relation:
    """Read one row per item, with its number as the item where no column names it."""
    file.takes_only(*(role for role in COLUMNS if role not in ("judge", "rating")))
    judges = judge_columns(file)
    if not judges:
        raise InvalidArgument(
            f"which columns of {file.path.name} are judges? Say wide=['…', '…'] with some of "
            f"{listed(file.columns)}"
        )
    if all(OF_VOTES.fullmatch(plain(judge)) for judge in judges):
        file.slots = True
        file.notes.append(
            f"The columns {listed(judges)} are numbers of votes and no persons, so nothing follows "
            "a judge from item to item; name the columns by the judges if each is one person."
        )
    elif file.wide is None or file.wide is True:
        file.notes.append(f"Each of the columns {listed(judges)} was read as one judge's ratings.")
    kept = kept_columns(file, judges)
    if "item" not in kept:
        file.notes.append("No column names the item, so that each row is one, by its number.")
        kept = {"item": "row_number() over ()"} | kept
    return melted(file, {name(judge): judge for judge in judges}, kept, "judge", file.table)


def judge_columns(file: Opened, without: Sequence[str] = ()) -> list[str]:
    """Return the columns that hold one judge's ratings each; none where that is not clear."""
    if file.wide is not None and not isinstance(file.wide, bool):
        return chosen_columns(file, file.wide, "wide")
    said = {*file.said.values(), *without}
    free = [column for column in file.columns if column not in said]
    alike = numbered_alike(free)
    free = [column for column in free if known_role(column) is None]
    if file.wide is True:
        return alike or list(numeric_columns(file.table, free))
    if alike:
        return alike
    numeric = numeric_columns(file.table, free)
    return list(numeric) if len(numeric) > 1 and _one_kind(numeric) else []


def kept_columns(file: Opened, judges: list[str]) -> dict[str, str]:
    """Return the SQL of the further columns that are known, by role."""
    rest = [column for column in file.columns if column not in judges]
    said = {role: column for role, column in file.said.items() if role not in ("judge", "rating")}
    found = guess(rest, said | {"judge": None, "rating": None})
    check_columns(file.columns, found.roles)
    file.notes.extend(found.notes)
    return {role: name(column) for role, column in found.roles.items()}


def _one_kind(numeric: dict[str, tuple[float, float]]) -> bool:
    """Whether columns of numbers can all be ratings on one scale, and have no telling names."""
    highs = [high for _, high in numeric.values()]
    alike = max(highs) <= 3 * max(1, min(highs)) and min(highs) > 0
    return alike and not any(plain(column) in NO_JUDGES.split() for column in numeric)
