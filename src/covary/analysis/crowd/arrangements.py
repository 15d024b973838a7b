"""Which agreement with an expert would any arrangement of a crowd's votes give?

The n-th vote on an item and the n-th vote on another are different people's, so columns of votes
are no judges. Banchs (2016) draws arrangements instead: each makes a virtual judge who gives each
item one of its votes, and every such judge has an agreement with the expert. Coefficients are
evaluated from cross tables, for many of them at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.crowd.overlap import MatchedItems, match_items
from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.scales import Level, Scale
from covary.stats.estimate import Result
from covary.stats.intervals import IntervalSpec
from covary.stats.ordering import count_table
from covary.stats.statistic import ratio

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Formula = Callable[[Floats, Floats], Floats]

QUANTILES = (0.025, 0.25, 0.5, 0.75, 0.975)
BINS = 24
"""Few enough that the steps between possible values of kappa do not show as gaps."""
STEP = 1e-6
"""How far a share is moved to take a derivative."""


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of two judges.

    `formula` takes cross tables (… × categories × categories, rows the first judge) and where the
    categories stand, and returns one value for each table, NaN where it is undefined. It is
    `linear` where the mean over tables is the value of the mean table.
    """

    name: str
    title: str
    formula: Formula
    ordered: bool = False
    linear: bool = False

    def of(self, tables: Floats, scale: Scale) -> Floats:
        """Return the value of each table."""
        values = np.asarray(self.formula(tables, np.array(scale.positions())), dtype=float)
        if values.shape != tables.shape[:-2]:
            shapes = (values.shape, tables.shape, tables.shape[:-2])
            raise InvalidArgument("crowd.coefficient-shape", name=self.name, shapes=shapes)
        return values


def _cohen_kappa(tables: Floats, _: Floats) -> Floats:
    return _corrected(tables, np.eye(tables.shape[-1]))


def _weighted_kappa(tables: Floats, positions: Floats) -> Floats:
    return _corrected(tables, _nearness(positions))


def _corrected(tables: Floats, weights: Floats) -> Floats:
    """Agreement beyond what the two judges' own margins give by chance."""
    shares = _shares(tables)
    observed = np.sum(weights * shares, axis=(-2, -1))
    chance = shares.sum(axis=-1)[..., :, None] * shares.sum(axis=-2)[..., None, :]
    expected = np.sum(weights * chance, axis=(-2, -1))
    return ratio(observed - expected, 1 - expected)


def _scott_pi(tables: Floats, _: Floats) -> Floats:
    shares = _shares(tables)
    observed = np.trace(shares, axis1=-2, axis2=-1)
    expected = np.sum(((shares.sum(axis=-1) + shares.sum(axis=-2)) / 2) ** 2, axis=-1)
    return ratio(observed - expected, 1 - expected)


def _percent_agreement(tables: Floats, _: Floats) -> Floats:
    return np.asarray(np.trace(_shares(tables), axis1=-2, axis2=-1))


def _fisher_icc(tables: Floats, positions: Floats) -> Floats:
    """Covariance of the pairs around the mean of all 2N ratings, by their common variance."""
    first, second, products = _moments(tables, positions)
    squares = _squares(tables, positions)
    mean = (first + second) / 2
    common = sum(squares) / 2 - mean**2
    return ratio(products - mean * (first + second) + mean**2, common)


def _pearson(tables: Floats, positions: Floats) -> Floats:
    first, second, products = _moments(tables, positions)
    first_square, second_square = _squares(tables, positions)
    spread = np.sqrt(
        np.maximum(first_square - first**2, 0) * np.maximum(second_square - second**2, 0)
    )
    return ratio(products - first * second, spread)


def _gamma(tables: Floats, _: Floats) -> Floats:
    pairs = count_table(tables)
    return ratio(pairs.concordant - pairs.discordant, pairs.concordant + pairs.discordant)


def _shares(tables: Floats) -> Floats:
    total = tables.sum(axis=(-2, -1), keepdims=True)
    return np.asarray(tables / np.where(total > 0, total, np.nan))


