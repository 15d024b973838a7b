"""Systems whose ratings stay in their engine: the models and numbers of ratings in memory."""

import numpy as np
import polars
import pytest

import covary
from covary import Ratings
from covary.stats.models import unit_kinds
from tests.engines.studies import crossed

CLOSE = 1e-10
FIXED_JUDGES = 1e-9
"""Severities that are as good as free (a variance ratio of 1,000) cost a digit in either way."""


DESIGNS = {
    "gaps": {},
    "complete": {"missing": 0.0},
    "no sources": {"sources": False},
    "no sources, complete": {"sources": False, "missing": 0.0},
    "one judge each": {"each": 1},
    "one judge each, no sources": {"each": 1, "sources": False},
    "two of twelve judges": {"each": 2, "judges": 12, "items": 80},
    "two systems, two judges": {"systems": 2, "judges": 2, "missing": 0.1},
}


@pytest.fixture
def stays(monkeypatch):
    monkeypatch.setattr("covary.ratings.table.MOST_BROUGHT", 20)


def both(monkeypatch, columns, make=dict, kind=None, **options):
    """The criterion from ratings in memory, and from ratings that stay where they are."""
    kind = kind or {"scale": "1-5", "level": "interval"}
    options = {"rng": 1, "resamples": 200} | options
    exact = covary.systems(Ratings(columns, **kind), **options).criteria[0]
    monkeypatch.setattr("covary.ratings.table.MOST_BROUGHT", 20)
    found = covary.systems(Ratings(make(columns), **kind), **options).criteria[0]
    assert found.notes[0].code == "systems.large"
    return exact, found


def near(found, exact, tolerance=CLOSE):
    np.testing.assert_allclose(
        np.asarray(found, float), np.asarray(exact, float), rtol=tolerance, atol=tolerance
    )


@pytest.mark.parametrize("design", DESIGNS)
def test_the_mixed_model_is_that_of_ratings_in_memory(design, monkeypatch):
    exact, found = both(monkeypatch, crossed(**DESIGNS[design]), error="mixed")
    assert found.mixed.components.keys() == exact.mixed.components.keys()
    near([*found.mixed.components.values()], [*exact.mixed.components.values()], FIXED_JUDGES)
    near(found.mixed.means, exact.mixed.means, FIXED_JUDGES)
    near(found.mixed.covariance, exact.mixed.covariance, FIXED_JUDGES)
    near(found.mixed.log_likelihood, exact.mixed.log_likelihood)
    near(found.mixed.f, exact.mixed.f, FIXED_JUDGES)
    off = ~np.eye(len(exact.names), dtype=bool)
    near(found.mixed.df[off], exact.mixed.df[off], 1e-5)  # by differences of likelihoods
    assert found.mixed.method == exact.mixed.method
    assert [str(note) for note in found.mixed.notes] == [str(note) for note in exact.mixed.notes]


@pytest.mark.parametrize("design", DESIGNS)
def test_the_additive_model_and_each_factor_alone_are_the_same(design, monkeypatch):
    exact, found = both(monkeypatch, crossed(**DESIGNS[design]), error="additive")
    mine, theirs = found.additive, exact.additive
    assert (mine.residual_df, mine.balanced, mine.method) == (
        theirs.residual_df,
        theirs.balanced,
        theirs.method,
    )
    near(
        [mine.mse, mine.total_ss, mine.residual_ss],
        [theirs.mse, theirs.total_ss, theirs.residual_ss],
    )
    pairs = zip((*mine.effects, *found.one_way), (*theirs.effects, *exact.one_way), strict=True)
    for one, other in pairs:
        assert (one.name, one.df, one.error_df, one.reason) == (
            other.name,
            other.df,
            other.error_df,
            other.reason,
        )
        near([one.sum_of_squares, one.f, one.p], [other.sum_of_squares, other.f, other.p])
    near(mine.means["system"], theirs.means["system"])


@pytest.mark.parametrize("error", ["mixed", "additive", "one-way"])
@pytest.mark.parametrize("design", ["gaps", "no sources", "two of twelve judges"])
def test_scores_pairs_and_order_are_the_same(design, error, monkeypatch):
    exact, found = both(monkeypatch, crossed(**DESIGNS[design]), error=error)
    assert (found.n_ratings, found.n_items, found.n_judges, found.n_sources) == (
        exact.n_ratings,
        exact.n_items,
        exact.n_judges,
        exact.n_sources,
    )
    assert (found.names, found.error, found.compared) == (exact.names, exact.error, exact.compared)
    for one, other in zip(found.systems, exact.systems, strict=True):
        assert (one.system, one.rank, one.letters, one.counts, one.n_items) == (
            other.system,
            other.rank,
            other.letters,
            other.counts,
            other.n_items,
        )
        assert (one.median, one.quartiles) == (other.median, other.quartiles)
        near([one.mean, one.deviation], [other.mean, other.deviation])
        near([one.estimate, one.adjusted], [other.estimate, other.adjusted], FIXED_JUDGES)
        near([one.interval.low, one.interval.high], [other.interval.low, other.interval.high], 1e-6)
    for one, other in zip(found.pairs, exact.pairs, strict=True):
        assert (one.first, one.second, one.significant) == (
            other.first,
            other.second,
            other.significant,
        )
        near([one.cliffs_delta, one.delta_low], [other.cliffs_delta, other.delta_low])
        near([one.p, one.low], [other.p, other.low], 1e-6)
    assert found.adjustment.sentence == exact.adjustment.sentence


