"""May an automatic judge take a person's place? The alternative annotator test.

Calderon, Reichart & Dror (2025), The alternative annotator test for LLM-as-a-judge, ACL 2025.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from covary.records import dataclass
from covary.stats import special
from covary.stats.estimate import Result
from covary.stats.posthoc.comparisons import adjust_p_values

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

FEWEST = 30
"""Items that the automatic judge must share with a person, as the authors advise."""

ERROR = 0.05
"""The expected share of false ones among the persons whom it is said to replace."""

NEARLY = 1e-9
"""Two scores as close as this are equal; they differ by rounding."""


@dataclass(frozen=True, kw_only=True)
class PersonTest(Result):
    """The automatic judge in one person's place, on the items of both.

    `advantage` is the share of items on which it is at least as close to the other people as the
    person is, and `behind` how much more often the person is: a difference of shares. `p` belongs
    to "behind by the margin or more", and `p_worse` to "by the margin or less"; `replaced` and
    `worse` say which of the two is rejected, all persons considered.
    """

    person: int
    n: int
    advantage: float
    behind: float
    p: float
    p_worse: float
    replaced: bool = False
    worse: bool = False


@dataclass(frozen=True, kw_only=True)
class ReplacementTest(Result):
    """The automatic judge in each person's place.

    `winning_rate` is the share of persons whom it replaces and `losing_rate` that of persons who
    are shown to be better by more than the margin; half of them decide. `few` counts persons who
    share too few items with it to be asked.
    """

    persons: tuple[PersonTest, ...]
    few: int
    margin: float

    @property
    def winning_rate(self) -> float:
        """The share of the persons whom the automatic judge can replace."""
        return _share([person.replaced for person in self.persons])

    @property
    def losing_rate(self) -> float:
        """The share of the persons who are shown to be better by more than the margin."""
        return _share([person.worse for person in self.persons])

    @property
    def advantage(self) -> float:
        """How often, for a person on average, it is at least as close to the others."""
        return _share([person.advantage for person in self.persons])


def replacement_test(
    people: Floats,
    automatic: Floats,
    clusters: Ints,
    *,
    nominal: bool,
    margin: float,
) -> ReplacementTest:
    """Ask of each person whether the automatic judge is as close to the other people.

    Parameters
    ----------
    people
        One row per item, one column per person; NaN where a person did not rate.
    automatic
        The automatic judge's rating of each item, or NaN.
    clusters
        What the items are nested in, by number; items of one cluster are not independent.
    nominal
        Whether two ratings are either equal or not; otherwise closeness is the root of the mean
        squared difference.
    margin
        By how much the automatic judge may be behind and still be worth its lower price (the
        authors' ε: .2 beside experts, .15 beside skilled people, .1 beside a crowd).

    Notes
    -----
    On an item that a person and at least one other rated, the person is ahead where closer to the
    others, and both are where equally close; d is 1, 0 or -1. One-sided Student's t of mean d
    against the margin, its error by clusters, and Benjamini & Yekutieli's (2001) adjustment over
    persons. Where d is the same everywhere, p is the chance that so many clusters all miss the part
    that would have to differ.

    Examples
    --------
    The automatic judge equals both people, who equal each other: it is never behind.

    >>> both = np.tile(np.arange(40.0)[:, None] % 5, 2)
    >>> found = replacement_test(both, both[:, 0], np.arange(40), nominal=False, margin=0.2)
    >>> found.winning_rate, found.advantage
    (1.0, 1.0)
    """
    tests, few = [], 0
    for person in range(people.shape[1]):
        items, behind, ahead = _duel(people, automatic, person, nominal=nominal)
        if items.size < FEWEST:
            few += 1
            continue
        p, p_worse = _tails(behind, clusters[items], margin)
        tests.append(
            PersonTest(
                person=person,
                n=items.size,
                advantage=float(ahead.mean()),
                behind=float(behind.mean()),
                p=p,
                p_worse=p_worse,
            )
        )
    return ReplacementTest(persons=tuple(_decide(tests)), few=few, margin=margin)


def _duel(
    people: Floats, automatic: Floats, person: int, *, nominal: bool
) -> tuple[Ints, Floats, npt.NDArray[np.bool_]]:
    """The items of both, by how much the person is ahead on each, and where the other is not."""
    own, others = people[:, person], np.delete(people, person, axis=1)
    items = np.flatnonzero(~np.isnan(own) & ~np.isnan(automatic) & (~np.isnan(others)).any(axis=1))
    others = others[items]
    of_person = _distance(own[items], others, nominal=nominal)
    of_automatic = _distance(automatic[items], others, nominal=nominal)
    nearer = of_person <= of_automatic + NEARLY
    ahead = of_automatic <= of_person + NEARLY
    return items, nearer.astype(float) - ahead, ahead


def _distance(ratings: Floats, others: Floats, *, nominal: bool) -> Floats:
    """How far a rating lies from the other people's, on the average of those who rated."""
    apart = ratings[:, None] - others
    squares = np.where(np.isnan(apart), 0.0, apart != 0 if nominal else apart * apart)
    mean = squares.sum(axis=1) / (~np.isnan(apart)).sum(axis=1)
    return np.asarray(mean if nominal else np.sqrt(mean))


def _tails(behind: Floats, clusters: Ints, margin: float) -> tuple[float, float]:
    """The p of "behind by the margin or more", and that of "by the margin or less"."""
    places = np.unique(clusters, return_inverse=True)[1]
    mean, n = float(behind.mean()), int(places.max()) + 1
    totals = np.bincount(places, behind - mean)
    error = math.sqrt(float(totals @ totals) * n / max(n - 1, 1)) / behind.size
    if n < 2:
        return math.nan, math.nan
    if error == 0:
        return _all_alike(mean, margin, n), _all_alike(-mean, -margin, n)
    t = (mean - margin) / error
    return float(special.stdtr(n - 1, t)), float(special.stdtr(n - 1, -t))


def _all_alike(value: float, margin: float, n: int) -> float:
    """The chance that n clusters all show the value, although the mean is really the margin."""
    return 1.0 if value >= margin else (1 - (margin - value) / (1 - value)) ** n


def _decide(tests: list[PersonTest]) -> list[PersonTest]:
    """Mark the persons who are replaced, and those who are better."""
    replaced = adjust_p_values([test.p for test in tests], "by") <= ERROR
    worse = adjust_p_values([test.p_worse for test in tests], "by") <= ERROR
    return [
        PersonTest(**(vars(test) | {"replaced": bool(wins), "worse": bool(loses)}))
        for test, wins, loses in zip(tests, replaced, worse, strict=True)
    ]


def _share(parts: list[bool] | list[float]) -> float:
    return float(np.mean(parts)) if parts else math.nan
