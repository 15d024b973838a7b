"""Which answer counts, what is stored twice, and what comes back."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import DBAPIError

from covary.errors import InvalidArgument
from covary.scales import CannotJudge, Passage
from covary.store import Receipt, Store, StoreError, answers
from covary.store.database import QuickStatement
from covary.store.records import accept_answers
from tests.store.made_up import FLUENCY, answer, sheets

FIRST = (1, FLUENCY.key)


def count_of(store, judge=1):
    return store.answers.current(judge)[FIRST].rating


def test_an_answer_that_was_saved_counts(store):
    assert store.answers.save([answer(4)]) == [
        Receipt("1-1-fluency (words)-p-1", again=False, late=False)
    ]
    assert count_of(store) == 4


def test_a_change_of_mind_is_a_new_row_and_counts(store):
    store.answers.save([answer(4, sequence=1)])
    store.answers.save([answer(2, sequence=2)])
    assert count_of(store) == 2
    assert [(change, each.rating) for _, change, each in store.answers.log()] == [
        (False, 4),
        (True, 2),
    ]


def test_the_same_key_twice_is_one_row(store):
    store.answers.save([answer(4)])
    (saved,) = store.answers.save([answer(4)])
    assert saved.again
    assert len(list(store.answers.log())) == 1


def test_the_same_key_twice_in_one_call_is_one_row(store):
    assert [each.again for each in store.answers.save([answer(4), answer(4)])] == [False, True]
    assert len(list(store.answers.log())) == 1


@pytest.mark.parametrize("together", [True, False])
def test_an_answer_that_was_overtaken_is_kept_but_does_not_count(store, together):
    calls = [answer(5, sequence=2), answer(1, sequence=1)]
    saved = (
        store.answers.save(calls) if together else [store.answers.save([each])[0] for each in calls]
    )
    assert [each.late for each in saved] == [False, True]
    assert count_of(store) == 5
    assert [each.late for _, _, each in store.answers.log()] == [False, True]


@pytest.mark.parametrize("together", [True, False])
def test_a_page_counts_up_to_the_highest_that_it_sent(store, together):
    calls = [answer(n, sequence=n) for n in (1, 3, 2)]
    saved = (
        store.answers.save(calls) if together else [store.answers.save([each])[0] for each in calls]
    )
    assert [each.late for each in saved] == [False, False, True]
    assert count_of(store) == 3


@pytest.mark.parametrize("together", [True, False])
def test_an_answer_of_the_same_number_was_not_overtaken(store, together):
    calls = [answer(4, sequence=2, key="a"), answer(5, sequence=2, key="b")]
    saved = (
        store.answers.save(calls) if together else [store.answers.save([each])[0] for each in calls]
    )
    assert [each.late for each in saved] == [False, False]
    assert count_of(store) == 5


def test_an_overtaken_answer_sent_again_is_still_late(store):
    store.answers.save([answer(5, sequence=2), answer(1, sequence=1)])
    assert store.answers.save([answer(1, sequence=1)]) == [
        Receipt(answer(1, sequence=1).key, again=True, late=True)
    ]


def test_another_page_load_starts_its_own_sequence(store):
    store.answers.save([answer(5, sequence=9, page="old")])
    (saved,) = store.answers.save([answer(1, sequence=1, page="new")])
    assert not saved.late
    assert count_of(store) == 1


def test_sequences_of_other_tasks_criteria_and_judges_do_not_matter(store):
    store.answers.save([answer(5, sequence=9)])
    others = [
        answer(1, position=2),
        answer(1, criterion="clarity (line)"),
        answer(1, judge=2),
    ]
    assert not any(saved.late for saved in store.answers.save(others))


def test_a_key_that_names_another_answer_is_refused_and_nothing_of_the_call_is_kept(store):
    store.answers.save([answer(4, key="k")])
    with pytest.raises(InvalidArgument, match="another answer"):
        store.answers.save([answer(1, position=2, key="new"), answer(5, key="k")])
    assert [each.rating for _, _, each in store.answers.log()] == [4]


def test_judges_may_use_the_same_key(store):
    store.answers.save([answer(4, key="k")])
    (saved,) = store.answers.save([answer(5, judge=2, key="k")])
    assert not saved.again
    assert (count_of(store, 1), count_of(store, 2)) == (4, 5)


def test_ratings_come_back_as_they_were(store):
    ratings = [4, 4.0, "4", None, 0.1 + 0.2, 1e-300, 2**53 + 1, "", "Ünï \U0001f600", '"\n', "\x00"]
    store.answers.save([answer(rating, position=n) for n, rating in enumerate(ratings, 1)])
    found = [row.answer.rating for row in store.answers.counted()]
    assert [(each, type(each)) for each in found] == [(each, type(each)) for each in ratings]


def test_everything_about_an_answer_comes_back(store):
    shown = datetime(2026, 3, 1, 9, 30, 0, 123457, tzinfo=timezone(timedelta(hours=2)))
    given = answer(
        57.5, touched=False, occasion=2, kind="repeat", seconds=12.25, shown_at=shown,
        answered_at=shown + timedelta(seconds=12), order=(1, 0),
    )  # fmt: skip
    store.answers.save([given])
    found = store.answers.current(1)[FIRST]
    assert found == given
    assert found.shown_at.tzinfo is UTC


def test_the_time_is_filled_in(store):
    before = datetime.now(UTC)
    store.answers.save([answer()])
    assert before <= store.answers.current(1)[FIRST].answered_at <= datetime.now(UTC)


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"rating": float("nan")}, "rating"),
        ({"rating": float("inf")}, "rating"),
        ({"rating": True}, "rating"),
        ({"rating": [1]}, "rating"),
        ({"item": "a\x00"}, "item"),
        ({"manual": "\ud800"}, "manual"),
        ({"criterion": 3}, "criterion"),
        ({"shown_at": datetime(2026, 1, 1)}, "time zone"),
        ({"position": 2**40}, "position"),
        ({"sequence": "1; drop table answers"}, "sequence"),
    ],
    ids=["nan", "inf", "bool", "list", "nul", "surrogate", "number", "naive", "huge", "words"],
)
def test_what_could_not_come_back_unchanged_is_refused(wrong, word):
    with pytest.raises(InvalidArgument, match=word):
        accept_answers([answer(), answer(**wrong)])


@pytest.mark.parametrize("wrong", [{"judge": 99, "sheet": 1}, {"sheet": 99}])
def test_an_answer_of_nobody_or_on_no_sheet_is_refused(store, wrong):
    with pytest.raises(StoreError):
        store.answers.save([answer(**wrong)])


def test_only_the_faulty_one_of_many_waiting_fails(store, monkeypatch):
    with ThreadPoolExecutor(12) as pool:
        futures = [
            pool.submit(
                store.answers.save, [answer(3, position=n, sheet=99 if n == 7 else 1, key=f"k{n}")]
            )
            for n in range(12)
        ]
    failed = [n for n, future in enumerate(futures) if future.exception()]
    assert failed == [7]
    assert sorted(each.position for _, _, each in store.answers.log()) == [*range(7), *range(8, 12)]


def test_the_database_itself_refuses_to_change_what_was_said(store):
    store.answers.save([answer(4)])
    store.notes.add(1, "consent")
    changes = ["UPDATE answers SET rating = '5'", "DELETE FROM answers"]
    changes += ["UPDATE notes SET kind = ''", "DELETE FROM notes"]
    for change in changes:
        with pytest.raises(DBAPIError, match="only ever"), store.database.writing() as connection:
            connection.execute(text(change))
    assert count_of(store) == 4
    assert len(store.notes.all()) == 1


def test_nobody_can_empty_the_table_on_postgresql(store):
    store.answers.save([answer(4)])
    if store.database.kind == "postgresql":
        with pytest.raises(DBAPIError, match="only ever"), store.database.writing() as connection:
            connection.execute(text("TRUNCATE answers CASCADE"))
    assert count_of(store) == 4


def test_rows_are_the_answers_that_count_with_who_gave_them(store):
    store.answers.save([answer(4, sequence=1), answer(2, sequence=3), answer(5, sequence=2)])
    store.answers.save([answer(1, judge=2), answer(3, position=2)])
    found = [(row.judge, row.answer.position, row.answer.rating) for row in store.answers.counted()]
    assert found == [("Ann", 1, 2), ("Ann", 2, 3), ("Bo", 1, 1)]


def test_what_was_saved_is_there_after_opening_again(store, place):
    store.answers.save([answer(4)])
    store.close()
    with Store.open(place) as again:
        assert count_of(again) == 4
        assert [judge.name for judge in again.judges.all()] == ["Ann", "Bo"]


def test_saving_never_looks_through_the_whole_table(tmp_path, monkeypatch):
    """So that a save costs the same however many answers there are."""
    with Store.open(tmp_path) as store:
        store.sheets.put(sheets(1))
        store.sheets.issue(store.judges.add()[0].id)
        said = []
        event.listen(
            store.database.engine, "before_cursor_execute",
            lambda _c, _u, statement, parameters, _x, many: said.append(
                (statement, parameters[0] if many else parameters)
            ),
        )  # fmt: skip
        find = QuickStatement.rows

        def noted(quick, connection, values=()):
            said.append((quick.text(connection.dialect), values))
            return find(quick, connection, values)

        monkeypatch.setattr(QuickStatement, "rows", noted)
        store.answers.save([answer(4, position=n) for n in (1, 2, 3)])
        store.answers.current(1)
        said = [each for each in said if each[0].startswith(("SELECT", "WITH"))]
        with store.database.reading() as connection:
            raw = connection.connection.driver_connection
            plans = [
                " ".join(row[-1] for row in raw.execute(f"EXPLAIN QUERY PLAN {statement}", values))
                for statement, values in said
            ]
    assert [plan.count("SEARCH answers USING") for plan in plans if "answers" in plan] == [3, 1, 1]
    assert not [plan for plan in plans if "SCAN answers" in plan]


def test_answers_at_a_position_are_those_of_one_judge_on_one_sheet_late_ones_too(store):
    store.answers.save([answer(4, sequence=2), answer(5, sequence=1), answer(2, position=2)])
    store.answers.save([answer(3, judge=2)])
    assert [each.rating for each in store.answers.at(1, 1, 1)] == [4, 5]
    assert [each.rating for each in store.answers.at(2, 2, 1)] == [3]
    assert store.answers.at(1, 2, 1) == []


def test_the_newest_answers_come_first_with_who_gave_them_and_whether_they_count(store):
    store.answers.save([answer(4, sequence=2), answer(5, sequence=1), answer(2, position=2)])
    store.answers.save([answer(3, judge=2)])
    number, found = store.answers.selected()
    assert number == 4
    assert [(one.judge, one.answer.rating, one.counts) for one in found] == [
        ("Bo", 3, True),
        ("Ann", 2, True),
        ("Ann", 5, False),
        ("Ann", 4, True),
    ]
    number, found = store.answers.selected(judge=1, first=1, most=1)
    assert (number, [one.answer.rating for one in found]) == (3, [5])
    number, found = store.answers.selected(item=answer(position=2).item)
    assert number == len(found) == 2, "Ann's second item is Bo's first"
    assert store.answers.selected(criterion="nothing") == (0, [])


def test_a_page_of_newest_answers_has_fifty(store):
    store.answers.save([answer(3, position=place) for place in range(1, 53)])
    number, found = store.answers.selected()
    assert (number, len(found)) == (52, 50)


def test_practice_alone_is_nothing_that_counts(store):
    assert not store.answers.any_counted()
    store.answers.save([answer(1, kind="practice")])
    assert not store.answers.any_counted()
    assert store.answers.manuals() == ()
    store.answers.save([answer(1, position=2)])
    assert store.answers.any_counted()
    assert store.answers.manuals() == ("m1",)


def test_what_was_marked_and_why_nobody_could_judge_come_back(store):
    marked = (Passage("text 1", 3, 7, "größ"), Passage("input", 0, 1, "\U0001f600"))
    store.answers.save([answer(4, passages=marked), answer(CannotJudge("blank"), position=2)])
    found = store.answers.current(1)
    assert found[FIRST].passages == marked
    assert found[2, FLUENCY.key].rating == CannotJudge("blank")
    assert found[2, FLUENCY.key].passages == ()


def test_answers_saved_in_a_loop_are_those_saved_outside_of_one(store):
    async def save(*new):
        return await store.answers.save_in_loop(new)

    assert asyncio.run(save(answer(4))) == [Receipt(answer(4).key, again=False, late=False)]
    assert asyncio.run(save(answer(4))) == [Receipt(answer(4).key, again=True, late=False)]
    assert count_of(store) == 4


def test_what_is_left_behind_are_first_answers_on_sheets_that_were_taken_back(store, monkeypatch):
    store.answers.save([answer(4, sequence=1), answer(5, sequence=2), answer(2, position=2)])
    store.answers.save([answer(4, position=7, kind="repeat"), answer(1, judge=2)])
    assert store.answers.left_behind([1, 2]) == {}
    store.sheets.reclaim(1)
    store.sheets.reclaim(2)
    ann = {(answer(position=place).item, FLUENCY.key): 1 for place in (1, 2)}
    both = ann | {(answer(judge=2).item, FLUENCY.key): 2}  # Bo's first item is Ann's second
    assert store.answers.left_behind([1]) == ann
    assert store.answers.left_behind([1, 2]) == both
    monkeypatch.setattr(answers, "MOST_SOUGHT", 1)  # with more judges than one question names
    assert store.answers.left_behind([1, 2]) == both
