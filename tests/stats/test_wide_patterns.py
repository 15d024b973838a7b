"""Ratings of many judges kept one by one are the same patterns as a table of all judges."""

import numpy as np
import pytest

from covary import Ratings, goodman_kruskal_gamma, krippendorff_alpha
from covary.scales import Level
from covary.stats import patterns as module
from covary.stats.coefficients.krippendorff import alpha_statistic
from covary.stats.draws import add_pseudo_items
from covary.stats.patterns import Patterns, WidePatterns, collapse

JUDGES = 90


def ratings(clusters, line):
    rng = np.random.default_rng(8)
    item = np.repeat(np.arange(400), 4)
    judge = np.concatenate([rng.choice(JUDGES, 4, replace=False) for _ in range(400)])
    rating = rng.random(item.size) * 100 if line else rng.integers(1, 4, item.size)
    columns = {"item": item.tolist(), "judge": judge.tolist(), "rating": rating.tolist()}
    if clusters:
        columns["cluster"] = (item // 3).tolist()
    return Ratings(columns, scale="0-100" if line else "1-3")


@pytest.fixture(params=[(False, False), (True, False), (False, True)])
def both(request, monkeypatch):
    """The same ratings both ways."""
    wide = collapse(ratings(*request.param))
    monkeypatch.setattr(module, "FILLED", 0.0)
    table = collapse(ratings(*request.param))
    assert isinstance(wide, WidePatterns)
    assert type(table) is Patterns
    return wide, table


def assert_alike(one, other):
    width = one.codes.shape[1]
    assert np.array_equal(one.codes, other.codes[:, :width])
    assert (other.codes[:, width:] == -1).all()
    assert np.array_equal(one.counts, other.counts)
    assert (one.clusters is None) == (other.clusters is None)
    if one.clusters is not None:
        assert np.array_equal(one.clusters, other.clusters)


def test_rows_and_their_order_are_those_of_a_table(both):
    assert_alike(*both)
    wide, table = both
    assert all(np.array_equal(*pair) for pair in zip(wide.entries, table.entries, strict=True))
    assert np.array_equal(wide.sizes, table.sizes)


def test_parts_are_those_of_a_table(both):
    wide, table = both
    some, mask = np.array([7, 2, 300]), np.arange(wide.counts.size) % 3 == 0
    few, many = wide.judges[3:9], wide.judges[5:80]
    assert_alike(wide.keep(some), table.keep(some))
    assert_alike(wide.keep(mask), table.keep(mask))
    assert_alike(wide.without_judges(), table.without_judges())
    assert_alike(wide.columns(few), table.columns(few))
    assert_alike(wide.only(few), table.only(few))
    assert_alike(wide.only(many), table.only(many))


def test_what_judges_share_is_that_of_a_table(both):
    wide, table = (patterns.common for patterns in both)
    assert np.array_equal(wide.pairs, table.pairs)
    assert np.array_equal(wide.items, table.items)
    if both[0].n_values < 10:
        assert np.array_equal(wide.tables, table.tables)


def test_coefficients_do_not_depend_on_how_ratings_are_kept(monkeypatch):
    wide = [f(ratings(False, False)) for f in (krippendorff_alpha, goodman_kruskal_gamma)]
    monkeypatch.setattr(module, "FILLED", 0.0)
    table = [f(ratings(False, False)) for f in (krippendorff_alpha, goodman_kruskal_gamma)]
    for one, other in zip(wide, table, strict=True):
        assert one.value == pytest.approx(other.value, rel=1e-12)
        assert one.interval.low == pytest.approx(other.interval.low, rel=1e-10)
        assert one.interval.high == pytest.approx(other.interval.high, rel=1e-10)


def test_rows_that_are_added_are_those_of_a_table(both):
    (wide, prior), (table, other) = (add_pseudo_items(patterns) for patterns in both)
    assert isinstance(wide, WidePatterns)
    assert_alike(wide, table)
    assert np.array_equal(prior, other)
    assert_alike(wide.recount(wide.counts + 1), table.recount(table.counts + 1))


@pytest.mark.parametrize("level", [Level.NOMINAL, Level.ORDINAL, Level.INTERVAL])
def test_alpha_without_groups_of_judges_is_that_of_the_other_judges(level):
    statistic = alpha_statistic(collapse(ratings(False, False)), level)
    every = np.arange(len(statistic.patterns.judges))
    rest = [statistic.with_judges((every % 40 != group).astype(float)) for group in range(40)]
    expected = [float(other.value) for other in rest]
    assert statistic.without_each_judge() == pytest.approx(expected, abs=1e-12)
