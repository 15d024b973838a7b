"""What came out of a comparison of scales, and whether one scale can stand for another."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from covary.analysis.scale_comparison.interchangeability import Interchange
from covary.analysis.scale_comparison.options import Contrast
from covary.analysis.scale_comparison.result import CriterionScales, ScaleComparison
from covary.analysis.scale_comparison.validity import Association
from covary.reports.blocks import (
    Block,
    Bullets,
    Columns,
    Figure,
    Paragraph,
    Section,
    Table,
    columns,
    key_of,
    table,
)
from covary.reports.charts import scatter
from covary.reports.drawings import Panel
from covary.reports.formatting import (
    DASH,
    amount,
    coefficient,
    count,
    decimals,
    heading,
    interval,
    p_value,
)
from covary.reports.plots import Rows
from covary.reports.scale_comparison.plots import against, bland_altman
from covary.stats.estimate import Estimate, Interval
from covary.stats.models.anova import Effect
from covary.stats.posthoc.comparisons import stars
from covary.words import capital

STARS = "* p ≤ .05, ** p ≤ .01."

MOST_PICTURES = 6

ASSOCIATED = "Pearson's r | p | Spearman's ρ | p of ρ"
"""The columns of `association_cells`."""


@dataclass(frozen=True)
class CriterionPage:
    """One criterion of a comparison, with what its titles and intervals need."""

    one: CriterionScales
    several: bool
    confidence: float

    def key(self, name: str, *more: str) -> str:
        """Make a key for links."""
        return key_of(name, self.one.criterion, *more)

    def title(self, text: str) -> str:
        """Put the criterion's name before a title, where there are several."""
        return heading(self.one.criterion if self.several else None, text)

    def table(
        self,
        key: str | tuple[str, ...],
        caption: str,
        heads: Columns,
        rows: Iterable[Sequence[str]],
        *,
        note: str = "",
    ) -> Table:
        """Build a table of this criterion; a key may have several parts."""
        parts = (key,) if isinstance(key, str) else key
        return table(self.key(*parts), self.title(caption), heads, rows, note=note)

    def contrasts(
        self, key: str, what: str, rows: Iterable[tuple[str, Contrast]], *, bounded: bool
    ) -> Table:
        """Build the table of differences between scales; a row says what differs."""
        named = list(rows)
        how = "; ".join(dict.fromkeys(one.drawn for _, one in named))
        cells = [
            (
                name,
                f"{one.second} less {one.first}",
                _difference(one, bounded),
                "yes" if one.clear else "no",
            )
            for name, one in named
        ]
        level = f"{self.confidence:.0%}"
        return self.table(
            key,
            f"differences in {what}",
            columns("<what | <difference of | difference | clear"),
            cells,
            note=f"In brackets the {level} interval by a bootstrap over judges; {how}.",
        )


def pages(result: ScaleComparison) -> list[CriterionPage]:
    """Each criterion of a comparison."""
    several = len(result.criteria) > 1
    return [CriterionPage(one, several, result.confidence) for one in result.criteria]


def with_stars(value: float, p: float, limits: Interval | None = None) -> str:
    """Write a coefficient with its stars and its interval: `.87** [.43, .98]`."""
    if not math.isfinite(value):
        return DASH
    places = 2 if limits is None else max(decimals(limits.low, limits.high), 2)
    return _with_ends(f"{coefficient(value, places)}{stars(p)}", interval(limits, places))


def _with_ends(head: str, ends: str) -> str:
    return head if ends == DASH else f"{head} {ends}"


def association_cells(correlation: Association) -> tuple[str, ...]:
    """Both correlations with their stars and p-values."""
    return (
        with_stars(correlation.pearson, correlation.pearson_p, correlation.interval),
        p_value(correlation.pearson_p),
        with_stars(correlation.spearman, correlation.spearman_p),
        p_value(correlation.spearman_p),
    )


def f_ratio(effect: Effect) -> str:
    """Write an F ratio with its stars: `23.47**`."""
    return f"{amount(effect.f)}{stars(effect.p)}" if effect.defined else DASH


def plain_estimate(estimate: Estimate | None) -> str:
    """Write a coefficient alone."""
    return DASH if estimate is None else coefficient(estimate.value)


def amount_with_interval(value: float, limits: Interval | None) -> str:
    """Write a number of any size with its interval."""
    if not math.isfinite(value):
        return DASH
    if limits is None or not math.isfinite(limits.low):
        return amount(value)
    places = decimals(limits.low, limits.high, 1)
    return f"{amount(value, places)} [{amount(limits.low, places)}, {amount(limits.high, places)}]"


