"""The table of systems for spreadsheets, not rounded."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

from covary.analysis.systems import CriterionSystems, Systems, SystemScore

__all__ = ["COLUMNS", "to_csv"]

COLUMNS = (
    "criterion", "system", "human", "rank", "ratings", "items", "mean", "low", "high",
    "low_other_judges", "high_other_judges", "median", "deviation", "letters", "p_best",
    "adjusted_mean", "adjusted_rank", "adjusted_p_best", "best_end", "procedure", "error",
    "significant_pairs", "pairs",
)  # fmt: skip
"""The columns, in order; undefined numbers are empty."""


def to_csv(found: Systems) -> str:
    """Write a row for each criterion and system."""
    written = io.StringIO()
    writer = csv.DictWriter(written, COLUMNS, lineterminator="\n", restval="")
    writer.writeheader()
    for each in found.criteria:
        writer.writerows(_row(each, score, found) for score in each.systems)
    return written.getvalue()


def _row(each: CriterionSystems, score: SystemScore, found: Systems) -> dict[str, Any]:
    pairs = each.significance
    return {
        "criterion": "" if each.criterion is None else each.criterion,
        "system": score.system, "human": "yes" if score.human else "no", "rank": score.rank,
        "ratings": score.n_ratings, "items": score.n_items, "mean": _number(score.mean),
        "low": _number(score.interval.low), "high": _number(score.interval.high),
        "low_other_judges": _number(score.wide.low), "high_other_judges": _number(score.wide.high),
        "median": _number(score.median), "deviation": _number(score.deviation),
        "letters": score.letters, "p_best": _number(score.best),
        "adjusted_mean": _number(score.adjusted),
        "adjusted_rank": "" if score.adjusted_rank is None else score.adjusted_rank,
        "adjusted_p_best": _number(score.adjusted_best), "best_end": each.best,
        "procedure": found.procedure, "error": found.error,
        "significant_pairs": "" if pairs is None else pairs.n_significant, "pairs": each.n_pairs,
    }  # fmt: skip


def _number(value: float) -> str:
    """Write all digits; nothing where there is no number."""
    return repr(float(value)) if math.isfinite(value) else ""
