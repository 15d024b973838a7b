"""The first two screens of a reliability report: everything that decides, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from covary.analysis.disagreement import JudgeSeverity
from covary.analysis.disputed import Disputed
from covary.analysis.forensics import Findings
from covary.analysis.reliability_result import CriterionReliability, Reliability
from covary.analysis.verdict import UNSEEN, RatingUse, Verdict, VerdictFact
from covary.reports.blocks import (
    Block,
    Bullets,
    Figure,
    Paragraph,
    Section,
    Table,
    Tone,
    columns,
    interval_name,
    table,
    without_empty,
)
from covary.reports.formatting import DASH, coefficient, interval, listing, percent, with_interval
from covary.reports.references import prose_text
from covary.reports.reliability.disputed import FIRST, disputed_table
from covary.reports.reliability.prose import criterion_name, results_prose, undefined_pairs
from covary.stats.estimate import Estimate
from covary.words import word

MOST_FINDINGS = 3
"""Serious defects that the first screens name."""

MOST_APART = 3
"""Judges who stand apart that the first screens name."""

WEAK = "°"
"""Marks a number that rests on little."""

TONES: dict[str, Tone] = {
    "interchangeable": "good",
    "agree; one is stricter": "good",
    "consistent, different severity": "fair",
    "consistent but noisy": "fair",
    "consistent, partly severity": "fair",
    "consistent, severity unknown": "fair",
    "usable as means": "fair",
    "little variation": "unclear",
    "not reliable": "bad",
}
"""How a verdict is marked in the margin; what cannot be told yet, or without intervals, is not."""

HEADS = "<criterion | agreement | order | severity's share | without severity | <usable"


def verdict_section(
    result: Reliability,
    warnings: Sequence[str],
    picture: Figure | None,
    usable: Callable[[Any], str],
) -> Section:
    """Say for each criterion whether its ratings can be relied on, by which facts."""
    blocks: list[Block] = [Paragraph(warning, "warning") for warning in warnings]
    blocks += _verdicts(result)
    blocks.append(facts_table(result, usable))
    if picture is not None:
        blocks.append(picture)
    return Section("verdict", "Can the ratings be relied on?", tuple(blocks))


def _verdicts(result: Reliability) -> Iterator[Paragraph]:
    """A verdict for each criterion; those that say the same stand together."""
    alike: dict[tuple[str, str], list[CriterionReliability]] = {}
    for criterion in result.criteria:
        verdict = criterion.overall.verdict
        alike.setdefault((verdict.word, _meaning(verdict)), []).append(criterion)
    for (named, sentence), criteria in alike.items():
        names = [criterion.label for criterion in criteria if criterion.label]
        head = f"{listing(names)} – {named}." if names else f"{named.capitalize()}."
        points = criteria[0].overall.verdict.points
        tone = "none" if points else TONES.get(named, "none")
        yield Paragraph(sentence, "verdict", head=head, tone=tone)


def _meaning(verdict: Verdict) -> str:
    """What a verdict means; of what is open only what it is, because the table has its numbers."""
    opened = [fact.about for fact in verdict.facts if fact.state == "open"]
    if verdict.word != "cannot tell yet" or verdict.points or not opened:
        return verdict.sentence
    return word(
        "report.undecided", {"questions": [word(f"report.open-{about}") for about in opened]}
    )


def facts_table(result: Reliability, usable: Callable[[Any], str]) -> Table:
    """The three facts of each criterion beside agreement without severity, with intervals."""
    rows = [_fact_row(criterion, usable) for criterion in result.criteria]
    caption = "The three facts of each verdict, and what the ratings can be used for"
    whole = table("facts", caption, columns(HEADS), rows, note=_facts_note(result))
    return without_empty(whole)


def _fact_row(criterion: CriterionReliability, usable: Callable[[Any], str]) -> tuple[str, ...]:
    overall = criterion.overall
    facts = {fact.about: fact for fact in overall.verdict.facts}
    parts = overall.disagreement
    known = parts is not None and not math.isnan(parts.without_severity)
    without = DASH
    if parts is not None and known:
        limits = interval(parts.without_interval)
        without = coefficient(parts.without_severity) + (f" {limits}" if limits != DASH else "")
    return (
        criterion.name,
        _with_state(_marked(overall.agreement), facts.get("agreement")),
        _with_state(_marked(overall.correlation), facts.get("order")),
        _with_state(_share(facts.get("severity")), facts.get("severity")),
        without,
        usable(overall),
    )


def _with_state(number: str, fact: VerdictFact | None) -> str:
    known = fact is not None and fact.state != "unknown" and number != DASH
    return f"{number} {fact.state}" if fact is not None and known else number


def _share(fact: VerdictFact | None) -> str:
    if fact is None or math.isnan(fact.value):
        return DASH
    if not math.isfinite(fact.low + fact.high):
        return percent(fact.value)
    return f"{percent(fact.value)} [{percent(fact.low)}, {percent(fact.high)}]"


def _marked(estimate: Estimate | None) -> str:
    """A coefficient with its interval, and a mark where the interval rests on too little."""
    weak = rests_on_little(estimate) or hides_the_unseen(estimate)
    return with_interval(estimate) + (f" {WEAK}" if weak else "")


def rests_on_little(estimate: Estimate | None) -> bool:
    """Whether a number has an interval that may decide nothing."""
    limits = None if estimate is None else estimate.interval
    return limits is not None and not limits.decisive


def hides_the_unseen(estimate: Estimate | None) -> bool:
    """Whether the interval was made of what may have stayed unseen, since no resample differed."""
    limits = None if estimate is None else estimate.interval
    return limits is not None and limits.method == UNSEEN


def _facts_note(result: Reliability) -> str:
    limits = result.thresholds
    facts = {
        "agreement": coefficient(limits.agreement, 3),
        "order": coefficient(limits.order),
        "severity": percent(limits.severity),
        "level": interval_name(result.confidence),
    }
    notes = [word("report.facts-note", facts)]
    if not any(part.overall.agreement.interval for part in result.criteria):
        notes = [word("report.facts-of-points", facts)]
    notes += undefined_pairs(result.criteria)
    for code, marked in (
        ("report.rests-on-little", rests_on_little),
        ("report.no-resample-differs", hides_the_unseen),
    ):
        reasons = list(dict.fromkeys(_last_notes(result, marked)))
        notes += [word(code, {"mark": WEAK, "reasons": reasons})] if reasons else []
    return " ".join(notes)


def _last_notes(result: Reliability, marked: Callable[[Estimate | None], bool]) -> Iterator[str]:
    """Why each of the marked coefficients is marked."""
    for criterion in result.criteria:
        for side in criterion.overall.sides:
            if side.estimate.notes and marked(side.estimate):
                yield str(side.estimate.notes[-1])


SHORT_TEXT = 48
"""Letters of an item's text on the first page; the folded table has more."""


