"""The pictures of a report as Vega-Lite specifications: plain dicts of already computed values.

Each picture is narrow enough for a phone, carries its intervals, and leaves its title to the page.
Colours are Okabe & Ito's; shapes and labels say the same again for those who see no colours.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

__all__ = [
    "AGREEMENT_COLOUR",
    "CORRELATION_COLOUR",
    "GRID",
    "INK",
    "MUTED",
    "NARROW",
    "PALETTE",
    "SHAPES",
    "Rows",
    "Spec",
    "by",
    "drawing",
    "dumbbell",
    "encoded",
    "heat_map",
    "judge_lines",
    "small_bars",
    "two_ways",
]

Spec = dict[str, Any]
Rows = Sequence[dict[str, Any]]

INK, MUTED, GRID = "#1d2126", "#59626d", "#d5dae0"
AGREEMENT_COLOUR, CORRELATION_COLOUR = "#0072b2", "#d55e00"
PALETTE = (AGREEMENT_COLOUR, CORRELATION_COLOUR, "#009e73", "#cc79a7", "#e69f00", "#56b4e9", INK)
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
        "labelColor": MUTED, "titleColor": MUTED, "labelFontSize": 11, "titleFontSize": 11,
        "titleFontWeight": "normal", "domain": False, "ticks": False, "gridColor": GRID,
        "labelPadding": 6, "labelLimit": 120,
    },
    "legend": {
        "labelColor": INK, "labelFontSize": 11, "title": None, "orient": "top", "offset": 10,
        "symbolSize": 60, "labelLimit": 120,
    },
    "header": {"labelColor": INK, "labelFontSize": 11, "labelLimit": 100},
    "rule": {"color": MUTED},
    "text": {"color": INK, "fontSize": 11},
}  # fmt: skip


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
    marks = [
        mark
        for value, tone in zip(thresholds, (AGREEMENT_COLOUR, CORRELATION_COLOUR), strict=True)
        for mark in _threshold(value, tone)
    ]
    marks += [
        {"mark": {"type": "rule", "strokeWidth": width},
         "encoding": here | {"x": x | {"field": f"{kind}low"}, "x2": {"field": f"{kind}high"}}}
        for kind, width in (("wide_", 1.25), ("", 4))
    ]  # fmt: skip
    marks.append(
        {"mark": {"type": "point", "filled": True, "size": 75, "opacity": 1},
         "encoding": here | {"x": x, "shape": shape}}
    )  # fmt: skip
    return drawing(rows, layer=marks, width=NARROW, height={"step": 20})


def heat_map(cells: Rows, judges: Sequence[str]) -> Spec:
    """Draw agreement below and correlation above the diagonal, each number in its cell.

    A cell has `row`, `column`, `measure`, `value` (0 to 1, how strong its colour is) and `text`.
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
    squares = {"mark": {"type": "rect", "cornerRadius": 3},
               "encoding": place | {"color": colour, "opacity": strength}}  # fmt: skip
    size = 11 if step >= 32 else 9
    numbers = {"mark": {"type": "text", "fontSize": size},
               "encoding": place | {"text": {"field": "text", "type": "nominal"}}}  # fmt: skip
    return drawing(cells, layer=[squares, numbers], width={"step": step}, height={"step": step})


_HALVES = "datum.label == 'agreement' ? 'below: agreement' : 'above: correlation'"


def judge_lines(points: Rows, judges: Sequence[str], ticks: Sequence[tuple[float, str]]) -> Spec:
    """Draw each judge's ratings over the items; a point has `place`, `height` and `judge`."""
    colours, shapes = PALETTE[: len(judges)], SHAPES[: len(judges)]
    x = encoded("place", "quantitative", title="items, from the lowest to the highest mean rating")
    x["axis"] = {"grid": False, "labels": False, "titlePadding": 4}
    x["scale"] = {"zero": False, "nice": False, "padding": 8}
    y = encoded("height", "quantitative", title="rating")
    y["axis"] = _named_ticks(ticks)
    y["scale"] = {"zero": False, "nice": False, "padding": 8}
    colour = by("judge", judges, colours)
    lines = {"mark": {"type": "line", "strokeWidth": 1.2, "opacity": 0.75},
             "encoding": {"x": x, "y": y, "color": colour}}  # fmt: skip
    marks = {"mark": {"type": "point", "filled": True, "size": 22, "opacity": 1},
             "encoding": {"x": x, "y": y, "color": colour,
                          "shape": by("judge", judges, shapes)}}  # fmt: skip
    return drawing(points, layer=[lines, marks], width=WIDE, height=230)


