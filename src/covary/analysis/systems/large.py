"""Systems whose ratings stay in their engine: the same comparison, from sums that it forms.

The additive and the mixed model, the pairs, Cliff's delta and the intervals are those of ratings in
memory. What needs every rating at once is left out, and a note says so: the ordinal model, the
tests by rank, the check of assumptions. Many sources or items are drawn in groups.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from covary.analysis.preferences import refuse_preference
from covary.analysis.systems.models import (
    BESIDE,
    BY_DESIGN,
    FEW_JUDGES,
    MOST_ALONE,
    MOST_EFFECTS,
    Models,
    adjustment,
    choose_term,
    removed_means,
    several_ratings,
    within_parts,
    without_unneeded,
)
from covary.analysis.systems.notes import (
    draw_notes,
    occasion_notes,
    pair_notes,
    scale_notes,
    size_notes,
    text_notes,
    undrawn,
)
from covary.analysis.systems.pairs import (
    MOST_COMPARED,
    RANKED,
    compare_term,
    compared_quantity,
    count_pairs,
    letters_of,
    system_pairs,
)
from covary.analysis.systems.ranks import MOST_JUDGES, Cells, RankProbabilities, bootstrap_ranks
from covary.analysis.systems.result import (
    Adjustment,
    CriterionSystems,
    SystemsOptions,
    deciding_ranks,
)
from covary.analysis.systems.scores import (
    add_adjusted,
    add_draws,
    add_estimates,
    add_intervals,
    add_letters,
    describe_tallies,
)
from covary.errors import ConvergenceError, InvalidArgument
from covary.ratings import Ratings
from covary.records import dataclass
from covary.scales import End
from covary.stats.models.anova import Anova
from covary.stats.models.mixed import MixedFit, MixedModel, fit_sums, reml_method
from covary.stats.models.unit_kinds import (
    GROUPS,
    LargeObservations,
    cell_sums,
    large_observations,
)
from covary.stats.models.unit_sums import random_terms, reml_sums, summed_anova
from covary.words import Note


def compare_large(ratings: Ratings, criterion: Any, options: SystemsOptions) -> CriterionSystems:
    """Compare the systems on one criterion, from what the engine sums."""
    name, scale = criterion or "ratings", ratings.scales[criterion]
    _refuse_options(options)
    refuse_preference(ratings, criterion)
    best: End = scale.best or "high"
    options.progress(f"{name}: means")
    observed = large_observations(ratings, criterion)
    if len(observed.names["system"]) == 1:
        raise InvalidArgument("systems.one-system", system=observed.names["system"][0])
    models = _fit_models(observed, options)
    options.progress(f"{name}: pairs of systems")
    few = len(observed.names["system"]) <= MOST_COMPARED
    pairs = compare_term(models.term, observed, options) if few else None
    changed = adjustment(observed, models, best)
    options.progress(f"{name}: ranks")
    drawn = _DrawnRanks()
    if not options.brief:
        drawn = _draw(ratings, observed, models, changed=changed, options=options)
    ranks, adjusted = drawn.ranks, drawn.adjusted
    compared = compared_quantity(observed, models, options.procedure)
    plain = compared != "means" and ranks is not None and adjusted is None
    scores = add_intervals(describe_tallies(observed, scale, options), scale, models, options)
    scores = add_letters(scores, letters_of(pairs, best))
    scores = add_draws(scores, scale, ranks, deciding_ranks(compared, ranks, adjusted))
    if changed.possible:
        scores = add_adjusted(scores, removed_means(observed, models), best, adjusted)
    places = np.array(pairs.places) if pairs else models.term.means
    scores = add_estimates(scores, places, places, best)
    order = np.argsort([score.rank for score in scores], kind="stable").tolist()
    listed = tuple(system_pairs(observed, pairs, order, models.term.unit))
    options.progress(f"{name}: done")
    return CriterionSystems(
        criterion=criterion,
        scale=scale,
        best=best,
        n_ratings=observed.n_ratings,
        n_items=observed.n_items,
        n_judges=len(observed.names.get("judge", ())),
        n_sources=observed.n_sources,
        names=observed.names["system"],
        systems=tuple(scores[place] for place in order),
        one_way=models.one_way,
        additive=models.additive,
        mixed=models.mixed,
        error=models.term.name,
        compared=compared,
        comparisons=pairs,
        counted=None if pairs else count_pairs(observed, models, options),
        pairs=listed,
        rank_tests=(),
        ranks=ranks,
        adjusted_ranks=adjusted,
        adjustment=changed,
        assumptions=None,
        means=options.means,
        notes=(
            Note("systems.large", count=observed.n_ratings),
            *([Note("systems.large-steps", steps=observed.steps)] if observed.steps else ()),
            *([Note("systems.plain-ranks")] if plain else ()),
            *occasion_notes(ratings),
            *scale_notes(scale, ranked=False),
            *models.notes,
            *pair_notes(pairs),
            *size_notes(listed, compared),
            *text_notes(observed),
            *drawn.notes,
        ),
    )


def _refuse_options(options: SystemsOptions) -> None:
    """Refuse what needs every rating at once."""
    if options.procedure in (*RANKED, "games-howell"):
        value = options.procedure
        raise InvalidArgument("systems.large-procedure", argument="procedure", value=value)
    if options.error == "ordinal":
        raise InvalidArgument("systems.large-ordinal", argument="error", value="ordinal")


def _fit_models(observed: LargeObservations, options: SystemsOptions) -> Models:
    """Fit the models, and choose the error that follows the design unless another is asked for."""
    judges, sources = len(observed.names.get("judge", ())), observed.n_sources
    levels = dict(zip(BESIDE, (judges, sources), strict=True))
    known = [name for name in BESIDE if levels[name] > 1]
    separate = tuple(summed_anova(observed, [name]).effects[0] for name in ("system", *known))
    whole, used = _fit_additive(observed, known)
    notes = [Note("systems.factor-left-out", name=name) for name in known if name not in used]
    mixed = None
    if options.error in BY_DESIGN:
        mixed, dropped = _design_model(observed)
        notes += dropped
    term = choose_term(observed, options.error, (separate[0], whole), mixed)
    if options.error in BY_DESIGN:
        term = within_parts(observed, mixed, term)
    notes += several_ratings(observed, term)
    return Models(one_way=separate, additive=whole, mixed=mixed, term=term, notes=tuple(notes))


def _fit_additive(observed: LargeObservations, known: list[str]) -> tuple[Anova, tuple[str, ...]]:
    """Fit as many factors as leave all systems comparable."""
    for size in range(len(known), 0, -1):
        for used in combinations(known, size):
            model = summed_anova(observed, ("system", *used))
            if not np.isnan(model.means["system"]).any():
                return model, used
    return summed_anova(observed, ["system"]), ()


def _design_model(observed: LargeObservations) -> tuple[MixedModel | None, list[Note]]:
    """Fit the mixed model of the design, without terms that the ratings show no need of."""
    terms, notes = random_terms(observed)
    if not terms:
        return None, []
    opinions = int((observed.numbers > 0).sum())
    levels = len(observed.numbers) + observed.numbers.shape[1]
    if levels > MOST_ALONE or levels + opinions > MOST_EFFECTS:
        raise InvalidArgument("systems.mixed-large", levels=levels + opinions)

    def fit(names: Collection[str], near: MixedModel | None) -> MixedFit:
        return _fit(observed, terms, names, near=near, notes=notes)

    model, dropped = without_unneeded(
        observed, terms, fit(terms, None).model(), opinions=opinions, refit=fit
    )
    return model, dropped


def _fit(
    observed: LargeObservations,
    terms: list[str],
    names: Collection[str],
    *,
    near: MixedModel | None,
    notes: list[Note],
) -> MixedFit:
    """Fit the model with some of the terms; one without items has their variance at 0."""
    without = frozenset({"item"} & {*terms} - {*names})
    used = [name for name in terms if name in names or name in without]
    few = 1 < len(observed.names.get("judge", ())) <= FEW_JUDGES and "judge" in names
    held = frozenset({"judge"} if few else ())
    fit = fit_sums(
        replace(reml_sums(observed, used), held=held, absent=without),
        observed.means(),
        observed.counts(),
        method=reml_method([name for name in used if name not in without], sorted(held)),
        notes=notes,
        start=None if near is None else near.components,
    )
    if fit.reason:
        raise ConvergenceError("systems.not-fitted", reason=fit.reason)
    return fit


@dataclass(frozen=True)
class _DrawnRanks:
    """The chances of ranks, plain and without severity, and what is to be said of them."""

    ranks: RankProbabilities | None = None
    adjusted: RankProbabilities | None = None
    notes: tuple[Note, ...] = ()


def _draw(
    ratings: Ratings,
    observed: LargeObservations,
    models: Models,
    *,
    changed: Adjustment,
    options: SystemsOptions,
) -> _DrawnRanks:
    """Draw judges and sources (or items) again, in groups where they are many."""
    best: End = ratings.scales[observed.criterion].best or "high"
    cells, grouped = _cells(ratings, observed)
    notes = [Note("systems.drawn-groups", groups=GROUPS, unit=cells.unit)] if grouped else []
    without = undrawn(observed, cells, models)
    ranks, adjusted = None, None
    if cells.drawn and not without:
        ranks = _ranks(cells, best, options)
        if _adjustable(observed, models) and changed.possible and not changed.balanced:
            adjusted = _ranks(cells, best, options, adjusted=True)
    return _DrawnRanks(ranks, adjusted, (*notes, *without, *draw_notes(cells, ranks)))


def _cells(ratings: Ratings, observed: LargeObservations) -> tuple[Cells, bool]:
    """The sums that are drawn again, and whether sources or items are drawn in groups."""
    summed = cell_sums(ratings, observed.criterion, observed)
    systems, judges = observed.numbers.shape
    cells = Cells(
        sums=summed.sums,
        numbers=summed.numbers,
        n_systems=systems,
        n_judges=judges,
        unit=summed.unit,
        owners=summed.owners,
    )
    return cells, summed.grouped


def _adjustable(observed: LargeObservations, models: Models) -> bool:
    """Whether severity can be removed anew in every resample: where no source is removed, too."""
    return "source" not in models.factors and observed.numbers.shape[1] <= MOST_JUDGES


def _ranks(
    cells: Cells, best: End, options: SystemsOptions, *, adjusted: bool = False
) -> RankProbabilities:
    interval = options.interval
    return bootstrap_ranks(
        cells,
        best,
        resamples=interval.resamples,
        seed=interval.seed,
        confidence=interval.confidence,
        adjusted=adjusted,
    )
