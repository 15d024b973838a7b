"""Files and identifiers use covary's words."""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.architecture.source import Module, Package

# A thing without a room shows that a room is missing.
NO_ROOM = {"util", "helper", "common", "core", "base", "manager", "service"}

# banned word: what covary calls it
WORDS = {
    "annotation": "rating",
    "annotator": "judge",
    "coder": "judge",
    "rater": "judge",
    "worker": "judge",
}

# To sample is a verb that statistics needs, so functions may; a thing that is judged is an item.
WORDS_FOR_THINGS = WORDS | {"sample": "item"}

# Rooms that speak to the outside world use its words.
OUTSIDE = {"formats", "crowd"}

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def rooms_that_are_none(package: Package) -> list[str]:
    return [
        module.name
        for module in package.modules
        if NO_ROOM & {singular(part.strip("_")) for part in module.name.split(".")[1:]}
    ]


def foreign_words(package: Package) -> list[str]:
    """Each use of a banned word in a name that the package defines."""
    return [
        f"{module.place(line)} {name}: say {words[word]}"
        for module in package.modules
        if module.room not in OUTSIDE
        for name, line, words in defined_names(module)
        for word in words_in(name)
        if word in words
    ]


def words_in(name: str) -> list[str]:
    """The words of a snake_case or CamelCase name, small and singular."""
    return [singular(word) for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)]


def singular(word: str) -> str:
    return word.lower().removesuffix("s")


def defined_names(module: Module) -> Iterator[tuple[str, int, dict[str, str]]]:
    """The module's own name, then each function, class, parameter and attribute it defines."""
    yield module.name.rpartition(".")[2], 1, WORDS
    for node in module.nodes:
        if isinstance(node, FUNCTIONS):
            yield node.name, node.lineno, WORDS
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno, WORDS_FOR_THINGS
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno, WORDS_FOR_THINGS
        elif isinstance(node, ast.ClassDef):
            yield node.name, node.lineno, WORDS_FOR_THINGS
            yield from ((name, line, WORDS_FOR_THINGS) for name, line in fields_of(node))


def fields_of(node: ast.ClassDef) -> Iterator[tuple[str, int]]:
    """The names assigned in the body of a class."""
    for statement in node.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        yield from ((name.id, name.lineno) for name in targets if isinstance(name, ast.Name))


def test_no_folder_or_module_is_a_warehouse(covary_source):
    assert rooms_that_are_none(covary_source) == []


def test_names_use_the_words_of_covary(covary_source):
    assert foreign_words(covary_source) == []


@pytest.mark.parametrize("path", ["utils/__init__.py", "stats/_helpers.py", "web/core/pages.py"])
def test_a_warehouse_is_found(made_up, path):
    assert len(rooms_that_are_none(made_up({path: ""}))) == 1


@pytest.mark.parametrize(
    ("source", "advice"),
    [
        ("def rater_pairs(): ...", "rater_pairs: say judge"),
        ("class CrowdWorker: ...", "CrowdWorker: say judge"),
        ("def f(n_coders): ...", "n_coders: say judge"),
        ("def f(*, annotations=()): ...", "annotations: say rating"),
        ("def f(samples): ...", "samples: say item"),
        ("class C:\n    n_annotators: int", "n_annotators: say judge"),
        ("class C:\n    def f(self):\n        self.sample = 1", "sample: say item"),
    ],
    ids=["function", "class", "parameter", "keyword", "thing", "field", "attribute"],
)
def test_a_foreign_word_is_found(made_up, source, advice):
    found = foreign_words(made_up({"stats/alpha.py": source}))
    assert [line.split(" ", 1)[1] for line in found] == [advice]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("stats/resample.py", "def sample(resamples, decoder): ..."),
        ("formats/mturk.py", "def f(worker): ..."),
        ("crowd/prolific.py", "class Annotator: ..."),
    ],
    ids=["verb", "formats", "crowd"],
)
def test_a_word_in_its_place_is_left_alone(made_up, path, source):
    assert foreign_words(made_up({path: source})) == []
