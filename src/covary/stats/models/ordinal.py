"""Ordered categories as they are: systems, judges and items on one line, cut by thresholds.

The cumulative logit model takes no equal steps between categories for granted. Judges have their
own severity, items their own place on the line, and what differs between systems is what is left.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from covary.errors import ConvergenceError
from covary.records import dataclass
from covary.stats.estimate import Result
from covary.stats.models.anova import check_factors
from covary.stats.models.cumulative import (
    Logits,
    Nodes,
    Terms,
    collapse,
    differentiate,
    equal_nodes,
    find_modes,
    fixed_places,
    integrate,
    logits_of,
)
from covary.stats.models.tables import cholesky, inverse_by_root, solve_by_root
from covary.stats.special import expit, expits

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]

NODES = 25
"""The fewest nodes of each item, where they are no further apart than `APART`."""

APART = 0.9
"""How far apart nodes may lie, in logits: a category's probability turns within two."""

MOST_NODES = 151
"""Nodes of each item at the most, which standard deviations of 10 logits need."""

REACH = 7.5
"""How far the nodes reach, in standard deviations of the posterior."""

SLACK = 1e-6
"""By what share the likelihood may fall in a step, because it is known up to quadrature."""

LEVEL = 5e-3
"""A step that is shorter, in standard errors of the estimates, is none."""

LONGEST = 3.0
"""How far a step may lead, in logits."""

RECENTRED = 2
"""How often nodes are placed anew by the mean and the spread of the posterior they show."""

HALVINGS, FEW_HALVINGS = 30, 5
"""How often a step is halved until it leads uphill; the second where a fit may be given up.

Discriminations that the ratings do not determine send Newton's method to and fro for hundreds of
evaluations; where they are determined, a step is seldom halved twice.
"""

FARTHEST = 25.0
"""An effect that is larger, in logits, is not determined by the ratings."""

FIRST_SPREAD = 0.25
"""The variance of shrunken effects at the beginning."""

FIRST_SHARPNESS = 0.05
"""The same of the logarithms of discriminations."""

ANCHOR = 1e3
"""How firmly the logarithms of discriminations are held at a mean of 0, which nothing else fixes:
steeper logits are the same as effects, thresholds and spreads that are larger."""

SPREAD_STEPS, SHORTEST, WIDEST = 4, 0.3, 3.0
"""How often the variances are moved between two steps of the parameters, and by what factors a
standard deviation may change in one of them."""

NEAR = 0.5
"""A step no longer than this, in logits, leaves the nodes of the items where they are."""

LOG_ITEM_SD = -5.0, 4.0
"""The least and the largest logarithm of the standard deviation of items.

Where the likelihood would have it smaller, items do not vary, and it stays there (Bertsekas 1982):
its slope never is level.
"""

LEAST_SPREAD = 1e-4
"""A variance of shrunken effects that is 0 but for rounding."""


@dataclass(frozen=True, kw_only=True)
class OrdinalJudge(Result):
    """One judge under the model.

    `severity` is how far the judge rates below the mean of all judges, in logits, with its
    standard error; `discrimination` how sharply the judge tells items apart beside the others, 1
    on average. `infit` and `outfit` are mean squares of what the judge's ratings differ by from
    what the other ratings of the same items let expect: 1 where the model holds, above it for an
    erratic judge, below it for one who goes with the others more than chance allows. Infit weighs
    ratings by their information, outfit counts surprises alike.
    """

    severity: float
    standard_error: float
    discrimination: float = 1.0
    infit: float
    outfit: float
    n_ratings: int


