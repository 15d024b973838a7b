"""What `covary.systems` is asked and answers: options and results, as frozen values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from covary.analysis.systems.ranks import RankProbabilities
from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.ratings.frames import Tabular
from covary.records import dataclass
from covary.scales import End, Scale
from covary.stats.estimate import plain
from covary.stats.intervals import IntervalSpec
from covary.stats.models.anova import Anova, Effect
from covary.stats.models.assumptions import Assumptions
from covary.stats.models.mixed import MixedModel
from covary.stats.models.ordinal import OrdinalJudge, OrdinalModel
from covary.stats.posthoc import PROCEDURES, Comparisons
from covary.words import Note

Progress = Callable[[str], None]

RESAMPLES = 2000
"""Enough for a probability that is off by at most .02."""

ERRORS = {
    "design": "design",
    "mixed": "mixed model",
    "ordinal": "ordinal model",
    "additive": "additive model",
    "one-way": "one-way analysis of variance",
    "text-means": "additive model of the means of texts",
}
"""The error terms by name, in words; the last stands in where the mixed model cannot be fitted."""

CHOICES = tuple(name for name in ERRORS if name != "text-means")
"""The error terms that can be asked for."""


def no_progress(_: str) -> None:
    """Say nothing."""


MEANS = ("ratings", "items")
"""What a system's mean is over: all its ratings, or the means of its items."""


@dataclass(frozen=True, kw_only=True)
class SystemsOptions:
    """What the caller asked for, checked; `brief` leaves out what takes long."""

    procedure: str = "tukey"
    error: str = "design"
    means: str = "ratings"
    human: frozenset[str] = frozenset()
    interval: IntervalSpec
    progress: Progress = no_progress
    brief: bool = False

    @property
    def alpha(self) -> float:
        """The error rate that goes with the confidence."""
        return round(1 - self.interval.confidence, 12)


def human_systems(ratings: Ratings, human: str | Iterable[Any]) -> frozenset[str]:
    """Return the names of the systems whose texts were written by people."""
    names = frozenset([human] if isinstance(human, str) else map(str, human))
    known = {str(system) for system in ratings.values("system")} if names else names
    unknown = sorted(names - known)
    if unknown:
        raise InvalidArgument(
            "systems.not-human", value=unknown[0], allowed=sorted(known), names=unknown
        )
    return names


def check_choices(ratings: Ratings, procedure: str, error: str, means: str = "ratings") -> None:
    """Refuse a procedure or an error term that is not known, or that these ratings do not allow."""
    for argument, value, allowed in (
        ("procedure", procedure, PROCEDURES),
        ("error", error, CHOICES),
        ("means", means, MEANS),
    ):
        if value not in allowed:
            raise InvalidArgument(
                "systems.unknown", argument=argument, value=value, allowed=allowed
            )
    if error == "mixed" and ratings.slots:
        raise InvalidArgument("systems.mixed-needs-judges", argument="error", value=error)


@dataclass(frozen=True)
class Range:
    """Both ends of an interval; NaN where there is none."""

    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True, kw_only=True)
class SystemScore:
    """One system on one criterion.

    `interval` is that of the mean for these judges and sources, from the error of the model that
    compares the systems; `wide` that for other judges and other sources (items, where sources are
    not known), without the severity of judges where adjusted means are compared. `estimate` is
    what the letters compare, and `rank` is 1 for the best estimate. `counts` says how often each
    category of the scale was given, where it has categories. `adjusted` is the mean after the
    severity of judges is removed (NaN where that cannot be done), `adjusted_rank` the rank by it.
    `best` and `adjusted_best` are how probable it is that the system comes first.
    """

    system: Any
    human: bool
    n_ratings: int
    n_items: int
    mean: float
    median: float
    quartiles: tuple[float, float]
    deviation: float
    counts: tuple[int, ...] | None
    rank: int
    estimate: float = math.nan
    interval: Range = Range()
    wide: Range = Range()
    letters: str = ""
    best: float = math.nan
    adjusted: float = math.nan
    adjusted_rank: int | None = None
    adjusted_best: float = math.nan

    @property
    def name(self) -> str:
        """The system's name, and whether a person wrote its texts."""
        return f"{self.system} (human)" if self.human else str(self.system)

    @property
    def shares(self) -> tuple[float, ...]:
        """The share of each category of the scale among the ratings."""
        counts = self.counts or ()
        return tuple(count / max(sum(counts), 1) for count in counts)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; NaN becomes None."""
        return dict(plain(self))


@dataclass(frozen=True, kw_only=True)
class SystemPair:
    """Two systems: how far they differ, whether that is significant, and how large it is.

    `low` and `high` are NaN where the procedure has no simultaneous interval. `standardised` is
    the difference in units of the error's standard deviation, `cliffs_delta` how much more often
    a rating of the first is higher than lower than one of the second, `delta_low` and `delta_high`
    the ends of its interval.
    """

    first: Any
    second: Any
    difference: float
    low: float
    high: float
    p: float
    p_adjusted: float
    significant: bool
    standardised: float
    cliffs_delta: float
    delta_low: float
    delta_high: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; NaN becomes None."""
        return dict(plain(self))


