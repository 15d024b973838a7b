"""What the ratings depend on: each factor alone as papers print it, and all in one model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from covary.analysis.systems.adjusted import Adjustment, balanced, connected
from covary.analysis.systems.ranks import ranks_of
from covary.errors import ConvergenceError, InvalidArgument
from covary.stats.layout import Codes, Floats, Layout
from covary.stats.mixed import Mixed, mixed
from covary.stats.variance import Anova, Effect, additive, one_way

__all__ = ["ERRORS", "Designed", "adjustment", "designed"]

ERRORS = {
    "one-way": "one-way analysis of variance",
    "additive": "additive model",
    "mixed": "mixed model",
}
"""The error terms by the name they are asked for, in words."""

MOST_MIXED = 20_000
"""Ratings up to which the mixed model is fitted without being asked for."""

BESIDE = ("judge", "source")
"""What a rating may depend on beside the system."""


@dataclass(frozen=True)
class Designed:
    """One-way analyses, the additive model with the factors that it can hold, the mixed model."""

    one_way: tuple[Effect, ...]
    additive: Anova
    mixed: Mixed | None
    notes: tuple[str, ...]

    @property
    def factors(self) -> tuple[str, ...]:
        """The factors of the additive model beside the system."""
        return tuple(effect.name for effect in self.additive.effects if effect.name != "system")

    def error(self, name: str) -> tuple[float, int]:
        """The mean square and the degrees of freedom that the intervals of plain means use."""
        if name == "one-way":
            return self.one_way[0].error_mean_square, self.one_way[0].error_df
        return self.additive.mse, self.additive.residual_df

    def error_words(self, name: str) -> str:
        """Name an error term and the factors that are in its model."""
        if name == "one-way":
            return ERRORS[name]
        if name == "mixed":
            assert self.mixed is not None
            return self.mixed.method
        *others, last = ("system", *self.factors)
        names = f"{', '.join(others)} and {last}" if others else last
        return f"{ERRORS[name]} of {names}"

    def adjusted_means(self, layout: Layout) -> Floats:
        """The systems' means without the other factors, around the mean of all ratings."""
        means, counts = self.additive.means["system"], self.additive.counts("system")
        shift = float(layout.values.mean()) - float(means @ counts / counts.sum())
        return np.asarray(means + shift)


def designed(layout: Layout, error: str, *, brief: bool = False) -> Designed:
    """Fit the models; the mixed one where it is asked for, or where the design is not balanced."""
    known = [name for name in BESIDE if name in layout.factors and len(layout.names[name]) > 1]
    separate = tuple(
        one_way(layout.values, layout.factors[name], name=name) for name in ("system", *known)
    )
    whole, used = _additive(layout, known)
    notes = list(_notes(layout, known, used))
    wanted = error == "mixed" or (
        not brief and not whole.balanced and layout.n_ratings <= MOST_MIXED
    )
    random = _random(layout, known)
    if error == "mixed" and not random:
        raise InvalidArgument(
            "the mixed model needs at least two judges or two sources; use the one-way error"
        )
    fitted = None
    if wanted and random:
        try:
            fitted = mixed(layout.values, layout.factors["system"], random=random)
        except ConvergenceError as failed:
            if error == "mixed":
                raise
            notes.append(f"The mixed model was not fitted: {failed}")
    return Designed(separate, whole, fitted, tuple(notes))


def _additive(layout: Layout, known: list[str]) -> tuple[Anova, tuple[str, ...]]:
    """Fit as many factors as leave all systems comparable."""
    for size in range(len(known), 0, -1):
        for used in combinations(known, size):
            names = ("system", *used)
            found = additive(layout.values, {name: layout.factors[name] for name in names})
            if not np.isnan(found.means["system"]).any():
                return found, used
    return additive(layout.values, {"system": layout.factors["system"]}), ()


def _notes(layout: Layout, known: list[str], used: tuple[str, ...]) -> Iterator[str]:
    for name in known:
        if name not in used:
            yield (
                f"The {name} is left out of the additive model: some systems share no {name} with "
                f"others, directly or through others, so that {name}s and systems cannot be told "
                "apart."
            )
    n_items = len(layout.names["item"])
    if n_items < layout.n_ratings:
        yield (
            f"Items have {layout.n_ratings / n_items:.3g} ratings on average. The one-way and the "
            "additive model count them as independent; the mixed model and the draws of the rank "
            "probabilities do not."
        )


def _random(layout: Layout, known: list[str]) -> dict[str, Codes]:
    """Judges, sources, what each judge thinks of each system, and items rated more than once.

    Judges differ in which systems they like, and a claim about other judges has to allow for it;
    it shows only where some judge rated some system twice.
    """
    random = {name: layout.factors[name] for name in known}
    if "judge" in random:
        liked = layout.factors["system"] * len(layout.names["judge"]) + layout.factors["judge"]
        met, pairs = np.unique(liked, return_inverse=True)
        if met.size < layout.n_ratings:
            random["judge by system"] = pairs
    if 1 < len(layout.names["item"]) < layout.n_ratings:
        random["item"] = layout.factors["item"]
    return random


def adjustment(layout: Layout, models: Designed, best: str) -> Adjustment:
    """Rank the systems before and after the severity of judges is removed."""
    names = layout.names["system"]
    before = _ordered(names, layout.means("system"), best)
    reason = _reason(layout, models)
    if reason:
        return Adjustment(before, (), {}, (), balanced=False, reason=reason)
    if "judge" not in models.factors:  # one judge rates all
        return Adjustment(before, before, {}, (), balanced=True)
    judges = models.additive.means["judge"]
    severities = dict(zip(layout.names["judge"], (judges - judges.mean()).tolist(), strict=True))
    after = _ordered(names, models.adjusted_means(layout), best)
    even = balanced(_met(layout)) and models.additive.balanced
    return Adjustment(before, after, severities, models.factors, balanced=even)


def _reason(layout: Layout, models: Designed) -> str:
    if "judge" not in layout.factors:
        return "the judges are not known"
    if len(layout.names["judge"]) > 1 and not connected(_met(layout)):
        return (
            "the systems fall into parts that share no judge, so that a mild judge cannot be told "
            "from a good system; let some judges rate systems of both parts"
        )
    if len(layout.names["judge"]) > 1 and "judge" not in models.factors:
        return "judges and systems cannot be told apart in the additive model"
    return ""


def _met(layout: Layout) -> Floats:
    """How often each system was rated by each judge."""
    shape = len(layout.names["system"]), len(layout.names["judge"])
    places = layout.factors["system"] * shape[1] + layout.factors["judge"]
    return np.bincount(places, minlength=shape[0] * shape[1]).reshape(shape).astype(float)


def _ordered(names: tuple[Any, ...], scores: Floats, best: str) -> tuple[Any, ...]:
    ranks = ranks_of(scores, best)
    return tuple(names[place] for place in np.argsort(ranks, kind="stable"))