@pytest.mark.parametrize("sources", [True, False])
def test_few_sources_or_items_are_drawn_as_in_memory(sources, monkeypatch):
    exact, found = both(monkeypatch, crossed(sources=sources), error="one-way")
    near(found.ranks.best, exact.ranks.best)
    near(found.ranks.mean_low, exact.ranks.mean_low)
    assert found.ranks.drawn == exact.ranks.drawn
    assert (found.adjusted_ranks is None) == sources


@pytest.mark.parametrize("sources", [True, False])
def test_many_are_drawn_in_groups_and_the_note_says_so(sources, monkeypatch):
    monkeypatch.setattr(unit_kinds, "DRAWN_ALONE", 30)
    columns = crossed(sources=sources, items=600, missing=0.5)
    exact, found = both(monkeypatch, columns, error="one-way", resamples=2000)
    assert any(note.code == "systems.drawn-groups" for note in found.notes)
    widths = [np.subtract(r.ranks.mean_high, r.ranks.mean_low) for r in (found, exact)]
    near(widths[0], widths[1], 0.2)  # 200 groups know a width within a tenth


def test_means_over_items_and_people_are_told_as_in_memory(monkeypatch):
    exact, found = both(monkeypatch, crossed(), means="items", human="system 1", error="mixed")
    for one, other in zip(found.systems, exact.systems, strict=True):
        assert one.human == other.human
        near(one.mean, other.mean)


def test_words_and_slots_are_compared_too(monkeypatch):
    words = ("awful", "bad", "fair", "good", "great")
    columns = crossed()
    columns["rating"] = [words[rating - 1] for rating in columns["rating"]]
    kind = {"scale": covary.VerbalScale(words), "level": "interval"}
    exact, found = both(
        monkeypatch, columns, kind={"scale": kind["scale"], "judges": "slots"}, error="additive"
    )
    assert found.n_judges == exact.n_judges == 0
    near([one.estimate for one in found.systems], [one.estimate for one in exact.systems])


def test_polars_gives_the_same(monkeypatch):
    exact, found = both(monkeypatch, crossed(), make=polars.DataFrame, error="mixed")
    near(found.mixed.means, exact.mixed.means, FIXED_JUDGES)


def test_a_report_says_what_it_leaves_out(stays):
    made = covary.systems_report(Ratings(crossed(), scale="1-5"), rng=1, resamples=50)
    said = " ".join(made.markdown().split())
    assert "the ordinal model, the tests by rank and the check of assumptions" in said


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"procedure": "dunn"}, "systems.large-procedure"),
        ({"procedure": "games-howell"}, "systems.large-procedure"),
        ({"error": "ordinal"}, "systems.large-ordinal"),
    ],
)
def test_what_needs_every_rating_is_refused(options, code, stays):
    with pytest.raises(covary.InvalidArgument) as refusal:
        covary.systems(Ratings(crossed(), scale="1-5"), **options)
    assert refusal.value.code == code


def test_too_many_kinds_are_refused_with_the_way_out(stays, monkeypatch):
    monkeypatch.setattr(unit_kinds, "MOST_KINDS", 5)
    with pytest.raises(covary.InvalidArgument, match="from item to item") as refusal:
        covary.systems(Ratings(crossed(), scale="1-5"))
    assert refusal.value.code == "systems.large-designs"


def test_several_texts_of_one_source_are_refused(stays):
    columns = crossed(sources=False)
    columns["source"] = ["only"] * len(columns["item"])
    with pytest.raises(covary.InvalidArgument) as refusal:
        covary.systems(Ratings(columns, scale="1-5"))
    assert refusal.value.code == "systems.large-sources"


@pytest.mark.parametrize("exact_values", [True, False])
@pytest.mark.parametrize("design", ["gaps", "no sources"])
def test_ratings_on_a_line_are_compared_too(design, exact_values, monkeypatch):
    monkeypatch.setattr(unit_kinds, "MOST_VALUES", 5_000 if exact_values else 10)
    columns = crossed(**DESIGNS[design])
    rng = np.random.default_rng(4)
    columns["rating"] = [20.0 * rating - rng.uniform(0, 20) for rating in columns["rating"]]
    exact, found = both(monkeypatch, columns, kind={"scale": "0-100"}, error="mixed")
    near(found.mixed.means, exact.mixed.means, FIXED_JUDGES)
    near(found.mixed.covariance, exact.mixed.covariance, FIXED_JUDGES)
    step = 0 if exact_values else 0.1  # a thousandth of the line
    for one, other in zip(found.systems, exact.systems, strict=True):
        near([one.mean, one.deviation], [other.mean, other.deviation])
        assert abs(one.median - other.median) <= step + 1e-12
        assert one.counts is other.counts is None
    for one, other in zip(found.pairs, exact.pairs, strict=True):
        assert one.cliffs_delta == pytest.approx(other.cliffs_delta, abs=CLOSE + step / 20)
    assert any(note.code == "systems.large-steps" for note in found.notes) != exact_values


def test_a_report_compares_the_systems_where_they_live(monkeypatch):
    columns = crossed()
    exact = covary.report(Ratings(columns, scale="1-5", level="interval"), rng=1, intervals=False)
    monkeypatch.setattr("covary.ratings.table.MOST_BROUGHT", 100)
    monkeypatch.setattr("covary.ratings.table.LOOKED_AT", 50)
    found = covary.report(Ratings(columns, scale="1-5", level="interval"), rng=1, intervals=False)
    (mine,), (theirs,) = found.systems.criteria, exact.systems.criteria
    assert [one.system for one in mine.systems] == [one.system for one in theirs.systems]
    near([one.estimate for one in mine.systems], [one.estimate for one in theirs.systems])
    assert [one.letters for one in mine.systems] == [one.letters for one in theirs.systems]
