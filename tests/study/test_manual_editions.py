"""What changed between two editions of a manual is said by name; nothing else is."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covary.errors import StudyError
from covary.scales import GraphicScale, Preference, VerbalScale, VisualScale, YesNo
from covary.study import TEMPLATES, read_study, write_template
from covary.study.manual import Edition, compare_manuals, edition_of, paragraphs
from covary.study.model import Criterion

RELEVANCE = Criterion("relevance", "How relevant?", VerbalScale([1, 2, 3, 4], best="low"))
FLUENCY = Criterion("fluency", "How fluent?", VisualScale(labels=("bad", "good")))
CLARITY = replace(FLUENCY, name="clarity")
GUIDELINES = "# How to judge\n\nRead the sentence\nfirst.\n\n- 1 is best.\n- Do not guess.\n"
OLD = Edition((RELEVANCE, FLUENCY), GUIDELINES)


def test_paragraphs_are_headings_points_and_joined_lines():
    assert paragraphs(GUIDELINES) == [
        "# How to judge", "Read the sentence first.", "- 1 is best.", "- Do not guess.",
    ]  # fmt: skip


def test_nothing_changed_is_false_and_says_so():
    found = compare_manuals(
        OLD, Edition(OLD.criteria, GUIDELINES.replace("sentence\n", "sentence "))
    )
    assert not found
    assert found.old_version != found.new_version  # line ends within a paragraph are a new edition
    assert str(found).endswith("nothing changed")


@pytest.mark.parametrize(
    ("criteria", "sentence"),
    [
        ((RELEVANCE,), "The criterion 'fluency' was removed."),
        ((RELEVANCE, FLUENCY, CLARITY), "The criterion 'clarity' was added."),
        ((FLUENCY, RELEVANCE), "The criteria are in a different order: fluency, relevance."),
        (
            (replace(RELEVANCE, question="Is it relevant?"), FLUENCY),
            "relevance: the question changed from 'How relevant?' to 'Is it relevant?'.",
        ),
        (
            (replace(RELEVANCE, definition="To the input."), FLUENCY),
            "relevance: the definition changed from '' to 'To the input.'.",
        ),
        (
            (replace(RELEVANCE, scale=VerbalScale([1, 2, 3], best="low")), FLUENCY),
            "relevance: the ranks changed from [1, 2, 3, 4] to [1, 2, 3].",
        ),
        (
            (replace(RELEVANCE, scale=VerbalScale([1, 2, 3, 4])), FLUENCY),
            "relevance: the best end changed from 'low' to 'high'.",
        ),
    ],
    ids=["removed", "added", "order", "question", "definition", "ranks", "polarity"],
)  # fmt: skip
def test_a_change_of_the_scheme_is_named(criteria, sentence):
    assert compare_manuals(OLD, Edition(criteria, GUIDELINES)).sentences() == (sentence,)


def test_paragraphs_are_added_removed_and_changed():
    new = GUIDELINES.replace("- 1 is best.", "- 1 is the best rank.").replace(
        "- Do not guess.\n", ""
    )
    found = compare_manuals(OLD, Edition(OLD.criteria, new + "\nCan more information be added?\n"))
    assert {(each.kind, each.old, each.new) for each in found.guidelines} == {
        ("changed", "- 1 is best.", "- 1 is the best rank."),
        ("removed", "- Do not guess.", ""),
        ("added", "", "Can more information be added?"),
    }
    (changed,) = [each for each in found.guidelines if each.kind == "changed"]
    assert changed.words() == (
        (" ", "-"), (" ", "1"), (" ", "is"), ("-", "best."), ("+", "the"), ("+", "best"),
        ("+", "rank."),
    )  # fmt: skip


LINES = st.lists(st.sampled_from(["a b c", "x y", "- one", "# two", "long words here"]), max_size=8)


@given(LINES, LINES)
def test_the_changes_account_for_every_paragraph(old, new):
    """Old less removed and changed, plus added and changed, are the new paragraphs."""
    found = compare_manuals(Edition((), "\n\n".join(old)), Edition((), "\n\n".join(new)))
    rest = list(old)
    for each in found.guidelines:
        if each.old:
            rest.remove(each.old)
        if each.new:
            rest.append(each.new)
    assert sorted(rest) == sorted(new)


@pytest.mark.parametrize("template", TEMPLATES)
def test_an_edition_is_written_down_and_made_again(template, tmp_path):
    write_template(tmp_path / "study", template)
    study = read_study(tmp_path / "study")
    edition = edition_of(study)
    again = Edition.from_dict(edition.to_dict())
    assert again == edition
    assert again.version == study.manual.version
    assert not compare_manuals(study, again)


@pytest.mark.parametrize(
    "scale",
    [
        YesNo(), YesNo("no", "yes", best="low"), Preference(tie=None), Preference(tie="same"),
        GraphicScale({0: "poor", 50: "fair"}), VisualScale(1, 7, best="low"),
        VerbalScale(["a", "b"], level="nominal"), VerbalScale([1, 2], labels=["x", "y"]),
    ],
    ids=repr,
)  # fmt: skip
def test_every_kind_of_scale_is_made_again(scale):
    edition = Edition((replace(RELEVANCE, scale=scale),), "")
    assert Edition.from_dict(edition.to_dict()) == edition


def test_a_damaged_scheme_is_refused():
    written = OLD.to_dict()
    written["scheme"][0]["scale"] = {"kind": "verbal", "categories": []}
    with pytest.raises(StudyError, match="criterion 'relevance'"):
        Edition.from_dict(written)
