"""Pictures of a comparison of scales, as Vega-Lite specifications."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from covary.reports.plots import (
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
    mark,
)

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
    same = {"data": {"values": [{"x": end, "y": end} for end in ends]}}
    same |= mark("line", {"x": x, "y": y}, strokeDash=[4, 3], strokeWidth=1.2, color=MUTED)
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
    ends = {"x": x, "y": y | {"field": "low"}, "y2": {"field": "high"}}
    whiskers = mark("rule", ends, strokeWidth=1.5, opacity=0.6, color=AGREEMENT_COLOUR)
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
    place = {"x": x, "y": y, "size": size}
    dots = mark("point", place, filled=True, opacity=0.6, color=AGREEMENT_COLOUR)
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
    words = here | {"x": x, "text": {"field": "count"}, "color": {"value": INK}}
    marks = [
        mark("rule", here | {"x": x, "x2": {"datum": 0}}, strokeWidth=2, opacity=0.6),
        mark("point", here | {"x": x, "shape": shapes}, filled=True, size=75, opacity=1),
        mark("text", words, align="left", dx=9),
    ]
    return drawing(rows, layer=marks, width=NARROW, height={"step": 18})


def _named_points(x: Spec, y: Spec) -> list[Spec]:
    style: Spec = {"filled": True, "size": 60, "opacity": 1, "color": AGREEMENT_COLOUR}
    return [mark("point", {"x": x, "y": y}, **style), *(_names(x, y, side) for side in SIDES)]


def _names(x: Spec, y: Spec, side: str) -> Spec:
    """Write the names that stand on one side of their points."""
    shift = {"align": "left", "dx": 6} if side == "right" else {"align": "right", "dx": -6}
    here: Spec = {"transform": [{"filter": f"datum.side === '{side}'"}]}
    text = {"x": x, "y": y, "text": encoded("label", "nominal")}
    return here | mark("text", text, dy=-6, fontSize=10, **shift)


def with_sides(points: Rows) -> list[dict[str, Any]]:
    """Say on which side of its point each name stands, so that neighbours do not overlap."""
    spans = [max(max(p[way] for p in points) - min(p[way] for p in points), 1e-9) for way in "xy"]

    def near(left: Mapping[str, Any], right: Mapping[str, Any]) -> bool:
        across = (right["x"] - left["x"]) / spans[0]
        up = abs(right["y"] - left["y"]) / spans[1]
        return bool(across < CLOSE[0] and up < CLOSE[1])

    placed: list[dict[str, Any]] = []
    for point in sorted(points, key=lambda point: point["x"]):
        crowded = any(other["side"] == "right" and near(other, point) for other in placed)
        ahead = any(other["x"] > point["x"] and near(point, other) for other in points)
        placed.append(dict(point) | {"side": "left" if ahead and not crowded else "right"})
    return placed


def _line(height: float, *, dashed: bool) -> Spec:
    colour = CORRELATION_COLOUR if dashed else MUTED
    style: Spec = {"color": colour, "strokeDash": [4, 3]} if dashed else {"color": colour}
    return {"data": {"values": [{}]}} | mark("rule", {"y": {"datum": height}}, **style)
