"""The pictures of the reliability report, drawn by hand as small SVG: no engine has to start.

A panel is as wide as the page gives it room: places along it are percentages, heights and letters
are pixels, so that a phone shows letters as large as a desk does. Marks carry their numbers as a
title, which a pointer shows. Colours are variables of the stylesheet.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from covary.records import dataclass
from covary.reports.plots import (
    AGREEMENT_COLOUR,
    CORRELATION_COLOUR,
    GRID,
    INK,
    MUTED,
    ON_STACKED,
    PALETTE,
    STACKED,
    Axis,
    Down,
    apart,
    cut_text,
    even_ticks,
    plain_number,
    short_number,
    svg_circle,
    svg_diamond,
    svg_line,
    svg_rect,
    svg_text,
    titled,
)

Rows = Sequence[dict[str, Any]]
VARIABLES = {INK: "ink", MUTED: "muted", GRID: "line"} | {
    colour: f"series-{number}" for number, colour in enumerate(PALETTE, 1) if colour != INK
}
"""The variable of the stylesheet that stands for each colour, so that dark pages are dark."""

FONT = "Arial, Helvetica, Liberation Sans, sans-serif"

PERCENT = re.compile(r'="(-?[\d.]+)%"')
MEASURE_COLOURS = {"agreement": AGREEMENT_COLOUR, "correlation": CORRELATION_COLOUR}
MEASURE_NAMES = {"agreement": "agreement", "correlation": "order"}

FULL, PANEL, GAP = 680, 330, 20
"""Widths in a file: of a picture, of one of several panels, and what lies between these."""

CAPTION = 22
"""The height of the name over a panel."""

PLANE = (26, 188)
"""The top and the bottom of a picture of judges, below the name of its upright axis."""


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One drawing: its name, its height and its shapes; `narrow` where several stand in a row."""

    name: str
    height: float
    shapes: str
    narrow: bool = False

    @property
    def shown(self) -> str:
        """The shapes in the colours of the page around them."""
        return in_page_colours(self.shapes)


def in_page_colours(shapes: str) -> str:
    """Put variables of the stylesheet in the place of colours."""
    for colour, variable in VARIABLES.items():
        shapes = re.sub(f'="{colour}"', f'="var(--{variable})"', shapes, flags=re.IGNORECASE)
    return shapes


def to_svg(panels: Sequence[Panel]) -> str:
    """Put panels side by side, or one below the other, as a file of its own."""
    narrow = all(panel.narrow for panel in panels)
    across = min(len(panels), 2) if narrow else 1
    width = PANEL if narrow else FULL
    parts, y = [], 0.0
    for start in range(0, len(panels), across):
        row = panels[start : start + across]
        for place, panel in enumerate(row):
            parts.append(_placed(panel, place * (width + GAP), y, width))
        y += max(panel.height + (CAPTION if panel.name else 0) for panel in row) + GAP
    whole = across * width + (across - 1) * GAP
    root = f'width="{whole + 16}" height="{y:.0f}" viewBox="-8 -8 {whole + 16} {y:.0f}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {root} font-family="{FONT}" font-size="12">'
        f'<rect x="-8" y="-8" width="{whole + 16}" height="{y:.0f}" fill="#ffffff"/>'
        f"{''.join(parts)}</svg>"
    )


def _placed(panel: Panel, x: float, y: float, width: float) -> str:
    name = svg_text(0, 13, panel.name, weight="bold") if panel.name else ""
    down = CAPTION if panel.name else 0
    whole = f'{name}<g transform="translate(0 {down})">{panel.shapes}</g>'
    whole = PERCENT.sub(lambda share: f'="{float(share[1]) * width / 100:.2f}"', whole)
    return f'<g transform="translate({x:.1f} {y:.1f})">{whole}</g>'


