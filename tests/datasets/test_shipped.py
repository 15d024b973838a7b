"""The shipped tables hold what their sources say."""

from importlib.resources import files

import numpy as np
import pytest

from covary import datasets
from covary.errors import InvalidArgument
from covary.stats.patterns import collapse

CRITERIA = ("ambiguity", "correctness", "question type", "relevance", "variety")


def test_the_names_are_those_of_the_files():
    kept = files("covary.datasets").joinpath("data").iterdir()
    assert sorted(datasets.names()) == sorted(
        file.name.removesuffix(".csv") for file in kept if file.name.endswith(".csv")
    )


def test_flickr_8k_has_5822_descriptions_with_three_ratings_each():
    """Amidei et al. (2019): 5,822 sentences, 3 experts, a scale from 1 to 4."""
    ratings = datasets.load("flickr8k-experts")
    assert (ratings.n_items, ratings.n_ratings) == (5822, 3 * 5822)
    assert ratings.scale().categories == (1, 2, 3, 4)


def test_the_columns_of_flickr_8k_are_sorted_in_every_row_so_they_load_as_slots():
    patterns = collapse(datasets.load("flickr8k-experts", judges="named"))
    assert (np.diff(patterns.codes, axis=1) >= 0).all()
    assert datasets.load("flickr8k-experts").slots
    assert not datasets.load("flickr8k-experts", judges="named").slots


def test_the_original_batches_are_those_of_amidei_table_6():
    """Amidei et al. (2019), Table 6: how many questions each pair of judges rated."""
    printed = {
        ("J1", "J2"): 80, ("J1", "J3"): 67, ("J1", "J4"): 81, ("J1", "J5"): 7, ("J1", "J6"): 106,
        ("J2", "J5"): 158, ("J3", "J5"): 125, ("J4", "J5"): 142, ("J5", "J6"): 129,
    }  # fmt: skip
    patterns = collapse(datasets.load("qgstec-original"), "relevance")
    for (one, other), items in printed.items():
        places = [patterns.judges.index(judge) for judge in (one, other)]
        assert patterns.counts[patterns.rated[:, places].all(axis=1)].sum() == items


@pytest.mark.parametrize(
    ("name", "wide", "among"),
    [
        ("qgstec-original", [130, 215, 1, 212, 165], 895),
        ("qgstec-reevaluated", [21, 51, 0, 12, 15], 896),
    ],
)
def test_the_items_on_which_judges_differ_by_more_than_one_rank_are_counted(name, wide, among):
    """Counted in the published files independently of covary."""
    ratings = datasets.load(name)
    assert ratings.criteria == CRITERIA
    found = []
    for criterion in CRITERIA:
        patterns = collapse(ratings, criterion)
        several = patterns.keep(patterns.rated.sum(axis=1) > 1)
        assert several.n_items == among
        numbers = several.numbers()
        spread = np.nanmax(numbers, axis=1) - np.nanmin(numbers, axis=1)
        found.append(int(several.counts[spread > 1].sum()))
    assert found == wide


def test_the_original_judges_rated_the_systems_as_unevenly_as_is_known():
    """Counted in the published files independently of covary: J1 to J6 on systems a to d."""
    known = {
        "a": [157, 130, 2, 100, 197, 121], "b": [106, 43, 62, 0, 66, 53],
        "c": [73, 0, 74, 75, 136, 60], "d": [5, 65, 54, 48, 163, 1],
    }  # fmt: skip
    ratings = datasets.load("qgstec-original")
    for system, counts in known.items():
        patterns = collapse(ratings.select(system=system), "relevance")
        found = dict(zip(patterns.judges, patterns.counts @ patterns.rated, strict=True))
        assert [found.get(f"J{n}", 0) for n in range(1, 7)] == counts


def test_the_two_stray_threes_of_the_original_question_type_are_there():
    ratings = datasets.load("qgstec-original")
    patterns = collapse(ratings, "question type")
    assert patterns.tally().sum(axis=0).size == 3
    assert (patterns.tally() * patterns.counts[:, None])[:, 2].sum() == 2
    assert "stray 3s" in datasets.describe("qgstec-original")
    assert datasets.load("qgstec-reevaluated").scale("question type").categories == (1, 2)


@pytest.mark.parametrize("name", ["qgstec-original", "qgstec-reevaluated"])
def test_one_is_best_in_qg_stec(name):
    assert {scale.best for scale in datasets.load(name).scales.values()} == {"low"}


def test_the_latin_square_gives_each_judge_each_source_once_and_each_system_twice():
    ratings = datasets.load("latin-square-example")
    assert (ratings.n_judges, ratings.n_items, ratings.n_ratings) == (4, 32, 32)
    for judge in ratings.judges:
        own = ratings.select(judge=judge)
        assert (len(own.values("source")), len(own.values("system"))) == (8, 4)
        assert [own.select(system=system).n_ratings for system in own.values("system")] == [2] * 4


def test_a_table_is_read_only_once():
    assert datasets.load("qgstec-original") is datasets.load("qgstec-original")


@pytest.mark.parametrize("name", datasets.names())
def test_every_table_says_what_it_is_and_whom_to_thank(name):
    assert "\nSource: " in datasets.describe(name)
    attribution = files("covary.datasets").joinpath("data", "ATTRIBUTION.md").read_text("utf-8")
    assert f"`{name}.csv`" in attribution


def test_printed_tables_name_their_source():
    for table in ("godwin-piwek-2016-table-6", "amidei-2019-table-7", "amidei-2019-flickr-8k"):
        assert "INLG" in datasets.printed(table)["source"]


@pytest.mark.parametrize(
    "call",
    [
        lambda: datasets.load("qgstec"),
        lambda: datasets.describe("qgstec"),
        lambda: datasets.printed("table 9"),
        lambda: datasets.load("qgstec-original", judges="nobody"),
    ],
    ids=["load", "describe", "printed", "judges"],
)
def test_an_unknown_name_is_refused_with_the_known_ones(call):
    with pytest.raises(InvalidArgument, match=r"choose |did you mean '"):
        call()
