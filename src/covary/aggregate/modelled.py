"""The answer of a model: one of several tops, written down with what it says of judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from covary.aggregate.aggregated import Aggregated, Convergence, JudgeFit
from covary.aggregate.asking import ask_model, number_given, written
from covary.aggregate.latent import Family, Fitted, Task, fitted
from covary.aggregate.rows import Rows, rows_of
from covary.aggregate.starts import judge_weights
from covary.aggregate.votes import Floats, Occasions, Votes
from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.scales import Level

__all__ = ["Prior", "Top", "check_model", "fit_latent", "likely", "notes_on", "settled",
           "spammer_score"]  # fmt: skip

Prior = Literal["estimated", "uniform"]
Top = Literal["nearest", "highest"]

SAME_BELIEF = 1e-6
"""Probabilities that differ by less are a tie."""

SAME_HEIGHT = 1e-3
"""Tops whose heights (log-likelihoods with their penalties) differ by less are the same."""

LOSES_ORDER = (
    "the model does not know the order of the categories: a near miss counts like the opposite end"
)


class Peak(Protocol):
    """What every model's top has."""

    @property
    def belief(self) -> Floats: ...
    @property
    def log_likelihood(self) -> float: ...
    @property
    def height(self) -> float: ...
    @property
    def steps(self) -> int: ...


AnyPeak = TypeVar("AnyPeak", bound=Peak)


def check_model(
    *, prior: str, top: str, smoothing: float, starts: int, seed: int, tolerance: float, most: int
) -> None:
    """Check the options that models share."""
    for name, given, allowed in (
        ("prior", prior, ("estimated", "uniform")), ("top", top, ("nearest", "highest")),
    ):  # fmt: skip
        if given not in allowed:
            raise InvalidArgument(
                f"{name}={given!r} is not known; choose {' or '.join(map(repr, allowed))}"
            )
    number_given("smoothing", smoothing)
    number_given("starts", starts, least=1, whole=True)
    number_given("seed", seed, whole=True)
    number_given("max_iterations", most, least=2, whole=True)
    if not 0 < tolerance < 1:
        raise InvalidArgument(f"tolerance={tolerance!r} must lie between 0 and 1")


def fit_latent(
    name: str,
    title: str,
    ratings: Ratings,
    family: Callable[[int], Family],
    *,
    criterion: Any,
    prior: Prior,
    smoothing: float,
    starts: int,
    top: Top,
    ties: str,
    occasions: Occasions,
    seed: int,
    tolerance: float,
    max_iterations: int,
    own: Callable[[Floats], list[Mapping[str, Any]]] | None = None,
) -> Aggregated:
    """Fit a latent-class model from several starts and write its answer."""
    check_model(prior=prior, top=top, smoothing=smoothing, starts=starts, seed=seed,
                tolerance=tolerance, most=max_iterations)  # fmt: skip
    votes, notes = ask_model(name, ratings, criterion, occasions, ties)
    rows = rows_of(votes)
    task = Task(rows, family(len(votes.values)), smoothing, prior == "estimated")
    weights = judge_weights(votes, starts, seed)
    pseudo = task.pseudo_votes(rows.weighed(weights[0]))
    tops: list[Fitted] = []
    for weight in weights:
        known = tops[0] if tops else None
        tops.append(fitted(task, rows.weighed(weight), pseudo, tolerance=tolerance,
                           most=max_iterations, known=known))  # fmt: skip
    best, convergence = settled(tops, top)
    belief = best.belief[rows.row_of_item]
    fits = _judges(votes, rows, best, own)
    settings = {"prior": prior, "smoothing": smoothing, "starts": starts, "top": top,
                "tolerance": tolerance, "occasions": occasions, "seed": seed}  # fmt: skip
    notes += notes_on(votes, fits, belief, convergence, ordered=name == "dawid_skene")
    return written(name, title, votes, likely(belief), ties=ties, seed=seed, notes=notes,
                   settings=settings, belief=belief, convergence=convergence, judges=fits,
                   prior=dict(zip(votes.values, best.prior.tolist(), strict=True)))  # fmt: skip


def settled(tops: Sequence[AnyPeak], top: Top) -> tuple[AnyPeak, Convergence]:
    """Choose a top (the first start's, or the highest) and say how the others compare."""
    best = tops[0] if top == "nearest" else max(tops, key=lambda each: each.height)
    choice, sure = best.belief.argmax(axis=1), best.belief.max(axis=1) > 0.51
    agreed = sum(
        abs(each.height - best.height) < SAME_HEIGHT
        and bool((each.belief.argmax(axis=1) == choice)[sure].all())
        for each in tops
    )
    steps, heights = sum(each.steps for each in tops), tuple(each.height for each in tops)
    return best, Convergence(steps, best.log_likelihood, len(tops), agreed, best.height, heights)


def likely(belief: Floats) -> npt.NDArray[np.bool_]:
    """The most probable category of each item; several where they are as probable."""
    return np.asarray(belief.max(axis=1, keepdims=True) - belief < SAME_BELIEF)


def notes_on(
    votes: Votes,
    fits: Sequence[JudgeFit],
    belief: Floats,
    convergence: Convergence,
    *,
    ordered: bool,
) -> tuple[str, ...]:
    """Say what a reader of a model's answer should know."""
    notes = []
    other, size = convergence.starts - convergence.agreed, len(votes.values)
    if other:
        higher = max(convergence.heights) - convergence.height
        found = f", one of them {higher:.4g} higher (top='highest')" if higher > SAME_HEIGHT else ""
        notes.append(f"{other} of {convergence.starts} starts ended elsewhere{found}: these votes "
                     "leave room for more than one reading")  # fmt: skip
    if votes.scale.level > Level.NOMINAL and size > 2 and not ordered:
        notes.append(LOSES_ORDER)
    low = sum(bool(fit.n_votes) and fit.accuracy < 1 / size for fit in fits)
    if low:
        notes.append(f"{low:,} of {len(fits):,} judges are right less often than chance")
    believed, voted = belief.mean(axis=0), votes.counts.sum(axis=0) / votes.item.size
    most = int(believed.argmax())
    if believed[most] > 0.99 > 0.95 > voted[most]:
        notes.append(f"the model puts nearly every item into {votes.values[most]!r}, which has "
                     f"{voted[most]:.0%} of the votes; it has probably lost its way")  # fmt: skip
    return tuple(notes)


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


def _judges(
    votes: Votes,
    rows: Rows,
    best: Fitted,
    own: Callable[[Floats], list[Mapping[str, Any]]] | None,
) -> tuple[JudgeFit, ...]:
    n = np.bincount(votes.judge, minlength=len(votes.judges))
    met = rows.expected(best.belief).sum(axis=2)
    confusion = np.where(met[:, :, None] > SAME_BELIEF, best.confusion, np.nan)
    right = np.einsum("k,jkk->j", best.prior, best.confusion)
    parameters = [{} for _ in votes.judges] if own is None else own(best.vectors)
    return tuple(
        JudgeFit(judge, int(n[j]), float(right[j]) if n[j] else float("nan"), confusion[j],
                 spammer_score(confusion[j]), parameters[j])
        for j, judge in enumerate(votes.judges)
    )  # fmt: skip
