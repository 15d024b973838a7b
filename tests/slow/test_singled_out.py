"""Whom a report names among 200 judges: nobody where all are equal, and who is a point stricter.

`COVARY_STUDIES` says how many studies a design has.
"""

import os

import numpy as np
import pytest

from covary import Ratings, judge_profiles
from covary.analysis.disagreement import severities
from covary.stats.patterns import collapse

STUDIES = int(os.environ.get("COVARY_STUDIES", "200"))
JUDGES = 200
DESIGNS = {"all judges rate 100 items": (100, JUDGES), "5 of them rate each of 600": (600, 5)}
FOUND = {"all judges rate 100 items": 0.95, "5 of them rate each of 600": 0.2}
"""At least so often who is a point stricter is named; with 15 ratings a judge that is seldom."""


def study(design, stricter, seed):
    """Draw a study: items of standard deviation 1, noise .7; the first judge is stricter."""
    n_items, each = DESIGNS[design]
    rng = np.random.default_rng([seed, n_items])
    seen = rng.normal(size=(n_items, 1)) + 0.7 * rng.normal(size=(n_items, JUDGES))
    seen[:, 0] -= stricter
    rows = np.clip(np.round(3 + seen), 1, 5)
    decks = [rng.permutation(JUDGES) for _ in range(n_items * each // JUDGES)]
    rated = np.zeros(rows.shape, bool)
    np.put_along_axis(rated, np.concatenate(decks).reshape(n_items, each), True, axis=1)
    rows[~rated] = np.nan
    return Ratings.from_wide(rows, scale="1-5", judges=[f"w{n}" for n in range(JUDGES)])


def named(ratings):
    """The judges whom the lines of the disagreement and the profiles name."""
    lines = severities(collapse(ratings), 0.95)
    profiles = judge_profiles(ratings)
    return (
        {judge.judge for judge in lines if judge.leniency != "alike"},
        {one.judge for one in profiles if one.leniency in ("milder", "stricter")},
    )


@pytest.mark.parametrize("design", DESIGNS)
def test_nobody_is_named_among_equal_judges_in_nineteen_of_twenty_studies(design):
    several = [named(study(design, 0.0, seed)) for seed in range(STUDIES)]
    chance = 0.05 + 2 * np.sqrt(0.05 * 0.95 / STUDIES)
    for lines in zip(*several, strict=True):
        share = np.mean([bool(names) for names in lines])
        print(f"{design}: somebody of 200 equal judges is named in {share:.3f} of {STUDIES}")
        assert share <= chance


@pytest.mark.parametrize("design", DESIGNS)
def test_who_is_a_point_stricter_is_named(design):
    several = [named(study(design, 1.0, seed)) for seed in range(STUDIES)]
    for lines in zip(*several, strict=True):
        share = np.mean(["w0" in names for names in lines])
        print(f"{design}: the judge a point stricter is named in {share:.3f} of {STUDIES}")
        assert share >= FOUND[design]
