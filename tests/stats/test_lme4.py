"""The mixed model of four sets of ratings against R 4.2.2: lme4 1.1-31, lmerTest 3.1-3,
emmeans 1.8.4.1 (Tukey's p with Satterthwaite's degrees of freedom)."""

import numpy as np
import pytest

from covary import datasets
from covary.analysis.systems.models import random_factors
from covary.stats.models.mixed import mixed_model
from covary.stats.models.observations import observations
from covary.stats.posthoc import compare_means

# data, criterion, variances, log-likelihood, F and its df, then of each pair of systems the
# standard error, the degrees of freedom and Tukey's p
CASES = [
    (
        ("latin-square-example", None),
        {"judge": 0.945318, "source": 0.088219, "judge by system": 0.099424, "residual": 0.129438},
        (-29.45081526, 11.59304, 6.489152),
        [0.286481] * 6,
        [6.48915] * 6,
        [0.35695791, 0.1705806, 0.00377277, 0.92520332, 0.02472623, 0.05129514],
    ),
    (
        ("qgstec-reevaluated", "correctness"),
        {"judge": 0.013048, "item": 0.876592, "judge by system": 0.000269, "residual": 0.166681},
        (-2679.814394, 20.47669, 479.5541),
        [0.0919881, 0.0852788, 0.0914381, 0.1014331, 0.1066637, 0.1009346],
        [461.336, 392.626, 455.87, 548.838, 591.385, 544.552],
        [1.50284e-06, 0.138601, 0.0135182, 1.17162e-09, 5.07877e-10, 0.788344],
    ),
    (
        ("qgstec-original", "relevance"),
        {"judge": 0.097832, "item": 0.279773, "judge by system": 0.012386, "residual": 0.643802},
        (-2446.337957, 4.53359, 14.32511),
        [0.104924, 0.101233, 0.109125, 0.110596, 0.118605, 0.114576],
        [13.8537, 12.0679, 13.2108, 16.5212, 17.8206, 15.3483],
        [0.0330993, 0.9998719, 0.9947039, 0.0347213, 0.0357602, 0.9981757],
    ),
    (
        ("qgstec-original", "variety"),
        {"judge": 0.192701, "item": 0.2877, "judge by system": 0.065093, "residual": 0.276152},
        (-1926.918982, 0.22394, 13.88512),
        [0.174848, 0.173283, 0.177568, 0.180427, 0.184827, 0.183189],
        [13.2517, 12.787, 14.7695, 13.1756, 15.1739, 14.6269],
        [0.867691, 0.999394, 0.983507, 0.920168, 0.980496, 0.99508],
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0][0]} {case[0][1]}")
def test_the_mixed_model_equals_lme4_lmertest_and_emmeans(case):
    (name, criterion), components, (likelihood, f, df), errors, dfs, p = case
    rows = observations(datasets.load(name), criterion)
    model = mixed_model(rows.values, rows.factors["system"], random=random_factors(rows))
    assert model.components == pytest.approx(components, rel=2e-3, abs=3e-6)
    assert model.log_likelihood == pytest.approx(likelihood, abs=1e-4)
    assert model.f == pytest.approx(f, rel=2e-3)
    assert model.f_df[1] == pytest.approx(df, rel=0.025)  # depends on the choice of contrasts
    first, second = np.triu_indices(4, 1)
    own = np.diag(model.covariance)
    squared = own[first] + own[second] - 2 * model.covariance[first, second]
    assert np.sqrt(squared) == pytest.approx(errors, rel=1e-3)
    assert model.df[first, second] == pytest.approx(dfs, rel=1e-2)
    pairs = compare_means(
        model.means, model.counts, model.mse, model.df, covariance=model.covariance
    )
    assert [pair.p_adjusted for pair in pairs.pairs] == pytest.approx(p, rel=2e-2, abs=1e-6)
