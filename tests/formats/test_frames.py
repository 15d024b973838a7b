"""What is not a file: records, arrays, and frames that know the order of their categories."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import covary
from covary.errors import RatingsError
from covary.scales import Level

RECORDS = [
    {"item": item, "judge": judge, "rating": rating}
    for item, given in {"S1": (1, 2), "S2": (3, 3), "S3": (5, 4)}.items()
    for judge, rating in zip(("Ann", "Bo"), given, strict=True)
]
WORDS = ["bad", "fair", "good"]


def test_a_list_of_records_is_read_as_a_frame_of_them():
    given, framed = covary.read(RECORDS), covary.read(pl.DataFrame(RECORDS))
    assert given.n_ratings == framed.n_ratings == 6
    value = covary.krippendorff_alpha(RECORDS, level="ordinal").value
    assert value == covary.krippendorff_alpha(framed, level="ordinal").value


def test_an_array_has_items_in_rows_and_judges_in_columns():
    ratings = covary.read(np.array([[1, 2], [3, 3], [5, 4]]))
    assert (ratings.n_items, ratings.n_judges) == (3, 2)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(RECORDS).assign(
            rating=pd.Categorical(["bad", "fair", "good"] * 2, WORDS, ordered=True)
        ),
        pl.DataFrame(RECORDS).with_columns(
            pl.Series("rating", ["bad", "fair", "good"] * 2, dtype=pl.Enum(WORDS))
        ),
    ],
    ids=["pandas", "polars"],
)
def test_a_frame_that_says_the_order_of_its_categories_is_believed(frame):
    scale = covary.read(frame).scales[None]
    assert scale.level is Level.ORDINAL
    assert tuple(scale.categories) == tuple(WORDS)


def test_ratings_go_back_into_the_package_they_came_in():
    assert isinstance(covary.read(pl.DataFrame(RECORDS)).to_frame(), pl.DataFrame)
    assert isinstance(covary.read(pd.DataFrame(RECORDS)).to_frame(), pd.DataFrame)
    assert isinstance(covary.Ratings(pl.DataFrame(RECORDS)).to_frame(), pl.DataFrame)
    assert isinstance(covary.read(pl.DataFrame(RECORDS)).to_frame("pandas"), pd.DataFrame)


def test_days_in_a_column_of_ratings_are_refused():
    frame = pd.DataFrame(RECORDS).assign(rating=pd.Timestamp("2026-04-05"))
    with pytest.raises(RatingsError, match="dates"):
        covary.read(frame)
