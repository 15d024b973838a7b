"""Validity, reliability, stability, sensitivity and preference in a report."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from covary.analysis.scale_comparison.reliability import RatingPairs, Stability, SystemOrder
from covary.analysis.scale_comparison.result import ScaleComparison
from covary.reports.blocks import (
    Block,
    Figure,
    Paragraph,
    Section,
    Table,
    columns,
    omission_note,
    table,
)
from covary.reports.charts import estimates, squares
from covary.reports.drawings import Panel
from covary.reports.formatting import DASH, amount, coefficient, count, p_value, percent
from covary.reports.scale_comparison.interchange import (
    ASSOCIATED,
    STARS,
    CriterionPage,
    amount_with_interval,
    association_cells,
    f_ratio,
    pages,
    plain_estimate,
    with_stars,
)
from covary.reports.scale_comparison.plots import WAYS, counts_found, retests
from covary.stats.models.anova import Effect
from covary.stats.posthoc import Comparisons
from covary.words import capital

MOST_JUDGES = 24
"""Judges up to which each gets a square of the picture."""

MOST_ROWS = 60
"""Judges up to which each gets a row."""


def validity_section(result: ScaleComparison) -> Section | None:
    """Correlate every criterion with every measure of the task."""
    if not result.validity:
        return None
    about = (
        "A criterion is valid to the extent that its system means correlate with a measure of "
        "what the texts are for. Criteria meant to measure something else should correlate less."
    )
    ordered = sorted(result.validity, key=lambda one: (one.measure, one.criterion))
    rows = [
        (
            one.criterion,
            one.label,
            one.measure,
            count(one.association.n),
            *association_cells(one.association),
        )
        for one in ordered
    ]
    reasons = dict.fromkeys(one.association.reason for one in result.validity)
    note = f"In brackets Fisher's {result.confidence:.0%} interval for other systems. {STARS}"
    body = table(
        "validity",
        "Correlations of system means with task measures",
        columns(f"<criterion | <experiment | <measure | systems | {ASSOCIATED}"),
        rows,
        note=" ".join([note, *(f"{DASH} {reason}." for reason in reasons if reason)]),
    )
    return Section("validity", "Validity", (Paragraph(about), body))


def reliability_section(result: ScaleComparison) -> Section:
    """Show Kendall's W over systems beside the other coefficients."""
    about = (
        "Kendall's W says how far the judges put the systems in the same order, from each judge's "
        "mean rating of each system. The other coefficients are shown for comparison."
    )
    blocks: list[Block] = [Paragraph(about)]
    for page in pages(result):
        blocks.append(_order_table(page))
        contrasts = [("Kendall's W", one) for one in page.one.reliability_contrasts]
        if contrasts:
            blocks.append(page.contrasts("w-differences", "reliability", contrasts, bounded=True))
    return Section("reliability", "Reliability", tuple(blocks))


def _order_table(page: CriterionPage) -> Table:
    reasons = [f"{DASH} {one.label}: {one.reason}." for one in page.one.reliability if one.reason]
    note = (
        "W, alpha, ICC and gamma are of the judges' means per system, “alpha by item” of single "
        f"ratings of the same item; in brackets the {page.confidence:.0%} interval for other "
        f"judges (bootstrap over distinct judges). {STARS}"
    )
    return page.table(
        "reliability",
        "agreement on the order of the systems",
        columns(
            "<experiment | judges | W | χ² (df) | p | alpha | ICC(2,1) | gamma | alpha by item"
        ),
        [_order_row(one) for one in page.one.reliability],
        note=" ".join([note, *reasons]),
    )


def _order_row(one: SystemOrder) -> tuple[str, ...]:
    estimates = (one.alpha, one.icc, one.gamma, one.by_item)
    return (
        one.label,
        count(one.n_judges),
        with_stars(one.w, one.p, one.interval),
        DASH if math.isnan(one.w) else f"{amount(one.chi2, 1)} ({one.df:g})",
        p_value(one.p),
        *(plain_estimate(estimate) for estimate in estimates),
    )


