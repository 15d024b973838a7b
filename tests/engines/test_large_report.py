"""A report on ratings that stay in their engine: what it says, and what it says it leaves out."""

import json

import pytest

import covary
from covary import Ratings
from covary.reports.reliability.document import LEFT_OUT
from covary.stats import pair_counts, patterns
from tests.engines.studies import larger


@pytest.fixture(autouse=True)
def stays(monkeypatch):
    """Ratings are too many to be brought, and about 100 of them are looked at."""
    monkeypatch.setattr("covary.ratings.table.MOST_BROUGHT", 200)
    monkeypatch.setattr("covary.ratings.table.LOOKED_AT", 100)


@pytest.fixture
def ratings():
    columns = larger(300).columns()
    return Ratings(columns | {"seconds": [1.0] * len(columns["item"])}, scale="1-5")


@pytest.fixture
def whole():
    return larger(300).from_matrix()


def test_a_report_has_the_numbers_of_all_ratings_and_says_what_it_leaves_out(ratings, whole):
    made = covary.report(ratings, rng=1)
    exact = covary.reliability(whole, rng=1).criteria[0]
    found = made.reliability.criteria[0]
    assert found.overall.agreement.value == exact.overall.agreement.value
    assert found.overall.correlation.interval == exact.overall.correlation.interval
    assert len(found.pairs) == 6
    assert [each.judge for each in made.profiles] == ["j000", "j001", "j002", "j003"]
    said = " ".join(made.markdown().split())
    missing = [each for each in (LEFT_OUT, "of the first 32 items") if each not in said]
    assert not missing  # 100 * 300 / 920 items hold about 100 ratings
    json.loads(made.json())


def test_too_many_patterns_leave_a_report_from_tables_of_judge_pairs(ratings, whole, monkeypatch):
    monkeypatch.setattr(patterns, "MOST_PATTERNS", 36)
    made = covary.report(ratings, rng=1)
    exact, found = covary.reliability(whole, rng=1).criteria[0], made.reliability.criteria[0]
    assert found.overall.agreement.value == pytest.approx(exact.overall.agreement.value, abs=1e-12)
    assert [each.agreement.value for each in found.pairs] == pytest.approx(
        [each.agreement.value for each in exact.pairs], abs=1e-12
    )
    assert [each.severity for each in found.pairs] == [each.severity for each in exact.pairs]
    assert found.distribution == exact.distribution
    assert "cross table" in found.notes[0]
    assert made.profiles == ()


def test_too_many_judges_leave_a_report_that_follows_nobody(ratings, monkeypatch):
    monkeypatch.setattr(patterns, "MOST_PATTERNS", 36)
    monkeypatch.setattr(pair_counts, "MOST_CELLS", 10)
    found = covary.report(ratings, rng=1).reliability.criteria[0]
    assert found.pairs == ()
    assert found.overall.correlation.name == "exchangeable_gamma"
    assert "Nothing follows a judge" in found.notes[0]


def test_votes_that_stay_where_they_are_can_be_counted(whole, monkeypatch):
    monkeypatch.setattr("covary.ratings.table.MOST_BROUGHT", 500)
    large = Ratings(larger(300).columns(), scale="1-5")
    assert large.large
    counted, exact = (covary.combine(own, "majority") for own in (large, whole))
    assert sorted(map(str, counted.ratings)) == sorted(map(str, exact.ratings))
