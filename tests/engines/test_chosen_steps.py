"""Ratings on a line that stay in their engine are counted in steps that nobody had to choose."""

import numpy as np
import pytest

import covary
from covary import Ratings
from covary.stats import patterns, steps

ITEMS, JUDGES = 3_000, 3

COEFFICIENTS = {
    "krippendorff_alpha": 0.004,
    "spearman": 0.004,
    "pearson": 0.004,
}
"""How far the value in 60 steps may lie from that on the line: .004 is five times the share of
variance that 60 steps add here."""


def line(seed=1, judges=JUDGES):
    """True scores with a standard deviation of 15 and errors of 9, between 0 and 100."""
    rng = np.random.default_rng(seed)
    true = rng.normal(50, 15, ITEMS)[:, None]
    return np.clip(true + rng.normal(0, 9, (ITEMS, judges)), 0, 100)


def long(matrix):
    item, judge = np.indices(matrix.shape)
    columns = {"item": item.ravel(), "judge": judge.ravel(), "rating": matrix.ravel()}
    return Ratings(columns, scale="0-100")


@pytest.fixture
def stays(monkeypatch):
    monkeypatch.setattr("covary.ratings.table.MOST_BROUGHT", 10)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_the_value_in_steps_is_near_that_on_the_line(name, stays):
    function = getattr(covary, name)
    exact = function(Ratings.from_wide(line(), scale="0-100"), interval=None)
    stepped = function(long(line()), interval=None)
    assert stepped.value != exact.value
    assert stepped.value == pytest.approx(exact.value, abs=COEFFICIENTS[name])
    assert any("60 were chosen" in note for note in stepped.notes)
    assert not any("chosen" in note for note in exact.notes)


@pytest.mark.parametrize("number", [20, 10])
def test_agreement_falls_by_the_share_that_the_note_tells(number, stays, monkeypatch):
    monkeypatch.setattr(steps, "STEPS", (number,))
    exact = covary.krippendorff_alpha(Ratings.from_wide(line(), scale="0-100"), interval=None)
    stepped = covary.krippendorff_alpha(long(line()), interval=None)
    (note,) = [note for note in stepped.notes if getattr(note, "code", "") == steps.CODE]
    width = 100 / number
    assert note.facts["half"] == width / 2
    # by hand: an even spread over a step has the variance width² / 12, beside 15² + 9²
    assert note.facts["share"] == pytest.approx(width**2 / 12 / (15**2 + 9**2), rel=0.1)
    assert 1 - stepped.value / exact.value == pytest.approx(note.facts["share"], abs=0.004)


@pytest.mark.parametrize(("name", "part"), [("goodman_kruskal_gamma", 1), ("kendall_tau_b", 0.5)])
def test_gamma_and_tau_rise_by_the_ties_that_the_note_tells(name, part, stays):
    function = getattr(covary, name)
    exact = function(Ratings.from_wide(line(), scale="0-100"), interval=None).value
    stepped = function(long(line()), interval=None)
    (note,) = [note for note in stepped.notes if getattr(note, "code", "") == steps.CODE]
    # by hand: two normal numbers with a standard deviation of 10.5 steps are tied in 2.7%
    tied = 1 / (2 * np.sqrt(np.pi) * np.hypot(15, 9) * 60 / 100)
    assert note.facts["ties"] == pytest.approx(1 / (1 - tied) ** 2 - 1, rel=0.05)
    assert stepped.value / exact - 1 == pytest.approx(part * note.facts["ties"], abs=0.01)


def test_fewer_steps_are_chosen_where_more_leave_too_many_tallies(stays, monkeypatch):
    tallies = np.unique(np.sort(line() // 5, axis=1), axis=0)
    monkeypatch.setattr(patterns, "MOST_PATTERNS", len(tallies))
    ratings = steps.countable(long(line()))
    assert ratings.scale().categories == tuple(range(1, 21))
    assert "20 were chosen" in ratings.notes[-1]


def test_categories_and_ratings_that_fit_are_left_as_they_are(stays):
    words = Ratings({"item": [*range(20)], "judge": ["a"] * 20, "rating": [1, 2] * 10}, scale="1-2")
    assert steps.countable(words) is words
    fits = long(line()).within("1GB")
    assert steps.countable(fits) is fits


def test_a_report_says_how_many_steps_were_chosen(stays, monkeypatch):
    monkeypatch.setattr("covary.ratings.table.LOOKED_AT", 9)
    said = " ".join(covary.report(long(line()), rng=1, intervals=False).markdown().split())
    assert "60 were chosen" in said