@dataclass(frozen=True, kw_only=True)
class RankTest:
    """A test of all systems that uses only the order of ratings, and its pairs.

    `blocks` says what was ranked within (sources, judges), or nothing where all ratings were
    ranked together; `comparisons` are the pairs, where there were few enough systems.
    """

    name: str
    statistic: float
    df: int
    p: float
    blocks: str
    n_blocks: int
    comparisons: Comparisons | None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; NaN becomes None."""
        return dict(plain(self)) | {"comparisons": _procedure(self.comparisons)}


def _procedure(comparisons: Comparisons | None) -> dict[str, Any] | None:
    """Name a procedure and say how many pairs differ, without listing them."""
    if comparisons is None:
        return None
    names = ("procedure", "error", "alpha", "n_significant", "n_pairs")
    return {name: getattr(comparisons, name) for name in names} | {
        "letters": list(comparisons.letters)
    }


@dataclass(frozen=True, kw_only=True)
class PairCount:
    """How many pairs of very many systems differ by Tukey's procedure, without a list of them."""

    procedure: str
    error: str
    alpha: float
    n_significant: int
    n_pairs: int


@dataclass(frozen=True, kw_only=True)
class Adjustment:
    """The order of the systems before and after the severity of judges is removed.

    `reason` says why it cannot be removed, where it cannot. `balanced` says that the judges rated
    the systems in the same proportions, so that severity cannot change the order. `severities` are
    how far each judge rates above (or below) the others, in points of the scale; `removed` names
    the factors beside the system in the model.
    """

    before: tuple[Any, ...]
    after: tuple[Any, ...] = ()
    severities: Mapping[Any, float]
    removed: tuple[str, ...] = ()
    balanced: bool
    reason: str = ""

    @property
    def possible(self) -> bool:
        """Whether severity could be told from the systems."""
        return not self.reason

    @property
    def changed(self) -> bool:
        """Whether the systems stand in another order after it."""
        return self.possible and self.before != self.after

    @property
    def sentence(self) -> str:
        """Say whether the order of the systems depends on who happened to judge them."""
        names = ("reason", "balanced", "changed", "before", "after")
        facts = {name: getattr(self, name) for name in names}
        return Note("systems.severity", n_judges=len(self.severities), **facts)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {**plain(self), "changed": self.changed, "sentence": self.sentence}


