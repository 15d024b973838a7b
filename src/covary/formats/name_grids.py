"""Names of columns that say two things: judge and criterion, criterion and item, or a number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product

from covary.formats.column_roles import criterion_like
from covary.formats.grid import JOINT
from covary.records import dataclass

GRID_MARKS = (JOINT, "_", " - ", " – ", ": ", ".", "-", " ")
"""What stands between judge and criterion in the name of a column, the surest first."""

BRACKETS = ("[]", "()")
HALVES = tuple((pair[0], pair[1]) for pair in BRACKETS)


CODED = "[]. *"
"""LimeSurvey's codes of a question and of a row of it, before their texts: 'Q1[SQ2]. How good?'"""


@dataclass(frozen=True, kw_only=True)
class NameGrid:
    """Columns whose names have two parts, each of the first with each of the second."""

    mark: str
    columns: tuple[str, ...]
    firsts: tuple[str, ...]
    seconds: tuple[str, ...]

    def pattern(self, first: str, second: str) -> str:
        """Return the pattern that names what the two parts are: '{judge}_{criterion}'."""
        if self.mark == CODED:
            return f"{{{first}}}[{{{second}}}]. *"
        if self.mark in BRACKETS:
            return f"{{{first}}} {self.mark[0]}{{{second}}}{self.mark[1]}"
        if self.mark == "":
            return f"{{{first}}}{{{second}#}}"
        return f"{{{first}}}{self.mark}{{{second}}}"


def find_grid(columns: Sequence[str]) -> NameGrid | None:
    """Find the largest set of columns that are named by two parts, crossed completely.

    Examples
    --------
    >>> find_grid(["id", "A_fluency", "A_style", "B_fluency", "B_style"]).firsts
    ('A', 'B')
    """
    grids = [grid for mark in (*BRACKETS, *GRID_MARKS, "") for grid in _grids(columns, mark)]
    return max(grids, key=lambda grid: len(grid.columns), default=None)


def find_coded(columns: Sequence[str]) -> NameGrid | None:
    """Find columns of which each is named by the codes of its question and row, all crossed.

    Examples
    --------
    >>> find_coded([f"T{n}[{c}]. Text {n} [{c}]" for n in (1, 2) for c in ("ok", "odd")]).seconds
    ('ok', 'odd')
    """
    matches = {column: re.match(r"(\w+\[[^\]]+\])\. ", column) for column in columns}
    codes = {match[1]: column for column, match in matches.items() if match}
    grid = find_grid(list(codes))
    if grid is None or not len(grid.columns) == len(columns) == len(codes):
        return None
    crossed = tuple(codes[code] for code in grid.columns)
    return NameGrid(mark=CODED, columns=crossed, firsts=grid.firsts, seconds=grid.seconds)


def _grids(columns: Sequence[str], mark: str) -> list[NameGrid]:
    pairs = {column: name_parts(column, mark) for column in columns}
    named = {column: pair for column, pair in pairs.items() if pair is not None}
    by_first: dict[str, dict[str, str]] = {}
    for column, (first, second) in named.items():
        by_first.setdefault(first, {})[second] = column
    alike: dict[tuple[str, ...], list[str]] = {}
    for first, seconds in by_first.items():
        alike.setdefault(tuple(sorted(seconds)), []).append(first)
    grids = []
    for seconds_key, firsts in alike.items():
        if len(firsts) > 1 and len(seconds_key) > 1:
            leaves = tuple(by_first[firsts[0]])
            crossed = tuple(by_first[f][s] for f, s in product(firsts, leaves))
            grids.append(NameGrid(mark=mark, columns=crossed, firsts=tuple(firsts), seconds=leaves))
    return grids


def name_parts(column: str, mark: str) -> tuple[str, str] | None:
    """Take a name apart at a mark, a pair of brackets, or before its last number."""
    if mark in BRACKETS:
        opening, closing = map(re.escape, mark)
        match = re.fullmatch(rf"(.+?)\s*{opening}(.+){closing}", column.strip())
    elif mark == "":
        match = re.fullmatch(r"([^\W\d]+)([0-9]{1,3})", column.strip())
    else:
        first, found, second = column.rpartition(mark)
        return (first, second) if found and first.strip() and second.strip() else None
    return (match[1], match[2]) if match else None


def shared_stem(columns: Sequence[str]) -> tuple[str, list[str]]:
    """Take off what all columns begin with: 'How fluent is each text? [{}]', and what is left."""
    for mark in ("[]", JOINT):
        pairs = [name_parts(column, mark) for column in columns]
        named = [pair for pair in pairs if pair is not None]
        stems = {first for first, _ in named}
        if len(named) == len(columns) and len(stems) == 1:
            stem = stems.pop().replace("{", "{{").replace("}", "}}")
            whole = f"{stem} [{{}}]" if mark == "[]" else f"{stem}{mark}{{}}"
            return whole, [leaf for _, leaf in named]
    return "{}", list(columns)


def criterion_share(names: Sequence[str]) -> float:
    """Return how many of some names speak of a quality."""
    return sum(map(criterion_like, names)) / len(names)


