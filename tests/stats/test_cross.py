"""Cross-replication reliability."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import covary
from covary.errors import CovaryWarning, InvalidArgument, SuitabilityWarning, UndefinedWarning

X = [[1, 1, 2], [2, 2], [3, 3, 3], [1, 2], [3, 2, 3]]
Y = [[1, 1], [2, 3, 2], [3, 3], [1, 1, 1], [3, 3]]


def made(rows, scale="1-3", **more):
    widest = max(map(len, rows))
    filled = [[*row, *[None] * (widest - len(row))] for row in rows]
    return covary.Ratings.from_wide(filled, scale=scale, **more)


def long(values, judges, scale="1-3"):
    """Ratings of named items, from (item, judge, rating)."""
    item, judge, rating = zip(*values, strict=True)
    return covary.Ratings({"item": item, "judge": judge, "rating": rating}, scale=scale)


def by_hand(x, y, distance):
    """The definition, pair by pair (Wong, Paritosh & Aroyo 2021)."""
    r, s = sum(map(len, x)), sum(map(len, y))
    observed = sum(
        (len(a) + len(b)) / (len(a) * len(b)) * sum(distance(v, w) for v in a for w in b)
        for a, b in zip(x, y, strict=True)
    ) / (r + s)
    expected = sum(distance(v, w) for a in x for v in a for b in y for w in b) / (r * s)
    return 1 - observed / expected


def test_the_worked_example():
    # d_o = .300, d_e = .67949, from the authors' formula by hand; alphas .34545 and .75556
    found = covary.xrr(made(X), made(Y), level="nominal", rng=1)
    assert found.value == pytest.approx(0.55849, abs=5e-6)
    assert found.details["normalised"] == pytest.approx(1.0932, abs=5e-5)
    assert found.details["alpha_a"] == pytest.approx(0.34545, abs=5e-6)
    assert found.details["alpha_b"] == pytest.approx(0.75556, abs=5e-6)
    assert found.interval.low < found.value < found.interval.high
    assert found.details["normalised_low"] < found.details["normalised"]


def test_interval_distances_by_the_definition():
    found = covary.xrr(made(X), made(Y), level="interval", interval=None)
    assert found.value == pytest.approx(by_hand(X, Y, lambda v, w: (v - w) ** 2), abs=1e-12)


def test_ordinal_distances_are_those_of_mid_ranks():
    everything = np.array([v for row in X + Y for v in row])
    rank = {v: (everything < v).sum() + ((everything == v).sum() + 1) / 2 for v in (1, 2, 3)}
    found = covary.xrr(made(X), made(Y), interval=None)
    expected = by_hand(X, Y, lambda v, w: (rank[v] - rank[w]) ** 2)
    assert found.value == pytest.approx(expected, abs=1e-12)


def test_alphas_are_those_of_krippendorff_alpha():
    found = covary.xrr(made(X), made(Y), level="interval", interval=None)
    for rows, name in ((X, "alpha_a"), (Y, "alpha_b")):
        with pytest.warns(SuitabilityWarning):
            alone = covary.krippendorff_alpha(made(rows), level="interval", interval=None)
        assert found.details[name] == pytest.approx(alone.value, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 3)), min_size=4, max_size=30))
def test_with_one_rating_each_it_is_cohens_kappa(pairs):
    a, b = (made([[pair[side]] for pair in pairs], judges=["one"]) for side in (0, 1))
    both = covary.Ratings.from_wide(pairs, scale="1-3")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CovaryWarning)
        kappa = covary.cohen_kappa(both, interval=None).value
        found = covary.xrr(a, b, level="nominal", interval=None).value
    if math.isnan(kappa):
        assert math.isnan(found)
    else:
        assert found == pytest.approx(kappa, abs=1e-12)


def test_continuous_ratings_use_sums():
    rng = np.random.default_rng(1)
    truth = rng.normal(50, 15, 40)
    x = [[float(np.clip(t + e, 0, 100)) for e in rng.normal(0, 5, 2)] for t in truth]
    y = [[float(np.clip(t + e, 0, 100)) for e in rng.normal(0, 9, 3)] for t in truth]
    a, b = (covary.Ratings.from_wide(rows, scale="0-100") for rows in (x, y))
    found = covary.xrr(a, b, interval=None)
    assert found.value == pytest.approx(by_hand(x, y, lambda v, w: (v - w) ** 2), abs=1e-10)
    # the true values are the same for both groups, so only noise lowers it
    assert found.details["normalised"] == pytest.approx(1, abs=0.05)


def test_swapping_the_groups_changes_nothing():
    one, other = (
        covary.xrr(*pair, interval=None).value for pair in ((made(X), made(Y)), (made(Y), made(X)))
    )
    assert one == pytest.approx(other, abs=1e-12)


def test_items_are_matched_by_name_and_the_others_counted():
    a = long([("p", "j", 1), ("q", "j", 2), ("only a", "j", 3)], "j")
    b = long([("q", "k", 2), ("p", "k", 3), ("only b", "k", 1)], "k")
    found = covary.xrr(a, b, level="nominal", interval=None)
    assert (found.n_items, found.n_dropped) == (2, 2)
    # p: 1 against 3 differs, q: 2 against 2 agrees; 3 of 4 pairs of any items differ
    assert found.value == pytest.approx(1 - 0.5 / 0.75)


def test_no_shared_item_is_refused():
    with pytest.raises(InvalidArgument, match="no item was rated by both groups"):
        covary.xrr(long([("p", "j", 1)], "j"), long([("q", "j", 1)], "j"))


def test_different_scales_are_refused():
    with pytest.raises(InvalidArgument, match="on one scale"):
        covary.xrr(made(X), made(Y, scale="1-5"))


def test_order_is_not_invented():
    a = covary.Ratings.from_wide([["x"], ["y"]], scale=covary.VerbalScale("xyz", level="nominal"))
    with pytest.raises(InvalidArgument, match="nominal"):
        covary.xrr(a, a, level="ordinal")


def test_all_alike_is_undefined():
    same = made([[2], [2], [2]])
    with pytest.warns(UndefinedWarning, match="only one category"):
        found = covary.xrr(same, same, level="nominal")
    assert math.isnan(found.value)


def test_one_rating_each_has_no_normalised_value_and_says_so():
    a, b = made([[1], [2], [3], [1]]), made([[1], [2], [2], [1]])
    found = covary.xrr(a, b, level="nominal", interval=None)
    assert math.isnan(found.details["normalised"])
    assert any("no normalised value" in note for note in found.notes)
