"""Studies with one defect of a given strength, for the power of the check.

`python -m tests.slow.defects [studies]` computes every curve anew and writes
docs/images/check-power.csv and the picture beside it.
"""

import csv
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import vl_convert

from covary import Ratings
from covary.analysis.forensics import check
from covary.reports.plots import PALETTE, SHAPES, by, drawing, encoded, mark
from tests.analysis.forensics.studies import NAMES, judged, study

IMAGES = Path(__file__).parents[2] / "docs" / "images"
FIELDS = ("finding", "case", "axis", "strength", "found", "serious", "studies")

Draw = np.random.Generator


def short(column: np.ndarray, row: int) -> np.ndarray:
    """A column that lost a row: what follows moves up, and the last row is empty."""
    return np.r_[column[:row], column[row + 1 :], np.nan]


def chosen(draw: Draw, items: int, share: float) -> np.ndarray:
    return draw.permutation(items) < round(share * items)


def reversed_in_part(share: float, draw: Draw, items: int = 100) -> Ratings:
    values = judged(items, 4, seed=int(draw.integers(10**6)))
    rows = chosen(draw, items, share)
    values[rows, 1] = 6 - values[rows, 1]
    return study(values)


def random_in_part(share: float, draw: Draw, items: int = 100) -> Ratings:
    values = judged(items, 4, seed=int(draw.integers(10**6)))
    rows = chosen(draw, items, share)
    values[rows, 1] = draw.permutation(values[rows, 1])
    return study(values)


def copied_in_part(share: float, draw: Draw, points: int = 5) -> Ratings:
    values = judged(100, 4, points=points, seed=int(draw.integers(10**6)))
    rows = chosen(draw, 100, share)
    values[rows, 2] = values[rows, 0]
    return study(values, scale="1-5" if points else "0-100")


def linked(share: float, draw: Draw) -> Ratings:
    """Five of twelve accounts with the same answers to a share of 40 items."""
    values = judged(40, 12, noise=0.9, seed=int(draw.integers(10**6)))
    for account in range(5, 9):
        rows = chosen(draw, 40, share)
        values[rows, account] = values[rows, 4]
    return study(values, names=[f"A{number:02}" for number in range(12)])


def narrow(share: float, draw: Draw) -> Ratings:
    values = judged(60, 4, seed=int(draw.integers(10**6)))
    values[chosen(draw, 60, share), 1] = 3
    return study(values)


def straight(share: float, draw: Draw) -> Ratings:
    values = judged(100, 3, seed=int(draw.integers(10**6)))
    order = np.argsort(draw.random(values.shape), axis=0)
    values[order[:, 1] < round(100 * share), 1] = 3
    return study(values, order=order)


def hasty(share: float, draw: Draw) -> Ratings:
    values = judged(60, 3, seed=int(draw.integers(10**6)))
    seconds = draw.lognormal(2.5, 0.4, values.shape)
    seconds[chosen(draw, 60, share), 2] = 0.5
    return study(values, seconds=seconds)


def sorted_in_part(share: float, draw: Draw, judges: int = 5) -> Ratings:
    values = judged(100, judges, seed=int(draw.integers(10**6)))
    rows = chosen(draw, 100, share)
    values[rows] = np.sort(values[rows], axis=1)
    return study(values)


def slipped_judge(share: float, draw: Draw, items: int = 100) -> Ratings:
    values = judged(items, 3, noise=0.5, seed=int(draw.integers(10**6)))
    if share:
        values[:, 1] = short(values[:, 1], round((1 - share) * items))
    return study(values)


def slipped_criterion(share: float, draw: Draw, items: int = 200) -> Ratings:
    quality = draw.normal(size=items)
    columns: dict[str, list] = {"item": [], "judge": [], "rating": [], "criterion": []}
    for name in ("fluency", "clarity", "relevance"):
        seen = 0.8 * quality + 0.6 * draw.normal(size=items)
        for judge in ("Ann", "Bo"):
            rating = np.clip(np.round(3 + seen + 0.4 * draw.normal(size=items)), 1, 5)
            if name == "relevance" and share:
                rating = short(rating, round((1 - share) * items))
            columns["item"] += range(items)
            columns["judge"] += [judge] * items
            columns["rating"] += rating.tolist()
            columns["criterion"] += [name] * items
    return Ratings(columns, scale="1-5")


def wrong_retests(share: float, draw: Draw, items: int = 100) -> Ratings:
    quality, severity = draw.normal(size=(items, 1)), draw.normal(0, 0.3, 2)
    pairing = np.arange(items)
    rows = np.flatnonzero(chosen(draw, items, share))
    pairing[rows] = draw.permutation(rows)
    columns: dict[str, list] = {"item": [], "judge": [], "rating": [], "occasion": []}
    for occasion in (1, 2):
        seen = quality + severity + 0.5 * draw.normal(size=(items, 2))
        values = np.clip(np.round(3 + (seen if occasion == 1 else seen[pairing])), 1, 5)
        item, judge = np.indices(values.shape).reshape(2, -1)
        columns["item"] += item.tolist()
        columns["judge"] += [NAMES[number] for number in judge]
        columns["rating"] += values.ravel().tolist()
        columns["occasion"] += [occasion] * values.size
    return Ratings(columns, scale="1-5")


def confounded(share: float, draw: Draw) -> Ratings:
    """A strict judge lacks a share of the ratings of one of three systems."""
    values = judged(150, 3, noise=0.5, points=7, seed=int(draw.integers(10**6)))
    values[:, 0] = np.clip(values[:, 0] - 2, 1, 7)
    system = np.arange(150) % 3
    own = np.flatnonzero(system == 0)
    values[own[: round(share * own.size)], 0] = np.nan
    return study(values, scale="1-7", system=[f"s{number}" for number in system])


