"""Two paragraphs that an author pastes unchanged: the methods and the results."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from covary.analysis.forensics.findings import Findings
from covary.analysis.reliability_result import CriterionReliability, Reliability
from covary.analysis.verdict import RatingUse, State
from covary.ratings import Ratings
from covary.ratings.pattern_counts import RatingCounts, rating_counts
from covary.reports.document import is_simulated
from covary.reports.formatting import (
    capital,
    coefficient,
    counted,
    level_percent,
    listing,
    method_words,
    with_ends,
    with_interval,
)
from covary.reports.references import COEFFICIENTS, INTERVALS, Citation, Piece, TableLink
from covary.scales import Scale
from covary.stats.estimate import OTHER_JUDGES, Estimate, Interval
from covary.version import __version__
from covary.words import Note, word

SYMBOLS = {
    "brennan_prediger": "S",
    "cohen_kappa": "κ",
    "conger_kappa": "κ",
    "cronbach_alpha": "Cronbach's α",
    "exchangeable_gamma": "γ",
    "fisher_icc": "ICC",
    "fleiss_kappa": "Fleiss' κ",
    "goodman_kruskal_gamma": "γ",
    "gwet_ac1": "AC1",
    "gwet_ac2": "AC2",
    "kendall_tau_b": "τ-b",
    "kendall_w": "W",
    "krippendorff_alpha": "α",
    "light_kappa": "Light's κ",
    "pearson": "r",
    "percent_agreement": "% equal",
    "scott_pi": "π",
    "spearman": "ρ",
}
"""How each coefficient is written in the head of a table and before a number."""

NAMES = {
    "krippendorff_alpha": "Krippendorff's α",
    "goodman_kruskal_gamma": "Goodman and Kruskal's γ",
    "exchangeable_gamma": "γ of exchangeable ratings",
    "pearson": "Pearson's r",
}
"""The main coefficients, as a sentence names them first."""

SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

FEW = 3
"""Criteria up to which each has its own numbers in the text; more are given as a range."""

AGREEMENT_TABLE = TableLink("covary-agreement")
"""The table that the results point to."""


LONG_NAME = 3
"""A name with so many spaces reads as a sentence of its own."""


def symbol(estimate: Estimate) -> str:
    """Write a coefficient in short; an ICC of means with the number of ratings in a mean.

    Examples
    --------
    >>> from covary import Ratings, icc
    >>> ratings = Ratings.from_wide([[1, 2], [3, 3], [2, 3]], scale="1-3", level="interval")
    >>> symbol(icc(ratings, form="2,k"))
    'ICC(2,k), k = 2'
    """
    if estimate.name == "icc":
        k = estimate.settings.get("k")
        return estimate.title if k is None else f"{estimate.title}, k = {k:.3g}"
    if estimate.settings.get("tolerance"):
        return f"% within {estimate.settings['tolerance']}"
    weights = estimate.settings.get("weights", "identity")
    weighted = weights != "identity" and "kappa" in estimate.name
    short = SYMBOLS.get(estimate.name, estimate.title or estimate.name)
    return f"weighted {short}" if weighted else short


def methods_prose(reliability: Reliability, ratings: Ratings) -> list[Piece]:
    """Say in one short paragraph what was rated and what was computed."""
    counts = {count.criterion: count for count in rating_counts(ratings.frame, ratings.criteria)}
    dry_run: list[Piece] = [word("report.simulated-judges")] if is_simulated(ratings) else []
    sentences: list[Sequence[Piece]] = [
        dry_run,
        *_once(reliability.criteria, lambda part: _rated(counts[part.criterion], ratings)),
        _kept(ratings),
        _scales(reliability.criteria),
        *_once(reliability.criteria, _coefficients),
        tuple(undefined_pairs(reliability.criteria)),
        _reason(reliability.criteria),
        _intervals(reliability.criteria),
        _rules(reliability),
    ]
    return _joined(sentences)


def results_prose(reliability: Reliability, findings: Findings | None = None) -> list[Piece]:
    """Say in one paragraph what came out: agreement, order, severity, means, defects."""
    criteria = reliability.criteria
    known = [part for part in criteria if part.overall.agreement.defined]
    sentences: list[list[Piece]] = []
    if known:
        sentences.append(_values(known))
        points = all(part.overall.verdict.points for part in known)
        states = ["No intervals were computed, so nothing is shown."] if points else _states(known)
        sentences += [[text] for text in states]
        sentences += [[text] for text in _means(known)]
    for part in criteria:
        if not part.overall.agreement.defined:
            why = part.overall.agreement.notes
            reason = why[-1] if why else "it has no value for these ratings"
            where = f" on {criterion_name(part)}" if part.label else ""
            sentences.append([f"Agreement is undefined{where}: {reason}."])
    if findings is not None and findings.serious:
        sentences.append([defects_sentence(findings, criteria)])
    return _joined(sentences)


def defects_sentence(findings: Findings, criteria: Sequence[CriterionReliability]) -> str:
    """Say what is seriously wrong with the data and on which criteria, without a judge's name."""
    names = {part.label: criterion_name(part) for part in criteria}
    where: dict[str, list[str]] = {}
    for finding in findings.serious:
        of = [names[criterion] for criterion in finding.criteria if criterion in names]
        where.setdefault(finding.in_paper, []).extend(of if len(names) > 1 else [])
    clauses = [
        f"{clause}{_on(dict.fromkeys(on), len(names))}" for clause, on in sorted(where.items())
    ]
    number = counted(len(clauses), "serious defect")
    return f"A check of the data found {number}: {'; '.join(clauses)}."


