"""Pictures of a crowd beside experts, as Vega-Lite specifications."""

from __future__ import annotations

from collections.abc import Sequence

from covary.reports.plots import (
    AGREEMENT_COLOUR,
    CORRELATION_COLOUR,
    INK,
    MUTED,
    NARROW,
    PALETTE,
    SHAPES,
    Rows,
    Spec,
    by,
    drawing,
    encoded,
)

DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [10, 3], [1, 3])
LINES = (INK, CORRELATION_COLOUR, *PALETTE[2:6], MUTED)
"""Experts are drawn in ink; methods in colours, and each with dashes of its own."""


def densities(rows: Rows, experts: Sequence[str], lines: Sequence[str], axis: str) -> Spec:
    """Draw how often arrangements have each agreement, a panel for each expert, with lines.

    A row of a density has `expert`, `x` and `share`; one of a line `expert`, `at` and `line`.
    """
    x = encoded("x", "quantitative", title=axis, axis={"tickCount": 5})
    x["scale"] = {"zero": False, "nice": True, "padding": 6}
    y = encoded("share", "quantitative", title=None, axis=None)
    colour = by("line", lines, LINES[: len(lines)])
    colour["legend"] = {"columns": 1, "symbolType": "stroke", "symbolSize": 300, "labelLimit": 240}
    dash: Spec = {"field": "line", "type": "nominal", "legend": colour["legend"]}
    dash["scale"] = {"domain": list(lines), "range": [list(d) for d in DASHES[: len(lines)]]}
    area = {
        "transform": [{"filter": "isValid(datum.share)"}],
        "mark": {"type": "area", "interpolate": "step", "color": AGREEMENT_COLOUR, "opacity": 0.45},
        "encoding": {"x": x, "y": y},
    }
    rules = {
        "transform": [{"filter": "isValid(datum.at)"}],
        "mark": {"type": "rule", "strokeWidth": 2},
        "encoding": {"x": x | {"field": "at"}, "color": colour, "strokeDash": dash},
    }
    panel: Spec = {"field": "expert", "type": "nominal", "sort": list(experts), "title": None}
    panel["header"] = {
        "labelAnchor": "start",
        "labelOrient": "top",
        "labelFontWeight": 600,
        "labelLimit": 260,
    }
    inside = {"layer": [area, rules], "width": NARROW + 50, "height": 90}
    return drawing(rows, facet={"row": panel}, spec=inside, spacing=14)


def votes_curve(
    points: Rows,
    methods: Sequence[str],
    *,
    axes: tuple[str, str],
    experts: tuple[float, float, float],
    costs: Sequence[str],
) -> Spec:
    """Draw agreement over the number of votes, with intervals, beside that between experts.

    A point has `votes`, `value`, `low`, `high`, `name`. `experts` are value, low and high of the
    agreement between experts (NaN for none); `costs` are what each number of votes costs.
    """
    most = max(row["votes"] for row in points)
    ticks = {"values": list(range(1, most + 1)), "format": "d", "grid": False}
    x = encoded("votes", "quantitative", title=axes[0], axis=ticks)
    x["scale"] = {"domain": [0.7, most + 0.3], "nice": False}
    y = encoded("value", "quantitative", title=axes[1], axis={"tickCount": 5})
    y["scale"] = {"zero": False, "nice": True}
    colour = by("name", methods, PALETTE[: len(methods)])
    shape = by("name", methods, SHAPES[: len(methods)])
    colour["legend"] = shape["legend"] = {"columns": 2, "columnPadding": 16, "offset": 20}
    here: Spec = {"x": x, "color": colour}
    marks: list[Spec] = [*_between_experts(experts, y)]
    marks += [
        {
            "mark": {"type": "rule", "strokeWidth": 1.5, "opacity": 0.6},
            "encoding": here | {"y": y | {"field": "low"}, "y2": {"field": "high"}},
        },
        {"mark": {"type": "line", "strokeWidth": 1.5}, "encoding": here | {"y": y}},
        {
            "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
            "encoding": here | {"y": y, "shape": shape},
        },
    ]
    if not costs:
        return drawing(points, layer=marks, width=NARROW + 30, height=200)
    above: Spec = {
        "orient": "top",
        "grid": False,
        "values": ticks["values"],
        "title": "cost",
        "labelExpr": f"{list(costs)!r}[datum.value - 1]",
        "titlePadding": 4,
    }
    priced = {"mark": {"type": "point", "opacity": 0}, "encoding": {"x": x | {"axis": above}}}
    drawn = {"layer": marks}
    return drawing(
        points,
        layer=[drawn, priced],
        width=NARROW + 30,
        height=200,
        resolve={"axis": {"x": "independent"}},
    )


def _between_experts(experts: tuple[float, float, float], y: Spec) -> list[Spec]:
    """Draw the agreement between experts as a line across, with its interval as a band."""
    value, low, high = experts
    if value != value:
        return []
    band = {
        "data": {"values": [{"value": low, "high": high}]},
        "mark": {"type": "rect", "color": MUTED, "opacity": 0.16},
        "encoding": {"y": y, "y2": {"field": "high"}},
    }
    line = {
        "data": {"values": [{"value": value}]},
        "mark": {"type": "rule", "strokeDash": [6, 3], "color": INK, "strokeWidth": 1.5},
        "encoding": {"y": y},
    }
    words = {
        "data": {"values": [{"value": value}]},
        "mark": {"type": "text", "align": "left", "dx": 4, "dy": -7},
        "encoding": {"y": y, "x": {"value": 0}, "text": {"value": "experts with each other"}},
    }
    return [band, line, words]
