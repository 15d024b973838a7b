"""Sheets: each goes to one judge, and can be taken back."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from covary.design.plan import Sheet, Task
from covary.errors import InvalidArgument
from covary.store import Store
from tests.store.made_up import answer, sheets


def test_sheets_come_back_as_they_were(empty):
    empty.sheets.put(sheets(3))
    assert empty.sheets.all() == sheets(3)


def test_judges_get_sheets_in_order_and_keep_them(empty):
    empty.sheets.put(sheets(2))
    judges = [empty.judges.add()[0].id for _ in range(3)]
    assert [empty.sheets.issue(judge) for judge in judges] == [*sheets(2), None]
    assert empty.sheets.issue(judges[0]).number == 1
    assert empty.sheets.of(judges[1]).number == 2
    assert empty.sheets.of(judges[2]) is None
    assert empty.sheets.holders() == {1: judges[0], 2: judges[1]}


def test_twenty_judges_at_once_get_twenty_sheets(empty):
    empty.sheets.put(sheets(20))
    judges = [empty.judges.add()[0].id for _ in range(20)]
    with ThreadPoolExecutor(20) as pool:
        issued = list(pool.map(lambda judge: empty.sheets.issue(judge).number, judges))
    assert sorted(issued) == list(range(1, 21))


def test_one_judge_who_asks_twenty_times_at_once_gets_one_sheet(empty):
    empty.sheets.put(sheets(20))
    judge = empty.judges.add()[0].id
    with ThreadPoolExecutor(20) as pool:
        issued = set(pool.map(lambda _: empty.sheets.issue(judge).number, range(20)))
    assert issued == {1}


def test_two_stores_on_one_database_never_issue_a_sheet_twice(empty, place):
    empty.sheets.put(sheets(20))
    judges = [empty.judges.add()[0].id for _ in range(20)]
    with Store.open(place) as other, ThreadPoolExecutor(20) as pool:
        turns = [(empty, other)[n % 2] for n in range(20)]
        issued = list(pool.map(lambda s, judge: s.sheets.issue(judge).number, turns, judges))
    assert sorted(issued) == list(range(1, 21))


def test_a_sheet_taken_back_is_the_next_judges_and_its_answers_stay(store):
    store.answers.save([answer(4)])
    assert store.sheets.reclaim(1) == 1
    assert store.sheets.of(1) is None
    assert store.answers.current(1) == {}
    new, _ = store.judges.add("Cy")
    assert store.sheets.issue(new.id).number == 1
    store.answers.save([answer(2, judge=new.id, sheet=1)])
    assert [(row.judge, row.abandoned) for row in store.answers.counted()] == [
        ("Ann", True),
        ("Cy", False),
    ]


def test_a_sheet_can_be_retired_for_another_of_the_same_row(store):
    assert store.sheets.reclaim(1, free=False) == 1
    new, _ = store.judges.add("Cy")
    assert store.sheets.issue(new.id).number == 3
    assert 1 not in store.sheets.holders()


def test_a_judge_who_gets_another_sheet_starts_it_empty(store):
    store.answers.save([answer(4)])
    store.sheets.reclaim(1, free=False)
    assert store.sheets.issue(1).number == 3
    assert store.answers.current(1) == {}


def test_nothing_to_take_back_is_no_error(empty):
    assert empty.sheets.reclaim(empty.judges.add()[0].id) is None


def test_the_same_sheets_again_change_nothing(store):
    store.sheets.put(sheets(4))
    assert store.sheets.all() == sheets(4)


def test_a_sheet_that_nobody_had_is_replaced_and_one_in_use_is_not(store):
    other = Sheet(3, (Task(1, "new"),), "row")
    store.sheets.put([other])
    assert store.sheets.all()[2] == other
    with pytest.raises(InvalidArgument, match="sheet 1 was issued"):
        store.sheets.put([Sheet(4, (Task(1, "new"),)), Sheet(1, (Task(1, "new"),))])
    assert store.sheets.all()[3] == sheets(4)[3]  # all or none


def test_a_wanted_sheet_is_given_while_it_is_free_and_else_the_next(empty):
    empty.sheets.put(sheets(4))
    ann, bo = (empty.judges.add()[0].id for _ in range(2))
    assert empty.sheets.issue(ann, 3).number == 3
    assert empty.sheets.issue(ann, 4).number == 3  # the one they have
    assert empty.sheets.issue(bo, 3).number == 1


def test_a_sheet_of_a_part_is_of_that_part_alone_or_none(empty):
    empty.sheets.put(
        Sheet(number, tuple(Task(n, "a1", part=part) for n, part in enumerate(parts, 1)))
        for number, parts in ((1, ("words", "line")), (2, ("line",)), (3, ("words",)))
    )
    assert empty.sheets.free_parts() == ["", "line", "words"]
    ann, bo, cy = (empty.judges.add()[0].id for _ in range(3))
    assert empty.sheets.issue(ann, part="words").number == 3
    assert empty.sheets.free_parts() == ["", "line"]
    assert empty.sheets.issue(bo, part="words") is None
    assert empty.sheets.issue(cy).number == 1
