"""What the editor's form makes of a manual, and how two versions are compared."""

from dataclasses import replace

import pytest

from covary.errors import InvalidArgument
from covary.scales import VerbalScale
from covary.study.manual import Edition
from covary.training import Began, Cycle
from covary.web.discussion.manual import CriterionDraft, ManualDraft, compare_editions
from tests.web import studies
from tests.web.in_training import RELEVANCE

TEN = "\n\n".join(f"Paragraph {number}." for number in range(1, 11))


def cycle_of(*editions):
    begun = Cycle().apply(Began(editions[0], ("Ann", "Bo")))
    return type(begun)(**{**begun.__dict__, "editions": editions})


def form(based_on, guidelines, **more):
    return {"based_on": based_on, "guidelines": guidelines, "rows": "1"} | more


def test_a_form_that_changes_nothing_makes_the_same_edition():
    edition = Edition((RELEVANCE, studies.VISUAL, studies.YES), f"{TEN}\n")
    cycle = cycle_of(edition)
    fields = form(edition.version, edition.guidelines.replace("\n", "\r\n"))
    for number, each in enumerate(edition.criteria):
        fields |= {f"question-{number}": each.question, f"definition-{number}": each.definition}
    labels = {f"label-0-{place}": words for place, words in enumerate(RELEVANCE.scale.labels)}
    made = ManualDraft.read(fields | labels, cycle).edition(cycle)
    assert made.version == edition.version
    assert ManualDraft.of(cycle).edition(cycle).version == edition.version


def test_words_can_be_taken_from_the_ranks_again():
    edition = Edition((RELEVANCE,), "1 is best.\n")
    cycle = cycle_of(edition)
    fields = {"question-0": "How?", "definition-0": "", **{f"label-0-{n}": "" for n in range(4)}}
    made = ManualDraft.read(form(edition.version, "1 is best.\n", **fields), cycle).edition(cycle)
    assert made.criteria[0].scale.labels == ()
    assert made.criteria[0].scale.categories == (1, 2, 3, 4)
    with pytest.raises(InvalidArgument, match="some have none"):
        ManualDraft.read(form("", "", **fields | {"label-0-2": "bad"}), cycle).edition(cycle)


def test_a_draft_of_an_older_version_keeps_its_words_and_takes_the_rest_from_the_newest():
    old = Edition((RELEVANCE, studies.VISUAL), "1 is best.\n")
    clearer = studies.Criterion("Clarity", "How very clear?", studies.LINE)
    new = Edition((RELEVANCE, clearer), "1 is the best rank.\n")
    cycle = cycle_of(old, new)
    own = form(old.version, "1 is best. Do not guess.\n", **{"question-0": "How relevant is it?"})
    draft = ManualDraft.read(own | {"definition-0": "", **_labels()}, cycle).rebased(cycle)
    assert draft.based_on == new.version
    assert draft.guidelines == "1 is best. Do not guess.\n"
    assert [each.question for each in draft.criteria] == ["How relevant is it?", "How very clear?"]
    untouched = ManualDraft.read(form(old.version, old.guidelines), cycle).rebased(cycle)
    assert untouched.guidelines == new.guidelines


def _labels():
    return {f"label-0-{place}": words for place, words in enumerate(RELEVANCE.scale.labels)}


@pytest.mark.parametrize("rows", ["", "x", "-1", "0", "99999999"])
def test_a_form_asks_for_no_more_changes_than_there_is_room_for(rows):
    cycle = cycle_of(Edition((RELEVANCE,), "1 is best.\n"))
    assert len(ManualDraft.read(form("", "") | {"rows": rows}, cycle).changes) <= 20


def test_what_stayed_is_folded_but_for_a_paragraph_on_either_side():
    new = TEN.replace("Paragraph 5.", "Paragraph five is new.").replace("Paragraph 9.\n\n", "")
    found = compare_editions(Edition((), TEN), Edition((), new))
    shown = [
        (each.kind, len(each.folded) or " ".join(words for _, words in each.words))
        for each in found.pieces
    ]
    assert shown == [
        ("folded", 3),
        ("same", "Paragraph 4."),
        ("changed", "Paragraph 5. five is new."),
        ("same", "Paragraph 6."),
        ("folded", 1),
        ("same", "Paragraph 8."),
        ("removed", "Paragraph 9."),
        ("same", "Paragraph 10."),
    ]
    assert found.counted == "Paragraphs of the guidelines: 1 changed, 1 removed."
    assert found.pieces[2].words == ((" ", "Paragraph"), ("-", "5."), ("+", "five is new."))


def test_every_word_of_both_texts_is_in_the_comparison():
    old = "# A\n\nOne two.\n\n- x\n- y\n\nThree four five.\n"
    new = "# B\n\nOne two three.\n\n- y\n- z\n\nThree five.\n\nSix.\n"
    pieces = compare_editions(Edition((), old), Edition((), new)).pieces
    for text, skipped in ((old, "+"), (new, "-")):
        words = [word for each in pieces for kind, run in each.words if kind != skipped
                 for word in run.split()]  # fmt: skip
        folded = [word for each in pieces for one in each.folded for word in one.split()]
        assert sorted(words + folded) == sorted(text.split())


def test_a_criterion_that_is_reworded_is_compared_word_by_word():
    new = studies.Criterion("relevance", "How relevant is it?", RELEVANCE.scale)
    found = compare_editions(Edition((RELEVANCE,), ""), Edition((new,), ""))
    assert [(each.criterion, each.what) for each in found.scheme] == [("relevance", "question")]
    assert found.counted == "Of the criteria: 1 changed."
    assert not compare_editions(Edition((), "A."), Edition((), "A.")).differences


def test_words_at_the_ends_alone_may_stay_there():
    """A scale with `ends` has ranks without words, which nobody forgot."""
    ends = VerbalScale([1, 2, 3, 4], labels=("rude", "", "", "polite"))
    criterion = replace(RELEVANCE, scale=ends)
    draft = CriterionDraft.of(criterion)
    assert draft.made(criterion).scale == ends
    reworded = replace(draft, labels=("very rude", "", "", "polite"))
    assert reworded.made(criterion).scale.labels == ("very rude", "", "", "polite")


def test_a_rank_that_lost_its_words_among_others_is_asked_about():
    draft = replace(CriterionDraft.of(RELEVANCE), labels=("exactly", "", "a little", "not at all"))
    with pytest.raises(InvalidArgument) as refused:
        draft.made(RELEVANCE)
    assert refused.value.code == "web.some-ranks-worded"
