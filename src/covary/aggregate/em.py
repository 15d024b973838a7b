"""Models of judges, fitted by EM: several starts, accelerated steps, and what a fit says of judges.

Dawid and Skene's model, one coin and MACE are one thing: each judge has a few probability vectors,
these give the confusion matrix, and the expected votes give the vectors back.

Steps of EM are safe and slow near the top. SQUAREM (Varadhan & Roland 2008, scheme S3) extrapolates
two of them; where that would lose height, the plain step is taken instead.

A likelihood with several tops is climbed from several places. Each start weighs the judges' votes
differently; the weight is drawn from the seed and from what the judge did (how often each category,
how often with the majority), never from names or from the order of rows, so that renaming and
reordering cannot change a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from covary.aggregate.method import (
    Notes,
    Options,
    check_choice,
    check_number,
    make_result,
    read_named_votes,
)
from covary.aggregate.result import Aggregated, Convergence, JudgeFit
from covary.aggregate.votes import Floats, VoteRows, Votes, distinct_rows
from covary.errors import ConvergenceError, InvalidArgument
from covary.ratings import Ratings
from covary.scales import Level
from covary.words import Note

Prior = Literal["estimated", "uniform"]
Top = Literal["nearest", "highest"]
State = tuple[Floats, ...]
Words = npt.NDArray[np.uint64]

LONGEST = 64.0
"""How many steps at once an extrapolation may stand for."""

NEAR = 100.0
"""So many tolerances from a known top count as close to it."""

SAME_BELIEF = 1e-6
"""Probabilities that differ by less are a tie."""

SAME_HEIGHT = 1e-3
"""Tops whose heights (log-likelihoods with their penalties) differ by less are the same."""

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)


@dataclass(frozen=True, kw_only=True)
class ModelOptions(Options):
    """What every model is asked besides."""

    prior: Prior
    smoothing: float
    starts: int
    top: Top
    tolerance: float
    max_iterations: int

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("prior", self.prior, ("estimated", "uniform"))
        check_choice("top", self.top, ("nearest", "highest"))
        check_number("smoothing", self.smoothing)
        check_number("starts", self.starts, least=1, whole=True)
        check_number("max_iterations", self.max_iterations, least=2, whole=True)
        if not 0 < self.tolerance < 1:
            raise InvalidArgument("aggregate.tolerance", argument="tolerance", value=self.tolerance)

    @property
    def settings(self) -> dict[str, Any]:
        """What a result records, in its order."""
        names = ("prior", "smoothing", "starts", "top", "tolerance", "occasions", "seed")
        return {name: getattr(self, name) for name in names}


def climb(
    step: Callable[[State], tuple[State, float]],
    repair: Callable[[State, State], State],
    state: State,
    *,
    tolerance: float,
    max_steps: int,
    known: State | None = None,
) -> tuple[State, int]:
    """Step until nothing changes any more; return where that is and how many steps it took.

    Parameters
    ----------
    step
        Gives the next state, and the height of the given one.
    repair
        Brings an extrapolated state back to what is possible; it also gets the last plain one.
    state
        Where to begin.
    tolerance
        The climb ends when no number changes by more in one step.
    max_steps
        How many steps count as not converged, which raises `ConvergenceError` with the last state.
    known
        A top found before; a climb that comes close to it ends there, because the rest of the way
        is known.
    """
    steps = 0
    while True:
        first, height = step(state)
        steps += 1
        change = _largest_change(state, first)
        if change < tolerance:
            return first, steps
        if known is not None and _largest_change(known, first) < NEAR * tolerance:
            return known, steps
        if steps >= max_steps:
            raise ConvergenceError(
                "aggregate.not-settled", state=first, steps=max_steps, change=change
            )
        second, first_height = step(first)
        ahead = repair(_extrapolate(state, first, second), second)
        landed, ahead_height = step(ahead)
        steps += 2
        state = landed if ahead_height >= max(height, first_height) else second


def _extrapolate(start: State, first: State, second: State) -> State:
    once = [b - a for a, b in zip(start, first, strict=True)]
    bend = [c - b - r for b, c, r in zip(first, second, once, strict=True)]
    length, curve = _sum_of_squares(once), _sum_of_squares(bend)
    stride = min(max(1.0, float(np.sqrt(length / curve))), LONGEST) if curve > 0 else 1.0
    return tuple(
        a + 2 * stride * r + stride**2 * v for a, r, v in zip(start, once, bend, strict=True)
    )


def _sum_of_squares(parts: list[Any]) -> float:
    return sum(float((part**2).sum()) for part in parts)


def _largest_change(before: State, after: State) -> float:
    return max(float(np.abs(a - b).max()) for a, b in zip(before, after, strict=True))


def judge_weights(votes: Votes, starts: int, seed: int) -> list[Floats]:
    """Weights of the judges for each start; the first start counts every vote alike."""
    behaviour = _behaviour(votes)
    equal = np.ones(len(votes.judges))
    return [equal, *(_draw_weights(behaviour, seed, number) for number in range(1, starts))]


def _behaviour(votes: Votes) -> Words:
    """What each judge did, in whole numbers: votes by category, votes with the majority."""
    judges, categories = len(votes.judges), len(votes.values)
    alike, places = votes.weights[votes.item], votes.judge * categories + votes.code
    by_category = np.bincount(places, alike, minlength=judges * categories)
    most = votes.counts == votes.counts.max(axis=1, keepdims=True)
    alone = most.sum(axis=1) == 1
    with_most = most[votes.item, votes.code] & alone[votes.item]
    agreed = np.bincount(votes.judge, with_most * alike, minlength=judges)
    shape = (judges, categories)
    return np.column_stack([by_category.reshape(shape), agreed]).astype(np.uint64)


def _draw_weights(behaviour: Words, seed: int, number: int) -> Floats:
    """Numbers between 0.01 and 1 that look random, by SplitMix64 (Steele, Lea & Flood 2014)."""
    state = np.full(len(behaviour), seed, dtype=np.uint64)
    state = _mix(state ^ np.uint64(number))
    for column in behaviour.T:
        state = _mix(state ^ column)
    uniform = (state >> np.uint64(11)).astype(float) / 2.0**53
    return 0.01 + 0.99 * uniform


def _mix(state: Words) -> Words:
    state = state + GOLDEN
    state = (state ^ (state >> np.uint64(30))) * FIRST
    state = (state ^ (state >> np.uint64(27))) * SECOND
    return np.asarray(state ^ (state >> np.uint64(31)))


@dataclass(frozen=True)
class JudgeModel:
    """A kind of model: how long each judge's probability vectors are, and what they mean.

    `confusion` turns the vectors (judges × numbers) into confusion matrices (judge, true category,
    vote); `tally` gives how often each number of the vectors is expected to have been used, from
    the vectors and the expected votes.
    """

    sizes: tuple[int, ...]
    confusion: Callable[[Floats], Floats]
    tally: Callable[[Floats, Floats], Floats]

    def normalise(self, numbers: Floats) -> Floats:
        """Make each vector sum to 1; one without anything in it is uniform."""
        if len(set(self.sizes)) == 1:  # column by column, because there are few and many judges
            vectors = numbers.reshape(len(numbers), -1, self.sizes[0])
            totals = reduce(np.add, np.moveaxis(vectors, -1, 0))
            if (totals > 0).all():
                return np.asarray((vectors / totals[:, :, None]).reshape(numbers.shape))
        parts, start = [], 0
        for size in self.sizes:
            part = numbers[:, start : start + size]
            total = part.sum(axis=1, keepdims=True)
            filled = np.divide(part, total, where=total > 0, out=np.full_like(part, 1 / size))
            parts.append(filled)
            start += size
        return np.concatenate(parts, axis=1)

    def even(self, judges: int) -> Floats:
        """Return uniform vectors."""
        return self.normalise(np.zeros((judges, sum(self.sizes))))


@dataclass(frozen=True, kw_only=True)
class LatentFit:
    """The top that one start reached; `height` is the log-likelihood with its penalty."""

    prior: Floats
    vectors: Floats
    confusion: Floats
    belief: Floats
    log_likelihood: float
    height: float
    steps: int


@dataclass(frozen=True)
class LatentTask:
    """What is fitted to which votes: `pseudo` votes join each judge's vectors.

    They are spread as the votes of the whole crowd are, judged by the vote shares; so a judge with
    few votes is taken to be like the others.
    """

    rows: VoteRows
    model: JudgeModel
    options: ModelOptions
    pseudo: Floats

    @classmethod
    def of(cls, rows: VoteRows, model: JudgeModel, options: ModelOptions) -> LatentTask:
        """Spread the pseudo-votes of smoothing as the crowd's votes are."""
        shares = rows.weighed(np.ones(rows.n_judges))
        used = model.tally(model.even(rows.n_judges), rows.expected(shares))
        share = model.normalise(used.sum(axis=0, keepdims=True))
        return cls(rows, model, options, np.asarray(options.smoothing * share))

    def fit(self, weights: Floats, known: LatentFit | None) -> LatentFit:
        """Climb to a top, maybe a known one, from the votes with the judges weighed."""
        (prior, vectors), steps = climb(
            self.step,
            self.repair,
            self.update(self.model.even(self.rows.n_judges), self.rows.weighed(weights)),
            tolerance=self.options.tolerance,
            max_steps=self.options.max_iterations,
            known=None if known is None else (known.prior, known.vectors),
        )
        confusion = self.model.confusion(vectors)
        belief, log_likelihood = self.rows.believed(prior, confusion)
        return LatentFit(
            prior=prior,
            vectors=vectors,
            confusion=confusion,
            belief=belief,
            log_likelihood=log_likelihood,
            height=log_likelihood + self.penalty(vectors),
            steps=steps,
        )

    def step(self, state: State) -> tuple[State, float]:
        """One step of EM, and the height of where it began."""
        prior, vectors = state
        belief, log_likelihood = self.rows.believed(prior, self.model.confusion(vectors))
        return self.update(vectors, belief), log_likelihood + self.penalty(vectors)

    def update(self, vectors: Floats, belief: Floats) -> State:
        """The prior and the vectors that fit a belief best."""
        used = self.model.tally(vectors, self.rows.expected(belief))
        size = belief.shape[1]
        prior = np.full(size, 1 / size)
        if self.options.prior == "estimated":
            prior = self.rows.mean_belief(belief)
        return prior, self.model.normalise(used + self.pseudo)

    def repair(self, ahead: State, second: State) -> State:
        """Keep probabilities above 0 and summing to 1."""
        prior, vectors = (np.maximum(a, 0.1 * b) for a, b in zip(ahead, second, strict=True))
        return prior / prior.sum(), self.model.normalise(vectors)

    def penalty(self, vectors: Floats) -> float:
        """The log density of the Dirichlet prior that pseudo-votes stand for."""
        logs = np.log(np.maximum(vectors, np.finfo(float).tiny))
        return float((np.ones(len(logs)) @ logs) @ self.pseudo[0])


