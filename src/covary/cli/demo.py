"""`covary demo`: the main job on the real ratings that ship with covary."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from covary.analysis.planning import Goal, Price
from covary.analysis.reliability import MOST_PAIRS
from covary.analysis.reliability_result import CriterionReliability, Reliability
from covary.analysis.reproduction import (
    ReproducedNumber,
    amidei_flickr_8k,
    amidei_table_7,
    cut_off_to,
    godwin_piwek_table_6,
)
from covary.cli.check import show_findings
from covary.cli.output import make_folder
from covary.cli.screen import ProgressBar, debug_option, heading, introduce, say
from covary.datasets import load
from covary.formats import write
from covary.reports.formatting import coefficient
from covary.reports.planning import plan_report
from covary.reports.reliability.document import Report
from covary.reports.reliability.document import report as make_report
from covary.words import TERMINAL

NOT_FLEISS = """\
   The paper heads them Fleiss' kappa, but they are Conger's, which for two judges is Cohen's.
   Fleiss' kappa itself, cut off, is the printed number in only"""


def table_6(rows: Sequence[ReproducedNumber]) -> Iterator[str]:
    """Godwin & Piwek's table: alpha before and after the guidelines."""
    yield "Godwin & Piwek (2016), Table 6: Krippendorff's alpha (interval metric)"
    yield ""
    yield f"   {'':15}{'QG-STEC (original)':>22}{'QG-STEC+ (re-evaluated)':>29}"
    yield f"   {'':15}{'printed':>11}{'computed':>11}{'printed':>18}{'computed':>11}"
    for before, after in _side_by_side(rows, "original", "reevaluated"):
        yield (
            f"   {before.criterion:15}{before.printed:>11}{before.computed:>11.4f}{_mark(before)}"
            f"{after.printed:>17}{after.computed:>11.4f}{_mark(after)}"
        )
    yield ""
    yield f"   {_count(row.rounded for row in rows)} are the printed number when rounded."
    yield from _remarks(rows)


def table_7(rows: Sequence[ReproducedNumber]) -> Iterator[str]:
    """Amidei, Piwek & Willis' table: the gammas, and the kappas under their right name."""
    gammas = [row for row in rows if row.rival is None]
    kappas = [row for row in rows if row.rival is not None]
    fleiss = [cut_off_to(row.printed, row.rival) for row in kappas if row.rival is not None]
    yield "Amidei, Piwek & Willis (2019), Table 7: QG-STEC, eight pairs of judges"
    yield ""
    yield from _by_pair("Goodman & Kruskal's gamma", gammas)
    yield ""
    yield (
        f"   {_count(row.truncated for row in gammas)} are the printed number when cut off "
        f"({_count(row.rounded for row in gammas)} when rounded)."
    )
    yield from _remarks(gammas)
    yield ""
    yield from _by_pair("Kappa", kappas)
    yield ""
    yield f"   {_count(row.truncated for row in kappas)} are the printed number when cut off."
    yield f"{NOT_FLEISS} {_count(fleiss)}, for example:"
    for row in kappas:
        if (row.criterion, row.place) in (("ambiguity", "J1-J2"), ("correctness", "J1-J6")):
            yield (
                f"     {row.criterion} {row.place}: printed {row.printed}, "
                f"Conger's {row.computed:.5f}, Fleiss' {row.rival:.5f}"
            )


def flickr_8k(rows: Sequence[ReproducedNumber]) -> Iterator[str]:
    """Amidei, Piwek & Willis' two values for Flickr-8k."""
    gamma, kappa = rows
    yield "Amidei, Piwek & Willis (2019), section 4: Flickr-8k, 5,822 image descriptions"
    yield ""
    yield f"   {'':29}{'printed':>9}{'computed':>11}"
    yield f"   {'gamma, mean over pairs':29}{gamma.printed:>9}{gamma.computed:>11.5f}"
    yield f"   {'kappa, printed as Fleiss':29}{kappa.printed:>9}{kappa.computed:>11.5f}  Conger's"
    yield f"   {'':29}{'':>9}{kappa.rival:>11.5f}  Fleiss'"


