"""The sections of a report on a crowd beside experts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from covary.analysis.crowd import Arrangements, CrowdStudy
from covary.report.contents import Block, Bullets, Figure, Paragraph, Section
from covary.report.crowd.plots import densities
from covary.report.crowd.wording import (
    limited,
    method_name,
    money,
    rate_words,
)
from covary.report.rounding import DASH, coefficient, count
from covary.report.tables import Columns, key_of, left, level_of, table
from covary.report.wording import counted, listing

__all__ = ["answer_section", "combined_section", "single_section"]

MOST_PANELS = 6


def answer_section(found: CrowdStudy) -> Section:
    """Say whether the combined crowd agrees with experts as experts do, and what to beware of."""
    blocks: list[Block] = [Paragraph(" ".join(_answers(found)), "verdict")]
    blocks += [Paragraph(sentence) for sentence in _closer(found)]
    if found.judges.underpaid:
        blocks.append(
            Paragraph(
                f"An hour of the crowd's time paid {money(found.judges.hourly)}, which is less "
                f"than the wage of {money(found.judges.wage)} that was given as the least.",
                "warning",
            )
        )
    blocks.append(Bullets(found.notes))
    return Section("answer", "Is the crowd as good as an expert?", tuple(blocks))


def _answers(found: CrowdStudy) -> Iterator[str]:
    """The last method in the list stands for the crowd; all are in the tables."""
    method = found.methods[-1] if "banchs-b" not in found.methods else "banchs-b"
    words = [each.word for each in found.differences if each.method == method]
    if not words:
        yield "With one expert nothing says how well experts agree with each other."
        return
    name = f"Combined by {method_name(method)}, the crowd"
    measures = listing(title for _, title in found.coefficients)
    if all(word == "higher" for word in words):
        yield f"{name} agrees with each expert better than the experts agree with each other."
    elif all(word == "lower" for word in words):
        yield f"{name} agrees with each expert less than the experts agree with each other."
    elif all(word == "not told apart" for word in words):
        yield (
            f"{name} cannot be told apart from an expert: no interval of a difference excludes 0."
        )
    else:
        parts = [
            f"{words.count(word)} {word}"
            for word in ("higher", "not told apart", "lower")
            if word in words
        ]
        yield (
            f"{name} is partly told apart from an expert. Of {len(words)} differences to the "
            f"agreement between experts, {listing(parts)}."
        )
    yield f"That is by {measures}; no difference shown is not equality."
    for rate in found.votes_per_expert:
        if rate.method == method and not math.isnan(rate.votes):
            yield (
                f"By {found.title(rate.coefficient)}, one expert is worth {rate_words(rate)} "
                "combined votes."
            )


def _closer(found: CrowdStudy) -> Iterator[str]:
    """Say once which expert the crowd is closer to, however it is combined."""
    if not found.closer:
        return
    names = {each.expert for each in found.closer}
    sure = sum(each.sure for each in found.closer)
    if len(names) == 1:
        yield (
            f"On these items the crowd is closer to {names.pop()}, by every coefficient and "
            f"method; {sure} of {len(found.closer)} intervals of the difference exclude 0."
        )
    else:
        yield (
            f"Which expert the crowd is closer to depends on coefficient and method; {sure} of "
            f"{len(found.closer)} intervals of the difference exclude 0."
        )


def single_section(found: CrowdStudy) -> Section:
    """Show the distribution of agreement over arrangements of votes."""
    about = (
        "The first vote on one item and the first vote on another are different people's, so "
        "columns of votes are no judges and there is no agreement between them. Each arrangement "
        "picks one vote of every item at random and takes these for a judge; the pictures show "
        "which agreement with an expert such judges have. The spread says how far arrangements of "
        "these votes differ. It is not a standard error."
    )
    blocks: list[Block] = [Paragraph(about)]
    blocks += [_density(found, name, title) for name, title in found.coefficients]
    return Section("single-votes", "Single votes", tuple(blocks))


def _density(found: CrowdStudy, name: str, title: str) -> Figure:
    each = [one for one in found.arrangements if one.coefficient == name]
    shown = [one for one in each if one.histogram][:MOST_PANELS]
    columns: Columns = [
        left("expert"), "items", "mean", "sd", "2.5%", "97.5%", "mean, closed form",
        "sd, closed form",
    ]  # fmt: skip
    rows = [_arranged_row(one) for one in each]
    note = f"{counted(each[0].arrangements, 'arrangement')}, seed {found.seed}."
    lost = sum(one.undefined for one in each)
    note += f" {DASH}: {title} is undefined where only one rating is used." if lost else ""
    numbers = table(key_of("arrangements", name), f"{title} over arrangements", columns, rows, note)
    lines = [_between(found), *(method_name(method) for method in found.methods)]
    lines = lines[len(found.experts) < 2 :]
    spec = densities(
        [row for one in shown for row in _density_rows(found, one)],
        [str(one.expert) for one in shown], lines, title,
    )  # fmt: skip
    described = (
        f"For each expert, how often arrangements have each value of {title}, with lines for the "
        f"agreement of {listing(lines)} with that expert."
    )
    return Figure(key_of("density", name), _density_title(found, name, title), described, spec,
                  numbers)  # fmt: skip


def _between(found: CrowdStudy) -> str:
    """Name the line of the agreement between experts, as it is seen beside one of them."""
    return "the other expert" if len(found.experts) == 2 else "the other experts"


def _density_title(found: CrowdStudy, name: str, title: str) -> str:
    means = [one.mean for one in found.arrangements if one.coefficient == name]
    known = [mean for mean in means if math.isfinite(mean)]
    if not known:
        return f"{title} of single votes is undefined"
    low, high = coefficient(min(known)), coefficient(max(known))
    values = low if low == high else f"{low} to {high}"
    return f"{title} of one vote with an expert is {values} on average"


def _arranged_row(one: Arrangements) -> tuple[str, ...]:
    low, high = one.quantiles[0][1], one.quantiles[-1][1]
    closed = one.closed_form
    return (
        str(one.expert), count(one.n_items), coefficient(one.mean, 4), coefficient(one.sd, 4),
        coefficient(low, 3), coefficient(high, 3), coefficient(closed.mean, 4),
        coefficient(closed.sd, 4),
    )  # fmt: skip


def _density_rows(found: CrowdStudy, one: Arrangements) -> Iterator[dict[str, Any]]:
    expert, total = str(one.expert), sum(one.histogram)
    for start, end, times in zip(one.edges, one.edges[1:], one.histogram, strict=False):
        yield {"expert": expert, "x": (start + end) / 2, "share": times / total}
    others = [
        each.value
        for each in found.between_experts(one.coefficient)
        if one.expert in (each.first, each.second) and math.isfinite(each.value)
    ]
    if others:
        yield {"expert": expert, "at": sum(others) / len(others), "line": _between(found)}
    for each in found.combined(one.coefficient, one.expert):
        if math.isfinite(each.value):
            yield {"expert": expert, "at": each.value, "line": method_name(each.first)}


def combined_section(found: CrowdStudy) -> Section:
    """Compare combined votes with each expert, and experts with each other."""
    rows = [
        (found.title(each.coefficient),
         str(each.first) if each.kind == "experts" else f"crowd, {method_name(each.first)}",
         str(each.second), limited(each.value, each.interval), count(each.n_items))
        for each in found.agreement
    ]  # fmt: skip
    level = level_of(found.confidence)
    columns: Columns = [left("coefficient"), left("of"), left("with"), f"value, {level}", "items"]
    undefined = any(not math.isfinite(each.value) for each in found.agreement)
    note = f"{DASH}: undefined, because only one rating was used." if undefined else ""
    blocks: list[Block] = [
        Paragraph(
            f"Intervals come from drawing {found.units} again, the same ones for every row, so "
            "that differences are paired."
        ),
        table("agreement", "agreement with experts", columns, rows, note),
    ]
    if found.differences:
        blocks.append(_difference_table(found, level))
    if found.closer:
        blocks.append(_closer_table(found, level))
    return Section("combined", "Combined votes", tuple(blocks))


def _difference_table(found: CrowdStudy, level: str) -> Block:
    columns: Columns = [
        left("coefficient"), left("crowd by"), left("with"), "crowd", "experts",
        f"difference, {level}", left("the crowd is"),
    ]  # fmt: skip
    rows = [
        (found.title(each.coefficient), method_name(each.method), str(each.expert),
         coefficient(each.crowd), coefficient(each.experts),
         limited(each.value, each.interval, signed=True), each.word)
        for each in found.differences
    ]  # fmt: skip
    note = "Experts: the mean agreement of the other experts with this one."
    caption = "crowd with an expert, less experts with that expert"
    return table("differences", caption, columns, rows, note)


def _closer_table(found: CrowdStudy, level: str) -> Block:
    columns: Columns = [
        left("coefficient"), left("crowd by"), left("closer to"), left("than to"),
        f"difference, {level}",
    ]  # fmt: skip
    rows = [
        (found.title(each.coefficient), method_name(each.method), str(each.expert), str(each.next),
         limited(each.value, each.interval, signed=True))
        for each in found.closer
    ]  # fmt: skip
    return table("closer", "which expert the crowd is closer to", columns, rows)
