"""Agreement beside correlation: all judges, pairs, groups, subsets, and further coefficients."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from covary.analysis.reliability_result import (
    Comparison,
    CriterionReliability,
    Reliability,
    Subsets,
)
from covary.analysis.verdict import Subject, Verdict
from covary.reports.blocks import (
    MOST_ROWS,
    Block,
    Bullets,
    Columns,
    Figure,
    Paragraph,
    Section,
    Table,
    columns,
    interval_name,
    key_of,
    left,
    omission_note,
    reasons,
    table,
    without_empty,
)
from covary.reports.drawings import intervals, pair_map
from covary.reports.formatting import (
    DASH,
    coefficient,
    heading,
    interval,
    p_value,
    percent,
    variant,
    with_interval,
)
from covary.reports.plots import dumbbell, heat_maps
from covary.reports.reliability.prose import undefined_pairs
from covary.stats.estimate import Estimate, Interval
from covary.stats.interpret import BandReading, interpret
from covary.words import capital, listing

ABOUT = (
    "Agreement asks whether judges give the same ratings, correlation whether they order the "
    "items alike. Judges of different severity disagree and still covary: read both."
)

BANDS_NOTE = (
    "In parentheses: the probability that the true value lies in that band. Bands are "
    "conventions, at odds with each other and dependent on the task: report the coefficient first."
)

MOST_IN_A_MAP = 16
"""Judges up to whom a map of pairs has room for its numbers."""

TOO_FEW = "too few"
"""What stands for an interval that decides nothing of other judges."""

SURE = 0.05
"""Below this p of the sign test a pair's difference in severity is worth a sentence."""

MOST_SENTENCES = 6

BATCHES_ARE_PAIRS = (
    "The items came in batches, each rated by two judges, so the tables of pairs are tables of "
    "batches."
)


def criterion_title(criterion: CriterionReliability, text: str) -> str:
    """Put a criterion's name before a title, where it has one."""
    return heading(criterion.label or None, text)


def why_undefined(result: Reliability) -> str:
    """Say why agreement or correlation has no value on a criterion."""
    return reasons(
        (criterion.label, side.estimate)
        for criterion in result.criteria
        for side in criterion.overall.sides
    )


def main_coefficients(result: Reliability) -> dict[str, list[str]]:
    """Name the coefficients of agreement and of correlation with their level, each once."""
    names: dict[str, list[str]] = {}
    for criterion in result.criteria:
        for measure, estimate, _ in criterion.overall.sides:
            name = f"{estimate.title or estimate.name} ({estimate.level})"
            known = names.setdefault(measure, [])
            known += [] if name in known else [name]
    return names


USABLE = {"shown": "{}", "open": "{}?"}
PURPOSES = {"single ratings": "singly", "item means": "means", "system means": "ranking"}


def uses_in_brief(comparison: Comparison) -> str:
    """Say in a few words what the ratings can be used for; a question mark is what is open."""
    uses = [use for use in comparison.verdict.uses if use.state in USABLE]
    return ", ".join(USABLE[use.state].format(PURPOSES[use.purpose]) for use in uses) or DASH


def verdict_in_brief(verdict: Verdict) -> str:
    """The verdict's word; a question mark where it follows from estimates without intervals."""
    asked = verdict.points and verdict.word not in ("cannot tell yet", "undefined")
    return f"{verdict.word}?" if asked else verdict.word


def _coefficient_cells(comparison: Comparison) -> list[str]:
    """Agreement and correlation, each with its interval and the interval for other judges."""
    return [
        with_interval(comparison.agreement),
        _of_others(comparison.agreement_of_others),
        with_interval(comparison.correlation),
        _of_others(comparison.correlation_of_others),
    ]


def _of_others(limits: Interval | None) -> str:
    """The interval for other judges, or that there are too few judges or items for one."""
    return interval(limits) if limits is None or limits.decisive else TOO_FEW


def agreement_section(result: Reliability) -> Section:
    """Show both coefficients for every criterion with both intervals, and what bands say."""
    blocks: list[Block] = [Paragraph(ABOUT), _main_table(result)]
    bands = _bands(result.criteria)
    if bands is not None:
        blocks.append(bands)
    if result.averages:
        blocks.append(Bullets(tuple(_averages(result))))
    blocks += [Paragraph("The verdicts in full:"), Bullets(tuple(_in_full(result)))]
    return Section("agreement", "Agreement and correlation", tuple(blocks))