def intervals(rows: Rows, names: Sequence[str], thresholds: Sequence[float]) -> Panel:
    """Draw agreement above order for each name, with both intervals and both thresholds.

    A row has `name`, `measure`, `value`, `text` and, where they are known, `low`, `high` (thick)
    and `wide_low`, `wide_high` (thin).
    """
    lowest = min([0.0, *(row[e] for row in rows for e in ("value", "low", "wide_low") if e in row)])
    start = math.floor(lowest * 4) / 4
    axis = Axis(start, 1.0, 1.0, 98.5)
    top, step = 34, 36
    bottom = top + step * len(names)
    shapes = [*axis.grid(top - 6, bottom, 0.25, short_number)]
    for (measure, colour), limit in zip(MEASURE_COLOURS.items(), thresholds, strict=True):
        if not any(row["measure"] == measure for row in rows):
            continue
        x = axis.place(limit)
        dash = {"stroke_dasharray": "4 3", "opacity": 0.8}
        shapes.append(svg_line((x, top - 6), (x, bottom), colour, 1.2, **dash))
        words = f"{MEASURE_NAMES[measure]} threshold: {short_number(limit)}"
        above = 12 if measure == "agreement" else 24
        shapes.append(svg_text(x, above, words, anchor="end", fill=MUTED, dx=-4, size=11))
        shapes.append(svg_line((x, above - 4), (x, top - 6), colour, 1.2, **dash))
    for number, name in enumerate(names):
        y = top + step * number
        shapes.append(svg_text(0, y + 9, name, weight="600"))
        own = [row for row in rows if row["name"] == name]
        shapes += [_interval(row, axis, y) for row in own]
    return Panel(name="", height=bottom + 20, shapes="".join(shapes))


def _interval(row: dict[str, Any], axis: Axis, y: float) -> str:
    above = row["measure"] == "agreement"
    colour, y = MEASURE_COLOURS[row["measure"]], y + (17 if above else 27)
    parts = []
    for kind, width in (("wide_", 1.25), ("", 4.0)):
        if f"{kind}low" in row:
            ends = (axis.place(row[f"{kind}{end}"]) for end in ("low", "high"))
            parts.append(svg_line((next(ends), y), (next(ends), y), colour, width))
    x = axis.place(row["value"])
    parts.append(svg_circle(x, y, 5, colour) if above else svg_diamond(x, y, colour))
    return titled(parts, f"{row['name']}: {row['text']}")


