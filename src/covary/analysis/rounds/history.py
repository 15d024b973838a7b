"""What a training cycle has to tell an analysis: which disagreement led to which sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from covary.scales import Category
from covary.stats.plain import plain

__all__ = ["EditionNote", "History", "Link", "RoundWork"]


@dataclass(frozen=True)
class Link:
    """One disagreement that led to a change of the manual.

    `round` is the round in which the judges disagreed; `given` says who gave which rating, `said`
    who explained it how. The judges accepted `proposal`, and a change of this `kind` put
    `sentence` into the manual of that `version`.
    """

    round: int
    criterion: str
    item: str
    given: tuple[tuple[str, Category], ...]
    said: tuple[tuple[str, str], ...]
    proposal: str
    kind: str
    sentence: str
    version: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return dict(plain(self))


@dataclass(frozen=True)
class RoundWork:
    """What one round took: how much was rated, marked, said, proposed and changed, and when.

    `marked` is None while judges still rate; `began` and `ended` are times in ISO form, or empty.
    """

    round: int
    version: str
    judges: int
    items: int
    marked: int | None
    said: int
    proposals: int
    accepted: int
    changes: int
    began: str = ""
    ended: str = ""
    verdict: str = ""


@dataclass(frozen=True)
class EditionNote:
    """An edition of the manual: who wrote it in which round (0: the first), and what changed.

    A change is its kind, what it is in a few words, and the sentence that it left.
    """

    version: str
    round: int
    by: str = ""
    changes: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class History:
    """What happened in the rounds of a training cycle, beside the ratings.

    `kinds` counts the changes of each kind after each round, `refused` the proposals on which the
    judges found no consensus, and `seconds` how long each judge rated in each round, where known.
    `work` says what each round took, `editions` how the manual grew, and `outcome` how it ended.
    """

    links: tuple[Link, ...] = ()
    kinds: Mapping[int, Mapping[str, int]] = field(default_factory=lambda: MappingProxyType({}))
    refused: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))
    seconds: Mapping[tuple[int, str], float] = field(default_factory=lambda: MappingProxyType({}))
    work: tuple[RoundWork, ...] = ()
    editions: tuple[EditionNote, ...] = ()
    outcome: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "links": [each.to_dict() for each in self.links],
            "kinds": {str(number): dict(found) for number, found in self.kinds.items()},
            "refused": {str(number): found for number, found in self.refused.items()},
            "seconds": [
                {"round": number, "judge": judge, "seconds": found}
                for (number, judge), found in self.seconds.items()
            ],
            "work": plain(self.work),
            "editions": plain(self.editions),
            "outcome": self.outcome,
        }