def _in_full(result: Reliability) -> Iterator[str]:
    """Each verdict, what the ratings can be used for, and what the disagreement is made of."""
    for criterion in result.criteria:
        overall = criterion.overall
        sentences = [overall.verdict.sentence, *(use.sentence for use in overall.verdict.uses)]
        if overall.disagreement is not None:
            sentences.append(overall.disagreement.sentence)
        yield heading(criterion.label or None, " ".join(sentences))


def agreement_picture(result: Reliability) -> Figure | None:
    """Draw agreement and order of every criterion with their intervals."""
    rows = [row for criterion in result.criteria for row in _marks(criterion)]
    if not rows:
        return None
    names = [criterion.name for criterion in result.criteria]
    limits = result.thresholds
    asked = (limits.agreement, limits.order)
    description = "Circle: agreement. Diamond: order."
    if any("low" in row for row in rows):
        description += f" Thick line: {interval_name(result.confidence)} for these judges"
        description += ", thin: for others." if any("wide_low" in row for row in rows) else "."
    return Figure(
        key="agreement-picture",
        title=_agreement_title(result),
        description=description,
        spec=dumbbell(rows, names, asked),
        panels=(intervals(rows, names, asked),),
    )


def _agreement_title(result: Reliability) -> str:
    """Say what the picture shows."""
    verdicts = [criterion.overall.verdict for criterion in result.criteria]
    if all(verdict.points for verdict in verdicts):
        return "Agreement and order, without intervals"
    states = {(fact.about, fact.state) for verdict in verdicts for fact in verdict.facts}
    known = {state for about, state in states if about in ("agreement", "order")}
    if known == {"shown"}:
        return "Agreement and order are both high"
    if known == {"ruled out"}:
        return "Neither agreement nor order is high"
    ordered = [_state(verdict, "order") for verdict in verdicts if _is_low(verdict)]
    if ordered and set(ordered) == {"shown"}:
        return "Order is high even where agreement is not"
    return "Agreement and order, with their intervals"


def _is_low(verdict: Verdict) -> bool:
    return _state(verdict, "agreement") == "ruled out"


def _state(verdict: Verdict, about: Subject) -> str:
    fact = verdict.fact(about)
    return "open" if fact is None else fact.state


def _marks(criterion: CriterionReliability) -> Iterator[dict[str, Any]]:
    for measure, estimate, others in criterion.overall.sides:
        if estimate.defined:
            mark = {"name": criterion.name, "measure": measure, "value": estimate.value}
            mark["text"] = f"{estimate.title or estimate.name} {with_interval(estimate)}"
            yield mark | _ends("", estimate.interval) | _ends("wide_", others)


def _ends(kind: str, interval: Interval | None) -> dict[str, float]:
    if interval is None or math.isnan(interval.low) or math.isnan(interval.high):
        return {}
    if kind == "wide_" and not interval.decisive:  # the table says: too few
        return {}
    return {f"{kind}low": interval.low, f"{kind}high": interval.high}


def _main_table(result: Reliability) -> Table:
    heads = "<criterion | judges | items | ratings | agreement | other judges"
    heads += " | correlation | other judges | informative pairs | <verdict | <usable"
    rows = [
        (
            criterion.name,
            DASH if result.slots else str(criterion.n_judges),
            f"{criterion.n_items:,}",
            f"{criterion.n_ratings:,}",
            *_coefficient_cells(criterion.overall),
            _informative(criterion.overall.correlation),
            verdict_in_brief(criterion.overall.verdict),
            uses_in_brief(criterion.overall),
        )
        for criterion in result.criteria
    ]
    used = main_coefficients(result)
    caption = " ".join(f"{capital(side)}: {listing(names)}." for side, names in used.items())
    whole = table("agreement", caption, columns(heads), rows, note=_main_note(result))
    return without_empty(whole)


