"""Pictures of a comparison of systems, as Vega-Lite specifications."""

from __future__ import annotations

from collections.abc import Sequence

from covary.report.plots import (
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

__all__ = ["means_with_intervals", "rank_chances", "slopes", "slopes_height"]

AUTHORS = ("system", "human author")

MOST_WRITTEN = 10
"""Ranks up to which each chance is written into its square."""


def means_with_intervals(
    rows: Rows, order: Sequence[str], axis: str, *, humans: bool, descending: bool
) -> Spec:
    """Draw the mean of each system with both intervals, its letters at the right edge.

    A row has `name`, `value`, `letters`, `author` and, where they are known, `low`, `high` (a
    thick line) and `wide_low`, `wide_high` (a thin one). The better end is always to the right.
    """
    y = encoded("name", "nominal", sort=list(order), title=None)
    y["axis"] = {"grid": False, "labelColor": INK, "labelFontSize": 12, "labelPadding": 10}
    scale: Spec = {"zero": False, "nice": True, "reverse": descending}
    x = encoded("value", "quantitative", title=axis, scale=scale, axis={"tickCount": 5})
    marks: list[Spec] = [
        {"mark": {"type": "rule", "strokeWidth": width, "color": AGREEMENT_COLOUR},
         "encoding": {"y": y, "x": x | {"field": f"{kind}low"}, "x2": {"field": f"{kind}high"}}}
        for kind, width in (("wide_", 1.25), ("", 4))
    ]  # fmt: skip
    point: Spec = {"y": y, "x": x}
    if humans:
        legend = {"columnPadding": 16}
        point["shape"] = by("author", AUTHORS, SHAPES[:2]) | {"legend": legend}
        point["color"] = by("author", AUTHORS, (AGREEMENT_COLOUR, CORRELATION_COLOUR))
        point["color"]["legend"] = legend
    colour = {} if humans else {"color": AGREEMENT_COLOUR}
    marks.append(
        {"mark": {"type": "point", "filled": True, "size": 80, "opacity": 1, **colour},
         "encoding": point}
    )  # fmt: skip
    marks.append(
        {"mark": {"type": "text", "align": "left", "dx": 10, "fontWeight": 600},
         "encoding": {"y": y, "x": {"value": NARROW},
                      "text": {"field": "letters", "type": "nominal"}}}
    )  # fmt: skip
    return drawing(rows, layer=marks, width=NARROW, height={"step": 26})


def rank_chances(cells: Rows, order: Sequence[str], n_ranks: int) -> Spec:
    """Draw how probable each rank is for each system.

    A cell has `name`, `rank`, `chance` (0 to 1) and `text`.
    """
    step = max(14, min(34, NARROW // max(n_ranks, 1)))
    plain = {"grid": False, "labelColor": INK, "labelPadding": 8}
    ranks = list(range(1, n_ranks + 1))
    x = encoded("rank", "ordinal", sort=ranks, title="rank (1 is the best)")
    x |= {"axis": plain | {"labelAngle": 0, "labelOverlap": True},
          "scale": {"domain": ranks, "paddingInner": 0.06}}  # fmt: skip
    y = encoded("name", "nominal", sort=list(order), title=None)
    y |= {"axis": plain | {"labelFontSize": 12}, "scale": {"paddingInner": 0.06}}
    strength: Spec = {"field": "chance", "type": "quantitative", "legend": None}
    strength["scale"] = {"domain": [0, 1], "range": [0.04, 0.75]}
    marks: list[Spec] = [
        {"mark": {"type": "rect", "cornerRadius": 3, "color": AGREEMENT_COLOUR},
         "encoding": {"x": x, "y": y, "opacity": strength}}
    ]  # fmt: skip
    if n_ranks <= MOST_WRITTEN:
        marks.append(
            {"mark": {"type": "text", "fontSize": 10},
             "encoding": {"x": x, "y": y, "text": {"field": "text", "type": "nominal"}}}
        )  # fmt: skip
    height = 26 if n_ranks <= MOST_WRITTEN else 20
    return drawing(cells, layer=marks, width={"step": step}, height={"step": height})


def slopes(points: Rows, names: Sequence[str], *, descending: bool) -> Spec:
    """Draw a line for each system from its score before to its score after; better is higher.

    A point has `name`, `when` (before, after), `score`, `label` and the `height` of its label,
    which stands instead of an axis; `moved` lines are coloured.
    """
    when = ["before", "after"]
    x = encoded("when", "nominal", sort=when, title=None)
    x |= {"axis": {"labelAngle": 0, "grid": False, "labelColor": INK, "orient": "top"},
          "scale": {"domain": when, "padding": 0.9}}  # fmt: skip
    y = encoded("score", "quantitative", axis=None)
    y["scale"] = {"zero": False, "nice": False, "reverse": descending, "padding": 10}
    colour = by("moved", ("changes its rank", "keeps its rank"), (PALETTE[1], MUTED))
    colour["legend"] = {"columnPadding": 16, "orient": "bottom"}
    line = {"mark": {"type": "line", "strokeWidth": 2},
            "encoding": {"x": x, "y": y, "color": colour, "detail": {"field": "name"}}}  # fmt: skip
    point = {"mark": {"type": "point", "filled": True, "size": 45, "opacity": 1},
             "encoding": {"x": x, "y": y, "color": colour}}  # fmt: skip
    return drawing(
        points,
        layer=[line, point, *(_labels(x, y, when, side) for side in (0, 1))],
        width=NARROW,
        height=slopes_height(len(names)),
    )


def slopes_height(n_lines: int) -> int:
    """How high the picture of so many lines is."""
    return max(180, 24 * n_lines)


def _labels(x: Spec, y: Spec, when: Sequence[str], side: int) -> Spec:
    """Write names beside the points, on the outside."""
    mark = {"type": "text", "align": ("right", "left")[side], "dx": (-8, 8)[side], "limit": 150}
    here = {"filter": f"datum.when == '{when[side]}'"}
    text = {"field": "label", "type": "nominal"}
    height = y | {"field": "height"}
    return {"transform": [here], "mark": mark, "encoding": {"x": x, "y": height, "text": text}}
