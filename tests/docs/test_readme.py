"""The README: its example runs, its pictures are there and light, and its links lead somewhere."""

import re
import shlex
import struct
import subprocess
import sys

import click
import pytest

from covary.cli.entry import covary
from tests.docs.pages import ROOT, blocks, links

README = (ROOT / "README.md").read_text(encoding="utf-8")
PICTURES = re.findall(r"!\[([^\]]+)\]\(([^)]+)\)", README)


def test_the_example_gives_what_it_says(tmp_path):
    (code,) = blocks(README, "python")
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    alpha, gamma = re.findall(r"^[^:]+: (\S+)  95% interval", done.stdout, re.MULTILINE)
    assert [f"{float(each):.2f}" for each in (alpha, gamma)] == [
        each if each.startswith("1") else f"0{each}"
        for each in re.findall(r"# (\.?\d[\d.]*): ", code)
    ]
    assert "severity" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [path for _, path in PICTURES])
def test_a_picture_is_there_light_and_described(name):
    picture = (ROOT / name).read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) < 150_000
    width, height = struct.unpack(">II", picture[16:24])
    assert 600 <= width <= 1200
    assert height <= 1500
    assert all(len(described) > 40 for described, _ in PICTURES)


def test_it_shows_a_report_and_a_judges_page():
    assert [path.rpartition("/")[2] for _, path in PICTURES] == ["report.png", "judge-line.png"]


def test_every_link_leads_to_a_file():
    targets = links(README)
    assert len(targets) > 20
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_every_command_that_it_shows_is_one():
    lines = [line for block in blocks(README, "") for line in block.splitlines()]
    commands = [shlex.split(line, comments=True) for line in lines if line.startswith("covary ")]
    assert commands
    for _, name, *arguments in commands:
        command = covary.get_command(click.Context(covary), name)
        assert command.make_context(name, arguments, resilient_parsing=True)


def test_every_verb_of_make_that_it_shows_is_one():
    known = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(re.findall(r"make ([a-z-]+)", README)) <= set(known)