@dataclass(frozen=True, kw_only=True)
class OrdinalSystems:
    """The systems under the cumulative logit model, in the order of their names.

    `scores` are mean ratings by a judge of average severity, on the scale, with their intervals;
    `comparisons` are of the places behind the categories, in logits, with `letters`.
    `probabilities` has a row for each system and a column for each rank. `judges` says of each
    judge how strict, how sharp and how predictable he or she is. `decides` says whether order and
    letters are those of this model, and `verdict` why.
    """

    model: OrdinalModel
    comparisons: Comparisons
    letters: tuple[str, ...] | None
    scores: tuple[float, ...]
    intervals: tuple[Range, ...]
    probabilities: tuple[tuple[float, ...], ...]
    judges: Mapping[Any, OrdinalJudge]
    decides: bool
    verdict: Note

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; NaN becomes None."""
        return dict(plain(self)) | {
            "model": self.model.to_dict(),
            "comparisons": _procedure(self.comparisons),
            "verdict": str(self.verdict),
        }


@dataclass(frozen=True, kw_only=True)
class CriterionSystems:
    """Which system is better on one criterion.

    `systems` stand in the order of what the letters compare, the best first. `one_way` are three
    separate analyses of variance, as Belz & Kow (2011) print them; `additive` holds all factors in
    one model; `mixed` takes judges, sources and texts as drawn from many, where it was fitted;
    `ordinal` takes no equal steps for granted. `error` names the error that was used. `comparisons`
    is the chosen procedure over all pairs of systems, in the order of their names, or `counted` how
    many of very many differ, and `compared` what is compared (means, adjusted means, mean ranks);
    `rank_tests` say the same from the order of ratings alone. `names` are the systems in the order
    of their names, in which `comparisons` and `ranks` hold them.
    """

    criterion: Any
    scale: Scale
    best: End
    n_ratings: int
    n_items: int
    n_judges: int
    n_sources: int
    names: tuple[Any, ...]
    systems: tuple[SystemScore, ...]
    one_way: tuple[Effect, ...]
    additive: Anova
    mixed: MixedModel | None
    error: str
    compared: str
    comparisons: Comparisons | None
    counted: PairCount | None
    pairs: tuple[SystemPair, ...]
    rank_tests: tuple[RankTest, ...]
    ranks: RankProbabilities | None
    adjusted_ranks: RankProbabilities | None
    adjustment: Adjustment
    assumptions: Assumptions | None
    ordinal: OrdinalSystems | None = None
    means: str = "ratings"
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The criterion's name, or a word for the only one."""
        return "ratings" if self.criterion is None else str(self.criterion)

    @property
    def significance(self) -> Comparisons | PairCount | None:
        """What says how many pairs of systems differ."""
        return self.comparisons or self.counted

    @property
    def testable(self) -> bool:
        """Whether any pair of systems could be tested."""
        pairs = () if self.comparisons is None else self.comparisons.pairs
        return not pairs or any(not math.isnan(pair.p_adjusted) for pair in pairs)

    @property
    def n_pairs(self) -> int:
        """How many pairs of systems there are."""
        return len(self.systems) * (len(self.systems) - 1) // 2

    @property
    def moved(self) -> bool:
        """Whether the means without severity are others than the plain ones."""
        means = [(score.mean, score.adjusted) for score in self.systems]
        known = [pair for pair in means if not math.isnan(pair[1])]
        largest = max((abs(mean) for mean, _ in known), default=0.0)
        return any(abs(mean - other) > 1e-9 * largest for mean, other in known)

    @property
    def leaders(self) -> tuple[SystemScore, ...]:
        """The systems that share the first rank."""
        return tuple(score for score in self.systems if score.rank == 1)

    @property
    def deciding_ranks(self) -> RankProbabilities | None:
        """The probabilities of ranks by the means that order the systems, plain or adjusted."""
        return deciding_ranks(self.compared, self.ranks, self.adjusted_ranks)

    def first_chance(self, score: SystemScore) -> float:
        """How probable it is that a system comes first, by what orders the systems."""
        if self.ordinal is not None and self.ordinal.decides:
            return self.ordinal.probabilities[self.place(score)][0]
        ranks = self.deciding_ranks
        return math.nan if ranks is None else ranks.best[self.place(score)]

    def beaten(self, leader: SystemScore) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        """The systems that differ significantly from the leader, and those of which that is open.

        There is no answer where the pairs are not listed or none could be tested.
        """
        about = [pair for pair in self.pairs if leader.system in (pair.first, pair.second)]
        if not about or not self.testable:
            return None
        names = {score.system: score.name for score in self.systems}
        sides: dict[bool, list[str]] = {True: [], False: []}
        for pair in about:
            other = pair.second if pair.first == leader.system else pair.first
            sides[pair.significant].append(names[other])
        return tuple(sides[True]), tuple(sides[False])

    def place(self, score: SystemScore) -> int:
        """Where a system stands in the order of names."""
        return self.names.index(score.system)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        additive = self.additive.to_dict()
        del additive["means"]  # they stand with the systems
        counts = {
            "ratings": self.n_ratings,
            "items": self.n_items,
            "judges": self.n_judges,
            "sources": self.n_sources,
            "systems": len(self.systems),
            "pairs": self.n_pairs,
        }
        return {
            "criterion": self.criterion,
            "scale": self.scale.describe(),
            "best": self.best,
            "counts": counts,
            "names": list(self.names),
            "systems": _dicts(self.systems),
            "one_way": _dicts(self.one_way),
            "additive": additive,
            "mixed": _dict(self.mixed),
            "error": self.error,
            "compared": self.compared,
            "comparisons": _procedure(self.comparisons),
            "counted": plain(self.counted),
            "pairs": _dicts(self.pairs),
            "rank_tests": _dicts(self.rank_tests),
            "ranks": plain(self.ranks),
            "adjusted_ranks": plain(self.adjusted_ranks),
            "adjustment": self.adjustment.to_dict(),
            "assumptions": _dict(self.assumptions),
            "ordinal": _dict(self.ordinal),
            "notes": list(self.notes),
        }


