"""`covary demo`: the main job on the real ratings that ship with covary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from covary.analysis.comparison import CriterionReliability, Reliability
from covary.analysis.reproduction import (
    Row,
    amidei_flickr_8k,
    amidei_table_7,
    godwin_piwek_table_6,
)
from covary.cli.check import show_findings
from covary.cli.files import ready_folder
from covary.cli.printed import flickr_8k, table_6, table_7
from covary.cli.progress import Bar
from covary.cli.screen import debug_option, heading, introduce, say
from covary.datasets import load
from covary.report.report import Report
from covary.report.report import report as make_report
from covary.report.rounding import coefficient

__all__ = ["demo"]

EPILOG = """\b
Examples:
  covary demo
  covary demo ~/covary-demo"""

SHOWN = (
    ("flickr8k-experts", "Flickr-8k: 5,822 image descriptions, three experts"),
    ("qgstec-original", "QG-STEC: 896 generated questions, six judges, five criteria"),
    ("qgstec-reevaluated", "QG-STEC+: the same questions, after guidelines were developed"),
)

NEXT = """\
  covary check ratings.csv --scale 1-5     what is wrong with a file of yours
  covary report ratings.csv --scale 1-5    its reliability report
  covary systems ratings.csv --scale 1-5   which system is better
  covary init forecasts                    a study of your own, to collect ratings with"""


@click.command(epilog=EPILOG, short_help="Do all of it on real ratings that ship.")
@click.argument("folder", type=click.Path(path_type=Path), default="covary-demo")
@debug_option
def demo(folder: Path) -> None:
    """Check and report real ratings, and write the reports into FOLDER.

    Computes the printed tables of two papers again from the ratings behind them, shows what is
    wrong with these ratings, and writes a report of each. FOLDER is covary-demo by default.
    """
    ready_folder(folder)
    heading("1. Printed coefficients, computed again from the ratings behind them")
    _print(("", *table_6(godwin_piwek_table_6()), "", *table_7(amidei_table_7())))
    printed = amidei_flickr_8k()
    _print(("", *flickr_8k(printed)))
    made = []
    for number, (name, title) in enumerate(SHOWN, 2):
        heading(f"{number}. {title}")
        made.append(_check_and_report(name, title))
        if name == "flickr8k-experts":
            _print(_artefact(printed, made[-1].reliability))
        made[-1].write(folder / f"{name}.html")
    _before_and_after(made[1].reliability, made[2].reliability)
    _farewell(folder)


def _check_and_report(name: str, title: str) -> Report:
    """Report on a shipped table, and show what is wrong with it and how it was judged."""
    ratings = load(name, judges="named")  # as papers read it
    introduce(name, ratings)
    with Bar(f"reporting {name}") as bar:
        bar.expect(ratings)
        made = make_report(ratings, title=title.partition(":")[0], rng=0, progress=bar)
    show_findings(made.findings, brief=True)
    say()
    _print(made.short().splitlines())
    return made


def _artefact(printed: Iterable[Row], found: Reliability) -> Iterator[str]:
    """Say what the sorting did to the printed gamma."""
    gamma = next(iter(printed))
    arranged = found.criteria[0].overall.correlation
    assert arranged is not None
    said = gamma.printed.lstrip("0")
    yield ""
    yield f"  gamma, as printed in the paper               {said:>6}"
    yield f"  gamma, the columns taken for three judges    {coefficient(gamma.computed):>6}"
    yield (
        f"  gamma, over arrangements of each item        {coefficient(arranged.value):>6}"
        f"  (standard deviation {arranged.details['sd']:.4f})"
    )
    yield f"  The printed gamma of {said} is an artefact of the sorted columns."


def _before_and_after(before: Reliability, after: Reliability) -> None:
    heading("5. Before and after the guidelines: agreement, and how the scales were used")
    earlier = {each.criterion: each for each in before.criteria}
    later = {each.criterion: each for each in after.criteria}
    say()
    titles = f"{'alpha':>7}{'95% interval':>15}{'most frequent':>16}   ratings 1/2/3/4"
    _print([f"  {'':25}{titles}"])
    for criterion in ("relevance", "question type", "correctness", "ambiguity", "variety"):
        _print([_line(criterion, "before", earlier[criterion])])
        _print([_line("", "after", later[criterion])])
    say()
    say(
        "Alpha is Krippendorff's, at the ordinal level of the scales (the paper's, above, at the "
        "interval level). The last columns rule out that the judges came to agree because all took "
        "to one point of the scale; only on question type is nearly every rating the same."
    )


def _line(criterion: str, when: str, found: CriterionReliability) -> str:
    alpha = found.overall.agreement
    between = ""
    if alpha.interval is not None:
        between = f"{coefficient(alpha.interval.low)} to {coefficient(alpha.interval.high)}"
    used = (sum(column) for column in zip(*found.distribution.values(), strict=True))
    shown = "/".join(str(times) for times in used)
    numbers = f"{coefficient(alpha.value):>7}{between:>15}{found.dominant:>16.0%}"
    return f"  {criterion:15}{when:10}{numbers}   {shown}"


def _farewell(folder: Path) -> None:
    heading("The reports")
    _print(f"  {folder / f'{name}.html'}" for name, _ in SHOWN)
    say()
    say("Open them in a browser. Try next, on your own ratings:")
    _print(NEXT.splitlines())


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line.rstrip())
