"""Code that can be taken in: folders form a tree, calls name what they pass, names differ."""

import ast
from collections import Counter
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.architecture.source import Package

MOST_COMPLEX = 15
MOST_PARAMETERS = 7
MOST_POSITIONALS = 4

BRANCHES = (
    *(ast.If, ast.For, ast.While, ast.ExceptHandler, ast.BoolOp, ast.IfExp, ast.comprehension),
    ast.match_case,
)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

FORWARDERS = {"run_in_threadpool", "submit", "einsum", "zip", "opaque_name"}
"""Functions that take a function, a formula, columns or parts of a name, as many as there are."""

SAME_NAME = {
    "Choice": "a mark on a scale, a field of a form, a value of an option",
    "Coefficient": "a coefficient of ratings, and one of an arrangement of votes",
    "Sheet": "the tasks of a judge, and the ratings as a sheet",
    "RoundsOptions": "the options of the command, and what the comparison of rounds was asked",
}
"""Names that several classes may share, because each is at home in its own folder."""


def folder_circle(package: Package) -> list[str]:
    """Folders of one room that import each other, directly or through others; or nothing.

    A folder may know the one that it lies in and those that lie in it.
    """
    graph: dict[str, set[str]] = {}
    for module in package.modules:
        own = folder_of(module.name, module.is_package)
        for found in package.imports(module):
            other = package_folder(package, found.target)
            if own.split(".")[:2] == other.split(".")[:2] and not related(own, other):
                graph.setdefault(own, set()).add(other)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def package_folder(package: Package, name: str) -> str:
    return folder_of(name, any(m.name == name and m.is_package for m in package.modules))


def folder_of(name: str, is_package: bool) -> str:
    return name if is_package else name.rpartition(".")[0]


def related(one: str, other: str) -> bool:
    return f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.")


def long_calls(package: Package) -> list[str]:
    """Calls with more positionals than can be told apart."""
    return [
        f"{module.place(node.lineno)} {ast.unparse(node)[:80]}"
        for module in package.modules
        for node in module.nodes
        if isinstance(node, ast.Call) and len(node.args) > MOST_POSITIONALS
        if getattr(node.func, "attr", getattr(node.func, "id", "")) not in FORWARDERS
    ]


def functions_of(package: Package) -> Iterator[tuple[str, str, ast.FunctionDef]]:
    for module in package.modules:
        for node in module.nodes:
            if isinstance(node, DEFINITIONS):
                yield module.room, f"{module.place(node.lineno)} {node.name}", node


def complex_functions(package: Package) -> list[str]:
    return [
        place
        for _, place, node in functions_of(package)
        if 1 + sum(isinstance(inner, BRANCHES) for inner in ast.walk(node)) > MOST_COMPLEX
    ]


def long_parameter_lists(package: Package) -> list[str]:
    """Functions with too many parameters that can be given by position; `cli` follows Click."""
    return [
        place
        for room, place, node in functions_of(package)
        if room != "cli" and len(node.args.posonlyargs + node.args.args) > MOST_PARAMETERS
    ]


def layout_by_hand(package: Package) -> list[str]:
    return [
        module.place(number)
        for module in package.modules
        for number, line in enumerate(module.path.read_text("utf-8").splitlines(), start=1)
        if "fmt: skip" in line or "fmt: off" in line
    ]


def classes_of_one_name(package: Package) -> set[str]:
    names = Counter(
        node.name
        for module in package.modules
        for node in module.nodes
        if isinstance(node, ast.ClassDef)
    )
    return {name for name, times in names.items() if times > 1}


def test_the_folders_of_a_room_form_a_tree(covary_source):
    assert folder_circle(covary_source) == []


def test_no_call_passes_more_than_four_positionals(covary_source):
    assert long_calls(covary_source) == []


def test_no_function_is_too_complex(covary_source):
    assert complex_functions(covary_source) == []


def test_no_parameter_list_is_too_long(covary_source):
    assert long_parameter_lists(covary_source) == []


def test_the_formatter_lays_out_every_line(covary_source):
    assert layout_by_hand(covary_source) == []


def test_a_class_name_means_one_class(covary_source):
    assert classes_of_one_name(covary_source) - SAME_NAME.keys() == set()


def test_folders_that_import_each_other_are_found(made_up):
    files = {f"web/{name}/__init__.py": "" for name in ("judge", "researcher", "rounds")}
    files |= {
        "web/__init__.py": "",
        "web/judge/pages.py": "from covary.web.rounds.talk import x",
        "web/rounds/talk.py": "from covary.web.researcher import y",
        "web/researcher/judges.py": "from ..judge.flow import z",
        "web/judge/flow.py": "",
    }
    circle = folder_circle(made_up(files))
    assert set(circle) == {f"covary.web.{name}" for name in ("judge", "researcher", "rounds")}


def test_a_folder_may_know_the_one_it_lies_in_and_another_beside_it(made_up):
    package = made_up(
        {
            "web/__init__.py": "",
            "web/site.py": "from covary.web.judge import pages",
            "web/judge/__init__.py": "",
            "web/judge/pages.py": "from .. import forms\nfrom ..rounds import talk",
            "web/forms.py": "",
            "web/rounds/__init__.py": "",
            "web/rounds/talk.py": "",
        }
    )
    assert folder_circle(package) == []


@pytest.mark.parametrize(
    ("check", "source", "number"),
    [
        (long_calls, "f(1, 2, 3, 4, 5)", 1),
        (long_calls, "f(1, 2, 3, 4, e=5)", 0),
        (long_calls, "pool.submit(f, 1, 2, 3, 4)", 0),
        (complex_functions, "def f(x):\n" + "    if x: pass\n" * 15, 1),
        (complex_functions, "def f(x):\n" + "    if x: pass\n" * 14, 0),
        (long_parameter_lists, "def f(a, b, c, d, e, f, g, h): ...", 1),
        (long_parameter_lists, "def f(a, b, c, d, e, f, g, *, h): ...", 0),
        (layout_by_hand, "x = [1,2]  # fmt: " + "skip", 1),
        (classes_of_one_name, "class A: ...\nclass B:\n    class A: ...", 1),
    ],
)
def test_each_offence_is_found_and_its_neighbour_left_alone(made_up, check, source, number):
    assert len(check(made_up({"stats/a.py": source}))) == number


def test_a_command_may_have_as_many_parameters_as_options(made_up):
    package = made_up({"cli/a.py": "def f(a, b, c, d, e, f, g, h): ..."})
    assert long_parameter_lists(package) == []
