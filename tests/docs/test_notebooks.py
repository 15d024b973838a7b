"""The notebooks: every code cell runs, in order, as Jupyter would run it.

There is no Jupyter among the tests' packages; cells are run one after the other in one namespace,
and what the last line of a cell gives must have a face.
"""

import ast
import json

import pytest

from tests.docs.pages import DOCS

NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))


def run(cell, names):
    """Run a cell, and return what its last line gives."""
    tree = ast.parse(cell)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None


def cells(path, kind):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    return ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == kind]


def test_there_are_five_notebooks_and_each_says_what_it_is_about():
    assert len(NOTEBOOKS) == 5
    assert all(cells(path, "markdown")[0].startswith("# ") for path in NOTEBOOKS)


@pytest.mark.filterwarnings("ignore::covary.errors.SuitabilityWarning")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs(path, monkeypatch, capsys):
    monkeypatch.chdir(path.parent)
    names = {}
    shown = [run(cell, names) for cell in cells(path, "code")]
    assert all(repr(value) for value in shown)
    assert capsys.readouterr().out or any(value is not None for value in shown)
