"""Where ratings are read from: files, folders, standard input, archives, databases, data frames."""

from __future__ import annotations

import atexit
import os
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from covary.errors import InvalidArgument, RatingsError
from covary.formats.cells import Relation, identifier, literal
from covary.formats.column_roles import known_role
from covary.formats.ratings_file import RatingsFile
from covary.formats.several_tables import SeveralFiles, recognise_files, recognise_sheets
from covary.formats.tables import (
    ENDINGS,
    SHEETS,
    TableOptions,
    ending_of,
    files_of,
    held_table,
    is_pattern,
    open_table,
)
from covary.formats.text_files import explain_errors
from covary.ratings import COLUMNS
from covary.ratings.conversion import JOINT
from covary.ratings.frames import as_frame, fetch
from covary.ratings.memory_limit import parse_bytes
from covary.records import dataclass

STANDARD_INPUT = "-"
DATABASES = ("postgresql://", "postgres://")


def open_source(path: Any, options: Mapping[str, Any], keywords: dict[str, Any]) -> RatingsFile:
    """Open whatever was named to `read`."""
    table = TableOptions(
        separator=options.get("separator"),
        sheet=options.get("sheet"),
        header=options.get("header"),
        rows=options.get("rows"),
        transpose=bool(options.get("transpose")),
        fill=_names(options.get("fill")),
        records=options.get("records"),
    )
    memory, query = options.get("memory"), options.get("query")
    known: dict[str, Any] = {
        "wide": options.get("wide"),
        "names": options.get("names"),
        "count": options.get("count"),
        "answers": {old: new or "" for old, new in (options.get("answers") or {}).items()},
        "keep_rejected": bool(options.get("keep_rejected")),
        "memory": None if memory is None else parse_bytes(memory),
        "options": table,
        "parts": options.get("sheets") or options.get("files"),
    }
    if not isinstance(path, str | os.PathLike) and not _are_paths(path):
        return _framed(path, keywords, known)
    if isinstance(path, str) and path.startswith(DATABASES):
        return _queried(path, keywords, known, query)
    if query is not None:
        raise InvalidArgument(
            "formats.query-without-database", argument="query", value=query, path=path
        )
    if _are_paths(path):
        return _several_files([existing_path(part) for part in path], keywords, known)
    file = RatingsFile(existing_path(path), keywords, **known)
    with explain_errors(file.path, file.find_fault):
        _recognise_parts(file)
    return file


def _framed(frame: Any, keywords: dict[str, Any], known: dict[str, Any]) -> RatingsFile:
    """Take a data frame, or an array with items in its rows and judges in its columns."""
    if isinstance(frame, np.ndarray) and frame.ndim == 2:
        frame = {str(n): column.tolist() for n, column in enumerate(frame.T, 1)}
        known["wide"] = list(frame) if known["wide"] is None else known["wide"]
    return FrameTable(Path("the data frame"), keywords, **known, frame=frame)


def _recognise_parts(file: RatingsFile) -> None:
    """Look whether several sheets, or the files of a folder, are one table."""
    if file.path.is_dir():
        if file.parts is None and len(file.files) > 1:
            recognise_files(file)
    elif file.options.sheet is None and ending_of(file.path) in SHEETS:
        recognise_sheets(file)


def _queried(
    path: str, keywords: dict[str, Any], known: dict[str, Any], query: str | None
) -> RatingsFile:
    if not query:
        raise InvalidArgument("formats.which-query", argument="query")
    name = query if query.isidentifier() else "query"
    return QueriedTable(Path(name), keywords, **known, address=path, query=query)


def _names(value: str | Sequence[str] | None) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value or ())


def _are_paths(path: Any) -> bool:
    return isinstance(path, list | tuple) and all(isinstance(p, str | os.PathLike) for p in path)


def existing_path(path: str | os.PathLike[str]) -> Path:
    """Return a path that is there; standard input and archives are put into a folder first."""
    if str(path) == STANDARD_INPUT:
        return _standard_input()
    file = Path(path).expanduser()
    if is_pattern(file):
        if not files_of(file):
            raise InvalidArgument("formats.no-match", argument="path", value=str(file))
        return file
    if not file.exists():
        folder = file.parent.iterdir() if file.parent.is_dir() else ()
        beside = [other.name for other in folder if other.exists()]  # a link may lead nowhere
        raise InvalidArgument(
            "formats.not-found", argument="path", value=str(file), name=file.name, allowed=beside
        )
    if file.is_file() and not file.stat().st_size:
        raise RatingsError("formats.empty", file=file.name)
    return _unpacked(file) if file.suffix.lower() == ".zip" else file


