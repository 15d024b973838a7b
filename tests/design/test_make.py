"""Plans: repeatable, practice first, parts and occasions, late judges, rows once more."""

from collections import Counter
from dataclasses import replace

import pytest

from covary.design import Plan, balance, make_plan, more_sheets, reissue
from covary.errors import InvalidArgument
from covary.study.model import DesignSettings, Item
from tests.design.counting import by_item, by_judge_and_system, others_between
from tests.design.studies import a_study, grid, of_kind, pairs, texts, two_parts

KINDS = {
    "latin-squares": grid(8, 4, kind="latin-squares", judges=8),
    "williams": grid(8, 4, kind="williams", judges=8),
    "blocks": grid(7, 7, kind="blocks", per_judge=3, judges=7),
    "overlap": texts(24, systems=3, kind="overlap", judges=6, judges_per_item=2),
    "everyone": texts(10, kind="everyone", judges=3),
}


@pytest.mark.parametrize("study", KINDS.values(), ids=KINDS)
def test_the_same_seed_gives_the_same_plan_and_another_seed_another_one(study):
    assert make_plan(study, seed=4) == make_plan(study, seed=4)
    assert make_plan(study, seed=4).sheets != make_plan(study, seed=5).sheets


@pytest.mark.parametrize("study", KINDS.values(), ids=KINDS)
def test_positions_count_from_1_and_no_two_judges_have_one_order(study):
    plan = make_plan(study)
    assert [sheet.number for sheet in plan.sheets] == list(range(1, study.design.judges + 1))
    for sheet in plan.sheets:
        assert [task.position for task in sheet.tasks] == list(range(1, len(sheet.tasks) + 1))
    orders = {tuple(task.item for task in sheet.tasks) for sheet in plan.sheets}
    assert len(orders) == len(plan.sheets)
    assert len({sheet.row for sheet in plan.sheets}) == len(plan.sheets)


def test_a_plan_names_its_settings():
    study = grid(4, 4, kind="latin-squares", judges=8, repeats=1)
    plan = make_plan(study, judges=4, seed=99)
    settings = dict(plan.settings)
    assert (plan.kind, plan.seed, settings["judges"], settings["repeats"]) == (
        "latin-squares", 99, 4, 1,
    )  # fmt: skip


def test_practice_comes_first_and_every_other_kind_has_its_place():
    extra = [*of_kind("check", 1), *of_kind("practice", 3), *of_kind("gold", 2),
             *of_kind("anchor", 2)]  # fmt: skip
    study = texts(20, extra=extra, kind="overlap", judges=4, judges_per_item=2, repeats=2)
    for sheet in make_plan(study).sheets:
        kinds = [task.kind for task in sheet.tasks]
        assert kinds[:3] == ["practice"] * 3
        assert Counter(kinds) == {
            "practice": 3, "item": 10, "anchor": 2, "gold": 2, "check": 1, "repeat": 2,
        }  # fmt: skip


def test_each_part_has_all_items_and_comes_first_for_half_of_the_judges():
    study = two_parts(grid(4, 4, extra=of_kind("practice", 1), kind="latin-squares", judges=8))
    plan = make_plan(study)
    for sheet in plan.sheets:
        assert [task.kind for task in sheet.tasks[:2]] == ["practice"] * 2  # one for each scale
        hands = {
            part: [t.item for t in sheet.tasks if (t.part, t.kind) == (part, "item")]
            for part in study.parts
        }
        assert sorted(hands["VDS"]) == sorted(hands["VAS"])
        assert len(hands["VDS"]) == 4
        changes = [a.part != b.part for a, b in zip(sheet.tasks[2:], sheet.tasks[3:], strict=False)]
        assert sum(changes) == 1  # one part after the other
    first = Counter(sheet.tasks[2].part for sheet in plan.sheets)
    assert first == {"VDS": 4, "VAS": 4}
    assert balance(study, plan).aspect("order of parts").good


def test_parts_as_listed_stay_so():
    study = two_parts(grid(4, 4, kind="latin-squares", judges=4, parts="as-listed"))
    assert {sheet.tasks[0].part for sheet in make_plan(study).sheets} == {"VDS"}


def test_a_check_is_shown_in_the_part_whose_answer_it_expects():
    study = two_parts(grid(4, 4, kind="latin-squares", judges=4))
    check = Item("attend", ("Answer 3.",), kind="check", expected={"fluency (VDS)": 3})
    study = replace(study, items=(*study.items, check))
    for sheet in make_plan(study).sheets:
        assert [task.part for task in sheet.tasks if task.kind == "check"] == ["VDS"]


def test_a_second_occasion_has_the_same_items_in_a_new_order():
    study = texts(30, extra=of_kind("practice", 1), kind="everyone", judges=3, occasions=2)
    for sheet in make_plan(study).sheets:
        first, second = (
            [t.item for t in sheet.tasks if t.occasion == n and t.kind == "item"] for n in (1, 2)
        )
        assert sorted(first) == sorted(second)
        assert first != second
        assert [task.occasion for task in sheet.tasks] == [1] * 31 + [2] * 30


@pytest.mark.parametrize("kind", ["latin-squares", "williams"])
def test_late_judges_fill_the_square_that_was_begun(kind):
    study = grid(8, 4, kind=kind, judges=6)
    plan = make_plan(study)
    late = more_sheets(study, plan, 2)
    assert late == make_plan(study, judges=8).sheets[6:]
    whole = replace(plan, sheets=plan.sheets + late)
    assert {*by_item(whole).values()} == {2}
    assert {*by_judge_and_system(study, whole).values()} == {2}


