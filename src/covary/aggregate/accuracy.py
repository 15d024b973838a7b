"""How many combined ratings are wrong: counted on gold, or simulated and checked; or no number.

A model's own certainty holds only if the model is right, and it does not know how uncertain the
model itself is. So the votes are simulated from Dawid and Skene's model, which lets every judge
err in a way of their own but independently of the others, and the method is applied to them again:
there the truth is known. Before that number is given, the simulated votes must look like the real
ones. Where judges err alike, because some items mislead everybody, they do not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Any, Literal

import numpy as np

from covary.aggregate.combine import METHODS, options_of
from covary.aggregate.large import LargeAggregated
from covary.aggregate.result import Aggregated
from covary.aggregate.votes import Floats, Ints, Votes, tallied_votes_of
from covary.errors import ConvergenceError, InvalidArgument, RatingsError
from covary.ratings import Ratings
from covary.scales import Scale, VerbalScale
from covary.stats.distributions import normal_quantile
from covary.stats.estimate import Result
from covary.words import Note

Basis = Literal["gold", "model", "none"]
Reason = Literal[
    "", "slots", "line", "few-votes", "few-errors", "dependent", "not-settled", "large"
]

FEWEST_ITEMS = 200
FEWEST_VOTES, FEWEST_OF_TWO = 5, 9
"""So many items with so many votes (more between two categories) show whether judges err together.

