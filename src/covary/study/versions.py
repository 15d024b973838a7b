"""Editions of a manual, and what changed from one to the next, in sentences a person can read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

from covary.errors import InvalidArgument, StudyError
from covary.study.faults import Faults
from covary.study.manual import make_manual, scheme_of
from covary.study.model import Criterion, Manual, Study
from covary.study.places import Places
from covary.study.scale_tables import as_table, read_scale
from covary.study.tables import Table

__all__ = [
    "Edition",
    "GuidelineChange",
    "ManualDifferences",
    "SchemeChange",
    "compare_manuals",
    "edition_of",
    "paragraphs",
]

ALIKE = 0.5
"""A paragraph that keeps this share of its letters was changed, and not replaced."""

MOST_COMPARED = 200
"""Paragraphs up to which changed ones are matched one with another."""

WORDS = {
    "categories": "ranks", "labels": "words beside the ranks", "best": "best end",
    "kind": "kind of scale", "low": "lower end", "high": "upper end", "tie": "answer for a tie",
    "descriptors": "descriptors along the line",
}  # fmt: skip


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
        return tuple(each.key for each in self.criteria)

    def criterion(self, key: str) -> Criterion:
        """Return the criterion of this key."""
        for each in self.criteria:
            if each.key == key:
                return each
        raise InvalidArgument(f"the manual has no criterion {key!r}; it has {list(self.keys)}")

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, from which `from_dict` makes the same edition."""
        return {"scheme": scheme_of(self.criteria), "guidelines": self.guidelines}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Edition:
        """Make the edition that `to_dict` wrote down."""
        return cls(tuple(_criterion(each) for each in written["scheme"]), written["guidelines"])


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
        if self.what in ("added", "removed"):
            return f"The criterion {self.criterion!r} was {self.what}."
        if self.what == "order":
            return f"The criteria stand in another order: {self.new}."
        return f"{self.criterion}: the {self.what} changed from {self.old!r} to {self.new!r}."


@dataclass(frozen=True)
class GuidelineChange:
    """A paragraph of the guidelines that was added, removed or changed."""

    kind: Literal["added", "removed", "changed"]
    old: str = ""
    new: str = ""

    @property
    def sentence(self) -> str:
        """The change in a sentence."""
        if self.kind == "changed":
            return f"A paragraph was changed from {self.old!r} to {self.new!r}."
        return f"A paragraph was {self.kind}: {(self.new or self.old)!r}."

    def words(self) -> tuple[tuple[str, str], ...]:
        """The words that were kept (" "), removed ("-") and added ("+"), in their order."""
        old, new = self.old.split(), self.new.split()
        found: list[tuple[str, str]] = []
        for kind, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if kind == "equal":
                found += [(" ", word) for word in old[i:j]]
            else:
                found += [("-", word) for word in old[i:j]] + [("+", word) for word in new[k:m]]
        return tuple(found)


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
        scheme = (each.sentence for each in self.scheme)
        return (*scheme, *(each.sentence for each in self.guidelines))

    def __str__(self) -> str:
        head = f"From manual {self.old_version} to {self.new_version}:"
        return "\n".join([head, *(f"  {each}" for each in self.sentences() or ["nothing changed"])])


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
    first, second = (edition_of(one) if isinstance(one, Study) else one for one in (old, new))
    return ManualDifferences(
        first.version,
        second.version,
        tuple(_scheme_changes(first.criteria, second.criteria)),
        tuple(_guideline_changes(paragraphs(first.guidelines), paragraphs(second.guidelines))),
    )


def paragraphs(text: str) -> list[str]:
    """Cut guidelines into paragraphs; headings and the points of a list are paragraphs too."""
    found: list[list[str]] = [[]]
    for line in text.splitlines():
        begins = line.lstrip().startswith(("#", "- ", "* ", "+ ", "|")) or not line.strip()
        after_heading = bool(found[-1]) and found[-1][0].lstrip().startswith(("#", "|"))
        if begins or after_heading:
            found.append([])
        if line.strip():
            found[-1].append(line.strip())
    return [" ".join(lines) for lines in found if lines]


def _scheme_changes(old: Sequence[Criterion], new: Sequence[Criterion]) -> Iterator[SchemeChange]:
    before, after = ({each.key: each for each in criteria} for criteria in (old, new))
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
    for what in ("question", "definition", "faces", "vertical"):
        if getattr(old, what) != getattr(new, what):
            yield SchemeChange(new.key, what, getattr(old, what), getattr(new, what))
    before, after = as_table(old.scale), as_table(new.scale)
    for what in dict.fromkeys([*before, *after]):
        if before.get(what) != after.get(what):
            yield SchemeChange(new.key, WORDS.get(what, what), before.get(what), after.get(what))


def _guideline_changes(old: list[str], new: list[str]) -> Iterator[GuidelineChange]:
    for kind, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            yield from _replaced(old[i:j], new[k:m])


def _replaced(old: list[str], new: list[str]) -> Iterator[GuidelineChange]:
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
    return others[alike.index(best)] if best >= ALIKE else None


def _criterion(written: Mapping[str, Any]) -> Criterion:
    faults = Faults(f"the scheme, criterion {written['name']!r}")
    scale = read_scale(Table({"scale": written["scale"]}, "the scheme", faults, Places({})))
    if scale is None:
        raise StudyError(faults.found, faults.where)
    return Criterion(
        written["name"], written["question"], scale, written["part"], written["definition"],
        written["faces"], written["vertical"],
    )  # fmt: skip
