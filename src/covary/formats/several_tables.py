"""Several files or sheets as one table: what their names stand for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from covary.errors import RatingsError
from covary.formats.column_roles import known_role, names_say_all, numbered_alike
from covary.formats.name_grids import criterion_share
from covary.formats.ratings_file import RatingsFile, distinguishing_names
from covary.formats.spreadsheets import filled_sheets
from covary.formats.tables import LINES, SHEETS, TEXT, TableOptions
from covary.formats.wide import named_roles


class SeveralFiles(RatingsFile):
    """Files that were named one by one, as one table."""

    several: tuple[Path, ...] = ()

    @property
    def files(self) -> tuple[Path, ...]:
        """The files, in the order in which they were named."""
        return self.several


def recognise_files(file: RatingsFile) -> None:
    """Take the names of files for the judges or the criteria, where no column names them."""
    if file.ending not in (*TEXT, *LINES, *SHEETS):
        return
    first = RatingsFile(file.files[0], {}, options=file.options)
    stems = [path.name.removesuffix(".gz").rpartition(".")[0] for path in file.files]
    roles = part_roles(stems, first.columns, without=named_roles_said(file))
    if len(roles) == 1 or file.ending in LINES:
        take_parts(file, next((role for role in roles if role), None))
    else:
        file.part_roles = roles


def take_parts(file: RatingsFile, role: str | None) -> None:
    """Take the names of files for a role, and say so."""
    file.parts, file.part_roles = role, ()
    if role is not None:
        file.note("formats.files-are", role=role, names=[path.name for path in file.files])


def named_roles_said(file: RatingsFile) -> set[str]:
    """Return the roles that somebody said are columns, so that no file stands for them."""
    said = {role for role, column in file.said.items() if column is not None}
    return said | set(named_roles(file.names)) if file.wide is not None else said


def recognise_sheets(file: RatingsFile) -> None:
    """Take the sheets of a spreadsheet together where several have the same columns.

    Sheets with notes are left out; so is what stands beside several sheets of one kind.
    """
    filled = filled_sheets(file.path)
    if len(filled) < 2:
        return
    columns = {sheet: _sheet_columns(file.path, sheet) for sheet in filled}
    sheets = [sheet for sheet in filled if len(columns[sheet]) > 1]
    keys = {sheet: _telling_columns(columns[sheet]) for sheet in sheets}
    kinds = Counter(keys.values())
    names, times = kinds.most_common(1)[0] if kinds else ((), 0)
    alike = [sheet for sheet in sheets if keys[sheet] == names] if times > 1 else sheets
    if times < 2 and file.parts is None:
        _choose_sheet(file, filled, sheets, columns)
        return
    role = file.parts or _sheet_role(alike, names)
    if role is None:
        raise _which_sheets(file, alike, names)
    if file.parts is None:
        file.note("formats.sheets-are", role=role, names=alike)
    file.parts, file.sheets = role, tuple(alike)
    _leave_out(file, [sheet for sheet in filled if sheet not in alike], columns, names)


def _leave_out(
    file: RatingsFile,
    others: Sequence[str],
    columns: Mapping[str, Sequence[str]],
    names: Sequence[str],
) -> None:
    """Say which sheets are left out; refuse where one stands for the same under other names."""
    if odd := [sheet for sheet in others if _same_roles(columns[sheet], names)]:
        facts: dict[str, Any] = {"sheet": odd[0], "columns": columns[odd[0]], "expected": names}
        raise RatingsError("formats.sheets-differ", file=file.path.name, **facts)
    if others:
        file.note("formats.sheets-left-out", names=others)


def _telling_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that name the item, the judge and the rating; all where they do not."""
    telling = {column: known_role(column) for column in columns}
    known = tuple(c.lower() for c, role in telling.items() if role in TELLING)
    roles = set(telling.values())
    return known if {"rating"} < roles & set(TELLING) else tuple(columns)


TELLING = ("item", "source", "judge", "rating", "criterion")


def _same_roles(columns: Sequence[str], names: Sequence[str]) -> bool:
    """Whether columns stand for the same as others under other names."""
    first, second = ({known_role(c) for c in names} for names in (columns, names))
    return {"rating"} < first & set(TELLING) and first & set(TELLING) == second & set(TELLING)


