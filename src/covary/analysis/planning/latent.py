"""Ordered categories on their own footing: components on the line behind the categories.

The numbers of a scale may be no equal steps. The cumulative logit model puts items, judges and
systems on one line, where a rating's own noise has the variance π² / 3; two categories are a case
of it. What is forecast from these components is about places on that line.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from covary.analysis.planning.components import Codes, GStudy, components, pilot_factors
from covary.errors import ConvergenceError, InvalidArgument
from covary.ratings import Ratings
from covary.scales import Level
from covary.stats.estimate import Result
from covary.stats.models.ordinal import OrdinalModel, ordinal_model
from covary.words import Note

Floats = npt.NDArray[np.float64]

NOISE = math.pi**2 / 3
"""The variance of a rating around its place, in squared logits."""

LEAST_SHARE = 1e-3
"""Variances of the numbers that are smaller, beside the residual, are 0 on the line."""

MOST_RATINGS = 5_000
"""Ratings of a pilot up to which a plan has its latent components."""

SHRUNKEN = ("judge", "judge system")
"""Factors whose variances come from effects that are drawn towards 0; items are integrated.

The last is given up first where the model does not settle."""


@dataclass(frozen=True, kw_only=True)
class LatentStudy(Result):
    """The components on the line, where it is cut into categories, and the categories' numbers.

    `components` are in squared logits; `thresholds` lie between the `values` that were used.
    """

    components: GStudy
    thresholds: tuple[float, ...] = ()
    values: tuple[float, ...] = ()

    @property
    def reason(self) -> str:
        """Why there are no components; empty where there are."""
        return self.components.reason

    def mean_rating(self, place: float) -> float:
        """The mean rating of many texts of a system at this place, by many judges."""
        spread = math.sqrt(sum(value for name, value in self._others()))
        points, weights = np.polynomial.hermite_e.hermegauss(41)
        logits = np.array(self.thresholds)[None, :] - place - spread * points[:, None]
        above = 1 / (1 + np.exp(logits))
        steps = np.diff(np.array(self.values))
        return float(self.values[0] + weights @ (above @ steps) / weights.sum())

    def _others(self) -> list[tuple[str, float]]:
        return [
            (name, value)
            for name, value in self.components.variances.items()
            if name not in ("system", "residual")
        ]

    def shift_of(self, difference: float) -> float:
        """How far apart, in logits, two systems lie whose mean ratings differ by so much.

        They lie around the middle of the pilot's systems.
        """
        from scipy import optimize

        def excess(shift: float) -> float:
            return self.mean_rating(shift / 2) - self.mean_rating(-shift / 2) - difference

        if excess(60.0) < 0:
            raise InvalidArgument("planning.too-far", argument="difference", value=difference)
        return float(optimize.brentq(excess, 0.0, 60.0, xtol=1e-6))


def latent_components(
    ratings: Ratings, *, criterion: str | None = None, confidence: float = 0.95
) -> LatentStudy:
    """Where does the variation of ordered categories come from, on the line behind them?

    Parameters
    ----------
    ratings
        Ordinal ratings, or ones of two categories.
    criterion
        The criterion, where there are several.

    Returns
    -------
    LatentStudy
        Variances in squared logits, without intervals; systems' from the spread of their places
        less its error. The variance between items is shared by sources and texts as that of the
        numbers is, and what judges make of single sources is part of a rating's noise.
    """
    chosen = ratings.one_criterion(criterion)
    scale = ratings.scales[chosen]
    if scale.level is Level.NOMINAL and len(scale.categories or ()) != 2:
        raise InvalidArgument("planning.unordered", value=chosen)
    rows, factors, base = pilot_factors(ratings, chosen, confidence)
    if base.reason:
        return LatentStudy(components=base)
    items = factors.pop("item", factors.get("source"))
    system = factors.pop("system", np.zeros(rows.values.size, dtype=np.intp))
    linear = components(ratings, criterion=chosen, confidence=confidence)
    shrunken = {
        name: factors[name] for name in SHRUNKEN if linear[name] > LEAST_SHARE * linear["residual"]
    }
    try:
        model = _settled(rows.values, system, items, shrunken)
    except ConvergenceError as failure:
        reason = Note("planning.latent-not-fitted", reason=str(failure))
        return LatentStudy(components=replace(base, reason=reason))
    variances = _variances(model, linear, several=int(system.max()) > 0)
    found = replace(
        base,
        variances=variances,
        intervals=dict.fromkeys(variances, (math.nan, math.nan)),
        notes=(*base.notes, Note("planning.latent")),
    )
    centre = float(model.effects.mean())
    return LatentStudy(
        components=found,
        thresholds=tuple((model.thresholds - centre).tolist()),
        values=tuple(np.unique(rows.values).tolist()),
    )


def _settled(
    values: Floats, system: Codes, items: Codes | None, shrunken: dict[str, Codes]
) -> OrdinalModel:
    """Fit the model; where it does not settle, without the variance that is hardest to see."""
    try:
        return ordinal_model(values, system, item=items, shrunken=shrunken)
    except ConvergenceError:
        if not shrunken:
            raise
    return _settled(values, system, items, dict(list(shrunken.items())[:-1]))


def _variances(model: OrdinalModel, linear: GStudy, *, several: bool) -> dict[str, float]:
    named: dict[str, float] = {}
    if several:
        k = model.effects.size
        centred = np.eye(k) - 1 / k
        error = float(np.trace(centred @ model.covariance @ centred)) / (k - 1)
        named["system"] = max(0.0, float(model.effects.var(ddof=1)) - error)
    between = linear["source"] + linear["item"]
    for name in ("source", "item"):
        if name in linear.variances:
            share = linear[name] / between if between else 1.0
            named[name] = share * model.item_sd**2
    for name in ("judge", "judge system"):
        if name in model.spreads:
            named[name] = model.spreads[name] ** 2
    return named | {"residual": NOISE}
