"""A sheet of cells as people leave it: titles above, averages below, one name row, two, or none.

`find_shape` says where the table is in it; `table_rows` cuts it out. Rows are counted from 1, as a
spreadsheet counts them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from covary.formats.cells import MISSING
from covary.formats.column_roles import NEEDED, criterion_like, known_role, plain
from covary.records import dataclass

Rows = Sequence[Sequence[str]]

JOINT = " / "
"""What stands between the two rows of a column's name."""

MOST_TITLES = 12
"""So many rows above a table are looked at."""

IMPORT_ID = '{"importid"'
"""How the third row of a Qualtrics export begins its cells."""

SUMMARY_NAMES = """
    mean means average averages avg total totals sum median mode sd std stdev stddev
    standarddeviation min minimum max maximum variance kappa alpha agreement fleisskappa majority
    mittelwert durchschnitt summe gesamt moyenne ecarttype promedio media suma mediana
    gemiddelde totaal 平均 合計 均值 总计 ø schnitt agreed resolved consensus konsens
"""
SUMMARIES = frozenset(SUMMARY_NAMES.split())
"""What a row or a column is called that sums up others, in small letters without spaces."""

LAST_WORDS = frozenset({"total", "totals", "subtotal", "average", "mean", "gesamtergebnis"})
"""How a name ends that sums up: 'Grand Total', 'S1 Total'."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Where the table stands: its rows of names, and the first and the last row of data.

    `names` is empty where no row holds names. `left_out` are rows that are not ratings, each with
    the code of the reason.
    """

    names: tuple[int, ...]
    first: int
    last: int
    left_out: tuple[tuple[int, str], ...] = ()
    transposed: bool = False

    @property
    def ordinary(self) -> bool:
        """Whether the first row holds the names and all others data."""
        return self.names == (1,) and self.first == 2 and not self.left_out and not self.transposed


def find_shape(rows: Rows) -> Shape:
    """Find where the table is in a sheet of cells.

    Examples
    --------
    >>> sheet = [["My study", "", ""], ["item", "A", "B"], ["q1", "1", "2"], ["Mean", "1", "2"]]
    >>> shape = find_shape(sheet)
    >>> shape.names, shape.first, shape.last, shape.left_out
    ((2,), 3, 3, ((1, 'title'), (4, 'summary')))
    """
    if is_transposed(rows):
        turned = find_shape(transpose(rows))
        return replace(turned, transposed=True)
    filled = [number for number, row in enumerate(rows, 1) if any(map(str.strip, row))]
    width = _usual_width(rows, filled)
    titles = _titles(rows, filled, width)
    body = filled[len(titles) :]
    head = _head_rows(rows, body)
    names, codes = head, []
    if _texts_tell_more([rows[number - 1] for number in head]):
        names, codes = head[1:2], [head[0], head[2]]
    data = body[len(head) :]
    below = _below(rows, data, width, names)
    kept = data[: len(data) - len(below)]
    within = _within(rows, kept, names)
    first = kept[0] if kept else (names[-1] + 1 if names else 1)
    return Shape(
        names=tuple(names),
        first=first,
        last=kept[-1] if kept else first - 1,
        left_out=(
            *((number, "title") for number in titles),
            *((number, "codes") for number in codes),
            *within,
            *below,
        ),
    )


def data_rows(rows: Rows, shape: Shape) -> list[int]:
    """Return the numbers of the rows that hold data, as they are counted in the sheet."""
    out = {number for number, _ in shape.left_out}
    last = min(shape.last, len(rows))
    filled = (n for n in range(shape.first, last + 1) if any(map(str.strip, rows[n - 1])))
    return [number for number in filled if number not in out]


def row_ranges(shape: Shape) -> list[tuple[int, int]]:
    """Return the first and the last of the rows that follow each other with data."""
    out = sorted(n for n, _ in shape.left_out if shape.first <= n <= shape.last)
    starts = [shape.first, *(number + 1 for number in out)]
    ends = [*(number - 1 for number in out), shape.last]
    return [(start, end) for start, end in zip(starts, ends, strict=True) if start <= end]