def _on(criteria: Collection[str], number: int) -> str:
    if not criteria:
        return ""
    return " (on every criterion)" if len(criteria) == number else f" (on {listing(criteria)})"


def _joined(sentences: Iterable[Sequence[Piece]]) -> list[Piece]:
    pieces: list[Piece] = []
    for sentence in sentences:
        if sentence:
            pieces += [" "] if pieces else []
            pieces += sentence
    return pieces


Sentence = Callable[[CriterionReliability], Sequence[Piece]]


def _once(criteria: Sequence[CriterionReliability], say: Sentence) -> Iterator[list[Piece]]:
    """Say once what holds on every criterion, else for which criteria each sentence holds."""
    names: dict[tuple[Piece, ...], list[str]] = {}
    for part in criteria:
        names.setdefault(tuple(say(part)), []).append(criterion_name(part))
    for sentence, which in names.items():
        if not sentence:
            continue
        first = str(sentence[0])
        if len(names) > 1:
            sentence = (f"On {listing(which)}, {first[0].lower()}{first[1:]}", *sentence[1:])
        yield list(sentence)


def _rated(counts: RatingCounts, ratings: Ratings) -> Sequence[Piece]:
    """Say what was rated by how many, items as sources × systems where they are."""
    items = counted(counts.items, "item") + _made_of(counts)
    if ratings.slots:
        return (f"There are {items}, with {_per_item(counts)} by judges who are not named.",)
    if counts.complete:
        several = "Both" if counts.judges == 2 else f"All {_in_words(counts.judges)}"
        who = "One judge" if counts.judges == 1 else f"{several} judges"
        return (f"{who} rated all {items}, which gives {_per_item(counts)}.",)
    judges = f"{_in_words(counts.judges)} {'judge' if counts.judges == 1 else 'judges'}"
    total = counted(counts.ratings, "rating")
    return (f"{capital(judges)} gave {total} of {items}, {_per_item(counts)}.",)


def _kept(ratings: Ratings) -> Sequence[Piece]:
    """Say which of several ratings of one item by one judge counts, where there were some."""
    notes = [note for note in ratings.notes if isinstance(note, Note)]
    return tuple(note for note in notes if note.code == "ratings.one-kept")


def _in_words(number: int) -> str:
    return SMALL[number] if number < len(SMALL) else f"{number:,}"


def _made_of(counts: RatingCounts) -> str:
    if counts.crossed:
        sources, systems = counted(counts.sources, "source"), counted(counts.systems, "system")
        return f" ({sources} × {systems})"
    parts = [
        counted(number, noun)
        for number, noun in ((counts.sources, "source"), (counts.systems, "system"))
        if number > 1
    ]
    return f" from {listing(parts)}" if parts else ""


def _per_item(counts: RatingCounts) -> str:
    if counts.least == counts.most:
        return f"{counted(counts.most, 'rating')} per item"
    return f"{counts.least} to {counts.most} ratings per item"


def _scales(criteria: Sequence[CriterionReliability]) -> Sequence[Piece]:
    """Describe each scale once, with its criteria where there are several."""
    names: dict[str, list[str]] = {}
    for part in criteria:
        names.setdefault(_scale(part.scale), []).append(criterion_name(part))
    labels = [part.label for part in criteria if part.label]
    if len(names) == 1:
        whose = f" for {listing(labels)}" if labels else ""
        return (f"The scale{whose} is {next(iter(names))}.",)
    texts = (f"{scale} ({', '.join(which)})" for scale, which in names.items())
    return (f"The scales are {'; '.join(texts)}.",)


