"""One question put to the ratings: which rows it is about, and how its answer is written down.

Every public coefficient makes a `Question` (what is asked, checked), builds its statistic from the
question's patterns and lets the question turn the statistic into an `Estimate`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from covary.errors import InvalidArgument, UndefinedWarning, listed, warn
from covary.ratings import Ratings
from covary.scales import Level, ObservedScale
from covary.stats import intervals
from covary.stats.crossed import cross
from covary.stats.estimate import Estimate, Interval
from covary.stats.intervals import Wanted
from covary.stats.patterns import Patterns, collapse, too_many
from covary.stats.statistic import Statistic
from covary.stats.suitability import check_suitability
from covary.version import __version__

__all__ = ["Question", "ask", "check_ratings", "needs_categories", "needs_named_judges"]


BY_GROUPS = (
    "the patterns of all judges are too many, so every two judges were cross-tabulated by groups "
    "of items, and intervals draw whole groups"
)


@dataclass(frozen=True)
class Question:
    """A coefficient's name, the patterns it is computed from, and the notes made on the way."""

    name: str
    title: str
    patterns: Patterns
    level: Level
    wanted: Wanted
    slots: bool
    n_judges: int
    notes: tuple[str, ...] = ()

    @property
    def merged(self) -> Patterns:
        """The patterns without regard to who rated, unless judges are to be drawn."""
        return self.patterns if self.wanted.method == "two-way" else self.patterns.without_judges()

    def among(self, rows: Any) -> Question:
        """Return the question about some of the rows."""
        return replace(self, patterns=self.patterns.keep(rows))

    def answer(
        self,
        statistic: Statistic,
        *,
        settings: Mapping[str, Any],
        default: str = "bootstrap",
        details: Mapping[str, Any] | None = None,
        own: Mapping[str, Any] | None = None,
        asked: Patterns | None = None,
        undefined: str | Callable[[], str] = "",
        notes: Sequence[str] = (),
    ) -> Estimate:
        """Write down the value, or why there is none, and the interval.

        `own` maps names of interval methods to this coefficient's own intervals; `asked` are the
        patterns before rows were dropped; `undefined` is the reason, or finds it, where the
        ratings as such are fine.
        """
        value = statistic.value if self.patterns.n_items else math.nan
        said = [*self.notes, *notes]
        interval = None
        if math.isnan(value):
            said.append(self._undefined(undefined))
            warn(f"{self.title} is undefined: {said[-1]}", UndefinedWarning)
        else:
            interval = self._interval(statistic, default, own or {})
            said += _interval_notes(interval, value)
        whole = self.patterns if asked is None else asked
        return Estimate(
            self.name, value, interval,
            n_items=self.patterns.n_items, n_judges=self.n_judges,
            n_ratings=self.patterns.n_ratings, n_dropped=whole.n_items - self.patterns.n_items,
            level=self.level, notes=tuple(said), settings={**settings, "version": __version__},
            details=details or {}, title=self.title,
        )  # fmt: skip

    def _interval(
        self, statistic: Statistic, default: str, own: Mapping[str, Any]
    ) -> Interval | None:
        method = default if self.wanted.method == "auto" else self.wanted.method
        if method is None:
            return None
        if method in own:
            made: Interval | None = own[method](self.wanted)
            return made
        if method == "two-way":
            return self._two_way(statistic)
        routes = {"analytic": intervals.analytic, "bca": intervals.bca,
                  "bootstrap": intervals.bootstrap, "jackknife": intervals.jackknife}  # fmt: skip
        return routes[method](statistic, self.wanted)

    def _two_way(self, statistic: Statistic) -> Interval:
        if self.slots:
            raise InvalidArgument(
                "interval='two-way' draws judges, but these ratings come from slots and not from "
                "named judges; use interval='bootstrap'"
            )
        if not statistic.resamples_judges:
            raise InvalidArgument(
                f"interval='two-way' is not defined for {self.name}, because copies of a judge "
                "agree by construction; use krippendorff_alpha or a mean over pairs of judges"
            )
        return intervals.two_way(statistic, len(self.patterns.judges), self.wanted)

    def _undefined(self, given: str | Callable[[], str]) -> str:
        patterns, reason = self.patterns, given if isinstance(given, str) else given()
        if len(patterns.judges) == 1:
            return f"only one judge ({patterns.judges[0]}) rated; it takes two to agree"
        if not patterns.n_items or not patterns.n_ratings:
            return reason or "there is no item with enough ratings"
        if not (patterns.rated.sum(axis=1) > 1).any():
            return "no item was rated by two judges"
        used = np.unique(patterns.codes[patterns.rated])
        if used.size == 1:
            only = patterns.values[int(used[0])]
            return f"only one category ({only}) was used, so there is no variation to explain (0/0)"
        return reason or "numerator and denominator are both 0"


