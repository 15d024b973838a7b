"""The methods, ready to paste: two short paragraphs, and in full what was computed and how."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from covary.analysis.disagreement import Decomposition
from covary.analysis.forensics.findings import Findings
from covary.analysis.reliability_result import CriterionReliability, Reliability, Side
from covary.analysis.verdict import Thresholds
from covary.ratings import Ratings
from covary.reports.blocks import Block, Bullets, Paragraph
from covary.reports.document import is_simulated
from covary.reports.formatting import (
    MISSING,
    counted,
    level_percent,
    listing,
    method_words,
    scale_words,
    variant,
)
from covary.reports.references import (
    COEFFICIENTS,
    INTERVALS,
    cite,
    cited_keys,
    prose_text,
    reference_list,
)
from covary.reports.reliability.prose import defects_sentence, methods_prose, results_prose
from covary.stats.estimate import OTHER_JUDGES, Estimate, Interval
from covary.stats.interpret import BandScale, interpret
from covary.version import __version__
from covary.words import word

FAULTS = {"duplicate": "duplicate rating", "off-scale": "rating off the scale"}

Measured = Sequence[tuple[CriterionReliability, Side]]

_SLOTS = (
    " It is not known who gave which rating, so the ratings of an item are treated as exchangeable."
)


def methods(
    reliability: Reliability, ratings: Ratings, findings: Findings | None
) -> tuple[Block, ...]:
    """Write what an author pastes: a paragraph of methods, one of results, and the papers."""
    pieces = (methods_prose(reliability, ratings), results_prose(reliability, findings))
    short = [prose_text(part) for part in pieces]
    keys = cited_keys([*pieces[0], *pieces[1]])
    return (
        Paragraph(short[0], head="Methods."),
        Paragraph(short[1], head="Results."),
        Bullets(reference_list(keys)),
    )


def full_methods(
    reliability: Reliability, ratings: Ratings, findings: Findings | None
) -> tuple[Block, ...]:
    """Write the methods in full: data and agreement, correlation, further coefficients, papers.

    Parameters
    ----------
    reliability
        What `covary.reliability` returned.
    ratings
        The ratings it was computed from.
    findings
        What the check of the data found, or None where it was not interval.

    Returns
    -------
    tuple of Block
        Paragraphs and, last, the list of references.

    Examples
    --------
    >>> from covary import Ratings, reliability
    >>> ratings = Ratings.from_wide([[3, 3], [3, 2], [2, 1], [1, 1]], scale="1-3")
    >>> data, *_ = full_methods(reliability(ratings, rng=1), ratings, None)
    >>> data.text.split(". ")[0]
    'The data are 8 ratings of 4 items by 2 judges'
    """
    criteria, units = reliability.criteria, _units(ratings)
    agreement, correlation = (_measured(criteria, side) for side in ("agreement", "correlation"))
    first = [word("report.simulated-judges")] if is_simulated(ratings) else []
    first += [_data(reliability), *_faults(ratings), _scales(criteria)]
    limits = reliability.thresholds
    first += [*_measurements(agreement, units), *_bands(agreement, limits)]
    first += [_software(reliability)]
    second = [*_correlations(criteria, correlation, units), *_bands(correlation, limits)]
    second += _disagreement(reliability)
    blocks: list[Block] = [Paragraph(" ".join(text)) for text in (first, second)]
    blocks += [Paragraph(text) for text in (*_further(criteria), *_defects(findings, criteria))]
    return (*blocks, Bullets(_references(criteria)))


def coefficient_papers(estimate: Estimate) -> tuple[str, ...]:
    """The keys of the papers that define a coefficient, the weighted form where it has its own."""
    weighted = estimate.settings.get("weights", "identity") != "identity"
    plain = COEFFICIENTS.get(estimate.name, ())
    return COEFFICIENTS.get(f"{estimate.name} (weighted)", plain) if weighted else plain


def interpretation_scales(estimates: Iterable[Estimate]) -> tuple[BandScale, ...]:
    """The published scales on which estimates are read, each once."""
    scales_by_name: dict[str, BandScale] = {}
    for estimate in estimates:
        scales = ("rosenthal", "cohen") if estimate.name == "exchangeable_gamma" else None
        readings = interpret(estimate, scales=scales).readings
        scales_by_name |= {reading.scale.name: reading.scale for reading in readings}
    return tuple(scales_by_name.values())


def _data(reliability: Reliability) -> str:
    criteria, slots = reliability.criteria, reliability.slots
    total = sum(criterion.n_ratings for criterion in criteria)
    counts = {criterion.name: _counts(criterion, slots) for criterion in criteria}
    if len(criteria) == 1:
        name = "" if criteria[0].criterion is None else f" on {criteria[0].name}"
        text = f"The data are {next(iter(counts.values()))}{name}."
    elif len(set(counts.values())) == 1:
        text = (
            f"The data are {counted(total, 'rating')} on {len(criteria)} criteria "
            f"({listing(counts)}); each criterion has {next(iter(counts.values()))}."
        )
    else:
        parts = listing(f"{count} on {name}" for name, count in counts.items())
        text = f"The data are {counted(total, 'rating')} on {len(criteria)} criteria: {parts}."
    return text + (_SLOTS if slots else "")


def _counts(criterion: CriterionReliability, slots: bool) -> str:
    plain = f"{counted(criterion.n_ratings, 'rating')} of {counted(criterion.n_items, 'item')}"
    if slots:
        return f"{plain}, up to {criterion.n_judges} for each item"
    return f"{plain} by {counted(criterion.n_judges, 'judge')}"


def _faults(ratings: Ratings) -> Iterator[str]:
    """Say which ratings were set aside."""
    times: dict[str, int] = {}
    for fault in ratings.faults:
        times[fault.kind] = times.get(fault.kind, 0) + fault.count
    if times:
        parts = (counted(n, FAULTS[kind], _plural(kind)) for kind, n in times.items())
        verb = "was" if sum(times.values()) == 1 else "were"
        yield f"Before the analysis {listing(parts)} {verb} set aside."


def _plural(kind: str) -> str:
    return FAULTS[kind].replace("rating", "ratings")


def _scales(criteria: Sequence[CriterionReliability]) -> str:
    return _by_sentence(
        (criterion.name, f"Ratings were given on {scale_words(criterion.scale)}.")
        for criterion in criteria
    )


def _measured(criteria: Sequence[CriterionReliability], measure: str) -> Measured:
    """The criteria that have a coefficient of agreement or of correlation, with it."""
    sides = ((criterion, side) for criterion in criteria for side in criterion.overall.sides)
    return [(criterion, side) for criterion, side in sides if side.measure == measure]


def _measurements(measured: Measured, units: str) -> Iterator[str]:
    """Say with what the criteria were measured, which items were left out, and what has no value.

    What has no value has no interval to speak of, so it is said in a sentence of its own.
    """
    defined = [(criterion, side) for criterion, side in measured if side.estimate.defined]
    yield _by_sentence(
        (criterion.name, _measure_sentence(side, units)) for criterion, side in defined or measured
    )
    dropped = [(c.name, side.estimate.n_dropped) for c, side in measured if side.estimate.n_dropped]
    if dropped:
        yield f"Left out for too few ratings: {_by_criterion(dropped, len(measured))}."
    for criterion, (_, estimate, _) in measured:
        if not estimate.defined:
            where = "Here" if len(measured) == 1 else f"On {criterion.name}"
            yield f"{where} it has no value: {estimate.notes[-1]}."


def _correlations(
    criteria: Sequence[CriterionReliability], correlation: Measured, units: str
) -> Iterator[str]:
    if correlation:
        yield (
            "Correlation is reported beside agreement, because judges who differ in severity "
            f"disagree and still covary ({cite(['amidei'])})."
        )
        yield from _measurements(correlation, units)
    names = [criterion.name for criterion in criteria if criterion.overall.correlation is None]
    if names:
        where = f" for {listing(names)}" if correlation else ""
        yield f"No correlation is reported{where}, because the categories have no order."


def _measure_sentence(side: Side, units: str) -> str:
    measure, estimate, others = side
    rule = str(estimate.settings.get("missing", "none"))
    subject = "Agreement" if measure == "agreement" else "It"
    how = f"{_coefficient_citation(estimate)}; {MISSING.get(rule, rule)}."
    parts = [f"{subject} was measured with {how}"]
    if estimate.interval is not None:
        parts.append(_interval(estimate.interval, units))
    elif estimate.defined:
        parts.append("No interval was computed.")
    if others is not None:
        how = method_words(others, units, _papers(others))
        parts.append(f"A second interval, for {_whom(others)}, is {how}.")
    return " ".join(parts)


def _interval(interval: Interval, units: str) -> str:
    how = method_words(interval, units, _papers(interval))
    level, whom = level_percent(interval.level), _whom(interval)
    return f"Its {level} confidence interval is {how} and holds for {whom}."


def _whom(interval: Interval) -> str:
    other = interval.target == OTHER_JUDGES
    return f"{'other' if other else 'these'} judges and other items"


def _papers(interval: Interval) -> str:
    return cite(INTERVALS.get(interval.method, ()))


def _coefficient_citation(estimate: Estimate) -> str:
    """A coefficient, its variant and its papers."""
    return f"{variant(estimate)} ({cite(coefficient_papers(estimate))})"


def _by_criterion(numbers: Sequence[tuple[str, int]], criteria: int) -> str:
    """Write numbers of items left out: `1 item`, `1 item on each criterion`, `1 item on …`."""
    times = {number for _, number in numbers}
    if criteria == 1:
        return counted(times.pop(), "item")
    if len(numbers) == criteria and len(times) == 1:
        return f"{counted(times.pop(), 'item')} on each criterion"
    return listing(f"{counted(number, 'item')} on {name}" for name, number in numbers)


def _units(ratings: Ratings) -> str:
    return "clusters of items" if "cluster" in ratings.columns else "items"


def _bands(measured: Measured, limits: Thresholds) -> Iterator[str]:
    scales = interpretation_scales(side.estimate for _, side in measured)
    if not scales:
        return
    agreement = measured[0][1].measure == "agreement"
    measure, limit = "Agreement", limits.agreement
    if not agreement:
        measure, limit = "Correlation", limits.order
    source = cite(["krippendorff-2004"]) if agreement else "Cohen 1988"
    sure = any(side.estimate.interval is not None for _, side in measured)
    yield (
        f"{measure} is read on the scales of {listing(scale.title for scale in scales)}, which are "
        f"conventions, and called high where {'its whole interval' if sure else 'the value'} lies "
        f"at {limit:g} or above ({source})."
    )


def _disagreement(reliability: Reliability) -> Iterator[str]:
    """Say how the disagreement was split, and which share of it counts as severity."""
    limits, parts = reliability.thresholds, _splits(reliability.criteria)
    if parts:
        methods = dict.fromkeys(part.method for part in parts)
        metrics = dict.fromkeys(part.metric for part in parts)
        yield (
            "Severity is the judges' share of the disagreement in the model rating = item + judge "
            f"+ rest, on {listing(metrics)}, from {listing(methods)}; it counts as a cause where "
            f"its whole interval lies at {limits.severity:g} or above. Use of the scale and noise "
            f"follow from the pairs of judges ({cite(['lin'])})."
        )
    yield (
        f"Means are called reliable from {limits.means:g} up (Spearman and Brown's formula for the "
        f"ratings that an item has); where one category takes {limits.dominant:.0%} of the ratings "
        "and agreement is not shown, nothing is concluded."
    )


def _splits(criteria: Sequence[CriterionReliability]) -> list[Decomposition]:
    """The disagreements that could be split."""
    parts = (criterion.overall.disagreement for criterion in criteria)
    return [part for part in parts if part is not None and part.defined]


def _software(reliability: Reliability) -> str:
    return f"All values were computed with covary {__version__} (seed {reliability.seed})."


def _further(criteria: Sequence[CriterionReliability]) -> Iterator[str]:
    named = {
        _coefficient_citation(estimate): None
        for criterion in criteria
        for estimate in criterion.beside
    }
    if named:
        yield f"Further coefficients are {listing(named)}."


def _defects(findings: Findings | None, criteria: Sequence[CriterionReliability]) -> Iterator[str]:
    if findings is not None and findings.serious:
        yield defects_sentence(findings, criteria)


def _references(criteria: Sequence[CriterionReliability]) -> tuple[str, ...]:
    """The full references of everything that the paragraphs cite."""
    shown = [side.estimate for criterion in criteria for side in criterion.overall.sides]
    return reference_list(
        _cited(criteria), (scale.citation for scale in interpretation_scales(shown))
    )


def cited_papers(reliability: Reliability) -> set[str]:
    """The keys of the papers that the methods in full cite."""
    return _cited(reliability.criteria)


def _cited(criteria: Sequence[CriterionReliability]) -> set[str]:
    sides = [side for criterion in criteria for side in criterion.overall.sides]
    shown = [side.estimate for side in sides]
    intervals = [
        interval for side in sides for interval in (side.estimate.interval, side.others) if interval
    ]
    keys = {"krippendorff-2004"} | ({"amidei"} if len(shown) > len(criteria) else set())
    beside = [estimate for criterion in criteria for estimate in criterion.beside]
    keys |= {key for estimate in (*shown, *beside) for key in coefficient_papers(estimate)}
    keys |= {"lin"} if _splits(criteria) else set()
    return keys | {key for interval in intervals for key in INTERVALS.get(interval.method, ())}


def _by_sentence(sentences: Iterable[tuple[str, str]]) -> str:
    """Say once what holds on every criterion, else for which criteria each sentence holds."""
    names: dict[str, list[str]] = {}
    for name, sentence in sentences:
        names.setdefault(sentence, []).append(name)
    if len(names) == 1:
        return next(iter(names))
    return " ".join(
        f"On {listing(which)}, {text[0].lower()}{text[1:]}" for text, which in names.items()
    )
