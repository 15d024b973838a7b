"""The page about crowds: its commands and its code run and print what it shows."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from covary.analysis.crowd.arrangements import COEFFICIENTS
from covary.cli.crowd import crowd
from tests.docs.test_tutorial import run, shows

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "crowd.md").read_text(encoding="utf-8")
FILES = ("crowd.csv", "experts.csv", "talks.csv", "batch.csv")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the page's files."""
    place = tmp_path_factory.mktemp("crowd")
    for name in FILES:
        (place / name).write_bytes((DOCS / "examples" / name).read_bytes())
    return place


@pytest.mark.parametrize("block", blocks("console"), ids=lambda block: block.split(" -")[0][2:])
def test_a_command_prints_what_the_page_shows(block, folder):
    command, *shown = block.splitlines()
    done = run(command.removeprefix("$ "), folder)
    assert done.returncode == 0, done.stdout
    assert shows(done.stdout, shown), done.stdout
    for written in re.findall(r" -o (\S+)", command):
        assert (folder / written).stat().st_size > 100


def test_the_code_prints_what_the_page_shows(folder):
    (code,), (shown,) = blocks("python"), blocks("text")
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=folder,
        encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == shown


def test_the_rows_that_the_page_shows_open_the_file_that_ships():
    (shown,) = blocks("csv")
    assert (DOCS / "examples" / "crowd.csv").read_text(encoding="utf-8").startswith(shown)


def test_what_the_page_says_of_the_files_is_so():
    rated, experts = (
        (DOCS / "examples" / name).read_text(encoding="utf-8").splitlines()[1:]
        for name in ("crowd.csv", "experts.csv")
    )
    assert (len(rated), len(experts)) == (24 * 5 * 5, 24 * 5 * 2)
    assert len({row.split(",")[2] for row in rated}) == 12


def test_the_page_names_every_coefficient_and_every_command():
    for name in (*COEFFICIENTS, *crowd.verbs):
        assert re.search(rf"`[^`\n]*\b{name}\b|covary crowd {name}\b", PAGE) or name in (
            "status",  # what `covary crowd STUDY` asks
        ), name


def test_every_link_leads_to_a_file():
    for target in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (DOCS / target).is_file(), target