def small_bars(bars: Rows, judges: Sequence[str], categories: Sequence[str], axis: str) -> Spec:
    """Draw one row of bars for each judge; a bar has `judge`, `category`, `share`, `text`."""
    top = max([bar["share"] for bar in bars], default=1) * 1.35
    x = encoded("category", "nominal", sort=list(categories), title=axis)
    x["axis"] = {"grid": False, "labelAngle": 0, "labelOverlap": True, "labelColor": INK}
    x["scale"] = {"paddingInner": 0.25}
    y = encoded("share", "quantitative", title=None, axis=None, scale={"domain": [0, top]})
    drawn = {"mark": {"type": "bar", "color": AGREEMENT_COLOUR}, "encoding": {"x": x, "y": y}}
    text = {"field": "text", "type": "nominal"}
    written = {"mark": {"type": "text", "dy": -6, "fontSize": 9, "color": MUTED},
               "encoding": {"x": x, "y": y, "text": text}}  # fmt: skip
    row: Spec = {"field": "judge", "type": "nominal", "sort": list(judges), "title": None}
    row["header"] = {"labelAngle": 0, "labelAlign": "left", "labelAnchor": "middle"}
    inside = {"layer": [drawn, written], "width": NARROW, "height": 44}
    return drawing(bars, facet={"row": row}, spec=inside, spacing=6)


def two_ways(points: Rows, axis: str) -> Spec:
    """Draw severity across and consistency up, with both intervals and each judge's name.

    A point has `judge`, `x`, `y`, the ends `x_low`, `x_high`, `y_low`, `y_high`, and `label`.
    """
    x = encoded("x", "quantitative", title=axis, scale={"zero": True, "padding": 14})
    x["axis"] = {"tickCount": 5}
    y = encoded("y", "quantitative", title="consistency (correlation with the others)")
    y["scale"] = {"zero": False, "padding": 14}
    centre = {"data": {"values": [{}]}, "mark": {"type": "rule", "strokeDash": [3, 3]},
              "encoding": {"x": {"datum": 0}}}  # fmt: skip
    marks = [
        centre,
        _whisker(x | {"field": "x_low"}, y, "x2", "x_high"),
        _whisker(x, y | {"field": "y_low"}, "y2", "y_high"),
        {"mark": {"type": "point", "filled": True, "size": 70, "opacity": 1,
                  "color": AGREEMENT_COLOUR}, "encoding": {"x": x, "y": y}},
        {"mark": {"type": "text", "align": "left", "dx": 7, "dy": -8, "fontWeight": 600},
         "encoding": {"x": x, "y": y, "text": {"field": "label", "type": "nominal"}}},
    ]  # fmt: skip
    return drawing(points, layer=marks, width=NARROW + 40, height=220)


def _whisker(x: Spec, y: Spec, end: str, field: str) -> Spec:
    mark = {"type": "rule", "strokeWidth": 1.5, "opacity": 0.6, "color": AGREEMENT_COLOUR}
    return {"mark": mark, "encoding": {"x": x, "y": y, end: {"field": field}}}


def _threshold(value: float, colour: str) -> list[Spec]:
    """Draw a dashed line with its value on top."""
    rule = {"type": "rule", "strokeDash": [4, 3], "color": colour, "opacity": 0.7}
    text = {"type": "text", "dy": -7, "fontSize": 10, "color": colour}
    where: Spec = {"data": {"values": [{}]}, "encoding": {"x": {"datum": value}}}
    words = {"y": {"value": 0}, "text": {"value": f"{value:g}".lstrip("0")}}
    return [where | {"mark": rule},
            where | {"mark": text, "encoding": where["encoding"] | words}]  # fmt: skip


def _named_ticks(ticks: Sequence[tuple[float, str]]) -> Spec:
    """Put ticks at some heights, with words of the study's own."""
    if not ticks:
        return {}
    words = json.dumps({f"{height:g}": word for height, word in ticks})
    return {"values": [height for height, _ in ticks], "labelExpr": f"({words})['' + datum.value]"}


def encoded(field: str, kind: str, **more: Any) -> Spec:
    """Encode a field of the rows."""
    return {"field": field, "type": kind, **more}


def by(field: str, domain: Sequence[str], range_: Sequence[str]) -> Spec:
    """Tell the values of a field apart by colours or shapes."""
    scale = {"domain": list(domain), "range": list(range_)}
    return {"field": field, "type": "nominal", "scale": scale}


def drawing(rows: Rows, **parts: Any) -> Spec:
    """Put rows and marks together in the house's style."""
    schema = "https://vega.github.io/schema/vega-lite/v5.json"
    return {"$schema": schema, "config": CONFIG, "data": {"values": list(rows)}, **parts}
