"""A finding, and the findings of a study: how serious, what shows it, and what to do."""

from __future__ import annotations

import html
import math
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

__all__ = ["HEADINGS", "Finding", "Findings", "Seriousness", "counted", "named"]

Seriousness = Literal["serious", "look", "note"]

HEADINGS: Mapping[Seriousness, str] = MappingProxyType(
    {"serious": "serious", "look": "worth a look", "note": "note"}
)
"""The degrees, the most serious first, as they are written for a reader."""

WIDTH = 96


@dataclass(frozen=True)
class Finding:
    """One thing that is or may be wrong with ratings.

    `code` is short and stable, `title` says in a sentence what is wrong, `evidence` which rows,
    counts and numbers show it (`data` holds the same as plain values), and `advice` what to do
    next. `criterion` is None where the finding is not about one criterion alone.
    """

    code: str
    seriousness: Seriousness
    title: str
    evidence: str
    advice: str
    criterion: Any = None
    data: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        about = "" if self.criterion is None else f" on {self.criterion!r}"
        lines = [f"{HEADINGS[self.seriousness]}: {self.code}{about}"]
        for start, text in (("  ", self.title), ("  ", self.evidence), ("  → ", self.advice)):
            lines.append(textwrap.fill(text, WIDTH, initial_indent=start, subsequent_indent="    "))
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {name: _plain(getattr(self, name)) for name in self.__dataclass_fields__}


@dataclass(frozen=True)
class Findings:
    """What a check found, the most serious first; it prints itself.

    Examples
    --------
    >>> print(Findings(()))
    Nothing was found that speaks against these ratings.
    """

    findings: tuple[Finding, ...]

    def __post_init__(self) -> None:
        ranks = list(HEADINGS)
        ordered = sorted(self.findings, key=lambda found: ranks.index(found.seriousness))
        object.__setattr__(self, "findings", tuple(ordered))

    @property
    def serious(self) -> tuple[Finding, ...]:
        """What makes some or all coefficients wrong."""
        return self._of("serious")

    @property
    def worth_a_look(self) -> tuple[Finding, ...]:
        """What may be wrong, and only somebody who knows the study can tell."""
        return self._of("look")

    @property
    def notes(self) -> tuple[Finding, ...]:
        """What is not wrong but should be known to a reader of the coefficients."""
        return self._of("note")

    def _of(self, seriousness: Seriousness) -> tuple[Finding, ...]:
        return tuple(found for found in self.findings if found.seriousness == seriousness)

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __str__(self) -> str:
        return "\n\n".join([self._summary(), *map(str, self.findings)])

    def _summary(self) -> str:
        if not self.findings:
            return "Nothing was found that speaks against these ratings."
        times = Counter(found.seriousness for found in self.findings)
        parts = [f"{times[degree]} {text}" for degree, text in HEADINGS.items() if times[degree]]
        if times["note"] > 1:
            parts[-1] += "s"
        return f"{counted(len(self), 'finding')}: {', '.join(parts)}."

    def _repr_html_(self) -> str:
        rows = "".join(_row(found) for found in self.findings)
        head = "".join(
            f"<th scope='col'>{name}</th>" for name in ("", "what", "shown by", "advice")
        )
        return (
            f"<table><caption>{html.escape(self._summary())}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {"findings": [found.to_dict() for found in self.findings]}


def counted(number: int, noun: str) -> str:
    """Write a number with its noun: `1 item`, `1,073 items`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def named(names: Any, limit: int = 6) -> str:
    """Write names for a sentence: `'a', 'b' and 'c'`, or the first ones and how many more."""
    shown = [repr(name) for name in names]
    if len(shown) > limit:
        shown = [*shown[:limit], f"{len(shown) - limit:,} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _row(found: Finding) -> str:
    about = "" if found.criterion is None else f" ({found.criterion})"
    head = f"{HEADINGS[found.seriousness]}: {found.code}{about}"
    cells = "".join(
        f"<td>{html.escape(text)}</td>" for text in (found.title, found.evidence, found.advice)
    )
    return f"<tr><th scope='row'>{html.escape(head)}</th>{cells}</tr>"


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return _plain(value.item()) if hasattr(value, "item") else value
