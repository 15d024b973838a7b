"""Pictures of a comparison of scales, as Vega-Lite specifications."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from covary.report.plots import (
    AGREEMENT_COLOUR,
    CORRELATION_COLOUR,
    INK,
    MUTED,
    NARROW,
    SHAPES,
    Rows,
    Spec,
    by,
    drawing,
    encoded,
)

__all__ = ["against", "bland_altman", "counts_found", "retests"]

WAYS = ("as designed", "as published")

SIDES = ("right", "left")

CLOSE = (0.16, 0.07)
"""Points nearer than these shares of the picture have names that would overlap."""

SMALL = 62
"""The side of one judge's square."""


def against(points: Rows, axes: tuple[str, str], ends: tuple[float, float]) -> Spec:
    """Draw the systems on one scale against the other, with the line on which both are equal.

    A point has `x`, `y` and `label`.
    """
    limits = {"domain": list(ends), "nice": False}
    x = encoded("x", "quantitative", title=axes[0], scale=limits, axis={"tickCount": 5})
    y = encoded("y", "quantitative", title=axes[1], scale=limits, axis={"tickCount": 5})
    same = {
        "data": {"values": [{"x": end, "y": end} for end in ends]},
        "mark": {"type": "line", "strokeDash": [4, 3], "strokeWidth": 1.2, "color": MUTED},
        "encoding": {"x": x, "y": y},
    }
    marks = [same, *_named_points(x, y)]
    return drawing(with_sides(points), layer=marks, width=NARROW, height=NARROW)


def bland_altman(points: Rows, margin: float, axes: tuple[str, str]) -> Spec:
    """Draw each system's difference between the scales over its mean, with the margin.

    A point has `x`, `y`, `low`, `high` and `label`.
    """
    edges = [margin, *(row[end] for row in points for end in ("low", "high"))]
    far = 1.08 * max(abs(edge) for edge in edges)
    x = encoded("x", "quantitative", title=axes[0], scale={"zero": False, "padding": 18})
    y = encoded("y", "quantitative", title=axes[1], scale={"domain": [-far, far], "nice": False})
    x["axis"] = y["axis"] = {"tickCount": 5}
    lines = [_line(height, dashed=bool(height)) for height in (-margin, 0.0, margin)]
    whiskers = {
        "mark": {"type": "rule", "strokeWidth": 1.5, "opacity": 0.6, "color": AGREEMENT_COLOUR},
        "encoding": {"x": x, "y": y | {"field": "low"}, "y2": {"field": "high"}},
    }
    marks = [*lines, whiskers, *_named_points(x, y)]
    return drawing(with_sides(points), layer=marks, width=NARROW + 30, height=NARROW)


def retests(points: Rows, judges: Sequence[str]) -> Spec:
    """Draw second over first ratings, one small square for each judge.

    A point has `x`, `y` and `judge`; `times` is how often it occurs.
    """
    ends = [
        min(p[way] for p in points for way in "xy"),
        max(p[way] for p in points for way in "xy"),
    ]
    limits = {"domain": ends, "nice": False, "padding": 3}
    plain = {"values": ends, "labelFlush": True, "labelFontSize": 10, "titleFontSize": 10}
    x = encoded("x", "quantitative", title="first", scale=limits, axis=plain)
    y = encoded("y", "quantitative", title="second", scale=limits, axis=plain)
    size: Spec = {"field": "times", "type": "quantitative", "legend": None}
    size["scale"] = {"domain": [1, 6], "range": [16, 80]}
    dots = {
        "mark": {"type": "point", "filled": True, "opacity": 0.6, "color": AGREEMENT_COLOUR},
        "encoding": {"x": x, "y": y, "size": size},
    }
    facet: Spec = {"field": "judge", "type": "nominal", "sort": list(judges), "title": None}
    facet["header"] = {"labelFontSize": 10, "labelLimit": SMALL, "labelPadding": 2}
    inside = {"layer": [dots], "width": SMALL, "height": SMALL}
    return drawing(points, facet=facet, columns=4, spec=inside, spacing=10)


def counts_found(rows: Rows, order: Sequence[str], pairs: int) -> Spec:
    """Draw how many pairs of systems differ significantly; a row has `name`, `way`, `count`."""
    y = encoded("name", "nominal", sort=list(order), title=None)
    y["axis"] = {"grid": False, "labelColor": INK, "labelFontSize": 12, "labelPadding": 10}
    offset: Spec = {"field": "way", "type": "nominal", "sort": list(WAYS)}
    offset["scale"] = {"paddingOuter": 0.4}
    x = encoded("count", "quantitative", title=f"significant differences of {pairs}")
    x |= {"scale": {"domain": [0, pairs], "nice": False}, "axis": {"tickCount": 5}}
    legend = {"columnPadding": 16}
    colours = by("way", WAYS, (AGREEMENT_COLOUR, CORRELATION_COLOUR)) | {"legend": legend}
    shapes = by("way", WAYS, SHAPES[:2]) | {"legend": legend}
    here = {"y": y, "yOffset": offset, "color": colours}
    stems = {
        "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.6},
        "encoding": here | {"x": x, "x2": {"datum": 0}},
    }
    dots = {
        "mark": {"type": "point", "filled": True, "size": 75, "opacity": 1},
        "encoding": here | {"x": x, "shape": shapes},
    }
    words = {
        "mark": {"type": "text", "align": "left", "dx": 9},
        "encoding": here | {"x": x, "text": {"field": "count"}, "color": {"value": INK}},
    }
    return drawing(rows, layer=[stems, dots, words], width=NARROW, height={"step": 18})


def _named_points(x: Spec, y: Spec) -> list[Spec]:
    dots = {
        "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1,
                 "color": AGREEMENT_COLOUR},
        "encoding": {"x": x, "y": y},
    }  # fmt: skip
    return [dots, *(_names(x, y, side) for side in SIDES)]


def _names(x: Spec, y: Spec, side: str) -> Spec:
    """Write the names that stand on one side of their points."""
    shift = {"align": "left", "dx": 6} if side == "right" else {"align": "right", "dx": -6}
    return {
        "transform": [{"filter": f"datum.side === '{side}'"}],
        "mark": {"type": "text", "dy": -6, "fontSize": 10, **shift},
        "encoding": {"x": x, "y": y, "text": {"field": "label", "type": "nominal"}},
    }


def with_sides(points: Rows) -> list[dict[str, Any]]:
    """Say on which side of its point each name stands, so that neighbours do not overlap."""
    spans = [max(max(p[way] for p in points) - min(p[way] for p in points), 1e-9) for way in "xy"]
    placed: list[dict[str, Any]] = []
    for point in sorted(points, key=lambda each: each["x"]):
        crowded = any(
            other["side"] == "right"
            and (point["x"] - other["x"]) / spans[0] < CLOSE[0]
            and abs(point["y"] - other["y"]) / spans[1] < CLOSE[1]
            for other in placed
        )
        ahead = any(
            0 < (other["x"] - point["x"]) / spans[0] < CLOSE[0]
            and abs(point["y"] - other["y"]) / spans[1] < CLOSE[1]
            for other in points
        )
        side = "left" if ahead and not crowded else "right"
        placed.append(dict(point) | {"side": side})
    return placed


def _line(height: float, *, dashed: bool) -> Spec:
    mark: Spec = {"type": "rule", "color": CORRELATION_COLOUR if dashed else MUTED}
    if dashed:
        mark["strokeDash"] = [4, 3]
    return {"data": {"values": [{}]}, "mark": mark, "encoding": {"y": {"datum": height}}}
