"""`crowd_study`: is a crowd as good as an expert, and what does it cost?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.aggregate import METHODS, options_of
from covary.analysis.crowd.arrangements import (
    COEFFICIENTS,
    Coefficient,
    arrange,
    as_coefficient,
    check_arrangements,
)
from covary.analysis.crowd.comparison import (
    BY_ITEM,
    ONE_VOTE,
    VoiceShares,
    agreements,
    closest,
    combined_shares,
    curve_points,
    differences,
    exchange_rates,
    longest_curve,
    resample,
)
from covary.analysis.crowd.overlap import MatchedItems, match_items, shared_sessions
from covary.analysis.crowd.result import CrowdStudy
from covary.analysis.crowd.workforce import VotePrices, costs, crowd_judges
from covary.errors import InvalidArgument, quiet
from covary.ratings import Ratings
from covary.scales import Level, Scale
from covary.stats.intervals import IntervalSpec
from covary.words import Note

Floats = npt.NDArray[np.float64]

RESAMPLES = 2000
FEW_SESSIONS = 20
"""With fewer clusters a bootstrap interval tends to be too narrow."""


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
        Of the bootstrap over sessions (the clusters of the ratings; else the sources that items
        share; else items).
        The seed is recorded.
    progress
        Called with a few words at each step, for a progress bar.

    Returns
    -------
    CrowdStudy
        Frozen, with `to_dict`; `covary.reports.crowd` writes it down.

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
    >>> study = crowd_study(votes, experts, pay=0.05, fee=0.01, rng=1, arrangements=100)
    >>> round(study.costs.crowd_cost, 2)
    6.48
    """
    spec = IntervalSpec.of("bootstrap", confidence, resamples, rng)
    check_arrangements(arrangements)
    prices = _prices(pay=pay, fee=fee, wage=wage, expert_pay=expert_pay)
    say = progress or _silent
    names = _methods(methods)
    matched = match_items(crowd, experts, criterion)
    chosen = _coefficients(coefficients, matched.scale)
    say("combining votes")
    combined, notes = _combine(crowd, matched, names, spec.seed)
    say("numbers of votes")
    longest = longest_curve(matched.n_votes, len(matched.categories))
    curves = {name: longest for name in names if name in BY_ITEM}
    single = VoiceShares(("votes", ONE_VOTE, 1), matched.shares)
    picked = _picked_votes(matched, curves)
    say("resampling")
    voices = (*_expert_voices(matched), *combined, single, *picked)
    pairs = resample(matched, voices, chosen, spec)
    say("arrangements")
    arranged = [
        distribution
        for expert in range(len(matched.experts))
        for distribution in arrange(matched, expert, chosen, number=arrangements, seed=spec.seed)
    ]
    crowd_voices = {ONE_VOTE: single.voice, **{name: ("method", name) for name in names}}
    several = len(matched.experts) > 1
    return CrowdStudy(
        criterion=matched.criterion,
        scale=matched.scale,
        experts=matched.experts,
        methods=names,
        coefficients=tuple((coefficient.name, coefficient.title) for coefficient in chosen),
        n_items=len(matched.items),
        n_votes=int(matched.n_votes.sum()),
        n_sessions=len(matched.clusters),
        nested_in=matched.nested_in,
        only_crowd=matched.only_crowd,
        only_experts=matched.only_experts,
        arrangements=tuple(arranged),
        agreement=tuple(agreements(pairs, matched.experts, names)),
        differences=tuple(differences(pairs, matched.experts, names)),
        closer=tuple(closest(pairs, matched.experts, crowd_voices)),
        curve=tuple(curve_points(pairs, matched, curves, prices.per_vote)),
        votes_per_expert=tuple(exchange_rates(pairs, matched.experts, curves, prices.per_vote)),
        judges=crowd_judges(crowd, criterion, prices),
        costs=costs(crowd, experts, criterion, prices),
        shared=shared_sessions(experts, criterion=criterion) if several else None,
        confidence=confidence,
        resamples=spec.resamples,
        seed=spec.seed,
        notes=(*_notes(matched, names), *notes),
    )


def _methods(methods: Sequence[str]) -> tuple[str, ...]:
    chosen = [methods] if isinstance(methods, str) else list(methods)
    names = tuple(dict.fromkeys(str(name).replace("_", "-") for name in chosen))
    if not names or any(name not in METHODS for name in names):
        raise InvalidArgument("crowd.methods", argument="methods", value=chosen, allowed=METHODS)
    return names


