"""The small parts of sentences: lists, counts, the name that was probably meant, and for whom.

A keyword is named in the words of whoever reads: a caller's in Python, or a person's at a terminal.
"""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from string import ascii_uppercase
from types import MappingProxyType
from typing import Any

from covary.records import dataclass

Facts = Mapping[str, Any]
Sentences = dict[str, str | Callable[[Facts], str]]

SHORT = 2
"""Names of so few letters are near to too many others."""

LONGEST_REPR = 60


def quoted(value: object) -> str:
    r"""Write a value as `repr` does, with the joiners that emojis and some scripts need.

    Examples
    --------
    >>> quoted("👩‍🔬"), quoted("a\nb")
    ("'👩‍🔬'", "'a\\nb'")
    """
    return repr(value).replace("\\u200d", "\u200d").replace("\\u200c", "\u200c")


def quoted_list(values: Iterable[object], limit: int = 10) -> str:
    """Write values as a short list for a message: `'a', 'b', 'c' and 4 more`.

    Examples
    --------
    >>> quoted_list("abcd", 2)
    "'a', 'b' and 2 more"
    """
    shown = [quoted(value) for value in values]
    rest = len(shown) - limit
    return ", ".join(shown[:limit]) + (f" and {rest} more" if rest > 0 else "")


def quoted_names(values: Iterable[object], limit: int = 6) -> str:
    """Write names for a sentence: `'a', 'b' and 'c'`, or the first ones and how many more.

    Examples
    --------
    >>> quoted_names("abc"), quoted_names("abcd", 2)
    ("'a', 'b' and 'c'", "'a', 'b' and 2 more")
    """
    shown = [quoted(value) for value in values]
    more = [f"{len(shown) - limit:,} more"] if len(shown) > limit else []
    return listing([*shown[:limit], *more])


def plain_list(values: Iterable[object], limit: int = 20) -> str:
    """Write names as they are, and how many more there are: `a, b, c and 4 more`.

    Examples
    --------
    >>> plain_list("abcd", 2)
    'a, b and 2 more'
    """
    shown = [str(value) for value in values]
    rest = len(shown) - limit
    return ", ".join(shown[:limit]) + (f" and {rest} more" if rest > 0 else "")


def listing(values: Iterable[object]) -> str:
    """Write values for a sentence: `fluency`, `fluency and relevance`, `a, b and c`.

    Examples
    --------
    >>> listing("abc")
    'a, b and c'
    """
    *most, last = [str(value) for value in values]
    return f"{', '.join(most)} and {last}" if most else last


def alternatives(values: Iterable[object], lead: str = "") -> str:
    """Write values of which one is meant: `a, b or c`; `lead` comes before all but the first.

    Examples
    --------
    >>> alternatives([4, 8]), alternatives("abc", "which")
    ('4 or 8', 'a, which b or which c')
    """
    parts = [f"{lead if place else ''} {value}".strip() for place, value in enumerate(values)]
    return f"{', '.join(parts[:-1])} or {parts[-1]}" if parts[1:] else "".join(parts)


