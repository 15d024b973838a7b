"""The judges one by one: their profiles, their lines over the items, their use of the scale."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from covary.analysis.judges import (
    JudgeProfile,
    Measurement,
    busiest_judges,
    spaced_items,
    tenths_used,
)
from covary.analysis.reliability_result import CriterionReliability, Reliability
from covary.ratings import Ratings
from covary.reports.blocks import (
    MOST_ROWS,
    Block,
    Bullets,
    Figure,
    Paragraph,
    Section,
    Table,
    columns,
    interval_name,
    key_of,
    left,
    omission_note,
    table,
    without_empty,
)
from covary.reports.drawings import judge_lines as drawn_lines
from covary.reports.drawings import judge_plane, scale_use
from covary.reports.formatting import DASH, amount, coefficient, count, percent, with_ends
from covary.reports.plots import PALETTE, judge_lines, small_bars, two_ways
from covary.reports.reliability.agreement import criterion_title
from covary.scales import Level, Scale
from covary.stats.patterns import Patterns, collapse, has_too_many_patterns

MOST_NAMED = 12
"""Judges up to whom the points of the picture carry names."""

COLUMNS = columns(
    "<judge | ratings | mean | severity | consistency | slope | noise | ends | middle"
    " | evenness | alpha without | drift | longest run | seconds | hasty"
)

ABOUT = (
    "Severity is how far the judge rates above or below the others, in points of the scale and on "
    "the same items. The other columns compare each judge with the mean of the others on the same "
    "items: consistency is the correlation with it, slope how far the judge "
    "stretches (above 1) or shrinks the others' differences, noise the standard deviation of what "
    "is left. Ends, middle and evenness describe the use of the scale; alpha without is agreement "
    "when the judge is left out, and how far that changes it."
)

MOST_ITEMS = 60
"""Items that a picture of lines has room for."""

MOST_JUDGES = 12
"""Judges whose bars are drawn; the table has more."""

HIGH, LOW = 0.7, 0.4
"""Correlations from which lines look alike, and roughly so."""

SHIFT = 0.07
"""How far apart judges' lines lie, in steps of the scale, so that equal ratings stay visible."""


def judges_section(result: Reliability, profiles: Sequence[JudgeProfile]) -> Section | None:
    """Show a profile of each judge on each criterion, with a sentence each."""
    known = [
        (criterion, own)
        for criterion in result.criteria
        if (own := [each for each in profiles if each.criterion == criterion.criterion])
    ]
    if not known:
        return None
    blocks: list[Block] = [Paragraph(ABOUT), *_judge_planes(known, result.confidence)]
    for criterion, own in known:
        blocks.append(_profile_table(criterion, own, result.confidence))
        blocks.append(Bullets(tuple(profile.sentence for profile in own[:MOST_ROWS])))
    return Section("judges", "Judges", tuple(blocks))


def _judge_planes(
    known: Sequence[tuple[CriterionReliability, list[JudgeProfile]]], confidence: float
) -> Iterator[Figure]:
    """Severity against consistency, a panel for each criterion."""
    drawn = [
        (part, own, [point for each in own for point in _point(each, len(own) <= MOST_NAMED)])
        for part, own in known
    ]
    drawn = [(part, own, points) for part, own, points in drawn if len(points) > 1]
    if not drawn:
        return
    titles = [criterion_title(part, _judges_title(own)) for part, own, _ in drawn]
    rows = [point | {"criterion": part.name} for part, _, points in drawn for point in points]
    yield Figure(
        key="judges-picture",
        title=titles[0] if len(titles) == 1 else "How severe and how consistent each judge is",
        description=(
            "A point for each judge: severity to the right or left of the dashed line, "
            "consistency (correlation with the others) upwards, with lines for both "
            f"{interval_name(confidence)}s."
        ),
        spec=two_ways(rows, _axis(drawn[0][0].scale)),
        panels=tuple(judge_plane(p.label, points, _axis(p.scale)) for p, _, points in drawn),
    )


