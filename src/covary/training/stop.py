"""When training may end: the judges mostly agree within the threshold, and that is sure enough."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from covary.analysis.rounds.shares import Share
from covary.errors import InvalidArgument
from covary.stats.distributions import normal_quantile

__all__ = ["StopRule", "Verdict"]


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
                raise InvalidArgument(f"StopRule: {name}={value!r} must be a share, such as 0.95")
        for name, usual in (("bound", 0.9), ("confidence", 0.95)):
            if getattr(self, name) == 1:
                raise InvalidArgument(f"StopRule: {name}=1 can never be reached; say {usual}")

    def judge(self, counts: Mapping[str, tuple[int, int]]) -> Verdict:
        """Apply the rule to how many of how many items differ on each criterion."""
        criteria = {
            name: Share.of(of_all - differing, of_all, self.confidence)
            for name, (differing, of_all) in counts.items()
        }
        of_all = sum(each.of_all for each in criteria.values())
        within = sum(each.number for each in criteria.values())
        return Verdict(self, Share.of(within, of_all, self.confidence), criteria)

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
class Verdict:
    """What the rule says of one round: the share over all criteria, and that of each."""

    rule: StopRule
    share: Share
    criteria: Mapping[str, Share]

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
    def sentence(self) -> str:
        """The verdict in a sentence, with the criteria that lie below the target."""
        share, rule = self.share, self.rule
        if math.isnan(share.value):
            return "No item was rated by two judges, so that nothing can be said."
        found = (
            f"{share.number} of {share.of_all} ratings of items ({share.value:.1%}, at least "
            f"{share.low:.1%} with {rule.confidence:.0%} confidence) lie within the threshold"
        )
        asked = f"asked are {rule.target:.1%} and at least {rule.bound:.1%}"
        low = [name for name, each in self.criteria.items() if each.value < rule.target]
        below = f" Below the target: {', '.join(low)}." if low and len(self.criteria) > 1 else ""
        few = f" So few can never be sure enough; have {rule.fewest} or more." if self.few else ""
        return f"{found}; {asked}: training {'may end' if self.met else 'goes on'}.{below}{few}"
