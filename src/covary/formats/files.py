"""`covary.read` and `covary.write`: files become ratings, and ratings become files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from covary.errors import CovaryError, InvalidArgument, RatingsError
from covary.formats.catalogue import FORMATS, find_format, recognised_format
from covary.formats.cells import identifier, literal
from covary.formats.column_roles import known_role, names_say_all, plain
from covary.formats.compared_systems import pair_systems
from covary.formats.grid import Shape, row_ranges
from covary.formats.item_keys import join_items
from covary.formats.layouts import recognise
from covary.formats.long import ROW_IN_PART, parting_column, shorter_names
from covary.formats.ratings_file import RatingsFile
from covary.formats.several_tables import take_parts
from covary.formats.small_table import first_cells
from covary.formats.sources import join_keys, open_source
from covary.formats.spark_tables import read_with_spark
from covary.formats.spreadsheets import filled_sheets
from covary.formats.table_columns import Layout
from covary.formats.tables import LINES, SHEETS, TEXT, RowRanges, ending_of
from covary.formats.text_files import explain_errors
from covary.formats.wide import columns_named
from covary.ratings import COLUMNS, Ratings
from covary.records import dataclass

Source = Any
"""What ratings are read from: a path, several paths, an address, or a data frame."""


def read(
    path: Source,
    *,
    format: str | None = None,  # noqa: A002
    wide: bool | str | Sequence[str] | None = None,
    names: str | None = None,
    header: int | tuple[int, int] | None = None,
    rows: RowRanges | None = None,
    fill: str | Sequence[str] | None = None,
    records: str | None = None,
    transpose: bool = False,
    sheet: str | None = None,
    sheets: str | None = None,
    files: str | None = None,
    separator: str | None = None,
    count: str | None = None,
    answers: Mapping[str, str | None] | None = None,
    items: Source | None = None,
    keep_rejected: bool = False,
    engine: str = "duckdb",
    memory: str | None = None,
    query: str | None = None,
    **keywords: Any,
) -> Ratings:
    r"""Read ratings from a file or a data frame; `notes` say what was guessed and left out, and
    `account` how to say the same without guessing.

    How the table is laid out is recognised: one row per rating, a column per judge or per
    criterion, a row per respondent. Where two readings are possible, nothing is read, and the error
    names the keywords for each of them.

    Parameters
    ----------
    path
        A data frame (pandas, Polars, PyArrow, DuckDB), or a table (.csv, .tsv, .txt, .xlsx, .xls,
        .ods, .parquet, .jsonl, .json; text also with .gz after it) that may be larger than memory,
        an export of a survey or annotation tool (`covary.formats.FORMATS` lists them). A folder of
        Parquet or text files, a list of files, or a pattern (`"ratings/*.parquet"`), is one table;
        and so is a `query` of `"postgresql://…"`. `"-"` is standard input, and a .zip is unpacked.
    format
        `"long"`, `"wide"`, `"counts"`, `"mturk"`, `"label-studio"`, `"potato"` or `"qg-stec"`,
        where it shall not be recognised.
    wide
        The columns that hold one judge's ratings each: their names, a pattern (`"J*"`), or True for
        all columns of numbers that are nothing else.
    names
        What the names of these columns say: `"{judge}"` by default, `"{item}"` where each row is a
        respondent, `"{judge}_{criterion}"`, `"{criterion} [{item}]"`; `#` stands for digits alone
        (`"{criterion}{judge#}"`), and `"{rating}"` where one of the columns is marked in each row.
    header, rows
        The row with the names of the columns (the first and the last of several; 0 for none), and
        the first and the last row of data, as a spreadsheet counts them; `[(2, 9), (11, 20)]` where
        rows between them are not ratings.
    fill
        Columns in which an empty cell repeats the one above it, as in a table that names each item
        once.
    records
        Where the records stand in a document of JSON: `"items.ratings"`; `*` goes through the
        entries of an object, whose keys become the column `key`.
    transpose
        Whether rows and columns are turned first.
    sheet
        Which sheet of a spreadsheet; the first one that is not empty where it is not said.
    sheets, files
        What the names of all sheets, or of several files, stand for: `"judge"`, `"criterion"`, …
    answers
        What answers mean, where they are not to be taken as they are: `{"goood": "good"}`; `None`
        where there is no rating.
    separator
        What stands between the cells of a text file; found where it is not said.
    count
        The column of a frequency table that says how many items have the pattern.
    items
        A table with a row for each item that says its system, and perhaps its source or cluster,
        where the ratings do not: a file or a data frame. Items are matched by name.
    keep_rejected
        Whether to keep the rejected assignments of Mechanical Turk.
    engine
        What reads and counts: `"duckdb"`, on this machine, or `"spark"`, which reads Parquet and
        plain text wherever its session can.
    memory
        How much memory may be used, such as `"2GB"`. DuckDB puts on the disk what does not fit, and
        ratings that would not fit are counted where they are and never brought into Python.
    query
        Which table, or what query, of a PostgreSQL.
    keywords
        The keywords of `Ratings`: which column holds what (`item="qid"`), the scale, the level.
        What is not said is guessed from the names of the columns. `rating` may be a list of
        columns, one for each criterion.

    Notes
    -----
    The names of the columns stand in the first row. Text is UTF-8, UTF-16 with its mark, or
    Windows-1252. Spaces around names and cells do not count. Empty cells are missing, and so are
    ratings written as NA, N/A, #N/A, nan, null, missing, `.` or `-`, unless the scale has a
    category of that name. A column in which every cell is a whole number holds numbers. Other words
    in a column of numbers are an error that names the rows.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "ratings.csv")
    ...     _ = file.write_text("qid,rater,score\nq1,Ann,4\nq1,Bo,5\nq2,Ann,1\nq2,Bo,NA\n")
    ...     ratings = read(file, scale="1-5")
    >>> ratings
    Ratings(3 ratings of 2 items by 2 judges)
    >>> print(*ratings.notes)
    By their names, the columns were read so: 'qid' as the item, 'rater' as the judge and 'score'
    as the rating.
    """
    given: dict[str, Any] = {
        "format": format,
        "wide": wide,
        "names": names,
        "header": header,
        "rows": rows,
        "fill": fill,
        "records": records,
        "transpose": transpose or None,
        "sheet": sheet,
        "sheets": sheets,
        "files": files,
        "separator": separator,
        "count": count,
        "answers": answers,
        "query": query,
    }
    if engine == "spark":
        _refuse_all_but_long(given | {"items": items})
        frame, notes = read_with_spark(str(path), keywords, memory)
        return _ratings(frame, keywords, notes, memory)
    if engine != "duckdb":
        raise InvalidArgument("formats.unknown-engine", argument="engine", value=engine)
    given |= {"keep_rejected": keep_rejected, "memory": memory}
    given |= {"items": str(items)} if isinstance(items, str | os.PathLike) else {}
    ratings = _read(path, given, keywords)
    return ratings if items is None else join_items(ratings, items)


def _read(path: Source, options: Mapping[str, Any], keywords: Mapping[str, Any]) -> Ratings:
    memory = options.get("memory")
    file = _with_parts_settled(open_source(path, options, dict(keywords)))
    with explain_errors(file.path, file.find_fault):
        _check_options(file)
        with _of_another_structure(file):
            _refuse_submissions(file)
            _pair_systems(file, options.get("format"))
        join_keys(file)
        with _of_another_structure(file):
            said = options.get("format")
            layout = None if _chosen_by_names(file, said) else _choose_layout(file, said)
            chosen = find_format(file, options.get("format"))
            rows = chosen.read(file)
        if chosen.name in ("wide", "long") and file.is_table:
            _note_unfinished(file)
        slots = {"judges": "slots"} if file.slots else {}
        scales = {"scale": file.scales} if file.scales else {}
        noted = list(file.notes)
        with _located(file):
            ratings = _ratings(rows, slots | scales | file.keywords, file.notes, memory)
        _note_parting(file, ratings)
        _note_spellings(file, ratings)
        ratings = ratings.with_notes(*file.notes[len(noted) :])
        ratings.faults = tuple(
            replace(fault, examples=tuple(file.located(fault.examples))) for fault in ratings.faults
        )
        return ratings.with_account(Account.of(file, layout, chosen.name, options))


COMPARED = ("system", "model", "method", "candidate")
"""What the columns of two compared things are called after."""


def _pair_systems(file: RatingsFile, chosen: str | None) -> None:
    """Look for two systems that were compared in a plain table."""
    form = recognised_format(file) if chosen is None and file.is_table else None
    if chosen != "long" and (form is None or form.name not in ("wide", "long")):
        return
    if chosen is None and file.wide is None and not set(file.keywords) & set(COLUMNS):
        _refuse_cross_table(file)
    if "," in str(file.keywords.get("system", "")) or any(
        word in column.lower() for column in file.columns for word in COMPARED
    ):
        pair_systems(file)


MOST_CATEGORIES = 20


def _refuse_cross_table(file: RatingsFile) -> None:
    """Refuse a cross table of two judges: its rows and columns are called alike, and it counts."""
    first, *others = file.columns
    if not 2 <= len(others) <= MOST_CATEGORIES:
        return
    names = first_cells(file.table, first, len(others) + 1)
    if sorted(map(str, names)) == sorted(others):
        raise RatingsError("formats.cross-table", value=others, file=file.path.name)


SUBMISSIONS = {"submissionid", "participantid", "completioncode", "totalapprovals"}
"""Columns of the list of people that Prolific's page downloads, which holds no ratings."""