class ModelFit(Protocol):
    """What every model's fit has."""

    @property
    def prior(self) -> Floats: ...
    @property
    def belief(self) -> Floats: ...
    @property
    def log_likelihood(self) -> float: ...
    @property
    def height(self) -> float: ...
    @property
    def steps(self) -> int: ...


AnyFit = TypeVar("AnyFit", bound=ModelFit)


def fit_latent(
    title: str,
    model: Callable[[int], JudgeModel],
    ratings: Ratings,
    options: ModelOptions,
    *,
    parameters: Callable[[Floats], Mapping[str, Any]] = lambda _: {},
) -> Aggregated:
    """Fit a latent-class model from several starts; `parameters` reads a judge's vectors."""
    votes, notes = read_named_votes(options, ratings)
    rows = distinct_rows(votes)
    task = LatentTask.of(rows, model(len(votes.values)), options)
    fit, convergence = fit_from_starts(task.fit, votes, options)
    return make_model_result(
        options,
        title,
        votes,
        fit,
        rows=rows,
        convergence=convergence,
        judges=_latent_judges(votes, rows, fit, parameters),
        notes=notes,
    )


def fit_from_starts(
    fit: Callable[[Floats, AnyFit | None], AnyFit], votes: Votes, options: ModelOptions
) -> tuple[AnyFit, Convergence]:
    """Fit from several starts, choose the first start's or the highest, and compare the others.

    `fit` gets the weights of the judges and the first start's fit, where the others may end.
    """
    first, *others = judge_weights(votes, options.starts, options.seed)
    fits = [fit(first, None)]
    fits += [fit(weights, fits[0]) for weights in others]
    best = fits[0] if options.top == "nearest" else max(fits, key=lambda one: one.height)
    choice, sure = best.belief.argmax(axis=1), best.belief.max(axis=1) > 0.51
    agreed = sum(
        abs(one.height - best.height) < SAME_HEIGHT
        and bool((one.belief.argmax(axis=1) == choice)[sure].all())
        for one in fits
    )
    return best, Convergence(
        iterations=sum(one.steps for one in fits),
        log_likelihood=best.log_likelihood,
        starts=len(fits),
        agreed=agreed,
        height=best.height,
        heights=tuple(one.height for one in fits),
    )


