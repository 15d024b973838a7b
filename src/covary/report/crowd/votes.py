"""The section of a report on a crowd about the number of votes and what each one brings."""

from __future__ import annotations

import math

from covary.analysis.crowd import CrowdStudy
from covary.report.contents import Block, Figure, Paragraph, Section
from covary.report.crowd.plots import votes_curve
from covary.report.crowd.wording import limited, method_name, money, rate_words
from covary.report.rounding import coefficient, count, decimals, percent
from covary.report.tables import Columns, key_of, left, level_of, table, without_empty
from covary.report.wording import counted

__all__ = ["votes_section"]


def votes_section(found: CrowdStudy) -> Section | None:
    """Show agreement over the number of votes, its cost, and how many equal one expert."""
    if not found.curve:
        return None
    about = (
        "Agreement with the experts, on average, when so many votes of each item are picked in all "
        "possible ways and combined. Tied votes are shared by the ratings they point to."
    )
    blocks: list[Block] = [Paragraph(about)]
    blocks += [_curve(found, name, title) for name, title in found.coefficients]
    if found.votes_per_expert:
        blocks.append(_rates(found))
    return Section("votes", "How many votes equal one expert?", tuple(blocks))


def _curve(found: CrowdStudy, name: str, title: str) -> Figure:
    points = [each for each in found.curve if each.coefficient == name]
    methods = [method_name(m) for m in dict.fromkeys(each.method for each in points)]
    rows = [
        {"votes": each.votes, "value": each.value, "low": each.interval.low,
         "high": each.interval.high, "name": method_name(each.method)}
        for each in points if math.isfinite(each.value) and math.isfinite(each.interval.low)
    ]  # fmt: skip
    columns: Columns = [left("crowd by"), "votes", f"value, {level_of(found.confidence)}",
                        *(str(expert) for expert in found.experts), "items with so many",
                        "cost"]  # fmt: skip
    cells = [
        (method_name(each.method), str(each.votes), limited(each.value, each.interval),
         *(coefficient(v, decimals(each.interval.low, each.interval.high)) for v in each.by_expert),
         count(each.n_full), money(each.cost))
        for each in points
    ]  # fmt: skip
    numbers = without_empty(
        table(key_of("curve-table", name), f"{title} by number of votes", columns, cells)
    )
    first = [each for each in points if each.method == points[0].method]
    costs = [money(each.cost) for each in first] if math.isfinite(first[0].cost) else []
    axes = ("votes on each item", f"{title} with experts")
    spec = votes_curve(rows or [{"votes": 1}], methods, _experts(found, name), axes, costs)
    described = f"{title} with the experts over the number of votes, with intervals"
    described += ", and the cost of so many votes." if costs else "."
    return Figure(key_of("curve", name), _curve_title(found, name, title), described, spec, numbers)


def _experts(found: CrowdStudy, name: str) -> tuple[float, float, float]:
    """The agreement between experts with its interval, where there is one pair of them."""
    pairs = found.between_experts(name)
    if len(pairs) == 1:
        return pairs[0].value, pairs[0].interval.low, pairs[0].interval.high
    mean = sum(each.value for each in pairs) / len(pairs) if pairs else math.nan
    return mean, mean, mean


def _curve_title(found: CrowdStudy, name: str, title: str) -> str:
    best = max(
        (each for each in found.curve if each.coefficient == name and math.isfinite(each.value)),
        key=lambda each: each.value, default=None,
    )  # fmt: skip
    if best is None:
        return f"{title} is undefined for these votes"
    return (
        f"{title} reaches {coefficient(best.value)} with {counted(best.votes, 'vote')} "
        f"({method_name(best.method)})"
    )


def _rates(found: CrowdStudy) -> Block:
    columns: Columns = [
        left("coefficient"), left("crowd by"), "experts agree",
        f"votes, {level_of(found.confidence)}", "resamples that get there", "cost per item",
    ]  # fmt: skip
    rows = [
        (found.title(each.coefficient), method_name(each.method), coefficient(each.experts),
         rate_words(each), percent(each.reached), money(each.cost_per_item))
        for each in found.votes_per_expert
    ]  # fmt: skip
    note = (
        "Where the curve reaches the agreement between experts; between whole numbers along a "
        "straight line. 1.0 means one vote or fewer."
    )
    return without_empty(table("votes-per-expert", "votes that equal one expert", columns, rows,
                               note))  # fmt: skip
