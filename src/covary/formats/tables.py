"""Tables in files of any kind, one or many, as queries that DuckDB answers."""

from __future__ import annotations

import csv
import itertools
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from covary.errors import InvalidArgument, RatingsError
from covary.formats.cells import Relation, identifier
from covary.formats.grid import (
    Rows,
    Shape,
    distinct_names,
    find_shape,
    row_ranges,
    table_rows,
    transpose,
)
from covary.formats.printed_tables import printed_cells
from covary.formats.small_table import LARGEST_SMALL, MANY_COLUMNS, SmallTable, is_plain_text
from covary.formats.spreadsheets import read_sheet
from covary.formats.text_files import (
    Header,
    copy_as_utf_8,
    detect_encoding,
    open_bytes,
    read_cells,
    read_header,
    read_start,
)
from covary.records import dataclass
from covary.words import Note

TEXT = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}
"""Endings of text files, and what usually separates their cells."""

SHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
PARQUET = (".parquet", ".pq")
LINES = (".jsonl", ".ndjson")
ENDINGS = (*TEXT, *PARQUET, *LINES, ".json", *SHEETS)

MOST_SHARE, LEAST_SHARE, FOR_PYTHON = 0.65, 0.45, 270 * 10**6
"""Which share of the memory DuckDB gets, and how many bytes are left to Python before it gets most.

What is left is for Python, and for what DuckDB does not count."""

PRINTED = (".txt", ".csv", ".tab")
"""Endings of text files that may hold what a program printed."""

UTF_8 = "utf-8-sig"

MOST_PLAIN_COLUMNS = 2000
"""Beyond so many columns of a sheet, those that hold nothing are left out."""

LARGEST_HELD = 1 << 28
"""Text files up to so many bytes are taken into memory."""

LARGEST_SHEET = 1 << 22
"""In text files up to so many bytes, titles, averages and the like are looked for."""

_engines, _tables = itertools.count(1), itertools.count(1)


def ending_of(file: Path) -> str:
    """Return the ending that says what a file is: .csv also for ratings.csv.gz."""
    packed = file.suffix.lower() == ".gz"
    ending = Path(file.stem if packed else file.name).suffix.lower()
    return f"{ending}.gz" if packed and ending in (*PARQUET, *SHEETS) else ending


RowRanges = tuple[int, int] | Sequence[tuple[int, int]]
"""The first and the last of some rows, or several such pairs."""


def _of_ranges(shape: Shape, rows: RowRanges) -> Shape:
    """Say that these rows hold the data, and no other between them."""
    pairs = [(first, last) for first, last in _pairs(rows)]
    first, last = min(pair[0] for pair in pairs), max(pair[1] for pair in pairs)
    kept = {number for low, high in pairs for number in range(low, high + 1)}
    out = tuple((n, "unsaid") for n in range(first, last + 1) if n not in kept)
    return replace(shape, first=first, last=last, left_out=out)


def _pairs(rows: RowRanges) -> list[Any]:
    return [rows] if isinstance(rows[0], int) else list(rows)


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """What was said of where a table stands in its file.

    `header` is the row of names, the first and the last of several, or 0 for none; `rows` the
    first and the last row of data, or several such pairs; `fill` the columns in which an empty cell
    repeats the one above it; `records` the path to the records of a document of JSON.
    """

    separator: str | None = None
    sheet: str | None = None
    header: int | tuple[int, int] | None = None
    rows: RowRanges | None = None
    transpose: bool = False
    fill: tuple[str, ...] = ()
    records: str | None = None

    @property
    def shaped(self) -> bool:
        """Whether anything was said of the rows."""
        said = self.header is not None or self.rows is not None
        return said or self.transpose or bool(self.fill)

    def shape_of(self, cells: Rows) -> Shape:
        """Return where the table is: as was said, and else as it is found."""
        turned = transpose(cells) if self.transpose else cells
        found = find_shape(turned)
        shape = replace(found, transposed=self.transpose or found.transposed)
        if self.header is not None:
            names = self.header if isinstance(self.header, tuple) else (self.header, self.header)
            if names[1] > len(turned):
                raise InvalidArgument(
                    "formats.header-below", argument="header", value=names[1], height=len(turned)
                )
            rows = tuple(range(names[0], names[1] + 1)) if names[0] else ()
            first = max(names[1] + 1, found.first if found.names == rows else names[1] + 1)
            last = found.last if found.first == first or not rows else len(turned)
            shape = replace(shape, names=rows, first=first, last=max(last, first - 1))
            shape = replace(shape, left_out=tuple(r for r in found.left_out if r[0] > last))
        if self.rows is not None:
            shape = _of_ranges(shape, self.rows)
        return shape


