"""The coefficients of a report as one table for spreadsheets, not rounded."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from typing import Any

from covary.analysis.comparison import Comparison, CriterionReliability, Reliability
from covary.stats.estimate import Estimate, Interval

__all__ = ["COLUMNS", "to_csv"]

COLUMNS = (
    "criterion", "comparison", "label", "coefficient", "value", "low", "high", "target", "method",
    "confidence", "low_other_judges", "high_other_judges", "items", "judges", "ratings", "verdict",
    "sure", "reason", "signature",
)  # fmt: skip
"""The columns, in order; `reason` says why there is no value."""

Row = dict[str, Any]


def to_csv(reliability: Reliability) -> str:
    """Write a row for each criterion, comparison and coefficient.

    `comparison` is overall, group, pair or batch. Undefined values are empty, and `reason` says
    why. The verdict stands beside the coefficients that it was made from.

    Examples
    --------
    >>> from covary import Ratings, reliability
    >>> ratings = Ratings.from_wide([[3, 3], [3, 2], [2, 1], [1, 1]], scale="1-3")
    >>> to_csv(reliability(ratings, rng=1)).splitlines()[1].split(",")[:4]
    ['', 'overall', 'all judges', 'krippendorff_alpha']
    """
    written = io.StringIO()
    writer = csv.DictWriter(written, COLUMNS, lineterminator="\n", restval="")
    writer.writeheader()
    for each in reliability.criteria:
        writer.writerows(_criterion(each))
    return written.getvalue()


def _criterion(each: CriterionReliability) -> Iterator[Row]:
    name = {"criterion": "" if each.criterion is None else each.criterion}
    for row in _comparison("overall", each.overall):
        yield name | row
    for estimate in each.beside:
        yield name | {"comparison": "overall", "label": each.overall.label} | _estimate(estimate)
    kinds = {"group": each.groups, "pair": each.pairs, "batch": each.batches}
    for kind, comparisons in kinds.items():
        for comparison in comparisons:
            yield from (name | row for row in _comparison(kind, comparison))


def _comparison(kind: str, found: Comparison) -> Iterator[Row]:
    about = {"comparison": kind, "label": found.label, "verdict": found.verdict.word}
    about["sure"] = "yes" if found.verdict.sure else "no"
    yield about | _estimate(found.agreement, found.agreement_of_others)
    if found.correlation is not None:
        yield about | _estimate(found.correlation, found.correlation_of_others)


def _estimate(estimate: Estimate, others: Interval | None = None) -> Row:
    row: Row = {
        "coefficient": estimate.name,
        "value": _number(estimate.value),
        "items": estimate.n_items,
        "judges": estimate.n_judges,
        "ratings": estimate.n_ratings,
        "reason": "" if estimate.defined or not estimate.notes else estimate.notes[-1],
        "signature": estimate.signature,
    }
    made = estimate.interval
    if made is not None:
        row |= {"low": _number(made.low), "high": _number(made.high), "target": made.target}
        row |= {"method": made.method, "confidence": _number(made.level)}
    if others is not None:
        row |= {"low_other_judges": _number(others.low), "high_other_judges": _number(others.high)}
    return row


def _number(value: float) -> str:
    """Write all digits; nothing where there is no number."""
    return repr(float(value)) if math.isfinite(value) else ""