def table_rows(rows: Rows, shape: Shape) -> tuple[list[str], list[list[str]]]:
    """Return the names of the columns and the rows of data."""
    if shape.transposed:
        rows = transpose(rows)
    data = [list(rows[number - 1]) for number in data_rows(rows, shape)]
    above = [list(rows[number - 1]) for number in shape.names]
    width = max((len(_without_blank_end(row)) for row in (*data, *above)), default=0)
    names = column_names([_as_wide(row, width) for row in above], width)
    return names, [_as_wide(row, width) for row in data]


def column_names(above: list[list[str]], width: int) -> list[str]:
    """Make one name for each column of the rows of names above it.

    A cell that was merged over several columns stands for all of them. Of three rows, as Qualtrics
    writes them, the first holds the names.
    """
    if not above:
        return [f"column {place}" for place in range(1, width + 1)]
    if len(above) == 1 or is_qualtrics(above):
        names = [re.sub(r"\s*\n\s*", " ", cell.strip()) for cell in above[0]]
        names = _named_loop_rows(names, above[1]) if len(above) == 3 else names
    else:
        names = above[-1]
        for upper in reversed(above[:-1]):
            names = _joined_names(upper, names)
    named = [name or f"column {place}" for place, name in enumerate(names, 1)]
    times = Counter(named)
    seen: Counter[str] = Counter()
    for place, name in enumerate(named):
        if times[name] > 1 and len(above) > 1:
            seen[name] += 1
            named[place] = f"{name} ({seen[name]})" if seen[name] > 1 else name
    return named


OF_LOOP = re.compile(r"(?P<loop>[0-9]+)_(?P<question>.+)_(?P<row>[0-9]+)")
"""A row of a question in Qualtrics' loop & merge: 2_Baseline_1 is row 1 in loop 2."""

ROW_TEXT = re.compile(r"(?s).*(?:\[(?P<bracketed>[^\[\]]+)\]|\s-\s(?P<dashed>.+?))\s*")
"""A row's text at the end of a question's: 'How good is it? - Fluency', '… [Fluency]'."""


def _named_loop_rows(names: list[str], texts: Sequence[str]) -> list[str]:
    """Put the texts of rows into the names of looped questions: 1_Baseline_Fluency.

    All loops have the same texts, so that the texts alone would not tell columns apart. Nothing
    changes unless each row of a question has one text, and no two rows the same.
    """
    found = [OF_LOOP.fullmatch(name) for name in names]
    said: dict[tuple[str, str], set[str]] = {}
    for match, text in zip(found, texts, strict=False):
        if match:
            ended = ROW_TEXT.fullmatch(text)
            told = (ended["bracketed"] or ended["dashed"]).strip() if ended else ""
            said.setdefault((match["question"], match["row"]), set()).add(told)
    rows = {key: min(told) for key, told in said.items() if len(told) == 1 and all(told)}
    if len({(question, text) for (question, _), text in rows.items()}) < len(said):
        return names
    return [
        f"{match['loop']}_{match['question']}_{rows[match['question'], match['row']]}"
        if match
        else name
        for match, name in zip(found, names, strict=True)
    ]


def distinct_names(names: Sequence[str]) -> list[str]:
    """Count the columns that have one name, whatever its capitals, so that each has its own.

    Two columns for the item, the judge or a judge's one rating keep their name: one is a mistake.

    Examples
    --------
    >>> distinct_names(["item", "score", "Score", "score (1)"])
    ['item', 'score (2)', 'Score (3)', 'score (1)']
    """
    plain_names = [name.strip().casefold() for name in names]
    times, taken = Counter(plain_names), set(plain_names)
    roles = {key: known_role(key) for key in plain_names}
    alone = {"rating"} if "judge" not in roles.values() else set()
    distinct = []
    for name, key in zip(names, plain_names, strict=True):
        if times[key] < 2 or roles[key] not in (None, *alone):
            distinct.append(name)
            continue
        number = next(n for n in range(1, len(names) + 2) if f"{key} ({n})" not in taken)
        taken.add(f"{key} ({number})")
        distinct.append(f"{name.strip()} ({number})")
    return distinct


