"""A column of ratings in words: its answers read, and what cannot be meant refused.

Dates, codes for a missing answer and spellings that nearly coincide are asked about.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from typing import Any

from covary.errors import RatingsError
from covary.formats.answers import (
    MOST_WORDS,
    AnswerMeanings,
    is_date,
    is_number,
    near_spellings,
    read_answers,
)
from covary.formats.cells import (
    NONE,
    Relation,
    category_words,
    holds_words,
    identifier,
    is_reasoned,
    literal,
)
from covary.formats.preference_answers import PreferenceAnswers, read_preference
from covary.records import dataclass
from covary.scales import Level, ObservedScale, Scale
from covary.scales.kinds import BEST, WORST, BestWorst
from covary.words import Note

MOST_ANSWERS = 2000
"""With more different answers than that, nothing is made of words."""


@dataclass(kw_only=True)
class WordedRatings:
    """The cells with their answers read, the scales that words form, and what is to be said."""

    cells: Relation
    scales: dict[Any, Scale] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def read_words(
    cells: Relation,
    rating: str,
    criterion: str | None,
    *,
    said: Mapping[str, str],
    declared: Mapping[str, Any],
    file: str,
) -> WordedRatings:
    """Read the answers of a column of ratings; `said` is what the caller said they mean.

    Where a scale or another level than ordinal was `declared`, words keep their own order and
    spelling, and only numbers are read out of them.
    """
    free = declared.get("scale") is None and declared.get("level") in (None, "ordinal")
    if said:
        cells = _as_text(cells, rating)
        cells = _replaced(cells, rating, {None: dict(said)}, criterion)
    if not holds_words(cells, rating):
        return WordedRatings(cells=cells)
    read = WordedRatings(cells=cells)
    meanings: dict[Any, dict[str, str]] = {}
    for name, words in _distinct_answers(cells, rating, criterion).items():
        key = None if criterion is None else name
        _refuse_dates(words, rating if criterion is None else str(name), file)
        absent = _missing_answers(words, declared.get("scale"))
        meanings[name] = dict.fromkeys(absent, "")
        _say_missing(read.notes, absent, key)
        present = _without(words, absent)
        if all(map(_is_plain_number, present)):
            continue
        choice = _take_choice(read, key, present, rating) if free else None
        if choice is not None:
            meanings[name] |= choice
            continue
        found = read_answers(present)
        if found is None and declared.get("scale") is None:
            _refuse_near(_without(present, said), key, file)
            read.notes += _unordered(present, key, free=free)
        if found is not None and (free or not found.order):
            meanings[name] |= found.meanings
            _take(read, key, found)
    read.cells = _replaced(cells, rating, meanings, criterion)
    return read


def _without(words: Sequence[str], others: Collection[str]) -> list[str]:
    return [word for word in words if word not in others]


def _missing_answers(words: Sequence[str], scale: Any) -> list[str]:
    """Return the answers that say why there is none, and Python's None among numbers."""
    possible = category_words(scale)
    absent = [word for word in words if is_reasoned(word) and word.lower() not in possible]
    others = [word for word in words if word not in absent and word.lower() != NONE]
    if others and all(map(_is_plain_number, others)) and NONE not in possible:
        absent += [word for word in words if word.lower() == NONE]
    return absent


def _unordered(words: list[str], criterion: Any, *, free: bool) -> list[str]:
    """Say that words were taken as names, where their order could matter."""
    if not free or not 2 < len(words) <= MOST_WORDS or any(map(is_number, words)):
        return []
    return [Note("formats.unordered-answers", criterion=criterion, words=words)]


CODES = (-1, -9, -99, -999, -9999, 77, 88, 99, 777, 888, 999, 9999)
"""Numbers that surveys and statistics programs write where there is no answer."""