def _which_sheets(file: RatingsFile, sheets: Sequence[str], columns: Sequence[str]) -> RatingsError:
    complete = "judge" in {known_role(column) for column in columns}
    roles = ("criterion", "round") if complete else ("judge", "criterion")
    readings = [{"sheets": role} for role in roles] + [{"sheet": sheets[0]}]
    return RatingsError(
        "formats.two-readings", file=file.path.name, readings=readings, kinds=["sheets"] * 3
    )


def _sheet_columns(path: Path, sheet: str) -> tuple[str, ...]:
    """The names of a sheet's columns; none where it holds no table."""
    try:
        return tuple(RatingsFile(path, {}, options=TableOptions(sheet=sheet)).columns)
    except RatingsError:
        return ()


def _choose_sheet(
    file: RatingsFile,
    filled: Sequence[str],
    sheets: Sequence[str],
    columns: Mapping[str, Sequence[str]],
) -> None:
    """Choose the only sheet that holds a table, or whose names say what it holds."""
    telling = [sheet for sheet in sheets if names_say_all(columns[sheet])]
    if len(telling) > 1:
        readings = [{"sheet": sheet} for sheet in telling]
        kinds = ["sheets"] * len(readings)
        raise RatingsError(
            "formats.two-readings", file=file.path.name, readings=readings, kinds=kinds
        )
    chosen = sheets if len(sheets) == 1 else telling
    if len(chosen) == 1:
        file.options = replace(file.options, sheet=chosen[0])
        file.note(
            "formats.several-sheets", file=file.path.name, sheets=list(filled), chosen=chosen[0]
        )


def _sheet_role(sheets: Sequence[str], columns: Sequence[str]) -> str | None:
    """Say what the names of sheets stand for; None where that is not clear."""
    roles = part_roles(sheets, columns)
    return roles[0] if len(roles) == 1 else None


PLACED = r"(?:^|[_\W])(?:{})[_\W]*(?:[0-9]{{1,3}}|[a-h])(?:$|[_\W])"
TOLD_BY_NAME = {
    "round": PLACED.format("round|runde|wave|iteration|phase|ronde"),
    "occasion": PLACED.format("time|session|occasion|day|week|visit")
    + r"|(?:^|[_\W])(?:test|retest|pre|post|before|after)(?:$|[_\W])",
    "judge": PLACED.format(
        "judge|rater|annotator|coder|worker|expert|evaluator|assessor|reviewer|participant|user"
    ),
    "system": PLACED.format("system|sys|model|method"),
}
"""How files are called that are a round, an occasion, a judge or a system each."""


def part_roles(
    names: Sequence[str], columns: Sequence[str], without: Collection[str] = ()
) -> tuple[str | None, ...]:
    """Say what the names of files or sheets may stand for, the likeliest first.

    None among them says that the files are rows of one table, and stands alone where the columns
    tell everything.

    Examples
    --------
    >>> part_roles(["fluency", "adequacy"], ["item", "Ann", "Bo"])
    ('criterion',)
    >>> part_roles(["part-1", "part-2"], ["item", "judge", "rating"])
    (None,)
    """
    roles = {known_role(column) for column in columns} | set(without)
    told = _told_by_names(names)
    if told is not None and told not in roles:
        return (told,)
    if "judge" in roles or numbered_alike(list(columns)):
        return (None,)
    free = [column for column in columns if known_role(column) is None]
    few = len(free) < 2 or criterion_share(free) > HALF
    if "rating" in roles or (few and not is_unnamed(columns)):
        return ("judge",)
    both = ("judge", "criterion", None) if is_unnamed(columns) else ("judge", "criterion")
    return tuple(role for role in both if role is None or role not in roles)


HALF = 0.5


def is_unnamed(columns: Sequence[str]) -> bool:
    """Say whether columns have no names of their own, but were counted.

    Examples
    --------
    >>> is_unnamed(["column 1", "column 2"]), is_unnamed(["item", "column 2"])
    (True, False)
    """
    return all(re.fullmatch(r"column [0-9]+", column) for column in columns)


def _told_by_names(names: Sequence[str]) -> str | None:
    """Return what all files are called after, by their names alone; most may be criteria."""
    if criterion_share(distinguishing_names([f"{name}." for name in names])) > HALF:
        return "criterion"
    for role, pattern in TOLD_BY_NAME.items():
        if all(re.search(pattern, name.casefold()) for name in names):
            return role
    return None
