"""Lines of equal reliability and of equal cost over judges and items: a picture of the choice."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from covary.analysis.planning.components import GStudy
from covary.analysis.planning.forecast import Forecast, Price, StudySize, fewest, forecast
from covary.stats.estimate import Result

LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
"""Reliabilities that have a line, beside the target."""

AROUND = 2
"""Lines above and below the target's."""

COSTS = (0.5, 1.0, 2.0, 4.0)
"""Costs that have a line, by that of the proposed study."""

JUDGES = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30)
MOST_ITEMS = 1000


@dataclass(frozen=True, kw_only=True)
class ContourPoint(Result):
    """A study on a line: so many judges and items of each system have this reliability or cost."""

    kind: Literal["reliability", "cost"]
    level: float
    judges: int
    items: float


def contours(
    components: GStudy,
    proposed: Forecast,
    *,
    target: float,
    price: Price,
    absolute: bool = False,
) -> tuple[ContourPoint, ...]:
    """Return lines of equal reliability, and of equal cost, for studies that compare systems.

    The ratings of an item are those of the proposed study. None where no study is reliable.
    """
    size = proposed.size
    near = sorted({*LEVELS, target}, key=lambda level: abs(math.log((1 - level) / (1 - target))))
    chosen = sorted(near[: 2 * AROUND + 1])
    points = [
        point
        for level in chosen
        for point in _of_reliability(components, size, level, absolute=absolute)
    ]
    if not points:  # no study is reliable: there is nothing to choose between
        return ()
    costs = dict.fromkeys(_round(proposed.cost * share) for share in COSTS)
    return (*points, *(point for cost in costs for point in _of_cost(size, cost, price)))


def _sizes(size: StudySize) -> Iterator[StudySize]:
    for judges in sorted({*JUDGES, size.judges}):
        if judges >= size.votes:
            yield replace(size, judges=judges)


def _of_reliability(
    components: GStudy, size: StudySize, level: float, *, absolute: bool
) -> Iterator[ContourPoint]:
    def enough(own: StudySize, items: int) -> bool:
        reached = forecast(components, replace(own, items=items), object="systems")
        return (reached.dependability if absolute else reached.generalisability) >= level

    for own in _sizes(size):
        items = fewest(lambda number, own=own: enough(own, number), 1, MOST_ITEMS)  # type: ignore[misc]
        if items is not None:
            yield ContourPoint(kind="reliability", level=level, judges=own.judges, items=items)


def _of_cost(size: StudySize, cost: float, price: Price) -> Iterator[ContourPoint]:
    each = price.per_rating * size.systems * size.votes
    for own in _sizes(size):
        items = (cost - price.judge * own.judges) / each if each > 0 else math.inf
        if 1 <= items <= MOST_ITEMS:
            yield ContourPoint(kind="cost", level=cost, judges=own.judges, items=items)


def _round(cost: float) -> float:
    """Round to two digits, as a budget is."""
    if cost <= 0:
        return 0.0
    step: float = 10.0 ** (math.floor(math.log10(cost)) - 1)
    return round(cost / step) * step
