"""The confusion table of verdicts: what is said of studies whose truth is known.

`COVARY_STUDIES` says how many studies a cell has; the table of docs/verdicts.md has 200.
"""

import os
from collections import Counter
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

from covary import Ratings
from covary.analysis.coefficients import main_pair
from covary.analysis.disagreement import decompose
from covary.analysis.reliability import dominant_share, ratings_per_item
from covary.analysis.verdict import VerdictEvidence, verdict
from covary.errors import quiet
from covary.stats.coefficients.gamma import goodman_kruskal_gamma
from covary.stats.intervals import IntervalSpec
from covary.stats.patterns import collapse

STUDIES = int(os.environ.get("COVARY_STUDIES", "200"))
SIZES = (20, 100, 400)
SEVERITY_WORDS = {
    "consistent, different severity",
    "consistent, partly severity",
    "agree; one is stricter",
}


@dataclass(frozen=True)
class Truth:
    """Items of standard deviation 1, judges of given severities (in the same unit) and noise.

    `skew` moves the items up, so that most ratings are the highest; `missing` is the share of
    ratings that were not made; `spread` stretches the last judge's use of the scale.
    """

    name: str
    noise: float
    severities: tuple[float, ...] = (0.0, 0.0, 0.0)
    skew: float = 0.0
    missing: float = 0.0
    spread: float = 1.0

    def study(self, n, rng):
        """Draw a study on five points; NaN where a judge did not rate."""
        item = rng.normal(size=(n, 1))
        stretch = np.ones(len(self.severities))
        stretch[-1] = self.spread
        shape = (n, len(self.severities))
        ratings = item * stretch + np.array(self.severities) + self.noise * rng.normal(size=shape)
        rows = np.clip(np.round(3 + self.skew + ratings), 1, 5)
        rows[rng.random(rows.shape) < self.missing] = np.nan
        return rows[(~np.isnan(rows)).any(axis=1)]

    @property
    def severe(self):
        return any(self.severities)


TRUTHS = (
    Truth("noise .15", 0.15),
    Truth("noise .3", 0.3),
    Truth("noise .7", 0.7),
    Truth("noise 1", 1.0),
    Truth("noise 1.6", 1.6),
    Truth("noise .3, severity sd 1", 0.3, (-1.0, 0.0, 1.0)),
    Truth("noise .7, severity sd .5", 0.7, (-0.5, 0.0, 0.5)),
    Truth("noise .7, severity sd 1", 0.7, (-1.0, 0.0, 1.0)),
    Truth("noise .3, skewed", 0.3, skew=1.2),
    Truth("noise .7, 30% missing", 0.7, missing=0.3),
    Truth("noise .3, severity sd 1, 30% missing", 0.3, (-1.0, 0.0, 1.0), missing=0.3),
    Truth("noise .5, one spreads 1.6 times", 0.5, spread=1.6),
)


def judge(rows, seed):
    """Return the word for a study."""
    ratings = Ratings.from_wide(rows.tolist(), scale="1-5", judges=["a", "b", "c"])
    with quiet():
        agreement, correlation = main_pair(ratings, None, IntervalSpec.of("auto", 0.95, 500, seed))
        patterns = collapse(ratings)
        evidence = VerdictEvidence(
            agreement=agreement,
            correlation=correlation,
            dominant=dominant_share(patterns),
            decomposition=decompose(patterns, "all judges", 0.95),
            ratings_per_item=ratings_per_item(patterns),
        )
    return verdict(evidence).word


@cache
def words(truth, n):
    """Count the words for the studies of a cell."""
    seeds = range(STUDIES)
    return Counter(judge(truth.study(n, np.random.default_rng([n, s])), s) for s in seeds)


@cache
def true_gamma(truth):
    """Gamma of 20,000 items, which is as good as the truth."""
    rows = truth.study(20_000, np.random.default_rng(1))
    ratings = Ratings.from_wide(rows.tolist(), scale="1-5", judges=["a", "b", "c"])
    return goodman_kruskal_gamma(ratings, interval=None).value


def test_the_confusion_table_is_printed():
    print(f"\n\n{STUDIES} studies a cell, 3 judges, 5 points\n")
    print("| truth | gamma | items | " + "verdicts |\n|---|---|---|---|")
    for truth in TRUTHS:
        for n in SIZES:
            said = ", ".join(f"{word} {times}" for word, times in words(truth, n).most_common())
            print(f"| {truth.name} | {true_gamma(truth):.2f} | {n} | {said} |")


def test_severity_is_said_in_fewer_than_two_percent_of_studies_without_it():
    calm = [truth for truth in TRUTHS if not truth.severe]
    said = sum(words(t, n)[word] for t in calm for n in SIZES for word in SEVERITY_WORDS)
    assert said / (len(calm) * len(SIZES) * STUDIES) < 0.02
    for truth in calm:
        for n in SIZES:
            assert sum(words(truth, n)[word] for word in SEVERITY_WORDS) <= 0.05 * STUDIES


@pytest.mark.parametrize("truth", [t for t in TRUTHS if t.severe and t.noise == 0.3], ids=str)
def test_a_severity_of_one_is_found_in_nine_of_ten_studies_of_a_hundred_items(truth):
    found = sum(words(truth, 100)[word] for word in SEVERITY_WORDS)
    assert found >= 0.9 * STUDIES


def test_not_reliable_is_hardly_ever_said_where_gamma_is_above_one_half():
    ordered = [truth for truth in TRUTHS if true_gamma(truth) > 0.5]
    said = sum(words(truth, n)["not reliable"] for truth in ordered for n in SIZES)
    assert said / (len(ordered) * len(SIZES) * STUDIES) < 0.02


def test_judges_without_noise_to_speak_of_are_interchangeable_from_a_hundred_items_on():
    for n in (100, 400):
        assert words(TRUTHS[0], n)["interchangeable"] >= 0.95 * STUDIES