def _dict(value: Any) -> Any:
    return None if value is None else value.to_dict()


def _dicts(values: tuple[Any, ...]) -> list[Any]:
    return [value.to_dict() for value in values]


def deciding_ranks(
    compared: str, plain: RankProbabilities | None, adjusted: RankProbabilities | None
) -> RankProbabilities | None:
    """Those of the means that order the systems; severity is drawn only where it moves means."""
    return adjusted if compared == "adjusted means" and adjusted is not None else plain


@dataclass(frozen=True, kw_only=True)
class Systems(Tabular):
    """Which system is better, for every criterion; `left_out` says why others were not compared."""

    criteria: tuple[CriterionSystems, ...]
    procedure: str
    error: str
    confidence: float
    resamples: int
    seed: int
    slots: bool
    means: str = "ratings"
    left_out: tuple[tuple[Any, str], ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of `rows`, in order."""
        return tuple(self._row(self.criteria[0], self.criteria[0].systems[0]))

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each criterion and system, not rounded."""
        return [self._row(one, score) for one in self.criteria for score in one.systems]

    def _row(self, one: CriterionSystems, score: SystemScore) -> dict[str, Any]:
        pairs = one.significance
        return {
            "criterion": one.criterion,
            "system": score.system,
            "human": "yes" if score.human else "no",
            "rank": score.rank,
            "ratings": score.n_ratings,
            "items": score.n_items,
            "mean": score.mean,
            "estimate": score.estimate,
            "low": score.interval.low,
            "high": score.interval.high,
            "low_other_judges": score.wide.low,
            "high_other_judges": score.wide.high,
            "median": score.median,
            "deviation": score.deviation,
            "letters": score.letters,
            "p_best": score.best,
            "adjusted_mean": score.adjusted,
            "adjusted_rank": score.adjusted_rank,
            "adjusted_p_best": score.adjusted_best,
            "best_end": one.best,
            "procedure": self.procedure,
            "error": one.error,
            "significant_pairs": None if pairs is None else pairs.n_significant,
            "pairs": one.n_pairs,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        settings = ("procedure", "error", "means", "confidence", "resamples", "seed")
        return {
            **{name: getattr(self, name) for name in settings},
            "criteria": _dicts(self.criteria),
            "left_out": [{"criterion": name, "reason": reason} for name, reason in self.left_out],
        }

    def __str__(self) -> str:
        lines = []
        for one in self.criteria:
            first, pairs = one.systems[0], one.significance
            chance = one.first_chance(first)
            times = "" if math.isnan(chance) else f" (first with probability {chance:.0%})"
            best = f"the best {one.compared.removesuffix('s')}, {first.estimate:.2f}"
            lines.append(f"{one.name}: {first.system} has {best}{times}")
            if pairs is not None:
                lines.append(
                    f"  {pairs.n_significant} of {pairs.n_pairs} differences are significant "
                    f"({pairs.procedure})"
                )
            lines.append(f"  {one.adjustment.sentence}")
        return "\n".join(lines)
