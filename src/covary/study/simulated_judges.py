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
from covary.scales import CannotJudge
from covary.study.model import Criterion, Item, Study

STANDARD = NormalDist()

UNDECIDED = 0.05
"""Where a judge may say so, the share of answers that simulated judges cannot give."""


@dataclass(frozen=True)
class Quality:
    """The latent quality of outputs: what a system, a source and an item itself add to 0.5.

    `systems`, `sources` and `items` are standard deviations. Criteria of one name share their
    qualities, so that two parts of a study measure the same thing on two scales. An item without
    a system differs from others as much as if it had one of its own.
    """

    seed: int = 0
    systems: float = 0.2
    sources: float = 0.05
    items: float = 0.1

    def of(self, item: Item, criterion: Criterion, place: int = 0) -> float:
        """Return the quality of one of an item's texts, not cut off at 0 and 1."""
        system = item.systems[min(place, len(item.systems) - 1)] if item.systems else None
        name = criterion.name
        text = ("item", name, item.id, place)
        return (
            0.5
            + self.systems * _normal_for(self.seed, "system", name, system or item.id)
            + self.sources * _normal_for(self.seed, "source", name, item.source)
            + self.items * _normal_for(self.seed, *text)
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
        """Return a rating that the criterion's scale accepts, or that it cannot be judged."""
        if item.kind == "check" and self.attentive and criterion.key in item.expected:
            return item.expected[criterion.key]
        if criterion.cannot_judge and self._undecided(criterion, item, occasion):
            return CannotJudge("simulated")
        seen = [
            self.quality.of(item, criterion, place) + self._blur(criterion, item, occasion, place)
            for place in range(max(1, len(item.texts)))
        ]
        return criterion.scale.simulate(seen, self.severity)

    def _undecided(self, criterion: Criterion, item: Item, occasion: int) -> bool:
        drawn = (self.quality.seed, "undecided", self.number, criterion.key, item.id, occasion)
        return _normal_for(*drawn) < STANDARD.inv_cdf(UNDECIDED)

    def _blur(self, criterion: Criterion, item: Item, occasion: int, place: int) -> float:
        drawn = (self.quality.seed, "blur", self.number, criterion.key, item.id, occasion, place)
        return self.noise * _normal_for(*drawn)


def simulated_judges(
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
            raise InvalidArgument("study.no-deviation", argument=name, value=value)
    quality = Quality(seed)
    return tuple(
        SimulatedJudge(number, quality, severity * _normal_for(seed, "severity", number), noise)
        for number in range(1, (study.design.judges if judges is None else judges) + 1)
    )


def _normal_for(*place: Hashable) -> float:
    """Return a standard normal number that depends only on what it is drawn for."""
    digest = hashlib.sha256(repr(place).encode("utf-8", "surrogatepass")).digest()
    share = (int.from_bytes(digest[:6], "big") + 0.5) / 2**48
    return STANDARD.inv_cdf(share)
