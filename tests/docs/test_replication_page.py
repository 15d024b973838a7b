"""The page about repeats: its example prints what it shows."""

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "replication.md").read_text(encoding="utf-8")


def block(language):
    (only,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return only


def test_the_example_prints_what_the_page_shows(capsys):
    exec(block("python"), {})
    said = capsys.readouterr().out
    assert said.splitlines()[:6] == block("text").splitlines()[:6]
    assert " ".join(said.split()) == " ".join(block("text").split())
