"""Validity, reliability and stability in a report."""

from __future__ import annotations

from collections.abc import Iterator

from covary.analysis.scale_comparison.found import CriterionScales, ScaleComparison
from covary.analysis.scale_comparison.stability import Stability
from covary.report.contents import Block, Figure, Paragraph, Section, Table
from covary.report.rounding import DASH, amount, coefficient, count, p_value, percent
from covary.report.scale_comparison.plots import retests
from covary.report.scale_comparison.written import (
    STARS,
    contrast_table,
    limited_amount,
    plain_estimate,
    starred,
    titled,
)
from covary.report.tables import Columns, key_of, left, limited, table

__all__ = ["reliability_section", "stability_section", "validity_section"]

MOST_JUDGES = 24
"""Judges up to which each gets a square of the picture."""


def validity_section(found: ScaleComparison) -> Section | None:
    """Correlate every criterion with every measure of the task."""
    if not found.validity:
        return None
    about = (
        "A criterion is valid as far as its system means go with a measure of what the texts are "
        "for. Criteria that are meant to measure something else should correlate less."
    )
    rows = [
        (each.criterion, each.label, each.measure, count(each.association.n),
         starred(each.association.pearson, each.association.pearson_p, each.association.interval),
         p_value(each.association.pearson_p),
         starred(each.association.spearman, each.association.spearman_p),
         p_value(each.association.spearman_p))
        for each in sorted(found.validity, key=lambda one: (one.measure, one.criterion))
    ]  # fmt: skip
    heads: Columns = [
        left("criterion"),
        left("experiment"),
        left("measure"),
        "systems",
        "Pearson's r",
        "p",
        "Spearman's ρ",
        "p of ρ",
    ]
    reasons = dict.fromkeys(
        each.association.reason for each in found.validity if each.association.reason
    )
    note = " ".join([
        f"In brackets Fisher's {found.confidence:.0%} interval for other systems. {STARS}",
        *(f"{DASH} {reason}." for reason in reasons),
    ])  # fmt: skip
    body = table("validity", "Correlations of system means with task measures", heads, rows, note)
    return Section("validity", "Validity", (Paragraph(about), body))


def reliability_section(found: ScaleComparison) -> Section:
    """Show Kendall's W over systems beside the other coefficients."""
    several = len(found.criteria) > 1
    about = (
        "Kendall's W says how far the judges put the systems in one order, from each judge's mean "
        "rating of each system. The other coefficients stand beside it."
    )
    blocks: list[Block] = [Paragraph(about)]
    for each in found.criteria:
        blocks.append(_orders(each, several, found.confidence))
        if each.reliability_contrasts:
            rows = (("Kendall's W", one, True) for one in each.reliability_contrasts)
            caption = titled(each.criterion, several, "differences in reliability")
            blocks.append(contrast_table(key_of("w-differences", each.criterion), caption, rows,
                                         found.confidence))  # fmt: skip
    return Section("reliability", "Reliability", tuple(blocks))


def _orders(each: CriterionScales, several: bool, confidence: float) -> Table:
    rows = [
        (one.label, count(one.n_judges), starred(one.w, one.p, one.interval),
         DASH if one.w != one.w else f"{amount(one.chi2, 1)} ({one.df:g})", p_value(one.p),
         plain_estimate(one.alpha), plain_estimate(one.icc), plain_estimate(one.gamma),
         plain_estimate(one.by_item))
        for one in each.reliability
    ]  # fmt: skip
    heads: Columns = [
        left("experiment"),
        "judges",
        "W",
        "χ² (df)",
        "p",
        "alpha",
        "ICC(2,1)",
        "gamma",
        "alpha by item",
    ]
    why = " ".join(f"{DASH} {one.label}: {one.reason}." for one in each.reliability if one.reason)
    note = (
        "W, alpha, ICC and gamma are of the judges' means per system, “alpha by item” of single "
        f"ratings of the same item; in brackets the {confidence:.0%} interval for other judges "
        f"(bootstrap over distinct judges). {STARS} {why}"
    ).strip()
    caption = titled(each.criterion, several, "agreement on the order of the systems")
    return table(key_of("reliability", each.criterion), caption, heads, rows, note)