def make_model_result(
    options: ModelOptions,
    title: str,
    votes: Votes,
    fit: ModelFit,
    *,
    rows: VoteRows,
    convergence: Convergence,
    judges: tuple[JudgeFit, ...],
    notes: Notes,
    **more: Any,
) -> Aggregated:
    """Make the result of a model from the fit that was chosen."""
    belief = fit.belief[rows.row_of_item]
    ordered = options.method == "dawid_skene"
    more_notes = _model_notes(votes, judges, belief, convergence, ordered=ordered)
    return make_result(
        options,
        title,
        votes,
        most_likely(belief),
        notes=(*notes, *more_notes),
        settings=options.settings,
        belief=belief,
        convergence=convergence,
        judges=judges,
        prior=dict(zip(votes.values, fit.prior.tolist(), strict=True)),
        **more,
    )


def most_likely(belief: Floats) -> npt.NDArray[np.bool_]:
    """The most probable category of each item; several where they are as probable."""
    return np.asarray(belief.max(axis=1, keepdims=True) - belief < SAME_BELIEF)


def _model_notes(
    votes: Votes,
    judges: Sequence[JudgeFit],
    belief: Floats,
    convergence: Convergence,
    *,
    ordered: bool,
) -> Iterator[Note]:
    """Say what a reader of a model's result should know."""
    starts, size = convergence.starts, len(votes.values)
    if convergence.agreed < starts:
        higher = max(convergence.heights) - convergence.height
        yield Note(
            "aggregate.other-tops",
            other=starts - convergence.agreed,
            starts=starts,
            higher=higher if higher > SAME_HEIGHT else 0.0,
        )
    if votes.scale.level > Level.NOMINAL and size > 2 and not ordered:
        yield Note("aggregate.model-ignores-order")
    low = sum(bool(judge.n_votes) and judge.accuracy < 1 / size for judge in judges)
    if low:
        yield Note("aggregate.below-chance", n=low, judges=len(judges))
    believed, voted = votes.weights @ belief / votes.n_items, votes.weights @ votes.counts
    voted = voted / voted.sum()
    most = int(believed.argmax())
    if believed[most] > 0.99 > 0.95 > voted[most]:
        share, category = float(voted[most]), votes.values[most]
        yield Note("aggregate.one-category", category=category, share=share)


