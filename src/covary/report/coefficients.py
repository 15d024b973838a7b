"""Agreement beside correlation: the table, the picture, the bands, and further coefficients."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from covary.analysis.comparison import CriterionReliability, Reliability
from covary.analysis.verdict import AGREEMENT, CORRELATION
from covary.report.contents import Block, Bullets, Figure, Paragraph, Section, Table
from covary.report.plots import dumbbell
from covary.report.rounding import DASH, coefficient, percent, with_interval
from covary.report.tables import (
    Columns,
    both,
    left,
    level_of,
    reasons,
    sides,
    table,
    verdict_word,
    without_empty,
)
from covary.report.wording import listing, variant
from covary.stats.estimate import Estimate, Interval
from covary.stats.interpret import Reading, interpret

__all__ = ["agreement_section", "further_section"]

ABOUT = (
    "Agreement asks whether judges give the same ratings, correlation whether they order the "
    "items alike. Judges of different severity disagree and still covary: read both."
)

BANDS_NOTE = (
    "Behind each word stands the probability that the coefficient lies in that band. Bands are "
    "conventions, at odds with each other and dependent on the task: report the coefficient first."
)


def agreement_section(found: Reliability) -> Section:
    """Show both coefficients for every criterion with both intervals, and what bands say."""
    blocks: list[Block] = [Paragraph(ABOUT), _picture(found) or _main_table(found)]
    bands = _bands(found.criteria)
    if bands is not None:
        blocks.append(bands)
    if found.averages:
        blocks.append(Bullets(tuple(_averages(found))))
    return Section("agreement", "Agreement and correlation", tuple(blocks))


def _picture(found: Reliability) -> Figure | None:
    rows = [row for each in found.criteria for row in _marks(each)]
    if not rows:
        return None
    names = [each.name for each in found.criteria]
    drawn = dumbbell(rows, names, (AGREEMENT, CORRELATION))
    description = (
        "For each criterion agreement (blue circle) and correlation (orange diamond). The thick "
        f"line is the {level_of(found.confidence)} for these judges, the thin line for other "
        f"judges; the dashed lines mark {coefficient(AGREEMENT, 3)} for agreement and "
        f"{coefficient(CORRELATION)} for correlation, from which they count as high. "
        "The numbers are in the table."
    )
    return Figure("agreement-picture", _see(found), description, drawn, _main_table(found))


def _see(found: Reliability) -> str:
    """Say what the picture shows."""
    words = {each.overall.verdict.word for each in found.criteria}
    if words == {"interchangeable"}:
        return "Agreement and correlation are both high"
    if "consistent, different severity" in words:
        return "Correlation lies above agreement where judges differ only in severity"
    if words <= {"not reliable", "little variation", "undefined"}:
        return "Neither agreement nor correlation is surely high"
    return "How high agreement and correlation are, and how sure that is"


def _marks(each: CriterionReliability) -> Iterator[dict[str, Any]]:
    overall = each.overall
    for measure, estimate, others in (
        ("agreement", overall.agreement, overall.agreement_of_others),
        ("correlation", overall.correlation, overall.correlation_of_others),
    ):
        if estimate is not None and estimate.defined:
            mark = {"name": each.name, "measure": measure, "value": estimate.value}
            yield mark | _ends("", estimate.interval) | _ends("wide_", others)


def _ends(kind: str, interval: Interval | None) -> dict[str, float]:
    if interval is None or math.isnan(interval.low) or math.isnan(interval.high):
        return {}
    return {f"{kind}low": interval.low, f"{kind}high": interval.high}


def _main_table(found: Reliability) -> Table:
    columns: Columns = [
        left("criterion"), "judges", "items", "ratings", "agreement", "other judges",
        "correlation", "other judges", "informative pairs", left("verdict"),
    ]  # fmt: skip
    rows = [
        (each.name, DASH if found.slots else str(each.n_judges),
         f"{each.n_items:,}", f"{each.n_ratings:,}",
         *both(each.overall.agreement, each.overall.agreement_of_others),
         *both(each.overall.correlation, each.overall.correlation_of_others),
         _informative(each.overall.correlation), verdict_word(each.overall))
        for each in found.criteria
    ]  # fmt: skip
    agreed = listing(dict.fromkeys(_title(each.overall.agreement) for each in found.criteria))
    caption = f"Agreement: {agreed}."
    correlations = [each.overall.correlation for each in found.criteria]
    titles = dict.fromkeys(_title(each) for each in correlations if each is not None)
    if titles:
        caption += f" Correlation: {listing(titles)}."
    return without_empty(table("agreement", caption, columns, rows, _main_note(found)))


def _title(found: Estimate) -> str:
    return f"{found.title or found.name} ({found.level})"


def _main_note(found: Reliability) -> str:
    level = level_of(found.confidence)
    notes = [f"In brackets the {level} for these judges and other items;"]
    notes.append("the columns “other judges” speak of other judges and other items.")
    comparisons = [each.overall for each in found.criteria]
    if all(each.agreement.interval is None for each in comparisons):
        notes = ["Intervals were not asked for, so the verdicts rest on the points alone."]
    elif all(each.agreement_of_others is None for each in comparisons):
        why = "nobody knows who gave which rating" if found.slots else "that takes three judges"
        notes = [f"In brackets the {level} for these judges and other items;"]
        notes.append(f"there is none for other judges, because {why}.")
    if any("informative" in _details(each) for each in comparisons):
        notes.append("Gamma rests on the informative pairs of items, which both judges tell apart.")
    if any(each.correlation is None for each in comparisons):
        notes.append(f"{DASH} in correlation: names have no order, so nothing can correlate.")
    return " ".join([*notes, reasons(sides(found.criteria))]).strip()


def _details(comparison: Any) -> Any:
    return {} if comparison.correlation is None else comparison.correlation.details


def _informative(found: Estimate | None) -> str:
    share = None if found is None else found.details.get("informative")
    return DASH if share is None else percent(float(share))


def _bands(criteria: Sequence[CriterionReliability]) -> Table | None:
    """What each published scale calls the coefficients, with the probability of the word."""
    read = [
        (each.name, measure, reading)
        for each in criteria
        for measure, found in _measures(each)
        for reading in interpret(found).readings
    ]
    scales = sorted({(measure, reading.scale.title) for _, measure, reading in read})
    if not scales:
        return None
    words = {(name, measure, r.scale.title): _word(r) for name, measure, r in read}
    columns = [left("criterion"), *(left(f"{measure}: {title}") for measure, title in scales)]
    rows = [
        (each.name, *(words.get((each.name, *scale), DASH) for scale in scales))
        for each in criteria
    ]
    return table("bands", "What published scales call these coefficients", columns, rows,
                 BANDS_NOTE)  # fmt: skip


def _measures(each: CriterionReliability) -> Iterator[tuple[str, Estimate]]:
    yield "agreement", each.overall.agreement
    if each.overall.correlation is not None:
        yield "correlation", each.overall.correlation


def _word(reading: Reading) -> str:
    share = reading.probabilities.get(reading.band)
    return reading.band if share is None else f"{reading.band} ({_probability(share)})"


def _probability(share: float) -> str:
    return ">.99" if share > 0.99 else coefficient(share)


def _averages(found: Reliability) -> Iterator[str]:
    for each in found.averages:
        text = f"{each.name}: {coefficient(each.signed)} on average over {each.criteria} criteria"
        differ = abs(each.absolute - abs(each.signed)) > 1e-12
        yield text + (f"; {coefficient(each.absolute)} without signs." if differ else ".")


def further_section(found: Reliability) -> Section | None:
    """Show every further coefficient that suits the scales, a column for each criterion."""
    names = list(dict.fromkeys(_full(one) for each in found.criteria for one in each.beside))
    if not names:
        return None
    known = {(each.name, _full(one)): one for each in found.criteria for one in each.beside}
    rows = [
        (name, *(with_interval(known.get((each.name, name))) for each in found.criteria))
        for name in names
    ]
    columns: Columns = [left("coefficient"), *(each.name for each in found.criteria)]
    note = _further_note(found)
    if len(known) < len(names) * len(found.criteria):
        note += f" {DASH} without a reason: not suited to the scale of that criterion."
    shown = table("further", "Further coefficients", columns, rows, note.strip())
    about = "They answer other questions than the two above; do not choose the highest."
    return Section("further", "Further coefficients", (Paragraph(about), shown))


def _further_note(found: Reliability) -> str:
    estimates = [
        ("" if each.criterion is None else each.name, one)
        for each in found.criteria
        for one in each.beside
    ]
    note = reasons(estimates)
    if any(one.interval is not None for _, one in estimates):
        note = f"In brackets the {level_of(found.confidence)}. {note}"
    return note


def _full(found: Estimate) -> str:
    return f"{variant(found)} ({found.level})"
