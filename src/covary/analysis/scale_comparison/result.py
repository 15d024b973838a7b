"""What `covary.compare_scales` answers, as small frozen values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from covary.analysis.scale_comparison.interchangeability import Interchange
from covary.analysis.scale_comparison.options import Contrast
from covary.analysis.scale_comparison.reliability import Stability, SystemOrder
from covary.analysis.scale_comparison.sensitivity import Sensitivity, SensitivityContrast
from covary.analysis.scale_comparison.validity import Association, Preferences, Validity
from covary.ratings.frames import Tabular
from covary.stats.estimate import Interval, plain
from covary.words import Note

Row = dict[str, Any]

ABOUT = ("criterion", "property", "measure", "first", "second")
COLUMNS = (*ABOUT, "value", "low", "high", "p", "n", "note")
"""The columns of `ScaleComparison.rows`; `note` says why a number is undefined."""


@dataclass(frozen=True, kw_only=True)
class PartFacts:
    """One experiment on one criterion and occasion: its scale, and how much of what there is."""

    experiment: str
    occasion: str
    label: str
    scale: str
    best: str
    judges: int
    items: int
    ratings: int


@dataclass(frozen=True, kw_only=True)
class CriterionScales:
    """The properties of all scales on one criterion.

    Contrasts are second less first, between the experiments' first occasions.
    """

    criterion: str
    parts: tuple[PartFacts, ...]
    interchange: tuple[Interchange, ...]
    reliability: tuple[SystemOrder, ...]
    reliability_contrasts: tuple[Contrast, ...]
    stability: tuple[Stability, ...]
    stability_contrasts: tuple[tuple[Contrast, Contrast], ...]
    sensitivity: tuple[Sensitivity, ...]
    sensitivity_contrasts: tuple[SensitivityContrast, ...]

    @property
    def first_labels(self) -> dict[str, str]:
        """The label of each experiment's first occasion."""
        labels: dict[str, str] = {}
        for part in self.parts:
            labels.setdefault(part.experiment, part.label)
        return labels

    @property
    def first_interchange(self) -> tuple[Interchange, ...]:
        """The comparisons between first occasions of different experiments."""
        labels = set(self.first_labels.values())
        return tuple(one for one in self.interchange if {one.first, one.second} <= labels)

    def rows(self) -> Iterator[Row]:
        """A row for each number of each property."""
        for one in self.interchange:
            pair = {"first": one.first, "second": one.second}
            yield from (pair | row for row in _associated("interchangeability", one.association))
            if (distance := one.distance) is not None:
                limits = {"low": distance.low, "high": distance.high, "p": distance.p}
                measure = "standard deviation of differences"
                about = {**pair, **limits, "note": one.word}
                yield _row("interchangeability", measure, distance.value, **about)
        for order in self.reliability:
            about = {"first": order.label, "p": order.p, "n": order.n_judges, "note": order.reason}
            yield _row("reliability", "Kendall's W", order.w, order.interval, **about)
        for again in self.stability:
            about = {"first": again.experiment, "second": " and ".join(again.occasions)}
            more = {"p": again.pooled_p, "n": again.n_pairs, "note": again.reason}
            yield _row(
                "stability", "r pooled", again.pooled, again.pooled_interval, **about, **more
            )
            yield _row("stability", "r centred", again.centred, again.centred_interval, **about)
            yield _row("stability", "mean shift", again.shift, again.shift_interval, **about)
        for tested in self.sensitivity:
            yield from _told_apart(tested)
        yield from self._contrast_rows()

    def _contrast_rows(self) -> Iterator[Row]:
        named: list[tuple[str, str, Contrast]] = []
        named += [("reliability", "Kendall's W", one) for one in self.reliability_contrasts]
        for pooled, centred in self.stability_contrasts:
            named += [("stability", "r pooled", pooled), ("stability", "r centred", centred)]
        for both in self.sensitivity_contrasts:
            named += [
                ("sensitivity", "F by system, one-way", both.f_one_way),
                ("sensitivity", "F by system, additive", both.f_additive),
                ("sensitivity", "significant differences, one-way", both.count_one_way),
                ("sensitivity", "significant differences, additive", both.count_additive),
            ]
        for name, measure, one in named:
            about = {"first": one.first, "second": one.second, "note": one.drawn}
            yield _row(name, f"{measure}: second less first", one.value, one.interval, **about)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "criterion": self.criterion,
            "parts": plain(self.parts),
            "interchangeability": [one.to_dict() for one in self.interchange],
            "reliability": [one.to_dict() for one in self.reliability],
            "reliability_contrasts": plain(self.reliability_contrasts),
            "stability": [one.to_dict() for one in self.stability],
            "stability_contrasts": [
                {"pooled": plain(pooled), "centred": plain(centred)}
                for pooled, centred in self.stability_contrasts
            ],
            "sensitivity": [one.to_dict() for one in self.sensitivity],
            "sensitivity_contrasts": plain(self.sensitivity_contrasts),
        }


