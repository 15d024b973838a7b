"""Orders of texts: each order equally often for an item, each side first equally often."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covary.design import balance, make_plan, more_sheets
from tests.design.studies import pairs


@given(st.integers(1, 9), st.integers(1, 20), st.integers(0, 99))
def test_each_side_comes_first_equally_often(judges, items, seed):
    study = pairs(items, kind="everyone", judges=judges, seed=seed)
    plan = make_plan(study)
    for item in study.items:
        shown = Counter(t.order for s in plan.sheets for t in s.tasks if t.item == item.id)
        assert {*shown} <= {(0, 1), (1, 0)}
        assert abs(shown[0, 1] - shown[1, 0]) <= 1
    for sheet in plan.sheets:
        first = Counter(task.order for task in sheet.tasks)
        assert abs(first[0, 1] - first[1, 0]) <= 1
    assert balance(study, plan).aspect("sides").good


def test_each_of_three_texts_stands_in_each_place_equally_often():
    study = pairs(5, size=3, kind="everyone", judges=6)
    plan = make_plan(study)
    for item in study.items:
        orders = [t.order for s in plan.sheets for t in s.tasks if t.item == item.id]
        places = Counter((place, text) for order in orders for place, text in enumerate(order))
        assert {*places.values()} == {2}  # 6 judges over 3 places


def test_a_repeat_is_shown_as_the_first_time():
    study = pairs(12, kind="everyone", judges=4, repeats=3, repeat_distance=3)
    for sheet in make_plan(study).sheets:
        orders = {}
        for task in sheet.tasks:
            assert orders.setdefault(task.item, task.order) == task.order


def test_sides_stay_even_with_late_judges():
    study = pairs(8, kind="everyone", judges=3)
    plan = make_plan(study)
    late = more_sheets(study, plan, 1)
    for item in study.items:
        shown = Counter(
            t.order for s in (*plan.sheets, *late) for t in s.tasks if t.item == item.id
        )
        assert shown == {(0, 1): 2, (1, 0): 2}


@pytest.mark.parametrize("seed", range(3))
def test_sides_are_even_when_each_item_has_some_of_the_judges(seed):
    study = pairs(40, kind="overlap", judges=6, judges_per_item=2, seed=seed)
    plan = make_plan(study)
    for item in study.items:
        shown = Counter(t.order for s in plan.sheets for t in s.tasks if t.item == item.id)
        assert shown == {(0, 1): 1, (1, 0): 1}
