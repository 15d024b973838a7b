"""The pictures of a report as Vega-Lite specifications: plain dicts of already computed values.

Each picture is narrow enough for a phone, carries its intervals, and leaves its title to the page.
Colours are Okabe & Ito's; shapes and labels say the same again for those who see no colours.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any

from covary.records import dataclass

Spec = dict[str, Any]
Rows = Sequence[dict[str, Any]]

INK, MUTED, GRID = "#1d2126", "#59626d", "#d5dae0"
AGREEMENT_COLOUR, CORRELATION_COLOUR = "#0072b2", "#d55e00"
PALETTE = (AGREEMENT_COLOUR, CORRELATION_COLOUR, "#009e73", "#cc79a7", "#e69f00", "#56b4e9", INK)
STACKED = ("#e6a117", "#62b8e9", "#cdd3da", "#d48cb3")
ON_STACKED = "#14181c"
"""Light enough for dark numbers on them, and the same on light and on dark pages."""
SHAPES = ("circle", "diamond", "square", "triangle-up", "cross", "triangle-down", "triangle-right")
MEASURES = ("agreement", "correlation")

NARROW, WIDE = 240, 620
"""Widths of the drawn areas: with their labels they fit a phone and a page."""

CONFIG: Spec = {
    "font": "Arial, Helvetica, Liberation Sans, sans-serif",
    "padding": {"left": 8, "right": 8, "top": 4, "bottom": 4},
    "background": None,
    "aria": False,
    "view": {"stroke": None},
    "axis": {
        "labelColor": MUTED,
        "titleColor": MUTED,
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "domain": False,
        "ticks": False,
        "gridColor": GRID,
        "labelPadding": 6,
        "labelLimit": 120,
    },
    "legend": {
        "labelColor": INK,
        "labelFontSize": 11,
        "title": None,
        "orient": "top",
        "offset": 10,
        "symbolSize": 60,
        "labelLimit": 120,
    },
    "header": {"labelColor": INK, "labelFontSize": 11, "labelLimit": 100},
    "rule": {"color": MUTED},
    "text": {"color": INK, "fontSize": 11},
}

_HALVES = "datum.label == 'agreement' ? 'below: agreement' : 'above: correlation'"


def dumbbell(rows: Rows, order: Sequence[str], thresholds: Sequence[float]) -> Spec:
    """Draw agreement above correlation for each name, with both intervals and both thresholds.

    A row has `name`, `measure`, `value` and, where they are known, `low`, `high` (a thick line)
    and `wide_low`, `wide_high` (a thin one).
    """
    ends = [row[end] for row in rows for end in ("value", "low", "wide_low") if end in row]
    lowest = min([0.0, *ends])
    y = encoded("name", "nominal", sort=list(order), title=None)
    y["axis"] = {"grid": False, "labelColor": INK, "labelFontSize": 12, "labelPadding": 10}
    offset: Spec = {"field": "measure", "type": "nominal", "sort": list(MEASURES)}
    offset["scale"] = {"paddingOuter": 0.5}
    x = encoded("value", "quantitative", title="coefficient", scale={"domain": [lowest, 1]})
    colour = by("measure", MEASURES, (AGREEMENT_COLOUR, CORRELATION_COLOUR))
    colour["legend"] = {"offset": 22, "columnPadding": 16}
    shape = by("measure", MEASURES, SHAPES[:2])
    shape["legend"] = colour["legend"]
    here = {"y": y, "yOffset": offset, "color": colour}
    colours = (AGREEMENT_COLOUR, CORRELATION_COLOUR)
    layers = [
        layer
        for value, tone in zip(thresholds, colours, strict=True)
        for layer in _threshold(value, tone)
    ]
    for kind, width in (("wide_", 1.25), ("", 4)):
        limits = {"x": x | {"field": f"{kind}low"}, "x2": {"field": f"{kind}high"}}
        layers.append(mark("rule", here | limits, strokeWidth=width))
    points = here | {"x": x, "shape": shape}
    layers.append(mark("point", points, filled=True, size=75, opacity=1))
    return drawing(rows, layer=layers, width=NARROW, height={"step": 20})


def heat_maps(cells: Rows, judges: Sequence[str]) -> Spec:
    """Draw agreement below and correlation above the diagonal, each number in its cell.

    A cell has `criterion`, `row`, `column`, `measure`, `value` (0 to 1, how strong its colour is)
    and `text`.
    """
    step = max(26, min(46, 250 // max(len(judges), 1)))
    axis = {"labelColor": INK, "grid": False, "labelLimit": 70}
    x = encoded("column", "nominal", sort=list(judges), title=None)
    y = encoded("row", "nominal", sort=list(judges), title=None)
    place = {
        "x": x | {"axis": axis | {"orient": "top", "labelAngle": -40}},
        "y": y | {"axis": axis},
    }
    for way in place.values():
        way["scale"] = {"domain": list(judges), "paddingInner": 0.04}
    strength: Spec = {"field": "value", "type": "quantitative", "legend": None}
    strength["scale"] = {"domain": [0, 1], "range": [0.05, 0.6], "clamp": True}
    colour = by("measure", MEASURES, (AGREEMENT_COLOUR, CORRELATION_COLOUR))
    colour["legend"] = {"orient": "bottom", "labelExpr": _HALVES, "columnPadding": 16}
    squares = mark("rect", place | {"color": colour, "opacity": strength}, cornerRadius=3)
    text = place | {"text": encoded("text", "nominal")}
    numbers = mark("text", text, fontSize=11 if step >= 32 else 9)
    side = step * len(judges)
    return multiples(cells, layer=[squares, numbers], width=side, height=side)


def judge_lines(points: Rows, judges: Sequence[str], ticks: Sequence[tuple[float, str]]) -> Spec:
    """Draw each judge's ratings over the items; a point has `place`, `height` and `judge`."""
    colours, shapes = PALETTE[: len(judges)], SHAPES[: len(judges)]
    x = encoded("place", "quantitative", title="items, from the lowest to the highest mean rating")
    x["axis"] = {"grid": False, "labels": False, "titlePadding": 4}
    x["scale"] = {"zero": False, "nice": False, "padding": 8}
    y = encoded("height", "quantitative", title="rating")
    y["axis"] = _named_ticks(ticks)
    y["scale"] = {"zero": False, "nice": False, "padding": 8}
    place = {"x": x, "y": y, "color": by("judge", judges, colours)}
    lines = mark("line", place, strokeWidth=1.2, opacity=0.75)
    shape = {"shape": by("judge", judges, shapes)}
    marks = mark("point", place | shape, filled=True, size=22, opacity=1)
    return multiples(points, layer=[lines, marks], width=WIDE, height=160, columns=1)


