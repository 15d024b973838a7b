"""How each system was rated: means with intervals, letters, and the use of the scale."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from covary.analysis.systems import CriterionSystems, Range, Systems, SystemScore
from covary.analysis.systems.pairs import MOST_LETTERED
from covary.report.contents import Block, Figure, Paragraph, Section, Table
from covary.report.plots import small_bars
from covary.report.rounding import DASH, amount, count, percent
from covary.report.systems.answer import named, places_of
from covary.report.systems.plots import means_with_intervals
from covary.report.tables import (
    MOST_ROWS,
    Columns,
    key_of,
    left,
    level_of,
    limited,
    table,
    without_empty,
)
from covary.report.wording import listing

__all__ = ["distributions_section", "ends", "means_section", "system_table"]

MOST_DRAWN = 30
"""Systems up to which all are drawn; of more, the best."""

MOST_BARS = 8
"""Systems up to which bars show how the scale was used."""


def means_section(found: Systems) -> Section:
    """Draw and list the mean of each system with its intervals and letters."""
    about = (
        "A system's mean rating, with two intervals: the first for these judges and these sources "
        "or items, from the error of the model that compares the systems; the second for other "
        "judges and other sources (or items) like these. Systems that share a letter do not "
        "differ significantly."
    )
    figures = [_figure(each, found.confidence) for each in found.criteria]
    return Section("means", "Means", (Paragraph(about), *figures))


def _figure(each: CriterionSystems, confidence: float) -> Figure:
    shown = each.systems[:MOST_DRAWN]
    places = places_of(each)
    rows = [_drawn(score) for score in shown]
    said = (
        f"A point for each system's mean, the best on top; a thick line for its "
        f"{level_of(confidence)}, a thin one for that with other judges and sources. At the right "
        "the letters."
    )
    if each.best == "low":
        said += " Low ratings are best, so the axis runs from high to low."
    if len(shown) < len(each.systems):
        said += f" The best {len(shown)} of {count(len(each.systems))} systems."
    return Figure(
        key_of("means-picture", each.name),
        named(each, _see(each, places)),
        said,
        means_with_intervals(
            rows, [score.name for score in shown], "mean rating",
            humans=any(score.human for score in shown), descending=each.best == "low",
        ),
        system_table(each, confidence),
    )  # fmt: skip


def _see(each: CriterionSystems, places: int) -> str:
    first, last = each.systems[0], each.systems[-1]
    return (
        f"rated best: {first.name} ({amount(first.mean, places)}); worst: {last.name} "
        f"({amount(last.mean, places)})"
    )


def _drawn(score: SystemScore) -> dict[str, Any]:
    row = {
        "name": score.name, "value": score.mean, "letters": score.letters,
        "author": "human author" if score.human else "system",
    }  # fmt: skip
    for kind, limits in (("", score.interval), ("wide_", score.wide)):
        if not math.isnan(limits.low):
            row |= {f"{kind}low": limits.low, f"{kind}high": limits.high}
    return row


def system_table(each: CriterionSystems, confidence: float) -> Table:
    """List the systems from the best to the worst."""
    places = places_of(each)
    columns: Columns = [
        left("system"), "rank", "ratings", "items", "mean", level_of(confidence),
        "other judges, sources", left("letters"), "P(best)", "median", "SD",
    ]  # fmt: skip
    rows = [_row(score, places) for score in each.systems[:MOST_ROWS]]
    notes = [limited(len(each.systems), "system")]
    if each.n_sources == 0:
        notes.append("Sources are not known, so that items stand for them.")
    if each.best == "low":
        notes.append("Low ratings are best.")
    if each.compared != "means":
        notes.append(f"The letters compare {each.compared}.")
    if len(each.systems) > MOST_LETTERED:
        notes.append("There are too many systems for letters.")
    note = " ".join(note for note in notes if note)
    made = table(key_of("means", each.name), named(each, "systems"), columns, rows, note)
    return without_empty(made)


def _row(score: SystemScore, places: int) -> tuple[str, ...]:
    return (
        score.name, str(score.rank), count(score.n_ratings), count(score.n_items),
        amount(score.mean, places), ends(score.interval, places), ends(score.wide, places),
        score.letters or DASH, percent(score.best), amount(score.median, places),
        amount(score.deviation, places),
    )  # fmt: skip


def ends(limits: Range, places: int) -> str:
    """Write both ends of an interval of a mean."""
    if math.isnan(limits.low):
        return DASH
    return f"[{amount(limits.low, places)}, {amount(limits.high, places)}]"


def distributions_section(found: Systems) -> Section | None:
    """Show how the ratings of each system spread over the scale."""
    blocks = [block for each in found.criteria for block in _distribution(each)]
    return Section("distributions", "Distributions", tuple(blocks)) if blocks else None


def _distribution(each: CriterionSystems) -> Iterator[Block]:
    if each.scale.categories is None or len(each.scale.categories) > 12:
        return
    names = [str(category) for category in each.scale.categories]
    counted = table(
        key_of("distribution", each.name), named(each, "ratings of each system"),
        [left("system"), *names, "median", "quartiles"],
        [_shares(score, places_of(each)) for score in each.systems[:MOST_ROWS]],
        limited(len(each.systems), "system"),
    )  # fmt: skip
    if len(each.systems) > MOST_BARS:
        yield counted
        return
    bars = [
        {"judge": score.name, "category": name, "share": share, "text": percent(share)}
        for score in each.systems
        for name, share in zip(names, _parts(score), strict=True)
    ]
    order = [score.name for score in each.systems]
    yield Figure(
        key_of("distribution-picture", each.name),
        named(each, f"ratings of {listing(order)}"),
        "Bars for each system: the share of each rating.",
        small_bars(bars, order, names, "rating"),
        counted,
    )


def _shares(score: SystemScore, places: int) -> tuple[str, ...]:
    assert score.counts is not None
    cells = [
        f"{count(n)} ({percent(share)})"
        for n, share in zip(score.counts, _parts(score), strict=True)
    ]
    low, high = score.quartiles
    quartiles = f"{amount(low, places)} to {amount(high, places)}"
    return (score.name, *cells, amount(score.median, places), quartiles)


def _parts(score: SystemScore) -> Sequence[float]:
    counts = score.counts or ()
    return [number / max(sum(counts), 1) for number in counts]
