"""The tables and the picture in the documentation."""

from pathlib import Path

import vl_convert

from covary.reports.plots import CONFIG, INK, PALETTE

__all__ = ["drawn", "table", "written"]

DOCS = Path(__file__).parents[2] / "docs"
PAGE, PICTURE = DOCS / "benchmarks.md", DOCS / "images" / "growth.svg"
BEGIN, END = "<!-- large: begin -->", "<!-- large: end -->"


def written(text: str) -> None:
    """Put the tables into the page, between its two marks."""
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")


def table(head: list[str], lines: list[list[str]]) -> str:
    rule = ["---"] * len(head)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [head, rule, *lines])


def drawn(rows: list[dict]) -> None:
    """Draw seconds against items, judges and categories, beside a plain scan of the same files."""
    panels = [_panel(rows, grown) for grown in dict.fromkeys(row["grown"] for row in rows)]
    spec = {"config": CONFIG | {"background": "white"}, "hconcat": panels}
    PICTURE.write_text(vl_convert.vegalite_to_svg(spec), encoding="utf-8")


def _panel(rows: list[dict], grown: str) -> dict:
    values = [
        {"amount": row["amount"], "seconds": row[what], "what": said}
        for row in rows
        if row["grown"] == grown
        for what, said in (("seconds", "four coefficients"), ("scan", "plain scan"))
    ]
    x = {"field": "amount", "type": "quantitative", "title": grown, "scale": {"zero": False},
         "axis": {"tickCount": 4, "format": "~s"}}  # fmt: skip
    y = {"field": "seconds", "type": "quantitative", "title": "processor seconds"}
    said = ["four coefficients", "plain scan"]
    colour = {"field": "what", "type": "nominal", "sort": said,
              "scale": {"domain": said, "range": [PALETTE[0], INK]}}  # fmt: skip
    shape = {"field": "what", "type": "nominal", "sort": said, "scale": {"domain": said}}
    return {
        "width": 170,
        "height": 160,
        "data": {"values": values},
        "mark": {"type": "line", "point": {"filled": True, "size": 40}},
        "encoding": {"x": x, "y": y, "color": colour, "shape": shape},
    }
