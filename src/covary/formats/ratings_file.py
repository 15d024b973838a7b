"""What was named to `read`: a file, a folder, or a table of PostgreSQL, and what was said of it."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import field, replace
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import Any

from covary.errors import InvalidArgument, RatingsError
from covary.formats.cells import (
    MEASURES,
    CellTyper,
    Relation,
    holds_words,
    identifier,
    literal,
    refuse_timestamps,
    silent_words,
    trim,
)
from covary.formats.column_roles import Guess, judge_score_pairs
from covary.formats.grid import Shape
from covary.formats.nested import is_nested, nested_records
from covary.formats.row_places import (
    MOST_NAMED,
    RowPlace,
    filled_places,
    matching_places,
    places_in,
)
from covary.formats.small_table import SmallTable
from covary.formats.spreadsheets import filled_sheets
from covary.formats.tables import (
    ENDINGS,
    LARGEST_HELD,
    LINES,
    PARQUET,
    SHEETS,
    TEXT,
    Engine,
    TableOptions,
    common_ending,
    ending_of,
    files_of,
    from_records,
    held_table,
    note_part_rows,
    open_table,
    put_together,
    shared_shape,
)
from covary.formats.text_files import detect_encoding, find_csv_fault, open_bytes
from covary.formats.worded_ratings import (
    CODES,
    ordered_scale,
    read_words,
    refuse_codes,
    refuse_days,
)
from covary.ratings import COLUMNS
from covary.ratings.plain_frame import PlainFrame
from covary.records import dataclass
from covary.scales import Scale
from covary.words import Note, describe_place

LARGEST_JSON = 1 << 27
"""JSON up to so many bytes is looked through for lists within records."""

OF_PRACTICE = r"(?i)[^.]*(?:practi[cs]e|training|warm_?up)[^.]*\.thisN"
"""The column in which PsychoPy counts the trials of a loop for practice."""


@dataclass
class RatingsFile:
    """A path with the keywords of `read`; its table and document are read when first asked for.

    `slots` becomes true where the names of columns say that they are not persons. `parts` says what
    the names of several files or sheets stand for, `part_roles` what they may stand for where that
    is not clear, and `sheets` which of them are read. `roles` are the columns that were read, by
    what they were taken for, `scales` the order of answers in words, `used` the columns whose rows
    became ratings one by one, `row_names` those that tell the rows of a tool's export apart, and
    `orders` the categories of columns whose order a frame says.
    """

    path: Path
    keywords: dict[str, Any]
    wide: bool | str | Sequence[str] | None = None
    names: str | None = None
    options: TableOptions = field(default_factory=TableOptions)
    count: str | None = None
    keep_rejected: bool = False
    slots: bool = False
    memory: int | None = None
    notes: list[str] = field(default_factory=list)
    shape: Shape | None = None
    answers: Mapping[str, str] = field(default_factory=dict)
    parts: str | None = None
    part_roles: tuple[str | None, ...] = ()
    sheets: tuple[str, ...] = ()
    roles: dict[str, str] = field(default_factory=dict)
    joined: dict[str, list[str]] = field(default_factory=dict)
    scales: dict[Any, Scale] = field(default_factory=dict)
    rows_of_parts: dict[str, int] = field(default_factory=dict)
    used: tuple[str, ...] | None = None
    row_names: Mapping[str, str] = field(default_factory=dict)
    rows_skipped: bool = False
    orders: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    records_path: str = ""

    @cached_property
    def files(self) -> tuple[Path, ...]:
        """The files that are this table; none where the path is a folder of something else."""
        return files_of(self.path)

    @cached_property
    def ending(self) -> str:
        """The ending that all files share."""
        return common_ending(self.files, self.path) if self.files else ""

    @property
    def given_as(self) -> str | None:
        """The package of the data frame that is read; None for a file."""
        return None

    @property
    def is_table(self) -> bool:
        """Whether the ending is that of files with rows and columns."""
        return self.ending in ENDINGS

    @property
    def is_text(self) -> bool:
        """Whether every cell is text, so that numbers have to be recognised."""
        return self.ending in (*TEXT, *SHEETS)

    @cached_property
    def engine(self) -> Any:
        """The DuckDB that holds the rows."""
        return Engine(self.memory)

    @cached_property
    def table(self) -> Relation:
        """The rows and columns of the file, as they are."""
        if self.parts is not None:
            return self._without_practice(self._joined_parts(self.parts))
        if self.json is not None and (self.options.records or is_nested(self.json)):
            return self._nested_table()
        if self.json == []:
            raise RatingsError("formats.empty", file=self.path.name)
        relation, self.shape = open_table(self.engine, self.files, self.options, self.notes)
        self._note_shape()
        return self._without_practice(self._stacked(relation))

    def _without_practice(self, relation: Relation) -> Relation:
        """Leave out the rows of PsychoPy's practice loops, whose answers are no ratings."""
        loops = [column for column in relation.columns if re.fullmatch(OF_PRACTICE, column)]
        if "psychopyVersion" not in relation.columns or not loops:
            return relation
        practised = " or ".join(
            f"coalesce(trim(cast({identifier(column)} as varchar)), '') != ''" for column in loops
        )
        (count,) = relation.aggregate(f"count_if({practised})").fetchone()
        if not count:
            return relation
        self.note("formats.practice-left-out", count=count, columns=loops)
        self.rows_skipped = True
        return relation.filter(f"not ({practised})")

    def _stacked(self, relation: Relation) -> Relation:
        """Put the pairs of columns that hold a judge and a score under each other."""
        pairs = judge_score_pairs(relation.columns)
        taken = {column for pair in pairs.values() for column in pair}
        named = {name for value in self.said.values() for name in _as_names(value)}
        if not pairs or self.wide is not None or taken & named:
            return relation
        rest = [identifier(column) for column in relation.columns if column not in taken]
        judges, scores = (
            ", ".join(f"cast({identifier(pair[place])} as varchar)" for pair in pairs.values())
            for place in (0, 1)
        )
        both = [f"unnest([{judges}]) as judge", f"unnest([{scores}]) as rating"]
        self.note("formats.pairs-stacked", pairs=[" and ".join(pair) for pair in pairs.values()])
        stacked = relation.project(", ".join([*rest, *both]))
        return stacked.filter("judge is not null and rating is not null")

    def _nested_table(self) -> Relation:
        """Hold the records that stand somewhere in a document of JSON."""
        path = self.options.records
        records, self.records_path = nested_records(self.json, path, self.path.name)
        if path is None and self.records_path:
            self.note("formats.records-at", path=self.records_path, file=self.path.name)
        return from_records(self.engine, records, self.path)

    def _note_shape(self) -> None:
        """Say which rows above and below the table were left out."""
        if self.shape is None or self.options.rows is not None:
            return
        if not self.shape.names and self.options.header is None:
            self.note("formats.headless", file=self.path.name)
        if self.shape.transposed and not self.options.transpose:
            self.note("formats.transposed")
        rows: dict[str, list[int]] = {}
        for number, reason in self.shape.left_out:
            rows.setdefault(reason, []).append(number)
        first, last = self.shape.first, self.shape.last
        for reason, numbers in rows.items():
            self.note(f"formats.left-out-{reason}", numbers=numbers, first=first, last=last)

    def _joined_parts(self, role: str) -> Relation:
        """Put the tables of several files or sheets together, with their names as a column."""
        name = str(self.part_column)
        tables: list[Relation] = []
        shapes = []
        for label, file, options in self._labelled_parts():
            relation, shape = open_table(self.engine, [file], options, [])
            shapes.append(shape)
            labelled = relation.project(f"{literal(label)} as {identifier(name)}, *")
            held = held_table(self.engine, labelled)
            self.rows_of_parts[label] = held.shape[0]
            tables.append(held)
            note_part_rows(self.notes, label, shape)
        self.shape = shared_shape(shapes)
        self.keywords = {role: name} | self.keywords
        return put_together(self.engine, tables)

    def _labelled_parts(self) -> list[tuple[str, Path, TableOptions]]:
        if len(self.files) == 1 and self.ending in SHEETS:
            file = self.files[0]
            sheets = self.sheets or tuple(filled_sheets(file))
            return [(sheet, file, replace(self.options, sheet=sheet)) for sheet in sheets]
        labels = distinguishing_names([file.name for file in self.files])
        return [(label, file, self.options) for label, file in zip(labels, self.files, strict=True)]

    @property
    def part_column(self) -> str | None:
        """The column with the names of files or sheets, where they stand for something."""
        return None if self.parts is None else f"{self.parts} by name"

    def as_parts(self, role: str | None) -> RatingsFile:
        """Return the same files, with names that stand for a role."""
        other = copy(self)
        other.notes, other.rows_of_parts = list(self.notes), {}
        other.__dict__.pop("table", None)
        other.__dict__.pop("columns", None)
        other.parts, other.part_roles = role, ()
        return other

    @cached_property
    def columns(self) -> list[str]:
        """The names of the columns; none where the file is not a table."""
        return list(self.table.columns) if self.is_table else []

    @cached_property
    def document(self) -> Any:
        """The content of a .json file; None where it is none."""
        if not self.path.is_file() or ending_of(self.path) != ".json":
            return None
        return load_json(self.path)

    @cached_property
    def json(self) -> Any:
        """The content of a file of JSON, a list where it has a line for each record; or None."""
        files = self.files
        if len(files) != 1 or not files[0].is_file() or files[0].stat().st_size > LARGEST_JSON:
            return None
        if self.ending == ".json":
            return self.document if files[0] == self.path else load_json(files[0])
        return load_lines(files[0]) if self.ending in LINES else None

    def __post_init__(self) -> None:
        self.spoken = frozenset(self.keywords)

    @property
    def said(self) -> dict[str, Any]:
        """Which column holds what, as far as the caller said so."""
        return {role: self.keywords[role] for role in COLUMNS if role in self.keywords}

    def one_column(self, role: str) -> str | None:
        """Return the column that the caller named for a role, which must be one name."""
        column = self.keywords.get(role)
        if column is not None and not isinstance(column, str):
            raise InvalidArgument("formats.one-column", argument=role, value=column)
        return column

    def forget_table(self) -> None:
        """Read the table again, because something else was found out about it."""
        self.__dict__.pop("table", None)
        self.__dict__.pop("columns", None)
        self.notes.clear()

    def takes_only(self, *roles: str) -> None:
        """Refuse keywords for columns that this format does not let choose."""
        wrong = {role: column for role, column in self.said.items() if role not in roles}
        if self.part_column in wrong.values():  # nobody chose it: it came from the files' names
            names = [file.name for file in self.files]
            raise RatingsError("formats.mixed-files", file=self.path.name, names=names)
        if wrong:
            raise InvalidArgument("formats.foreign-columns", columns=wrong, file=self.path.name)

    def note(self, code: str, **facts: Any) -> None:
        """Remember what the reader of these ratings should know."""
        self.notes.append(Note(code, **facts))

    def rows(self, relation: Relation, used: dict[str, str], shown: Sequence[str] = ()) -> Relation:
        """Return tidy rows with covary's names; `used` says which column is what."""
        whole = relation is self.__dict__.get("table") and not self.rows_skipped
        self.used = tuple(used) if whole else None
        small = self._small_rows(relation, used)
        if small is not None:
            return small
        cells = self.held(trim(relation, used, self.keywords.get("scale")))
        cells = self._read_answers(cells, used)
        typer = CellTyper(
            self.path.name, self.is_text, self.notes, shown=shown, row_name=self.row_name
        )
        tidy = typer.numbered(cells, used)
        return tidy.project(
            ", ".join(f"{identifier(c)} as {identifier(r)}" for c, r in used.items())
        )

    def _small_rows(self, relation: Relation, used: Mapping[str, str]) -> PlainFrame | None:
        """Return tidy rows of a small table of plain numbers; None where DuckDB must look."""
        if not isinstance(relation, SmallTable) or self.answers or "rating" not in used.values():
            return None
        scale = self.keywords.get("scale")
        codes = CODES if scale is None else ()
        return relation.tidy(used, missing=silent_words(scale), measures=MEASURES, codes=codes)

    def _read_answers(self, cells: Relation, used: Mapping[str, str]) -> Relation:
        """Put numbers and one spelling in the place of answers in words."""
        columns = {role: column for column, role in used.items()}
        if "rating" not in columns:
            return cells
        rating, criterion = columns["rating"], columns.get("criterion")
        refuse_timestamps(cells, rating, file=self.path.name)
        if self.keywords.get("scale") is None and self.orders:
            ordered = {None if criterion is None else c: o for c, o in self._ordered(rating)}
            if ordered:
                self.scales |= {key: ordered_scale(order) for key, order in ordered.items()}
                return cells
        if self.keywords.get("scale") is None:
            refuse_codes(cells, rating, criterion, said=self.answers, file=self.path.name)
            refuse_days(cells, rating, criterion, file=self.path.name)
        if not (self.answers or holds_words(cells, rating)):
            return cells
        reading = read_words(
            cells,
            rating,
            criterion,
            said=self.answers,
            declared=self.keywords,
            file=self.path.name,
        )
        self.notes.extend(reading.notes)
        self.scales |= reading.scales
        return reading.cells

    def _ordered(self, rating: str) -> list[tuple[str, tuple[Any, ...]]]:
        """Return the orders of the columns of ratings: the one, or those that became criteria."""
        given = (self.keywords.get("rating"), None if isinstance(self.wide, bool) else self.wide)
        said = [name for value in given for name in _as_names(value)]
        return [(c, order) for c, order in self.orders.items() if c == rating or c in said]

    def records(self, records: Sequence[dict[str, Any]]) -> Relation:
        """Hold records with covary's names, and return tidy rows of them."""
        relation = from_records(self.engine, records, self.path)
        return self.rows(relation, {name: name for name in relation.columns}, ("item", "judge"))

    def row_name(self, place: int) -> str:
        """Say where in the file the n-th row of data stands."""
        read = self._rows_read
        return describe_place(read[place - 1].facts() if place <= len(read) else {"row": place})

    def row_number(self, place: int) -> int:
        """Return the number of the n-th row of the table, counted as the file's program does."""
        places = self._row_places
        return places[place - 1].row if place <= len(places) else place + 1

    @cached_property
    def _row_places(self) -> list[RowPlace]:
        """Where each row of data stands; none where the rows of no sheet or text are counted."""
        if not (self.is_text or self.ending in LINES):
            return []
        if self.parts is not None or len(self.files) > 1:
            parts = self._labelled_parts()
            return [
                place
                for label, file, options in parts
                for place in places_in(file, options, label if self.parts else file.name)
            ]
        return places_in(self.files[0], self.options)

    @property
    def _rows_read(self) -> list[RowPlace]:
        """The rows of which each became one row of ratings, in their order."""
        if self.used is None or self.parts is not None or len(self.files) > 1:
            return []  # in whichever order several were put together
        return filled_places(self._row_places, self.used)

    def located(self, rows: Sequence[Any]) -> list[Any]:
        """Say of examples where in the file they stand, or only of what they are."""
        return [self._place_of(row) | _without_row(row) for row in rows]

    def _place_of(self, record: Mapping[str, Any]) -> dict[str, Any]:
        place = record.get("row")
        read = self._rows_read
        if place is not None and read:
            return read[place - 1].facts() if place <= len(read) else {}
        alone = self.used is not None and self.parts is None and len(self.files) < 2
        return {"row": place} if place is not None and alone else self._found(record)

    def _found(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Find an example by its names, where rows of the file are not rows of ratings."""
        known = {name for place in self._row_places[:1] for name in place.cells}
        known_by = {**self.row_names, **self.roles}
        said = {role: known_by.get(role, self.keywords.get(role, role)) for role in COLUMNS}
        columns = {
            role: column
            for role, column in said.items()
            if isinstance(column, str) and column in known and role != "rating"
        }
        found = matching_places(self._row_places, record, columns)
        if self.parts is not None and self.parts in record:
            found = [place for place in found if place.part == str(record[self.parts])]
        if len(found) == 1:
            return found[0].facts()
        sheets = {place.part for place in found}
        if not 1 < len(found) <= MOST_NAMED or len(sheets) > 1 or found[0].turned:
            return {}
        return {"rows": [place.row for place in found], "part": found[0].part}

    def find_fault(self) -> RatingsError | None:
        """Look for what is wrong with files of text that DuckDB could not read."""
        if self.ending not in TEXT:
            return None
        usual = TEXT[self.ending]
        faults = (find_csv_fault(file, self.options.separator, usual) for file in self.files)
        return next(filter(None, faults), None)

    def held(self, relation: Relation) -> Relation:
        """Take the rows of a small text file into memory, for as long as somebody uses them."""
        size = sum(file.stat().st_size for file in self.files)
        if self.ending in PARQUET or size > LARGEST_HELD:
            return relation
        return held_table(self.engine, relation)

    def take_roles(self, guess: Guess) -> None:
        """Remember which columns were read as what, and what is to be said of it."""
        self.roles |= guess.roles
        self.notes.extend(guess.notes)


def _without_row(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != "row"}


def _as_names(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value or ())


def distinguishing_names(names: Sequence[str]) -> list[str]:
    """Return the part of each file's name in which it differs from the others.

    Examples
    --------
    >>> distinguishing_names(["ratings_Ann.csv", "ratings_Bo.csv"])
    ['Ann', 'Bo']
    """
    stems = [name.removesuffix(".gz").rpartition(".")[0] or name for name in names]
    if len(stems) < 2:
        return stems
    words = [re.split(r"(?<=[_\-. ])|(?=[_\-. ])", stem) for stem in stems]
    start = _shared_start(words)
    end = _shared_start([list(reversed(word[start:])) for word in words])
    parts = ["".join(word[start : len(word) - end]).strip("_-. ") for word in words]
    return parts if all(parts) and len(set(parts)) == len(parts) else stems


def _shared_start(lists: Sequence[Sequence[str]]) -> int:
    """How many entries all lists begin with alike."""
    columns = zip(*lists, strict=False)
    return sum(1 for _ in takewhile(lambda cells: len(set(cells)) == 1, columns))


def load_lines(file: Path) -> list[Any] | None:
    """Read a file with a JSON value in each line; nothing where a line is none."""
    import json  # which no table needs

    with open_bytes(file) as stream:
        lines = stream.read().decode(detect_encoding(file)).splitlines()
    try:
        return [json.loads(line) for line in lines if line.strip()]
    except json.JSONDecodeError:
        return None
    except ValueError:  # more digits than Python reads
        raise _long_number("\n".join(lines), file) from None
    except RecursionError:  # which takes an engine down that is given the file
        raise RatingsError("formats.deep-json", file=file.name) from None


def load_json(file: Path) -> Any:
    """Read a JSON file, and say where it is broken."""
    import json

    with open_bytes(file) as stream:
        content = stream.read()
    encoding = detect_encoding(file)
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        raise RatingsError("formats.not-json", file=file.name, reason=error) from error
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise RatingsError("formats.not-json", file=file.name, reason=error) from error
    except ValueError:  # more digits than Python reads
        raise _long_number(text, file) from None
    except RecursionError:
        raise RatingsError("formats.deep-json", file=file.name) from None
    if document is None:
        raise RatingsError("formats.no-lists", file=file.name)
    return document


def _long_number(text: str, file: Path) -> RatingsError:
    """Say where the first number stands that has more digits than Python reads."""
    string, most = r'"(?:[^"\\]|\\.)*"', sys.get_int_max_str_digits()
    found = re.finditer(rf"{string}|(?P<number>\d{{{most + 1},}})", text)
    number = next(match for match in found if match["number"])
    line = text.count("\n", 0, number.start()) + 1
    before = text[: number.start()].rpartition("\n")[2][-60:]
    return RatingsError(
        "formats.long-number",
        file=file.name,
        line=line,
        before=before.strip(),
        digits=len(number["number"]),
    )
