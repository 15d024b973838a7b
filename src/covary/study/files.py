"""The files of a study: only those inside its folder, and their text and rows, however saved."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from covary.errors import CovaryError, RatingsError
from covary.formats.text_files import detect_encoding, read_header
from covary.formats.toml_tables import FileFaults

SEPARATORS = {".csv": ",", ".tsv": "\t"}


class StudyFileFault(CovaryError):
    """What is wrong with the name or the content of a file; it becomes a fault of the study."""


def file_inside(folder: Path, name: str) -> Path:
    """Return the file of a name inside the folder; refuse addresses and ways out of it."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", name) or name.startswith("//"):
        raise StudyFileFault("study.file-is-address", value=name)
    if "\\" in name:
        raise StudyFileFault("study.file-has-backslashes", value=name)
    path = Path(name)
    if path.is_absolute() or ".." in path.parts or not _is_below(folder, folder / path):
        raise StudyFileFault("study.file-outside", value=name)
    if not _is_file(folder / path):
        raise StudyFileFault("study.file-missing", value=name)
    return folder / path


def read_text(file: Path) -> tuple[str, str]:
    """Return the text of a file, with plain line ends, and its encoding."""
    try:
        encoding = detect_encoding(file)
        content = file.read_bytes()
    except RatingsError as error:
        raise StudyFileFault(error.code, **error.facts) from None
    except OSError as error:
        raise StudyFileFault("study.file-unreadable", error=error) from None
    try:
        text = content.decode(encoding)
    except UnicodeError:
        facts = {"file": file.name, "encoding": encoding.upper()}
        raise StudyFileFault("study.file-damaged", **facts) from None
    return text.replace("\r\n", "\n"), encoding


def find_separator(text: str, file: Path, faults: FileFaults) -> str | None:
    """Return what separates the cells of a table; None, and a fault, where nothing does."""
    try:
        usual = SEPARATORS[file.suffix.lower()]
        return read_header(text, None, usual, file.name).separator
    except RatingsError as error:
        faults.add(None, "", error.code, **error.facts)
        return None


def csv_rows(text: str, separator: str, faults: FileFaults) -> Iterator[tuple[int, list[str]]]:
    """Return rows that are not blank, each with the line in which it begins."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    line = 1
    try:
        for cells in reader:
            hint = line == 1 and re.fullmatch(r"sep=.?", "".join(cells))  # Excel's own line
            if any(cell.strip() for cell in cells) and not hint:
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        code = _csv_fault(text.split("\n")[line - 1 : reader.line_num])
        faults.add(line, "", code, error=error)


def _csv_fault(lines: list[str]) -> str:
    """Return the code of what keeps the reader from these lines of a table."""
    if sum(map(len, lines)) > csv.field_size_limit():
        return "study.csv-cell-too-long"
    quotes = sum(line.count('"') for line in lines)
    if not quotes:
        return "study.csv-unreadable"
    return "study.csv-quote-inside" if quotes % 2 == 0 else "study.csv-quote-open"


def json_rows(text: str, faults: FileFaults, example: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Return the object in each line of JSON lines; `example` is how one begins."""
    for line, content in enumerate(text.split("\n"), start=1):
        if not content.strip():
            continue
        try:
            record = json.loads(content, object_pairs_hook=_object_without_duplicates)
        except _DuplicateKey as error:
            faults.add(line, "", "study.json-key-twice", name=error.args[0])
            continue
        except (ValueError, RecursionError) as error:
            faults.add(line, "", "study.no-json", error=getattr(error, "msg", error))
            continue
        if isinstance(record, dict):
            yield line, record
        else:
            faults.add(line, "", "study.no-object", value=record, example=example)


class _DuplicateKey(ValueError):
    """A key that stands twice in one object."""


def _object_without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise _DuplicateKey(twice)
    return dict(pairs)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long for any file
        return False


def _is_below(folder: Path, path: Path) -> bool:
    """Say whether a path stays below a folder when links are followed."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError):
        return False
