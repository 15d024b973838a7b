"""Intervals: repeatable, against SciPy and brute force, and honest about what was resampled."""

import json
import math

import numpy as np
import pytest
import scipy.stats

import covary
from covary import InvalidArgument, Ratings, VerbalScale, VisualScale
from covary.stats.estimate import OTHER_JUDGES
from covary.stats.intervals import METHODS

SCALE = VerbalScale(range(1, 6), level="interval")


def five_point(items=40, judges=3, seed=0, severity=0.0):
    """Judges who see the same quality with noise, on five points."""
    rng = np.random.default_rng(seed)
    seen = rng.normal(size=(items, 1)) + rng.normal(0, 0.8, (items, judges))
    seen += severity * np.arange(judges)
    return np.clip(np.round(seen + 3), 1, 5).astype(int)


def rated(rows, scale=SCALE, **more):
    return Ratings.from_wide(rows, scale=scale, **more)


def ends(estimate):
    return estimate.interval.low, estimate.interval.high


RANDOM = ("bootstrap", "bca")


# Seeds


@pytest.mark.parametrize("method", RANDOM)
def test_the_same_seed_gives_the_same_interval(method):
    ratings = rated(five_point())
    first, again, other = (
        covary.krippendorff_alpha(ratings, interval=method, resamples=200, rng=seed)
        for seed in (5, 5, 6)
    )
    assert first.interval == again.interval
    assert first.interval != other.interval
    assert first.interval.seed == 5


@pytest.mark.parametrize("method", RANDOM)
def test_an_interval_without_a_seed_records_one_that_repeats_it(method):
    ratings = rated(five_point())
    first = covary.krippendorff_alpha(ratings, interval=method, resamples=200)
    again = covary.krippendorff_alpha(
        ratings, interval=method, resamples=200, rng=first.interval.seed
    )
    assert again.interval == first.interval
    assert f"seed:{first.interval.seed}" in first.signature


def test_two_equal_calls_agree():
    first, again = (
        covary.krippendorff_alpha(rated(five_point()), interval="bootstrap") for _ in "ab"
    )
    assert first.interval == again.interval


def test_a_generator_gives_a_seed_and_moves_on():
    rng = np.random.default_rng(1)
    first, second = (
        covary.krippendorff_alpha(rated(five_point()), interval="bootstrap", rng=rng) for _ in "ab"
    )
    assert first.interval.seed != second.interval.seed
    again = covary.krippendorff_alpha(
        rated(five_point()), interval="bootstrap", rng=first.interval.seed
    )
    assert again.interval == first.interval


def test_the_global_generator_is_left_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    covary.krippendorff_alpha(rated(five_point()), interval="bootstrap")
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


def test_a_jackknife_by_random_groups_records_its_seed():
    """Ordinal alpha of thousands of places leaves items out in random groups."""
    rows = np.random.default_rng(2).uniform(0, 100, (2500, 2))
    ratings = rated(rows, VisualScale(level="ordinal"))
    first = covary.krippendorff_alpha(ratings, interval="jackknife")
    seed = first.interval.seed
    assert seed is not None
    assert f"seed:{seed}" in first.signature
    again = covary.krippendorff_alpha(ratings, interval="jackknife", rng=seed)
    assert ends(again) == ends(first)


# Undefined resamples


def test_undefined_resamples_are_counted_and_noted():
    """Gamma of two items is undefined when one of them is drawn twice: half of the time."""
    found = covary.goodman_kruskal_gamma(
        rated([[1, 1], [2, 2]]), interval="bootstrap", resamples=400, rng=1
    )
    assert found.interval.resamples == 400
    assert 150 < found.interval.undefined < 250
    assert f"undefined in {found.interval.undefined} of 400 resamples" in found.notes
    assert not found.interval.decisive


def test_a_well_filled_table_has_no_undefined_resamples():
    found = covary.krippendorff_alpha(rated(five_point()), interval="bootstrap", rng=1)
    assert found.interval.undefined == 0
    assert not any("undefined" in note for note in found.notes)


def test_an_interval_without_width_says_so():
    found = covary.krippendorff_alpha(rated([[1, 1], [2, 2], [3, 3]]), interval="jackknife")
    assert ends(found) == (1.0, 1.0)
    assert any("no width" in note for note in found.notes)


