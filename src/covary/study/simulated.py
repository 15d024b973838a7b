"""Simulated judges, who try a study out before any person is asked.

Each item has a latent quality around 0.5 on each criterion; a judge sees it lowered by a severity
and blurred by noise, and the scale turns what is seen into a rating, 0 being its worst end and 1
its best. Whatever is drawn depends only on the seed and on names, so a study can be run twice, in
any order and in several processes, with the same ratings.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Hashable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from covary.errors import InvalidArgument
from covary.scales import Preference, Scale
from covary.study.model import Criterion, Item, Study

__all__ = ["Quality", "SimulatedJudge", "answer_on", "simulated"]

STANDARD = NormalDist()
STEPS = 1000
"""The places on a line that a pointer can reach."""

TIE = 0.05
"""Two outputs whose qualities seem closer than this are the same to a judge."""


@dataclass(frozen=True)
class Quality:
    """The latent quality of outputs: what a system, a source and an item itself add to 0.5.

    `systems`, `sources` and `items` are standard deviations. Criteria of one name share their
    qualities, so that two parts of a study measure the same thing on two scales.
    """

    seed: int = 0
    systems: float = 0.2
    sources: float = 0.05
    items: float = 0.1

    def of(self, item: Item, criterion: Criterion, place: int = 0) -> float:
        """Return the quality of one of an item's texts, not cut off at 0 and 1."""
        system = item.systems[min(place, len(item.systems) - 1)] if item.systems else None
        name = criterion.name
        return (
            0.5
            + self.systems * _normal(self.seed, "system", name, system)
            + self.sources * _normal(self.seed, "source", name, item.source)
            + self.items * _normal(self.seed, "item", name, item.id, place)
        )


@dataclass(frozen=True)
class SimulatedJudge:
    """One judge. `severity` lowers every quality that the judge sees, `noise` blurs it.

    An attentive judge gives the expected answer wherever an attention check has one.
    """

    number: int
    quality: Quality
    severity: float = 0.0
    noise: float = 0.1
    attentive: bool = True

    def answer(self, criterion: Criterion, item: Item, occasion: int = 1) -> Any:
        """Return a rating that the criterion's scale accepts."""
        if item.kind == "check" and self.attentive and criterion.key in item.expected:
            return item.expected[criterion.key]
        seen = [
            self.quality.of(item, criterion, place) + self._blur(criterion, item, occasion, place)
            for place in range(len(item.texts))
        ]
        if isinstance(criterion.scale, Preference):
            return prefer(criterion.scale, seen[0], seen[1])
        return answer_on(criterion.scale, sum(seen) / len(seen) - self.severity)

    def _blur(self, criterion: Criterion, item: Item, occasion: int, place: int) -> float:
        drawn = (self.quality.seed, "blur", self.number, criterion.key, item.id, occasion, place)
        return self.noise * _normal(*drawn)


def simulated(
    study: Study,
    *,
    judges: int | None = None,
    severity: float = 0.1,
    noise: float = 0.1,
    seed: int = 0,
) -> tuple[SimulatedJudge, ...]:
    """Return judges for a study, as many as its design wishes for unless said otherwise.

    Parameters
    ----------
    severity
        The standard deviation of the judges' severities, in shares of the scale.
    noise
        The standard deviation of what blurs each answer, in shares of the scale.
    """
    for name, value in (("severity", severity), ("noise", noise)):
        if not 0 <= value < math.inf:
            raise InvalidArgument(
                f"{name}={value!r} is a standard deviation and cannot be negative"
            )
    quality = Quality(seed)
    return tuple(
        SimulatedJudge(number, quality, severity * _normal(seed, "severity", number), noise)
        for number in range(1, (study.design.judges if judges is None else judges) + 1)
    )


def answer_on(scale: Scale, value: float) -> Any:
    """Return the rating nearest to a quality between 0 (worst) and 1 (best) on any scale.

    Examples
    --------
    >>> from covary.scales import VerbalScale, VisualScale
    >>> answer_on(VerbalScale([1, 2, 3, 4], best="low"), 1.0)
    1
    >>> answer_on(VisualScale(), 0.25)
    25.0
    """
    share = min(1.0, max(0.0, value))
    if scale.best == "low":
        share = 1 - share
    if scale.categories is not None:
        return scale.categories[math.floor(share * (len(scale.categories) - 1) + 0.5)]
    place = scale.low + round(share * STEPS) / STEPS * (scale.high - scale.low)
    return min(scale.high, max(scale.low, place))


def prefer(scale: Preference, first: float, second: float) -> Any:
    """Return which of two qualities is preferred, or that they are the same where that is allowed.

    Examples
    --------
    >>> prefer(Preference(tie="same"), 0.5, 0.52), prefer(Preference(tie=None), 0.5, 0.52)
    ('same', 'B')
    """
    assert scale.categories is not None
    if len(scale.categories) == 3 and abs(first - second) < TIE:
        return scale.categories[1]
    return scale.categories[0] if first > second else scale.categories[-1]


def _normal(*what: Hashable) -> float:
    """Return a standard normal number that depends only on what it is drawn for."""
    digest = hashlib.sha256(repr(what).encode("utf-8", "surrogatepass")).digest()
    share = (int.from_bytes(digest[:6], "big") + 0.5) / 2**48
    return STANDARD.inv_cdf(share)
