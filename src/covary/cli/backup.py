"""`covary backup`, `restore` and `check-store`: what a study collected, kept safe and sound."""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from covary.cli.options import printed_form_option
from covary.cli.output import make_folder
from covary.cli.screen import debug_option, say
from covary.cli.study_folder import database_option, open_store, read_study_folder, study_argument
from covary.words import counted

if TYPE_CHECKING:
    from covary.store import Problem


BACKUP_EPILOG = """\b
Examples:
  covary backup forecasts
  covary backup forecasts -o elsewhere/forecasts.db
  covary backup forecasts -o backups/                 named by the time
  covary backup forecasts --database postgresql://localhost/forecasts

'covary restore' brings it back, as a file or on PostgreSQL. Every command that reads a study can
read the backup itself (--database)."""


@click.command(epilog=BACKUP_EPILOG)
@study_argument
@database_option
@click.option("-o", "--output", help="The file to make, which must not exist yet, or a folder/.")
@debug_option
def backup(study: Path, database: str | None, output: str | None) -> None:
    """Copy everything that STUDY, a study's folder, has collected into one file.

    The study can be served meanwhile. The copy is read from end to end before it gets its name.
    """
    folder = read_study_folder(study).folder
    name = f"{folder.resolve().name}-{datetime.now():%Y%m%d-%H%M%S}.db"
    target = folder / name if output is None else Path(output)
    if output is not None and output.endswith(("/", os.sep)):
        make_folder(target)
    with open_store(study, database) as store:
        made = store.backup(target / name if target.is_dir() else target)
    with open_store(study, str(made)) as copy:
        head = copy.head()
    say(f"Written and verified: {made} ({made.stat().st_size / 1e6:.1f} MB)")
    say(f"Seal: {head} ('covary check-store --head {head}' proves that nothing before it changed)")


RESTORE_EPILOG = """\b
Examples:
  covary restore forecasts-20260301-120000.db forecasts
  covary restore copy.db forecasts --database postgresql://localhost/forecasts

A study is never written over: move an old study.db away first, or make a new database. The
personal links of judges and the sessions of researchers go on to work, because they are kept in
the backup."""


@click.command(epilog=RESTORE_EPILOG)
@click.argument("backup", type=click.Path(path_type=Path))
@study_argument
@database_option
@debug_option
def restore(backup: Path, study: Path, database: str | None) -> int:
    """Bring BACKUP, a file of 'covary backup', back as what STUDY, a study's folder, collected.

    The backup may be of either database, and so may be the place. All of it is read again and
    compared with the backup before it counts.
    """
    from covary.store import Store
    from covary.store.restore import restore as bring_back

    described = read_study_folder(study)
    place = database or described.folder / "study.db"
    made = bring_back(backup, place)
    with Store.open(place, create=False) as store:
        problems = store.check(described)
    click.echo(f"Restored and compared: {made.name}")
    held = [f"{number:,} {name.replace('_', ' ')}" for name, number in made.rows.items() if number]
    say(f"It holds {', '.join(held) or 'nothing yet'}.")
    for problem in problems:
        say(f"{problem.message} [{problem.code}]", indent=2, fg="yellow")
        say(f"-> {problem.advice}", indent=4, hang=3)
    return int(any(problem.serious for problem in problems))


CHECK_EPILOG = """\b
Examples:
  covary check-store forecasts
  covary check-store forecasts --database forecasts-20260301.db
  covary check-store forecasts --head 137:4be1c5d2a90f3b66
  covary check-store forecasts --format json

Everything that covary collects is sealed by a chain of hashes. Every backup and export prints the
newest seal; with --head, the store must still hold it, unchanged. The exit code is 1 if
anything is serious. Nothing is changed or repaired."""


@click.command(
    "check-store",
    epilog=CHECK_EPILOG,
)
@study_argument
@database_option
@click.option("--head", help="A seal that was written down elsewhere, as NUMBER:DIGEST.")
@printed_form_option
@debug_option
def check_store(study: Path, database: str | None, head: str | None, form: str) -> int:
    """Look through everything that STUDY, a study's folder, has collected."""
    described = read_study_folder(study)
    with open_store(study, database) as store:
        problems = store.check(described, head=head)
        rows, judges, name = store.answers.counts().answers, len(store.judges.all()), store.name
        seal = store.head()
    if form == "json":
        about = {"store": name, "answers": rows, "judges": judges, "seal": seal}
        click.echo(
            json.dumps(about | {"problems": [problem.to_dict() for problem in problems]}, indent=2)
        )
    else:
        say(f"{name}: {counted(rows, 'answer')} of {counted(judges, 'judge')}; seal {seal}")
        for problem in problems:
            _show(problem)
        say()
        say(_summary(problems), bold=True)
    return int(any(problem.serious for problem in problems))


def _show(problem: Problem) -> None:
    say()
    colour = "red" if problem.serious else "yellow"
    say(problem.message, indent=2, bold=True, fg=colour)
    say(f"-> {problem.advice}", indent=4, hang=3)
    say(f"[{problem.code}]", indent=4, dim=True)


def _summary(problems: list[Problem]) -> str:
    serious = sum(problem.serious for problem in problems)
    if not problems:
        return "Everything is in order."
    return f"{counted(len(problems), 'problem')}, {serious or 'none'} of them serious."
