"""Where many items decide, the default interval is the linearised one; where few do, it draws."""

import numpy as np
import pytest

import covary
from covary import Ratings

ITEMS = 20_000
NAMES = (
    "krippendorff_alpha",
    "goodman_kruskal_gamma",
    "gwet_ac2",
    "kendall_tau_b",
    "spearman",
    "kendall_w",
)


def ratings_of(rows):
    return Ratings.from_wide(rows, scale="1-5")


@pytest.mark.parametrize("name", NAMES)
def test_many_items_that_decide_need_no_draws(name):
    rng = np.random.default_rng(2)
    quality = rng.normal(size=(ITEMS, 1)) + rng.normal(size=(ITEMS, 3))
    ratings, of = (
        ratings_of(np.digitize(quality, [-1.5, -0.5, 0.5, 1.5]) + 1),
        getattr(covary, name),
    )
    default, drawn = of(ratings).interval, of(ratings, interval="bootstrap").interval
    assert (default.method, default.resamples) == ("linearised variance", 0)
    assert default.standard_error == pytest.approx(drawn.standard_error, rel=0.1)


@pytest.mark.parametrize("name", NAMES)
def test_few_items_that_decide_are_drawn_however_many_items_there_are(name):
    rows = np.repeat(np.arange(ITEMS)[:, None] % 5 + 1, 3, axis=1)
    rows[:20, 0] = 5 - rows[:20, 0] % 5  # all other items are rated alike
    assert getattr(covary, name)(ratings_of(rows)).interval.method == "tilted score"


def test_clusters_that_decide_are_counted_and_not_their_items():
    rng = np.random.default_rng(3)
    item, judge = (side.ravel() for side in np.indices((ITEMS, 2)))
    rating = (
        np.digitize((rng.normal(size=ITEMS)[item] + rng.normal(size=item.size)), [-1, 0, 1]) + 1
    )
    table = {"item": item, "judge": judge, "rating": rating, "cluster": item // 40}
    made = covary.krippendorff_alpha(Ratings(table, scale="1-5", cluster="cluster"))
    assert made.interval.method == "tilted score"
