"""Experiments laid side by side: the same systems, the same criteria, more is better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.preferences import refuse_preference
from covary.errors import CovaryError, InvalidArgument
from covary.ratings import Ratings
from covary.scales import Scale
from covary.stats.models.observations import Observations, observations
from covary.words import Note

Floats = npt.NDArray[np.float64]
Experiments = Mapping[str, Ratings | Sequence[Ratings]]

FEWEST_SYSTEMS = 3
"""With two systems every correlation of their means is 1 or -1."""


@dataclass(frozen=True, kw_only=True)
class ExperimentPart:
    """One experiment's ratings on one criterion on one occasion; more is better.

    `observed` holds the shared systems only, in the same order in every part, and all names as
    text.
    """

    experiment: str
    occasion: str
    criterion: str
    scale: Scale
    observed: Observations

    @property
    def label(self) -> str:
        """The experiment's name, with the occasion where there are several."""
        return _label(self.experiment, self.occasion)

    @property
    def systems(self) -> tuple[str, ...]:
        """The shared systems."""
        return self.observed.names["system"]

    @property
    def judges(self) -> tuple[str, ...]:
        """Who rated."""
        return self.observed.names["judge"]

    @property
    def items(self) -> tuple[str, ...]:
        """What was rated."""
        return self.observed.names["item"]

    @property
    def means(self) -> Floats:
        """The mean rating of each system."""
        return self.observed.means("system")

    @property
    def texts(self) -> str:
        """What items are made from, as far as is known: `source`, else `item`."""
        return "source" if "source" in self.observed.factors else "item"


def _label(experiment: str, occasion: str) -> str:
    return f"{experiment} ({occasion})" if occasion else experiment


@dataclass(frozen=True, kw_only=True)
class AlignedExperiments:
    """The parts of each criterion, first occasions first within an experiment, and what to know."""

    experiments: tuple[str, ...]
    systems: tuple[str, ...]
    parts: Mapping[str, tuple[ExperimentPart, ...]]
    notes: tuple[str, ...]

    def first(self, criterion: str) -> tuple[ExperimentPart, ...]:
        """Each experiment's first occasion."""
        return tuple(self.occasions(criterion, name)[0] for name in self.experiments)

    def occasions(self, criterion: str, experiment: str) -> tuple[ExperimentPart, ...]:
        """An experiment's occasions."""
        return tuple(part for part in self.parts[criterion] if part.experiment == experiment)


def align(experiments: Experiments, criterion: Any = None) -> AlignedExperiments:
    """Find what the experiments share and lay it side by side."""
    runs = _runs(experiments)
    notes: list[str] = []
    named = _criteria(runs, criterion, notes)
    systems = _systems(runs, notes)
    parts = {
        name: tuple(_part(run, own[run.experiment], name, systems) for run in runs)
        for name, own in named.items()
    }
    notes += [note for every in parts.values() for part in every for note in _scale_notes(part)]
    return AlignedExperiments(
        experiments=tuple(dict.fromkeys(run.experiment for run in runs)),
        systems=systems,
        parts=parts,
        notes=tuple(dict.fromkeys(notes)),
    )


def share_judges(first: ExperimentPart, second: ExperimentPart) -> str:
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
        return _label(self.experiment, self.occasion)


def _runs(experiments: Any) -> tuple[_Run, ...]:
    if not isinstance(experiments, Mapping) or len(experiments) < 2:
        raise InvalidArgument("scales.no-experiments", argument="experiments")
    named = experiments.items()
    return tuple(run for name, ratings in named for run in _occasions(str(name), ratings))


def _occasions(name: str, ratings: Any) -> Iterator[_Run]:
    several = [ratings] if isinstance(ratings, Ratings) else list(ratings)
    for occasion in several:
        _check_ratings(name, occasion)
    if len(several) > 1:
        yield from _separate_occasions(name, several)
        return
    (only,) = several
    values = only.values("occasion") if "occasion" in only.columns else ()
    if len(values) < 2:
        yield _Run(name, "", only)
        return
    for value in values:
        yield _Run(name, str(value), only.select(occasion=value))


def _check_ratings(name: str, ratings: Any) -> None:
    if not isinstance(ratings, Ratings):
        kind = type(ratings).__name__
        raise InvalidArgument("scales.not-ratings", experiment=name, kind=kind)
    if ratings.slots:
        raise InvalidArgument("scales.slots", experiment=name)
    if "system" not in ratings.columns:
        raise InvalidArgument("scales.no-systems", experiment=name)


