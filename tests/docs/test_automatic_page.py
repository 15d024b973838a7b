"""The page about automatic judges: its commands run and print what it shows."""

import subprocess
import sys

import pytest

from tests.docs.pages import DOCS, blocks
from tests.docs.test_tutorial import run, shows

PAGE = (DOCS / "automatic.md").read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path):
    for name in ("summaries.csv", "scores.csv"):
        (tmp_path / name).write_bytes((DOCS / "examples" / name).read_bytes())
    return tmp_path


def test_the_rows_that_the_page_shows_open_the_file_that_ships():
    (shown,) = blocks(PAGE, "csv")
    assert (DOCS / "examples" / "scores.csv").read_text(encoding="utf-8").startswith(shown)


def test_the_command_prints_what_the_page_shows(folder):
    (block,) = blocks(PAGE, "console")
    command, *shown = block.splitlines()
    done = run(command.removeprefix("$ "), folder)
    assert done.returncode == 0, done.stdout
    assert shows(done.stdout, shown), done.stdout
    assert (folder / "summaries-automatic.html").stat().st_size > 1000


def test_the_python_of_the_page_runs(folder):
    (code,) = blocks(PAGE, "python")
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=folder
    )
    assert done.stdout.strip() == "[('gpt-judge', 'open'), ('rouge', 'unknown')]"
    assert (folder / "answer.html").exists()
