"""How a text file is encoded, and a copy of it in UTF-8 where it is not."""

from __future__ import annotations

import codecs
import gzip
import io
import shutil
from pathlib import Path
from typing import IO

from covary.errors import RatingsError

__all__ = ["ADVICE", "copied_as_utf_8", "encoding_of", "opened", "start_of"]

ENOUGH = 1 << 20
"""The bytes within which the first rows end."""

LOOKED_THROUGH = 1 << 28
"""The bytes that are looked through for letters that are not UTF-8."""

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

ADVICE = "save it as UTF-8, in Excel as 'CSV UTF-8 (Comma delimited)'"


def encoding_of(file: Path) -> str:
    """Return `utf-8-sig`, `utf-16`, `utf-32` or `windows-1252`; refuse what is no text."""
    with opened(file) as stream:
        start = stream.read(ENOUGH)
    for mark, encoding in MARKS:
        if start.startswith(mark):
            return encoding
    if b"\0" in start:
        raise RatingsError(f"{file.name} is no text that covary can read; {ADVICE}")
    if _is(file, "utf-8"):
        return "utf-8-sig"
    if _is(file, "windows-1252"):
        return "windows-1252"
    raise RatingsError(f"{file.name} is neither UTF-8 nor Windows-1252 text; {ADVICE}")


def start_of(file: Path, encoding: str) -> str:
    """Return the first part of a file as text."""
    with opened(file) as stream:
        start = stream.read(ENOUGH)
    try:
        return codecs.getincrementaldecoder(encoding)().decode(start)
    except UnicodeDecodeError:
        raise RatingsError(f"{file.name} is damaged {encoding.upper()} text; {ADVICE}") from None


def copied_as_utf_8(file: Path, encoding: str, copy: Path) -> Path:
    """Write a copy of a file in UTF-8."""
    try:
        with (
            opened(file) as stream,
            io.TextIOWrapper(stream, encoding=encoding, newline="") as text,
            copy.open("w", encoding="utf-8", newline="") as target,
        ):
            shutil.copyfileobj(text, target)
    except UnicodeError:
        raise RatingsError(f"{file.name} is damaged {encoding.upper()} text; {ADVICE}") from None
    return copy


def opened(file: Path) -> IO[bytes]:
    """Open a file for its bytes, unpacked where it is a .gz."""
    if file.suffix.lower() == ".gz":
        return gzip.open(file, "rb")  # type: ignore[return-value]
    return file.open("rb")


def _is(file: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    left = LOOKED_THROUGH
    try:
        with opened(file) as stream:
            while left > 0 and (part := stream.read(ENOUGH)):
                decoder.decode(part)
                left -= len(part)
        decoder.decode(b"", final=left > 0)
    except UnicodeDecodeError:
        return False
    return True
