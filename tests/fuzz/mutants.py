"""Changes to a file: some that must not change what it says, some that damage it anyhow."""

import csv
import io
from collections.abc import Callable
from random import Random

TEXT = (".csv", ".tsv", ".txt")
STRANGE = "\x00\x07\x1b\x7f\x85\u200b\u202e\u2028\ufeff\ufffe🙂é"


def _rows(text: str, separator: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))


def _written(rows: list[list[str]], separator: str, **more) -> str:
    stream = io.StringIO()
    csv.writer(stream, delimiter=separator, **({"lineterminator": "\n"} | more)).writerows(rows)
    return stream.getvalue()


def _separator(text: str) -> str:
    first = text.split("\n", 1)[0]
    return max(",;\t", key=first.count)


def with_mark(text: str, _: Random) -> bytes:
    return b"\xef\xbb\xbf" + text.encode()


def with_windows_lines(text: str, _: Random) -> bytes:
    return text.replace("\n", "\r\n").encode()


def with_blank_end(text: str, draw: Random) -> bytes:
    return (text + "\n" * draw.randint(1, 5)).encode()


def quoted(text: str, _: Random) -> bytes:
    separator = _separator(text)
    return _written(_rows(text, separator), separator, quoting=csv.QUOTE_ALL).encode()


def as_utf16(text: str, _: Random) -> bytes:
    return text.encode("utf-16")


def rows_moved(text: str, draw: Random) -> bytes:
    """Put the rows below the first into another order."""
    separator = _separator(text)
    first, *rest = _rows(text, separator)
    draw.shuffle(rest)
    return _written([first, *rest], separator).encode()


def columns_moved(text: str, draw: Random) -> bytes:
    """Put the columns into another order."""
    separator = _separator(text)
    rows = _rows(text, separator)
    places = list(range(len(rows[0])))
    draw.shuffle(places)
    return _written([[row[place] for place in places] for row in rows], separator).encode()


MOVED: tuple[Callable[[str, Random], bytes], ...] = (rows_moved, columns_moved)
"""What changes where a rating stands and not what it is: as often each rating, or a refusal."""


def is_plain_table(text: str) -> bool:
    """Say whether every row has as many cells as the first, which then may name the columns."""
    rows = _rows(text, _separator(text))
    return len(rows) > 2 and len(rows[0]) > 1 and len({len(row) for row in rows}) == 1


def cells_of(content: bytes) -> set[str]:
    """Return all that a file's cells could say, however it is separated."""
    text = content.decode("utf-8", "replace").replace("\x00", "")
    return {
        cell.strip().strip("\ufeff") for separator in ",;\t" for row in _rows(text, separator)
        for cell in row
    }  # fmt: skip


SAME: tuple[Callable[[str, Random], bytes], ...] = (
    with_mark, with_windows_lines, with_blank_end, quoted, as_utf16,
)  # fmt: skip
"""What a program writes otherwise and says the same: the same ratings, or a refusal."""


def flipped(content: bytes, draw: Random) -> bytes:
    changed = bytearray(content)
    for _ in range(draw.randint(1, 4)):
        changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def cut(content: bytes, draw: Random) -> bytes:
    return content[: draw.randrange(len(content))]


def doubled(content: bytes, draw: Random) -> bytes:
    start = draw.randrange(len(content))
    end = min(len(content), start + draw.randint(1, 200))
    return content[:end] + content[start:end] + content[end:]


def strange(content: bytes, draw: Random) -> bytes:
    place = draw.randrange(len(content) + 1)
    put = "".join(draw.choice(STRANGE) for _ in range(draw.randint(1, 3)))
    return content[:place] + put.encode("utf-8", "surrogatepass") + content[place:]


def crossed(content: bytes, draw: Random) -> bytes:
    """Exchange two cells, or blow one up."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return flipped(content, draw)
    separator = _separator(text)
    rows = [row for row in _rows(text.replace("\x00", ""), separator) if row]
    if not rows:
        return content
    one, other = draw.choice(rows), draw.choice(rows)
    a, b = draw.randrange(len(one)), draw.randrange(len(other))
    if draw.random() < 0.5:
        one[a], other[b] = other[b], one[a]
    else:
        one[a] = draw.choice(["9" * 400, "1e999", "-", "=1+1", "NaN", "[" * 5000, "x" * 70_000])
    return _written(rows, separator).encode()


DAMAGE: tuple[Callable[[bytes, Random], bytes], ...] = (flipped, cut, doubled, strange, crossed)
"""What happens to files: they are read, or refused in covary's own words."""