def open_table(
    engine: Any, files: Sequence[Path], options: TableOptions, notes: list[str]
) -> tuple[Relation, Shape | None]:
    """Return a query for the rows of files that are one table, and its place in a sheet.

    The place is None where the first row holds names and every other row data. What was found out
    is noted.
    """
    file = files[0]
    ending = ending_of(file)
    separator, sheet = options.separator, options.sheet
    if separator is not None and (ending not in TEXT or len(separator) != 1):
        raise InvalidArgument("formats.separator", argument="separator", value=separator)
    if sheet is not None and ending not in SHEETS:
        raise InvalidArgument("formats.no-sheets", argument="sheet", value=sheet, file=file.name)
    shape: Shape | None = None
    if ending in TEXT:
        relation, shape = _read_text(engine, files, options, notes)
    elif ending in SHEETS:
        relation, shape = _from_cells(
            engine, read_sheet(file, sheet, notes), options, file=file, notes=notes
        )
    elif ending in PARQUET:
        relation = engine.read_parquet(
            _escaped_paths(files), hive_partitioning=_is_partitioned(files)
        )
    else:
        # All lines are looked at for the kind of a column, so that a late word is no surprise.
        kind = "newline_delimited" if ending in LINES else "array"
        relation = engine.read_json(_escaped_paths(files), format=kind, sample_size=-1)
    stripped = isinstance(relation, SmallTable)
    return relation if stripped else _strip_names(relation, file), shape


def _note_counted(names: Sequence[str], notes: list[str]) -> None:
    """Say which columns of one name were counted."""
    counted = [new for old, new in zip(names, distinct_names(names), strict=True) if old != new]
    if counted:
        notes.append(Note("formats.names-counted", columns=counted))


def _from_cells(
    engine: Any, cells: Rows, options: TableOptions, *, file: Path, notes: list[str]
) -> tuple[Relation, Shape | None]:
    """Hold the table that stands somewhere in a sheet of cells."""
    shape = options.shape_of(cells)
    sections = [number for number, reason in shape.left_out if reason == "section"]
    if sections:
        titles = [cells[number - 1][0].strip() for number in sections]
        parts = row_ranges(replace(shape, left_out=tuple((n, "") for n in sections)))
        facts: dict[str, Any] = {"numbers": sections, "titles": titles, "rows_of": parts}
        raise RatingsError("formats.sections", file=file.name, **facts)
    found, rows = table_rows(cells, shape)
    if not rows:
        raise RatingsError("formats.no-rows", file=file.name)
    found, rows = _without_empty_columns(found, rows)
    names = distinct_names(found)
    _note_counted(found, notes)
    _fill_down(names, rows, options.fill)
    return _hold_rows(engine, names, rows), None if shape.ordinary else shape


def _without_empty_columns(
    names: list[str], rows: list[list[str]]
) -> tuple[list[str], list[list[str]]]:
    """Leave out the columns that hold nothing where a stray cell makes very many.

    The engine takes minutes to hold a sheet that reaches to the last column of a spreadsheet.
    """
    if len(names) <= MOST_PLAIN_COLUMNS:
        return names, rows
    filled = [any(column) for column in zip(*rows, strict=True)]
    kept = [list(itertools.compress(row, filled)) for row in rows]
    return list(itertools.compress(names, filled)), kept


def all_cells(file: Path, options: TableOptions) -> Rows:
    """Return every cell of a text file or of a sheet."""
    if ending_of(file) in SHEETS:
        return read_sheet(file, options.sheet, [])
    if (printed := read_printed(file, options)) is not None:
        return printed
    encoding, usual = detect_encoding(file), TEXT[ending_of(file)]
    header = read_header(read_start(file, encoding), options.separator, usual, file.name)
    return read_cells(file, encoding, header.separator) or []


def read_printed(file: Path, options: TableOptions) -> Rows | None:
    """Return the cells of a table that a program printed into a text file; None where none did."""
    if options.separator is not None or ending_of(file) not in PRINTED:
        return None
    if file.stat().st_size > LARGEST_SHEET:
        return None
    with open_bytes(file) as stream:
        text = stream.read().decode(detect_encoding(file), errors="replace")
    first = text.lstrip("\ufeff").partition("\n")[0]
    return None if "," in first and "[," not in first else printed_cells(text)


def _fill_down(names: Sequence[str], rows: list[list[str]], fill: Sequence[str]) -> None:
    """Repeat the cell above where a cell of these columns is empty."""
    for column in fill:
        if column not in names:
            raise InvalidArgument(
                "formats.no-such-column", argument="fill", value=column, allowed=names
            )
        place, above = names.index(column), ""
        for row in rows:
            above = row[place] = row[place].strip() or above