def temporary_folder() -> Path:
    """Return a folder that lasts as long as the program, because large tables stay in files."""
    import shutil
    import tempfile

    folder = tempfile.mkdtemp(prefix="covary-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _standard_input() -> Path:
    content = sys.stdin.buffer.read()
    if not content.strip():
        raise RatingsError("formats.empty", file="standard input")
    start = content[:64].lstrip()
    ending = ".csv"
    if content.startswith(b"PAR1"):
        ending = ".parquet"
    elif content.startswith(b"PK"):
        ending = ".xlsx"
    elif start.startswith(b"["):
        ending = ".json"
    elif start.startswith(b"{"):
        ending = ".jsonl"
    elif start.startswith(b"<"):
        ending = ".xml"
    file = temporary_folder() / f"stdin{ending}"
    file.write_bytes(content)
    return file


def _unpacked(file: Path) -> Path:
    """Unpack the tables of an archive; one of them is a file, several are a folder."""
    import zipfile  # which no plain file needs

    folder = temporary_folder()
    try:
        with zipfile.ZipFile(file) as archive:
            names = [name for name in archive.namelist() if _is_packed_data(name)]
            if not names:
                raise RatingsError("formats.empty-archive", file=file.name)
            for name in names:
                target = folder.joinpath(*PurePosixPath(name).parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(name))
    except (zipfile.BadZipFile, RuntimeError, OSError) as error:
        raise RatingsError("formats.packed", file=file.name, reason=error) from error
    return folder.joinpath(*PurePosixPath(names[0]).parts) if len(names) == 1 else folder


def _is_packed_data(name: str) -> bool:
    """Whether a file of an archive can hold ratings, and stays within the archive."""
    path = PurePosixPath(name)
    hidden = any(part.startswith((".", "_")) for part in path.parts)
    return not hidden and not path.is_absolute() and ending_of(Path(name)) in (*ENDINGS, ".xml")


def _several_files(
    paths: Sequence[Path], keywords: dict[str, Any], known: dict[str, Any]
) -> RatingsFile:
    if not paths:
        raise InvalidArgument("formats.no-files", argument="path")
    if len(paths) == 1:
        return RatingsFile(paths[0], keywords, **known)
    file = SeveralFiles(paths[0], keywords, **known)
    file.several = tuple(part for path in paths for part in files_of(path))
    if file.parts is None:
        recognise_files(file)
    return file


class FrameTable(RatingsFile):
    """A data frame, whose columns keep their kinds."""

    def __init__(self, path: Path, keywords: dict[str, Any], *, frame: Any, **known: Any) -> None:
        super().__init__(path, keywords, **known)
        self.frame = frame

    @property
    def files(self) -> tuple[Path, ...]:
        """No file holds the rows."""
        return ()

    @property
    def given_as(self) -> str | None:
        """The package of the data frame."""
        return type(self.frame).__module__.partition(".")[0]

    @property
    def ending(self) -> str:
        """Columns of a frame have kinds, as those of Parquet."""
        return ".parquet"

    @cached_property
    def table(self) -> Relation:
        """The columns of the frame, in DuckDB."""
        self.orders = _orders(self.frame)
        columns = fetch(as_frame(_flat(self.frame)))
        if not columns:
            raise InvalidArgument("ratings.no-columns")
        plain = {
            str(name): _cells(values) if values.dtype == object else values
            for name, values in columns.items()
        }
        return as_frame(plain).to_native()

    @property
    def document(self) -> Any:
        """There is none."""
        return None

    def held(self, relation: Relation) -> Relation:
        return relation


def _orders(frame: Any) -> dict[str, tuple[Any, ...]]:
    """Return the categories of the columns for which a frame says their order."""
    kind = type(frame).__module__.partition(".")[0]
    if kind == "pandas" and hasattr(frame, "dtypes") and hasattr(frame, "columns"):
        kinds = zip(map(str, frame.columns), frame.dtypes, strict=True)
        return {c: tuple(own.categories) for c, own in kinds if getattr(own, "ordered", False)}
    if kind == "polars":
        schema = frame.collect_schema().items()
        return {c: tuple(own.categories) for c, own in schema if str(own).startswith("Enum")}
    return {}


def _cells(values: Any) -> list[Any]:
    return [None if value is None or value != value else value for value in values.tolist()]


def _flat(frame: Any) -> Any:
    """Give a pandas frame plain columns: its index and the levels of its names are columns too."""
    if type(frame).__module__.partition(".")[0] != "pandas" or not hasattr(frame, "columns"):
        return frame
    if frame.columns.nlevels > 1:
        frame = frame.copy()
        frame.columns = [JOINT.join(map(str, names)) for names in frame.columns]
    if any(name is not None for name in frame.index.names) or frame.index.dtype == object:
        frame = frame.reset_index()
    return frame.rename(columns=str)


@dataclass
class QueriedTable(RatingsFile):
    """A table of PostgreSQL, or what a query of it gives; `path` is only its name."""

    address: str = ""
    query: str = ""

    @property
    def files(self) -> tuple[Path, ...]:
        """No file holds the rows."""
        return ()

    @property
    def ending(self) -> str:
        """The rows come as text."""
        return ".csv"

    @cached_property
    def table(self) -> Relation:
        """The rows of the table, as text, in DuckDB; what does not fit in memory goes to disk."""
        from tempfile import TemporaryDirectory

        with TemporaryDirectory() as folder:
            copy = Path(folder, "rows.csv")
            _copy_rows(self.address, self.query, copy)
            rows, _ = open_table(self.engine, [copy], TableOptions(separator=","), [])
            return held_table(self.engine, rows)

    @property
    def document(self) -> Any:
        """There is none."""
        return None

    def held(self, relation: Relation) -> Relation:
        return relation


def _copy_rows(address: str, query: str, copy: Path) -> None:
    """Let PostgreSQL write the rows into a file, one block after the other."""
    try:
        import psycopg
        from psycopg import sql
    except ImportError as error:
        raise InvalidArgument("formats.no-psycopg") from error
    table: sql.Composable = sql.SQL(query.strip().rstrip(";"))
    if re.fullmatch(r"\w+(\.\w+)?", query):
        table = sql.SQL("select * from {}").format(sql.Identifier(*query.split(".")))
    order = sql.SQL("copy ({}) to stdout with (format csv, header)").format(table)
    try:
        with (
            _read_only(psycopg.connect(address)) as database,
            database.cursor().copy(order) as blocks,
            copy.open("wb") as file,
        ):
            for block in blocks:
                file.write(block)
    except psycopg.Error as error:
        reason = next(iter(str(error).strip().splitlines()), repr(error))
        raise RatingsError("formats.postgres-refused", reason=reason) from error


def _read_only(database: Any) -> Any:
    database.read_only = True
    return database


def join_keys(file: RatingsFile) -> None:
    """Make one column of several that name a thing together: `item=["document", "system"]`."""
    for role in COLUMNS:
        value = file.keywords.get(role)
        if role == "rating" or value is None or not file.is_table:
            continue
        parts = list(value) if not isinstance(value, str) else _parts(value, file.columns)
        if len(parts) < 2:
            continue
        unknown = [part for part in parts if part not in file.columns]
        if unknown:
            raise InvalidArgument(
                "formats.no-such-column", argument=role, value=unknown[0], allowed=file.columns
            )
        _join(file, role, parts)


def _join(file: RatingsFile, role: str, parts: Sequence[str]) -> None:
    """Add the columns that parts make together; those beside a system are source and cluster."""
    joined = {role: list(parts)}
    system = file.keywords.get("system") or next(
        (part for part in parts if known_role(part) == "system"), None
    )
    if role == "item" and system in parts:
        file.keywords.setdefault("system", system)
        rest = [part for part in parts if part != system]
        joined |= {name: rest for name in ("source", "cluster") if name not in file.keywords}
    cells = []
    for name, columns in joined.items():
        whole = f"{name}: {JOINT.join(columns)}"
        texts = f", {literal(JOINT)}, ".join(f"cast({identifier(c)} as varchar)" for c in columns)
        cells.append(f"concat({texts}) as {identifier(whole)}")
        file.keywords[name] = whole
    file.joined |= joined
    file.__dict__["table"] = file.table.project(f"*, {', '.join(cells)}")
    file.__dict__.pop("columns", None)


def _parts(value: str, columns: Sequence[str]) -> list[str]:
    """Take 'document,system' apart, unless a column is really called so."""
    if value in columns or "," not in value:
        return [value]
    return [part.strip() for part in value.split(",")]
