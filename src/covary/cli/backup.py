"""`covary backup`: everything a study collected, in one file, while the study goes on."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from covary.cli.collected import database_option, opened_store, read_folder, study_argument
from covary.cli.screen import debug_option, say

__all__ = ["backup"]

EPILOG = """\b
Examples:
  covary backup forecasts
  covary backup forecasts -o elsewhere/forecasts.db
  covary backup forecasts --database postgresql://localhost/forecasts

'covary restore' brings it back, as a file or on PostgreSQL. Every command that reads a study can
read the backup itself (--database)."""


@click.command(epilog=EPILOG, short_help="Copy what a study collected into one file.")
@study_argument
@database_option
@click.option(
    "-o", "--output", type=click.Path(path_type=Path),
    help="The file to make, or a folder for it; it must not exist yet.",
)  # fmt: skip
@debug_option
def backup(study: Path, database: str | None, output: Path | None) -> None:
    """Copy everything that STUDY, a study's folder, has collected into one file.

    The study can be served meanwhile. The copy is read from end to end before it gets its name.
    """
    folder = read_folder(study).folder
    name = f"{folder.resolve().name}-{datetime.now():%Y%m%d-%H%M%S}.db"
    target = folder / name if output is None else output
    with opened_store(study, database) as store:
        made = store.backup(target / name if target.is_dir() else target)
    say(f"Written and verified: {made} ({made.stat().st_size / 1e6:.1f} MB)")
