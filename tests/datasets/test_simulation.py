"""Simulated studies of scales keep their design and their truth."""

import numpy as np
import pytest

from covary import VisualScale, as_scale, read
from covary.datasets.simulation import Instrument, simulate_scales
from covary.errors import InvalidArgument
from covary.stats.models.observations import observations


@pytest.fixture(scope="module")
def study():
    return simulate_scales(seed=4)


def test_latin_squares_show_each_source_once_and_each_system_equally_often(study):
    for ratings in study.ratings.values():
        laid = observations(ratings.select(occasion=1), "clarity")
        assert laid.n_ratings == 22 * 22
        seen = laid.factors
        by_source = np.zeros((22, 22), dtype=int)
        np.add.at(by_source, (seen["judge"], seen["source"]), 1)
        assert (by_source == 1).all()
        by_system = np.zeros((22, 11), dtype=int)
        np.add.at(by_system, (seen["judge"], seen["system"]), 1)
        assert (by_system == 2).all()
        pairs = np.zeros((22, 11), dtype=int)
        np.add.at(pairs, (seen["source"], seen["system"]), 1)
        assert (pairs == 2).all()


def test_a_retest_has_the_same_items_and_judges(study):
    first, second = (
        observations(study.ratings["VDS"].select(occasion=o), "clarity") for o in (1, 2)
    )
    assert first.names == second.names
    assert all((first.factors[n] == second.factors[n]).all() for n in ("judge", "item"))
    assert (first.values != second.values).any()


def test_what_a_scale_measures_correlates_as_wanted_with_the_truth():
    exact = {"right": Instrument(as_scale("0-100"), noise=0.01),
             "half": Instrument(as_scale("0-100"), noise=0.01, truth=0.5),
             "low": Instrument(VisualScale(best="low"), noise=0.01)}  # fmt: skip
    study = simulate_scales(exact, criteria=("q",), occasions=1, sources=110, judges=11, seed=2)
    quality = np.array(list(study.quality["q"].values()))
    assert quality.std(ddof=1) == pytest.approx(1)
    r = {
        n: np.corrcoef(observations(each).means(), quality)[0, 1]
        for n, each in study.ratings.items()
    }
    assert r["right"] == pytest.approx(1, abs=0.03)
    assert r["low"] == pytest.approx(-1, abs=0.03)
    assert r["half"] == pytest.approx(0.5, abs=0.15)


def test_the_same_seed_gives_the_same_study_and_judges_are_shared_when_wanted(study):
    again = simulate_scales(seed=4)
    assert again.accuracy == study.accuracy
    assert again.preference == study.preference
    shared = simulate_scales(systems=2, sources=2, judges=2, same_judges=True)
    assert shared.ratings["VDS"].judges == shared.ratings["VAS"].judges
    assert not set(study.ratings["VDS"].judges) & set(study.ratings["VAS"].judges)


def test_files_are_read_back(tmp_path):
    study = simulate_scales(systems=3, sources=3, judges=3, seed=1)
    paths = study.write(tmp_path)
    names = ["VAS.csv", "VDS.csv", "accuracy.csv", "preference.csv"]
    assert sorted(path.name for path in paths) == names
    assert len(read(tmp_path / "VDS.csv", scale="1-7")) == len(study.ratings["VDS"])


@pytest.mark.parametrize(
    "keywords", [{"sources": 5, "systems": 4}, {"judges": 1}, {"occasions": 0}, {"systems": 1}]
)
def test_a_design_that_does_not_fit_is_refused(keywords):
    with pytest.raises(InvalidArgument):
        simulate_scales(**keywords)
