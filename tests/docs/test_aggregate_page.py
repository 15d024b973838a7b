"""The page about combining votes: its commands and its Python run, and it names everything."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from covary.aggregate import METHODS, RULES
from tests.aggregate.test_banchs import TABLE
from tests.docs.test_tutorial import run, shows

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "aggregate.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("aggregate")
    (place / "votes.csv").write_bytes((DOCS / "examples" / "votes.csv").read_bytes())
    return place


@pytest.mark.parametrize("block", blocks("console"), ids=lambda block: block.splitlines()[0])
def test_a_command_prints_what_the_page_shows(block, folder):
    command, *shown = block.splitlines()
    done = run(command.removeprefix("$ "), folder)
    assert done.returncode == 0, done.stdout
    assert shows(done.stdout, shown), done.stdout
    assert len((folder / "labels.csv").read_text(encoding="utf-8").splitlines()) == 31


def test_the_python_of_the_page_prints_what_it_shows(folder):
    (code,) = blocks("python")
    printed = PAGE.split("```python")[1].split("```\n")[2]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stdout == printed


def test_the_page_names_every_method_and_every_rule():
    rows = re.findall(r"^\| (`[a-z`, -]+`) \|", PAGE, re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`([a-z][a-z-]*)`", row)}
    assert named == METHODS.keys() | RULES.keys()


def test_the_table_of_triples_is_the_tested_one():
    head, a, b = re.findall(r"^\| (?:votes|method [AB]) \|(.*)\|$", PAGE, re.MULTILINE)
    cells = [[cell.strip() for cell in row.split("|")] for row in (head, a, b)]
    assert {kind: (x, y) for kind, x, y in zip(*cells, strict=True)} == TABLE