def _main_note(result: Reliability) -> str:
    level = interval_name(result.confidence)
    notes = [
        f"In brackets the {level} for these judges and other items; the columns “other judges” "
        "give it for other judges and other items."
    ]
    comparisons = [criterion.overall for criterion in result.criteria]
    if all(comparison.agreement.interval is None for comparison in comparisons):
        notes = [
            "No intervals were requested, so the verdicts rest on the estimates alone, and nothing "
            "is shown."
        ]
    elif all(comparison.agreement_of_others is None for comparison in comparisons):
        why = "nobody knows who gave which rating" if result.slots else "that takes three judges"
        notes = [
            f"In brackets the {level} for these judges and other items; there is none for other "
            f"judges, because {why}."
        ]
    if any(TOO_FEW in _coefficient_cells(comparison) for comparison in comparisons):
        notes.append("Too few: these judges, or items, say next to nothing about other judges.")
    notes += undefined_pairs(result.criteria)
    if any(
        "informative" in side.estimate.details
        for comparison in comparisons
        for side in comparison.sides
    ):
        notes.append(
            "Gamma rests on the informative pairs of items, which both judges rate differently."
        )
    if any(comparison.correlation is None for comparison in comparisons):
        notes.append(
            f"{DASH} in correlation: nominal categories have no order, so nothing can correlate."
        )
    notes.append(
        "Usable: what the ratings are reliable enough for; a question mark means that this is open."
    )
    return " ".join([*notes, why_undefined(result)]).strip()


def _informative(estimate: Estimate | None) -> str:
    """How many pairs of items both judges of a pair tell apart, and which share of all."""
    details = {} if estimate is None else estimate.details
    share = details.get("informative")
    if share is None or math.isnan(share):
        return DASH
    return f"{details['concordant'] + details['discordant']:,} ({percent(float(share))})"


def _bands(criteria: Sequence[CriterionReliability]) -> Table | None:
    """What each published scale calls the coefficients, with the probability of the word."""
    read = [
        (criterion.name, measure, reading)
        for criterion in criteria
        for measure, estimate, _ in criterion.overall.sides
        for reading in interpret(estimate).readings
    ]
    scales = sorted({(measure, reading.scale.title) for _, measure, reading in read})
    if not scales:
        return None
    words = {(name, measure, r.scale.title): _word(r) for name, measure, r in read}
    heads = [left("criterion"), *(left(f"{measure}: {title}") for measure, title in scales)]
    rows = [
        (criterion.name, *(words.get((criterion.name, *scale), DASH) for scale in scales))
        for criterion in criteria
    ]
    caption = "What published scales call these coefficients"
    return table("bands", caption, heads, rows, note=BANDS_NOTE)


def _word(reading: BandReading) -> str:
    share = reading.probabilities.get(reading.band)
    if share is None:
        return reading.band
    return f"{reading.band} ({'>99%' if share > 0.99 else percent(share)})"


def _averages(result: Reliability) -> Iterator[str]:
    for average in result.averages:
        mean = f"{coefficient(average.signed)} on average over {average.criteria} criteria"
        differ = abs(average.absolute - abs(average.signed)) > 1e-12
        more = f"; {coefficient(average.absolute)} without signs." if differ else "."
        yield f"{average.name}: {mean}{more}"


def further_section(result: Reliability) -> Section | None:
    """Show every further coefficient that suits the scales, a column for each criterion."""
    names = list(
        dict.fromkeys(
            _full(further) for criterion in result.criteria for further in criterion.beside
        )
    )
    if not names:
        return None
    known = {
        (criterion.name, _full(further)): further
        for criterion in result.criteria
        for further in criterion.beside
    }
    rows = [
        (name, *(with_interval(known.get((criterion.name, name))) for criterion in result.criteria))
        for name in names
    ]
    heads: Columns = [left("coefficient"), *(criterion.name for criterion in result.criteria)]
    note = _further_note(result)
    if len(known) < len(names) * len(result.criteria):
        note += f" {DASH} without a reason: not suited to the scale of that criterion."
    shown = table("further", "Further coefficients", heads, rows, note=note.strip())
    about = "They answer different questions from the two above; do not pick the highest."
    return Section("further", "Further coefficients", (Paragraph(about), shown))


def _further_note(result: Reliability) -> str:
    estimates = [
        (criterion.label, further) for criterion in result.criteria for further in criterion.beside
    ]
    note = reasons(estimates)
    if any(further.interval is not None for _, further in estimates):
        note = f"In brackets the {interval_name(result.confidence)}. {note}"
    return note


