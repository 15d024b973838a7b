"""Sensitivity in a report: significant differences and F ratios, both ways; and preferences."""

from __future__ import annotations

from collections.abc import Iterator

from covary.analysis.scale_comparison.found import CriterionScales, ScaleComparison
from covary.report.contents import Block, Figure, Paragraph, Section, Table
from covary.report.rounding import p_value, percent
from covary.report.scale_comparison.plots import WAYS, counts_found
from covary.report.scale_comparison.written import STARS, contrast_table, f_ratio, titled
from covary.report.tables import Columns, key_of, left, table

__all__ = ["preference_section", "sensitivity_section"]

ABOUT = (
    "A scale is sensitive when it tells systems apart. How many differences are significant "
    "depends on the error term: “as published” puts what judges and sources differ in into the "
    "error, as three one-way analyses do; “as designed” takes it out in one additive model."
)


def sensitivity_section(found: ScaleComparison) -> Section:
    """Show counts and F ratios of every experiment."""
    several = len(found.criteria) > 1
    blocks: list[Block] = [Paragraph(ABOUT)]
    for each in found.criteria:
        blocks += _criterion(each, several, found.confidence)
    return Section("sensitivity", "Sensitivity", tuple(blocks))


def _criterion(each: CriterionScales, several: bool, confidence: float) -> Iterator[Block]:
    labels = [one.label for one in each.sensitivity]
    rows = [
        {"name": one.label, "way": way, "count": counts.n_significant}
        for one in each.sensitivity
        for way, counts in zip(WAYS, (one.additive, one.one_way), strict=True)
    ]
    pairs = each.sensitivity[0].additive.n_pairs
    best = max(each.sensitivity, key=lambda one: one.additive.n_significant)
    title = f"{best.label} tells {best.additive.n_significant} of {pairs} pairs of systems apart"
    yield Figure(
        key_of("counts-picture", each.criterion),
        titled(each.criterion, several, title),
        "The number of significant differences between systems on each scale, both ways.",
        counts_found(rows, labels, pairs),
        _counts(each, several),
    )
    yield _ratios(each, several)
    if each.sensitivity_contrasts:
        contrasts = [
            (name, contrast, False)
            for one in each.sensitivity_contrasts
            for name, contrast in (
                ("differences, as designed", one.count_additive),
                ("differences, as published", one.count_one_way),
                ("system F, as designed", one.f_additive),
                ("system F, as published", one.f_one_way),
            )
        ]
        caption = titled(each.criterion, several, "differences in sensitivity")
        yield contrast_table(
            key_of("f-differences", each.criterion), caption, contrasts, confidence
        )


def _counts(each: CriterionScales, several: bool) -> Table:
    rows = [
        (one.label, way, f"{counts.n_significant} of {counts.n_pairs}", counts.error)
        for one in each.sensitivity
        for way, counts in zip(WAYS, (one.additive, one.one_way), strict=True)
    ]
    first = each.sensitivity[0].additive
    note = f"{first.procedure}, at {first.alpha:g}."
    heads: Columns = [left("experiment"), left("error term"), "significant", left("mean square")]
    caption = titled(each.criterion, several, "significant differences between systems")
    return table(key_of("counts", each.criterion), caption, heads, rows, note)


def _ratios(each: CriterionScales, several: bool) -> Table:
    rows = [
        (one.label, effect.factor, f_ratio(effect.one_way), p_value(effect.one_way.p),
         _df(effect.one_way.df, effect.one_way.error_df), f_ratio(effect.additive),
         p_value(effect.additive.p), _df(effect.additive.df, effect.additive.error_df))
        for one in each.sensitivity
        for effect in one.effects
    ]  # fmt: skip
    heads: Columns = [
        left("experiment"),
        left("factor"),
        "F as published",
        "p",
        "df",
        "F as designed",
        "p designed",
        "df designed",
    ]
    models = dict.fromkeys(one.model for one in each.sensitivity)
    note = (
        f"As designed: {'; '.join(models)}. A high F is wished for systems, a low one for "
        f"judges and sources. {STARS}"
    )
    caption = titled(each.criterion, several, "F ratios, alone and in one model")
    return table(key_of("ratios", each.criterion), caption, heads, rows, note)


def _df(first: float, second: float) -> str:
    return f"{first:g}, {second:g}"


def preference_section(found: ScaleComparison) -> Section | None:
    """Show which scale the judges would rather use."""
    said = found.preference
    if said is None:
        return None
    rows = [
        (name, str(number), percent(number / max(said.n, 1)))
        for name, number in said.counts.items()
    ]
    note = f"{said.test[0].upper()}{said.test[1:]} of equal preference: p = {p_value(said.p)}."
    if said.undecided:
        note += f" {said.undecided} judges did not mind."
    body = table("preference", "Judges who prefer each scale",
                 [left("scale"), "judges", "share"], rows, note)  # fmt: skip
    return Section("preference", "Preference", (body,))
