"""The page about systems: its commands run and print what it shows, and its numbers are right."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from covary.analysis.systems.result import CHOICES
from covary.stats.posthoc import PROCEDURES
from tests.docs.test_tutorial import run, shows

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "systems.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the page's file of ratings."""
    place = tmp_path_factory.mktemp("systems")
    (place / "systems.csv").write_bytes((DOCS / "examples" / "systems.csv").read_bytes())
    return place


def test_the_rows_that_the_page_shows_open_the_file_that_ships():
    whole = (DOCS / "examples" / "systems.csv").read_text(encoding="utf-8")
    (shown,) = blocks("csv")
    assert whole.startswith(shown)


@pytest.mark.parametrize("block", blocks("console"), ids=lambda block: block.splitlines()[0])
def test_a_command_prints_what_the_page_shows(block, folder):
    command, *shown = block.splitlines()
    done = run(command.removeprefix("$ "), folder)
    assert done.returncode == 0, done.stdout
    assert shows(done.stdout, shown), done.stdout
    (name,) = re.findall(r"^Written: (.+)$", done.stdout, re.MULTILINE)
    assert (folder / name).stat().st_size > 1000


def test_the_python_of_the_page_runs(folder):
    shipped, code = blocks("python")
    subprocess.run([sys.executable, "-c", shipped], check=True, cwd=folder)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=folder
    )
    assert done.stdout.splitlines() == [
        "['reference', 'loom', 'anvil', 'kettle']",
        "('reference', 'loom', 'anvil', 'kettle') True",
        "4 of 6",
    ]


def test_the_page_names_every_error_and_every_procedure():
    for name in (*CHOICES, *PROCEDURES):
        assert f"`{name}`" in PAGE, name


def test_every_link_leads_to_a_file():
    for target in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (DOCS / target).is_file(), target