def _refuse_submissions(file: RatingsFile) -> None:
    """Refuse Prolific's list of submissions, unless ratings were joined to it."""
    if file.ending not in (*TEXT, *SHEETS):
        return
    said = file.wide is not None or "rating" in file.keywords
    rated = any(known_role(column) == "rating" for column in file.columns)
    if not (said or rated) and set(map(plain, file.columns)) >= SUBMISSIONS:
        raise RatingsError("formats.submissions", file=file.path.name)


UNPAID = ("RETURNED", "TIMED-OUT", "REJECTED", "SCREENED OUT")
TRIED = ("SURVEY PREVIEW", "SURVEY TEST", "SPAM")
UNFINISHED = dict.fromkeys(
    ("status", "submissionstatus", "participantstatus"), (*UNPAID, *TRIED)
) | {"responsetype": TRIED, "finished": ("FALSE",)}
"""By the name of a column: what platforms call submissions that nobody paid for, and Qualtrics
answers that are no respondent's or not all there."""


def _note_unfinished(file: RatingsFile) -> None:
    """Say that rows of people who gave up or were rejected were read like the others."""
    for column in file.columns:
        values = UNFINISHED.get(plain(column))
        if values is None:
            continue
        status = f"upper(trim(cast({identifier(column)} as varchar)))"
        listed = ", ".join(map(literal, values))
        counts = file.table.filter(f"{status} in ({listed})").aggregate(f"{status}, count(*)")
        found = dict(counts.order("1").fetchall())
        if found:
            count = sum(found.values())
            file.note("formats.unfinished", column=column, values=list(found), count=count)


