"""Pictures of rounds of training, as Vega-Lite specifications."""

from __future__ import annotations

from collections.abc import Sequence

from covary.report.plots import (
    INK,
    NARROW,
    PALETTE,
    SHAPES,
    Rows,
    Spec,
    by,
    drawing,
    encoded,
)

__all__ = ["alphas_by_round", "convergence"]


def convergence(points: Rows, labels: Sequence[str], names: Sequence[str]) -> Spec:
    """Draw the share of items that differ significantly in each round, a line per criterion.

    A point has `round`, `name`, `share` and the ends `low` and `high` of its interval.
    """
    x = encoded("round", "ordinal", sort=list(labels), title="round")
    x["axis"] = {"labelAngle": 0, "grid": False, "labelColor": INK}
    x["scale"] = {"domain": list(labels), "padding": 0.4}
    y = encoded("share", "quantitative", title="items that differ significantly")
    y |= {"axis": {"format": ".0%", "tickCount": 5}, "scale": {"zero": True, "nice": True}}
    shown = list(names)
    colours = [PALETTE[place % len(PALETTE)] for place in range(len(shown))]
    shapes = [SHAPES[place % len(SHAPES)] for place in range(len(shown))]
    colour, shape = by("name", shown, colours), by("name", shown, shapes)
    for each in (colour, shape):
        each["legend"] = {"columns": 2, "columnPadding": 16} if len(shown) > 1 else None
    offset: Spec = {"field": "name", "type": "nominal", "sort": shown}
    offset["scale"] = {"paddingOuter": 3}
    place = {"x": x, "xOffset": offset, "color": colour}
    marks: list[Spec] = [
        {"mark": {"type": "line", "strokeWidth": 1.5}, "encoding": place | {"y": y}},
        {"mark": {"type": "rule", "strokeWidth": 1.5, "opacity": 0.6},
         "encoding": place | {"y": y | {"field": "low"}, "y2": {"field": "high"}}},
        {"mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
         "encoding": place | {"y": y, "shape": shape}},
    ]  # fmt: skip
    return drawing(points, layer=marks, width=NARROW + 40, height=220)


def alphas_by_round(rows: Rows, names: Sequence[str], labels: Sequence[str]) -> Spec:
    """Draw alpha in each round with its interval, the rounds of a criterion beneath each other.

    A row has `name`, `round`, `value` and, where they are known, `low` and `high`.
    """
    lowest = min([0.0, *(row[end] for row in rows for end in ("value", "low") if end in row)])
    y = encoded("name", "nominal", sort=list(names), title=None)
    y["axis"] = {"grid": False, "labelColor": INK, "labelFontSize": 12, "labelPadding": 10}
    offset: Spec = {"field": "round", "type": "nominal", "sort": list(labels)}
    offset["scale"] = {"paddingOuter": 0.5}
    x = encoded("value", "quantitative", title="alpha", scale={"domain": [lowest, 1]})
    shown = list(labels)
    colours = [PALETTE[place % len(PALETTE)] for place in range(len(shown))]
    shapes = [SHAPES[place % len(SHAPES)] for place in range(len(shown))]
    colour, shape = by("round", shown, colours), by("round", shown, shapes)
    for each in (colour, shape):
        each["legend"] = {"columnPadding": 16}
    here = {"y": y, "yOffset": offset, "color": colour}
    marks: list[Spec] = [
        {"mark": {"type": "rule", "strokeWidth": 4},
         "encoding": here | {"x": x | {"field": "low"}, "x2": {"field": "high"}}},
        {"mark": {"type": "point", "filled": True, "size": 75, "opacity": 1},
         "encoding": here | {"x": x, "shape": shape}},
    ]  # fmt: skip
    return drawing(rows, layer=marks, width=NARROW, height={"step": 20})
