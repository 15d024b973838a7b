"""When training may end: the judges mostly agree within the threshold, and that is sure enough."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from covary.analysis.rounds.differences import ItemShare
from covary.errors import InvalidArgument
from covary.stats.distributions import normal_quantile
from covary.words import Note


@dataclass(frozen=True)
class StopRule:
    """What must be reached: a share within the threshold, and the lower end of its interval.

    The interval is Wilson's, of items times criteria; it takes them for independent, which several
    criteria on one item are not quite.

    Examples
    --------
    >>> rule = StopRule()  # Godwin & Piwek (2016): 48, 17 and 3 differences among about 200
    >>> [rule.judge({"all": (differing, 200)}).met for differing in (48, 17, 3)]
    [False, False, True]
    """

    target: float = 0.95
    bound: float = 0.90
    confidence: float = 0.95

    def __post_init__(self) -> None:
        for name in ("target", "bound", "confidence"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
                raise InvalidArgument("training.not-a-share", argument=name, value=value)
        for name, usual in (("bound", 0.9), ("confidence", 0.95)):
            if getattr(self, name) == 1:
                raise InvalidArgument("training.unreachable", argument=name, value=1, usual=usual)

    def judge(self, counts: Mapping[str, tuple[int, int]]) -> StopVerdict:
        """Apply the rule to how many of how many items differ on each criterion."""
        criteria = {
            name: ItemShare.of(of_all - differing, of_all, self.confidence)
            for name, (differing, of_all) in counts.items()
        }
        of_all = sum(share.of_all for share in criteria.values())
        within = sum(share.number for share in criteria.values())
        return StopVerdict(self, ItemShare.of(within, of_all, self.confidence), criteria)

    @property
    def fewest(self) -> int:
        """The least number of ratings of items with which perfect agreement is sure enough.

        Examples
        --------
        >>> StopRule().fewest  # 9 items on 4 criteria
        35
        """
        z = normal_quantile((1 + self.confidence) / 2)
        return max(1, math.ceil(z * z * self.bound / (1 - self.bound) - 1e-9))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {"target": self.target, "bound": self.bound, "confidence": self.confidence}


@dataclass(frozen=True)
class StopVerdict:
    """What the rule says of one round: the share over all criteria, and that of each."""

    rule: StopRule
    share: ItemShare
    criteria: Mapping[str, ItemShare]

    @property
    def met(self) -> bool:
        """Whether training may end by the rule."""
        known = not math.isnan(self.share.value)
        return known and self.share.value >= self.rule.target and self.share.low >= self.rule.bound

    @property
    def few(self) -> bool:
        """Whether the training set is so small that not even perfect agreement would do."""
        return self.share.of_all < self.rule.fewest

    @property
    def below(self) -> tuple[str, ...]:
        """The criteria that lie below the target, where there are several."""
        low = [name for name, share in self.criteria.items() if share.value < self.rule.target]
        return tuple(low) if len(self.criteria) > 1 else ()

    @property
    def sentence(self) -> Note:
        """The verdict in a sentence, with the criteria that lie below the target."""
        if math.isnan(self.share.value):
            return Note("training.nothing-shared")
        return Note(
            "training.verdict",
            share=self.share,
            rule=self.rule,
            met=self.met,
            few=self.few,
            below=self.below,
        )
