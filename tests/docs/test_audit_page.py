"""The page about audits: its commands run and print what it shows, and it names every kind."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from covary.analysis.published import KINDS
from tests.docs.test_tutorial import run, shows

PAGE = (Path(__file__).parents[2] / "docs" / "audit.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the page's file of numbers."""
    place = tmp_path_factory.mktemp("audit")
    (place / "numbers.toml").write_text(blocks("toml")[0], encoding="utf-8")
    (place / "survey.toml").write_text(blocks("toml")[1], encoding="utf-8")
    return place


@pytest.mark.parametrize("block", blocks("console"), ids=lambda block: block.splitlines()[0])
def test_a_command_prints_what_the_page_shows(block, folder):
    command, *shown = block.splitlines()
    done = run(command.removeprefix("$ "), folder)
    assert done.returncode == 0, done.stdout
    assert shows(done.stdout, shown), done.stdout


def test_the_coded_paper_of_the_page_is_read(folder):
    done = run("covary audit survey.toml", folder)
    assert "1 of 1 paper (100%) report agreement" in done.stdout


def test_the_python_of_the_page_runs():
    (code,) = blocks("python")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "section 4, hourly rate in dollars 6.81 6.00 or 7.20\n"


def test_the_page_explains_every_kind():
    rows = re.findall(r"^\| (`[a-z, `-]+`) \|", PAGE, re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`([a-z-]+)`", row)} == set(KINDS)


def test_the_page_names_every_key():
    for kind in KINDS.values():
        for key in kind.fields:
            assert re.search(rf"\b{key}\b", PAGE), key
