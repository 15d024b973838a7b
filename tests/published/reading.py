"""Reads the cases: what a paper or another program says about a table of ratings."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from covary import Ratings, VerbalScale, datasets

CASES = Path(__file__).parent / "cases"

KINDS = ("published", "computed", "policy")


@dataclass(frozen=True)
class Case:
    """One number that covary must reproduce, and where it comes from.

    `kind` is "published" (printed in a paper or manual), "computed" (by another program) or
    "policy" (undefined, and must be said to be). `read` says what is compared; `exact` is the same
    number to more digits than `expected`, from the program in `exact_source`. `warns` says that
    covary must warn that the coefficient does not suit the level.
    """

    name: str
    source: str
    kind: str
    data: dict[str, Any]
    level: str
    coefficient: str
    expected: Any
    options: dict[str, Any] = field(default_factory=dict)
    category: Any = None
    read: str = "value"
    tolerance: float = 0.0
    exact: Any = None
    exact_source: str = ""
    warns: bool = False
    note: str = ""

    @property
    def ratings(self) -> Ratings:
        return FORMATS[self.data["format"]](self.data, self.level)

    @property
    def variant(self) -> str:
        """The coefficient with its variant, as `covary.suitability` names it."""
        words = [self.coefficient]
        weights = self.options.get("weights")
        if self.coefficient == "krippendorff_alpha":
            own = "distance" in self.options
            words.append("own distances" if own else self.options.get("level", self.level))
        elif isinstance(weights, list):
            words.append("own weights")
        elif weights and self.coefficient != "gwet_ac2":
            words.append("weighted")
        elif self.options.get("tolerance"):
            words.append("tolerance")
        return words[0] if len(words) == 1 else f"{words[0]} ({words[1]})"


def cases_of(path: Path) -> list[Case]:
    """Read the cases of a file, each with its data."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    return [Case(**{**case, "data": content["data"][case["data"]]}) for case in content["case"]]


def all_cases() -> list[Case]:
    return [case for path in sorted(CASES.glob("*.toml")) for case in cases_of(path)]


def _matrix(data: dict[str, Any], level: str) -> Ratings:
    """One line per item and one column per judge; a dot where there is no rating."""
    return Ratings.from_wide(_rows(data), **_scale(data, level))


def _contingency_table(data: dict[str, Any], level: str) -> Ratings:
    """Two judges: how many items the first (rows) and the second (columns) put where."""
    categories, rows = data["categories"], _rows(data)
    cells = [(a, b) for a in range(len(categories)) for b in range(len(categories))]
    table = {
        "first": [categories[a] for a, _ in cells],
        "second": [categories[b] for _, b in cells],
        "items": [rows[a][b] for a, b in cells],
    }
    return Ratings.from_counts(table, judges=["first", "second"], **_scale(data, level))


def _counts(data: dict[str, Any], level: str) -> Ratings:
    """One line per item: how many ratings each category received, by nobody knows whom."""
    given = [
        [
            category
            for category, times in zip(data["categories"], row, strict=True)
            for _ in range(times)
        ]
        for row in _rows(data)
    ]
    most = max(len(ratings) for ratings in given)
    matrix = [ratings + [None] * (most - len(ratings)) for ratings in given]
    return Ratings.from_wide(matrix, judges="slots", **_scale(data, level))


def _long(data: dict[str, Any], level: str) -> Ratings:
    """One line per rating."""
    columns = zip(*_rows(data), strict=True)
    frame = {name: list(column) for name, column in zip(data["columns"], columns, strict=True)}
    return Ratings(frame, **_scale(data, level))


def _shipped(data: dict[str, Any], level: str) -> Ratings:
    """A table that ships with covary and declares its own scales."""
    return datasets.load(data["dataset"])


FORMATS = {
    "matrix": _matrix,
    "contingency table": _contingency_table,
    "counts": _counts,
    "long": _long,
    "shipped": _shipped,
}


def _scale(data: dict[str, Any], level: str) -> dict[str, Any]:
    """Declare the scale where the data say which categories there are, else only its level."""
    if "categories" in data:
        return {"scale": VerbalScale(data["categories"], level=level)}
    return {"level": level}


def _rows(data: dict[str, Any]) -> list[list[Any]]:
    return [[_cell(text) for text in line.split()] for line in data["table"].splitlines()]


def _cell(text: str) -> Any:
    if text == ".":
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
