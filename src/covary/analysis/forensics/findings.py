"""A finding, and the findings of a study: how serious, what shows it, and what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, field
from types import MappingProxyType
from typing import Any, Literal

from covary.ratings.frames import Tabular
from covary.records import dataclass
from covary.stats.estimate import plain
from covary.words import CATALOGUE, PYTHON, Voice, counted, listing, word
from covary.words.grammar import fill, notebook_table

Seriousness = Literal["serious", "look", "note"]
Part = Literal["title", "evidence", "advice", "paper"]

HEADINGS: Mapping[Seriousness, str] = MappingProxyType(
    {"serious": "serious", "look": "worth a look", "note": "note"}
)
"""The degrees, the most serious first, as they are written for a reader."""

RANKS = tuple(HEADINGS)


@dataclass(frozen=True)
class Finding:
    """One thing that is or may be wrong with ratings.

    `code` is short and stable; `about` holds what the title names, `data` the rows, counts and
    numbers that show it, and `detail` what else its sentences need. `criterion` is None where the
    finding is not about one criterion alone. Where it stands for several, `parts` are the findings
    on single criteria (out of `n_criteria`), judges or categories, as `subject` says. `variant`
    tells apart what is worded differently.
    """

    code: str
    seriousness: Seriousness
    _: KW_ONLY
    criterion: Any = None
    variant: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    detail: Mapping[str, Any] = field(default_factory=dict)
    parts: tuple[Finding, ...] = ()
    n_criteria: int = 1
    subject: str = ""

    @property
    def title(self) -> str:
        """What is wrong, in a sentence."""
        return self.say("title")

    @property
    def evidence(self) -> str:
        """Which rows, counts and numbers show it."""
        return self.say("evidence")

    @property
    def advice(self) -> str:
        """What to do next."""
        return self.say("advice")

    @property
    def in_paper(self) -> str:
        """What is wrong, as a clause of a paper, which names no judge."""
        if self._code("paper") in CATALOGUE:
            return self.say("paper")
        return self.title[0].lower() + self.title[1:].rstrip(".")

    @property
    def criteria(self) -> tuple[Any, ...]:
        """The criteria that it holds on, where it is not about all ratings."""
        shown = {part.criterion: None for part in self.parts or (self,)}
        return tuple(criterion for criterion in shown if criterion is not None)

    def say(self, part: Part, voice: Voice = PYTHON) -> str:
        """Word the title, the evidence or the advice for a reader."""
        if part == "evidence" and self.parts:
            grouped = self.subject != "criterion"
            return self._listed_evidence(voice) if grouped else self._shared_evidence(voice)
        return word(self._code(part), {**self.data, **self.about, **self.detail}, voice)

    def _code(self, part: Part) -> str:
        variant = f"finding.{self.code}.{self.variant}.{part}"
        return variant if variant in CATALOGUE else f"finding.{self.code}.{part}"

    def _listed_evidence(self, voice: Voice) -> str:
        """Say what shows it for each judge or category."""
        evidence = [(part.about[self.subject], part.say("evidence", voice)) for part in self.parts]
        return word("finding.listed", {"subject": self.subject, "evidence": evidence}, voice)

    def _shared_evidence(self, voice: Voice) -> str:
        """Say once what is the same on several criteria; else what the gravest of them shows."""
        worst = min(self.parts, key=lambda part: RANKS.index(part.seriousness))
        criteria = [part.criterion for part in self.parts]
        everywhere = len(criteria) == self.n_criteria
        facts = {
            "where": "every criterion" if everywhere else listing(map(repr, criteria)),
            "criterion": worst.criterion,
            "evidence": worst.say("evidence", voice),
        }
        alike = len({part.say("evidence", voice) for part in self.parts}) == 1
        return word(f"finding.{'on-criteria' if alike else 'alike-on-criteria'}", facts, voice)

    def in_full(self, voice: Voice = PYTHON) -> str:
        """Word the whole finding for a reader, in lines of a terminal's width."""
        about = "" if self.criterion is None else f" on {self.criterion!r}"
        head = f"{HEADINGS[self.seriousness]}: {self.code}{about}"
        title, evidence = (fill(self.say(part, voice)) for part in ("title", "evidence"))
        return "\n".join([head, title, evidence, fill(self.say("advice", voice), "  → ")])

    def __str__(self) -> str:
        return self.in_full()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        names = ("code", "seriousness", "title", "evidence", "advice", "criterion", "data")
        return {name: plain(getattr(self, name)) for name in names}


@dataclass(frozen=True)
class Findings(Tabular):
    """What a check found, the most serious first; it prints itself.

    Examples
    --------
    >>> print(Findings(()))
    No problems found.
    """

    findings: tuple[Finding, ...]

    def __post_init__(self) -> None:
        ordered = sorted(self.findings, key=lambda finding: RANKS.index(finding.seriousness))
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
        return tuple(finding for finding in self.findings if finding.seriousness == seriousness)

    @property
    def summary(self) -> str:
        """How many findings there are, by their degree."""
        if not self.findings:
            return word("findings.none")
        times = Counter(finding.seriousness for finding in self.findings)
        degrees = [f"{times[degree]} {text}" for degree, text in HEADINGS.items() if times[degree]]
        if times["note"] > 1:
            degrees[-1] += "s"
        return f"{counted(len(self), 'finding')}: {', '.join(degrees)}."

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __str__(self) -> str:
        return "\n\n".join([self.summary, *map(str, self.findings)])

    def _repr_html_(self) -> str:
        rows = [
            (_heading(finding), finding.title, finding.evidence, finding.advice)
            for finding in self.findings
        ]
        return notebook_table(self.summary, rows, ("", "what", "shown by", "advice"))

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each finding, as plain values."""
        return [finding.to_dict() for finding in self.findings]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {"findings": self.rows()}


def _heading(finding: Finding) -> str:
    about = "" if finding.criterion is None else f" ({finding.criterion})"
    return f"{HEADINGS[finding.seriousness]}: {finding.code}{about}"
