"""The versions of the manual: read, compared word by word, and edited, also by two at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

from starlette.responses import JSONResponse, Response

from covary.errors import InvalidArgument
from covary.scales import Scale
from covary.study.manual import (
    Edition,
    GuidelineChange,
    ManualDifferences,
    compare_manuals,
    paragraphs,
)
from covary.study.model import Criterion
from covary.training import KINDS_OF_CHANGE, Change, Changed, Cycle, StaleEdit
from covary.web.discussion.differences import proposal_views, unwritten
from covary.web.discussion.view import View
from covary.web.forms import Form, Refusal, Text, Whole, notice, wants_json, whole_number
from covary.web.pages import from_researcher
from covary.words import sentence

GUIDELINES = Text("guidelines", 200_000, strip=False)
LONGEST_LINE = 2_000
MOST_CHANGES = 20
ROWS = Whole("rows", most=MOST_CHANGES, default=1, clamps=True)


@dataclass(frozen=True)
class CriterionDraft:
    """The words of one criterion, as somebody is editing them.

    Where words stand `partly` beside the ranks, such as at the ends, they need not stand at all of
    them; elsewhere a rank without words was forgotten.
    """

    key: str
    question: str
    definition: str
    ranks: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    partly: bool = False
    deleted: bool = False

    @classmethod
    def of(cls, criterion: Criterion) -> CriterionDraft:
        """Begin from a criterion as it is."""
        words = criterion.scale.answer_words()
        ranks = tuple(map(str, criterion.scale.labelled))
        labels = tuple(words.get(category, "") for category in criterion.scale.labelled)
        return cls(
            key=criterion.key,
            question=criterion.question,
            definition=criterion.definition,
            ranks=ranks,
            labels=labels,
            partly=any(labels) and not all(labels),
        )

    def read(self, form: Form, number: int) -> CriterionDraft:
        """Take what a form says of this criterion; what it does not say stays."""
        if f"question-{number}" not in form:
            return self
        return replace(
            self,
            question=_line_of(form, f"question-{number}"),
            definition=_line_of(form, f"definition-{number}"),
            labels=tuple(
                _line_of(form, f"label-{number}-{place}") for place in range(len(self.ranks))
            ),
            deleted=f"delete-{number}" in form,
        )

    def made(self, criterion: Criterion) -> Criterion:
        """Return the criterion with these words."""
        if not self.question:
            raise InvalidArgument("web.empty-question", criterion=self.key)
        scale = criterion.scale
        if scale.labelled:
            scale = self._worded(scale)
        return replace(criterion, question=self.question, definition=self.definition, scale=scale)

    def _worded(self, scale: Scale) -> Scale:
        labels = self.labels if any(self.labels) else ()
        if labels and not (all(labels) or self.partly):
            raise InvalidArgument("web.some-ranks-worded", criterion=self.key)
        return scale.with_labels(labels)


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
            _line_of(form, f"summary-{number}"),
            " ".join(_line_of(form, f"sentence-{number}").split()),
            tuple(
                number_accepted
                for number_accepted in accepted
                if f"proposal-{number}-{number_accepted}" in form
            ),
        )

    def made(self) -> Change:
        """Return the change."""
        return Change(self.kind, self.summary, self.sentence, self.proposals)


@dataclass(frozen=True)
class ManualDraft:
    """All that the editor's form holds, begun from the version `based_on`."""

    based_on: str
    guidelines: str
    criteria: tuple[CriterionDraft, ...]
    changes: tuple[ChangeDraft, ...]

    @classmethod
    def of(cls, cycle: Cycle) -> ManualDraft:
        """Begin from the manual as it is, with a change for each proposal that is to be written."""
        edition = cycle.edition
        changes = [
            ChangeDraft(sentence=_line(proposal.text), proposals=(proposal.number,))
            for proposal in unwritten(cycle)
        ]
        return cls(
            edition.version,
            edition.guidelines,
            tuple(map(CriterionDraft.of, edition.criteria)),
            tuple(changes) or (ChangeDraft(),),
        )

    @classmethod
    def read(cls, form: Form, cycle: Cycle) -> ManualDraft:
        """Take what a form holds."""
        begun = cls(form.get("based_on", ""), "", (), ())
        edition = begun.base(cycle)
        accepted = [proposal.number for proposal in cycle.proposals if cycle.accepted(proposal)]
        return replace(
            begun,
            guidelines=GUIDELINES.read(form),
            criteria=tuple(
                CriterionDraft.of(criterion).read(form, number)
                for number, criterion in enumerate(edition.criteria)
            ),
            changes=tuple(
                ChangeDraft.read(form, number, accepted) for number in range(ROWS.read(form))
            ),
        )

    def base(self, cycle: Cycle) -> Edition:
        """Return the edition that this was begun from, the current one where it is unknown."""
        known = (
            edition for edition in reversed(cycle.editions) if edition.version == self.based_on
        )
        return next(known, cycle.edition)

    def edition(self, cycle: Cycle) -> Edition:
        """Return the edition that this makes."""
        kept = zip(self.base(cycle).criteria, self.criteria, strict=True)
        criteria = tuple(words.made(criterion) for criterion, words in kept if not words.deleted)
        return Edition(criteria, self.guidelines)

    def described(self) -> tuple[Change, ...]:
        """Return the changes that were described; rows that nobody filled in are left out."""
        return tuple(change.made() for change in self.changes if not change.blank)

    def with_room(self) -> ManualDraft:
        """Return the draft with room for another change."""
        return replace(self, changes=(*self.changes, ChangeDraft())[:MOST_CHANGES])

    def with_sentence(self, number: int) -> ManualDraft:
        """Return the draft with the sentence of a change put at the end of the guidelines."""
        if not 0 <= number < len(self.changes) or not self.changes[number].sentence:
            return self
        above = self.guidelines.rstrip()
        return replace(self, guidelines=f"{above}\n\n{self.changes[number].sentence}\n".lstrip())

    def rebased(self, cycle: Cycle) -> ManualDraft:
        """Return the draft as one of the current manual, every word of its author kept.

        What its author left as it was becomes what the others have made of it.
        """
        old, new = self.base(cycle), cycle.edition
        own = {draft.key: draft for draft in self.criteria}
        left = {criterion.key: CriterionDraft.of(criterion) for criterion in old.criteria}
        criteria = []
        for draft in map(CriterionDraft.of, new.criteria):
            mine = own.get(draft.key)
            criteria.append(draft if mine is None or mine == left.get(draft.key) else mine)
        untouched = self.guidelines == old.guidelines
        return replace(
            self,
            based_on=new.version,
            guidelines=new.guidelines if untouched else self.guidelines,
            criteria=tuple(criteria),
        )