def _moments(tables: Floats, positions: Floats) -> tuple[Floats, Floats, Floats]:
    """Return both judges' means and the mean product of their ratings."""
    shares = _shares(tables)
    first, second = shares.sum(axis=-1) @ positions, shares.sum(axis=-2) @ positions
    return first, second, np.asarray((shares @ positions) @ positions)


def _squares(tables: Floats, positions: Floats) -> tuple[Floats, Floats]:
    shares = _shares(tables)
    return shares.sum(axis=-1) @ positions**2, shares.sum(axis=-2) @ positions**2


def _nearness(positions: Floats) -> Floats:
    """Quadratic weights: 1 for the same category, 0 for the two ends."""
    apart = (positions[:, None] - positions[None, :]) ** 2
    return np.asarray(1 - apart / max(float(apart.max()), np.finfo(float).tiny))


_NAMED = (
    Coefficient("cohen_kappa", "Cohen's kappa", _cohen_kappa),
    Coefficient("fisher_icc", "Fisher's ICC", _fisher_icc, ordered=True),
    Coefficient("percent_agreement", "Percent agreement", _percent_agreement, linear=True),
    Coefficient("scott_pi", "Scott's pi", _scott_pi),
    Coefficient("weighted_kappa", "Quadratically weighted kappa", _weighted_kappa, ordered=True),
    Coefficient("pearson", "Pearson's r", _pearson, ordered=True),
    Coefficient("goodman_kruskal_gamma", "Goodman & Kruskal's gamma", _gamma, ordered=True),
)

COEFFICIENTS: Mapping[str, Coefficient] = MappingProxyType(
    {coefficient.name: coefficient for coefficient in _NAMED}
)
"""The coefficients that are known by name."""


def as_coefficient(choice: Any, scale: Scale) -> Coefficient:
    """Return a coefficient by its name, or make one of a function of cross tables."""
    if callable(choice):
        name = getattr(choice, "__name__", type(choice).__name__)
        return Coefficient(name, name, lambda tables, _: choice(tables))
    if choice not in COEFFICIENTS:
        raise InvalidArgument(
            "crowd.coefficient", argument="coefficient", value=choice, allowed=COEFFICIENTS
        )
    coefficient = COEFFICIENTS[choice]
    if coefficient.ordered and scale.level is Level.NOMINAL and len(scale.categories or ()) > 2:
        described = scale.describe()
        raise InvalidArgument("crowd.coefficient-needs-order", name=choice, scale=described)
    return coefficient


@dataclass(frozen=True, kw_only=True)
class ClosedForm:
    """What the mean and the standard deviation over all arrangements are, without drawing any.

    `mean` is the coefficient of the expected cross table. That and `sd` are `exact` for percent
    agreement, and where every item's votes are all the same; otherwise they are approximate,
    because a quotient's mean is not the quotient of the means. For kappa `observed` and `expected`
    are the expected agreement and the expected chance agreement, and the standard deviation takes
    the latter as fixed; for other coefficients it follows from their derivatives.
    """

    mean: float
    sd: float
    observed: float = math.nan
    expected: float = math.nan
    exact: bool = False


@dataclass(frozen=True, kw_only=True)
class Arrangements(Result):
    """A coefficient between one expert and virtual judges, each a random arrangement of votes.

    `sd` is how far arrangements of *these* votes differ. It is not a standard error: other items
    and other votes would vary more.
    """

    coefficient: str
    title: str
    expert: Any
    n_items: int
    n_votes: int
    arrangements: int
    mean: float
    sd: float
    quantiles: tuple[tuple[float, float], ...]
    edges: tuple[float, ...]
    histogram: tuple[int, ...]
    closed_form: ClosedForm
    undefined: int
    seed: int
    values: Floats = field(repr=False, compare=False)

    def row(self) -> dict[str, Any]:
        """The line of a table; the ends hold 95 of 100 arrangements."""
        return {
            "kind": "arrangements",
            "coefficient": self.coefficient,
            "of": "one vote",
            "votes": 1,
            "with": self.expert,
            "value": self.mean,
            "low": self.quantiles[0][1],
            "high": self.quantiles[-1][1],
            "sd": self.sd,
        }

    def __str__(self) -> str:
        form = "exactly" if self.closed_form.exact else "approximately, in closed form,"
        return (
            f"{self.title} with {self.expert} over {self.arrangements:,} arrangements: mean "
            f"{self.mean:.4f}, sd {self.sd:.4f} ({form} {self.closed_form.mean:.4f}, "
            f"{self.closed_form.sd:.4f})"
        )


