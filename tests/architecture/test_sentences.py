"""Facts travel as facts: nothing reads meaning out of a sentence, or silences covary's warnings.

A text is what an error, a note, a finding, a fault or a verdict says. No code compares it with
another text, looks for a beginning, an end or a part of it, or lays a pattern over it.
"""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.architecture.source import FUNCTIONS, Module, Package

FACTS = ("error", "exception", "note", "finding", "fault", "verdict", "warning", "refusal")
"""Names of things that have a text end with one of these."""

SAYING = {"message", "sentence", "title", "evidence", "advice", "reason", "args"}
"""What a fact says in words, by the name of the field."""

MAKING_TEXT = {"str", "repr", "format", "word", "reword"}
LOOKING = {"startswith", "endswith", "find", "rfind", "index", "count", "partition", "rpartition"}
LOOKING |= {"removeprefix", "removesuffix"}
PATTERNS = {"search", "match", "fullmatch", "findall", "finditer", "sub", "subn"}
COMPARING = (ast.Eq, ast.NotEq, ast.In, ast.NotIn)
LOOKED_AT = (ast.Compare, ast.Call)

ALLOWED = {
    "covary.formats.toml_tables": "tomllib says the line of a fault nowhere but in its message",
}
"""Modules that read the text of somebody else's error, and why."""

WARNINGS_HELD_BACK = {
    "covary.formats.spark_tables": "PySpark's own FutureWarning, while PySpark is imported",
}
"""Modules that may call catch_warnings, and why."""


def readings(package: Package) -> list[str]:
    """Each place where the text of a fact is compared or searched."""
    return [
        f"{module.place(node.lineno)} {ast.unparse(node)}"
        for module in package.modules
        if module.name not in ALLOWED
        for node in readings_in(module)
    ]


def readings_in(module: Module) -> Iterator[ast.expr]:
    caught = {
        node.name for node in module.nodes if isinstance(node, ast.ExceptHandler) and node.name
    }
    functions = [node for node in module.nodes if isinstance(node, FUNCTIONS)]
    for scope in (module.tree, *functions):
        nodes = own_nodes(scope)
        texts = names_of_texts(nodes, caught)
        for node in nodes:
            if isinstance(node, LOOKED_AT) and reads_text(node, caught, texts):
                yield node


def own_nodes(scope: ast.AST) -> list[ast.AST]:
    """The nodes of a function or module that are not those of a function inside it."""
    nodes = list(ast.iter_child_nodes(scope))
    for node in nodes:  # which grows as it is walked
        if not isinstance(node, FUNCTIONS):
            nodes.extend(ast.iter_child_nodes(node))
    return nodes


