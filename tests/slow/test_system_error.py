"""How often equal systems are called different: the error rate of the default comparison.

Four equal systems with 15 sources each. The rows with four judges are those in which counting
ratings as independent finds a difference in 3, 25, 62 and 60 of 100 studies.
"""

import sys

import numpy as np
import pytest

from covary.analysis.systems.models import fit_models
from covary.analysis.systems.ordinal import compare_ordinal
from covary.analysis.systems.pairs import compare_pairs
from covary.analysis.systems.result import SystemsOptions
from covary.scales import as_scale
from covary.stats.intervals import IntervalSpec
from covary.stats.models.observations import Observations

STUDIES = 500
OPTIONS = SystemsOptions(interval=IntervalSpec.of(None, 0.95, 2, 0), brief=True)

ROWS = {
    "nothing varies": {},
    "texts vary": {"text": 0.5},
    "texts and opinions vary": {"text": 0.7, "opinion": 0.3},
    "both vary much": {"text": 1.0, "opinion": 0.5},
    "three judges": {"text": 0.7, "opinion": 0.3, "judges": 3},
    "incomplete": {"text": 0.7, "opinion": 0.3, "judges": 6, "kept": 0.5},
    "ordinal": {"text": 0.7, "opinion": 0.3, "cuts": (-1.6, -0.6, 0.4, 1.2)},
}


def study(rng, *, text=0.0, opinion=0.0, judges=4, kept=1.0, cuts=(), better=0.0):
    """Four systems, 15 sources, all rated by all judges, or a share of it; the last is better."""
    shape = 4, 15, judges
    system, source, judge = (codes.ravel() for codes in np.indices(shape))
    rating = rng.normal(0, 1, system.size) + better * (system == 3)
    rating += rng.normal(0, 0.5, 15)[source] + rng.normal(0, 0.5, judges)[judge]
    rating += rng.normal(0, text, (4, 15))[system, source]
    rating += rng.normal(0, opinion, (4, judges))[system, judge]
    rows = rng.random(system.size) < kept
    values = np.searchsorted(cuts, rating).astype(float) + 1 if cuts else rating
    codes = {"system": system, "judge": judge, "source": source, "item": system * 15 + source}
    coded = {name: np.unique(own[rows], return_inverse=True) for name, own in codes.items()}
    return Observations(
        values[rows],
        {name: places for name, (_, places) in coded.items()},
        {name: tuple(levels.tolist()) for name, (levels, _) in coded.items()},
    )


def finds_a_difference(observed, ordinal):
    models = fit_models(observed, OPTIONS)
    pairs = compare_pairs(observed, models, OPTIONS)
    if ordinal:
        other, _ = compare_ordinal(observed, as_scale("1-5"), models, pairs, options=OPTIONS)
        pairs = other.comparisons if other is not None and other.decides else pairs
    return pairs.n_significant > 0


def share_of_studies(row, better=0.0, studies=STUDIES, seed=1):
    rng = np.random.default_rng(seed)
    settings = ROWS[row]
    drawn = (study(rng, better=better, **settings) for _ in range(studies))
    return np.mean([finds_a_difference(observed, "cuts" in settings) for observed in drawn])


@pytest.mark.parametrize("row", ROWS)
def test_equal_systems_are_called_different_in_about_five_of_a_hundred_studies(row):
    assert 0.03 <= share_of_studies(row) <= 0.07


LME4 = {
    ("texts vary", 0.5): 0.380,
    ("texts vary", 1.0): 0.950,
    ("texts and opinions vary", 0.5): 0.205,
    ("texts and opinions vary", 1.0): 0.715,
    ("incomplete", 0.5): 0.195,
    ("incomplete", 1.0): 0.705,
}
"""In which share of 200 studies (seed 2) R finds some difference when the last system is better.

R 4.2.2, lme4 1.1.31, lmerTest 3.1.3, emmeans 1.8.4.1 (Tukey, Satterthwaite): rating ~ system +
judge + (1 | source) + (1 | source:system) + (1 | judge:system), on the very ratings drawn here.
"""


@pytest.mark.parametrize(("row", "better"), LME4)
def test_the_power_is_not_below_that_of_lme4_with_the_same_terms(row, better):
    power = share_of_studies(row, better=better, studies=200, seed=2)
    print(f"\n{row}, better by {better}: {power:.3f}, lme4 {LME4[row, better]:.3f}")
    assert power >= LME4[row, better] - 0.005  # one study of 200


@pytest.mark.parametrize("row", ["nothing varies", "texts and opinions vary", "ordinal"])
def test_a_better_system_is_found(row):
    assert share_of_studies(row, better=1.5, studies=100) > 0.8


if __name__ == "__main__":
    for name in sys.argv[1:] or ROWS:
        print(name, share_of_studies(name), flush=True)
