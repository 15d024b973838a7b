"""The mixed model against Pinheiro & Bates, statsmodels, balanced designs and dense matrices."""

import math

import numpy as np
import pytest
from scipy import optimize

from covary import InvalidArgument, datasets
from covary.stats.models.anova import additive_model
from covary.stats.models.mixed import mixed_model
from covary.stats.models.observations import observations
from covary.stats.posthoc import compare_means
from tests.stats.unbalanced import JUDGE, SOURCE, SYSTEM, VALUES

# Pinheiro & Bates (2000), section 1.3: six workers on three machines, three times each.
MACHINES = """
52.0 52.8 53.1 51.8 52.8 53.1 60.0 60.2 58.4 51.1 52.3 50.3 50.9 51.8 51.4 46.4 44.8 49.2
62.1 62.6 64.0 59.7 60.0 59.0 68.6 65.8 69.7 63.2 62.8 62.2 64.8 65.0 65.4 43.7 44.2 43.0
67.5 67.2 66.9 61.5 61.7 62.3 70.8 70.6 71.0 64.1 66.2 64.0 72.1 72.0 71.1 62.0 61.4 60.5
"""
SCORES = np.array([float(each) for each in MACHINES.split()])
MACHINE = np.repeat([0, 1, 2], 18)
OPERATOR = np.tile(np.repeat(np.arange(6), 3), 3)
RANDOM = {"judge": JUDGE, "source": SOURCE}


def test_machines_without_interaction():
    # Pinheiro & Bates (2000: 24): standard deviations 5.1466 and 3.1616, log-likelihood -143.44.
    found = mixed_model(SCORES, MACHINE, random={"judge": OPERATOR})
    assert math.sqrt(found.components["judge"]) == pytest.approx(5.1466, abs=5e-5)
    assert math.sqrt(found.components["residual"]) == pytest.approx(3.1616, abs=5e-5)
    assert found.log_likelihood == pytest.approx(-143.44, abs=5e-3)


def test_machines_with_interaction():
    # Pinheiro & Bates (2000: 26): 4.7814, 3.7294 and 0.9616, log-likelihood -107.84; the design is
    # balanced, so F is the mean square of machines by that of the interaction, 20.576 (2, 10).
    found = mixed_model(SCORES, MACHINE, random={"judge": OPERATOR, "pair": 3 * OPERATOR + MACHINE})
    assert math.sqrt(found.components["judge"]) == pytest.approx(4.781, abs=5e-4)
    assert math.sqrt(found.components["pair"]) == pytest.approx(3.7295, abs=2e-4)
    assert math.sqrt(found.components["residual"]) == pytest.approx(0.9616, abs=5e-5)
    assert found.log_likelihood == pytest.approx(-107.84, abs=5e-3)
    assert found.means == pytest.approx([52.3556, 60.3222, 66.2722], abs=5e-5)
    assert found.f == pytest.approx(20.576, abs=5e-4)
    assert found.f_df == pytest.approx((2, 10), abs=1e-4)


def test_unbalanced_ratings_equal_statsmodels():
    # statsmodels 0.15.0 MixedLM, variance components of judges and sources in one group, REML.
    found = mixed_model(VALUES, SYSTEM, random=RANDOM)
    assert found.components["judge"] == pytest.approx(0.1894546815107732, rel=1e-4)
    assert found.components["source"] == pytest.approx(0.6360601140811598, rel=1e-4)
    assert found.components["residual"] == pytest.approx(1.506634679454098, rel=1e-5)
    assert found.log_likelihood == pytest.approx(-175.34238915875025, abs=1e-7)
    assert found.means[0] == pytest.approx(2.558361601987572, abs=1e-6)
    assert np.diff(found.means[:2]) == pytest.approx(0.7463652615772571, abs=1e-6)
    assert found.means[2] - found.means[0] == pytest.approx(1.5701522737180422, abs=1e-6)
    # Its standard errors come from the Hessian of all parameters at once, so they agree less well.
    c = found.covariance
    assert found.standard_errors[0] == pytest.approx(0.39128766944894366, rel=1e-4)
    assert c[0, 0] + c[1, 1] - 2 * c[0, 1] == pytest.approx(0.08401359503203666, rel=1e-4)
    _, dense = dense_deviance(
        np.log(list(found.components.values())), VALUES, SYSTEM, [JUDGE, SOURCE]
    )
    assert c == pytest.approx(dense, rel=1e-8)