def _separate_occasions(name: str, several: Sequence[Ratings]) -> Iterator[_Run]:
    for number, ratings in enumerate(several, 1):
        if "occasion" in ratings.columns and len(ratings.values("occasion")) > 1:
            raise InvalidArgument("scales.occasions-twice", experiment=name, number=number)
        yield _Run(name, str(number), ratings)


def _criteria(runs: Sequence[_Run], criteria: Any, notes: list[str]) -> dict[str, dict[str, Any]]:
    """Each shared criterion's name, with what each experiment calls it."""
    own = {run.experiment: run.ratings.criteria for run in runs}
    only = _only_criterion(own)
    if only is not None:
        if criteria not in (None, only, [only]):
            raise InvalidArgument(
                "scales.criterion-not-rated", argument="criterion", value=criteria, only=only
            )
        return {only: {who: names[0] for who, names in own.items()}}
    shared = _shared_criteria(own)
    left = {str(name) for names in own.values() for name in names} - {str(n) for n in shared}
    if left:
        notes.append(Note("scales.criteria-left-out", names=", ".join(sorted(left))))
    chosen = (
        shared if criteria is None else [criteria] if isinstance(criteria, str) else list(criteria)
    )
    unknown = [name for name in chosen if name not in shared]
    if unknown:
        raise InvalidArgument(
            "scales.criterion-not-shared", argument="criterion", allowed=shared, names=unknown
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
    shared = [name for name in first if all(name in names for names in others)]
    shared = [name for name in shared if name is not None]
    if not shared:
        raise InvalidArgument("scales.no-shared-criterion", named=own)
    return shared


def _systems(runs: Sequence[_Run], notes: list[str]) -> tuple[str, ...]:
    own = {run.label: {str(value) for value in run.ratings.values("system")} for run in runs}
    shared = set.intersection(*own.values())
    if not shared:
        named = {name: sorted(systems) for name, systems in own.items()}
        raise InvalidArgument("scales.no-shared-system", named=named)
    if len(shared) < FEWEST_SYSTEMS:
        raise InvalidArgument("scales.too-few-systems", names=sorted(shared), fewest=FEWEST_SYSTEMS)
    for name, systems in own.items():
        if left := sorted(systems - shared):
            notes.append(Note("scales.systems-left-out", experiment=name, names=", ".join(left)))
    return tuple(sorted(shared))


def _part(run: _Run, criterion: Any, name: str, systems: tuple[str, ...]) -> ExperimentPart:
    known = run.ratings.values("system")
    shared = [value for value in known if str(value) in systems]
    try:
        chosen = run.ratings if len(shared) == len(known) else run.ratings.select(system=shared)
        observed = observations(chosen, criterion)
    except CovaryError as error:
        raise type(error)("scales.in-experiment", experiment=run.label, fault=error) from error
    scale = run.ratings.scales[criterion]
    refuse_preference(run.ratings, criterion)
    names = {factor: tuple(map(str, own)) for factor, own in observed.names.items()}
    if missing := sorted(set(systems) - set(names["system"])):
        raise InvalidArgument(
            "scales.unrated-systems", experiment=run.label, criterion=name, names=missing
        )
    order = np.array([systems.index(system) for system in names["system"]], dtype=np.intp)
    oriented = replace(
        observed,
        values=_orient(observed.values, scale),
        factors=dict(observed.factors) | {"system": order[observed.factors["system"]]},
        names=names | {"system": systems},
    )
    return ExperimentPart(
        experiment=run.experiment,
        occasion=run.occasion,
        criterion=name,
        scale=scale,
        observed=oriented,
    )


def _orient(values: Floats, scale: Scale) -> Floats:
    """Turn a scale whose low end is best, so that more is better."""
    if scale.best != "low":
        return values
    ends = scale.low + scale.high
    if not np.isfinite(ends):
        ends = 1.0 + len(scale.categories or ())
    return np.asarray(ends - values)


def _scale_notes(part: ExperimentPart) -> Iterator[Note]:
    name, scale = part.experiment, part.scale
    if not scale.declared:
        yield Note("scales.undeclared", experiment=name, scale=scale.describe())
    elif scale.best is None:
        yield Note("scales.no-best-end", experiment=name)
    elif scale.best == "low":
        yield Note("scales.turned", experiment=name)