# Against SciPy and brute force


def correlated(n=60):
    rng = np.random.default_rng(8)
    x = rng.normal(size=n)
    return np.column_stack([x, 0.6 * x + rng.exponential(1.0, n)])


LINE = VisualScale(-50, 50)


def pearson_rows(x, y, axis=-1):
    x, y = (each - each.mean(axis=axis, keepdims=True) for each in (x, y))
    return (x * y).sum(axis) / np.sqrt((x**2).sum(axis) * (y**2).sum(axis))


def scipy_bootstrap(rows, method, n_resamples=9999):
    return scipy.stats.bootstrap(
        tuple(rows.T),
        pearson_rows,
        paired=True,
        vectorized=True,
        n_resamples=n_resamples,
        method=method,
        rng=np.random.default_rng(2),
    )


@pytest.mark.parametrize(("ours", "theirs"), [("bootstrap", "percentile"), ("bca", "BCa")])
def test_scipy_finds_the_same_bootstrap_interval(ours, theirs):
    """Both with 9,999 resamples; an end then moves by about .005 from seed to seed."""
    rows = correlated()
    found = covary.pearson(rated(rows, LINE), interval=ours, resamples=9999, rng=1)
    expected = scipy_bootstrap(rows, theirs)
    low, high = expected.confidence_interval
    assert ends(found) == pytest.approx((low, high), abs=0.02)
    assert found.interval.standard_error == pytest.approx(expected.standard_error, rel=0.05)


def test_bca_moves_away_from_the_percentile_interval_where_scipy_does():
    """Of a skewed correlation BCa and percentile ends differ by more than Monte-Carlo error."""
    rows = correlated(20)
    plain, better = (
        covary.pearson(rated(rows, LINE), interval=each, resamples=9999, rng=1)
        for each in ("bootstrap", "bca")
    )
    theirs = [scipy_bootstrap(rows, each).confidence_interval for each in ("percentile", "BCa")]
    assert better.interval.low - plain.interval.low == pytest.approx(
        theirs[1].low - theirs[0].low, abs=0.03
    )
    assert better.interval.high - plain.interval.high == pytest.approx(
        theirs[1].high - theirs[0].high, abs=0.02
    )


LEFT_OUT = [
    "krippendorff_alpha",
    "fleiss_kappa",
    "conger_kappa",
    "light_kappa",
    "gwet_ac1",
    "percent_agreement",
    "goodman_kruskal_gamma",
    "kendall_tau_b",
    "spearman",
    "pearson",
    "kendall_w",
    "fisher_icc",
    "icc",
]


@pytest.mark.parametrize("name", LEFT_OUT)
def test_the_jackknife_is_leaving_out_one_item_at_a_time(name):
    rows = five_point(25)
    level = "nominal" if covary.suitability(_variant(name), "interval").word == "refuse" else None
    scale = VerbalScale(range(1, 6), level=level or "interval")
    function = getattr(covary, name)
    found = function(rated(rows, scale), interval="jackknife")
    without = [
        function(rated(np.delete(rows, i, axis=0), scale), interval=None).value for i in range(25)
    ]
    error = math.sqrt(24 / 25 * np.sum((without - np.mean(without)) ** 2))
    assert found.interval.standard_error == pytest.approx(error, rel=1e-6)
    margin = scipy.stats.t.ppf(0.975, 24) * error
    assert found.interval.low == pytest.approx(max(found.value - margin, -1), abs=1e-9)
    assert found.interval.high == pytest.approx(min(found.value + margin, 1), abs=1e-9)


def _variant(name):
    return "krippendorff_alpha (interval)" if name == "krippendorff_alpha" else name


@pytest.mark.parametrize("name", [name for name in LEFT_OUT if name != "icc"])
def test_the_large_sample_error_is_close_to_the_jackknifes(name):
    """Both are first-order right, so with 400 items they agree within a few per cent."""
    rows = five_point(400, seed=3)
    level = "nominal" if covary.suitability(_variant(name), "interval").word == "refuse" else None
    ratings = rated(rows, VerbalScale(range(1, 6), level=level or "interval"))
    analytic, jackknife = (
        getattr(covary, name)(ratings, interval=each).interval.standard_error
        for each in ("analytic", "jackknife")
    )
    assert analytic == pytest.approx(jackknife, rel=0.05)


