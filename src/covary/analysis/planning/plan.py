"""`covary.plan`: from a pilot to the judges, items and money that a study needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from covary.analysis.planning.components import GStudy, components_or_reason
from covary.analysis.planning.contours import ContourPoint, contours
from covary.analysis.planning.decisions import (
    AgreementPower,
    ScalePower,
    agreement_power,
    equivalence_power,
    items_for_equivalence,
    scale_power,
)
from covary.analysis.planning.forecast import (
    Forecast,
    Object,
    Price,
    StudyCost,
    StudySize,
    cheapest,
    forecast,
    votes_needed,
)
from covary.analysis.planning.latent import MOST_RATINGS, LatentStudy, latent_components
from covary.analysis.planning.power import Power, chance_to_find, items_needed, power
from covary.analysis.planning.simulation import SimulatedPower, simulated_power
from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.scales import Level
from covary.stats.estimate import Result

VOTES = (1, 2, 3, 4, 5, 7, 10, 15, 20)
"""Ratings of an item for which a plan says what its mean is worth."""

JUDGES = (2, 3, 5, 8, 12, 20)
ITEMS = (20, 50, 100, 200, 500)
"""Judges and items of each system for which a plan says what the systems' means are worth."""

FEWEST_VOTES = 2
"""A study whose items have one rating each cannot show how reliable it turned out."""

MORE_JUDGES, MORE_ITEMS = 2, 20
"""What a plan adds to see which of them helps more."""


@dataclass(frozen=True, kw_only=True)
class Goal(Result):
    """What a study is for: a reliability of its means, and a difference it should find.

    `absolute` asks for values instead of the order. `difference` is in points of the scale, and so
    is `margin`, within which two systems count as equal. `agreement` is what alpha should be above.
    `looks` is how often the study is looked at, fixed beforehand; None for a confidence sequence.
    """

    target: float = 0.8
    absolute: bool = False
    difference: float | None = None
    margin: float | None = None
    agreement: float | None = None
    at: float = 0.8
    alpha: float = 0.05
    looks: int | None = None


@dataclass(frozen=True, kw_only=True)
class Extension(Result):
    """What a little more of one thing would give: the forecast, the smallest difference found."""

    kind: str
    added: int
    forecast: Forecast
    smallest: float


@dataclass(frozen=True, kw_only=True)
class CriterionPlan(Result):
    """What one criterion needs.

    `now` is what the size that was asked for (the pilot's, if none was) reaches. `votes` is the
    number of ratings an item needs for the target, None where none does. `best` is the cheapest
    study that reaches the target, `power` what it takes to tell two systems apart, and
    `items_for_difference` the items of each system that find the difference that was asked for,
    `items_for_margin` those that show equality within the margin. `account` is the cost of the best
    study, or of `now` where none reaches the target. `latent` are the components of ordered
    categories on their own line, `simulated` the power through the analysis that will be used, and
    `agreement` what decides whether alpha is above a threshold, and `scales` what shows that
    another scale is more or less reliable than this one. `contours` are lines of equal reliability
    and of equal cost around the proposed study.
    """

    components: GStudy
    object: Object
    goal: Goal
    now: Forecast | None = None
    votes: int | None = None
    grid: tuple[Forecast, ...] = ()
    best: Forecast | None = None
    power: Power | None = None
    items_for_difference: int | None = None
    extensions: tuple[Extension, ...] = ()
    items_for_margin: int | None = None
    account: StudyCost | None = None
    latent: LatentStudy | None = None
    simulated: SimulatedPower | None = None
    agreement: AgreementPower | None = None
    scales: ScalePower | None = None
    contours: tuple[ContourPoint, ...] = ()

    @property
    def criterion(self) -> str | None:
        """The criterion."""
        return self.components.criterion