def spammer_score(confusion: Floats) -> float:
    """How much a judge's votes depend on what is true: 0 not at all, 1 entirely.

    The mean squared difference between rows of the confusion matrix (Raykar & Yu 2012); rows that
    are not known are left out, and two are needed.

    Examples
    --------
    >>> spammer_score(np.eye(3))
    1.0
    >>> spammer_score(np.array([[0.5, 0.5], [0.5, 0.5]]))
    0.0
    """
    known = confusion[~np.isnan(confusion).any(axis=1)]
    if len(known) < 2:
        return float("nan")
    pairs = known[:, None, :] - known[None, :, :]
    return float((pairs**2).sum() / 2 / (len(known) * (len(known) - 1)))


def _latent_judges(
    votes: Votes,
    rows: VoteRows,
    fit: LatentFit,
    parameters: Callable[[Floats], Mapping[str, Any]],
) -> tuple[JudgeFit, ...]:
    n = np.bincount(votes.judge, votes.weights[votes.item], minlength=len(votes.judges))
    met = rows.expected(fit.belief).sum(axis=2)
    confusion = np.where(met[:, :, None] > SAME_BELIEF, fit.confusion, np.nan)
    right = np.einsum("k,jkk->j", fit.prior, fit.confusion)
    return tuple(
        JudgeFit(
            judge=judge,
            n_votes=int(n[j]),
            accuracy=float(right[j]) if n[j] else float("nan"),
            confusion=confusion[j],
            spammer_score=spammer_score(confusion[j]),
            parameters=parameters(fit.vectors[j]),
        )
        for j, judge in enumerate(votes.judges)
    )
