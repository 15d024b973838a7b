"""Experiments laid side by side: the same systems, the same criteria, more is better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import CovaryError, InvalidArgument, listed
from covary.ratings import Ratings
from covary.scales import ObservedScale, Scale
from covary.stats.layout import Layout, layout

__all__ = ["FEWEST_SYSTEMS", "Aligned", "Experiments", "Part", "align", "share_judges"]

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]
Experiments = Mapping[str, Ratings | Sequence[Ratings]]

FEWEST_SYSTEMS = 3
"""With two systems every correlation of their means is 1 or -1."""


@dataclass(frozen=True)
class Part:
    """One experiment's ratings on one criterion on one occasion; more is better.

    `layout` holds the shared systems only, in the same order in every part, and all names as text.
    """

    experiment: str
    occasion: str
    criterion: str
    scale: Scale
    layout: Layout

    @property
    def label(self) -> str:
        """The experiment's name, with the occasion where there are several."""
        return f"{self.experiment} ({self.occasion})" if self.occasion else self.experiment

    @property
    def systems(self) -> tuple[str, ...]:
        """The shared systems."""
        return self.layout.names["system"]

    @property
    def judges(self) -> tuple[str, ...]:
        """Who rated."""
        return self.layout.names["judge"]

    @property
    def means(self) -> Floats:
        """The mean rating of each system."""
        return self.layout.means("system")

    @property
    def texts(self) -> str:
        """What items are made from, as far as is known: `source`, else `item`."""
        return "source" if "source" in self.layout.factors else "item"


@dataclass(frozen=True)
class Aligned:
    """The parts of each criterion, first occasions first within an experiment, and what to know."""

    experiments: tuple[str, ...]
    systems: tuple[str, ...]
    parts: Mapping[str, tuple[Part, ...]]
    notes: tuple[str, ...]

    def first(self, criterion: str) -> tuple[Part, ...]:
        """Each experiment's first occasion."""
        seen: dict[str, Part] = {}
        for part in self.parts[criterion]:
            seen.setdefault(part.experiment, part)
        return tuple(seen.values())

    def occasions(self, criterion: str, experiment: str) -> tuple[Part, ...]:
        """An experiment's occasions."""
        return tuple(part for part in self.parts[criterion] if part.experiment == experiment)


def align(experiments: Experiments, criterion: Any = None) -> Aligned:
    """Find what the experiments share and lay it side by side."""
    runs = _runs(experiments)
    notes: list[str] = []
    named = _criteria(runs, criterion, notes)
    systems = _systems(runs, notes)
    parts = {
        name: tuple(_part(run, own[run.experiment], name, systems) for run in runs)
        for name, own in named.items()
    }
    notes += _scale_notes(parts)
    return Aligned(tuple(dict.fromkeys(run.experiment for run in runs)), systems, parts,
                   tuple(dict.fromkeys(notes)))  # fmt: skip


def share_judges(first: Part, second: Part) -> str:
    """Say whether two parts have the same judges: yes, no, or how many."""
    both = set(first.judges) & set(second.judges)
    if not both:
        return "no"
    whole = max(len(first.judges), len(second.judges))
    return "yes" if len(both) == whole else f"{len(both)} of {whole}"


@dataclass(frozen=True)
class _Run:
    """All criteria of one experiment on one occasion."""

    experiment: str
    occasion: str
    ratings: Ratings

    @property
    def label(self) -> str:
        return f"{self.experiment} ({self.occasion})" if self.occasion else self.experiment


def _runs(experiments: Any) -> tuple[_Run, ...]:
    if not isinstance(experiments, Mapping) or len(experiments) < 2:
        raise InvalidArgument(
            "compare_scales needs two or more experiments by name, such as "
            "{'VDS': ratings, 'VAS': other}; a list of ratings under one name are its occasions"
        )
    return tuple(run for name, given in experiments.items() for run in _occasions(str(name), given))


def _occasions(name: str, given: Any) -> Iterator[_Run]:
    listed_ = [given] if isinstance(given, Ratings) else list(given)
    for ratings in listed_:
        if not isinstance(ratings, Ratings):
            raise InvalidArgument(
                f"{name}: compare_scales takes Ratings, got a {type(ratings).__name__}; make them "
                "with covary.Ratings or covary.read"
            )
        if ratings.slots:
            raise InvalidArgument(
                f"{name}: these ratings come from slots, and a comparison of scales follows each "
                "judge; read them with a column that names the judge"
            )
        if "system" not in ratings.columns:
            raise InvalidArgument(
                f"{name}: the ratings do not say which system made each item; name the column "
                "with system='…' when they are read"
            )
    if len(listed_) > 1:
        yield from _given_apart(name, listed_)
        return
    only = listed_[0]
    values = only.values("occasion") if "occasion" in only.columns else ()
    if len(values) < 2:
        yield _Run(name, "", only)
        return
    for value in values:
        yield _Run(name, str(value), only.select(occasion=value))


