"""The tool that tests the tests finds the changes it promises, one at a time."""

import ast
from pathlib import Path

import pytest

from tests.mutants.changes import changes


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
    ],
)
def test_words_and_types_are_left_alone(source):
    assert changed(source) == []


def test_a_change_knows_its_function_and_its_place_after_letters_of_several_bytes():
    source = "def f():\n    y = 'é×–'; return y < z\n"
    (change,) = changes(source.encode())
    assert (change.function, change.line) == (1, 2)
    assert change.apply(source.encode()).decode() == ("def f():\n    y = 'é×–'; return (y <= z)\n")


def test_every_change_is_a_program():
    source = Path(ast.__file__).read_bytes()
    for number, change in enumerate(changes(source)):
        if number % 50 == 0:
            ast.parse(change.apply(source))
