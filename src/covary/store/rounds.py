"""What a study's guideline cycle has rated, and who rated the evaluation after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from covary.analysis.rounds import History
from covary.errors import InvalidArgument, RatingsError
from covary.ratings import Ratings
from covary.store.export import ratings_of
from covary.store.store import Store
from covary.study.model import Study
from covary.training import Cycle
from covary.words import Note

BEFORE, EVALUATION = "before", "evaluation"
"""The names of what the trained judges rated before the rounds of training, and after them."""


@dataclass(frozen=True, kw_only=True)
class TrainingRatings:
    """The rounds of a study's training as an analysis takes them.

    `rounds` holds the ratings of each round, and last those of the evaluation where the trained
    judges have rated it under the last manual; where they had rated it before the training, under
    the first manual, these ratings come first. `fresh` are the ratings of judges who took no part
    in the training and had only that manual.
    """

    cycle: Cycle
    rounds: dict[Any, Ratings]
    history: History
    fresh: Ratings | None = None
    notes: tuple[str, ...] = ()


def training_ratings(
    study: Study, store: Store, *, criteria: Sequence[str] | None = None
) -> TrainingRatings:
    """Return what a study's guideline cycle has rated; nothing is changed in the store.

    Parameters
    ----------
    study
        The study that the store belongs to.
    store
        Where the cycle and the answers are.
    criteria
        Keep these criteria only, by their keys.
    """
    cycle = store.training.cycle()
    if cycle.phase == "new":
        raise InvalidArgument("store.no-cycle", store=store.name)
    trained = cycle.ratings(study, criteria=criteria)
    rounds: dict[Any, Ratings] = {
        number: trained.select(round=number) for number in trained.values("round")
    }
    before, evaluated, notes = _evaluated(study, store, cycle, criteria)
    if before is not None:
        rounds = {BEFORE: before, **rounds}
    fresh = None
    if evaluated is not None:
        authors = [judge for judge in evaluated.judges if judge in cycle.everybody]
        others = [judge for judge in evaluated.judges if judge not in cycle.everybody]
        if authors:
            rounds[EVALUATION] = _once(evaluated.select(judge=authors))
        if others:
            fresh = _once(evaluated.select(judge=others))
            notes.append(Note("store.new-group", number=len(others)))
        if not authors:
            notes.append(Note("store.other-items"))
    return TrainingRatings(
        cycle=cycle, rounds=rounds, history=cycle.history(), fresh=fresh, notes=tuple(notes)
    )


def _evaluated(
    study: Study, store: Store, cycle: Cycle, criteria: Sequence[str] | None
) -> tuple[Ratings | None, Ratings | None, list[Note]]:
    """Return the evaluation before the training and under the last edition, and notes."""
    try:
        ratings = ratings_of(study, store, criteria=criteria)
    except RatingsError:
        return None, None, []
    last = cycle.edition.version
    kept = _under(ratings, last)
    before = _before(ratings, cycle) if kept is not None else None
    counted = sum(some.n_ratings for some in (before, kept) if some is not None)
    older = ratings.n_ratings - counted
    notes = [Note("store.older-manual", number=older, version=last)] if older else []
    return before, kept, notes


def _before(ratings: Ratings, cycle: Cycle) -> Ratings | None:
    """Return what the trained judges rated under the first edition, where another followed it."""
    first = cycle.editions[0].version
    rated = None if first == cycle.edition.version else _under(ratings, first)
    authors = [] if rated is None else [who for who in rated.judges if who in cycle.everybody]
    return None if rated is None or not authors else _once(rated.select(judge=authors))


def _under(ratings: Ratings, version: str) -> Ratings | None:
    """Return the ratings that were given under an edition of the manual, where there are any."""
    known = "manual" in ratings.columns and version in ratings.values("manual")
    return ratings.select(manual=version) if known else None


def _once(ratings: Ratings) -> Ratings:
    """Return each judge's first of these ratings of an item."""
    return ratings.first_occasion()
