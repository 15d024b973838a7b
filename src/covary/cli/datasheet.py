"""`covary datasheet`: HEDS 3.0, GRRAS and a data statement, filled with what is known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from covary.cli.options import file_option, output_option, set_aside_option
from covary.cli.output import make_folder, refuse_foreign, stem
from covary.cli.reading import RatingsCommand, RatingsInput, reads_ratings
from covary.cli.report import read_answers
from covary.cli.screen import debug_option, introduce, say
from covary.cli.study_folder import is_study
from covary.reports.datasheets import answers_file, data_statement, grras_sheet, open_heds
from covary.reports.document import write_whole
from covary.reports.heds import Heds, fill_heds, read_heds
from covary.reports.reliability.document import Report
from covary.reports.reliability.document import report as make_report

EPILOG = """\b
Examples:
  covary datasheet ratings.csv --scale 1-5
  covary datasheet forecasts -o sheets --answers answers.toml
  covary datasheet ratings.csv --scale 1-5 -o sheets --filled downloaded.json

Written into the folder: heds.json for the form of HEDS 3.0, heds-open.md with what it still asks,
grras.md, data-statement.md, and answers.toml with the open questions. What a person filled in, in a
heds.json or an answers.toml that is there already, is kept."""


@click.command(cls=RatingsCommand, epilog=EPILOG)
@reads_ratings
@output_option("The folder; beside FILE by default.")
@file_option("--filled", "A HEDS sheet that somebody filled in, as JSON; its answers are kept.")
@file_option("--answers", "What a paper should say and the ratings do not hold, as TOML.")
@click.option("--force", is_flag=True, help="Replace files that covary did not write.")
@set_aside_option
@debug_option
def datasheet(
    reading: RatingsInput,
    output: Path | None,
    filled: Path | None,
    answers: Path | None,
    force: bool,
    set_aside: bool,
) -> None:
    """Write the datasheets of a study or a file of ratings: HEDS 3.0, GRRAS, a data statement.

    What the study, the ratings and your answers know is filled in; what is left is listed.
    """
    ratings = reading.ratings(faulty="set-aside" if set_aside else "refuse")
    folder = make_folder(output or reading.file.with_name(f"{stem(reading.file)}-datasheet"))
    kept = folder / "answers.toml"
    given = read_answers(kept) if kept.is_file() else {}
    given |= {} if answers is None else read_answers(answers)
    known: dict[str, Any] = reading.paper_answers() | given
    title = reading.file.resolve().name
    report = make_report(ratings, title=title, rng=0, answers=known)
    sheet = fill_heds(
        report,
        reading.study if is_study(reading.file) else None,
        known,
        _filled(filled, folder / "heds.json"),
    )
    introduce(reading.name, ratings)
    _write(folder, _files(report, sheet, known, given), force)
    left = len(sheet.open_questions())
    say()
    click.echo(f"Written: {folder}; {left} questions of HEDS are open, see heds-open.md")


def _filled(said: Path | None, before: Path) -> Heds | None:
    """The sheet whose answers are kept: the one that was said, else the one from before."""
    place = said if said is not None else before if before.is_file() else None
    return None if place is None else read_heds(place)


def _files(
    report: Report, sheet: Heds, known: dict[str, Any], given: dict[str, Any]
) -> dict[str, str]:
    return {
        "heds.json": sheet.json(),
        "heds-open.md": open_heds(sheet),
        "grras.md": grras_sheet(report, known),
        "data-statement.md": data_statement(report, known),
        "answers.toml": answers_file(report, known, given, "answers.toml"),
    }


def _write(folder: Path, files: dict[str, str], force: bool) -> None:
    for name in files:
        if name.endswith("-statement.md"):
            refuse_foreign(folder / name, force)
    for name, text in files.items():
        write_whole(folder / name, text)