def test_a_latin_square_gives_the_f_of_the_additive_model():
    rows = observations(
        datasets.load("latin-square-example"), factors=("system", "judge", "source")
    )
    f, system = rows.factors, rows.factors["system"]
    found = mixed_model(rows.values, system, random={"judge": f["judge"], "source": f["source"]})
    beside = additive_model(rows.values, f).effect("system")
    assert found.f == pytest.approx(beside.f, rel=1e-6)
    assert found.f_df == pytest.approx((3, 18), abs=1e-4)
    assert found.p == pytest.approx(beside.p, rel=1e-4)
    pairs = compare_means(
        found.means, found.counts, found.mse, found.df, covariance=found.covariance
    )
    assert pairs.n_significant == 4  # as TukeyHSD in R with the additive error


def dense_deviance(logs, values, system, random):
    """Minus twice the restricted log-likelihood, from the whole covariance matrix."""
    parts = [np.equal.outer(codes, codes).astype(float) for codes in random]
    parts.append(np.eye(values.size))
    covariance = sum(np.exp(log) * part for log, part in zip(logs, parts, strict=True))
    inverse = np.linalg.inv(covariance)
    design = np.eye(system.max() + 1)[system]
    known = design.T @ inverse @ design
    means = np.linalg.solve(known, design.T @ inverse @ values)
    left = values - design @ means
    value = np.linalg.slogdet(covariance)[1] + np.linalg.slogdet(known)[1] + left @ inverse @ left
    return value + (values.size - design.shape[1]) * math.log(2 * math.pi), np.linalg.inv(known)


def numeric(function, at, step=1e-3):
    """Central differences of a function of a few numbers."""
    units = step * np.eye(at.size)
    return np.array([(function(at + unit) - function(at - unit)) / (2 * step) for unit in units])


def test_satterthwaite_from_its_definition_with_dense_matrices():
    few = SOURCE < 4  # dense matrices are slow
    values, system, random = VALUES[few], SYSTEM[few], [JUDGE[few], SOURCE[few]]

    def deviance(logs):
        return dense_deviance(logs, values, system, random)[0]

    def variance(logs):
        c = dense_deviance(logs, values, system, random)[1]
        return c[0, 0] + c[2, 2] - 2 * c[0, 2]

    best = optimize.minimize(
        deviance, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-9}
    )
    found = mixed_model(values, system, random={"judge": random[0], "source": random[1]})
    assert list(found.components.values()) == pytest.approx(np.exp(best.x), rel=1e-4)
    information = numeric(lambda at: numeric(deviance, at), best.x) / 2
    slopes = numeric(variance, best.x)
    df = 2 * variance(best.x) ** 2 / (slopes @ np.linalg.inv(information) @ slopes)
    assert found.df[0, 2] == pytest.approx(df, rel=1e-3)


@pytest.mark.parametrize("widest", ["system", "judge", "item"])
def test_the_answer_does_not_depend_on_which_factors_are_eliminated(widest):
    # Against dense matrices: the system first; a random factor first; items, and then the system
    # that they belong to.
    rng = np.random.default_rng(11)
    shape = (9, 4) if widest == "system" else (4, 9)
    system, judge = rng.integers(0, shape[0], 150), rng.integers(0, shape[1], 150)
    random = {"judge": judge}
    values = rng.normal(size=150) + rng.normal(size=shape[1])[judge]
    if widest == "item":
        item = np.unique(system * 8 + rng.integers(0, 8, 150), return_inverse=True)[1]
        random = {"item": item, "judge": judge}
        values = values + rng.normal(size=item.max() + 1)[item]
    found = mixed_model(values, system, random=random)
    logs = np.log(list(found.components.values()))
    deviance, covariance = dense_deviance(logs, values, system, list(random.values()))
    assert found.log_likelihood == pytest.approx(-deviance / 2, rel=1e-10)
    assert found.covariance == pytest.approx(covariance, rel=1e-8)

    def at(place):
        return dense_deviance(place, values, system, list(random.values()))[0]

    assert numeric(at, logs, 1e-4) == pytest.approx(np.zeros(logs.size), abs=1e-4)
    assert found.df[0, 1] > 0


