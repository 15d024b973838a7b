"""Chosen coefficients for every criterion, for all judges and for each group or pair of them.

The layout of Amidei et al. (2019), Tables 5 and 7: a row for each set of judges and coefficient, a
column for each criterion, and the average over criteria, with and without signs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal

from covary.analysis.any_data import COEFFICIENTS, for_judges
from covary.analysis.reliability_result import Average
from covary.errors import InvalidArgument, quiet
from covary.ratings import Ratings
from covary.ratings.frames import fetch
from covary.stats.estimate import Estimate
from covary.stats.pairs import has_own_value

ALL = "all judges"

By = Literal["group", "pair"]


@dataclass(frozen=True, kw_only=True)
class CoefficientRow:
    """One coefficient of one set of judges: an estimate for each criterion."""

    judges: str
    coefficient: str
    estimates: dict[Any, Estimate] = field(default_factory=dict)

    @property
    def defined(self) -> list[float]:
        """The values that are defined."""
        values = (estimate.value for estimate in self.estimates.values())
        return [value for value in values if value == value]

    @property
    def average(self) -> Average | None:
        """The mean over criteria, with and without its signs; None where nothing is defined."""
        values = self.defined
        return Average.of(self.coefficient, values) if values else None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values: a value or None for each criterion, and the averages."""
        mean = self.average
        cells = {
            str(criterion): estimate.value if estimate.value == estimate.value else None
            for criterion, estimate in self.estimates.items()
        }
        averages = {
            "average": None if mean is None else mean.signed,
            "average_absolute": None if mean is None else mean.absolute,
        }
        items = {
            f"items: {criterion}": estimate.n_items
            for criterion, estimate in self.estimates.items()
        }
        return {"judges": self.judges, "coefficient": self.coefficient} | cells | averages | items


@dataclass(frozen=True, kw_only=True)
class CoefficientTable:
    """Rows of coefficients; sets of judges who share no item are named in `left_out`."""

    criteria: tuple[Any, ...]
    coefficients: tuple[str, ...]
    table: tuple[CoefficientRow, ...]
    left_out: tuple[str, ...] = ()

    def rests_on_little(self, row: CoefficientRow, criterion: Any) -> bool:
        """Whether a set of judges shares too few of the items for a value of their own."""
        all_items = {own.judges: own.estimates for own in self.table}[ALL]
        known = criterion in row.estimates and criterion in all_items
        return known and not has_own_value(
            row.estimates[criterion].n_items, all_items[criterion].n_items
        )

    def undefined(self) -> dict[str, str]:
        """Say why coefficients of all judges have no value, by their names."""
        return {
            row.coefficient: str(estimate.notes[-1])
            for row in self.table
            if row.judges == ALL
            for estimate in row.estimates.values()
            if not estimate.defined and estimate.notes
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each set of judges and coefficient."""
        return [row.to_dict() for row in self.table]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        return {"rows": self.rows(), "left_out": list(self.left_out)}


def coefficient_table(
    ratings: Ratings,
    coefficients: Sequence[str],
    *,
    by: By | None = None,
    interval: str | None = None,
) -> CoefficientTable:
    """Compute chosen coefficients for all judges, and for each group or pair of judges.

    Parameters
    ----------
    ratings
        The ratings; each judge's first rating of an item counts.
    coefficients
        Their names, such as `("conger_kappa", "goodman_kruskal_gamma")`.
    by
        `"group"`: a row for each group of judges besides all; `"pair"`: for each two judges, who
        may share a batch of the items only. Sets that share no item are named, never dropped
        unsaid.
    interval
        As for the coefficients; None computes values alone.

    Examples
    --------
    >>> ratings = Ratings.from_wide([[1, 2], [3, 3], [2, 2], [1, 1]], level="ordinal")
    >>> found = coefficient_table(ratings, ["percent_agreement"])
    >>> found.rows()[0]["average"]
    0.75
    """
    unknown = [name for name in coefficients if name not in COEFFICIENTS]
    if unknown or not coefficients:
        allowed = tuple(COEFFICIENTS)
        raise InvalidArgument(
            "analysis.unknown-coefficient", argument="coefficients", value=unknown, allowed=allowed
        )
    first = ratings.first_occasion()
    table, left_out = [], []
    for label, parts in _sets(first, by):
        rows = [_row(label, parts, name, interval) for name in coefficients]
        if parts:
            table += rows
        else:
            left_out.append(label)
    return CoefficientTable(
        criteria=tuple(first.criteria),
        coefficients=tuple(dict.fromkeys(row.coefficient for row in table)),
        table=tuple(table),
        left_out=tuple(left_out),
    )


def _sets(ratings: Ratings, by: By | None) -> Iterator[tuple[str, dict[Any, Ratings]]]:
    """Return how each set of judges is called, and their ratings by criterion."""
    yield ALL, dict.fromkeys(ratings.criteria, ratings)
    if by == "group":
        if "group" not in ratings.columns:
            raise InvalidArgument("cli.no-groups")
        for group in ratings.values("group"):
            part = ratings.select(group=group)
            yield str(group), dict.fromkeys(part.criteria, part)
    elif by == "pair":
        yield from _pairs(ratings)


def _pairs(ratings: Ratings) -> Iterator[tuple[str, dict[Any, Ratings]]]:
    """Return for each two judges the items that both rated, on each criterion."""
    given = {criterion: _by_item(ratings, criterion) for criterion in ratings.criteria}
    for first, second in combinations(ratings.judges, 2):
        parts = {}
        for criterion, items in given.items():
            both = [own for own in items.values() if first in own and second in own]
            if both:
                table = [[own[first], own[second]] for own in both]
                names = [str(first), str(second)]
                parts[criterion] = Ratings.from_wide(
                    table, judges=names, scale=ratings.scale(criterion)
                )
        yield f"{first} – {second}", parts


def _by_item(ratings: Ratings, criterion: Any) -> dict[Any, dict[Any, Any]]:
    """Return what each judge gave each item on a criterion."""
    part = ratings if criterion is None else ratings.select(criterion=criterion)
    columns = fetch(part.frame.select("item", "judge", "rating"))
    items: dict[Any, dict[Any, Any]] = {}
    rows = zip(*(columns[name].tolist() for name in ("item", "judge", "rating")), strict=True)
    for item, judge, rating in rows:
        if rating == rating and rating is not None:
            items.setdefault(item, {})[judge] = rating
    return items


def _row(
    label: str, parts: Mapping[Any, Ratings], name: str, interval: str | None
) -> CoefficientRow:
    name = next((for_judges(name, part) for part in parts.values()), name)
    function = COEFFICIENTS[name]
    with quiet():  # what is undefined says so itself
        estimates = {
            criterion: function(
                part,
                criterion=criterion if criterion in part.criteria else None,
                interval=interval,
            )
            for criterion, part in parts.items()
        }
    return CoefficientRow(judges=label, coefficient=name, estimates=estimates)