def missing_codes(ratings: Sequence[float]) -> list[float]:
    """Return the numbers that lie so far from all others that they say 'no answer'.

    Examples
    --------
    >>> missing_codes([1, 2, 5, -99]), missing_codes([10, 80, 99]), missing_codes([-1, 0, 1])
    ([-99], [], [])
    """
    others = [rating for rating in ratings if rating not in CODES]
    if not others:
        return []
    low, high = min(others), max(others)
    lowest = -1 if low < 1 or high < 3 else 0
    return [
        rating
        for rating in ratings
        if rating in CODES and (rating > 7 * max(high, 1) or (low >= 0 and rating < lowest))
    ]


DAYS = (36526, 54788)
"""The first days of 2000 and of 2050, as spreadsheets count them."""


def refuse_days(cells: Relation, rating: str, criterion: str | None, *, file: str) -> None:
    """Refuse ratings that are all days as a spreadsheet counts them."""
    number = f"try_cast({identifier(rating)} as double)"
    name = "null" if criterion is None else identifier(criterion)
    rows = cells.aggregate(
        f"{name} as name, min({number}), max({number}), list_slice(list(distinct {number}), 1, 5)",
        "1",
    ).fetchall()
    for label, low, high, numbers in rows:
        if low is not None and DAYS[0] <= low and high < DAYS[1] and low == int(low):
            days = [f"{number:g}" for number in sorted(numbers)]
            column = rating if criterion is None else str(label)
            raise RatingsError("formats.dates", value=days, column=column, file=file)


def ordered_scale(order: Sequence[Any]) -> Scale:
    """Return the scale of answers whose order is known."""
    return ObservedScale(Level.ORDINAL, tuple(order), math.nan, math.nan, guessed=False)


def refuse_codes(
    cells: Relation, rating: str, criterion: str | None, *, said: Mapping[str, str], file: str
) -> None:
    """Refuse numbers that most likely stand for a missing rating, until somebody says so."""
    name = "null" if criterion is None else identifier(criterion)
    listed = ", ".join(map(str, CODES))
    number = f"try_cast({identifier(rating)} as double)"
    (any_code,) = cells.aggregate(f"count_if({number} in ({listed}))").fetchone()
    if not any_code:
        return
    rows = cells.aggregate(f"{name} as name, list(distinct {number}) as numbers", "1").fetchall()
    for label, numbers in rows:
        codes = missing_codes([n for n in numbers if n is not None])
        texts = [f"{code:g}" for code in sorted(codes) if f"{code:g}" not in said]
        if texts:
            facts = {"criterion": label, "answers": dict.fromkeys(texts, "")}
            raise RatingsError("formats.missing-codes", value=texts, file=file, **facts)


def _distinct_answers(cells: Relation, rating: str, criterion: str | None) -> dict[Any, list[str]]:
    """Return the different answers on each criterion that are not all numbers, commonest first."""
    name = "null" if criterion is None else identifier(criterion)
    rows = (
        cells.filter(f"{identifier(rating)} is not null")
        .aggregate(f"{name} as name, {identifier(rating)} as answer, count(*) as times", "1, 2")
        .order("name, times desc, answer")
        .limit(MOST_ANSWERS + 1)
        .fetchall()
    )
    if len(rows) > MOST_ANSWERS:
        return {}
    answers: dict[Any, list[str]] = {}
    for label, answer, _ in rows:
        answers.setdefault(label, []).append(answer)
    return {name: words for name, words in answers.items() if not all(map(_is_plain_number, words))}


def _is_plain_number(answer: str) -> bool:
    try:
        return answer.isascii() and math.isfinite(float(answer))
    except ValueError:
        return False


def _refuse_dates(words: list[str], column: str, file: str) -> None:
    dates = [word for word in words if is_date(word)]
    if dates:
        raise RatingsError("formats.dates", value=dates, column=column, file=file)


def _refuse_near(words: list[str], criterion: Any, file: str) -> None:
    """Refuse words that are nearly the same, unless somebody says which are one."""
    pairs = near_spellings(words)
    if pairs:
        raise RatingsError(
            "formats.near-words", value=pairs, file=file, answers=dict(pairs), criterion=criterion
        )