def _line(text: str) -> str:
    return " ".join(text.split())[:LONGEST_LINE]


def _line_of(form: Form, name: str) -> str:
    return Text(name, LONGEST_LINE).read(form)


AROUND = 1
"""So many paragraphs that stayed are shown before and after one that changed."""


@dataclass(frozen=True)
class ManualVersion:
    """One edition of the manual: its number, in which round it was written, by whom and why."""

    number: int
    edition: Edition
    round: int
    by: str
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class ComparisonPiece:
    """A paragraph of a comparison, or several that stayed and are folded away.

    `words` are the words that were kept (" "), removed ("-") and added ("+"), run by run.
    """

    kind: str
    words: tuple[tuple[str, str], ...] = ()
    folded: tuple[str, ...] = ()


@dataclass(frozen=True)
class WordChange:
    """Something of a criterion that changed, word by word."""

    criterion: str
    what: str
    words: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ManualComparison:
    """Two editions compared: what of the criteria changed, and the whole of the guidelines."""

    scheme: tuple[WordChange, ...]
    pieces: tuple[ComparisonPiece, ...]
    differences: ManualDifferences

    @property
    def counted(self) -> str:
        """How much changed, in a sentence."""
        kinds = [change.kind for change in self.differences.guidelines]
        counts = [
            f"{kinds.count(kind)} {kind}"
            for kind in ("changed", "added", "removed")
            if kind in kinds
        ]
        guidelines = f"paragraphs of the guidelines: {', '.join(counts)}" if counts else ""
        scheme = f"of the criteria: {len(self.scheme)} changed" if self.scheme else ""
        words = "; ".join(filter(None, [guidelines, scheme]))
        return sentence(words or "nothing changed")


