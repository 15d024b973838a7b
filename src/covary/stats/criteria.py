"""Criteria side by side: one row for each judge's ratings of one item, one column per criterion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument, listed
from covary.ratings import Ratings
from covary.ratings.frames import fetch
from covary.ratings.room import refuse_many
from covary.scales import Level, ObservedScale, Scale
from covary.stats.intervals import Wanted
from covary.stats.patterns import Patterns
from covary.stats.question import Question
from covary.stats.suitability import check_suitability

__all__ = ["SideBySide", "ask_by_criterion"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class SideBySide:
    """A question whose columns are criteria, and the item and the judge of each of its rows."""

    question: Question
    items: Ints
    judges: Ints


def ask_by_criterion(
    name: str,
    title: str,
    ratings: Ratings,
    wanted: Wanted,
    *,
    criteria: Any = None,
    judges: Sequence[Any] | None = None,
) -> SideBySide:
    """Check the criteria and put them side by side.

    Rows of one item are drawn together (they are a cluster), because they share the item.
    """
    chosen = _selected(name, ratings, criteria, judges)
    notes = [note for scale in chosen.scales.values() for note in check_suitability(name, scale)]
    turned = _turned(chosen.scales)
    if turned:
        notes.append(f"the criteria {listed(turned)} have their best end low and were turned round")
    columns = _rows(chosen)
    patterns, items, who = _side_by_side(columns, chosen.scales, turned)
    said = tuple(dict.fromkeys(notes))
    level, n_judges = patterns.scale.level, len(patterns.judges)
    question = Question(name, title, patterns, level, wanted, ratings.slots, n_judges, said)
    return SideBySide(question, items, who)


def _selected(name: str, ratings: Ratings, criteria: Any, judges: Any) -> Ratings:
    if not isinstance(ratings, Ratings):
        raise InvalidArgument(f"{name} takes Ratings, got a {type(ratings).__name__}")
    wanted = {"criterion": criteria, "judge": judges}
    chosen = ratings.select(**{column: kept for column, kept in wanted.items() if kept is not None})
    if len(chosen.criteria) < 2:
        raise InvalidArgument(
            f"{name} with parts='criteria' needs at least two criteria; there is only "
            f"{listed(chosen.criteria)}"
        )
    for column in ("occasion", "round"):
        if column in chosen.columns and len(chosen.values(column)) > 1:
            raise InvalidArgument(
                f"the ratings come from several values of {column} "
                f"({listed(chosen.values(column))}); choose one with ratings.select({column}=…)"
            )
    return chosen


def _turned(scales: dict[Any, Scale]) -> list[Any]:
    """The criteria whose best end is low, where others have it high."""
    low = [criterion for criterion, scale in scales.items() if scale.best == "low"]
    high = any(scale.best == "high" for scale in scales.values())
    return low if high else []


def _rows(ratings: Ratings) -> dict[str, npt.NDArray[Any]]:
    refuse_many(ratings, "a comparison of criteria")
    wanted = ["item", "judge", "criterion", "rating"]
    wanted += ["cluster"] if "cluster" in ratings.columns else []
    return fetch(ratings.frame.filter(~nw.col("rating").is_null()).select(wanted))


def _side_by_side(
    columns: dict[str, npt.NDArray[Any]], scales: dict[Any, Scale], turned: list[Any]
) -> tuple[Patterns, Ints, Ints]:
    item, judge = _numbered(columns["item"]), _numbered(columns["judge"])
    pair, first, row = np.unique(
        np.column_stack([item, judge]), axis=0, return_index=True, return_inverse=True
    )
    table = np.full((len(pair), len(scales)), np.nan)
    for place, (criterion, scale) in enumerate(scales.items()):
        mine = columns["criterion"] == criterion
        sign = -1.0 if criterion in turned else 1.0
        table[row.ravel()[mine], place] = sign * _numbers(columns["rating"][mine], scale)
    groups = _numbered(columns["cluster"])[first] if "cluster" in columns else pair[:, 0]
    clusters = groups if np.unique(groups).size < len(pair) else None
    level = min(scale.level for scale in scales.values())
    return _patterns(table, tuple(scales), level, clusters), pair[:, 0], pair[:, 1]


def _patterns(
    table: Floats, names: tuple[Any, ...], level: Level, clusters: Ints | None
) -> Patterns:
    rated = ~np.isnan(table)
    values = np.unique(table[rated])
    codes = np.where(rated, np.searchsorted(values, table), -1).astype(np.int32)
    ends = (float(values[0]), float(values[-1])) if values.size else (np.nan, np.nan)
    scale = ObservedScale(level, None, *ends, guessed=False)
    return Patterns(codes, np.ones(len(table), np.int64), values, names, scale, clusters)


def _numbers(ratings: npt.NDArray[Any], scale: Scale) -> Floats:
    if scale.categories is None:
        return ratings.astype(float)
    places = dict(zip(scale.categories, scale.positions(Level.INTERVAL), strict=True))
    return np.array([places[rating] for rating in ratings.tolist()], dtype=float)


def _numbered(column: npt.NDArray[Any]) -> Ints:
    return np.unique(column.astype(str), return_inverse=True)[1].astype(np.int64)
