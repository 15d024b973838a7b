"""Records are values: they cannot be changed, and what cannot be kept is refused at the door."""

from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime

import pytest

from covary.errors import InvalidArgument
from covary.store import answers, backup, records, restore, rounds, schema, store, visits, writer
from covary.store.records import Problem, accept_answers, as_time, check_text, microseconds
from tests.store.made_up import answer

MODULES = (answers, backup, records, restore, rounds, schema, store, visits, writer)

MUTABLE = {"PriorAnswers"}
"""What one save has seen so far, and nobody else ever holds."""

BY_KEYWORD = (
    records.Answer,
    records.Judge,
    records.StoredNote,
    records.CycleEvent,
    records.CountedAnswer,
    visits.VisitorRecord,
    store.WriterLoad,
    rounds.TrainingRatings,
)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_records_cannot_be_changed(module):
    own = [each for each in vars(module).values() if is_dataclass(each)]
    assert all(each.__dataclass_params__.frozen for each in own if each.__name__ not in MUTABLE)


@pytest.mark.parametrize("record", BY_KEYWORD)
def test_records_with_many_fields_are_made_by_keyword(record):
    assert all(each.kw_only for each in fields(record))


def test_an_answer_that_says_no_more_is_a_first_answer_to_an_item():
    plain = answer()
    assert (plain.touched, plain.occasion, plain.kind, plain.late) == (True, 1, "item", False)
    assert (plain.seconds, plain.shown_at, plain.answered_at, plain.order) == (None, None, None, ())


@pytest.mark.parametrize(
    ("field", "least", "most"),
    [
        ("judge", -(2**63), 2**63 - 1),
        ("sheet", -(2**31), 2**31 - 1),
        ("position", -(2**31), 2**31 - 1),
        ("occasion", -(2**31), 2**31 - 1),
        ("sequence", -(2**63), 2**63 - 1),
    ],
)
def test_whole_numbers_are_kept_up_to_what_both_databases_hold(field, least, most):
    for value in (least, most):
        assert getattr(accept_answers([replace(answer(), **{field: value})])[0], field) == value
    for wrong in (least - 1, most + 1, 1.0, True, "1", None):
        with pytest.raises(InvalidArgument, match=f"{field}=.* must be a whole number"):
            accept_answers([replace(answer(), **{field: wrong})])


def test_a_rating_may_be_any_number_or_text_but_not_nothing_known():
    for rating in (None, "", 0, -1.5, 2**70):
        assert accept_answers([answer(rating)])[0].rating == rating
    for wrong, words in ((False, "a number, a text or None"), (float("-inf"), "a finite number")):
        with pytest.raises(InvalidArgument, match=words):
            accept_answers([answer(wrong)])
    with pytest.raises(InvalidArgument, match="seconds=nan must be a finite number"):
        accept_answers([replace(answer(), seconds=float("nan"))])


@pytest.mark.parametrize("field", ["item", "criterion", "page", "key", "kind", "manual"])
def test_every_text_is_looked_at(field):
    with pytest.raises(InvalidArgument, match=f"{field}=.* holds characters that text cannot have"):
        accept_answers([replace(answer(), **{field: "a\x00"})])
    with pytest.raises(InvalidArgument, match=f"{field}=3 must be text"):
        accept_answers([replace(answer(), **{field: 3})])
    check_text(field, "any text, \t\n too")


def test_times_are_whole_microseconds_and_have_a_zone():
    time = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
    assert microseconds(time) == 1772366400123456
    assert as_time(microseconds(time)) == time
    for field in ("shown_at", "answered_at"):
        with pytest.raises(InvalidArgument, match="has no time zone"):
            accept_answers([replace(answer(), **{field: datetime(2026, 1, 1)})])


def test_a_time_of_its_own_is_kept_and_a_missing_one_filled_in():
    time = datetime(2026, 3, 1, tzinfo=UTC)
    own, filled = accept_answers([replace(answer(), answered_at=time), answer()])
    assert own.answered_at == time
    assert filled.answered_at > time
    assert filled.answered_at.tzinfo is UTC


def test_a_problem_is_facts_and_two_sentences_of_them():
    problem = Problem("store.issued-twice", "store.advice-decide", 2, places=[1, 3])
    assert problem.to_dict() == {
        "code": "issued-twice",
        "message": "sheets 1, 3 are with several judges at once",
        "advice": "decide whose answers count and take the sheet back from the others (reclaim)",
        "count": 2,
        "serious": True,
    }
    assert Problem("store.damaged", "store.advice-restore", faults="x").count == 1
    assert not Problem("store.damaged", "store.advice-restore", serious=False, faults="x").serious
