"""A short share of `make fuzz`, the same in every run."""

from random import Random

import pytest

from tests.fuzz import mutants
from tests.fuzz.inputs import Inputs


@pytest.fixture(scope="module")
def taken(tmp_path_factory):
    with Inputs(tmp_path_factory.mktemp("fuzz"), seed=1) as inputs:
        for number in range(120):
            inputs.take(number)
    return inputs.tallies


@pytest.mark.parametrize("kind", ["ratings", "other files", "forms"])
def test_what_was_changed_is_taken_alike_or_refused_in_words(taken, kind):
    tally = taken[kind]
    assert not tally.faults, "\n".join(tally.faults)
    assert tally.read > 5
    assert tally.refused > 5
    assert tally.compared > 3


def test_every_change_changes_the_file():
    text = "item,judge,rating\nS1,Ann,1\nS1,Bo,2\n"
    for change in (*mutants.SAME, *mutants.MOVED):
        assert any(change(text, Random(n)) != text.encode() for n in range(5))
    for change in mutants.DAMAGE:
        assert any(change(text.encode(), Random(n)) != text.encode() for n in range(5))


def test_every_change_of_a_tree_changes_the_file():
    text = '[{"item": "S1", "judge": "Ann", "rating": [1, 2]}]'
    for change in mutants.JSON_SAME:
        assert change(text, Random(1)) != text.encode()
    for change in mutants.JSON_DAMAGE:
        assert any(change(text.encode(), Random(n)) != text.encode() for n in range(5))
