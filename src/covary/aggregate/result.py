"""The result of combining votes: one rating per item, and how sure that is."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.aggregate.votes import Floats, Ints
from covary.errors import InvalidArgument, RatingsError
from covary.ratings import Ratings
from covary.ratings import expressions as nw
from covary.ratings.frames import Frame, as_frame, fetch
from covary.scales import Scale
from covary.stats.estimate import plain


@dataclass(frozen=True)
class Tie:
    """An item whose votes point to several ratings, and the one it got (None for none)."""

    item: Any
    between: tuple[Any, ...]
    chosen: Any


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True, kw_only=True, eq=False)
class Combination:
    """How votes were combined, and what a model says of the judges; the ratings come beside it."""

    method: str
    title: str
    criterion: Any
    scale: Scale
    categories: tuple[Any, ...]
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    prior: Mapping[Any, float] | None = None
    convergence: Convergence | None = None
    judges: tuple[JudgeFit, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", MappingProxyType(dict(self.settings)))

    @property
    def signature(self) -> str:
        """One line that names the method and how to repeat it."""
        parts = [self.method, f"level:{self.scale.level}"]
        parts += [f"{key}:{value}" for key, value in self.settings.items() if key != "version"]
        return "|".join([*parts, f"covary:{self.settings.get('version', '')}"])


@dataclass(frozen=True, kw_only=True, eq=False)
class Aggregated(Combination):
    """One rating for each item, combined from its votes.

    `items` are in the order of their names and everything else follows that order. `ratings` holds
    None where the rule for ties gave no rating. `shares` are the shares of the votes (soft labels);
    `probabilities` those of a model's belief, None where there is no model. `certainty` is the
    probability of the chosen rating, or the share of the votes for it. `tied` says which items'
    votes pointed to several ratings and `ties` spells these out.
    """

    items: tuple[Any, ...]
    ratings: tuple[Any, ...]
    shares: Floats
    certainty: Floats
    n_votes: Ints
    candidates: npt.NDArray[np.bool_] = field(repr=False)
    probabilities: Floats | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "details", MappingProxyType(dict(self.details)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle with plain dicts, because a mapping proxy cannot be pickled."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        fields |= {"settings": dict(self.settings), "details": dict(self.details)}
        return partial(type(self), **fields), ()

    @property
    def n_items(self) -> int:
        """How many items there are, each with at least one vote."""
        return len(self.items)

    @property
    def all_votes(self) -> int:
        """How many votes were combined."""
        return int(self.n_votes.sum())

    @property
    def n_ties(self) -> int:
        """How many items' votes pointed to several ratings."""
        return int(self.tied.sum())

    @property
    def n_abstained(self) -> int:
        """How many items got no rating."""
        return sum(rating is None for rating in self.ratings)

    @property
    def given(self) -> dict[Any, int]:
        """How many items got each category."""
        return {category: self.ratings.count(category) for category in self.categories}

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
        """The share of ratings that a model, if it is right, expects to be wrong; NaN without one.

        `combined_error` says whether such a number can be relied on.
        """
        if self.probabilities is None:
            return float("nan")
        rated = np.array([rating is not None for rating in self.ratings])
        return float(1 - self.certainty[rated].mean()) if rated.any() else float("nan")

    def ratings_of(self, items: Collection[Any]) -> dict[Any, Any]:
        """The ratings of some items, as far as they have one."""
        pairs = zip(self.items, self.ratings, strict=True)
        return {item: rating for item, rating in pairs if item in items and rating is not None}

    def soft_labels(self, smoothing: float = 0.0) -> Floats:
        """Return the vote shares with pseudo-votes added to each category.

        Parameters
        ----------
        smoothing
            Votes added to every category of every item; 0 gives `shares` themselves.
        """
        if not smoothing >= 0:
            raise InvalidArgument("aggregate.pseudo-votes", argument="smoothing", value=smoothing)
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
            raise RatingsError("aggregate.no-ratings")
        columns: dict[str, list[Any]] = {
            "item": [self.items[row] for row in kept],
            "judge": [judge] * len(kept),
            "rating": [self.ratings[row] for row in kept],
        }
        if beside is not None:
            columns = _join_others(columns, beside, self.criterion, judge)
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

    def rows(self) -> list[dict[str, Any]]:
        """Return one line for each item, as plain values."""
        columns = plain(self.to_columns())
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; NaN becomes None."""
        names = [n for n, f in self.__dataclass_fields__.items() if f.repr and n != "scale"]
        values = {name: plain(getattr(self, name)) for name in names}
        values |= {"ties": plain(self.ties), "level": str(self.scale.level)}
        return values | {"n_abstained": self.n_abstained, "signature": self.signature}

    def __str__(self) -> str:
        return describe(self)


def describe(made: Any) -> str:
    """Say in a few lines how votes were combined and what was made of them."""
    lines = [f"{made.title}: {made.n_items:,} items from {made.all_votes:,} votes"]
    lines.append(f"  {made.n_ties:,} ties, {made.n_abstained:,} items without rating")
    if made.convergence is not None:
        end = made.convergence
        lines.append(
            f"  log-likelihood {end.log_likelihood:.4f} after {end.iterations} steps; "
            f"{end.agreed} of {end.starts} starts agree"
        )
    return "\n".join([*lines, *(f"  note: {note}" for note in made.notes)])


def _join_others(
    columns: dict[str, list[Any]], beside: Ratings, criterion: Any, judge: Any
) -> dict[str, list[Any]]:
    """Put ratings of others under the combined ones."""
    if judge in beside.judges:
        taken = beside.judges
        raise InvalidArgument("aggregate.judge-taken", argument="judge", value=judge, allowed=taken)
    theirs = beside.one_criterion(criterion if criterion in beside.criteria else None)
    frame = beside.frame.filter(~nw.col("rating").is_null())
    if theirs is not None:
        frame = frame.filter(nw.col("criterion") == theirs)
    added = fetch(frame.select("item", "judge", "rating"))
    return {name: [*values, *added[name].tolist()] for name, values in columns.items()}


def combined_table(results: Sequence[Aggregated]) -> Frame:
    """Put the tables of all criteria under each other; what is missing is empty."""
    columns = _columns(results)
    floats = [name for name, column in columns.items() if column.dtype.kind == "f"]
    frame = as_frame(columns).with_columns(*(nw.col(name).fill_nan(None) for name in floats))
    if "rating" in floats and all(map(_has_whole_categories, results)):
        frame = frame.with_columns(nw.col("rating").cast(nw.Int64))
    return frame


def _columns(results: Sequence[Aggregated]) -> dict[str, npt.NDArray[Any]]:
    tables = [result.to_columns() for result in results]
    sizes = [result.n_items for result in results]
    names = dict.fromkeys(name for table in tables for name in table)
    parts: dict[str, list[Any]] = {
        name: [table.get(name, [None] * n) for table, n in zip(tables, sizes, strict=True)]
        for name in names
    }
    if any(result.criterion is not None for result in results):
        parts = {"criterion": [[result.criterion] * result.n_items for result in results]} | parts
    return {name: _joined(part) for name, part in parts.items()}


def _joined(parts: Sequence[Any]) -> npt.NDArray[Any]:
    """Join the parts of a column; numbers with gaps become numbers with NaN, all else text."""
    if all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    values = [value for part in parts for value in np.asarray(part, dtype=object).tolist()]
    kinds = {type(value) for value in values}
    if kinds <= {int}:
        return np.array(values)
    if kinds <= {int, float, type(None)}:
        return np.array(values, dtype=float)  # None becomes NaN
    column = np.empty(len(values), dtype=object)
    column[:] = [None if value is None else str(value) for value in values]
    return column


def _has_whole_categories(result: Aggregated) -> bool:
    return bool(result.categories) and all(
        isinstance(category, int) for category in result.categories
    )
