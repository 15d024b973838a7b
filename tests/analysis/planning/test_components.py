"""Variance components: values of other programs, what cannot be told apart, intervals."""

import numpy as np
import pytest

from covary import Ratings, datasets
from covary.analysis.planning import components
from covary.design import make_plan
from covary.errors import InvalidArgument
from tests.design.studies import grid

SHROUT_FLEISS = [
    [9, 2, 5, 8],
    [6, 1, 3, 2],
    [8, 4, 6, 8],
    [7, 1, 2, 6],
    [10, 5, 6, 9],
    [6, 2, 4, 7],
]


def simulate(rng, *, systems=4, sources=15, judges=6, sd=None):
    """A crossed study with known standard deviations."""
    sd = {"system": 0.6, "source": 0.5, "item": 0.7, "judge": 0.4, "judge system": 0.3} | (sd or {})
    rows = []
    system, source = rng.normal(0, sd["system"], systems), rng.normal(0, sd["source"], sources)
    judge = rng.normal(0, sd["judge"], judges)
    item = rng.normal(0, sd["item"], (systems, sources))
    taste = rng.normal(0, sd["judge system"], (judges, systems))
    for s in range(systems):
        for o in range(sources):
            for j in range(judges):
                value = system[s] + source[o] + item[s, o] + judge[j] + taste[j, s]
                value += rng.normal(0, sd.get("residual", 0.5))
                rows.append((f"{s}-{o}", f"j{j}", f"s{s}", f"o{o}", value))
    names = ("item", "judge", "system", "source", "rating")
    return Ratings(dict(zip(names, zip(*rows, strict=True), strict=True)), level="interval")


def test_balanced_components_are_those_of_the_analysis_of_variance():
    # lme4 1.1-31 on Shrout & Fleiss (1979): 2.556, 5.244, 1.019.
    found = components(Ratings.from_wide(SHROUT_FLEISS, level="interval"))
    assert found["item"] == pytest.approx(2.556, abs=0.0005)
    assert found["judge"] == pytest.approx(5.244, abs=0.0005)
    assert found["residual"] == pytest.approx(1.019, abs=0.0005)


def test_the_residuals_interval_is_the_chi_square_interval_of_its_mean_square():
    # MSE 1.0194 with 15 degrees of freedom: 15 × 1.0194 / 27.488 and / 6.262 (chi-square table).
    low, high = components(Ratings.from_wide(SHROUT_FLEISS, level="interval")).intervals["residual"]
    assert low == pytest.approx(15 * 1.01944 / 27.488, rel=1e-3)
    assert high == pytest.approx(15 * 1.01944 / 6.262, rel=1e-3)


def test_incomplete_ratings_of_two_judges_an_item():
    # lme4 1.1-31 on QG-STEC correctness without systems: item .591, judge .196, residual .727.
    ratings = datasets.load("qgstec-original")
    columns = {
        name: ratings.frame.select(name).collect()[name].to_list()
        if hasattr(ratings.frame, "collect")
        else ratings.frame[name].to_list()
        for name in ("item", "judge", "rating", "criterion")
    }
    kept = [i for i, name in enumerate(columns.pop("criterion")) if name == "correctness"]
    plain = {name: [values[i] for i in kept] for name, values in columns.items()}
    found = components(Ratings(plain, level="interval"))
    assert found["item"] == pytest.approx(0.591, abs=0.0005)
    assert found["judge"] == pytest.approx(0.196, abs=0.0005)
    assert found["residual"] == pytest.approx(0.727, abs=0.0005)
    assert found.size.ratings_per_item == pytest.approx(2, abs=0.01)


def test_known_components_are_found_on_average():
    rng = np.random.default_rng(5)
    studies = [components(simulate(rng, sources=12, judges=8)) for _ in range(12)]
    for name, sd in {"item": 0.7, "judge system": 0.3, "residual": 0.5}.items():
        mean = np.mean([found[name] for found in studies])
        assert mean == pytest.approx(sd**2, rel=0.15), name


def test_a_component_that_is_not_there_is_near_zero_and_its_interval_begins_there():
    found = components(simulate(np.random.default_rng(2), sd={"judge system": 0.0}))
    low, high = found.intervals["judge system"]
    assert found["judge system"] < 0.02
    assert low < 0.005
    assert 0 < high < 0.2


def test_one_rating_an_item_leaves_the_item_in_the_residual_and_says_so():
    found = components(datasets.load("latin-square-example"))
    assert "item" not in found.variances
    assert {note.data["component"] for note in found.notes} == {"item", "judge source"}


def test_shares_add_up():
    rows = components(datasets.load("qgstec-reevaluated"), criterion="variety").rows()
    assert sum(row["share"] for row in rows) == pytest.approx(1)


def test_ratings_that_are_all_equal_have_no_components_but_a_reason():
    found = components(Ratings.from_wide([[3, 3], [3, 3], [3, 3]], level="interval"))
    assert found.variances == {}
    assert found.reason


def test_a_confidence_of_1_is_refused():
    with pytest.raises(InvalidArgument):
        components(Ratings.from_wide(SHROUT_FLEISS, level="interval"), confidence=1)


def test_an_interaction_that_leaves_nothing_for_the_residual_is_left_out_and_named():
    """Three of 13 judges an item, as a plan may ask: most meet a source at most once."""
    study = grid(21, 4, kind="overlap", judges=13, judges_per_item=3, seed=1)
    rng = np.random.default_rng(1)
    rows = [
        (task.item, sheet.number, f"system {task.item[-1]}", task.item[:-2])
        for sheet in make_plan(study).sheets
        for task in sheet.tasks
    ]
    columns = dict(zip(("item", "judge", "system", "source"), zip(*rows, strict=True), strict=True))
    found = components(Ratings({**columns, "rating": rng.normal(size=len(rows))}, level="interval"))
    assert not found.reason
    (note,) = [note for note in found.notes if note.code == "planning.saturating"]
    assert note.data["component"] == "judge source"
    assert {"item", "judge", "judge system", "residual"} <= set(found.variances)
