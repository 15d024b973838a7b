"""What every method does first and last: check the call, read the votes, write the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.aggregate.aggregated import Aggregated
from covary.aggregate.ties import ABSTAINED, check_rule, settle
from covary.aggregate.votes import Floats, Ints, Occasions, Votes, votes_of
from covary.errors import InvalidArgument, RatingsError, listed
from covary.ratings import Ratings
from covary.scales import Level, ObservedScale
from covary.stats.question import check_ratings
from covary.version import __version__

__all__ = ["ask", "ask_model", "ask_ordered", "chosen", "number_given", "written"]

WITHOUT_NAMES = "majority, median, mean, banchs_a and banchs_b do not need to know who voted"


def ask(
    name: str, ratings: Ratings, criterion: Any, occasions: Occasions, ties: str
) -> tuple[Votes, tuple[str, ...]]:
    """Check the call and return the votes, with notes on how they came to be."""
    check_ratings(name, ratings)
    if occasions not in ("refuse", "votes"):
        raise InvalidArgument(f"occasions={occasions!r} is not known; choose 'refuse' or 'votes'")
    check_rule(name, ties, ratings.scale(criterion))
    votes = votes_of(ratings, criterion, occasions)
    return votes, _notes(votes)


def ask_ordered(
    name: str, ratings: Ratings, criterion: Any, occasions: Occasions, ties: str
) -> tuple[Votes, tuple[str, ...]]:
    """Ask on behalf of a method that needs the order of the scale."""
    check_ratings(name, ratings)
    scale = ratings.scale(criterion)
    if scale.level is Level.NOMINAL and len(scale.categories or ()) != 2:
        raise InvalidArgument(
            f"{name} needs ordered ratings, and these are names ({scale.describe()}); use majority "
            "or dawid_skene"
        )
    votes, notes = ask(name, ratings, criterion, occasions, ties)
    if not votes.continuous and not scale.declared:
        raise InvalidArgument(
            f"{name} depends on which categories there are between those that were used "
            f"({listed(scale.categories or ())}); declare them when the ratings are made, such as "
            "scale='1-3'"
        )
    return votes, notes


def ask_model(
    name: str, ratings: Ratings, criterion: Any, occasions: Occasions, ties: str
) -> tuple[Votes, tuple[str, ...]]:
    """Ask on behalf of a model of each judge's mistakes."""
    check_ratings(name, ratings)
    if ratings.slots:
        raise InvalidArgument(
            f"{name} follows each judge from item to item, but these ratings come from slots and "
            f"not from named judges; {WITHOUT_NAMES}"
        )
    refuse_line(name, ratings, criterion)
    votes, notes = ask(name, ratings, criterion, occasions, ties)
    shared = np.unique(votes.item * len(votes.judges) + votes.judge)
    if not (np.bincount(shared // len(votes.judges)) > 1).any():
        raise RatingsError(
            f"{name} learns how far judges can be trusted from items that several of them rated, "
            f"and here no item has votes from two judges; {WITHOUT_NAMES}"
        )
    if len(votes.judges) == 2:
        notes += ("two judges cannot show which of them is right; the model's split of their "
                  "disagreements rests on how often each category occurs",)  # fmt: skip
    return votes, notes


def refuse_line(name: str, ratings: Ratings, criterion: Any) -> None:
    """Refuse ratings on a line, which hardly ever coincide."""
    scale = ratings.scale(criterion)
    undeclared = not scale.declared and scale.level >= Level.INTERVAL
    if scale.categories is None or undeclared:
        raise InvalidArgument(
            f"{name} counts votes for the same category, and on a line ({scale.describe()}) votes "
            "hardly ever coincide; use median or mean, or declare the categories with scale="
        )


def number_given(name: str, value: Any, *, least: float = 0, whole: bool = False) -> None:
    """Refuse an option that is no number, or too small a one."""
    kinds = int if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not value >= least:
        what = "a whole number" if whole else "a number"
        raise InvalidArgument(f"{name}={value!r} must be {what} of at least {least:g}")


def chosen(
    votes: Votes, tied: npt.NDArray[np.bool_], rule: str, seed: int
) -> tuple[Ints, tuple[Any, ...]]:
    """Settle the ties and return the categories' numbers and what they stand for."""
    codes = settle(tied, rule, items=votes.items, seed=seed)
    names = (*votes.values, None)  # -1 is None
    return codes, tuple(names[code] for code in codes.tolist())


def written(
    method: str,
    title: str,
    votes: Votes,
    candidates: npt.NDArray[np.bool_],
    *,
    ties: str,
    seed: int,
    notes: tuple[str, ...],
    settings: Mapping[str, Any],
    belief: Floats | None = None,
    **more: Any,
) -> Aggregated:
    """Choose among the candidates and write the answer of a method that picks categories."""
    codes, ratings = chosen(votes, candidates, ties, seed)
    shown = votes.shares if belief is None else belief
    certainty = np.where(
        codes == ABSTAINED, np.nan, shown[np.arange(codes.size), np.maximum(codes, 0)]
    )
    drawn = {"seed": seed} if ties == "random" and "seed" not in settings else {}
    said = {"ties": ties, **drawn, **settings, "version": __version__}
    abstained = int((codes == ABSTAINED).sum())
    if abstained:
        notes += (f"{abstained:,} of {codes.size:,} items got no rating, because their votes tie "
                  f"and the rule is ties='{ties}'",)  # fmt: skip
    return Aggregated(method, title, votes.criterion, votes.scale, tuple(votes.values), votes.items,
                      ratings, votes.shares, certainty, votes.n_votes, candidates, said, notes,
                      probabilities=belief, **more)  # fmt: skip


def _notes(votes: Votes) -> tuple[str, ...]:
    notes = []
    if votes.n_unrated:
        notes.append(f"{votes.n_unrated:,} items have no vote and are left out")
    single = int((votes.n_votes == 1).sum())
    if single:
        notes.append(f"{single:,} of {len(votes.items):,} items rest on one vote")
    if isinstance(votes.scale, ObservedScale) and not votes.continuous:
        notes.append("no scale was declared, so a category that nobody used is not known")
    return tuple(notes)
