"""The alternative annotator test: beside the paper's formulas written out, and at its edges."""

import math

import numpy as np
import pytest

from covary.stats.posthoc import adjust_p_values
from covary.stats.replacement_test import FEWEST, replacement_test

NAN = math.nan


def judged(n=60, people=3, seed=3, noise=0.7):
    rng = np.random.default_rng(seed)
    truth = rng.normal(0, 1, n)
    table = truth[:, None] + rng.normal(0, noise, (n, people))
    return table, truth + rng.normal(0, noise, n)


def by_the_paper(people, automatic, person, *, nominal, margin):
    """Sections 3.1 and 3.2 of Calderon et al., item by item: advantages, difference and t."""
    wins_person, wins_automatic = [], []
    for row, given in zip(people, automatic, strict=True):
        others = [x for k, x in enumerate(row) if k != person and not math.isnan(x)]
        if math.isnan(row[person]) or math.isnan(given) or not others:
            continue
        if nominal:
            of_person = np.mean([row[person] == x for x in others])
            of_automatic = np.mean([given == x for x in others])
        else:
            of_person = -math.sqrt(np.mean([(row[person] - x) ** 2 for x in others]))
            of_automatic = -math.sqrt(np.mean([(given - x) ** 2 for x in others]))
        wins_person.append(of_person >= of_automatic)
        wins_automatic.append(of_automatic >= of_person)
    d = np.array(wins_person, float) - np.array(wins_automatic, float)
    t = (d.mean() - margin) / (d.std(ddof=1) / math.sqrt(d.size))
    return np.mean(wins_automatic), d.mean(), t, d.size


@pytest.mark.parametrize("nominal", [False, True])
def test_each_person_is_tested_as_the_paper_says(nominal):
    scipy_stats = pytest.importorskip("scipy.stats")
    people, automatic = judged()
    people[:7, 1] = NAN
    automatic[50:55] = NAN
    if nominal:
        people, automatic = np.round(people), np.round(automatic)
    found = replacement_test(people, automatic, np.arange(60), nominal=nominal, margin=0.2)
    for test in found.persons:
        advantage, behind, t, n = by_the_paper(
            people, automatic, test.person, nominal=nominal, margin=0.2
        )
        assert (test.advantage, test.behind) == pytest.approx((advantage, behind))
        assert test.n == n
        assert test.p == pytest.approx(scipy_stats.t.cdf(t, n - 1))
        assert test.p_worse == pytest.approx(scipy_stats.t.sf(t, n - 1))


def test_benjamini_and_yekutieli_by_hand():
    """Three tests: p · 3 · (1 + 1/2 + 1/3) / rank, made monotone from the largest down."""
    factor = 1 + 1 / 2 + 1 / 3
    assert adjust_p_values([0.01, 0.04, 0.03], "by") == pytest.approx(
        [0.03 * factor, 0.04 * factor, 0.04 * factor]
    )


def test_a_copy_of_a_person_replaces_that_person():
    people, _ = judged()
    found = replacement_test(people, people[:, 0], np.arange(60), nominal=False, margin=0.2)
    assert found.persons[0].behind == 0
    assert found.persons[0].advantage == 1
    assert found.persons[0].replaced


def test_noise_is_shown_to_be_worse_than_people_who_agree():
    people, _ = judged(n=200, noise=0.2)
    noise = np.random.default_rng(1).normal(0, 1, 200)
    found = replacement_test(people, noise, np.arange(200), nominal=False, margin=0.2)
    assert (found.winning_rate, found.losing_rate) == (0, 1)


def test_where_d_never_varies_p_is_the_chance_that_all_clusters_miss_the_rest():
    """d = 0 on 40 items; a mean of .2 would need a fifth of them at 1: .8^40 = 1.3e-4."""
    both = np.tile(np.arange(40.0)[:, None] % 5, 2)
    (first, _) = replacement_test(
        both, both[:, 0], np.arange(40), nominal=False, margin=0.2
    ).persons
    assert first.p == pytest.approx(0.8**40)
    assert first.p_worse == 1


def test_items_of_a_cluster_are_not_taken_to_be_independent():
    """Each item four times: the mean is the same, and its error that of a quarter of the items."""
    people, automatic = judged(n=40)
    four, given = np.repeat(people, 4, axis=0), np.repeat(automatic, 4)
    once = replacement_test(people, automatic, np.arange(40), nominal=False, margin=0.2)
    again = replacement_test(four, given, np.repeat(np.arange(40), 4), nominal=False, margin=0.2)
    for single, repeated in zip(once.persons, again.persons, strict=True):
        assert repeated.p == pytest.approx(single.p)


def test_a_person_with_few_common_items_is_left_out_and_counted():
    people, automatic = judged()
    people[FEWEST - 1 :, 2] = NAN
    found = replacement_test(people, automatic, np.arange(60), nominal=False, margin=0.2)
    assert [test.person for test in found.persons] == [0, 1]
    assert found.few == 1


def test_without_anybody_to_test_the_rates_are_undefined():
    people, automatic = judged(n=10)
    found = replacement_test(people, automatic, np.arange(10), nominal=False, margin=0.2)
    assert not found.persons
    assert math.isnan(found.winning_rate)


def test_one_cluster_decides_nothing():
    people, automatic = judged()
    found = replacement_test(
        people, automatic, np.zeros(60, dtype=np.int64), nominal=False, margin=0.2
    )
    assert not any(test.replaced or test.worse for test in found.persons)