def test_a_row_that_was_taken_out_is_given_again_first():
    study = grid(4, 4, kind="latin-squares", judges=4)
    plan = make_plan(study)
    (late,) = more_sheets(study, replace(plan, sheets=plan.sheets[:1] + plan.sheets[2:]), 1)
    assert (late.number, late.row) == (5, plan.sheets[1].row)
    assert {t.item for t in late.tasks} == {t.item for t in plan.sheets[1].tasks}


@pytest.mark.parametrize("kind", ["blocks", "everyone"])
def test_late_judges_of_other_designs_continue_too(kind):
    study = KINDS[kind]
    plan = make_plan(study)
    number = study.design.judges
    late = more_sheets(study, plan, number)
    assert {len(sheet.tasks) for sheet in late} == {len(plan.sheets[0].tasks)}
    assert not {sheet.row for sheet in late} & {sheet.row for sheet in plan.sheets}
    whole = replace(plan, sheets=plan.sheets + late)
    assert balance(study, whole).aspect("positions" if kind == "blocks" else "links").good


def test_sheets_of_a_store_continue_by_the_study_when_the_plan_tells_no_settings():
    study = grid(8, 4, kind="latin-squares", judges=6, repeats=1, repeat_distance=2)
    plan = make_plan(study)
    bare = Plan(plan.kind, plan.seed, plan.sheets)
    assert more_sheets(study, bare, 2) == more_sheets(study, plan, 2)


def test_a_reissued_row_has_the_same_tasks_in_a_new_order():
    study = grid(12, 4, extra=of_kind("practice", 2), kind="latin-squares", judges=4,
                 repeats=2, repeat_distance=5)  # fmt: skip
    plan = make_plan(study)
    old = plan.sheets[2]
    for new in (
        reissue(old, 9),
        reissue(old, 9, study=study),
        reissue(old, 9, plan=plan, study=study),
    ):
        assert (new.number, new.row) == (9, old.row)
        items = [
            Counter(t.item for t in sheet.tasks if t.kind in ("item", "practice"))
            for sheet in (old, new)
        ]
        assert items[0] == items[1]
        assert [t.item for t in new.tasks] != [t.item for t in old.tasks]
        assert [t.kind for t in new.tasks[:2]] == ["practice"] * 2
        assert [t.position for t in new.tasks] == list(range(1, 17))
        assert others_between(new, lambda task: task.item) >= 5
        seen = set()
        for task in new.tasks:  # the second showing is the repeat
            assert (task.kind == "repeat") == (task.item in seen)
            seen.add(task.item)


@pytest.mark.parametrize("kind", ["williams", "blocks"])
def test_a_reissued_row_that_is_an_order_keeps_it(kind):
    study = KINDS[kind]
    old = make_plan(study).sheets[1]
    assert reissue(old, 50).tasks == old.tasks
    assert reissue(old, 50, study=study).tasks == old.tasks


def test_a_reissued_row_keeps_parts_and_sides():
    study = pairs(12, kind="everyone", judges=4)
    old = make_plan(study).sheets[1]
    new = reissue(old, 5, study=study)
    assert {(t.item, t.order) for t in new.tasks} == {(t.item, t.order) for t in old.tasks}
    study = two_parts(grid(4, 4, kind="latin-squares", judges=4))
    old = make_plan(study).sheets[1]
    for new in (reissue(old, 5), reissue(old, 5, study=study)):
        assert [task.part for task in new.tasks] == [task.part for task in old.tasks]


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"judges": 0}, "judges = 0 must be a whole number of at least 1"),
        ({"seed": -1}, "seed = -1"),
        ({"kind": "sudoku"}, "'latin-squares', 'williams'"),
        ({"repeats": 20}, "more than the 10 items that a judge rates"),
        ({"per_judge": 5}, "all 10 items"),
        ({"judges_per_item": 1}, "all 2 judges"),
    ],
    ids=["judges", "seed", "kind", "repeats", "per judge", "per item"],
)
def test_impossible_wishes_are_refused(wish, words):
    study = replace(texts(10), design=DesignSettings(**wish))
    with pytest.raises(InvalidArgument, match=words):
        make_plan(study)


def test_a_study_without_items_has_no_design():
    with pytest.raises(InvalidArgument, match="no items of the kind 'item'"):
        make_plan(a_study(of_kind("practice", 2)))


def test_each_judge_may_have_one_part_so_that_each_part_has_judges_of_its_own():
    """4 judges in 2 groups: both groups go through the same rows of the square."""
    study = replace(grid(4, 2, kind="latin-squares", judges=4, parts="one-each"), parts=("A", "B"))
    plan = make_plan(study)
    parts = [{task.part for task in sheet.tasks} for sheet in plan.sheets]
    assert parts == [{"A"}, {"B"}, {"A"}, {"B"}]
    items = [{task.item for task in sheet.tasks} for sheet in plan.sheets]
    assert items[0] == items[1]
    assert items[2] == items[3]
    assert items[0] != items[2]
    assert len({sheet.row for sheet in plan.sheets}) == 4
    more = more_sheets(study, plan, 2)
    assert [{task.part for task in sheet.tasks} for sheet in more] == [{"A"}, {"B"}]
    assert not {sheet.row for sheet in more} & {sheet.row for sheet in plan.sheets}
