"""A task for other platforms: marks in the page, escaped rows beside it, nothing that tells."""

import csv
import io
from dataclasses import replace

import pytest

from covary.errors import InvalidArgument
from covary.study.model import Item, Session, Turn
from covary.web.judge.task_template import task_template
from tests.web import studies

HOSTILE = '<script>alert("1")</script> & ${text}'

TALK = Item(
    "sys-alpha talk", ("Dry all day.",), ("sys-alpha",),
    context=(Turn("Ann", "Rain?"), Turn("Bot", HOSTILE)), speaker="Bot", cluster="s1",
)  # fmt: skip
ALONE = Item("alone", (HOSTILE,), ("sys-beta",), input="York: 0 mm")


@pytest.fixture
def study(tmp_path):
    return studies.bare(tmp_path, studies.VERBAL, studies.VISUAL, items=(TALK, ALONE))


def rows(made):
    return list(csv.DictReader(io.StringIO(made.csv(), newline="")))


def test_every_cell_has_its_mark_in_the_page_except_the_name_of_the_item(study):
    made = task_template(study)
    assert made.columns == (
        "item", "input", "speaker_1", "turn_1", "speaker_2", "turn_2", "speaker", "text",
    )  # fmt: skip
    for name in made.columns[1:]:
        assert made.html.count(f"${{{name}}}") == 1
    assert "${item}" not in made.html
    assert made.html == task_template(study, marks="dollar").html
    assert "{{turn_1}}" in task_template(study, marks="braces").html


def test_cells_are_escaped_because_platforms_put_them_in_as_they_are(study):
    first, second = rows(task_template(study))
    assert second["text"] == "&lt;script&gt;alert(&#34;1&#34;)&lt;/script&gt; &amp; ${text}"
    assert first["turn_2"] == second["text"]
    assert (second["turn_1"], second["speaker"]) == ("", "")


def test_a_filled_page_holds_the_texts_and_never_a_systems_name(study):
    made = task_template(study)
    page = made.filled(0)
    assert "Dry all day." in page
    assert "sys-alpha" not in page
    assert "<script>alert" not in page
    assert "sys-beta" not in made.csv()
    assert made.filled(1).count("${text}") == 1  # the item's own words are not filled again
    assert made.filled() == page  # a look at the page is a look at the first item


def test_answers_carry_the_names_of_the_criteria(study):
    page = task_template(study).html
    assert page.count('name="Fluency"') == 7
    assert 'data-name="Clarity"' in page
    assert 'name="Clarity"' not in page.replace('data-name="Clarity"', "")


def test_practice_is_left_out_and_counted(tmp_path):
    made = task_template(studies.study(tmp_path))
    assert (len(made.rows), made.left_out) == (3, 1)
    assert "How to judge" in made.html


def test_a_set_of_texts_has_a_mark_for_each(tmp_path):
    several = Item("set", ("One.", "Two.", "Three."))
    made = task_template(studies.bare(tmp_path, items=(several, Item("pair", ("A.", "B.")))))
    assert made.columns[-3:] == ("text_1", "text_2", "text_3")
    assert rows(made)[1]["text_3"] == ""


def test_markup_is_drawn_where_the_study_opted_in(tmp_path):
    study = studies.bare(
        tmp_path, items=(Item("a", ("So *good*.",)),), session=Session(markup=True)
    )
    assert rows(task_template(study))[0]["text"].strip() == "<p>So <em>good</em>.</p>"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"items": (Item("pic", ("A dog.",), image="dog.png"),)}, "'pic' have pictures"),
        ({"criteria": (studies.BETTER,)}, "to compare them the order needs"),
        ({"parts": ("a", "b")}, "must be one of the parts 'a', 'b'"),
    ],
)
def test_what_a_page_alone_cannot_do_right_is_refused(study, change, words):
    with pytest.raises(InvalidArgument, match=words):
        task_template(replace(study, **change))


def test_marks_that_are_not_known_are_refused(study):
    with pytest.raises(InvalidArgument, match="'dollar', 'braces'"):
        task_template(study, marks="percent")
