"""`covary.systems`: which system is better, on every criterion."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from covary.analysis.systems.adjusted import MOST_JUDGES, Adjustment
from covary.analysis.systems.cells import Cells, cells
from covary.analysis.systems.designed import ERRORS, Designed, adjustment, designed
from covary.analysis.systems.found import CriterionSystems, RankTest, Systems
from covary.analysis.systems.ordinal import rank_tests
from covary.analysis.systems.pairs import (
    MOST_COMPARED,
    MOST_LETTERED,
    compared,
    counted,
    system_pairs,
    what_is_compared,
)
from covary.analysis.systems.ranks import Ranks, bootstrap
from covary.analysis.systems.table import Asked, Drawn, Progress, table
from covary.errors import CovaryWarning, InvalidArgument, choose, listed, meant
from covary.ratings import Ratings
from covary.scales import End, Level, Scale
from covary.stats.assumptions import Assumptions, check_assumptions
from covary.stats.intervals import Wanted
from covary.stats.layout import Layout, layout
from covary.stats.posthoc import PROCEDURES, Comparisons

__all__ = ["brief_systems", "systems"]

RESAMPLES = 2000
"""Enough for a probability that is off by at most .02."""


def systems(
    ratings: Ratings,
    *,
    criterion: Any = None,
    procedure: str = "tukey",
    error: str = "additive",
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
        What a difference of means is compared with: "one-way" (whatever is not due to the
        system), "additive" (whatever is not due to system, judge and source) or "mixed" (judges
        and sources as drawn from many).
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
        One `CriterionSystems` per criterion, its systems in the order of their means, the best
        first, whichever end of the scale is best.

    Examples
    --------
    Four systems in a Latin square of judges and sources:

    >>> from covary import datasets
    >>> found = systems(datasets.load("latin-square-example"), rng=1)
    >>> [score.system for score in found.criteria[0].systems]
    ['3', '2', '1', '0']
    """
    asked = _asked(ratings, procedure, error, confidence, resamples, rng, human, progress)
    return _answered(ratings, criterion, asked)


def brief_systems(ratings: Ratings, *, confidence: float = 0.95) -> Systems:
    """Compare systems without what takes long: no draws, no mixed model, no rank tests."""
    wanted = Wanted.of(None, confidence, 2, 0)
    return _answered(
        ratings, None, Asked("tukey", "additive", frozenset(), wanted, _silent, brief=True)
    )


def _asked(
    ratings: Ratings,
    procedure: str,
    error: str,
    confidence: float,
    resamples: int,
    rng: Any,
    human: str | Iterable[Any],
    progress: Progress | None,
) -> Asked:
    if not isinstance(ratings, Ratings):
        raise InvalidArgument(f"systems takes Ratings, got a {type(ratings).__name__}")
    if procedure not in PROCEDURES:
        raise InvalidArgument(
            f"procedure={procedure!r} is not known; {choose(procedure, PROCEDURES)}"
        )
    if error not in ERRORS:
        raise InvalidArgument(f"error={error!r} is not known; {choose(error, ERRORS)}")
    if error == "mixed" and ratings.slots:
        raise InvalidArgument(
            "the mixed model needs judges, and these ratings come from slots, whose judges are not "
            "known; use the additive error"
        )
    names = frozenset([human] if isinstance(human, str) else map(str, human))
    if names:
        _check_human(ratings, names)
    wanted = Wanted.of("bootstrap", confidence, resamples, rng)
    return Asked(procedure, error, names, wanted, progress or _silent)


def _check_human(ratings: Ratings, names: frozenset[str]) -> None:
    known = {str(system) for system in ratings.values("system")}
    unknown = sorted(names - known)
    if unknown:
        raise InvalidArgument(
            f"{listed(unknown)} cannot be marked as human, because no system has that name; there "
            f"are {listed(sorted(known))}{meant(unknown[0], known)}"
        )


def _answered(ratings: Ratings, criterion: Any, asked: Asked) -> Systems:
    names = ratings.criteria if criterion is None else _chosen(ratings, criterion)
    found, left_out = [], []
    for name in names:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", CovaryWarning)  # the notes say the same
                found.append(_criterion(ratings, name, asked))
        except InvalidArgument as error:
            if len(names) == 1 or "system" not in ratings.columns:
                raise
            left_out.append((name, str(error)))
    if not found:
        raise InvalidArgument(f"no criterion can be compared: {left_out[0][1]}")
    return Systems(
        tuple(found), asked.procedure, asked.error, asked.wanted.confidence,
        asked.wanted.resamples, asked.wanted.seed, ratings.slots, tuple(left_out),
    )  # fmt: skip


def _chosen(ratings: Ratings, criterion: Any) -> list[Any]:
    wanted = criterion if isinstance(criterion, list | tuple) else [criterion]
    return [ratings.one_criterion(each) for each in wanted]


