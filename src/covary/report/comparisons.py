"""Judges in twos, groups, batches and subsets."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from covary.analysis.comparison import Comparison, CriterionReliability, Reliability, Subsets
from covary.report.contents import Block, Bullets, Figure, Paragraph, Section, Table
from covary.report.plots import heat_map
from covary.report.rounding import DASH, coefficient, interval, p_value, with_interval
from covary.report.tables import (
    MOST_ROWS,
    Columns,
    comparison_table,
    key_of,
    left,
    limited,
    reasons,
    table,
    titled,
    verdict_word,
    without_empty,
)
from covary.report.wording import listing
from covary.stats.estimate import Estimate

__all__ = ["groups_section", "pairs_section", "subsets_section"]

MOST_IN_A_MAP = 16
"""Judges up to whom a map of pairs has room for its numbers."""

SURE = 0.05
"""Below this p of the sign test a pair's difference in severity is worth a sentence."""

MOST_SENTENCES = 6

BATCHES_ARE_PAIRS = (
    "The items came in batches, each rated by two judges: the tables of pairs are those of batches."
)


def pairs_section(found: Reliability) -> Section | None:
    """Compare every two judges: who agrees with whom, and who rates higher."""
    blocks = [block for each in found.criteria if each.pairs for block in _pairs(each)]
    if not blocks:
        return None
    about = (
        "Each two judges on the items that both rated. “Higher” and “lower” count the items on "
        "which the second judge rates higher or lower than the first; p is that of a sign test."
    )
    return Section("pairs", "Pairs of judges", (Paragraph(about), *blocks))


def _pairs(each: CriterionReliability) -> Iterator[Block]:
    shown = _pair_table(each)
    judges = list(dict.fromkeys(str(judge) for judge in each.overall.judges))
    if 2 < len(judges) <= MOST_IN_A_MAP:
        yield Figure(
            key_of("pairs-picture", each.name),
            titled(each, "who agrees with whom"),
            "A square for each two judges: agreement below the diagonal (blue), correlation above "
            "it (orange), the stronger the colour the higher. The "
            "numbers are in the table.",
            heat_map(list(_cells(each)), judges),
            shown,
        )
    else:
        yield shown
    told = [pair.severity for pair in each.pairs if pair.severity and pair.severity.p < SURE]
    told.sort(key=lambda severity: severity.p)
    if told:
        yield Bullets(tuple(severity.sentence for severity in told[:MOST_SENTENCES]))


def _cells(each: CriterionReliability) -> Iterator[dict[str, Any]]:
    for pair in each.pairs:
        first, second = (str(judge) for judge in pair.judges)
        sides = ((second, first, "agreement", pair.agreement),
                 (first, second, "correlation", pair.correlation))  # fmt: skip
        for row, column, measure, estimate in sides:
            if estimate is not None:
                yield {"row": row, "column": column, "measure": measure} | _number(estimate)


def _number(estimate: Estimate) -> dict[str, Any]:
    value = 0.0 if math.isnan(estimate.value) else estimate.value
    return {"value": max(value, 0.0), "text": coefficient(estimate.value).replace("-", "−")}


def _pair_table(each: CriterionReliability) -> Table:
    columns: Columns = [
        left("judges"), "items", "agreement", "correlation", "higher", "equal", "lower", "p",
        left("verdict"),
    ]  # fmt: skip
    pairs = sorted(each.pairs, key=_lowest_first) if len(each.pairs) > MOST_ROWS else each.pairs
    rows = [_pair_row(pair) for pair in pairs[:MOST_ROWS]]
    sides = [(pair.label, side) for pair in pairs for side in (pair.agreement, pair.correlation)]
    note = " ".join([limited(len(pairs), "pair"), *each.notes, reasons(sides)]).strip()
    caption = titled(each, "pairs of judges")
    return without_empty(table(key_of("pairs", each.name), caption, columns, rows, note))


def _lowest_first(pair: Comparison) -> float:
    value = pair.agreement.value
    return math.inf if math.isnan(value) else value


def _pair_row(pair: Comparison) -> tuple[str, ...]:
    counts: tuple[str, ...] = (DASH,) * 4
    if pair.severity is not None:
        three = (pair.severity.higher, pair.severity.equal, pair.severity.lower)
        counts = (*(f"{number:,}" for number in three), p_value(pair.severity.p))
    return (pair.label, f"{pair.agreement.n_items:,}", with_interval(pair.agreement),
            with_interval(pair.correlation), *counts, verdict_word(pair))  # fmt: skip


def groups_section(found: Reliability) -> Section | None:
    """Compare the judges of each group, and those of each batch."""
    blocks: list[Block] = []
    for each in found.criteria:
        if each.groups:
            whole = (each.overall, *each.groups)
            caption = titled(each, "groups of judges")
            blocks.append(comparison_table(key_of("groups", each.name), caption, "group", whole))
            blocks.append(_difference_table(each))
    for each in found.criteria:
        if each.batches and not _are_pairs(each):
            caption = titled(each, "batches, the items that just these judges rated")
            blocks.append(comparison_table(key_of("batches", each.name), caption, "judges",
                                           each.batches))  # fmt: skip
    if any(each.batches and _are_pairs(each) for each in found.criteria):
        blocks.append(Paragraph(BATCHES_ARE_PAIRS))
    return Section("groups", "Groups and batches", tuple(blocks)) if blocks else None


def _difference_table(each: CriterionReliability) -> Table:
    """How much more one group agrees than another."""
    rows = [
        (
            f"{a.groups[0]} less {a.groups[1]}",
            coefficient(a.value),
            interval(a.interval),
            a.sentence,
        )
        for a in each.differences
    ]
    return table(
        key_of("differences", each.name),
        titled(each, "differences of agreement between groups, over the same items"),
        (left("groups"), "difference", "interval", left("in words")),
        rows,
    )


def _are_pairs(each: CriterionReliability) -> bool:
    """Say whether each batch is just the items of one pair of judges."""
    pairs = {(pair.judges, pair.agreement.n_items) for pair in each.pairs}
    return all((batch.judges, batch.agreement.n_items) in pairs for batch in each.batches)


def subsets_section(found: Reliability) -> Section | None:
    """Show how much depends on which judges were taken, and who stands apart."""
    blocks: list[Block] = []
    rows = [_subset_row(each, part) for each in found.criteria for part in each.subsets]
    if rows:
        columns: Columns = [left("criterion"), "judges", "subsets", "mean", "lowest", left("of"),
                            "highest", left("of")]  # fmt: skip
        note = "The mean over the pairs of judges within each subset."
        blocks.append(table("subsets", "Correlation in every subset of so many judges", columns,
                            rows[:MOST_ROWS], f"{note} {limited(len(rows))}".strip()))  # fmt: skip
    apart = [f"{each.name}: {one.sentence}" for each in found.criteria for one in each.suspects]
    if apart:
        blocks += [Paragraph("Judges who stand apart:"), Bullets(tuple(apart))]
    return Section("subsets", "Other choices of judges", tuple(blocks)) if blocks else None


def _subset_row(each: CriterionReliability, part: Subsets) -> tuple[str, ...]:
    return (each.name, str(part.size), str(part.number), coefficient(part.mean),
            coefficient(part.low), listing(part.low_judges),
            coefficient(part.high), listing(part.high_judges))  # fmt: skip
