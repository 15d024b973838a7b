"""From votes and experts' ratings to a report on both, in all its forms."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from covary.analysis.crowd import CrowdStudy, crowd_study
from covary.ratings import Ratings
from covary.reports.blocks import (
    Block,
    Bullets,
    Code,
    Contents,
    Paragraph,
    Section,
    columns,
    interval_name,
    left,
    table,
)
from covary.reports.crowd.sections import (
    answer_section,
    combined_section,
    method_name,
    money,
    single_section,
    time_words,
    votes_section,
    with_limits,
)
from covary.reports.document import WIDTH, Document, FilePath, align, assemble, check_path
from covary.reports.formatting import (
    DASH,
    amount,
    coefficient,
    count,
    counted,
    listing,
    percent,
    scale_words,
)
from covary.reports.formatting import level_percent as level
from covary.reports.references import cite, reference_list
from covary.version import __version__

MOST_NAMED = 12

COEFFICIENT_PAPERS = {
    "cohen_kappa": "cohen-1960",
    "fisher_icc": "fisher-1925",
    "scott_pi": "scott",
    "weighted_kappa": "cohen-1968",
    "pearson": "pearson",
    "goodman_kruskal_gamma": "goodman-kruskal",
}
"""Whose coefficient it is."""


def short(study: CrowdStudy) -> str:
    """Write the answer, then agreement with each expert, then who voted and what it cost."""
    parts = ["\n".join(_short_table(study, name, title)) for name, title in study.coefficients]
    answer = (block for block in answer_section(study).blocks if isinstance(block, Paragraph))
    sentences = [*(block.text for block in answer), *_short_sentences(study), *study.notes]
    return "\n\n".join([*parts, *(textwrap.fill(sentence, WIDTH) for sentence in sentences)])


def _short_table(study: CrowdStudy, name: str, title: str) -> Iterator[str]:
    heads = [title, *(f"with {expert}" for expert in study.experts)]
    single = [
        distribution for distribution in study.arrangements if distribution.coefficient == name
    ]
    spreads = (
        f"{coefficient(distribution.mean, 4)} ({coefficient(distribution.sd, 4)})"
        for distribution in single
    )
    rows = [["one vote, mean (sd)", *spreads]]
    for method in study.methods:
        cells = [
            with_limits(pair.value, pair.interval)
            for expert in study.experts
            for pair in study.combined(name, expert)
            if pair.first == method
        ]
        rows.append([f"crowd, {method_name(method)}", *cells])
    yield from align([heads, *rows])
    for pair in study.between_experts(name):
        yield f"{pair.first} with {pair.second}: {with_limits(pair.value, pair.interval)}"
    yield f"In brackets the {interval_name(study.confidence)}, over other {study.units}."


def _short_sentences(study: CrowdStudy) -> Iterator[str]:
    who, cost = study.judges, study.costs
    if who.known:
        yield (
            f"{who.n_judges:,} people gave {who.n_votes:,} votes: {who.fewest:,} to {who.most:,} "
            f"each, {amount(who.mean)} on average, Gini {amount(who.gini)}, the busiest "
            f"{percent(who.top_share)}."
        )
    if cost.crowd_cost == cost.crowd_cost:
        votes = f"{counted(cost.crowd_votes, 'vote')} at {money(cost.per_vote)}"
        yield f"The crowd cost {money(cost.crowd_cost)}: {votes}."


def judges_section(study: CrowdStudy) -> Section:
    """Describe the people of the crowd."""
    who = study.judges
    rows: list[tuple[str, str]] = [("votes", count(who.n_votes))]
    if who.known:
        rows += [
            ("people", count(who.n_judges)),
            ("votes per person, fewest", count(who.fewest)),
            ("votes per person, most", count(who.most)),
            ("votes per person, mean", amount(who.mean)),
            ("votes per person, median", amount(who.median, 1)),
            ("Gini (0: all equal, near 1: one person)", amount(who.gini)),
            ("share of the busiest person", percent(who.top_share)),
        ]
    timed = [
        ("seconds per vote, mean", amount(who.seconds_mean, 1)),
        ("seconds per vote, median", amount(who.seconds_median, 1)),
        ("pay of an hour", money(who.hourly)),
        ("people paid less than the minimum wage", percent(who.share_below)),
    ]
    rows += [row for row in timed if row[1] != DASH]
    blocks: list[Block] = [table("people", "the crowd", [left("what"), "number"], rows)]
    if who.reason:
        blocks.append(Paragraph(f"{who.reason[0].upper()}{who.reason[1:]}.", "note"))
    if study.shared is not None:
        blocks.append(Paragraph(_shared_sentence(study)))
    return Section("judges", "Who voted", tuple(blocks))


def _shared_sentence(study: CrowdStudy) -> str:
    shared = study.shared
    assert shared is not None
    in_sessions = bool(study.n_sessions) and study.nested_in == "session"
    unit = "session" if in_sessions else "item"
    sure = "" if shared.exact else " Not every pair was tried, so a larger set may exist."
    items = f" with {counted(shared.n_items, 'item')}" if in_sessions else ""
    return (
        f"Of all pairs of experts, {listing(shared.judges)} share most: "
        f"{counted(len(shared.sessions), unit)}{items} that both rated completely.{sure}"
    )


def costs_section(study: CrowdStudy) -> Section:
    """Set cost and time of the crowd beside those of the experts."""
    cost = study.costs
    rows = [
        ("ratings", count(cost.crowd_votes), count(cost.expert_ratings)),
        ("cost", money(cost.crowd_cost), money(cost.expert_cost)),
        ("cost per item", money(cost.crowd_cost_per_item), money(cost.expert_cost_per_item)),
    ]
    times = (
        ("work per rating", cost.crowd_seconds_per_vote, cost.expert_seconds_per_rating),
        ("work per item", cost.crowd_seconds_per_item, cost.expert_seconds_per_item),
        ("work in all", cost.crowd_seconds, cost.expert_seconds),
    )
    rows += [(label, time_words(crowd), time_words(experts)) for label, crowd, experts in times]
    kept = [row for row in rows if row[1:] != (DASH, DASH)]
    note = "Times are working times; the ratings do not say how long the whole collection took."
    missing = [
        label
        for label, value in (
            ("what a vote pays (pay, fee)", cost.crowd_cost),
            ("what an expert's rating costs (expert_pay)", cost.expert_cost),
            ("the crowd's seconds", cost.crowd_hours),
            ("the experts' seconds", cost.expert_hours),
        )
        if not math.isfinite(value)
    ]
    note += f" {DASH} Not given: {'; '.join(missing)}." if missing else ""
    heads = columns("<what | crowd | experts")
    costs = table("cost-and-work", "cost and work, crowd and experts", heads, kept, note=note)
    return Section("costs", "What it cost", (costs,))


def methods_section(study: CrowdStudy) -> Section:
    """Say what was computed, from what and how, with references and how to do it again."""
    blocks: list[Block] = [Paragraph(" ".join(_method_sentences(study))), Paragraph("References:")]
    used = [
        COEFFICIENT_PAPERS[name] for name, _ in study.coefficients if name in COEFFICIENT_PAPERS
    ]
    blocks.append(Bullets(reference_list(["banchs", "efron-tibshirani", *used])))
    blocks += [Paragraph("To compute these numbers again:"), Code(signature(study))]
    return Section("methods", "Methods, ready to paste", tuple(blocks))


def _method_sentences(study: CrowdStudy) -> Iterator[str]:
    names = listing(study.experts[:MOST_NAMED])
    about = "" if study.criterion is None else f" on {study.criterion}"
    yield (
        f"{counted(study.n_votes, 'vote')} of a crowd were compared with the ratings of "
        f"{counted(len(study.experts), 'expert')} ({names}) on {counted(study.n_items, 'item')}"
        f"{about}, on {scale_words(study.scale)}."
    )
    titles = listing(title for _, title in study.coefficients)
    number = study.arrangements[0].arrangements
    yield (
        f"Because the n-th votes on two items are different people's, {titles} of one "
        f"vote per item with each expert was found over {number:,} random "
        f"arrangements of the votes ({cite(['banchs'])}), and from the expected cross table."
    )
    methods = listing(method_name(method) for method in study.methods)
    yield (
        f"Votes were combined by {methods}. Intervals are {level(study.confidence)} percentile "
        f"bootstrap intervals over {study.units} ({study.resamples:,} resamples, seed "
        f"{study.seed}), paired for differences; combined ratings were not combined again."
    )
    yield (
        "The curve by number of votes averages over all ways to pick that many of an item's votes. "
        f"covary {__version__} was used."
    )


def signature(study: CrowdStudy) -> str:
    """One line that names the whole comparison exactly."""
    names = ",".join(name for name, _ in study.coefficients)
    return (
        f"crowd_study|coefficients:{names}|methods:{','.join(study.methods)}|"
        f"arrangements:{study.arrangements[0].arrangements}|units:{study.units}|"
        f"confidence:{study.confidence:g}|resamples:{study.resamples}|seed:{study.seed}|"
        f"covary:{__version__}"
    )


@dataclass(frozen=True, repr=False)
class CrowdReport(Document):
    """A crowd beside experts, and its forms; `contents` is what every written form says."""

    crowd: CrowdStudy
    contents: Contents

    found_in = "crowd"
    in_notebooks = ("answer", "combined")

    def short(self) -> str:
        """Return the short form for a terminal."""
        return short(self.crowd)

    def __repr__(self) -> str:
        return f"CrowdReport({self.contents.subtitle!r})"


def crowd_report(
    crowd: Ratings,
    experts: Ratings,
    path: FilePath | None = None,
    *,
    format: str | None = None,  # noqa: A002
    criterion: Any = None,
    methods: Sequence[str] = ("banchs-a", "banchs-b"),
    coefficients: Sequence[Any] | None = None,
    arrangements: int = 30_000,
    pay: float | None = None,
    fee: float | None = None,
    wage: float | None = None,
    expert_pay: float | None = None,
    confidence: float = 0.95,
    resamples: int = 2000,
    rng: Any = None,
    title: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> CrowdReport:
    """Is a crowd as good as an expert? Compare them and write the report.

    Parameters
    ----------
    crowd, experts, criterion, methods, coefficients, arrangements, pay, fee, wage, expert_pay
        As in `crowd_study`.
    confidence, resamples, rng, progress
        As in `crowd_study`.
    path
        Where to write the report; nothing is written when left out.
    format
        html, md, tex, json or csv; the ending of `path` by default.
    title
        The heading of the report.

    Returns
    -------
    CrowdReport
        With `crowd` and a method for each form.
    """
    check_path(path, format, "crowd_report")
    study = crowd_study(
        crowd,
        experts,
        criterion=criterion,
        methods=methods,
        coefficients=coefficients,
        arrangements=arrangements,
        pay=pay,
        fee=fee,
        wage=wage,
        expert_pay=expert_pay,
        confidence=confidence,
        resamples=resamples,
        rng=rng,
        progress=progress,
    )
    report = CrowdReport(study, contents_of(study, title or "A crowd beside experts"))
    return report.sealed(crowd, experts).saved(path, format)


def contents_of(study: CrowdStudy, title: str) -> Contents:
    """Put a report on a crowd together."""
    sections = (
        answer_section(study),
        combined_section(study),
        single_section(study),
        votes_section(study),
        judges_section(study),
        costs_section(study),
        methods_section(study),
    )
    facts = [
        counted(study.n_items, "item"),
        counted(study.n_votes, "vote"),
        counted(len(study.experts), "expert"),
    ]
    return assemble(title, facts, study.confidence, sections)
