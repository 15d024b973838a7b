"""The short form of a crowd beside experts for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from covary.analysis.crowd import CrowdStudy
from covary.report.contents import Paragraph
from covary.report.crowd.sections import answer_section
from covary.report.crowd.wording import limited, method_name, money
from covary.report.rounding import amount, coefficient, percent
from covary.report.short import WIDTH, aligned
from covary.report.tables import level_of

__all__ = ["short"]


def short(found: CrowdStudy) -> str:
    """Write the answer, then agreement with each expert, then who voted and what it cost."""
    parts = ["\n".join(_table(found, name, title)) for name, title in found.coefficients]
    said = [b.text for b in answer_section(found).blocks if isinstance(b, Paragraph)]
    said += [*_people(found), *found.notes]
    return "\n\n".join([*parts, *(textwrap.fill(sentence, WIDTH) for sentence in said)])


def _table(found: CrowdStudy, name: str, title: str) -> Iterator[str]:
    heads = [title, *(f"with {expert}" for expert in found.experts)]
    one = [each for each in found.arrangements if each.coefficient == name]
    rows = [["one vote, mean (sd)", *(f"{coefficient(e.mean, 4)} ({coefficient(e.sd, 4)})"
                                      for e in one)]]  # fmt: skip
    for method in found.methods:
        cells = [
            limited(each.value, each.interval)
            for expert in found.experts
            for each in found.combined(name, expert)
            if each.first == method
        ]
        rows.append([f"crowd, {method_name(method)}", *cells])
    yield from aligned([heads, *rows])
    for each in found.between_experts(name):
        yield f"{each.first} with {each.second}: {limited(each.value, each.interval)}"
    yield f"In brackets the {level_of(found.confidence)}, over other {found.units}."


def _people(found: CrowdStudy) -> Iterator[str]:
    who, cost = found.judges, found.costs
    if who.known:
        yield (
            f"{who.n_judges:,} people gave {who.n_votes:,} votes: {who.fewest:,} to {who.most:,} "
            f"each, {amount(who.mean)} on average, Gini {amount(who.gini)}, the busiest "
            f"{percent(who.top_share)}."
        )
    if cost.crowd_cost == cost.crowd_cost:
        yield f"The crowd cost {money(cost.crowd_cost)}."
