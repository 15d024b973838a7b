"""The ratings themselves: every judge's line over the items, and how each judge uses the scale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.comparison import CriterionReliability, Reliability
from covary.ratings import Ratings
from covary.report.contents import Block, Figure, Paragraph, Section
from covary.report.plots import PALETTE, judge_lines, small_bars
from covary.report.rounding import amount, percent
from covary.report.tables import MOST_ROWS, key_of, left, limited, table, titled
from covary.report.wording import counted
from covary.scales import Level
from covary.stats.patterns import Patterns, collapse, too_many

__all__ = ["distributions_section", "lines_section"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_ITEMS = 60
"""Items that a picture of lines has room for."""

MOST_JUDGES = 12
"""Judges whose bars are drawn; the table has more."""

BINS = 10
"""Into how many parts a line is cut to count the ratings on it."""

HIGH, LOW = 0.7, 0.4
"""Correlations from which lines look alike, and roughly so."""

SHIFT = 0.07
"""How far apart judges' lines lie, in steps of the scale, so that equal ratings stay visible."""


def lines_section(found: Reliability, ratings: Ratings) -> Section | None:
    """Draw each judge's ratings over the items, shifted slightly so that lines do not hide."""
    if found.slots:
        return None
    figures = [
        figure
        for each in found.criteria
        if not too_many(ratings, each.criterion)
        for figure in _lines(each, collapse(ratings, each.criterion))
    ]
    if not figures:
        return None
    about = (
        "Items are ordered by their mean rating. Lines that rise together belong to judges who "
        "order the items alike; a line that stays above the others belongs to a judge who rates "
        "higher."
    )
    return Section("lines", "Ratings over items", (Paragraph(about), *figures))


def _lines(each: CriterionReliability, patterns: Patterns) -> Iterator[Figure]:
    nominal = each.scale.level is Level.NOMINAL and patterns.n_values > 2
    several = patterns.rated.sum(axis=1) > 1
    if nominal or not several.any():
        return
    part = patterns.keep(several)
    judges = _busiest(part, len(PALETTE))
    rows = _spread(part)
    points = list(_points(part, rows, judges))
    names = [str(part.judges[judge]) for judge in judges]
    yield Figure(
        key_of("lines-picture", each.name), titled(each, _see(each)),
        _said(part, rows, judges),
        judge_lines(points, names, _ticks(part)),
    )  # fmt: skip


def _see(each: CriterionReliability) -> str:
    """Say what the lines show."""
    found = each.overall.correlation
    if found is None or not found.defined:
        return "the ratings of each judge"
    if found.value >= HIGH:
        return "the lines rise together"
    return "the lines rise together roughly" if found.value >= LOW else "the lines cross"


def _said(part: Patterns, rows: Ints, judges: Sequence[int]) -> str:
    text = f"A line for each judge over {counted(len(rows), 'item')}"
    if len(rows) < part.n_items:
        text += f", evenly spaced among the {part.n_items:,} that two or more judges rated"
    if len(judges) < len(part.judges):
        text += f"; the {len(judges)} of {len(part.judges)} judges with the most ratings"
    if not part.rated.all():
        text += "; lines break where a judge did not rate"
    shifted = "" if part.continuous else " Equal ratings are drawn slightly apart."
    return f"{text}.{shifted}"


def _busiest(part: Patterns, most: int) -> list[int]:
    """Return the judges with the most ratings, in their own order."""
    given = part.counts @ part.rated
    return sorted(int(place) for place in np.argsort(-given, kind="stable")[:most])


def _spread(part: Patterns) -> Ints:
    """Choose rows of items that are evenly spaced from the lowest to the highest mean rating."""
    means = np.nanmean(part.numbers(Level.INTERVAL), axis=1)
    order = np.argsort(means, kind="stable")
    ends = np.cumsum(part.counts[order])
    places = np.linspace(0, ends[-1] - 1, min(MOST_ITEMS, int(ends[-1]))).round()
    return order[np.searchsorted(ends, places, side="right")].astype(np.int64)


