"""`covary stability`: would the same judge say the same again?"""

from __future__ import annotations

import click

from covary.cli.options import set_aside_option
from covary.cli.output import ReportTarget, show_report, writes_report
from covary.cli.reading import RatingsCommand, RatingsInput, reads_ratings
from covary.cli.screen import debug_option, introduce
from covary.reports.reliability.stability import stability_report

EPILOG = """\b
Examples:
  covary stability ratings.csv --scale 1-5 --occasions
  covary stability ratings.csv --scale 1-5 --occasion session -o stability.html
  covary stability forecasts

The ratings must say which of a judge's ratings of an item was the first: a column named occasion,
or the one that --occasion names; with --occasions repeated ratings are retests in the order of the
file. A study knows its hidden repeats."""


@click.command(cls=RatingsCommand, epilog=EPILOG)
@reads_ratings
@writes_report("beside FILE", draws=False)
@set_aside_option
@debug_option
def stability(
    reading: RatingsInput, target: ReportTarget, confidence: float, set_aside: bool
) -> None:
    """Say how far judges who rate an item again give the same rating.

    Equal ratings, agreement, correlation and shift between first and second ratings, for all judges
    and for each, and the noise ceiling: what no two judges can be expected to exceed.
    """
    ratings = reading.ratings(faulty="set-aside" if set_aside else "refuse")
    path = target.beside(reading.file, "stability")
    document = stability_report(ratings, title=target.title, confidence=confidence)
    document.write(path, target.form)
    introduce(reading.name, ratings)
    show_report(document, path)
