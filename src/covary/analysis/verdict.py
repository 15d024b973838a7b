"""What agreement and correlation say together, read from their intervals and not from the points.

Judges who differ in severity disagree and still covary (Amidei, Piwek & Willis 2019), so neither
number alone decides whether ratings can be relied on.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from covary.stats.estimate import Estimate

__all__ = ["AGREEMENT", "CORRELATION", "Verdict", "verdict"]

Word = Literal[
    "interchangeable",
    "consistent, different severity",
    "little variation",
    "not reliable",
    "reliable",
    "undefined",
]

AGREEMENT = 0.667
"""From here up conclusions are at least tentative (Krippendorff 2004: 241)."""

CORRELATION = 0.5
"""From here up a correlation is large (Cohen 1988; Rosenthal 1996)."""

DOMINANT = 0.9
"""Where one category takes this share of the ratings there is little left to agree on."""

SENTENCES: dict[Word, str] = {
    "interchangeable": "The judges agree and order the items alike: one can stand in for another.",
    "consistent, different severity": (
        "The judges order the items alike but differ in severity or in how they use the scale: "
        "adjust for the judge, do not discard the ratings."
    ),
    "little variation": (
        "Nearly all ratings fall into one category, so neither agreement beyond chance nor "
        "correlation can be judged: look for items that differ."
    ),
    "not reliable": (
        "The judges neither agree nor order the items alike: do not draw conclusions from these "
        "ratings; look at the guidelines, the scale and the single judges."
    ),
    "reliable": "The judges agree beyond chance.",
    "undefined": "Agreement cannot be computed for these ratings.",
}

OF_SLOTS: dict[Word, str] = {
    "interchangeable": (
        "Ratings of the same item agree and order the items alike, whoever gave them."
    ),
    "consistent, different severity": (
        "Ratings of the same item order the items alike but differ; who gave them is not known, so "
        "severity cannot be told from chance."
    ),
}
"""What the same words mean where judges are not known."""


@dataclass(frozen=True)
class Verdict:
    """A verdict in a word and a sentence; not `sure` where an interval crosses its threshold."""

    word: Word
    sentence: str
    sure: bool

    def __str__(self) -> str:
        return f"{self.word}: {self.sentence}"

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain values."""
        return asdict(self)


def verdict(
    agreement: Estimate, correlation: Estimate | None, dominant: float, *, slots: bool = False
) -> Verdict:
    """Judge ratings by agreement, correlation and the share of the most frequent category.

    A coefficient counts as high when its whole interval lies above the threshold. `correlation` is
    None for names, which have no order.
    """
    high, possible = _reach(agreement, AGREEMENT)
    high_too, possible_too = (
        (high, possible) if correlation is None else _reach(correlation, CORRELATION)
    )
    word = _word(agreement, correlation, high, high_too, dominant)
    sure = word in ("little variation", "undefined") or (
        high == possible and high_too == possible_too
    )
    sentence = OF_SLOTS.get(word, SENTENCES[word]) if slots else SENTENCES[word]
    if not sure:
        sentence += f" But {_doubt(high, possible, high_too, possible_too)}: more items would tell."
    return Verdict(word, sentence, sure)


def _word(
    agreement: Estimate, correlation: Estimate | None, high: bool, high_too: bool, dominant: float
) -> Word:
    if dominant >= DOMINANT and not (high and high_too):
        return "little variation"
    if not agreement.defined:
        return "undefined"
    if correlation is None:
        return "reliable" if high else "not reliable"
    if high:
        return "interchangeable" if high_too else "little variation"
    return "consistent, different severity" if high_too else "not reliable"


def _reach(estimate: Estimate, threshold: float) -> tuple[bool, bool]:
    """Whether a coefficient lies above a threshold for certain, and whether it may."""
    if not estimate.defined:
        return False, False
    interval = estimate.interval
    if interval is None or interval.low != interval.low:
        return estimate.value >= threshold, estimate.value >= threshold
    return interval.low >= threshold, interval.high >= threshold


def _doubt(high: bool, possible: bool, high_too: bool, possible_too: bool) -> str:
    doubts = []
    if high != possible:
        doubts.append(f"agreement may reach {AGREEMENT:g}")
    if high_too != possible_too:
        doubts.append(f"correlation may lie on either side of {CORRELATION:g}")
    return " and ".join(doubts)