def look_section(result: Reliability, findings: Findings, disputed: Disputed | None) -> Section:
    """Name the defects, the judges and the items that want a look."""
    blocks: list[Block] = []
    serious = findings.serious[:MOST_FINDINGS]
    for finding in serious:
        about = "" if finding.criterion is None else f" on {finding.criterion}"
        head = f"Serious{about}: {finding.title}"
        blocks.append(Paragraph("", "warning", head=head, advice=_first(finding.advice)))
    others = " ".join(_other_findings(findings))
    blocks.append(Bullets((*([others] if others else []), *_apart(result))))
    top = disputed.top(FIRST) if disputed is not None else []
    if disputed is not None and top:
        blocks.append(disputed_table(top, disputed, longest=SHORT_TEXT))
    return Section("look", "What to look at", tuple(blocks))


def _other_findings(findings: Findings) -> Iterator[str]:
    """Say how many findings stand below only, or that there is no serious one."""
    more = max(len(findings.serious) - MOST_FINDINGS, 0)
    if more:
        yield word("report.more-serious", {"n": more})
    if not findings.serious:
        yield word("report.no-findings")
    if findings.worth_a_look:
        yield word("report.more-findings", {"n": len(findings.worth_a_look)})


def _first(text: str) -> str:
    """The first sentence of an advice; the whole stands with its evidence."""
    head, stop, _ = str(text).partition(". ")
    return f"{head}." if stop else head


def _apart(result: Reliability) -> Iterator[str]:
    """The judges who stand apart: those read differently first, then the furthest in severity."""
    if result.slots:
        yield word("report.judges-unknown")
        return
    suspects = [
        (part, suspect) for part in result.criteria for suspect in part.suspects if suspect.shown
    ]
    suspects.sort(key=lambda pair: pair[1].own)
    said = [_on(part, suspect.sentence) for part, suspect in suspects[: MOST_APART - 1]]
    least = (1 - result.confidence) / max(len(result.criteria), 1)  # looked at one by one
    clear = [
        (part, judge)
        for part in result.criteria
        for judge in part.judges
        if judge.leniency != "alike" and judge.p < least
    ]
    if clear:
        part, judge = max(clear, key=lambda pair: _reach(*pair))
        said.append(_on(part, judge.sentence))
    yield from said or [word("report.no-judge-apart")]


def _on(criterion: CriterionReliability, sentence: str) -> str:
    return f"On {criterion_name(criterion)}, {sentence}" if criterion.label else sentence


def _reach(criterion: CriterionReliability, judge: JudgeSeverity) -> float:
    """How far a judge lies from the others, in lengths of the scale."""
    scale = criterion.scale
    length = scale.high - scale.low if scale.categories is None else len(scale.categories) - 1
    return abs(judge.value) / max(float(length), 1e-9)


