"""Where a command writes: never over its input, and nowhere that could only fail later."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import click

from covary.cli.command_group import Choice
from covary.cli.screen import current_run, echo, say
from covary.errors import InvalidArgument
from covary.formats.sources import temporary_folder
from covary.records import dataclass

Command = Callable[..., Any]

STANDARD_OUTPUT = Path("-")

ENDINGS = {
    "html": ".html",
    "markdown": ".md",
    "latex": ".tex",
    "docx": ".docx",
    "json": ".json",
    "csv": ".csv",
}

FORMS = {ending: form for form, ending in ENDINGS.items()} | {".htm": "html"}


class Written(Protocol):
    """A report: it writes itself to a file, and has a short form for the screen."""

    def write(self, path: Path, form: str, /) -> Path: ...

    def short(self) -> str: ...


@dataclass(frozen=True)
class ReportTarget:
    """Where a report goes, in which form, and under which title."""

    output: Path | None
    form: str
    title: str | None
    force: bool = False
    folder: Path | None = None
    """The folder that was asked for by a slash at the end; it is made where there is none."""

    def path(self, usual: Path, *inputs: Path) -> Path:
        """Return the file: the usual one, that name in a folder, or the one that was said.

        What goes to standard output is written to a file that `show_report` prints.
        """
        name = f"{usual.name}{ENDINGS[self.form]}"
        if self.output == STANDARD_OUTPUT:
            return temporary_folder() / name
        path = usual.with_name(name) if self.output is None else self.output
        if self.folder is not None:
            make_folder(self.folder)
        path = path / name if self.output is not None and path.is_dir() else path
        refuse_input(path, *inputs)
        check_writable(path)
        refuse_foreign(path, self.force)
        return path

    def beside(self, source: Path, what: str) -> Path:
        """Return the file beside the only input, whose name says what is in it."""
        return self.path(source.with_name(f"{stem(source)}-{what}"), source)


def writes_report(
    beside: str,
    *,
    confidence: str | None = "Confidence level of the intervals.",
    draws: bool = True,
) -> Callable[[Command], Command]:
    """Give a command the options of every report; it gets `target` and `confidence`.

    With `draws` it gets a `seed` too; without intervals, `confidence` is None and no option.
    """
    options = [
        click.option(
            "-o",
            "--output",
            metavar="PATH",
            help=(
                f"Where to write the report: a file, a folder, or - for standard output; {beside} "
                "by default."
            ),
        ),
        click.option(
            "--format",
            "form",
            type=Choice(list(ENDINGS)),
            help="Format of the report; by the ending of the output, else html.",
        ),
        click.option("--title", help="Title of the report."),
        click.option("--force", is_flag=True, help="Replace a file that covary did not write."),
    ]
    if confidence is not None:
        options.append(
            click.option(
                "--confidence",
                type=click.FloatRange(0, 1, min_open=True, max_open=True),
                default=0.95,
                show_default=True,
                help=confidence,
            )
        )
    if draws:
        seeds = click.IntRange(0)
        options.append(
            click.option(
                "--seed", type=seeds, default=0, show_default=True, help="Seed of the random draws."
            )
        )

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def wrapped(
            output: str | None, form: str | None, title: str | None, force: bool, **own: Any
        ) -> Any:
            path = None if output is None else Path(output)
            current_run().result_on_stdout = path == STANDARD_OUTPUT
            ends = output is not None and output.endswith(("/", os.sep)) and form is None
            folder = path if ends else None
            chosen = "html" if ends else report_form(path, form)
            target = ReportTarget(path, chosen, title, force, folder=folder)
            return command(target=target, **own)

        for option in reversed(options):
            wrapped = option(wrapped)
        return wrapped

    return decorate


def show_report(report: Written, path: Path, short: str = "") -> None:
    """Print the short form of a report, and where the whole is."""
    say()
    echo(short or report.short())
    say()
    if current_run().result_on_stdout:
        click.echo(path.read_bytes(), nl=False)
    else:
        click.echo(f"Written: {path}")


def report_form(output: Path | None, form: str | None) -> str:
    """Return the form that was asked for, or that the ending of the output asks for."""
    if form is not None:
        return form
    if output is None or not output.suffix or output.is_dir() or output == STANDARD_OUTPUT:
        return "html"
    if output.suffix.lower() not in FORMS:
        raise click.UsageError(
            f"-o '{output}' has an unknown file type; say --format {'|'.join(ENDINGS)}"
        )
    return FORMS[output.suffix.lower()]


def refuse_foreign(path: Path, force: bool) -> None:
    """Refuse to replace a file that covary did not write, unless it is insisted on."""
    if force or not path.is_file() or not path.stat().st_size:
        return
    if b"covary" not in path.read_bytes():
        raise InvalidArgument("cli.foreign-file", path=path)


def refuse_input(path: Path, *inputs: Path) -> None:
    """Refuse to write over what is read."""
    if any(path.exists() and source.exists() and path.samefile(source) for source in inputs):
        raise click.UsageError(f"-o '{path}' is the input itself; name another file")


def make_folder(folder: Path) -> Path:
    """Make a folder where there is none."""
    if folder.exists() and not folder.is_dir():
        raise InvalidArgument("cli.is-file", path=folder)
    folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InvalidArgument("cli.unwritable-folder", folder=folder)
    return folder


def check_writable(path: Path) -> None:
    """Refuse before any work what could not be written after it."""
    if not path.parent.is_dir():
        raise InvalidArgument("cli.no-folder", folder=path.parent)
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise InvalidArgument("cli.unwritable-folder", folder=path.parent)
    if path.is_dir():
        raise InvalidArgument("cli.is-folder", path=path)


def stem(source: Path) -> str:
    """Return the name of an input without its ending."""
    return Path(source.name.removesuffix(".gz")).stem or source.resolve().name