def _points(part: Patterns, rows: Ints, judges: Sequence[int]) -> Iterator[dict[str, Any]]:
    numbers = part.numbers(Level.INTERVAL)
    step = 0.0 if part.continuous else min(SHIFT, 0.5 / len(judges))
    for rank, judge in enumerate(judges):
        shift = step * (rank - (len(judges) - 1) / 2)
        for place, row in enumerate(rows, 1):
            given = part.rated[row, judge]
            height = round(float(numbers[row, judge]) + shift, 4) if given else None
            yield {"place": place, "height": height, "judge": str(part.judges[judge])}


def _ticks(part: Patterns) -> list[tuple[float, str]]:
    if part.continuous:
        return []
    places = part.positions(Level.INTERVAL)
    return [(float(p), str(v)) for p, v in zip(places, part.values, strict=True)]


def distributions_section(found: Reliability, ratings: Ratings) -> Section | None:
    """Draw how often each judge used each part of the scale."""
    figures = [figure for each in found.criteria for figure in _distribution(each, ratings)]
    blocks: list[Block] = []
    if found.slots:
        blocks.append(Paragraph("The rows are slots, the n-th rating of an item, and no persons."))
    return Section("distributions", "Use of the scale", (*blocks, *figures)) if figures else None


def _distribution(each: CriterionReliability, ratings: Ratings) -> Iterator[Figure]:
    names, used = _used(each, ratings)
    if not used:
        return
    who = "slot" if ratings.slots else "judge"
    shares = {judge: _shares(times) for judge, times in used.items()}
    busiest = sorted(used, key=lambda judge: -sum(used[judge]))[:MOST_JUDGES]
    bars = [
        {"judge": judge, "category": name, "share": share, "text": percent(share)}
        for judge in used if judge in busiest
        for name, share in zip(names, shares[judge], strict=True)
    ]  # fmt: skip
    rows = [
        (judge, *(f"{n:,} ({percent(s)})" for n, s in zip(used[judge], shares[judge], strict=True)))
        for judge in list(used)[:MOST_ROWS]
    ]
    counts = table(key_of("use", each.name), titled(each, f"ratings of each {who}"),
                   [left(who), *names], rows, limited(len(used), who))  # fmt: skip
    said = f"Bars for each {who}: the share of each rating."
    if len(busiest) < len(used):
        said += f" The {len(busiest)} judges with the most ratings."
    drawn = small_bars(bars, [j for j in used if j in busiest], names, "rating")
    yield Figure(key_of("use-picture", each.name), titled(each, _most_used(used, names)), said,
                 drawn, counts)  # fmt: skip


def _most_used(used: dict[str, tuple[int, ...]], names: Sequence[str]) -> str:
    """Say which part of the scale takes most ratings."""
    total = np.sum(list(used.values()), axis=0)
    place = int(np.argmax(total))
    return f"{names[place]} takes {percent(float(total[place] / total.sum()))} of the ratings"


def _shares(times: Sequence[int]) -> list[float]:
    total = max(sum(times), 1)
    return [number / total for number in times]


def _used(
    each: CriterionReliability, ratings: Ratings
) -> tuple[list[str], dict[str, tuple[int, ...]]]:
    """Count how often each judge used each category, or each tenth of a line."""
    if each.distribution:
        names = [str(category) for category in each.scale.categories or ()]
        return names, {str(judge): times for judge, times in each.distribution.items()}
    patterns = collapse(ratings, each.criterion, named=not ratings.slots)
    numbers = patterns.numbers(Level.INTERVAL)
    if not numbers.size:
        return [], {}
    cuts = np.linspace(each.scale.low, each.scale.high, BINS + 1)
    names = [f"{amount(a, 0)}–{amount(b, 0)}" for a, b in pairwise(cuts)]
    used = {}
    for place, judge in enumerate(patterns.judges):
        own = numbers[patterns.rated[:, place], place]
        weights = patterns.counts[patterns.rated[:, place]]
        used[str(judge)] = tuple(int(n) for n in np.histogram(own, cuts, weights=weights)[0])
    return names, used
