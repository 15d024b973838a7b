"""The changes that must never survive can still be made: the source says what they quote."""

import ast
import tomllib

import pytest

from tests.mutants.__main__ import MUST_DIE, ROOMS, SOURCE, must_die

NAMED = tomllib.loads(MUST_DIE.read_text(encoding="utf-8"))["change"]


def test_every_named_change_is_of_a_room_and_of_a_file_in_it():
    for entry in NAMED:
        assert entry["file"].startswith(ROOMS[entry["room"]][0]), entry


@pytest.mark.parametrize("room", ROOMS)
def test_each_named_change_is_found_once_and_leaves_a_program(room):
    named = [entry for entry in NAMED if entry["room"] == room]
    found = list(must_die(room))
    assert [mutant.change.before for mutant in found] == [entry["before"] for entry in named]
    for mutant in found:
        source = (SOURCE / mutant.file).read_bytes()
        assert source.count(mutant.change.before.encode()) == 1, mutant
        assert ast.dump(ast.parse(mutant.change.apply(source))) != ast.dump(ast.parse(source))