def _judges_title(own: Sequence[JudgeProfile]) -> str:
    """Say who stands furthest from the others."""
    known = [profile for profile in own if not math.isnan(profile.severity.value)]
    clear = [p for p in known if p.severity.low > 0 or p.severity.high < 0]
    if not clear:
        return "no judge is clearly more severe than the others"
    furthest = max(clear, key=lambda profile: abs(profile.severity.value))
    way = "above" if furthest.severity.value > 0 else "below"
    return f"{furthest.judge} rates furthest {way} the others"


def _axis(scale: Scale) -> str:
    if scale.best is None:
        return "severity (points of the scale; right: rates higher)"
    side = "right" if scale.best == "high" else "left"
    return f"severity (points of the scale; {side}: more lenient)"


def _point(profile: JudgeProfile, named: bool) -> Iterator[dict[str, Any]]:
    x, y = profile.severity, profile.consistency
    if math.isnan(x.value) or math.isnan(y.value):
        return
    name = str(profile.judge)
    place = {"judge": name, "label": name if named else "", "x": x.value, "y": y.value}
    severity, consistency = with_ends(x, bounded=False), with_ends(y, bounded=True)
    place["title"] = f"{name}: severity {severity}, consistency {consistency}"
    yield place | _ends("x", x) | _ends("y", y)


def _ends(axis: str, measurement: Measurement) -> dict[str, float]:
    low, high = (
        measurement.value if math.isnan(end) else end for end in (measurement.low, measurement.high)
    )
    return {f"{axis}_low": low, f"{axis}_high": high}


def _profile_table(
    criterion: CriterionReliability, own: list[JudgeProfile], confidence: float
) -> Table:
    places = (
        1
        if criterion.scale.categories is None and criterion.scale.high - criterion.scale.low > 20
        else 2
    )
    rows = [_profile_row(profile, places) for profile in own[:MOST_ROWS]]
    note = " ".join(_profile_notes(own, rows, confidence))
    caption = criterion_title(criterion, "judges")
    return without_empty(table(key_of("judges", criterion.name), caption, COLUMNS, rows, note=note))


def _profile_notes(
    own: list[JudgeProfile], rows: list[tuple[str, ...]], confidence: float
) -> Iterator[str]:
    if any("[" in cell for row in rows for cell in row[1:]):
        yield f"In brackets the {interval_name(confidence)}, for all judges at once."
    if omitted := omission_note(len(own), "judge"):
        yield omitted
    if any(profile.drift for profile in own):
        yield "Drift is the change of severity over a hundred ratings."
    if any(profile.longest_run for profile in own):
        yield "The longest run is the largest number of equal ratings in a row."
    if any(profile.pace for profile in own):
        yield "Seconds are the median; hasty the share below a quarter of it."
    if any(DASH in row for row in without_empty(table("", "", COLUMNS, rows)).rows):
        yield f"{DASH}: the judge's ratings, or the others', do not vary or are too few."


def _profile_row(profile: JudgeProfile, places: int) -> tuple[str, ...]:
    drift, run, pace = profile.drift, profile.longest_run, profile.pace
    return (
        str(profile.judge),
        count(profile.n_ratings),
        amount(profile.mean, places),
        with_ends(profile.severity, bounded=False),
        with_ends(profile.consistency, bounded=True),
        amount(profile.slope),
        amount(profile.noise, places),
        percent(profile.extremes),
        percent(profile.middle),
        coefficient(profile.entropy),
        _without(profile),
        DASH if drift is None else with_ends(drift, bounded=False),
        DASH if run is None else count(run),
        DASH if pace is None else amount(pace.median, 1),
        DASH if pace is None else percent(pace.hasty),
    )


def _without(profile: JudgeProfile) -> str:
    """Write alpha without the judge, and how much higher or lower that is."""
    if math.isnan(profile.alpha_without):
        return DASH
    change = coefficient(profile.alpha_change)
    sign = "" if change.startswith("-") or float(change) == 0 else "+"
    return f"{coefficient(profile.alpha_without)} ({sign}{change})"


