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

import numpy as np
import numpy.typing as npt

from covary.records import dataclass
from covary.stats.special import expits

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]

AT_ONCE = 2_000_000
"""How many numbers the scores at all nodes of some items may hold."""

TABLE = 12
"""How many numbers a rating's own derivatives take at a node."""

FARTHEST_LOGIT = 340.0
"""A logit beyond which the probability of a rating is as good as `LEAST`."""

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

    upper: Floats
    lower: Floats
    upper_twice: Floats
    lower_twice: Floats
    across: Floats


@dataclass(frozen=True)
class Logits:
    """Both logits of each rating where its item has the place 0, and how steep they are.

    With F the logistic distribution, F(above) - F(below) is F(above) F(-below) times a `width` that
    no place of the item alters: 1 - exp(below - above).
    """

    above: Floats
    below: Floats
    steepness: Floats
    width: Floats

    def of(self, ratings: slice) -> Logits:
        """The logits of some of the ratings."""
        return Logits(
            self.above[ratings], self.below[ratings], self.steepness[ratings], self.width[ratings]
        )

    def at(self, places: Floats) -> tuple[Floats, Floats]:
        """The logits at other places of the items, one column for each."""
        shift = self.steepness[:, None] * places
        return self.above[:, None] - shift, self.below[:, None] - shift

    def log_p(self, places: Floats) -> Floats:
        """The logarithm of each rating's probability at these places of its item."""
        above, below = self.at(places)
        tails = 1 + np.exp(np.minimum(-above, FARTHEST_LOGIT))
        tails *= 1 + np.exp(np.minimum(below, FARTHEST_LOGIT))
        return np.asarray(np.log(self.width)[:, None] - np.log(np.minimum(tails, 1 / LEAST)))

    def slopes(self, places: Floats) -> Slopes:
        """Differentiate the logarithm of F(above) - F(below)."""
        above, below = self.at(places)
        (top, above_top), (bottom, above_bottom) = expits(above), expits(below)
        width = self.width[:, None]
        upper = above_top / np.maximum(width * above_bottom, LEAST)
        lower = -bottom / np.maximum(width * top, LEAST)
        return Slopes(
            upper=upper,
            lower=lower,
            upper_twice=upper * (above_top - top - upper),
            lower_twice=lower * (above_bottom - bottom - lower),
            across=-upper * lower,
        )


def logits_of(terms: Terms, parameters: Floats) -> Logits:
    """The logits of each rating under these parameters."""
    thresholds = np.append(parameters[: terms.n_thresholds], [np.inf, -np.inf])
    effects = parameters[terms.effects].sum(axis=1)
    steepness = np.ones(effects.size)
    if terms.discrimination is not None:
        steepness = np.exp(parameters[terms.discrimination])
    above, below = (
        steepness * (thresholds[places] - effects) for places in (terms.upper, terms.lower)
    )
    return Logits(above, below, steepness, -np.expm1(below - above))


def find_modes(terms: Terms, logits: Logits, deviation: float, start: Floats) -> Floats:
    """The most probable place of each item, and in a second row its posterior spread.

    The logarithm of the posterior is concave, so that Newton's steps, none longer than 2 standard
    deviations, lead to the top.
    """
    mode, n = start.copy(), start.size
    curve = np.full(n, deviation**-2)
    for _ in range(60):
        s, a = logits.slopes(mode[terms.item, None]), logits.steepness
        slope = np.bincount(terms.item, -a * (s.upper + s.lower)[:, 0], n) - mode / deviation**2
        bend = a**2 * (s.upper_twice + s.lower_twice + 2 * s.across)[:, 0]
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
        log_p = logits.of(ratings).log_p(places[terms.item[ratings]])
        whole[items] = log_p.reshape(items.stop - items.start, -1, points.size).sum(axis=1)
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
        run = ratings, items
        means, table = _by_logits(terms, logits.of(ratings), deviation, nodes=nodes, run=run)
        own = _OwnParameters(terms, ratings, items)
        each = own.sums(means[:, :, None])[:, :, 0]
        gradient += np.bincount(own.places.ravel(), each.ravel(), terms.size + 1)[: terms.size]
        information += _scatter(own.places, own.sums(own.sums(table).transpose(0, 2, 1)), terms)
    return gradient, information


