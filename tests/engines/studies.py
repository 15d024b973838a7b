"""Ten made-up studies, each unlike the others in a way that engines could stumble over."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import covary
from covary import Estimate, Ratings, VerbalScale, VisualScale

ORDERED = ("krippendorff_alpha", "gwet_ac2", "goodman_kruskal_gamma", "kendall_tau_b",
           "light_kappa", "spearman", "pearson", "percent_agreement")  # fmt: skip
SHARING_FEW = tuple(name for name in ORDERED if name != "light_kappa")
"""Where pairs of judges share few items, kappa of pairs has no value."""
NAMES_ONLY = ("krippendorff_alpha", "fleiss_kappa", "gwet_ac1", "light_kappa", "conger_kappa")
ON_A_LINE = ("krippendorff_alpha", "goodman_kruskal_gamma", "pearson", "spearman")
LEVELS = ("nominal", "ordinal", "interval", "ratio")

WORDS = ("awful", "béta", "fair", "good", "über")


@dataclass(frozen=True)
class Study:
    """A matrix of ratings (None where there is none), and how to make ratings of it."""

    name: str
    rows: list[list[Any]]
    scale: Any
    coefficients: tuple[str, ...]
    judges: tuple[Any, ...]
    items: tuple[Any, ...]
    missing: Any = None
    clusters: list[str] | None = None
    levels: tuple[str, ...] = field(default=())

    def columns(self) -> dict[str, list[Any]]:
        """One row per rating, those that are missing too."""
        cells = [
            (item, judge, rating, place)
            for place, (item, row) in enumerate(zip(self.items, self.rows, strict=True))
            for judge, rating in zip(self.judges, row, strict=True)
        ]
        columns = {
            "item": [item for item, _, _, _ in cells],
            "judge": [judge for _, judge, _, _ in cells],
            "rating": [self.missing if rating is None else rating for _, _, rating, _ in cells],
        }
        if self.clusters is not None:
            columns["cluster"] = [self.clusters[place] for *_, place in cells]
        return columns

    def from_matrix(self) -> Ratings:
        """The ratings by way of NumPy, without any engine."""
        return Ratings.from_wide(self.rows, scale=self.scale, judges=self.judges)


def _codes(items: int, judges: int, categories: int, missing: float, seed: int) -> list[list[Any]]:
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(items, 1))
    seen = quality + rng.normal(scale=0.7, size=(items, judges)) + np.linspace(-0.3, 0.3, judges)
    codes = np.digitize(seen, np.linspace(-1.5, 1.5, categories - 1))
    hidden = rng.random((items, judges)) < missing
    hidden[:, :2] &= rng.random((items, 2)) < 0.5  # two judges share items in every study
    return [
        [None if gone else int(code) for code, gone in zip(line, away, strict=True)]
        for line, away in zip(codes, hidden, strict=True)
    ]


def _line(items: int, judges: int, missing: float, seed: int) -> list[list[Any]]:
    rng = np.random.default_rng(seed)
    seen = rng.uniform(20, 80, (items, 1)) + rng.normal(0, 9, (items, judges))
    hidden = rng.random((items, judges)) < missing
    return [
        [None if gone else float(x) for x, gone in zip(line, away, strict=True)]
        for line, away in zip(seen.clip(0, 100), hidden, strict=True)
    ]


def _mapped(rows: list[list[Any]], values: Any) -> list[list[Any]]:
    return [[None if code is None else values[code] for code in row] for row in rows]


def _names(prefix: str, count: int) -> tuple[str, ...]:
    return tuple(f"{prefix}{number:03}" for number in range(count))


def studies() -> list[Study]:
    whole = list(range(1, 12))
    five, three = VerbalScale(range(1, 6)), VerbalScale(range(1, 4))
    return [
        Study("complete", _mapped(_codes(60, 4, 5, 0, 1), whole), five, ORDERED,
              _names("judge ", 4), _names("text ", 60), levels=LEVELS),
        Study("missing as None", _mapped(_codes(70, 5, 5, 0.4, 2), whole), five, ORDERED,
              _names("j", 5), _names("i", 70), levels=LEVELS),
        Study("missing as NaN", _mapped(_codes(70, 3, 5, 0.3, 3), [float(x) for x in whole]), five,
              ORDERED, _names("j", 3), _names("i", 70), missing=float("nan"), levels=LEVELS),
        Study("many judges, few on an item", _mapped(_codes(90, 20, 3, 0.75, 4), whole), three,
              SHARING_FEW, _names("j", 20), _names("i", 90)),
        Study("a hundred judges", _mapped(_codes(80, 100, 3, 0.95, 5), whole), three,
              ("krippendorff_alpha", "gwet_ac2", "percent_agreement"), _names("j", 100),
              _names("i", 80)),
        Study("a line", _line(50, 3, 0.0, 6), VisualScale(), ON_A_LINE, _names("j", 3),
              _names("i", 50), levels=("ordinal", "interval", "ratio")),
        Study("a line with gaps as NaN", _line(60, 4, 0.3, 7), VisualScale(), ON_A_LINE,
              _names("j", 4), _names("i", 60), missing=float("nan")),
        Study("words without order", _mapped(_codes(60, 4, 5, 0.2, 8), WORDS),
              VerbalScale(WORDS, level="nominal"), NAMES_ONLY, ("Ann", "Bo", "Çelik", "Ðo"),
              _names("ü", 60)),
        Study("words in order, numbered judges", _mapped(_codes(60, 3, 5, 0.2, 9), WORDS),
              VerbalScale(WORDS), ORDERED, (2, 10, 33), tuple(range(7, 67))),
        Study("clusters of items", _mapped(_codes(64, 3, 5, 0.2, 10), whole), five, ORDERED,
              _names("j", 3), _names("i", 64),
              clusters=[f"dialogue {place // 4}" for place in range(64)]),
    ]  # fmt: skip


STUDIES = {study.name: study for study in studies()}


def larger(items: int) -> Study:
    """Four judges on many items, with gaps."""
    rows = _mapped(_codes(items, 4, 5, 0.3, 11), list(range(1, 6)))
    scale = VerbalScale(range(1, 6))
    return Study("larger", rows, scale, (), _names("j", 4), _names("i", items))


def crossed(missing=0.2, sources=True, each=None, items=60, systems=3, judges=4, seed=1):
    """Texts of systems with effects of system, source, judge, opinion and text, in whole points.

    With `each`, so many judges, drawn anew, rate a text.
    """
    rng = np.random.default_rng(seed)
    source, judge = rng.normal(0, 0.7, items), rng.normal(0, 0.4, judges)
    opinion, text = rng.normal(0, 0.3, (systems, judges)), rng.normal(0, 0.5, (items, systems))
    columns = {"item": [], "judge": [], "system": [], "source": [], "rating": []}
    for place, system in np.ndindex(items, systems):
        whole = np.flatnonzero(rng.random(judges) >= missing)
        for one in whole if each is None else rng.choice(judges, each, replace=False):
            level = 3 + 0.3 * system + source[place] + judge[one] + opinion[system, one]
            level += text[place, system] + rng.normal(0, 0.7)
            columns["item"].append(f"text {place:03} by {system}")
            columns["judge"].append(f"judge {one}")
            columns["system"].append(f"system {system}")
            columns["source"].append(f"text {place:03}")
            columns["rating"].append(int(np.clip(np.round(level), 1, 5)))
    if not sources:
        del columns["source"]
    return columns


def estimates(study: Study, ratings: Ratings, *, interval: str | None = "auto") -> list[Estimate]:
    """Every coefficient that suits the study."""
    wanted = {"interval": interval, "resamples": 20, "rng": 1}
    found = [getattr(covary, name)(ratings, **wanted) for name in study.coefficients]
    found += [covary.krippendorff_alpha(ratings, level=level, **wanted) for level in study.levels]
    if "light_kappa" in study.coefficients:
        found.append(covary.cohen_kappa(ratings, judges=list(study.judges[:2]), **wanted))
    return found


def apart(one: Estimate, other: Estimate) -> float:
    """How far two estimates differ in value and interval, at most."""
    assert (one.name, one.n_items, one.n_judges, one.n_ratings, one.n_dropped) == (
        other.name, other.n_items, other.n_judges, other.n_ratings, other.n_dropped
    )  # fmt: skip
    numbers = [
        [each.value] + ([] if each.interval is None else [each.interval.low, each.interval.high])
        for each in (one, other)
    ]
    assert not np.isnan(numbers).any(), one
    return float(np.abs(np.subtract(*numbers)).max())
