"""What a verdict may ask of an interval, and what keeps it from collapsing."""

import numpy as np
import pytest

import covary
from covary import Ratings, VerbalScale, VisualScale
from covary.stats import intervals
from covary.stats.estimate import Interval
from covary.stats.pairs import FEWEST_COMMON, has_own_value


def alike(items=20, scale="1-3"):
    """Two judges who agree on every item."""
    rows = [[1 + item % 3] * 2 for item in range(items)]
    return Ratings.from_wide(rows, scale=scale)


# Decisive


@pytest.mark.parametrize(("low", "high"), [(1.0, 1.0), (float("nan"), 0.5), (0.6, 0.4)])
def test_an_interval_without_width_never_decides(low, high):
    assert not Interval(low, high, 0.95, "any").decisive


def test_an_interval_with_width_decides_unless_it_says_otherwise():
    assert Interval(0.2, 0.4, 0.95, "any").decisive
    assert not Interval(0.2, 0.4, 0.95, "any", decisive=False).decisive


@pytest.mark.parametrize(
    "name",
    [
        *("percent_agreement", "fleiss_kappa", "gwet_ac2", "light_kappa", "conger_kappa"),
        *("goodman_kruskal_gamma", "kendall_tau_b", "spearman", "kendall_w"),
        "krippendorff_alpha",
    ],
)
@pytest.mark.filterwarnings("ignore::covary.SuitabilityWarning")
def test_perfect_agreement_of_twenty_items_is_not_certain(name):
    estimate = getattr(covary, name)(alike(), rng=1)
    assert estimate.value == pytest.approx(1)
    assert estimate.interval.low < 0.97
    assert estimate.interval.high == pytest.approx(1)
    assert estimate.interval.decisive


def test_four_items_that_tell_anything_are_too_few():
    rows = [[1, 1]] * 40 + [[0, 0], [0, 1], [1, 0], [0, 0]]
    estimate = covary.fleiss_kappa(Ratings.from_wide(rows, scale="0-1"), rng=1)
    assert not estimate.interval.decisive
    assert "stats.too-few-items" in [getattr(note, "code", "") for note in estimate.notes]
    rows += [[0, 0]]
    assert covary.fleiss_kappa(Ratings.from_wide(rows, scale="0-1"), rng=1).interval.decisive


def test_two_judges_say_nothing_about_other_judges():
    rng = np.random.default_rng(1)
    rows = rng.integers(1, 4, (60, 3))
    for judges, decisive in ((2, False), (3, True)):
        ratings = Ratings.from_wide(rows[:, :judges], scale="1-3")
        estimate = covary.goodman_kruskal_gamma(ratings, interval="two-way", resamples=200, rng=1)
        assert estimate.interval.decisive is decisive


def test_the_default_interval_of_a_share_is_close_to_jeffreys():
    """Jeffreys' interval of 45 of 50 is the beta quantiles of 45.5 and 5.5: .797 to .959."""
    scale = VerbalScale(range(2), level="nominal")
    rows = [[0, 0]] * 20 + [[1, 1]] * 25 + [[0, 1]] * 3 + [[1, 0]] * 2
    estimate = covary.percent_agreement(Ratings.from_wide(rows, scale=scale), rng=1)
    assert estimate.interval.low == pytest.approx(0.797, abs=0.025)
    assert estimate.interval.high == pytest.approx(0.959, abs=0.025)


# Sources are clusters


def shared_sources(cluster=None):
    rng = np.random.default_rng(3)
    sources, systems, judges = 30, 6, 2
    quality = np.repeat(rng.normal(size=(sources, 1)), systems, axis=1)
    columns = {"item": [], "source": [], "judge": [], "rating": []}
    for source in range(sources):
        noise = rng.normal(0, 1, judges)  # judges err alike on all outputs of a source
        for system in range(systems):
            for judge in range(judges):
                columns["item"].append(f"{source}-{system}")
                columns["source"].append(f"s{source}")
                columns["judge"].append(judge)
                seen = quality[source, system] + noise[judge]
                columns["rating"].append(int(np.clip(np.round(3 + seen), 1, 5)))
    names = {} if cluster is None else {"cluster": cluster}
    if cluster:
        columns[cluster] = columns["source"]
    return Ratings(columns, scale="1-5", **names)


def test_items_that_share_a_source_are_drawn_together():
    by_source = covary.goodman_kruskal_gamma(shared_sources(), rng=1)
    by_cluster = covary.goodman_kruskal_gamma(shared_sources("text"), rng=1)
    assert by_source.interval == by_cluster.interval
    assert "stats.source-clusters" in [getattr(note, "code", "") for note in by_source.notes]
    assert by_source.interval.high - by_source.interval.low > 0.2  # 30 texts, not 180 items


# Pairs of judges with few common items


def sparse(seed, judges=22, items=60, each=12):
    """Judges of different severity and spread; true r .70, 0 to 6 common items a pair."""
    rng = np.random.default_rng(seed)
    quality, columns = rng.normal(size=items), {"item": [], "judge": [], "rating": []}
    for judge in range(judges):
        severity, spread = rng.normal(0, 0.5), np.exp(rng.normal(0, 0.2))
        for item in rng.choice(items, each, replace=False):
            seen = np.sqrt(0.7) * quality[item] + np.sqrt(0.3) * rng.normal()
            columns["item"].append(int(item))
            columns["judge"].append(judge)
            columns["rating"].append(float(severity + spread * seen))
    return Ratings(columns, scale=VisualScale(-20, 20))


