"""What the disagreement is made of: a stacked bar for each criterion, and a line for each judge."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from covary.analysis.disagreement import Decomposition
from covary.analysis.reliability_result import CriterionReliability, Reliability
from covary.reports.blocks import (
    MOST_ROWS,
    Block,
    Bullets,
    Figure,
    Paragraph,
    Section,
    Table,
    columns,
    interval_name,
    omission_note,
    table,
    without_empty,
)
from covary.reports.drawings import stacked
from covary.reports.formatting import DASH, coefficient, interval, percent
from covary.reports.plots import stacked_shares
from covary.stats.estimate import Interval
from covary.words import word

PARTS = {
    "severity": "severity",
    "scale_use": "use of the scale",
    "noise": "noise",
    "inconsistency": "inconsistency of a judge",
}
"""The parts of the disagreement as they are named in the picture."""

HEADS = (
    "<criterion | items | severity | these judges | other judges | use of the scale | noise"
    " | inconsistency | agreement | without severity | <model"
)


def disagreement_section(result: Reliability) -> Section | None:
    """Show how much of the disagreement is severity, scale use and noise, on each criterion."""
    whole = [(criterion, criterion.overall.disagreement) for criterion in result.criteria]
    known = [(criterion, parts) for criterion, parts in whole if parts and parts.defined]
    left_out = [
        f"{criterion.name}: {parts.sentence}" if criterion.label else parts.sentence
        for criterion, parts in whole
        if parts is not None and not parts.defined
    ]
    blocks: list[Block] = [Paragraph(word("report.disagreement"))]
    if known:
        blocks.append(_picture(result, known))
    blocks += [Bullets(tuple(left_out))] if left_out else []
    for criterion in result.criteria:
        blocks += _judge_lines(criterion)
    return Section("disagreement", "What the disagreement is made of", tuple(blocks))


def _picture(
    result: Reliability, known: list[tuple[CriterionReliability, Decomposition]]
) -> Figure:
    bars = [bar for criterion, parts in known for bar in _bars(criterion.name, parts)]
    names = [criterion.name for criterion, _ in known]
    used = [name for name in PARTS.values() if any(bar["part"] == name for bar in bars)]
    return Figure(
        key="disagreement-picture",
        title=_title(known),
        description=(
            "A bar for each criterion: the shares of the judges' disagreement that are severity, "
            "different use of the scale, and noise."
        ),
        spec=stacked_shares(bars, names, used),
        panels=(stacked(bars, names, used),),
        table=_table(result, known),
    )


def _title(known: list[tuple[CriterionReliability, Decomposition]]) -> str:
    """Say which part is the largest."""
    most = {max(_shares(parts), key=lambda share: share[1])[0] for _, parts in known}
    if len(most) > 1:
        return "What the disagreement is made of differs between criteria"
    return f"Most of the disagreement is {PARTS[most.pop()]}"


def _shares(parts: Decomposition) -> Iterator[tuple[str, float]]:
    """The parts that are known; a judge's own inconsistency is a part of the noise."""
    own = 0.0 if math.isnan(parts.inconsistency) else min(parts.inconsistency, parts.noise)
    yield "severity", parts.severity
    if not math.isnan(parts.scale_use):
        yield "scale_use", parts.scale_use
    yield "noise", parts.noise - own
    if own:
        yield "inconsistency", own


def _bars(name: str, parts: Decomposition) -> Iterator[dict[str, Any]]:
    for number, (part, share) in enumerate(_shares(parts)):
        text = percent(share) if share >= 0.08 else ""
        bar = {"name": name, "part": PARTS[part], "share": share, "order": number}
        yield bar | {"text": text}


def _table(result: Reliability, known: list[tuple[CriterionReliability, Decomposition]]) -> Table:
    rows = [
        (
            criterion.name,
            f"{parts.n_items:,}",
            percent(parts.severity),
            _limits(parts.severity_interval),
            _limits(parts.severity_of_others),
            percent(parts.scale_use),
            percent(parts.noise),
            percent(parts.inconsistency),
            coefficient(parts.agreement),
            f"{coefficient(parts.without_severity)} {interval(parts.without_interval)}",
            f"{parts.method} of {parts.metric}",
        )
        for criterion, parts in known
    ]
    note = (
        f"In brackets the {interval_name(result.confidence)}. Other judges would differ more or "
        "less in severity than these; the fewer the judges, the less is known about others."
    )
    caption = "Shares of the disagreement, and agreement as an intraclass correlation"
    shown = table("disagreement", caption, columns(HEADS), rows, note=note)
    return without_empty(shown)


def _limits(limits: Interval | None) -> str:
    if limits is None or not math.isfinite(limits.low + limits.high):
        return DASH
    return f"[{percent(limits.low)}, {percent(limits.high)}]"


def _judge_lines(criterion: CriterionReliability) -> Iterator[Block]:
    """How severe each judge is, in points of the scale; those furthest from the others first."""
    if not criterion.judges:
        return
    if criterion.label:
        yield Paragraph(f"{criterion.name}:")
    judges = criterion.judges
    if len(judges) > MOST_ROWS:
        judges = tuple(sorted(judges, key=lambda judge: -abs(judge.value)))
    note = omission_note(len(judges), "judge")
    yield Bullets((*(judge.sentence for judge in judges[:MOST_ROWS]), *([note] if note else [])))