@contextmanager
def _of_another_structure(file: RatingsFile) -> Iterator[None]:
    """Refuse JSON that begins like a tool's and holds something else further in."""
    try:
        yield
    except (AttributeError, TypeError, KeyError, IndexError) as error:
        if file.ending not in (*LINES, ".json"):
            raise
        raise RatingsError("formats.other-structure", file=file.path.name, reason=error) from error


def _note_parting(file: RatingsFile, ratings: Ratings) -> None:
    """Say which column may tell apart what was set aside as a duplicate."""
    if any(fault.kind == "duplicate" for fault in ratings.faults):
        column = parting_column(file)
        if column is not None:
            file.note("formats.parting-column", **_parted(file, column))


def _parted(file: RatingsFile, column: str) -> dict[str, str]:
    return {"column": column, "items": f"{file.roles.get('item', 'item')},{column}"}


def _note_spellings(file: RatingsFile, ratings: Ratings) -> None:
    """Say which judges, criteria or systems differ in nothing but capitals and spaces."""
    for role in ("judge", "criterion", "system"):
        if role not in ratings.columns or (role == "judge" and ratings.slots):
            continue
        spellings: dict[str, list[str]] = {}
        for name in ratings.values(role):
            if isinstance(name, str):
                spellings.setdefault("".join(name.casefold().split()), []).append(name)
        alike = [name for names in spellings.values() if len(names) > 1 for name in names]
        if alike:
            file.note("formats.names-alike", role=role, names=alike)