def small_bars(bars: Rows, judges: Sequence[str], categories: Sequence[str], axis: str) -> Spec:
    """Draw one row of bars for each judge; a bar has `judge`, `category`, `share`, `text`."""
    top = max([bar["share"] for bar in bars], default=1) * 1.35
    x = encoded("category", "nominal", sort=list(categories), title=axis)
    x["axis"] = {"grid": False, "labelAngle": 0, "labelOverlap": True, "labelColor": INK}
    x["scale"] = {"paddingInner": 0.25}
    y = encoded("share", "quantitative", title=None, axis=None, scale={"domain": [0, top]})
    drawn = mark("bar", {"x": x, "y": y}, color=AGREEMENT_COLOUR)
    text = {"x": x, "y": y, "text": encoded("text", "nominal")}
    written = mark("text", text, dy=-6, fontSize=9, color=MUTED)
    row: Spec = {"field": "judge", "type": "nominal", "sort": list(judges), "title": None}
    row["header"] = {"labelAngle": 0, "labelAlign": "left", "labelAnchor": "middle"}
    inside = {"layer": [drawn, written], "width": NARROW, "height": 44}
    facet = {"row": row}
    if len({bar.get("criterion") for bar in bars}) > 1:
        facet["column"] = {"field": "criterion", "type": "nominal", "sort": None, "title": None}
    resolved = {"scale": {"x": "independent"}}
    return drawing(bars, facet=facet, spec=inside, spacing=6, resolve=resolved)


