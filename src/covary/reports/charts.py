"""Pictures of comparisons, drawn by hand: estimates in rows, chances, lines, points, spreads.

As in `drawings.py`, a panel is as wide as the page gives it room, its labels stand at what they
name, and marks carry their numbers as a title.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from covary.records import dataclass
from covary.reports.drawings import Panel
from covary.reports.plots import (
    AGREEMENT_COLOUR,
    CORRELATION_COLOUR,
    GRID,
    INK,
    MUTED,
    PALETTE,
    Axis,
    Down,
    apart,
    cut_text,
    log_ticks,
    nice_ticks,
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
Writer = Callable[[float], str]

ENDS = ("value", "low", "high", "wide_low", "wide_high")


def estimates(
    rows: Rows,
    names: Sequence[str],
    *,
    axis: str,
    series: Sequence[str] = (),
    ends: tuple[float, float] | None = None,
    descending: bool = False,
    write: Writer = plain_number,
) -> Panel:
    """Draw a point for each name, or one for each name and series, with its intervals.

    A row has `name`, `value`, `text` (its numbers) and, where they are known, `series`, `low` and
    `high` (thick), `wide_low` and `wide_high` (thin), and `mark`, which stands at the right edge.
    """
    low, high = ends or _ends(rows)
    across = Axis(low, high, 99.0, 1.0) if descending else Axis(low, high, 1.0, 99.0)
    shapes, top = _legend(series)
    beneath = max((sum(row["name"] == name for row in rows) for name in names), default=1) > 1
    step = 22 + 12 * (len(series) if beneath else 1)
    bottom = top + step * len(names)
    for tick in nice_ticks(low, high):
        x = across.place(tick)
        shapes.append(svg_line((x, top), (x, bottom), GRID, 1))
        anchor = "start" if x < 4 else "end" if x > 96 else "middle"
        shapes.append(svg_text(x, bottom + 14, write(tick), anchor, fill=MUTED, size=11))
    for number, name in enumerate(names):
        y = top + step * number
        own = [row for row in rows if row["name"] == name]
        shapes.append(svg_text(0, y + 12, cut_text(name, 44), weight="600"))
        marks = [row["mark"] for row in own if row.get("mark")]
        shapes.append(svg_text(99.5, y + 12, ", ".join(marks), "end", weight="600"))
        for row in own:
            number = series.index(row["series"]) if "series" in row else 0
            shapes.append(_estimate(row, across, y + 22 + 12 * number * beneath, number))
    shapes.append(svg_text(0, bottom + 30, axis, fill=MUTED, size=11))
    return Panel(name="", height=bottom + 36, shapes="".join(shapes))


def _ends(rows: Rows) -> tuple[float, float]:
    """The least and the greatest of what is drawn, with a little room."""
    known = [row[end] for row in rows for end in ENDS if end in row and math.isfinite(row[end])]
    low, high = min(known, default=0.0), max(known, default=1.0)
    room = 0.04 * (high - low) or 0.5
    return low - room, high + room


def _legend(series: Sequence[str]) -> tuple[list[str], float]:
    """Name each series beside its mark, and say where the picture below begins."""
    if len(series) < 2:
        return [], 2.0
    shapes = []
    for number, name in enumerate(series):
        x, y = 50.0 * (number % 2) + 1.5, 10 + 17 * (number // 2)
        shapes.append(_mark(x, y - 4, number))
        shapes.append(svg_text(x, y, cut_text(name, 26), dx=12))
    return shapes, 10 + 17 * math.ceil(len(series) / 2)


def _mark(x: float, y: float, number: int, size: float = 4.5) -> str:
    """A dot, or a diamond for every second series, so that colours are not needed."""
    colour = PALETTE[number % len(PALETTE)]
    return svg_circle(x, y, size, colour) if number % 2 == 0 else svg_diamond(x, y, colour)


def _estimate(row: dict[str, Any], across: Axis, y: float, number: int) -> str:
    colour = PALETTE[number % len(PALETTE)]
    parts = []
    for kind, width in (("wide_", 1.25), ("", 4.0)):
        limits = [row.get(f"{kind}{end}", math.nan) for end in ("low", "high")]
        if all(map(math.isfinite, limits)):
            first, last = (across.place(limit) for limit in limits)
            parts.append(svg_line((first, y), (last, y), colour, width))
    parts.append(_mark(across.place(row["value"]), y, number))
    return titled(parts, f"{row['name']}: {row['text']}")


def chances(cells: Rows, names: Sequence[str], ranks: int) -> Panel:
    """Draw how probable each rank is for each name; a cell has `name`, `rank`, `chance`, `text`."""
    left, height = 24.0, 26 if ranks <= 10 else 20
    across = (100 - left) / ranks
    shapes = [svg_text(left, 12, "rank (1 is the best)", fill=MUTED, size=11)]
    for number, name in enumerate(names):
        y = 36 + height * number
        shapes.append(svg_text(0, y + height / 2 + 3, cut_text(name, 12), size=11, weight="600"))
    every = 1 if ranks <= 12 else 5
    for rank in range(1, ranks + 1):
        if rank == 1 or rank % every == 0:
            middle = left + across * (rank - 0.5)
            shapes.append(svg_text(middle, 30, str(rank), "middle", fill=MUTED, size=11))
    for cell in cells:
        x, y = left + across * (cell["rank"] - 1), 36 + height * names.index(cell["name"])
        box = svg_rect(
            (x + 0.2, y + 1),
            (f"{across - 0.4:.2f}%", height - 2),
            AGREEMENT_COLOUR,
            opacity=f"{0.04 + 0.66 * cell['chance']:.2f}",
        )
        shown = cell["text"] if ranks <= 10 else ""
        text = svg_text(x + across / 2, y + height / 2 + 4, shown, "middle", size=11)
        words = f"{cell['name']}, rank {cell['rank']}: {100 * cell['chance']:.1f}%"
        shapes.append(titled([box, text], words))
    return Panel(name="", height=36 + height * len(names) + 4, shapes="".join(shapes))


def before_and_after(points: Rows, *, descending: bool) -> Panel:
    """Draw a line for each name from its score before to that after; better is higher.

    A point has `name`, `when` (before, after), `score`, `label` and `moved`.
    """
    scores = [point["score"] for point in points]
    names = list(dict.fromkeys(point["name"] for point in points))
    tall = max(120, 18 * len(names)) + 24
    low, high = min(scores), max(scores)
    down = Down(low, high, 30, tall)
    sides = {"before": (42.0, "end", -8), "after": (58.0, "start", 8)}
    shapes = [
        svg_text(x, 14, when, anchor, fill=MUTED, size=11) for when, (x, anchor, _) in sides.items()
    ]

    def height(point: dict[str, Any]) -> float:
        score = low + high - point["score"] if descending else point["score"]
        return down.place(score)

    for name in names:
        first, last = (p for w in sides for p in points if (p["name"], p["when"]) == (name, w))
        colour = MUTED if first["moved"].startswith("keeps") else CORRELATION_COLOUR
        places = [(sides["before"][0], height(first)), (sides["after"][0], height(last))]
        marks = [svg_line(places[0], places[1], colour, 2)]
        marks += [svg_circle(x, y, 3.5, colour) for x, y in places]
        shapes.append(titled(marks, f"{first['label']} before, {last['label']} after"))
    for when, (x, anchor, dx) in sides.items():
        own = [(height(p), p["label"], "") for p in points if p["when"] == when]
        for y, label, _ in apart(own, 14, tall + 6):
            shapes.append(svg_text(x, y + 4, cut_text(label, 22), anchor, size=11, dx=dx))
    if any(point["moved"].startswith("changes") for point in points):
        shapes.append(svg_rect((1, tall + 16), ("12", 3), CORRELATION_COLOUR))
        shapes.append(svg_text(1, tall + 22, "changes its rank", fill=MUTED, size=11, dx=18))
    return Panel(name="", height=tall + 28, shapes="".join(shapes))


@dataclass(frozen=True, kw_only=True)
class LineAxes:
    """What the axes of a picture of lines say, and how: their names, ticks and steps.

    `ticks` names places across instead of numbers; `log` says which of x and y grow by factors.
    """

    x: str
    y: str
    log: str = ""
    ticks: tuple[tuple[float, str], ...] = ()
    x_ends: tuple[float, float] | None = None
    y_ends: tuple[float, float] | None = None
    write: Writer = short_number


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """A value that lines are compared with, its interval where it has one, and its name."""

    value: float
    name: str
    low: float = math.nan
    high: float = math.nan


def lines(
    points: Rows, series: Sequence[str], axes: LineAxes, reference: Baseline | None = None
) -> Panel:
    """Draw a line for each series, named at its end, with intervals where points have them.

    A point has `series`, `x`, `value`, `text` and perhaps `low`, `high`; series in `dashed` points
    are drawn dashed in grey.
    """
    plot = _Plot(points, axes, reference)
    shapes = [*plot.frame()]
    ends = []
    for number, name in enumerate(series):
        own = sorted((p for p in points if p["series"] == name), key=lambda p: p["x"])
        if not own:
            continue
        dashed = any(point.get("dashed") for point in own)
        colour = MUTED if dashed else PALETTE[number % len(PALETTE)]
        shapes += _line_shapes(own, plot, (colour, number), dashed=dashed)
        ends.append((plot.place(own[-1])[1], name, colour))
    for y, name, colour in apart(ends, 13, plot.bottom):
        shapes.append(svg_circle(plot.right + 2, y, 3, colour))
        shapes.append(svg_text(plot.right + 2, y + 4, cut_text(name, 14), size=11, dx=7))
    return Panel(name="", height=plot.bottom + 38, shapes="".join(shapes))


def _line_shapes(own: Rows, plot: _Plot, style: tuple[str, int], *, dashed: bool) -> Iterator[str]:
    colour, number = style
    dash = {"stroke_dasharray": "4 3"} if dashed else {}
    for first, second in pairwise(own):
        yield svg_line(plot.place(first), plot.place(second), colour, 1 if dashed else 1.8, **dash)
    for point in own if not dashed else ():
        x, y = plot.place(point)
        marks = [_mark(x, y, number, 3.5)]
        if math.isfinite(point.get("low", math.nan)):
            rises = [plot.place(point, end)[1] for end in ("low", "high")]
            marks.append(svg_line((x, rises[0]), (x, rises[1]), colour, 1.5, opacity=0.6))
        yield titled(marks, f"{point['series']}: {point['text']}")


class _Plot:
    """Where points of lines stand, and the axes around them."""

    top, bottom, left = 24.0, 200.0, 9.0
    right = 70.0  # fourteen letters fit beside it on a telephone

    def __init__(self, points: Rows, axes: LineAxes, reference: Baseline | None) -> None:
        self.axes, self.reference = axes, reference
        heights = [p[e] for p in points for e in ("value", "low", "high") if e in p]
        if reference is not None:
            heights += [reference.value, reference.low, reference.high]
        self.y_ends = axes.y_ends or _around([h for h in heights if math.isfinite(h)])
        if "y" in axes.log:
            self.y_ends = (0.9 * min(heights), 1.1 * max(heights))
        self.x_ends = axes.x_ends or _around([p["x"] for p in points], 0.0)
        first, last = map(self._x, self.x_ends)
        low, high = map(self._y, self.y_ends)
        self.across = Axis(first, last, self.left, self.right - 1)
        self.down = Down(low, high, self.top, self.bottom)

    def _x(self, value: float) -> float:
        return math.log(value) if "x" in self.axes.log else value

    def _y(self, value: float) -> float:
        return math.log(value) if "y" in self.axes.log else value

    def place(self, point: dict[str, Any], height: str = "value") -> tuple[float, float]:
        """Return where a point stands."""
        return self.across.place(self._x(point["x"])), self.down.place(self._y(point[height]))

    def frame(self) -> Iterator[str]:
        """Draw the grid, the numbers beside it, and what the lines are compared with."""
        axes = self.axes
        heights = (log_ticks if "y" in axes.log else nice_ticks)(*self.y_ends)
        for value in heights:
            y = self.down.place(self._y(value))
            yield svg_line((self.left, y), (self.right, y), GRID, 1)
            yield svg_text(self.left - 1, y + 4, axes.write(value), "end", fill=MUTED, size=11)
        found = (log_ticks if "x" in axes.log else nice_ticks)(*self.x_ends)
        for value, word in axes.ticks or [(v, plain_number(v)) for v in found]:
            x = self.across.place(self._x(value))
            for number, part in enumerate(word.split("\n")):
                y = self.bottom + 15 + 12 * number
                yield svg_text(x, y, part, "middle", fill=MUTED, size=11)
        yield svg_text(0, 10, axes.y, fill=MUTED, size=11)
        several = any("\n" in word for _, word in axes.ticks)
        yield svg_text(
            self.left, self.bottom + (42 if several else 32), axes.x, fill=MUTED, size=11
        )
        if self.reference is not None:
            yield self._compared(self.reference)

    def _compared(self, reference: Baseline) -> str:
        y = self.down.place(self._y(reference.value))
        parts = []
        if math.isfinite(reference.low):
            top, bottom = (self.down.place(self._y(e)) for e in (reference.high, reference.low))
            width = f"{self.right - self.left:.1f}%"
            parts.append(svg_rect((self.left, top), (width, bottom - top), MUTED, opacity="0.14"))
        parts.append(svg_line((self.left, y), (self.right, y), INK, 1.4, stroke_dasharray="6 3"))
        parts.append(svg_text(self.left, y - 5, reference.name, size=11, dx=4))
        return titled(parts, f"{reference.name}: {self.axes.write(reference.value)}")


def _around(values: Sequence[float], share: float = 0.06) -> tuple[float, float]:
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = share * (high - low) or (0.0 if high > low else 0.5)
    return low - room, high + room


def scatter(
    points: Rows,
    axes: tuple[str, str],
    *,
    ends: tuple[tuple[float, float], tuple[float, float]],
    levels: Sequence[float] = (),
    diagonal: bool = False,
) -> Panel:
    """Draw named points, with the line on which both are equal, or lines across.

    A point has `x`, `y`, `label`, `text` and perhaps `low`, `high`; all of `levels` but 0 are
    dashed.
    """
    across, down = Axis(*ends[0], 10, 99), Down(*ends[1], 24, 250)
    shapes = []
    for value in nice_ticks(*ends[1]):
        y = down.place(value)
        shapes.append(svg_line((10, y), (99, y), GRID, 1))
        shapes.append(svg_text(9, y + 4, plain_number(value), "end", fill=MUTED, size=11))
    for value in nice_ticks(*ends[0]):
        x = across.place(value)
        shapes.append(svg_line((x, 24), (x, 250), GRID, 1))
        shapes.append(svg_text(x, 265, plain_number(value), "middle", fill=MUTED, size=11))
    if diagonal:
        shapes.append(svg_line((10, 250), (99, 24), MUTED, 1.2, stroke_dasharray="4 3"))
    for level in levels:
        y, colour = down.place(level), CORRELATION_COLOUR if level else MUTED
        dash = {"stroke_dasharray": "4 3"} if level else {}
        shapes.append(svg_line((10, y), (99, y), colour, 1.2, **dash))
    shapes += _named_points(points, across, down)
    shapes.append(svg_text(0, 10, axes[1], fill=MUTED, size=11))
    shapes.append(svg_text(10, 282, axes[0], fill=MUTED, size=11))
    return Panel(name="", height=288, shapes="".join(shapes), narrow=diagonal)


def _named_points(points: Rows, across: Axis, down: Down) -> Iterator[str]:
    """Draw points; a name stands beside its point, above or below where others are near."""
    taken: list[tuple[float, float]] = []
    for point in sorted(points, key=lambda point: point["x"]):
        x, y = across.place(point["x"]), down.place(point["y"])
        marks = [svg_circle(x, y, 4.5, AGREEMENT_COLOUR)]
        if "low" in point:
            rises = [down.place(point[end]) for end in ("low", "high")]
            marks.insert(
                0, svg_line((x, rises[0]), (x, rises[1]), AGREEMENT_COLOUR, 1.5, opacity=0.6)
            )
        height = next(
            h for h in (y - 7, y + 15, y - 20, y + 28, y - 33, y - 7) if _free(x, h, taken, y)
        )
        taken.append((x, height))
        anchor, dx = ("end", -6) if x > 75 else ("start", 6)
        label = cut_text(point["label"], 18)
        marks.append(svg_text(x, height, label, anchor, size=11, dx=dx))
        yield titled(marks, point["text"])


def _free(x: float, y: float, taken: Sequence[tuple[float, float]], own: float) -> bool:
    crowded = any(abs(x - other) < 16 and abs(y - height) < 11 for other, height in taken)
    return not crowded or abs(y - own) > 30


def squares(points: Rows, names: Sequence[str], axes: tuple[str, str]) -> Panel:
    """Draw a small square of points for each name; a point has `name`, `x`, `y` and `times`."""
    values = [point[way] for point in points for way in "xy"]
    low, high = min(values), max(values)
    shapes, tall, columns = [], 96, 4
    for number, name in enumerate(names):
        left, top = 25.0 * (number % columns), 18 + (tall + 30) * (number // columns)
        shapes.append(svg_text(left + 4, top - 4, cut_text(str(name), 11), size=11, weight="600"))
        across, down = Axis(low, high or 1, left + 6, left + 21), Down(low, high, top + 8, top + 88)
        for value in (low, high):
            x, y = across.place(value), down.place(value)
            shapes.append(svg_line((left + 4, y), (left + 23, y), GRID, 1))
            shapes.append(svg_text(x, top + 102, plain_number(value), "middle", fill=MUTED, size=9))
        shapes.append(
            svg_line(
                (across.place(low), down.place(low)),
                (across.place(high), down.place(high)),
                GRID,
                1,
                stroke_dasharray="3 3",
            )
        )
        for point in (point for point in points if point["name"] == name):
            size = min(2.5 + 0.8 * math.sqrt(point["times"]), 6)
            dot = svg_circle(across.place(point["x"]), down.place(point["y"]), size, PALETTE[0])
            times = f", {point['times']:,} times" if point["times"] > 1 else ""
            words = f"{name}: {axes[0]} {point['x']:g}, {axes[1]} {point['y']:g}{times}"
            shapes.append(titled([dot.replace("/>", ' fill-opacity="0.6"/>')], words))
    bottom = 18 + (tall + 30) * math.ceil(len(names) / columns)
    words = f"across: {axes[0]}; up: {axes[1]}; dashed: both alike"
    shapes.append(svg_text(0, bottom + 4, words, fill=MUTED, size=11))
    return Panel(name="", height=bottom + 10, shapes="".join(shapes))


def spread(
    name: str, bars: Sequence[tuple[float, float]], marks: Sequence[tuple[str, float]], axis: str
) -> Panel:
    """Draw how often each value occurs, as steps, with named lines at some values.

    A bar is a value and its share; each stands for the values up to the next.
    """
    known = [value for value, _ in bars] + [value for _, value in marks]
    low, high = _around(known, 0.03)
    across = Axis(low, high, 1, 99)
    top = 14.0 * len(marks) + 8
    bottom, most = top + 80, max((share for _, share in bars), default=1.0) or 1.0
    shapes = []
    for (value, share), (following, _) in pairwise(bars):
        x, end = across.place(value), across.place(following)
        tall = 76 * share / most
        box = svg_rect(
            (x, bottom - tall), (f"{end - x:.3f}%", tall), AGREEMENT_COLOUR, opacity="0.45"
        )
        if share:
            shapes.append(titled([box], f"{short_number(round(value, 3))}: {100 * share:.1f}%"))
    shapes.append(svg_line((1, bottom), (99, bottom), GRID, 1))
    for tick in nice_ticks(low, high):
        x = across.place(tick)
        shapes.append(svg_text(x, bottom + 14, short_number(tick), "middle", fill=MUTED, size=11))
    # Names that go left of their line stand the lower the further left it is, so none is crossed.
    ranked = sorted(marks, key=lambda mark: mark[1])
    leftward = [mark for mark in ranked if across.place(mark[1]) > 55]
    ordered = [*(mark for mark in ranked if mark not in leftward), *reversed(leftward)]
    for number, (word, value) in enumerate(ordered):
        x, y = across.place(value), 10 + 14 * number
        colour = PALETTE[1:][marks.index((word, value)) % (len(PALETTE) - 1)]
        anchor, dx = ("end", -5) if (word, value) in leftward else ("start", 5)
        label = f"{word} {short_number(round(value, 2))}"
        parts = [
            svg_line((x, y - 6), (x, bottom), colour, 2),
            svg_text(x, y + 3, cut_text(label, 34), anchor, size=11, dx=dx),
        ]
        shapes.append(titled(parts, f"{name}: {label}"))
    shapes.append(svg_text(1, bottom + 30, axis, fill=MUTED, size=11))
    return Panel(name=name, height=bottom + 36, shapes="".join(shapes))