def is_qualtrics(above: Rows) -> bool:
    """Say whether rows of names are those of a Qualtrics export."""
    return any(
        cell.strip().lower().startswith(IMPORT_ID) for row in above[1:] for cell in row if cell
    )


def is_transposed(rows: Rows) -> bool:
    """Say whether the first column holds the names that belong into the first row."""
    if len(rows) < len(NEEDED) or len(rows) > MOST_TITLES:
        return False
    down = [known_role(row[0].strip()) for row in rows if row and row[0].strip()]
    across = [known_role(cell.strip()) for cell in rows[0] if cell.strip()]
    return set(NEEDED) <= set(down) and len(set(across) & set(NEEDED)) <= 1


def transpose(rows: Rows) -> list[list[str]]:
    """Turn rows into columns."""
    width = max(map(len, rows), default=0)
    return [list(cells) for cells in zip(*(_as_wide(row, width) for row in rows), strict=True)]


@lru_cache(maxsize=65_536)
def is_summary(name: str) -> bool:
    """Say whether a row or a column of this name sums up others.

    Examples
    --------
    >>> is_summary("Average:"), is_summary("Mean score"), is_summary("Meaning")
    (True, True, False)
    >>> is_summary("Grand Total")
    True
    """
    words = [word for word in re.split(r"[\s:_.\-()]+", name.casefold()) if word]
    if not words or len(words) > 3:
        return False
    return plain(name) in SUMMARIES or words[0] in SUMMARIES or words[-1] in LAST_WORDS


def is_number(cell: str) -> bool:
    """Say whether a cell holds a number, with a decimal comma or point."""
    return bool(re.fullmatch(r"[-+]?(?:[0-9]+(?:[.,][0-9]+)?|[.,][0-9]+)%?", cell.strip()))


def _usual_width(rows: Rows, filled: Sequence[int]) -> int:
    counts = Counter(_count(rows[number - 1]) for number in filled)
    return max(counts, key=lambda count: (counts[count] * count, count)) if counts else 0


def _titles(rows: Rows, filled: Sequence[int], width: int) -> list[int]:
    """Return the rows above the table, which fill few of its columns."""
    most = 1 if width < 4 else 2
    titles: list[int] = []
    for number in filled[:MOST_TITLES]:
        row = [cell for cell in rows[number - 1] if cell.strip()]
        named = any(known_role(cell) for cell in row) and len(row) > 1
        if len(row) > most or width < 2 or named or len(filled) - len(titles) < 3:
            break
        titles.append(number)
    return [] if _is_band(rows, titles, filled) else titles


def _is_band(rows: Rows, titles: Sequence[int], filled: Sequence[int]) -> bool:
    """Whether what looks like one title row is the upper of two rows of names, merged cells."""
    if len(titles) != 1 or len(filled) < 3:
        return False
    band, names = rows[titles[0] - 1], rows[filled[1] - 1]
    starts = [place for place, cell in enumerate(band) if cell.strip()]
    below = [cell.strip() for cell in names if cell.strip()]
    return len(starts) > 1 and len(set(below)) < len(below)


def _head_rows(rows: Rows, body: Sequence[int]) -> list[int]:
    """Return the rows that hold names: none, one, two, or three of Qualtrics or of merged cells."""
    if not body:
        return []
    head = [rows[number - 1] for number in body[:3]]
    for count in (3, 2):
        if len(head) >= count and is_qualtrics(head[:count]):
            return list(body[:count])
    if _is_headless(rows, body):
        return []
    bands = [_is_merged([cell.strip() for cell in row]) for row in head[:2]]
    if len(body) > 3 and all(bands) and _is_second_name_row(rows, body[1:]):
        return list(body[:3])
    if len(body) > 2 and _is_second_name_row(rows, body):
        return list(body[:2])
    return list(body[:1])


QUALTRICS_CODE = re.compile(r"(?i)q(?:id)?[0-9]+(?:[_.#][0-9]+)*")


