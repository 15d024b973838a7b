"""Options that several commands have, said once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from covary.cli.command_group import Choice

Command = TypeVar("Command", bound=Callable[..., Any])


def output_option(about: str, *, required: bool = False) -> Callable[[Command], Command]:
    """Let a command take -o, where its result goes."""
    path = click.Path(path_type=Path)
    return click.option("-o", "--output", type=path, required=required, help=about)


def file_option(name: str, about: str, *, metavar: str = "FILE") -> Callable[[Command], Command]:
    """Let a command take a further file."""
    return click.option(name, type=click.Path(path_type=Path), metavar=metavar, help=about)


def default_option(
    name: str, kind: click.ParamType[Any], default: object, about: str
) -> Callable[[Command], Command]:
    """Let a command take a value that its help shows the default of."""
    return click.option(name, type=kind, default=default, show_default=True, help=about)


def printed_form_option(command: Command) -> Command:
    """Let a command print for people or for programs."""
    form = Choice(["text", "json"])
    about = "Format of what is printed."
    decorate = click.option(
        "--format", "form", type=form, default="text", show_default=True, help=about
    )
    return decorate(command)


def set_aside_option(command: Command) -> Command:
    """Let a command go on without the ratings that cannot be used."""
    about = "Leave out duplicates and ratings off the scale."
    return click.option("--set-aside", is_flag=True, help=about)(command)
