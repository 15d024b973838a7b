"""Scales are drawn as the papers describe them, and marks become ratings."""

from dataclasses import replace

import pytest

from covary.design.plan import Task
from covary.errors import InvalidArgument
from covary.scales import (
    GraphicScale,
    LineControl,
    LineMark,
    Preference,
    VerbalScale,
    VisualScale,
    YesNo,
)
from covary.study.model import Criterion
from covary.web.judge.item_page import draw_scale
from tests.web import studies

TASK = Task(1, "i")


def drawn(scale, order=(), **more):
    return draw_scale(Criterion("c", "?", scale, **more), replace(TASK, order=order)).control


def words(scale, **more):
    return [(choice.number, choice.words) for choice in drawn(scale, **more).choices]


def test_a_verbal_scale_is_a_list_with_numbers_and_words_in_the_order_of_the_researcher():
    scale = VerbalScale([1, 2, 3], labels=["poor", "fair", "good"])
    assert drawn(scale).look == "list"
    assert words(scale) == [("1", "poor"), ("2", "fair"), ("3", "good")]
    rank = VerbalScale([1, 2, 3], labels=["good", "fair", "poor"], best="low")
    assert words(rank) == [("1", "good"), ("2", "fair"), ("3", "poor")]


def test_words_are_not_said_twice():
    assert words(VerbalScale(["bad", "good"])) == [("", "bad"), ("", "good")]
    assert words(VerbalScale(["bad", "good"], labels=["bad", "good"])) == [
        ("", "bad"),
        ("", "good"),
    ]
    assert words(VerbalScale([1, 2])) == [("", "1"), ("", "2")]


def test_a_mark_on_a_list_is_the_category_and_keeps_its_kind():
    assert drawn(VerbalScale([1, 2, 3])).rating("2") == 2
    assert isinstance(drawn(VerbalScale([1, 2, 3])).rating("2"), int)
    assert drawn(VerbalScale(["1", "2"])).rating("2") == "2"
    assert drawn(VerbalScale([0.5, 1.5])).rating(0.5) == 0.5


@pytest.mark.parametrize("mark", ["4", "", None, True, "2.0", " 2", [2], {"rating": 2}, 2.5])
def test_what_is_no_category_is_refused(mark):
    with pytest.raises(InvalidArgument, match="not one of the choices"):
        drawn(VerbalScale([1, 2, 3])).rating(mark)


def test_yes_comes_before_no():
    assert [(c.rating, c.words) for c in drawn(YesNo()).choices] == [(1, "Yes"), (0, "No")]
    own = drawn(YesNo("falsch", "richtig"))
    assert [(c.rating, c.words) for c in own.choices] == [
        ("richtig", "richtig"),
        ("falsch", "falsch"),
    ]


@pytest.mark.parametrize(
    ("order", "left", "right"), [((0, 1), "A", "B"), ((1, 0), "B", "A"), ((), "A", "B")]
)
def test_a_preference_is_kept_in_the_items_own_order_whatever_stood_left(order, left, right):
    choices = drawn(Preference(tie="same"), order)
    assert [choice.sent for choice in choices.choices] == ["left", "tie", "right"]
    assert [choice.words for choice in choices.choices] == ["A", "same", "B"]
    assert choices.rating("left") == left
    assert choices.rating("right") == right
    assert choices.rating("tie") == "same"
    assert choices.sent(left) == "left"
    with pytest.raises(InvalidArgument):
        choices.rating("A")


def test_a_preference_without_a_tie_has_two_choices():
    assert [choice.sent for choice in drawn(Preference(tie=None)).choices] == ["left", "right"]


def test_a_line_begins_in_its_middle_and_has_nothing_on_it():
    line = drawn(VisualScale(labels=("extremely bad", "excellent")))
    assert isinstance(line, LineControl)
    assert (line.middle, line.step, line.marks, line.vertical) == (50, 0.1, (), False)
    assert line.ends == ("extremely bad", "excellent")


def test_the_smiling_face_is_at_the_best_end():
    assert drawn(VisualScale(), faces=True).faces == ("frowning face", "smiling face")
    assert drawn(VisualScale(best="low"), faces=True).faces == ("smiling face", "frowning face")
    assert drawn(VisualScale(), faces=True).ends == ("frowning face", "smiling face")


@pytest.mark.parametrize(("sent", "rating"), [("50", 50), (57.3, 57.3), ("0", 0), (100, 100)])
def test_a_place_on_a_line_is_a_number(sent, rating):
    assert drawn(VisualScale()).rating(sent) == rating
    assert drawn(VisualScale()).rating(drawn(VisualScale()).sent(rating)) == rating


@pytest.mark.parametrize(
    "sent", ["-1", 101, "nan", "inf", float("nan"), True, None, "5O", [], ""], ids=repr
)
def test_a_place_off_the_line_is_refused(sent):
    with pytest.raises(InvalidArgument, match="not on the line from 0 to 100"):
        drawn(VisualScale()).rating(sent)


def test_words_stand_along_a_graphic_line_where_they_belong():
    line = drawn(GraphicScale({-2: "worse", 0: "same", 2: "better"}, low=-2, high=2))
    assert line.marks == (LineMark(0, "worse"), LineMark(50, "same"), LineMark(100, "better"))
    assert line.ends == ("worse", "better")


def test_the_study_may_ask_for_a_row_or_an_upright_line():
    assert draw_scale(studies.ROW, TASK).control.look == "row"
    assert draw_scale(studies.UPRIGHT, TASK).control.vertical