def from_records(engine: Any, records: Sequence[dict[str, Any]], file: Path) -> Relation:
    """Hold records in DuckDB; a column is numeric where every value is a number."""
    if not records:
        raise RatingsError("formats.no-ratings", file=file.name)
    names = list(dict.fromkeys(k for record in records for k, v in record.items() if v is not None))
    try:
        held = _hold_rows(engine, names, ([record.get(key) for key in names] for record in records))
    except UnicodeEncodeError as error:
        broken = error.object[max(error.start - 20, 0) : error.start]
        raise RatingsError("formats.half-character", file=file.name, value=broken) from error
    kinds = {key: _column_type([record.get(key) for record in records]) for key in names}
    return held.project(
        ", ".join(f"cast({identifier(k)} as {kinds[k]}) as {identifier(k)}" for k in names)
    )


class Engine:
    """A DuckDB of its own for each file, opened when it is first asked, gone when its rows go.

    What does not fit in its share of the memory is put on the disk for the time being.
    """

    def __init__(self, memory: int | None = None) -> None:
        self.memory = memory

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.opened, name)

    @cached_property
    def opened(self) -> Any:
        """The connection."""
        return new_engine(self.memory)


def new_engine(memory: int | None) -> Any:
    """Open a DuckDB that downloads nothing and keeps within its memory."""
    from tempfile import gettempdir

    import duckdb

    settings: dict[str, Any] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "temp_directory": str(Path(gettempdir(), f"covary-{os.getpid()}-{next(_engines)}")),
    }
    if memory is not None:
        most = min(memory * MOST_SHARE, memory - FOR_PYTHON)
        settings["memory_limit"] = f"{round(max(most, memory * LEAST_SHARE))}B"
    engine = duckdb.connect(config=settings)
    engine.execute("set enable_progress_bar = false")  # covary has one of its own
    return engine


def held_table(engine: Any, relation: Relation) -> Relation:
    """Take the rows of a query into memory, as a table of its own."""
    name = f"held {next(_tables)}"
    relation.create(identifier(name))
    return engine.table(identifier(name))


TABLE_NUMBER, ROW_NUMBER = "number of its table", "number of its row"


def put_together(engine: Any, tables: Sequence[Relation]) -> Relation:
    """Put held tables under each other by the names of their columns, and keep these instead.

    The engine gives the rows of a union in any order, so that they are sorted: by table, then as
    they were.
    """
    table, row = identifier(TABLE_NUMBER), identifier(ROW_NUMBER)
    names = [identifier(held.alias) for held in tables]
    parts = " union all by name ".join(
        f"(select {place} as {table}, rowid as {row}, * from {name})"
        for place, name in enumerate(names)
    )
    sorted_rows = f"select * exclude ({table}, {row}) from ({parts}) order by {table}, {row}"
    whole = held_table(engine, engine.sql(sorted_rows))
    for name in names:
        engine.execute(f"drop table {name}")
    return whole


def _read_text(
    engine: Any, files: Sequence[Path], options: TableOptions, notes: list[str]
) -> tuple[Relation, Shape | None]:
    file, usual = files[0], TEXT[ending_of(files[0])]
    if len(files) == 1 and (printed := read_printed(file, options)) is not None:
        notes.append(Note("formats.printed-table", file=file.name))
        return _from_cells(engine, printed, options, file=file, notes=notes)
    encoding = detect_encoding(file)
    header = read_header(read_start(file, encoding), options.separator, usual, file.name)
    said = options.separator is not None or len(header.names) < 2
    notes += _text_notes(file, encoding, header.separator, "" if said else usual)
    if len(files) > 1 and (options.shaped or _any_odd(files, options)):
        return _stacked(engine, files, options, notes)
    cells = _looked_through(files, options, encoding, header)
    if cells is not None and (options.shaped or not options.shape_of(cells).ordinary):
        return _from_cells(engine, cells, options, file=file, notes=notes)
    _note_counted(header.names, notes)
    for other in files[1:]:
        _refuse_different(other, header, file, encoding)
    small = _small_table(engine, file, header, cells) if cells and encoding == UTF_8 else None
    return small or _read_alike(engine, files, header, encoding), None


def _looked_through(
    files: Sequence[Path], options: TableOptions, encoding: str, header: Header
) -> Rows | None:
    """Return the cells of one file that is small or of unusual shape; None where none are read."""
    if not options.shaped and (len(files) > 1 or files[0].stat().st_size > LARGEST_SHEET):
        return None
    return read_cells(files[0], encoding, header.separator)


