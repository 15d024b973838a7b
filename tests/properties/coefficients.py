"""Every coefficient, and which changes to the ratings it does not notice.

A coefficient that covary offers and that is not in this table fails the suite.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import covary
from covary.stats.exchangeable import exchangeable_gamma
from tests.properties.tables import CHANGES, Kind, Table

ALWAYS = {"items_in_another_order", "items_without_ratings_added", "judges_in_another_order"}
"""Nothing that covary offers notices these."""

NUMBERS = {"scale_moved", "scale_stretched", "scale_reversed"}
ORDER = NUMBERS | {"categories_renamed_in_order"}
NAMES = ORDER | {"categories_exchanged"}
ANYONE = {"ratings_exchanged_within_items"}
SINGLE = {"items_with_one_rating_added"}
TWICE = {"every_item_twice"}
UNUSED = {"unused_category_added"}


NOT_EXPORTED = {"exchangeable_gamma": exchangeable_gamma}
"""Coefficients that covary uses itself, for ratings of which nobody knows who gave them."""


def function_of(name: str) -> Callable[..., Any]:
    """The coefficient of a name."""
    return NOT_EXPORTED.get(name) or getattr(covary, name)


@dataclass(frozen=True)
class Row:
    """One coefficient, or one variant of it.

    `name` is the public function; `variant` the name in `suitability.FAMILIES`; `unmoved` the
    changes it does not notice. It must notice every other change on some table.
    """

    name: str
    kind: Kind
    unmoved: frozenset[str]
    options: dict[str, Any]
    variant: str
    label: str
    tolerance: float = 1e-9
    own: Callable[[Table], dict[str, Any]] | None = None

    def value(self, table: Table) -> Any:
        function = function_of(self.name)
        options = self.options | (self.own(table) if self.own else {})
        found = function(table.ratings(), interval=None, **options)
        if isinstance(found, dict):
            return sorted(found[c].value for c in found if found[c].defined)
        return found.value


def public_coefficients() -> set[str]:
    """The public functions that turn ratings into one estimate, or one for each category."""
    functions = [getattr(covary, name) for name in covary.__all__]
    functions = [each for each in functions if inspect.isfunction(each)]
    return {
        each.__name__
        for each in functions
        if next(iter(inspect.signature(each).parameters)) == "ratings"
        and re.fullmatch(r"float|Estimate|dict\[.*, Estimate\]", each.__annotations__["return"])
    }


BINARY = {"prevalence_index", "bias_index"}
"""For scales of two categories only."""


def row(
    name: str,
    level: str,
    *unmoved: set[str],
    variant: str = "",
    label: str = "",
    judges: tuple[int, int] = (2, 4),
    categories: tuple[int, int] = (2, 5),
    complete: bool = False,
    items: tuple[int, int] = (2, 9),
    tolerance: float = 1e-9,
    own: Callable[[Table], dict[str, Any]] | None = None,
    given: dict[str, Any] | None = None,
    **options: Any,
) -> Row:
    said = ", ".join([*filter(None, [variant, label])])
    return Row(
        name, Kind(level, judges, categories, complete, items),
        frozenset(ALWAYS.union(*unmoved)), options | (given or {}),
        f"{name} ({variant})" if variant else name, f"{name} ({said})" if said else name,
        tolerance, own,
    )  # fmt: skip


def own_weights(table: Table) -> dict[str, Any]:
    return {"weights": _uneven(table)}


def own_distance(table: Table) -> dict[str, Any]:
    return {"distance": _uneven(table)}


def _uneven(table: Table) -> list[list[float]]:
    """Distances of categories' numbers that are neither equal nor evenly spaced."""
    k = range(table.n_categories)
    return [[abs((a + 1) ** 2 - (b + 1) ** 2) ** 0.5 for b in k] for a in k]


TWO = (2, 2)

IDENTITY = [
    row("percent_agreement", "nominal", NAMES, ANYONE, SINGLE, TWICE, UNUSED),
    row("cohen_kappa", "nominal", NAMES, SINGLE, TWICE, UNUSED, judges=TWO),
    row("scott_pi", "nominal", NAMES, ANYONE, SINGLE, TWICE, UNUSED, judges=TWO),
    row("fleiss_kappa", "nominal", NAMES, ANYONE, TWICE, UNUSED),
    row("fleiss_kappa", "nominal", NAMES, ANYONE, SINGLE, TWICE, UNUSED,
        label="pooled", unequal="pooled"),
    row("fleiss_kappa_by_category", "nominal", NAMES, ANYONE, TWICE, UNUSED),
    row("conger_kappa", "nominal", NAMES, TWICE, UNUSED),
    row("light_kappa", "nominal", NAMES, SINGLE, TWICE, UNUSED),
    row("brennan_prediger", "nominal", NAMES, ANYONE, SINGLE, TWICE),
    row("gwet_ac1", "nominal", NAMES, ANYONE, TWICE),
    row("krippendorff_alpha", "nominal", NAMES, ANYONE, SINGLE, UNUSED, variant="nominal"),
    row("prevalence_index", "nominal", NAMES, ANYONE, SINGLE, TWICE,
        judges=TWO, categories=(2, 2)),
    row("bias_index", "nominal", NAMES, SINGLE, TWICE, judges=TWO, categories=(2, 2)),
]  # fmt: skip

