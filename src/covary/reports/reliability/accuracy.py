"""The accuracy of judges: the section of a reliability report with known answers."""

from __future__ import annotations

from covary.analysis.accuracy import Accuracy, Closeness, CriterionAccuracy
from covary.reports.blocks import (
    MOST_ROWS,
    Block,
    Bullets,
    Paragraph,
    Section,
    columns,
    interval_name,
    key_of,
    omission_note,
    table,
    without_empty,
)
from covary.reports.formatting import amount, percent, with_interval
from covary.reports.reliability.stability import ends
from covary.words import counted, word

HEADS = "<criterion | items | ratings | right | interval | alpha | shift | interval"
JUDGE_HEADS = "<judge | items | right | interval | alpha | shift | interval"


def accuracy_section(result: Accuracy) -> Section:
    """Show how often judges gave the known answer, for all of them and for each."""
    blocks: list[Block] = [Paragraph(word("report.accuracy"))]
    rows = [
        (one.name, f"{one.overall.items:,}", f"{one.overall.n:,}", *_cells(one.overall))
        for one in result.criteria
    ]
    note = (
        f"Intervals are {interval_name(result.confidence).split()[0]}, for these judges and other "
        "items. Right: the known answer, on a line within a tenth of its length. Alpha: between "
        "ratings and known answers. Shift: rating less known answer, on average."
    )
    caption = "Accuracy: judges against known answers"
    blocks.append(without_empty(table("accuracy", caption, columns(HEADS), rows, note=note)))
    for criterion in result.criteria:
        blocks += _judges(criterion)
    return Section("accuracy", "Do the judges give the known answers?", tuple(blocks))


def _cells(found: Closeness) -> tuple[str, ...]:
    return (
        percent(found.right),
        ends((found.right_low, found.right_high), percent),
        with_interval(found.alpha),
        amount(found.shift),
        ends((found.shift_low, found.shift_high), amount),
    )


def _judges(criterion: CriterionAccuracy) -> list[Block]:
    said = [criterion.overall.sentence]
    if criterion.unrated:
        said.append(
            f"{counted(criterion.unrated, 'item')} with a known answer, but without a rating."
        )
    rows = [
        (str(judge.judge), f"{judge.items:,}", *_cells(judge))
        for judge in criterion.judges[:MOST_ROWS]
    ]
    caption = f"{criterion.name}: accuracy of each judge"
    note = omission_note(len(criterion.judges), "judge")
    key = key_of("accuracy", criterion.name)
    shown = table(key, caption, columns(JUDGE_HEADS), rows, note=note)
    return [Bullets(tuple(said)), *([without_empty(shown)] if rows else [])]