def test_only_systems_and_residual_are_a_one_way_analysis():
    found = mixed_model(VALUES, SYSTEM, random={})
    expected = additive_model(VALUES, {"system": SYSTEM}).effects[0]
    assert found.f == pytest.approx(expected.f, rel=1e-9)
    assert found.f_df == pytest.approx((2, 99), rel=1e-6)
    assert found.mse == pytest.approx(expected.error_mean_square, rel=1e-12)


def test_a_variance_of_zero_is_said():
    # Judges whose means are exactly alike.
    values = np.array([1.0, 2, 3, 4, 4, 3, 2, 1, 1, 4, 2, 3])
    judge = np.repeat([0, 1, 2], 4)
    system = np.tile([0, 1, 0, 1], 3)
    found = mixed_model(values, system, random={"judge": judge})
    assert found.components["judge"] == 0
    assert found.notes == ("the variance between judges is estimated as 0",)
    assert found.f_df[1] == pytest.approx(10, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "codes", "said"),
    [
        ("judge", np.zeros(102, dtype=int), "only one judge"),
        ("item", np.arange(102), "one rating"),
        ("source", SYSTEM, "each system has only one source"),
    ],
)
def test_a_factor_that_cannot_be_told_apart_is_left_out_and_named(name, codes, said):
    found = mixed_model(VALUES, SYSTEM, random={"other": JUDGE, name: codes})
    assert math.isnan(found.components[name])
    assert said in found.notes[0]
    assert found.f == pytest.approx(
        mixed_model(VALUES, SYSTEM, random={"other": JUDGE}).f, rel=1e-9
    )


def test_a_factor_given_twice_is_left_out():
    found = mixed_model(VALUES, SYSTEM, random={"judge": JUDGE, "person": 5 - JUDGE})
    assert "the same as the judge" in found.notes[0]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([2.0] * 8, "all ratings are equal"),
        ([1.0, 2, 1, 2, 3, 4, 3, 4], "explain every rating"),
    ],
)
def test_no_residual_is_undefined_with_a_reason(values, reason):
    system, judge = [0, 1] * 4, [0, 0, 0, 0, 1, 1, 1, 1]
    found = mixed_model(values, system, random={"judge": judge})
    assert math.isnan(found.f)
    assert reason in found.reason
    assert found.to_dict()["components"] == {"judge": None, "residual": None}


def test_as_many_effects_as_ratings_are_undefined():
    found = mixed_model([1.0, 2, 3, 5], [0, 0, 1, 1], random={"judge": [0, 1, 1, 2]})
    assert "nothing is left" in found.reason


def test_one_system_has_components_but_no_test():
    found = mixed_model(VALUES, np.zeros(102, dtype=int), random=RANDOM)
    assert found.reason == "there is only one system"
    assert found.components["source"] > 0


def test_the_system_is_not_random():
    with pytest.raises(InvalidArgument, match="not the system"):
        mixed_model(VALUES, SYSTEM, random={"system": SYSTEM})


def test_components_do_not_change_with_order_or_shift_and_grow_with_scale():
    order = np.random.default_rng(2).permutation(VALUES.size)
    before = mixed_model(VALUES, SYSTEM, random=RANDOM)
    after = mixed_model(
        3 * VALUES[order] + 70,
        2 - SYSTEM[order],
        random={"judge": JUDGE[order], "source": 7 - SOURCE[order]},
    )
    assert after.components["judge"] == pytest.approx(9 * before.components["judge"], rel=1e-4)
    assert after.f == pytest.approx(before.f, rel=1e-6)
    assert after.means == pytest.approx(3 * before.means[::-1] + 70, rel=1e-6)