def _by_logits(
    terms: Terms, logits: Logits, deviation: float, *, nodes: Nodes, run: tuple[slice, slice]
) -> tuple[Floats, Floats]:
    """Each item's gradient and information by what its ratings depend on.

    These are the upper logits of its ratings and the lower ones, then the logarithms of their
    discriminations where judges have them, and log σ at last where items vary.
    """
    ratings, items = run
    weights, times = nodes.weights[items], terms.times[items]
    places = nodes.places[terms.item[ratings]]
    s, a = logits.slopes(places), logits.steepness[:, None]
    scores, bends = [a * s.upper, a * s.lower], {}
    bends[0, 0], bends[1, 1], bends[0, 1] = (
        a**2 * bend for bend in (s.upper_twice, s.lower_twice, s.across)
    )
    if terms.discrimination is not None:
        above, below = (np.where(np.isfinite(z), z, 0.0) for z in logits.at(places))
        stretched = s.upper * above + s.lower * below
        scores.append(stretched)
        bends[0, 2] = a * (above * s.upper_twice + below * s.across + s.upper)
        bends[1, 2] = a * (below * s.lower_twice + above * s.across + s.lower)
        bends[2, 2] = above**2 * s.upper_twice + below**2 * s.lower_twice + stretched
        bends[2, 2] += 2 * above * below * s.across
    shape = weights.shape[0], -1, weights.shape[1]
    every = [score.reshape(shape) for score in scores]
    square = (nodes.places[items] / deviation) ** 2
    if terms.spread is not None:
        every.append((square - 1)[:, None])
    joined = np.concatenate(every, axis=1)
    means = (joined @ weights[:, :, None])[:, :, 0]
    joined -= means[:, :, None]
    table = -(joined * (times[:, None] * weights)[:, None]) @ joined.transpose(0, 2, 1)
    size, known = every[0].shape[1], weights[terms.item[ratings] - items.start]
    place = np.arange(size)
    for (one, other), bend in bends.items():
        expected = times[:, None] * np.einsum("nq,nq->n", known, bend).reshape(-1, size)
        table[:, one * size + place, other * size + place] -= expected
        if one != other:
            table[:, other * size + place, one * size + place] -= expected
    if terms.spread is not None:
        table[:, -1, -1] += 2 * times * np.sum(weights * square, axis=1)
    return times[:, None] * means, table


class _OwnParameters:
    """Which parameters some items have, and how these add up what is known by their logits.

    A threshold adds the logits that it bounds, an effect takes away both logits of each of its
    ratings; a factor that is the same for all ratings of each item stands there once.
    """

    def __init__(self, terms: Terms, ratings: slice, items: slice) -> None:
        n_items = items.stop - items.start
        effects = terms.effects[ratings].reshape(n_items, -1, terms.effects.shape[1])
        self.size, self._cuts = effects.shape[1], None
        bounds = [side[ratings].reshape(n_items, -1) for side in (terms.upper, terms.lower)]
        thresholds = np.concatenate(bounds, axis=1)
        every = np.arange(terms.n_thresholds)
        if every.size < thresholds.shape[1]:
            self._cuts = (every[:, None] == thresholds[:, None, :]).astype(float)
            places = [np.broadcast_to(every, (n_items, every.size))]
        else:
            places = [np.where(thresholds < terms.n_thresholds, thresholds, terms.size)]
        constant = (effects == effects[:, :1]).all(axis=(0, 1))
        self._constant = constant.tolist()
        for place, once in enumerate(self._constant):
            places.append(effects[:, :1, place] if once else effects[:, :, place])
        if terms.discrimination is not None:
            places.append(terms.discrimination[ratings].reshape(n_items, -1))
        if terms.spread is not None:
            places.append(np.full((n_items, 1), terms.spread))
        self.places = np.concatenate(places, axis=1)

    def sums(self, table: Floats) -> Floats:
        """From one row for each logit (items × logits × any) to one for each own parameter."""
        both, size = table[:, : 2 * self.size], self.size
        moved = -(both[:, :size] + both[:, size:])
        total = moved.sum(axis=1, keepdims=True)
        rows = [both if self._cuts is None else self._cuts @ both]
        rows += [total if once else moved for once in self._constant]
        return np.concatenate([*rows, table[:, 2 * size :]], axis=1)


def _scatter(places: Codes, tables: Floats, terms: Terms) -> Floats:
    """Add each item's symmetric table to the large one."""
    size, wide = terms.size, terms.size + 1
    one, other = np.triu_indices(places.shape[1], 1)
    flat = (places[:, one] * wide + places[:, other]).ravel()
    half = np.bincount(flat, tables[:, one, other].ravel(), wide * wide).reshape(wide, wide)
    diagonal = np.einsum("ipp->ip", tables).ravel()
    whole = half + half.T
    whole.flat[:: wide + 1] += np.bincount(places.ravel(), diagonal, wide)
    return np.asarray(whole[:size, :size])


def fixed_places(terms: Terms, logits: Logits) -> Nodes:
    """One node at 0 for each rating, where items do not vary."""
    log_p = logits.log_p(np.zeros((logits.above.size, 1)))[:, 0]
    n = int(terms.item[-1]) + 1
    return Nodes(np.zeros((n, 1)), np.ones((n, 1)), float(terms.times[terms.item] @ log_p))
