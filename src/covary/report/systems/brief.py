"""The short section on systems in a reliability report."""

from __future__ import annotations

from typing import Any

from covary.analysis.systems import CriterionSystems, Systems, brief_systems
from covary.errors import CovaryError
from covary.ratings import Ratings
from covary.report.contents import Bullets, Paragraph, Section
from covary.report.rounding import DASH, amount, count
from covary.report.systems.answer import counted_pairs, on, places_of
from covary.report.systems.means import ends
from covary.report.tables import MOST_ROWS, Columns, left, level_of, limited, table, without_empty
from covary.stats.plain import plain

__all__ = ["brief_dict", "brief_section", "compared_briefly"]

ABOUT = (
    "Mean ratings of the systems, the best first. Systems that share a letter do not differ "
    "significantly. The command covary systems says how sure the order is, what it depends on, and "
    "how large the differences are."
)


def compared_briefly(ratings: Ratings, confidence: float) -> Systems | None:
    """Compare the systems, where there are at least two that can be compared."""
    if "system" not in ratings.columns or len(ratings.values("system")) < 2:
        return None
    try:
        return brief_systems(ratings, confidence=confidence)
    except CovaryError:  # it is a report on judges; `covary systems` says what is wrong
        return None


def brief_section(found: Systems | None) -> Section | None:
    """List means and letters, count the differences, and say what severity does to the order."""
    if found is None:
        return None
    rows = [row for each in found.criteria for row in _rows(each)]
    columns: Columns = [
        left("criterion"), left("system"), "ratings", "mean", level_of(found.confidence),
        left("letters"), "adjusted mean",
    ]  # fmt: skip
    notes = ["The adjusted mean is that without the severity of judges.", limited(len(rows))]
    shown = table(
        "systems", "systems, the best first", columns, rows[:MOST_ROWS],
        " ".join(note for note in notes if note),
    )  # fmt: skip
    said = [on(each, f"{counted_pairs(each)} {_changed(each)}".strip()) for each in found.criteria]
    blocks = (Paragraph(ABOUT), without_empty(shown), Bullets(tuple(said)))
    return Section("systems", "Which system is better?", blocks)


def _rows(each: CriterionSystems) -> list[tuple[str, ...]]:
    name = DASH if each.criterion is None else each.name
    places = places_of(each)
    moved = each.adjustment.possible and not each.adjustment.balanced
    return [
        (name, score.name, count(score.n_ratings), amount(score.mean, places),
         ends(score.interval, places), score.letters or DASH,
         amount(score.adjusted, places) if moved else DASH)
        for score in each.systems
    ]  # fmt: skip


def _changed(each: CriterionSystems) -> str:
    return each.adjustment.sentence if each.adjustment.changed else ""


def brief_dict(found: Systems) -> list[dict[str, Any]]:
    """Return the section as plain values, not rounded."""
    return [_criterion(each) for each in found.criteria]


def _criterion(each: CriterionSystems) -> dict[str, Any]:
    tested = each.significance
    return {
        "criterion": each.criterion,
        "best": each.best,
        "procedure": None if tested is None else tested.procedure,
        "error": None if tested is None else tested.error,
        "n_significant": None if tested is None else tested.n_significant,
        "n_pairs": each.n_pairs,
        "order_changed_by_severity": each.adjustment.changed,
        "systems": [
            {"system": score.system, "n_ratings": score.n_ratings, "rank": score.rank,
             "letters": score.letters, **plain({"mean": score.mean, "low": score.interval.low,
             "high": score.interval.high, "adjusted": score.adjusted})}
            for score in each.systems
        ],
    }  # fmt: skip