def ask(
    name: str,
    title: str,
    ratings: Ratings,
    wanted: Wanted,
    *,
    criterion: Any = None,
    judges: Sequence[Any] | None = None,
    variant: str = "",
    level: Level | None = None,
    named: bool = True,
    pairs: bool = False,
) -> Question:
    """Check what every coefficient checks and collapse the ratings it is about.

    `named` says whether the coefficient follows each judge from item to item; `pairs` that it needs
    no more of that than what every two judges gave the same items.
    """
    check_ratings(name, ratings)
    scale = ratings.scale(criterion)
    notes = check_suitability(f"{name} ({variant})" if variant else name, scale)
    if isinstance(scale, ObservedScale) and scale.guessed and level is None:
        notes += (
            f"the level ({scale.level}) was guessed from the ratings; declare scale= or level=",
        )
    named = named or judges is not None or wanted.method == "two-way"
    if judges is not None and too_many(ratings, criterion):
        ratings = _part(ratings, judges)
    if pairs and too_many(ratings, criterion):
        patterns = cross(ratings, criterion)
        notes += (BY_GROUPS,)
    else:
        patterns = collapse(ratings, criterion, named=named)
        patterns = patterns if judges is None else _chosen(patterns, judges)
    n_judges = len(patterns.judges if named else ratings.judges)
    measured = scale.level if level is None else level
    return Question(name, title, patterns, measured, wanted, ratings.slots, n_judges, notes)


def check_ratings(name: str, ratings: object) -> None:
    """Refuse anything but `Ratings`, and say how to make them."""
    if not isinstance(ratings, Ratings):
        raise InvalidArgument(
            f"{name} takes Ratings, got a {type(ratings).__name__}; make them with covary.Ratings, "
            "covary.Ratings.from_wide or covary.read"
        )


def needs_categories(question: Question) -> None:
    """Refuse where a coefficient depends on categories that nobody declared."""
    scale = question.patterns.scale
    if scale.categories is None:
        raise InvalidArgument(
            f"{question.name} needs categories, and the scale is {scale.describe()}"
        )
    if not scale.declared:
        raise InvalidArgument(
            f"{question.name} depends on which categories are possible, not only on those that "
            f"were used ({listed(scale.categories)}); declare them when the ratings are made, such "
            "as scale='1-5'"
        )


def needs_named_judges(question: Question) -> None:
    """Refuse where a coefficient follows each judge through the items, but judges are not known."""
    if question.slots:
        raise InvalidArgument(
            f"{question.name} follows each judge from item to item, but these ratings come from "
            "slots and not from named judges; krippendorff_alpha, fleiss_kappa and gwet_ac1 do not "
            "need to know who rated, and covary.analysis.crowd.arrangements shows agreement with a "
            "named judge over random arrangements of the votes"
        )


def _chosen(patterns: Patterns, judges: Sequence[Any]) -> Patterns:
    return patterns.only(_names(judges, patterns.judges))


def _part(ratings: Ratings, judges: Sequence[Any]) -> Ratings:
    return ratings.select(judge=_names(judges, ratings.judges))


def _names(judges: Sequence[Any], present: Sequence[Any]) -> list[Any]:
    names = [judges] if isinstance(judges, str) else list(judges)
    unknown = [name for name in names if name not in present]
    if unknown:
        raise InvalidArgument(
            f"judges={listed(unknown)} did not rate; the judges are {listed(present, 20)}"
        )
    return names


def _interval_notes(interval: Interval | None, value: float) -> list[str]:
    if interval is None:
        return []
    notes = []
    if interval.undefined:
        notes.append(f"undefined in {interval.undefined} of {interval.resamples} resamples")
    if math.isnan(interval.low):
        notes.append("these ratings are too few or too uniform for an interval")
    elif interval.low == interval.high == value:
        notes.append(
            "the interval has no width because no resample differs; that shows how little these "
            "ratings vary, not that the value is certain"
        )
    return notes
