"""From rounds of rating to a report on guidelines, in all its forms."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass

from covary.analysis.rounds import FreshGroup, Rounds, Trace
from covary.reports.blocks import (
    Block,
    Bullets,
    Code,
    Contents,
    Paragraph,
    Section,
    Table,
    columns,
    omission_note,
    table,
)
from covary.reports.document import WIDTH, Document, FilePath, align, assemble, check_path
from covary.reports.formatting import (
    DASH,
    amount,
    counted,
    level_percent,
    listing,
    percent,
    with_interval,
)
from covary.reports.references import cite, reference_list
from covary.reports.rounds.sections import (
    again_section,
    agreement_section,
    answer_section,
    convergence_section,
    cut_table,
    distributions_section,
    gap_words,
    manual_section,
    normalised_words,
    results_of,
    rounds_words,
    systems_section,
    work_section,
)
from covary.version import __version__

MARKS = {"for": "speaks for it", "against": "speaks against it", "unknown": "not known"}

MOST_TRACED = 40

PAPERS = (
    "Godwin, K. & Piwek, P. (2016). Collecting reliable human judgements on machine-generated "
    "language: the case of the QG-STEC data. Proceedings of the 9th International Natural Language "
    "Generation conference, 212–216.",
    "Newcombe, R. G. (1998). Interval estimation for the difference between independent "
    "proportions: comparison of eleven methods. Statistics in Medicine 17, 873–890.",
    "Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. "
    "Journal of the American Statistical Association 22, 209–212.",
    "Zou, G. Y. & Donner, A. (2008). Construction of confidence limits about effect measures: a "
    "general approach. Statistics in Medicine 27, 1693–1702.",
)

XRR = (
    "Wong, K., Paritosh, P. & Aroyo, L. (2021). Cross-replication reliability: an empirical "
    "approach to interpreting inter-rater reliability. Proceedings of the 59th Annual Meeting of "
    "the Association for Computational Linguistics, 7053–7065."
)


def short(rounds: Rounds) -> str:
    """Write one table of all rounds, the changes, and what they do not show."""
    heads = ["criterion", "round", "items", "differ", "within", "alpha", "change"]
    rows = []
    for criterion, result in results_of(rounds):
        changed = criterion.alpha_gap is not None and result is criterion.last
        row = [criterion.name, str(result.round), f"{result.n_items:,}", f"{result.differing:,}"]
        row += [percent(result.within.value), with_interval(result.alpha)]
        rows.append([*row, gap_words(criterion.alpha_gap) if changed else ""])
    lines = [*align([heads, *rows]), ""]
    fresh = [
        [criterion.name, *_fresh_cells(criterion.fresh)]
        for criterion in rounds.criteria
        if criterion.fresh is not None
    ]
    if fresh:
        heads = ["criterion", "alpha, new group", "less the authors'", "xRR", "normalised"]
        lines += [*align([heads, *fresh]), ""]
    for criterion in rounds.criteria:
        for note in criterion.notes:
            lines += [textwrap.fill(f"{criterion.name}: {note}", WIDTH), ""]
        for rated in criterion.again:
            lines += [textwrap.fill(f"{criterion.name}: {rated.sentence}", WIDTH), ""]
    return "\n".join([*lines, textwrap.fill(rounds.statement, WIDTH)])


def _fresh_cells(fresh: FreshGroup) -> tuple[str, str, str, str]:
    """The alpha of a new group, its difference, and whether both measure the same thing."""
    alpha, crossed = with_interval(fresh.fresh), with_interval(fresh.xrr)
    return alpha, gap_words(fresh.gap), crossed, normalised_words(fresh)


def diagnosis_section(rounds: Rounds) -> Section:
    """List the evidence for each of the three causes of low agreement."""
    about = (
        "Agreement may be low because the scheme does not describe what is judged, because the "
        "guidelines do not say enough, or because judges had too little training (Godwin & Piwek "
        "2016). This table helps to decide between them; it does not decide."
    )
    blocks: list[Block] = [Paragraph(about)]
    heads = columns("<cause | <evidence | <what was found")
    for criterion in rounds.criteria:
        diagnosis, name = criterion.diagnosis, criterion.name
        rows = [
            (cause.name, MARKS[evidence.speaks], evidence.sentence)
            for cause in diagnosis.causes
            for evidence in cause.evidence
        ]
        blocks.append(Paragraph(f"{name}: {diagnosis.sentence}"))
        blocks.append(table("diagnosis", f"{name}: causes", heads, rows))
    return Section("diagnosis", "Where does disagreement come from?", tuple(blocks))


def trace_section(rounds: Rounds) -> Section | None:
    """Follow disagreements to the sentences that they led to, and on to alpha."""
    if not rounds.traced:
        return None
    sentences: dict[tuple[str, str], list[Trace]] = {}
    for trace in rounds.traced:
        sentences.setdefault((trace.link.sentence, trace.link.criterion), []).append(trace)
    rows = list(map(_trace_row, sentences.values()))
    heads = columns(
        "<sentence | <kind | <round | <criterion | <items | alpha then | alpha next | change"
    )
    about = (
        "Each sentence that came into the manual, the items on which the judges had disagreed, and "
        "alpha before and after. Several changes act at once, so a rise is not due to one "
        "sentence alone."
    )
    caption = "from disagreement to sentence to agreement"
    note = omission_note(len(rows), most=MOST_TRACED)
    listed = table("trace", caption, heads, rows[:MOST_TRACED], note=note)
    blocks = (Paragraph(about), listed, _disagreements(rounds))
    return Section("trace", "Which disagreement led to which sentence?", blocks)


def _trace_row(several: list[Trace]) -> tuple[str, ...]:
    first = several[0]
    items = [trace.link.item for trace in several]
    more = f" and {len(items) - 3} more" if len(items) > 3 else ""
    return (
        first.link.sentence or DASH,
        first.link.kind,
        str(first.link.round),
        first.link.criterion,
        ", ".join(items[:3]) + more,
        with_interval(first.before),
        with_interval(first.after),
        gap_words(first.gap),
    )


def _disagreements(rounds: Rounds) -> Table:
    """List each disagreement behind a sentence: who gave what, and how they explained it."""
    links = list(dict.fromkeys(trace.link for trace in rounds.traced))
    rows = [
        (
            str(link.round),
            link.item,
            link.criterion,
            ", ".join(f"{judge} {rating}" for judge, rating in link.given),
            " ".join(f"{judge}: {text}" for judge, text in link.said),
            link.sentence or DASH,
        )
        for link in links[:MOST_TRACED]
    ]
    heads = columns("<round | <item | <criterion | <who gave what | <what they said | <sentence")
    note = omission_note(len(links), most=MOST_TRACED)
    caption = "the disagreements behind the sentences"
    return table("disagreements", caption, heads, rows, note=note)


def fresh_section(rounds: Rounds) -> Section | None:
    """Compare a new group with the authors of the guidelines."""
    groups = [
        (criterion.name, criterion.fresh)
        for criterion in rounds.criteria
        if criterion.fresh is not None
    ]
    if not groups:
        return None
    heads = columns(
        "<criterion | alpha of the authors | alpha of the new group | change | cross-replication | "
        "normalised"
    )
    rows = [(name, with_interval(group.authors), *_fresh_cells(group)) for name, group in groups]
    note = " ".join(dict.fromkeys(group.reason for _, group in groups if group.reason))
    sentences = Bullets(tuple(f"{name}: {group.sentence}" for name, group in groups))
    listed = table("fresh", "a new group beside the authors", heads, rows, note=note)
    return Section("fresh", "Do the guidelines work for others?", (sentences, listed))


def drift_section(rounds: Rounds) -> Section | None:
    """Say whether judges rate later items of the last round differently from earlier ones."""
    drifts = [
        (criterion.name, judge, drift)
        for criterion in rounds.criteria
        for judge, drift in criterion.drifts
    ]
    if not drifts:
        return None
    rows = [
        (
            name,
            str(judge),
            amount(drift.slope),
            f"[{amount(drift.low)}, {amount(drift.high)}]",
            "yes" if drift.clear else "no",
        )
        for name, judge, drift in drifts
    ]
    heads = columns("<criterion | <judge | drift per 100 ratings | 95% interval | <clear")
    clear, label = sum(drift.clear for _, _, drift in drifts), rounds.labels[-1]
    sentence = (
        f"In round {label}, {clear} of {len(drifts)} slopes are clearly not 0: the judge's ratings "
        "move away from what the others give as the round goes on."
        if clear
        else f"In round {label} no judge clearly drifts: later items are rated like earlier ones."
    )
    listed = cut_table("drift", f"drift in round {label}", heads, rows)
    return Section("drift", "Do judges drift after training?", (Paragraph(sentence), listed))


def methods_section(rounds: Rounds) -> Section:
    """Say what was computed and how, with references and how to do it again."""
    several = ("round of rating", "rounds of rating")
    rules = "; ".join(f"{criterion.name}: {criterion.differs}" for criterion in rounds.criteria)
    text = (
        f"{rounds_words(rounds.labels, several)} were compared. An item differs "
        f"significantly when two of its ratings are further apart than a threshold (Godwin & Piwek "
        f"2016; {rules}). Shares of items have Wilson's interval. Agreement is Krippendorff's "
        f"alpha ({_levels(rounds)}; {cite(('krippendorff-2011',))}). Changes from the first "
        "round to the last are those of estimates from different items, with limits recovered from "
        "both intervals (Zou & Donner 2008; for shares Newcombe 1998), unless items were drawn "
        "together. "
        f"All intervals are {level_percent(rounds.confidence)} intervals. "
        f"covary {__version__} was used."
    )
    more = (*PAPERS, *((XRR,) if any(criterion.fresh for criterion in rounds.criteria) else ()))
    return Section(
        "methods",
        "Methods, ready to paste",
        (
            Paragraph(text),
            Paragraph("References:"),
            Bullets(reference_list(("krippendorff-2011",), more)),
            Paragraph("To compute these numbers again:"),
            Code(signature(rounds)),
        ),
    )


def _levels(rounds: Rounds) -> str:
    """The level of alpha, once where it is the same on all criteria."""
    names: dict[str, list[str]] = {}
    for criterion in rounds.criteria:
        names.setdefault(str(criterion.last.alpha.level), []).append(criterion.name)
    if len(names) == 1:
        return next(iter(names))
    return ", ".join(f"{level} on {listing(criteria)}" for level, criteria in names.items())


def signature(rounds: Rounds) -> str:
    """One line that names the whole comparison exactly."""
    levels = {criterion.name: str(criterion.last.alpha.level) for criterion in rounds.criteria}
    level = ",".join(f"{name}={each}" for name, each in levels.items())
    if len(set(levels.values())) == 1:
        level = next(iter(levels.values()))
    limits = ",".join(f"{criterion.name}={criterion.threshold:g}" for criterion in rounds.criteria)
    return (
        f"rounds|level:{level}|threshold:{limits}|"
        f"confidence:{rounds.confidence:g}|seed:{rounds.seed}|covary:{__version__}"
    )


@dataclass(frozen=True, repr=False)
class RoundsReport(Document):
    """Did the guidelines become better, in all its forms; `contents` is what they say."""

    rounds: Rounds
    contents: Contents

    found_in = "rounds"
    in_notebooks = ("answer", "agreement")

    def short(self) -> str:
        """Return the short form for a terminal."""
        return short(self.rounds)

    def __repr__(self) -> str:
        return f"RoundsReport({rounds_words(self.rounds.labels)})"


def rounds_report(
    found: Rounds,
    path: FilePath | None = None,
    *,
    format: str | None = None,  # noqa: A002
    title: str | None = None,
    seals: Iterable[str] = (),
) -> RoundsReport:
    """Write down what rounds of training changed.

    Parameters
    ----------
    found
        What `covary.analysis.rounds.rounds` found.
    path
        Where to write the report; nothing is written when left out.
    format
        html, md, tex, json or csv; the ending of `path` by default.
    title
        The heading of the report.
    seals
        The newest seal of the study that the rounds are from.

    Examples
    --------
    >>> from covary import datasets
    >>> from covary.analysis.rounds import rounds
    >>> before, after = datasets.load("qgstec-original"), datasets.load("qgstec-reevaluated")
    >>> report = rounds_report(rounds(before, after, criterion="variety", level="interval", rng=1))
    >>> print(report.short().splitlines()[1])
    variety    before  895    165     82%     .35 [.28, .41]
    """
    check_path(path, format, "rounds_report")
    report = RoundsReport(found, contents_of(found, title or "Did the guidelines improve?"))
    return report.sealed(*seals).saved(path, format)


def contents_of(rounds: Rounds, title: str) -> Contents:
    """Put a report on rounds together."""
    sections = (
        answer_section(rounds),
        convergence_section(rounds),
        agreement_section(rounds),
        again_section(rounds),
        fresh_section(rounds),
        distributions_section(rounds),
        systems_section(rounds),
        diagnosis_section(rounds),
        trace_section(rounds),
        manual_section(rounds),
        work_section(rounds),
        drift_section(rounds),
        methods_section(rounds),
    )
    facts = [
        rounds_words(rounds.labels),
        counted(len(rounds.criteria), "criterion", "criteria"),
    ]
    return assemble(title, facts, rounds.confidence, sections)