def counted(number: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun: `1 item`, `1,073 items`, `2 criteria`.

    Examples
    --------
    >>> counted(1073, "item"), counted(2, "criterion", "criteria")
    ('1,073 items', '2 criteria')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def counted_range(low: float, high: float, noun: str) -> str:
    """Write how many, from the least to the most: `1 item`, `2 items`, `2 to 3 items`.

    Examples
    --------
    >>> counted_range(1, 1, "time"), counted_range(2, 3, "time")
    ('1 time', '2 to 3 times')
    """
    number = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    return f"{number} {noun}{'' if low == high == 1 else 's'}"


def capital(text: str) -> str:
    """Begin with a capital letter, and leave the rest as it is.

    Examples
    --------
    >>> capital("tests by rank say F")
    'Tests by rank say F'
    """
    return text[:1].upper() + text[1:]


def sentence(text: object) -> str:
    """Write a message as a sentence: with a capital letter and a full stop.

    Examples
    --------
    >>> sentence("round 1 is over"), sentence("Choose whether you agree.")
    ('Round 1 is over.', 'Choose whether you agree.')
    """
    words = capital(str(text).strip())
    return words if words.endswith((".", "!", "?")) else f"{words}."


def nearest(given: object, known: Iterable[object]) -> str | None:
    """Return the known name that was probably meant, however it was capitalised.

    Examples
    --------
    >>> nearest("reprot", ["export", "report"])
    'report'
    >>> nearest("krippendorff", ["fleiss_kappa", "krippendorff_alpha"])
    'krippendorff_alpha'
    """
    names = {str(name).casefold(): str(name) for name in known}
    word = str(given).casefold()
    begun = [name for name in names if len(word) > SHORT and name.startswith(word)]
    import difflib  # which little else needs

    close = difflib.get_close_matches(word, names, 1, 0.6 if len(word) > SHORT else 1)
    near = begun or close
    return names[near[0]] if near else None


def did_you_mean(given: object, known: Iterable[object]) -> str:
    """Ask whether the nearest known name was meant; say nothing where none is near.

    Examples
    --------
    >>> "there is no command 'reprot'" + did_you_mean("reprot", ["export", "report"])
    "there is no command 'reprot'; did you mean 'report'?"
    """
    near = nearest(given, known)
    return "" if near is None else f"; did you mean {near!r}?"


def choose(given: object, known: Iterable[object], limit: int = 20) -> str:
    """Propose the nearest known name, or list them all.

    Examples
    --------
    >>> choose("critirion", ["criterion", "design"])
    "did you mean 'criterion'?"
    >>> choose("x", ["criterion", "design"])
    "choose one of 'criterion', 'design'"
    """
    names = list(known)
    near = nearest(given, names)
    if near is None:
        return f"choose one of {quoted_list(names, limit)}"
    return f"did you mean {near!r}?"


def short_repr(value: object) -> str:
    """Write a value for a message, cut off where it is long."""
    text = quoted(value)
    return text if len(text) <= LONGEST_REPR else f"{text[: LONGEST_REPR - 1]}…"


def describe_records(records: Sequence[Facts], count: int = 0) -> str:
    """Name rows by what stands in them, and say how many more there are.

    Examples
    --------
    >>> describe_records([{"row": 2, "item": "q1", "rating": 9}], 3)
    "row 2: item 'q1', rating 9 and 2 more"
    >>> describe_records([{"item": "q1", "judge": "Ann", "times": 2}])
    "item 'q1', judge 'Ann' (2 times)"
    >>> describe_records([{"row": 4, "line": 6, "part": "May", "item": "q1"}])
    "row 4 (line 6) of 'May': item 'q1'"
    """
    more = f" and {count - len(records)} more" if count > len(records) else ""
    return "; ".join(map(_describe_record, records)) + more


def _describe_record(record: Facts) -> str:
    known = any(record.get(place) for place in ("row", "rows", "column"))
    place = f"{describe_place(record)}: " if known else ""
    times = f" ({record['times']} times)" if "times" in record else ""
    cells = (f"{name} {quoted(value)}" for name, value in record.items() if name not in PLACE_FACTS)
    return f"{place}{', '.join(cells)}{times}"


PLACE_FACTS = ("row", "rows", "column", "line", "part", "times")
"""What says where a record stands, and how often."""


def describe_place(record: Facts) -> str:
    """Where a record stands in its file: `row 4 (line 6) of 'Sheet 2'`, or `column C`."""
    rows, column = record.get("rows"), record.get("column")
    place = f"rows {listing(rows)}" if rows else f"row {record.get('row')}"
    place = f"column {column}" if column else place
    line = f" (line {record['line']})" if record.get("line") else ""
    part = f" of {quoted(record['part'])}" if record.get("part") else ""
    return f"{place}{line}{part}"


def describe_cells(cells: Iterable[tuple[str, object]], *, more: bool) -> str:
    """Name cells by where they stand: `row 3: 'x'; row 7: 'y' and more`."""
    shown = "; ".join(f"{place}: {quoted(value)}" for place, value in cells)
    return shown + (" and more" if more else "")


def letters(number: int) -> str:
    """Count in letters, as spreadsheets name their columns.

    Examples
    --------
    >>> [letters(number) for number in (1, 26, 27, 53)]
    ['A', 'Z', 'AA', 'BA']
    """
    name = ""
    while number:
        number, place = divmod(number - 1, len(ascii_uppercase))
        name = ascii_uppercase[place] + name
    return name


def plural(number: int, words: str) -> str:
    """Choose the words for one or for several, where # stands for the number.

    Examples
    --------
    >>> plural(1, "1 item was|# items were"), plural(1200, "1 item was|# items were")
    ('1 item was', '1,200 items were')
    """
    one, several = words.split("|")
    return one if number == 1 else several.replace("#", f"{number:,}")


@dataclass(frozen=True)
class Voice:
    """How a keyword, with its value as Python writes it, reads to whoever is spoken to."""

    name: str = "python"
    flags: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Options without a value, by the keyword and the value that they stand for."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Options that are not called like their keyword; an empty name leaves the value alone."""

    def option(self, name: str, value: str) -> str:
        """Name a keyword with its value: `judges='slots'`, or `--slots`.

        Examples
        --------
        >>> PYTHON.option("item", "'qid'"), TERMINAL.option("item", "'qid'")
        ("item='qid'", "--item 'qid'")
        >>> TERMINAL.option("judges", "'slots'"), TERMINAL.option("system", "None")
        ('--slots', "--system ''")
        """
        if self.name == "python":
            return f"{name}={value}" if value else f"{name}="
        if (name, value) in self.flags:
            return self.flags[name, value]
        option = self.options.get(name, f"--{name.replace('_', '-')}")
        return " ".join(part for part in (option, "''" if value == "None" else value) if part)

    def select(self, name: str, value: str) -> str:
        """Name a choice among the ratings: `ratings.select(judge='Ann')`, or `--only judge=Ann`.

        Examples
        --------
        >>> PYTHON.select("judge", "'Ann'"), TERMINAL.select("judge", "'Ann'")
        ("ratings.select(judge='Ann')", '--only judge=Ann')
        """
        if self.name == "python":
            return f"ratings.select({name}={value})"
        return f"--only {name}={value.strip(chr(39))}"

    def without(self, name: str, values: Sequence[Any]) -> str:
        """Name what is left out: `ratings.without(judge='Ann')`, or `--without judge=Ann`.

        Examples
        --------
        >>> PYTHON.without("judge", ["Ann", "Bo"]), TERMINAL.without("judge", ["Ann B", "Bo"])
        ("ratings.without(judge=['Ann', 'Bo'])", "--without 'judge=Ann B' --without judge=Bo")
        """
        if self.name == "python":
            return f"ratings.without({name}={values[0] if len(values) == 1 else [*values]!r})"
        return " ".join(f"--without {shlex.quote(f'{name}={value}')}" for value in values)


PYTHON = Voice()
"""The voice of exceptions and notes: keywords as a caller writes them."""

TERMINAL = Voice(
    "terminal",
    MappingProxyType(
        {
            ("repeats", "'occasions'"): "--occasions",
            ("judges", "'slots'"): "--slots",
            ("faulty", "'set-aside'"): "--set-aside",
            ("keep_rejected", "True"): "--keep-rejected",
            ("transpose", "True"): "--transpose",
            ("header", "0"): "--no-header",
            ("occasions", "'votes'"): "--every-occasion",
        }
    ),
    MappingProxyType({"path": "", "format": "--input-format", "answers": "--answer"}),
)
"""The voice of the command line: keywords as the options that say the same."""


WIDTH = 96
"""How wide a terminal may be counted on to be."""


def fill(text: str, start: str = "  ") -> str:
    """Break a sentence into lines that begin with `start`, and then further in."""
    return textwrap.fill(text, WIDTH, initial_indent=start, subsequent_indent="    ")


ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})


