"""Who the crowd is: how many people, how unequally they voted, how long they took, what it paid."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.aggregate.votes import votes_of
from covary.ratings import Ratings
from covary.ratings import expressions as nw
from covary.ratings.frames import fetch
from covary.stats.estimate import Result
from covary.words import Note

Floats = npt.NDArray[np.float64]

HOUR = 3600


@dataclass(frozen=True, kw_only=True)
class VotePrices:
    """What a vote pays and costs, in one currency; None where that is not known.

    `pay` goes to the judge, `fee` to the platform, `wage` is the least pay of an hour that is
    acceptable, and `expert_pay` is paid for one rating of an expert.
    """

    pay: float | None = None
    fee: float | None = None
    wage: float | None = None
    expert_pay: float | None = None

    @property
    def per_vote(self) -> float:
        """What one vote costs; NaN where the pay is not known."""
        return math.nan if self.pay is None else self.pay + (self.fee or 0.0)


@dataclass(frozen=True, kw_only=True)
class CrowdJudges(Result):
    """The people of a crowd, where it is known who voted.

    `gini` is 0 when all voted equally often and near 1 when one person gave nearly all votes;
    `top_share` is the share of votes of the busiest. `hourly` is what an hour of their time paid
    (pay without fee), over all votes with a known time, and `share_below` the share of people
    whose own hour paid less than the wage. NaN where nothing is known.
    """

    known: bool
    n_judges: int = 0
    n_votes: int
    fewest: int = 0
    most: int = 0
    mean: float = math.nan
    median: float = math.nan
    gini: float = math.nan
    top_share: float = math.nan
    seconds_mean: float
    seconds_median: float
    hourly: float
    wage: float
    share_below: float = math.nan
    reason: str = ""

    @property
    def underpaid(self) -> bool:
        """Whether an hour paid less than the wage."""
        return self.hourly < self.wage

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; NaN becomes None."""
        return super().to_dict() | {"underpaid": self.underpaid}


@dataclass(frozen=True, kw_only=True)
class Costs(Result):
    """What the crowd and the experts cost, in money and in time of work.

    Costs are those of all votes on the criterion; NaN where prices or times are not known.
    """

    crowd_votes: int
    crowd_items: int
    per_vote: float
    crowd_cost: float
    crowd_cost_per_item: float
    crowd_hours: float
    crowd_seconds_per_item: float
    expert_ratings: int
    expert_cost: float
    expert_cost_per_item: float
    expert_hours: float
    expert_seconds_per_item: float

    @property
    def crowd_seconds(self) -> float:
        """How long the crowd worked in all."""
        return self.crowd_hours * HOUR

    @property
    def crowd_seconds_per_vote(self) -> float:
        """How long a vote took."""
        return self.crowd_seconds / self.crowd_votes

    @property
    def expert_seconds(self) -> float:
        """How long the experts worked in all."""
        return self.expert_hours * HOUR

    @property
    def expert_seconds_per_rating(self) -> float:
        """How long an expert's rating took."""
        return self.expert_seconds / self.expert_ratings


def crowd_judges(crowd: Ratings, criterion: Any, prices: VotePrices) -> CrowdJudges:
    """Describe the people of a crowd."""
    votes = votes_of(crowd, criterion, "refuse")
    judge, seconds = _times(crowd, votes.criterion)
    mean, hourly = _mean(seconds), math.nan
    if prices.pay is not None and mean > 0:
        hourly = prices.pay * HOUR / mean
    own: dict[str, Any] = {"reason": Note("crowd.slots")}
    if not votes.slots:
        votes_each = np.bincount(votes.judge, minlength=len(votes.judges)).astype(float)
        own = {
            "n_judges": len(votes.judges),
            "fewest": int(votes_each.min()),
            "most": int(votes_each.max()),
            "mean": float(votes_each.mean()),
            "median": float(np.median(votes_each)),
            "gini": gini(votes_each),
            "top_share": float(votes_each.max() / votes_each.sum()),
            "share_below": _share_below(judge, seconds, prices),
            "reason": "" if seconds.size else Note("crowd.no-seconds"),
        }
    return CrowdJudges(
        known=not votes.slots,
        n_votes=votes.item.size,
        seconds_mean=mean,
        seconds_median=float(np.median(seconds)) if seconds.size else math.nan,
        hourly=hourly,
        wage=_number(prices.wage),
        **own,
    )


def _share_below(judge: npt.NDArray[Any], seconds: Floats, prices: VotePrices) -> float:
    """The share of people whose own hour paid less than the wage."""
    if prices.pay is None or prices.wage is None or not seconds.sum() > 0:
        return math.nan
    _, who = np.unique(judge.astype(str), return_inverse=True)
    spent, votes = np.bincount(who, seconds), np.bincount(who)
    paid = prices.pay * votes * HOUR / np.maximum(spent, np.finfo(float).tiny)
    return float(np.mean(paid < prices.wage))


def gini(votes_each: Floats) -> float:
    """How unequally votes are spread over people: half the mean difference, by the mean.

    Examples
    --------
    >>> gini(np.array([2.0, 2.0, 2.0])), round(gini(np.array([0.0, 0.0, 6.0])), 4)
    (0.0, 0.6667)
    """
    ordered, n = np.sort(votes_each), votes_each.size
    return float((2 * np.arange(1, n + 1) - n - 1) @ ordered / (n * ordered.sum()))


def costs(crowd: Ratings, experts: Ratings, criterion: Any, prices: VotePrices) -> Costs:
    """Compare what crowd and experts cost."""
    mine, theirs = (votes_of(side, criterion, "refuse") for side in (crowd, experts))
    n, m = mine.item.size, theirs.item.size
    price, expert_price = prices.per_vote, _number(prices.expert_pay)
    seconds = n * _mean(_times(crowd, mine.criterion)[1])
    expert_seconds = m * _mean(_times(experts, theirs.criterion)[1])
    return Costs(
        crowd_votes=n,
        crowd_items=len(mine.items),
        per_vote=price,
        crowd_cost=n * price,
        crowd_cost_per_item=n * price / len(mine.items),
        crowd_hours=seconds / HOUR,
        crowd_seconds_per_item=seconds / len(mine.items),
        expert_ratings=m,
        expert_cost=m * expert_price,
        expert_cost_per_item=m * expert_price / len(theirs.items),
        expert_hours=expert_seconds / HOUR,
        expert_seconds_per_item=expert_seconds / len(theirs.items),
    )


def _times(ratings: Ratings, criterion: Any) -> tuple[npt.NDArray[Any], Floats]:
    """The judge and the seconds of each rating with a known time."""
    if ratings.matrix is not None or "seconds" not in ratings.columns:
        return np.array([]), np.array([])
    frame = ratings.frame.filter(~nw.col("rating").is_null())
    if criterion is not None:
        frame = frame.filter(nw.col("criterion") == criterion)
    rows = fetch(frame.select("judge", "seconds"))
    seconds = rows["seconds"].astype(float)
    known = np.isfinite(seconds)
    return rows["judge"][known], seconds[known]


def _mean(seconds: Floats) -> float:
    return float(seconds.mean()) if seconds.size else math.nan


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)
