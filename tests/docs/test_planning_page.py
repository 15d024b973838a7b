"""The page about planning: its commands and its Python print what it shows."""

import re
from pathlib import Path

import pytest

from tests.docs.test_tutorial import run

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "planning.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_command_prints_what_the_page_shows(tmp_path):
    (tmp_path / "systems.csv").write_bytes((DOCS / "examples" / "systems.csv").read_bytes())
    (block,) = blocks("console")
    command, *shown = block.splitlines()
    done = run(command.removeprefix("$ "), tmp_path)
    assert done.returncode == 0, done.stdout
    before, after = "\n".join(shown).split("…\n")
    assert before in done.stdout
    assert after in done.stdout


@pytest.mark.parametrize("code", blocks("python"), ids=["no pilot", "preferences", "scales"])
def test_the_python_of_the_page_prints_what_it_says(code, capsys):
    exec(code, {})
    said = re.findall(r"^print\(.*\)  # (\d+)", code, re.MULTILINE)
    assert capsys.readouterr().out.split() == said
