"""How a run of covary starts, and how it ends: the commands, the exit codes, one line per error."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any, TextIO

import click

from covary.cli.aggregate import aggregate
from covary.cli.audit import audit
from covary.cli.backup import backup
from covary.cli.check import check
from covary.cli.check_store import check_store
from covary.cli.compare import compare
from covary.cli.completion import completion
from covary.cli.crowd import crowd
from covary.cli.demo import demo
from covary.cli.design import design
from covary.cli.dialogues import dialogues
from covary.cli.export import export
from covary.cli.init import init
from covary.cli.report import report
from covary.cli.researcher_link import researcher_link
from covary.cli.restore import restore
from covary.cli.rounds import rounds
from covary.cli.screen import Run, debug_option
from covary.cli.sections import Sections, offered
from covary.cli.serve import links, serve
from covary.cli.simulate import simulate
from covary.cli.systems import systems
from covary.cli.wording import as_options
from covary.errors import CovaryError, CovaryWarning, StudyError
from covary.version import __version__

__all__ = ["COMMANDS", "SECTIONS", "covary", "main"]

SECTIONS: dict[str, tuple[click.Command, ...]] = {
    "Ratings that you have": (check, report, systems, compare, aggregate, audit),
    "A study of your own": (init, dialogues, design, simulate, serve, links, researcher_link),
    "Guidelines and crowds": (rounds, crowd),
    "What a study collected": (export, backup, restore, check_store),
    "Help": (demo, completion),
}

COMMANDS = tuple(command for commands in SECTIONS.values() for command in commands)

EPILOG = """\b
First steps:
  covary demo                             all of it, on real data that ships
  covary check ratings.csv --scale 1-5    what is wrong with the data
  covary report ratings.csv --scale 1-5   agreement beside correlation, as a page

\b
From an idea to a report:
  covary init forecasts                   a study's folder, ready to edit
  covary design forecasts                 who rates what in which order
  covary simulate forecasts               a dry run by simulated judges
  covary serve forecasts                  the pages for judges and researchers
  covary report forecasts                 what was collected, as a report

\b
Exit codes: 0 it worked, 1 an error, 2 wrong usage, 130 interrupted.
'covary COMMAND --help' says more."""

INTERRUPTED = 130


@click.group(
    cls=Sections,
    sections=SECTIONS,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="covary %(version)s")
@debug_option
def covary() -> None:
    """Do your judges agree? If not, do they at least covary?

    A workbench for human evaluation of generated language: it plans a study, collects the
    ratings, and reports agreement and correlation side by side, with honest intervals.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0, 1 for an error, 2 for wrong usage."""
    run = Run()
    _never_choke(sys.stdout)
    _never_choke(sys.stderr)
    try:
        with warnings.catch_warnings(), _without_pandas(), _interruptible(run):
            warnings.simplefilter("ignore", CovaryWarning)  # the notes say the same
            code = covary.main(arguments, prog_name="covary", standalone_mode=False, obj=run)
        sys.stdout.flush()
    except BaseException as error:
        return _ended(error, run)
    return code if isinstance(code, int) else 0


@contextmanager
def _without_pandas() -> Iterator[None]:
    """Spare the second that importing pandas takes, where it is installed.

    DuckDB imports it only to ask whether a number in a question is one of its missing values, and
    no command needs it, unless Spark is asked (see `cli/reading.py`).
    """
    if "pandas" in sys.modules:
        yield
        return
    sys.modules["pandas"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        if sys.modules.get("pandas", covary) is None:
            del sys.modules["pandas"]


@contextmanager
def _interruptible(run: Run) -> Iterator[None]:
    """Remember that Ctrl-C was pressed, because not every library passes it on."""
    if current_thread() is not main_thread():
        yield
        return

    def remember(_: int, __: Any) -> None:
        run.interrupted = True
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _ended(error: BaseException, run: Run) -> int:
    """Return the exit code of a run that ended with an error, and say why in a line."""
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else 0
    if isinstance(error, BrokenPipeError):  # the reader of our output left, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    if isinstance(error, click.ClickException):
        told = offered(error) if isinstance(error, click.UsageError) else error
        told.show()
        return told.exit_code
    if isinstance(error, click.Abort | KeyboardInterrupt) or str(error) == "Query interrupted":
        return _told("interrupted", INTERRUPTED)
    if run.debug or not isinstance(error, Exception):
        raise error
    if isinstance(error, StudyError):  # a line for each fault
        print(f"covary: {error}", file=sys.stderr)
        return 1
    return _told(_sentence(error), 1)


def _sentence(error: Exception) -> str:
    if isinstance(error, CovaryError):
        return as_options(str(error))
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}"
    return (
        f"an unexpected {type(error).__name__}: {error}. This should not happen; --debug shows "
        "where it arose"
    )


def _told(sentence: str, code: int) -> int:
    print(f"covary: {' '.join(sentence.split())}", file=sys.stderr)
    return code


def _never_choke(stream: TextIO | Any) -> None:
    """Print a question mark where a terminal cannot show a letter."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")
