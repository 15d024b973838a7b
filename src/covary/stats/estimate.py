"""The result of a coefficient: a number with its interval, counts, notes and settings."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from covary.scales import Level
from covary.stats.plain import plain

__all__ = ["OTHER_JUDGES", "THESE_JUDGES", "Estimate", "Interval"]

THESE_JUDGES = "these judges, other items"
OTHER_JUDGES = "other judges, other items"


@dataclass(frozen=True)
class Interval:
    """Where the coefficient may lie, at which confidence, by which method, and for whom.

    `target` says which repetition of the study the interval speaks of: *these judges, other
    items* or *other judges, other items*. `resamples` and `undefined` count the resamples drawn
    and those in which the coefficient had no value.
    """

    low: float
    high: float
    level: float
    method: str
    target: str = THESE_JUDGES
    standard_error: float = math.nan
    resamples: int = 0
    undefined: int = 0
    seed: int | None = None

    def __post_init__(self) -> None:
        for name in ("low", "high", "standard_error"):
            object.__setattr__(self, name, float(getattr(self, name)))

    def __str__(self) -> str:
        return f"[{self.low:.4f}, {self.high:.4f}]"

    def to_dict(self) -> dict[str, Any]:
        """Return the interval as plain values; NaN becomes None."""
        found: dict[str, Any] = plain(self)
        return found


@dataclass(frozen=True)
class Estimate:
    """A coefficient's value with everything needed to report and to repeat it.

    It is never rounded and cannot be unpacked, so fields may be added without breaking anyone.
    `details` holds what belongs to this coefficient alone: gamma's counts of pairs, W's
    chi-square, the values of the judge pairs.
    """

    name: str
    value: float
    interval: Interval | None
    n_items: int
    n_judges: int
    n_ratings: int
    n_dropped: int
    level: Level
    notes: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", MappingProxyType(dict(self.settings)))
        object.__setattr__(self, "details", MappingProxyType(dict(self.details)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle with plain dicts, because a mapping proxy cannot be pickled."""
        fields = (getattr(self, name) for name in self.__dataclass_fields__)
        return type(self), tuple(dict(f) if isinstance(f, MappingProxyType) else f for f in fields)

    @property
    def defined(self) -> bool:
        """Whether the coefficient has a value for these ratings."""
        return not math.isnan(self.value)

    @property
    def signature(self) -> str:
        """One line that names the exact coefficient and how to compute it again."""
        parts = [self.name, f"level:{self.level}"]
        parts += [f"{key}:{value}" for key, value in self.settings.items() if key != "version"]
        if self.interval is not None:
            parts += [f"interval:{self.interval.method}", f"target:{self.interval.target}"]
            parts += [f"confidence:{self.interval.level:g}"]
        if self.interval is not None and self.interval.resamples:
            parts.append(f"resamples:{self.interval.resamples}")
        if self.interval is not None and self.interval.seed is not None:
            parts.append(f"seed:{self.interval.seed}")
        return "|".join([*parts, f"covary:{self.settings.get('version', '')}"])

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        head = f"{self.title or self.name} ({self.level}): "
        head += f"{self.value:.4f}" if self.defined else "undefined"
        if self.interval is not None:
            head += f"  {self.interval.level:.0%} interval {self.interval}"
        counts = f"{self.n_items} items, {self.n_judges} judges, {self.n_ratings} ratings"
        return "\n".join([head, f"  {counts}", *(f"  note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        cells = [("value", f"{self.value:.4f}" if self.defined else "–")]
        if self.interval is not None:
            title = f"{self.interval.level:.0%} interval ({self.interval.target})"
            cells.append((title, str(self.interval)))
        cells += [
            (name, f"{getattr(self, 'n_' + name)}") for name in ("items", "judges", "ratings")
        ]
        cells += [("note", note) for note in self.notes]
        rows = "".join(
            f"<tr><th scope='row'>{html.escape(name)}</th><td>{html.escape(cell)}</td></tr>"
            for name, cell in cells
        )
        caption = html.escape(f"{self.title or self.name} ({self.level})")
        return f"<table><caption>{caption}</caption>{rows}</table>"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; NaN becomes None."""
        found: dict[str, Any] = plain(self)
        return found | {"signature": self.signature}