def _told_apart(tested: Sensitivity) -> Iterator[Row]:
    about = {"first": tested.label}
    for effect in tested.effects:
        for way, ratio in (("one-way", effect.one_way), ("additive", effect.additive)):
            measure = f"F by {effect.factor}, {way}"
            yield _row("sensitivity", measure, ratio.f, p=ratio.p, note=ratio.reason, **about)
    for way, counts in (("one-way", tested.one_way), ("additive", tested.additive)):
        measure, note = f"significant differences, {way}", f"{counts.procedure}; {counts.error}"
        more = {**about, "n": counts.n_pairs, "note": note}
        yield _row("sensitivity", measure, float(counts.n_significant), **more)


def _associated(name: str, pair: Association) -> Iterator[Row]:
    about = {"n": pair.n, "note": pair.reason}
    yield _row(name, "Pearson's r", pair.pearson, pair.interval, p=pair.pearson_p, **about)
    yield _row(name, "Spearman's rho", pair.spearman, p=pair.spearman_p, **about)


def _row(
    name: str, measure: str, value: float, interval: Interval | None = None, /, **about: Any
) -> Row:
    limits = {} if interval is None else {"low": interval.low, "high": interval.high}
    return {"property": name, "measure": measure, "value": float(value), **limits, **about}


@dataclass(frozen=True, kw_only=True)
class ScaleComparison(Tabular):
    """Two or more scales on validity, reliability, stability, interchangeability, sensitivity.

    `same_judges` says for each pair of experiments whether they have the same judges. `summary`
    holds
    the comparison in sentences.
    """

    experiments: tuple[str, ...]
    systems: tuple[str, ...]
    criteria: tuple[CriterionScales, ...]
    same_judges: tuple[tuple[str, str, str], ...]
    validity: tuple[Validity, ...]
    preference: Preferences | None
    summary: tuple[Note, ...]
    notes: tuple[str, ...]
    margin: float
    alpha: float
    procedure: str
    confidence: float
    resamples: int
    seed: int

    def __str__(self) -> str:
        return "\n".join(self.summary)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of `rows`, in order; `note` says why a number is undefined."""
        return COLUMNS

    def rows(self) -> list[Row]:
        """Return a row for each number of each property, not rounded."""
        rows = [{"criterion": one.criterion} | row for one in self.criteria for row in one.rows()]
        for one in self.validity:
            about = {"criterion": one.criterion, "first": one.label, "second": one.measure}
            rows += [about | row for row in _associated("validity", one.association)]
        return [dict.fromkeys(COLUMNS) | row for row in rows]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        settings = ("margin", "alpha", "procedure", "confidence", "resamples", "seed")
        return {
            "experiments": list(self.experiments),
            "systems": list(self.systems),
            "same_judges": [
                {"first": first, "second": second, "same": same}
                for first, second, same in self.same_judges
            ],
            "summary": list(self.summary),
            "criteria": [one.to_dict() for one in self.criteria],
            "validity": plain(self.validity),
            "preference": plain(self.preference),
            "notes": list(self.notes),
            "settings": {name: getattr(self, name) for name in settings},
        }
