"""`covary check-store`: is what was collected sound, and does it fit its study?"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from covary.cli.collected import database_option, opened_store, read_folder, study_argument
from covary.cli.screen import debug_option, say

if TYPE_CHECKING:
    from covary.store import Problem

__all__ = ["check_store"]

EPILOG = """\b
Examples:
  covary check-store forecasts
  covary check-store forecasts --database forecasts-20260301.db
  covary check-store forecasts --format json

The exit code is 1 if anything is serious. Nothing is changed or repaired."""


@click.command(
    "check-store", epilog=EPILOG, short_help="Is what a study collected sound, and does it fit?"
)
@study_argument
@database_option
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
    help="Form of what is printed.",
)  # fmt: skip
@debug_option
def check_store(study: Path, database: str | None, form: str) -> int:
    """Look through everything that STUDY, a study's folder, has collected."""
    described = read_folder(study)
    with opened_store(study, database) as store:
        found = store.check(described)
        rows, judges, name = store.counts().answers, len(store.judges()), store.name
    if form == "json":
        about = {"store": name, "answers": rows, "judges": judges}
        click.echo(json.dumps(about | {"problems": [asdict(p) for p in found]}, indent=2))
    else:
        say(f"{name}: {_counted(rows, 'answer')} of {_counted(judges, 'judge')}")
        for problem in found:
            _show(problem)
        say()
        say(_summary(found), bold=True)
    return int(any(problem.serious for problem in found))


def _show(problem: Problem) -> None:
    say()
    colour = "red" if problem.serious else "yellow"
    say(problem.message, indent=2, bold=True, fg=colour)
    say(f"-> {problem.advice}", indent=4, hang=3)
    say(f"[{problem.code}]", indent=4, dim=True)


def _summary(found: list[Problem]) -> str:
    serious = sum(problem.serious for problem in found)
    if not found:
        return "Everything is in order."
    return f"{_counted(len(found), 'problem')}, {serious or 'none'} of them serious."


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
