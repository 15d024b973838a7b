"""`covary preferences`: which of two outputs judges prefer."""

from __future__ import annotations

import click

from covary.cli.options import set_aside_option
from covary.cli.output import ReportTarget, show_report, writes_report
from covary.cli.reading import RatingsCommand, RatingsInput, reads_ratings
from covary.cli.screen import ProgressBar, debug_option, introduce
from covary.reports.preferences import preferences_report

EPILOG = """\b
Examples:
  covary preferences forecasts
  covary preferences judgements.csv --scale A,tie,B --only criterion=better

FILE is a study's folder, or a file whose ratings choose the first text of an item or the second.
Its column of systems names both: 'bart / t5', the first text's system first. A column of sources
says which items belong together."""


@click.command(cls=RatingsCommand, epilog=EPILOG)
@reads_ratings
@writes_report("beside FILE")
@set_aside_option
@debug_option
def preferences(
    reading: RatingsInput, target: ReportTarget, confidence: float, seed: int, set_aside: bool
) -> None:
    """Count wins, losses and ties of each two systems in FILE.

    Each two systems get the share of judgements that each won, with an interval and a sign test
    that take judgements of one source to be alike, and whether each stood first equally often.
    """
    del seed  # nothing is drawn
    with ProgressBar(f"reading {reading.name}"):
        ratings = reading.ratings(faulty="set-aside" if set_aside else "refuse")
        path = target.beside(reading.file, "preferences")
        title = target.title or f"Preferences in {reading.name}"
        made = preferences_report(ratings, confidence=confidence, title=title)
        made.write(path, target.form)
    introduce(reading.name, ratings)
    show_report(made, path)
