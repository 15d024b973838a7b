"""The manual: its version, its editions, what changed between two, and the one in force."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from types import MappingProxyType
from typing import Any, Literal

from covary.errors import InvalidArgument, StudyError
from covary.formats.toml_tables import Faults, KeyLines, TomlTable
from covary.scales import scale_from_table
from covary.study.model import Condition, Criterion, Item, Manual, Study
from covary.words import Note

VERSION_LENGTH = 12
"""Letters of a version: with 48 bits, two manuals of one study will not meet by chance."""


def make_manual(criteria: Sequence[Criterion], guidelines: str) -> Manual:
    """Return the manual of some criteria and guidelines, with its versions."""
    scheme = digest_of(scheme_of(criteria))
    written = digest_of(guidelines)
    return Manual(guidelines, digest_of([scheme, written]), scheme, written)


def scheme_of(criteria: Sequence[Criterion]) -> list[dict[str, Any]]:
    """Return what the criteria say to a judge, as tables that can be written and compared."""
    return [
        {
            "name": criterion.name,
            "part": criterion.part,
            "question": criterion.question,
            "definition": criterion.definition,
            "scale": criterion.scale.to_table(),
            "faces": criterion.faces,
            "vertical": criterion.vertical,
            **_asking_of(criterion),
        }
        for criterion in criteria
    ]


def _asking_of(criterion: Criterion) -> dict[str, Any]:
    """What is said of how a criterion is asked, where it is not asked always and of everybody."""
    when = criterion.when
    said = {
        "optional": criterion.optional,
        "cannot_judge": criterion.cannot_judge,
        "passages": criterion.passages,
        "when": None if when is None else [when.criterion, list(when.answers)],
    }
    return {name: value for name, value in said.items() if value}


def digest_of(content: object) -> str:
    """Return the version of plain values: a short digest of what they say."""
    written = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()[:VERSION_LENGTH]


SIMILAR = 0.5
"""A paragraph that keeps this share of its letters was changed, and not replaced."""

MOST_COMPARED = 200
"""Paragraphs up to which changed ones are matched one with another."""

WHOLE_CHANGES = ("added", "removed", "order")
PROPERTY_NAMES = {
    "categories": "ranks",
    "labels": "words beside the ranks",
    "best": "best end",
    "kind": "kind of scale",
    "low": "lower end",
    "high": "upper end",
    "tie": "answer for a tie",
    "descriptors": "descriptors along the line",
}


@dataclass(frozen=True)
class Edition:
    """One edition of the manual: the scheme (criteria with their scales) and the guidelines.

    Examples
    --------
    >>> from covary.scales import VerbalScale
    >>> relevance = Criterion("relevance", "How relevant?", VerbalScale([1, 2, 3, 4], best="low"))
    >>> first = Edition((relevance,), "Read the sentence first.")
    >>> len(first.version)
    12
    """

    criteria: tuple[Criterion, ...]
    guidelines: str

    @property
    def manual(self) -> Manual:
        """The manual with its versions."""
        return make_manual(self.criteria, self.guidelines)

    @property
    def version(self) -> str:
        """The version that ratings point to."""
        return self.manual.version

    @property
    def keys(self) -> tuple[str, ...]:
        """What the answers on each criterion are stored under."""
        return tuple(criterion.key for criterion in self.criteria)

    def criterion(self, key: str) -> Criterion:
        """Return the criterion of this key."""
        for criterion in self.criteria:
            if criterion.key == key:
                return criterion
        raise InvalidArgument("study.edition-without-criterion", value=key, allowed=list(self.keys))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, from which `from_dict` makes the same edition."""
        return {"scheme": scheme_of(self.criteria), "guidelines": self.guidelines}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Edition:
        """Make the edition that `to_dict` wrote down."""
        return cls(tuple(map(_read_criterion, written["scheme"])), written["guidelines"])


