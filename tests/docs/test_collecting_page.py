"""Every command of the page about collecting runs, in its order, and prints what the page shows."""

import os
import pty
import re
import socket
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.docs.test_tutorial import run, shows

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "collecting.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = [(first.removeprefix("$ "), shown) for first, *shown in map(str.splitlines, BLOCKS)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which the commands run one after another."""
    return tmp_path_factory.mktemp("collecting")


def test_the_page_shows_the_commands_that_it_is_about():
    verbs = [command.split()[1] for command, _ in COMMANDS]
    assert verbs == [
        "init", "design", "simulate", "export", "report", "links", "check-store", "backup",
    ]  # fmt: skip


@pytest.mark.parametrize(("command", "shown"), COMMANDS, ids=[c for c, _ in COMMANDS])
def test_a_command_runs_and_prints_what_the_page_shows(command, shown, folder):
    done = run(command, folder)
    assert done.returncode == 0, done.stdout
    assert shows(done.stdout, shown), done.stdout
    for name in re.findall(r"^Written: (.+)$", done.stdout, re.MULTILINE):
        assert (folder / name).stat().st_size > 500


def test_serving_prints_what_the_page_shows(folder):
    (shown,) = re.findall(r"^```text\n\$ covary serve (.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    arguments, *lines = shown.splitlines()
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = str(probe.getsockname()[1])
    near, far = pty.openpty()  # your own link is printed on a terminal only
    termios.tcsetwinsize(far, (50, 200))
    with subprocess.Popen(
        [sys.executable, "-m", "covary", "serve", *arguments.split(), "--port", port],
        cwd=folder,
        stdout=far,
        stderr=subprocess.STDOUT,
        env={**os.environ, "NO_COLOR": "1", "TERM": "xterm", "COLUMNS": "200"},
    ) as server:
        os.close(far)
        printed = []
        with open(near, encoding="utf-8") as terminal:
            for line in terminal:
                printed.append(re.sub(r"\x1b\[[0-9;]*m", "", line))
                if printed[-1].startswith("Serving at"):
                    break
            server.terminate()
            server.wait()
    wanted = [re.sub(r"J\d+|\b8000\b", "", line).partition("…")[0] for line in lines]
    said = re.sub(rf"J\d+|\b{port}\b", "", "".join(printed))
    assert shows(said, [line for line in wanted if line])


@pytest.mark.parametrize("name", re.findall(r"\]\((images/[^)]+)\)", PAGE))
def test_every_picture_is_there_and_has_a_size_that_can_be_read(name):
    picture = (DOCS / name).read_bytes()
    assert picture.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", picture[16:24])
    assert 600 <= width <= 1600
    assert 300 <= height <= 4000
    assert len(picture) < 300_000


def test_every_link_of_the_page_leads_somewhere():
    for target in re.findall(r"\]\(([^)#]+)", PAGE):
        assert (DOCS / target).exists(), target


def test_the_judge_pages_in_the_pictures_are_described():
    assert len(re.findall(r"!\[[^\]]{20,}\]\(images/", PAGE)) == 3