def two_ways(points: Rows, axis: str) -> Spec:
    """Draw severity across and consistency up, with both intervals and each judge's name.

    A point has `judge`, `x`, `y`, the ends `x_low`, `x_high`, `y_low`, `y_high`, and `label`.
    """
    x = encoded("x", "quantitative", title=axis, scale={"zero": True, "padding": 14})
    x["axis"] = {"tickCount": 5}
    y = encoded("y", "quantitative", title="consistency (correlation with the others)")
    y["scale"] = {"zero": False, "padding": 14}
    centre = mark("rule", {"x": {"datum": 0}}, strokeDash=[3, 3])
    place, label = {"x": x, "y": y}, {"text": encoded("label", "nominal")}
    layers = [
        {"data": {"values": [{}]}} | centre,
        _whisker(x | {"field": "x_low"}, y, "x2", "x_high"),
        _whisker(x, y | {"field": "y_low"}, "y2", "y_high"),
        mark("point", place, filled=True, size=70, opacity=1, color=AGREEMENT_COLOUR),
        mark("text", place | label, align="left", dx=7, dy=-8, fontWeight=600),
    ]
    return multiples(points, layer=layers, width=NARROW + 40, height=220)


def stacked_shares(bars: Rows, names: Sequence[str], parts: Sequence[str]) -> Spec:
    """Draw one bar for each name, whose parts add up to 1.

    A bar has `name`, `part`, `share`, `order` and `text`, which is written where there is room.
    """
    y = encoded("name", "nominal", sort=list(names), title=None)
    y["axis"] = {"grid": False, "labelColor": INK, "labelFontSize": 12, "labelPadding": 10}
    x = encoded("share", "quantitative", title="share of the disagreement", stack="zero")
    x |= {"scale": {"domain": [0, 1]}, "axis": {"format": "%", "tickCount": 5}}
    colour = by("part", parts, STACKED[: len(parts)])
    colour["legend"] = {"columns": 2, "columnPadding": 16, "labelLimit": 160}
    place = {"y": y, "x": x, "order": encoded("order", "quantitative")}
    middle = place | {"x": x | {"bandPosition": 0.5}, "text": encoded("text", "nominal")}
    layers = [
        mark("bar", place | {"color": colour}, height={"band": 0.7}),
        mark(
            "text", middle | {"detail": encoded("part", "nominal")}, fontSize=10, color=ON_STACKED
        ),
    ]
    return drawing(bars, layer=layers, width=NARROW, height={"step": 28})


def _whisker(x: Spec, y: Spec, end: str, field: str) -> Spec:
    place = {"x": x, "y": y, end: {"field": field}}
    return mark("rule", place, strokeWidth=1.5, opacity=0.6, color=AGREEMENT_COLOUR)


def _threshold(value: float, colour: str) -> list[Spec]:
    """Draw a dashed line with its value on top."""
    once: Spec = {"data": {"values": [{}]}}
    place = {"x": {"datum": value}}
    words = {"y": {"value": 0}, "text": {"value": f"{value:g}".lstrip("0")}}
    rule = mark("rule", place, strokeDash=[4, 3], color=colour, opacity=0.7)
    return [once | rule, once | mark("text", place | words, dy=-7, fontSize=10, color=colour)]


def _named_ticks(ticks: Sequence[tuple[float, str]]) -> Spec:
    """Put ticks at some heights, with words of the study's own."""
    if not ticks:
        return {}
    words = json.dumps({f"{height:g}": word for height, word in ticks})
    return {"values": [height for height, _ in ticks], "labelExpr": f"({words})['' + datum.value]"}