@dataclass(frozen=True, kw_only=True)
class OrdinalModel(Result):
    """Where the systems stand on the line behind the categories, and what else moves ratings.

    `effects` are the systems' places beside the first one's, which is 0; `covariance` goes with
    them. `scores` are the mean ratings that the systems would get from a judge of average severity,
    on the scale itself, with their standard errors. `item_sd` is how much items differ, in logits,
    `spreads` the standard deviations of the shrunken effects. `judges` stand in the order of their
    codes.
    """

    effects: Floats
    covariance: Floats
    scores: Floats
    score_errors: Floats
    thresholds: Floats
    judge_effects: Floats
    judges: tuple[OrdinalJudge, ...]
    item_sd: float
    spreads: Mapping[str, float]
    log_likelihood: float
    n_ratings: int
    counts: npt.NDArray[np.int64]
    method: str
    parameters: Floats = field(repr=False, compare=False)

    @property
    def latent_sd(self) -> float:
        """The standard deviation of a rating of one system on the line, in logits."""
        others = sum(spread**2 for name, spread in self.spreads.items() if name != "discrimination")
        return math.sqrt(math.pi**2 / 3 + self.item_sd**2 + others)

    def rank_probabilities(
        self, *, best: str = "high", draws: int = 10_000, seed: int = 0
    ) -> Floats:
        """How probable each rank is, systems × ranks, with the effects drawn as they are known."""
        values, vectors = np.linalg.eigh(self.covariance)
        root = vectors * np.sqrt(np.maximum(values, 0))
        noise = np.random.default_rng(seed).standard_normal((draws, self.effects.size))
        drawn = self.effects + noise @ root.T
        order = np.argsort(drawn if best == "low" else -drawn, axis=1)
        k = self.effects.size
        table = np.zeros((k, k))
        for rank in range(k):
            table[:, rank] = np.bincount(order[:, rank], minlength=k) / draws
        return table


def ordinal_model(
    values: npt.ArrayLike,
    system: npt.ArrayLike,
    *,
    judge: npt.ArrayLike | None = None,
    item: npt.ArrayLike | None = None,
    shrunken: Mapping[str, npt.ArrayLike] | None = None,
    discrimination: bool = False,
    nodes: int = NODES,
) -> OrdinalModel:
    """Which system is better, when ratings are ordered categories and no more?

    Parameters
    ----------
    values
        The ratings as numbers, of which only the order is used, but for `scores`.
    system, judge, item
        The system, the judge and the item of each rating, as whole numbers from 0. Judges are fixed
        here: each has a severity of his or her own.
    shrunken
        Further factors by name, whose effects are drawn towards 0 as far as their spread suggests:
        the judges of a crowd, what each judge thinks of each system, sources.
    discrimination
        Whether to find also how sharply each judge tells items apart: in a second fit, from which
        nothing else is taken.
    nodes
        Of the quadrature.

    Returns
    -------
    OrdinalModel
        To compare all pairs, give `effects`, `counts` and `covariance` to `compare_means`.

    Notes
    -----
    logit P(rating ≤ c) = θ_c - (system + judge + item), items normal with mean 0. Items are
    integrated by adaptive quadrature, all other parameters found by Newton's method
    on the marginal likelihood; the variances of shrunken effects by their own likelihood (Laplace's
    approximation, with many ratings for each effect). Categories that nobody used have no threshold
    of their own. Checked against R ordinal 2022.11-16 (clmm), whose one-node (Laplace) fit differs
    where items have two or three ratings.

    References
    ----------
    Agresti (2010), Analysis of Ordinal Categorical Data; Liddell & Kruschke (2018); Linacre (1989),
    Many-Facet Rasch Measurement, for infit and outfit.
    """
    known = {"system": system, "judge": judge, "item": item}
    fitting = _Fitting(values, known, dict(shrunken or {}), nodes)
    fit = fitting.climb()
    model = fitting.describe(fit)
    if not discrimination or "judge" not in fitting.parts:
        return model
    sharper = fitting.with_discrimination()
    start = np.append(fit.parameters, np.zeros(sharper.n_judges))
    try:
        logs = sharper.climb(
            start, {**fit.variances, "discrimination": FIRST_SHARPNESS}
        ).parameters[sharper.parts["discrimination"]]
    except ConvergenceError:  # all else is known without it
        logs = np.full(sharper.n_judges, np.nan)
    sharpness = np.exp(logs - logs.mean()).tolist()
    judges = zip(model.judges, sharpness, strict=True)
    return replace(model, judges=tuple(replace(judge, discrimination=a) for judge, a in judges))