def versions(view: View) -> list[ManualVersion]:
    """Return all editions of the manual in their order, the one that it began with first."""
    cycle = view.cycle
    editions = [ManualVersion(number=1, edition=cycle.editions[0], round=0, by="", changes=())]
    for training_round in cycle.rounds:
        for edit in training_round.edits:
            who = view.naming.judge(edit.by)
            number = len(editions) + 1
            editions.append(
                ManualVersion(
                    number=number,
                    edition=edit.edition,
                    round=training_round.number,
                    by=who,
                    changes=edit.changes,
                )
            )
    return editions


def show_manual(view: View) -> Response:
    """Show a version of the manual, the newest by default, and the list of all."""
    every = versions(view)
    wanted = view.asked("version", len(every))
    chosen = _chosen(every, wanted)
    return view.page(
        "manual",
        versions=every,
        chosen=chosen,
        text=from_researcher(chosen.edition.guidelines),
        editing=view.may_edit and view.cycle.phase == "combination",
        to_write=unwritten(view.cycle),
    )


def show_comparison(view: View) -> Response:
    """Show what changed from one version to another."""
    every = versions(view)
    newest = len(every)
    new = _chosen(every, view.asked("new", newest))
    old = _chosen(every, view.asked("old", max(1, new.number - 1)))
    between = [version for version in every if old.number < version.number <= new.number]
    return view.page(
        "compare",
        versions=every,
        old=old,
        new=new,
        between=between,
        compared=compare_editions(old.edition, new.edition),
    )


def _chosen(every: list[ManualVersion], number: int) -> ManualVersion:
    if not 1 <= number <= len(every):
        raise Refusal(404)
    return every[number - 1]


def compare_editions(old: Edition, new: Edition) -> ManualComparison:
    """Compare two editions."""
    differences = compare_manuals(old, new)
    scheme = tuple(
        WordChange(change.criterion, change.what, _word_runs(change.old, change.new))
        for change in differences.scheme
    )
    return ManualComparison(scheme, tuple(_folded(_pieces(old, new, differences))), differences)


def _word_runs(old: object, new: object) -> tuple[tuple[str, str], ...]:
    return _runs(GuidelineChange("changed", _as_text(old), _as_text(new)))


