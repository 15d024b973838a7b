"""Answers that choose between two outputs: A or B, left or right, the name of a system, or neither.

`read_preference` says what the answers stand for; bare letters are asked of the column's name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field

from covary.formats.column_roles import plain
from covary.records import dataclass
from covary.scales import Preference

TIES = """
    tie|ties|tied|draw|both|both equal|equal|equally good|same|the same|about the same|neither|
    no preference|no difference|no winner|none|undecided|cannot decide|can t decide|indifferent|
    both good|both bad|tie bothbad|tie both bad|bothbad|tie inconsistent|unentschieden|gleich|
    kein unterschied|
    égalité|aucune préférence|empate|pareggio
"""
"""How people say that neither of two is better."""

THINGS = (
    "model|system|output|text|option|response|answer|candidate|summary|translation|version|story|"
    "assistant|passage|sentence|image|caption|modell|antwort|texte|texto|réponse"
)
SIDE = (
    rf"(?P<thing>(?:{THINGS}) ?)?(?P<mark>[ab12]|left|right|first|second|links|rechts|gauche|"
    r"droite|1st|2nd)(?: (?:one|text|output|response|model|system))?"
    r"(?P<verb> (?:is |was )?(?:better|wins?|won|preferred))?"
)
FIRST = ("a", "1", "left", "first", "links", "gauche", "1st")

GRADES = (
    "much|far|slightly|somewhat|a bit|a little|a lot|clearly|significantly|marginally|strongly|"
    "moderately|definitely|way"
)
"""How much better one is than the other, as people say it."""

SIGNS = r"\W*(?P<one>[ab])\s*(?P<sign>>{1,3}|<{1,3}|={1,2})\s*(?P<other>[ab])\W*"
"""Comparisons in signs: A>>B, A=B, [[B>A]]."""

NAMED = r"winner|prefer\w*|choice|better\w*|pick(?:ed)?|verdict|chosen|best"
"""What a column is called in which A and B are sides, and no classes."""


@dataclass(frozen=True, kw_only=True)
class PreferenceAnswers:
    """The answers for the first and the second output, and those that say neither.

    `meanings` is the side of each answer, where answers also say how much better it is.
    """

    first: str
    second: str
    ties: tuple[str, ...] = ()
    meanings: Mapping[str, str] = field(default_factory=dict)

    @property
    def scale(self) -> Preference | None:
        """The scale of preference; None where answers say in two ways that neither is better."""
        if len(self.ties) > 1:
            return None
        return Preference(self.first, self.second, tie=self.ties[0] if self.ties else None)


def read_preference(words: Sequence[str], column: str) -> PreferenceAnswers | None:
    """Say which answers stand for the first and the second output; None where they are no sides.

    Bare letters are sides only where the column is called so; elsewhere they may be classes.

    Examples
    --------
    >>> read_preference(["model_b", "tie", "model_a"], "label").scale.categories
    ('model_a', 'tie', 'model_b')
    >>> read_preference(["A", "B"], "label"), read_preference(["A", "B"], "winner").first
    (None, 'A')
    >>> read_preference(["A is much better", "A is slightly better", "B is better"], "x").meanings
    {'A is much better': 'A', 'A is slightly better': 'A', 'B is better': 'B'}
    """
    graded = _read_graded(words, column)
    if graded is not None:
        return graded
    ties = tie_words()
    known = {word: _plain(word) for word in words}
    sides = {word: re.fullmatch(SIDE, text) for word, text in known.items() if text not in ties}
    if len(sides) != 2 or not all(sides.values()):
        return None
    matches = {word: match for word, match in sides.items() if match is not None}
    firsts = [word for word, match in matches.items() if match["mark"] in FIRST]
    telling = all(m["thing"] or m["verb"] or len(m["mark"]) > 1 for m in matches.values())
    if len(firsts) != 1 or not (telling or re.search(NAMED, plain(column))):
        return None
    (second,) = (word for word in matches if word != firsts[0])
    return PreferenceAnswers(
        first=firsts[0],
        second=second,
        ties=tuple(sorted((word for word in words if word not in sides), key=len)),
    )


def _read_graded(words: Sequence[str], column: str) -> PreferenceAnswers | None:
    """Read answers that also say how much better one is; None where none of them does."""
    plain_words = {word: _without_sign(word) for word in words}
    grades = re.compile(rf"\b(?:{GRADES})\b")
    bare = {word: " ".join(grades.sub(" ", text).split()) for word, text in plain_words.items()}
    signed = all(re.fullmatch(SIGNS, word.casefold()) for word in words)
    if not signed and all(bare[word] == plain_words[word] for word in words):
        return None
    ties = [word for word in words if plain_words[word] in tie_words()]
    told = {bare[word] for word in words if word not in ties}
    sides = read_preference(sorted(told), column) if len(told) == 2 else None
    if sides is None or sides.meanings:
        return None
    names = {sides.first: "A", sides.second: "B"}
    meanings = {word: "tie" if word in ties else names[bare[word]] for word in words}
    return PreferenceAnswers(
        first="A", second="B", ties=("tie",) if ties else (), meanings=meanings
    )


def _without_sign(word: str) -> str:
    """Say A>>B as 'a is better', A=B as 'tie', and anything else without its punctuation."""
    match = re.fullmatch(SIGNS, word.casefold())
    if match is None:
        return _plain(word)
    if match["one"] == match["other"]:
        return word
    better = match["other"] if match["sign"].startswith("<") else match["one"]
    return "tie" if match["sign"].startswith("=") else f"{better} is better"


def tie_words() -> list[str]:
    """Return how people say that neither is better, in small letters."""
    return [" ".join(tie.split()) for tie in TIES.split("|")]


def _plain(word: str) -> str:
    return " ".join(re.sub(r"[\W_]+", " ", word.casefold()).split())
