"""All pairs of judges at once give what a loop over the pairs gives, one by one."""

from itertools import combinations

import numpy as np
import pytest

from covary import (
    Ratings,
    goodman_kruskal_gamma,
    kendall_tau_b,
    kendall_tau_c,
    light_kappa,
    pearson,
    spearman,
)
from covary.errors import UndefinedWarning
from covary.stats import ordering
from covary.stats.coefficients.correlation import PairMoments, _TableMoments, _TableRho
from covary.stats.coefficients.gamma import _Gamma, _TauB, _TauC
from covary.stats.coefficients.kappa import TableKappa
from covary.stats.intervals import STEP
from covary.stats.pairs import PairTables, pair_tables
from covary.stats.patterns import collapse

NAMES = {
    goodman_kruskal_gamma: "ordinal",
    kendall_tau_b: "ordinal",
    kendall_tau_c: "ordinal",
    spearman: "ordinal",
    pearson: "interval",
    light_kappa: "nominal",
}
TABLES = [_Gamma(), _TauB(), _TauC(), _TableRho(), _TableMoments(np.arange(4.0))]
TABLES += [TableKappa(np.eye(4))]


def sparse(n_items=120, n_judges=12, each=4, seed=3):
    """Ratings from 0 to 3 by a few of many judges."""
    rng = np.random.default_rng(seed)
    table = np.full((n_items, n_judges), np.nan)
    for row in table:
        who = rng.choice(n_judges, each, replace=False)
        row[who] = np.clip(np.round(rng.normal(1.5, 1) + rng.normal(0, 0.7, each)), 0, 3)
    return table


def as_ratings(table, level="ordinal"):
    rows = [[None if value != value else int(value) for value in row] for row in table]
    return Ratings.from_wide(rows, scale="0-3", level=level)


@pytest.mark.parametrize("coefficient", NAMES, ids=lambda each: each.__name__)
def test_the_mean_over_all_pairs_is_that_of_a_loop_over_pairs(coefficient):
    ratings = as_ratings(sparse(), NAMES[coefficient])
    found = coefficient(ratings, interval=None, combine="mean")
    alone = [
        coefficient(ratings, judges=pair, interval=None).value
        for pair in combinations(ratings.judges, 2)
    ]
    assert found.value == pytest.approx(np.nanmean(alone), abs=1e-10)
    assert [pair["judges"] for pair in found.details["pairs"]] == list(
        combinations(ratings.judges, 2)
    )


def test_lights_kappa_leaves_out_pairs_that_share_few_items_and_is_undefined_where_most_do():
    """A pair that shares one item has a kappa of 0, whatever the judges do."""
    crowd = as_ratings(sparse(n_items=200, n_judges=80, each=3), "nominal")
    with pytest.warns(UndefinedWarning, match="share fewer than 10 items"):
        found = light_kappa(crowd)
    assert not found.defined
    assert found.interval is None
    assert found.notes[-1].code == "stats.pairs-too-few-common"
    assert light_kappa(crowd, combine="mean", interval=None).value < 0.05
    rows = sparse(n_items=60, n_judges=3, each=3)
    guest = np.full((60, 1), np.nan)
    guest[:4, 0] = rows[:4, 0]
    ratings = as_ratings(np.hstack([rows, guest]), "nominal")
    three = light_kappa(ratings, judges=ratings.judges[:3], interval=None)
    assert light_kappa(ratings, interval=None).value == pytest.approx(three.value, abs=1e-12)


def test_pooled_gamma_is_the_ratio_of_the_sums_of_a_loop_over_pairs():
    ratings = as_ratings(sparse())
    sums = np.zeros(2)
    for pair in combinations(ratings.judges, 2):
        alone = goodman_kruskal_gamma(ratings, judges=pair, interval=None).details
        sums += alone["concordant"], alone["discordant"]
    found = goodman_kruskal_gamma(ratings, combine="pooled", interval=None)
    assert found.value == pytest.approx((sums[0] - sums[1]) / sums.sum(), abs=1e-10)
    assert found.settings["combine"] == "pooled"


@pytest.mark.parametrize("combine", ["mean", "pooled", "fisher-z"])
@pytest.mark.parametrize("coefficient", TABLES, ids=lambda each: type(each).__name__)
def test_slopes_are_the_differences_of_the_value(coefficient, combine):
    statistic = pair_tables(collapse(as_ratings(sparse(60, 5, 3))), coefficient, combine)
    moves = STEP * np.eye(statistic.counts.size)
    more, less = (statistic.evaluate(statistic.counts + sign * moves) for sign in (1, -1))
    known = ~np.isnan(more + less)
    assert known.mean() > 0.9
    expected = (more - less) / (2 * STEP)
    assert statistic.slopes()[known] == pytest.approx(expected[known], abs=1e-6)


@pytest.mark.parametrize("combine", ["mean", "pooled", "fisher-z"])
def test_slopes_of_moments_are_the_differences_of_the_value(combine):
    statistic = PairMoments(collapse(as_ratings(sparse(60, 5, 3), "interval")), combine)
    moves = STEP * np.eye(statistic.counts.size)
    more, less = (statistic.evaluate(statistic.counts + sign * moves) for sign in (1, -1))
    assert statistic.slopes() == pytest.approx((more - less) / (2 * STEP), abs=1e-6)


