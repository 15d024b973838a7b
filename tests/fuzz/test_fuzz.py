"""A short share of `make fuzz`, the same in every run."""

from random import Random

from tests.fuzz.mutants import DAMAGE, MOVED, SAME
from tests.fuzz.reading import fuzz


def test_changed_files_are_read_alike_or_refused_in_words(tmp_path):
    tally = fuzz(tmp_path, inputs=120, seed=1)
    assert not tally.faults, "\n".join(tally.faults)
    assert tally.read > 10
    assert tally.refused > 10
    assert tally.compared > 10


def test_every_change_changes_the_file():
    text = "item,judge,rating\nS1,Ann,1\nS1,Bo,2\n"
    for change in (*SAME, *MOVED):
        assert any(change(text, Random(n)) != text.encode() for n in range(5))
    for change in DAMAGE:
        assert any(change(text.encode(), Random(n)) != text.encode() for n in range(5))
