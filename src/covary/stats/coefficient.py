"""One coefficient of some ratings: which rows it is about, and how its estimate is written down.

Every public coefficient calls `prepare` (which checks what all of them check), builds its
statistic from the patterns and turns the statistic into an `Estimate`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from covary.errors import InvalidArgument, UndefinedWarning, warn
from covary.ratings import Ratings
from covary.records import dataclass
from covary.scales import Level
from covary.stats.estimate import OTHER_JUDGES, Estimate, Interval
from covary.stats.intervals import ROUTES, IntervalSpec, default_method, from_many_items
from covary.stats.line import unsorted
from covary.stats.other_judges import FEWEST_JUDGES, two_way
from covary.stats.pair_counts import count_judge_pairs
from covary.stats.pairs import (
    PairResults,
    pair_notes,
    pair_values,
    why_undefined,
)
from covary.stats.patterns import Patterns, collapse, has_too_many_patterns
from covary.stats.statistic import Statistic
from covary.stats.steps import countable, step_notes
from covary.stats.suitability import check_suitability
from covary.version import __version__
from covary.words import Note

FEWEST_INFORMATIVE = 5
"""With fewer items that show anything but the commonest rating no interval is decisive."""

MOST_UNDEFINED = 0.1
"""With a larger share of undefined resamples no interval is decisive."""

PILED_UP, FEW_PILED_UP = 2 / 3, 100
"""Where so many of the ratings are the same, and items are no more than this, distances decide
nothing."""

OwnIntervals = Mapping[str, Callable[[IntervalSpec], Interval]]


@dataclass(frozen=True, kw_only=True)
class Request:
    """What every coefficient is asked: of which ratings, by whom, and with which interval."""

    ratings: Ratings
    criterion: Any = None
    judges: Sequence[Any] | None = None
    spec: IntervalSpec


@dataclass(frozen=True, kw_only=True)
class Coefficient:
    """A coefficient's name, the patterns it is computed from, and the notes made on the way.

    `n_requested` counts the items before rows were dropped.
    """

    name: str
    title: str
    patterns: Patterns
    level: Level
    spec: IntervalSpec
    slots: bool
    n_judges: int
    n_requested: int
    notes: tuple[str, ...] = ()

    @property
    def merged(self) -> Patterns:
        """The patterns without regard to who rated, unless judges are to be drawn."""
        return self.patterns if self.spec.method == "two-way" else self.patterns.without_judges()

    @property
    def pairable(self) -> Coefficient:
        """The same for the items with two ratings or more."""
        return self.among(self.patterns.several)

    def among(self, rows: Any) -> Coefficient:
        """Return the same for some of the rows."""
        if np.all(rows):  # what was counted of all rows need not be counted again
            return self
        return replace(self, patterns=self.patterns.keep(rows))

    def estimate(
        self,
        statistic: Statistic,
        *,
        settings: Mapping[str, Any],
        default: str = "",
        details: Mapping[str, Any] | None = None,
        own: OwnIntervals | None = None,
        undefined: str | Callable[[], str] = "",
        notes: Sequence[str] = (),
    ) -> Estimate:
        """Write down the value, or why there is none, and the interval.

        `own` maps names of interval methods to this coefficient's own intervals; `undefined` is
        the reason, or finds it, where the ratings as such are fine.
        """
        value = statistic.value if self.patterns.n_items else math.nan
        interval, remarks = None, [*self.notes, *notes]
        if math.isnan(value):
            remarks.append(self._why_undefined(undefined))
            warn(Note("stats.undefined", title=self.title, reason=remarks[-1]), UndefinedWarning)
        else:
            interval = self._interval(statistic, default or default_method(statistic), own or {})
            interval, doubts = _doubt(interval, self.patterns)
            remarks += doubts
            if interval is not None and statistic.metric and self.level >= Level.INTERVAL:
                doubts = _piled_up(self.patterns)
                interval = replace(interval, decisive=interval.decisive and not doubts)
                remarks += doubts
        return Estimate(
            name=self.name,
            value=value,
            interval=interval,
            n_items=self.patterns.n_items,
            n_judges=self.n_judges,
            n_ratings=self.patterns.n_ratings,
            n_dropped=self.n_requested - self.patterns.n_items,
            level=self.level,
            notes=tuple(remarks),
            settings={**settings, "version": __version__},
            details=details or {},
            title=self.title,
        )

    def estimate_pairs(
        self,
        statistic: Statistic,
        results: PairResults,
        *,
        settings: Mapping[str, Any],
        single: Callable[[PairResults, IntervalSpec], Interval] | None = None,
        default: str = "",
        details: Mapping[str, Any] | None = None,
        undefined: str | Callable[[], str] | None = None,
    ) -> Estimate:
        """Write down a mean over pairs of judges; `single` is the interval of a single pair."""
        own: OwnIntervals = {}
        if single is not None and len(results) == 1 and self.patterns.clusters is None:
            own = {"analytic": lambda spec: single(results, spec)}
        return self.estimate(
            statistic,
            settings={**settings, "missing": "pairwise deletion"},
            default=default,
            details={**(details or {}), "pairs": pair_values(self.patterns, results)},
            own=own,
            undefined=partial(why_undefined, self.patterns) if undefined is None else undefined,
            notes=pair_notes(self.patterns, results, settings.get("combine", "")),
        )

    def _interval(self, statistic: Statistic, default: str, own: OwnIntervals) -> Interval | None:
        method = self.spec.method
        if method == "two-way":
            self._check_two_way(statistic)
            return two_way(statistic, self._default_interval(default, statistic, own), self.spec)
        if method == "auto":
            return self._default_interval(default, statistic, own)
        return None if method is None else self._interval_by(method, statistic, own)

    def _default_interval(self, default: str, statistic: Statistic, own: OwnIntervals) -> Interval:
        """The interval of these judges where nobody named a method."""
        if statistic.ceiling > 1:
            return self._interval_by("bootstrap", statistic, own)
        many = from_many_items(statistic, self.spec) if default == "tilted" else None
        return self._interval_by(default, statistic, own) if many is None else many

    def _interval_by(self, method: str, statistic: Statistic, own: OwnIntervals) -> Interval:
        """The interval of these judges by a method."""
        if method in own:
            return own[method](self.spec)
        smooths = statistic.smooths and statistic.ceiling <= 1
        if method == "tilted" and not smooths:
            raise InvalidArgument("stats.tilted-undefined", name=self.name)
        if method == "hughes":
            raise InvalidArgument("stats.hughes-undefined", name=self.name)
        return ROUTES[method](statistic, self.spec)

    def _check_two_way(self, statistic: Statistic) -> None:
        """Refuse an interval for other judges where judges cannot be left out."""
        if self.slots:
            raise InvalidArgument("stats.two-way-of-slots")
        if not statistic.resamples_judges:
            raise InvalidArgument("stats.two-way-undefined", name=self.name)

    def _why_undefined(self, cause: str | Callable[[], str]) -> str:
        patterns, reason = self.patterns, cause if isinstance(cause, str) else cause()
        if len(patterns.judges) == 1:
            return Note("stats.one-judge", judge=patterns.judges[0])
        if not patterns.n_items or not patterns.n_ratings:
            return reason or Note("stats.too-few-ratings")
        if not (patterns.sizes > 1).any():
            return Note("stats.nothing-shared")
        used = np.unique(patterns.entries[2])
        if used.size == 1:
            return Note("stats.one-category", category=patterns.values[int(used[0])])
        return reason or Note("stats.zero-by-zero")


def prepare(
    name: str,
    title: str,
    request: Request,
    *,
    variant: str = "",
    level: Level | None = None,
    named: bool = True,
    pairs: bool = False,
    unsorted_for: Sequence[str | None] = (),
) -> Coefficient:
    """Check what every coefficient checks and collapse the ratings it is about.

    `named` says whether the coefficient follows each judge from item to item; `pairs` that it needs
    no more of that than what every two judges gave the same items; `unsorted_for` names the methods
    of intervals for which ratings on a line need not be sorted.
    """
    ratings, criterion, judges = request.ratings, request.criterion, request.judges
    check_ratings(name, ratings)
    ratings = countable(ratings)
    scale = ratings.scale(criterion)
    notes = check_suitability(f"{name} ({variant})" if variant else name, scale)
    notes += step_notes(ratings)
    if scale.level_guessed and level is None:
        notes += (Note("stats.level-guessed", level=scale.level),)
    named = named or judges is not None or request.spec.method == "two-way"
    if judges is not None and has_too_many_patterns(ratings, criterion):
        ratings = ratings.select(judge=_judge_names(judges, ratings.judges))
    line = _line(request, unsorted_for)
    if line is not None:
        patterns: Patterns = line
    elif pairs and has_too_many_patterns(ratings, criterion):
        patterns = count_judge_pairs(ratings, criterion)
        notes += (Note("stats.by-groups"),)
    else:
        patterns = collapse(ratings, criterion, named=named)
        if judges is not None:
            patterns = patterns.only(_judge_names(judges, patterns.judges))
    if patterns.clusters is not None and "cluster" not in ratings.columns:
        notes += (Note("stats.source-clusters", sources=int(np.unique(patterns.clusters).size)),)
    return Coefficient(
        name=name,
        title=title,
        patterns=patterns,
        level=scale.level if level is None else level,
        spec=request.spec,
        slots=ratings.slots,
        n_judges=len(patterns.judges if named else ratings.judges),
        n_requested=patterns.n_items,
        notes=notes,
    )


def _line(request: Request, unsorted_for: Sequence[str | None]) -> Patterns | None:
    """The ratings as they came, where they lie on a line and their rows need no order."""
    wanted = unsorted_for and request.judges is None
    return unsorted(request.ratings, request.spec.method, unsorted_for) if wanted else None


def check_ratings(name: str, ratings: object) -> None:
    """Refuse anything but `Ratings`, and say how to make them."""
    if not isinstance(ratings, Ratings):
        raise InvalidArgument("stats.not-ratings", name=name, type=type(ratings).__name__)


def needs_categories(coefficient: Coefficient) -> None:
    """Refuse where a coefficient depends on categories that nobody declared."""
    name, scale = coefficient.name, coefficient.patterns.scale
    if scale.categories is None:
        raise InvalidArgument("stats.needs-categories", name=name, scale=scale.describe())
    if not scale.declared:
        used = scale.categories
        raise InvalidArgument("stats.needs-declared-categories", name=name, used=used)


def needs_named_judges(coefficient: Coefficient) -> None:
    """Refuse where a coefficient follows each judge through the items, but judges are not known."""
    if coefficient.slots:
        raise InvalidArgument("stats.needs-named-judges", name=coefficient.name)


def needs_two_judges(coefficient: Coefficient, instead: str) -> None:
    """Refuse more than two judges, and say what compares all of them."""
    n_judges = len(coefficient.patterns.judges)
    if n_judges > 2:
        name = coefficient.name
        raise InvalidArgument("stats.two-judges", name=name, n_judges=n_judges, instead=instead)


def check_choice(argument: str, value: object, allowed: Sequence[Any]) -> None:
    """Refuse what is not one of a few names, and propose the nearest."""
    if value not in allowed:
        raise InvalidArgument("stats.unknown", argument=argument, value=value, allowed=allowed)


def _judge_names(judges: Sequence[Any], present: Sequence[Any]) -> list[Any]:
    names = [judges] if isinstance(judges, str) else list(judges)
    unknown = [name for name in names if name not in present]
    if unknown:
        raise InvalidArgument(
            "stats.no-such-judges", argument="judges", value=unknown, allowed=present
        )
    return names


def _piled_up(patterns: Patterns) -> list[str]:
    """Say that distances of ratings which pile up at one point are known less well than it seems.

    In simulations of 20 and 50 items the 95 % intervals held the truth in 88 to 96 % of studies.
    """
    if patterns.n_items > FEW_PILED_UP or patterns.continuous:
        return []
    rows, _, codes = patterns.entries
    share = float(np.bincount(codes, patterns.counts[rows]).max() / patterns.n_ratings)
    if share < PILED_UP:
        return []
    return [Note("stats.piled-up", share=f"{share:.0%}")]


def _doubt(interval: Interval | None, patterns: Patterns) -> tuple[Interval | None, list[str]]:
    """Say why a conclusion should not rest on an interval; mark it where it must not."""
    if interval is None:
        return None, []
    notes: list[str] = []
    if interval.undefined:
        facts = {"undefined": interval.undefined, "resamples": interval.resamples}
        notes.append(Note("stats.undefined-resamples", **facts))
    if math.isnan(interval.low):
        few = interval.target == OTHER_JUDGES and len(patterns.judges) < FEWEST_JUDGES
        notes.append(Note("stats.two-judges-only" if few else "stats.no-interval"))
    elif interval.low == interval.high:
        notes.append(Note("stats.no-width"))
    elif interval.target == OTHER_JUDGES and not interval.decisive:
        notes.append(Note("stats.too-few-judges", judges=len(patterns.judges)))
    units = patterns.n_informative
    if units < FEWEST_INFORMATIVE:
        notes.append(Note("stats.too-few-items", informative=units, needed=FEWEST_INFORMATIVE))
    doubtful = (
        units < FEWEST_INFORMATIVE or interval.undefined > interval.resamples * MOST_UNDEFINED
    )
    return replace(interval, decisive=interval.decisive and not doubtful), notes
