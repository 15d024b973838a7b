"""`covary disputed`: the items that judges disagree on most."""

from __future__ import annotations

import click

from covary.cli.options import set_aside_option
from covary.cli.output import ReportTarget, show_report, writes_report
from covary.cli.reading import RatingsCommand, RatingsInput, reads_ratings
from covary.cli.screen import debug_option, introduce
from covary.reports.reliability.disputed import disputed_report

EPILOG = """\b
Examples:
  covary disputed ratings.csv --scale 1-5
  covary disputed ratings.csv --scale 1-5 -o disputed.csv
  covary disputed forecasts --only criterion=fluency

The text of an item is that of the study, or of a column named text, output, sentence, …"""


@click.command(cls=RatingsCommand, epilog=EPILOG)
@reads_ratings
@writes_report("beside FILE", confidence=None, draws=False)
@set_aside_option
@debug_option
def disputed(reading: RatingsInput, target: ReportTarget, set_aside: bool) -> None:
    """List the items that judges disagree on most, once their severity is taken off.

    For each item who gave what, who is furthest from the others, and what the item contributes to
    the disagreement. As CSV it lists every item.
    """
    ratings = reading.ratings(faulty="set-aside" if set_aside else "refuse")
    path = target.beside(reading.file, "disputed")
    document = disputed_report(ratings, title=target.title)
    document.write(path, target.form)
    introduce(reading.name, ratings)
    show_report(document, path)