def _side_by_side(
    rows: Sequence[ReproducedNumber], left: str, right: str
) -> Iterator[tuple[ReproducedNumber, ReproducedNumber]]:
    by_place = {(row.place, row.criterion): row for row in rows}
    for row in rows:
        if row.place == left:
            yield row, by_place[right, row.criterion]


def _by_pair(title: str, rows: Sequence[ReproducedNumber]) -> Iterator[str]:
    pairs = list(dict.fromkeys(row.place for row in rows))
    yield f"   {title:25}" + "".join(f"{pair:>8} " for pair in pairs)
    for criterion in dict.fromkeys(row.criterion for row in rows):
        line = [row for row in rows if row.criterion == criterion]
        yield f"   {criterion:15}{'printed':10}" + "".join(f"{row.printed:>8} " for row in line)
        computed = "".join(f"{row.computed:>8.5f}{_mark(row)}" for row in line)
        yield f"   {'':15}{'computed':10}{computed}"


def _mark(row: ReproducedNumber) -> str:
    return "*" if row.remark else " "


def _remarks(rows: Iterable[ReproducedNumber]) -> Iterator[str]:
    for row in rows:
        if row.remark:
            yield f"   * {row.criterion}, {row.place}: {row.remark}."


def _count(fitting: Iterable[bool]) -> str:
    fits = list(fitting)
    return f"{sum(fits)} of {len(fits)}"


EPILOG = """\b
Examples:
  covary demo
  covary demo ~/covary-demo"""

SHOWN = (
    ("flickr8k-experts", "Flickr-8k: 5,822 image descriptions, three experts"),
    ("qgstec-original", "QG-STEC: 896 generated questions, six judges, five criteria"),
    ("qgstec-reevaluated", "QG-STEC+: the same questions, after guidelines were developed"),
)

EXPLANATIONS = {
    "flickr8k-experts": (
        "The three experts agree just well enough for single ratings to be used (alpha above "
        ".667). Their columns are sorted, so nobody knows who gave which rating, and severity "
        "cannot be examined."
    ),
    "qgstec-original": (
        "Two of six judges rated each question, and a single rating says little. On variety a "
        "third of the disagreement is severity. On the other criteria most of it is noise: "
        "averaging over more judges removes it, adjusting for severity does not. Where the "
        "intervals leave a question open, the verdict says so."
    ),
    "qgstec-reevaluated": (
        "With the new guidelines the three judges agree: single ratings can be used on four "
        "criteria, and on ambiguity at least the means over three ratings. This holds for these "
        "three, two of whom may not have worked independently; three judges say little about "
        "others."
    ),
}
"""Each verdict of the demonstration in a sentence or two."""

PLAN, PILOT = "plan.html", "the ratings of QG-STEC on correctness"
FILE = "ratings.csv"


@click.command(epilog=EPILOG)
@click.argument("folder", type=click.Path(path_type=Path), default="covary-demo")
@debug_option
def demo(folder: Path) -> None:
    """Check and report real ratings, and write the reports into FOLDER.

    Computes the printed tables of two papers again from the ratings behind them, shows what is
    wrong with these ratings, writes a report of each, plans the next study, and ends with three
    things to try. FOLDER is covary-demo by default.
    """
    make_folder(folder)
    heading("1. Printed coefficients, computed again from the ratings behind them")
    _print(("", *table_6(godwin_piwek_table_6()), "", *table_7(amidei_table_7())))
    printed = amidei_flickr_8k()
    _print(("", *flickr_8k(printed)))
    reports = []
    for number, (name, title) in enumerate(SHOWN, 2):
        heading(f"{number}. {title}")
        reports.append(_check_and_report(name, title))
        if name == "flickr8k-experts":
            _print(_artefact(printed, reports[-1].reliability))
        reports[-1].write(folder / f"{name}.html")
    _before_and_after(reports[1].reliability, reports[2].reliability)
    _plan_next(folder)
    _farewell(folder)


def _check_and_report(name: str, title: str) -> Report:
    """Report on a shipped table, and show what is wrong with it and how it was judged."""
    ratings = load(name, judges="named")  # as papers read it
    introduce(name, ratings)
    with ProgressBar(f"reporting {name}") as bar:
        bar.expect(ratings, MOST_PAIRS)
        document = make_report(ratings, title=title.partition(":")[0], rng=0, progress=bar)
    show_findings(document.findings, brief=True)
    say()
    say(EXPLANATIONS[name])
    say()
    _print(document.short(TERMINAL).splitlines())
    return document