@dataclass(frozen=True, kw_only=True)
class StudyPlan(Result):
    """What a study needs, criterion by criterion."""

    columns: ClassVar[tuple[str, ...]] = ("criterion", *Forecast.columns)

    criteria: tuple[CriterionPlan, ...]
    goal: Goal
    price: Price

    def rows(self) -> list[dict[str, Any]]:
        """Return what every size of the grids reaches."""
        return [
            {"criterion": criterion.criterion, **cell.row()}
            for criterion in self.criteria
            for cell in criterion.grid
        ]

    def __str__(self) -> str:
        return "\n".join(line for one in self.criteria for line in _lines(one, self.price))


def _lines(one: CriterionPlan, price: Price) -> Iterator[str]:
    """Say what a study of the pilot's size reaches, the cheapest that is enough, and the power."""
    name = one.criterion or "ratings"
    if one.now is None:
        yield f"{name}: {one.components.reason}"
        return
    kind, goal = ("dependability" if one.goal.absolute else "generalisability"), one.goal.target
    if one.object == "systems" and not one.components["system"]:
        yield f"{name}: {_in_words(one.now.size)}; the systems do not differ measurably"
    else:
        reached = getattr(one.now, kind)
        yield f"{name}: {_in_words(one.now.size)} reach a {kind} of {one.object} of {reached:.2f}"
    if one.best is None:
        yield f"  no study that was tried reaches {goal:g}"
    else:
        cost = f", at a cost of {one.best.cost:,.2f}" if price != Price() else ""
        yield f"  the cheapest study that reaches {goal:g}: {_in_words(one.best.size)}{cost}"
    if one.power is not None:
        yield (
            f"  found in {one.power.at:.0%} of studies like the first: a difference of "
            f"{one.power.smallest:.2f} points between two systems"
        )


def _in_words(size: StudySize) -> str:
    systems = f"{size.systems} systems × " if size.systems > 1 else ""
    return f"{systems}{size.items} items, {size.judges} judges, {size.votes} ratings an item"


def plan(
    pilot: Ratings | GStudy,
    *,
    criterion: str | None = None,
    planned: Mapping[str, int] | None = None,
    goal: Goal | None = None,
    price: Price | None = None,
    confidence: float = 0.95,
    simulate: int = 0,
    seed: int = 0,
    against: Ratings | None = None,
    progress: Callable[[str], None] | None = None,
) -> StudyPlan:
    """How many judges and items does a study need, for what, and at what cost?

    Parameters
    ----------
    pilot
        Ratings of a pilot or of an earlier study; or components (`known_components`,
        `guessed_components`).
    criterion
        One criterion; all of them by default.
    planned
        Numbers of the study that is planned (`systems`, `items` of each system, `judges`,
        `votes` for each item); the pilot's where they are not given.
    goal
        The reliability that is wanted (.8), and a difference between systems to be found.
    price
        What a rating and a judge cost.
    simulate, seed
        How many studies to draw from the fitted model for the power to find the difference, on an
        ordinal scale from the ordinal one; none by default.
    against
        A pilot of the same criteria on another scale: how many items show which of the two scales
        is more reliable.
    progress
        Called with a few words at each step.

    Examples
    --------
    >>> from covary import datasets
    >>> made = plan(datasets.load("qgstec-original"), criterion="correctness")
    >>> made.criteria[0].object, made.criteria[0].votes
    ('systems', 5)
    """
    aim, prices, numbers = goal or Goal(), price or Price(), dict(planned or {})
    draws = _Draws(simulate, seed, progress)
    if isinstance(pilot, GStudy):
        made = [_with_power(_plan_criterion(pilot, numbers, aim, prices), draws)]
        return StudyPlan(criteria=tuple(made), goal=aim, price=prices)
    made = []
    names = pilot.criteria if criterion is None else [criterion]
    others = {} if against is None else _others(names, against)
    for name in names:
        part = components_or_reason(pilot, name, confidence)
        one = _with_pilot(_plan_criterion(part, numbers, aim, prices), pilot)
        if against is not None and name in others:
            one = _with_scales(one, components_or_reason(against, others[name], confidence))
        made.append(_with_power(one, draws))
    return StudyPlan(criteria=tuple(made), goal=aim, price=prices)