@dataclass(frozen=True, kw_only=True)
class _State:
    """The parameters, the likelihood around them, and the variances of shrunken effects."""

    parameters: Floats
    variances: Mapping[str, float]
    modes: Floats
    nodes: Nodes
    gradient: Floats
    information: Floats

    @cached_property
    def root(self) -> Floats | None:
        """The Cholesky root of the information, where it is positive definite."""
        return cholesky(self.information)

    @cached_property
    def inverse(self) -> Floats:
        """The covariances of the estimates."""
        if self.root is None:
            return np.asarray(np.linalg.pinv(self.information, hermitian=True), dtype=float)
        return inverse_by_root(self.root)


@dataclass(frozen=True, kw_only=True)
class _Spreads:
    """How the marginal likelihood changes with the spreads of shrunken effects.

    The likelihood is taken for the parabola that touches it, so that the effects are normal as
    they are in a linear mixed model (Breslow & Clayton 1993). Where its slopes are 0 each variance
    is MacKay's (1992): squared effects by the number of those that the ratings determine.
    """

    names: tuple[str, ...]
    slopes: Floats
    curves: Floats

    def factors(self, variances: Mapping[str, float]) -> dict[str, float]:
        """Newton's step: by what factor each standard deviation changes."""
        held = np.array([variances[name] <= LEAST_SPREAD for name in self.names])
        free = ~(held & (self.slopes <= 0))
        step = np.zeros(len(self.names))
        if free.any():
            values, vectors = np.linalg.eigh(-self.curves[np.ix_(free, free)])
            least = 1e-6 * max(float(np.abs(values).max()), 1e-6)
            turned = vectors.T @ self.slopes[free]
            step[free] = vectors @ (turned / np.maximum(np.abs(values), least))
        moved = np.clip(1 + step, SHORTEST, WIDEST)
        return dict(zip(self.names, moved.tolist(), strict=True))


def _spread_moved(before: _State, after: _State) -> float:
    """How far the standard deviations of shrunken effects have moved."""
    return max(
        (
            abs(math.sqrt(after.variances[name]) - math.sqrt(value))
            for name, value in before.variances.items()
        ),
        default=0.0,
    )


def _uphill(state: _State) -> tuple[Floats, bool]:
    """Newton's step, and whether the place is convex; elsewhere curvatures are turned around."""
    if state.root is not None:
        step = solve_by_root(state.root, state.gradient)
        if np.abs(step).max() < LONGEST:
            return step, True
    values, vectors = np.linalg.eigh(state.information)
    least = 1e-6 * float(np.abs(values).max())
    turned = vectors.T @ state.gradient
    return vectors @ (turned / np.maximum(np.abs(values), least)), bool((values > 0).all())


