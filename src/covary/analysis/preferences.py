"""Which of two outputs do judges prefer? Wins, losses and ties of each two systems."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from covary.analysis.judgements import Ints, Judgements, stands_side_by_side
from covary.analysis.paired_systems import has_graded_sides, is_preference
from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.records import dataclass
from covary.scales import Category
from covary.scales.kinds import BEST, NEITHER, WORST
from covary.stats.coefficient import check_ratings
from covary.stats.distributions import wilson
from covary.stats.estimate import Result
from covary.words import Note, counted

Floats = npt.NDArray[np.float64]

SEALED = "store.sealed"
"""The note of ratings that come from the store of a study."""

EVEN = 0.1
"""Sides are balanced where neither system stands first in over a tenth more than half of them."""


@dataclass(frozen=True, kw_only=True)
class PreferredPair(Result):
    """What judges said of the outputs of two systems.

    `wins`, `losses` and `ties` are the first system's. `share` is its share of the judgements, a
    tie counting half, with an interval that takes judgements of one source to be alike.
    `for_first` and `for_second` count the sources in which one system wins more judgements than the
    other; `p` is that of the sign test on them. `stood_first` counts the judgements in which the
    first system's text was the item's first.
    """

    first: str
    second: str
    wins: int
    losses: int
    ties: int
    share: float
    low: float
    high: float
    for_first: int
    for_second: int
    p: float
    n_clusters: int
    n_judges: int
    stood_first: int

    @property
    def n_judgements(self) -> int:
        """How many judgements compare the two."""
        return self.wins + self.losses + self.ties

    @property
    def balanced(self) -> bool:
        """Whether each system stood first about as often as the other."""
        half = self.n_judgements / 2
        return abs(self.stood_first - half) <= max(EVEN * self.n_judgements, 0.5)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return super().to_dict() | {"balanced": self.balanced}


@dataclass(frozen=True, kw_only=True)
class BestWorstScore(Result):
    """How often a system was chosen as the best and as the worst of those that it stood beside.

    `score` is the share of `best` among `shown` less that of `worst`, from -1 to 1, with an
    interval that takes choices of one source to be alike.
    """

    system: str
    best: int
    worst: int
    shown: int
    score: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class CriterionPreferences(Result):
    """The preferences on one criterion.

    `n_judges` is 0 where nobody knows who judged. `rated` says that each judgement follows from the
    ratings of two outputs by one judge, and not from a choice between them; `ranked` is k
    where these are 1 to k, each once in each set, and k counts as the best. `graded` says that
    answers are numbers around 0, of which the sign alone counts. `scores` are those of best-worst
    scaling, the highest first.

    `unit` is what judgements are nested in. `first_won` and `second_won` count the judgements that
    an item's first and second text won, whatever the systems, and `side_p` is the sign test of
    that. `same_system` counts judgements of two texts by one system, which say nothing of systems.
    `dealt` says that a study of covary dealt out which text stood first on each judge's page: what
    the item's own first text won then says nothing about sides.
    """

    criterion: Any
    tie: Category | None
    unit: str
    n_judgements: int
    n_items: int
    n_judges: int
    pairs: tuple[PreferredPair, ...]
    first_won: int
    second_won: int
    side_p: float
    same_system: int
    dealt: bool
    rated: bool = False
    ranked: int = 0
    graded: bool = False
    scores: tuple[BestWorstScore, ...] = ()

    @property
    def sides_known(self) -> bool:
        """Whether it is known which text stood first, and says something about sides."""
        return not (self.dealt or self.rated)

    @property
    def name(self) -> str:
        """The criterion's name, or a word for the only one."""
        return "preference" if self.criterion is None else str(self.criterion)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a reader should know beside the counts."""
        notes = [Note("preferences.each-pair-alone")] if len(self.pairs) > 1 else []
        if self.unit == "item":
            notes.append(Note("preferences.no-sources"))
        uneven = [(pair.first, pair.second) for pair in self.pairs if not pair.balanced]
        if self.rated:
            chosen = "best-worst" if self.scores else "side-by-side"
            notes.append(Note(f"preferences.{chosen}", unit=self.unit))
            notes += [Note("preferences.like-ranks", high=self.ranked)] if self.ranked else []
        elif self.dealt:
            notes.append(Note("preferences.sides-dealt"))
        elif uneven:
            notes.append(Note("preferences.uneven-sides", pairs=uneven))
        if self.graded:
            notes.append(Note("preferences.graded-sides"))
        if self.same_system:
            notes.append(Note("preferences.same-system", n=self.same_system))
        return tuple(notes)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        pairs = [pair.to_dict() for pair in self.pairs]
        scores = [score.to_dict() for score in self.scores]
        return super().to_dict() | {"pairs": pairs, "scores": scores, "notes": list(self.notes)}


@dataclass(frozen=True, kw_only=True)
class PreferenceCounts(Result):
    """Wins, losses and ties of each two systems, on every criterion of preference."""

    criteria: tuple[CriterionPreferences, ...]
    confidence: float

    columns: ClassVar[tuple[str, ...]] = (
        *("criterion", "first", "second", "wins", "losses", "ties", "share", "low", "high"),
        *("for_first", "for_second", "p", "n_clusters", "n_judges", "stood_first", "balanced"),
    )
    """The columns of `rows`, in order."""

    def rows(self) -> list[dict[str, Any]]:
        """One line for each two systems, not rounded."""
        return [
            {"criterion": own.criterion, **pair.to_dict()}
            for own in self.criteria
            for pair in own.pairs
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        criteria = [criterion.to_dict() for criterion in self.criteria]
        return {"criteria": criteria, "confidence": self.confidence}

    def __str__(self) -> str:
        lines = []
        for own in self.criteria:
            lines.append(
                f"{own.name}: {counted(own.n_judgements, 'judgement')} by "
                f"{counted(own.n_judges, 'judge')}"
            )
            lines += [
                f"  {pair.first} against {pair.second}: {pair.wins} won, "
                f"{counted(pair.ties, 'tie')}, {pair.losses} lost; "
                f"{pair.share:.0%} [{pair.low:.0%}, {pair.high:.0%}], p {pair.p:.2g}"
                for pair in own.pairs
            ]
            lines += [f"  {note}" for note in own.notes]
        return "\n".join(lines)


def preferences(
    ratings: Ratings, *, criterion: Any = None, confidence: float = 0.95
) -> PreferenceCounts:
    """Which of two outputs do judges prefer? Count wins, losses and ties of each two systems.

    Parameters
    ----------
    ratings
        Ratings on a scale of preference: the item's first text, its second or, where allowed,
        neither. `system` holds both systems, the first text's first: `"bart / t5"`. Or ratings of
        single outputs, of which each judge gave several to one `source`: ranks, scores side by
        side, the best and the worst. The one that was rated better then counts as preferred.
    criterion
        One criterion; all criteria of preference by default.
    confidence
        Of the intervals.

    Returns
    -------
    PreferenceCounts
        For each criterion the pairs of systems, each with its counts, the share of judgements with
        an interval, a sign test, and whether each system stood first equally often.

    Notes
    -----
    Judgements of one source are alike, so sources are what is counted (else clusters, else items):
    the sign test asks in how many sources a system wins more judgements than it loses, and leaves
    out those in which neither does. The interval is Wilson's (1927) with the number of judgements
    divided by the design effect, the ratio of the variance between sources to that of independent
    judgements; where all judgements are the same, with the number of sources.

    Examples
    --------
    Eight sources, two judges; x wins in seven of them: p = 2 (1 + 8) / 2^8.

    >>> from covary.scales import Preference
    >>> rows = {
    ...     "item": [n for n in range(8) for _ in "ab"],
    ...     "judge": ["Ann", "Bo"] * 8,
    ...     "rating": ["A"] * 14 + ["B"] * 2,
    ...     "system": ["x / y"] * 16,
    ... }
    >>> (own,) = preferences(Ratings(rows, scale=Preference())).criteria
    >>> (pair,) = own.pairs
    >>> pair.wins, pair.losses, pair.for_first, pair.for_second, round(pair.p, 4)
    (14, 2, 7, 1, 0.0703)
    """
    check_ratings("preferences", ratings)
    if "system" not in ratings.columns:
        raise InvalidArgument("preferences.no-systems", argument="ratings")
    names = ratings.criteria if criterion is None else (ratings.one_criterion(criterion),)
    beside = [name for name in names if stands_side_by_side(ratings, name)]
    asked = {name for name in beside if ratings.scales[name].side_by_side}
    chosen = [name for name in names if name in asked or is_preference(ratings, name)] or beside
    if not chosen:
        code = "preferences.no-preference" + ("-alone" if names == (None,) else "")
        raise InvalidArgument(code, argument="ratings", criteria=names)
    own = tuple(_of_criterion(ratings, name, confidence) for name in chosen)
    return PreferenceCounts(criteria=own, confidence=confidence)


def refuse_preference(ratings: Ratings, criterion: Any) -> None:
    """Refuse to take answers that choose between two texts for ratings of one."""
    name = "the ratings" if criterion is None else criterion
    if is_preference(ratings, criterion):
        raise InvalidArgument("preferences.not-ratings", criterion=name)
    if ratings.scales[criterion].side_by_side:
        raise InvalidArgument("preferences.not-single", criterion=name)


def comparison_rows(ratings: Ratings, criterion: Any = None) -> list[dict[str, Any]]:
    """Return one row for each text in a judged pair, as models of comparisons need it.

    A judgement makes a `set` of two; `rank` is 1 for the better text and 2 for the other, or 1 for
    both where neither is better, and `position` says which text of the item it was.
    """
    name = ratings.one_criterion(criterion)
    judged = Judgements.of(ratings, name)
    rows = []
    for number, (won, first, second) in enumerate(
        zip(judged.outcome.tolist(), judged.first, judged.second, strict=True)
    ):
        for position, system in enumerate((first, second), start=1):
            lost = won != 0 and (won > 0) != (position == 1)
            rows.append(
                {
                    "set": number,
                    "item": judged.item[number],
                    "system": system,
                    judged.unit: judged.cluster[number],
                    "judge": judged.judge[number],
                    "criterion": name,
                    "rank": 2 if lost else 1,
                    "position": position,
                }
            )
    return rows


def _of_criterion(ratings: Ratings, criterion: Any, confidence: float) -> CriterionPreferences:
    rated = not is_preference(ratings, criterion)
    judged = (Judgements.side_by_side if rated else Judgements.of)(ratings, criterion)
    options = ratings.scales[criterion].categories or ()
    graded = not rated and has_graded_sides(ratings.scales[criterion])
    first, second = np.array(judged.first, dtype=object), np.array(judged.second, dtype=object)
    differ = first != second
    names = sorted({*first[differ].tolist(), *second[differ].tolist()})
    nets = _net_by_cluster(judged.outcome, judged.cluster)
    return CriterionPreferences(
        criterion=criterion,
        tie=_tie(options, graded=graded) if not rated else None,
        unit=judged.unit,
        n_judgements=judged.outcome.size,
        n_items=len(set(judged.item)),
        n_judges=0 if ratings.slots else len(set(judged.judge)),
        pairs=tuple(_pairs(judged, names, confidence)),
        first_won=int((judged.outcome > 0).sum()),
        second_won=int((judged.outcome < 0).sum()),
        side_p=sign_test(int((nets > 0).sum()), int((nets < 0).sum())),
        same_system=int((~differ).sum()),
        dealt=any(isinstance(note, Note) and note.code == SEALED for note in ratings.notes),
        rated=rated,
        graded=graded,
        ranked=0 if ratings.scales[criterion].best == "low" else judged.ranked,
        scores=_scores(ratings, criterion, confidence),
    )


def _tie(options: Sequence[Category], *, graded: bool) -> Category | None:
    """Return the answer that is for neither of two texts, if there is one."""
    if graded:
        return 0 if 0 in options else None
    return options[1] if len(options) == 3 else None


def _scores(ratings: Ratings, criterion: Any, confidence: float) -> tuple[BestWorstScore, ...]:
    """Count how often each system was best and worst; nothing where not all that stood are known.

    Orme's (2009) count, as Kiritchenko & Mohammad (2017) use it.
    """
    if not ratings.scales[criterion].side_by_side:
        return ()
    told = Judgements.told(ratings, criterion)
    if NEITHER not in told.rating:
        return ()
    made = []
    for system in sorted(set(told.system)):
        rows = [row for row, own in enumerate(told.system) if own == system]
        chosen = [told.rating[row] for row in rows]
        worth = np.array([{WORST: 0.0, NEITHER: 0.5, BEST: 1.0}[word] for word in chosen])
        share, low, high = share_interval(worth, [told.cluster[row] for row in rows], confidence)
        made.append(
            BestWorstScore(
                system=system,
                best=chosen.count(BEST),
                worst=chosen.count(WORST),
                shown=len(rows),
                score=2 * share - 1,
                low=2 * low - 1,
                high=2 * high - 1,
            )
        )
    return tuple(sorted(made, key=lambda one: -one.score))


def _pairs(judged: Judgements, names: Sequence[str], confidence: float) -> Iterator[PreferredPair]:
    """Every two systems that were compared, from the first one's side."""
    first, second = np.array(judged.first, dtype=object), np.array(judged.second, dtype=object)
    for one, other in combinations(names, 2):
        ahead = np.asarray((first == one) & (second == other))
        rows = np.flatnonzero(ahead | np.asarray((first == other) & (second == one)))
        if not rows.size:
            continue
        outcome = np.where(ahead[rows], judged.outcome[rows], -judged.outcome[rows])
        cluster = [judged.cluster[row] for row in rows]
        nets = _net_by_cluster(outcome, cluster)
        for_first, for_second = int((nets > 0).sum()), int((nets < 0).sum())
        share, low, high = share_interval((1 + outcome) / 2, cluster, confidence)
        yield PreferredPair(
            first=one,
            second=other,
            wins=int((outcome > 0).sum()),
            losses=int((outcome < 0).sum()),
            ties=int((outcome == 0).sum()),
            share=share,
            low=low,
            high=high,
            for_first=for_first,
            for_second=for_second,
            p=sign_test(for_first, for_second),
            n_clusters=nets.size,
            n_judges=len({judged.judge[row] for row in rows}),
            stood_first=int(ahead.sum()),
        )


