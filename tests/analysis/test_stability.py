"""The same judge again: by hand, and with a simulated truth."""

import math

import jsonschema
import numpy as np
import pytest

from covary import InvalidArgument, Ratings, disagreement, reliability, report, stability
from covary.reports.reliability.document import schema


def ratings_of(first, second, scale="1-5"):
    """Ratings of judges (lists by name) on two occasions."""
    table = {"item": [], "judge": [], "occasion": [], "rating": []}
    for occasion, by_judge in (("test", first), ("retest", second)):
        for judge, given in by_judge.items():
            for item, rating in enumerate(given):
                for name, value in zip(table, (item, judge, occasion, rating), strict=True):
                    table[name].append(value)
    return Ratings(table, scale=scale)


def simulated(n=200, own=0.6, seed=1):
    """Three judges whose every rating has noise of its own around the item."""
    rng = np.random.default_rng(seed)
    item = rng.normal(3, 1, n)
    rounds = [
        {judge: np.round(item + own * rng.normal(size=n), 6).tolist() for judge in "abc"}
        for _ in range(2)
    ]
    table = {"item": [], "judge": [], "occasion": [], "rating": []}
    for occasion, by_judge in zip(("test", "retest"), rounds, strict=True):
        for judge, given in by_judge.items():
            for number, rating in enumerate(given):
                for name, value in zip(table, (number, judge, occasion, rating), strict=True):
                    table[name].append(value)
    return Ratings(table, level="interval")


def test_equal_ratings_and_the_shift_by_hand():
    """Ann repeats three of four and is once a point lower: shift -.25."""
    again = stability(ratings_of({"Ann": [1, 2, 3, 3]}, {"Ann": [1, 2, 3, 2]})).criteria[0]
    (ann,) = again.judges
    assert (again.same, ann.same, ann.n) == (0.75, 0.75, 4)
    assert (again.shift, ann.shift) == (-0.25, -0.25)
    assert ann.r == pytest.approx(np.corrcoef([1, 2, 3, 3], [1, 2, 3, 2])[0, 1])


def test_test_comes_before_retest_whatever_the_alphabet_says():
    again = stability(ratings_of({"Ann": [1, 1, 2]}, {"Ann": [3, 3, 4]})).criteria[0]
    assert again.shift == 2


def test_the_ceiling_is_the_mean_root_of_the_judges_correlations():
    again = stability(simulated()).criteria[0]
    a, b, c = (judge.r for judge in again.judges)
    roots = [math.sqrt(a * b), math.sqrt(a * c), math.sqrt(b * c)]
    assert again.ceiling == pytest.approx(sum(roots) / 3)
    assert again.ceiling == pytest.approx(1 / 1.36, abs=0.05)  # item variance 1, own noise .36


def test_a_lasting_severity_is_not_stability():
    """Two judges who answer at random, one always high: within judges nothing is repeated."""
    rng = np.random.default_rng(3)
    first = {"low": rng.integers(1, 4, 300).tolist(), "high": rng.integers(3, 6, 300).tolist()}
    second = {"low": rng.integers(1, 4, 300).tolist(), "high": rng.integers(3, 6, 300).tolist()}
    again = stability(ratings_of(first, second)).criteria[0]
    assert abs(again.r) < 0.1
    assert again.alpha.value > 0.3


def test_without_a_second_occasion_there_is_no_stability():
    with pytest.raises(InvalidArgument, match="no second occasion"):
        stability(Ratings.from_wide([[1, 2], [2, 2]], scale="1-3"))


def test_all_noise_is_inconsistency_where_judges_differ_by_their_own_noise_alone():
    parts = disagreement(simulated()).criteria[0].overall
    assert parts.inconsistency == pytest.approx(parts.noise, abs=0.12)


def test_agreement_is_that_of_the_first_occasion():
    both = simulated(60)
    first = both.select(occasion="test")
    alphas = [reliability(r, rng=1).criteria[0].overall.agreement.value for r in (both, first)]
    assert alphas[0] == alphas[1]


def test_a_report_has_a_section_on_stability_and_every_row_says_its_kind():
    made = report(simulated(60), rng=1)
    assert "stability" in [section.key for section in made.contents.sections]
    assert {row["kind"] for row in made.reliability.rows()} == {"reproducibility"}
    assert {row["kind"] for row in made.stability.rows()} == {"stability"}
    jsonschema.validate(made.to_dict(), schema())
    once = report(simulated(60).select(occasion="test"), rng=1)
    assert "stability" not in once.markdown().lower()
