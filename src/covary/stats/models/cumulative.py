"""The likelihood of a cumulative logit model with random items, by adaptive quadrature.

logit P(rating ≤ c) = a (θ_c - η - u), where η is a sum of effects, u the item's place, normal with
standard deviation σ, and a the judge's discrimination. Each item is integrated over equally spaced
nodes around its own posterior mean: where posteriors are skewed, as for items that all judges put
at one end, this is nearer than Gauss & Hermite's rule with as many nodes. The gradient is the
posterior mean of the complete-data score (Fisher's identity), the information the posterior mean of
the complete-data information less the posterior covariance of the score (Louis 1982).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from covary.stats.special import expits

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]

AT_ONCE = 2_000_000
"""How many numbers the scores at all nodes of some items may hold."""

TABLE = 12
"""How many numbers a rating's own derivatives take at a node."""

FEW_OWN = 0.5
"""Up to this share of all parameters, the parameters of an item are taken by themselves."""

LEAST = 1e-300
"""The least probability of a rating that has a logarithm."""


@dataclass(frozen=True, kw_only=True)
class Terms:
    """Which parameters each rating depends on, by their place in the vector of all.

    `upper` and `lower` are the thresholds above and below the rating (the number of thresholds
    where there is none), `effects` the places of its effects, one column for each factor,
    `discrimination` that of its judge's logarithm of a, or nothing. `spread` is the place of log σ,
    None where items do not vary. Ratings are sorted by `item`, and items by how many ratings they
    have; `times` says how often each item stands for others with the same judges and ratings.
    """

    upper: Codes
    lower: Codes
    n_thresholds: int
    effects: Codes
    discrimination: Codes | None
    spread: int | None
    item: Codes
    times: Floats
    size: int

    @property
    def n_own(self) -> int:
        """How many parameters a rating has of its own."""
        return 2 + int(self.effects.shape[1]) + (self.discrimination is not None)

    def blocks(self, nodes: int) -> Iterator[tuple[slice, slice]]:
        """Runs of ratings and of their items, equally many each, few enough for every node."""
        sizes = np.bincount(self.item)
        ends = np.cumsum(sizes)
        changes = np.flatnonzero(np.diff(sizes)) + 1
        for first, last in itertools.pairwise([0, *changes.tolist(), sizes.size]):
            size = int(sizes[first])
            step = max(1, AT_ONCE // (nodes * max(TABLE, self.n_own) * size))
            for start in range(first, last, step):
                stop = min(start + step, last)
                yield slice(int(ends[start]) - size, int(ends[stop - 1])), slice(start, stop)


def collapse(columns: list[Codes], items: Codes | None) -> tuple[Codes, Codes, Floats]:
    """Keep one of the items that have the same ratings by the same judges of the same system.

    Returns the rows to keep, sorted by item (those with few ratings first), their items, and how
    many items each stands for.
    Without items every row is one.
    """
    rows = np.stack(columns, axis=1)
    if items is None:
        _, kept, counts = np.unique(rows, axis=0, return_index=True, return_counts=True)
        return kept, np.arange(kept.size), counts.astype(float)
    _, kinds = np.unique(rows, axis=0, return_inverse=True)
    order = np.lexsort((kinds.ravel(), items))
    ends = np.cumsum(np.bincount(items))
    patterns: dict[bytes, int] = {}
    times: list[float] = []
    kept_rows = []
    for own in np.split(order, ends[:-1]):
        place = patterns.setdefault(kinds.ravel()[own].tobytes(), len(times))
        if place == len(times):
            times.append(0.0)
            kept_rows.append(own)
        times[place] += 1
    by_size = np.argsort([own.size for own in kept_rows], kind="stable").tolist()
    kept_rows = [kept_rows[place] for place in by_size]
    numbers = np.repeat(np.arange(len(by_size)), [own.size for own in kept_rows])
    return np.concatenate(kept_rows), numbers, np.array(times)[by_size]


@dataclass(frozen=True)
class Slopes:
    """Derivatives of the logarithm of each rating's probability by both of its logits."""

    log_p: Floats
    upper: Floats
    lower: Floats
    upper_twice: Floats
    lower_twice: Floats
    across: Floats


def slopes_of(above: Floats, below: Floats) -> Slopes:
    """Differentiate log(F(above) - F(below)), F the logistic distribution."""
    (top, above_top), (bottom, above_bottom) = expits(above), expits(below)
    # Differences of upper tails keep their digits where both logits are large.
    direct, tails = top - bottom, above_bottom - above_top
    p = np.maximum(np.where(below > 0, tails, direct), LEAST)
    dense, thin = top * above_top, bottom * above_bottom
    upper, lower = dense / p, -thin / p
    return Slopes(
        log_p=np.log(p),
        upper=upper,
        lower=lower,
        upper_twice=dense * (1 - 2 * top) / p - upper**2,
        lower_twice=-thin * (1 - 2 * bottom) / p - lower**2,
        across=-upper * lower,
    )


@dataclass(frozen=True)
class Logits:
    """Both logits of each rating where its item has the place 0, and how steep they are."""

    above: Floats
    below: Floats
    steepness: Floats

    def at(self, place: Floats) -> tuple[Floats, Floats]:
        """The logits at other places of the items, one column for each."""
        shift = self.steepness[:, None] * place
        return self.above[:, None] - shift, self.below[:, None] - shift


def logits_of(terms: Terms, parameters: Floats) -> Logits:
    """The logits of each rating under these parameters."""
    thresholds = np.append(parameters[: terms.n_thresholds], [np.inf, -np.inf])
    effects = parameters[terms.effects].sum(axis=1)
    steepness = np.ones(effects.size)
    if terms.discrimination is not None:
        steepness = np.exp(parameters[terms.discrimination])
    above, below = (thresholds[places] - effects for places in (terms.upper, terms.lower))
    return Logits(steepness * above, steepness * below, steepness)


def find_modes(terms: Terms, logits: Logits, deviation: float, start: Floats) -> Floats:
    """The most probable place of each item, and in a second row its posterior spread.

    The logarithm of the posterior is concave, so that Newton's steps, none longer than 2 standard
    deviations, lead to the top.
    """
    mode, n = start.copy(), start.size
    curve = np.full(n, deviation**-2)
    for _ in range(60):
        s = slopes_of(*(side[:, 0] for side in logits.at(mode[terms.item, None])))
        a = logits.steepness
        slope = np.bincount(terms.item, -a * (s.upper + s.lower), n) - mode / deviation**2
        bend = a**2 * (s.upper_twice + s.lower_twice + 2 * s.across)
        curve = np.bincount(terms.item, np.maximum(-bend, 0.0), n) + deviation**-2
        step = np.clip(slope / curve, -2 * deviation, 2 * deviation)
        mode = mode + step
        if np.abs(step).max() < 1e-8 * max(deviation, 1.0):
            break
    return np.array([mode, 1 / np.sqrt(curve)])


@dataclass(frozen=True)
class Nodes:
    """The places of items at which they are integrated, and the posterior weight of each."""

    places: Floats
    weights: Floats
    log_likelihood: float


def equal_nodes(number: int, reach: float) -> tuple[Floats, Floats]:
    """Equally spaced nodes in √2 standard deviations, with weights that hold exp(-x²)."""
    points = np.linspace(-reach, reach, number) / np.sqrt(2)
    return points, np.exp(-(points**2)) * (points[1] - points[0])


def integrate(
    terms: Terms, logits: Logits, deviation: float, *, around: Floats, rule: tuple[Floats, Floats]
) -> Nodes:
    """Place the nodes of each item around a centre, weigh them, and add up the likelihood."""
    points, weights = rule
    places = around[0][:, None] + np.sqrt(2) * around[1][:, None] * points
    whole = np.zeros_like(places)
    for ratings, items in terms.blocks(points.size):
        own = terms.item[ratings]
        some = Logits(logits.above[ratings], logits.below[ratings], logits.steepness[ratings])
        log_p = slopes_of(*some.at(places[own])).log_p
        starts = np.searchsorted(own, np.arange(items.start, items.stop))
        whole[items] = np.add.reduceat(log_p, starts, axis=0)
    whole += np.log(weights) + points**2 + np.log(np.sqrt(2) * around[1])[:, None]
    whole -= places**2 / (2 * deviation**2) + np.log(deviation * np.sqrt(2 * np.pi))
    largest = whole.max(axis=1, keepdims=True)
    shares = np.exp(whole - largest)
    totals = shares.sum(axis=1, keepdims=True)
    logs = np.log(totals) + largest
    return Nodes(places, shares / totals, float(terms.times @ logs[:, 0]))


def differentiate(
    terms: Terms, logits: Logits, deviation: float, nodes: Nodes
) -> tuple[Floats, Floats]:
    """The gradient of the log-likelihood, and the observed information."""
    gradient, information = np.zeros(terms.size), np.zeros((terms.size, terms.size))
    for ratings, items in terms.blocks(nodes.places.shape[1]):
        own = terms.item[ratings]
        some = Logits(logits.above[ratings], logits.below[ratings], logits.steepness[ratings])
        above, below = some.at(nodes.places[own])
        s, weights = slopes_of(above, below), nodes.weights[items]
        local, times = _local(terms, ratings, some, (above, below)), terms.times[items]
        known = nodes.weights[own] * terms.times[own, None]
        rated = local.scores(s)
        information -= _scatter(local.places, local.bends(s, rated, known), terms.size)
        places, scores = _item_scores(local.places, rated, items)
        if terms.spread is not None:
            square = (nodes.places[items] / deviation) ** 2
            spread = np.full((len(places), 1), terms.spread)
            places = np.concatenate([places, spread], axis=1)
            scores = np.concatenate([scores, square[..., None] - 1], axis=2)
            information[terms.spread, terms.spread] += 2 * float(
                times @ np.sum(weights * square, axis=1)
            )
        means = (weights[:, None, :] @ scores)[:, 0]
        each = np.bincount(places.ravel(), (times[:, None] * means).ravel(), terms.size + 1)
        gradient += each[: terms.size]
        information -= _covariances(
            places, scores - means[:, None], times[:, None] * weights, terms
        )
    return gradient, information


def _covariances(places: Codes, scores: Floats, weights: Floats, terms: Terms) -> Floats:
    """Add up the covariances of the items' scores: of each item's own parameters, if these are few.

    `scores` are items × nodes × own parameters, about their means, `places` which these are.
    """
    wide, (n_items, nodes, own) = terms.size + 1, scores.shape
    if own <= FEW_OWN * wide:
        tables = (scores * weights[..., None]).transpose(0, 2, 1) @ scores
        return _scatter(places, tables, terms.size)
    rows = np.arange(n_items * nodes).reshape(n_items, nodes, 1)
    flat = np.bincount((rows * wide + places[:, None]).ravel(), scores.ravel(), rows.size * wide)
    every = flat.reshape(-1, wide)[:, : terms.size]
    return np.asarray((every * weights.reshape(-1, 1)).T @ every)


@dataclass(frozen=True)
class _Local:
    """Each rating's own parameters, and how its two logits change with them.

    `places` says which parameters they are; a threshold that is not there has the place `size`,
    which is cut off afterwards. `upper` and `lower` are the changes that no node alters; the last
    parameter is the logarithm of the discrimination where `stretch` holds both logits at each node.
    """

    places: Codes
    upper: Floats
    lower: Floats
    stretch: tuple[Floats, Floats] | None

    def scores(self, s: Slopes) -> Floats:
        """The score of each rating at each node by its own parameters."""
        local = s.upper[..., None] * self.upper[:, None] + s.lower[..., None] * self.lower[:, None]
        if self.stretch is not None:
            local[..., -1] = s.upper * self.stretch[0] + s.lower * self.stretch[1]
        return np.asarray(local)

    def bends(self, s: Slopes, scores: Floats, weights: Floats) -> Floats:
        """The second derivatives of each rating by its own parameters, weighted over nodes."""
        sides = ((s.upper_twice, 0, 0), (s.lower_twice, 1, 1), (s.across, 0, 1), (s.across, 1, 0))
        constant = (self.upper, self.lower)
        table = np.zeros((*self.places.shape, self.places.shape[1]))
        for bend, a, b in sides:
            weighted = weights * bend
            table += weighted.sum(axis=1)[:, None, None] * (
                constant[a][:, :, None] * constant[b][:, None, :]
            )
            if self.stretch is not None:
                x, y = self.stretch[a], self.stretch[b]
                table[:, -1, :] += (weighted * x).sum(axis=1)[:, None] * constant[b]
                table[:, :, -1] += (weighted * y).sum(axis=1)[:, None] * constant[a]
                table[:, -1, -1] += (weighted * x * y).sum(axis=1)
        if self.stretch is not None:
            mean = np.einsum("nq,nql->nl", weights, scores)
            table[:, -1, :] += mean
            table[:, :-1, -1] += mean[:, :-1]
        return table


def _local(terms: Terms, ratings: slice, logits: Logits, at: tuple[Floats, Floats]) -> _Local:
    none, a = terms.size, logits.steepness
    sides = [np.where(p < terms.n_thresholds, p, none) for p in (terms.upper, terms.lower)]
    effects = terms.effects[ratings]
    places = [*(side[ratings] for side in sides), *effects.T]
    moved, nothing = [-a] * effects.shape[1], 0 * a
    upper, lower = [a, nothing, *moved], [nothing, a, *moved]
    stretch = None
    if terms.discrimination is not None:
        places.append(terms.discrimination[ratings])
        upper.append(nothing)
        lower.append(nothing)
        first, second = (np.where(np.isfinite(side), side, 0.0) for side in at)
        stretch = first, second
    return _Local(
        np.stack(places, axis=1), np.stack(upper, axis=1), np.stack(lower, axis=1), stretch
    )


def _scatter(places: Codes, local: Floats, size: int) -> Floats:
    """Add each rating's small table to the large one."""
    wide = size + 1
    flat = (places[:, :, None] * wide + places[:, None, :]).ravel()
    whole = np.bincount(flat, local.ravel(), wide * wide).reshape(wide, wide)
    return np.asarray(whole[:size, :size])


def _item_scores(places: Codes, local: Floats, items: slice) -> tuple[Codes, Floats]:
    """Which parameters the ratings of each item have, and its scores by them at each node."""
    n_items, (_, nodes, own) = items.stop - items.start, local.shape
    scores = local.reshape(n_items, -1, nodes, own).transpose(0, 2, 1, 3)
    return places.reshape(n_items, -1), scores.reshape(n_items, nodes, -1)


def fixed_places(terms: Terms, logits: Logits) -> Nodes:
    """One node at 0 for each rating, where items do not vary."""
    log_p = slopes_of(logits.above, logits.below).log_p
    n = int(terms.item[-1]) + 1
    return Nodes(np.zeros((n, 1)), np.ones((n, 1)), float(terms.times[terms.item] @ log_p))