@contextmanager
def _located(file: RatingsFile) -> Iterator[None]:
    """Let refusals name rows as the file counts them, and what can be said of empty cells."""
    try:
        yield
    except RatingsError as error:
        if not all(isinstance(row, Mapping) for row in error.rows):
            raise
        rows, code, facts = file.located(error.rows), error.code, dict(error.data)
        if code == "ratings.duplicate" and len(file.files) > 1 and file.parts is None:
            code = "formats.duplicate-in-files"
        if code == "ratings.duplicate" and (parting := parting_column(file)) is not None:
            code = "formats.duplicate-parted"
            facts |= _parted(file, parting)
        if code == "ratings.unnamed-rows" and file.is_text:
            columns = [file.roles.get(role, role) for role in facts["columns"]]
            code, facts = "formats.unnamed-rows", facts | {"file": file.path.name, "fill": columns}
        raise RatingsError(code, value=error.value, rows=rows, **facts) from error


def _with_parts_settled(file: RatingsFile) -> RatingsFile:
    """Find out what the names of files stand for by how each possibility would be read."""
    if not file.part_roles:
        return file
    tables = [file.as_parts(role) for role in file.part_roles]
    form = recognised_format(tables[0])
    plain = form is None or form.name in ("wide", "long")
    said = file.wide is not None or bool({"judge", "rating"} & file.said.keys())
    readings = _of_parts(tables) if plain and not said else []
    if len(readings) > 1:
        raise _two_readings(file, readings)
    chosen = readings[0][0] if readings else tables[0]
    settled = file.as_parts(chosen.parts)
    take_parts(settled, chosen.parts)
    return settled


def _of_parts(tables: Sequence[RatingsFile]) -> list[tuple[RatingsFile, Layout]]:
    """Return the readings of files under each meaning of their names.

    Where a column tells the rows of all files apart, the files are one table, and no other reading
    is needed.
    """
    readings = [(table, layout) for table in tables for layout in _possible(table)]
    together = [
        (table, layout)
        for table, layout in readings
        if table.parts is None and {"item", "judge"} & layout.keywords.keys()
    ]
    return together or [pair for pair in readings if pair[0].parts is not None]


def _possible(file: RatingsFile) -> list[Layout]:
    """Return the readings of files under one meaning of their names; none where that is none."""
    try:
        return recognise(file)
    except CovaryError:
        return []


def _two_readings(
    file: RatingsFile, readings: Sequence[tuple[RatingsFile, Layout]]
) -> RatingsError:
    keywords = [place_keywords(table) | dict(layout.keywords) for table, layout in readings]
    for said in keywords:
        if "wide" in said:
            said["wide"] = shorter_names(said["wide"], file.columns)
    kinds = [layout.name for _, layout in readings]
    return RatingsError("formats.two-readings", file=file.path.name, readings=keywords, kinds=kinds)


def _chosen_by_names(file: RatingsFile, chosen: str | None) -> bool:
    """Read the columns whose names fit the pattern that was said, where nothing else was."""
    if chosen is not None or file.names is None or file.wide is not None or not file.is_table:
        return False
    file.wide = columns_named(file.names, file.columns) or None
    return file.wide is not None