class _Fitting:
    """The model's parameters in one vector: thresholds, systems, judges, shrunken effects, σ, a."""

    def __init__(
        self,
        ratings: npt.ArrayLike,
        known: Mapping[str, npt.ArrayLike | None],
        shrunken: Mapping[str, npt.ArrayLike],
        nodes: int,
    ) -> None:
        factors = {name: codes for name, codes in known.items() if codes is not None}
        values, coded = check_factors(ratings, {**factors, **shrunken})
        used, y = np.unique(values, return_inverse=True)
        if used.size < 2:
            raise ConvergenceError("stats.model-one-category")
        self.n_ratings, self.counts = values.size, np.bincount(coded["system"])
        varying = "item" in coded and int(coded["item"].max()) + 1 < values.size
        items = coded.pop("item", None) if varying else None
        kept, item, times = collapse([y, *coded.values()], items)
        self.y, self.used = y[kept], used
        self.factors = {name: codes[kept] for name, codes in coded.items()}
        self.shrunken, self.nodes = tuple(shrunken), nodes
        self.anchored = slice(0, 0)
        self.halvings = HALVINGS
        self.parts = self._lay_out(varying)
        self.terms = self._make_terms(item, times, varying)

    def _lay_out(self, varying: bool) -> dict[str, slice]:
        """Where each group of parameters stands; the first system and judge have none."""
        levels = {name: int(codes.max()) + 1 for name, codes in self.factors.items()}
        sizes = {"threshold": self.used.size - 1, "system": levels["system"] - 1}
        if "judge" in levels and "judge" not in self.shrunken:
            sizes["judge"] = levels["judge"] - 1
        sizes |= {name: levels[name] for name in self.shrunken}
        sizes |= {"item": 1} if varying else {}
        ends = np.cumsum(list(sizes.values())).tolist()
        return {
            name: slice(end - size, end)
            for (name, size), end in zip(sizes.items(), ends, strict=True)
        }

    def _make_terms(self, items: Codes, times: Floats, varying: bool) -> Terms:
        parts, cuts = self.parts, self.used.size - 1
        size = max(part.stop for part in parts.values())
        columns = []
        for name in parts:
            if name in ("threshold", "item"):
                continue
            codes = self.factors[name]
            free = name in self.shrunken
            places = parts[name].start + codes - (0 if free else 1)
            columns.append(places if free else np.where(codes == 0, size, places))
        return Terms(
            upper=np.where(self.y < cuts, self.y, cuts),
            lower=np.where(self.y > 0, self.y - 1, cuts + 1),
            n_thresholds=cuts,
            effects=np.stack(columns, axis=1),
            discrimination=None,
            spread=parts["item"].start if varying else None,
            item=items,
            times=times,
            size=size,
        )

    @property
    def n_judges(self) -> int:
        """How many judges there are."""
        return int(self.factors["judge"].max()) + 1

    def with_discrimination(self) -> _Fitting:
        """The same with a discrimination for each judge, drawn towards 1, which is their mean."""
        more = object.__new__(_Fitting)
        more.__dict__.update(self.__dict__)
        start, size = self.terms.size, self.terms.size + self.n_judges
        more.parts = {**self.parts, "discrimination": slice(start, size)}
        more.shrunken = (*self.shrunken, "discrimination")
        more.anchored = more.parts["discrimination"]
        more.halvings = FEW_HALVINGS
        effects = np.where(self.terms.effects == start, size, self.terms.effects)
        places = start + self.factors["judge"]
        more.terms = replace(self.terms, effects=effects, discrimination=places, size=size)
        return more

    def start(self) -> Floats:
        """Thresholds from the shares of the categories, items spread by 1, all else 0."""
        parameters = np.zeros(self.terms.size)
        counts = np.bincount(self.y, self.terms.times[self.terms.item])
        shares = np.cumsum(counts)[:-1] / self.n_ratings
        parameters[self.parts["threshold"]] = 1.2 * np.log(shares / (1 - shares))
        return parameters

    def climb(
        self, start: Floats | None = None, spreads: Mapping[str, float] | None = None
    ) -> _State:
        """Newton's method for the parameters, with the variances of shrunken effects in between."""
        variances = dict.fromkeys(self.shrunken, FIRST_SPREAD) | dict(spreads or {})
        state = self._evaluate(self.start() if start is None else start, variances, None)
        for _ in range(60):
            state, settled = self._step(state)
            before = state
            state = self._move_variances(state) if self.shrunken else state
            if settled and _spread_moved(before, state) < 1e-4:
                return before
        raise self._unsettled(state)

    def _move_variances(self, state: _State) -> _State:
        """The same place under the variances that its likelihood suggests."""
        right = state.information @ state.parameters + state.gradient
        for _ in range(SPREAD_STEPS):
            if state.root is None:
                break
            factors = self._spreads(state, right).factors(state.variances)
            variances = {
                name: max(value * factors[name] ** 2, LEAST_SPREAD)
                for name, value in state.variances.items()
            }
            before, state = state, self._penalise(state, variances)
            if _spread_moved(before, state) < 1e-5:
                break
        return state

    def _spreads(self, state: _State, right: Floats) -> _Spreads:
        inverse = state.inverse
        effects = inverse @ right
        parts = [self.parts[name] for name in self.shrunken]
        variances = np.array([state.variances[name] for name in self.shrunken])
        squares = np.array([effects[part] @ effects[part] for part in parts])
        known = squares + [np.trace(inverse[part, part]) for part in parts]
        slopes = known / variances - [part.stop - part.start for part in parts]
        curves = np.empty((variances.size, variances.size))
        for one, part in enumerate(parts):
            for other, beside in enumerate(parts):
                block = inverse[part, beside]
                shared = 2 * (effects[part] @ block @ effects[beside]) + np.vdot(block, block)
                curves[one, other] = 2 * shared / (variances[one] * variances[other])
        curves -= np.diag(2 * known / variances + slopes)
        return _Spreads(names=self.shrunken, slopes=slopes, curves=curves)

    def _unsettled(self, state: _State) -> ConvergenceError:
        return ConvergenceError(
            "stats.ordinal-unsettled", state={"parameters": state.parameters.tolist()}
        )

    def _penalty(self, variances: Mapping[str, float]) -> Floats:
        penalty = np.zeros(self.terms.size)
        for name, variance in variances.items():
            penalty[self.parts[name]] = 1 / max(variance, LEAST_SPREAD)
        return penalty

    def _penalise(self, state: _State, variances: Mapping[str, float]) -> _State:
        """The same place under other variances."""
        change = self._penalty(variances) - self._penalty(state.variances)
        return replace(
            state,
            variances=dict(variances),
            gradient=state.gradient - change * state.parameters,
            information=state.information + np.diag(change),
        )

    def _spread(self, parameters: Floats) -> float:
        return 1.0 if self.terms.spread is None else math.exp(parameters[self.terms.spread])

    def _items_alike(self, parameters: Floats) -> bool:
        """Say whether items have the least standard deviation, which stands for none."""
        spread = self.terms.spread
        return spread is not None and bool(parameters[spread] <= LOG_ITEM_SD[0])

    def _evaluate(
        self,
        parameters: Floats,
        variances: Mapping[str, float],
        before: _State | None,
    ) -> _State:
        padded = np.append(parameters, 0.0)  # the first system and judge
        logits, deviation = logits_of(self.terms, padded), self._spread(parameters)
        near = before is not None and np.abs(parameters - before.parameters).max() < NEAR
        if self.terms.spread is None:
            modes, nodes = np.zeros((2, 1)), fixed_places(self.terms, logits)
        elif before is not None and near:
            modes = before.modes
            nodes = self._recentred(logits, deviation, modes, before.nodes)
        else:
            start = np.zeros(int(self.terms.item[-1]) + 1) if before is None else before.modes[0]
            modes = find_modes(self.terms, logits, deviation, start)
            rule = equal_nodes(self.nodes, REACH)
            nodes = integrate(self.terms, logits, deviation, around=modes, rule=rule)
            for _ in range(RECENTRED):
                nodes = self._recentred(logits, deviation, modes, nodes)
        gradient, information = differentiate(self.terms, logits, deviation, nodes)
        penalty = self._penalty(variances)
        gradient -= penalty * parameters
        information += np.diag(penalty)
        if self._items_alike(parameters) and gradient[self.terms.spread] < 0:
            gradient[self.terms.spread] = 0.0
            information[self.terms.spread] = information[:, self.terms.spread] = 0.0
            information[self.terms.spread, self.terms.spread] = 1.0
        gradient[self.anchored] -= ANCHOR * parameters[self.anchored].sum()
        information[self.anchored, self.anchored] += ANCHOR
        return _State(
            parameters=parameters,
            variances=dict(variances),
            modes=modes,
            nodes=nodes,
            gradient=gradient,
            information=information,
        )

    def _recentred(self, logits: Logits, deviation: float, modes: Floats, nodes: Nodes) -> Nodes:
        """Integrate around the means of a posterior, which may lie far off the modes.

        Nodes of a place before may reach too far, but no posterior is wider than its prior.
        """
        mean = np.sum(nodes.weights * nodes.places, axis=1)
        variance = np.sum(nodes.weights * nodes.places**2, axis=1) - mean**2
        widest = deviation**2
        spread = np.clip(variance, np.minimum(modes[1] ** 2, widest) / 4, widest)
        around = np.array([mean, np.sqrt(spread)])
        number = math.ceil(2 * REACH * float(around[1].max()) / APART)
        rule = equal_nodes(min(max(number, self.nodes), MOST_NODES), REACH)
        return integrate(self.terms, logits, deviation, around=around, rule=rule)

    def _objective(self, state: _State) -> float:
        penalty = float(self._penalty(state.variances) @ state.parameters**2)
        penalty += ANCHOR * float(state.parameters[self.anchored].sum()) ** 2
        return state.nodes.log_likelihood - penalty / 2

    def _step(self, state: _State) -> tuple[_State, bool]:
        """One step uphill, shortened until it is one; and whether the place was level before."""
        step, convex = _uphill(state)
        if float(state.gradient @ step) < LEVEL**2 and convex:
            return state, True
        step *= min(1.0, LONGEST / float(np.abs(step).max()))
        before, cuts = self._objective(state), self.parts["threshold"]
        for _ in range(self.halvings):
            place = state.parameters + step
            if self.terms.spread is not None:
                place[self.terms.spread] = np.clip(place[self.terms.spread], *LOG_ITEM_SD)
            if np.all(np.diff(place[cuts]) > 0):
                new = self._evaluate(place, state.variances, state)
                if self._objective(new) >= before - SLACK * abs(before):
                    if np.abs(place).max() > FARTHEST:
                        raise ConvergenceError("stats.ordinal-apart")
                    return new, False
            step = step / 2
        if self.halvings < HALVINGS:
            raise self._unsettled(state)
        return state, True

    def describe(self, state: _State) -> OrdinalModel:
        """Turn the parameters into effects, scores and what is to be said of each judge."""
        inverse = state.inverse
        part, k = self.parts["system"], int(self.factors["system"].max()) + 1
        effects = np.append(0.0, state.parameters[part])
        covariance = np.zeros((k, k))
        covariance[1:, 1:] = inverse[part, part]
        scores, errors = self._scores(state, inverse)
        spreads = {
            name: math.sqrt(value) if value > LEAST_SPREAD else 0.0
            for name, value in state.variances.items()
        }
        judge_effects, judges = self._judges(state, inverse)
        alike = self.terms.spread is None or self._items_alike(state.parameters)
        item_sd = 0.0 if alike else self._spread(state.parameters)
        return OrdinalModel(
            effects=effects,
            covariance=covariance,
            scores=scores,
            score_errors=errors,
            thresholds=state.parameters[self.parts["threshold"]],
            judge_effects=judge_effects,
            judges=judges,
            item_sd=item_sd,
            spreads=spreads,
            log_likelihood=self._marginal(state),
            n_ratings=self.n_ratings,
            counts=self.counts.astype(np.int64),
            method=self._method(),
            parameters=state.parameters,
        )

    def _method(self) -> str:
        fixed = [name for name in ("system", "judge") if name in self.parts]
        fixed = [name for name in fixed if name not in self.shrunken]
        among = ", ".join(self.shrunken) or "nothing"
        items = "" if self.terms.spread is None else ", items by adaptive quadrature"
        return f"cumulative logit model of {' and '.join(fixed)}; shrunken: {among}{items}"

    def _marginal(self, state: _State) -> float:
        """The log-likelihood, shrunken effects integrated by Laplace's approximation."""
        value = self._objective(state)
        places = [
            np.arange(self.parts[name].start, self.parts[name].stop) for name in self.shrunken
        ]
        if places:
            own = np.concatenate(places)
            _, log_det = np.linalg.slogdet(state.information[np.ix_(own, own)])
            penalty = self._penalty(state.variances)[own]
            value += 0.5 * (float(np.log(penalty).sum()) - float(log_det))
        return value

    def _contrasts(self, name: str) -> Floats:
        """Each level of a factor by the parameters, the mean of all levels taken away."""
        part, levels = self.parts[name], int(self.factors[name].max()) + 1
        table = np.zeros((levels, self.terms.size))
        first = levels - (part.stop - part.start)
        table[np.arange(first, levels), np.arange(part.start, part.stop)] = 1.0
        return np.asarray(table - table.mean(axis=0))

    def _scores(self, state: _State, inverse: Floats) -> tuple[Floats, Floats]:
        """The mean rating of each system by a judge of average severity, over all items."""
        points, weights = np.polynomial.hermite.hermgauss(41)
        other = sum(value for name, value in state.variances.items() if name == "source")
        deviation = math.hypot(
            0.0 if self.terms.spread is None else self._spread(state.parameters), math.sqrt(other)
        )
        steps = np.diff(self.used)
        k = int(self.factors["system"].max()) + 1
        shift = self._average(k)
        cuts = state.parameters[self.parts["threshold"]]
        place = np.sqrt(2) * deviation * points
        logits = cuts[None, :, None] - (shift @ state.parameters)[:, None, None] - place
        below, above = expits(logits)
        share = below @ weights / np.sqrt(np.pi)
        density = below * above
        slope = density @ weights / np.sqrt(np.pi) * steps
        scores = self.used[-1] - share @ steps
        change = slope.sum(axis=1)[:, None] * shift
        change[:, self.parts["threshold"]] -= slope
        if self.terms.spread is not None:
            own = self._spread(state.parameters) ** 2 / max(deviation**2, 1e-12)
            change[:, self.terms.spread] = (
                (density * place) @ weights @ steps * own / np.sqrt(np.pi)
            )
        variances = np.einsum("sp,pq,sq->s", change, inverse, change)
        return np.asarray(scores), np.sqrt(np.maximum(variances, 0.0))

    def _average(self, k: int) -> Floats:
        """Each system's place by the parameters, for a judge of average severity."""
        table = np.zeros((k, self.terms.size))
        part = self.parts["system"]
        table[np.arange(1, k), np.arange(part.start, part.stop)] = 1.0
        if "judge" in self.parts:
            own = self.parts["judge"]
            table[:, own] = 1 / self.n_judges
        return table

    def _judges(self, state: _State, inverse: Floats) -> tuple[Floats, tuple[OrdinalJudge, ...]]:
        if "judge" not in self.parts:
            return np.zeros(0), ()
        contrasts = self._contrasts("judge")
        severities = -(contrasts @ state.parameters)
        errors = np.sqrt(np.maximum(np.einsum("jp,pq,jq->j", contrasts, inverse, contrasts), 0.0))
        levels, part = self.n_judges, self.parts["judge"]
        effects = np.zeros(levels)
        effects[levels - (part.stop - part.start) :] = state.parameters[part]
        infit, outfit, counts = self._fit_of_judges(state)
        fits = zip(severities, errors, infit, outfit, counts, strict=True)
        return effects, tuple(
            OrdinalJudge(
                severity=float(severity),
                standard_error=float(error),
                infit=float(inside),
                outfit=float(outside),
                n_ratings=int(n),
            )
            for severity, error, inside, outside, n in fits
        )

    def _fit_of_judges(self, state: _State) -> tuple[Floats, Floats, Floats]:
        """Infit and outfit, each rating expected from the other ratings of its item."""
        logits = logits_of(self.terms, np.append(state.parameters, 0.0))
        expected, variance = np.empty(self.y.size), np.empty(self.y.size)
        for ratings, _ in self.terms.blocks(state.nodes.places.shape[1] * self.used.size):
            own = self.terms.item[ratings]
            log_p = logits.of(ratings).log_p(state.nodes.places[own])
            without = np.log(np.maximum(state.nodes.weights[own], 1e-300)) - log_p
            without = np.exp(without - without.max(axis=1, keepdims=True))
            without /= without.sum(axis=1, keepdims=True)
            first, second = self._moments(state, ratings)
            expected[ratings] = np.sum(without * first, axis=1)
            variance[ratings] = np.sum(without * second, axis=1) - expected[ratings] ** 2
        judge, left = self.factors["judge"], (self.used[self.y] - expected) ** 2
        times, variance = self.terms.times[self.terms.item], np.maximum(variance, 1e-9)
        counts = np.bincount(judge, times).astype(float)
        infit = np.bincount(judge, times * left) / np.bincount(judge, times * variance)
        return infit, np.bincount(judge, times * left / variance) / counts, counts

    def _moments(self, state: _State, ratings: slice) -> tuple[Floats, Floats]:
        """The mean of a rating and of its square at each node of its item."""
        padded = np.append(state.parameters, 0.0)
        effects = padded[self.terms.effects[ratings]].sum(axis=1)
        places = effects[:, None] + state.nodes.places[self.terms.item[ratings]]
        cuts = state.parameters[self.parts["threshold"]]
        below = expit(cuts - places[:, :, None])
        steps, squares = np.diff(self.used), np.diff(self.used**2)
        return self.used[-1] - below @ steps, self.used[-1] ** 2 - below @ squares
