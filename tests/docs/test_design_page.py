"""The page about designs: its commands print what it shows, and its Python runs."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

from covary.cli import main
from covary.design.make import KINDS

PAGE = (Path(__file__).parents[2] / "docs" / "design.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(console|pycon)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
SKIPPED = "…"


def shows(printed, shown):
    """Whether the shown lines stand in the printed ones in this order; each may be cut off."""
    rest = iter(printed.splitlines())
    wanted = [line for line in shown if line and line != SKIPPED]
    return all(any(line.startswith(start) for line in rest) for start in wanted)


def run_command(block, capsys):
    first, *shown = block.splitlines()
    program, *arguments = shlex.split(first.removeprefix("$ "))
    assert program == "covary"
    main(arguments)
    printed = capsys.readouterr()
    assert shows(printed.out + printed.err, shown), printed.out + printed.err


def run_python(block, names):
    found = doctest.DocTestParser().get_doctest(block, names, "design.md", "docs/design.md", 0)
    told = []
    doctest.DocTestRunner().run(found, out=told.append, clear_globs=False)
    names.update(found.globs)
    assert not told, "".join(told)
    assert found.examples


def test_the_page_runs_from_top_to_bottom(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    for language, block in BLOCKS:
        if language == "console":
            run_command(block, capsys)
        else:
            run_python(block, names)
    assert {language for language, _ in BLOCKS} == {"console", "pycon"}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_design_is_on_the_page(kind):
    assert f"| `{kind}` |" in PAGE


def test_a_line_that_is_not_printed_would_be_noticed():
    assert shows("a\nb", ["a", SKIPPED])
    assert not shows("a\nb", ["c"])
