"""What coefficients must equal: each other, their plain definitions, and SciPy."""

import itertools
import math
import warnings
from functools import partial

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import covary
from covary import Ratings, VerbalScale
from covary.scales import Level
from covary.stats.coefficients.krippendorff import RankAlpha, RatioAlpha, alpha_statistic
from covary.stats.distances import ratio_sums
from covary.stats.ordering import count_pairs, count_table
from covary.stats.patterns import collapse
from tests.properties import definitions
from tests.properties.tables import Kind, Table, tables

PAIRS = Kind("interval", judges=(2, 2), complete=True)
MANY = Kind("interval", judges=(2, 5))
COMPLETE = Kind("interval", judges=(2, 5), complete=True)
NAMES = Kind("nominal", judges=(2, 4))
BINARY = Kind("interval", categories=(2, 2))
LEVELS = ("nominal", "ordinal", "interval", "ratio")


def value(name, ratings, **options):
    """The coefficient's value, NaN where it is undefined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", covary.UndefinedWarning)
        warnings.simplefilter("ignore", covary.SuitabilityWarning)
        return getattr(covary, name)(ratings, interval=None, **options).value


def same(found, expected, tolerance=1e-9):
    return found == pytest.approx(expected, abs=tolerance, rel=0, nan_ok=True)


def at_level(table: Table, level: str) -> Ratings:
    return Ratings.from_wide(table.values, scale=VerbalScale(table.categories, level=level))


def columns(table: Table):
    return [list(column) for column in zip(*table.values, strict=True)]


# Alpha


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_is_what_krippendorff_defines(level):
    @given(tables(MANY))
    def holds(table):
        found = value("krippendorff_alpha", at_level(table, level))
        assert same(found, definitions.krippendorff(table.values, level))

    holds()


@given(tables(BINARY))
def test_alpha_is_the_same_at_every_level_of_a_binary_scale(table):
    ratings = table.ratings()
    nominal, ordinal, interval = (
        value("krippendorff_alpha", ratings, level=level) for level in LEVELS[:3]
    )
    assert same(ordinal, nominal)
    assert same(interval, nominal)


@given(tables(Kind("ordinal", judges=(2, 5))))
def test_ordinal_alpha_from_rows_is_ordinal_alpha_from_the_table(table):
    patterns = collapse(table.ratings())
    patterns = patterns.keep(patterns.rated.sum(axis=1) > 1)
    assume(patterns.n_items)
    tabulated = alpha_statistic(patterns, Level.ORDINAL)
    rows = RankAlpha(patterns)
    times = np.array([patterns.counts, patterns.counts * 3 + 1], dtype=float)
    np.testing.assert_allclose(rows.evaluate(times), tabulated.evaluate(times), rtol=0, atol=1e-9)


@given(tables(Kind("ratio", judges=(2, 4))))
def test_ratio_alpha_by_the_integral_is_ratio_alpha_from_the_table(table):
    patterns = collapse(table.ratings())
    patterns = patterns.keep(patterns.rated.sum(axis=1) > 1)
    assume(patterns.n_items)
    times = np.array([patterns.counts, patterns.counts * 2 + 1], dtype=float)
    tabulated, integral = alpha_statistic(patterns, Level.RATIO), RatioAlpha(patterns)
    np.testing.assert_allclose(
        integral.evaluate(times), tabulated.evaluate(times), rtol=0, atol=1e-8
    )


@given(
    st.lists(
        st.tuples(
            st.one_of(st.just(0.0), st.floats(1e-3, 1e4)),
            st.integers(1, 9),
        ),
        min_size=1,
        max_size=20,
        unique_by=lambda each: each[0],
    )
)
@example([(0.0, 3)])
@example([(0.0, 2), (1e-3, 1), (1e4, 5)])
def test_the_integral_of_ratio_distances_is_their_sum_one_by_one(weighted):
    values, used = (np.array(each, dtype=float) for each in zip(*weighted, strict=True))
    one_by_one = [
        sum(n * ((a - b) / (a + b)) ** 2 if a + b else 0.0 for b, n in weighted) for a in values
    ]
    found = ratio_sums(values, used)
    np.testing.assert_allclose(found, one_by_one, rtol=0, atol=1e-9 * used.sum())


@pytest.mark.parametrize("level", ["ordinal", "interval", "ratio"])
def test_alpha_of_a_continuous_scale_is_what_krippendorff_defines(level):
    rng = np.random.default_rng(3)
    rows = [[round(float(x), 3) for x in rng.uniform(0, 100, 3)] for _ in range(40)]
    for number in range(0, 40, 3):
        rows[number][number % 3] = None
    ratings = Ratings.from_wide(rows, scale=covary.VisualScale(level=level))
    found = value("krippendorff_alpha", ratings)
    assert same(found, definitions.krippendorff(rows, level))


# Fisher's intraclass correlation, ICC and Cronbach's alpha


@given(tables(PAIRS))
def test_interval_alpha_is_fishers_icc_with_a_correction_for_few_items(table):
    r = value("fisher_icc", table.ratings())
    alpha = value("krippendorff_alpha", table.ratings())
    assert same(alpha, 1 - (1 - r) * (1 - 1 / (2 * len(table.rows))))


@given(tables(PAIRS))
def test_fishers_icc_is_scotts_pi_with_quadratic_weights(table):
    assert same(
        value("fisher_icc", table.ratings()),
        value("scott_pi", table.ratings(), weights="quadratic"),
    )


@given(tables(PAIRS))
def test_fishers_icc_is_the_correlation_of_all_pairs_entered_both_ways(table):
    x, y = (np.array(column) for column in columns(table))
    both, turned = np.concatenate([x, y]), np.concatenate([y, x])
    assume(np.ptp(both) > 0)
    assert same(value("fisher_icc", table.ratings()), np.corrcoef(both, turned)[0, 1])


@given(tables(COMPLETE))
def test_icc_3k_is_cronbachs_alpha(table):
    expected = definitions.cronbach(table.values)
    assert same(value("icc", table.ratings(), form="3,k"), expected, 1e-8)
    assert same(value("cronbach_alpha", table.ratings()), expected, 1e-8)


@given(tables(COMPLETE))
def test_the_icc_of_a_mean_is_the_single_one_stepped_up_by_spearman_and_brown(table):
    k = table.n_judges
    for model in "123":
        single = value("icc", table.ratings(), form=f"{model},1")
        mean = value("icc", table.ratings(), form=f"{model},k")
        if math.isnan(mean) or single <= -1 / (k - 1) + 1e-9:
            continue
        assert same(mean, k * single / (1 + (k - 1) * single), 1e-7)


# Kappas


@given(tables(PAIRS))
def test_quadratic_kappa_is_lins_concordance_with_population_moments(table):
    found = value("cohen_kappa", table.ratings(), weights="quadratic")
    assert same(found, definitions.lin(*columns(table)))


@given(tables(PAIRS))
def test_linear_kappa_is_what_cohen_defines(table):
    found = value("cohen_kappa", table.ratings(), weights="linear")
    assert same(found, definitions.cohen(*columns(table), apart=lambda a, b: abs(a - b)))


@given(tables(Kind("nominal", judges=(2, 2))))
def test_cohens_kappa_is_what_cohen_defines(table):
    both = [row for row in table.values if None not in row]
    assume(both)
    assert same(value("cohen_kappa", table.ratings()), definitions.cohen(*zip(*both, strict=True)))


@given(tables(Kind("nominal", judges=(2, 2))))
def test_scotts_pi_is_fleiss_kappa_of_the_items_that_both_rated(table):
    both = [row for row in table.values if None not in row]
    assume(both)
    shared = Ratings.from_wide(both, scale=VerbalScale(table.categories, level="nominal"))
    assert same(value("scott_pi", table.ratings()), value("fleiss_kappa", shared))
    assert same(
        value("scott_pi", table.ratings()),
        value("fleiss_kappa", table.ratings(), unequal="pooled"),
    )


@given(tables(Kind("nominal", judges=(2, 2), complete=True)))
def test_congers_kappa_of_two_judges_is_cohens(table):
    assert same(value("conger_kappa", table.ratings()), value("cohen_kappa", table.ratings()))


@given(tables(NAMES))
def test_lights_kappa_is_the_mean_of_cohens_over_the_pairs_that_have_one(table):
    ratings = table.ratings()
    pairs = itertools.combinations(ratings.judges, 2)
    each = [value("cohen_kappa", ratings, judges=list(pair)) for pair in pairs]
    known = [kappa for kappa in each if not math.isnan(kappa)]
    found = value("light_kappa", ratings, combine="mean")
    assert same(found, np.mean(known) if known else math.nan)


@given(tables(NAMES))
def test_percent_fleiss_ac1_and_conger_are_what_their_papers_define(table):
    assume(len({c for row in table.rows for c in row if c is not None}) > 1)
    assume(table.pairable)
    rows, categories, ratings = table.values, table.categories, table.ratings()
    assert same(value("percent_agreement", ratings), definitions.agreeing_share(rows))
    assert same(value("fleiss_kappa", ratings), definitions.fleiss(rows, categories))
    assert same(value("gwet_ac1", ratings), definitions.gwet_ac1(rows, categories))
    assert same(value("conger_kappa", ratings), definitions.conger(rows, categories))


@given(tables(NAMES))
def test_gwets_ac2_without_weights_is_ac1(table):
    own = np.eye(table.n_categories)
    found = value("gwet_ac2", table.ratings(), weights=own)
    assert same(found, value("gwet_ac1", table.ratings()))


@given(tables(Kind("nominal", categories=(2, 2))))
def test_fleiss_kappa_of_each_of_two_categories_is_the_overall_one(table):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", covary.UndefinedWarning)
        each = covary.fleiss_kappa_by_category(table.ratings(), interval=None)
    overall = value("fleiss_kappa", table.ratings())
    assert [same(each[category].value, overall) for category in (1, 2)] == [True, True]


@given(tables(Kind("nominal", judges=(2, 4), complete=True)))
def test_fleiss_kappa_is_the_mean_over_categories_weighted_by_their_variance(table):
    """Fleiss (1971): the overall kappa is the average of kappa_j with weights p_j q_j."""
    overall = value("fleiss_kappa", table.ratings())
    assume(not math.isnan(overall))
    shares = definitions.mean_shares(table.values, table.categories)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", covary.UndefinedWarning)
        each = covary.fleiss_kappa_by_category(table.ratings(), interval=None)
    used = [
        (p * (1 - p), each[c].value)
        for c, p in zip(table.categories, shares, strict=True)
        if 0 < p < 1
    ]
    assert same(sum(w * kappa for w, kappa in used) / sum(w for w, _ in used), overall)


# Correlations


@given(tables(MANY), st.integers(2, 5))
def test_the_mean_over_subsets_of_judges_of_mean_gamma_is_mean_gamma(table, size):
    assume(size <= table.n_judges)
    ratings = table.ratings()
    each = covary_details(ratings)
    assume(len(each) == table.n_judges * (table.n_judges - 1) / 2)
    assume(not any(math.isnan(pair["value"]) for pair in each))
    subsets = itertools.combinations(ratings.judges, size)
    means = [value("goodman_kruskal_gamma", ratings, judges=list(subset)) for subset in subsets]
    assert same(np.mean(means), value("goodman_kruskal_gamma", ratings))


def covary_details(ratings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", covary.UndefinedWarning)
        return covary.goodman_kruskal_gamma(ratings, interval=None).details["pairs"]


@given(st.lists(st.integers(1, 30), min_size=4, max_size=4))
def test_gamma_of_a_binary_scale_is_yules_q(cells):
    a, b, c, d = cells
    table = {"A": [1, 1, 2, 2], "B": [1, 2, 1, 2], "items": cells}
    ratings = Ratings.from_counts(table, judges=["A", "B"], scale="1-2")
    yule = (a * d - b * c) / (a * d + b * c)
    assert same(value("goodman_kruskal_gamma", ratings), yule)


@given(tables(PAIRS))
def test_gamma_is_what_goodman_and_kruskal_define(table):
    c, d, *_ = definitions.pairs_of_items(*columns(table))
    expected = (c - d) / (c + d) if c + d else math.nan
    assert same(value("goodman_kruskal_gamma", table.ratings()), expected)


@given(st.integers(3, 9), st.integers(2, 5), st.randoms(use_true_random=False))
def test_w_without_ties_is_the_mean_of_spearman_over_pairs(n, m, rng):
    judges = [rng.sample(range(1, n + 1), n) for _ in range(m)]
    ratings = Ratings.from_wide(list(zip(*judges, strict=True)), level="ordinal")
    w = value("kendall_w", ratings)
    assert same((m * w - 1) / (m - 1), value("spearman", ratings))


@given(tables(Kind("interval", judges=(3, 5), complete=True)))
def test_w_and_its_test_are_friedmans(table):
    w = value("kendall_w", table.ratings())
    assume(not math.isnan(w))
    found = covary.kendall_w(table.ratings(), interval=None)
    assume(len(table.rows) > 2)
    statistic, p = scipy.stats.friedmanchisquare(*zip(*columns(table), strict=True))
    assert same(found.details["chi2"], statistic, 1e-8)
    assert same(found.details["p"], p, 1e-8)
    assert same(w, statistic / (table.n_judges * (len(table.rows) - 1)))


SCIPY = {
    "kendall_tau_b": scipy.stats.kendalltau,
    "kendall_tau_c": partial(scipy.stats.kendalltau, variant="c"),
    "spearman": scipy.stats.spearmanr,
    "pearson": scipy.stats.pearsonr,
}


@pytest.mark.parametrize("name", SCIPY)
def test_scipy_gives_the_same_correlation_for(name):
    @given(tables(PAIRS))
    def holds(table):
        x, y = columns(table)
        assume(np.ptp(x) > 0 and np.ptp(y) > 0)
        assert same(value(name, table.ratings()), SCIPY[name](x, y).statistic)

    holds()


@pytest.mark.parametrize("name", SCIPY)
def test_scipy_gives_the_same_correlation_of_a_continuous_scale_for(name):
    rng = np.random.default_rng(11)
    rows = np.round(rng.normal(size=(60, 2)) @ [[1, 0.5], [0, 1]], 1)
    ratings = Ratings.from_wide(rows, scale=covary.VisualScale(-9, 9))
    assert same(value(name, ratings), SCIPY[name](*rows.T).statistic)


@given(tables(Kind("interval", judges=(3, 4))))
def test_correlations_of_many_judges_are_means_over_pairs_with_common_items(table):
    ratings = table.ratings()
    for name, function in SCIPY.items():
        each = []
        for x, y in itertools.combinations(columns(table), 2):
            both = [(a, b) for a, b in zip(x, y, strict=True) if a is not None and b is not None]
            if both and all(np.ptp(side) > 0 for side in zip(*both, strict=True)):
                each.append(function(*zip(*both, strict=True)).statistic)
        assert same(value(name, ratings, combine="mean"), np.mean(each) if each else math.nan)


def test_the_fisher_z_mean_of_correlations_is_the_mean_on_fishers_scale():
    rows = np.random.default_rng(5).normal(size=(30, 3)) @ [[1, 1, 0], [0, 1, 1], [0, 0, 1]]
    ratings = Ratings.from_wide(rows, scale=covary.VisualScale(-20, 20))
    each = [np.corrcoef(a, b)[0, 1] for a, b in itertools.combinations(rows.T, 2)]
    expected = np.tanh(np.mean(np.arctanh(each)))
    assert same(value("pearson", ratings, combine="fisher-z"), expected)


# Counting pairs of items


CODES = st.integers(2, 60).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 12), min_size=n, max_size=n)] * 2)
)


@given(CODES)
@example(([0, 0], [0, 0]))
@example(([3], [5]))
def test_counting_pairs_in_n_log_n_is_counting_them_one_by_one(judges):
    first, second = (np.array(codes, dtype=np.int64) for codes in judges)
    found = count_pairs(first, second)
    expected = definitions.pairs_of_items(first, second)
    assert [float(x) for x in _counts(found)] == [float(x) for x in expected]


@given(CODES)
def test_counting_pairs_from_a_table_is_counting_them_from_rows(judges):
    first, second = (np.array(codes, dtype=np.int64) for codes in judges)
    table = np.zeros((13, 13))
    np.add.at(table, (first, second), 1)
    from_table, from_rows = count_table(table), count_pairs(first, second)
    assert [float(np.sum(x)) for x in _counts(from_table)] == [float(x) for x in _counts(from_rows)]


def _counts(found):
    return (
        found.concordant,
        found.discordant,
        found.tied_first,
        found.tied_second,
        found.total,
    )


# Few categories are tabulated and many ratings are not; the coefficient is the same.


ON_A_LINE = {
    "goodman_kruskal_gamma": {},
    "kendall_tau_b": {},
    "kendall_tau_c": {},
    "spearman": {},
    "kendall_w": {},
    "pearson": {},
    "fisher_icc": {},
    "icc": {"form": "2,1"},
    "krippendorff_alpha": {"level": "ordinal"},
}


def finely_rated(distinct: int) -> np.ndarray:
    """Three judges who use many places of a line, with ties."""
    rng = np.random.default_rng(distinct)
    quality = rng.integers(0, distinct, (150, 1))
    return np.clip(quality + rng.integers(-9, 10, (150, 3)), 0, distinct - 1)


@pytest.mark.parametrize("name", ON_A_LINE)
def test_the_number_of_places_does_not_matter_to(name):
    """Places that are merged into ten by hand: once as categories and once on a line."""
    merged = finely_rated(60) // 6
    as_categories = Ratings.from_wide(merged, scale=VerbalScale(range(10), level="interval"))
    on_a_line = Ratings.from_wide(merged, scale=covary.VisualScale(0, 9))
    options = ON_A_LINE[name]
    assert same(value(name, on_a_line, **options), value(name, as_categories, **options))


MANY_PLACES = [name for name in ON_A_LINE if name in (*SCIPY, "goodman_kruskal_gamma")]


@pytest.mark.parametrize("name", MANY_PLACES)
def test_many_places_are_counted_as_one_by_one_for(name):
    rows = finely_rated(60)
    found = value(name, Ratings.from_wide(rows, scale=covary.VisualScale(0, 59)))
    each = [_one_by_one(name, x, y) for x, y in itertools.combinations(rows.T, 2)]
    assert same(found, np.mean(each))


def _one_by_one(name, x, y):
    if name in SCIPY:
        return SCIPY[name](x, y).statistic
    c, d, *_ = definitions.pairs_of_items(x.astype(int), y.astype(int))
    return (c - d) / (c + d)


def test_many_places_are_ranked_as_one_by_one_for_ordinal_alpha():
    rows = finely_rated(60)[:40]
    ratings = Ratings.from_wide(rows, scale=covary.VisualScale(0, 59, level="ordinal"))
    expected = definitions.krippendorff([[float(x) for x in row] for row in rows], "ordinal")
    assert same(value("krippendorff_alpha", ratings), expected)


# The three doors


DOORS = {
    "krippendorff_alpha": {},
    "fleiss_kappa": {},
    "conger_kappa": {},
    "percent_agreement": {},
    "goodman_kruskal_gamma": {},
    "kendall_w": {},
    "pearson": {},
    "fisher_icc": {},
}


def through_every_door(table: Table) -> list[Ratings]:
    judges = [f"judge {n}" for n in range(table.n_judges)]
    scale = VerbalScale(table.categories, level=table.level)
    wide = Ratings.from_wide(table.values, judges=judges, scale=scale)
    cells = [
        (i, judges[j], x)
        for i, row in enumerate(table.values)
        for j, x in enumerate(row)
        if x is not None
    ]
    names = ("item", "judge", "rating")
    long = {n: list(c) for n, c in zip(names, zip(*cells, strict=True), strict=True)}
    patterns = sorted(set(table.rows), key=str)
    values = [[None if c is None else table.categories[c] for c in row] for row in patterns]
    by_judge = [list(column) for column in zip(*values, strict=True)]
    counts = dict(zip(judges, by_judge, strict=True))
    counts["items"] = [table.rows.count(row) for row in patterns]
    return [
        wide,
        Ratings(long, scale=scale),
        Ratings.from_counts(counts, judges=judges, scale=scale),
    ]


@pytest.mark.parametrize("method", ["bootstrap", "jackknife"])
@pytest.mark.parametrize("name", DOORS)
def test_wide_long_and_counted_ratings_give_one_estimate_of(name, method):
    @settings(max_examples=6)
    @given(tables(Kind("nominal" if name in NOMINAL else "interval", judges=(2, 3), items=(5, 9))))
    def holds(table):
        assume(all(any(c is not None for c in column) for column in zip(*table.rows, strict=True)))
        found = []
        for ratings in through_every_door(table):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", covary.UndefinedWarning)
                found.append(getattr(covary, name)(ratings, interval=method, resamples=50, rng=7))
        first = found[0].to_dict()
        for other in found[1:]:
            assert other.signature == found[0].signature
            assert other.to_dict() == approximately(first)

    holds()


NOMINAL = {"fleiss_kappa", "conger_kappa", "percent_agreement"}


def approximately(plain):
    """The same plain values, with room for rounding in every float."""
    if isinstance(plain, dict):
        return {key: approximately(each) for key, each in plain.items()}
    if isinstance(plain, list):
        return [approximately(each) for each in plain]
    return pytest.approx(plain, abs=1e-9) if isinstance(plain, float) else plain


def test_wide_and_long_ratings_on_a_continuous_scale_give_one_interval():
    rows = np.random.default_rng(4).uniform(0, 100, (80, 3))
    scale = covary.VisualScale()
    item, judge = (each.ravel() for each in np.indices(rows.shape))
    long = {"item": item, "judge": judge + 1, "rating": rows.ravel()}
    wide, tall = Ratings.from_wide(rows, scale=scale), Ratings(long, scale=scale)
    for name in ("krippendorff_alpha", "pearson", "fisher_icc", "goodman_kruskal_gamma"):
        first, second = (
            getattr(covary, name)(each, interval="bootstrap", resamples=100, rng=3)
            for each in (wide, tall)
        )
        assert same(second.value, first.value)
        assert (second.interval.low, second.interval.high) == pytest.approx(
            (first.interval.low, first.interval.high), abs=1e-9
        )
