"""Optional questions, follow-ups, "cannot judge", and a study's own words in study.toml."""

import pytest

from covary.study import read_study
from covary.study.item_versions import item_versions
from covary.study.manual import Edition, make_manual
from covary.study.model import Condition
from tests.study.folders import only_fault, write_study

TOML = """\
title = "Questions"
guidelines = ""
[[criterion]]
name = "Fluency"
question = "How fluent?"
cannot_judge = true
scale = { kind = "verbal", categories = "1-5", ends = ["not", "very"] }
[[criterion]]
name = "Errors"
question = "Which?"
optional = true
when = { criterion = "Fluency", is = [1, 2] }
scale = { kind = "several", answers = ["grammar", "order"] }
"""


def test_what_is_no_rating_stands_apart_and_is_asked_after_the_criteria(tmp_path):
    study = read_study(write_study(tmp_path, TOML))
    (fluency,), (errors,) = study.criteria, study.questions
    assert (fluency.cannot_judge, fluency.optional, fluency.when) == (True, False, None)
    assert (errors.optional, errors.when) == (True, Condition("Fluency", (1, 2)))
    assert study.asked_of("") == (fluency, errors)
    assert errors.is_due({"Fluency": 2})
    assert not errors.is_due({"Fluency": 3})
    assert not errors.is_due({})


def test_how_something_is_asked_is_part_of_the_manuals_version(tmp_path):
    study = read_study(write_study(tmp_path, TOML))
    other = read_study(write_study(tmp_path, TOML.replace("optional = true\n", "")))
    assert study.manual.version != other.manual.version


def test_an_edition_keeps_how_its_criteria_are_asked(tmp_path):
    study = read_study(write_study(tmp_path, TOML))
    edition = Edition(study.criteria + study.questions, "")
    assert Edition.from_dict(edition.to_dict()) == edition
    assert make_manual(edition.criteria, "").version == study.manual.version


def test_bare_numbers_are_remarked_on(tmp_path):
    bare = TOML.replace(
        'scale = { kind = "verbal", categories = "1-5", ends = ["not", "very"] }', 'scale = "1-5"'
    )
    assert any("numbers only" in note for note in read_study(write_study(tmp_path, bare)).notes)
    assert not any("numbers only" in note for note in read_study(write_study(tmp_path, TOML)).notes)


@pytest.mark.parametrize(
    ("old", "new", "key", "words"),
    [
        (
            'criterion = "Fluency", is',
            'criterion = "Fluenzy", is',
            "criterion[2].when",
            "did you mean",
        ),
        ("is = [1, 2]", "is = [9]", "criterion[2].when", "is not an answer"),
        ("is = [1, 2]", "is = 1", "criterion[2].when.is", "write which answers"),
    ],
)
def test_a_faulty_follow_up_is_told(tmp_path, old, new, key, words):
    fault = only_fault(write_study(tmp_path, TOML.replace(old, new)))
    assert fault.key == key
    assert words in str(fault)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('"Nxet" = "Onward"', "no page says this"),
        ('"Next" = "Onward, %(name)s"', "does not have"),
    ],
)
def test_words_that_no_page_says_are_faults(tmp_path, line, words):
    fault = only_fault(write_study(tmp_path, f"{TOML}[words]\n{line}\n"))
    assert words in str(fault)


def test_a_study_may_call_things_as_it_likes(tmp_path):
    study = read_study(write_study(tmp_path, f'{TOML}[words]\n"Input" = "Source article"\n'))
    assert dict(study.words) == {"Input": "Source article"}


def test_a_comment_on_each_item_is_asked_in_the_language_of_the_study(tmp_path):
    toml = TOML.replace('guidelines = ""', 'guidelines = ""\nlanguage = "de"')
    study = read_study(write_study(tmp_path, toml + "[session]\ncomments = true\n"))
    comment = study.asked_of("")[-1]
    assert (comment.key, comment.optional, comment.scale.kind) == ("Comment", True, "text")
    assert comment.question == "Möchten Sie etwas zu dieser Aufgabe anmerken?"


def test_comments_do_not_take_the_name_of_a_criterion(tmp_path):
    toml = TOML.replace('"Errors"', '"Comment"') + "[session]\ncomments = true\n"
    fault = only_fault(write_study(tmp_path, toml))
    assert fault.key == "session.comments"


def test_questions_are_asked_before_between_and_after(tmp_path):
    asks = "".join(
        f'[[background]]\nname = "{ask}"\nquestion = "How?"\nask = "{ask}"\n'
        for ask in ("before", "between", "after")
    )
    study = read_study(write_study(tmp_path, TOML + asks))
    for ask in ("before", "between", "after"):
        assert [question.name for question in study.background_at(ask)] == [ask]
    late = asks.replace('ask = "after"', 'ask = "after"\ngroup = true')
    assert "before they rate" in str(only_fault(write_study(tmp_path, TOML + late)))


def test_only_practice_and_gold_have_feedback(tmp_path):
    toml = TOML + '[session]\nfeedback = ["gold", "item"]\n'
    assert "'item'" in str(only_fault(write_study(tmp_path, toml)))


def test_an_item_may_be_a_recording_or_a_film_without_a_text(tmp_path):
    items = "item,text,audio,video\na,,talk.mp3,\nb,What is said?,,clip.webm\n"
    folder = write_study(tmp_path, TOML, items, talk__mp3="x", clip__webm="y")
    first, second = read_study(folder).items
    assert (first.texts, first.audio, first.video) == ((), "talk.mp3", None)
    assert (second.texts, second.video) == (("What is said?",), "clip.webm")
    wrong = items.replace("talk.mp3", "clip.webm")
    fault = only_fault(write_study(tmp_path, TOML, wrong))
    assert "not a supported audio file" in str(fault)


def test_what_is_judged_by_ear_has_a_version_too(tmp_path):
    items = "item,text,audio\na,,talk.mp3\n"
    folder = write_study(tmp_path, TOML, items, talk__mp3="x")
    before = item_versions(read_study(folder))["a"].version
    (folder / "talk.mp3").write_text("other words", encoding="utf-8")
    assert item_versions(read_study(folder))["a"].version != before


def test_marking_passages_is_part_of_the_scheme(tmp_path):
    toml = TOML.replace("cannot_judge = true", "passages = true")
    study = read_study(write_study(tmp_path, toml))
    assert study.criteria[0].passages
    edition = Edition(study.criteria, "")
    assert Edition.from_dict(edition.to_dict()).criteria[0].passages
