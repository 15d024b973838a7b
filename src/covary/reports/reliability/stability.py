"""The stability of judges: a section of the reliability report, and a report of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from covary.analysis.stability import CriterionRetest, RetestStudy, stability
from covary.ratings import Ratings
from covary.records import dataclass
from covary.reports.blocks import (
    MOST_ROWS,
    Block,
    Bullets,
    Contents,
    Paragraph,
    Section,
    columns,
    interval_name,
    key_of,
    omission_note,
    table,
    without_empty,
)
from covary.reports.document import Document, FilePath, assemble, check_path, to_terminal
from covary.reports.formatting import DASH, amount, coefficient, percent, with_interval
from covary.words import counted, word

HEADS = "<criterion | rated again | the same | interval | alpha | r | shift | interval | ceiling"
JUDGE_HEADS = "<judge | rated again | the same | alpha | r | shift | interval"


@dataclass(frozen=True, kw_only=True, repr=False)
class StabilityReport(Document):
    """How stable judges are, in every form."""

    stability: RetestStudy
    contents: Contents

    found_in: ClassVar[str] = "stability"
    in_notebooks: ClassVar[tuple[str, ...]] = ("stability",)

    def short(self) -> str:
        """Return the short form for a terminal: a row and a sentence for each criterion."""
        criteria = self.stability.criteria
        heads = ("criterion", "rated again", "the same", "alpha", "r", "ceiling")
        rows = [
            (
                criterion.name,
                f"{criterion.n_pairs:,}",
                percent(criterion.same),
                with_interval(criterion.alpha),
                coefficient(criterion.r),
                coefficient(criterion.ceiling),
            )
            for criterion in criteria
        ]
        sentences = [f"{criterion.name}: {criterion.sentence}" for criterion in criteria]
        return to_terminal(heads, rows, [word("report.stability"), *sentences])


def stability_report(
    ratings: Ratings,
    path: FilePath | None = None,
    *,
    format: str | None = None,  # noqa: A002
    criterion: Any = None,
    confidence: float = 0.95,
    title: str | None = None,
) -> StabilityReport:
    """Would the same judge say the same again? Measure it and write it down."""
    check_path(path, format, "stability_report")
    result = stability(ratings, criterion=criterion, confidence=confidence)
    rated = sum(criterion.n_pairs for criterion in result.criteria)
    contents = assemble(
        title or "Would the same judge say the same again?",
        [counted(rated, "item") + " rated again"],
        confidence,
        [stability_section(result)],
    )
    return StabilityReport(stability=result, contents=contents).sealed(ratings).saved(path, format)


def stability_section(result: RetestStudy) -> Section:
    """Show how often judges repeat their ratings, for all of them and for each."""
    blocks: list[Block] = [Paragraph(word("report.stability"))]
    rows = [_row(criterion) for criterion in result.criteria]
    note = (
        f"Intervals are {interval_name(result.confidence).split()[0]}. r is the correlation "
        "within judges; the ceiling is the highest correlation to expect between judges."
    )
    caption = "Stability: the same judge again"
    blocks.append(without_empty(table("stability", caption, columns(HEADS), rows, note=note)))
    for criterion in result.criteria:
        blocks += _judges(criterion)
    return Section("stability", "Would the same judge say the same again?", tuple(blocks))


def _row(criterion: CriterionRetest) -> tuple[str, ...]:
    return (
        criterion.name,
        f"{criterion.n_pairs:,}",
        percent(criterion.same),
        ends((criterion.same_low, criterion.same_high), percent),
        with_interval(criterion.alpha),
        coefficient(criterion.r),
        amount(criterion.shift),
        ends((criterion.shift_low, criterion.shift_high), amount),
        coefficient(criterion.ceiling),
    )


def ends(limits: Sequence[float], write: Any) -> str:
    """Write two ends in brackets, where there are any."""
    return f"[{write(limits[0])}, {write(limits[1])}]" if math.isfinite(sum(limits)) else DASH


def _judges(criterion: CriterionRetest) -> list[Block]:
    rows = [
        (
            str(judge.judge),
            f"{judge.n:,}",
            percent(judge.same),
            coefficient(judge.alpha),
            coefficient(judge.r),
            amount(judge.shift),
            ends((judge.shift_low, judge.shift_high), amount),
        )
        for judge in criterion.judges[:MOST_ROWS]
    ]
    caption = f"{criterion.name}: stability of each judge"
    note = omission_note(len(criterion.judges), "judge")
    key = key_of("stability", criterion.name)
    shown = table(key, caption, columns(JUDGE_HEADS), rows, note=note)
    return [Bullets((criterion.sentence,)), without_empty(shown)]