def names_of_texts(nodes: list[ast.AST], caught: set[str]) -> set[str]:
    """The variables of a scope that hold the text of a fact."""
    return {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and is_text(node.value, caught, set())
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def is_fact(node: ast.expr, caught: set[str]) -> bool:
    """Whether an expression is an error, a note, …, by its name or because it was caught."""
    if isinstance(node, ast.Name):
        return node.id in caught or node.id.lower().endswith(FACTS)
    return isinstance(node, ast.Attribute) and node.attr.lower().endswith(FACTS)


def is_text(node: ast.expr, caught: set[str], texts: set[str]) -> bool:
    """Whether an expression is what a fact says."""
    if isinstance(node, ast.Name):
        return node.id in texts or node.id == "note"
    if isinstance(node, ast.Attribute):
        return node.attr in SAYING and is_fact(node.value, caught)
    if isinstance(node, ast.Subscript):
        return is_text(node.value, caught, texts)
    if isinstance(node, ast.JoinedStr):
        parts = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
        return any(is_fact(part, caught) or is_text(part, caught, texts) for part in parts)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        makes = node.func.id in {"word", "reword"} or any(is_fact(a, caught) for a in node.args)
        return node.func.id in MAKING_TEXT and makes
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return is_text(node.func.value, caught, texts)  # str(error).lower()
    return False


def reads_text(node: ast.expr, caught: set[str], texts: set[str]) -> bool:
    """Whether an expression compares a text, looks into it or lays a pattern over it."""
    if isinstance(node, ast.Compare):
        compared = any(isinstance(operator, COMPARING) for operator in node.ops)
        return compared and any(
            is_text(side, caught, texts) for side in (node.left, *node.comparators)
        )
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr in LOOKING:
        return is_text(node.func.value, caught, texts)
    return node.func.attr in PATTERNS and any(is_text(a, caught, texts) for a in node.args)


def warnings_caught(package: Package) -> list[str]:
    return [
        module.place(node.lineno)
        for module in package.modules
        if module.name not in WARNINGS_HELD_BACK
        for node in module.nodes
        if "catch_warnings" in (getattr(node, "attr", ""), getattr(node, "id", ""))
    ]


def own_warnings_ignored(package: Package) -> list[str]:
    """Filters that hold back more than a named warning of somebody else."""
    return [
        module.place(node.lineno)
        for module in package.modules
        for node in module.nodes
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", "") in {"simplefilter", "filterwarnings"}
        and not {"FutureWarning", "DeprecationWarning"}
        & {getattr(argument, "id", "") for argument in node.args}
    ]


def test_nothing_reads_meaning_out_of_a_sentence(covary_source):
    assert readings(covary_source) == []


def test_every_allowed_module_still_needs_it(covary_source):
    modules = {module.name: module for module in covary_source.modules}
    assert [name for name in ALLOWED if not list(readings_in(modules[name]))] == []


def test_warnings_are_caught_only_with_a_reason(covary_source):
    assert warnings_caught(covary_source) == []
    assert own_warnings_ignored(covary_source) == []


CAUGHT = "try:\n    f()\nexcept ValueError as {name}:\n    {line}"


@pytest.mark.parametrize(
    "line",
    [
        "known = 'no such' in str(why)",
        "known = str(why) == 'no such'",
        "known = str(why).startswith('no')",
        "known = str(why).lower().endswith('such')",
        "known = re.search('such', str(why))",
        "known = PATTERN.match(f'{why}')",
        "known = why.args[0] == 'no such'",
        "text = str(why)\n    known = 'no' in text",
        "head, _, rest = str(why).partition(':')",
    ],
)
def test_reading_the_text_of_an_error_is_found(made_up, line):
    package = made_up({"cli.py": CAUGHT.format(name="why", line=line)})
    assert len(readings(package)) == 1


@pytest.mark.parametrize(
    "line",
    [
        "low = finding.title.startswith('Almost')",
        "low = 'sorted' in note",
        "low = [note for note in notes if note.startswith('Read')]",
        "low = result.verdict.sentence == 'The judges agree.'",
        "low = re.match('The', reword(fact))",
        "low = 'agree' in word(code, facts)",
        "low = fault.message in known",
        "low = re.sub(r'judge \\w+', 'a judge', str(self.error))",
        "def f(refusal):\n    text = f'{refusal}'\n    return text.removeprefix('no ')",
    ],
)
def test_reading_the_text_of_a_finding_note_fault_or_verdict_is_found(made_up, line):
    assert len(readings(made_up({"reports/a.py": line}))) == 1


@pytest.mark.parametrize(
    "line",
    [
        "low = finding.code == 'sorted-columns'",
        "low = error.code.startswith('formats.')",
        "low = verdict.word in words",
        "shown = str(error).splitlines()[0]",
        "shown = f'{file}: {note}'",
        "shown = [str(note) for note in notes]",
        "same = notes == other.notes",
        "low = PATTERN.search(text)",
        "def f(error):\n    text = str(error)\ndef g(text):\n    return 'a' in text",
    ],
)
def test_facts_shown_or_told_apart_by_their_code_are_left_alone(made_up, line):
    assert readings(made_up({"reports/a.py": line})) == []


@pytest.mark.parametrize(
    "line",
    [
        "with warnings.catch_warnings():\n    f()",
        "from warnings import catch_warnings\nwith catch_warnings():\n    f()",
    ],
)
def test_a_silenced_warning_is_found(made_up, line):
    assert len(warnings_caught(made_up({"stats/a.py": line}))) >= 1


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("warnings.simplefilter('ignore')", 1),
        ("warnings.simplefilter('ignore', CovaryWarning)", 1),
        ("warnings.filterwarnings('ignore', message='no value')", 1),
        ("warnings.simplefilter('ignore', FutureWarning)", 0),
    ],
)
def test_a_filter_over_covarys_own_warnings_is_found(made_up, line, number):
    assert len(own_warnings_ignored(made_up({"stats/a.py": line}))) == number


UNFILLED = re.compile(r"\{[a-z_][\w.]*\([^{}]*\)[^{}]*\}")
"""A place of an f-string, in a text that is none."""


def unfilled(package: Package) -> list[str]:
    """Each text that shows the code of a place that nothing fills."""
    return [
        f"{module.place(node.lineno)} {node.value}"
        for module in package.modules
        for node in module.nodes
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and ">>>" not in node.value  # an example's code is to be shown
        and UNFILLED.search(node.value)
    ]


def test_no_text_shows_the_code_that_should_fill_it(covary_source):
    """An `f` is missing before one of the parts of a sentence."""
    assert unfilled(covary_source) == []


def test_a_text_whose_place_is_not_filled_is_found(made_up):
    package = made_up({"reports.py": 'TEXT = f"{1} of " "{count(items)} items"'})
    assert len(unfilled(package)) == 1