@dataclass(frozen=True, kw_only=True)
class Curve:
    """A finding, the case that it is tried on, what its strength is, and the studies."""

    finding: str
    case: str
    axis: str
    make: Callable[[float, Draw], Ratings]
    strengths: tuple[float, ...] = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


CURVES = (
    Curve(finding="reversed-judge", case="100 items, 4 judges", axis="share of answers reversed",
          make=reversed_in_part),
    Curve(finding="reversed-judge", case="30 items, 4 judges", axis="share of answers reversed",
          make=lambda share, draw: reversed_in_part(share, draw, 30)),
    Curve(finding="random-judge", case="100 items, 4 judges", axis="share of answers at random",
          make=random_in_part),
    Curve(finding="random-judge", case="300 items, 4 judges", axis="share of answers at random",
          make=lambda share, draw: random_in_part(share, draw, 300)),
    Curve(finding="copying-judge", case="five points", axis="share of answers copied",
          make=copied_in_part),
    Curve(finding="copying-judge", case="a line", axis="share of answers copied",
          make=lambda share, draw: copied_in_part(share, draw, 0)),
    Curve(finding="copying-judge", case="5 linked accounts", axis="share of answers copied",
          make=linked, strengths=(0.0, 0.5, 0.8, 0.9, 0.95, 1.0)),
    Curve(finding="narrow-judge", case="60 items", axis="share of answers in one category",
          make=narrow, strengths=(0.0, 0.5, 0.8, 0.9, 0.95)),
    Curve(finding="constant-judge", case="60 items", axis="share of answers in one category",
          make=narrow, strengths=(0.0, 0.5, 0.9, 1.0)),
    Curve(finding="straight-lining", case="100 items", axis="share of answers in the run",
          make=straight, strengths=(0.0, 0.1, 0.15, 0.2, 0.3, 0.5)),
    Curve(finding="impossible-times", case="60 items", axis="share of answers within a second",
          make=hasty, strengths=(0.0, 0.05, 0.1, 0.2, 0.5)),
    Curve(finding="sorted-columns", case="5 columns", axis="share of items sorted",
          make=sorted_in_part, strengths=(0.0, 0.5, 0.7, 0.8, 0.9, 1.0)),
    Curve(finding="sorted-columns", case="3 columns", axis="share of items sorted",
          make=lambda share, draw: sorted_in_part(share, draw, 3),
          strengths=(0.0, 0.5, 0.7, 0.8, 0.9, 1.0)),
    Curve(finding="shifted-judges", case="100 items", axis="share of items after the slip",
          make=slipped_judge),
    Curve(finding="shifted-judges", case="300 items", axis="share of items after the slip",
          make=lambda share, draw: slipped_judge(share, draw, 300)),
    Curve(finding="shifted-criteria", case="200 items", axis="share of items after the slip",
          make=slipped_criterion),
    Curve(finding="wrong-retests", case="100 items, 2 judges", axis="share of items mispaired",
          make=wrong_retests),
    Curve(finding="judge-system-confounding", case="150 items, 3 systems",
          axis="share of a system that a judge lacks", make=confounded),
)  # fmt: skip


def power(curve: Curve, studies: int, seed: int = 0) -> Iterator[dict[str, object]]:
    """Count the studies in which the finding is made, and in which it is serious."""
    for place, strength in enumerate(curve.strengths):
        found = serious = 0
        for number in range(studies):
            draw = np.random.default_rng([seed, place, number])
            own = [f for f in check(curve.make(strength, draw)) if f.code == curve.finding]
            found += bool(own)
            serious += any(finding.seriousness == "serious" for finding in own)
        yield {
            "finding": curve.finding,
            "case": curve.case,
            "axis": curve.axis,
            "strength": strength,
            "found": found / studies,
            "serious": serious / studies,
            "studies": studies,
        }


def picture(rows: list[dict[str, object]]) -> str:
    """Draw a panel for each finding: strength across, share of studies found upwards."""
    panels = []
    for finding in dict.fromkeys(str(row["finding"]) for row in rows):
        own = [row for row in rows if row["finding"] == finding]
        cases = list(dict.fromkeys(str(row["case"]) for row in own))
        x = encoded("strength", "quantitative", title=own[0]["axis"], scale={"domain": [0, 1]})
        y = encoded("found", "quantitative", title="found", scale={"domain": [0, 1]})
        x["axis"] = y["axis"] = {"format": "%", "tickCount": 5}
        colour = by("case", cases, PALETTE[: len(cases)])
        shape = by("case", cases, SHAPES[: len(cases)])
        colour["legend"] = shape["legend"] = {"title": None, "orient": "bottom", "columns": 1}
        place = {"x": x, "y": y, "color": colour}
        layer = [
            mark("line", place, strokeWidth=1.5),
            mark("point", place | {"shape": shape}, filled=True, size=45, opacity=1),
        ]
        panel = {"title": finding, "data": {"values": own}, "layer": layer}
        panels.append(panel | {"width": 190, "height": 130})
    grid = drawing([], concat=panels, columns=3, resolve={"scale": {"color": "independent"}})
    grid["resolve"]["scale"]["shape"] = "independent"
    return vl_convert.vegalite_to_svg(grid)


def read() -> list[dict[str, str]]:
    """The curves as they were last computed."""
    with (IMAGES / "check-power.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def main(studies: int) -> None:
    rows = [row for curve in CURVES for row in power(curve, studies)]
    with (IMAGES / "check-power.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    (IMAGES / "check-power.svg").write_text(picture(rows), encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