def _take(read: WordedRatings, criterion: Any, found: AnswerMeanings) -> None:
    """Remember the order of answers, and what is to be said of them."""
    if found.order:
        read.scales[criterion] = ordered_scale(found.order)
    merged = len(set(found.meanings.values())) < len(found.meanings)
    facts = {"criterion": criterion, "examples": dict(list(found.meanings.items())[:4])}
    if found.order:
        code = "formats.ordered-answers" if found.kind == "ordered" else "formats.yes-and-no"
        spellings = sorted(found.meanings) if merged else []
        _say_once(read.notes, Note(code, order=found.order, spellings=spellings, **facts))
    else:
        read.notes.append(Note("formats.numbered-answers", **facts))


def _say_missing(notes: list[str], absent: list[str], criterion: Any) -> None:
    """Say which answers were read as missing."""
    if absent:
        _say_once(notes, Note("formats.missing-answers", criterion=criterion, words=absent))


def _say_once(notes: list[str], note: Note) -> None:
    """Add a note, or its criterion to an earlier note that says the same of another one."""
    for place, earlier in enumerate(notes):
        if isinstance(earlier, Note) and _same_answers(earlier, note):
            also = [*earlier.data.get("also", ()), note.data["criterion"]]
            notes[place] = Note(earlier.code, **{**earlier.data, "also": also})
            return
    notes.append(note)


def _same_answers(note: Note, other: Note) -> bool:
    return note.code == other.code and all(
        note.data.get(fact) == other.data.get(fact) for fact in ("order", "spellings", "words")
    )


def _take_choice(
    read: WordedRatings, criterion: Any, words: Sequence[str], column: str
) -> Mapping[str, str] | None:
    """Take answers that choose among outputs, and return what they mean; None for other answers."""
    chosen = read_preference(words, column)
    if chosen is not None:
        _take_preference(read, criterion, chosen)
        return chosen.meanings
    plain, scale = {word.casefold() for word in words}, BestWorst()
    if not {BEST, WORST} <= plain <= set(scale.options):
        return None
    read.scales[criterion] = scale
    return {word: word.casefold() for word in words}


def _take_preference(read: WordedRatings, criterion: Any, chosen: PreferenceAnswers) -> None:
    """Remember that answers choose between two outputs, and say so."""
    if chosen.scale is not None:
        read.scales[criterion] = chosen.scale
    if chosen.meanings:
        sides = [
            [word for word, side in chosen.meanings.items() if side == one] for one in ("A", "B")
        ]
        facts = {"criterion": criterion, "first": sides[0], "second": sides[1]}
        read.notes.append(Note("formats.graded-preferences", **facts))
        return
    read.notes.append(
        Note(
            "formats.preference-answers",
            criterion=criterion,
            first=chosen.first,
            second=chosen.second,
            ties=chosen.ties,
        )
    )


def _as_text(cells: Relation, rating: str) -> Relation:
    """Write numbers as people do, 4 and not 4.0, so that answers can be named."""
    kinds = dict(zip(cells.columns, map(str, cells.types), strict=True))
    if kinds[rating] == "VARCHAR":
        return cells
    text = f"regexp_replace(cast({identifier(rating)} as varchar), '\\.0$', '')"
    return cells.project(f"* replace ({text} as {identifier(rating)})")


def _replaced(
    cells: Relation, rating: str, meanings: Mapping[Any, Mapping[str, str]], criterion: str | None
) -> Relation:
    cases = []
    for name, words in meanings.items():
        own = (
            ""
            if criterion is None or name is None
            else (f"cast({identifier(criterion)} as varchar) = {literal(str(name))} and ")
        )
        cases += [
            f"when {own}{identifier(rating)} = {literal(word)} then nullif({literal(meaning)}, '')"
            for word, meaning in words.items()
            if word != meaning
        ]
    if not cases:
        return cells
    kept = [
        f"case {' '.join(cases)} else {identifier(column)} end as {identifier(column)}"
        if column == rating
        else identifier(column)
        for column in cells.columns
    ]
    return cells.project(", ".join(kept))
