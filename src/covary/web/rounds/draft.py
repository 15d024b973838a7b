"""A manual that somebody is writing: what the form holds, and the edition that it would make."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from covary.errors import InvalidArgument
from covary.scales import VerbalScale
from covary.study.model import Criterion
from covary.study.versions import Edition
from covary.training import Change, Cycle
from covary.web.rounds.talk import unwritten
from covary.web.rounds.view import Form, text_of

__all__ = ["MOST_CHANGES", "ChangeDraft", "CriterionDraft", "Draft"]

LONGEST_MANUAL = 200_000
LONGEST_LINE = 2_000
MOST_CHANGES = 20


@dataclass(frozen=True)
class CriterionDraft:
    """The words of one criterion, as somebody is editing them."""

    key: str
    question: str
    definition: str
    ranks: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    deleted: bool = False

    @classmethod
    def of(cls, criterion: Criterion) -> CriterionDraft:
        """Begin from a criterion as it is."""
        ranks: tuple[str, ...] = ()
        labels: tuple[str, ...] = ()
        if isinstance(criterion.scale, VerbalScale):
            ranks = tuple(map(str, criterion.scale.categories or ()))
            labels = criterion.scale.labels or ("",) * len(ranks)
        return cls(criterion.key, criterion.question, criterion.definition, ranks, labels)

    def read(self, form: Form, number: int) -> CriterionDraft:
        """Take what a form says of this criterion; what it does not say stays."""
        if f"question-{number}" not in form:
            return self
        return replace(
            self,
            question=text_of(form, f"question-{number}", LONGEST_LINE).strip(),
            definition=text_of(form, f"definition-{number}", LONGEST_LINE).strip(),
            labels=tuple(
                text_of(form, f"label-{number}-{place}", LONGEST_LINE).strip()
                for place in range(len(self.ranks))
            ),
            deleted=f"delete-{number}" in form,
        )

    def made(self, criterion: Criterion) -> Criterion:
        """Return the criterion with these words."""
        if not self.question:
            raise InvalidArgument(f"the question of {self.key} is empty; write what is asked")
        scale = criterion.scale
        if isinstance(scale, VerbalScale):
            scale = self._worded(scale)
        return replace(criterion, question=self.question, definition=self.definition, scale=scale)

    def _worded(self, scale: VerbalScale) -> VerbalScale:
        labels = self.labels if any(self.labels) else ()
        if labels and not all(labels):
            raise InvalidArgument(
                f"some ranks of {self.key} have words and some have none; give all of them words"
            )
        if labels == scale.labels:
            return scale
        assert scale.categories is not None
        return VerbalScale(
            scale.categories, labels=labels, best=scale.best, level=scale.level,
            polarity=scale.polarity,
        )  # fmt: skip


@dataclass(frozen=True)
class ChangeDraft:
    """One change as somebody describes it: of what kind, in short, its sentence, its causes."""

    kind: str = ""
    summary: str = ""
    sentence: str = ""
    proposals: tuple[int, ...] = ()

    @property
    def blank(self) -> bool:
        """Whether nothing was filled in; what was ticked already does not count."""
        return not (self.kind or self.summary.strip())

    @classmethod
    def read(cls, form: Form, number: int, accepted: Iterable[int]) -> ChangeDraft:
        """Take what a form says."""
        return cls(
            form.get(f"kind-{number}", ""),
            text_of(form, f"summary-{number}", LONGEST_LINE).strip(),
            " ".join(text_of(form, f"sentence-{number}", LONGEST_LINE).split()),
            tuple(each for each in accepted if f"proposal-{number}-{each}" in form),
        )

    def made(self) -> Change:
        """Return the change."""
        return Change(self.kind, self.summary, self.sentence, self.proposals)


@dataclass(frozen=True)
class Draft:
    """All that the editor's form holds, begun from the version `based_on`."""

    based_on: str
    guidelines: str
    criteria: tuple[CriterionDraft, ...]
    changes: tuple[ChangeDraft, ...]

    @classmethod
    def of(cls, cycle: Cycle) -> Draft:
        """Begin from the manual as it is, with a change for each proposal that is to be written."""
        edition = cycle.edition
        changes = [ChangeDraft(sentence=_line(each.text), proposals=(each.number,))
                   for each in unwritten(cycle)]  # fmt: skip
        return cls(
            edition.version,
            edition.guidelines,
            tuple(map(CriterionDraft.of, edition.criteria)),
            tuple(changes) or (ChangeDraft(),),
        )

    @classmethod
    def read(cls, form: Form, cycle: Cycle) -> Draft:
        """Take what a form holds."""
        begun = cls(form.get("based_on", ""), "", (), ())
        edition = begun.base(cycle)
        accepted = [each.number for each in cycle.proposals if cycle.accepted(each)]
        return replace(
            begun,
            guidelines=text_of(form, "guidelines", LONGEST_MANUAL),
            criteria=tuple(
                CriterionDraft.of(each).read(form, number)
                for number, each in enumerate(edition.criteria)
            ),
            changes=tuple(
                ChangeDraft.read(form, number, accepted) for number in range(_rows(form))
            ),
        )

    def base(self, cycle: Cycle) -> Edition:
        """Return the edition that this was begun from, the current one where it is unknown."""
        known = (each for each in reversed(cycle.editions) if each.version == self.based_on)
        return next(known, cycle.edition)

    def edition(self, cycle: Cycle) -> Edition:
        """Return the edition that this makes."""
        kept = zip(self.base(cycle).criteria, self.criteria, strict=True)
        criteria = tuple(words.made(each) for each, words in kept if not words.deleted)
        return Edition(criteria, self.guidelines)

    def described(self) -> tuple[Change, ...]:
        """Return the changes that were described; rows that nobody filled in are left out."""
        return tuple(each.made() for each in self.changes if not each.blank)

    def with_room(self) -> Draft:
        """Return the draft with room for another change."""
        return replace(self, changes=(*self.changes, ChangeDraft())[:MOST_CHANGES])

    def with_sentence(self, number: int) -> Draft:
        """Return the draft with the sentence of a change put at the end of the guidelines."""
        if not 0 <= number < len(self.changes) or not self.changes[number].sentence:
            return self
        above = self.guidelines.rstrip()
        return replace(self, guidelines=f"{above}\n\n{self.changes[number].sentence}\n".lstrip())

    def rebased(self, cycle: Cycle) -> Draft:
        """Return the draft as one of the current manual, every word of its author kept.

        What its author left as it was becomes what the others have made of it.
        """
        old, new = self.base(cycle), cycle.edition
        own = {each.key: each for each in self.criteria}
        left = {each.key: CriterionDraft.of(each) for each in old.criteria}
        criteria = []
        for each in map(CriterionDraft.of, new.criteria):
            mine = own.get(each.key)
            criteria.append(each if mine is None or mine == left.get(each.key) else mine)
        untouched = self.guidelines == old.guidelines
        return replace(
            self,
            based_on=new.version,
            guidelines=new.guidelines if untouched else self.guidelines,
            criteria=tuple(criteria),
        )


def _rows(form: Form) -> int:
    given = form.get("rows", "")
    return min(int(given), MOST_CHANGES) if given.isascii() and given.isdigit() else 1


def _line(text: str) -> str:
    return " ".join(text.split())[:LONGEST_LINE]