def _choose_layout(file: RatingsFile, chosen: str | None) -> Layout | None:
    """Recognise how a table is laid out, where nobody said; refuse where two ways are possible."""
    if chosen is not None or not file.is_table or file.wide is not None or file.count is not None:
        return None
    form = recognised_format(file)
    said = {role for role, column in file.said.items() if column != file.part_column}
    if {"judge", "rating"} & said or form is None or form.name not in ("wide", "long"):
        return None
    if names_say_all(file.columns):
        return None
    layouts = recognise(file)
    if len(layouts) > 1:
        raise _two_readings(file, [(file, layout) for layout in layouts])
    if not layouts:
        return None
    layout = layouts[0]
    file.note(f"formats.layout-{layout.name}", **layout.keywords, **layout.facts)
    worded = list(layout.facts.get("worded", ()))
    if worded:
        file.note("formats.words-left-out", words=worded, numbers=_names(layout.keywords["rating"]))
    if left := [column for column in layout.left_out if column not in worded]:
        file.note("formats.columns-left-out", columns=left)
    file.wide = layout.keywords.get("wide", file.wide)
    file.names = file.names or layout.keywords.get("names")
    roles = {key: value for key, value in layout.keywords.items() if key not in ("wide", "names")}
    file.keywords = roles | file.keywords
    return layout


def _ratings(
    rows: Any, keywords: Mapping[str, Any], notes: Sequence[str], memory: str | None
) -> Ratings:
    """Make ratings of rows that have covary's names already."""
    left = {key: value for key, value in keywords.items() if key not in COLUMNS}
    if left.get("judges") == "slots" and "judge" not in rows.columns:
        left["judge"] = None
    ratings = Ratings(rows, **left).with_notes(*notes)
    return ratings if memory is None else ratings.within(memory)


def _refuse_all_but_long(options: Mapping[str, Any]) -> None:
    given = [key for key, value in options.items() if value is not None]
    if given and not (given == ["format"] and options["format"] == "long"):
        raise InvalidArgument("formats.spark-long-only", options=given)


def _check_options(file: RatingsFile) -> None:
    """Refuse options that this file cannot have."""
    given = {
        "wide": file.wide,
        "sheet": file.options.sheet,
        "separator": file.options.separator,
    }
    wrong = {key: value for key, value in given.items() if value is not None}
    if wrong and not file.is_table and (file.path.is_dir() or ending_of(file.path) == ".xml"):
        raise InvalidArgument("formats.not-a-table", options=wrong, file=file.path.name)


def write(ratings: Ratings, path: str | os.PathLike[str]) -> Path:
    r"""Write ratings to a file, whose ending says how.

    Parameters
    ----------
    ratings
        What to write; columns get covary's names.
    path
        .csv, .tsv, .jsonl, .ndjson, .parquet and .pq have one row per rating; .json is for Label
        Studio. An existing file is replaced, once the new one is complete.

    Returns
    -------
    Path
        Where the file is.

    Notes
    -----
    Text files do not know kinds: an item named by the text '12' comes back as the number 12.
    Parquet keeps what there was.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> ratings = Ratings({"item": ["q1", "q2"], "judge": ["Ann", "Ann"], "rating": [4, 5]})
    >>> with TemporaryDirectory() as folder:
    ...     write(ratings, Path(folder, "ratings.csv")).read_text()
    'item,judge,rating\nq1,Ann,4\nq2,Ann,5\n'
    """
    file = Path(path).expanduser()
    ending = file.suffix.lower()
    writers = {end: writer for form in FORMATS for end, writer in form.write.items()}
    if ending not in writers:
        raise InvalidArgument(
            "formats.write-ending", argument="path", value=file.name, allowed=writers
        )
    if not file.parent.is_dir():
        raise InvalidArgument(
            "formats.write-folder", argument="path", value=str(file), folder=file.parent
        )
    with explain_errors(file, lambda: None), complete_file(file) as draft:
        writers[ending](ratings, draft)
    return file


@contextmanager
def complete_file(file: Path) -> Iterator[Path]:
    """Give a place for a draft, which replaces the file once it is complete; not a device."""
    if file.exists() and not file.is_file():
        yield file
        return
    draft = file.with_name(f".{file.stem}-{os.urandom(4).hex()}{file.suffix.lower()}")
    try:
        yield draft
        os.replace(draft, file)
    finally:
        draft.unlink(missing_ok=True)


TABLES = ("long", "wide", "counts")