def encoded(field: str, kind: str, **more: Any) -> Spec:
    """Encode a field of the rows."""
    return {"field": field, "type": kind, **more}


def mark(kind: str, encoding: Spec, **style: Any) -> Spec:
    """Draw a mark of one kind for each row."""
    return {"mark": {"type": kind, **style}, "encoding": encoding}


def by(field: str, domain: Sequence[str], range_: Sequence[str]) -> Spec:
    """Tell the values of a field apart by colours or shapes."""
    scale = {"domain": list(domain), "range": list(range_)}
    return {"field": field, "type": "nominal", "scale": scale}


def multiples(rows: Rows, columns: int = 2, **parts: Any) -> Spec:
    """Draw the same for each criterion, side by side, each on scales of its own."""
    if len({row["criterion"] for row in rows}) < 2:
        return drawing(rows, **parts)
    facet = {"field": "criterion", "type": "nominal", "sort": None, "title": None}
    own = {"scale": {"x": "independent", "y": "independent"}}
    return drawing(rows, facet=facet, columns=columns, spec=parts, resolve=own)


def drawing(rows: Rows, **parts: Any) -> Spec:
    """Put rows and marks together in the house's style."""
    schema = "https://vega.github.io/schema/vega-lite/v5.json"
    return {"$schema": schema, "config": CONFIG, "data": {"values": list(rows)}, **parts}


Point = tuple[float, float]
"""A place: a percentage of the width, and pixels from the top."""

UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff\u2028\u2029]")
"""What no XML may hold, or what ends a line within a text: an engine that meets it falls over."""


