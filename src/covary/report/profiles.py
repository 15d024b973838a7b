"""The judges one by one: who is strict, who is noisy, who drifts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from covary.analysis.comparison import CriterionReliability, Reliability
from covary.analysis.judges import JudgeProfile, Measured
from covary.report.contents import Block, Bullets, Figure, Paragraph, Section, Table
from covary.report.plots import two_ways
from covary.report.rounding import DASH, amount, coefficient, count, measured, percent
from covary.report.tables import (
    MOST_ROWS,
    key_of,
    left,
    level_of,
    limited,
    table,
    titled,
    without_empty,
)
from covary.scales import Scale

__all__ = ["judges_section"]

MOST_NAMED = 12
"""Judges up to whom the points of the picture carry names."""

COLUMNS = (
    left("judge"), "ratings", "mean", "severity", "consistency", "slope", "noise", "ends", "middle",
    "evenness", "alpha without", "drift", "longest run", "seconds", "hasty",
)  # fmt: skip

ABOUT = (
    "Each judge against the mean of the others on the same items. Severity is the mean difference "
    "from it in points of the scale, consistency the correlation with it, slope how far the judge "
    "stretches (above 1) or shrinks the others' differences, noise the standard deviation of what "
    "is left. Ends, middle and evenness describe the use of the scale; alpha without is agreement "
    "when the judge is left out, and how far that changes it."
)


def judges_section(found: Reliability, profiles: Sequence[JudgeProfile]) -> Section | None:
    """Show a profile of each judge on each criterion, with a sentence each."""
    blocks: list[Block] = []
    for each in found.criteria:
        own = [profile for profile in profiles if profile.criterion == each.criterion]
        if own:
            blocks += _judges(each, own, found.confidence)
    if not blocks:
        return None
    return Section("judges", "Judges", (Paragraph(ABOUT), *blocks))


def _judges(
    each: CriterionReliability, own: list[JudgeProfile], confidence: float
) -> Iterator[Block]:
    shown = _table(each, own, confidence)
    points = [point for profile in own for point in _point(profile, len(own) <= MOST_NAMED)]
    if len(points) > 1:
        yield Figure(
            key_of("judges-picture", each.name),
            titled(each, _see(own)),
            "A point for each judge: severity to the right or left of the dashed line, consistency "
            f"upwards, with lines for both {level_of(confidence)}s. The numbers are in the table.",
            two_ways(points, _axis(each.scale)),
            shown,
        )
    else:
        yield shown
    yield Bullets(tuple(profile.sentence for profile in own[:MOST_ROWS]))


def _see(own: Sequence[JudgeProfile]) -> str:
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
    return f"severity (points of the scale; {side}: milder)"


def _point(profile: JudgeProfile, named: bool) -> Iterator[dict[str, Any]]:
    x, y = profile.severity, profile.consistency
    if math.isnan(x.value) or math.isnan(y.value):
        return
    name = str(profile.judge)
    yield {"judge": name, "label": name if named else "", "x": x.value, "y": y.value,
           **_ends("x", x), **_ends("y", y)}  # fmt: skip


def _ends(axis: str, found: Measured) -> dict[str, float]:
    low, high = (found.value if math.isnan(end) else end for end in (found.low, found.high))
    return {f"{axis}_low": low, f"{axis}_high": high}


def _table(each: CriterionReliability, own: list[JudgeProfile], confidence: float) -> Table:
    places = 1 if each.scale.categories is None and each.scale.high - each.scale.low > 20 else 2
    rows = [_row(profile, places) for profile in own[:MOST_ROWS]]
    notes = [f"In brackets the {level_of(confidence)}.", limited(len(own), "judge")]
    if any(profile.drift for profile in own):
        notes.append("Drift is the change of severity over a hundred ratings.")
    if any(profile.longest_run for profile in own):
        notes.append("The longest run is how often the same rating came in a row.")
    if any(profile.pace for profile in own):
        notes.append("Seconds are the median; hasty the share below a quarter of it.")
    if any(DASH in row for row in without_empty(table("", "", COLUMNS, rows)).rows):
        notes.append(f"{DASH}: the judge's ratings, or the others', do not vary or are too few.")
    note = " ".join(note for note in notes if note)
    caption = titled(each, "judges")
    return without_empty(table(key_of("judges", each.name), caption, COLUMNS, rows, note))


def _row(profile: JudgeProfile, places: int) -> tuple[str, ...]:
    drift, pace = _drift(profile), profile.pace
    slow = DASH if pace is None else amount(pace.median, 1)
    return (
        str(profile.judge), count(profile.n_ratings), amount(profile.mean, places),
        measured(profile.severity, bounded=False), measured(profile.consistency, bounded=True),
        amount(profile.slope), amount(profile.noise, places), percent(profile.extremes),
        percent(profile.middle), coefficient(profile.entropy), _without(profile),
        DASH if drift is None else measured(drift, bounded=False),
        DASH if profile.longest_run is None else count(profile.longest_run),
        slow, DASH if pace is None else percent(pace.hasty),
    )  # fmt: skip


def _without(profile: JudgeProfile) -> str:
    """Write alpha without the judge, and how much higher or lower that is."""
    if math.isnan(profile.alpha_without):
        return DASH
    change = coefficient(profile.alpha_change)
    sign = "" if change.startswith("-") or float(change) == 0 else "+"
    return f"{coefficient(profile.alpha_without)} ({sign}{change})"


def _drift(profile: JudgeProfile) -> Measured | None:
    """The drift in the shape of other measured numbers."""
    found = profile.drift
    return None if found is None else Measured(found.slope, found.low, found.high)
