"""The next ratings where they help most: shares of systems, thin items, and what is refused."""

from collections import Counter
from dataclasses import replace
from itertools import chain

import pytest

from covary.analysis.planning import PairStanding, StudySize, known_components
from covary.analysis.planning.allocation import CriterionStanding, allocate
from covary.design import adaptive_sheets, fullest_load, is_adaptive, make_plan, usual_load
from covary.errors import InvalidArgument
from tests.design.studies import grid, of_kind, two_parts


def pair(first, second, state):
    return PairStanding(
        first=first, second=second, difference=1.0, standard_error=0.1, df=20.0,
        low=0.5, high=1.5, state=state,
    )  # fmt: skip


def standing(*states):
    names = [("a", "b"), ("a", "c"), ("b", "c")]
    return CriterionStanding(
        components=known_components(item=0.4, judge_system=0.1, residual=0.8),
        size=StudySize(systems=3, items=10, judges=5, votes=4),
        pairs=tuple(pair(*two, state) for two, state in zip(names, states, strict=True)),
    )


def test_a_fifth_is_spread_and_the_rest_goes_to_open_pairs():
    found = allocate([standing("open", "different", "different")], "abc", 60)
    assert found.shares == {"a": 28, "b": 28, "c": 4}  # 60 × (.2 / 3 + .8 / 2) and 60 × .2 / 3
    # Variances .04 + .02 + .8 / (40 + ratings): 20 each, or 28, 28 and 4.
    fair, more, less = (0.06 + 0.8 / (40 + added) for added in (20, 28, 4))
    assert found.error == pytest.approx((2 * more) ** 0.5)
    assert found.balanced_error == pytest.approx((2 * fair) ** 0.5)
    assert found.efficiency == pytest.approx(3 * fair / (2 * more + less))


@pytest.mark.parametrize("state", ["open", "different"])
def test_equal_shares_are_best_where_all_or_nothing_is_decided(state):
    assert allocate([standing(state, state, state)], "abc", 60) is None


def rated(study):
    """The study with a plan of its own."""
    return study, make_plan(study)


@pytest.fixture(scope="module")
def crossed():
    """Three systems for 10 sources; six judges rate 15 items each, three judges an item."""
    return rated(grid(10, 3, kind="overlap", judges=6, judges_per_item=3, seed=1))


def dealt(sheets):
    return [[task.item for task in sheet.tasks if task.kind == "item"] for sheet in sheets]


def of_systems(items):
    return Counter(f"system {item[-1]}" for item in items)


def test_sheets_give_each_system_its_share_and_no_judge_an_item_twice(crossed):
    study, plan = crossed
    shares = {"system 0": 14, "system 1": 14, "system 2": 2}
    sheets = adaptive_sheets(study, plan, shares, 2)
    items = dealt(sheets)
    assert of_systems(chain(*items)) == shares
    assert [len(own) for own in items] == [15, 15]
    assert all(len(set(own)) == len(own) for own in items)
    assert [sheet.number for sheet in sheets] == [7, 8]
    assert [sheet.row for sheet in sheets] == ["adaptive 1", "adaptive 2"]
    assert all(map(is_adaptive, sheets))
    assert not any(map(is_adaptive, plan.sheets))


def test_items_with_the_fewest_ratings_come_first(crossed):
    study, plan = crossed
    thin = {"t0s0", "t1s0", "t2s1"}
    fewer = tuple(
        replace(sheet, tasks=tuple(task for task in sheet.tasks if task.item not in thin))
        for sheet in plan.sheets
    )
    (sheet,) = adaptive_sheets(
        study, replace(plan, sheets=fewer), {"system 0": 3, "system 1": 3, "system 2": 1}, 1
    )
    assert thin < set(*dealt([sheet]))


def test_a_second_step_continues_the_numbers_of_the_first(crossed):
    study, plan = crossed
    shares = {"system 0": 5, "system 1": 4, "system 2": 1}
    first = adaptive_sheets(study, plan, shares, 1)
    longer = replace(plan, sheets=(*plan.sheets, *first))
    second = adaptive_sheets(study, longer, shares, 1)
    assert [(sheet.number, sheet.row) for sheet in (*first, *second)] == [
        (7, "adaptive 1"), (8, "adaptive 2"),
    ]  # fmt: skip
    assert not set(*dealt(first)) & set(*dealt(second))  # each went where ratings were fewest


def test_the_same_step_deals_the_same_sheets(crossed):
    study, plan = crossed
    shares = {"system 0": 9, "system 1": 9, "system 2": 2}
    assert adaptive_sheets(study, plan, shares, 2) == adaptive_sheets(study, plan, shares, 2)


def test_practice_checks_and_gold_are_on_adaptive_sheets_too():
    extra = of_kind("practice", 1) + of_kind("check", 1)
    study, plan = rated(grid(6, 2, extra, kind="overlap", judges=4, judges_per_item=2))
    (sheet,) = adaptive_sheets(study, plan, {"system 0": 4, "system 1": 1}, 1)
    assert Counter(task.kind for task in sheet.tasks) == {"item": 5, "practice": 1, "check": 1}


def test_a_system_that_no_item_comes_from_is_refused(crossed):
    study, plan = crossed
    with pytest.raises(InvalidArgument, match="system 9"):
        adaptive_sheets(study, plan, {"system 0": 4, "system 9": 2}, 1)


def test_parts_with_judges_of_their_own_are_refused():
    study = two_parts(grid(4, 2, kind="overlap", judges=4, judges_per_item=2, parts="one-each"))
    with pytest.raises(InvalidArgument, match="parts"):
        adaptive_sheets(study, make_plan(study), {"system 0": 2, "system 1": 1}, 1)


@pytest.mark.parametrize("judges", [1, 2, 3, 7])
@pytest.mark.parametrize("load", [6, 15, 30])
def test_no_rating_of_a_step_is_lost_however_full_the_sheets_are(crossed, judges, load):
    """Ten items of a system: of a sheet's, no more than ten can be of one system."""
    study, plan = crossed
    open_pair = [standing("open", "different", "different")]
    names = ["system 0", "system 1", "system 2"]

    def shares(ratings):
        found = allocate(open_pair, "abc", ratings).shares
        return dict(zip(names, found.values(), strict=True))

    wanted = shares(judges * load)
    most = min(load, fullest_load(study, wanted, judges))
    wanted = shares(judges * most)
    items = dealt(adaptive_sheets(study, plan, wanted, judges))
    assert of_systems(chain(*items)) == {name: own for name, own in wanted.items() if own}
    assert max(map(len, items)) - min(map(len, items)) <= 3


def test_the_usual_load_is_that_of_the_sheets_there_are(crossed):
    assert usual_load(crossed[1]) == 15
