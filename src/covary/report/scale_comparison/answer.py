"""The opening of a comparison of scales: what came out, and what was compared."""

from __future__ import annotations

from covary.analysis.scale_comparison.found import CriterionScales, ScaleComparison
from covary.analysis.scale_comparison.interchangeability import Interchange
from covary.report.contents import Block, Bullets, Paragraph, Section
from covary.report.rounding import amount, coefficient, count, p_value
from covary.report.scale_comparison.written import titled
from covary.report.tables import Columns, key_of, left, table

__all__ = ["answer_section", "compared_section", "firsts"]


def answer_section(found: ScaleComparison) -> Section:
    """Say which scales are interchangeable, then what else differs."""
    verdicts = [
        Paragraph(_verdict(each, criterion.criterion), "verdict")
        for criterion in found.criteria
        for each in firsts(criterion)
    ]
    rest = [said for said in found.summary if "interchangeable on" not in said]
    blocks: list[Block] = [*verdicts]
    if rest:
        blocks.append(Bullets(tuple(rest)))
    return Section("answer", "What came out", tuple(blocks))


def firsts(each: CriterionScales) -> list[Interchange]:
    """The comparisons between first occasions of different experiments."""
    labels: dict[str, str] = {}
    for part in each.parts:
        labels.setdefault(part.experiment, part.label)
    wanted = set(labels.values())
    return [one for one in each.interchange if {one.first, one.second} <= wanted]


def _verdict(each: Interchange, criterion: str) -> str:
    if each.distance is None:
        return (
            f"Whether {each.first} and {each.second} are interchangeable on {criterion} cannot be "
            f"said. {each.reason[:1].upper()}{each.reason[1:]}."
        )
    distance = each.distance
    r = coefficient(each.association.pearson, 3)
    told = (
        f"Their standardised system means differ by {amount(distance.value)} standard deviations "
        f"of the systems (limit {amount(distance.high)}, margin {amount(distance.margin)}, "
        f"p = {p_value(distance.p)}); r = {r}."
    )
    pair = f"{each.first} and {each.second}"
    if distance.word == "equivalent":
        return f"On {criterion}, {pair} are interchangeable. {told}"
    if distance.word == "different":
        return f"{pair} are not interchangeable on {criterion}. {told}"
    more = "More judges and sources would tell."
    return f"{pair} are not shown to be interchangeable on {criterion}. {told} {more}"


def compared_section(found: ScaleComparison) -> Section:
    """List the experiments, who judged in them, and what was left out."""
    several = len(found.criteria) > 1
    blocks: list[Block] = []
    same_facts = len({each.parts for each in found.criteria}) == 1
    for each in found.criteria[:1] if same_facts else found.criteria:
        rows = [
            (part.label, part.scale, part.best or "–", count(part.judges), count(part.items),
             count(part.ratings))
            for part in each.parts
        ]  # fmt: skip
        heads: Columns = [
            left("experiment"), left("scale"), left("best end"), "judges", "items", "ratings",
        ]  # fmt: skip
        caption = titled(each.criterion, several and not same_facts, "experiments and occasions")
        note = "The same for each criterion." if several and same_facts else ""
        blocks.append(table(key_of("parts", each.criterion), caption, heads, rows, note))
    same = [(f"{a} and {b}", answer) for a, b, answer in found.same_judges]
    blocks.append(table("same-judges", "Do the experiments have the same judges?",
                        [left("experiments"), left("same judges")], same))  # fmt: skip
    systems = f"{len(found.systems)} systems are compared: {', '.join(found.systems[:40])}."
    blocks.append(Paragraph(systems))
    if found.notes:
        blocks.append(Bullets(found.notes))
    return Section("compared", "What was compared", tuple(blocks))
