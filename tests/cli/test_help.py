"""The help: a story in sections, short enough to be read, with examples that are commands."""

import re
import shlex

import click
import pytest

from covary.cli.entry import SECTIONS, covary

COMMANDS = tuple(covary.load_all().values())

READERS = [each for each in COMMANDS if any("--input-format" in one.opts for one in each.params)]


def leaves(command, names=()):
    """A command, or its sub-commands, with all their names."""
    named = (*names, command.name)
    if isinstance(command, click.Group):
        return [found for each in command.load_all().values() for found in leaves(each, named)]
    return [(named, command)]


ALL = [found for command in COMMANDS for found in leaves(command)]


def examples(command):
    """The lines of a command's help that begin with the program."""
    lines = re.sub(r" \\\n\s*", " ", command.epilog or "").splitlines()
    return [line.strip() for line in lines if line.strip().startswith("covary ")]


def test_the_sections_tell_a_study_from_ratings_to_help(run):
    lines = run("--help").out.splitlines()
    found = [line.rstrip(":") for line in lines if line.rstrip(":") in SECTIONS]
    assert found == list(SECTIONS)
    places = [next(i for i, line in enumerate(lines) if line.startswith(f"  {each.name} "))
              for each in COMMANDS]  # fmt: skip
    assert places == sorted(places)


def test_every_short_help_is_a_whole_sentence_that_was_not_cut_off(run):
    for line in run("--help").out.splitlines():
        if line.startswith("  ") and line.split()[0] in covary.verbs:
            assert line.endswith((".", "?"))
            assert not line.endswith("...")
            assert len(line) <= 80


@pytest.mark.parametrize("command", READERS, ids=lambda command: command.name)
def test_a_commands_own_options_come_before_those_of_reading(run, command):
    shown = run(command.name, "--help").out
    own, _, reading = shown.partition("How the file is read:")
    assert "--output" in own or "--strict" in own
    assert reading.index("--scale") < reading.index("--item") < reading.index("--database")
    assert "--item " not in own


@pytest.mark.parametrize(("names", "command"), ALL, ids=[" ".join(names) for names, _ in ALL])
def test_every_example_is_a_command_that_can_be_read(names, command, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    shown = examples(command)
    assert shown or len(names) > 1, "show an example"
    for line in shown:
        line = line.partition("   ")[0].partition(" > ")[0].partition(" >> ")[0]
        program, *arguments = shlex.split(line)
        assert (program, arguments[0]) == ("covary", names[0])
        known = {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
        said = {word.partition("=")[0] for word in arguments if word.startswith("--")}
        assert said <= known | {"--help"}, line
