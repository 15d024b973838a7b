"""The methods paragraph, ready to paste: what was computed, from what, and how exactly.

Amidei, Piwek & Willis (2019) found that papers leave out the coefficient's name, the number of
items, the level of the ratings and the scale of interpretation. Each is said here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from covary.analysis.comparison import CriterionReliability, Reliability
from covary.analysis.forensics.findings import Findings
from covary.analysis.verdict import AGREEMENT, CORRELATION
from covary.ratings import Ratings
from covary.report.contents import Block, Bullets, Paragraph
from covary.report.references import (
    COEFFICIENTS,
    INTERVALS,
    cited,
    listed_alphabetically,
)
from covary.report.wording import (
    MISSING,
    counted,
    listing,
    method_words,
    percent,
    scale_words,
    variant,
)
from covary.stats.bands import BandScale
from covary.stats.estimate import OTHER_JUDGES, Estimate, Interval
from covary.stats.interpret import interpret
from covary.version import __version__

__all__ = ["coefficient_papers", "interpretation_scales", "methods"]

FAULTS = {"duplicate": "duplicate rating", "off-scale": "rating off the scale"}

Measured = tuple[Estimate | None, Interval | None]
Say = Callable[[CriterionReliability], str]
Which = Callable[[CriterionReliability], Measured]


def methods(
    reliability: Reliability, ratings: Ratings, findings: Findings | None
) -> tuple[Block, ...]:
    """Write the methods section: data and agreement, correlation, further coefficients, papers.

    Parameters
    ----------
    reliability
        What `covary.reliability` returned.
    ratings
        The ratings it was computed from.
    findings
        What the check of the data found, or None where it was not made.

    Returns
    -------
    tuple of Block
        Paragraphs and, last, the list of references.

    Examples
    --------
    >>> from covary import Ratings, reliability
    >>> ratings = Ratings.from_wide([[3, 3], [3, 2], [2, 1], [1, 1]], scale="1-3")
    >>> data, *_ = methods(reliability(ratings, rng=1), ratings, None)
    >>> data.text.split(". ")[0]
    'The data are 8 ratings of 4 items by 2 judges'
    """
    criteria, units = reliability.criteria, _units(ratings)
    first = [_data(reliability), *_faults(ratings), _together(criteria, _scale)]
    first += [*_measured(criteria, _agreement, units), *_bands(criteria, _agreement)]
    first.append(_software(reliability))
    second = [*_correlated(criteria, units), *_bands(criteria, _correlation)]
    blocks: list[Block] = [Paragraph(" ".join(text)) for text in (first, second)]
    blocks += [Paragraph(text) for text in (*_further(criteria), *_defects(findings))]
    return (*blocks, Bullets(_references(criteria)))


def coefficient_papers(estimate: Estimate) -> tuple[str, ...]:
    """The keys of the papers that define a coefficient, the weighted form where it has its own."""
    weighted = estimate.settings.get("weights", "identity") != "identity"
    plain = COEFFICIENTS.get(estimate.name, ())
    return COEFFICIENTS.get(f"{estimate.name} (weighted)", plain) if weighted else plain


def interpretation_scales(estimates: Iterable[Estimate | None]) -> tuple[BandScale, ...]:
    """The published scales on which estimates are read, each once."""
    found: dict[str, BandScale] = {}
    for estimate in estimates:
        if estimate is None:
            continue
        scales = ("rosenthal", "cohen") if estimate.name == "exchangeable_gamma" else None
        readings = interpret(estimate, scales=scales).readings
        found |= {reading.scale.name: reading.scale for reading in readings}
    return tuple(found.values())


def _data(reliability: Reliability) -> str:
    criteria, slots = reliability.criteria, reliability.slots
    total = sum(each.n_ratings for each in criteria)
    counts = {each.name: _counts(each, slots) for each in criteria}
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


_SLOTS = (
    " Who gave which rating is not known, so the ratings of an item are treated as exchangeable."
)


def _counts(each: CriterionReliability, slots: bool) -> str:
    plain = f"{counted(each.n_ratings, 'rating')} of {counted(each.n_items, 'item')}"
    if slots:
        return f"{plain}, up to {each.n_judges} for each item"
    return f"{plain} by {counted(each.n_judges, 'judge')}"


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


def _scale(each: CriterionReliability) -> str:
    return f"Ratings were given on {scale_words(each.scale)}."


def _agreement(each: CriterionReliability) -> Measured:
    return each.overall.agreement, each.overall.agreement_of_others


def _correlation(each: CriterionReliability) -> Measured:
    return each.overall.correlation, each.overall.correlation_of_others


def _measured(criteria: Sequence[CriterionReliability], which: Which, units: str) -> Iterator[str]:
    """Say with what the criteria were measured, which items were left out, and what has no value.

    What has no value has no interval to speak of, so it is said in a sentence of its own.
    """
    defined = [each for each in criteria if (e := which(each)[0]) is not None and e.defined]
    what = "Agreement" if which is _agreement else "It"
    yield _together(defined or criteria, lambda each: _with(what, *which(each), units))
    dropped = [(each, e.n_dropped) for each in criteria if (e := which(each)[0]) and e.n_dropped]
    if dropped:
        yield f"Left out for too few ratings: {_by_criterion(dropped, len(criteria))}."
    for each in criteria:
        estimate = which(each)[0]
        if estimate is not None and not estimate.defined:
            where = "Here" if len(criteria) == 1 else f"On {each.name}"
            yield f"{where} it has no value: {estimate.notes[-1]}."


def _correlated(criteria: Sequence[CriterionReliability], units: str) -> Iterator[str]:
    ordered = [each for each in criteria if each.overall.correlation is not None]
    names = [each.name for each in criteria if each.overall.correlation is None]
    if ordered:
        yield (
            "Correlation is reported beside agreement, because judges who differ in severity "
            f"disagree and still covary ({cited(['amidei'])})."
        )
        yield from _measured(ordered, _correlation, units)
    if names:
        where = f" for {listing(names)}" if ordered else ""
        yield f"No correlation is reported{where}, because the categories have no order."


def _with(what: str, estimate: Estimate | None, others: Interval | None, units: str) -> str:
    if estimate is None:
        return ""
    rule = str(estimate.settings.get("missing", "none"))
    parts = [f"{what} was measured with {_named(estimate)}; {MISSING.get(rule, rule)}."]
    if estimate.interval is not None:
        parts.append(_interval(estimate.interval, units))
    elif estimate.defined:
        parts.append("No interval was computed.")
    if others is not None:
        parts.append(
            f"A second interval, for {_whom(others)}, is "
            f"{method_words(others, units, _papers(others))}."
        )
    return " ".join(parts)


def _interval(made: Interval, units: str) -> str:
    how = method_words(made, units, _papers(made))
    return f"Its {percent(made.level)} confidence interval is {how} and speaks of {_whom(made)}."


def _whom(interval: Interval) -> str:
    other = interval.target == OTHER_JUDGES
    return f"{'other' if other else 'these'} judges and other items"


def _papers(interval: Interval) -> str:
    return cited(INTERVALS.get(interval.method, ()))


def _named(estimate: Estimate) -> str:
    """A coefficient, its variant and its papers."""
    return f"{variant(estimate)} ({cited(coefficient_papers(estimate))})"


def _by_criterion(numbers: Sequence[tuple[CriterionReliability, int]], criteria: int) -> str:
    """Write numbers of items left out: `1 item`, `1 item on each criterion`, `1 item on …`."""
    times = {number for _, number in numbers}
    if criteria == 1:
        return counted(times.pop(), "item")
    if len(numbers) == criteria and len(times) == 1:
        return f"{counted(times.pop(), 'item')} on each criterion"
    return listing(f"{counted(number, 'item')} on {each.name}" for each, number in numbers)


def _units(ratings: Ratings) -> str:
    return "clusters of items" if "cluster" in ratings.columns else "items"


def _bands(criteria: Sequence[CriterionReliability], which: Which) -> Iterator[str]:
    estimates = [which(each)[0] for each in criteria]
    scales = interpretation_scales(estimates)
    if not scales:
        return
    what, limit = ("Agreement", AGREEMENT) if which is _agreement else ("Correlation", CORRELATION)
    source = cited(["krippendorff-2004"]) if which is _agreement else "Cohen 1988"
    sure = any(each is not None and each.interval is not None for each in estimates)
    yield (
        f"{what} is read on the scales of {listing(scale.title for scale in scales)}, which are "
        f"conventions, and called high where {'its whole interval' if sure else 'the value'} lies "
        f"at {limit:g} or above ({source})."
    )


def _software(reliability: Reliability) -> str:
    return f"All values were computed with covary {__version__} (seed {reliability.seed})."


def _further(criteria: Sequence[CriterionReliability]) -> Iterator[str]:
    named = {_named(each): None for criterion in criteria for each in criterion.beside}
    if named:
        yield f"Further coefficients are {listing(named)}."


def _defects(findings: Findings | None) -> Iterator[str]:
    if findings is None or not findings.serious:
        return
    found = {finding.title.rstrip(".") for finding in findings.serious}
    number = counted(len(found), "serious defect")
    yield f"A check of the data found {number}: {'; '.join(sorted(found))}."


def _references(criteria: Sequence[CriterionReliability]) -> tuple[str, ...]:
    """The full references of everything that the paragraphs cite."""
    main = [pair for each in criteria for pair in (_agreement(each), _correlation(each))]
    shown = [estimate for estimate, _ in main if estimate is not None]
    made = [
        interval for estimate, other in main if estimate for interval in (estimate.interval, other)
    ]
    keys = {"krippendorff-2004"} | ({"amidei"} if len(shown) > len(criteria) else set())
    beside = [estimate for each in criteria for estimate in each.beside]
    keys |= {key for estimate in (*shown, *beside) for key in coefficient_papers(estimate)}
    keys |= {key for one in made if one is not None for key in INTERVALS.get(one.method, ())}
    return listed_alphabetically(keys, (s.citation for s in interpretation_scales(shown)))


def _together(criteria: Sequence[CriterionReliability], say: Say) -> str:
    """Say once what holds on every criterion, else for which criteria each sentence holds."""
    said: dict[str, list[str]] = {}
    for each in criteria:
        said.setdefault(say(each), []).append(each.name)
    if len(said) == 1:
        return next(iter(said))
    return " ".join(
        f"On {listing(names)}, {text[0].lower()}{text[1:]}" for text, names in said.items()
    )