def _criterion(ratings: Ratings, criterion: Any, asked: Asked) -> CriterionSystems:
    name, scale = criterion or "ratings", ratings.scales[criterion]
    asked.progress(f"{name}: means")
    arrays = layout(ratings, criterion)
    _refuse_one(arrays)
    best: End = scale.best or "high"
    models = designed(arrays, asked.error, brief=asked.brief)
    asked.progress(f"{name}: pairs of systems")
    pairs = compared(
        arrays, models, procedure=asked.procedure, error=asked.error, alpha=asked.alpha
    )
    changed = adjustment(arrays, models, best)
    asked.progress(f"{name}: ranks")
    drawable = cells(arrays)
    ranks = _ranks(drawable, best, asked) if drawable.drawn and not asked.brief else None
    drawn = Drawn(ranks, _adjusted_ranks(arrays, models, changed, best, asked))
    scored = table(arrays, scale, best, models, changed, pairs, drawn, asked)
    order = np.argsort([score.rank for score in scored], kind="stable").tolist()
    asked.progress(f"{name}: tests by rank")
    return CriterionSystems(
        criterion=criterion, scale=scale, best=best, **_counts(arrays),
        names=arrays.names["system"], systems=tuple(scored[place] for place in order),
        one_way=models.one_way, additive=models.additive, mixed=models.mixed,
        error=asked.error, compared=what_is_compared(models, asked.procedure, asked.error),
        comparisons=pairs,
        counted=None if pairs else counted(arrays, models, error=asked.error, alpha=asked.alpha),
        pairs=tuple(system_pairs(arrays, models, pairs, order, asked.error)),
        rank_tests=_rank_tests(arrays, len(order), asked),
        ranks=drawn.plain, adjusted_ranks=drawn.adjusted, adjustment=changed,
        assumptions=_assumptions(arrays, models, scale, asked),
        notes=tuple(_notes(scale, models, pairs, drawable, ranks)),
    )  # fmt: skip


def _counts(arrays: Layout) -> dict[str, int]:
    """How many ratings, items, judges and sources there are."""
    return {"n_ratings": arrays.n_ratings} | {
        f"n_{name}s": len(arrays.names.get(name, ())) for name in ("item", "judge", "source")
    }


def _rank_tests(arrays: Layout, n_systems: int, asked: Asked) -> tuple[RankTest, ...]:
    if asked.brief:
        return ()
    return tuple(rank_tests(arrays, alpha=asked.alpha, pairs=n_systems <= MOST_LETTERED))


def _refuse_one(arrays: Layout) -> None:
    (only, *others) = arrays.names["system"]
    if not others:
        raise InvalidArgument(
            f"all ratings are of one system, {only!r}; a comparison needs at least two. "
            "covary.reliability and covary.report say how far its ratings can be relied on"
        )


def _ranks(drawn: Cells, best: End, asked: Asked, *, adjusted: bool = False) -> Ranks:
    wanted = asked.wanted
    return bootstrap(
        drawn, best, resamples=wanted.resamples, seed=wanted.seed, confidence=wanted.confidence,
        adjusted=adjusted,
    )  # fmt: skip


def _adjusted_ranks(
    arrays: Layout, models: Designed, changed: Adjustment, best: End, asked: Asked
) -> Ranks | None:
    """The ranks after severity is removed, where that can make a difference."""
    few = len(arrays.names.get("judge", ())) <= MOST_JUDGES
    if asked.brief or not changed.possible or changed.balanced or not few:
        return None
    values = arrays.values
    if "source" in models.factors:
        values = values - models.additive.means["source"][arrays.factors["source"]]
    return _ranks(cells(arrays, values), best, asked, adjusted=True)


def _notes(
    scale: Scale,
    models: Designed,
    pairs: Comparisons | None,
    drawable: Cells,
    ranks: Ranks | None,
) -> Iterator[str]:
    if scale.best is None:
        yield (
            "Which end of the scale is best was not declared; the higher mean is taken to be the "
            "better one."
        )
    if scale.level < Level.INTERVAL:
        yield (
            f"The scale is {scale.level}. Means, F and tests of means take the steps between its "
            "categories to be equal; the tests by rank do not, and stand beside them."
        )
    yield from models.notes
    yield from () if pairs is None else (f"{note[0].upper()}{note[1:]}." for note in pairs.notes)
    if pairs is None:
        yield (
            f"With more than {MOST_COMPARED:,} systems, the pairs that differ by Tukey's procedure "
            "are counted and not listed."
        )
    if not drawable.drawn:
        yield (
            "There is one judge and one source or item of each system, so that nothing can be "
            "drawn again and no rank has a probability."
        )
    if ranks is not None and ranks.undefined:
        yield (
            f"In {ranks.undefined:,} of {ranks.resamples:,} resamples a system had no rating; they "
            "are left out."
        )


def _assumptions(
    arrays: Layout, models: Designed, scale: Scale, asked: Asked
) -> Assumptions | None:
    """Check what the parametric tests take for granted, on what the model leaves."""
    if asked.brief:
        return None
    return check_assumptions(
        models.additive.residuals(), arrays.factors["system"], level=scale.level, alpha=asked.alpha
    )


def _silent(_: str) -> None:
    """Say nothing."""
