"""Public names as reStructuredText: a table of what there is, and a directive for each name."""

import ast
import inspect
import re
from collections.abc import Iterator
from types import ModuleType

from sphinx.pycode import ModuleAnalyzer

import covary

MARKS = re.compile(r"`[^`]*`|\*\b[^*]+\b\*(?!\w)|[*|]|(?<=\w)_(?!\w)")
"""Code, emphasis, and single characters that formulas use and reStructuredText takes for marks."""


def formulas_kept(lines: list[str]) -> list[str]:
    """Lines of a docstring in which `|a - b|`, `2 * p` and `p_` stay what they are."""
    paragraphs = re.split(r"(\n\s*\n)", "\n".join(lines))
    return "".join(
        each if each.lstrip().startswith(">>>") else MARKS.sub(_kept, each) for each in paragraphs
    ).split("\n")


def _kept(found: re.Match[str]) -> str:
    return found[0] if len(found[0]) > 1 else rf"\{found[0]}"


def is_at_the_door(module: ModuleType, name: str) -> bool:
    """Whether `covary` itself has this very name."""
    return name in covary.__all__ and getattr(covary, name) is getattr(module, name)


def summary(module: ModuleType, names: list[str]) -> Iterator[str]:
    """A table of names with their first sentences."""
    yield from (".. list-table::", "   :class: summary", "   :widths: 30 70", "")
    for name in names:
        home = "covary" if is_at_the_door(module, name) else module.__name__
        yield f"   * - `{name} <{home}.{name}>`"
        yield f"     - {first_sentence(module, name)}"
    yield ""


def first_sentence(module: ModuleType, name: str) -> str:
    """What a name says about itself, in its first paragraph."""
    paragraph = described(module, name).partition("\n\n")[0]
    return " ".join(formulas_kept([" ".join(paragraph.split())]))


def entries(module: ModuleType, names: list[str]) -> Iterator[str]:
    """A directive for each name."""
    for name in names:
        thing, full = getattr(module, name), f"{module.__name__}.{name}"
        if inspect.ismodule(thing):
            continue  # a page of its own
        if inspect.isclass(thing):
            yield from (f".. autoclass:: {full}", "")
        elif inspect.isroutine(thing):
            yield from (f".. autofunction:: {full}", "")
        else:
            yield from (f".. py:data:: {full}", "")
            lines = formulas_kept(described(module, name).splitlines())
            yield from (f"   {line}" for line in lines)
            yield ""


def described(module: ModuleType, name: str) -> str:
    """The documentation of a name; of a constant, the string below its assignment."""
    thing = getattr(module, name)
    if inspect.ismodule(thing) or inspect.isclass(thing) or inspect.isroutine(thing):
        return inspect.getdoc(thing) or ""
    return "\n".join(below_assignment(module.__name__, name))


def below_assignment(module: str, name: str) -> list[str]:
    """Follow a constant to the module that assigns it, and read what stands below."""
    analyzer = ModuleAnalyzer.for_module(module)
    analyzer.analyze()
    found = analyzer.attr_docs.get(("", name))
    if found:
        return found
    if module == "covary" and name in covary._HOMES:
        return below_assignment(covary._HOMES[name], name)
    for statement in ast.parse(analyzer.code).body:
        if isinstance(statement, ast.ImportFrom) and any(
            name == (each.asname or each.name) for each in statement.names
        ):
            return below_assignment(str(statement.module), name)
    return []
