"""Why agreement is what it is: the diagnosis, the way to a sentence, a new group, the methods."""

from __future__ import annotations

from covary.analysis.rounds import Fresh, Rounds, Traced
from covary.report.contents import Block, Bullets, Code, Paragraph, Section, Table
from covary.report.references import cited, listed_alphabetically
from covary.report.rounding import DASH, with_interval
from covary.report.rounds.sections import gap_words, normalised_words
from covary.report.tables import Columns, left, limited, table
from covary.report.wording import counted, percent
from covary.version import __version__

__all__ = ["diagnosis_section", "fresh_section", "methods_section", "signature", "trace_section"]

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


def diagnosis_section(found: Rounds) -> Section:
    """List the evidence for each of the three causes of low agreement."""
    about = (
        "Agreement may be low because the scheme does not describe what is judged, because the "
        "guidelines do not say enough, or because judges had too little training (Godwin & Piwek "
        "2016). This is a help to decide, and no decision."
    )
    blocks: list[Block] = [Paragraph(about)]
    for each in found.criteria:
        blocks.append(Paragraph(f"{each.name}: {each.diagnosis.sentence}"))
        rows = [
            (cause.name, MARKS[evidence.speaks], evidence.sentence)
            for cause in each.diagnosis.causes
            for evidence in cause.evidence
        ]
        columns: Columns = [left("cause"), left("evidence"), left("what was found")]
        blocks.append(table("diagnosis", f"{each.name}: causes", columns, rows))
    return Section("diagnosis", "Where does disagreement come from?", tuple(blocks))


def trace_section(found: Rounds) -> Section | None:
    """Follow disagreements to the sentences that they led to, and on to alpha."""
    if not found.traced:
        return None
    sentences: dict[tuple[str, str], list[Traced]] = {}
    for each in found.traced:
        sentences.setdefault((each.link.sentence, each.link.criterion), []).append(each)
    rows = [_traced(several) for several in sentences.values()]
    columns: Columns = [
        left("sentence"),
        left("kind"),
        left("round"),
        left("criterion"),
        left("items"),
        "alpha then",
        "alpha next",
        "change",
    ]
    about = (
        "Each sentence that came into the manual, the items on which the judges had disagreed, and "
        "alpha before and after. Several changes act at once, so that a rise is not the work of "
        "one sentence alone."
    )
    listed = table("trace", "from disagreement to sentence to agreement", columns,
                   rows[:MOST_TRACED], limited(len(rows), most=MOST_TRACED))  # fmt: skip
    blocks: list[Block] = [Paragraph(about), listed, _disagreements(found)]
    return Section("trace", "Which disagreement led to which sentence?", tuple(blocks))


def _traced(several: list[Traced]) -> tuple[str, ...]:
    first = several[0]
    items = [each.link.item for each in several]
    more = f" and {len(items) - 3} more" if len(items) > 3 else ""
    return (
        first.link.sentence or DASH, first.link.kind, str(first.link.round), first.link.criterion,
        ", ".join(items[:3]) + more, with_interval(first.before), with_interval(first.after),
        gap_words(first.gap),
    )  # fmt: skip


def _disagreements(found: Rounds) -> Table:
    """List each disagreement behind a sentence: who gave what, and how they explained it."""
    links = list(dict.fromkeys(each.link for each in found.traced))
    rows = [
        (str(link.round), link.item, link.criterion,
         ", ".join(f"{judge} {rating}" for judge, rating in link.given),
         " ".join(f"{judge}: {text}" for judge, text in link.said), link.sentence or DASH)
        for link in links[:MOST_TRACED]
    ]  # fmt: skip
    columns: Columns = [
        left("round"),
        left("item"),
        left("criterion"),
        left("who gave what"),
        left("what they said"),
        left("sentence"),
    ]
    note = limited(len(links), most=MOST_TRACED)
    return table("disagreements", "the disagreements behind the sentences", columns, rows, note)


def fresh_section(found: Rounds) -> Section | None:
    """Compare a new group with the authors of the guidelines."""
    known = [(each.name, each.fresh) for each in found.criteria if each.fresh is not None]
    if not known:
        return None
    columns: Columns = [
        left("criterion"),
        "alpha of the authors",
        "alpha of the new group",
        "change",
        "cross-replication",
        "normalised",
    ]
    said = Bullets(tuple(f"{name}: {fresh.sentence}" for name, fresh in known))
    rows = [_fresh(name, fresh) for name, fresh in known]
    note = " ".join(dict.fromkeys(fresh.reason for _, fresh in known if fresh.reason))
    listed = table("fresh", "a new group beside the authors", columns, rows, note)
    return Section("fresh", "Do the guidelines work for others?", (said, listed))


def _fresh(name: str, fresh: Fresh) -> tuple[str, ...]:
    return (
        name, with_interval(fresh.authors), with_interval(fresh.fresh), gap_words(fresh.gap),
        with_interval(fresh.xrr), normalised_words(fresh),
    )  # fmt: skip


def methods_section(found: Rounds) -> Section:
    """Say what was computed and how, with references and how to do it again."""
    first = found.criteria[0]
    level = first.last.alpha.level
    rules = "; ".join(f"{each.name}: {each.differs}" for each in found.criteria)
    text = (
        f"{counted(len(found.labels), 'round')} of rating were compared. An item differs "
        f"significantly when two of its ratings are further apart than a threshold (Godwin & Piwek "
        f"2016; {rules}). Shares of items have Wilson's interval. Agreement is Krippendorff's "
        f"alpha ({level} on {first.name}; {cited(('krippendorff-2011',))}). Changes from the first "
        "round to the last are those of estimates from different items, with limits recovered from "
        "both intervals (Zou & Donner 2008; for shares Newcombe 1998), unless items were drawn "
        "together. "
        f"All intervals are {percent(found.confidence)} intervals. covary {__version__} was used."
    )
    more = (*PAPERS, *((XRR,) if any(each.fresh for each in found.criteria) else ()))
    return Section(
        "methods",
        "Methods, ready to paste",
        (
            Paragraph(text),
            Paragraph("References:"),
            Bullets(listed_alphabetically(("krippendorff-2011",), more)),
            Paragraph("To compute these numbers again:"),
            Code(signature(found)),
        ),
    )


def signature(found: Rounds) -> str:
    """One line that names the whole comparison exactly."""
    first = found.criteria[0]
    limits = ",".join(f"{each.name}={each.threshold:g}" for each in found.criteria)
    return (
        f"rounds|level:{first.last.alpha.level}|threshold:{limits}|"
        f"confidence:{found.confidence:g}|seed:{found.seed}|covary:{__version__}"
    )