def _texts_tell_more(above: Rows) -> bool:
    """Whether the codes of questions in a Qualtrics export are mere numbers, and the texts differ.

    The texts, in the second of three rows, then name the questions.
    """
    if len(above) != 3 or not is_qualtrics(above):
        return False
    asked = [
        text.strip()
        for code, text in zip(above[0], above[1], strict=False)
        if QUALTRICS_CODE.fullmatch(code.strip())
    ]
    names = {name.strip() for name in above[1]}
    return len(asked) > 1 and len(names) == len(above[1]) and all(asked)


def _is_headless(rows: Rows, body: Sequence[int]) -> bool:
    """Whether the first row is data: numbers where there are numbers below, and no known name."""
    first = [cell.strip() for cell in rows[body[0] - 1]]
    if any(known_role(cell) for cell in first if cell):
        return False
    numbers = [place for place, cell in enumerate(first) if _is_value(cell)]
    if not numbers:
        return _is_among_answers(first, [rows[number - 1] for number in body[1:50]])
    if not first[0] or len(body) < 2:
        return False
    below = [rows[number - 1] for number in body[1:50]]
    if _names_a_number_column(first, below):
        return False
    if _counts_up([first[place] for place in numbers]) and not _is_number_column(below, 0):
        return False  # judges or items that are called 1, 2, 3
    return all(_is_number_column(below, place) for place in numbers)


def _counts_up(cells: Sequence[str]) -> bool:
    """Whether more than two cells are whole numbers that follow each other."""
    if len(cells) < 3 or not all(cell.isdecimal() for cell in cells):
        return False
    start = int(cells[0])
    return [*map(int, cells)] == [*range(start, start + len(cells))]


def _is_among_answers(first: Sequence[str], below: Rows) -> bool:
    """Whether the words of a row come again below it: answers, and no names of columns.

    In columns of few words each of them must; a first column may name each row.
    """
    filled = [place for place, cell in enumerate(first) if cell]
    if len(below) < FEWEST_BELOW or not filled or len(filled) < len(first):
        return False
    kinds = {p: [row[p].strip().casefold() for row in below if p < len(row)] for p in filled}
    few = {place for place in filled if len(set(kinds[place])) < len(below)}
    others = [place for place in filled if place not in few]
    return bool(few) and others in ([], [0]) and all(first[p].casefold() in kinds[p] for p in few)


FEWEST_BELOW = 3
"""With fewer rows below it, the first row holds the names."""


def _names_a_number_column(first: Sequence[str], below: Rows) -> bool:
    """Whether a word of a row stands over numbers, and so is the name of their column."""
    words = [place for place, cell in enumerate(first) if cell and not _is_value(cell)]
    return any(_is_number_column(below, place) for place in words)


def _is_second_name_row(rows: Rows, body: Sequence[int]) -> bool:
    """Whether the second row holds names too: words, each over a column of numbers or answers."""
    upper, lower = ([cell.strip() for cell in rows[number - 1]] for number in body[:2])
    below = [rows[number - 1] for number in body[2:50]]
    words = {place: cell for place, cell in enumerate(lower) if cell}
    if len(words) < 2 or any(map(_is_value, words.values())):
        return False
    over = [place for place in words if _is_number_column(below, place)]
    if len(over) >= 2 and len(over) >= len(words) / 2:
        return True
    return _is_merged(upper) and _is_band_of_answers(words, below)


def _is_merged(upper: Sequence[str]) -> bool:
    """Whether cells of a row stand for several columns."""
    return upper.count("") >= 2 or len(set(upper)) < len(upper)


def _is_band_of_answers(words: dict[int, str], below: Rows) -> bool:
    """Whether words come again, or are called responses, and are not answers themselves."""
    names = [word.casefold() for word in words.values()]
    repeated = len(set(names)) < len(names) or any("response" in name for name in names)
    answers = {row[place].strip() for row in below for place in words if place < len(row)}
    return repeated and not answers & set(words.values())


