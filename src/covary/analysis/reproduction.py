"""Do the coefficients that papers print come out again from the ratings behind them?

The papers are about the ratings that ship with covary. A printed number may have been rounded or
cut off, and may be another coefficient than the heading says, so each row says which of these fits.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from typing import Any

from covary.datasets import load, printed
from covary.errors import quiet
from covary.ratings import Ratings
from covary.stats.coefficients.fleiss import fleiss_kappa
from covary.stats.coefficients.gamma import goodman_kruskal_gamma
from covary.stats.coefficients.kappa import cohen_kappa, conger_kappa
from covary.stats.coefficients.krippendorff import krippendorff_alpha
from covary.stats.estimate import Estimate

FLOATING = Decimal("1e-9")
"""What floating-point arithmetic may add to a value that ends exactly at a printed digit."""


@dataclass(frozen=True, kw_only=True)
class ReproducedNumber:
    """A printed number beside the one that the ratings give.

    `place` says where in the table it stands (a group of judges, a pair of judges), `coefficient`
    what was computed, and `printed` is text because 0.2 does not claim as much as 0.20. `rival` is
    what the coefficient named in the heading gives, where that is another one.
    """

    criterion: str
    place: str
    coefficient: str
    printed: str
    computed: float
    rival: float | None = None
    remark: str = ""

    @property
    def rounded(self) -> bool:
        """Whether the computed value rounds to the printed one."""
        return rounds_to(self.printed, self.computed)

    @property
    def truncated(self) -> bool:
        """Whether the computed value, cut off, is the printed one."""
        return cut_off_to(self.printed, self.computed)


def rounds_to(printed: str, value: float) -> bool:
    """Say whether a value rounds to a printed number.

    Examples
    --------
    >>> rounds_to("0.52", 0.5167), cut_off_to("0.52", 0.5167)
    (True, False)
    """
    return _shortens_to(printed, value, ROUND_HALF_UP)


def cut_off_to(printed: str, value: float) -> bool:
    """Say whether a value is a printed number when its further digits are cut off.

    Examples
    --------
    >>> cut_off_to("0.52", 0.5259), rounds_to("0.52", 0.5259)
    (True, False)
    """
    return _shortens_to(printed, value, ROUND_DOWN)


def godwin_piwek_table_6() -> tuple[ReproducedNumber, ...]:
    """Compute Godwin & Piwek's Table 6: Krippendorff's alpha before and after the guidelines.

    The metric is the interval one, which the paper does not say.

    Examples
    --------
    >>> row = godwin_piwek_table_6()[-1]
    >>> row.criterion, row.place, row.printed, round(row.computed, 3)
    ('variety', 'reevaluated', '0.904', 0.904)
    """
    table = printed("godwin-piwek-2016-table-6")
    rows = []
    for place in ("original", "reevaluated"):
        ratings = load(f"qgstec-{place}")
        for criterion, number in table[place].items():
            with quiet():  # the authors' choice, suitable or not
                alpha = krippendorff_alpha(
                    ratings, criterion=criterion, level="interval", interval=None
                )
            cell = _Cell(criterion=criterion, place=place, printed=number)
            rows.append(cell.beside(alpha, remark=_remark(table, place=place, criterion=criterion)))
    return tuple(rows)


def amidei_table_7() -> tuple[ReproducedNumber, ...]:
    """Compute Amidei, Piwek & Willis' Table 7: gamma and kappa of eight pairs of judges.

    The column headed Fleiss' kappa holds Conger's, which for two judges is Cohen's; what Fleiss'
    kappa gives is the row's `rival`.

    Examples
    --------
    >>> rows = amidei_table_7()
    >>> len(rows), sum(row.truncated for row in rows)
    (80, 79)
    """
    table, ratings = printed("amidei-2019-table-7"), load("qgstec-original")
    cells = [
        (coefficient, _Cell(criterion=criterion, place=pair, printed=number))
        for coefficient in ("gamma", "kappa")
        for criterion, line in table[coefficient].items()
        for pair, number in zip(table["pairs"], line, strict=True)
    ]
    with quiet():
        return tuple(_pair_row(table, ratings, coefficient, cell) for coefficient, cell in cells)


def amidei_flickr_8k() -> tuple[ReproducedNumber, ...]:
    """Compute Amidei, Piwek & Willis' two values for Flickr-8k, taking its columns for judges.

    They are not: each row of that file is sorted, so its columns are order statistics, and gamma
    comes out much too high.

    Examples
    --------
    >>> [(row.coefficient, row.printed, round(row.computed, 4)) for row in amidei_flickr_8k()]
    [('goodman_kruskal_gamma', '0.98', 0.9887), ('conger_kappa', '0.52', 0.5259)]
    """
    table, ratings = printed("amidei-2019-flickr-8k"), load("flickr8k-experts", judges="named")
    with quiet():
        gamma = goodman_kruskal_gamma(ratings, interval=None)
        conger = conger_kappa(ratings, interval=None)
        fleiss = fleiss_kappa(ratings, interval=None)
    cells = (
        _Cell(criterion="semantic correctness", place="all", printed=table[name])
        for name in ("gamma", "kappa")
    )
    of_gamma, of_kappa = cells
    return of_gamma.beside(gamma), of_kappa.beside(conger, rival=fleiss.value)


def _pair_row(
    table: dict[str, Any], ratings: Ratings, coefficient: str, cell: _Cell
) -> ReproducedNumber:
    options: dict[str, Any] = {
        "criterion": cell.criterion,
        "judges": cell.place.split("-"),
        "interval": None,
    }
    remark = _remark(table, place=cell.place, criterion=cell.criterion, coefficient=coefficient)
    if coefficient == "gamma":
        return cell.beside(goodman_kruskal_gamma(ratings, **options), remark=remark)
    fleiss = fleiss_kappa(ratings, unequal="pooled", **options)
    return cell.beside(cohen_kappa(ratings, **options), rival=fleiss.value, remark=remark)


@dataclass(frozen=True)
class _Cell:
    """A printed number and where it stands."""

    criterion: str
    place: str
    printed: str

    def beside(self, estimate: Estimate, **more: Any) -> ReproducedNumber:
        """Put the computed number beside it."""
        return ReproducedNumber(
            criterion=self.criterion,
            place=self.place,
            coefficient=estimate.name,
            printed=self.printed,
            computed=estimate.value,
            **more,
        )


def _remark(table: dict[str, Any], **cell: str) -> str:
    """Return what is to be said about a cell of a printed table."""
    return next((r["remark"] for r in table["remarks"] if cell.items() <= r.items()), "")


def _shortens_to(printed: str, value: float, how: str) -> bool:
    target = Decimal(printed)
    step = Decimal(1).scaleb(int(target.as_tuple().exponent))
    near = (Decimal(value) + shift for shift in (-FLOATING, 0, FLOATING))
    return any(number.quantize(step, rounding=how) == target for number in near)