@dataclass(frozen=True)
class SchemeChange:
    """A criterion that was added, removed, moved or changed: in what, from what, to what."""

    criterion: str
    what: str
    old: Any = None
    new: Any = None

    @property
    def sentence(self) -> str:
        """The change in a sentence."""
        code = f"study.criterion-{self.what}" if self.what in WHOLE_CHANGES else "study.changed"
        return Note(code, **vars(self))


@dataclass(frozen=True)
class GuidelineChange:
    """A paragraph of the guidelines that was added, removed or changed."""

    kind: Literal["added", "removed", "changed"]
    old: str = ""
    new: str = ""

    @property
    def sentence(self) -> str:
        """The change in a sentence."""
        code = "study.paragraph-changed" if self.kind == "changed" else "study.paragraph"
        return Note(code, **vars(self), text=self.new or self.old)

    def words(self) -> tuple[tuple[str, str], ...]:
        """The words that were kept (" "), removed ("-") and added ("+"), in their order."""
        old, new = self.old.split(), self.new.split()
        words: list[tuple[str, str]] = []
        for kind, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if kind == "equal":
                words += [(" ", word) for word in old[i:j]]
            else:
                words += [("-", word) for word in old[i:j]] + [("+", word) for word in new[k:m]]
        return tuple(words)


@dataclass(frozen=True)
class ManualDifferences:
    """What changed between two editions of a manual."""

    old_version: str
    new_version: str
    scheme: tuple[SchemeChange, ...]
    guidelines: tuple[GuidelineChange, ...]

    def __bool__(self) -> bool:
        return bool(self.scheme or self.guidelines)

    def sentences(self) -> tuple[str, ...]:
        """Every change in a sentence, those of the scheme first."""
        scheme = tuple(change.sentence for change in self.scheme)
        return (*scheme, *(change.sentence for change in self.guidelines))

    def __str__(self) -> str:
        head = f"From manual {self.old_version} to {self.new_version}:"
        lines = (f"  {sentence}" for sentence in self.sentences() or ["nothing changed"])
        return "\n".join([head, *lines])


def edition_of(study: Study) -> Edition:
    """Return the edition of the manual that a study holds."""
    return Edition(study.criteria, study.manual.guidelines)


def compare_manuals(old: Edition | Study, new: Edition | Study) -> ManualDifferences:
    """Say what changed from one edition of a manual to another.

    Parameters
    ----------
    old, new
        Two editions, or the studies that hold them.

    Returns
    -------
    ManualDifferences
        The changes of the scheme by name, the paragraphs of the guidelines that were added,
        removed or changed. It is false where nothing changed.

    Examples
    --------
    >>> print(compare_manuals(Edition((), "1 is best."), Edition((), "1 is the best rank.")))
    From manual ... to ...:
      A paragraph was changed from '1 is best.' to '1 is the best rank.'.
    """
    first, second = (
        edition_of(manual) if isinstance(manual, Study) else manual for manual in (old, new)
    )
    return ManualDifferences(
        first.version,
        second.version,
        tuple(_scheme_changes(first.criteria, second.criteria)),
        tuple(_guideline_changes(paragraphs(first.guidelines), paragraphs(second.guidelines))),
    )


def paragraphs(text: str) -> list[str]:
    """Cut guidelines into paragraphs; headings and the points of a list are paragraphs too."""
    parts: list[list[str]] = [[]]
    for line in text.splitlines():
        begins = line.lstrip().startswith(("#", "- ", "* ", "+ ", "|")) or not line.strip()
        after_heading = bool(parts[-1]) and parts[-1][0].lstrip().startswith(("#", "|"))
        if begins or after_heading:
            parts.append([])
        if line.strip():
            parts[-1].append(line.strip())
    return [" ".join(lines) for lines in parts if lines]


def _scheme_changes(old: Sequence[Criterion], new: Sequence[Criterion]) -> Iterator[SchemeChange]:
    before, after = (
        {criterion.key: criterion for criterion in criteria} for criteria in (old, new)
    )
    for key in before:
        if key not in after:
            yield SchemeChange(key, "removed")
    for key, criterion in after.items():
        if key not in before:
            yield SchemeChange(key, "added")
        else:
            yield from _criterion_changes(before[key], criterion)
    kept = [key for key in before if key in after], [key for key in after if key in before]
    if kept[0] != kept[1]:
        yield SchemeChange("", "order", ", ".join(kept[0]), ", ".join(kept[1]))


