"""`covary export`: what a study collected, as files."""

from __future__ import annotations

from pathlib import Path

import click

from covary.cli.command_group import Choice
from covary.cli.options import output_option
from covary.cli.output import make_folder
from covary.cli.screen import debug_option, say
from covary.cli.study_folder import (
    database_option,
    open_store,
    private_files,
    read_study_folder,
    study_argument,
)

ENDINGS = {
    "csv": ".csv",
    "tsv": ".tsv",
    "jsonl": ".jsonl",
    "parquet": ".parquet",
    "label-studio": ".json",
}

EPILOG = """\b
Examples:
  covary export forecasts
  covary export forecasts -o ratings.parquet --part verbal
  covary export forecasts --format label-studio
  covary export forecasts --all -o everything

A text that begins with =, +, - or @ is a formula to Excel, and somebody may have typed one into a
remark: in .csv and .tsv covary puts an apostrophe before it. --raw writes every text as it is. Only
you
can read the files (mode 600)."""


@click.command(epilog=EPILOG)
@study_argument
@database_option
@output_option(
    "The file; its ending sets the format (with --all, the folder). In STUDY by default."
)
@click.option(
    "--format",
    "form",
    type=Choice(list(ENDINGS)),
    help="Format; by the ending of the output, else csv.",
)
@click.option("--part", help="Only the criteria of this part of the study.")
@click.option("--practice", is_flag=True, help="With the practice items.")
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Every answer as it came, with times, order shown, changes and late ones; the judges "
    "with their background, preference and remarks; all notes.",
)
@click.option(
    "--raw", is_flag=True, help="Every text as it is, even what Excel takes for a formula."
)
@click.option(
    "--for-spreadsheet",
    is_flag=True,
    help="No text that Excel takes for a formula, which is the default for .csv and .tsv.",
)
@debug_option
def export(
    study: Path,
    database: str | None,
    output: Path | None,
    form: str | None,
    part: str | None,
    practice: bool,
    everything: bool,
    raw: bool,
    for_spreadsheet: bool,
) -> None:
    """Write the ratings that STUDY, a study's folder, has collected.

    One row per rating that counts, with item, judge, criterion, system, source, group, occasion,
    manual, order and seconds. With --all: answers.csv, judges.csv, notes.csv, questions.csv, and
    training.jsonl where judges were trained.
    """
    from covary.store.export import FOR_SPREADSHEETS, write_everything, write_ratings

    if everything and (form not in (None, "csv") or part or practice):
        raise click.UsageError("--all writes all there is, as CSV; leave the other options out")
    if raw and for_spreadsheet:
        raise click.UsageError("--raw and --for-spreadsheet are the opposite of each other")
    described = read_study_folder(study)
    with open_store(study, database) as store, private_files():
        if everything:
            folder = make_folder(output or described.folder / "everything")
            made = write_everything(described, store, folder, spreadsheet=not raw)
            notes: tuple[str, ...] = ()
        else:
            path = _path(described.folder, output, form)
            safe = for_spreadsheet or (not raw and path.suffix.lower() in FOR_SPREADSHEETS)
            file, notes = write_ratings(
                described, store, path, part=part, practice=practice, spreadsheet=safe
            )
            made = [file]
        head = store.head()
    for note in notes:
        say(note)
    for file in made:
        click.echo(f"Written: {file}")
    say(f"Seal: {head}", dim=True)


def _path(folder: Path, output: Path | None, form: str | None) -> Path:
    name = f"ratings{ENDINGS[form or 'csv']}"
    if output is None:
        return folder / name
    if output.is_dir():
        return output / name
    if form is not None and output.suffix.lower() != ENDINGS[form]:
        raise click.UsageError(f"-o '{output}' must end in {ENDINGS[form]} for --format {form}")
    return output
