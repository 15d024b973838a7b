"""A study that runs: what it has reached, what it still needs, and whether it may stop.

Differences between systems are followed by a confidence sequence: its intervals hold at every look
together, so that looking after every rating costs no error. A test at 5 % that is repeated would.
Where the plan declared its looks, differences are told at these looks only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from covary.analysis.planning.allocation import Allocation, CriterionStanding, allocate
from covary.analysis.planning.components import GStudy, components_or_reason
from covary.analysis.planning.forecast import Forecast, Price, StudySize, cheapest, forecast
from covary.analysis.planning.plan import FEWEST_VOTES, Extension, Goal, extensions
from covary.analysis.planning.record import PlanRecord
from covary.analysis.planning.standings import (
    Look,
    PairStanding,
    declared_look,
    look_standings,
    planned_information,
    scale_span,
    standings,
)
from covary.errors import ConvergenceError, InvalidArgument
from covary.ratings import Ratings
from covary.scales import Scale
from covary.stats.estimate import Result
from covary.stats.models.observations import observations
from covary.words import Note

FirstRatings = Callable[[str | None, int], Ratings]
"""Gives the first so many ratings on a criterion."""


@dataclass(frozen=True, kw_only=True)
class CriterionProgress(Result):
    """How far one criterion is.

    `now` is what the ratings so far are worth, `needed` the cheapest study that reaches the target
    with what is known now, and `missing` how many ratings that is beyond those there are.
    `thin` are items with fewer ratings than planned, by how many they have. `next_step` is the
    extension that gives most for its cost. `pairs` are None with a `reason` where differences
    cannot be followed. Where the plan declared its looks, `look` is the last that was reached, and
    the pairs stand as they did then.
    """

    criterion: str | None
    components: GStudy
    ratings: int
    planned: int | None
    now: Forecast | None = None
    reached: bool = False
    needed: Forecast | None = None
    missing: int | None = None
    thin: Mapping[Any, int]
    next_step: Extension | None = None
    pairs: tuple[PairStanding, ...] | None = None
    reason: str = ""
    allocation: Allocation | None = None
    look: Look | None = None

    @property
    def may_stop(self) -> bool:
        """Whether all differences are decided by the rule that holds at every look."""
        return bool(self.pairs) and all(pair.state != "open" for pair in self.pairs or ())


@dataclass(frozen=True, kw_only=True)
class StudyProgress(Result):
    """How far a study is, criterion by criterion, beside the plan that was kept, if one was."""

    columns: ClassVar[tuple[str, ...]] = (
        "criterion",
        "first",
        "second",
        "difference",
        "standard_error",
        "df",
        "low",
        "high",
        "state",
    )

    criteria: tuple[CriterionProgress, ...]
    goal: Goal
    record: PlanRecord | None = None

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each pair of systems that is followed."""
        return [
            {"criterion": one.criterion, **{name: getattr(pair, name) for name in self.columns[1:]}}
            for one in self.criteria
            for pair in one.pairs or ()
        ]


def progress(
    ratings: Ratings,
    *,
    record: PlanRecord | None = None,
    goal: Goal | None = None,
    price: Price | None = None,
    first: FirstRatings | None = None,
) -> StudyProgress:
    """What has a running study reached, what does it still need, and may it stop?

    Parameters
    ----------
    ratings
        What was collected so far.
    record
        The plan that was made before; it fixes the goal and the rule of stopping.
    goal
        The goal, where no plan was kept.
    price
        What a rating and a judge cost.
    first
        Gives the first so many ratings on a criterion, in the order in which they came: a look
        that the plan declared is about them. Without it, a look is taken where there are exactly
        as many ratings as it is due at.
    """
    aim = goal or Goal()
    if record is not None:
        aim = Goal(
            target=record.target,
            absolute=record.absolute,
            difference=record.difference,
            margin=record.margin,
            at=record.at,
            alpha=record.alpha,
        )
    own, prices = ratings.first_occasion(), price or Price()
    criteria = tuple(
        _criterion(
            own,
            name,
            _on_scale(aim, record, own.scales[name]),
            record=record,
            price=prices,
            first=first,
        )
        for name in own.criteria
    )
    return StudyProgress(criteria=criteria, goal=aim, record=record)


def _on_scale(goal: Goal, record: PlanRecord | None, scale: Scale) -> Goal:
    """Return the goal on a scale: half a point of six is as much as 8.3 of a hundred."""
    span = scale_span(scale) if scale.declared else None  # no rule follows from what was seen
    if record is None or not record.span or not span or span == record.span:
        return goal
    longer = span / record.span
    return replace(
        goal,
        difference=None if goal.difference is None else goal.difference * longer,
        margin=None if goal.margin is None else goal.margin * longer,
    )


def _criterion(
    ratings: Ratings,
    name: str | None,
    goal: Goal,
    *,
    record: PlanRecord | None,
    price: Price,
    first: FirstRatings | None,
) -> CriterionProgress:
    part = components_or_reason(ratings, name, confidence=0.95)
    planned = None if record is None else record.size.ratings
    if part.size is None:
        return CriterionProgress(
            criterion=name, components=part, ratings=0, planned=planned, thin={}, reason=part.reason
        )
    counts = _counts(ratings, name)
    votes = max(counts.values()) if record is None else record.size.votes
    thin = {item: number for item, number in counts.items() if number < votes}
    found = CriterionProgress(
        criterion=name, components=part, ratings=sum(counts.values()), planned=planned, thin=thin
    )
    if record is not None and record.looks:
        look = declared_look(record.looks, record.size.ratings, found.ratings)
        found = replace(found, look=look)
    if part.reason:
        return replace(found, reason=part.reason)
    found = _with_forecast(found, part, goal, price)
    if found.look is not None:
        return _with_look(found, found.look, ratings, goal, first=first)
    return _with_pairs(found, ratings, goal)


