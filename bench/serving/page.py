"""The tables in the documentation."""

from pathlib import Path

__all__ = ["written"]

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"
BEGIN, END = "<!-- serving: begin -->", "<!-- serving: end -->"


def written(text: str) -> None:
    """Put the tables into the page, between its two marks."""
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")
