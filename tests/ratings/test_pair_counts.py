"""Cross tables of every two judges: from patterns that pass block by block, or by a join."""

from itertools import combinations

import numpy as np
import pytest

from covary.ratings import pattern_counts
from covary.ratings.frames import as_frame, fetch, fetch_blocks, with_groups

JUDGES = ["Ann", "Bo", "Cy", "Di"]
CATEGORIES = [1, 2, 3]
GROUPS = 7


@pytest.fixture
def table():
    rng = np.random.default_rng(4)
    item, judge = np.divmod(np.arange(800), 4)
    kept = rng.random(800) > 0.3
    return {
        "item": item[kept],
        "judge": np.array(JUDGES, dtype=object)[judge[kept]],
        "rating": rng.integers(1, 4, 800)[kept],
    }


def by_hand(table, unit="item"):
    """Go through the items one by one."""
    group = fetch(with_groups(as_frame(table), unit, GROUPS))
    of_item = dict(zip(group["item"].tolist(), group["group"].tolist(), strict=True))
    given = {}
    for item, judge, rating in zip(*(table[n].tolist() for n in ("item", "judge", "rating"))):  # noqa: B905
        given.setdefault(item, {})[judge] = rating
    tables = np.zeros((6, GROUPS, 3, 3))
    for item, ratings in given.items():
        for pair, (one, other) in enumerate(combinations(JUDGES, 2)):
            if one in ratings and other in ratings:
                tables[pair, of_item[item], ratings[one] - 1, ratings[other] - 1] += 1
    return tables


@pytest.mark.parametrize("most", [64, 1])
@pytest.mark.parametrize("block", [20_000, 13])
def test_pairs_are_those_that_one_counts_item_by_item(table, monkeypatch, most, block):
    monkeypatch.setattr(pattern_counts, "MOST_PACKED", most)  # 1: by a join
    monkeypatch.setattr(pattern_counts, "BLOCK", block)
    counted = pattern_counts.count_pairs(as_frame(table), JUDGES, CATEGORIES, GROUPS)
    assert np.array_equal(counted, by_hand(table))


@pytest.mark.parametrize("most", [64, 1])
def test_clusters_form_the_groups_where_there_are_any(table, monkeypatch, most):
    monkeypatch.setattr(pattern_counts, "MOST_PACKED", most)
    table["cluster"] = table["item"] // 5
    counted = pattern_counts.count_pairs(as_frame(table), JUDGES, CATEGORIES, GROUPS)
    assert np.array_equal(counted, by_hand(table, "cluster"))


def test_blocks_together_are_the_whole_and_leave_nothing_behind():
    frame = as_frame({"a": np.arange(100)})
    parts = [block["a"].tolist() for block in fetch_blocks(frame, 30)]
    assert [len(part) for part in parts] == [30, 30, 30, 10]
    assert sorted(np.concatenate(parts)) == list(range(100))
    left = frame.to_native().query("rest", "select table_name from duckdb_tables()").fetchall()
    assert not [name for (name,) in left if name.startswith("block")]