def printable(value: Any) -> Any:
    """Return a text, or all texts of a specification, with a mark for what cannot be drawn."""
    if isinstance(value, str):
        return UNPRINTABLE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {printable(key): printable(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [printable(part) for part in value]
    return value


@dataclass(frozen=True)
class Axis:
    """Values along a panel, as percentages of its width."""

    low: float
    high: float
    start: float
    end: float

    def place(self, value: float) -> float:
        """Return where a value stands."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def grid(self, top: float, bottom: float, step: float, write: Any) -> Iterator[str]:
        """Draw lines in even steps, each with its value below."""
        for number in range(round((self.high - self.low) / step) + 1):
            value = self.low + number * step
            x = self.place(value)
            yield svg_line((x, top), (x, bottom), GRID, 1)
            anchor = "end" if value >= self.high else "start" if not number else "middle"
            yield svg_text(x, bottom + 14, write(value), anchor, fill=MUTED, size=11)


@dataclass(frozen=True)
class Down:
    """Values from the top of a panel to its bottom, in pixels."""

    low: float
    high: float
    top: float
    bottom: float

    def place(self, value: float) -> float:
        """Return where a value stands."""
        whole = (self.high - self.low) or 1.0
        share = (min(max(value, self.low), self.high) - self.low) / whole
        return self.bottom - share * (self.bottom - self.top)


def even_ticks(widest: float) -> list[float]:
    """Ticks on both sides of 0 in steps of 1, 2 or 5."""
    power = 10.0 ** math.floor(math.log10(widest))
    step = next(power * n for n in (0.2, 0.5, 1, 2, 5) if widest / (power * n) < 4)
    most = int(widest / step + 1e-9)
    return [number * step for number in range(-most, most + 1)]


def apart(ends: Iterable[tuple[float, str, str]], least: float, bottom: float) -> list[Any]:
    """Move labels up or down until none covers another."""
    placed: list[tuple[float, str, str]] = []
    for y, name, colour in sorted(ends):
        y = max(y, placed[-1][0] + least) if placed else max(y, 6)
        placed.append((y, name, colour))
    over = max(0.0, placed[-1][0] - bottom + 4) if placed else 0.0
    return [(max(y - over, 6 + least * n), *rest) for n, (y, *rest) in enumerate(placed)]


def short_number(value: float) -> str:
    """A coefficient without its leading 0 and without needless ones, with a real minus."""
    written = f"{value:g}".replace("-", "−")
    return written.replace("0.", ".", 1) if 0 < abs(value) < 1 else written


def plain_number(value: float) -> str:
    """A number with three digits and a real minus."""
    return f"{value:.3g}".replace("-", "−")


def cut_text(text: str, most: int) -> str:
    """Cut the middle out of a text that is longer than so many letters.

    Names that begin alike often end differently.

    Examples
    --------
    >>> cut_text("transformer-with-retrieval-07", 12), cut_text("loom", 12)
    ('transfor…-07', 'loom')
    """
    kept = most - 1
    return text if len(text) <= most else f"{text[: kept - kept // 3]}…{text[-(kept // 3) :]}"


def titled(parts: Iterable[str], title: str) -> str:
    """Put shapes together under a title, which a pointer shows."""
    return f"<g><title>{escape(printable(title))}</title>{''.join(parts)}</g>"


def svg_text(
    x: float,
    y: float,
    words: str,
    anchor: str = "start",
    *,
    fill: str = INK,
    size: int = 12,
    weight: str = "",
    dx: float = 0,
) -> str:
    """Write words at a place."""
    if not words:
        return ""
    more = f' text-anchor="{anchor}"' if anchor != "start" else ""
    more += f' font-weight="{weight}"' if weight else ""
    more += f' dx="{dx:g}"' if dx else ""
    return (
        f'<text x="{x:.2f}%" y="{y:.1f}" font-size="{size}" fill="{fill}"{more}>'
        f"{escape(printable(words))}</text>"
    )


def svg_line(start: Point, end: Point, colour: str, width: float, **more: Any) -> str:
    """Draw a line from a place to another."""
    (x1, y1), (x2, y2) = start, end
    style = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in more.items())
    return (
        f'<line x1="{x1:.2f}%" y1="{y1:.1f}" x2="{x2:.2f}%" y2="{y2:.1f}" stroke="{colour}"'
        f' stroke-width="{width:g}"{style}/>'
    )


def svg_rect(corner: Point, size: tuple[str, float], fill: str, opacity: str = "") -> str:
    """Draw a box; its width is a percentage or pixels, as text."""
    (x, y), (width, height) = corner, size
    more = f' opacity="{opacity}"' if opacity else ""
    return (
        f'<rect x="{x:.2f}%" y="{y:.1f}" width="{width}" height="{max(height, 0):.1f}"'
        f' fill="{fill}"{more}/>'
    )


def svg_circle(x: float, y: float, radius: float, fill: str) -> str:
    """Draw a dot."""
    return f'<circle cx="{x:.2f}%" cy="{y:.1f}" r="{radius:g}" fill="{fill}"/>'


def svg_diamond(x: float, y: float, fill: str) -> str:
    """A diamond: a square on its corner, moved to its place by a nested picture."""
    return (
        f'<svg x="{x:.2f}%" y="{y:.1f}" width="1" height="1" overflow="visible">'
        f'<path d="M0-6L6 0L0 6L-6 0Z" fill="{fill}"/></svg>'
    )


def nice_ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Ticks between two values in steps of 1, 2 or 5.

    Examples
    --------
    >>> nice_ticks(0.13, 0.92)
    [0.2, 0.4, 0.6, 0.8]
    """
    if not high > low:
        return [low]
    power = 10.0 ** math.floor(math.log10(high - low))
    step = next(power * n for n in (0.1, 0.2, 0.5, 1, 2, 5) if (high - low) / (power * n) <= most)
    first = math.ceil(low / step - 1e-9)
    return [round(n * step, 12) for n in range(first, math.floor(high / step + 1e-9) + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Ticks between two positive values at 1, 2 and 5 times powers of 10; 1 and 10 over far ones.

    Examples
    --------
    >>> log_ticks(8, 120)
    [10, 20, 50, 100]
    """
    digits = (1, 2, 5) if high < 200 * low else (1,)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [digit * 10**power for power in powers for digit in digits]
    return [tick for tick in ticks if low <= tick <= high]
