"""A long pandas frame is numbered once, and says what the same table says elsewhere."""

import numpy as np
import pandas
import polars
import pytest

import covary
from covary import Ratings
from covary.errors import RatingsError

ITEMS = 9_000


def columns(seed=1):
    rng = np.random.default_rng(seed)
    item, judge = (side.ravel() for side in np.indices((ITEMS, 3)))
    rating = rng.integers(1, 4, ITEMS)[item] + rng.integers(0, 3, item.size)
    kept = rng.permutation(item.size)[:25_000]
    return {
        "item": item[kept],
        "judge": np.array(["Bo", "Ann", "Cy"], dtype=object)[judge[kept]],
        "rating": rating[kept].astype(float),
    }


def both(table, **options):
    frames = (pandas.DataFrame(table), polars.DataFrame(table))
    return [Ratings(frame, scale="1-5", **options) for frame in frames]


@pytest.mark.parametrize("name", ["krippendorff_alpha", "kendall_tau_b", "gwet_ac2"])
def test_pandas_gives_what_polars_gives(name):
    mine, other = (getattr(covary, name)(ratings) for ratings in both(columns()))
    assert mine.value == other.value
    assert mine.interval == other.interval
    assert mine.n_items == other.n_items


def test_missing_ratings_and_a_judge_without_any_count_for_nothing():
    table = columns()
    table["rating"][::7] = np.nan
    table["rating"][table["judge"] == "Ann"] = np.nan
    mine, other = (covary.krippendorff_alpha(ratings) for ratings in both(table))
    assert (mine.value, mine.n_items) == (other.value, other.n_items)


def test_a_duplicate_among_many_rows_is_refused():
    table = columns()
    table["item"][0], table["judge"][0] = table["item"][1], table["judge"][1]
    with pytest.raises(RatingsError, match=r"2 times|twice"):
        Ratings(pandas.DataFrame(table), scale="1-5")


@pytest.mark.parametrize("off", [6, 2.5, np.inf])
def test_a_rating_off_the_scale_among_many_rows_is_refused(off):
    table = columns()
    table["rating"][5] = off
    with pytest.raises(RatingsError):
        Ratings(pandas.DataFrame(table), scale="1-5")


def test_an_infinite_rating_on_no_declared_scale_is_refused():
    table = columns()
    table["rating"][5] = np.inf
    with pytest.raises(RatingsError):
        Ratings(pandas.DataFrame(table))
