"""Changes to a file: some that must not change what it says, some that damage it anyhow."""

import csv
import gzip
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet

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
    """Say whether every row has as many cells as the first, which then may name the columns.

    A name that spans several columns stands above the first of them alone, or is repeated: such
    columns cannot be moved one by one.
    """
    rows = _rows(text, _separator(text))
    alike = len({len(row) for row in rows}) == 1
    return len(rows) > 2 and len(rows[0]) > 1 and alike and len(set(rows[0])) == len(rows[0])


def cells_of(content: bytes) -> set[str]:
    """Return all that a file's cells could say, however it is separated."""
    texts = [text.replace("\x00", "") for text in _texts(content)]
    return {
        cell.strip().strip("\ufeff") for text in texts for separator in ",;\t"
        for row in _rows(text, separator) for cell in row
    }  # fmt: skip


def _texts(content: bytes) -> list[str]:
    """What a file says as UTF-8, and as Windows-1252 where it is not (as covary says, too)."""
    try:
        return [content.decode()]
    except UnicodeDecodeError:
        return [content.decode(name, "replace") for name in ("utf-8", "cp1252")]


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


# JSON and JSON lines


def load_lines(text: str) -> tuple[list[Any], bool]:
    """The values of a text of JSON, and whether it has one on each line."""
    try:
        return [json.loads(text)], False
    except ValueError:
        return [json.loads(line) for line in text.splitlines() if line.strip()], True


def dump_lines(values: list[Any], by_lines: bool, **more: Any) -> bytes:
    if not by_lines:
        return json.dumps(values[0], **more).encode()
    return "".join(json.dumps(value, **more) + "\n" for value in values).encode()


def spaced(text: str, _: Random) -> bytes:
    values, by_lines = load_lines(text)
    return dump_lines(values, by_lines, **({} if by_lines else {"indent": 3}))


def spelled_out(text: str, draw: Random) -> bytes:
    """Write letters as they are or as numbers, with or without spaces."""
    values, by_lines = load_lines(text)
    separators = draw.choice([(",", ":"), (" , ", " : ")])
    return dump_lines(values, by_lines, ensure_ascii=draw.random() < 0.5, separators=separators)


JSON_SAME: tuple[Callable[[str, Random], bytes], ...] = (spaced, spelled_out)

ODD: tuple[Any, ...] = (
    None, True, "", " ", [], {}, -1, 10**30, 1e308, "1e999", "NaN", "[" * 500, {"a": [1]}, "\x00",
    [[1], [2]], 0.1, "5", "x" * 70_000, "\ud800",
)  # fmt: skip


