"""The pictures of a plan: reliability over items and judges, and the lines of equal cost."""

from __future__ import annotations

from typing import Any

from covary.analysis.planning import CriterionPlan, Goal
from covary.reports.charts import Baseline, LineAxes, lines
from covary.reports.drawings import Panel
from covary.reports.formatting import amount, coefficient
from covary.reports.plots import (
    INK,
    MUTED,
    PALETTE,
    SHAPES,
    WIDE,
    Spec,
    by,
    drawing,
    encoded,
    mark,
)
from covary.words import counted


def size_panel(criterion: CriterionPlan) -> Panel:
    """Draw what studies of several sizes reach, beside what is asked for."""
    systems = criterion.object == "systems"
    spec = systems_picture(criterion) if systems else votes_picture(criterion)
    rows = spec["data"]["values"]
    points = [
        {
            "series": row["judges"],
            "x": row["items"],
            "value": row["reliability"],
            "text": f"{row['items']:g}: {coefficient(row['reliability'])}",
        }
        for row in rows
    ]
    axes = LineAxes(
        x="items of each system" if systems else "ratings of each item",
        y="reliability",
        log="x" if systems else "",
        y_ends=(0.0, 1.0),
    )
    goal = Baseline(
        value=criterion.goal.target, name=f"target: {coefficient(criterion.goal.target)}"
    )
    return lines(points, list(dict.fromkeys(row["judges"] for row in rows)), axes, goal)


def contour_panel(criterion: CriterionPlan) -> Panel:
    """Draw lines of equal reliability and, dashed, of equal cost; a mark is the proposed study."""
    points: list[dict[str, Any]] = [
        {
            "series": f"at {coefficient(point.level)}"
            if point.kind == "reliability"
            else f"cost {amount(point.level)}",
            "x": point.judges,
            "value": point.items,
            "dashed": point.kind != "reliability",
            "text": f"{counted(point.judges, 'judge')}, {point.items:.0f} items",
        }
        for point in criterion.contours
    ]
    study = criterion.best or criterion.now
    assert study is not None
    proposed = {
        "series": "this study",
        "x": study.size.judges,
        "value": study.size.items,
        "text": f"{counted(study.size.judges, 'judge')}, {study.size.items} items",
    }
    names = list(dict.fromkeys(point["series"] for point in points))
    axes = LineAxes(
        x="judges; lines of one reliability, and of one cost",
        y="items of each system",
        log="y",
        write=lambda items: f"{items:,.0f}",
    )
    return lines([*points, proposed], [*names, "this study"], axes)


def systems_picture(criterion: CriterionPlan) -> Spec:
    """Draw one line for each number of judges, over the items of each system."""
    cells = criterion.grid
    judges = sorted({cell.size.judges for cell in cells})[: len(PALETTE)]
    rows = [
        {
            "items": cell.size.items,
            "reliability": cell.dependability if criterion.goal.absolute else cell.generalisability,
            "judges": counted(cell.size.judges, "judge"),
        }
        for cell in cells
        if cell.size.judges in judges
    ]
    names = [counted(number, "judge") for number in judges]
    x = encoded("items", "quantitative", title="items of each system", scale={"type": "log"})
    return _lines(rows, x, names, criterion.goal)


def votes_picture(criterion: CriterionPlan) -> Spec:
    """Draw the order and the values, over the ratings of an item."""
    rows = [
        {"items": cell.size.votes, "reliability": value, "judges": name}
        for cell in criterion.grid
        for name, value in (("order", cell.generalisability), ("values", cell.dependability))
    ]
    x = encoded("items", "quantitative", title="ratings of each item")
    return _lines(rows, x, ["order", "values"], criterion.goal)


def _lines(rows: list[dict[str, Any]], x: Spec, names: list[str], goal: Goal) -> Spec:
    y = encoded("reliability", "quantitative", title="reliability", scale={"domain": [0, 1]})
    colour = by("judges", names, PALETTE[: len(names)])
    shape = by("judges", names, SHAPES[: len(names)])
    here = {"x": x, "y": y, "color": colour}
    aim = mark("rule", {"y": {"datum": goal.target}}, strokeDash=[4, 3])
    points = mark("point", here | {"shape": shape}, filled=True, size=45, opacity=1)
    return drawing(rows, layer=[aim, mark("line", here), points], width=WIDE // 2, height=220)


def contour_picture(criterion: CriterionPlan) -> Spec:
    """Draw lines of equal reliability and, dashed, of equal cost; a mark is the proposed study."""
    rows: list[dict[str, Any]] = [
        {
            "judges": point.judges,
            "items": point.items,
            "kind": point.kind,
            "line": f"reliability {coefficient(point.level)}"
            if point.kind == "reliability"
            else f"cost {amount(point.level)}",
        }
        for point in criterion.contours
    ]
    last = {row["line"]: row for row in rows if row["kind"] == "reliability"}
    first = {row["line"]: row for row in reversed(rows) if row["kind"] == "cost"}
    ends = [{**row, "end": row["line"].split()[1]} for row in last.values()]
    costs_at = [{**row, "end": row["line"]} for row in first.values()]
    study = criterion.best or criterion.now
    assert study is not None
    x = encoded(
        "judges",
        "quantitative",
        title="judges",
        scale={"zero": False, "nice": False, "padding": 18},
    )
    y = encoded("items", "quantitative", title="items of each system", scale={"type": "log"})
    names = list(dict.fromkeys(row["line"] for row in rows if row["kind"] == "reliability"))
    here, own = {"x": x, "y": y}, {"detail": encoded("line", "nominal")}
    lines = mark("line", here | {"color": by("line", names, PALETTE[: len(names)])})
    lines["transform"] = [{"filter": "datum.kind == 'reliability'"}]
    costs = mark("line", here | own, strokeDash=[4, 3], color=MUTED, strokeWidth=1)
    costs["transform"] = [{"filter": "datum.kind == 'cost'"}]
    words = mark("text", here | {"text": encoded("end", "nominal")}, align="left", dx=5, color=INK)
    words["data"] = {"values": ends}
    prices = mark(
        "text",
        here | {"text": encoded("end", "nominal")},
        align="left",
        dy=-6,
        color=MUTED,
        fontSize=10,
    )
    prices["data"] = {"values": costs_at}
    place = {"judges": study.size.judges, "items": study.size.items}
    chosen = mark("point", here, filled=True, size=110, color=INK, shape="diamond", opacity=1)
    chosen["data"] = {"values": [place]}
    layers = [costs, lines, words, prices, chosen]
    return drawing(rows, layer=layers, width=WIDE // 2 + 60, height=260)
