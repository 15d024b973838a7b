"""How answers are read from what a page sends: passages at their ends, what counts already."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from covary.design.plan import Task
from covary.scales import CannotJudge, Passage
from covary.store.records import Answer
from covary.study.model import Condition, Item, Session
from covary.web.forms import Refusal
from covary.web.guard import PageStamp
from covary.web.judge.answers import (
    MOST_LETTERS,
    MOST_PASSAGES,
    AnswerPlace,
    DrawnScales,
    _own_place,
    _passages,
    answers_not_stored,
    due_of,
    rating_from,
    ratings_from_form,
    read_passages,
)
from tests.web import studies

REASONS = replace(studies.VERBAL, passages=True, cannot_judge=True)
ITEM = Item("i", ("One", "Three"), ("a", "b"))
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def place(folder, *criteria, order=(), **session):
    study = studies.bare(folder, *(criteria or (REASONS,)), items=(ITEM,),
                         session=Session(**session))  # fmt: skip
    task = Task(1, "i", part=study.parts[0], order=order)
    scales = DrawnScales({each.key: each for each in study.criteria}, task)
    return AnswerPlace(task, PageStamp("p", NOON), 1, 2.0, scales, study)


def read(here, *marks):
    return _passages(here, here.scales["Fluency"], list(marks))


@pytest.mark.parametrize(
    ("mark", "taken"),
    [
        (["text 1", 0, 3, "One"], True),  # the whole text
        (["text 1", 2, 3, "e"], True),
        (["text 1", 0, 4, "One"], False),  # a letter beyond its end
        (["text 1", 1, 1, ""], False),  # nothing
        (["text 1", -1, 3, "e"], False),
        (["text 1", 0, 3, "one"], False),
        (["text 1", 0, 3], False),
        (["text 1", 0, 3, "One", 1], False),
        (["text 1", "0", 3, "One"], False),
        (["text 1", False, 3, "One"], False),
        (["text 1", 0, True, "O"], False),
        (["text 1", 0, 3, None], False),
        (["text 3", 0, 3, "One"], False),
        ([0, 0, 3, "One"], False),
        ({"where": "text 1"}, False),
    ],
    ids=str,
)
def test_a_passage_is_a_piece_of_a_text_and_says_what_stands_there(tmp_path, mark, taken):
    here = place(tmp_path)
    if taken:
        where, start, end, quote = mark
        assert read(here, mark) == (Passage(where, start, end, quote),)
    else:
        with pytest.raises(Refusal):
            read(here, mark)


@pytest.mark.parametrize(("end", "taken"), [(MOST_LETTERS, True), (MOST_LETTERS + 1, False)])
def test_of_a_text_that_is_drawn_from_markdown_only_the_place_is_bounded(tmp_path, end, taken):
    here, mark = place(tmp_path, markup=True), ["text 1", 0, end, "whatever is shown"]
    if taken:
        assert read(here, mark)[0].end == end
    else:
        with pytest.raises(Refusal):
            read(here, mark)


def test_so_many_passages_can_be_marked_and_no_more(tmp_path):
    here, mark = place(tmp_path), ["text 1", 0, 3, "One"]
    assert len(read(here, *[mark] * MOST_PASSAGES)) == MOST_PASSAGES
    with pytest.raises(Refusal):
        read(here, *[mark] * (MOST_PASSAGES + 1))
    assert _passages(here, here.scales["Fluency"], None) == ()
    with pytest.raises(Refusal):
        _passages(here, here.scales["Fluency"], "text 1")
    plain = place(tmp_path, studies.VERBAL)
    with pytest.raises(Refusal):
        read(plain, mark)


@pytest.mark.parametrize(
    ("order", "where", "own"),
    [((1, 0), "text 1", "text 2"), ((1, 0), "text 2", "text 1"), ((), "text 1", "text 1"),
     ((1, 0), "input", "input"), ((1, 0), "turn 1", "turn 1")],
)  # fmt: skip
def test_a_passage_is_kept_in_the_items_own_order(order, where, own):
    assert _own_place(Task(1, "i", order=order), where) == own


@pytest.mark.parametrize("text", ["{", "[" * 100_000])
def test_a_field_of_passages_is_json_or_empty(text):
    assert read_passages("") is None
    assert read_passages("[1]") == [1]
    with pytest.raises(Refusal):
        read_passages(text)


@pytest.mark.parametrize(
    ("sent", "rating", "touched"),
    [
        ({"rating": 3}, 3, True),
        ({"rating": 3, "touched": True}, 3, True),
        ({"cannot_judge": True, "reason": "Why?"}, CannotJudge("Why?"), True),
        ({"rating": 3, "cannot_judge": "yes"}, 3, True),
        ({"rating": 3, "touched": False}, None, None),
        ({"rating": 3, "touched": "yes"}, None, None),
        ({"rating": 9}, None, None),
        ({"rating": 3, "criterion": "Other"}, None, None),
        ({"rating": 3, "criterion": ["Fluency"]}, None, None),
    ],
)
def test_one_answer_is_read_as_the_script_sends_it_or_refused(tmp_path, sent, rating, touched):
    here, sent = place(tmp_path), {"criterion": "Fluency"} | sent
    if touched is None:
        with pytest.raises(Refusal):
            rating_from(here, sent)
    else:
        given = rating_from(here, sent)
        assert (given.rating, given.touched, given.criterion) == (rating, touched, "Fluency")


def test_a_line_that_was_left_untouched_has_no_rating(tmp_path):
    here = place(tmp_path, studies.VISUAL)
    given = rating_from(here, {"criterion": "Clarity", "rating": 50, "touched": False})
    assert (given.rating, given.touched) == (None, False)


def test_a_form_holds_an_answer_for_each_scale_that_was_answered(tmp_path):
    here = place(tmp_path, REASONS, studies.VISUAL, studies.YES)
    form = {"rating-4": "3", "passages-4": '[["text 1", 0, 3, "One"]]', "rating-5": "20",
            "rating-6": "1"}  # fmt: skip
    given = list(ratings_from_form(here, form, first=4))
    assert [(each.criterion, each.rating, len(each.passages)) for each in given] == [
        ("Fluency", 3, 1), ("True", 1, 0),
    ]  # fmt: skip
    assert list(ratings_from_form(here, form)) == []
    (cannot,) = ratings_from_form(here, {"cannot-0": "1", "reason-0": " Hm. ", "rating-0": "3"})
    assert cannot.rating == CannotJudge("Hm.")
    with pytest.raises(Refusal):
        list(ratings_from_form(here, {"cannot-1": "1"}))


def answer(number, rating=3, page="p", **more):
    made = Answer(
        judge=1, sheet=1, position=1, item="i", criterion="Fluency", rating=rating,
        key=f"{page}{number}", page=page, sequence=number, kind="item", touched=True,
        seconds=1.0, manual="m1",
    )  # fmt: skip
    return replace(made, **more)


@pytest.mark.parametrize(
    ("stored", "sent", "again"),
    [
        ([], answer(1), True),
        ([answer(1)], answer(2), False),
        ([answer(1)], answer(2, rating=4), True),
        ([answer(1)], answer(3), True),  # the second is on its way and may overtake
        ([answer(1), answer(2)], answer(3), False),
        ([answer(1, page="q")], answer(1), True),  # given on another load of the page
        ([answer(1, page="q")], answer(2), True),
        ([answer(1)], answer(2, passages=(Passage("input", 0, 1, "x"),)), True),
        ([answer(1, criterion="Other")], answer(2), True),
    ],
)
def test_only_what_surely_counts_as_it_is_need_not_be_stored_again(stored, sent, again):
    assert list(answers_not_stored([sent], stored)) == [sent] * again
    assert list(answers_not_stored([], stored)) == []


def test_what_must_be_answered_is_what_is_asked_and_may_not_be_left_out(tmp_path):
    follow = replace(studies.YES, when=Condition("Fluency", (1,)))
    optional = replace(studies.VISUAL, optional=True)
    here = place(tmp_path, REASONS, optional, follow)
    assert due_of(here, {"Fluency": 3}) == ["Fluency"]
    assert due_of(here, {"Fluency": 1}) == ["Fluency", "True"]
