"""What the page of an item shows: headings, turns, files and earlier answers, at their edges."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from covary.design.plan import Sheet, Task
from covary.scales import CannotJudge, Passage, Preference, VerbalScale
from covary.study.model import Condition, Criterion, Item, Turn
from covary.web.judge.item_page import (
    LONG,
    PriorAnswer,
    draw_scale,
    part_place,
    prior_answer,
    rated_in_training,
    rating_words,
    show_item,
    shown_texts,
)
from tests.web import studies

OTHER = replace(studies.QUALITY, name="Other")


def shown(folder, item, *criteria, order=(), **more):
    study = studies.bare(folder, *(criteria or (studies.VERBAL,)), items=(item,))
    return show_item(study, Task(1, item.id, part=study.parts[0], order=order), **more)


@pytest.mark.parametrize(
    ("texts", "criteria", "headings", "beside"),
    [
        (("a",), (studies.VERBAL,), [""], False),
        (("a", "b"), (studies.VERBAL,), ["1", "2"], False),
        (("a", "b"), (studies.BETTER,), ["first", "second"], True),
        (("a", "b"), (studies.VERBAL, studies.BETTER), ["first", "second"], True),
        (("a", "b", "c"), (studies.VERBAL,), ["1", "2", "3"], False),
    ],
)
def test_texts_are_headed_by_their_places_or_the_words_of_the_choices(
    tmp_path, texts, criteria, headings, beside
):
    item = shown(tmp_path, Item("i", texts), *criteria)
    words = [str(option) for option in Preference(tie="same").options]
    named = {"first": words[0], "second": words[-1]}
    assert [text.heading for text in item.texts] == [named.get(h, h) for h in headings]
    assert item.beside is beside


@pytest.mark.parametrize(
    ("order", "texts"), [((1, 0), "ba"), ((0, 1), "ab"), ((), "ab"), ((0,), "ab")]
)
def test_texts_stand_in_the_order_of_the_task_where_it_has_one_for_them(tmp_path, order, texts):
    item = shown(tmp_path, Item("i", ("a", "b")), order=order)
    assert [text.text for text in item.texts] == list(texts)


@pytest.mark.parametrize(
    ("speaker", "said_by", "aside"),
    [
        ("bot", ("guest", "bot", "guest"), [True, False, True]),
        ("bot", ("", "bot"), [False, False]),  # who is not named stands nowhere apart
        ("", ("guest", "bot", "guest"), [True, False, True]),  # it answers the last of them
        ("", ("guest", "bot"), [False, True]),
        ("", ("guest", ""), [False, False]),
    ],
)
def test_turns_of_others_than_whose_turn_is_judged_stand_aside(tmp_path, speaker, said_by, aside):
    context = tuple(Turn(name, f"turn {place}") for place, name in enumerate(said_by))
    item = shown(tmp_path, Item("i", ("a",), context=context, speaker=speaker))
    assert [turn.aside for turn in item.turns] == aside


@pytest.mark.parametrize(
    ("changes", "long"),
    [
        ({"texts": ("x" * LONG,)}, False),
        ({"texts": ("x" * (LONG + 1),)}, True),
        ({"texts": ("x" * LONG, "y")}, False),  # two texts are read one after the other
        ({"input": "x" * (LONG + 1)}, True),
        ({"context": (Turn("A", "x" * (LONG - 1)),)}, False),  # and "t" is the last letter
        ({"context": (Turn("A", "x" * (LONG - 1)), Turn("B", "y"))}, True),
    ],
    ids=["at the limit", "one text", "two texts", "input", "talk at the limit", "talk"],
)
def test_long_texts_are_set_smaller_and_a_conversation_is_one_text(tmp_path, changes, long):
    assert shown(tmp_path, replace(Item("i", ("t",)), **changes)).long is long


def test_only_the_files_that_an_item_has_are_shown(tmp_path):
    assert shown(tmp_path, Item("i", ("a",), audio="a.mp3")).files == {"audio": "a.mp3"}
    assert shown(tmp_path, Item("i", ("a",))).files == {}


def test_in_training_every_criterion_is_rated_and_nothing_else_is_asked(tmp_path):
    asked_of_some = replace(
        studies.VERBAL, optional=True, cannot_judge=True, passages=True,
        when=Condition("Other", (1,)),
    )  # fmt: skip
    study = studies.bare(tmp_path, OTHER, asked_of_some)
    plain = (OTHER, studies.VERBAL)
    assert rated_in_training(study, study.parts[0]) == plain
    remark = replace(studies.QUALITY, name="Remark")
    study = replace(study, questions=(remark,))
    task = Task(1, study.items[0].id, part=study.parts[0])
    for questions, keys in ((True, ["Other", "Fluency", "Remark"]), (False, ["Other", "Fluency"])):
        scales = show_item(study, task, questions=questions).scales
        assert [scale.criterion.key for scale in scales] == keys
    assert show_item(study, task).scales[1].criterion is asked_of_some


def test_a_follow_up_says_to_the_script_when_it_is_asked():
    task = Task(1, "i")
    when = replace(studies.VERBAL, when=Condition("Other", (1, 2)))
    assert json.loads(draw_scale(when, task).condition) == ["Other", ["1", "2"]]
    assert draw_scale(studies.VERBAL, task).condition == ""


def test_letters_are_counted_in_the_texts_as_browsers_have_them(tmp_path):
    item = Item("i", ("a\r\nb", "c\rd"), context=(Turn("A", "e\n"), Turn("B", "f")), input="g\r\n")
    study = studies.bare(tmp_path, items=(item,))
    task = Task(1, "i", part=study.parts[0], order=(1, 0))
    assert shown_texts(study, task) == {
        "text 1": "c\nd", "text 2": "a\nb", "turn 1": "e\n", "turn 2": "f", "input": "g\n",
    }  # fmt: skip
    drawn = replace(study, session=replace(study.session, markup=True))
    assert shown_texts(drawn, task) == dict.fromkeys(shown_texts(study, task))


def test_an_earlier_answer_is_shown_again_as_it_was_given():
    drawn = draw_scale(studies.QUALITY, Task(1, "i"))
    assert prior_answer(drawn, None) == PriorAnswer(sent=None, cannot=False, reason="", passages="")
    assert prior_answer(drawn, 3).sent == drawn.control.sent(3)
    assert prior_answer(drawn, CannotJudge("Why?")) == PriorAnswer(cannot=True, reason="Why?")
    marks = [Passage("text 1", 0, 2, "né"), Passage("input", 3, 4, "x")]
    on_page = prior_answer(drawn, 3, marks, (1, 0)).passages
    assert on_page == '[["text 2", 0, 2, "né"], ["input", 3, 4, "x"]]'
    assert prior_answer(drawn, 3, marks).passages == on_page.replace("text 2", "text 1")


def test_a_rating_is_read_in_the_words_of_its_scale_and_none_as_a_dash():
    drawn = draw_scale(Criterion("Tone", "Which?", VerbalScale(["cold", "warm"])), Task(1, "i"))
    said = [rating_words(drawn, rating) for rating in ("warm", None, CannotJudge("Why?"))]
    assert said == ["warm", "–", "–"]


def test_parts_are_numbered_in_the_order_of_the_sheet_and_one_has_no_number(tmp_path):
    kinds = [("practice", "b"), ("item", "a"), ("item", "b"), ("practice", "c")]
    tasks = tuple(Task(n, "i", kind, part) for n, (kind, part) in enumerate(kinds, 1))

    def places(*chosen):
        here = SimpleNamespace(flow=SimpleNamespace(sheet=Sheet(1, tuple(chosen))))
        return [part_place(here, task) for task in chosen]

    assert places(*tasks) == [(2, 3), (1, 3), (2, 3), (3, 3)]
    assert places(tasks[1]) == [None]