ITEM_WORDS = """
    item text texte texto testo tekst sentence satz phrase frase oración segment sample example
    beispiel exemple ejemplo output ausgabe sortie story geschichte histoire summary
    zusammenfassung résumé resumen caption image bild document dokument dialogue dialog turn answer
    antwort response réponse respuesta paragraph absatz article artikel stimulus question frage
    translation übersetzung traduction traducción passage description beschreibung version
    system système sistema model modell modèle modelo candidate option tweet post conversation
"""
"""What things are called that a form numbers."""

NUMBERED = (
    rf"(?i)\b(?P<word>{'|'.join(ITEM_WORDS.split())})[\s_]*(?:no\.?|nr\.?|number|n°|#)?[\s_]*"
    r"(?:[0-9]{1,4}|(?-i:[A-Z]))(?![\w])|\b(?:[a-z]{1,3})?[0-9]{1,4}(?![\w])"
)
"""A thing by its number or its letter: 'text 1', 'Output B', 'S12', '3'."""


@dataclass(frozen=True, kw_only=True)
class NumberedNames:
    """Columns that differ by a number, and perhaps by what is asked about the thing of that number.

    `questions` are what is left of the names without the number, `pattern` what says both;
    `worded` tells that a word such as 'text' stands before the number.
    """

    columns: tuple[str, ...]
    things: tuple[str, ...]
    questions: tuple[str, ...]
    pattern: str
    worded: bool


def numbered_columns(columns: Sequence[str]) -> list[str]:
    """Return the columns that name a thing by its number: 'How fluent is text 1?'."""
    return [c for c in columns if any(match["word"] for match in re.finditer(NUMBERED, c))]


def find_numbered(columns: Sequence[str]) -> NumberedNames | None:
    """Find the number by which names of columns differ, if they do.

    Examples
    --------
    >>> find_numbered(["How fluent is text 1?", "How fluent is text 2?"]).pattern
    'How fluent is {item}?'
    >>> find_numbered(["Text 1 style", "Text 1 tone", "Text 2 style", "Text 2 tone"]).pattern
    '{item} {criterion}'
    """
    matches = {column: list(re.finditer(NUMBERED, column)) for column in columns}
    if len(columns) < 2 or not all(matches.values()):
        return None
    for place in (0, -1):
        chosen = {column: found[place] for column, found in matches.items()}
        if (names := _numbered(chosen)) is not None:
            return names
    first = {column: found[0] for column, found in matches.items()}
    distinct = len({match[0].casefold() for match in first.values()}) == len(columns)
    if not distinct or not all(match["word"] for match in first.values()):
        return None
    things = tuple(match[0] for match in first.values())
    return NumberedNames(
        columns=tuple(columns), things=things, questions=("",), pattern="{item}", worded=True
    )


def _numbered(chosen: dict[str, re.Match[str]]) -> NumberedNames | None:
    """Take names apart at these numbers: each question must be asked about each number."""
    by_question: dict[tuple[str, str], dict[str, str]] = {}
    for column, match in chosen.items():
        around = column[: match.start()], column[match.end() :]
        by_question.setdefault(around, {})[match[0].casefold()] = column
    things = {frozenset(columns) for columns in by_question.values()}
    if len(things) != 1 or len(next(iter(things))) < 2:
        return None
    pattern = _pattern_around(list(by_question))
    if pattern is None:
        return None
    return NumberedNames(
        columns=tuple(chosen),
        things=tuple(next(iter(by_question.values()))),
        questions=tuple(before + after for before, after in by_question),
        pattern=pattern,
        worded=all(match["word"] for match in chosen.values()),
    )


def _pattern_around(questions: Sequence[tuple[str, str]]) -> str | None:
    """Write the pattern of names: what all questions share stays, and the rest is the criterion."""
    befores, afters = zip(*questions, strict=True)
    if any("{" in text for text in (*befores, *afters)):
        return None
    if len(questions) == 1:
        return f"{befores[0]}{{item}}{afters[0]}"
    if len(set(befores)) > 1 and len(set(afters)) > 1:
        return None
    left = len(set(befores)) > 1
    texts: Sequence[str] = befores if left else afters
    words = [re.split(r"(?<=\W)|(?=\W)", text) for text in texts]
    start, end = _shared_ends(words)
    middles = ["".join(text[start : len(text) - end]) for text in words]
    if not all(middle.strip() for middle in middles):
        return None
    before, after = "".join(words[0][:start]), "".join(words[0][len(words[0]) - end :])
    criterion = f"{before}{{criterion}}{after if end else ''}"
    if left:
        return f"{criterion}{{item}}{afters[0]}"
    return f"{befores[0]}{{item}}{criterion}"


def _shared_ends(words: Sequence[Sequence[str]]) -> tuple[int, int]:
    """How many words all texts begin and end with, no bracket parted from its other half."""
    start, end = _shared(words), _shared([list(reversed(text)) for text in words])
    while start or end:
        if all(_closed("".join(text[start : len(text) - end])) for text in words):
            break
        start, end = max(start - 1, 0), max(end - 1, 0)  # '(A) style', and not 'A) style'
    return start, end


def _closed(text: str) -> bool:
    """Whether every bracket of a text has its other half."""
    return all(text.count(opening) == text.count(closing) for opening, closing in HALVES)


def _shared(lists: Sequence[Sequence[str]]) -> int:
    """How many entries all lists begin with alike."""
    alike = 0
    for cells in zip(*lists, strict=False):
        if len(set(cells)) > 1:
            break
        alike += 1
    return min(alike, min(map(len, lists)) - 1)
