"""`covary restore`: a backup brought back, into an empty place only."""

from __future__ import annotations

from pathlib import Path

import click

from covary.cli.collected import database_option, read_folder, study_argument
from covary.cli.screen import debug_option, say

__all__ = ["restore"]

EPILOG = """\b
Examples:
  covary restore forecasts-20260301-120000.db forecasts
  covary restore copy.db forecasts --database postgresql://localhost/forecasts

A study is never written over: move an old study.db away first, or make a new database. The
personal links of judges and the sessions of researchers go on to work, because they are kept in
the backup."""


@click.command(epilog=EPILOG, short_help="Bring a backup back, as a file or on PostgreSQL.")
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

    described = read_folder(study)
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