def _difference(one: Contrast, bounded: bool) -> str:
    if not bounded:
        return amount_with_interval(one.value, one.interval)
    places = 2 if one.interval is None else decimals(one.interval.low, one.interval.high)
    return _with_ends(coefficient(one.value, places), interval(one.interval, places))


def answer_section(result: ScaleComparison) -> Section:
    """Say which scales are interchangeable, then what else differs."""
    blocks: list[Block] = [
        _verdict(both) for one in result.criteria for both in one.first_interchange
    ]
    rest = tuple(note for note in result.summary if note.code != "scales.interchange")
    if rest:
        blocks.append(Bullets(rest))
    return Section("answer", "What came out", tuple(blocks))


def _verdict(both: Interchange) -> Paragraph:
    criterion, pair, distance = both.criterion, both.pair, both.distance
    if distance is None:
        head = f"It cannot be said whether {pair} are interchangeable on {criterion}."
        return Paragraph(f"{capital(both.reason)}.", "verdict", head=head)
    r = coefficient(both.association.pearson, 3)
    numbers = (
        f"Their standardised system means differ by {amount(distance.value)} standard deviations "
        f"of the systems (limit {amount(distance.high)}, margin {amount(distance.margin)}, "
        f"p = {p_value(distance.p)}); r = {r}."
    )
    if distance.word == "equivalent":
        head = f"On {criterion}, {pair} are interchangeable."
        return Paragraph(numbers, "verdict", tone="good", head=head)
    if distance.word != "different":
        numbers += " More judges and sources are needed to decide."
    return Paragraph(numbers, "verdict", head=f"{pair} are {both.word} on {criterion}.")


def compared_section(result: ScaleComparison) -> Section:
    """List the experiments, who judged in them, and what was left out."""
    blocks: list[Block] = []
    alike = len({one.parts for one in result.criteria}) == 1
    for page in pages(result)[:1] if alike else pages(result):
        rows = [
            (
                part.label,
                part.scale,
                part.best or DASH,
                count(part.judges),
                count(part.items),
                count(part.ratings),
            )
            for part in page.one.parts
        ]
        caption = "experiments and occasions"
        blocks.append(
            table(
                page.key("parts"),
                capital(caption) if alike else page.title(caption),
                columns("<experiment | <scale | <best end | judges | items | ratings"),
                rows,
                note="The same for each criterion." if page.several and alike else "",
            )
        )
    same = [(f"{first} and {second}", answer) for first, second, answer in result.same_judges]
    heads = columns("<experiments | <same judges")
    blocks.append(table("same-judges", "Do the experiments have the same judges?", heads, same))
    systems = f"{len(result.systems)} systems are compared: {', '.join(result.systems[:40])}."
    blocks.append(Paragraph(systems))
    if result.notes:
        blocks.append(Bullets(result.notes))
    return Section("compared", "What was compared", tuple(blocks))


def interchange_section(result: ScaleComparison) -> Section:
    """Show how far the scales tell the same about the systems."""
    about = (
        "A high correlation of system means does not show that one scale can replace the other. "
        "The equivalence test does: it compares the standardised system means of both scales "
        "(mean "
        "0 and standard deviation 1 over the systems) and asks whether the standard deviation of "
        "their differences is shown to lie below the margin when judges and sources are drawn "
        "anew."
    )
    blocks: list[Block] = [Paragraph(about)]
    for page in pages(result):
        blocks += [_correlations(page), _tests(page)]
    pictured = [
        (page, both)
        for page in pages(result)
        for both in page.one.first_interchange
        if both.distance is not None
    ]
    for page, both in pictured[:MOST_PICTURES]:
        blocks += _pictures(page, both)
    return Section("interchangeability", "Interchangeability", tuple(blocks))


def _correlations(page: CriterionPage) -> Table:
    rows = [
        (both.pair, both.same_judges, *association_cells(both.association))
        for both in page.one.interchange
    ]
    n = page.one.interchange[0].association.n
    note = (
        f"Correlations of the means of {n} systems; p from Student's t with {n - 2} degrees of "
        f"freedom, in brackets Fisher's {page.confidence:.0%} interval for other systems. {STARS}"
    )
    heads = columns(f"<pair | <same judges | {ASSOCIATED}")
    return page.table("correlations", "correlations of system means", heads, rows, note=note)