def arrangements(
    crowd: Ratings,
    expert: Ratings,
    coefficient: str | Callable[[Floats], Floats] = "cohen_kappa",
    *,
    judge: Any = None,
    criterion: Any = None,
    arrangements: int = 30_000,
    rng: Any = None,
) -> Arrangements:
    """Which agreement with an expert does one vote of a crowd have, over all ways to pick it?

    Parameters
    ----------
    crowd
        The votes; who gave them may be known or not.
    expert
        Ratings of the same items by a named judge. Items are matched by name.
    coefficient
        `"cohen_kappa"`, `"fisher_icc"`, `"percent_agreement"`, `"scott_pi"`, `"weighted_kappa"`
        (quadratic), `"pearson"`, `"goodman_kruskal_gamma"`, or a function that takes cross tables
        (… × categories × categories, rows the expert) and returns one value for each.
    judge
        Which expert, where there are several.
    criterion
        Which criterion, where there are several.
    arrangements
        How many are drawn.
    rng
        A seed or a NumPy generator, to repeat the draws.

    Returns
    -------
    Arrangements
        Mean, standard deviation, quantiles and a histogram, beside the closed form.

    Notes
    -----
    Only the cross table of expert and drawn vote matters. Items that the expert put in one category
    and whose votes divide alike are drawn together, by one multinomial draw, so that the cost does
    not grow with the number of items.

    With p_i the share of item i's votes that equal the expert's rating, E[Po] = mean p_i and
    E[Pe] = Σ_k p_expert(k) · mean_i share_i(k), the mean of kappa is about
    (E[Po] - E[Pe]) / (1 - E[Pe]) and its standard deviation about
    √(Σ p_i(1 - p_i)) / N / (1 - E[Pe]).

    References
    ----------
    Banchs (2016), section 4.

    Examples
    --------
    Two of three votes agree with the expert on each of four items:

    >>> votes = Ratings.from_wide(
    ...     [[1, 1, 2], [1, 2, 1], [2, 2, 1], [2, 1, 2]], scale="1-2", judges="slots"
    ... )
    >>> expert = Ratings.from_wide([[1], [1], [2], [2]], scale="1-2", judges=["Ann"])
    >>> drawn = arrangements(votes, expert, rng=1)
    >>> round(drawn.closed_form.mean, 4), abs(drawn.mean - drawn.closed_form.mean) < 0.01
    (0.3333, True)
    """
    seed = IntervalSpec.of(None, 0.95, 2, rng).seed
    check_arrangements(arrangements)
    matched = match_items(crowd, expert, criterion)
    place = _expert_place(matched, judge)
    chosen = as_coefficient(coefficient, matched.scale)
    (distribution,) = arrange(matched, place, (chosen,), number=arrangements, seed=seed)
    return distribution


def check_arrangements(number: Any) -> None:
    """Refuse a number of arrangements that gives no distribution."""
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if not whole or number < 2:
        raise InvalidArgument("crowd.arrangements", argument="arrangements", value=number)