def _full(estimate: Estimate) -> str:
    return f"{variant(estimate)} ({estimate.level})"


def pairs_section(result: Reliability) -> Section | None:
    """Compare every two judges: who agrees with whom, and who rates higher."""
    compared = [criterion for criterion in result.criteria if criterion.pairs]
    if not compared:
        return None
    blocks = [*_maps(compared), *(block for part in compared for block in _pairs(part))]
    about = (
        "Each pair of judges, on the items that both rated. “Higher” and “lower” count the items "
        "on "
        "which the second judge rates higher or lower than the first; p is that of a sign test."
    )
    return Section("pairs", "Pairs of judges", (Paragraph(about), *blocks))


def _maps(compared: Sequence[CriterionReliability]) -> Iterator[Figure]:
    """A map of every two judges for each criterion, side by side."""
    drawn = [
        (criterion, [str(judge) for judge in criterion.overall.judges], list(_cells(criterion)))
        for criterion in compared
        if 2 < len(criterion.overall.judges) <= MOST_IN_A_MAP
    ]
    if not drawn:
        return
    yield Figure(
        key="pairs-picture",
        title="Who agrees with whom",
        description=(
            "A square for each pair of judges: agreement below the diagonal (blue), order above it "
            "(orange), the stronger the colour the higher."
        ),
        spec=heat_maps(
            [cell | {"criterion": part.name} for part, _, cells in drawn for cell in cells],
            list(dict.fromkeys(judge for _, judges, _ in drawn for judge in judges)),
        ),
        panels=tuple(pair_map(part.label, cells, judges) for part, judges, cells in drawn),
    )


def _pairs(criterion: CriterionReliability) -> Iterator[Block]:
    yield _pair_table(criterion)
    known = [pair.severity for pair in criterion.pairs if pair.severity]
    tendencies = [severity for severity in known if severity.p * len(known) < SURE]
    tendencies.sort(key=lambda severity: severity.p)
    if tendencies:
        yield Bullets(tuple(severity.sentence for severity in tendencies[:MOST_SENTENCES]))


def _cells(criterion: CriterionReliability) -> Iterator[dict[str, Any]]:
    for pair in criterion.pairs:
        first, second = (str(judge) for judge in pair.judges)
        sides = (
            (second, first, "agreement", pair.agreement),
            (first, second, "correlation", pair.correlation),
        )
        for row, column, measure, estimate in sides:
            if estimate is not None:
                title = f"{pair.label}: {estimate.title or estimate.name} {with_interval(estimate)}"
                place = {"row": row, "column": column, "measure": measure, "title": title}
                yield place | _cell_number(estimate)


def _cell_number(estimate: Estimate) -> dict[str, Any]:
    value = 0.0 if math.isnan(estimate.value) else estimate.value
    return {"value": max(value, 0.0), "text": coefficient(estimate.value).replace("-", "−")}


def _pair_table(criterion: CriterionReliability) -> Table:
    heads = columns("<judges | items | agreement | correlation | higher | equal | lower | p")
    pairs = (
        sorted(criterion.pairs, key=_lowest_first)
        if len(criterion.pairs) > MOST_ROWS
        else criterion.pairs
    )
    rows = [_pair_row(pair) for pair in pairs[:MOST_ROWS]]
    notes = [omission_note(len(pairs), "pair"), *criterion.notes, _undefined(pairs)]
    shown = table(
        key_of("pairs", criterion.name),
        criterion_title(criterion, "pairs of judges"),
        [*heads, left("verdict")],
        rows,
        note=" ".join(notes).strip(),
    )
    return without_empty(shown)


def _undefined(comparisons: Iterable[Comparison]) -> str:
    """Say why coefficients of comparisons have no value."""
    return reasons(
        (comparison.label, side.estimate) for comparison in comparisons for side in comparison.sides
    )


def _lowest_first(pair: Comparison) -> float:
    value = pair.agreement.value
    return math.inf if math.isnan(value) else value


def _pair_row(pair: Comparison) -> tuple[str, ...]:
    counts: tuple[str, ...] = (DASH,) * 4
    if pair.severity is not None:
        three = (pair.severity.higher, pair.severity.equal, pair.severity.lower)
        counts = (*(f"{number:,}" for number in three), p_value(pair.severity.p))
    both = (with_interval(pair.agreement), with_interval(pair.correlation))
    return (
        pair.label,
        f"{pair.agreement.n_items:,}",
        *both,
        *counts,
        verdict_in_brief(pair.verdict),
    )