def _net_by_cluster(outcome: Ints, cluster: Sequence[Any]) -> Ints:
    """Wins less losses in each cluster."""
    net: dict[Any, int] = {}
    for name, won in zip(cluster, outcome.tolist(), strict=True):
        net[name] = net.get(name, 0) + won
    return np.array(list(net.values()), dtype=np.int64)


def sign_test(larger: int, smaller: int) -> float:
    """The two-sided p of so many signs one way and so many the other; 1 where there are none.

    Examples
    --------
    >>> sign_test(7, 1), sign_test(3, 3)
    (0.0703125, 1.0)
    """
    n, least = larger + smaller, min(larger, smaller)
    tail = sum(math.comb(n, k) for k in range(least + 1))
    return min(1.0, float(2 * tail / 2**n))


def share_interval(
    points: Floats, cluster: Sequence[Any], confidence: float
) -> tuple[float, float, float]:
    """The mean of points between 0 and 1 with Wilson's interval at the effective sample size."""
    share, n = float(points.mean()), points.size
    codes = np.unique([str(name) for name in cluster], return_inverse=True)[1]
    groups = int(codes.max()) + 1
    sums = np.bincount(codes, points - share)
    independent = float(points.var()) / n
    clustered = float(sums @ sums) / n**2 * groups / max(groups - 1, 1)
    size = groups if independent == 0 else n / max(1.0, clustered / independent)
    size = max(1.0, min(float(size), float(n)))
    return share, *wilson(share, size, confidence)