def _as_text(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def _pieces(
    old: Edition, new: Edition, differences: ManualDifferences
) -> Iterator[ComparisonPiece]:
    """Go through both texts, and take what changed, block by block, from the differences."""
    before, after = paragraphs(old.guidelines), paragraphs(new.guidelines)
    changes = iter(differences.guidelines)
    for kind, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            yield from (ComparisonPiece("same", ((" ", text),)) for text in before[i:j])
            continue
        here = [next(changes) for _ in range(k, m)]
        kept = sum(change.kind == "changed" for change in here)
        here += [next(changes) for _ in range(j - i - kept)]
        yield from (ComparisonPiece(change.kind, _runs(change)) for change in here)


def _runs(change: GuidelineChange) -> tuple[tuple[str, str], ...]:
    """The words of a change, those of one kind in a row taken together."""
    runs: list[tuple[str, str]] = []
    for kind, word in change.words():
        if runs and runs[-1][0] == kind:
            runs[-1] = (kind, f"{runs[-1][1]} {word}")
        else:
            runs.append((kind, word))
    return tuple(runs)


def _folded(pieces: Iterator[ComparisonPiece]) -> Iterator[ComparisonPiece]:
    """Fold away what stayed, except for a paragraph on either side of what did not."""
    every = list(pieces)
    changed = [place for place, piece in enumerate(every) if piece.kind != "same"]
    near = {place + step for place in changed for step in range(-AROUND, AROUND + 1)}
    hidden: list[str] = []
    for place, piece in enumerate(every):
        if piece.kind == "same" and place not in near:
            hidden.append(piece.words[0][1])
            continue
        if hidden:
            yield ComparisonPiece("folded", folded=tuple(hidden))
            hidden = []
        yield piece
    if hidden:
        yield ComparisonPiece("folded", folded=tuple(hidden))


MOST_FIELDS = 2_000

CHANGE_KINDS = {
    "administrative": "how the rating is organised",
    "wording": "how a sentence reads",
    "conceptual": "a question that a judge should ask",
    "rule": "what decides a rating",
}
assert tuple(CHANGE_KINDS) == KINDS_OF_CHANGE


@dataclass(frozen=True)
class ConcurrentEdit:
    """What others have written since an edit was begun."""

    current: Edition
    changes: ManualComparison


def show_editor(view: View) -> Response:
    """Show the manual to be edited."""
    _check_may_edit(view)
    return _editor(view, ManualDraft.of(view.cycle))


def take_edit(view: View, form: Form) -> Response:
    """Preview an edit, or make it a new version."""
    _check_may_edit(view)
    wanted = form.get("do", "save")
    draft = ManualDraft.read(form, view.cycle)
    if wanted == "more":
        return _editor(view, draft.with_room())
    if wanted.startswith("add-"):
        change = whole_number(wanted.removeprefix("add-"))
        return _editor(view, draft if change is None else draft.with_sentence(change))
    try:
        edition = draft.edition(view.cycle)
        if wanted == "preview":
            return _editor(view, draft, preview=edition)
        event = Changed(view.whose, draft.based_on, edition, draft.described())
        view.apply(event, form)
    except StaleEdit as error:
        return _stale(view, draft, error)
    except InvalidArgument as error:
        if wants_json(view.request):
            return view.refused(error)
        return _editor(view, draft, 422, trouble=view.reason(error))
    view.site.manual.now()
    return view.on("/manual", form)


def _check_may_edit(view: View) -> None:
    if not view.may_edit:
        raise Refusal(403, "web.not-an-editor")
    if view.cycle.phase != "combination":
        raise InvalidArgument("web.not-time-to-write")


def _stale(view: View, draft: ManualDraft, error: StaleEdit) -> Response:
    """Show both texts, and what changed meanwhile; the author's own stays in the form."""
    if wants_json(view.request):
        words = notice("web.not-done", reason=view.reason(error)).as_json()
        return JSONResponse({**words, "current": error.current.guidelines}, 409)
    old = draft.base(view.cycle)
    meanwhile = ConcurrentEdit(error.current, compare_editions(old, error.current))
    cycle = view.site.training.cycle()
    return _editor(view.with_cycle(cycle), draft.rebased(cycle), 409, meanwhile=meanwhile)


def _editor(
    view: View,
    draft: ManualDraft,
    status: int = 200,
    *,
    trouble: str = "",
    preview: Edition | None = None,
    meanwhile: ConcurrentEdit | None = None,
) -> Response:
    more: dict[str, Any] = {"preview": None, "changed": None}
    if preview is not None:
        more["preview"] = from_researcher(preview.guidelines)
        more["changed"] = compare_editions(draft.base(view.cycle), preview)
    every = [
        proposal
        for training_round in view.cycle.rounds
        for proposal in proposal_views(view, training_round.number)
    ]
    accepted = [proposal for proposal in every if proposal.accepted and not proposal.set_aside]
    return view.page(
        "edit",
        status,
        draft=draft,
        number=len(view.cycle.editions),
        kinds=CHANGE_KINDS,
        accepted=accepted,
        to_write=[proposal for proposal in accepted if proposal.written is None],
        room=len(draft.changes) < MOST_CHANGES,
        trouble=trouble,
        meanwhile=meanwhile,
        **more,
    )
