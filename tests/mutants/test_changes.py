"""The tool that tests the tests finds the changes it promises, one at a time."""

import ast
from pathlib import Path

import pytest

from tests.mutants.changes import changes, run_with


def changed(source: str) -> list[str]:
    return [change.apply(source.encode()).decode() for change in changes(source.encode())]


@pytest.mark.parametrize(
    ("source", "results"),
    [
        ("x = a < b", ["x = (a <= b)"]),
        ("x = a is None", ["x = (a is not None)"]),
        ("x = a - b", ["x = ((a) + (b))"]),
        ("x = a and b", ["x = ((a) or (b))"]),
        ("x = not a", ["x = (a)"]),
        ("x = 3", ["x = (3 + 1)"]),
        ("x = True", ["x = False"]),
        ("if a:\n    pass", ["if (not (a)):\n    pass"]),
        ("x = 1 if a else b", ["x = (1 + 1) if a else b", "x = 1 if (not (a)) else b"]),
    ],
)
def test_one_operator_condition_or_constant_changes_at_a_time(source, results):
    assert changed(source) == results


@pytest.mark.parametrize(
    "source",
    [
        '"""Words, 3 of them."""',
        "def f(x: int = a) -> list[1]: ...",
        'x = f"{a + 1} words"',
        'raise ValueError("words", 1)',
        "assert x == 1",
        "if TYPE_CHECKING:\n    x = 1",
        'x = "a" + b',
        "LIMITS: dict[str, int] = {'a': 20_000, 'b': 16}",
    ],
)
def test_words_types_and_large_settings_are_left_alone(source):
    assert changed(source) == []


def test_a_change_knows_its_place_after_letters_of_several_bytes():
    source = "def f():\n    y = 'é×–'; return y < z\n"
    (change,) = changes(source.encode())
    assert change.line == 2
    assert change.apply(source.encode()).decode() == ("def f():\n    y = 'é×–'; return (y <= z)\n")


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        (1, {6}),  # a constant shows where it is used
        (2, set()),  # one that no function uses, anywhere
        (4, {6, 7, 8, 9}),  # a default shows in the body
        (6, {6}),  # the head of a compound statement alone
        (8, {7, 8}),  # all lines of a statement
        (11, set()),  # a field shows wherever its record is made
    ],
)
def test_a_change_shows_to_the_tests_that_run_its_statement(line, lines):
    source = """A = 1
B = 2
def f(
    x=3,
):
    if x < A:
        y = (1 +
             2)
    return y
class C:
    x: int = 0
"""
    assert run_with(source.encode(), line) == lines


def test_every_change_is_a_program():
    source = Path(ast.__file__).read_bytes()
    for number, change in enumerate(changes(source)):
        if number % 50 == 0:
            ast.parse(change.apply(source))
