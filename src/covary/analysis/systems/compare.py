"""`covary.systems`: which system is better, on every criterion."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from covary.analysis.preferences import refuse_preference
from covary.analysis.systems.large import compare_large
from covary.analysis.systems.models import Models, adjustment, fit_models, removed_means
from covary.analysis.systems.notes import (
    draw_notes,
    occasion_notes,
    pair_notes,
    scale_notes,
    size_notes,
    text_notes,
    undrawn,
)
from covary.analysis.systems.ordinal import ORDINAL_PLACES, compare_ordinal
from covary.analysis.systems.pairs import (
    RANKED,
    compare_pairs,
    compared_quantity,
    count_pairs,
    letters_of,
    rank_tests,
    system_pairs,
)
from covary.analysis.systems.ranks import (
    MOST_JUDGES,
    Cells,
    RankProbabilities,
    bootstrap_ranks,
    sum_cells,
)
from covary.analysis.systems.result import (
    RESAMPLES,
    Adjustment,
    CriterionSystems,
    OrdinalSystems,
    Progress,
    Systems,
    SystemScore,
    SystemsOptions,
    check_choices,
    deciding_ranks,
    human_systems,
    no_progress,
)
from covary.analysis.systems.scores import (
    add_adjusted,
    add_draws,
    add_estimates,
    add_intervals,
    add_letters,
    describe_systems,
)
from covary.errors import InvalidArgument, quiet
from covary.ratings import Ratings
from covary.scales import End, Scale
from covary.stats.coefficient import check_ratings
from covary.stats.intervals import IntervalSpec
from covary.stats.models.assumptions import Assumptions, check_assumptions
from covary.stats.models.observations import Observations, observations
from covary.stats.posthoc import Comparisons
from covary.words import Note


def systems(
    ratings: Ratings,
    *,
    criterion: Any = None,
    procedure: str = "tukey",
    error: str = "design",
    means: str = "ratings",
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    rng: Any = None,
    human: str | Iterable[Any] = (),
    progress: Progress | None = None,
) -> Systems:
    """Which system is better? Means, tests, all pairs, and how sure the order is.

    Parameters
    ----------
    ratings
        The ratings, with a system for each. Judges and sources are used where they are known.
    criterion
        Only this criterion (or these); all by default.
    procedure
        How all pairs of systems are compared: "tukey" (the default; Tukey & Kramer's where
        systems have different numbers of ratings), "games-howell", "scheffe", "bonferroni",
        "holm", "bh", "lsd", and from the order of ratings alone "nemenyi" or "dunn".
    error
        What a difference is compared with. "design" (the default) takes the error from the design:
        the mixed model with judges, sources, texts and judges' opinions of systems as drawn from
        many, the means of texts where it cannot be fitted, and on an ordinal scale the ordinal
        model where the two clearly disagree. "mixed" and "ordinal" ask for either. As published:
        "additive" (whatever is not due to system, judge and source) and "one-way" (whatever is not
        due to the system), which count several ratings of one text as independent.
    means
        What the mean of a system is over: "ratings" (the default) counts every rating alike,
        "items" takes the mean of the means of its items, as many papers print it, so that items
        with many ratings count no more than others. Tests and intervals do not depend on it.
    confidence
        Of the intervals; 1 - confidence is the error rate of the procedure.
    resamples, rng
        Of the cluster bootstrap over sources and judges that gives the probability of each rank;
        the seed is recorded.
    human
        Names of the systems whose texts were written by people.
    progress
        Called with a few words at each step, for a progress bar.

    Returns
    -------
    Systems
        One `CriterionSystems` per criterion, its systems in the order of what the letters compare,
        the best first, whichever end of the scale is best.

    Examples
    --------
    Four systems in a Latin square of judges and sources:

    >>> from covary import datasets
    >>> result = systems(datasets.load("latin-square-example"), rng=1)
    >>> [score.system for score in result.criteria[0].systems]
    ['3', '2', '1', '0']
    """
    check_ratings("systems", ratings)
    check_choices(ratings, procedure, error, means)
    options = SystemsOptions(
        procedure=procedure,
        error=error,
        means=means,
        human=human_systems(ratings, human),
        interval=IntervalSpec.of("bootstrap", confidence, resamples, rng),
        progress=progress or no_progress,
    )
    return _compare_all(ratings, criterion, options)


def brief_systems(ratings: Ratings, *, confidence: float = 0.95) -> Systems:
    """Compare systems by default, without what takes long: no draws, no rank tests."""
    options = SystemsOptions(interval=IntervalSpec.of(None, confidence, 2, 0), brief=True)
    return _compare_all(ratings, None, options)


def _compare_all(ratings: Ratings, criterion: Any, options: SystemsOptions) -> Systems:
    ratings = ratings.first_occasion()
    names = ratings.criteria if criterion is None else _choose_criteria(ratings, criterion)
    criteria: list[CriterionSystems] = []
    left_out: list[tuple[Any, str]] = []
    for name in names:
        try:
            with quiet():  # the notes say the same
                compare = compare_large if ratings.large else _compare
                criteria.append(compare(ratings, name, options))
        except InvalidArgument as error:
            if len(names) == 1 or "system" not in ratings.columns:
                raise
            left_out.append((name, Note(error.code, **error.facts)))
    if not criteria:
        raise InvalidArgument("systems.nothing-compared", reason=left_out[0][1])
    return Systems(
        criteria=tuple(criteria),
        procedure=options.procedure,
        error=options.error,
        confidence=options.interval.confidence,
        resamples=options.interval.resamples,
        seed=options.interval.seed,
        slots=ratings.slots,
        means=options.means,
        left_out=tuple(left_out),
    )


def _choose_criteria(ratings: Ratings, criterion: Any) -> list[Any]:
    names = criterion if isinstance(criterion, list | tuple) else [criterion]
    return [ratings.one_criterion(name) for name in names]


def _add_places(
    scores: list[SystemScore], ordinal: OrdinalSystems | None, places: Any, best: End
) -> list[SystemScore]:
    """Put the systems where the model that decides puts them."""
    if ordinal is None or not ordinal.decides:
        return add_estimates(scores, places, places, best)
    ends = zip(scores, ordinal.intervals, strict=True)
    placed = [replace(score, interval=interval) for score, interval in ends]
    return add_estimates(placed, np.array(ordinal.scores), ordinal.model.effects, best)


def _compare(ratings: Ratings, criterion: Any, options: SystemsOptions) -> CriterionSystems:
    name, scale = criterion or "ratings", ratings.scales[criterion]
    refuse_preference(ratings, criterion)
    best: End = scale.best or "high"
    options.progress(f"{name}: means")
    observed = observations(ratings, criterion)
    _refuse_one(observed)
    models = fit_models(observed, options)
    options.progress(f"{name}: pairs of systems")
    pairs = compare_pairs(observed, models, options)
    ordinal, ordinal_notes = compare_ordinal(observed, scale, models, pairs, options=options)
    decided = ordinal is not None and ordinal.decides
    letters = ordinal.letters if ordinal and decided else letters_of(pairs, best)
    changed = adjustment(observed, models, best)
    options.progress(f"{name}: ranks")
    cells = sum_cells(observed)
    without = undrawn(observed, cells, models)
    ranks, adjusted = None, None
    if not (options.brief or without):
        ranks = _plain_ranks(cells, best, options)
        adjusted = _adjusted_ranks(observed, models, changed, best=best, options=options)
    compared, deciding, unit = _deciding(observed, models, ordinal, pairs, options=options)
    scores = add_intervals(describe_systems(observed, scale, options), scale, models, options)
    scores = add_letters(scores, letters)
    scores = add_draws(scores, scale, ranks, deciding_ranks(compared, ranks, adjusted))
    if changed.possible:
        scores = add_adjusted(scores, removed_means(observed, models), best, adjusted)
    scores = _add_places(
        scores, ordinal, np.array(pairs.places) if pairs else models.term.means, best
    )
    order = np.argsort([score.rank for score in scores], kind="stable").tolist()
    listed = tuple(system_pairs(observed, deciding, order, unit))
    options.progress(f"{name}: tests by rank")
    return CriterionSystems(
        criterion=criterion,
        scale=scale,
        best=best,
        n_ratings=observed.n_ratings,
        n_items=len(observed.names["item"]),
        n_judges=len(observed.names.get("judge", ())),
        n_sources=len(observed.names.get("source", ())),
        names=observed.names["system"],
        systems=tuple(scores[place] for place in order),
        one_way=models.one_way,
        additive=models.additive,
        mixed=models.mixed,
        error="ordinal" if decided else models.term.name,
        compared=compared,
        comparisons=deciding,
        counted=None if pairs else count_pairs(observed, models, options),
        pairs=listed,
        rank_tests=() if options.brief else tuple(rank_tests(observed, options)),
        ranks=ranks,
        adjusted_ranks=adjusted,
        adjustment=changed,
        assumptions=_assumptions(observed, models, scale, options),
        ordinal=ordinal,
        means=options.means,
        notes=(
            *occasion_notes(ratings),
            *scale_notes(scale),
            *models.notes,
            *ordinal_notes,
            *pair_notes(pairs),
            *size_notes(listed, compared),
            *text_notes(observed),
            *without,
            *draw_notes(cells, ranks),
        ),
    )


def _plain_ranks(cells: Cells, best: End, options: SystemsOptions) -> RankProbabilities | None:
    """The chance of each rank by plain means, where something can be drawn."""
    return _ranks(cells, best, options) if cells.drawn else None


def _adjusted_ranks(
    observed: Observations,
    models: Models,
    changed: Adjustment,
    *,
    best: End,
    options: SystemsOptions,
) -> RankProbabilities | None:
    """The chance of each rank with severity removed anew in every resample."""
    if not _is_adjustable(observed, changed):
        return None
    cells = _sum_without_sources(observed, models)
    return _ranks(cells, best, options, adjusted=True)


def _deciding(
    observed: Observations,
    models: Models,
    ordinal: OrdinalSystems | None,
    pairs: Comparisons | None,
    *,
    options: SystemsOptions,
) -> tuple[Any, Comparisons | None, float]:
    """What is compared, the comparisons that decide, and the unit of their effect sizes."""
    if ordinal is not None and ordinal.decides:
        return ORDINAL_PLACES, ordinal.comparisons, ordinal.model.latent_sd
    unit = math.nan if options.procedure in RANKED else models.term.unit
    return compared_quantity(observed, models, options.procedure), pairs, unit


def _refuse_one(observed: Observations) -> None:
    (only, *others) = observed.names["system"]
    if not others:
        raise InvalidArgument("systems.one-system", system=only)


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


def _is_adjustable(observed: Observations, changed: Adjustment) -> bool:
    """Whether removing severity anew in every resample can make a difference, and is affordable."""
    few = len(observed.names.get("judge", ())) <= MOST_JUDGES
    return changed.possible and not changed.balanced and few


def _sum_without_sources(observed: Observations, models: Models) -> Cells:
    """Sum what is left of the ratings without easy and hard sources; their mean stays."""
    if "source" not in models.factors:
        return sum_cells(observed)
    sources = models.additive.means["source"][observed.factors["source"]]
    return sum_cells(observed, observed.values - sources + sources.mean())


def _assumptions(
    observed: Observations, models: Models, scale: Scale, options: SystemsOptions
) -> Assumptions | None:
    """Check what the parametric tests take for granted, on what the model leaves."""
    if options.brief:
        return None
    return check_assumptions(
        models.additive.residuals(),
        observed.factors["system"],
        level=scale.level,
        alpha=options.alpha,
    )
