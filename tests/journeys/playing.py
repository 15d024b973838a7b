"""A page of the documentation played as it stands: its study, and every command on it in order."""

import io
import re
import shlex
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

from covary.cli import main

DOCS = Path(__file__).parents[2] / "docs"


def run(arguments, folder):
    """Run a command in this process, in a folder; its exit code and what it printed."""
    out, error = io.StringIO(), io.StringIO()
    with chdir(folder), redirect_stdout(out), redirect_stderr(error):
        code = main([str(word) for word in arguments])
    return code, out.getvalue(), error.getvalue()


def covary(*arguments, folder="."):
    """Run a command as a person does, and return what it printed."""
    code, out, error = run(arguments, folder)
    assert code == 0, f"{arguments}\n{out}\n{error}"
    return out


def blocks_on(page, language):
    """The blocks of a language on a page."""
    text = (DOCS / page).read_text(encoding="utf-8")
    every = re.findall(r"^```([a-z]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [block for kind, block in every if kind == language]


def commands_on(page):
    """The commands on a page in their order, each as words after 'covary'."""
    lines = (line for block in blocks_on(page, "") for line in block.splitlines())
    return [shlex.split(line)[1:] for line in lines if line.startswith("covary ")]


def play(page, folder, *, instead=None):
    """Run every command of a page but the server, and return what each printed, by its words.

    `instead` has what is added to a command, by its first words.
    """
    printed = {}
    for words in commands_on(page):
        if words[0] == "serve":
            continue
        name = " ".join(words)
        added = next((more for key, more in (instead or {}).items() if name.startswith(key)), ())
        printed[name] = covary(*words, *added, folder=folder)
    return printed


def printed_by(printed, beginning):
    """What the first command that begins so printed, in one line."""
    name = next(name for name in printed if name.startswith(beginning))
    return " ".join(printed[name].split())