def _spots(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of a value inside lists and objects."""
    places = range(len(value)) if isinstance(value, list) else list(value)
    for place in places:
        yield value, place
        if isinstance(value[place], list | dict):
            yield from _spots(value[place])


def leaf_changed(content: bytes, draw: Random) -> bytes:
    """Put something odd into one place of the tree, or take it away, or put it there twice."""
    values, by_lines = load_lines(content.decode())
    spots = list(_spots(values))
    for _ in range(draw.randint(1, 2)):
        inside, place = draw.choice(spots)
        kind = draw.random()
        if isinstance(inside, list):
            if kind < 0.2 and len(inside) > 1:
                inside.append(inside[place % len(inside)])
            elif place < len(inside):
                inside[place] = draw.choice(ODD)
        elif kind < 0.3:
            inside.pop(place, None)
        else:
            inside[place] = draw.choice(ODD)
    return dump_lines(values, by_lines)


def nested_deep(content: bytes, draw: Random) -> bytes:
    """Put a value into so many lists that a reader that calls itself would fall over."""
    values, by_lines = load_lines(content.decode())
    inside, place = draw.choice(list(_spots(values)))
    depth = draw.choice([50, 2000, 100_000])
    inside[place] = "DEEP"
    deep = "[" * depth + "1" + "]" * depth
    return dump_lines(values, by_lines).replace(b'"DEEP"', deep.encode(), 1)


JSON_DAMAGE = (leaf_changed, leaf_changed, nested_deep, flipped, cut, strange)


# what is packed: spreadsheets, archives, compressed files


def members_of(content: bytes) -> dict[str, bytes]:
    if content[:2] == b"\x1f\x8b":
        return {"": gzip.decompress(content)}
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def packed_again(members: dict[str, bytes], draw: Random) -> bytes:
    """Pack by another program: as it is or compressed."""
    if "" in members:
        return gzip.compress(members[""], draw.randint(0, 9))
    stream = io.BytesIO()
    way = draw.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
    with zipfile.ZipFile(stream, "w", way) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return stream.getvalue()


def repacked(content: bytes, draw: Random) -> bytes:
    return packed_again(members_of(content), draw)


PACKED_SAME: tuple[Callable[[bytes, Random], bytes], ...] = (repacked,)


def member_damaged(content: bytes, draw: Random) -> bytes:
    """Damage what is inside, and pack it so that its checksum fits."""
    members = members_of(content)
    name = draw.choice(list(members))
    if members[name]:
        members[name] = draw.choice([flipped, cut, doubled, strange])(members[name], draw)
    return packed_again(members, draw)


XML_ODD = ("XFD1048576", "A0", "ZZZZ9", "-1", "99999999999", "", "s", "str", "inlineStr", "e", "b")


def markup_changed(content: bytes, draw: Random) -> bytes:
    """Change an attribute or the text of an element in one of the parts that are XML."""
    members = members_of(content)
    name = draw.choice([each for each in members if each.endswith((".xml", ".rels"))] or [""])
    text = members.get(name, b"").decode("utf-8", "replace")
    spots = [match.span(1) for match in re.finditer(r'="([^"]*)"|>([^<]+)<', text) if match[1]]
    spots += [match.span(1) for match in re.finditer(r">([^<]+)<", text)]
    if not spots:
        return member_damaged(content, draw)
    start, end = draw.choice(spots)
    members[name] = (text[:start] + draw.choice(XML_ODD) + text[end:]).encode()
    return packed_again(members, draw)


def member_lost(content: bytes, draw: Random) -> bytes:
    members = members_of(content)
    if len(members) > 1:
        members.pop(draw.choice(list(members)))
    return packed_again(members, draw)


PACKED_DAMAGE = (member_damaged, markup_changed, markup_changed, member_lost, flipped, cut)


# Parquet


def parquet_of(table: Any, **more: Any) -> bytes:
    stream = io.BytesIO()
    parquet.write_table(table, stream, **more)
    return stream.getvalue()


def otherwise_encoded(content: bytes, draw: Random) -> bytes:
    return parquet_of(
        parquet.read_table(io.BytesIO(content)),
        compression=draw.choice(["none", "snappy", "gzip", "zstd"]),
        use_dictionary=draw.random() < 0.5,
        row_group_size=draw.choice([1, 3, 1000]),
        data_page_version=draw.choice(["1.0", "2.0"]),
    )


PARQUET_SAME: tuple[Callable[[bytes, Random], bytes], ...] = (otherwise_encoded,)


def column_of_another_type(content: bytes, draw: Random) -> bytes:
    table = parquet.read_table(io.BytesIO(content))
    place = draw.randrange(table.num_columns)
    odd = draw.choice([
        pa.nulls(table.num_rows), pa.array([[1]] * table.num_rows),
        pa.array([b"\xff\x00"] * table.num_rows), pa.array([float("nan")] * table.num_rows),
        pa.array([{"a": 1}] * table.num_rows), pa.array([10**18] * table.num_rows),
        pa.array(["x\x00y"] * table.num_rows), pa.array([True] * table.num_rows),
    ])  # fmt: skip
    return parquet_of(table.set_column(place, table.column_names[place], odd))


PARQUET_DAMAGE = (column_of_another_type, column_of_another_type, flipped, flipped, cut, doubled)


# XML


def attributes_turned(text: str, _: Random) -> bytes:
    """Write the attributes of each element in the opposite order."""

    def turn(match: re.Match[str]) -> str:
        parts = re.findall(r'\s[\w:]+="[^"]*"', match[2])
        return match[1] + "".join(reversed(parts)) + match[3]

    return re.sub(r'(<\w+)((?:\s[\w:]+="[^"]*")+)(\s*/?>)', turn, text).encode()


XML_SAME: tuple[Callable[[str, Random], bytes], ...] = (attributes_turned, with_mark)


def values_in(content: bytes) -> set[str]:
    """All that a file could say: cells, scalars of JSON, and texts and attributes of markup."""
    try:
        members = members_of(content)
    except Exception:
        members = {"": content}
    said: set[str] = set()
    for each in members.values():
        said |= cells_of(each)
        for text in _texts(each):
            said |= {found.strip() for found in re.findall(r"[>\"]([^<>\"]+)[<\"]", text)}
            said |= {found.strip() for found in re.findall(r"[\[{:,\s]([^\s\[\]{}:,\"]+)", text)}
    return said