def stability_section(result: ScaleComparison) -> Section:
    """Show how far the same judges said the same again."""
    about = (
        "First and second ratings of the same items by the same judges, joined by judge and item. "
        "Pooled over judges, r counts lasting differences in severity as stability; centred, each "
        "judge's mean is taken away."
    )
    if not any(one.stability for one in result.criteria):
        about = "No experiment was run twice, so nothing is known about stability."
        return Section("stability", "Stability", (Paragraph(about),))
    blocks = [block for page in pages(result) for block in _stability_blocks(page)]
    return Section("stability", "Stability", (Paragraph(about), *blocks))


def _stability_blocks(page: CriterionPage) -> Iterator[Block]:
    again = page.one.stability
    notes = [
        f"In brackets {page.confidence:.0%} intervals over judges. The shift is second less first, "
        f"in points of the scale, up is better. {STARS}",
        *(f"{DASH} {one.experiment}: {one.reason}." for one in again if one.reason),
        *(f"{one.experiment}: {note}." for one in again for note in one.notes),
    ]
    yield page.table(
        "stability",
        "first and second ratings",
        columns(
            "<experiment | <occasions | judges | ratings | r pooled | r centred | mean shift | "
            "same again | alpha | ICC(2,1)"
        ),
        [_retest_row(one) for one in again],
        note=" ".join(notes),
    )
    contrasts = [
        named
        for both in page.one.stability_contrasts
        for named in zip(("r pooled", "r centred"), both, strict=True)
    ]
    if contrasts:
        yield page.contrasts("r-differences", "stability", contrasts, bounded=True)
    for one in again:
        if one.pairs is not None:
            yield _retest_figure(page, one, one.pairs)


def _retest_row(one: Stability) -> tuple[str, ...]:
    return (
        one.experiment,
        " and ".join(one.occasions),
        count(one.n_judges),
        count(one.n_pairs),
        with_stars(one.pooled, one.pooled_p, one.pooled_interval),
        with_stars(one.centred, math.nan, one.centred_interval),
        amount_with_interval(one.shift, one.shift_interval),
        percent(one.same),
        plain_estimate(one.alpha),
        plain_estimate(one.icc),
    )


def _retest_figure(page: CriterionPage, one: Stability, pairs: RatingPairs) -> Figure:
    points = [
        {"judge": judge, "x": first, "y": second, "times": times}
        for (judge, first, second), times in pairs.counts(MOST_JUDGES).items()
    ]
    known = [judge.r for judge in one.judges if not math.isnan(judge.r)]
    title = f"{one.experiment}: ratings given twice"
    if known:
        low, high = coefficient(min(known)), coefficient(max(known))
        title = f"{one.experiment}: the judges' own r lies between {low} and {high}"
    rows = [
        (judge.judge, count(judge.n), coefficient(judge.r), amount(judge.shift))
        for judge in one.judges[:MOST_ROWS]
    ]
    about = (one.experiment, *one.occasions)
    return Figure(
        key=page.key("retests", *about),
        title=page.title(title),
        description=(
            "Second over first ratings, one square for each judge; larger dots stand for several "
            "ratings."
        ),
        spec=retests(points, pairs.judges[:MOST_JUDGES]),
        panels=(
            squares(
                [point | {"name": point["judge"]} for point in points],
                pairs.judges[:MOST_JUDGES],
                ("first", "second"),
            ),
        ),
        table=page.table(
            ("judges", *about),
            f"stability of each judge on {one.experiment}",
            columns("<judge | ratings | r | mean shift"),
            rows,
            note=omission_note(len(one.judges), "judge", MOST_ROWS),
        ),
    )


def sensitivity_section(result: ScaleComparison) -> Section:
    """Show counts and F ratios of every experiment."""
    about = (
        "A scale is sensitive when it tells systems apart. How many differences are significant "
        "depends on the error term: “as published” leaves differences between judges and sources "
        "in the error, as three one-way analyses do; “as designed” removes them in one additive "
        "model."
    )
    blocks = [block for page in pages(result) for block in _sensitivity_blocks(page)]
    return Section("sensitivity", "Sensitivity", (Paragraph(about), *blocks))


