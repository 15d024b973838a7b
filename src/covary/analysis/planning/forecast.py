"""What a study of a given size would reach: a D-study, its cost, and the cheapest size.

Two things can be measured. *Items*: the mean of an item's ratings. *Systems*: the mean of all
ratings of a system. Generalisability is about their order, dependability about their values.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

from covary.analysis.planning.components import GStudy
from covary.analysis.planning.cost import Amount, Prices, estimate
from covary.errors import InvalidArgument
from covary.stats.distributions import t_quantile
from covary.stats.estimate import Result
from covary.words import Note

Object = Literal["items", "systems"]

FEWEST_JUDGES = 2
"""One judge alone cannot show whether another would have said the same."""


@dataclass(frozen=True, kw_only=True)
class StudySize:
    """A study: `systems` with `items` each (`systems` is 1 where nobody compares systems).

    Each item has `votes` ratings by different judges out of `judges`, who share the work alike.
    """

    items: int
    judges: int
    votes: int
    systems: int = 1

    def __post_init__(self) -> None:
        for name in ("items", "judges", "votes", "systems"):
            value = getattr(self, name)
            if value < 1 or value != int(value):
                raise InvalidArgument("planning.count", argument=name, value=value)
        if self.votes > self.judges:
            raise InvalidArgument(
                "planning.votes", argument="votes", value=self.votes, judges=self.judges
            )

    @property
    def ratings(self) -> int:
        """How many ratings the whole study has."""
        return self.systems * self.items * self.votes


@dataclass(frozen=True, kw_only=True)
class StudyCost(Result):
    """What a study costs and how long it takes; NaN where the time of a rating is not known.

    `total` is `paid`, `fees` and `for_judges`. `hours` are those of all judges together, `days`
    how long it takes them side by side.
    """

    ratings: int
    paid: float
    fees: float
    for_judges: float
    hours: float
    hourly: float
    days: float
    warnings: tuple[Note, ...] = ()

    @property
    def total(self) -> float:
        """What the study costs in all."""
        return self.paid + self.fees + self.for_judges


@dataclass(frozen=True, kw_only=True)
class Price:
    """What a study costs: for each rating, and for each judge besides (training, a fixed fee).

    `rating` goes to the judge; the platform takes `fee` for a rating, or `fee_share` of the pay, or
    both. `seconds` is how long a rating takes, `wage` the least that an hour should pay, and
    `hours_a_day` how long a judge works on a day.
    """

    rating: Amount = 1.0
    judge: float = 0.0
    fee: Amount = 0
    fee_share: Amount = 0
    wage: Amount | None = None
    seconds: float | None = None
    hours_a_day: float = 1.0

    @property
    def prices(self) -> Prices:
        """The same, for each rating, as a crowd's."""
        return Prices(self.rating, fee=self.fee, fee_share=self.fee_share, wage=self.wage)

    @cached_property
    def per_rating(self) -> float:
        """What one rating costs, fees included."""
        return float(estimate(1, 1, self.prices).total)

    def of(self, size: StudySize) -> float:
        """Return the cost of a study of that size."""
        return self.per_rating * size.ratings + self.judge * size.judges

    def account(self, size: StudySize) -> StudyCost:
        """Return the cost of a study of that size, item by item, and the time it takes."""
        expected = estimate(size.ratings, size.items, self.prices, self.seconds)
        return StudyCost(
            ratings=size.ratings,
            paid=float(expected.paid),
            fees=float(expected.fees),
            for_judges=self.judge * size.judges,
            hours=expected.hours,
            hourly=expected.hourly,
            days=expected.hours / size.judges / self.hours_a_day,
            warnings=expected.warnings if self.wage is not None else (),
        )


@dataclass(frozen=True, kw_only=True)
class Forecast(Result):
    """What a study of a size reaches.

    `relative` is the error variance of differences from the mean, `absolute` that of values;
    `generalisability` (E rho²) and `dependability` (Phi) follow from them. `error` is the
    standard error of one mean and `width` the whole width of its interval.
    """

    columns: ClassVar[tuple[str, ...]] = (
        "object",
        "systems",
        "items",
        "judges",
        "votes",
        "ratings",
        "generalisability",
        "dependability",
        "error",
        "width",
        "cost",
    )

    object: Object
    size: StudySize
    relative: float
    absolute: float
    generalisability: float
    dependability: float
    error: float
    width: float
    cost: float

    def row(self) -> dict[str, Any]:
        """Return the forecast as one flat row."""
        own = {name: getattr(self, name) for name in self.columns if hasattr(self, name)}
        sizes = {name: getattr(self.size, name) for name in ("systems", "items", "judges", "votes")}
        values = own | sizes | {"ratings": self.size.ratings}
        return {name: values[name] for name in self.columns}


