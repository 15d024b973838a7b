"""The cumulative logit model against R ordinal, and on ratings whose truth was drawn."""

import numpy as np
import pytest

from covary import datasets
from covary.errors import ConvergenceError
from covary.stats.models.cumulative import (
    Terms,
    differentiate,
    equal_nodes,
    integrate,
    logits_of,
)
from covary.stats.models.observations import observations
from covary.stats.models.ordinal import ordinal_model


@pytest.fixture(scope="module")
def correctness():
    rows = observations(datasets.load("qgstec-reevaluated"), "correctness")
    factors = {name: rows.factors[name] for name in ("judge", "item")}
    return ordinal_model(rows.values, rows.factors["system"], **factors)


def test_correctness_of_qgstec_equals_r_ordinal(correctness):
    # R 4.2.2, ordinal 2022.11-16: clmm(y ~ system + judge + (1 | item), nAGQ = 31)
    model = correctness
    assert model.effects == pytest.approx([0, -3.5454, 1.1202, 1.7395], abs=0.005)
    assert model.judge_effects == pytest.approx([0, 0.8128, 1.5916], abs=0.001)
    assert model.thresholds == pytest.approx([-0.7438, 2.6882, 8.5268], abs=0.002)
    assert model.item_sd == pytest.approx(5.915, abs=0.005)
    assert model.log_likelihood == pytest.approx(-2314.43, abs=0.02)
    errors = np.sqrt(np.diag(model.covariance))
    assert errors == pytest.approx([0, 0.6386, 0.5527, 0.5951], abs=0.002)


def test_scores_lie_on_the_scale_near_the_plain_means_of_a_balanced_design(correctness):
    # The plain means, by hand from the file: 2.088, 1.606, 2.271, 2.365.
    assert correctness.scores == pytest.approx([2.088, 1.606, 2.271, 2.365], abs=0.02)
    assert (correctness.score_errors > 0).all()


def test_probabilities_of_ranks_sum_to_one(correctness):
    table = correctness.rank_probabilities(best="low")
    assert table.sum(axis=0) == pytest.approx(1)
    assert table.sum(axis=1) == pytest.approx(1)
    assert table[1, 0] > 0.99  # the second system is the best by far


def draw(rng, *, judges, n_items, each, effects=(0.0, 1.0), random_judges=0, severity_sd=0.0):
    """Ratings of 1 to 5 by the model itself; some judges answer whatever the item is."""
    item = np.repeat(np.arange(n_items), each)
    judge = np.concatenate([rng.choice(judges, each, replace=False) for _ in range(n_items)])
    system = item % len(effects)
    severity = rng.normal(0, severity_sd, judges)
    place = np.asarray(effects)[system] - severity[judge] + rng.normal(0, 2, n_items)[item]
    values = 1 + np.searchsorted([-2.0, -0.7, 0.7, 2.0], place + rng.logistic(size=item.size))
    random = judge < random_judges
    values = np.where(random, rng.integers(1, 6, item.size), values)
    return values.astype(float), system, judge, item, severity


def test_judges_who_answer_at_random_stand_out():
    rng = np.random.default_rng(4)
    drawn = draw(rng, judges=6, n_items=300, each=4, random_judges=1)
    values, system, judge, item, _ = drawn
    model = ordinal_model(values, system, judge=judge, item=item, discrimination=True)
    first, *others = model.judges
    assert first.infit > 1.3 > max(other.infit for other in others)
    assert first.discrimination < 0.75 < min(other.discrimination for other in others)


def test_a_crowd_of_200_judges_is_shrunken_towards_its_mean():
    rng = np.random.default_rng(5)
    drawn = draw(rng, judges=200, n_items=400, each=5, severity_sd=1.0)
    values, system, judge, item, severity = drawn
    model = ordinal_model(values, system, item=item, shrunken={"judge": judge})
    assert model.spreads["judge"] == pytest.approx(1.0, abs=0.25)
    estimates = [fit.severity for fit in model.judges]
    assert np.corrcoef(estimates, severity)[0, 1] > 0.7
    assert np.std(estimates) < model.spreads["judge"]
    assert model.effects[1] == pytest.approx(1.0, abs=0.6)


