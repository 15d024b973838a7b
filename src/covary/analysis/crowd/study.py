"""`crowd_study`: is a crowd as good as an expert, and what does it cost?"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.aggregate import METHODS, combine, options_of
from covary.analysis.crowd.answers import (
    ONE_VOTE,
    agreements,
    closest,
    curve_points,
    differences,
    exchange_rates,
)
from covary.analysis.crowd.arrangements import arranged, check_number
from covary.analysis.crowd.curve import BY_ITEM, combined_shares, longest
from covary.analysis.crowd.found import CrowdStudy
from covary.analysis.crowd.judging import Prices, costs, crowd_judges
from covary.analysis.crowd.matched import Matched, matched
from covary.analysis.crowd.resampled import Column, Voice, resampled
from covary.analysis.crowd.shared import shared_sessions
from covary.analysis.crowd.tables import COEFFICIENTS, Coefficient, as_coefficient
from covary.errors import CovaryWarning, InvalidArgument, listed
from covary.ratings import Ratings
from covary.scales import Level, Scale
from covary.stats.intervals import Wanted

__all__ = ["crowd_study"]

Floats = npt.NDArray[np.float64]

RESAMPLES = 2000
FEW_SESSIONS = 20
"""With fewer clusters a bootstrap interval tends to be too narrow."""

NOT_AN_ERROR = (
    "The standard deviation over arrangements is not a standard error: it only says how far "
    "arrangements of these votes differ. The intervals, over other {units}, are."
)


def crowd_study(
    crowd: Ratings,
    experts: Ratings,
    *,
    criterion: Any = None,
    methods: Sequence[str] = ("banchs-a", "banchs-b"),
    coefficients: Sequence[Any] | None = None,
    arrangements: int = 30_000,
    pay: float | None = None,
    fee: float | None = None,
    wage: float | None = None,
    expert_pay: float | None = None,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    rng: Any = None,
    progress: Callable[[str], None] | None = None,
) -> CrowdStudy:
    """Is a crowd as good as an expert, how many votes does that take, and what does it cost?

    Parameters
    ----------
    crowd
        The votes. Judges may be slots; columns of votes are never taken for people.
    experts
        Ratings of the same items by named judges. Items are matched by name.
    criterion
        Which criterion, where there are several.
    methods
        How votes are combined; any of `covary.aggregate.combine`.
    coefficients
        Names or functions as in `arrangements`; Cohen's kappa and Fisher's ICC by default, and
        only kappa where categories have no order.
    arrangements
        How many arrangements of the votes are drawn.
    pay, fee
        What a vote pays the judge, and what the platform takes on top.
    wage
        The least that an hour should pay, in the same currency.
    expert_pay
        What a rating of an expert costs.
    confidence, resamples, rng
        Of the bootstrap over sessions (the clusters of the ratings; items where there are none).
        The seed is recorded.
    progress
        Called with a few words at each step, for a progress bar.

    Returns
    -------
    CrowdStudy
        Frozen, with `to_dict`; `covary.report.crowd` writes it down.

    Notes
    -----
    The same sessions are drawn for every pair, so that differences are paired. Combined ratings
    are taken as they are and not combined again in a resample. The curve of votes is exact: each
    way to pick so many of an item's votes counts the same, the picked votes are combined, ties are
    shared by the ratings they point to, and the coefficient is that of the expected cross table.

    References
    ----------
    Banchs (2016).

    Examples
    --------
    >>> votes = Ratings.from_wide(
    ...     [[1, 1, 2], [1, 2, 1], [2, 3, 2], [3, 3, 1]] * 9, scale="1-3", judges="slots"
    ... )
    >>> experts = Ratings.from_wide(
    ...     [[1, 1], [1, 2], [2, 2], [3, 2]] * 9, scale="1-3", judges=["Ann", "Bo"]
    ... )
    >>> found = crowd_study(votes, experts, pay=0.05, fee=0.01, rng=1, arrangements=100)
    >>> round(found.costs.crowd_cost, 2)
    6.48
    """
    wanted = Wanted.of("bootstrap", confidence, resamples, rng)
    check_number(arrangements)
    prices = _prices(pay=pay, fee=fee, wage=wage, expert_pay=expert_pay)
    say = progress or _silent
    names = _methods(methods)
    both = matched(crowd, experts, criterion)
    chosen = _coefficients(coefficients, both.scale)
    say("combining votes")
    columns, notes = _combined(crowd, both, names, wanted.seed)
    say("numbers of votes")
    curves = {
        name: longest(both.n_votes, len(both.categories)) for name in names if name in BY_ITEM
    }
    singles = _curve_columns(both, curves)
    say("resampling")
    every = (*_expert_columns(both), *columns, Column(("votes", ONE_VOTE, 1), both.shares),
             *singles)  # fmt: skip
    found = resampled(both, every, chosen, wanted)
    voices: dict[str, Voice] = {ONE_VOTE: ("votes", ONE_VOTE, 1)}
    voices |= {name: ("method", name) for name in names}
    say("arrangements")
    drawn = [
        each
        for expert in range(len(both.experts))
        for each in arranged(both, expert, chosen, arrangements, wanted.seed)
    ]
    return CrowdStudy(
        both.criterion, both.scale, both.experts, names,
        tuple((each.name, each.title) for each in chosen), len(both.items),
        int(both.n_votes.sum()), len(both.clusters), both.only_crowd, both.only_experts,
        tuple(drawn), tuple(agreements(found, both, names)),
        tuple(differences(found, both, names)), tuple(closest(found, both, voices)),
        tuple(curve_points(found, both, curves, prices.each)),
        tuple(exchange_rates(found, both, curves, prices.each)),
        crowd_judges(crowd, criterion, prices),
        costs(crowd, experts, criterion, prices),
        shared_sessions(experts, criterion=criterion) if len(both.experts) > 1 else None,
        confidence, wanted.resamples, wanted.seed,
        (*_notes(both, names), *notes),
    )  # fmt: skip


def _methods(methods: Sequence[str]) -> tuple[str, ...]:
    given = [methods] if isinstance(methods, str) else list(methods)
    names = tuple(dict.fromkeys(str(name).replace("_", "-") for name in given))
    unknown = [name for name in names if name not in METHODS]
    if unknown or not names:
        raise InvalidArgument(f"methods={given!r} must be some of {listed(METHODS)}")
    return names


def _prices(**given: float | None) -> Prices:
    for name, value in given.items():
        numeric = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (numeric and 0 <= value < math.inf):
            raise InvalidArgument(f"{name}={value!r} must be an amount of money, 0 or more")
    if given["fee"] is not None and given["pay"] is None:
        raise InvalidArgument("fee without pay: give what a vote pays as well")
    return Prices(**given)


def _coefficients(given: Sequence[Any] | None, scale: Scale) -> tuple[Coefficient, ...]:
    if given is None:
        ordered = scale.level > Level.NOMINAL or len(scale.categories or ()) <= 2
        wanted: list[Any] = ["cohen_kappa", "fisher_icc"] if ordered else ["cohen_kappa"]
    else:
        wanted = [given] if isinstance(given, str) or callable(given) else list(given)
    found = tuple(as_coefficient(each, scale) for each in wanted)
    names = [each.name for each in found]
    if not names or len(set(names)) < len(names):
        raise InvalidArgument(
            f"coefficients={given!r} must name at least one of {listed(COEFFICIENTS)}, each once"
        )
    return found


def _combined(
    crowd: Ratings, both: Matched, names: tuple[str, ...], seed: int
) -> tuple[list[Column], list[str]]:
    """Combine the whole crowd's votes by each method and take the matched items."""
    columns, notes = [], []
    for name in names:
        codes = _codes(crowd, both, name)
        left = int((codes < 0).sum())
        if left and "ties" in options_of(name):
            codes = _codes(crowd, both, name, ties="random", seed=seed)
            notes.append(
                f"{name} finds several ratings for {left:,} items with tied votes; one of them is "
                "drawn, because items without rating are the hard ones and leaving them out would "
                "flatter the crowd."
            )
        elif left:
            notes.append(f"{name} gives {left:,} items no rating; they are left out of its rows.")
        columns.append(Column(("method", name), _as_shares(codes, len(both.categories))))
    return columns, notes


