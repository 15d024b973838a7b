"""F ratios, significant differences, draws of judges, and the equivalence of scales."""

import numpy as np
import pytest

from covary import Ratings, as_scale
from covary.analysis.scale_comparison import compare_scales
from covary.analysis.scale_comparison.experiments import align
from covary.analysis.scale_comparison.interchangeability import (
    fit_part,
    interchangeability,
    joint_covariance,
)
from covary.analysis.scale_comparison.sensitivity import critical_t, draw_additive, draw_one_way
from covary.datasets.simulation import Instrument, simulate_scales
from covary.stats.models.anova import additive_model
from covary.stats.posthoc import compare_means
from tests.analysis.scale_studies import equivalence, latin, small, turned

# R 4.2.2, aov and TukeyHSD, on the shipped example of 4 judges, 8 sources and 4 systems.
ONE_WAY = {"system": 3.4534, "judge": 11.877, "source": 0.3167}
ADDITIVE = {"system": 18.976, "judge": 39.345, "source": 2.5465}
FOUND = {
    "tukey": (1, 4),
    "scheffe": (1, 3),
    "lsd": (2, 5),
    "bonferroni": (1, 4),
    "holm": (1, 4),
    "bh": (1, 5),
}


@pytest.fixture(scope="module")
def parts():
    return align({"points": latin(), "line": turned()}).parts["ratings"]


def test_f_ratios_alone_and_beside_each_other_are_those_of_r():
    found = compare_scales({"points": latin(), "line": turned()}, rng=1, resamples=20)
    for one in found.criteria[0].sensitivity:
        for effect in one.effects:
            assert effect.one_way.f == pytest.approx(ONE_WAY[effect.factor], abs=5e-4)
            assert effect.additive.f == pytest.approx(ADDITIVE[effect.factor], abs=5e-4)


@pytest.mark.parametrize("procedure", FOUND)
def test_significant_differences_depend_on_error_and_procedure(procedure):
    found = compare_scales(
        {"points": latin(), "line": turned()}, procedure=procedure, intervals=False, rng=1
    )
    one = found.criteria[0].sensitivity[0]
    assert (one.one_way.n_significant, one.additive.n_significant) == FOUND[procedure]
    assert one.one_way.n_pairs == 6
    assert "one-way" in one.one_way.error
    assert "additive model of system, judge, source" in one.additive.error


def test_the_same_ratings_on_two_scales_differ_in_nothing():
    found = compare_scales({"points": latin(), "line": turned()}, rng=1, resamples=50)
    (one,) = found.criteria[0].sensitivity_contrasts
    for contrast in (one.f_one_way, one.f_additive, one.count_one_way, one.count_additive):
        assert contrast.value == pytest.approx(0, abs=1e-6)
        assert not contrast.clear
        assert "jointly" in contrast.drawn
    (w,) = found.criteria[0].reliability_contrasts
    assert (w.value, w.interval.low, w.interval.high) == pytest.approx((0, 0, 0), abs=1e-9)


@pytest.mark.parametrize("counts", [(1, 1, 1, 1), (2, 1, 0, 1), (0, 3, 1, 0)])
def test_a_draw_is_the_analysis_of_the_judges_drawn(parts, counts):
    part = parts[0]
    fit, laid = fit_part(part), part.observed
    rows = [
        (row, copy)
        for row, judge in enumerate(laid.factors["judge"])
        for copy in range(counts[judge])
    ]
    chosen = np.array([row for row, _ in rows])
    judges = np.unique(
        [f"{laid.factors['judge'][row]}-{copy}" for row, copy in rows], return_inverse=True
    )[1]
    values, system = laid.values[chosen], laid.factors["system"][chosen]
    source = laid.factors["source"][chosen]
    weights = np.array([counts], dtype=float)
    alone = additive_model(values, {"system": system})
    drawn = draw_one_way(fit, weights, critical_t("tukey", 4, alone.residual_df, 0.05))
    assert drawn.f[0] == pytest.approx(alone.effects[0].f)
    assert drawn.counts[0] == _counted(alone)
    beside = additive_model(values, {"system": system, "judge": judges, "source": source})
    drawn = draw_additive(fit, weights, critical_t("tukey", 4, beside.residual_df, 0.05))
    assert drawn.f[0] == pytest.approx(beside.effects[0].f)
    assert drawn.counts[0] == _counted(beside)


def _counted(anova):
    return compare_means(
        anova.means["system"],
        anova.counts("system"),
        anova.mse,
        anova.residual_df,
        covariance=anova.covariance("system"),
    ).n_significant


def test_procedures_in_steps_have_no_drawn_counts():
    found = compare_scales(small(occasions=1).ratings, procedure="holm", rng=1, resamples=20)
    (one,) = found.criteria[0].sensitivity_contrasts
    assert one.count_additive.interval is None
    assert one.f_additive.interval is not None


def test_parts_that_share_judges_and_sources_have_means_that_covary(parts):
    both = joint_covariance([fit_part(part) for part in parts])
    one = both[:4, :4]
    assert np.allclose(both[4:, 4:], 100 * one)  # ten times as long
    assert np.allclose(both[:4, 4:], 10 * one)
    assert np.linalg.eigvalsh(both).min() > -1e-9


def interchange(scales, seed, **keywords):
    study = simulate_scales(scales, criteria=("quality",), occasions=1, seed=seed, **keywords)
    parts = align(study.ratings).parts["quality"]
    (found,) = interchangeability(
        [fit_part(part) for part in parts], equivalence(draws=400, seed=seed)
    )
    return found


SEVEN, LINE = Instrument(as_scale("1-7")), Instrument(as_scale("0-100"))
COARSE = Instrument(as_scale("1-3"), noise=3, truth=0.4)


def test_scales_that_measure_alike_are_interchangeable_and_others_are_not():
    # tests/slow runs 200 of each
    alike = [interchange({"VDS": SEVEN, "VAS": LINE}, seed).word for seed in range(4)]
    assert alike == ["interchangeable"] * 4
    unlike = [interchange({"VDS": SEVEN, "coarse": COARSE}, seed).word for seed in range(4)]
    assert "interchangeable" not in unlike


def test_a_stricter_margin_is_harder_to_reach():
    study = small(occasions=1)
    p = [
        compare_scales(study.ratings, margin=margin, rng=1, resamples=200)
        .criteria[0]
        .interchange[0]
        .distance.p
        for margin in (0.2, 0.5, 1.0)
    ]
    assert p[0] > p[1] > p[2]


def test_one_judge_leaves_the_test_without_an_answer():
    study = small(occasions=1)
    alone = study.ratings["VAS"].select(judge=["VAS-J01"])
    found = compare_scales({"VDS": study.ratings["VDS"], "VAS": alone}, rng=1, resamples=20)
    (one,) = found.criteria[0].interchange
    assert one.distance is None
    assert "one judge" in one.reason or "too few" in one.reason
    assert one.word == "not shown to be interchangeable"
    assert one.association.n == 4


def test_without_sources_the_model_has_systems_and_judges():
    study = small(occasions=1)
    columns = {
        n: v
        for n, v in study.ratings["VDS"].frame.to_native().fetchnumpy().items()
        if n != "source"
    }
    bare = Ratings(columns, scale="1-7")
    found = compare_scales({"VDS": bare, "VAS": study.ratings["VAS"]}, rng=1, resamples=20)
    one, other = found.criteria[0].sensitivity
    assert [effect.factor for effect in one.effects] == ["system", "judge"]
    assert [effect.factor for effect in other.effects] == ["system", "judge", "source"]
    assert any("sources are not known" in note for note in found.notes)
