"""Every fault is told at once, with its file, its line and its key, and nothing else is."""

import os

import pytest

from covary.errors import CovaryError, StudyError, StudyFault
from covary.study import read_study
from tests.study.folders import ITEMS, TOML, faults_of, only_fault, write_study

TWELVE = """\
title = 7
langauge = "en"
human_systems = ["z"]

[[criterion]]
name = "Fluency"
question = "How well does it read?"
scale = { kind = "verbl" }

[[criterion]]
name = "Clarity"
question = ""
[criterion.scale]
kind = "verbal"
categories = "1-5"
labels = [
    "bad",
    "good",
]

[[criterion]]
name = "Clarity"
question = "How clear is it?"
scale = "1-5"

[design]
judges = 0

[session]
redirect = "http://example.org"
"""

TWELVE_ITEMS = """\
item,text,system,kind
a,"One,
two",x,item
a,Three,x,item
c,,x,practise
"""


def test_a_study_with_twelve_faults_lists_twelve(tmp_path):
    faults = faults_of(write_study(tmp_path, TWELVE, TWELVE_ITEMS))
    assert [(each.file, each.line, each.key) for each in faults] == [
        ("study.toml", 1, "title"),
        ("study.toml", 2, "langauge"),
        ("study.toml", 3, "human_systems"),
        ("study.toml", 8, "criterion[1].scale.kind"),
        ("study.toml", 12, "criterion[2].question"),
        ("study.toml", 16, "criterion[2].scale.labels"),
        ("study.toml", 22, "criterion[3].name"),
        ("study.toml", 27, "design.judges"),
        ("study.toml", 30, "session.redirect"),
        ("items.csv", 4, "item"),
        ("items.csv", 5, "kind"),
        ("items.csv", 5, "text"),
    ]


def test_the_message_lists_every_fault_on_a_line_of_its_own(tmp_path):
    folder = write_study(tmp_path, TWELVE, TWELVE_ITEMS)
    with pytest.raises(StudyError) as caught:
        read_study(folder)
    first, *rest = str(caught.value).splitlines()
    assert first == f"12 faults in {folder}"
    assert rest == [f"  {each}" for each in caught.value.faults]
    assert "study.toml, line 2: langauge: unknown key; did you mean 'language'?" in rest[1]
    assert isinstance(caught.value, CovaryError)
    assert isinstance(caught.value, ValueError)


def test_a_fault_without_line_or_key_still_has_its_file():
    assert str(StudyFault("items.csv", None, "", "is missing")) == "items.csv: is missing"


