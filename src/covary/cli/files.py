"""Where a command writes: never over its input, and nowhere that could only fail later."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from covary.errors import InvalidArgument

__all__ = ["ENDINGS", "form_of", "output_path", "ready_folder", "writes_report"]

Command = Callable[..., Any]

ENDINGS = {"html": ".html", "markdown": ".md", "latex": ".tex", "json": ".json", "csv": ".csv"}

FORMS = {ending: form for form, ending in ENDINGS.items()} | {".htm": "html"}


def writes_report(
    beside: str, *, confidence: str = "Of the intervals."
) -> Callable[[Command], Command]:
    """Give a command the options of every report: where, in which form, and how it is drawn."""
    options = (
        click.option(
            "-o", "--output", type=click.Path(path_type=Path),
            help=f"Where the report goes, a file or a folder; {beside} by default.",
        ),
        click.option(
            "--format", "form", type=click.Choice(list(ENDINGS)),
            help="Form of the report; by the ending of the output, else html.",
        ),
        click.option("--title", help="Title of the report."),
        click.option(
            "--confidence", type=click.FloatRange(0, 1, min_open=True, max_open=True),
            default=0.95, show_default=True, help=confidence,
        ),
        click.option(
            "--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the draws."
        ),
    )  # fmt: skip

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def form_of(output: Path | None, form: str | None) -> str:
    """Return the form that was asked for, or that the ending of the output asks for."""
    if form is not None:
        return form
    if output is None or not output.suffix or output.is_dir():
        return "html"
    if output.suffix.lower() not in FORMS:
        raise click.UsageError(
            f"-o '{output}' has an ending that says no form; say --format {'|'.join(ENDINGS)}"
        )
    return FORMS[output.suffix.lower()]


def output_path(source: Path, output: Path | None, form: str) -> Path:
    """Return where a report goes: beside its input, into a folder, or to the file that was said."""
    name = f"{_stem(source)}-report{ENDINGS[form]}"
    if output is None:
        path = source.with_name(name)
    else:
        path = output / name if output.is_dir() else output
    if path.exists() and source.exists() and path.samefile(source):
        raise click.UsageError(f"-o '{path}' is the input itself; name another file")
    _check_writable(path)
    return path


def ready_folder(folder: Path) -> Path:
    """Make a folder where there is none."""
    if folder.exists() and not folder.is_dir():
        raise InvalidArgument(f"'{folder}' is a file; name a folder")
    folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InvalidArgument(f"the folder '{folder}' cannot be written to")
    return folder


def _check_writable(path: Path) -> None:
    """Refuse before any work what could not be written after it."""
    if not path.parent.is_dir():
        raise InvalidArgument(f"the folder '{path.parent}' does not exist; make it first")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise InvalidArgument(f"the folder '{path.parent}' cannot be written to; use -o elsewhere")
    if path.is_dir():
        raise InvalidArgument(f"'{path}' is a folder")


def _stem(source: Path) -> str:
    return Path(source.name.removesuffix(".gz")).stem or source.resolve().name