@dataclass(frozen=True)
class _Draws:
    """How many studies are drawn for the power, and from which seed."""

    runs: int
    seed: int
    progress: Callable[[str], None] | None


def _with_pilot(one: CriterionPlan, pilot: Ratings) -> CriterionPlan:
    """Add what needs the ratings themselves: ordered categories on their line, alpha."""
    if one.now is None:
        return one
    name, size = one.criterion, one.components.size
    latent, agreement = None, None
    scale = pilot.scales[pilot.one_criterion(name)]
    ordered = scale.level <= Level.ORDINAL  # names that are planned for are two at the most
    if ordered and size is not None and size.ratings <= MOST_RATINGS:
        latent = latent_components(pilot, criterion=name)
    if one.goal.agreement is not None:
        threshold, at = one.goal.agreement, one.goal.at
        agreement = agreement_power(pilot, criterion=name, threshold=threshold, at=at)
    return replace(one, latent=latent, agreement=agreement)


def _others(names: Sequence[str | None], against: Ratings) -> dict[str | None, str | None]:
    """The criterion on the other scale for each of some; where both have one, it is the one."""
    if len(names) == len(against.criteria) == 1:
        return {names[0]: against.criteria[0]}
    shared: dict[str | None, str | None] = {
        name: name for name in names if name in against.criteria
    }
    if not shared:
        facts = {"names": list(names), "allowed": against.criteria}
        raise InvalidArgument("planning.no-shared-criterion", argument="against", **facts)
    return shared


def _with_scales(one: CriterionPlan, other: GStudy) -> CriterionPlan:
    """Add how many items show which scale is more reliable, with as many ratings of an item."""
    if one.now is None or other.reason:
        reason = other.reason or one.components.reason
        raise InvalidArgument("planning.scale-unknown", argument="against", reason=reason)
    size, goal = one.now.size, one.goal
    votes = max(size.votes, FEWEST_VOTES)
    each = StudySize(items=size.systems * size.items, judges=max(size.judges, votes), votes=votes)
    found = scale_power(one.components, other, each, at=goal.at, alpha=goal.alpha)
    return replace(one, scales=found)


def _with_power(one: CriterionPlan, draws: _Draws) -> CriterionPlan:
    """Add the power by simulation of the study that is proposed, where it was asked for."""
    wanted = one.goal.difference
    study = one.best or one.now
    if not draws.runs or wanted is None or study is None or one.object != "systems":
        return one
    known = one.latent is not None and not one.latent.reason
    found = simulated_power(
        one.latent if known and one.latent is not None else one.components,
        study.size,
        wanted,
        alpha=one.goal.alpha,
        runs=draws.runs,
        seed=draws.seed,
        progress=draws.progress,
    )
    return replace(one, simulated=found)


def _plan_criterion(
    part: GStudy, planned: Mapping[str, int], goal: Goal, price: Price
) -> CriterionPlan:
    if part.reason:
        return CriterionPlan(components=part, object="items", goal=goal)
    chosen = _chosen_size(part, planned)
    several = chosen.systems > 1
    object: Object = "systems" if several else "items"  # noqa: A001
    now = forecast(part, chosen, object=object, price=price)
    rule: Any = {"at": goal.at, "alpha": goal.alpha, "compared": chosen.systems}
    found = power(part, chosen, difference=goal.difference, **rule)
    needed = None
    if goal.difference and several:
        needed = items_needed(part, chosen, goal.difference, **rule)
    equal = None
    if goal.margin and several:
        equal = items_for_equivalence(part, chosen, goal.margin, at=goal.at, alpha=goal.alpha)
    best = _cheapest_study(part, chosen, object, goal, price=price)
    return CriterionPlan(
        components=part,
        object=object,
        goal=goal,
        now=now,
        votes=votes_needed(part, goal.target, absolute=goal.absolute),
        grid=tuple(
            forecast(part, cell, object=object, price=price) for cell in _grid(chosen, object)
        ),
        best=best,
        power=found if several else None,
        items_for_difference=needed,
        items_for_margin=equal,
        account=price.account((best or now).size),
        contours=contours(
            part, best or now, target=goal.target, price=price, absolute=goal.absolute
        )
        if several
        else (),
        extensions=tuple(extensions(part, now, goal, price)) if several else (),
    )


