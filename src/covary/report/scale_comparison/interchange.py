"""Interchangeability in a report: correlations, the equivalence test, and both pictures."""

from __future__ import annotations

from collections.abc import Iterator

from covary.analysis.scale_comparison.found import CriterionScales, ScaleComparison
from covary.analysis.scale_comparison.interchangeability import Interchange
from covary.report.contents import Block, Figure, Paragraph, Section, Table
from covary.report.rounding import DASH, amount, p_value
from covary.report.scale_comparison.answer import firsts
from covary.report.scale_comparison.plots import against, bland_altman
from covary.report.scale_comparison.written import STARS, starred, titled
from covary.report.tables import Columns, key_of, left, table

__all__ = ["interchange_section"]

MOST_PICTURES = 6

ABOUT = (
    "A high correlation of system means does not show that one scale can stand for the other. The "
    "equivalence test does: it compares the standardised system means of both scales (mean 0 and "
    "standard deviation 1 over the systems) and asks whether the standard deviation of their "
    "differences is shown to be below the margin, when judges and sources are drawn anew."
)


def interchange_section(found: ScaleComparison) -> Section:
    """Show how far the scales tell the same about the systems."""
    blocks: list[Block] = [Paragraph(ABOUT)]
    several = len(found.criteria) > 1
    for each in found.criteria:
        blocks += [_correlations(each, several, found.confidence), _tests(each, several)]
    pictures = [
        (each, one) for each in found.criteria for one in firsts(each) if one.distance is not None
    ]
    for each, one in pictures[:MOST_PICTURES]:
        blocks += _pictures(each, one, several)
    return Section("interchangeability", "Interchangeability", tuple(blocks))


def _correlations(each: CriterionScales, several: bool, confidence: float) -> Table:
    rows = [
        (f"{one.first} and {one.second}", one.same_judges,
         starred(one.association.pearson, one.association.pearson_p, one.association.interval),
         p_value(one.association.pearson_p),
         starred(one.association.spearman, one.association.spearman_p),
         p_value(one.association.spearman_p))
        for one in each.interchange
    ]  # fmt: skip
    heads: Columns = [
        left("pair"),
        left("same judges"),
        "Pearson's r",
        "p",
        "Spearman's ρ",
        "p of ρ",
    ]
    n = each.interchange[0].association.n
    note = (
        f"Correlations of the means of {n} systems; p from Student's t with {n - 2} degrees of "
        f"freedom, in brackets Fisher's {confidence:.0%} interval for other systems. {STARS}"
    )
    caption = titled(each.criterion, several, "correlations of system means")
    return table(key_of("correlations", each.criterion), caption, heads, rows, note)


def _tests(each: CriterionScales, several: bool) -> Table:
    rows = []
    for one in each.interchange:
        pair, distance = f"{one.first} and {one.second}", one.distance
        if distance is None:
            rows.append((pair, *(DASH,) * 4, one.reason))
            continue
        within = sum(test.equivalent for test in one.tests)
        rows.append((pair, amount(distance.value), amount(distance.high), p_value(distance.p),
                     f"{within} of {len(one.tests)}", one.word))  # fmt: skip
    known = next((one.distance for one in each.interchange if one.distance is not None), None)
    note = ""
    if known is not None:
        note = (
            f"The margin is {known.margin:g} standard deviations of the systems. “Differ by” is "
            "the standard deviation of the differences less what noise makes of it; the limit is "
            f"its one-sided {1 - known.alpha:.0%} limit. “Systems shown” counts those that two "
            "one-sided tests show to lie within the margin each by itself, which is stricter."
        )
    heads: Columns = [
        left("pair"),
        "differ by",
        "limit",
        "p",
        "systems shown",
        left("the scales are"),
    ]
    caption = titled(each.criterion, several, "equivalence of standardised system means")
    return table(key_of("equivalence", each.criterion), caption, heads, rows, note)


def _pictures(each: CriterionScales, one: Interchange, several: bool) -> Iterator[Figure]:
    pair = f"{one.first} and {one.second}"
    x, y = one.standard
    points = [{"x": a, "y": b, "label": name} for name, a, b in zip(one.systems, x, y, strict=True)]
    far = 1.15 * max(abs(value) for value in (*x, *y))
    axes = tuple(f"{name} (standardised)" for name in (one.first, one.second))
    yield Figure(
        key_of("against", each.criterion, pair),
        titled(each.criterion, several, f"systems near the dashed line stand alike on {pair}"),
        "Standardised system means of one scale over those of the other; on the dashed line both "
        "are equal.",
        against(points, (axes[0], axes[1]), (-far, far)),
    )
    outside = [name for name, test in zip(one.systems, one.tests, strict=True)
               if abs(test.difference) > test.margin]  # fmt: skip
    verb = "differs" if len(outside) == 1 else "differ"
    said = f"{len(outside)} of {len(one.systems)} systems {verb} by more than the margin"
    marks = [
        {"x": (a + b) / 2, "y": test.difference, "low": test.low, "high": test.high, "label": name}
        for name, a, b, test in zip(one.systems, x, y, one.tests, strict=True)
    ]
    yield Figure(
        key_of("bland-altman", each.criterion, pair),
        titled(each.criterion, several, f"{said} ({pair})"),
        "Bland–Altman plot: the difference of each system's standardised means over their average, "
        "with its interval; dashed lines show the margin.",
        bland_altman(marks, one.tests[0].margin,
                     ("mean of both", f"{one.first} less {one.second}")),
        _systems(each, one, several),
    )  # fmt: skip


def _systems(each: CriterionScales, one: Interchange, several: bool) -> Table:
    rows = [
        (name, amount(first), amount(second), amount(x), amount(y),
         f"{amount(test.difference)} [{amount(test.low)}, {amount(test.high)}]", p_value(test.p),
         "yes" if test.equivalent else "no")
        for name, first, second, x, y, test in zip(
            one.systems, *one.means, *one.standard, one.tests, strict=True)
    ]  # fmt: skip
    heads: Columns = [
        left("system"),
        f"mean {one.first}",
        f"mean {one.second}",
        f"z {one.first}",
        f"z {one.second}",
        "difference",
        "p",
        "within margin",
    ]
    alpha = one.tests[0].alpha
    note = (
        f"z: standardised (from adjusted means); in brackets the {1 - 2 * alpha:.0%} interval of "
        "two one-sided tests, which draw judges and sources."
    )
    caption = titled(each.criterion, several, f"each system on {one.first} and {one.second}")
    return table(key_of("systems", each.criterion, one.first, one.second), caption, heads, rows,
                 note)  # fmt: skip