def _small_table(engine: Any, file: Path, header: Header, cells: Rows) -> SmallTable | None:
    """Hold the cells of a small plain file; None where an engine may read it in another way."""
    names = distinct_names(header.names)
    rows = cells[1:]
    even = all(len(row) == len(names) for row in cells)
    plain = header.above and not header.skip and len(names) > 1
    alike = len({name.lower() for name in names}) < len(names)
    small = len(names) > MANY_COLUMNS or file.stat().st_size <= LARGEST_SMALL
    if not (even and plain and rows and small) or alike:
        return None
    if not is_plain_text(file, header.separator):
        return None
    return SmallTable(
        _columns(names, rows),
        lambda: _strip_names(_read_alike(engine, [file], header, UTF_8), file),
    )


def _columns(names: Sequence[str], rows: Rows) -> dict[str, list[str | None]]:
    columns = ([cell or None for cell in column] for column in zip(*rows, strict=True))
    return dict(zip(names, columns, strict=True))


def _read_alike(engine: Any, files: Sequence[Path], header: Header, encoding: str) -> Relation:
    """Read text files of one encoding; copies of them where DuckDB does not know it."""
    if encoding == UTF_8:
        return _read_in_order(engine, files, header)
    from tempfile import TemporaryDirectory  # which most files do without

    with TemporaryDirectory() as folder:
        copies = [
            copy_as_utf_8(part, encoding, Path(folder, f"copy{place}.csv"))
            for place, part in enumerate(files)
        ]
        return held_table(engine, _read_in_order(engine, copies, header))


def _read_in_order(engine: Any, files: Sequence[Path], header: Header) -> Relation:
    """Read text files one after the other; those too large to hold, in any order.

    Of several files at once the engine gives the rows now in one order and now in another.
    """
    size = sum(file.stat().st_size for file in files)
    if len(files) == 1 or size > LARGEST_HELD:
        return _read_csv(engine, files, header)
    whole = held_table(engine, _read_csv(engine, files[:1], header))
    for file in files[1:]:
        _read_csv(engine, [file], header).insert_into(identifier(whole.alias))
    return whole


def _text_notes(file: Path, encoding: str, separator: str, usual: str) -> list[str]:
    """Say what is unusual about a text file; no separator is where none is usual."""
    notes: list[str] = []
    if usual and separator != usual:
        notes.append(Note("formats.separated-by", file=file.name, separator=separator))
    if encoding != UTF_8:
        notes.append(Note("formats.read-as-encoding", file=file.name, encoding=encoding.upper()))
    return notes


def _any_odd(files: Sequence[Path], options: TableOptions) -> bool:
    """Whether one of several small files has a title, no names, or rows that are no data."""
    if sum(file.stat().st_size for file in files) > LARGEST_SHEET:
        return False
    cells = (all_cells(file, options) for file in files)
    return any(rows and not options.shape_of(rows).ordinary for rows in cells)


def _stacked(
    engine: Any, files: Sequence[Path], options: TableOptions, notes: list[str]
) -> tuple[Relation, Shape | None]:
    """Put the tables that stand somewhere in several files under each other."""
    tables: list[Relation] = []
    shapes = []
    expected: list[str] = []
    for file in files:
        relation, shape = open_table(engine, [file], options, [])
        expected = expected or relation.columns
        if {name.lower() for name in relation.columns} != {name.lower() for name in expected}:
            facts: dict[str, Any] = {"columns": relation.columns, "expected": expected}
            raise RatingsError("formats.other-header", file=file, first=files[0].name, **facts)
        note_part_rows(notes, file.name, shape)
        shapes.append(shape)
        tables.append(held_table(engine, relation))
    return put_together(engine, tables), shared_shape(shapes)


def note_part_rows(notes: list[str], part: str, shape: Shape | None) -> None:
    """Say which rows of one file among several hold no ratings."""
    rows = [number for number, reason in (shape.left_out if shape else ()) if reason != "title"]
    if rows:
        notes.append(Note("formats.left-out-of-part", part=part, numbers=rows))


def shared_shape(shapes: Sequence[Shape | None]) -> Shape | None:
    """Return where the names stand in all of several files; None where that is not the same."""
    first = shapes[0]
    if first is None or any(s is None or s.names != first.names for s in shapes):
        return None
    return replace(first, left_out=())


