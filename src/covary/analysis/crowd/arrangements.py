"""Which agreement with an expert would any arrangement of a crowd's votes give?

The n-th vote on an item and the n-th vote on another are different people's, so columns of votes
are no judges. Banchs (2016) draws arrangements instead: each makes a virtual judge who gives each
item one of its votes, and every such judge has an agreement with the expert.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.crowd.matched import Matched, matched
from covary.analysis.crowd.tables import Coefficient, as_coefficient
from covary.errors import InvalidArgument, listed
from covary.ratings import Ratings
from covary.stats.intervals import Wanted
from covary.stats.plain import plain

__all__ = ["QUANTILES", "Arrangements", "ClosedForm", "arranged", "arrangements", "drawn_tables"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

QUANTILES = (0.025, 0.25, 0.5, 0.75, 0.975)
BINS = 24
"""Few enough that the steps between possible values of kappa do not show as gaps."""
STEP = 1e-6
"""How far a share is moved to take a derivative."""


@dataclass(frozen=True)
class ClosedForm:
    """What the mean and the standard deviation over all arrangements are, without drawing any.

    `mean` is the coefficient of the expected cross table. For kappa `observed` and `expected` are
    the expected agreement and the expected chance agreement, and the standard deviation takes the
    latter as fixed; for other coefficients it follows from their derivatives.
    """

    mean: float
    sd: float
    observed: float = math.nan
    expected: float = math.nan


@dataclass(frozen=True)
class Arrangements:
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

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, without the drawn ones; NaN becomes None."""
        return dict(plain(self))

    def __str__(self) -> str:
        return (
            f"{self.title} with {self.expert} over {self.arrangements:,} arrangements: mean "
            f"{self.mean:.4f}, sd {self.sd:.4f} (closed form {self.closed_form.mean:.4f}, "
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
    >>> found = arrangements(votes, expert, rng=1)
    >>> round(found.closed_form.mean, 4), abs(found.mean - found.closed_form.mean) < 0.01
    (0.3333, True)
    """
    wanted = Wanted.of(None, 0.95, 2, rng)
    check_number(arrangements)
    both = matched(crowd, expert, criterion)
    column = _column(both, judge)
    chosen = as_coefficient(coefficient, both.scale)
    (found,) = arranged(both, column, (chosen,), arrangements, wanted.seed)
    return found


def check_number(number: Any) -> None:
    """Refuse a number of arrangements that gives no distribution."""
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if not whole or number < 2:
        raise InvalidArgument(f"arrangements={number!r} must be a whole number of at least 2")


def arranged(
    both: Matched, expert: int, coefficients: tuple[Coefficient, ...], number: int, seed: int
) -> Iterator[Arrangements]:
    """Evaluate several coefficients on the same arrangements."""
    known = both.given[:, expert] >= 0
    given, shares = both.given[known, expert], both.shares[known]
    tables = drawn_tables(given, shares, number, np.random.default_rng([seed, expert]))
    for coefficient in coefficients:
        values = coefficient.of(tables, both.scale)
        yield _described(
            coefficient, both, expert, values, closed_form(coefficient, given, shares, both),
            int(both.n_votes[known].sum()), seed,
        )  # fmt: skip


def drawn_tables(given: Ints, shares: Floats, number: int, rng: np.random.Generator) -> Floats:
    """Draw cross tables of the expert and one vote of each item: number × categories × categories.

    Items of one expert category whose votes divide alike are drawn together.
    """
    size = shares.shape[1]
    keys = np.column_stack([given, np.round(shares, 12)])
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


def closed_form(coefficient: Coefficient, given: Ints, shares: Floats, both: Matched) -> ClosedForm:
    """Evaluate the coefficient at the expected cross table, and how far arrangements stray."""
    n, size = len(given), shares.shape[1]
    if not n:
        return ClosedForm(math.nan, math.nan)
    table = np.zeros((size, size))
    np.add.at(table, given, shares)
    mean = float(coefficient.of(table[None], both.scale)[0])
    if coefficient.name != "cohen_kappa":
        return ClosedForm(mean, _delta_sd(coefficient, table, given, shares, both))
    p = shares[np.arange(n), given]
    observed = float(p.mean())
    expected = float(table.sum(axis=1) @ table.sum(axis=0)) / n**2
    left = 1 - expected
    sd = math.sqrt(float(np.sum(p * (1 - p)))) / n / left if left > 0 else math.nan
    return ClosedForm(mean, sd, observed, expected)


def _delta_sd(
    coefficient: Coefficient, table: Floats, given: Ints, shares: Floats, both: Matched
) -> float:
    """The standard deviation from the derivative of the coefficient by each cell."""
    size, step = table.shape[0], STEP * float(table.sum())
    nudges = np.eye(size * size).reshape(-1, size, size) * step
    high, low = (coefficient.of(table + sign * nudges, both.scale) for sign in (1, -1))
    slopes = ((high - low) / (2 * step)).reshape(size, size)[given]
    first, second = (np.sum(shares * slopes**power, axis=1) for power in (1, 2))
    return math.sqrt(max(float(np.sum(second - first**2)), 0.0))


def _described(
    coefficient: Coefficient,
    both: Matched,
    expert: int,
    values: Floats,
    closed: ClosedForm,
    n_votes: int,
    seed: int,
) -> Arrangements:
    known = values[~np.isnan(values)]
    enough = known.size > 1
    counts, edges = np.histogram(known, BINS) if enough else (np.array([]), np.array([]))
    ends = np.quantile(known, QUANTILES) if enough else np.full(len(QUANTILES), math.nan)
    return Arrangements(
        coefficient.name, coefficient.title, both.experts[expert],
        int((both.given[:, expert] >= 0).sum()), n_votes, values.size,
        float(known.mean()) if enough else math.nan,
        float(known.std(ddof=1)) if enough else math.nan,
        tuple(zip(QUANTILES, ends.tolist(), strict=True)), tuple(edges.tolist()),
        tuple(counts.tolist()), closed, values.size - known.size, seed, values,
    )  # fmt: skip


def _column(both: Matched, judge: Any) -> int:
    if judge is None and len(both.experts) == 1:
        return 0
    if judge not in both.experts:
        raise InvalidArgument(f"judge={judge!r} must be one of the experts: {listed(both.experts)}")
    return both.experts.index(judge)