def lines_section(result: Reliability, ratings: Ratings) -> Section | None:
    """Draw each judge's ratings over the items, shifted slightly so that lines do not hide."""
    if result.slots:
        return None
    lines = [
        drawn
        for criterion in result.criteria
        if not has_too_many_patterns(ratings, criterion.criterion)
        for drawn in _lines_of(criterion, collapse(ratings, criterion.criterion))
    ]
    if not lines:
        return None
    rows = [point | {"criterion": part.name} for part, points, _, _ in lines for point in points]
    judges = list(dict.fromkeys(judge for *_, names, _ in lines for judge in names))[:7]
    first = lines[0][0]
    figure = Figure(
        key="lines-picture",
        title=_lines_title(first) if len(lines) == 1 else "Do the judges' lines rise together?",
        description=_lines_description(result, ratings),
        spec=judge_lines(rows, judges, lines[0][3]),
        panels=tuple(
            drawn_lines(part.label, points, names, ticks) for part, points, names, ticks in lines
        ),
    )
    about = (
        "Items are ordered by their mean rating. Lines that rise together: judges who order the "
        "items alike. A line that stays above the others: a judge who rates higher."
    )
    return Section("lines", "Ratings over items", (Paragraph(about), figure))


Lines = tuple[
    CriterionReliability, list[dict[str, Any]], Sequence[str], Sequence[tuple[float, str]]
]


def _lines_of(criterion: CriterionReliability, patterns: Patterns) -> Iterator[Lines]:
    """The points of the judges' lines on a criterion, their names, and the ticks of the scale."""
    nominal = criterion.scale.level is Level.NOMINAL and patterns.n_values > 2
    several = patterns.sizes > 1
    if nominal or not several.any():
        return
    part = patterns.keep(several)
    judges, rows = busiest_judges(part, len(PALETTE)), spaced_items(part, MOST_ITEMS)
    points = list(_line_points(part, rows, judges))
    drawn = {point["judge"] for point in points if point["height"] is not None}
    names = [str(part.judges[judge]) for judge in judges if str(part.judges[judge]) in drawn]
    if names:  # many judges may each have rated none of the items that are drawn
        yield criterion, points, names, _ticks(part)


def _lines_title(criterion: CriterionReliability) -> str:
    """Say what the lines show."""
    correlation = criterion.overall.correlation
    if correlation is None or not correlation.defined:
        return "The ratings of each judge"
    if correlation.value >= HIGH:
        return "The lines rise together"
    return "The lines rise together roughly" if correlation.value >= LOW else "The lines cross"


def _lines_description(result: Reliability, ratings: Ratings) -> str:
    text = "A line for each judge over the items"
    if any(criterion.n_items > MOST_ITEMS for criterion in result.criteria):
        text += f" ({MOST_ITEMS} of them, evenly spaced, where there are more)"
    if len(ratings.judges) > len(PALETTE):
        text += f"; the {len(PALETTE)} judges with the most ratings"
    return (
        f"{text}. Lines break where a judge did not rate; equal ratings are drawn slightly apart."
    )


def _line_points(
    part: Patterns, rows: Sequence[int], judges: Sequence[int]
) -> Iterator[dict[str, Any]]:
    shown = part.keep(list(rows)).columns([part.judges[judge] for judge in judges])
    numbers, rated = shown.numbers(Level.INTERVAL), shown.rated
    step = 0.0 if part.continuous else min(SHIFT, 0.5 / len(judges))
    for rank, judge in enumerate(judges):
        shift = step * (rank - (len(judges) - 1) / 2)
        for place in range(len(rows)):
            known = rated[place, rank]
            height = round(float(numbers[place, rank]) + shift, 4) if known else None
            yield {"place": place + 1, "height": height, "judge": str(part.judges[judge])}


def _ticks(part: Patterns) -> list[tuple[float, str]]:
    if part.continuous:
        return []
    places = part.positions(Level.INTERVAL)
    return [(float(p), str(v)) for p, v in zip(places, part.values, strict=True)]