def _cheapest_study(
    part: GStudy,
    chosen: StudySize,
    object: Object,  # noqa: A002
    goal: Goal,
    *,
    price: Price,
) -> Forecast | None:
    """The cheapest study that does all that is wanted.

    Where nobody knows how far systems lie apart, their means have no reliability to be reached: a
    difference to be found, or equality to be shown, decides alone.
    """
    also = _also_wanted(part, goal) if object == "systems" else None
    unknown = also is not None and not part["system"]
    return cheapest(
        part,
        0.0 if unknown else goal.target,
        chosen,
        object=object,
        price=price,
        absolute=goal.absolute,
        also=also,
        fewest_votes=FEWEST_VOTES,
    )


def _also_wanted(part: GStudy, goal: Goal) -> Callable[[StudySize], bool] | None:
    """What a study must do beside being reliable: find the difference, show equality."""
    difference, margin = goal.difference, goal.margin
    if difference is None and margin is None:
        return None

    def holds(size: StudySize) -> bool:
        if difference is not None:
            rule: Any = {"alpha": goal.alpha, "compared": size.systems}
            if not chance_to_find(part, size, difference, **rule) >= goal.at:
                return False
        return margin is None or (
            equivalence_power(part, size, margin, alpha=goal.alpha) >= goal.at
        )

    return holds


def _chosen_size(part: GStudy, planned: Mapping[str, int]) -> StudySize:
    """The study that is planned; what was not said is as in the pilot."""
    unknown = [name for name in planned if name not in ("systems", "items", "judges", "votes")]
    if unknown:
        raise InvalidArgument("planning.number", argument="planned", value=unknown[0])
    own: dict[str, int] = {"systems": 1}
    if part.size is not None:
        systems = max(part.size.systems, 1)
        judges = planned.get("judges", part.size.judges)
        votes = min(max(round(part.size.ratings_per_item), 1), judges)
        items = max(round(part.size.items / systems), 1)
        own = {"systems": systems, "items": items, "judges": judges, "votes": votes}
    missing = [name for name in ("items", "judges", "votes") if name not in own | dict(planned)]
    if missing:
        raise InvalidArgument("planning.no-size", argument="planned", value=missing)
    return StudySize(**own | dict(planned))


def _grid(size: StudySize, object: Object) -> Iterator[StudySize]:  # noqa: A002
    if object == "items":
        for votes in sorted({*VOTES, size.votes}):
            yield replace(size, votes=votes, judges=max(votes, size.judges))
        return
    for judges in sorted({*JUDGES, size.judges}):
        for items in sorted({*ITEMS, size.items}):
            yield replace(size, items=items, judges=judges, votes=min(size.votes, judges))


def extensions(part: GStudy, now: Forecast, goal: Goal, price: Price) -> Iterator[Extension]:
    """Say what two more judges, twenty more items of each system, or one more rating each give."""
    own = now.size
    larger = {
        "judges": (MORE_JUDGES, replace(own, judges=own.judges + MORE_JUDGES)),
        "items": (MORE_ITEMS, replace(own, items=own.items + MORE_ITEMS)),
        "votes": (1, replace(own, votes=own.votes + 1, judges=max(own.judges, own.votes + 1))),
    }
    for kind, (added, size) in larger.items():
        yield Extension(
            kind=kind,
            added=added,
            forecast=forecast(part, size, object=now.object, price=price),
            smallest=power(
                part, size, at=goal.at, alpha=goal.alpha, compared=size.systems
            ).smallest,
        )
