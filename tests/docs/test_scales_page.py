"""The page about scales: its script and commands run, and its Python gives what it says."""

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from covary.analysis.scale_comparison import PROCEDURES
from covary.cli import main

PAGE = (Path(__file__).parents[2] / "docs" / "scales.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(python|console|pycon)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
SKIPPED = "…"


def shows(printed, shown):
    """Whether the shown lines stand in the printed ones in this order; each may be cut off."""
    rest = iter(printed.splitlines())
    wanted = [line for line in shown if line and line != SKIPPED]
    return all(any(line.startswith(start) for line in rest) for start in wanted)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which the page's script has run."""
    place = tmp_path_factory.mktemp("scales")
    (script,) = [block for language, block in BLOCKS if language == "python"]
    (place / "make_study.py").write_text(script, encoding="utf-8")
    subprocess.run([sys.executable, "make_study.py"], cwd=place, check=True)
    return place


def test_the_script_writes_the_files_that_the_page_names(folder):
    for name in ("VDS.csv", "VAS.csv", "accuracy.csv", "preference.csv"):
        assert f"`{name}`" in PAGE
        assert (folder / name).stat().st_size > 50


@pytest.mark.parametrize("block", [block for language, block in BLOCKS if language == "console"])
def test_a_command_runs_and_prints_what_the_page_shows(block, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    first, *shown = block.splitlines()
    program, *arguments = shlex.split(first.removeprefix("$ "))
    assert program == "covary"
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert shows(printed, shown), printed
    for name in re.findall(r"^Written: (.+)$", printed, re.MULTILINE):
        assert (folder / name).stat().st_size > 1000


def test_the_python_of_the_page_gives_what_it_says():
    (block,) = [block for language, block in BLOCKS if language == "pycon"]
    found = doctest.DocTestParser().get_doctest(block, {}, "scales.md", "docs/scales.md", 0)
    told = []
    doctest.DocTestRunner().run(found, out=told.append)
    assert found.examples
    assert not told, "".join(told)


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_every_procedure_is_named(procedure):
    assert f"`{procedure}`" in PAGE or f"--procedure {procedure}" in PAGE
