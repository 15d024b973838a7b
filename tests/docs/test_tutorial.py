"""Every command of the tutorial runs, on the file it shows, and prints what it says."""

import re
import shlex
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.journeys.playing import run as run_here

DOCS = Path(__file__).parents[2] / "docs"
TUTORIAL = (DOCS / "tutorial.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```console\n(.*?)^```$", TUTORIAL, re.MULTILINE | re.DOTALL)
SKIPPED = "…"


def commands():
    """Each command with the lines that the tutorial shows below it."""
    for block in BLOCKS:
        first, *shown = block.splitlines()
        yield first.removeprefix("$ "), shown


COMMANDS = list(commands())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the tutorial's spreadsheet, in which its commands run one after another."""
    place = tmp_path_factory.mktemp("tutorial")
    (place / "ratings.csv").write_bytes((DOCS / "examples" / "ratings.csv").read_bytes())
    return place


def run(command, folder):
    program, *arguments = shlex.split(command)
    assert program == "covary"
    code, out, error = run_here(arguments, folder)
    return SimpleNamespace(returncode=code, stdout=out + error)


def shows(printed, shown):
    """Whether the shown lines stand in the printed ones in this order; each may be cut off."""
    rest = iter(printed.splitlines())
    wanted = [line for line in shown if line and line != SKIPPED]
    return all(any(line.startswith(start) for line in rest) for start in wanted)


def test_the_tutorial_shows_the_commands_that_it_is_about():
    verbs = [command.split()[1] for command, _ in COMMANDS]
    assert verbs == ["check", "report", "report", "demo"]
    assert all(block.startswith("$ covary ") for block in BLOCKS)


def test_the_file_that_the_tutorial_shows_is_the_file_that_ships():
    (shown,) = re.findall(r"^```csv\n(.*?)^```$", TUTORIAL, re.MULTILINE | re.DOTALL)
    assert shown == (DOCS / "examples" / "ratings.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize(("command", "shown"), COMMANDS, ids=[c for c, _ in COMMANDS])
def test_a_command_runs_and_prints_what_the_tutorial_shows(command, shown, folder):
    done = run(command, folder)
    assert done.returncode == 0, done.stdout
    assert shows(done.stdout, shown), done.stdout
    for name in re.findall(r"^Written: (.+)$", done.stdout, re.MULTILINE):
        assert (folder / name).stat().st_size > 1000


def test_the_methods_that_the_tutorial_quotes_are_in_the_report(folder):
    run("covary report ratings.csv --scale 1-5 -o quoted.md", folder)
    quoted = " ".join(re.findall(r"^> (.*)$", TUTORIAL, re.MULTILINE)).removesuffix(" …")
    assert quoted in (folder / "quoted.md").read_text(encoding="utf-8")


def test_lines_out_of_order_would_be_noticed():
    assert shows("a\nb\nc", ["a", SKIPPED, "c"])
    assert not shows("a\nb\nc", ["c", "a"])
    assert not shows("a", ["b"])
