"""What is the same on every screen: the width, the voice, and the setting of a run."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from covary.cli.wording import as_options
from covary.ratings import Ratings

__all__ = ["Run", "debug_option", "heading", "heed_interrupt", "introduce", "say"]

Command = TypeVar("Command", bound=Callable[..., Any])

WIDEST = 96


@dataclass
class Run:
    """What was said about the run as a whole."""

    debug: bool = False
    interrupted: bool = False


def debug_option(command: Command) -> Command:
    """Let a command take --debug."""
    return click.option(
        "--debug",
        is_flag=True,
        expose_value=False,
        callback=_remember,
        help="Show where an error arose.",
    )(command)


def say(text: str = "", *, indent: int = 0, hang: int = 0, **style: Any) -> None:
    """Print a sentence, wrapped to the terminal; styles show only there."""
    heed_interrupt()
    lines = textwrap.wrap(
        text,
        _width(),
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + hang),
        break_long_words=False,
        break_on_hyphens=False,
    )
    click.echo("\n".join(click.style(line, **style) for line in lines))


def heed_interrupt() -> None:
    """Stop a run that was interrupted while DuckDB, which then goes on, looked for a module."""
    context = click.get_current_context(silent=True)
    run = None if context is None else context.find_object(Run)
    if run is not None and run.interrupted:
        raise KeyboardInterrupt


def heading(text: str) -> None:
    """Print a heading with a line under it."""
    say()
    say(text, bold=True)
    say("-" * min(len(text), _width()))


def introduce(name: str, ratings: Ratings, *, notes: Iterable[str] | None = None) -> None:
    """Say what was read and what the reader had to guess."""
    what = repr(ratings).removeprefix("Ratings(").removesuffix(")")
    say(f"{name}: {what}")
    for note in ratings.notes if notes is None else notes:
        say(as_options(note), indent=2)


def _width() -> int:
    if not sys.stdout.isatty():
        return WIDEST
    return max(40, min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns))


def _remember(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    run = context.find_object(Run)
    if run is not None and wanted:
        run.debug = True