def _tests(page: CriterionPage) -> Table:
    distances = [both.distance for both in page.one.interchange if both.distance is not None]
    note = ""
    if distances:
        note = (
            f"The margin is {distances[0].margin:g} standard deviations of the systems. “Differ "
            "by” is the standard deviation of the differences less what noise makes of it; the "
            f"limit is its one-sided {1 - distances[0].alpha:.0%} limit. “Systems shown” counts "
            "those that two one-sided tests show to lie within the margin each by itself, which is "
            "stricter."
        )
    return page.table(
        "equivalence",
        "equivalence of standardised system means",
        columns("<pair | differ by | limit | p | systems shown | <the scales are"),
        [_test_row(both) for both in page.one.interchange],
        note=note,
    )


def _test_row(both: Interchange) -> tuple[str, ...]:
    distance = both.distance
    if distance is None:
        return (both.pair, *(DASH,) * 4, both.reason)
    shown = f"{both.n_within} of {len(both.tests)}"
    values = (amount(distance.value), amount(distance.high), p_value(distance.p))
    return (both.pair, *values, shown, both.word)


def _pictures(page: CriterionPage, both: Interchange) -> Iterator[Figure]:
    x, y = both.standard
    pair = both.pair
    points = [
        {"x": a, "y": b, "label": name} for name, a, b in zip(both.systems, x, y, strict=True)
    ]
    far = 1.15 * max(abs(value) for value in (*x, *y))
    axes = (f"{both.first} (standardised)", f"{both.second} (standardised)")
    yield Figure(
        key=page.key("against", pair),
        title=page.title(f"systems near the dashed line rank alike on {pair}"),
        description=(
            "Standardised system means of one scale over those of the other; on the dashed line "
            "both are equal."
        ),
        spec=against(points, axes, (-far, far)),
        panels=(
            scatter(
                [
                    {"x": a, "y": b, "label": name, "text": f"{name}: {amount(a)}, {amount(b)}"}
                    for name, a, b in zip(both.systems, x, y, strict=True)
                ],
                axes,
                ends=((-far, far), (-far, far)),
                diagonal=True,
            ),
        ),
    )
    verb = "differs" if both.n_outside == 1 else "differ"
    outside = f"{both.n_outside} of {len(both.systems)} systems {verb} by more than the margin"
    marks = [
        {"x": (a + b) / 2, "y": test.difference, "low": test.low, "high": test.high, "label": name}
        for name, a, b, test in zip(both.systems, x, y, both.tests, strict=True)
    ]
    axes = ("mean of both", f"{both.first} less {both.second}")
    yield Figure(
        key=page.key("bland-altman", pair),
        title=page.title(f"{outside} ({pair})"),
        description=(
            "Bland–Altman plot: the difference of each system's standardised means over their "
            "average, with its interval; dashed lines show the margin."
        ),
        spec=bland_altman(marks, both.tests[0].margin, axes),
        table=_systems_table(page, both),
        panels=(_difference_panel(marks, both.tests[0].margin, axes),),
    )


def _difference_panel(marks: Rows, margin: float, axes: tuple[str, str]) -> Panel:
    """Draw each system's difference over its mean, between the margins."""
    edges = [margin, *(row[end] for row in marks for end in ("low", "high"))]
    far = 1.08 * max(abs(edge) for edge in edges)
    places = [row["x"] for row in marks]
    room = 0.12 * (max(places) - min(places)) or 0.5
    points = [
        row
        | {
            "text": f"{row['label']}: difference {amount(row['y'])} "
            f"[{amount(row['low'])}, {amount(row['high'])}], mean {amount(row['x'])}"
        }
        for row in marks
    ]
    return scatter(
        points,
        axes,
        ends=((min(places) - room, max(places) + room), (-far, far)),
        levels=(-margin, 0.0, margin),
    )


def _systems_table(page: CriterionPage, both: Interchange) -> Table:
    rows = [
        (
            name,
            *(amount(value) for value in values),
            f"{amount(test.difference)} [{amount(test.low)}, {amount(test.high)}]",
            p_value(test.p),
            "yes" if test.equivalent else "no",
        )
        for name, *values, test in zip(
            both.systems, *both.means, *both.standard, both.tests, strict=True
        )
    ]
    first, second = both.first, both.second
    titles = (f"mean {first}", f"mean {second}", f"z {first}", f"z {second}")
    level = f"{1 - 2 * both.tests[0].alpha:.0%}"
    return page.table(
        ("systems", first, second),
        f"each system on {both.pair}",
        [*columns("<system"), *titles, *columns("difference | p | within margin")],
        rows,
        note=(
            f"z: standardised (from adjusted means); in brackets the {level} interval of two "
            "one-sided tests, which draw judges and sources."
        ),
    )
