"""Made-up wind forecasts: what four systems would write about the same eight days."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

__all__ = ["SYSTEMS", "pairs", "single"]


@dataclass(frozen=True)
class Day:
    """The wind of a day, before and after its change, and how a forecaster put it."""

    name: str
    wind: str
    before: str
    after: str
    change: str
    time: str
    by_forecaster: str


DAYS = (
    Day("day 1", "south-west", "12-18", "6-10", "easing", "evening",
        "A fresh south-westerly, 12 to 18 knots, dropping to 6 to 10 knots by the evening."),
    Day("day 2", "west", "10-14", "20-26", "increasing", "noon",
        "Westerly, 10 to 14 knots at first; expect 20 to 26 knots by noon."),
    Day("day 3", "north", "22-28", "14-18", "easing", "midnight",
        "Strong northerly winds of 22 to 28 knots, slowly falling to 14 to 18 by midnight."),
    Day("day 4", "south-east", "4-8", "12-16", "increasing", "dusk",
        "Light south-easterly winds of 4 to 8 knots, picking up to 12 to 16 knots by dusk."),
    Day("day 5", "east", "16-20", "24-30", "increasing", "dawn",
        "An easterly wind of 16 to 20 knots that rises to 24 to 30 knots by dawn."),
    Day("day 6", "north-west", "18-24", "8-12", "easing", "afternoon",
        "North-westerly, 18 to 24 knots, calming down to 8 to 12 knots by the afternoon."),
    Day("day 7", "south", "8-12", "4-6", "easing", "evening",
        "A gentle southerly of 8 to 12 knots; hardly any wind, 4 to 6 knots, by the evening."),
    Day("day 8", "north-east", "14-20", "26-34", "increasing", "morning",
        "North-easterly winds of 14 to 20 knots, near gale, 26 to 34 knots, by the morning."),
)  # fmt: skip

PRACTICE = (
    Day("practice day 1", "west", "6-10", "14-18", "increasing", "noon",
        "Westerly, 6 to 10 knots, freshening to 14 to 18 knots by noon."),
    Day("practice day 2", "north", "20-24", "10-14", "easing", "evening",
        "A stiff northerly, 20 to 24 knots, down to 10 to 14 knots by the evening."),
)  # fmt: skip


def _forecaster(day: Day) -> str:
    return day.by_forecaster


def _rules(day: Day) -> str:
    return f"Wind {day.wind} {day.before} knots, {day.change} to {day.after} knots by {day.time}."


def _sentences(day: Day) -> str:
    return (
        f"The wind will be from the {day.wind} at {day.before} knots. The wind will be "
        f"{day.change} by {day.time}. The wind will then be at {day.after} knots."
    )


def _chain(day: Day) -> str:
    return f"{day.wind} {day.before} by {day.change} knots {day.change} by {day.time} {day.after}"


SYSTEMS = {
    "forecaster": _forecaster,
    "rules": _rules,
    "sentences": _sentences,
    "chain": _chain,
}
"""A person and three programs: terse patterns, full sentences, and words strung together."""

Row = dict[str, str]


def single() -> Iterator[Row]:
    """One row for each day and system, after three to practise on."""
    trial = ((PRACTICE[0], "sentences"), (PRACTICE[1], "chain"), (PRACTICE[1], "forecaster"))
    for number, (day, system) in enumerate(trial, start=1):
        yield _row(f"practice-{number}", "practice", day, system)
    for number, (day, system) in enumerate(product(DAYS, SYSTEMS), start=1):
        yield _row(f"forecast-{number:02}", "item", day, system)


def pairs() -> Iterator[Row]:
    """One row for each day and pair of systems, on four of the days, after two to practise on."""
    yield _pair("practice-1", "practice", PRACTICE[0], ("rules", "chain"))
    yield _pair("practice-2", "practice", PRACTICE[1], ("sentences", "forecaster"))
    judged = product(DAYS[:4], combinations(SYSTEMS, 2))
    for number, (day, systems) in enumerate(judged, start=1):
        yield _pair(f"pair-{number:02}", "item", day, systems)


def _row(name: str, kind: str, day: Day, system: str) -> Row:
    about = {"item": name, "kind": kind, "system": system, "source": day.name}
    return about | {"text": SYSTEMS[system](day)}


def _pair(name: str, kind: str, day: Day, systems: tuple[str, str]) -> Row:
    about = {"item": name, "kind": kind, "source": day.name}
    about |= {f"system_{place}": each for place, each in enumerate(systems, start=1)}
    return about | {f"text_{place}": SYSTEMS[each](day) for place, each in enumerate(systems, 1)}