def groups_section(result: Reliability) -> Section | None:
    """Compare the judges of each group, and those of each batch."""
    blocks: list[Block] = []
    for criterion in result.criteria:
        if criterion.groups:
            whole = (criterion.overall, *criterion.groups)
            blocks.append(_comparison_table(criterion, "groups", "groups of judges", whole))
            blocks.append(_difference_table(criterion))
    for criterion in result.criteria:
        if criterion.batches and not _are_pairs(criterion):
            caption = "batches: the items that exactly these judges rated"
            blocks.append(_comparison_table(criterion, "batches", caption, criterion.batches))
    if any(criterion.batches and _are_pairs(criterion) for criterion in result.criteria):
        blocks.append(Paragraph(BATCHES_ARE_PAIRS))
    return Section("groups", "Groups and batches", tuple(blocks)) if blocks else None


def _comparison_table(
    criterion: CriterionReliability, key: str, caption: str, comparisons: Sequence[Comparison]
) -> Table:
    """Agreement beside correlation, a row for each set of judges."""
    heads = columns("judges | items | agreement | other judges | correlation | other judges")
    rows = [
        (
            comparison.label,
            str(len(comparison.judges)),
            f"{comparison.agreement.n_items:,}",
            *_coefficient_cells(comparison),
            verdict_in_brief(comparison.verdict),
        )
        for comparison in comparisons[:MOST_ROWS]
    ]
    note = f"{omission_note(len(comparisons))} {_undefined(comparisons)}".strip()
    shown = table(
        key_of(key, criterion.name),
        criterion_title(criterion, caption),
        [left("group" if key == "groups" else "judges"), *heads, left("verdict")],
        rows,
        note=note,
    )
    return without_empty(shown)


def _difference_table(criterion: CriterionReliability) -> Table:
    """How much more one group agrees than another."""
    rows = [
        (" less ".join(gap.groups), coefficient(gap.value), interval(gap.interval), gap.sentence)
        for gap in criterion.differences
    ]
    return table(
        key_of("differences", criterion.name),
        criterion_title(criterion, "differences of alpha between groups, over the same items"),
        columns("<groups | difference | interval | <in words"),
        rows,
    )


def _are_pairs(criterion: CriterionReliability) -> bool:
    """Say whether each batch is just the items of one pair of judges."""
    pairs = {(pair.judges, pair.agreement.n_items) for pair in criterion.pairs}
    return all((batch.judges, batch.agreement.n_items) in pairs for batch in criterion.batches)


def subsets_section(result: Reliability) -> Section | None:
    """Show how much depends on which judges were taken, and who stands apart."""
    blocks: list[Block] = []
    rows = [
        _subset_row(criterion, part) for criterion in result.criteria for part in criterion.subsets
    ]
    if rows:
        heads = columns("<criterion | judges | subsets | mean | lowest | <of | highest | <of")
        caption = "Correlation in every subset of judges"
        note = f"The mean over the pairs of judges within each subset. {omission_note(len(rows))}"
        blocks.append(table("subsets", caption, heads, rows[:MOST_ROWS], note=note.strip()))
    apart = [
        f"{criterion.name}: {suspect.sentence}"
        for criterion in result.criteria
        for suspect in criterion.suspects
    ]
    if apart:
        blocks += [Paragraph("Judges who stand apart:"), Bullets(tuple(apart))]
    best = [
        f"{criterion.name}: {criterion.best_batch.sentence}"
        for criterion in result.criteria
        if criterion.best_batch is not None
    ]
    if best:
        blocks += [Paragraph("The most reliable batch:"), Bullets(tuple(best))]
    return Section("subsets", "Other choices of judges", tuple(blocks)) if blocks else None


def _subset_row(criterion: CriterionReliability, part: Subsets) -> tuple[str, ...]:
    lowest = (coefficient(part.low), listing(part.low_judges))
    highest = (coefficient(part.high), listing(part.high_judges))
    return (
        criterion.name,
        str(part.size),
        str(part.number),
        coefficient(part.mean),
        *lowest,
        *highest,
    )
