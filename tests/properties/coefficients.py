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
from covary.stats.coefficients.gamma import exchangeable_gamma
from tests.properties.tables import CHANGES, Kind, Table

ALWAYS = {"items_in_another_order", "items_without_ratings_added", "judges_in_another_order"}
"""Nothing that covary offers notices these."""

NUMBERS = {"scale_moved", "scale_stretched", "scale_reversed"}
ORDER = NUMBERS | {"categories_renamed_in_order"}
WORDS = {
    "stretch": {"scale_stretched"},
    "numbers": NUMBERS,
    "order": ORDER,
    "direction": ORDER - {"scale_reversed"},
    "names": ORDER | {"categories_exchanged"},
    "anyone": {"ratings_exchanged_within_items"},
    "single": {"items_with_one_rating_added"},
    "twice": {"every_item_twice"},
    "unused": {"unused_category_added"},
}
"""Changes that a coefficient may not notice, in a word each."""


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
    unmoved: str,
    *,
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
        name=name,
        kind=Kind(level, judges, categories, complete, items),
        unmoved=frozenset(ALWAYS.union(*(WORDS[word] for word in unmoved.split()))),
        options=options | (given or {}),
        variant=f"{name} ({variant})" if variant else name,
        label=f"{name} ({said})" if said else name,
        tolerance=tolerance,
        own=own,
    )


def own_weights(table: Table) -> dict[str, Any]:
    return {"weights": _uneven(table)}


def own_distance(table: Table) -> dict[str, Any]:
    return {"distance": _uneven(table)}


def _uneven(table: Table) -> list[list[float]]:
    """Distances of categories' numbers that are neither equal nor evenly spaced."""
    k = range(table.n_categories)
    return [[abs((a + 1) ** 2 - (b + 1) ** 2) ** 0.5 for b in k] for a in k]


TWO = (2, 2)
POOLED = {"label": "pooled", "unequal": "pooled"}

IDENTITY = [
    row("percent_agreement", "nominal", "names anyone single twice unused"),
    row(
        "percent_agreement",
        "nominal",
        "names anyone single twice unused",
        label="pairs",
        average="pairs",
    ),
    row("cohen_kappa", "nominal", "names single twice unused", judges=TWO),
    row("scott_pi", "nominal", "names anyone single twice unused", judges=TWO),
    row("fleiss_kappa", "nominal", "names anyone twice unused"),
    row("fleiss_kappa", "nominal", "names anyone single twice unused", **POOLED),
    row("fleiss_kappa_by_category", "nominal", "names anyone twice unused"),
    row("conger_kappa", "nominal", "names twice unused"),
    row("light_kappa", "nominal", "names single twice unused"),
    row("brennan_prediger", "nominal", "names anyone single twice"),
    row("gwet_ac1", "nominal", "names anyone twice"),
    row("krippendorff_alpha", "nominal", "names anyone single unused", variant="nominal"),
    row("prevalence_index", "nominal", "names anyone single twice", judges=TWO, categories=TWO),
    row("bias_index", "nominal", "names single twice", judges=TWO, categories=TWO),
]


def weighted(name: str, unmoved: str, weights: str, level: str = "interval", **more: Any) -> Row:
    """A kappa whose near misses count as part agreement."""
    return row(name, level, unmoved, variant="weighted", weights=weights, **more)


COHEN = "single twice unused"

