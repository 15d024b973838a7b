"""What a study's guideline cycle has rated, and who rated the evaluation after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from covary.analysis.rounds import History
from covary.errors import InvalidArgument, RatingsError
from covary.ratings import Ratings
from covary.store.export import ratings_of
from covary.store.store import Store
from covary.store.training import Training
from covary.study.model import Study
from covary.training import Cycle

__all__ = ["EVALUATION", "Trained", "trained"]

EVALUATION = "evaluation"
"""The name of what the trained judges rated after the rounds of training."""


@dataclass(frozen=True)
class Trained:
    """The rounds of a study's training as an analysis takes them.

    `rounds` holds the ratings of each round, and last those of the evaluation where the trained
    judges have rated it under the last manual. `fresh` are the ratings of judges who took no part
    in the training and had only that manual.
    """

    cycle: Cycle
    rounds: dict[Any, Ratings]
    history: History
    fresh: Ratings | None = None
    notes: tuple[str, ...] = ()


def trained(study: Study, store: Store, *, criteria: Sequence[str] | None = None) -> Trained:
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
    cycle = Training(store).cycle()
    if cycle.phase == "new":
        raise InvalidArgument(
            f"no guideline cycle has begun in {store.name}; begin one on the researcher's page of "
            "the study, or compare two files: covary rounds before.csv after.csv"
        )
    rated = cycle.ratings(study, criteria=criteria)
    rounds: dict[Any, Ratings] = {
        number: rated.select(round=number) for number in rated.values("round")
    }
    notes: list[str] = []
    evaluated = _evaluated(study, store, cycle, criteria, notes)
    fresh = None
    if evaluated is not None:
        authors = [each for each in evaluated.judges if each in cycle.everybody]
        others = [each for each in evaluated.judges if each not in cycle.everybody]
        if authors:
            rounds[EVALUATION] = evaluated.select(judge=authors)
        if others:
            fresh = evaluated.select(judge=others)
            notes += _about_others(others, authors)
    return Trained(cycle, rounds, cycle.history(), fresh, tuple(notes))


def _evaluated(
    study: Study,
    store: Store,
    cycle: Cycle,
    criteria: Sequence[str] | None,
    notes: list[str],
) -> Ratings | None:
    """Return the ratings of the evaluation under the last edition of the manual."""
    try:
        found = ratings_of(study, store, criteria=criteria)
    except RatingsError:
        return None
    version = cycle.edition.version
    known = "manual" in found.columns and version in found.values("manual")
    kept = found.select(manual=version) if known else None
    number = found.n_ratings - (0 if kept is None else kept.n_ratings)
    if number:
        notes.append(
            f"{number:,} ratings of the evaluation were given under another manual than the last, "
            f"{version}, and are left out."
        )
    return kept


def _about_others(others: Sequence[Any], authors: Sequence[Any]) -> Iterator[str]:
    took = "judge who took" if len(others) == 1 else "judges who took"
    yield f"{len(others)} {took} no part in the training rated the evaluation: a new group."
    if not authors:
        yield (
            "The judges of the training did not rate the evaluation, so that the new group can be "
            "compared with them in alpha only, on other items."
        )
