"""The command line: the only room that prints and exits."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

from covary.analysis.reproduction import (
    Row,
    amidei_flickr_8k,
    amidei_table_7,
    cut_off_to,
    godwin_piwek_table_6,
)
from covary.errors import CovaryError
from covary.version import __version__

__all__ = ["main"]

NOT_FLEISS = """\
   The paper heads these values Fleiss' kappa, but they are Conger's, which for two judges is
   Cohen's. Fleiss' kappa itself, cut off, is the printed number in only"""

SORTED = """\
   Beware: in every row of this file the three ratings are sorted. The columns are the lowest,
   the middle and the highest rating and not three persons, so gamma is far too high and says
   nothing about judges. covary loads the file as slots, and coefficients that follow a judge
   from item to item then refuse; Fleiss' kappa and Krippendorff's alpha need not know who rated."""

NEXT = """\
Try next, in Python:

  import covary
  ratings = covary.datasets.load("qgstec-original")
  print(covary.krippendorff_alpha(ratings, criterion="relevance"))
  print(covary.goodman_kruskal_gamma(ratings, criterion="relevance", judges=["J2", "J5"]))
  print(covary.datasets.describe("flickr8k-experts"))

and on your own ratings, a file with the columns item, judge and rating:

  ratings = covary.read("ratings.csv", scale="1-5")
  alpha = covary.krippendorff_alpha(ratings)
  print(covary.interpret(alpha))"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0, 1 for an error, 2 for wrong usage."""
    wish = _parser().parse_args(arguments)
    run: Callable[[], Iterable[str]] = wish.run
    try:
        for line in run():
            print(line.rstrip())
    except CovaryError as error:
        if "debug" in wish:
            raise
        print(f"covary: {' '.join(str(error).split())}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    always = argparse.ArgumentParser(add_help=False)
    always.add_argument(
        "--debug", action="store_true", default=argparse.SUPPRESS, help="show where an error arose"
    )
    parser = argparse.ArgumentParser(
        prog="covary",
        description="A workbench for human evaluation of generated language.",
        parents=[always],
    )
    parser.add_argument("--version", action="version", version=f"covary {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, run, about in COMMANDS:
        command = commands.add_parser(name, help=about, description=about, parents=[always])
        command.set_defaults(run=run)
    return parser


def demo() -> Iterator[str]:
    """Show printed tables beside what the shipped ratings give."""
    yield "Printed coefficients, computed again from the ratings behind them"
    yield ""
    yield from _table_6(godwin_piwek_table_6())
    yield ""
    yield from _table_7(amidei_table_7())
    yield ""
    yield from _flickr_8k(amidei_flickr_8k())
    yield ""
    yield NEXT


COMMANDS = (
    ("demo", demo, "compute printed tables again, from real ratings that ship with covary"),
)


def _table_6(rows: Sequence[Row]) -> Iterator[str]:
    yield "1. Godwin & Piwek (2016), Table 6: Krippendorff's alpha (interval metric)"
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


def _table_7(rows: Sequence[Row]) -> Iterator[str]:
    gammas = [row for row in rows if row.rival is None]
    kappas = [row for row in rows if row.rival is not None]
    fleiss = [cut_off_to(row.printed, row.rival) for row in kappas if row.rival is not None]
    yield "2. Amidei, Piwek & Willis (2019), Table 7: QG-STEC, eight pairs of judges"
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


def _flickr_8k(rows: Sequence[Row]) -> Iterator[str]:
    gamma, kappa = rows
    yield "3. Amidei, Piwek & Willis (2019), section 4: Flickr-8k, 5,822 image descriptions"
    yield ""
    yield f"   {'':29}{'printed':>9}{'computed':>11}"
    yield f"   {'gamma, mean over pairs':29}{gamma.printed:>9}{gamma.computed:>11.5f}"
    yield f"   {'kappa, printed as Fleiss':29}{kappa.printed:>9}{kappa.computed:>11.5f}  Conger's"
    yield f"   {'':29}{'':>9}{kappa.rival:>11.5f}  Fleiss'"
    yield ""
    yield SORTED


def _side_by_side(rows: Sequence[Row], left: str, right: str) -> Iterator[tuple[Row, Row]]:
    by_place = {(row.place, row.criterion): row for row in rows}
    for row in rows:
        if row.place == left:
            yield row, by_place[right, row.criterion]


def _by_pair(title: str, rows: Sequence[Row]) -> Iterator[str]:
    pairs = list(dict.fromkeys(row.place for row in rows))
    yield f"   {title:25}" + "".join(f"{pair:>8} " for pair in pairs)
    for criterion in dict.fromkeys(row.criterion for row in rows):
        line = [row for row in rows if row.criterion == criterion]
        yield f"   {criterion:15}{'printed':10}" + "".join(f"{row.printed:>8} " for row in line)
        computed = "".join(f"{row.computed:>8.5f}{_mark(row)}" for row in line)
        yield f"   {'':15}{'computed':10}{computed}"


def _mark(row: Row) -> str:
    return "*" if row.remark else " "


def _remarks(rows: Iterable[Row]) -> Iterator[str]:
    for row in rows:
        if row.remark:
            yield f"   * {row.criterion}, {row.place}: {row.remark}."


def _count(fitting: Iterable[bool]) -> str:
    each = list(fitting)
    return f"{sum(each)} of {len(each)}"