def _codes(crowd: Ratings, both: Matched, name: str, **more: Any) -> npt.NDArray[np.int64]:
    """The category number that a method gives each matched item; -1 where it gives none."""
    numbers = {category: number for number, category in enumerate(both.categories)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CovaryWarning)  # the notes say the same
        made = combine(crowd, name, criterion=both.criterion, **more)
    return np.array([numbers.get(made.ratings[row], -1) for row in both.place.tolist()])


def _expert_columns(both: Matched) -> Iterator[Column]:
    for place, expert in enumerate(both.experts):
        yield Column(("expert", expert), _as_shares(both.given[:, place], len(both.categories)))


def _curve_columns(both: Matched, curves: dict[str, int]) -> list[Column]:
    return [
        Column(("votes", name, votes), combined_shares(both.counts, votes, name, both.scale))
        for name, most in curves.items()
        for votes in range(1, most + 1)
    ]


def _as_shares(codes: npt.NDArray[Any], size: int) -> Floats:
    """Each item's category as a row with a 1 in its place; nothing where there is none."""
    shares = np.zeros((len(codes), size))
    rated = codes >= 0
    shares[np.flatnonzero(rated), codes[rated]] = 1.0
    return shares


def _notes(both: Matched, names: tuple[str, ...]) -> Iterator[str]:
    units = "sessions" if both.clusters else "items"
    yield NOT_AN_ERROR.format(units=units)
    if not both.clusters:
        yield (
            "The ratings name no clusters, so items are drawn as if they were independent. Turns "
            "of one dialogue are not: name the column of sessions, or the intervals are too narrow."
        )
    elif len(both.clusters) < FEW_SESSIONS:
        yield (
            f"There are {len(both.clusters)} sessions. With fewer than {FEW_SESSIONS} a bootstrap "
            "interval tends to be too narrow."
        )
    if both.only_crowd or both.only_experts:
        yield (
            f"{both.only_crowd:,} items were rated by the crowd only and {both.only_experts:,} by "
            "experts only; they are not compared."
        )
    if (both.given < 0).any() and len(both.experts) > 1:
        yield "Not every expert rated every item; each pair is compared on the items of both."
    if len(both.experts) < 2:
        yield "There is one expert, so nothing says how well experts agree with each other."
    models = [name for name in names if name not in BY_ITEM]
    if models:
        yield (
            f"{listed(models).replace(chr(39), '')} learns from all votes of a judge and is not on "
            "the curve, which combines an item's votes on their own."
        )
    if len(set(both.n_votes.tolist())) > 1:
        yield (
            f"Items have {both.n_votes.min():,} to {both.n_votes.max():,} votes; on the curve an "
            "item with fewer uses what it has."
        )


def _silent(_: str) -> None:
    """Say nothing."""
