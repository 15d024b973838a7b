"""What judges talk about: marked items with who gave what, what was said, and what they propose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from covary.design.plan import Task
from covary.study.model import Criterion
from covary.study.versions import Edition
from covary.training import Cycle, Mark, Proposal, Round
from covary.web.judge.drawing import draw
from covary.web.judge.showing import Shown, shown
from covary.web.refusals import Refusal
from covary.web.rounds.items import words_of
from covary.web.rounds.view import View

__all__ = [
    "Difference",
    "ProposalView",
    "difference",
    "differences",
    "proposals",
    "shown_item",
    "unwritten",
]


@dataclass(frozen=True)
class Spoken:
    """What somebody said: what the reader calls them, and the words."""

    who: str
    text: str
    own: bool


@dataclass(frozen=True)
class Difference:
    """A marked item as it is read: who gave which rating, what was said, who has yet to speak.

    `number` is its place among the marks of its round, counted from 1, and `item` the number of
    the item in the round.
    """

    round: int
    number: int
    item: int
    id: str
    criterion: Criterion
    given: tuple[tuple[str, str], ...]
    said: tuple[Spoken, ...]
    silent: tuple[str, ...]
    to_explain: bool
    set_aside: str

    @property
    def title(self) -> str:
        return f"Item {self.item}: {self.criterion.key}"

    @property
    def place(self) -> str:
        """Where its page is, below the pages of the reader."""
        return f"/mark/{self.round}/{self.number}"

    @property
    def spread(self) -> str:
        """The ratings in a line."""
        return "; ".join(f"{words}: {who}" for words, who in self.given)


@dataclass(frozen=True)
class ProposalView:
    """A proposal as it is read: whose it is, what led to it, who agrees."""

    number: int
    round: int
    who: str
    text: str
    causes: tuple[Difference, ...]
    agreeing: str
    against: str
    waiting: str
    remarks: tuple[Spoken, ...]
    set_aside: str
    accepted: bool
    own_word: bool | None
    written: int | None

    @property
    def standing(self) -> str:
        """How far it is, in a word or two."""
        if self.set_aside:
            return "set aside"
        if self.written:
            return f"in version {self.written}"
        if self.accepted:
            return "consensus"
        return "no consensus" if self.against else "not decided yet"


def differences(view: View, number: int) -> list[Difference]:
    """Return the marks of a round, item by item; none before the ratings were compared."""
    found = view.round(number)
    edition = edition_in(view.cycle, found)
    keys = list(edition.keys)
    marks = sorted(
        found.marks, key=lambda each: (found.items.index(each.item), keys.index(each.criterion))
    )
    return [_difference(view, found, edition, place, mark) for place, mark in enumerate(marks, 1)]


def difference(view: View, round_number: int, number: int) -> Difference:
    """Return one mark, or refuse where there is none."""
    found = differences(view, round_number)
    if not 1 <= number <= len(found):
        raise Refusal(404)
    return found[number - 1]


def _difference(view: View, found: Round, edition: Edition, number: int, mark: Mark) -> Difference:
    criterion = edition.criterion(mark.criterion)
    return Difference(
        round=found.number,
        number=number,
        item=view.naming.number(mark.item),
        id=mark.item,
        criterion=criterion,
        given=tuple(_given(view, criterion, mark)),
        said=tuple(
            Spoken(view.naming.judge(each.judge), each.text, each.judge == view.whose)
            for each in found.entries(*mark.key)
        ),
        silent=tuple(view.naming.judge(judge) for judge in found.silent(mark)),
        to_explain=view.whose in found.silent(mark) and not mark.set_aside,
        set_aside=mark.set_aside,
    )


def _given(view: View, criterion: Criterion, mark: Mark) -> Iterator[tuple[str, str]]:
    """The ratings in the order of the scale, each with those who gave it."""
    drawn, scale = draw(criterion, Task(1, mark.item)), criterion.scale
    ratings = dict.fromkeys(rating for _, rating in mark.given)
    if scale.categories is None:
        ordered = sorted(ratings, key=float)
    else:
        ordered = sorted(ratings, key=scale.categories.index)
    for rating in ordered:
        who = [judge for judge, given in mark.given if given == rating]
        yield words_of(drawn, rating), view.naming.judges(who)


def shown_item(view: View, mark: Difference) -> Shown | None:
    """Return what an item looked like; None where the study no longer has it."""
    try:
        return shown(view.study, Task(1, mark.id, part=mark.criterion.part))
    except KeyError:
        return None


def edition_in(cycle: Cycle, found: Round) -> Edition:
    """Return the edition by which a round was rated."""
    return next(each for each in cycle.editions if each.version == found.version)


def proposals(view: View, number: int) -> list[ProposalView]:
    """Return the proposals of a round."""
    found = view.round(number)
    marks = {(each.id, each.criterion.key): each for each in differences(view, number)}
    return [
        _proposed(view, each, tuple(marks[key] for key in each.marks if key in marks))
        for each in found.proposals
    ]


def _proposed(view: View, each: Proposal, causes: tuple[Difference, ...]) -> ProposalView:
    naming = view.naming
    return ProposalView(
        number=each.number,
        round=each.round,
        who=naming.judge(each.judge),
        text=each.text,
        causes=causes,
        agreeing=naming.judges(judge for judge, agrees in each.words.items() if agrees),
        against=naming.judges(each.opposed),
        waiting=naming.judges(view.cycle.undecided(each)),
        remarks=tuple(
            Spoken(naming.judge(judge), text, judge == view.whose) for judge, text in each.remarks
        ),
        set_aside=each.set_aside,
        accepted=view.cycle.accepted(each),
        own_word=each.words.get(view.whose),
        written=written_in(view.cycle, each.number),
    )


def written_in(cycle: Cycle, proposal: int) -> int | None:
    """Return the number of the edition that a proposal led to, counted from 1."""
    number = 1
    for each in cycle.rounds:
        for edit in each.edits:
            number += 1
            if any(proposal in change.proposals for change in edit.changes):
                return number
    return None


def unwritten(cycle: Cycle) -> list[Proposal]:
    """Return the accepted proposals of this round that are not in the manual yet."""
    return [
        each
        for each in (cycle.round.proposals if cycle.rounds else ())
        if cycle.accepted(each) and not each.set_aside and written_in(cycle, each.number) is None
    ]
