"""Every agreement of a crowd and of experts as one table for spreadsheets, not rounded."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from typing import Any

from covary.analysis.crowd import CrowdStudy

__all__ = ["COLUMNS", "to_csv"]

COLUMNS = ("kind", "coefficient", "of", "votes", "with", "value", "low", "high", "sd", "cost")
"""The columns, in order; undefined numbers are empty."""


def to_csv(found: CrowdStudy) -> str:
    """Write a row for each number: arrangements, agreements, differences, curve, votes."""
    written = io.StringIO()
    writer = csv.DictWriter(written, COLUMNS, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows({key: _cell(value) for key, value in row.items()} for row in _rows(found))
    return written.getvalue()


def _rows(found: CrowdStudy) -> Iterator[dict[str, Any]]:
    for one in found.arrangements:
        yield {"kind": "arrangements", "coefficient": one.coefficient, "of": "one vote",
               "votes": 1, "with": one.expert, "value": one.mean, "low": one.quantiles[0][1],
               "high": one.quantiles[-1][1], "sd": one.sd}  # fmt: skip
    for each in found.agreement:
        yield {"kind": each.kind, "coefficient": each.coefficient, "of": each.first,
               "with": each.second, "value": each.value, "low": each.interval.low,
               "high": each.interval.high, "sd": each.interval.standard_error}  # fmt: skip
    for gap in found.differences:
        yield {"kind": "difference", "coefficient": gap.coefficient, "of": gap.method,
               "with": gap.expert, "value": gap.value, "low": gap.interval.low,
               "high": gap.interval.high, "sd": gap.interval.standard_error}  # fmt: skip
    for point in found.curve:
        yield {"kind": "curve", "coefficient": point.coefficient, "of": point.method,
               "votes": point.votes, "value": point.value, "low": point.interval.low,
               "high": point.interval.high, "sd": point.interval.standard_error,
               "cost": point.cost}  # fmt: skip
    for rate in found.votes_per_expert:
        yield {"kind": "votes per expert", "coefficient": rate.coefficient, "of": rate.method,
               "value": rate.votes, "low": rate.low, "high": rate.high,
               "cost": rate.cost_per_item}  # fmt: skip


def _cell(value: Any) -> Any:
    """Write all digits; nothing where there is no number."""
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else ""
    return value