def _counts(ratings: Ratings, name: str | None) -> dict[Any, int]:
    rows = observations(ratings, name, factors=["item", "judge"])
    counts = np.bincount(rows.factors["item"], minlength=len(rows.names["item"])).tolist()
    return dict(zip(rows.names["item"], counts, strict=True))


def _with_forecast(
    found: CriterionProgress, part: GStudy, goal: Goal, price: Price
) -> CriterionProgress:
    pilot = part.size
    assert pilot is not None
    systems = max(pilot.systems, 1)
    votes = min(max(round(pilot.ratings_per_item), 1), pilot.judges)
    items = max(round(pilot.items / systems), 1)
    size = StudySize(systems=systems, items=items, judges=pilot.judges, votes=votes)
    kind: Any = "systems" if systems > 1 else "items"
    now = forecast(part, size, object=kind, price=price)
    worth = now.dependability if goal.absolute else now.generalisability
    needed = cheapest(
        part,
        goal.target,
        size,
        object=kind,
        price=price,
        absolute=goal.absolute,
        fewest_votes=FEWEST_VOTES,
    )
    more = None if needed is None else max(0, needed.size.ratings - found.ratings)
    options = extensions(part, now, goal, price)
    return replace(
        found,
        now=now,
        reached=worth >= goal.target,
        needed=needed,
        missing=0 if worth >= goal.target else more,
        next_step=max(options, key=lambda one: _gain(one, now, goal), default=None),
    )


def _gain(more: Extension, now: Forecast, goal: Goal) -> float:
    """How much error an extension takes away for what it costs."""
    name = "absolute" if goal.absolute else "relative"
    cost = more.forecast.cost - now.cost
    saved = getattr(now, name) - getattr(more.forecast, name)
    if saved <= 0:
        return 0.0
    return float(saved / cost) if cost > 0 else math.inf


def _with_pairs(found: CriterionProgress, ratings: Ratings, goal: Goal) -> CriterionProgress:
    if "system" not in ratings.columns:
        return found
    rows = observations(ratings, found.criterion)
    names = rows.names["system"]
    if len(names) < 2:
        return found
    planned = planned_information(goal, ratings.scales[found.criterion])
    try:
        pairs = standings(rows, planned=planned, margin=goal.margin, alpha=goal.alpha)
    except (InvalidArgument, ConvergenceError) as error:
        return replace(found, reason=Note(error.code, **error.facts))
    allocation = _allocation(found, pairs, names)
    return replace(found, pairs=pairs, allocation=allocation)


def _with_look(
    found: CriterionProgress,
    look: Look,
    ratings: Ratings,
    goal: Goal,
    *,
    first: FirstRatings | None,
) -> CriterionProgress:
    """Add how the pairs stood at the last declared look, from the ratings of that look alone."""
    if not look.number or "system" not in ratings.columns:
        return found
    if first is not None:
        ratings = first(found.criterion, look.due).first_occasion()
    elif found.ratings != look.due:
        return found
    rows = observations(ratings, found.criterion)
    if len(rows.names["system"]) < 2:
        return found
    try:
        pairs = look_standings(rows, look, margin=goal.margin, alpha=goal.alpha)
    except (InvalidArgument, ConvergenceError) as error:
        return replace(found, reason=Note(error.code, **error.facts))
    return replace(found, pairs=pairs)


def _allocation(
    found: CriterionProgress, pairs: tuple[PairStanding, ...], names: tuple[Any, ...]
) -> Allocation | None:
    """One more rating of each item, on systems whose pairs are open, if some are and some not."""
    if found.now is None:
        return None
    size = found.now.size
    standing = CriterionStanding(components=found.components, size=size, pairs=pairs)
    return allocate([standing], names, size.systems * size.items)


def next_allocation(found: StudyProgress, ratings: int) -> Allocation:
    """Share the next ratings among the systems where they help most, over all criteria.

    Parameters
    ----------
    found
        How far the study is.
    ratings
        How many ratings come next.

    Raises
    ------
    InvalidArgument
        Nothing can be gained: all differences are decided or none is, differences are not followed
        (yet), or the plan declared its looks, between which nobody looks.
    """
    if found.record is not None and found.record.looks:
        raise InvalidArgument("planning.adaptive-looks", looks=found.record.looks)
    standings = [
        CriterionStanding(components=one.components, size=one.now.size, pairs=one.pairs)
        for one in found.criteria
        if one.now is not None and one.pairs
    ]
    if not standings:
        reason = next((one.reason for one in found.criteria if one.reason), "")
        raise InvalidArgument("planning.adaptive-unknown", reason=reason or Note("planning.alone"))
    if not any(one.undecided for one in standings):
        raise InvalidArgument("planning.adaptive-decided")
    names = sorted({name for one in standings for pair in one.pairs for name in pair.systems})
    offered = allocate(standings, names, ratings)
    if offered is None:
        raise InvalidArgument("planning.adaptive-equal")
    return offered