def _scale(scale: Scale) -> str:
    """Describe a scale shortly: `ordinal, 1 to 5`."""
    if scale.categories is None:
        return f"{scale.level}, from {scale.low:g} to {scale.high:g}"
    first, last, n = scale.categories[0], scale.categories[-1], len(scale.categories)
    if str(scale.level) == "nominal":
        named = listing(scale.categories) if n <= 6 else f"{n} categories"
        return f"{scale.level} ({named})"
    whole = isinstance(first, int) and [*scale.categories] == [*range(first, first + n)]
    points = "" if whole else f" with {_in_words(n)} points"
    used = "" if scale.declared else " as far as used"
    return f"{scale.level}{points}, {first} to {last}{used}"


def _coefficients(part: CriterionReliability) -> Sequence[Piece]:
    """Name what was measured with what."""
    pieces: list[Piece] = ["We report "]
    for number, side in enumerate(part.overall.sides):
        measure = "agreement" if side.measure == "agreement" else "order"
        pieces += [" beside "] if number else []
        pieces += [_named(side.estimate), _papers(side.estimate), f" for {measure}"]
    return [*pieces, "."]


def undefined_pairs(criteria: Sequence[CriterionReliability]) -> Iterator[str]:
    """Say which means over pairs of judges leave out pairs that have no value."""
    for part in criteria:
        for measure, estimate, _ in part.overall.sides:
            for note in estimate.notes:
                if estimate.defined and getattr(note, "code", "") == "stats.undefined-pairs":
                    where = f" on {criterion_name(part)}" if part.label else ""
                    yield f"{capital(measure)}{where} is {note}."


def _named(estimate: Estimate) -> str:
    name = NAMES.get(estimate.name, estimate.title)
    if distance := estimate.settings.get("distance"):
        name += f" with the {distance} distance"
    if (combine := estimate.settings.get("combine")) and estimate.n_judges > 2:
        how, _, which = str(combine).partition(" of pairs ")
        word = "averaged" if how == "mean" else how
        name += f" {word} over pairs of judges{f' {which} or more' if which else ''}"
    return name


def _papers(estimate: Estimate) -> Piece:
    return Citation(COEFFICIENTS.get(estimate.name, ())[:1])


def _reason(criteria: Sequence[CriterionReliability]) -> Sequence[Piece]:
    if all(part.overall.correlation is None for part in criteria):
        return ()
    why = "Judges who differ in severity disagree and still order items alike"
    return (why, Citation(["amidei"]), ".")


def _intervals(criteria: Sequence[CriterionReliability]) -> Sequence[Piece]:
    """Say how the intervals were made, and for whom they hold."""
    sides = [side.estimate for part in criteria for side in part.overall.sides]
    made = [(estimate, estimate.interval) for estimate in sides if estimate.interval is not None]
    if not made:
        return ()
    first = made[0][1]
    whom = "other" if first.target == OTHER_JUDGES else "these"
    level = level_percent(first.level)
    start = f"Brackets are {level} confidence intervals for {whom} judges and other items"
    return [start, ": ", *_interval_methods(made), "."]


def _interval_methods(made: Iterable[tuple[Estimate, Interval]]) -> Iterator[Piece]:
    """Name each method once, with the coefficients that it was used for."""
    symbols: dict[str, list[str]] = {}
    papers: dict[str, Citation | None] = {}
    for estimate, interval in made:
        text = method_words(interval)
        symbols.setdefault(text, []).append(symbol(estimate))
        papers[text] = _interval_papers(interval)
    for number, (text, whose) in enumerate(symbols.items()):
        yield f"{'; ' if number else ''}for {listing(dict.fromkeys(whose))} {text}"
        if cited := papers[text]:
            yield cited


def _interval_papers(interval: Interval) -> Citation | None:
    keys = INTERVALS.get(interval.method, ())
    return Citation(keys) if keys else None


def _rules(reliability: Reliability) -> Sequence[Piece]:
    limits = reliability.thresholds
    sure = any(part.overall.agreement.interval is not None for part in reliability.criteria)
    whole = "its whole interval lies" if sure else "it lies"
    ordered = any(part.overall.correlation is not None for part in reliability.criteria)
    order = f" and {_threshold('order', limits.order)} for order" if ordered else ""
    return (
        f"A value counts as shown where {whole} at the threshold or above, "
        f"{_threshold('agreement', limits.agreement)} for agreement",
        Citation(["krippendorff-2004"]),
        f"{order}. Computed with covary {__version__}, seed {reliability.seed}.",
    )