WEIGHTED = [
    row("percent_agreement", "interval", ORDER, ANYONE, SINGLE, TWICE, UNUSED,
        variant="tolerance", given={"tolerance": 1}),
    row("cohen_kappa", "interval", NUMBERS, SINGLE, TWICE, UNUSED, variant="weighted",
        label="linear", judges=TWO, weights="linear"),
    row("cohen_kappa", "interval", NUMBERS, SINGLE, TWICE, UNUSED, variant="weighted",
        label="quadratic", judges=TWO, weights="quadratic"),
    row("cohen_kappa", "interval", ORDER, SINGLE, TWICE, UNUSED, variant="weighted",
        label="ordinal", judges=TWO, weights="ordinal"),
    row("cohen_kappa", "interval", NUMBERS, SINGLE, TWICE, UNUSED, variant="weighted",
        label="radical", judges=TWO, weights="radical"),
    row("cohen_kappa", "ratio", {"scale_stretched"}, SINGLE, TWICE, UNUSED, variant="weighted",
        label="ratio", judges=TWO, categories=(3, 5), weights="ratio"),
    row("scott_pi", "interval", NUMBERS, ANYONE, SINGLE, TWICE, UNUSED, variant="weighted",
        judges=TWO, weights="quadratic"),
    row("fleiss_kappa", "interval", NUMBERS, ANYONE, TWICE, UNUSED, variant="weighted",
        weights="quadratic"),
    row("fleiss_kappa", "interval", NUMBERS, ANYONE, SINGLE, TWICE, UNUSED, variant="weighted",
        label="pooled", weights="linear", unequal="pooled"),
    row("conger_kappa", "interval", NUMBERS, TWICE, UNUSED, variant="weighted", weights="linear"),
    row("light_kappa", "interval", NUMBERS, SINGLE, TWICE, UNUSED, variant="weighted",
        weights="quadratic"),
    row("brennan_prediger", "interval", NUMBERS, ANYONE, SINGLE, TWICE, variant="weighted",
        weights="quadratic"),
    row("gwet_ac2", "interval", NUMBERS, ANYONE, TWICE, label="quadratic"),
    row("gwet_ac2", "interval", NUMBERS, ANYONE, TWICE, label="linear", weights="linear"),
    row("krippendorff_alpha", "interval", ORDER, ANYONE, SINGLE, UNUSED, variant="ordinal",
        given={"level": "ordinal"}),
]  # fmt: skip

RANK = [
    row("goodman_kruskal_gamma", "interval", ORDER, SINGLE, TWICE, UNUSED),
    row("goodman_kruskal_gamma", "interval", ORDER, SINGLE, TWICE, UNUSED, label="pooled",
        combine="pooled"),
    row("exchangeable_gamma", "interval", ORDER, ANYONE, SINGLE, UNUSED),
    row("kendall_tau_b", "interval", ORDER, SINGLE, TWICE, UNUSED),
    row("spearman", "interval", ORDER, SINGLE, TWICE, UNUSED),
    row("kendall_w", "interval", ORDER, SINGLE, TWICE, UNUSED),
    row("kendall_w", "interval", ORDER, SINGLE, UNUSED, label="ties ignored", tie_correction=False),
]  # fmt: skip

METRIC = [
    row("pearson", "interval", NUMBERS, SINGLE, TWICE, UNUSED),
    # Where a pair correlates perfectly, atanh magnifies rounding.
    row("pearson", "interval", NUMBERS, SINGLE, TWICE, UNUSED, label="fisher-z",
        combine="fisher-z", tolerance=0.02),
    row("fisher_icc", "interval", NUMBERS, ANYONE, SINGLE, TWICE, UNUSED),
    row("cronbach_alpha", "interval", NUMBERS, SINGLE, TWICE, UNUSED),
    row("cronbach_alpha", "interval", NUMBERS, SINGLE, TWICE, UNUSED, label="standardised",
        standardised=True, tolerance=1e-6),
    row("krippendorff_alpha", "interval", NUMBERS, ANYONE, SINGLE, UNUSED, variant="interval"),
    row("krippendorff_alpha", "ratio", {"scale_stretched"}, ANYONE, SINGLE, UNUSED,
        variant="ratio", categories=(3, 5)),
    *(
        row("icc", "interval", NUMBERS, UNUSED, *more, label=form, complete=True, form=form)
        for form, more in {
            "1,1": [ANYONE], "1,k": [ANYONE], "2,1": [], "2,k": [], "3,1": [TWICE], "3,k": [TWICE],
        }.items()
    ),
]  # fmt: skip

OWN = [
    row("krippendorff_alpha", "nominal", ORDER - {"scale_reversed"}, ANYONE, SINGLE, UNUSED,
        variant="own distances", own=own_distance, categories=(3, 5)),
    *(
        row(name, "nominal", ORDER - {"scale_reversed"}, TWICE, *more, variant="own weights",
            judges=TWO if name in ("cohen_kappa", "scott_pi") else (2, 4), own=own_weights,
            categories=(3, 5))
        for name, more in {
            "cohen_kappa": [SINGLE, UNUSED],
            "scott_pi": [ANYONE, SINGLE, UNUSED],
            "fleiss_kappa": [ANYONE, UNUSED],
            "conger_kappa": [UNUSED],
            "light_kappa": [SINGLE, UNUSED],
            "brennan_prediger": [ANYONE, SINGLE],
            "gwet_ac2": [ANYONE],
        }.items()
    ),
]  # fmt: skip

TABLE: list[Row] = [*IDENTITY, *WEIGHTED, *RANK, *METRIC, *OWN]

REFUSED = [(row, "unused_category_added") for row in TABLE if row.name in BINARY]

UNMOVED = [(row, change) for row in TABLE for change in CHANGES if change in row.unmoved]
MOVED = [
    (row, change)
    for row in TABLE
    for change in CHANGES
    if change not in row.unmoved and (row, change) not in REFUSED
]