@pytest.mark.parametrize("combine", ["mean", "pooled", "fisher-z"])
def test_sums_of_moments_are_those_of_the_rows(combine, monkeypatch):
    patterns = collapse(as_ratings(sparse(60, 5, 3), "interval"))
    rows = patterns.counts @ PairMoments(patterns, combine).sums
    for quicker in (0, 10**9):
        monkeypatch.setattr(ordering, "COLUMNS_ARE_QUICKER", quicker)
        assert PairMoments(patterns, combine).total == pytest.approx(rows, abs=1e-10)


@pytest.mark.parametrize("combine", ["mean", "pooled"])
def test_leaving_out_a_row_or_a_judge_is_evaluating_without(combine):
    statistic = pair_tables(collapse(as_ratings(sparse(40, 5, 3))), _TauB(), combine)
    counts = statistic.counts - np.eye(statistic.counts.size)
    assert statistic.perturbed(1.0, -1.0) == pytest.approx(statistic.evaluate(counts), abs=1e-10)
    others = [statistic.with_judges(1 - one).value for one in np.eye(5)]
    assert statistic.without_each_judge() == pytest.approx(others, abs=1e-10)


def test_common_ratings_in_small_blocks_are_those_of_one_block(monkeypatch):
    table = sparse()
    whole = collapse(as_ratings(table))
    monkeypatch.setattr(ordering, "MOST_AT_ONCE", 50)
    blocks = collapse(as_ratings(table))
    assert len(list(blocks.common.blocks())) > 1
    assert (blocks.common.tables == whole.common.tables).all()
    by_pair = [(p.common.of_pair(7)) for p in (blocks, whole)]
    assert all((one == other).all() for one, other in zip(*by_pair, strict=True))
    slopes = [PairTables(patterns, _Gamma()).slopes() for patterns in (blocks, whole)]
    assert slopes[0] == pytest.approx(slopes[1], abs=1e-12)


def test_tables_hold_what_two_judges_gave_the_items_that_both_rated():
    table = sparse()
    patterns = collapse(as_ratings(table))
    for (one, other), counted in zip(patterns.common.pairs, patterns.common.tables, strict=True):
        both = table[~np.isnan(table[:, [one, other]]).any(axis=1)][:, [one, other]]
        edges = np.arange(-0.5, 4)
        assert (counted == np.histogram2d(*both.T, bins=[edges, edges])[0]).all()


@pytest.mark.parametrize("each", [2, 5])
def test_tables_of_all_pairs_at_once_are_those_of_drawing_items_by_hand(each):
    """Two of six judges rate an item, whose tables are made one by one; or five, all at once."""
    table = sparse(n_items=60, n_judges=6, each=each)
    patterns = collapse(as_ratings(table))
    statistic = PairTables(patterns, _TauB())
    assert (statistic._cells is None) == (each == 2)
    counts = np.random.default_rng(1).integers(0, 3, size=(4, patterns.counts.size)).astype(float)
    found = statistic.fractions(counts)
    for line, count in enumerate(counts.astype(int)):
        drawn = np.repeat(patterns.codes, count, axis=0)
        for place, (first, second) in enumerate(statistic.pairs.tolist()):
            both = drawn[(drawn[:, first] >= 0) & (drawn[:, second] >= 0)][:, [first, second]]
            x, y = (np.sign(both[:, [i]] - both[:, i]) for i in (0, 1))
            assert found[0][line, place] == pytest.approx((x * y).sum() / 2)
            assert found[1][line, place] == pytest.approx(
                np.sqrt(float((x**2).sum()) * float((y**2).sum())) / 2
            )


def test_pairs_who_share_one_to_three_of_sixteen_items_have_no_value_of_their_own():
    """A mean over pairs who share two items is one of +1 and -1, however alike they rate."""
    rng = np.random.default_rng(4)
    pairs = [(first, second) for first in range(6) for second in range(first + 1, 6)]
    truth = rng.normal(50, 25, 16)
    rows = [
        {"item": item, "judge": judge, "rating": value + rng.normal(0, 10)}
        for item, value in enumerate(truth)
        for judge in pairs[item % len(pairs)]
    ]
    ratings = Ratings({name: [row[name] for row in rows] for name in rows[0]}, level="interval")
    found = pearson(ratings, interval=None)
    assert found.settings["combine"] == "pooled"
    whole = Ratings.from_wide(
        [[value + rng.normal(0, 10) for _ in range(3)] for value in truth[:8]], level="interval"
    )
    assert pearson(whole, interval=None).settings["combine"] == "mean"


def test_a_pooled_correlation_is_never_larger_than_1():
    """Judges who agree fully on the few items they share: what shrinks is made good, up to 1."""
    rows = [[1, 1, None], [3, 3, None], [None, 2, 2], [None, 0, 0], [3, None, 3], [1, None, 1]]
    found = pearson(as_ratings(np.array(rows, dtype=float), "interval"), combine="pooled", rng=1)
    assert found.value == 1
    assert not any(pair["value"] > 1 for pair in found.details["pairs"])