def _given_apart(name: str, several: Sequence[Ratings]) -> Iterator[_Run]:
    for number, ratings in enumerate(several, 1):
        if "occasion" in ratings.columns and len(ratings.values("occasion")) > 1:
            raise InvalidArgument(
                f"{name}: several sets of ratings of one name are its occasions, but number "
                f"{number} holds several occasions itself; give one or the other"
            )
        yield _Run(name, str(number), ratings)


def _criteria(runs: Sequence[_Run], wanted: Any, notes: list[str]) -> dict[str, dict[str, Any]]:
    """Each shared criterion's name, with what each experiment calls it."""
    own = {run.experiment: run.ratings.criteria for run in runs}
    only = _only_criterion(own)
    if only is not None:
        if wanted not in (None, only, [only]):
            raise InvalidArgument(f"criterion={wanted!r} was not rated, only {only!r}")
        return {only: {who: names[0] for who, names in own.items()}}
    shared = _shared_criteria(own)
    left = {str(name) for names in own.values() for name in names} - {str(n) for n in shared}
    if left:
        notes.append(
            f"Left out, because not every experiment asked for it: {', '.join(sorted(left))}."
        )
    chosen = shared if wanted is None else [wanted] if isinstance(wanted, str) else list(wanted)
    unknown = [name for name in chosen if name not in shared]
    if unknown:
        raise InvalidArgument(
            f"criterion={listed(unknown)} is not shared by all experiments, which share "
            f"{listed(shared)}"
        )
    return {str(name): dict.fromkeys(own, name) for name in chosen}


def _only_criterion(own: Mapping[str, Sequence[Any]]) -> str | None:
    """The one criterion of all experiments, even where some of them give it no name."""
    if any(len(names) != 1 for names in own.values()):
        return None
    known = {str(names[0]) for names in own.values() if names[0] is not None}
    return next(iter(known), "ratings") if len(known) <= 1 else None


def _shared_criteria(own: Mapping[str, Sequence[Any]]) -> list[Any]:
    first, *others = own.values()
    shared = [
        name for name in first
        if name is not None and all(name in names for names in others)
    ]  # fmt: skip
    if not shared:
        said = "; ".join(f"{who} has {listed(names)}" for who, names in own.items())
        raise InvalidArgument(
            f"the experiments share no criterion ({said}); give the same criterion the same name"
        )
    return shared


def _systems(runs: Sequence[_Run], notes: list[str]) -> tuple[str, ...]:
    own = {run.label: {str(value) for value in run.ratings.values("system")} for run in runs}
    shared = set.intersection(*own.values())
    if not shared:
        said = "; ".join(f"{who} has {listed(sorted(names), 4)}" for who, names in own.items())
        raise InvalidArgument(
            f"the experiments share no system ({said}), so there is nothing to compare them on; "
            "call the same system by the same name"
        )
    if len(shared) < FEWEST_SYSTEMS:
        raise InvalidArgument(
            f"the experiments share only {listed(sorted(shared))}; scales are compared on the "
            f"means of at least {FEWEST_SYSTEMS} systems"
        )
    for who, names in own.items():
        if left := sorted(names - shared):
            notes.append(
                f"{who}: left out, because another experiment lacks them: {', '.join(left)}."
            )
    return tuple(sorted(shared))


def _part(run: _Run, criterion: Any, name: str, systems: tuple[str, ...]) -> Part:
    known = run.ratings.values("system")
    wanted = [value for value in known if str(value) in systems]
    try:
        chosen = run.ratings if len(wanted) == len(known) else run.ratings.select(system=wanted)
        laid = layout(chosen, criterion)
    except CovaryError as error:
        raise type(error)(f"{run.label}: {error}") from error
    scale = run.ratings.scales[criterion]
    if missing := sorted(set(systems) - {str(each) for each in laid.names["system"]}):
        raise InvalidArgument(
            f"{run.label}: no rating on {name} of the systems {listed(missing)}; leave these "
            "systems out of every experiment, or the criterion"
        )
    names = {factor: tuple(str(each) for each in own) for factor, own in laid.names.items()}
    order = np.array([systems.index(each) for each in names["system"]], dtype=np.intp)
    factors = dict(laid.factors) | {"system": order[laid.factors["system"]]}
    oriented = replace(laid, values=_oriented(laid.values, scale), factors=factors,
                       names=names | {"system": systems})  # fmt: skip
    return Part(run.experiment, run.occasion, name, scale, oriented)


def _oriented(values: Floats, scale: Scale) -> Floats:
    """Turn a scale whose low end is best, so that more is better."""
    if scale.best != "low":
        return values
    ends = scale.low + scale.high
    if not np.isfinite(ends):
        ends = 1.0 + len(scale.categories or ())
    return np.asarray(ends - values)


def _scale_notes(parts: Mapping[str, tuple[Part, ...]]) -> Iterator[str]:
    for part in (part for each in parts.values() for part in each):
        if isinstance(part.scale, ObservedScale):
            yield (
                f"{part.experiment}: no scale was declared ({part.scale.describe()}); its high end "
                "is taken to be best."
            )
        elif part.scale.best is None:
            yield f"{part.experiment}: the scale names no best end; the high end is taken."
        elif part.scale.best == "low":
            yield f"{part.experiment}: the low end is best, so its ratings were turned round."