def _prices(**prices: float | None) -> VotePrices:
    for name, price in prices.items():
        numeric = isinstance(price, int | float) and not isinstance(price, bool)
        if price is not None and not (numeric and 0 <= price < math.inf):
            raise InvalidArgument("crowd.amount", argument=name, value=price)
    if prices["fee"] is not None and prices["pay"] is None:
        raise InvalidArgument("crowd.fee-without-pay", argument="fee", value=prices["fee"])
    return VotePrices(**prices)


def _coefficients(choice: Sequence[Any] | None, scale: Scale) -> tuple[Coefficient, ...]:
    if choice is None:
        ordered = scale.level > Level.NOMINAL or len(scale.categories or ()) <= 2
        names: list[Any] = ["cohen_kappa", "fisher_icc"] if ordered else ["cohen_kappa"]
    else:
        names = [choice] if isinstance(choice, str) or callable(choice) else list(choice)
    coefficients = {
        coefficient.name: coefficient
        for coefficient in (as_coefficient(name, scale) for name in names)
    }
    if not names or len(coefficients) < len(names):
        raise InvalidArgument(
            "crowd.coefficients", argument="coefficients", value=choice, allowed=COEFFICIENTS
        )
    return tuple(coefficients.values())


def _combine(
    crowd: Ratings, matched: MatchedItems, names: tuple[str, ...], seed: int
) -> tuple[list[VoiceShares], list[Note]]:
    """Combine the whole crowd's votes by each method and take the matched items."""
    voices, notes = [], []
    for name in names:
        codes = _codes(crowd, matched, name)
        left = int((codes < 0).sum())
        if left and "ties" in options_of(name):
            codes = _codes(crowd, matched, name, ties="random", seed=seed)
            notes.append(Note("crowd.drawn-ties", method=name, n=left))
        elif left:
            notes.append(Note("crowd.unrated", method=name, n=left))
        voices.append(VoiceShares(("method", name), _as_shares(codes, len(matched.categories))))
    return voices, notes


def _codes(crowd: Ratings, matched: MatchedItems, name: str, **more: Any) -> npt.NDArray[np.int64]:
    """The category number that a method gives each matched item; -1 where it gives none."""
    numbers = {category: number for number, category in enumerate(matched.categories)}
    with quiet():  # the notes say the same
        combined = METHODS[name](crowd, criterion=matched.criterion, **more)
    return np.array([numbers.get(combined.ratings[row], -1) for row in matched.place.tolist()])


def _expert_voices(matched: MatchedItems) -> Iterator[VoiceShares]:
    for expert, codes in zip(matched.experts, matched.expert_codes.T, strict=True):
        yield VoiceShares(("expert", expert), _as_shares(codes, len(matched.categories)))


def _picked_votes(matched: MatchedItems, curves: dict[str, int]) -> Iterator[VoiceShares]:
    """So many of each item's votes, combined, for every method and number."""
    for name, most in curves.items():
        for votes in range(1, most + 1):
            shares = combined_shares(matched.counts, votes, name, matched.scale)
            yield VoiceShares(("votes", name, votes), shares)


def _as_shares(codes: npt.NDArray[Any], size: int) -> Floats:
    """Each item's category as a row with a 1 in its place; nothing where there is none."""
    shares = np.zeros((len(codes), size))
    rated = codes >= 0
    shares[np.flatnonzero(rated), codes[rated]] = 1.0
    return shares


def _notes(matched: MatchedItems, names: tuple[str, ...]) -> Iterator[Note]:
    clusters, experts = len(matched.clusters), len(matched.experts)
    yield Note("crowd.spread-is-no-error", units=matched.units)
    if not clusters:
        yield Note("crowd.no-clusters")
    elif clusters < FEW_SESSIONS:
        yield Note("crowd.few-sessions", n=clusters, units=matched.units, few=FEW_SESSIONS)
    if matched.only_crowd or matched.only_experts:
        only = {"only_crowd": matched.only_crowd, "only_experts": matched.only_experts}
        yield Note("crowd.unmatched", **only)
    if experts < 2:
        yield Note("crowd.one-expert")
    elif (matched.expert_codes < 0).any():
        yield Note("crowd.incomplete-experts")
    models = [name for name in names if name not in BY_ITEM]
    if models:
        yield Note("crowd.models-off-curve", models=", ".join(models))
    fewest, most = int(matched.n_votes.min()), int(matched.n_votes.max())
    if fewest < most:
        yield Note("crowd.unequal-votes", fewest=fewest, most=most)


def _silent(_: str) -> None:
    """Say nothing."""
