"""Best-worst scaling: tables in which each row shows some outputs, and says the best and the worst.

The outputs that were shown stand in columns of their own, called alike and counted (`item1` …
`item4`), three or more. The best and the worst are named by what was shown (`Item1` and `BestItem`
of Kiritchenko & Mohammad 2017), by the column, by its letter or by its number. Each row becomes one
rating for each output that was shown: best, worst, or neither. Nobody knows the judges where no
column names them; each row of the same outputs is then a choice by somebody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from covary.errors import RatingsError
from covary.formats.cells import Relation, identifier
from covary.formats.column_roles import guess, plain
from covary.formats.ratings_file import RatingsFile
from covary.records import dataclass
from covary.scales.kinds import BEST, NEITHER, WORST

THING = (
    "item|id|option|choice|system|model|output|text|word|term|answer|summary|candidate|phrase|"
    "sentence|response"
)
CHOSEN = rf"(?:chosen|selected|the)?(?:%s)(?:{THING}|one)?(?:id|name|selected|chosen)?"
MARKS = {BEST: CHOSEN % "best|most", WORST: CHOSEN % "worst|least"}
SHOWN = re.compile(rf"(?P<stem>{THING})?(?:id|name)?(?P<place>[0-9]{{1,2}}|[a-h])")

FEWEST = 3
"""Of two outputs, the best is the answer already."""

ROLES = ("judge", "criterion", "source", "group", "occasion", "round", "order", "seconds")
"""What a row may say beside the choice."""

SETS = ("item", "source")
"""The roles of a column that names what was shown together."""

NAMES_OF_SETS = re.compile(r"(?:tuple|set|trial|quadruple|bwstuple)(?:id|name|number|no)?")


@dataclass(frozen=True, kw_only=True)
class _Columns:
    """Which columns hold the best, the worst, and what was shown."""

    chosen: Mapping[str, str]
    shown: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class _Choice:
    """What was shown together, and which of it was chosen."""

    best: str
    worst: str
    shown: tuple[str, ...]

    def of(self, output: str) -> str:
        """What is known of an output that was shown."""
        return {self.best: BEST, self.worst: WORST}.get(output, NEITHER)


def recognises(file: RatingsFile) -> bool:
    """A table with a column for the best, one for the worst, and three or more that were shown."""
    said = file.wide is not None or {"rating", "system"} & set(file.said)
    return file.is_table and not said and _columns(file.columns) is not None


def read(file: RatingsFile) -> Relation:
    """Read what is known of each output that was shown: best, worst, or neither."""
    found = _columns(file.columns)
    if found is None:
        raise RatingsError("formats.not-best-worst", file=file.path.name)
    used = (*found.chosen.values(), *found.shown)
    roles = _roles(file, [column for column in file.columns if column not in used])
    file.note("formats.read-as-best-worst", shown=list(found.shown), **found.chosen)
    rows = [(n, row) for n, row in enumerate(_cells(file), start=1)]
    whole = [(n, row) for n, row in rows if all(row[column] for column in used)]
    if len(whole) < len(rows):
        file.note("formats.incomplete-choices", count=len(rows) - len(whole))
    if not whole:
        raise RatingsError("formats.no-ratings", file=file.path.name)
    choices = _choices(file, whole, found)
    places = _places_of_sets(file, choices, [row[own] for own in _sets(roles) for _, row in whole])
    known = {role: column for role, column in roles.items() if role not in SETS}
    further = [{role: row[column] for role, column in known.items()} for _, row in whole]
    times = _times_of_sets(places, roles, whole)
    records = list(_ratings(choices, places, _with_occasions(further, times)))
    file.slots = file.slots or "judge" not in roles
    file.keywords = {key: file.keywords[key] for key in file.keywords if key not in records[0]}
    return file.records(records)


def _roles(file: RatingsFile, columns: Sequence[str]) -> Mapping[str, str]:
    """Find what else a row says: who chose, and what was shown together."""
    own = [column for column in columns if NAMES_OF_SETS.fullmatch(plain(column))]
    said = {"item": own[0]} if len(own) == 1 and not set(SETS) & set(file.said) else {}
    guessed = guess(columns, said | file.said, (*SETS, *ROLES))
    file.take_roles(guessed)
    return guessed.roles


def _sets(roles: Mapping[str, str]) -> list[str]:
    """Return the column that names what was shown together, if there is one."""
    return [roles[role] for role in SETS if role in roles][-1:]


def _choices(
    file: RatingsFile, rows: Sequence[tuple[int, Mapping[str, str]]], found: _Columns
) -> list[_Choice]:
    """Read what each row shows and which of it was chosen."""
    named = _namer(file, [row for _, row in rows], found)
    choices = []
    for number, row in rows:
        best, worst = (named(row, found.chosen[word], number) for word in (BEST, WORST))
        shown = [row[column] for column in found.shown]
        if len(set(shown)) < len(shown) or best == worst:
            name, place = file.path.name, file.row_number(number)
            raise RatingsError("formats.choice-twice", file=name, row=place, shown=shown)
        choices.append(_Choice(best=best, worst=worst, shown=tuple(shown)))
    return choices


def _places_of_sets(
    file: RatingsFile, choices: Sequence[_Choice], names: Sequence[str]
) -> list[str]:
    """Name what was shown together: as the file does, by the outputs, or each row by its number."""
    together = [" + ".join(sorted(choice.shown)) for choice in choices]
    if names:
        if len(set(zip(names, together, strict=True))) == len(set(names)):
            return list(names)
        return [f"{name} / {shown}" for name, shown in zip(names, together, strict=True)]
    if len(set(together)) > 1:
        return together
    file.note("formats.choices-by-row")
    return [str(number) for number in range(1, len(choices) + 1)]


WHEN = ("judge", "criterion", "occasion", "round")
"""What tells apart choices among the same outputs."""


def _times_of_sets(
    places: Sequence[str],
    roles: Mapping[str, str],
    rows: Sequence[tuple[int, Mapping[str, str]]],
) -> list[int]:
    """Count how often a judge has chosen among the same outputs, this choice included."""
    if "judge" not in roles:
        return [1] * len(places)
    seen: dict[tuple[str, ...], list[str]] = {}
    times = []
    for place, (row_number, row) in zip(places, rows, strict=True):
        when = (row[roles[role]] for role in WHEN if role in roles)
        before = seen.setdefault((place, *when), [])
        number = row[roles["item"]] if "item" in roles else str(row_number)
        if number not in before:
            before.append(number)
        times.append(before.index(number) + 1)
    return times


def _with_occasions(
    further: Sequence[Mapping[str, str]], times: Sequence[int]
) -> list[Mapping[str, str]]:
    """Take a choice that a judge makes again for a further occasion: its source is the same."""
    if set(times) == {1}:
        return list(further)
    return [
        {**known, "occasion": _occasion(known.get("occasion"), time)}
        for known, time in zip(further, times, strict=True)
    ]


def _occasion(said: str | None, time: int) -> str:
    if said is None:
        return str(time)
    return said if time == 1 else f"{said} ({time})"


def _ratings(
    choices: Sequence[_Choice], places: Sequence[str], further: Sequence[Mapping[str, str]]
) -> Iterator[dict[str, Any]]:
    """Give one rating for each output that was shown; who chose is counted where nobody says."""
    times: dict[str, int] = {}
    for choice, place, known in zip(choices, places, further, strict=True):
        times[place] = times.get(place, 0) + 1
        judge = {"judge": known.get("judge", str(times[place]))}
        for output in choice.shown:
            names = {"item": f"{place} / {output}", "system": output, "source": place}
            yield {**names, **known, **judge, "rating": choice.of(output)}


def _columns(columns: Sequence[str]) -> _Columns | None:
    """Find the columns; None where there is not just one for the best and one for the worst."""
    chosen: dict[str, str] = {}
    for word, pattern in MARKS.items():
        fits = [column for column in columns if re.fullmatch(pattern, plain(column))]
        if len(fits) != 1:
            return None
        chosen[word] = fits[0]
    stems: dict[str, list[str]] = {}
    for column in columns:
        if column not in chosen.values() and (match := SHOWN.fullmatch(plain(column))):
            kind = "number" if match["place"].isdigit() else "letter"
            stems.setdefault(f"{match['stem']} {kind}", []).append(column)
    shown = [own for own in stems.values() if len(own) >= FEWEST]
    return _Columns(chosen=chosen, shown=tuple(shown[0])) if len(shown) == 1 else None


def _cells(file: RatingsFile) -> list[dict[str, str]]:
    """Bring the rows of the table as text."""
    text = (
        f"coalesce(trim(cast({identifier(column)} as varchar)), '') as {identifier(column)}"
        for column in file.columns
    )
    rows = file.table.project(", ".join(text)).fetchall()
    return [dict(zip(file.columns, row, strict=True)) for row in rows]


def _namer(file: RatingsFile, rows: Sequence[Mapping[str, str]], found: _Columns) -> Any:
    """Return what says which output a cell means: by its name or, in every row, by its place."""
    names, places = found.shown, _places(found.shown)
    cells = [(row, row[column]) for row in rows for column in found.chosen.values() if row[column]]
    by_name = all(cell in {row[column] for column in names} for row, cell in cells)
    by_place = not by_name and all(plain(cell) in places for _, cell in cells)

    def named(row: Mapping[str, str], column: str, number: int) -> str:
        cell = row[column]
        if by_place:
            return row[places[plain(cell)]]
        if cell in {row[one] for one in names}:
            return cell
        shown, place = [row[one] for one in names], file.row_number(number)
        raise RatingsError(
            "formats.choice-not-shown",
            file=file.path.name,
            row=place,
            column=column,
            cell=cell,
            shown=shown,
        )

    return named


def _places(shown: Sequence[str]) -> dict[str, str]:
    """Say how people name a column of what was shown: by its name, its number or its letter."""
    places: dict[str, str] = {}
    for number, column in enumerate(shown, start=1):
        match = SHOWN.fullmatch(plain(column))
        own = match["place"] if match else ""
        for name in (plain(column), own or str(number), chr(ord("a") + number - 1)):
            places.setdefault(name, column)
    return places