def stacked(bars: Rows, names: Sequence[str], parts: Sequence[str]) -> Panel:
    """Draw one bar for each name, whose parts add up to 1.

    A bar has `name`, `part`, `share` and `text`, which is written where there is room.
    """
    colours = dict(zip(parts, STACKED, strict=False))
    shapes = []
    for number, part in enumerate(parts):
        x, y = 50.0 * (number % 2), 4 + 17 * (number // 2)
        shapes.append(svg_rect((x, y), ("12", 11), colours[part]))
        shapes.append(svg_text(x, y + 10, part, dx=17))
    top = 10 + 17 * math.ceil(len(parts) / 2)
    for number, name in enumerate(names):
        y = top + 40 * number
        shapes.append(svg_text(0, y + 12, name, weight="600"))
        at = 0.0
        for bar in (bar for bar in bars if bar["name"] == name):
            width = 100 * bar["share"]
            box = svg_rect((at, y + 17), (f"{width:.2f}%", 17), colours[bar["part"]])
            word = bar["part"] if bar["share"] >= 0.3 else ""
            label = f"{word} {bar['text']}".strip() if bar["text"] else ""
            middle = svg_text(
                at + width / 2, y + 30, label, anchor="middle", fill=ON_STACKED, size=11
            )
            shapes.append(titled([box, middle], f"{name}: {bar['part']} {bar['text']}"))
            at += width
    return Panel(name="", height=top + 40 * len(names), shapes="".join(shapes))


def pair_map(name: str, cells: Rows, judges: Sequence[str]) -> Panel:
    """Draw agreement below and order above the diagonal, each number in its cell.

    A cell has `row`, `column`, `measure`, `value` (0 to 1, how strong its colour is), `text` and
    `title`.
    """
    n, left = len(judges), 18.0
    across, height = (100 - left) / n, max(20, min(34, 300 // n))
    place = {judge: number for number, judge in enumerate(judges)}
    shapes = []
    for judge, number in place.items():
        middle = left + across * (number + 0.5)
        shapes.append(
            svg_text(middle, 12, cut_text(judge, max(3, 50 // n)), anchor="middle", size=11)
        )
        shapes.append(svg_text(0, 20 + height * (number + 0.6), cut_text(judge, 9), size=11))
    for cell in cells:
        x = left + across * place[cell["column"]] + 0.3
        y = 20 + height * place[cell["row"]] + 1
        strength = 0.06 + 0.5 * cell["value"]
        box = svg_rect(
            (x, y),
            (f"{across - 0.6:.2f}%", height - 2),
            MEASURE_COLOURS[cell["measure"]],
            opacity=f"{strength:.2f}",
        )
        size = 11 if n <= 8 else 9
        text = svg_text(x + across / 2 - 0.3, y + height / 2 + 3, cell["text"], "middle", size=size)
        shapes.append(titled([box, text], cell["title"]))
    below = 20 + height * n + 14
    for x, measure in ((left, "agreement"), (60.0, "correlation")):
        where = "below" if measure == "agreement" else "above"
        words = f"{where}: {MEASURE_NAMES[measure]}"
        shapes.append(svg_rect((x, below - 9), ("10", 10), MEASURE_COLOURS[measure], opacity="0.6"))
        shapes.append(svg_text(x, below, words, fill=MUTED, size=11, dx=14))
    return Panel(name=name, height=below + 6, shapes="".join(shapes), narrow=True)


def judge_lines(
    name: str, points: Rows, judges: Sequence[str], ticks: Sequence[tuple[float, str]]
) -> Panel:
    """Draw each judge's ratings over the items; a point has `place`, `height` and `judge`."""
    known = [point["height"] for point in points if point["height"] is not None]
    low, high = min(known), max(known)
    tall, last = 140, max(point["place"] for point in points)
    scale = Down(low, high, 10, tall - 10)
    marks = ticks or [(low, plain_number(low)), (high, plain_number(high))]
    shapes = []
    reach = min((b - a for (a, _), (b, _) in pairwise(marks)), default=0) / 2
    for value, word in marks:
        if low - reach <= value <= high + reach:
            y = scale.place(value)
            shapes.append(svg_line((8, y), (79, y), GRID, 1))
            shapes.append(svg_text(7, y + 4, cut_text(word, 8), "end", fill=MUTED, size=11))
    across = Axis(1, max(last, 2), 9, 78)
    ends = []
    for judge, colour in zip(judges, PALETTE, strict=False):
        own = [point for point in points if point["judge"] == judge]
        shapes.append(_judge_line(judge, own, (across, scale), colour))
        heights = [point["height"] for point in own if point["height"] is not None]
        ends.append((scale.place(heights[-1]), judge, colour))
    for y, judge, colour in apart(ends, 13, tall):
        shapes.append(svg_circle(80.5, y, 3.5, colour))
        shapes.append(svg_text(82, y + 4, cut_text(judge, 9), size=11))
    words = "items, from the lowest to the highest mean rating"
    shapes.append(svg_text(9, tall + 14, words, fill=MUTED, size=11))
    return Panel(name=name, height=tall + 20, shapes="".join(shapes))


def _judge_line(judge: str, own: Rows, axes: tuple[Axis, Down], colour: str) -> str:
    """One judge's line, which breaks where the judge did not rate."""
    across, scale = axes
    parts = []
    for first, second in pairwise(own):
        if first["height"] is not None and second["height"] is not None:
            (x1, y1), (x2, y2) = (
                (across.place(p["place"]), scale.place(p["height"])) for p in (first, second)
            )
            parts.append(f'<line x1="{x1:.1f}%" y1="{y1:.1f}" x2="{x2:.1f}%" y2="{y2:.1f}"/>')
    for point in own:
        if point["height"] is not None:
            x, y = across.place(point["place"]), scale.place(point["height"])
            parts.append(f'<circle cx="{x:.1f}%" cy="{y:.1f}" r="2" fill="{colour}"/>')
    return f'<g stroke="{colour}">{titled(parts, judge)}</g>'


def scale_use(name: str, bars: Rows, judges: Sequence[str], categories: Sequence[str]) -> Panel:
    """Draw one row of bars for each judge; a bar has `judge`, `category`, `share`, `text`."""
    left, step = 22.0, 40
    across = (100 - left) / len(categories)
    top = max([bar["share"] for bar in bars], default=1.0) or 1.0
    shapes = []
    for number, judge in enumerate(judges):
        base = step * (number + 1) - 4
        shapes.append(svg_text(0, base - 4, cut_text(judge, 11), size=11))
        shapes.append(svg_line((left, base), (100, base), GRID, 1))
        for bar in (bar for bar in bars if bar["judge"] == judge):
            x = left + across * categories.index(bar["category"])
            tall = 24 * bar["share"] / top
            box = svg_rect(
                (x + 0.12 * across, base - tall), (f"{0.76 * across:.2f}%", tall), AGREEMENT_COLOUR
            )
            text = svg_text(
                x + across / 2, base - tall - 3, bar["text"], "middle", fill=MUTED, size=9
            )
            words = f"{judge}: {bar['category']} {bar['text']}"
            shapes.append(titled([box, text if len(categories) <= 7 else ""], words))
    below = step * len(judges) + 11
    for number, category in enumerate(categories):
        middle = left + across * (number + 0.5)
        word = cut_text(category, max(2, 42 // len(categories)))
        shapes.append(svg_text(middle, below, word, "middle", fill=MUTED, size=10))
    return Panel(name=name, height=below + 6, shapes="".join(shapes), narrow=True)


Taken = tuple[float, float, float, float]
"""Where something is drawn already: its ends, its height, and how near another may come to it."""


def _free_place(label: str, x: float, y: float, taken: list[Taken]) -> float | None:
    """The height of a name above or below its point that covers nothing; none where none is.

    A letter takes about 1.6 hundredths of a narrow panel. Whoever has no name has one on pointing.
    """
    wide = 1.6 * len(label) + 2
    left = x - wide if x > 80 else x
    for height in (y - 7, y + 15):
        near = (own for own in taken if abs(own[2] - height) < own[3])
        covers = any(start < left + wide and left < end for start, end, *_ in near)
        if PLANE[0] <= height <= PLANE[1] and not covers:
            taken.append((left, left + wide, height, 12))
            return height
    return None


def _plane_grid(across: Axis, down: Down, widest: float, lowest: float) -> Iterator[str]:
    for step in range(math.ceil(lowest * 2), 3):
        y = down.place(step / 2)
        yield svg_line((9, y), (99, y), GRID, 1)
        yield svg_text(8, y + 4, short_number(step / 2), "end", fill=MUTED, size=11)
    for value in even_ticks(widest):
        x = across.place(value)
        dash = {} if value else {"stroke_dasharray": "3 3"}
        yield svg_line((x, PLANE[0]), (x, PLANE[1]), MUTED if not value else GRID, 1, **dash)
        yield svg_text(x, PLANE[1] + 14, plain_number(value), "middle", fill=MUTED, size=11)


def judge_plane(name: str, points: Rows, axis: str) -> Panel:
    """Draw severity across and consistency up, with both intervals and each judge's name.

    A point has `judge`, `x`, `y`, the ends `x_low`, `x_high`, `y_low`, `y_high`, `label`, `title`.
    """
    widest = max([abs(point[end]) for point in points for end in ("x_low", "x_high")]) or 1.0
    lowest = min([0.0, *(point["y_low"] for point in points)])
    across, down = Axis(-widest * 1.08, widest * 1.08, 9, 99), Down(lowest, 1.0, *PLANE)
    shapes = [*_plane_grid(across, down, widest, lowest)]
    places = ((across.place(point["x"]), down.place(point["y"])) for point in points)
    taken: list[Taken] = [(x - 1.2, x + 1.2, y + 4, 10) for x, y in places]
    for point in sorted(points, key=lambda own: -abs(own["x"])):
        x, y = across.place(point["x"]), down.place(point["y"])
        ends = [across.place(point["x_low"]), across.place(point["x_high"])]
        rises = [down.place(point["y_low"]), down.place(point["y_high"])]
        marks = [
            svg_line((ends[0], y), (ends[1], y), AGREEMENT_COLOUR, 1.5, opacity=0.6),
            svg_line((x, rises[0]), (x, rises[1]), AGREEMENT_COLOUR, 1.5, opacity=0.6),
            svg_circle(x, y, 4.5, AGREEMENT_COLOUR),
        ]
        if (place := _free_place(point["label"], x, y, taken)) is not None:
            end = "end" if x > 80 else "start"
            dx = 6 if x <= 80 else -6
            marks.append(svg_text(x, place, point["label"], end, size=11, weight="600", dx=dx))
        shapes.append(titled(marks, point["title"]))
    shapes.append(svg_text(9, PLANE[1] + 30, axis, fill=MUTED, size=11))
    shapes.append(svg_text(0, 10, "consistency", fill=MUTED, size=11))
    return Panel(name=name, height=PLANE[1] + 38, shapes="".join(shapes), narrow=True)