def _values(criteria: Sequence[CriterionReliability]) -> list[Piece]:
    """Give agreement beside order, for each criterion or as a range."""
    sides = [(part, side) for part in criteria for side in part.overall.sides]
    if len(criteria) <= FEW:
        texts = [_both(part) for part in criteria]
        return [f"{'. '.join(texts)}."]
    ranges = []
    for measure, name in (("agreement", "Agreement"), ("correlation", "order")):
        own: dict[str, list[tuple[CriterionReliability, Estimate]]] = {}
        for part, side in sides:
            if side.measure == measure and side.estimate.defined:
                own.setdefault(symbol(side.estimate), []).append((part, side.estimate))
        if own:
            ranges.append(f"{name} ranges {' and '.join(map(_range, own.values()))}")
    return [f"{'; '.join(ranges)} (", AGREEMENT_TABLE, ")."]


def _both(part: CriterionReliability) -> str:
    texts = []
    for side in part.overall.sides:
        measure = "agreement" if side.measure == "agreement" else "order"
        value = "undefined"
        if side.estimate.defined:
            value = f"{symbol(side.estimate)} = {with_interval(side.estimate)}"
        texts.append(f"{measure} is {value}")
    start = f"On {criterion_name(part)}, " if part.label else ""
    text = start + " and ".join(texts)
    return capital(text)


def _range(own: Sequence[tuple[CriterionReliability, Estimate]]) -> str:
    ordered = sorted(own, key=lambda pair: pair[1].value)
    ends = [
        f"{symbol(estimate)} = {with_interval(estimate)} ({criterion_name(part)})"
        for part, estimate in (ordered[0], ordered[-1])
    ]
    return f"from {' to '.join(dict.fromkeys(ends))}"


def criterion_name(part: CriterionReliability) -> str:
    """The name of a criterion within a sentence; a whole question stands in quotation marks."""
    asks = part.name.endswith(("?", "!", ".", ":")) or part.name.count(" ") >= LONG_NAME
    return f"“{part.name}”" if asks else part.name


STATES: dict[State, str] = {
    "shown": "shown",
    "ruled out": "ruled out",
    "open": "open",
}


def _states(criteria: Sequence[CriterionReliability]) -> Iterator[str]:
    """Say of each threshold where it is shown, ruled out and open."""
    subjects = {
        "agreement": "agreement of {} or more",
        "order": "order of {} or more",
        "severity": "a share of severity of {} or more in the disagreement",
    }
    clauses: dict[str, list[str]] = {}
    for about, words in subjects.items():
        states: dict[State, list[str]] = {}
        threshold = ""
        for part in criteria:
            fact = part.overall.verdict.fact(about)  # type: ignore[arg-type]
            if fact is not None and fact.state != "unknown":
                threshold = _threshold(about, fact.threshold)
                states.setdefault(fact.state, []).append(criterion_name(part))
        if states:
            where = _where(states, len(criteria))
            clauses.setdefault(where, []).append(words.format(threshold))
    if clauses:
        text = "; ".join(
            f"{listing(about)} {'is' if len(about) == 1 else 'are'} {where}"
            for where, about in clauses.items()
        )
        yield f"{capital(text)}."


def _threshold(about: str, value: float) -> str:
    return f"{100 * value:g}%" if about == "severity" else f"{value:g}".removeprefix("0")


def _where(states: dict[State, list[str]], criteria: int) -> str:
    if len(states) == 1 and (criteria == 1 or sum(map(len, states.values())) == criteria):
        state = next(iter(states))
        return "left open by these data" if state == "open" else STATES[state]
    return listing(f"{STATES[state]} on {listing(names)}" for state, names in states.items())


def _means(criteria: Sequence[CriterionReliability]) -> Iterator[str]:
    """Give the reliability of means over k ratings, with k."""
    uses = [
        (part, use)
        for part in criteria
        for use in part.overall.verdict.uses
        if use.purpose == "item means"
    ]
    if not uses:
        return
    if len(uses) <= FEW:
        many = len(criteria) > 1
        values = [
            _mean(use) + (f" on {criterion_name(part)}" if many else "") for part, use in uses
        ]
    else:
        ends = sorted(uses, key=lambda pair: pair[1].value)
        values = [f"{_mean(use)} on {criterion_name(part)}" for part, use in (ends[0], ends[-1])]
        yield f"An item's mean has a reliability from {values[0]} to {values[1]}."
        return
    yield f"An item's mean has a reliability of {listing(values)}."


def _mean(use: RatingUse) -> str:
    sure = 0 <= use.low < use.high
    value = with_ends(use, bounded=True) if sure else coefficient(use.value)
    return f"{value} (k = {use.ratings:.3g})"
