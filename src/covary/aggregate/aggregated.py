"""The result of combining votes: one rating per item, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from covary.aggregate.votes import Floats, Ints
from covary.errors import InvalidArgument, RatingsError, listed
from covary.ratings import Ratings
from covary.ratings.frames import fetch
from covary.scales import Scale
from covary.stats.plain import plain

__all__ = ["Aggregated", "Convergence", "JudgeFit", "Tie"]


@dataclass(frozen=True)
class Tie:
    """An item whose votes point to several ratings, and the one it got (None for none)."""

    item: Any
    between: tuple[Any, ...]
    chosen: Any


@dataclass(frozen=True)
class Convergence:
    """How an iteration ended: its steps, its likelihood, and whether other starts agree.

    `iterations` are the steps of all starts. `log_likelihood` is that of the votes; `height` has
    the penalty of smoothing besides, and `heights` says how high each start came. `agreed` counts
    the starts that reached the same height and the same ratings as the one that is the answer.
    """

    iterations: int
    log_likelihood: float
    starts: int
    agreed: int
    height: float
    heights: tuple[float, ...]


@dataclass(frozen=True)
class JudgeFit:
    """What a model says of a judge.

    `accuracy` is the probability that the judge gives an item its true category. `confusion` has
    a row for each true category and a column for each vote; a row is NaN where the model saw no
    item of that category with this judge. `spammer_score` (Raykar & Yu 2012) is 0 for a judge
    whose votes say nothing about the items and 1 for one who is always right. `parameters` are the
    model's own: trust and strategy (MACE), ability (GLAD).
    """

    judge: Any
    n_votes: int
    accuracy: float
    confusion: Floats
    spammer_score: float
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Aggregated:
    """One rating for each item, combined from its votes.

    `items` are in the order of their names and everything else follows that order. `ratings` holds
    None where the rule for ties gave no rating. `shares` are the shares of the votes (soft labels);
    `probabilities` those of a model's belief, None where there is no model. `certainty` is the
    probability of the chosen rating, or the share of the votes for it. `tied` says which items'
    votes pointed to several ratings and `ties` spells these out.
    """

    method: str
    title: str
    criterion: Any
    scale: Scale
    categories: tuple[Any, ...]
    items: tuple[Any, ...]
    ratings: tuple[Any, ...]
    shares: Floats
    certainty: Floats
    n_votes: Ints
    candidates: npt.NDArray[np.bool_] = field(repr=False)
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    probabilities: Floats | None = None
    prior: Mapping[Any, float] | None = None
    convergence: Convergence | None = None
    judges: tuple[JudgeFit, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", MappingProxyType(dict(self.settings)))
        object.__setattr__(self, "details", MappingProxyType(dict(self.details)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle with plain dicts, because a mapping proxy cannot be pickled."""
        fields = (getattr(self, name) for name in self.__dataclass_fields__)
        return type(self), tuple(dict(f) if isinstance(f, MappingProxyType) else f for f in fields)

    @property
    def n_items(self) -> int:
        """How many items there are, each with at least one vote."""
        return len(self.items)

    @property
    def n_abstained(self) -> int:
        """How many items got no rating."""
        return sum(rating is None for rating in self.ratings)

    @cached_property
    def tied(self) -> npt.NDArray[np.bool_]:
        """Which items' votes pointed to several ratings."""
        return np.asarray(self.candidates.sum(axis=1) > 1)

    @cached_property
    def ties(self) -> tuple[Tie, ...]:
        """The tied items: between which ratings, and what they got."""
        return tuple(
            Tie(
                self.items[row],
                tuple(self.categories[k] for k in np.flatnonzero(self.candidates[row])),
                self.ratings[row],
            )
            for row in np.flatnonzero(self.tied).tolist()
        )

    @property
    def expected_errors(self) -> float:
        """The share of ratings that a model expects to be wrong; NaN where there is no model."""
        if self.probabilities is None:
            return float("nan")
        rated = np.array([rating is not None for rating in self.ratings])
        return float(1 - self.certainty[rated].mean()) if rated.any() else float("nan")

    @property
    def signature(self) -> str:
        """One line that names the method and how to repeat it."""
        parts = [self.method, f"level:{self.scale.level}"]
        parts += [f"{key}:{value}" for key, value in self.settings.items() if key != "version"]
        return "|".join([*parts, f"covary:{self.settings.get('version', '')}"])

    def soft_labels(self, smoothing: float = 0.0) -> Floats:
        """Return the vote shares with pseudo-votes added to each category.

        Parameters
        ----------
        smoothing
            Votes added to every category of every item; 0 gives `shares` themselves.
        """
        if not smoothing >= 0:
            raise InvalidArgument(f"smoothing={smoothing!r} must be 0 or more pseudo-votes")
        votes = self.shares * self.n_votes[:, None] + smoothing
        return np.asarray(votes / votes.sum(axis=1, keepdims=True))

    def to_ratings(self, judge: Any = "crowd", *, beside: Ratings | None = None) -> Ratings:
        """Return the combined ratings as those of one judge, so that coefficients can use them.

        Parameters
        ----------
        judge
            The name of that judge.
        beside
            Ratings of others, such as experts, on the same items and criterion; the new judge joins
            them. Items that only one side rated stay in.
        """
        kept = [row for row, rating in enumerate(self.ratings) if rating is not None]
        if not kept:
            raise RatingsError("no item got a rating, so there are none to return")
        columns: dict[str, list[Any]] = {
            "item": [self.items[row] for row in kept],
            "judge": [judge] * len(kept),
            "rating": [self.ratings[row] for row in kept],
        }
        if beside is not None:
            columns = _joined(columns, beside, self.criterion, judge)
        if self.criterion is not None:
            columns["criterion"] = [self.criterion] * len(columns["item"])
        return Ratings(columns, scale=self.scale)

    def to_columns(self) -> dict[str, list[Any] | npt.NDArray[Any]]:
        """Return a table with one row per item: rating, certainty, votes, tie and all shares."""
        table: dict[str, list[Any] | npt.NDArray[Any]] = {
            "item": list(self.items),
            "rating": list(self.ratings),
            "certainty": self.certainty,
            "votes": self.n_votes,
            "tie": self.tied,
        }
        for name, block in (("share", self.shares), ("probability", self.probabilities)):
            if block is not None and block.shape[1]:
                for category, column in zip(self.categories, block.T, strict=True):
                    table[f"{name}_{category}"] = column
        return table | dict(self.details)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; NaN becomes None."""
        names = [n for n, f in self.__dataclass_fields__.items() if f.repr and n != "scale"]
        made = {name: plain(getattr(self, name)) for name in names}
        made |= {"ties": plain(self.ties), "level": str(self.scale.level)}
        return made | {"n_abstained": self.n_abstained, "signature": self.signature}

    def __str__(self) -> str:
        votes = int(self.n_votes.sum())
        lines = [f"{self.title}: {self.n_items:,} items from {votes:,} votes"]
        lines.append(f"  {int(self.tied.sum()):,} ties, {self.n_abstained:,} items without rating")
        if self.convergence is not None:
            found = self.convergence
            lines.append(
                f"  log-likelihood {found.log_likelihood:.4f} after {found.iterations} steps; "
                f"{found.agreed} of {found.starts} starts agree"
            )
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])


def _joined(
    columns: dict[str, list[Any]], beside: Ratings, criterion: Any, judge: Any
) -> dict[str, list[Any]]:
    """Put ratings of others under the combined ones."""
    if judge in beside.judges:
        raise InvalidArgument(
            f"judge={judge!r} is already among the judges {listed(beside.judges)}; give the "
            "combined ratings another name"
        )
    theirs = beside.one_criterion(criterion if criterion in beside.criteria else None)
    frame = beside.frame.filter(~nw.col("rating").is_null())
    if theirs is not None:
        frame = frame.filter(nw.col("criterion") == theirs)
    added = fetch(frame.select("item", "judge", "rating"))
    return {name: [*values, *added[name].tolist()] for name, values in columns.items()}