def next_section(result: Reliability, findings: Findings) -> Section:
    """Say what to do next, with figures, and what to write."""
    criteria = result.criteria
    confounded = any(finding.code == CONFOUNDED for finding in findings.serious)
    points = any(part.overall.verdict.points for part in criteria)
    steps = [word("report.next-intervals")] if points else []
    steps += [*_uses(criteria, confounded), *_adjustments(criteria), *_more(criteria)]
    blocks: list[Block] = [Bullets(tuple(steps))] if steps else []
    blocks.append(Paragraph(prose_text(results_prose(result, findings)), head="In the paper:"))
    return Section("next", "What to do next", tuple(blocks))


def _not_singly(criteria: Sequence[CriterionReliability]) -> Iterator[str]:
    """Where single ratings are not to be used."""
    uses = [(part, _use(part, "single ratings", "ruled out")) for part in criteria]
    limits = [(part, use.threshold) for part, use in uses if use is not None]
    if limits:
        where = _where([part for part, _ in limits], criteria)
        facts = {"criteria": where, "agreement": coefficient(limits[0][1], 3)}
        yield word("report.next-not-singly", facts)


def _uses(criteria: Sequence[CriterionReliability], confounded: bool) -> Iterator[str]:
    """What can be used now, and how many ratings would make means that can be used."""
    yield from _not_singly(criteria)
    confounding = {"system means": "report.next-systems-adjusted"} if confounded else {}
    for purpose, code in (PURPOSES | confounding).items():
        shown = [part for part in criteria if _use(part, purpose, "shown")]
        if shown and not (purpose == "item means" and _all_singly(shown)):
            yield word(code, {"criteria": _where(shown, criteria)})
    short: dict[int, list[CriterionReliability]] = {}
    for part in criteria:
        needed = part.overall.verdict.judges_needed
        means = _use(part, "item means", "ruled out") or _use(part, "item means", "open")
        if means and needed is not None and needed > means.ratings:
            short.setdefault(needed, []).append(part)
    if short:
        numbers = [
            f"{needed:,}{_where(parts, criteria)}" for needed, parts in sorted(short.items())
        ]
        now = {f"{_use(p, 'item means').ratings:.3g}" for ps in short.values() for p in ps}  # type: ignore[union-attr]
        target = criteria[0].overall.verdict.target
        facts = {"numbers": numbers, "target": coefficient(target), "now": sorted(now)}
        yield word("report.next-average", facts)


CONFOUNDED = "judge-system-confounding"

PURPOSES = {
    "single ratings": "report.next-singly",
    "item means": "report.next-means",
    "system means": "report.next-systems",
}


def _use(part: CriterionReliability, purpose: str, state: str = "") -> RatingUse | None:
    uses = (use for use in part.overall.verdict.uses if use.purpose == purpose)
    return next((use for use in uses if not state or use.state == state), None)


def _all_singly(criteria: Iterable[CriterionReliability]) -> bool:
    return all(_use(part, "single ratings", "shown") for part in criteria)


def _where(some: Sequence[CriterionReliability], criteria: Sequence[CriterionReliability]) -> str:
    """Name the criteria, where it is not all of them."""
    if len(some) == len(criteria):
        return ""
    return f" on {listing(criterion_name(part) for part in some)}"


def _adjustments(criteria: Sequence[CriterionReliability]) -> Iterator[str]:
    """Where taking severity out is worth it, and what that gives."""
    shown = [
        f"from {coefficient(split.agreement)} to {coefficient(split.without_severity)}"
        + (f" on {criterion_name(part)}" if part.label else "")
        for part in criteria
        if (split := part.overall.disagreement) is not None
        and (fact := part.overall.verdict.fact("severity")) is not None
        and fact.state == "shown"
        and not _stays_low(part, split.without_severity)
    ]
    if shown:
        yield word("report.next-adjust", {"criteria": shown})


def _stays_low(part: CriterionReliability, adjusted: float) -> bool:
    """Whether single ratings are of no use even with severity taken out, as the table shows."""
    use = _use(part, "single ratings", "ruled out")
    return use is not None and adjusted < use.threshold


def _more(criteria: Sequence[CriterionReliability]) -> Iterator[str]:
    """What would settle what is open: more items, or more items that judges have in common."""
    met = [
        (part, fact.common)
        for part in criteria
        for fact in part.overall.verdict.facts
        if fact.common is not None
    ]
    if met:
        where = _where([part for part, _ in met], criteria)
        shared = sorted({common for _, common in met})
        yield word("report.next-common", {"criteria": where, "shared": shared})
    wanted = [
        f"{fact.more_items:,} for {fact.about}{_where([part], criteria)}"
        for part in criteria
        for fact in part.overall.verdict.facts
        if fact.state == "open" and fact.more_items is not None
    ]
    if wanted:
        yield word("report.next-items", {"numbers": wanted})
