"""Pictures of a comparison of systems, as Vega-Lite specifications."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
    mark,
)

AUTHORS = ("system", "human author")

MOST_WRITTEN = 10
"""Ranks up to which each chance is written into its square."""

LABEL = 15
"""The height of a label in the picture, in its units."""


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
    point: Spec = {"y": y, "x": x}
    colour = {} if humans else {"color": AGREEMENT_COLOUR}
    if humans:
        legend = {"legend": {"columnPadding": 16}}
        colours = (AGREEMENT_COLOUR, CORRELATION_COLOUR)
        point["shape"] = by("author", AUTHORS, SHAPES[:2]) | legend
        point["color"] = by("author", AUTHORS, colours) | legend
    letters = {"y": y, "x": {"value": NARROW}, "text": {"field": "letters", "type": "nominal"}}
    marks = [
        _interval_line(x, y, "wide_", 1.25),
        _interval_line(x, y, "", 4),
        mark("point", point, filled=True, size=80, opacity=1, **colour),
        mark("text", letters, align="left", dx=10, fontWeight=600),
    ]
    return drawing(rows, layer=marks, width=NARROW, height={"step": 26})


def _interval_line(x: Spec, y: Spec, kind: str, width: float) -> Spec:
    ends = {"y": y, "x": x | {"field": f"{kind}low"}, "x2": {"field": f"{kind}high"}}
    return mark("rule", ends, strokeWidth=width, color=AGREEMENT_COLOUR)


def rank_chances(cells: Rows, order: Sequence[str], n_ranks: int) -> Spec:
    """Draw how probable each rank is for each system.

    A cell has `name`, `rank`, `chance` (0 to 1) and `text`.
    """
    step = max(14, min(34, NARROW // max(n_ranks, 1)))
    plain = {"grid": False, "labelColor": INK, "labelPadding": 8}
    ranks = list(range(1, n_ranks + 1))
    x = encoded("rank", "ordinal", sort=ranks, title="rank (1 is the best)")
    x["axis"] = plain | {"labelAngle": 0, "labelOverlap": True}
    x["scale"] = {"domain": ranks, "paddingInner": 0.06}
    y = encoded("name", "nominal", sort=list(order), title=None)
    y |= {"axis": plain | {"labelFontSize": 12}, "scale": {"paddingInner": 0.06}}
    strength = encoded("chance", "quantitative", legend=None)
    strength["scale"] = {"domain": [0, 1], "range": [0.04, 0.75]}
    squares = {"x": x, "y": y, "opacity": strength}
    marks = [mark("rect", squares, cornerRadius=3, color=AGREEMENT_COLOUR)]
    if n_ranks <= MOST_WRITTEN:
        marks.append(
            mark("text", {"x": x, "y": y, "text": encoded("text", "nominal")}, fontSize=10)
        )
    height = 26 if n_ranks <= MOST_WRITTEN else 20
    return drawing(cells, layer=marks, width={"step": step}, height={"step": height})


def slopes(points: Rows, n_lines: int, *, descending: bool) -> Spec:
    """Draw a line for each system from its score before to its score after; better is higher.

    A point has `name`, `when` (before, after), `score`, `label` and the `height` of its label,
    which stands instead of an axis; `moved` lines are coloured.
    """
    when = ["before", "after"]
    x = encoded("when", "nominal", sort=when, title=None)
    x["axis"] = {"labelAngle": 0, "grid": False, "labelColor": INK, "orient": "top"}
    x["scale"] = {"domain": when, "padding": 0.9}
    y = encoded("score", "quantitative", axis=None)
    y["scale"] = {"zero": False, "nice": False, "reverse": descending, "padding": 10}
    colour = by("moved", ("changes its rank", "keeps its rank"), (PALETTE[1], MUTED))
    colour["legend"] = {"columnPadding": 16, "orient": "bottom"}
    here = {"x": x, "y": y, "color": colour}
    marks = [
        mark("line", here | {"detail": {"field": "name"}}, strokeWidth=2),
        mark("point", here, filled=True, size=45, opacity=1),
        _labels(x, y, when[0], align="right", dx=-8),
        _labels(x, y, when[1], align="left", dx=8),
    ]
    return drawing(points, layer=marks, width=NARROW, height=_slopes_height(n_lines))


def _slopes_height(n_lines: int) -> int:
    return max(180, 24 * n_lines)


def _labels(x: Spec, y: Spec, when: str, *, align: str, dx: int) -> Spec:
    """Write names beside the points, on the outside."""
    text = {"x": x, "y": y | {"field": "height"}, "text": encoded("label", "nominal")}
    here = {"transform": [{"filter": f"datum.when == '{when}'"}]}
    return here | mark("text", text, align=align, dx=dx, limit=150)


def label_heights(scores: Mapping[str, float]) -> dict[str, float]:
    """Move labels apart that would lie on each other, each as little as need be.

    Least squares under the condition of a least distance: labels that push each other share the
    middle of where they want to be.
    """
    order = sorted(scores, key=lambda name: scores[name])
    least = (scores[order[-1]] - scores[order[0]]) * LABEL / _slopes_height(len(order))
    heaps: list[tuple[float, int]] = []  # where a heap of labels wants to begin, and its size
    for place, name in enumerate(order):
        middle, size = scores[name] - place * least, 1
        while heaps and heaps[-1][0] > middle:
            other, more = heaps.pop()
            middle, size = (other * more + middle * size) / (more + size), more + size
        heaps.append((middle, size))
    begins = [middle for middle, size in heaps for _ in range(size)]
    return {name: begins[place] + place * least for place, name in enumerate(order)}