@pytest.mark.parametrize("seed", range(6))
def test_texts_that_do_not_differ_within_their_sources_are_a_model_without_them(seed):
    """12 judges rate what 3 systems wrote for 30 sources on 5 points; 10 ratings are missing."""
    rng = np.random.default_rng(seed)
    judge, source, system = (
        each.ravel() for each in np.meshgrid(range(12), range(30), range(3), indexing="ij")
    )
    places = np.array([0, 0.5, 1])[system] + rng.normal(0, 1, 30)[source]
    places += rng.normal(0, 0.6, 12)[judge] + rng.logistic(size=judge.size)
    ratings = 1 + np.searchsorted([-1.5, -0.3, 0.9, 2.2], places)
    kept = rng.permutation(judge.size)[10:]
    values, system, judge, source = (each[kept] for each in (ratings, system, judge, source))
    shrunken = {"source": source}
    model = ordinal_model(values, system, judge=judge, item=3 * source + system, shrunken=shrunken)
    errors = np.sqrt(np.diag(model.covariance))[1:]
    assert (np.abs(model.effects[1:] - [0.5, 1]) < 3.5 * errors).all()
    assert model.spreads["source"] == pytest.approx(1, abs=0.5)
    assert model.item_sd < 0.35
    if model.item_sd == 0:  # nothing is left of the texts: the same as without them
        without = ordinal_model(values, system, judge=judge, shrunken=shrunken)
        assert model.effects == pytest.approx(without.effects, abs=1e-3)
        assert model.covariance == pytest.approx(without.covariance, abs=1e-4)
        assert model.log_likelihood == pytest.approx(without.log_likelihood, abs=0.01)


def test_one_category_is_no_order():
    with pytest.raises(ConvergenceError, match="one category"):
        ordinal_model([2.0, 2.0], [0, 1])


@pytest.mark.parametrize("sharp", [False, True])
@pytest.mark.parametrize("cuts", [3, 9])
def test_gradient_and_information_are_differences_of_the_likelihood(sharp, cuts):
    rng, n_items, judges = np.random.default_rng(8), 12, 4
    sizes = np.sort(rng.integers(1, judges + 1, n_items))
    item = np.repeat(np.arange(n_items), sizes)
    judge = np.concatenate([rng.choice(judges, size, replace=False) for size in sizes])
    y, system, size = rng.integers(0, cuts + 1, item.size), item % 2, cuts + 1 + judges
    own = size + 1 + judges if sharp else size + 1
    effects = np.column_stack([np.where(system == 0, own, cuts), cuts + 1 + judge])
    terms = Terms(
        upper=np.where(y < cuts, y, cuts),
        lower=np.where(y > 0, y - 1, cuts + 1),
        n_thresholds=cuts,
        effects=effects,
        discrimination=size + 1 + judge if sharp else None,
        spread=size,
        item=item,
        times=rng.integers(1, 4, n_items).astype(float),
        size=own,
    )
    place = rng.normal(0, 0.4, own)
    place[:cuts] = np.linspace(-2, 2, cuts)
    around = np.array([np.zeros(n_items), np.full(n_items, 1.2)])

    def likelihood(parameters):
        logits, deviation = logits_of(terms, np.append(parameters, 0)), np.exp(parameters[size])
        rule = equal_nodes(301, 9)
        nodes = integrate(terms, logits, deviation, around=around, rule=rule)
        return nodes, differentiate(terms, logits, deviation, nodes)

    _, (gradient, information) = likelihood(place)
    steps = 1e-5 * np.eye(own)
    ends = [(likelihood(place + step), likelihood(place - step)) for step in steps]
    slopes = [(up[0].log_likelihood - down[0].log_likelihood) / 2e-5 for up, down in ends]
    bends = [(down[1][0] - up[1][0]) / 2e-5 for up, down in ends]
    assert gradient == pytest.approx(np.array(slopes), abs=1e-5)
    assert information == pytest.approx(np.array(bends), abs=1e-4)


def test_spreads_of_judges_and_their_sharpness_are_found_again():
    # 40 judges with severities of standard deviation 1, a fourth of them half as sharp
    rng, n_items, judges = np.random.default_rng(21), 1500, 40
    item = np.repeat(np.arange(n_items), 5)
    judge = np.concatenate([rng.choice(judges, 5, replace=False) for _ in range(n_items)])
    sharp = np.where(np.arange(judges) < 10, 0.5, 1.0)
    place = rng.normal(0, 1.5, n_items)[item] - rng.normal(0, 1, judges)[judge]
    logit = place + rng.logistic(size=item.size) / sharp[judge]
    values = 1.0 + np.searchsorted([-2.0, -0.7, 0.7, 2.0], logit)
    opinion = np.unique(item % 4 * judges + judge, return_inverse=True)[1]
    shrunken = {"judge": judge, "opinion": opinion}
    model = ordinal_model(values, item % 4, item=item, shrunken=shrunken, discrimination=True)
    assert model.spreads["judge"] == pytest.approx(1.0, abs=0.25)
    assert model.spreads["opinion"] < 0.15  # there is none
    known = np.array([each.discrimination for each in model.judges])
    assert known[:10].mean() / known[10:].mean() == pytest.approx(0.5, abs=0.08)