def stability_section(found: ScaleComparison) -> Section | None:
    """Show how far the same judges said the same again."""
    if not any(each.stability for each in found.criteria):
        about = "No experiment was run twice, so that nothing is known about stability."
        return Section("stability", "Stability", (Paragraph(about),))
    several = len(found.criteria) > 1
    about = (
        "First and second ratings of the same items by the same judges, joined by judge and item. "
        "Pooled over judges, r counts lasting differences in severity as stability; centred, each "
        "judge's mean is taken away."
    )
    blocks: list[Block] = [Paragraph(about)]
    for each in found.criteria:
        blocks += _stability(each, several, found.confidence)
    return Section("stability", "Stability", tuple(blocks))


def _stability(each: CriterionScales, several: bool, confidence: float) -> Iterator[Block]:
    rows = [_retest(one) for one in each.stability]
    heads: Columns = [
        left("experiment"),
        left("occasions"),
        "judges",
        "ratings",
        "r pooled",
        "r centred",
        "mean shift",
        "same again",
        "alpha",
        "ICC(2,1)",
    ]
    why = [f"{DASH} {one.experiment}: {one.reason}." for one in each.stability if one.reason]
    why += [f"{one.experiment}: {note}." for one in each.stability for note in one.notes]
    note = (
        f"In brackets {confidence:.0%} intervals over judges. The shift is second less first, in "
        f"points of the scale, up is better. {STARS}"
    )
    caption = titled(each.criterion, several, "first and second ratings")
    yield table(key_of("stability", each.criterion), caption, heads, rows, " ".join([note, *why]))
    if each.stability_contrasts:
        pairs = [
            (name, one, True)
            for both in each.stability_contrasts
            for name, one in zip(("r pooled", "r centred"), both, strict=True)
        ]
        caption = titled(each.criterion, several, "differences in stability")
        yield contrast_table(key_of("r-differences", each.criterion), caption, pairs, confidence)
    for one in each.stability:
        if one.pairs is not None:
            yield _squares(each, one, several)


def _retest(one: Stability) -> tuple[str, ...]:
    return (
        one.experiment, " and ".join(one.occasions), count(one.n_judges), count(one.n_pairs),
        starred(one.pooled, one.pooled_p, one.pooled_interval),
        starred(one.centred, float("nan"), one.centred_interval),
        limited_amount(one.shift, one.shift_interval), percent(one.same),
        plain_estimate(one.alpha), plain_estimate(one.icc),
    )  # fmt: skip


def _squares(each: CriterionScales, one: Stability, several: bool) -> Figure:
    assert one.pairs is not None
    x, y, codes, judges = one.pairs
    shown = judges[:MOST_JUDGES]
    times: dict[tuple[str, float, float], int] = {}
    for code, a, b in zip(codes.tolist(), x.tolist(), y.tolist(), strict=True):
        if code < len(shown):
            key = (judges[code], a, b)
            times[key] = times.get(key, 0) + 1
    points = [{"judge": judge, "x": a, "y": b, "times": n} for (judge, a, b), n in times.items()]
    known = [judge.r for judge in one.judges if judge.r == judge.r]
    title = (
        f"{one.experiment}: the judges' own r lies between {coefficient(min(known))} and "
        f"{coefficient(max(known))}"
        if known
        else f"{one.experiment}: ratings given twice"
    )
    rows = [
        (judge.judge, count(judge.n), coefficient(judge.r), amount(judge.shift))
        for judge in one.judges[:60]
    ]
    heads: Columns = [left("judge"), "ratings", "r", "mean shift"]
    caption = titled(each.criterion, several, f"stability of each judge on {one.experiment}")
    return Figure(
        key_of("retests", each.criterion, one.experiment, *one.occasions),
        titled(each.criterion, several, title),
        "Second over first ratings, one square for each judge; larger dots stand for several "
        "ratings.",
        retests(points, shown),
        table(key_of("judges", each.criterion, one.experiment, *one.occasions), caption, heads,
              rows, limited(len(one.judges), "judge", 60)),
    )  # fmt: skip
