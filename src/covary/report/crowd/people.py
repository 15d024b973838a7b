"""Who voted and what it cost, and how everything was computed."""

from __future__ import annotations

import math
from collections.abc import Iterator

from covary.analysis.crowd import CrowdStudy
from covary.report.contents import Block, Bullets, Code, Paragraph, Section
from covary.report.crowd.wording import method_name, money, time_words
from covary.report.references import PAPERS, cited, listed_alphabetically
from covary.report.rounding import DASH, amount, count, percent
from covary.report.tables import Columns, left, table
from covary.report.wording import counted, listing, scale_words
from covary.report.wording import percent as level
from covary.version import __version__

__all__ = ["costs_section", "judges_section", "methods_section", "signature"]

MOST_NAMED = 12


def judges_section(found: CrowdStudy) -> Section:
    """Describe the people of the crowd."""
    who = found.judges
    rows: list[tuple[str, str]] = [("votes", count(who.n_votes))]
    if who.known:
        rows += [
            ("people", count(who.n_judges)),
            ("votes of a person, fewest", count(who.fewest)),
            ("votes of a person, most", count(who.most)),
            ("votes of a person, mean", amount(who.mean)),
            ("votes of a person, median", amount(who.median, 1)),
            ("Gini (0: all equal, near 1: one person)", amount(who.gini)),
            ("share of the busiest person", percent(who.top_share)),
        ]
    timed = [
        ("seconds per vote, mean", amount(who.seconds_mean, 1)),
        ("seconds per vote, median", amount(who.seconds_median, 1)),
        ("pay of an hour", money(who.hourly)),
        ("people whose hour paid less than the wage", percent(who.share_below)),
    ]
    rows += [row for row in timed if row[1] != DASH]
    blocks: list[Block] = [table("people", "the crowd", [left("what"), "number"], rows)]
    if who.reason:
        blocks.append(Paragraph(f"{who.reason[0].upper()}{who.reason[1:]}.", "note"))
    if found.shared is not None:
        blocks.append(Paragraph(_shared(found)))
    return Section("judges", "Who voted", tuple(blocks))


def _shared(found: CrowdStudy) -> str:
    shared = found.shared
    assert shared is not None
    what = "session" if found.n_sessions else "item"
    sure = "" if shared.exact else " Not every pair was tried, so there may be a larger set."
    items = f" with {counted(shared.n_items, 'item')}" if found.n_sessions else ""
    return (
        f"Of all pairs of experts, {listing(shared.judges)} share most: "
        f"{counted(len(shared.sessions), what)}{items} that both rated completely.{sure}"
    )


def costs_section(found: CrowdStudy) -> Section:
    """Set cost and time of the crowd beside those of the experts."""
    cost = found.costs
    each = (cost.crowd_hours * 3600 / cost.crowd_votes,
            cost.expert_hours * 3600 / cost.expert_ratings)  # fmt: skip
    rows = [
        ("ratings", count(cost.crowd_votes), count(cost.expert_ratings)),
        ("cost", money(cost.crowd_cost), money(cost.expert_cost)),
        ("cost per item", money(cost.crowd_cost_per_item), money(cost.expert_cost_per_item)),
        ("work per rating", time_words(each[0]), time_words(each[1])),
        ("work per item", time_words(cost.crowd_seconds_per_item),
         time_words(cost.expert_seconds_per_item)),
        ("work in all", time_words(cost.crowd_hours * 3600), time_words(cost.expert_hours * 3600)),
    ]  # fmt: skip
    kept = [row for row in rows if row[1:] != (DASH, DASH)]
    note = "Times are of work; how long it took until all was done is not in the ratings."
    missing = [
        what
        for what, value in (
            ("what a vote pays (pay, fee)", cost.crowd_cost),
            ("what an expert's rating costs (expert_pay)", cost.expert_cost),
            ("the crowd's seconds", cost.crowd_hours),
            ("the experts' seconds", cost.expert_hours),
        )
        if not math.isfinite(value)
    ]
    note += f" {DASH} Not given: {'; '.join(missing)}." if missing else ""
    columns: Columns = [left("what"), "crowd", "experts"]
    made = table("cost-and-work", "cost and work, crowd and experts", columns, kept, note)
    return Section("costs", "What it cost", (made,))


def methods_section(found: CrowdStudy) -> Section:
    """Say what was computed, from what and how, with references and how to do it again."""
    blocks: list[Block] = [Paragraph(" ".join(_sentences(found))), Paragraph("References:")]
    keys = ["banchs", "efron-tibshirani", *_papers(found)]
    blocks.append(Bullets(listed_alphabetically(key for key in keys if key in PAPERS)))
    blocks += [Paragraph("To compute these numbers again:"), Code(signature(found))]
    return Section("methods", "Methods, ready to paste", tuple(blocks))


def _papers(found: CrowdStudy) -> Iterator[str]:
    known = {"cohen_kappa": "cohen-1960", "fisher_icc": "fisher-1925", "scott_pi": "scott",
             "weighted_kappa": "cohen-1968", "pearson": "pearson",
             "goodman_kruskal_gamma": "goodman-kruskal"}  # fmt: skip
    yield from (known[name] for name, _ in found.coefficients if name in known)


def _sentences(found: CrowdStudy) -> Iterator[str]:
    names = listing(found.experts[:MOST_NAMED])
    about = "" if found.criterion is None else f" on {found.criterion}"
    yield (
        f"{counted(found.n_votes, 'vote')} of a crowd were compared with the ratings of "
        f"{counted(len(found.experts), 'expert')} ({names}) on {counted(found.n_items, 'item')}"
        f"{about}, on {scale_words(found.scale)}."
    )
    one = found.arrangements[0]
    yield (
        f"Because the n-th votes on two items are different people's, {listing_titles(found)} of "
        f"one vote per item with each expert was found over {one.arrangements:,} random "
        f"arrangements of the votes ({cited(['banchs'])}), and from the expected cross table."
    )
    methods = listing(method_name(method) for method in found.methods)
    yield (
        f"Votes were combined by {methods}. Intervals are {level(found.confidence)} percentile "
        f"bootstrap intervals over {found.units} ({found.resamples:,} resamples, seed "
        f"{found.seed}), paired for differences; combined ratings were not combined again."
    )
    yield (
        "The curve by number of votes averages over all ways to pick so many of an item's votes. "
        f"covary {__version__} was used."
    )


def listing_titles(found: CrowdStudy) -> str:
    """Name the coefficients in a sentence."""
    return listing(title for _, title in found.coefficients)


def signature(found: CrowdStudy) -> str:
    """One line that names the whole comparison exactly."""
    names = ",".join(name for name, _ in found.coefficients)
    return (
        f"crowd_study|coefficients:{names}|methods:{','.join(found.methods)}|"
        f"arrangements:{found.arrangements[0].arrangements}|units:{found.units}|"
        f"confidence:{found.confidence:g}|resamples:{found.resamples}|seed:{found.seed}|"
        f"covary:{__version__}"
    )
