"""The ordinal model beside the means: what it finds, and when it decides."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from covary.analysis.systems.models import FEW_JUDGES, OPINION, Models, random_factors
from covary.analysis.systems.pairs import letters_of
from covary.analysis.systems.result import OrdinalSystems, Range, SystemsOptions
from covary.errors import ConvergenceError
from covary.scales import Level, Scale
from covary.stats.distributions import chi2_tail, t_quantile
from covary.stats.models.observations import Codes, Observations
from covary.stats.models.ordinal import OrdinalModel, ordinal_model
from covary.stats.posthoc import Comparisons, compare_means
from covary.words import Note

ORDINAL_PLACES = "places in the ordinal model"

MOST_ORDINAL = 20_000
"""Ratings up to which the ordinal model is fitted."""

MOST_ORDINAL_JUDGES = 1_000
"""Judges up to whom the ordinal model is fitted, which costs the cube of their number."""

MOST_SOURCES = 300
"""Sources up to which their places are in the ordinal model."""

MEANS_ONLY = ("games-howell", "nemenyi", "dunn")
"""Procedures that have an error of their own."""

UNTESTED = ("stats.pairs-unlinked", "stats.no-error-df")
"""Why pairs have no test by their means, which the ordinal model cannot mend."""


def compare_ordinal(
    observed: Observations,
    scale: Scale,
    models: Models,
    pairs: Comparisons | None,
    *,
    options: SystemsOptions,
) -> tuple[OrdinalSystems | None, list[Note]]:
    """Fit the ordinal model of an ordinal scale, and say whether it tells something else."""
    asked = options.error == "ordinal"
    if pairs is None or not _is_offered(observed, scale, options):
        return None, []
    obstacle = None if asked else _obstacle(observed, pairs)
    if obstacle is not None:
        return None, [obstacle]
    try:
        model = _fit(observed, models, options)
    except ConvergenceError as failure:
        if asked:
            raise
        return None, [Note("systems.ordinal-not-fitted", reason=str(failure))]
    found = _describe(model, observed, models, scale=scale, options=options)
    runaway = _runaway_pairs(found, pairs, observed, models=models, options=options)
    if runaway:
        verdict = Note("systems.ordinal-separated", pairs=runaway)
        return replace(found, decides=asked, letters=None, verdict=verdict), [verdict]
    different = list(_different(found.comparisons, pairs, observed))
    clear = [name for name, sure in different if sure]
    if not different:
        return replace(found, decides=asked, verdict=Note("systems.ordinal-agrees")), []
    code = "systems.ordinal-decides" if clear else "systems.ordinal-close"
    verdict = Note(code, pairs=clear or [name for name, _ in different])
    return replace(found, decides=asked or bool(clear), verdict=verdict), [verdict]


def _obstacle(observed: Observations, pairs: Comparisons) -> Note | None:
    """Why an ordinal model that nobody asked for is left out."""
    untested = [note for note in pairs.notes if getattr(note, "code", "") in UNTESTED]
    if untested:
        return Note("systems.ordinal-not-fitted", reason="; ".join(untested))
    if observed.n_ratings > MOST_ORDINAL:
        return Note("systems.ordinal-large", most=MOST_ORDINAL)
    if len(observed.names.get("judge", ())) > MOST_ORDINAL_JUDGES:
        return Note("systems.ordinal-many-judges", most=MOST_ORDINAL_JUDGES)
    return None


def _is_offered(observed: Observations, scale: Scale, options: SystemsOptions) -> bool:
    """Whether an ordinal model was asked for, or belongs beside the means of ordered categories."""
    ordered = scale.level is Level.ORDINAL and "item" in observed.factors
    wanted = options.error == "ordinal" or (ordered and options.error == "design")
    return wanted and options.procedure not in MEANS_ONLY


def _fit(observed: Observations, models: Models, options: SystemsOptions) -> OrdinalModel:
    """Items by quadrature; judges fixed, or shrunken where they are many, and the mixed model's."""
    factors, judges = observed.factors, len(observed.names.get("judge", ()))
    shrunken: dict[str, Codes] = {}
    if judges > FEW_JUDGES:
        shrunken["judge"] = factors["judge"]
    components = {} if models.mixed is None else models.mixed.components
    if components.get(OPINION, 0.0) > 0:
        shrunken[OPINION] = random_factors(observed)[OPINION]
    if components.get("source", 0.0) > 0 and len(observed.names["source"]) <= MOST_SOURCES:
        shrunken["source"] = factors["source"]
    return ordinal_model(
        observed.values,
        factors["system"],
        judge=factors["judge"] if 1 < judges <= FEW_JUDGES else None,
        item=factors["item"],
        shrunken=shrunken,
        discrimination=judges > 2 and not options.brief,
    )


