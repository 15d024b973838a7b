"""What every method does first and last: check the call, read the votes, settle ties, answer."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from covary.aggregate.result import Aggregated
from covary.aggregate.votes import Floats, Ints, Occasions, Votes, tallied_votes_of, votes_of
from covary.errors import InvalidArgument, RatingsError
from covary.ratings import Ratings
from covary.scales import Level, Scale
from covary.stats.coefficient import check_ratings
from covary.version import __version__
from covary.words import Note

TieRule = Literal["abstain", "lower", "upper", "middle", "random"]
Notes = tuple[str, ...]

RULES: dict[str, str] = {
    "abstain": "the item gets no rating",
    "lower": "the first of them in the order of the scale",
    "upper": "the last of them in the order of the scale",
    "middle": "the category halfway between the first and the last of them; where that falls "
    "between two categories, the one nearer the middle of the scale; no rating where both are as "
    "near",
    "random": "one of them, drawn from the seed and the item's name, whatever the order of rows",
}
"""How several candidates become one rating."""

ORDERED = ("lower", "upper", "middle")
ABSTAINED = -1


@dataclass(frozen=True)
class Options:
    """What every method is asked: the criterion, the rule for ties, occasions and the seed."""

    method: str
    _: KW_ONLY
    criterion: Any
    ties: str
    occasions: Occasions
    seed: int

    def __post_init__(self) -> None:
        check_choice("ties", self.ties, tuple(RULES))
        check_choice("occasions", self.occasions, ("refuse", "votes"))
        check_number("seed", self.seed, whole=True)


def check_choice(name: str, value: Any, allowed: Sequence[str]) -> None:
    """Refuse an option that is none of those allowed."""
    if value not in allowed:
        raise InvalidArgument("aggregate.unknown", argument=name, value=value, allowed=allowed)


def check_number(name: str, value: Any, *, least: float = 0, whole: bool = False) -> None:
    """Refuse an option that is not a number, or too small a one."""
    kinds = int if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not value >= least:
        code = "aggregate.whole-number" if whole else "aggregate.number"
        raise InvalidArgument(code, argument=name, value=value, least=least)


Reading = Callable[[Ratings, Any, Occasions], Votes]


def read_votes(
    options: Options, ratings: Ratings, *, read: Reading = tallied_votes_of
) -> tuple[Votes, Notes]:
    """Check the call and return the votes, with notes on how they came to be."""
    scale = _scale(options, ratings)
    if options.ties in ORDERED and scale.level is Level.NOMINAL and len(scale.categories or ()) > 2:
        raise InvalidArgument("aggregate.ties-without-order", argument="ties", value=options.ties)
    votes = read(ratings, options.criterion, options.occasions)
    return votes, _vote_notes(votes)


def read_ordered_votes(options: Options, ratings: Ratings) -> tuple[Votes, Notes]:
    """Read votes for a method that needs the order of the scale."""
    scale, method = _scale(options, ratings), options.method
    if scale.level is Level.NOMINAL and len(scale.categories or ()) != 2:
        raise InvalidArgument("aggregate.without-order", method=method, scale=scale.describe())
    votes, notes = read_votes(options, ratings)
    if not votes.continuous and not scale.declared:
        categories = scale.categories or ()
        raise InvalidArgument(
            "aggregate.undeclared-categories", method=method, categories=categories
        )
    return votes, notes


def read_counted_votes(
    options: Options, ratings: Ratings, *, read: Reading = tallied_votes_of
) -> tuple[Votes, Notes]:
    """Read votes for a method that counts categories; on a line they hardly ever coincide."""
    scale = _scale(options, ratings)
    if scale.categories is None or (not scale.declared and scale.level >= Level.INTERVAL):
        method = options.method
        raise InvalidArgument("aggregate.line", method=method, scale=scale.describe())
    return read_votes(options, ratings, read=read)


def read_named_votes(options: Options, ratings: Ratings) -> tuple[Votes, Notes]:
    """Read votes for a model of each judge's mistakes."""
    check_ratings(options.method, ratings)
    if ratings.slots:
        raise InvalidArgument("aggregate.slots", method=options.method)
    if ratings.large:
        count, most = ratings.n_ratings, ratings.room
        facts = {"method": options.method, "name": options.method.replace("_", "-")}
        raise InvalidArgument("aggregate.too-many", **facts, count=count, most=most)
    votes, notes = read_counted_votes(options, ratings, read=votes_of)
    shared = np.unique(votes.item * len(votes.judges) + votes.judge)
    if not (np.bincount(shared // len(votes.judges)) > 1).any():
        raise RatingsError("aggregate.nothing-shared", method=options.method)
    if len(votes.judges) == 2:
        notes += (Note("aggregate.two-judges"),)
    return votes, notes


def _scale(options: Options, ratings: Ratings) -> Scale:
    check_ratings(options.method, ratings)
    return ratings.scale(options.criterion)


def _vote_notes(votes: Votes) -> Notes:
    notes: list[str] = []
    if votes.n_unrated:
        notes.append(Note("aggregate.unrated", n=votes.n_unrated))
    single = int(votes.weights[votes.n_votes == 1].sum())
    if single:
        notes.append(Note("aggregate.single-votes", n=single, items=votes.n_items))
    if not votes.scale.declared and not votes.continuous:
        notes.append(Note("aggregate.undeclared"))
    return tuple(notes)


def settle(
    tied: npt.NDArray[np.bool_], rule: str, *, items: Sequence[Any] = (), seed: int = 0
) -> Ints:
    """Choose one category for each row of candidates; -1 where the rule chooses none.

    Examples
    --------
    >>> settle(np.array([[True, False, True], [False, True, True]]), "middle").tolist()
    [1, 1]
    """
    size = tied.shape[1]
    first: Ints = tied.argmax(axis=1).astype(np.int64)
    last: Ints = size - 1 - tied[:, ::-1].argmax(axis=1).astype(np.int64)
    if rule == "lower":
        return first
    if rule == "upper":
        return last
    if rule == "middle":
        return _settle_in_the_middle(first, last, size)
    chosen = np.where(tied.sum(axis=1) == 1, first, ABSTAINED).astype(np.int64)
    if rule == "random":
        for row in np.flatnonzero(chosen == ABSTAINED).tolist():
            candidates = np.flatnonzero(tied[row])
            chosen[row] = candidates[_item_hash(seed, items[row]) % candidates.size]
    return chosen


def _settle_in_the_middle(first: Ints, last: Ints, size: int) -> Ints:
    twice, centre = first + last, size - 1  # both in half steps
    below, above = twice // 2, (twice + 1) // 2
    nearer = np.sign(np.abs(2 * below - centre) - np.abs(2 * above - centre))
    chosen = np.where(nearer > 0, above, below)
    return np.where((below != above) & (nearer == 0), ABSTAINED, chosen).astype(np.int64)


def _item_hash(seed: int, item: Any) -> int:
    """A number that looks random and depends on nothing but the seed and the item's name."""
    digest = hashlib.blake2b(f"{seed} {item}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def make_result(
    options: Options,
    title: str,
    votes: Votes,
    candidates: npt.NDArray[np.bool_],
    *,
    notes: Notes,
    settings: Mapping[str, Any] | None = None,
    belief: Floats | None = None,
    **more: Any,
) -> Aggregated:
    """Choose among the candidates and make the result of a method that picks categories."""
    codes = settle(candidates, options.ties, items=votes.items, seed=options.seed)
    names = np.array([*votes.values, None], dtype=object)  # -1 is None
    shown = votes.shares if belief is None else belief
    sure = shown[np.arange(codes.size), np.maximum(codes, 0)]
    settings = {"occasions": options.occasions} if settings is None else settings
    drawn = {"seed": options.seed} if options.ties == "random" and "seed" not in settings else {}
    abstained = int(votes.weights[codes == ABSTAINED].sum())
    if abstained:
        notes += (
            Note(
                "aggregate.abstained",
                n=abstained,
                items=votes.n_items,
                argument="ties",
                value=options.ties,
            ),
        )
    return _fill_in(
        options,
        title,
        votes,
        categories=tuple(votes.values),
        ratings=tuple(names[codes].tolist()),
        certainty=np.where(codes == ABSTAINED, np.nan, sure),
        candidates=candidates,
        settings={"ties": options.ties, **drawn, **settings, "version": __version__},
        notes=notes,
        probabilities=belief,
        **more,
    )


def make_line_result(
    options: Options,
    title: str,
    votes: Votes,
    numbers: Floats,
    *,
    notes: Notes,
    details: Mapping[str, Any] | None = None,
) -> Aggregated:
    """Make the result of a method that gives numbers on a line; nothing ties or is rounded."""
    n = len(votes.items)
    return _fill_in(
        options,
        title,
        votes,
        categories=(),
        ratings=tuple(numbers.tolist()),
        certainty=np.full(n, np.nan),
        candidates=np.zeros((n, 0), dtype=bool),
        settings={"occasions": options.occasions, "version": __version__},
        notes=(*notes, Note("aggregate.no-shares")),
        details=details or {},
    )


def _fill_in(options: Options, title: str, votes: Votes, **fields: Any) -> Aggregated:
    """Add what the votes themselves say."""
    return Aggregated(
        method=options.method,
        title=title,
        criterion=votes.criterion,
        scale=votes.scale,
        items=votes.items,
        shares=votes.shares,
        n_votes=votes.n_votes,
        **fields,
    )
