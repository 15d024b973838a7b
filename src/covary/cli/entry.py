"""How a run of covary starts, and how it ends: the commands, the exit codes, one line per error."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any, TextIO

import click

from covary.cli.command_group import CommandGroup, parse_sections, with_suggestion
from covary.cli.screen import Run, debug_option
from covary.errors import CovaryError, StudyError, quiet
from covary.version import __version__
from covary.words import TERMINAL, reword

SECTIONS = parse_sections(
    "covary.cli",
    """
Ratings that you have
    check            check       What is wrong with a file of ratings?
    report           report      Write the reliability report of a file of ratings.
    figures          figures     Write the pictures of a report as files.
    disputed         disputed    List the items that judges disagree on most.
    stability        stability   Would the same judge say the same again?
    systems          systems     Say which system is better.
    automatic        automatic   May a language model stand in for judges?
    preferences      preferences Which of two outputs do judges prefer?
    compare          compare     Compare two or more scales on the same systems.
    aggregate        aggregate   Combine many ratings of an item into one.
    table            table       Print chosen coefficients by criterion, group or pair.
    plan             plan        How many judges and items are needed, and at what cost?
    datasheet        datasheet   Write HEDS 3.0, GRRAS and a data statement.
    audit            audit       Are the numbers printed in a paper consistent?
A study of your own
    init             init        Make a new study folder, ready to edit.
    dialogues        dialogues   Turn dialogues into items, one for each turn.
    design           design      Decide who rates what, and show what is balanced.
    words            words       List and check the words on judges' pages.
    simulate         simulate    Try out a study with simulated judges.
    serve            serve       Serve a study to its judges.
    links            serve       Add judges and print their personal links.
    researcher-link  serve       Print a link for a researcher.
Guidelines and crowds
    rounds           rounds      Do the guidelines make judges agree?
    crowd            crowd       Recruit a crowd, pay it, and compare it with experts.
What a study collected
    export           export      Write what a study collected to files.
    backup           backup      Copy what a study collected into one file.
    restore          backup      Bring a backup back, as a file or on PostgreSQL.
    check-store      backup      Check that what a study collected is sound and fits it.
Help
    demo             demo        Try the main commands on real ratings that ship.
    completion       completion  Let the Tab key complete commands and columns.
""",
)

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
Exit codes: 0 success, 1 an error, 2 wrong usage, 130 interrupted.
'covary COMMAND --help' says more."""

INTERRUPTED = 130

ONE_THREAD = ("OPENBLAS_NUM_THREADS", "1")
"""Matrices here are small, and threads that wait for each other take half of a report's time."""


@click.group(
    cls=CommandGroup,
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
    run = Run(arguments=tuple(sys.argv[1:] if arguments is None else arguments))
    _never_choke(sys.stdout)
    _never_choke(sys.stderr)
    os.environ.setdefault(*ONE_THREAD)
    try:
        with quiet(), _without_pandas(), _interruptible(run):  # the notes say what warnings do
            colours: dict[str, Any] = {"color": False} if os.environ.get("NO_COLOR") else {}
            code = covary.main(
                arguments, prog_name="covary", standalone_mode=False, obj=run, **colours
            )
        sys.stdout.flush()
    except BaseException as error:
        return _exit_code(error, run)
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


def _exit_code(error: BaseException, run: Run) -> int:
    """Return the exit code of a run that ended with an error, and say why in a line."""
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else 0
    if isinstance(error, BrokenPipeError):  # the reader of our output left, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    if isinstance(error, click.ClickException):
        shown = with_suggestion(error) if isinstance(error, click.UsageError) else error
        shown.show()
        return shown.exit_code
    # DuckDB turns an interrupt into an error of its own.
    if isinstance(error, click.Abort | KeyboardInterrupt) or run.interrupted:
        return _end("interrupted", INTERRUPTED)
    if run.debug or not isinstance(error, Exception):
        raise error
    if isinstance(error, StudyError):  # a line for each fault
        print(f"covary: {error}", file=sys.stderr)
        return 1
    return _end(_sentence(error), 1)


def _sentence(error: Exception) -> str:
    if isinstance(error, CovaryError):
        return reword(error, TERMINAL)
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}"
    return (
        f"an unexpected {type(error).__name__}: {error}. This should not happen; --debug shows "
        "where it arose"
    )


def _end(sentence: str, code: int) -> int:
    """Print a sentence in one line; commands to go on with stand below it, each in its own."""
    parts = re.split(r"\n(?=  )", sentence) if "\n    covary " in sentence else [sentence]
    first, *commands = parts
    print("\n".join([f"covary: {' '.join(first.split())}", *commands]), file=sys.stderr)
    return code


def _never_choke(stream: TextIO | Any) -> None:
    """Print a question mark where a terminal cannot show a letter."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")