def _below(
    rows: Rows, data: Sequence[int], width: int, names: Sequence[int]
) -> tuple[tuple[int, str], ...]:
    """Return the rows under the ratings: averages and notes."""
    below: list[tuple[int, str]] = []
    keys = _key_places(rows, names)
    for number in reversed(data[1:]):
        row = [cell.strip() for cell in rows[number - 1]]
        present = [cell for cell in row if cell]
        labels = [row[place] for place in keys if place < len(row)] or row[:1]
        if len(present) > 1 and any(is_summary(label) for label in labels):
            below.append((number, "summary"))
        elif len(present) == 1 and width > 2 and not _is_value(present[0]):
            below.append((number, "note"))
        elif len(present) > 1 and not any(labels) and _all_numbers(present) and keys:
            below.append((number, "unnamed"))
        else:
            break
    return tuple(reversed(below))


def _within(rows: Rows, kept: Sequence[int], names: Sequence[int]) -> tuple[tuple[int, str], ...]:
    """Return the rows among the ratings that are none: subtotals, and the names once more."""
    if not names:
        return ()
    keys = _key_places(rows, names)
    head = [cell.strip() for cell in rows[names[-1] - 1]]
    named = {row[place] for row in rows for place in keys if place < len(row)}
    summaries = {cell.strip() for cell in named if is_summary(cell.strip())}
    found: list[tuple[int, str]] = []
    ordinary = {"", head[0]}
    for number in kept:
        cells = rows[number - 1]
        several = not summaries and len(cells) > 1 and cells[1].strip()
        if several and cells[0].strip() not in ordinary:  # not the names once more
            continue
        row = list(map(str.strip, cells))
        why = _why_no_rating(row, head)
        if not why and summaries and any(row[p] in summaries for p in keys if p < len(row)):
            why = "summary"
        if why:
            found.append((number, why))
    return tuple(found) if len(found) < len(kept) / 2 else ()


def _why_no_rating(row: list[str], head: list[str]) -> str:
    """Why a row is no rating, beside its names of things; empty where nothing says so."""
    if len(row) - row.count("") > 1:
        same = row[0] == head[0] and _without_blank_end(row) == _without_blank_end(head)
        return "names" if same else ""
    if row[0].startswith("#"):
        return "comment"
    return "section" if row[0] and len(head) > 2 and criterion_like(row[0]) else ""


def _key_places(rows: Rows, names: Sequence[int]) -> list[int]:
    """The columns that name things: the first, and those known as item or judge."""
    if not names:
        return [0]
    cells = rows[names[-1] - 1]
    known = [p for p, cell in enumerate(cells) if known_role(cell.strip()) in ("item", "judge")]
    return sorted({0, *known})


def _all_numbers(cells: Sequence[str]) -> bool:
    return all(is_number(cell) for cell in cells)


def _is_value(cell: str) -> bool:
    return is_number(cell) or cell.strip().casefold() in MISSING


def _is_number_column(rows: Rows, place: int) -> bool:
    cells = [row[place].strip() for row in rows if place < len(row) and row[place].strip()]
    numbers = sum(map(is_number, cells))
    return bool(cells) and all(map(_is_value, cells)) and (numbers > 0 or len(cells) > 2)


def _joined_names(upper: list[str], lower: list[str]) -> list[str]:
    kinds = {cell.strip() for cell in lower if cell.strip()}
    if len(kinds) == 1 and all(map(str.strip, upper)):
        return [cell.strip() for cell in upper]  # '(1-5)' under every name tells none apart
    names, band = [], ""
    for above, below in zip(upper, lower, strict=True):
        band = above.strip() or band
        name = below.strip()
        if not name:
            names.append(above.strip())
        else:
            names.append(f"{band}{JOINT}{name}" if band and band != name else name)
    return names


def _as_wide(row: Sequence[str], width: int) -> list[str]:
    return [*row[:width], *[""] * (width - len(row))]


def _without_blank_end(row: Sequence[str]) -> list[str]:
    cells = list(row)
    while cells and not cells[-1].strip():
        cells.pop()
    return cells


def _count(row: Sequence[str]) -> int:
    return len(row) - list(map(str.strip, row)).count("")