def _refuse_different(other: Path, header: Header, first: Path, encoding: str) -> None:
    """Refuse a file that is not a part of the same table as the first one."""
    own = detect_encoding(other)
    if own != encoding:
        encodings = {"encoding": own.upper(), "expected": encoding.upper()}
        raise RatingsError("formats.other-encoding", file=other, first=first.name, **encodings)
    names = read_header(read_start(other, own), header.separator, header.separator, other.name)
    if names != header:
        raise RatingsError(
            "formats.other-header",
            file=other,
            columns=names.names,
            first=first.name,
            expected=header.names,
        )


def _read_csv(engine: Any, files: Sequence[Path], header: Header) -> Relation:
    return engine.read_csv(
        _escaped_paths(files),
        sep=header.separator,
        columns={f"c{place}": "VARCHAR" for place in range(len(header.names))},
        header=header.above,
        skiprows=header.skip,
        auto_detect=False,
        quotechar='"',
        escapechar='"',
    ).project(
        ", ".join(
            f"c{place} as {identifier(name)}"
            for place, name in enumerate(distinct_names(header.names))
        )
    )


def _hold_rows(engine: Any, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Relation:
    """Take rows of Python values into DuckDB as text.

    They go through a file, because DuckDB wants pandas for everything else that is not a number.
    """
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        file = Path(folder, "rows.csv")
        with file.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
        header = Header(tuple(names), ",", 0, above=False)
        table = held_table(engine, _read_csv(engine, [file], header))
    return table.project(
        ", ".join(f"nullif({identifier(name)}, '') as {identifier(name)}" for name in names)
    )


def _column_type(values: Sequence[Any]) -> str:
    present = [value for value in values if value is not None]
    if not present or not all(type(value) in (int, float) for value in present):
        return "VARCHAR"
    return "BIGINT" if all(type(value) is int for value in present) else "DOUBLE"


def _is_partitioned(files: Sequence[Path]) -> bool:
    """Say whether files were put into folders that are named after values: criterion=fluency."""
    shared = Path(os.path.commonpath([file.parent for file in files]))
    return any("=" in part for file in files for part in file.relative_to(shared).parts[:-1])


def _escaped_paths(files: Sequence[Path]) -> list[str]:
    """Write paths so that brackets and stars in them stand for themselves."""
    import glob

    return [glob.escape(str(file)) for file in files]


def _strip_names(relation: Relation, file: Path) -> Relation:
    """Take the spaces off the names of columns, and refuse two columns of one name."""
    names = [name.strip() for name in relation.columns]
    seen: dict[str, str] = {}
    for name in names:
        if name.lower() in seen:
            first = seen[name.lower()]
            raise RatingsError("formats.columns-alike", file=file.name, first=first, second=name)
        seen[name.lower()] = name
    pairs = zip(relation.columns, names, strict=True)
    return relation.project(
        ", ".join(f"{identifier(old)} as {identifier(new)}" for old, new in pairs)
    )


SPLIT = (*PARQUET, *TEXT, *LINES)
"""Endings of tables that are often split into several files."""

OF_POTATO = "user_state.json"
"""Folders with such a file have a format of their own."""


def is_pattern(path: Path) -> bool:
    """Say whether a path stands for all files that match it."""
    return any(mark in str(path) for mark in "*?[") and not path.exists()


def files_of(path: Path) -> tuple[Path, ...]:
    """Return the files of a table: the file itself, those of a folder, or those that match."""
    if is_pattern(path):
        import glob  # which a single file does without

        matches = sorted(Path(match) for match in glob.glob(str(path), recursive=True))
        return tuple(file for place in matches if _is_data(place.name) for file in files_of(place))
    if path.is_dir():
        return _in_folder(path)
    return (path,)


def common_ending(files: Sequence[Path], path: Path) -> str:
    """Return the ending that all files share, or refuse."""
    times = Counter(ending_of(file) for file in files)
    endings = sorted(times)
    if len(endings) > 1:
        most = max(filter(None, endings), key=times.__getitem__)
        example = f"{path if path.is_dir() else path.parent}/*{most}"
        raise InvalidArgument(
            "formats.several-kinds",
            argument="path",
            value=str(path),
            endings=endings,
            example=example,
        )
    for file in files:
        if not file.stat().st_size:
            raise RatingsError("formats.empty-part", file=file)
    return endings[0]


def _in_folder(folder: Path) -> tuple[Path, ...]:
    """Find the tables in a folder, also where they were put into folders by value."""
    if any(folder.rglob(OF_POTATO)):
        return ()
    inside = sorted(file for file in folder.rglob("*") if file.is_file())
    return tuple(
        file
        for file in inside
        if ending_of(file) in SPLIT
        and all(_is_data(part) for part in file.relative_to(folder).parts)
    )


def _is_data(name: str) -> bool:
    """What begins with a point or an underscore is what a program noted for itself."""
    return not name.startswith((".", "_"))
