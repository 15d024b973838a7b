"""The commands as reStructuredText: what each does, its options and its examples."""

import re
from collections.abc import Iterator

import click

from covary.cli.command_group import CommandGroup
from covary.cli.entry import SECTIONS, covary
from covary.cli.reading import NAMES, reads_ratings

Lines = Iterator[str]

SETTINGS = {"--help", "--debug"}
"""Options that every command has; they are described once."""


def all_commands() -> Lines:
    """Every command under the heading of its section, and then what commands share."""
    for title, verbs in SECTIONS.items():
        yield from _heading(title, "=")
        for verb in verbs:
            yield from _command(verb.load(), f"covary {verb.name}", "-~")
    yield from (".. program:: covary", "")
    yield from _reading()
    yield from _heading("Options of every command", "=")
    for parameter in covary.get_params(click.Context(covary)):
        yield from _option(parameter)


def _reading() -> Lines:
    """The options of reading ratings, which several commands have."""
    yield from (".. _reading-ratings:", "")
    yield from _heading("Options of reading ratings", "=")
    readers = [f"``{name}``" for name, verb in covary.verbs.items() if _reads(verb.load())]
    yield f"{', '.join(readers)} read a file of ratings, or a study's folder, and take these."
    yield ""

    @click.command
    @reads_ratings
    def reading() -> None: ...

    for parameter in reading.params:
        yield from _option(parameter)


def _reads(command: click.Command) -> bool:
    return {each.name for each in command.params} >= NAMES - {"file"}


def _command(command: click.Command, name: str, lines: str) -> Lines:
    """One command, and its sub-commands below it."""
    context = click.Context(command, info_name=name)
    yield from (f".. program:: {name}", "")
    yield from _heading(name, lines[0])
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    yield from ("::", "", f"   {usage}", "")
    yield from _text(command.help or "")
    shared = NAMES if _reads(command) else ()
    for parameter in command.get_params(context):
        if parameter.name not in shared and not SETTINGS & {*parameter.opts}:
            yield from _option(parameter)
    if _reads(command):
        yield from ("And the :ref:`options of reading ratings <reading-ratings>`.", "")
    yield from _text(command.epilog or "")
    if isinstance(command, CommandGroup):
        for verb in command.verbs.values():
            yield from _command(verb.load(), f"{name} {verb.name}", lines[1:])


def _option(parameter: click.Parameter) -> Lines:
    """An option with what it takes, its default and what it does."""
    if not isinstance(parameter, click.Option):
        return
    record = parameter.get_help_record(click.Context(click.Command("covary")))
    if record is None:
        return
    names, about = record
    yield f".. option:: {names.replace('[', '').replace(']', '')}"
    yield ""
    yield f"   {_plain(about)}"
    yield ""


def _text(text: str) -> Lines:
    """Paragraphs; those that begin with a mark stand as they are, below their first line."""
    for paragraph in re.split(r"\n\s*\n", re.sub(r"^ +(?=\S)", "", text) if text else ""):
        lines = [line.rstrip() for line in paragraph.strip("\n").splitlines()]
        if lines and lines[0].strip() == "\b":
            yield from _kept(lines[1:])
        elif lines:
            yield from (_plain(" ".join(line.strip() for line in lines)), "")


def _kept(lines: list[str]) -> Lines:
    """A title and lines that keep their breaks and spaces."""
    if lines[0].endswith(":"):
        yield from (f"{_plain(lines[0])}", "")
        lines = lines[1:]
    yield from (".. code-block:: console", "")
    yield from (f"   {line}" for line in lines)
    yield ""


def _plain(text: str) -> str:
    """Text in which no character means anything to reStructuredText."""
    return re.sub(r"([\\*`|_<>\[\]])", r"\\\1", text)


def _heading(text: str, line: str) -> Lines:
    yield from (text, line * len(text), "")