def _sensitivity_blocks(page: CriterionPage) -> Iterator[Block]:
    yield _counts_figure(page)
    yield _ratio_table(page)
    contrasts = [
        named
        for one in page.one.sensitivity_contrasts
        for named in (
            ("differences, as designed", one.count_additive),
            ("differences, as published", one.count_one_way),
            ("system F, as designed", one.f_additive),
            ("system F, as published", one.f_one_way),
        )
    ]
    if contrasts:
        yield page.contrasts("f-differences", "sensitivity", contrasts, bounded=False)


def _counts_figure(page: CriterionPage) -> Figure:
    """How many pairs of systems each scale tells apart, in both models."""
    tested = page.one.sensitivity
    first, labels = tested[0].additive, [one.label for one in tested]
    ways = [
        (one.label, way, counts)
        for one in tested
        for way, counts in zip(WAYS, (one.additive, one.one_way), strict=True)
    ]
    rows = [
        (label, way, f"{counts.n_significant} of {counts.n_pairs}", counts.error)
        for label, way, counts in ways
    ]
    best = max(tested, key=lambda one: one.additive.n_significant)
    apart = f"{best.additive.n_significant} of {first.n_pairs} pairs of systems apart"
    return Figure(
        key=page.key("counts-picture"),
        title=page.title(f"{best.label} tells {apart}"),
        description=(
            "The number of significant differences between systems on each scale, both ways."
        ),
        spec=counts_found(
            [{"name": label, "way": way, "count": c.n_significant} for label, way, c in ways],
            labels,
            first.n_pairs,
        ),
        panels=(_counts_panel(ways, labels, first.n_pairs),),
        table=page.table(
            "counts",
            "significant differences between systems",
            columns("<experiment | <error term | significant | <mean square"),
            rows,
            note=f"{first.procedure}, at {first.alpha:g}.",
        ),
    )


def _counts_panel(
    ways: Iterable[tuple[str, str, Comparisons]], labels: list[str], pairs: int
) -> Panel:
    points = [
        {
            "name": label,
            "series": way,
            "value": counts.n_significant,
            "text": f"{way}, {counts.n_significant} of {pairs} pairs differ",
            "wide_low": 0.0,
            "wide_high": float(counts.n_significant),
        }
        for label, way, counts in ways
    ]
    axis, ends = f"significant differences of {pairs}", (0.0, float(pairs))
    return estimates(points, labels, axis=axis, series=WAYS, ends=ends)


def _ratio_table(page: CriterionPage) -> Table:
    rows = [
        (one.label, effect.factor, *_ratio_cells(effect.one_way), *_ratio_cells(effect.additive))
        for one in page.one.sensitivity
        for effect in one.effects
    ]
    models = dict.fromkeys(one.model for one in page.one.sensitivity)
    return page.table(
        "ratios",
        "F ratios, alone and in one model",
        columns(
            "<experiment | <factor | F as published | p | df | F as designed | p designed | "
            "df designed"
        ),
        rows,
        note=(
            f"As designed: {'; '.join(models)}. F should be high for systems and low for judges "
            f"and sources. {STARS}"
        ),
    )


def _ratio_cells(effect: Effect) -> tuple[str, str, str]:
    return f_ratio(effect), p_value(effect.p), f"{effect.df:g}, {effect.error_df:g}"


def preference_section(result: ScaleComparison) -> Section | None:
    """Show which scale the judges would rather use."""
    preferred = result.preference
    if preferred is None:
        return None
    rows = [
        (name, str(number), percent(preferred.share(name)))
        for name, number in preferred.counts.items()
    ]
    note = f"{capital(preferred.test)} of equal preference: p = {p_value(preferred.p)}."
    if preferred.undecided:
        note += f" {preferred.undecided} judges had no preference."
    heads = columns("<scale | judges | share")
    body = table("preference", "Judges who prefer each scale", heads, rows, note=note)
    return Section("preference", "Preference", (body,))