def escaped(text: str) -> str:
    """Write a text for HTML, without the list of all entities that `html` loads.

    Examples
    --------
    >>> escaped("<b> & 'c'")
    '&lt;b&gt; &amp; &#x27;c&#x27;'
    """
    return text.translate(ESCAPES)


def notebook_table(caption: str, rows: Iterable[Sequence[str]], heads: Sequence[str] = ()) -> str:
    """Write rows as an HTML table, each with its first cell as its heading; all is escaped.

    Examples
    --------
    >>> notebook_table("<b>", [("n", "1 & 2")])
    "<table><caption>&lt;b&gt;</caption><tr><th scope='row'>n</th><td>1 &amp; 2</td></tr></table>"
    """
    body = "".join(_row(row) for row in rows)
    if heads:
        cells = "".join(f"<th scope='col'>{escaped(head)}</th>" for head in heads)
        body = f"<thead><tr>{cells}</tr></thead><tbody>{body}</tbody>"
    return f"<table><caption>{escaped(caption)}</caption>{body}</table>"


def _row(row: Sequence[str]) -> str:
    first, *rest = (escaped(cell) for cell in row)
    cells = "".join(f"<td>{cell}</td>" for cell in rest)
    return f"<tr><th scope='row'>{first}</th>{cells}</tr>"
