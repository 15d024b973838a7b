"""Print every sentence that a person can meet, for an editor: `python -m covary.words [PART …]`.

First the catalogue, code by code; then what functions make of facts, the words of judges' pages,
and the texts that commands, reports and pages hold themselves. PART names some of it, by the
beginning of a code or of a file: `python -m covary.words verdict reports/systems`.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from covary.words import CATALOGUE

PACKAGE = Path(__file__).parents[1]
FEWEST_WORDS = 3
"""What has fewer words is a name or a label, and no sentence."""


def find_sentences() -> Iterator[tuple[str, str]]:
    """Give each sentence with its place: a code of the catalogue, or a file and line."""
    for code, sentence in CATALOGUE.items():
        if isinstance(sentence, str):
            yield code, sentence
    for file in sorted(PACKAGE.rglob("*.py")):
        place = file.relative_to(PACKAGE).as_posix()
        for line, text in sorted(_strings(ast.parse(file.read_text(encoding="utf-8")))):
            yield f"{place}:{line}", text
    for file in sorted(PACKAGE.rglob("*.html")):
        place = file.relative_to(PACKAGE).as_posix()
        for line, text in _texts(file.read_text(encoding="utf-8")):
            yield f"{place}:{line}", text


def _strings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Give the strings of a module that are sentences; docstrings and comments are not met."""
    below: list[list[ast.AST]] = [list(tree.body)]
    while below:
        for node in below.pop():
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                continue  # a docstring
            if isinstance(node, ast.JoinedStr):
                parts = (
                    f"{{{ast.unparse(part.value)}}}"
                    if isinstance(part, ast.FormattedValue)
                    else str(ast.literal_eval(part))
                    for part in node.values
                )
                yield from _kept(node.lineno, "".join(parts))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from _kept(node.lineno, node.value)
            else:
                below.append(list(ast.iter_child_nodes(node)))


def _texts(page: str) -> Iterator[tuple[int, str]]:
    """Give the texts of a template between its tags."""
    for match in re.finditer(r">([^<>]+)<", page):
        yield from _kept(page.count("\n", 0, match.start()) + 1, match[1])


def _kept(line: int, text: str) -> Iterator[tuple[int, str]]:
    text = " ".join(text.split())
    words = re.findall(r"\b[A-Za-z]{2,}\b", re.sub(r"\{.*?\}", "", text))
    if len(words) >= FEWEST_WORDS and re.search(r"[a-z] [a-z]", text):
        yield line, text


def main(parts: tuple[str, ...]) -> None:
    """Print the sentences whose place begins with one of the parts, or all of them."""
    for place, text in find_sentences():
        if not parts or place.startswith(parts):
            sys.stdout.write(f"{place}\n    {text}\n")


if __name__ == "__main__":
    main(tuple(sys.argv[1:]))
