"""The same estimates, to 1e-12, whatever holds the ratings."""

import warnings
from dataclasses import replace
from functools import cache

import pytest

import covary
from covary import InvalidArgument, Ratings, RatingsError, SuitabilityWarning
from covary.analysis.forensics import check
from covary.ratings import memory_limit
from covary.stats import pair_counts, patterns
from tests.engines.studies import STUDIES, apart, estimates, larger
from tests.ratings.frames import ENGINES

ON_CATEGORIES = [name for name, study in STUDIES.items() if study.scale.categories]
WITHOUT_CLUSTERS = [name for name, study in STUDIES.items() if study.clusters is None]


@pytest.fixture(autouse=True)
def quiet():
    """The studies ask for coefficients that suit their scale less well, too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuitabilityWarning)
        yield


@pytest.fixture
def stays(monkeypatch):
    """Ratings are too many to be brought, so that only counts leave their engine."""
    monkeypatch.setattr("covary.ratings.table.MOST_BROUGHT", 10)


@cache
def reference(name):
    """The estimates from plain columns, which DuckDB holds, brought to Python where needed."""
    brought = made(STUDIES[name]).within("1GB")
    assert not brought.large
    return estimates(STUDIES[name], brought)


def made(study, engine="dict"):
    return Ratings(ENGINES[engine](study.columns()), scale=study.scale)


@pytest.mark.parametrize("engine", [name for name in ENGINES if name != "dict"])
@pytest.mark.parametrize("name", STUDIES)
def test_every_engine_gives_the_same_estimates(name, engine):
    study = STUDIES[name]
    found = estimates(study, made(study, engine))
    for one, other in zip(reference(name), found, strict=True):
        assert apart(one, other) <= 1e-12, one.name


@pytest.mark.parametrize("name", WITHOUT_CLUSTERS)
def test_an_engine_gives_what_numpy_gives_from_a_matrix(name):
    study = STUDIES[name]
    found = estimates(study, study.from_matrix())
    for one, other in zip(reference(name), found, strict=True):
        assert apart(one, other) <= 1e-12, one.name


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ON_CATEGORIES)
def test_ratings_that_stay_in_their_engine_have_the_same_values(name, engine, stays):
    study = STUDIES[name]
    large = made(study, engine)
    assert large.large
    for one, other in zip(reference(name), estimates(study, large, interval=None), strict=True):
        assert apart(replace(one, interval=None), other) <= 1e-12, one.name


@pytest.mark.parametrize("engine", ["dict", "polars"])
@pytest.mark.parametrize("name", ["missing as None", "words in order, numbered judges"])
def test_too_many_patterns_leave_tallies_and_tables_of_judge_pairs(
    name, engine, stays, monkeypatch
):
    monkeypatch.setattr(patterns, "MOST_PATTERNS", 36)  # all that two judges can have
    study = STUDIES[name]
    whole, large = study.from_matrix(), made(study, engine)
    assert patterns.has_too_many_patterns(large)
    for one, other in zip(
        estimates(study, whole, interval=None), estimates(study, large, interval=None), strict=True
    ):
        assert apart(one, other) <= 1e-12, one.name


def test_groups_of_items_give_about_the_interval_of_single_items(stays, monkeypatch):
    """The bootstrap over 50 groups of 2,000 items is wide within a quarter of that over items."""
    big = larger(2000)
    by_item = covary.goodman_kruskal_gamma(big.from_matrix(), rng=1).interval
    monkeypatch.setattr(patterns, "MOST_PATTERNS", 3)
    monkeypatch.setattr(pair_counts, "MOST_GROUPS", 50)
    found = covary.goodman_kruskal_gamma(made(big), rng=1)
    assert any("groups of items" in note for note in found.notes)
    by_group = found.interval
    assert (by_group.high - by_group.low) == pytest.approx(by_item.high - by_item.low, rel=0.25)


def test_what_follows_every_judge_is_refused_with_a_way_out(stays, monkeypatch):
    monkeypatch.setattr(patterns, "MOST_PATTERNS", 3)
    with pytest.raises(InvalidArgument, match=r"name some judges.*goodman_kruskal_gamma"):
        covary.conger_kappa(made(STUDIES["complete"]))


def test_a_line_is_refused_where_no_number_of_steps_leaves_few_tallies(stays, monkeypatch):
    monkeypatch.setattr(patterns, "MOST_PATTERNS", 3)
    with pytest.raises(InvalidArgument, match=r"in_steps\(5\)"):
        covary.krippendorff_alpha(made(STUDIES["a line"]))


def test_steps_that_were_asked_for_are_near_the_line(stays):
    study = STUDIES["a line"]
    coarse = made(study).in_steps(50)
    exact = covary.krippendorff_alpha(study.from_matrix(), interval=None).value
    assert covary.krippendorff_alpha(coarse, interval=None).value == pytest.approx(exact, abs=0.01)
    assert "approximate" in coarse.notes[-1]


def test_steps_put_the_ends_of_a_line_into_the_first_and_the_last():
    ratings = Ratings.from_wide([[0.0, 100.0], [24.99, 25.0], [None, 99.0]], scale="0-100")
    rows = ratings.in_steps(4)
    assert rows.values("rating") == (1.0, 2.0, 4.0)
    assert rows.scale().categories == (1, 2, 3, 4)


def test_too_many_judges_for_tables_of_all_pairs_are_refused(stays, monkeypatch):
    monkeypatch.setattr(pair_counts, "MOST_CELLS", 100)
    with pytest.raises(InvalidArgument, match="judges have too many cross tables"):
        covary.goodman_kruskal_gamma(made(STUDIES["a hundred judges"]))


def test_an_analysis_of_single_ratings_says_that_they_stay_where_they_are(stays):
    ratings = made(STUDIES["complete"])
    with pytest.raises(InvalidArgument, match=r"these 240 are too many.*first_items"):
        check(ratings)
    looked_at = ratings.looked_at()
    assert "first" in looked_at.notes[-1]


def test_an_amount_of_memory_says_how_many_ratings_fit():
    assert memory_limit.most_ratings_within(memory_limit.parse_bytes("2GB")) == 5_000_000
    for wrong in ("two", "5MB", "-1GB", ""):
        with pytest.raises(InvalidArgument, match="amount of memory"):
            memory_limit.parse_bytes(wrong)


def test_duplicates_among_many_rows_are_found_and_named(monkeypatch):
    monkeypatch.setattr("covary.ratings.checks.MANY_ROWS", 1)
    columns = STUDIES["complete"].columns()
    Ratings(columns, scale="1-5")
    twice = {name: [*values, values[5]] for name, values in columns.items()}
    with pytest.raises(RatingsError, match="item 'text 001', judge 'judge 001'"):
        Ratings(twice, scale="1-5")
