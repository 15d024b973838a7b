"""Items collapsed to patterns: the same ones, whatever holds the data and however many."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import covary
from covary import InvalidArgument, Ratings, RatingsError, VerbalScale, VisualScale
from covary.stats.patterns import collapse
from tests.ratings.frames import ENGINES


def long(rows, item=str, judge=str, **more):
    """Columns of the long form, with rows for missing ratings too."""
    cells = [(i, j, x) for i, row in enumerate(rows) for j, x in enumerate(row)]
    columns = {
        "item": [item(i) for i, _, _ in cells],
        "judge": [judge(j) for _, j, _ in cells],
        "rating": [x for _, _, x in cells],
    }
    return columns | {name: [column[i] for i, _, _ in cells] for name, column in more.items()}


def counted(rows, clusters=None):
    """The patterns and their multiplicities by brute force; items without ratings left out."""
    keys = [tuple(row) for row in rows]
    if clusters is not None:
        keys = [(clusters[i], *key) for i, key in enumerate(keys)]
        return Counter(key for key in keys if any(x is not None for x in key[1:]))
    return Counter(key for key in keys if any(x is not None for x in key))


def found(patterns):
    """The patterns that covary found, in the same terms."""
    rows = [
        tuple(None if code < 0 else patterns.values[code] for code in codes)
        for codes in patterns.codes
    ]
    if patterns.clusters is not None:
        rows = [(int(c), *row) for c, row in zip(patterns.clusters, rows, strict=True)]
    assert len(set(rows)) == len(rows), "a pattern appears twice"
    return Counter(dict(zip(rows, patterns.counts.tolist(), strict=True)))


def some_rows(items, judges, categories, missing=0.3, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(1, categories + 1, (items, judges))
    hidden = rng.random((items, judges)) < missing
    return [
        [None if h else int(c) for c, h in zip(line, gone, strict=True)]
        for line, gone in zip(codes, hidden, strict=True)
    ]


SHAPES = {
    "two judges": (60, 2, 3),
    "many categories": (60, 3, 11),
    "one judge": (20, 1, 4),
    "30 judges, 7 categories": (40, 30, 7),
    "64 judges": (30, 64, 5),
    "65 judges": (30, 65, 5),
    "100 judges, mostly missing": (50, 100, 3),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_engine_finds_the_patterns_that_are_there(shape, engine):
    items, judges, k = SHAPES[shape]
    rows = some_rows(items, judges, k, missing=0.9 if "missing" in shape else 0.3)
    frame = long(rows, judge=lambda j: f"j{j:03}")
    ratings = Ratings(ENGINES[engine](frame), scale=VerbalScale(range(1, k + 1)))
    patterns = collapse(ratings)
    assert patterns.judges == tuple(f"j{j:03}" for j in range(judges))
    assert found(patterns) == counted(rows)
    assert (patterns.n_items, patterns.n_ratings) == (ratings.n_items, ratings.n_ratings)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_matrix_has_the_same_patterns_in_the_same_order(shape):
    items, judges, k = SHAPES[shape]
    rows = some_rows(items, judges, k)
    scale = VerbalScale(range(1, k + 1))
    wide = collapse(Ratings.from_wide(rows, scale=scale))
    tall = collapse(Ratings(long(rows, judge=int), scale=scale))
    np.testing.assert_array_equal(wide.codes, tall.codes)
    np.testing.assert_array_equal(wide.counts, tall.counts)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("names", ["text", "whole numbers"])
def test_names_of_items_and_judges_may_be(names, engine):
    rows = some_rows(40, 12, 4)
    kind = {"text": str, "whole numbers": int}[names]
    ratings = Ratings(ENGINES[engine](long(rows, kind, kind)), scale="1-4")
    order = sorted(range(12), key=kind)
    assert collapse(ratings).judges == tuple(kind(j) for j in order)
    assert found(collapse(ratings)) == counted([[row[j] for j in order] for row in rows])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("judges", [3, 70])
def test_every_engine_keeps_clusters_apart(engine, judges):
    rows = some_rows(50, judges, 3, seed=1)
    clusters = [i // 7 for i in range(50)]
    frame = long(rows, judge=int, cluster=[f"d{c}" for c in clusters])
    patterns = collapse(Ratings(ENGINES[engine](frame), scale="1-3"))
    assert found(patterns) == counted(rows, clusters)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_gives_the_same_order_so_that_a_seed_repeats(engine):
    rows = some_rows(80, 4, 5)
    frame = long(rows)
    first = collapse(Ratings(frame, scale="1-5"))
    other = collapse(Ratings(ENGINES[engine](frame), scale="1-5"))
    np.testing.assert_array_equal(other.codes, first.codes)
    np.testing.assert_array_equal(other.counts, first.counts)


@pytest.mark.parametrize("engine", ENGINES)
def test_words_are_collapsed_like_numbers(engine):
    words = ("bad", "fair", "good")
    rows = [[None if x is None else words[x - 1] for x in row] for row in some_rows(40, 3, 3)]
    ratings = Ratings(ENGINES[engine](long(rows)), scale=VerbalScale(words))
    assert found(collapse(ratings)) == counted(rows)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_continuous_scale_keeps_every_item(engine):
    rng = np.random.default_rng(2)
    rows = [
        [None if rng.random() < 0.2 else float(x) for x in rng.uniform(0, 100, 3)]
        for _ in range(40)
    ]
    patterns = collapse(Ratings(ENGINES[engine](long(rows)), scale=VisualScale()))
    assert found(patterns) == counted(rows)
    assert patterns.continuous


@settings(max_examples=15)
@given(st.integers(1, 4), st.integers(2, 4), st.integers(0, 99))
def test_any_engine_finds_the_patterns_of_any_small_table(judges, k, seed):
    rows = some_rows(8, judges, k, missing=0.5, seed=seed)
    if all(x is None for row in rows for x in row):
        return
    used = [j for j in range(judges) if any(row[j] is not None for row in rows)]
    expected = counted([[row[j] for j in used] for row in rows])
    for engine in ("dict", "pandas", "polars", "pyarrow"):
        frame = long(rows, judge=int)
        if engine in ("polars", "pyarrow"):
            frame["rating"] = [None if x is None else float(x) for x in frame["rating"]]
        ratings = Ratings(ENGINES[engine](frame), scale=VerbalScale(range(1, k + 1)))
        assert found(collapse(ratings)) == expected


def test_rows_without_a_rating_are_no_items_and_judges_without_one_no_judges():
    frame = long([[1, None, 2], [None, None, None], [2, None, 2]])
    patterns = collapse(Ratings(frame, scale="1-2"))
    assert patterns.judges == ("0", "2")
    assert patterns.n_items == 2


def test_patterns_are_collapsed_once_for_each_criterion():
    ratings = Ratings.from_wide([[1, 2], [2, 2]], scale="1-2")
    assert collapse(ratings) is collapse(ratings)


def test_choosing_judges_merges_patterns_and_drops_what_they_did_not_rate():
    rows = [[1, 2, 1], [1, 2, 2], [None, None, 1], [2, None, 1]]
    patterns = collapse(Ratings.from_wide(rows, scale="1-2")).only([1, 2])
    assert found(patterns) == Counter({(1, 2): 2, (2, None): 1})


def test_who_gave_which_rating_can_be_forgotten():
    rows = [[1, 2, None], [2, 1, None], [None, 1, 2], [1, 1, 2]]
    patterns = collapse(Ratings.from_wide(rows, scale="1-2")).without_judges()
    assert sorted(patterns.counts.tolist()) == [1, 3]


def test_an_item_in_two_clusters_is_named():
    frame = long([[1, 2], [2, 2]]) | {"cluster": ["a", "b", "a", "a"]}
    for more in ({}, {"scale": VisualScale(0, 5)}):
        with pytest.raises(RatingsError, match=r"'0' lie in more than one cluster"):
            collapse(Ratings(frame, **more))


def test_an_item_in_two_clusters_is_named_with_many_judges():
    frame = long(some_rows(5, 70, 3, missing=0))
    frame["cluster"] = ["a" if i % 2 else "b" for i in range(len(frame["item"]))]
    with pytest.raises(RatingsError, match="more than one cluster"):
        collapse(Ratings(frame, scale="1-3"))


def test_several_occasions_must_be_chosen_from():
    frame = {name: column * 2 for name, column in long([[1, 2], [2, 2]]).items()}
    frame["occasion"] = [1] * 4 + [2] * 4
    with pytest.raises(InvalidArgument, match=r"occasion \(1, 2\).*select\(occasion=1\)"):
        collapse(Ratings(frame, scale="1-2"))


def test_several_rounds_must_be_chosen_from():
    frame = {name: column * 2 for name, column in long([[1, 2], [2, 2]]).items()}
    frame["round"] = [1] * 4 + [2] * 4
    with pytest.raises(InvalidArgument, match=r"select\(round=1\)"):
        collapse(Ratings(frame, scale="1-2"))


def test_a_million_items_have_few_patterns():
    rng = np.random.default_rng(6)
    rows = rng.integers(1, 6, (1_000_000, 5))
    ratings = Ratings.from_wide(rows, scale="1-5")
    patterns = collapse(ratings)
    found = covary.krippendorff_alpha(ratings, rng=1)
    assert patterns.counts.size == 5**5
    assert patterns.n_items == 1_000_000
    assert found.value == pytest.approx(0, abs=0.005)


def test_a_million_ratings_in_long_form_are_all_counted():
    rng = np.random.default_rng(6)
    frame = {
        "item": np.repeat(np.arange(250_000), 4),
        "judge": np.tile(np.arange(4), 250_000),
        "rating": rng.integers(1, 6, 1_000_000),
    }
    patterns = collapse(Ratings(frame, scale="1-5"))
    assert patterns.n_ratings == 1_000_000