def forecast(
    components: GStudy,
    size: StudySize,
    *,
    object: Object = "items",  # noqa: A002
    price: Price | None = None,
) -> Forecast:
    """Say how reliable the means of a study of this size would be, and what it would cost.

    Examples
    --------
    Shrout & Fleiss' components (2.556, 5.244, 1.019), four judges who rate every item: relative
    .909 and absolute .620 (their ICC(3,4) and ICC(2,4)).

    >>> from covary.analysis.planning.prior import known_components
    >>> pilot = known_components(item=2.556, judge=5.244, residual=1.019)
    >>> four = forecast(pilot, StudySize(items=6, judges=4, votes=4))
    >>> f"{four.generalisability:.3f} {four.dependability:.3f}"
    '0.909 0.620'
    """
    relative, absolute = error_variances(components, size, object)
    true = components.items if object == "items" else components["system"]
    df = max(size.judges - 1, 1)
    error = math.sqrt(absolute)
    return Forecast(
        object=object,
        size=size,
        relative=relative,
        absolute=absolute,
        generalisability=_ratio(true, relative),
        dependability=_ratio(true, absolute),
        error=error,
        width=2 * t_quantile(1 - (1 - components.confidence) / 2, df) * error,
        cost=(price or Price()).of(size),
    )


def error_variances(
    components: GStudy,
    size: StudySize,
    object: Object,  # noqa: A002
) -> tuple[float, float]:
    """Return the variances of relative and of absolute error (Brennan 2001)."""
    if object == "items":
        relative = components.interaction / size.votes
        return relative, relative + components["judge"] / size.votes
    shared = size.items * size.votes
    relative = (
        components["item"] / size.items
        + components["judge system"] / size.judges
        + components["residual"] / shared
    )
    absolute = (
        components["source"] / size.items
        + components["judge"] / size.judges
        + components["judge source"] / shared
    )
    return relative, relative + absolute


def _ratio(true: float, error: float) -> float:
    return true / (true + error) if true + error > 0 else math.nan


def votes_needed(components: GStudy, target: float, *, absolute: bool = False) -> int | None:
    """Say how many ratings an item needs for a mean of this reliability (Spearman-Brown).

    None where no number reaches it: items do not differ at all.

    Examples
    --------
    Two judges for .8 in order, ten in value, from Shrout & Fleiss' components:

    >>> from covary.analysis.planning.prior import known_components
    >>> pilot = known_components(item=2.556, judge=5.244, residual=1.019)
    >>> votes_needed(pilot, 0.8), votes_needed(pilot, 0.8, absolute=True)
    (2, 10)
    """
    if not 0 < target < 1:
        raise InvalidArgument("planning.target", argument="target", value=target)
    single = components.interaction + (components["judge"] if absolute else 0.0)
    if components.items <= 0:
        return None
    exact = target / (1 - target) * single / components.items
    return max(1, math.ceil(exact - 1e-9))


IN_A_CROWD = 4
"""So many numbers of judges are tried between the usual ones and the size of a crowd."""

STEPS = range(1, IN_A_CROWD + 1)


def cheapest(
    components: GStudy,
    target: float,
    size: StudySize,
    *,
    object: Object = "items",  # noqa: A002
    price: Price | None = None,
    absolute: bool = False,
    also: Callable[[StudySize], bool] | None = None,
    fewest_votes: int = 1,
    most_judges: int = 50,
    most_items: int = 1000,
) -> Forecast | None:
    """Find the cheapest study that reaches a reliability, or None.

    The number of systems is that of `size`; where items are measured, so is the number of items,
    since more items do not make the mean of one more reliable. `also` is what else must hold, such
    as the power to find a difference.
    """

    def reach(items: int, judges: int, votes: int) -> Forecast:
        own = replace(size, items=items, judges=judges, votes=votes)
        return forecast(components, own, object=object, price=price)

    def enough(plan: Forecast) -> bool:
        worth = plan.dependability if absolute else plan.generalisability
        return worth >= target and (also is None or also(plan.size))

    ends = (size.items, size.items) if object == "items" else (1, most_items)
    plans = []
    crowd = {round(most_judges + (size.judges - most_judges) * n / IN_A_CROWD) for n in STEPS}
    crowds = sorted(crowd) if size.judges > most_judges else []
    for judges in (*range(FEWEST_JUDGES, most_judges + 1), *crowds):
        for votes in range(fewest_votes, min(judges, most_judges) + 1):

            def enough_items(items: int, judges: int = judges, votes: int = votes) -> bool:
                return enough(reach(items, judges, votes))

            items = fewest(enough_items, *ends)
            if items is not None:
                plans.append(reach(items, judges, votes))
    return min(plans, key=lambda plan: (plan.cost, plan.size.judges), default=None)


def fewest(enough: Callable[[int], bool], low: int, high: int) -> int | None:
    """Return the least number between two that is enough, None where the highest is not."""
    if not enough(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low