def test_pearsons_r_is_not_biased_where_judges_share_few_items():
    """True r .70; the plain mean over pairs has .56. Forty studies: standard error .01."""
    values = [covary.pearson(sparse(seed), interval=None).value for seed in range(40)]
    assert np.mean(values) == pytest.approx(0.70, abs=0.03)


def test_pairs_with_few_common_items_have_no_value_of_their_own():
    estimate = covary.pearson(sparse(1), interval=None)
    assert estimate.settings["combine"] == "pooled"
    assert all(np.isnan(pair["value"]) for pair in estimate.details["pairs"])
    assert has_own_value(FEWEST_COMMON, 60)
    assert not has_own_value(FEWEST_COMMON - 1, 60)


def test_gamma_that_is_pooled_by_default_keeps_its_name():
    columns = {"item": [], "judge": [], "rating": []}
    rng = np.random.default_rng(1)
    for judge in range(12):
        for item in rng.choice(40, 8, replace=False):
            columns["item"].append(int(item))
            columns["judge"].append(judge)
            columns["rating"].append(int(rng.integers(1, 6)))
    gamma = covary.goodman_kruskal_gamma(Ratings(columns, scale="1-5"), interval=None)
    assert (gamma.name, gamma.settings["combine"]) == ("goodman_kruskal_gamma", "pooled")


# Units


ROWS = np.array([[9, 2, 5], [6, 1, 3], [8, 4, 6], [7, 1, 2], [10, 5, 6], [6, 2, 4]], dtype=float)


def in_units(rows, by):
    scale = VisualScale(0, 20 * by, level="ratio")
    return Ratings.from_wide((rows * by).tolist(), scale=scale)


@pytest.mark.parametrize("unit", [1e-300, 5e-7, 1e150, 1e300])
@pytest.mark.parametrize(
    ("name", "options"),
    [("icc", {"form": form}) for form in ("1,1", "2,1", "3,k")]
    + [("cronbach_alpha", {}), ("cronbach_alpha", {"standardised": True}), ("fisher_icc", {})]
    + [("krippendorff_alpha", {"level": "ratio"}), ("pearson", {})],
)
def test_the_unit_of_the_ratings_does_not_matter(name, options, unit):
    function = getattr(covary, name)
    for rows in (ROWS, np.where(ROWS == 4, np.nan, ROWS)):
        one, other = (
            function(
                Ratings.from_wide(
                    (rows * by).tolist(), scale=VisualScale(0, 20 * by, level="ratio")
                ),
                interval=None,
                **options,
            ).value
            for by in (1.0, unit)
        )
        assert other == pytest.approx(one, rel=1e-6)


def test_ratio_alpha_of_many_different_ratings_does_not_depend_on_the_unit():
    rows = np.random.default_rng(1).uniform(1, 9, (40, 2))
    one, other = (
        covary.krippendorff_alpha(in_units(rows, by), interval=None).value for by in (1.0, 1e300)
    )
    assert other == pytest.approx(one, rel=1e-9)


@pytest.mark.filterwarnings("ignore::covary.SuitabilityWarning")
def test_the_reliability_of_the_mean_is_that_of_the_ratings_an_item_has():
    """QG-STEC has 6 judges and 2 ratings an item; R lme4's components give .562 for k = 2."""
    ratings = covary.datasets.load("qgstec-original")
    estimate = covary.icc(ratings, criterion="correctness", form="2,k", interval=None)
    assert estimate.value == pytest.approx(0.562, abs=0.001)
    assert estimate.settings["k"] == pytest.approx(2, abs=0.01)


@pytest.mark.parametrize(("items", "decides"), [(60, False), (120, True)])
@pytest.mark.parametrize("name", ["pearson", "krippendorff_alpha"])
def test_distances_of_few_ratings_that_pile_up_at_one_point_decide_nothing(name, items, decides):
    rng = np.random.default_rng(4)
    rows = np.where(rng.random((items, 1)) < 0.85, 5, rng.integers(1, 5, (items, 1)))
    rows = np.clip(rows + rng.choice([0] * 9 + [-1], (items, 2)), 1, 5)
    scale = VerbalScale(range(1, 6), level="interval")
    assert np.mean(rows == 5) > 2 / 3
    ratings = Ratings.from_wide(rows, scale=scale)
    estimate = getattr(covary, name)(ratings, rng=1)
    piled = "stats.piled-up" in [getattr(note, "code", "") for note in estimate.notes]
    assert estimate.interval.decisive == decides == (not piled)


ONE_STEP_APART = [[1, 1], [3, 4], [5, 5], [2, 2], [4, 4], [1, 1], [2, 2], [5, 5]]


@pytest.mark.parametrize("name", ["kendall_tau_b", "spearman", "kendall_w", "gwet_ac2"])
def test_judges_differ_on_pseudo_items_at_most_twice_as_far_as_they_did(name, monkeypatch):
    """One step apart at most on eight items: two steps on pseudo-items, of five categories."""
    seen = []
    original = intervals.add_pseudo_items

    def noted(patterns, **more):
        padded, prior = original(patterns, **more)
        rows = padded.codes[prior > 0]
        seen.append(int(np.max(rows.max(axis=1) - rows.min(axis=1))))
        return padded, prior

    monkeypatch.setattr(intervals, "add_pseudo_items", noted)
    ratings = Ratings.from_wide(ONE_STEP_APART, scale="1-5")
    getattr(covary, name)(ratings)
    assert set(seen) == {2}
    seen.clear()
    covary.goodman_kruskal_gamma(ratings)  # one discordant pair counts, however near
    assert set(seen) == {4}