def arrange(
    matched: MatchedItems,
    expert: int,
    coefficients: tuple[Coefficient, ...],
    *,
    number: int,
    seed: int,
) -> Iterator[Arrangements]:
    """Evaluate several coefficients on the same arrangements."""
    rated = matched.expert_codes[:, expert] >= 0
    codes, shares = matched.expert_codes[rated, expert], matched.shares[rated]
    tables = draw_tables(codes, shares, number, np.random.default_rng([seed, expert]))
    for coefficient in coefficients:
        values = coefficient.of(tables, matched.scale)
        known = values[~np.isnan(values)]
        enough = known.size > 1
        counts, edges = np.histogram(known, BINS) if enough else (np.array([]), np.array([]))
        ends = np.quantile(known, QUANTILES) if enough else np.full(len(QUANTILES), math.nan)
        yield Arrangements(
            coefficient=coefficient.name,
            title=coefficient.title,
            expert=matched.experts[expert],
            n_items=int(rated.sum()),
            n_votes=int(matched.n_votes[rated].sum()),
            arrangements=values.size,
            mean=float(known.mean()) if enough else math.nan,
            sd=float(known.std(ddof=1)) if enough else math.nan,
            quantiles=tuple(zip(QUANTILES, ends.tolist(), strict=True)),
            edges=tuple(edges.tolist()),
            histogram=tuple(counts.tolist()),
            closed_form=closed_form(coefficient, codes, shares, matched.scale),
            undefined=values.size - known.size,
            seed=seed,
            values=values,
        )


def draw_tables(codes: Ints, shares: Floats, number: int, rng: np.random.Generator) -> Floats:
    """Draw cross tables of the expert and one vote of each item: number × categories × categories.

    Items of one expert category whose votes divide alike are drawn together.
    """
    size = shares.shape[1]
    keys = np.column_stack([codes, np.round(shares, 12)])
    kinds, times = np.unique(keys, axis=0, return_counts=True)
    tables = np.zeros((number, size, size))
    for kind, n in zip(kinds, times.tolist(), strict=True):
        row, chances = int(kind[0]), kind[1:] / kind[1:].sum()
        if (chances == 1).any():
            tables[:, row] += n * chances
        else:
            used = np.flatnonzero(chances)
            tables[:, row, used] += rng.multinomial(n, chances[used], size=number)
    return tables


def closed_form(coefficient: Coefficient, codes: Ints, shares: Floats, scale: Scale) -> ClosedForm:
    """Evaluate the coefficient at the expected cross table, and how far arrangements stray."""
    n, size = len(codes), shares.shape[1]
    if not n:
        return ClosedForm(mean=math.nan, sd=math.nan)
    table = np.zeros((size, size))
    np.add.at(table, codes, shares)
    mean = float(coefficient.of(table[None], scale)[0])
    exact = coefficient.linear or bool((shares.max(axis=1) == 1).all())
    if coefficient.name != "cohen_kappa":
        slopes = _slopes(coefficient, table, scale)[codes]
        first, second = (np.sum(shares * slopes**power, axis=1) for power in (1, 2))
        sd = math.sqrt(max(float(np.sum(second - first**2)), 0.0))
        return ClosedForm(mean=mean, sd=sd, exact=exact)
    p = shares[np.arange(n), codes]
    expected = float(table.sum(axis=1) @ table.sum(axis=0)) / n**2
    left = 1 - expected
    sd = math.sqrt(float(np.sum(p * (1 - p)))) / n / left if left > 0 else math.nan
    return ClosedForm(mean=mean, sd=sd, observed=float(p.mean()), expected=expected, exact=exact)


def _slopes(coefficient: Coefficient, table: Floats, scale: Scale) -> Floats:
    """The derivative of the coefficient by each cell of a cross table."""
    size, step = table.shape[0], STEP * float(table.sum())
    steps = np.eye(size * size).reshape(-1, size, size) * step
    high, low = (coefficient.of(table + sign * steps, scale) for sign in (1, -1))
    return np.asarray(((high - low) / (2 * step)).reshape(size, size))


def _expert_place(matched: MatchedItems, judge: Any) -> int:
    experts = matched.experts
    if judge is None and len(experts) == 1:
        return 0
    if judge not in experts:
        raise InvalidArgument("crowd.expert", argument="judge", value=judge, allowed=experts)
    return experts.index(judge)