Of three votes between two categories all are equal or one differs, whatever the reason.
"""

FEWEST_ERRORS = 20
"""So many wrong ratings must be expected for their share to be known within a factor of 1.5."""

FARTHEST = 2.5
"""Standard errors between real and simulated votes from which they do not look alike."""

SIMULATED_ITEMS = 4000
"""At least so many items are simulated, in copies of the whole."""

COMPARED = ("majority", "one-coin", "dawid-skene")
"""The methods whose ratings are compared: with no model of judges, the least and the most."""

MANY = 0.02
"""Methods that rate fewer items than this differently are not worth a warning."""


@dataclass(frozen=True, kw_only=True)
class CombinedError(Result):
    """The share of combined ratings that are wrong, with what it rests on; NaN with the reason.

    `basis` says whether the share was counted on `gold` items or holds if judges err independently
    (`model`). `expected` is what the method's own model expects, `simulated` what the method does
    with votes of such judges. `misfit` holds the distances between real and simulated votes, in
    standard errors: how the agreement within items varies, and whether votes against the combined
    rating agree with each other. `disagreement` is the share of items that other methods rate
    otherwise.
    """

    method: str
    criterion: Any
    share: float
    low: float
    high: float
    basis: Basis
    reason: Reason
    expected: float
    simulated: float
    misfit: Mapping[str, float]
    disagreement: Mapping[str, float]
    gold_items: int
    gold_wrong: int
    notes: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of `rows()`."""
        return ("source", "share", "low", "high")

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each source of a share of wrong ratings."""
        rows: list[dict[str, Any]] = [
            {"source": "stated", "share": self.share, "low": self.low, "high": self.high},
            {"source": "expected by the model", "share": self.expected},
            {"source": "simulated", "share": self.simulated},
        ]
        return [{name: row.get(name) for name in self.columns} for row in rows]


def combined_error(
    ratings: Ratings,
    made: Aggregated | LargeAggregated,
    *,
    gold: Mapping[Any, Any] | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> CombinedError:
    """How many of the combined ratings are wrong, and what does that number assume?

    Parameters
    ----------
    ratings
        The votes that were combined.
    made
        What `combine` made of them.
    gold
        The known answers of some items, by item. They count as drawn from all items alike.
    confidence
        Of the interval, from 0 to 1.
    seed
        Of the simulated votes.

    Returns
    -------
    CombinedError
        With gold, the share of wrong ratings among gold items and Wilson's interval. Without, the
        share among simulated items, if it can be trusted: at least 200 items have five votes (nine
        between two categories), the simulated votes look like the real ones, and 20 or more wrong
        ratings are expected. Otherwise NaN, and `reason` says why.

    Notes
    -----
    The simulation knows Dawid and Skene's model: a judge's errors depend on the true category and
    on nothing else. Items that mislead most judges in the same way look easy to every method; only
    gold shows them. Checked against simulated crowds whose truth is known: within a factor of 1.5,
    or no number.

    Examples
    --------
    >>> from covary.aggregate import combine
    >>> votes = Ratings.from_wide([["a", "a", "b"], ["b", "b", "b"], ["a", "b", "b"]])
    >>> combined_error(votes, combine(votes, "majority"), gold={0: "a", 1: "b", 2: "a"}).share
    0.33
    >>> combined_error(votes, combine(votes, "majority")).reason
    'few-votes'
    """
    if not 0 < confidence < 1:
        raise InvalidArgument("stats.confidence", argument="confidence", value=confidence)
    trial = _trial(ratings, made, seed)
    right, wrong = _count_gold(made, gold or {})
    if right + wrong:
        share, low, high = _wilson(wrong, right + wrong, confidence)
    elif trial.reason:
        share, low, high = math.nan, math.nan, math.nan
    else:
        share, low, high = _wilson(trial.share * made.n_items, made.n_items, confidence)
    error = CombinedError(
        method=made.method,
        criterion=made.criterion,
        share=share,
        low=low,
        high=high,
        basis="gold" if right + wrong else "none" if trial.reason else "model",
        reason="" if right + wrong else trial.reason,
        expected=made.expected_errors,
        simulated=trial.share,
        misfit=trial.misfit,
        disagreement=trial.disagreement,
        gold_items=right + wrong,
        gold_wrong=wrong,
    )
    return replace(error, notes=tuple(_notes(error, _fewest_votes(made.categories))))


@dataclass(frozen=True, kw_only=True)
class _Trial:
    """What a method did with simulated votes, and how far these look like the real ones."""

    reason: Reason
    share: float = math.nan
    misfit: Mapping[str, float] = field(default_factory=dict)
    disagreement: Mapping[str, float] = field(default_factory=dict)


def _trial(ratings: Ratings, made: Aggregated | LargeAggregated, seed: int) -> _Trial:
    """Try the method out, unless the votes stay where they are."""
    if isinstance(made, LargeAggregated):
        return _Trial(reason="large" if made.categories else "line")
    votes = tallied_votes_of(ratings, made.criterion, made.settings.get("occasions", "refuse"))
    return _try_out(ratings, made, votes, seed)


def _try_out(ratings: Ratings, made: Aggregated, votes: Votes, seed: int) -> _Trial:
    """Compare the method with others on the votes, and with the truth on simulated ones."""
    if votes.continuous or len(votes.values) < 2:
        return _Trial(reason="line")
    if votes.slots:
        return _Trial(reason="slots")
    if votes.times is not None:
        return _Trial(reason="large")
    options = {"criterion": made.criterion, "occasions": made.settings["occasions"]}
    try:
        others = {
            name: made if _is_plain(made, name) else METHODS[name](ratings, **options)
            for name in COMPARED
        }
        differing = {name: _differing(made, other) for name, other in others.items()}
        if int((votes.n_votes >= _fewest_votes(votes.values)).sum()) < FEWEST_ITEMS:
            return _Trial(reason="few-votes", disagreement=differing)
        share, misfit = _simulate(made, others["dawid-skene"], votes, seed)
    except (ConvergenceError, RatingsError):
        return _Trial(reason="not-settled")
    reason: Reason = ""
    if max(map(abs, misfit.values())) > FARTHEST:
        reason = "dependent"
    elif share * made.n_items < FEWEST_ERRORS:
        reason = "few-errors"
    return _Trial(reason=reason, share=share, misfit=misfit, disagreement=differing)


def _is_plain(made: Aggregated, name: str) -> bool:
    """Whether the votes were combined by this method with its own settings."""
    usual = {key: p.default for key, p in signature(METHODS[name]).parameters.items()}
    asked = {key: value for key, value in made.settings.items() if key in usual}
    return made.method.replace("_", "-") == name and all(
        value == usual[key] for key, value in asked.items() if key != "occasions"
    )


def _fewest_votes(categories: Any) -> int:
    return FEWEST_OF_TWO if len(categories) == 2 else FEWEST_VOTES


def _differing(made: Aggregated, other: Aggregated) -> float:
    """The share of items to which both methods give a rating, and not the same."""
    pairs = list(zip(made.ratings, other.ratings, strict=True))
    return float(np.mean([None not in pair and pair[0] != pair[1] for pair in pairs]))


def _simulate(
    made: Aggregated, model: Aggregated, votes: Votes, seed: int
) -> tuple[float, dict[str, float]]:
    """Return the share of wrong ratings among simulated items, and how the votes differ."""
    rng = np.random.default_rng(seed)
    belief = np.asarray(model.probabilities)
    confusion = np.nan_to_num(np.array([judge.confusion for judge in model.judges]), nan=0.5)
    real = _agreements(votes.counts, belief.argmax(axis=1))
    copies = max(2, -(-SIMULATED_ITEMS // len(votes.items)))
    wrong, simulated = [], []
    for _ in range(copies):
        truth = _draw(belief, rng)
        drawn = _draw(confusion[votes.judge, truth[votes.item]], rng)
        copy = _as_ratings(votes, drawn)
        again = _again(made, copy)
        answers = np.array([_place(votes, rating) for rating in again.ratings])
        wrong.append((answers != truth)[answers >= 0].mean() if (answers >= 0).any() else 0.0)
        fitted = again if model is made else _again(model, copy)
        believed = np.asarray(fitted.probabilities).argmax(axis=1)
        counts = np.bincount(votes.item * belief.shape[1] + drawn, minlength=belief.size)
        simulated.append(_agreements(counts.reshape(belief.shape), believed))
    return float(np.mean(wrong)), _distances(real, simulated)


def _draw(probabilities: Floats, rng: np.random.Generator) -> Ints:
    """Draw a number for each row of probabilities."""
    heap = probabilities.cumsum(axis=1)
    drawn = (rng.random(len(heap))[:, None] * heap[:, -1:] >= heap).sum(axis=1)
    return np.asarray(np.minimum(drawn, heap.shape[1] - 1), dtype=np.int64)


def _place(votes: Votes, rating: Any) -> int:
    return -1 if rating is None else list(votes.values).index(rating)


def _as_ratings(votes: Votes, codes: Ints) -> Ratings:
    """Return simulated votes of the same judges on the same items."""
    names = np.empty(len(votes.values), dtype=object)
    names[:] = list(votes.values)
    columns = {"item": votes.item, "judge": votes.judge, "rating": names[codes].tolist()}
    scale: Scale = votes.scale
    if not scale.declared:
        scale = VerbalScale(votes.values, level="nominal")
    return Ratings(columns, scale=scale, repeats="occasions")


def _again(made: Aggregated, copy: Ratings) -> Aggregated:
    """Apply the method with its settings to other votes."""
    name = made.method.replace("_", "-")
    known = set(options_of(name)) - {"criterion"}
    options = {key: value for key, value in made.settings.items() if key in known}
    return METHODS[name](copy, **options | {"occasions": "votes"})


def _agreements(counts: Ints, believed: Ints) -> tuple[Floats, Floats]:
    """The share of agreeing pairs of votes in each item: of all, and of those against the belief.

    Items with fewer than two such votes are left out.
    """
    against = counts.copy()
    against[np.arange(len(counts)), believed] = 0
    return _pair_shares(counts), _pair_shares(against)


def _pair_shares(counts: Ints) -> Floats:
    n = counts.sum(axis=1)
    several = n > 1
    agreeing = (counts * (counts - 1)).sum(axis=1)[several]
    return np.asarray(agreeing / (n * (n - 1))[several])


def _distances(
    real: tuple[Floats, Floats], simulated: list[tuple[Floats, Floats]]
) -> dict[str, float]:
    """How far the real votes lie from simulated ones, in standard errors."""
    spread = [(items - items.mean()) ** 2 for items, _ in simulated]
    real_spread = (real[0] - real[0].mean()) ** 2
    against = [shares for _, shares in simulated]
    return {
        "spread of agreement": _distance(real_spread, np.concatenate(spread)),
        "errors alike": _distance(real[1], np.concatenate(against)),
    }


def _distance(real: Floats, simulated: Floats) -> float:
    if real.size < 2 or simulated.size < 2:
        return 0.0
    error = float(simulated.std()) * math.sqrt(1 / real.size + 1 / simulated.size)
    return float(real.mean() - simulated.mean()) / error if error > 0 else 0.0


def _count_gold(made: Aggregated | LargeAggregated, gold: Mapping[Any, Any]) -> tuple[int, int]:
    """Count the gold items with a right and with a wrong rating; those without one are left out."""
    for item, answer in gold.items():
        if not made.scale.accepts(answer):
            raise InvalidArgument(
                "aggregate.gold-off-scale", argument="gold", value=answer, item=item
            )
    found = made.ratings_of(gold) if gold else {}
    rated = [rating == gold[item] for item, rating in found.items()]
    if gold and not rated:
        raise InvalidArgument("aggregate.gold-elsewhere", argument="gold", value=len(gold))
    return sum(rated), len(rated) - sum(rated)


def _wilson(wrong: float, n: int, confidence: float) -> tuple[float, float, float]:
    """A share with Wilson's interval."""
    share, z = wrong / n, normal_quantile((1 + confidence) / 2)
    centre, width = (
        share + z**2 / (2 * n),
        z * math.sqrt(share * (1 - share) / n + (z / n / 2) ** 2),
    )
    return share, (centre - width) / (1 + z**2 / n), (centre + width) / (1 + z**2 / n)


def _notes(error: CombinedError, fewest_votes: int) -> Iterator[Note]:
    """Say what the number assumes, or why there is none, and where methods contradict it."""
    if error.basis == "gold":
        yield Note("aggregate.error-by-gold", n=error.gold_items)
    elif error.basis == "model":
        yield Note("aggregate.error-by-model")
    else:
        code = f"aggregate.no-error.{error.reason}"
        yield Note(code, items=FEWEST_ITEMS, votes=fewest_votes)
    stated = error.expected if math.isnan(error.share) else error.share
    beyond = {
        name: share
        for name, share in error.disagreement.items()
        if share > max(MANY, 2 * (0 if math.isnan(stated) else stated))
    }
    if beyond:
        code = "aggregate.methods-disagree" + ("-unknown" if math.isnan(error.share) else "")
        yield Note(code, methods=list(beyond), share=max(beyond.values()))
    if error.basis == "gold" and error.expected < error.low:
        yield Note("aggregate.overconfident", expected=error.expected, share=error.share)
