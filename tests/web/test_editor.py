"""The editor of the manual at its edges: how many changes, which versions, what is left out."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from covary.errors import InvalidArgument
from covary.study.manual import Edition
from covary.training import (
    Began,
    Change,
    Changed,
    Cycle,
    Finished,
    MovedOn,
    Rated,
    RoundOpened,
)
from covary.web.discussion import manual
from covary.web.discussion.manual import (
    LONGEST_LINE,
    MOST_CHANGES,
    ChangeDraft,
    CriterionDraft,
    ManualDraft,
    show_comparison,
    show_manual,
    versions,
)
from covary.web.discussion.view import Naming, View
from covary.web.forms import Refusal
from tests.web import studies
from tests.web.in_training import RELEVANCE

FIRST = Edition((RELEVANCE, studies.VISUAL), "One.\n")
ROWS = ChangeDraft("rule", "what", "A sentence.")


def draft(*changes, guidelines="One.\n"):
    return ManualDraft(FIRST.version, guidelines, (), changes)


@pytest.mark.parametrize(("rows", "after"), [(1, 2), (MOST_CHANGES - 1, MOST_CHANGES),
                                             (MOST_CHANGES, MOST_CHANGES)])  # fmt: skip
def test_there_is_room_for_twenty_changes(rows, after):
    assert len(draft(*[ROWS] * rows).with_room().changes) == after


@pytest.mark.parametrize(("rows", "room"), [(MOST_CHANGES - 1, True), (MOST_CHANGES, False)])
def test_the_editor_says_whether_there_is_room(monkeypatch, rows, room):
    cycle = cycle_of(FIRST)
    drawn = drawn_with(monkeypatch, cycle)
    assert manual._editor(drawn, draft(*[ROWS] * rows))["room"] is room


@pytest.mark.parametrize(
    ("number", "guidelines", "made"),
    [
        (0, "One.\n\n\n", "One.\n\nA sentence.\n"),
        (1, "One.", "One."),  # a change without a sentence
        (2, "One.", "One."),
        (0, "", "A sentence.\n"),
    ],
)
def test_a_sentence_is_put_at_the_end_of_the_guidelines(number, guidelines, made):
    changes = (ROWS, ChangeDraft("rule", "what"))
    assert draft(*changes, guidelines=guidelines).with_sentence(number).guidelines == made


@pytest.mark.parametrize(
    ("change", "blank"),
    [(ChangeDraft(), True), (ChangeDraft(sentence="x", proposals=(1,)), True),
     (ChangeDraft(summary="  "), True), (ChangeDraft(summary="x"), False),
     (ChangeDraft(kind="rule"), False)],
)  # fmt: skip
def test_a_change_that_nobody_described_is_none(change, blank):
    assert change.blank is blank
    assert len(draft(change).described()) == (not blank)


def cycle_of(*editions):
    begun = Cycle().apply(Began(editions[0], ("Ann", "Bo")))
    return replace(begun, editions=editions)


@pytest.mark.parametrize(("based_on", "place"), [(0, 0), (1, 1), (None, 1)])
def test_a_draft_was_begun_from_the_version_that_it_names_or_else_the_newest(based_on, place):
    editions = (FIRST, Edition((RELEVANCE,), "Two.\n"))
    version = "unknown" if based_on is None else editions[based_on].version
    made = replace(draft(ROWS), based_on=version)
    assert made.base(cycle_of(*editions)) is editions[place]


def test_a_criterion_that_was_ticked_is_left_out_and_one_not_in_the_form_stays():
    form = {"based_on": FIRST.version, "guidelines": "One.\n", "rows": "1", "delete-1": "1",
            "question-1": "x"}  # fmt: skip
    made = ManualDraft.read(form, cycle_of(FIRST))
    assert [each.deleted for each in made.criteria] == [False, True]
    assert [each.key for each in made.edition(cycle_of(FIRST)).criteria] == ["relevance"]


@pytest.mark.parametrize("question", ["", "x" * (LONGEST_LINE + 1)])
def test_a_question_has_words_and_no_more_than_fit_a_line(question):
    form = {"question-0": question}
    with pytest.raises((InvalidArgument, Refusal)):
        CriterionDraft.of(RELEVANCE).read(form, 0).made(RELEVANCE)
    longest = CriterionDraft.of(studies.VISUAL).read({"question-0": "x" * LONGEST_LINE}, 0)
    assert longest.made(studies.VISUAL).question == "x" * LONGEST_LINE


def drawn_with(monkeypatch, cycle, **query):
    """A view whose pages are what they are drawn with."""
    monkeypatch.setattr(View, "page", lambda self, name, status=200, **values: values)
    request = SimpleNamespace(query_params={name: str(value) for name, value in query.items()})
    training = SimpleNamespace(editors=())
    return View(
        site=None, study=SimpleNamespace(training=training), cycle=cycle, naming=Naming({}, {}),
        request=request, home="", frame="", token="",
    )  # fmt: skip


@pytest.fixture
def three():
    """A cycle in which the manual was written twice, once by Bo and once by Ann."""
    cycle = Cycle()
    change = Change("wording", "words", "", ())
    second, third = (Edition(FIRST.criteria, words) for words in ("Two.\n", "Three.\n"))
    same = {"relevance": 1, "Clarity": 50.0}
    rated = [Rated(name, "a", same) for name in ("Ann", "Bo")]
    writing = [MovedOn(step) for step in ("socialisation", "externalisation", "combination")]
    for event in (
        Began(FIRST, ("Ann", "Bo"), ()),
        RoundOpened(("a",)),
        *rated,
        Finished("Ann"),
        Finished("Bo"),
        *writing,
        Changed("Bo", FIRST.version, second, (change,)),
        Changed("Ann", second.version, third, (change,)),
    ):
        cycle = cycle.apply(event)
    return cycle


def test_versions_are_numbered_with_their_round_and_author(monkeypatch, three):
    listed = versions(drawn_with(monkeypatch, three))
    assert [(each.number, each.round, each.by, len(each.changes)) for each in listed] == [
        (1, 0, "", 0), (2, 1, "Bo", 1), (3, 1, "Ann", 1),
    ]  # fmt: skip
    assert [each.edition.guidelines for each in listed] == ["One.\n", "Two.\n", "Three.\n"]


@pytest.mark.parametrize(
    ("query", "old", "new", "between"),
    [
        ({}, 2, 3, [3]),
        ({"new": 2}, 1, 2, [2]),
        ({"new": 1}, 1, 1, []),
        ({"old": 1}, 1, 3, [2, 3]),
        ({"old": 3, "new": 1}, 3, 1, []),
    ],
)
def test_two_versions_are_compared_the_newest_with_the_one_before_by_default(
    monkeypatch, three, query, old, new, between
):
    page = show_comparison(drawn_with(monkeypatch, three, **query))
    assert (page["old"].number, page["new"].number) == (old, new)
    assert [each.number for each in page["between"]] == between


def test_the_newest_version_is_shown_unless_another_is_asked_for(monkeypatch, three):
    page = show_manual(drawn_with(monkeypatch, three))
    assert (page["chosen"].number, page["editing"]) == (3, True)
    assert show_manual(drawn_with(monkeypatch, three, version=1))["chosen"].number == 1
    for wrong in (0, 4):
        with pytest.raises(Refusal):
            show_manual(drawn_with(monkeypatch, three, version=wrong))
