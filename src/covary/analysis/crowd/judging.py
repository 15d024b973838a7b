"""Who the crowd is: how many people, how unequally they voted, how long they took, what it paid."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from covary.aggregate.votes import votes_of
from covary.ratings import Ratings
from covary.ratings.frames import fetch
from covary.stats.plain import plain

__all__ = ["Costs", "CrowdJudges", "Prices", "costs", "crowd_judges", "gini"]

Floats = npt.NDArray[np.float64]

HOUR = 3600


@dataclass(frozen=True)
class Prices:
    """What a vote pays and costs, in one currency; None where that is not known.

    `pay` goes to the judge, `fee` to the platform, `wage` is the least pay of an hour that is
    acceptable, and `expert_pay` is paid for one rating of an expert.
    """

    pay: float | None = None
    fee: float | None = None
    wage: float | None = None
    expert_pay: float | None = None

    @property
    def each(self) -> float:
        """What one vote costs; NaN where the pay is not known."""
        return math.nan if self.pay is None else self.pay + (self.fee or 0.0)


@dataclass(frozen=True)
class CrowdJudges:
    """The people of a crowd, where it is known who voted.

    `gini` is 0 when all voted equally often and near 1 when one person gave nearly all votes;
    `top_share` is the share of votes of the busiest. `hourly` is what an hour of their time paid
    (pay without fee), over all votes with a known time, and `share_below` the share of people
    whose own hour paid less than the wage. NaN where nothing is known.
    """

    known: bool
    n_judges: int
    n_votes: int
    fewest: int
    most: int
    mean: float
    median: float
    gini: float
    top_share: float
    seconds_mean: float
    seconds_median: float
    hourly: float
    wage: float
    share_below: float
    reason: str = ""

    @property
    def underpaid(self) -> bool:
        """Whether an hour paid less than the wage."""
        return self.hourly < self.wage

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; NaN becomes None."""
        return dict(plain(self)) | {"underpaid": self.underpaid}


@dataclass(frozen=True)
class Costs:
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

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; NaN becomes None."""
        return dict(plain(self))


def crowd_judges(crowd: Ratings, criterion: Any, prices: Prices) -> CrowdJudges:
    """Describe the people of a crowd."""
    votes = votes_of(crowd, criterion, "refuse")
    judge, seconds = _times(crowd, votes.criterion)
    times = _over_time(judge, seconds, prices)
    if votes.slots:
        return CrowdJudges(
            False, 0, votes.item.size, 0, 0, math.nan, math.nan, math.nan, math.nan, *times[:3],
            _number(prices.wage), math.nan,
            "the votes come from slots, so nobody knows how many people gave them",
        )  # fmt: skip
    given = np.bincount(votes.judge, minlength=len(votes.judges)).astype(float)
    return CrowdJudges(
        True, len(votes.judges), votes.item.size, int(given.min()), int(given.max()),
        float(given.mean()), float(np.median(given)), gini(given),
        float(given.max() / given.sum()), *times[:3], _number(prices.wage), times[3],
        "" if seconds.size else "the ratings hold no seconds, so nothing is known about time",
    )  # fmt: skip


def _over_time(
    judge: npt.NDArray[Any], seconds: Floats, prices: Prices
) -> tuple[float, float, float, float]:
    """Mean and median seconds, pay of an hour, share of people who got less than the wage."""
    if not seconds.size:
        return (math.nan,) * 4
    mean, median = float(seconds.mean()), float(np.median(seconds))
    if prices.pay is None or mean <= 0:
        return mean, median, math.nan, math.nan
    _, who = np.unique(judge.astype(str), return_inverse=True)
    spent, votes = np.bincount(who, seconds), np.bincount(who)
    paid = prices.pay * votes * HOUR / np.maximum(spent, np.finfo(float).tiny)
    below = math.nan if prices.wage is None else float(np.mean(paid < prices.wage))
    return mean, median, prices.pay * HOUR / mean, below


def gini(given: Floats) -> float:
    """How unequally votes are spread over people: half the mean difference, by the mean.

    Examples
    --------
    >>> gini(np.array([2.0, 2.0, 2.0])), round(gini(np.array([0.0, 0.0, 6.0])), 4)
    (0.0, 0.6667)
    """
    ordered, n = np.sort(given), given.size
    return float((2 * np.arange(1, n + 1) - n - 1) @ ordered / (n * ordered.sum()))


def costs(crowd: Ratings, experts: Ratings, criterion: Any, prices: Prices) -> Costs:
    """Compare what crowd and experts cost."""
    mine, theirs = (votes_of(each, criterion, "refuse") for each in (crowd, experts))
    spent, expert_spent = (
        _times(each, votes.criterion)[1] for each, votes in ((crowd, mine), (experts, theirs))
    )
    n, m = mine.item.size, theirs.item.size
    n_items, m_items = len(mine.items), len(theirs.items)
    price, paid = prices.each, _number(prices.expert_pay)
    each, expert_each = _mean(spent), _mean(expert_spent)
    return Costs(
        n, n_items, price, n * price, n * price / n_items, n * each / HOUR, n * each / n_items,
        m, m * paid, m * paid / m_items, m * expert_each / HOUR, m * expert_each / m_items,
    )  # fmt: skip


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
