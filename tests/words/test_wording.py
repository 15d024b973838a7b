"""A fact becomes a sentence in one place, in the voice of whoever reads it."""

import copy
import pickle
import threading
import warnings

import pytest

from covary import words
from covary.errors import InvalidArgument, UndefinedWarning, quiet, warn
from covary.words import PYTHON, TERMINAL, Note, reword, word
from covary.words.__main__ import main as print_sentences


@pytest.fixture
def catalogue(monkeypatch):
    """A catalogue of one's own, so that these tests do not depend on any sentence."""
    sentences = {
        "test.choice": "{given} is not known; {choice}",
        "test.meant": "no column {value!r}{meant}",
        "test.way-out": "say {option.item:{column!r}}, or {option.judges:'slots'}",
        "test.select": "keep one with {select.judge:{judge!r}}",
        "test.list": "{names:list 2} on {criteria:and}",
        "test.count": "{n:count criterion criteria} and {m:count item}",
        "test.logic": lambda facts: "none" if facts["n"] == 0 else f"{facts['n']} left",
        "test.data": "{judge} has the sheet",
    }
    monkeypatch.setattr(words, "CATALOGUE", sentences)
    return sentences


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("ordnal", "level='ordnal' is not known; did you mean 'ordinal'?"),
        ("x", "level='x' is not known; choose one of 'nominal', 'ordinal'"),
    ],
)
def test_an_error_names_its_argument_and_what_is_allowed(catalogue, value, sentence):
    error = InvalidArgument(
        "test.choice", argument="level", value=value, allowed=("nominal", "ordinal")
    )
    assert str(error) == sentence


def test_an_error_carries_its_facts(catalogue):
    error = InvalidArgument("test.data", argument="a", value=1, allowed=[2], rows=[3], judge="Ann")
    assert (error.code, error.argument, error.value) == ("test.data", "a", 1)
    assert (error.allowed, error.rows, error.data) == ((2,), (3,), {"judge": "Ann"})


def test_the_same_fact_reads_otherwise_on_a_terminal(catalogue):
    error = InvalidArgument("test.way-out", column="qid")
    assert str(error) == "say item='qid', or judges='slots'"
    assert reword(error, TERMINAL) == "say --item 'qid', or --slots"


def test_a_choice_of_ratings_reads_as_a_call_or_as_an_option(catalogue):
    assert word("test.select", {"judge": "Ann"}) == "keep one with ratings.select(judge='Ann')"
    assert word("test.select", {"judge": "Ann"}, TERMINAL) == "keep one with --only judge=Ann"


def test_the_nearest_name_is_asked_for_and_silence_kept_where_none_is_near(catalogue):
    near = {"value": "reprot", "allowed": ["export", "report"]}
    assert word("test.meant", near) == "no column 'reprot'; did you mean 'report'?"
    assert word("test.meant", near | {"value": "zzz"}) == "no column 'zzz'"


def test_lists_and_counts_are_written_as_people_write_them(catalogue):
    assert word("test.list", {"names": "abc", "criteria": ["x", "y", "z"]}) == (
        "'a', 'b' and 1 more on x, y and z"
    )
    assert word("test.count", {"n": 1, "m": 1200}) == "1 criterion and 1,200 items"
    assert word("test.count", {"n": 2, "m": 1}) == "2 criteria and 1 item"


def test_a_sentence_may_depend_on_the_facts(catalogue):
    assert [word("test.logic", {"n": n}) for n in (0, 2)] == ["none", "2 left"]


def test_a_fact_can_be_told_with_other_names(catalogue):
    error = InvalidArgument("test.data", judge="Ann")
    assert reword(error, PYTHON, judge="judge 2") == "judge 2 has the sheet"


def test_what_is_no_fact_is_told_as_it_is():
    assert reword(ValueError("as it is")) == "as it is"


def test_a_note_is_text_that_knows_its_facts(catalogue):
    note = Note("test.data", judge="Ann")
    assert note == "Ann has the sheet"
    assert (note.code, dict(note.data)) == ("test.data", {"judge": "Ann"})
    assert reword(note, judge="Bob") == "Bob has the sheet"


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_a_note_and_an_error_survive_copies(catalogue, again):
    note, error = (
        again(Note("test.data", judge="Ann")),
        again(InvalidArgument("test.data", judge="B")),
    )
    assert (note.code, dict(note.data)) == ("test.data", {"judge": "Ann"})
    assert (error.code, error.data, str(error)) == ("test.data", {"judge": "B"}, "B has the sheet")


def test_quiet_holds_back_the_warnings_of_its_own_thread_alone():
    def other():
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            warn("from the other thread", UndefinedWarning)
        heard.extend(str(entry.message) for entry in seen)

    heard: list[str] = []
    with quiet():
        warn("held back; warnings are errors here", UndefinedWarning)
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert heard == ["from the other thread"]
    with pytest.warns(UndefinedWarning, match="after"):
        warn("after", UndefinedWarning)


def test_every_sentence_can_be_printed_for_an_editor(capsys):
    """The catalogue's templates, what functions say, and what commands and pages hold."""
    print_sentences(("verdict", "reliability.suspect", "words/verdict.py", "web/templates/"))
    lines = capsys.readouterr().out.splitlines()
    assert "reliability.suspect" in lines
    assert "    Agreement cannot be computed for these ratings." in lines
    assert any(line.startswith("web/templates/") for line in lines)
    assert not any('"""' in line for line in lines)


def test_an_order_of_many_systems_is_not_written_out_twice():
    names = [f"sequence-to-sequence-transformer-{number:02d}" for number in range(12)]
    facts = {"reason": "", "balanced": False, "changed": True, "n_judges": 4}
    swapped = [names[1], names[0], *names[2:]]
    many = str(Note("systems.severity", before=names, after=swapped, **facts))
    assert many.endswith("removing their severity changes the rank of 2 of the 12 systems.")
    few = str(Note("systems.severity", before=names[:2], after=swapped[:2], **facts))
    assert few.endswith(f"from {names[0]}, {names[1]} to {names[1]}, {names[0]}.")