def distributions_section(result: Reliability, ratings: Ratings) -> Section | None:
    """Draw how often each judge used each part of the scale."""
    uses = [(criterion, *_named_uses(criterion, ratings)) for criterion in result.criteria]
    uses = [(criterion, names, times) for criterion, names, times in uses if times]
    if not uses:
        return None
    blocks: list[Block] = []
    if result.slots:
        blocks.append(
            Paragraph("The rows are slots (the n-th rating of an item), not individual judges.")
        )
    blocks.append(_use_picture(uses, "slot" if ratings.slots else "judge"))
    blocks += [_use_table(*use, result.slots) for use in uses]
    return Section("distributions", "Use of the scale", tuple(blocks))


Use = tuple[CriterionReliability, list[str], dict[str, tuple[int, ...]]]
"""A criterion, its categories, and how often each judge gave each of them."""


def _use_picture(uses: Sequence[Use], who: str) -> Figure:
    """Bars for each judge, a panel for each criterion."""
    drawn = [(part, names, list(_use_bars(names, times))) for part, names, times in uses]
    description = f"Bars for each {who}: the share of each rating."
    if any(len(times) > MOST_JUDGES for _, _, times in uses):
        description += f" The {MOST_JUDGES} judges with the most ratings."
    part, names, times = uses[0]
    rows = [bar | {"criterion": part.name} for part, _, bars in drawn for bar in bars]
    categories = list(dict.fromkeys(name for _, names, _ in uses for name in names))
    return Figure(
        key="use-picture",
        title=criterion_title(part, _most_used(times, names))
        if len(uses) == 1
        else "How often each rating was given",
        description=description,
        spec=small_bars(rows, _judges_in(rows), categories, "rating"),
        panels=tuple(
            scale_use(part.label, bars, _judges_in(bars), names) for part, names, bars in drawn
        ),
    )


def _judges_in(bars: Sequence[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(bar["judge"] for bar in bars))


def _use_bars(names: Sequence[str], uses: dict[str, tuple[int, ...]]) -> Iterator[dict[str, Any]]:
    busiest = set(sorted(uses, key=lambda judge: -sum(uses[judge]))[:MOST_JUDGES])
    for judge, times in uses.items():
        if judge in busiest:
            for name, number in zip(names, times, strict=True):
                share = number / max(sum(times), 1)
                bar = {"judge": judge, "category": name, "share": share}
                yield bar | {"text": percent(share)}


def _use_table(
    criterion: CriterionReliability, names: list[str], uses: dict[str, tuple[int, ...]], slots: bool
) -> Table:
    who = "slot" if slots else "judge"
    rows = [
        (judge, *(f"{n:,} ({percent(n / max(sum(times), 1))})" for n in times))
        for judge, times in list(uses.items())[:MOST_ROWS]
    ]
    return table(
        key_of("use", criterion.name),
        criterion_title(criterion, f"ratings of each {who}"),
        [left(who), *names],
        rows,
        note=omission_note(len(uses), who),
    )


def _named_uses(
    criterion: CriterionReliability, ratings: Ratings
) -> tuple[list[str], dict[str, tuple[int, ...]]]:
    """How often each judge used each category, or each tenth of a line, with their names."""
    if criterion.distribution:
        names = [str(category) for category in criterion.scale.categories or ()]
        return names, {str(judge): times for judge, times in criterion.distribution.items()}
    cuts, uses = tenths_used(ratings, criterion.criterion)
    names = [f"{amount(a, 0)}–{amount(b, 0)}" for a, b in pairwise(cuts)]
    return names, {str(judge): times for judge, times in uses.items()}


def _most_used(uses: dict[str, tuple[int, ...]], names: Sequence[str]) -> str:
    """Say which part of the scale takes most ratings."""
    total = [sum(times) for times in zip(*uses.values(), strict=True)]
    most = max(total)
    return f"{names[total.index(most)]} takes {percent(most / sum(total))} of the ratings"