def _criterion_changes(old: Criterion, new: Criterion) -> Iterator[SchemeChange]:
    for field in ("question", "definition", "faces", "vertical"):
        if getattr(old, field) != getattr(new, field):
            yield SchemeChange(new.key, field, getattr(old, field), getattr(new, field))
    before, after = old.scale.to_table(), new.scale.to_table()
    for field in dict.fromkeys([*before, *after]):
        if before.get(field) != after.get(field):
            name = PROPERTY_NAMES.get(field, field)
            yield SchemeChange(new.key, name, before.get(field), after.get(field))


def _guideline_changes(old: list[str], new: list[str]) -> Iterator[GuidelineChange]:
    for kind, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            yield from _match_replaced(old[i:j], new[k:m])


def _match_replaced(old: list[str], new: list[str]) -> Iterator[GuidelineChange]:
    """Match each new paragraph with the old one that it keeps most of."""
    left = list(old)
    for text in new:
        like = _most_like(text, left) if len(old) <= MOST_COMPARED >= len(new) else None
        if like is None:
            yield GuidelineChange("added", new=text)
        else:
            left.remove(like)
            yield GuidelineChange("changed", like, text)
    yield from (GuidelineChange("removed", old=text) for text in left)


def _most_like(text: str, others: Sequence[str]) -> str | None:
    alike = [SequenceMatcher(None, other, text, autojunk=False).ratio() for other in others]
    best = max(alike, default=0.0)
    return others[alike.index(best)] if best >= SIMILAR else None


def _read_criterion(written: Mapping[str, Any]) -> Criterion:
    faults = Faults(f"the scheme, criterion {written['name']!r}")
    scale = scale_from_table(TomlTable(written["scale"], "the scheme", faults, KeyLines({})))
    if scale is None:
        raise StudyError(faults.found, faults.where)
    words = {name: written[name] for name in ("name", "question", "part", "definition")}
    when = written.get("when")
    return Criterion(
        scale=scale,
        faces=written["faces"],
        vertical=written["vertical"],
        optional=written.get("optional", False),
        cannot_judge=written.get("cannot_judge", False),
        passages=written.get("passages", False),
        when=None if when is None else Condition(when[0], tuple(when[1])),
        **words,
    )


def apply_edition(study: Study, edition: Edition) -> Study:
    """Return the study with the criteria and the manual of an edition.

    Judges then see this edition, and whatever they answer points to its version. Known answers
    that are not on the scales of the edition are left out.

    Examples
    --------
    >>> from pathlib import Path
    >>> from covary.scales import VerbalScale
    >>> from covary.study.manual import make_manual
    >>> from covary.study.model import Criterion
    >>> criteria = (Criterion("fluency", "How fluent?", VerbalScale([1, 2, 3])),)
    >>> study = Study(Path(), "Small", criteria, (), make_manual(criteria, "Read."))
    >>> newer = apply_edition(study, Edition(criteria, "Read twice."))
    >>> newer.manual.guidelines, newer.manual.version == study.manual.version
    ('Read twice.', False)
    """
    if edition.version == study.manual.version:
        return study
    return replace(
        study,
        criteria=edition.criteria,
        manual=edition.manual,
        parts=tuple(dict.fromkeys(criterion.part for criterion in edition.criteria)),
        items=tuple(_keep_valid_answers(item, edition) for item in study.items),
    )


def _keep_valid_answers(item: Item, edition: Edition) -> Item:
    scales = {criterion.key: criterion.scale for criterion in edition.criteria}
    kept = {
        key: answer
        for key, answer in item.expected.items()
        if key in scales and scales[key].accepts(answer)
    }
    if len(kept) == len(item.expected):
        return item
    return replace(item, expected=MappingProxyType(kept))