SETTINGS = {
    "unknown key": ('contcat = "x"', "contcat", "did you mean 'contact'?"),
    "text for number": ('contact = ["x"]', "contact", "is not text"),
    "bad language": ('language = "english language"', "language", "'pt-BR'"),
    "missing consent": ('consent = "consent.md"', "consent", "is missing"),
    "consent outside": ('consent = "../x.md"', "consent", "outside the study's folder"),
    "missing guidelines": ('guidelines = "other.md"', "guidelines", 'or set guidelines = ""'),
    "endless name": (f'items = "{"a" * 5000}.csv"', "items", "is missing"),
    "missing items": ('items = "other.csv"', "items", "is missing"),
    "items elsewhere": ('items = "https://example.org/i.csv"', "items", "covary downloads nothing"),
    "items of a drive": ('items = "C:/i.csv"', "items", "covary downloads nothing"),
    "items by backslash": (r"items = 'a\i.csv'", "items", "backslashes"),
    "items of another kind": ('items = "guidelines.md"', "items", "must end in .csv"),
    "unknown human system": ('human_systems = ["X"]', "human_systems", "did you mean 'x'?"),
    "no list": ('human_systems = "x"', "human_systems", "list of texts"),
    "twice in a list": ('human_systems = ["x", "x"]', "human_systems", "twice"),
    "NUL": ('contact = "a\\u0000"', "contact", "no page can show"),
    "one bracket": ("background = 1", "background", "[[background]]"),
    "no table": ("design = 1", "design", "must be a table"),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_wrong_setting_is_told_with_its_line(tmp_path, name):
    line, key, words = SETTINGS[name]
    fault = only_fault(write_study(tmp_path, f"# a comment\n\n{line}\n{TOML}"))
    assert (fault.file, fault.line, fault.key) == ("study.toml", 3, key)
    assert words in fault.message


BELOW = {
    "unknown design": ('[design]\nkind = "latin"', "design.kind", "did you mean"),
    "no whole number": ("[design]\nseed = 1.5", "design.seed", "whole number"),
    "true is not a number": ("[design]\nseed = true", "design.seed", "whole number"),
    "unknown key": ("[design]\nperjudge = 3", "design.perjudge", "did you mean 'per_judge'?"),
    "quoted flag": ('[session]\ngo_back = "no"', "session.go_back", "true or false"),
    "negative hours": ("[session]\noccasion_gap_hours = -1", "session.occasion_gap_hours", "0"),
    "not a number": ("[session]\noccasion_gap_hours = nan", "session.occasion_gap_hours", "num"),
    "no address": ('[session]\nredirect = "example.org"', "session.redirect", "https://"),
    "no host": ('[session]\nredirect = "https://"', "session.redirect", "https://"),
    "script": ('[session]\nredirect = "javascript:alert(1)"', "session.redirect", "https://"),
    "one part": ("[session]\nask_preference = true", "session.ask_preference", "only one part"),
    "unknown person": ('[population]\nwhom = "x"', "population.whom", "did you mean 'who'?"),
    "no question": ('[[background]]\nname = "x"', "background[1].question", "is missing"),
    "one option": (
        '[[background]]\nname = "x"\nquestion = "y"\noptions = ["z"]',
        "background[1].options",
        "one option",
    ),
    "criterion without scale": (
        '[[criterion]]\nname = "x"\nquestion = "y"', "criterion[2].scale", "is missing"
    ),
    "some with a part": (
        '[[criterion]]\nname = "x"\nquestion = "y"\nscale = "1-5"\npart = "z"',
        "criterion[2].part",
        "or none does",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BELOW)
def test_a_wrong_table_is_told_with_its_key(tmp_path, name):
    lines, key, words = BELOW[name]
    fault = only_fault(write_study(tmp_path, f"{TOML}\n{lines}\n"))
    assert (fault.file, fault.key) == ("study.toml", key)
    assert words in fault.message
    written = f"{TOML}\n{lines}".splitlines()[fault.line - 1]
    assert written.startswith((key.rpartition(".")[2], "[["))


SCALES = {
    "unknown kind": ('kind = "graphical"', "kind", "did you mean 'graphic'?"),
    "no kind": ('categories = "1-5"', "kind", "choose one of 'verbal'"),
    "twelve": ('kind = "verbal", categories = "1-12"', "categories", "more than the 11"),
    "twelve labels": (
        f'kind = "verbal", labels = {[str(each) for each in range(12)]}',
        "labels",
        "more than the 11",
    ),
    "one category": ('kind = "verbal", categories = [1]', "categories", "at least two"),
    "the same twice": ('kind = "verbal", categories = [1, 1]', "categories", "all different"),
    "no categories": ('kind = "verbal"', "categories", "is missing"),
    "no range": ('kind = "verbal", categories = "many"', "categories", "not understood"),
    "flags": ('kind = "verbal", categories = [true, false]', "categories", "must be a list"),
    "three labels": (
        'kind = "verbal", categories = "1-2", labels = ["a", "b", "c"]',
        "labels",
        "3 labels for 2 categories",
    ),
    "wrong end": ('kind = "verbal", categories = "1-2", best = "top"', "best", "'high', 'low'"),
    "wrong level": (
        'kind = "verbal", categories = "1-2", level = "ordinl"', "level", "did you mean 'ordinal'?"
    ),
    "key of another kind": ('kind = "visual", categories = "1-5"', "categories", "unknown key"),
    "one end": ('kind = "visual", labels = ["a"]', "labels", "two ends"),
    "no length": ('kind = "visual", low = 5, high = 5', "high", "no length"),
    "nominal line": ('kind = "visual", level = "nominal"', "level", "not allowed"),
    "no descriptors": ('kind = "graphic"', "descriptors", "at least two places"),
    "off the line": (
        'kind = "graphic", descriptors = { "0" = "a", "50" = "b", "200" = "c" }',
        "descriptors.200",
        "not a place on the line",
    ),
    "no place": (
        'kind = "graphic", descriptors = { "0" = "a", "50" = "b", "end" = "c" }',
        "descriptors.end",
        "not a place on the line",
    ),
    "three words": ('kind = "yes-no", labels = ["a", "b", "c"]', "labels", "for no and for yes"),
    "tie of a letter": ('kind = "preference", tie = "A"', "tie", "must be false"),
    "faces on a list": ('kind = "verbal", categories = "1-2", faces = true', "faces", "line"),
    "vertical maybe": (
        'kind = "verbal", categories = "1-2", vertical = "yes"', "vertical", "true or false"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SCALES)
def test_a_wrong_scale_is_told_with_its_key(tmp_path, name):
    scale, key, words = SCALES[name]
    toml = TOML.replace('kind = "verbal", categories = "1-5"', scale)
    fault = only_fault(write_study(tmp_path, toml))
    assert (fault.line, fault.key) == (6, f"criterion[1].scale.{key}")
    assert words in fault.message


def test_a_short_scale_that_is_not_understood_is_told(tmp_path):
    toml = TOML.replace('{ kind = "verbal", categories = "1-5" }', '"five"')
    fault = only_fault(write_study(tmp_path, toml))
    assert (fault.line, fault.key) == (6, "criterion[1].scale")
    assert "'five' is not understood" in fault.message


@pytest.mark.parametrize(
    ("toml", "line"),
    [("title = 'a'\nx = = 1\n", 2), ('title = "a\n', 1), ("a = 1\n\na = 2\n", 3), ("x = [1,\n", 2)],
    ids=["two signs", "open text", "twice", "open list"],
)
def test_a_file_that_is_no_toml_is_told_with_its_line(tmp_path, toml, line):
    fault = only_fault(write_study(tmp_path, toml))
    assert (fault.file, fault.line, fault.key) == ("study.toml", line, "")
    assert fault.message.startswith("is not TOML from here on: ")
    assert "at line" not in fault.message


def test_a_file_that_is_no_text_is_told(tmp_path):
    folder = write_study(tmp_path)
    (folder / "study.toml").write_bytes(b"\x00\x01\xff" * 30)
    assert "not text" in only_fault(folder).message


def test_a_number_of_too_many_digits_is_told_and_no_crash(tmp_path):
    assert only_fault(write_study(tmp_path, f"x = {'9' * 5000}\n")).file == "study.toml"


def test_an_empty_study_says_what_is_missing(tmp_path):
    keys = [each.key for each in faults_of(write_study(tmp_path, "", None))]
    assert keys == ["criterion", "title", "items"]


def test_guidelines_may_be_left_out_when_that_is_said(tmp_path):
    folder = write_study(tmp_path, f'guidelines = ""\n{TOML}')
    (folder / "guidelines.md").unlink()
    assert read_study(folder).manual.guidelines == ""
    (folder / "study.toml").write_text(TOML)
    assert only_fault(folder).key == "guidelines"


def test_squares_need_systems_and_sources(tmp_path):
    folder = write_study(tmp_path, f'{TOML}\n[design]\nkind = "latin-squares"\n')
    assert faults_of(folder) == ()
    (folder / "items.csv").write_text(ITEMS.replace("y,s1", "y,"))
    fault = only_fault(folder)
    assert (fault.key, fault.line) == ("design.kind", 9)
    assert "'a2'" in fault.message


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs links")
def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    secret = tmp_path / "secret.md"
    secret.write_text("secret")
    folder = write_study(tmp_path / "study", f'consent = "terms.md"\n{TOML}')
    (folder / "terms.md").symlink_to(secret)
    assert "outside the study's folder" in only_fault(folder).message


def test_the_keys_that_are_allowed_are_each_told_once(tmp_path):
    toml = TOML.replace("[[criterion]]", "[[criterion]]\nzzzzzz = true", 1)
    (fault,) = faults_of(write_study(tmp_path, toml))
    assert fault.message.count("'scale'") == 1
