"""Printed tables beside what the shipped ratings give, for the demonstration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from covary.analysis.reproduction import Row, cut_off_to

__all__ = ["flickr_8k", "table_6", "table_7"]

NOT_FLEISS = """\
   The paper heads them Fleiss' kappa, but they are Conger's, which for two judges is Cohen's.
   Fleiss' kappa itself, cut off, is the printed number in only"""


def table_6(rows: Sequence[Row]) -> Iterator[str]:
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


def table_7(rows: Sequence[Row]) -> Iterator[str]:
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


def flickr_8k(rows: Sequence[Row]) -> Iterator[str]:
    """Amidei, Piwek & Willis' two values for Flickr-8k."""
    gamma, kappa = rows
    yield "Amidei, Piwek & Willis (2019), section 4: Flickr-8k, 5,822 image descriptions"
    yield ""
    yield f"   {'':29}{'printed':>9}{'computed':>11}"
    yield f"   {'gamma, mean over pairs':29}{gamma.printed:>9}{gamma.computed:>11.5f}"
    yield f"   {'kappa, printed as Fleiss':29}{kappa.printed:>9}{kappa.computed:>11.5f}  Conger's"
    yield f"   {'':29}{'':>9}{kappa.rival:>11.5f}  Fleiss'"


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
