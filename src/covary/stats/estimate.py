"""The result of a coefficient: a number with its interval, counts, notes and settings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field, fields, is_dataclass
from types import MappingProxyType
from typing import Any, SupportsFloat

from covary.ratings.frames import Tabular
from covary.records import dataclass
from covary.scales import Level
from covary.words.grammar import escaped


def plain(value: Any) -> Any:
    """Return plain values: NaN becomes None, arrays and tuples lists, dataclasses dicts,
    levels their names.

    Fields that do not show in a dataclass's `repr` are left out: they are not results.

    Examples
    --------
    >>> plain({"f": float("nan"), "df": (3, 28)})
    {'f': None, 'df': [3, 28]}
    """
    if is_dataclass(value) and not isinstance(value, type):
        shown = [field.name for field in fields(value) if field.repr]
        return {name: plain(getattr(value, name)) for name in shown}
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value) if isinstance(value, Level) else value


class Result(Tabular):
    """A frozen record that can be written as plain values, and as rows of a data frame."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; NaN becomes None."""
        values: dict[str, Any] = plain(self)
        return values


THESE_JUDGES = "these judges, other items"
OTHER_JUDGES = "other judges, other items"


@dataclass(frozen=True)
class Interval(Result):
    """Where the coefficient may lie, at which confidence, by which method, and for whom.

    `target` says which repetition of the study the interval is about: *these judges, other items*
    or *other judges, other items*. `resamples` and `undefined` count the resamples drawn
    and those in which the coefficient had no value. `decisive` says whether a conclusion may rest
    on the interval; it may not where the interval has no width or rests on too few ratings, and a
    note of the estimate says why.
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
    decisive: bool = True

    def __post_init__(self) -> None:
        for name in ("low", "high", "standard_error"):
            object.__setattr__(self, name, float(getattr(self, name)))
        if not self.low < self.high:
            object.__setattr__(self, "decisive", False)

    def __str__(self) -> str:
        return f"[{self.low:.4f}, {self.high:.4f}]"

    @property
    def signature(self) -> list[str]:
        """What it takes to compute the interval again."""
        parts = [f"interval:{self.method}", f"target:{self.target}", f"confidence:{self.level:g}"]
        parts += [f"resamples:{self.resamples}"] if self.resamples else []
        return parts + ([f"seed:{self.seed}"] if self.seed is not None else [])


@dataclass(frozen=True)
class Estimate(Result):
    """A coefficient's value with everything needed to report and to repeat it.

    It is never rounded, and it cannot be unpacked, so fields may be added without breaking code.
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
            parts += self.interval.signature
        return "|".join([*parts, f"covary:{self.settings.get('version', '')}"])

    def __float__(self) -> float:
        return self.value

    def __format__(self, spec: str) -> str:
        return format(self.value, spec) if spec else str(self)

    def __lt__(self, other: SupportsFloat) -> bool:
        return self.value < float(other)

    def __le__(self, other: SupportsFloat) -> bool:
        return self.value <= float(other)

    def __gt__(self, other: SupportsFloat) -> bool:
        return self.value > float(other)

    def __ge__(self, other: SupportsFloat) -> bool:
        return self.value >= float(other)

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
            f"<tr><th scope='row'>{escaped(name)}</th><td>{escaped(cell)}</td></tr>"
            for name, cell in cells
        )
        caption = escaped(f"{self.title or self.name} ({self.level})")
        return f"<table><caption>{caption}</caption>{rows}</table>"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; NaN becomes None."""
        return super().to_dict() | {"signature": self.signature}