@dataclass(frozen=True, kw_only=True)
class Account:
    """How a file was read.

    `keywords` are those of `read` that say the same, `added` those of them that nobody said;
    `columns` what each column was taken for; `left_out` the columns that were not read; `given_as`
    the package of the data frame that was read.
    """

    layout: str
    keywords: Mapping[str, Any] = field(default_factory=dict)
    added: Mapping[str, Any] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    given_as: str | None = None

    @classmethod
    def of(
        cls, file: RatingsFile, layout: Layout | None, form: str, options: Mapping[str, Any]
    ) -> Account:
        """Put together what was said and what was found out about a file."""
        said = {k: v for k, v in options.items() if v is not None and v is not False}
        explicit = _in_order(_explicit_keywords(file, form, said))
        columns = {column: role for role, column in file.roles.items()}
        left = () if form not in TABLES else _left_out(file, columns)
        left = left if layout is None else layout.left_out
        spoken = {*said, *file.spoken}
        own = {key: value for key, value in explicit.items() if key not in spoken}
        return cls(
            layout=form if layout is None else layout.name,
            keywords=explicit,
            added={key: value for key, value in own.items() if value != key},
            columns=columns,
            left_out=left,
            given_as=file.given_as,
        )


def _explicit_keywords(file: RatingsFile, form: str, said: Mapping[str, Any]) -> dict[str, Any]:
    """Put everything that was said or found out into keywords."""
    explicit = {**said, **place_keywords(file), **file.keywords}
    if file.wide is not None and file.wide is not True:
        explicit["wide"] = shorter_names(file.wide, file.columns)
    if file.names is not None:
        explicit["names"] = file.names
    if form not in TABLES:
        explicit["format"] = form
        explicit.pop("records", None)
    explicit |= {role: column for role, column in file.roles.items() if role not in explicit}
    explicit = {role: c for role, c in explicit.items() if c is None or c not in _made(file)}
    for role, parts in file.joined.items():
        explicit.pop(role, None)
        if len(parts) > 1 or role == "item":
            explicit[role] = ",".join(parts)
    return explicit


def _made(file: RatingsFile) -> list[str]:
    """Return the columns that no file has: they were made of names and of places."""
    return [column for column in (file.part_column, ROW_IN_PART) if column is not None]


def place_keywords(file: RatingsFile) -> dict[str, Any]:
    """Say where the table stands in its sheet."""
    place: dict[str, Any] = {}
    if file.parts is not None:
        place["sheets" if file.ending in SHEETS and len(file.files) == 1 else "files"] = file.parts
    elif file.ending in SHEETS and len(file.files) == 1:
        sheets = filled_sheets(file.files[0])
        place |= {"sheet": file.options.sheet or sheets[0]} if len(sheets) > 1 else {}
    if file.records_path:
        place["records"] = file.records_path
    return place if file.shape is None else place | _rows(file.shape)


def _rows(shape: Shape) -> dict[str, Any]:
    """Say which rows hold names and ratings, where that is not as usual."""
    place: dict[str, Any] = {}
    names = shape.names
    if names != (1,):
        place["header"] = 0 if not names else names[0] if len(names) == 1 else (names[0], names[-1])
    if any(reason != "title" for _, reason in shape.left_out):
        ranges = row_ranges(shape)
        place["rows"] = ranges[0] if len(ranges) == 1 else ranges
    return place | ({"transpose": True} if shape.transposed else {})


def _left_out(file: RatingsFile, columns: Mapping[str, str]) -> tuple[str, ...]:
    if not file.is_table or not file.roles:
        return ()
    wide = file.wide if isinstance(file.wide, list | tuple) else ()
    said = {name for value in file.said.values() for name in _names(value)}
    known = {*columns, *wide, *said}
    return tuple(column for column in file.columns if column not in known)


def _names(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value or ())


FIRST = (
    *("sheet", "sheets", "files", "separator", "header", "rows", "fill", "records"),
    *("transpose", "format", "count"),
)


def _in_order(keywords: Mapping[str, Any]) -> dict[str, Any]:
    order = [*FIRST, "wide", "names", *COLUMNS]
    known = [key for key in order if key in keywords]
    return {key: keywords[key] for key in (*known, *(k for k in keywords if k not in known))}