MANY_PLACES = ["goodman_kruskal_gamma", "kendall_tau_b", "spearman", "kendall_w", "pearson"]


@pytest.mark.parametrize("clustered", [False, True], ids=["items", "clusters"])
@pytest.mark.parametrize("name", MANY_PLACES)
def test_the_large_sample_error_of_many_places_is_close_to_the_jackknifes(name, clustered):
    rng = np.random.default_rng(5)
    quality = rng.normal(size=(300, 1))
    rows = np.round(quality + rng.normal(size=(300, 3)), 1)
    ratings = clustered_ratings(rows, np.arange(300) // 3, LINE) if clustered else rated(rows, LINE)
    analytic, jackknife = (
        getattr(covary, name)(ratings, interval=each).interval.standard_error
        for each in ("analytic", "jackknife")
    )
    assert analytic == pytest.approx(jackknife, rel=0.06)


# Hughes


def hughes_on_rows(rows, apart, confidence=0.95):
    """Hughes (2022) as he defines it, slowly: jackknife log(MSA/MSE), bring back to alpha."""
    units = [[x for x in row if x is not None and x == x] for row in rows]
    units = [unit for unit in units if len(unit) > 1]
    a = len(units)
    eta = _log_ratio(units, apart)
    left_out = [_log_ratio(units[:i] + units[i + 1 :], apart) for i in range(a)]
    pseudo = np.array([a * eta - (a - 1) * each for each in left_out])
    margin = scipy.stats.t.ppf((1 + confidence) / 2, a - 1) * pseudo.std(ddof=1) / math.sqrt(a)
    sizes = [len(unit) for unit in units]
    n = sum(sizes)
    n0 = (n - sum(m**2 for m in sizes) / n) / (a - 1)
    theta = np.exp([pseudo.mean() - margin, pseudo.mean() + margin])
    return tuple((theta - 1) / (theta + n0 - 1))


def _log_ratio(units, apart):
    every = [x for unit in units for x in unit]
    n, a = len(every), len(units)
    within = sum(
        sum(apart(x, y) for i, x in enumerate(unit) for j, y in enumerate(unit) if i != j)
        / (len(unit) - 1)
        for unit in units
    )
    overall = sum(apart(x, y) for x in every for y in every) / n
    mse = within / n
    msa = (overall - (n - a) / n * within) / (a - 1)
    return math.log(msa / mse)


DISTANCES = {
    "nominal": lambda x, y: float(x != y),
    "interval": lambda x, y: (x - y) ** 2,
    "ratio": lambda x, y: ((x - y) / (x + y)) ** 2,
}


@pytest.mark.parametrize("missing", [False, True], ids=["complete", "missing"])
@pytest.mark.parametrize("level", DISTANCES)
def test_hughes_interval_is_the_slow_formula_on_rows(level, missing):
    rows = five_point(18).astype(float).tolist()
    if missing:
        for number in range(0, 18, 4):
            rows[number][number % 3] = None
    ratings = rated(rows, VerbalScale(range(1, 6), level=level))
    found = covary.krippendorff_alpha(ratings, confidence=0.9, interval="hughes")
    assert found.interval.method == "Hughes jackknife"
    assert ends(found) == pytest.approx(hughes_on_rows(rows, DISTANCES[level], 0.9), abs=1e-9)


def test_hughes_mean_squares_are_those_of_the_analysis_of_variance():
    """At interval level MSA and MSE are half the disagreements, so log(MSA/MSE) is log F."""
    rows = five_point(12).tolist()
    f = scipy.stats.f_oneway(*rows).statistic
    assert math.exp(_log_ratio(rows, DISTANCES["interval"])) == pytest.approx(f)


def test_hughes_is_refused_for_other_coefficients_with_what_to_use():
    with pytest.raises(covary.InvalidArgument, match="'jackknife' or 'auto'"):
        covary.pearson(rated(five_point(18)), interval="hughes")


def test_hughes_falls_back_to_the_bootstrap_where_its_logarithm_fails():
    rows = [[1, 1], [2, 2], [3, 3], [1, 1]]
    found = covary.krippendorff_alpha(rated(rows), interval="hughes", rng=1)
    assert found.value == 1
    assert found.interval.method != "Hughes jackknife"


# Clusters


def clustered_ratings(rows, cluster, scale=SCALE):
    rows = np.asarray(rows)
    item, judge = (each.ravel() for each in np.indices(rows.shape))
    frame = {
        "item": item,
        "judge": judge + 1,
        "rating": rows.ravel(),
        "cluster": np.asarray(cluster)[item],
    }
    return Ratings(frame, scale=scale)


CLONED = [
    "percent_agreement",
    "fleiss_kappa",
    "light_kappa",
    "goodman_kruskal_gamma",
    "pearson",
    "spearman",
    "fisher_icc",
    "conger_kappa",
    "gwet_ac1",
]


def suitable(name, rows, cluster=None):
    nominal = covary.suitability(name, "interval").word == "refuse"
    scale = VerbalScale(range(1, 6), level="nominal" if nominal else "interval")
    return rated(rows, scale) if cluster is None else clustered_ratings(rows, cluster, scale)


@pytest.mark.parametrize("method", ["bootstrap", "jackknife", "analytic"])
@pytest.mark.parametrize("name", CLONED)
def test_copies_of_items_in_one_cluster_say_nothing_new(name, method):
    """Four copies of every item, each four in a cluster: the error of the items alone."""
    rows, function = five_point(60, 3), getattr(covary, name)
    once = function(suitable(name, rows), interval=method, resamples=2000, rng=1)
    copied = suitable(name, np.repeat(rows, 4, axis=0), np.repeat(np.arange(60), 4))
    clustered = function(copied, interval=method, resamples=2000, rng=2)
    naive = function(
        suitable(name, np.repeat(rows, 4, axis=0)), interval=method, resamples=2000, rng=3
    )
    assert clustered.value == pytest.approx(once.value)
    assert clustered.interval.standard_error == pytest.approx(
        once.interval.standard_error, rel=0.08
    )
    assert naive.interval.standard_error == pytest.approx(
        once.interval.standard_error / 2, rel=0.08
    )


def test_hughes_interval_of_clustered_copies_is_wider_than_that_of_items():
    rows = np.repeat(five_point(60, 3), 4, axis=0)
    copies = clustered_ratings(rows, np.repeat(np.arange(60), 4))
    clustered, naive, once = (
        covary.krippendorff_alpha(ratings, interval="hughes")
        for ratings in (copies, rated(rows), rated(five_point(60, 3)))
    )
    assert width(clustered) == pytest.approx(width(once), rel=0.15)
    assert width(naive) == pytest.approx(width(once) / 2, rel=0.15)


def width(estimate):
    return estimate.interval.high - estimate.interval.low


def test_clusters_of_one_item_are_items():
    rows = five_point(50)
    alone = covary.pearson(clustered_ratings(rows, np.arange(50)), interval="jackknife")
    assert alone.interval.standard_error == pytest.approx(
        covary.pearson(rated(rows), interval="jackknife").interval.standard_error
    )


# Two targets


def test_two_judges_have_no_interval_for_other_judges_and_a_note_says_so():
    found = covary.krippendorff_alpha(rated(five_point(80, 2)), interval="two-way", rng=1)
    assert (str(found.interval), found.interval.decisive) == ("[nan, nan]", False)
    assert found.interval.target == OTHER_JUDGES
    assert any("too few judges" in note for note in found.notes)


def test_two_way_is_wider_where_judges_differ():
    ratings = rated(five_point(60, 4, severity=0.8))
    items, both = (
        covary.krippendorff_alpha(ratings, interval=each, resamples=1000, rng=1)
        for each in ("bootstrap", "two-way")
    )
    assert width(both) > 1.5 * width(items)


TWO_WAY = [
    "krippendorff_alpha",
    "fleiss_kappa",
    "conger_kappa",
    "light_kappa",
    "gwet_ac1",
    "brennan_prediger",
    "percent_agreement",
    "goodman_kruskal_gamma",
    "kendall_tau_b",
    "spearman",
    "pearson",
    "fisher_icc",
]


@pytest.mark.parametrize("name", TWO_WAY)
def test_a_two_way_interval_holds_that_of_these_judges(name):
    ratings = suitable(
        _variant(name) if name == "krippendorff_alpha" else name, five_point(40, 4, severity=0.5)
    )
    these, others = (
        getattr(covary, name)(ratings, interval=each, resamples=1000, rng=1).interval
        for each in ("auto", "two-way")
    )
    # The two draw from other rows (with judges, or counts alone), so chance differs a little.
    assert others.low <= these.low + 0.01 < these.high - 0.01 <= others.high


@pytest.mark.parametrize("name", TWO_WAY)
def test_a_two_way_interval_speaks_of_other_judges(name):
    found = getattr(covary, name)(
        suitable(_variant(name) if name == "krippendorff_alpha" else name, five_point(30, 3)),
        interval="two-way",
        resamples=100,
        rng=1,
    )
    assert found.interval.target == OTHER_JUDGES
    assert found.interval.low <= found.value <= found.interval.high
    assert "other judges" in found.signature


@pytest.mark.parametrize("name", ["kendall_w", "icc"])
def test_a_two_way_interval_is_refused_where_no_judge_can_be_left_out(name):
    with pytest.raises(InvalidArgument, match=r"two-way.*no judge can be left out"):
        getattr(covary, name)(rated(five_point()), interval="two-way")


def test_a_two_way_interval_is_refused_for_slots():
    with pytest.raises(InvalidArgument, match=r"slots.*bootstrap"):
        covary.krippendorff_alpha(rated(five_point(), judges="slots"), interval="two-way")


# Ends


def test_a_higher_confidence_is_a_wider_interval():
    ratings = rated(five_point())
    for method in METHODS:
        widths = [
            width(covary.krippendorff_alpha(ratings, interval=method, confidence=c, rng=1))
            for c in (0.5, 0.8, 0.95, 0.99)
        ]
        assert widths == sorted(widths)


def test_no_interval_is_made_when_none_is_wanted():
    found = covary.krippendorff_alpha(rated(five_point()), interval=None)
    assert found.interval is None
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize("method", ["jackknife", "analytic"])
def test_the_interval_of_a_share_stays_between_0_and_1(method):
    rows = [[1, 1], [1, 2], [2, 1], [2, 3], [3, 1], [1, 3], [2, 1]]
    found = covary.percent_agreement(
        rated(rows, VerbalScale([1, 2, 3], level="nominal")), interval=method
    )
    assert 0 <= found.interval.low <= found.interval.high <= 1


def test_the_interval_of_a_very_negative_coefficient_holds_it():
    """Quadratic Brennan-Prediger of judges at opposite ends of three points is -2."""
    rows = [[1, 3], [3, 1], [1, 3], [3, 1], [1, 2]]
    found = covary.brennan_prediger(
        rated(rows, VerbalScale([1, 2, 3])), weights="quadratic", interval="jackknife"
    )
    assert found.interval.low <= found.value <= found.interval.high


# Wrong calls


@pytest.mark.parametrize(
    ("argument", "advice"),
    [
        ({"confidence": 95}, r"confidence=95 .*between 0 and 1.*0\.95"),
        ({"confidence": 1.5}, r"confidence=1\.5"),
        ({"confidence": "high"}, r"confidence='high'"),
        ({"confidence": 0.0}, r"confidence=0\.0"),
        ({"interval": "foo"}, r"interval='foo' is not known.*'bootstrap'.*'two-way'.*None"),
        ({"interval": True}, r"interval=True"),
        ({"resamples": 1}, r"resamples=1 .*at least 2"),
        ({"resamples": 10.5}, r"resamples=10\.5 .*whole number"),
        ({"rng": "x"}, r"rng='x' .*Generator"),
        ({"rng": -1}, r"rng=-1"),
        ({"rng": 1.5}, r"rng=1\.5"),
    ],
    ids=lambda each: next(f"{k}={v}" for k, v in each.items()) if isinstance(each, dict) else "",
)
@pytest.mark.parametrize("name", ["krippendorff_alpha", "cohen_kappa", "pearson", "icc"])
def test_a_wrong_wish_is_refused_with_advice(name, argument, advice):
    with pytest.raises(InvalidArgument, match=advice):
        getattr(covary, name)(rated(five_point(10, 2)), **argument)


def test_something_that_is_not_ratings_is_refused_with_advice():
    with pytest.raises(InvalidArgument, match=r"cannot be read from a int.*from_wide"):
        covary.krippendorff_alpha(42)