WEIGHTED = [
    row(
        "percent_agreement",
        "interval",
        "order anyone single twice unused",
        variant="tolerance",
        given={"tolerance": 1},
    ),
    *(
        weighted("cohen_kappa", f"{moves} {COHEN}", weights, label=weights, judges=TWO)
        for weights, moves in {
            "linear": "numbers",
            "quadratic": "numbers",
            "ordinal": "order",
            "radical": "numbers",
        }.items()
    ),
    weighted(
        "cohen_kappa",
        f"stretch {COHEN}",
        "ratio",
        level="ratio",
        label="ratio",
        judges=TWO,
        categories=(3, 5),
    ),
    weighted("scott_pi", "numbers anyone single twice unused", "quadratic", judges=TWO),
    weighted("fleiss_kappa", "numbers anyone twice unused", "quadratic"),
    weighted("fleiss_kappa", "numbers anyone single twice unused", "linear", **POOLED),
    weighted("conger_kappa", "numbers twice unused", "linear"),
    weighted("light_kappa", "numbers single twice unused", "quadratic"),
    weighted("brennan_prediger", "numbers anyone single twice", "quadratic"),
    row("gwet_ac2", "interval", "numbers anyone twice", label="quadratic"),
    row("gwet_ac2", "interval", "numbers anyone twice", label="linear", weights="linear"),
    row(
        "krippendorff_alpha",
        "interval",
        "order anyone single unused",
        variant="ordinal",
        given={"level": "ordinal"},
    ),
]

ORDERED = "order single twice unused"
IGNORED = {"label": "ties ignored", "tie_correction": False}

RANK = [
    row("goodman_kruskal_gamma", "interval", ORDERED),
    row("goodman_kruskal_gamma", "interval", ORDERED, label="pooled", combine="pooled"),
    row("exchangeable_gamma", "interval", "order anyone single unused"),
    row("kendall_tau_b", "interval", ORDERED),
    row("kendall_tau_c", "interval", ORDERED),
    row("spearman", "interval", ORDERED),
    row("kendall_w", "interval", ORDERED),
    row("kendall_w", "interval", "order single unused", **IGNORED),
]

MEASURED = "numbers single twice unused"
FORMS = {"1,1": "anyone", "1,k": "anyone", "2,1": "", "2,k": "", "3,1": "twice", "3,k": "twice"}
# Where a pair correlates perfectly, atanh magnifies rounding.
FISHER = {"label": "fisher-z", "combine": "fisher-z", "tolerance": 0.02}
STANDARDISED = {"label": "standardised", "standardised": True, "tolerance": 1e-6}

METRIC = [
    row("pearson", "interval", MEASURED),
    row("pearson", "interval", MEASURED, **FISHER),
    row("fisher_icc", "interval", "numbers anyone single twice unused"),
    row("cronbach_alpha", "interval", MEASURED),
    row("cronbach_alpha", "interval", MEASURED, **STANDARDISED),
    row("krippendorff_alpha", "interval", "numbers anyone single unused", variant="interval"),
    row(
        "krippendorff_alpha",
        "ratio",
        "stretch anyone single unused",
        variant="ratio",
        categories=(3, 5),
    ),
    *(
        row("icc", "interval", f"numbers unused {more}", label=form, complete=True, form=form)
        for form, more in FORMS.items()
    ),
]

OWN = [
    row(
        "krippendorff_alpha",
        "nominal",
        "direction anyone single unused",
        variant="own distances",
        own=own_distance,
        categories=(3, 5),
    ),
    *(
        row(
            name,
            "nominal",
            f"direction twice {more}",
            variant="own weights",
            judges=TWO if name in ("cohen_kappa", "scott_pi") else (2, 4),
            own=own_weights,
            categories=(3, 5),
        )
        for name, more in {
            "cohen_kappa": "single unused",
            "scott_pi": "anyone single unused",
            "fleiss_kappa": "anyone unused",
            "conger_kappa": "unused",
            "light_kappa": "single unused",
            "brennan_prediger": "anyone single",
            "gwet_ac2": "anyone",
        }.items()
    ),
]

TABLE: list[Row] = [*IDENTITY, *WEIGHTED, *RANK, *METRIC, *OWN]

REFUSED = [(row, "unused_category_added") for row in TABLE if row.name in BINARY]

MOVED = [
    (row, change)
    for row in TABLE
    for change in CHANGES
    if change not in row.unmoved and (row, change) not in REFUSED
]