def _artefact(printed: Iterable[ReproducedNumber], reliability: Reliability) -> Iterator[str]:
    """Say what the sorting did to the printed gamma."""
    gamma = next(iter(printed))
    arranged = reliability.criteria[0].overall.correlation
    assert arranged is not None
    printed_gamma = gamma.printed.lstrip("0")
    yield ""
    yield f"  gamma, as printed in the paper               {printed_gamma:>6}"
    yield f"  gamma, the columns taken for three judges    {coefficient(gamma.computed):>6}"
    yield (
        f"  gamma, over arrangements of each item        {coefficient(arranged.value):>6}"
        f"  (standard deviation {arranged.details['sd']:.4f})"
    )
    yield f"  The printed gamma of {printed_gamma} is an artefact of the sorted columns."


def _before_and_after(before: Reliability, after: Reliability) -> None:
    heading("5. Before and after the guidelines: agreement, and how the scales were used")
    earlier = {criterion.criterion: criterion for criterion in before.criteria}
    later = {criterion.criterion: criterion for criterion in after.criteria}
    say()
    titles = f"{'alpha':>7}{'95% interval':>15}{'most frequent':>16}   ratings 1/2/3/4"
    _print([f"  {'':25}{titles}"])
    for criterion in ("relevance", "question type", "correctness", "ambiguity", "variety"):
        _print([_line(criterion, "before", earlier[criterion])])
        _print([_line("", "after", later[criterion])])
    say()
    say(
        "Alpha is Krippendorff's, at the ordinal level of the scales (the paper's, above, at the "
        "interval level). The last columns show whether judges agree only because they all settled "
        "on one point of the scale: only on question type is nearly every rating the same."
    )


def _plan_next(folder: Path) -> None:
    """Plan the next study from the ratings that ship."""
    heading("6. The next study: how many judges and items, and at what cost?")
    say()
    say(
        "Planned from QG-STEC's ratings of correctness: four systems, a difference of half a point "
        "to find, 20 seconds a rating at 12 an hour, and a platform fee of a third."
    )
    ratings = load("qgstec-original", judges="named").select(criterion=["correctness"])
    write(ratings, folder / FILE)
    price = Price(rating=0.07, fee_share=0.333, judge=2, seconds=20, wage=12)
    made = plan_report(
        ratings, goal=Goal(difference=0.5), price=price, title="The next study", basis=PILOT
    )
    made.write(folder / PLAN)
    _print(("", *made.short().splitlines()))


def _line(criterion: str, when: str, reliability: CriterionReliability) -> str:
    alpha = reliability.overall.agreement
    between = ""
    if alpha.interval is not None:
        between = f"{coefficient(alpha.interval.low)} to {coefficient(alpha.interval.high)}"
    used = (sum(column) for column in zip(*reliability.distribution.values(), strict=True))
    shown = "/".join(str(times) for times in used)
    numbers = f"{coefficient(alpha.value):>7}{between:>15}{reliability.dominant:>16.0%}"
    return f"  {criterion:15}{when:10}{numbers}   {shown}"


def _farewell(folder: Path) -> None:
    heading("The reports")
    _print(f"  {folder / name}" for name in (*(f"{name}.html" for name, _ in SHOWN), PLAN))
    say()
    say("Open them in a browser. Three things to try next:")
    _print(_next_steps(folder))


def _next_steps(folder: Path) -> Iterator[str]:
    """Give commands that work as they stand, also where covary is not on the path."""
    started = Path(sys.argv[0])
    own = started.stem == "covary" and shutil.which("covary") is None
    covary = shlex.quote(str(started.absolute())) if own else "covary"
    yield f"   cd {shlex.quote(str(folder))}"
    yield f"1. Report a file of ratings: {FILE}, then your own."
    yield f"   {covary} report {FILE} --scale 1-4 --best low"
    yield "2. Ask which of its systems is better."
    yield f"   {covary} systems {FILE} --scale 1-4 --best low"
    yield "3. Make a study, serve it, and judge its items by the personal link that is printed."
    yield f"   {covary} init forecasts"
    yield f"   {covary} serve forecasts --links 1"


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line.rstrip())
