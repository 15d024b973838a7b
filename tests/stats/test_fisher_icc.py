"""Fisher's intraclass correlation: worked values, identities, and where it has no value."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from covary import Ratings, UndefinedWarning
from covary.stats.coefficients.icc import fisher_icc, icc
from covary.stats.estimate import OTHER_JUDGES

SEVERITY = list(zip([3, 3, 2, 2, 3, 2, 1, 2, 2, 3], [3, 2, 1, 1, 3, 2, 1, 1, 1, 2], strict=True))

# Invalid, acceptable, valid: rows the first expert, columns the second
TWO_EXPERTS = [[78, 45, 21], [41, 63, 12], [4, 47, 94]]


def wide(rows, **options):
    return Ratings.from_wide(rows, **({"level": "interval"} | options))


def value(rows, **options):
    return fisher_icc(wide(rows, **options), interval=None).value


def paired(rows):
    """The correlation of all pairs of ratings of an item, each entered both ways round."""
    pairs = [
        (row[a], row[b])
        for row in rows
        for a in range(len(row))
        for b in range(len(row))
        if a != b and row[a] is not None and row[b] is not None
    ]
    x, y = np.array(pairs, dtype=float).T
    return np.corrcoef(x, y)[0, 1]


def quadratic_scott(rows):
    """Scott's pi with quadratic weights, from its definition."""
    x, y = np.array(rows, dtype=float).T
    pooled = np.concatenate([x, y])
    return 1 - np.mean((x - y) ** 2) / np.mean((pooled[:, None] - pooled) ** 2)


def interval_alpha(rows):
    """Krippendorff's alpha with squared differences, from its definition, for two judges."""
    x, y = np.array(rows, dtype=float).T
    pooled = np.concatenate([x, y])
    expected = ((pooled[:, None] - pooled) ** 2).sum() / (pooled.size * (pooled.size - 1))
    return 1 - np.mean((x - y) ** 2) / expected


def test_judges_who_rank_alike_but_differ_in_strictness_reach_one_half():
    assert value(SEVERITY) == pytest.approx(0.5)


def test_two_experts_reach_the_published_value():
    rows = [[a, b] for a in range(3) for b in range(3) for _ in range(TWO_EXPERTS[a][b])]
    # Printed as .5454 for 405 turns
    assert value(rows) == pytest.approx(0.54543, abs=5e-6)


two_judges = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=30)


@given(two_judges)
def test_for_two_judges_it_is_quadratic_scott_and_gives_interval_alpha(rows):
    assume(len({rating for row in rows for rating in row}) > 1)
    r = value(rows)
    assert r == pytest.approx(quadratic_scott(rows), abs=1e-9)
    assert interval_alpha(rows) == pytest.approx(1 - (1 - r) * (1 - 1 / (2 * len(rows))), abs=1e-9)


@given(st.lists(st.lists(st.none() | st.integers(1, 6), min_size=4, max_size=4), min_size=2))
def test_it_is_the_correlation_of_all_pairs_within_items(rows):
    kept = [row for row in rows if sum(rating is not None for rating in row) > 1]
    assume(len(kept) > 1)
    assume(len({rating for row in kept for rating in row if rating is not None}) > 1)
    assert value(rows) == pytest.approx(paired(rows), abs=1e-9)


@given(two_judges, st.randoms(use_true_random=False))
def test_who_gave_which_rating_does_not_matter(rows, random):
    assume(len({rating for row in rows for rating in row}) > 1)
    exchanged = [row if random.random() < 0.5 else row[::-1] for row in rows]
    assert value(exchanged, judges="slots") == pytest.approx(value(rows), abs=1e-9)


def test_it_is_the_large_sample_icc_1_1():
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(3000, 1)) + rng.normal(size=(3000, 3))
    assert value(rows) == pytest.approx(icc(wide(rows), form="1,1").value, abs=1e-3)


def test_items_with_one_rating_are_dropped_and_counted():
    found = fisher_icc(wide([*SEVERITY, (3, None), (None, 1)]), interval=None)
    assert found.value == pytest.approx(0.5)
    assert (found.n_items, found.n_dropped, found.n_ratings) == (10, 2, 20)


def test_drawing_judges_pairs_nobody_with_a_copy():
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(80, 1)) + rng.normal(size=(80, 5))
    found = fisher_icc(wide(rows), interval="two-way", resamples=200, rng=1)
    assert found.interval.target == OTHER_JUDGES
    assert 0.2 < found.interval.low < found.value < found.interval.high < 0.75


@pytest.mark.parametrize("method", ["bootstrap", "bca", "jackknife", "analytic"])
def test_every_interval_holds_the_value(method):
    found = fisher_icc(wide(SEVERITY), interval=method, resamples=300, rng=1)
    assert found.interval.low < found.value < found.interval.high


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([[1], [2]], "only one judge"),
        ([[1, 2], [3, None]], "only one item"),
        ([[4.1, 4.1], [4.1, 4.1]], "only one category"),
        ([[None, None]], "no item"),
        ([[1, None], [None, 2]], "no item was rated by two judges"),
    ],
    ids=["one judge", "one item", "constant", "nothing", "no overlap"],
)
def test_degenerate_ratings_have_no_value_and_say_why(rows, reason):
    with pytest.warns(UndefinedWarning):
        found = fisher_icc(wide(rows))
    assert math.isnan(found.value)
    assert reason in found.notes[-1]