def _describe(
    model: OrdinalModel,
    observed: Observations,
    models: Models,
    *,
    scale: Scale,
    options: SystemsOptions,
) -> OrdinalSystems:
    best, term = scale.best or "high", models.term
    as_mixed = ", tested as in the linear mixed model" if term.name == "mixed" else ""
    comparisons = compare_means(
        model.effects,
        model.counts,
        math.nan,
        term.df if term.name == "mixed" else math.inf,
        procedure=options.procedure,
        alpha=options.alpha,
        covariance=model.covariance,
        error=f"{model.method}{as_mixed}",
    )
    df = term.typical_df if term.name == "mixed" else math.inf
    reach = t_quantile((1 + options.interval.confidence) / 2, df if df > 0 else math.inf)
    ends = zip(model.scores, reach * model.score_errors, strict=True)
    table = model.rank_probabilities(best=best, seed=options.interval.seed)
    return OrdinalSystems(
        model=model,
        comparisons=comparisons,
        letters=letters_of(comparisons, best),
        scores=tuple(model.scores.tolist()),
        intervals=tuple(Range(float(score - half), float(score + half)) for score, half in ends),
        probabilities=tuple(tuple(row) for row in table.tolist()),
        judges=dict(zip(observed.names.get("judge", ()), model.judges, strict=False)),
        decides=False,
        verdict=Note("systems.ordinal-agrees"),
    )


def _runaway_pairs(
    found: OrdinalSystems,
    means: Comparisons,
    observed: Observations,
    *,
    models: Models,
    options: SystemsOptions,
) -> list[str]:
    """The pairs whose difference is so large that the ordinal model has no standard error for it.

    Where the ratings of two systems hardly overlap, the estimate runs away and its standard error
    grows even faster (Hauck & Donner 1977): p is near 1, though the likelihood falls a lot when the
    two are taken for one system. Only pairs that the means find different can matter.
    """
    names = observed.names["system"]
    return [
        f"{names[one.first]} and {names[one.second]}"
        for one, other in zip(found.comparisons.pairs, means.pairs, strict=True)
        if other.significant
        and not one.significant
        and one.p > options.alpha
        and _merged_p(
            found.model, observed, (one.first, one.second), models=models, options=options
        )
        <= options.alpha
    ]


def _merged_p(
    model: OrdinalModel,
    observed: Observations,
    pair: tuple[int, int],
    *,
    models: Models,
    options: SystemsOptions,
) -> float:
    """The likelihood ratio's p of two systems taken for one; 1 where that cannot be fitted."""
    first, second = pair
    system = observed.factors["system"]
    merged = np.unique(np.where(system == second, first, system), return_inverse=True)[1]
    factors = {**observed.factors, "system": merged.astype(np.intp)}
    fewer = tuple(name for place, name in enumerate(observed.names["system"]) if place != second)
    joint = replace(observed, factors=factors, names={**observed.names, "system": fewer})
    try:
        without = _fit(joint, models, replace(options, brief=True))
    except ConvergenceError:
        return 1.0
    return chi2_tail(max(2 * (model.log_likelihood - without.log_likelihood), 0.0), 1)


def _different(
    ordinal: Comparisons, means: Comparisons, observed: Observations
) -> Iterator[tuple[str, bool]]:
    """The pairs that the two decide differently, and whether clearly so.

    It is clear where both find a difference but in opposite directions, or where one finds it and
    the other has a p of more than twice the error rate.
    """
    names = observed.names["system"]
    for one, other in zip(ordinal.pairs, means.pairs, strict=True):
        turned = one.significant and other.significant and one.difference * other.difference < 0
        if one.significant != other.significant or turned:
            clear = turned or max(one.p_adjusted, other.p_adjusted) > 2 * ordinal.alpha
            yield f"{names[one.first]} and {names[one.second]}", clear
