"""The page about guidelines: its commands and its Python run in order and say what it shows."""

import doctest
import re
from pathlib import Path

import pytest

from covary.analysis.rounds import rounds
from covary.training import KINDS_OF_CHANGE, PHASES
from tests.analysis.test_rounds import QUALITY, group
from tests.docs.test_tutorial import run, shows

PAGE = (Path(__file__).parents[2] / "docs" / "rounds.md").read_text(encoding="utf-8")

BLOCKS = re.findall(r"^```(console|pycon)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def ran(block, names):
    """Run a block of Python in the names of those before it, and return what was not as shown."""
    told = []
    found = doctest.DocTestParser().get_doctest(block, names, "rounds.md", "docs/rounds.md", 0)
    assert found.examples
    doctest.DocTestRunner().run(found, out=told.append, clear_globs=False)
    names.update(found.globs)
    return "".join(told)


def test_the_page_runs_from_top_to_bottom(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for kind, block in BLOCKS:
        if kind == "pycon":
            assert not (told := ran(block, names)), told
            continue
        first, *shown = block.splitlines()
        done = run(first.removeprefix("$ "), tmp_path)
        assert done.returncode == 0, done.stdout
        assert shows(done.stdout, shown), done.stdout
    names["store"].close()
    for name in ("questions/rounds.html", "rounds.html", "rounds.md"):
        assert (tmp_path / name).stat().st_size > 3000


def test_the_page_shows_the_commands_that_it_is_about():
    commands = [block.split()[1:3] for kind, block in BLOCKS if kind == "console"]
    assert commands == [["covary", "init"], *[["covary", "rounds"]] * 4]


def test_the_comparison_with_a_new_group_runs(capsys):
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    judges = [0, 0, 0]
    exec(
        code,
        {
            "rounds": rounds,
            "authors": group(3, QUALITY, judges, 0.2, 1),
            "newcomers": group(3, QUALITY, judges, 0.8, 2, "new"),
        },
    )
    assert capsys.readouterr().out.startswith("A new group reaches alpha")


@pytest.mark.parametrize("phase", PHASES)
def test_the_page_explains_every_phase(phase):
    assert f"| {phase} |" in PAGE


@pytest.mark.parametrize("kind", KINDS_OF_CHANGE)
def test_the_page_explains_every_kind_of_change(kind):
    assert f"*{kind}*" in PAGE
