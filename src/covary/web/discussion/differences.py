"""What judges discuss: marked items, what was said of them, what is proposed and who agrees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from starlette.responses import JSONResponse, Response

from covary.design.plan import Task
from covary.errors import InvalidArgument
from covary.study.manual import Edition
from covary.study.model import Criterion
from covary.training import (
    Agreed,
    Cycle,
    Disagreement,
    Proposal,
    Proposed,
    Round,
    Said,
    StopVerdict,
)
from covary.web.discussion.view import NOT_TAKEN, PAGE_EVENTS, View, changes_since
from covary.web.forms import Choice, Form, Refusal, Text, Whole, whole_number
from covary.web.judge.item_page import ShownItem, draw_scale, rating_words, show_item

ROUND, MARK, PROPOSAL = Whole("round"), Whole("mark"), Whole("proposal")
ITEM = Whole("item")
MARK_PLACE = (Whole("round", status=404), Whole("number", status=404))
TEXT, REMARK = Text("text", 10_000), Text("remark", 10_000)
AGREES = Choice("agrees", ("yes", "no"))


@dataclass(frozen=True)
class EntryView:
    """What somebody said: what the reader calls them, and the words."""

    who: str
    text: str
    own: bool


@dataclass(frozen=True)
class DifferenceView:
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
    said: tuple[EntryView, ...]
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
    causes: tuple[DifferenceView, ...]
    agreeing: str
    against: str
    waiting: str
    remarks: tuple[EntryView, ...]
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


def difference_views(view: View, number: int) -> list[DifferenceView]:
    """Return the marks of a round, item by item; none before the ratings were compared."""
    training_round = view.round(number)
    edition = edition_in(view.cycle, training_round)
    keys = list(edition.keys)
    marks = sorted(
        training_round.marks,
        key=lambda mark: (training_round.items.index(mark.item), keys.index(mark.criterion)),
    )
    return [
        _view_difference(view, training_round, edition=edition, number=place, mark=mark)
        for place, mark in enumerate(marks, 1)
    ]


def difference_view(view: View, round_number: int, number: int) -> DifferenceView:
    """Return one mark, or refuse where there is none."""
    marks = difference_views(view, round_number)
    if not 1 <= number <= len(marks):
        raise Refusal(404)
    return marks[number - 1]


def _view_difference(
    view: View, training_round: Round, edition: Edition, number: int, mark: Disagreement
) -> DifferenceView:
    criterion = edition.criterion(mark.criterion)
    return DifferenceView(
        round=training_round.number,
        number=number,
        item=view.naming.number(mark.item),
        id=mark.item,
        criterion=criterion,
        given=tuple(_ratings_given(view, criterion, mark)),
        said=tuple(
            EntryView(view.naming.judge(entry.judge), entry.text, entry.judge == view.whose)
            for entry in training_round.entries(*mark.key)
        ),
        silent=tuple(view.naming.judge(judge) for judge in training_round.silent(mark)),
        to_explain=view.whose in training_round.silent(mark) and not mark.set_aside,
        set_aside=mark.set_aside,
    )


def _ratings_given(
    view: View, criterion: Criterion, mark: Disagreement
) -> Iterator[tuple[str, str]]:
    """The ratings in the order of the scale, each with those who gave it."""
    drawn, scale = draw_scale(criterion, Task(1, mark.item)), criterion.scale
    ratings = dict.fromkeys(rating for _, rating in mark.given)
    if scale.categories is None:
        ordered = sorted(ratings, key=float)
    else:
        ordered = sorted(ratings, key=scale.categories.index)
    for rating in ordered:
        who = [judge for judge, given in mark.given if given == rating]
        yield rating_words(drawn, rating), view.naming.judges(who)


def shown_item(view: View, item: str, part: str) -> ShownItem | None:
    """Return what an item looked like; None where the study no longer has it."""
    try:
        return show_item(view.study, Task(1, item, part=part))
    except KeyError:
        return None


@dataclass(frozen=True, kw_only=True)
class RatedCriterion:
    """What everybody gave an item on one criterion; `mark` where they lie too far apart."""

    criterion: Criterion
    given: tuple[tuple[str, str], ...]
    mark: DifferenceView | None


@dataclass(frozen=True, kw_only=True)
class ItemTalk:
    """One item of a round with all its criteria, and all that was said about it.

    An entry stands with what it is about: a criterion, or '' for the item as a whole.
    """

    round: int
    number: int
    id: str
    criteria: tuple[RatedCriterion, ...]
    said: tuple[tuple[str, EntryView], ...]
    proposals: tuple[ProposalView, ...]

    @property
    def place(self) -> str:
        """Where its page is, below the pages of the reader."""
        return f"/talk/{self.round}/{self.number}"

    @property
    def marks(self) -> list[DifferenceView]:
        """What is marked on it."""
        return [each.mark for each in self.criteria if each.mark is not None]


def item_talk(view: View, round_number: int, number: int) -> ItemTalk:
    """Return what there is to discuss about one item; refuse where there is none."""
    training_round = view.round(round_number)
    if training_round.blind:
        raise Refusal(409, "web.too-early")
    if not 1 <= number <= len(training_round.items):
        raise Refusal(404)
    item = training_round.items[number - 1]
    marks = {
        mark.criterion.key: mark for mark in difference_views(view, round_number) if mark.id == item
    }
    edition = edition_in(view.cycle, training_round)
    return ItemTalk(
        round=round_number,
        number=number,
        id=item,
        criteria=tuple(
            RatedCriterion(
                criterion=edition.criterion(key),
                given=tuple(_all_given(view, training_round, edition.criterion(key), item)),
                mark=marks.get(key),
            )
            for key in training_round.asked(item, edition)
        ),
        said=tuple(
            (
                entry.criterion,
                EntryView(view.naming.judge(entry.judge), entry.text, entry.judge == view.whose),
            )
            for entry in training_round.said_of(item)
        ),
        proposals=tuple(
            proposal
            for proposal in proposal_views(view, round_number)
            if any(cause.id == item for cause in proposal.causes)
        ),
    )


def _all_given(
    view: View, training_round: Round, criterion: Criterion, item: str
) -> Iterator[tuple[str, str]]:
    """What each judge who has finished gave an item, whether or not they differ."""
    given = tuple(
        (judge, rating)
        for judge in training_round.finished
        if (rating := training_round.ratings.get((judge, item), {}).get(criterion.key)) is not None
    )
    yield from _ratings_given(
        view, criterion, Disagreement(item=item, criterion=criterion.key, given=given)
    )


def edition_in(cycle: Cycle, training_round: Round) -> Edition:
    """Return the edition by which a round was rated."""
    return next(edition for edition in cycle.editions if edition.version == training_round.version)


def proposal_views(view: View, number: int) -> list[ProposalView]:
    """Return the proposals of a round."""
    training_round = view.round(number)
    marks = {(mark.id, mark.criterion.key): mark for mark in difference_views(view, number)}
    return [
        _proposal_view(view, proposal, tuple(marks[key] for key in proposal.marks if key in marks))
        for proposal in training_round.proposals
    ]


def _proposal_view(
    view: View, proposal: Proposal, causes: tuple[DifferenceView, ...]
) -> ProposalView:
    naming = view.naming
    return ProposalView(
        number=proposal.number,
        round=proposal.round,
        who=naming.judge(proposal.judge),
        text=proposal.text,
        causes=causes,
        agreeing=naming.judges(judge for judge, agrees in proposal.words.items() if agrees),
        against=naming.judges(proposal.opposed),
        waiting=naming.judges(view.cycle.undecided(proposal)),
        remarks=tuple(
            EntryView(naming.judge(judge), text, judge == view.whose)
            for judge, text in proposal.remarks
        ),
        set_aside=proposal.set_aside,
        accepted=view.cycle.accepted(proposal),
        own_word=proposal.words.get(view.whose),
        written=written_in(view.cycle, proposal.number),
    )


def written_in(cycle: Cycle, proposal: int) -> int | None:
    """Return the number of the edition that a proposal led to, counted from 1."""
    number = 1
    for training_round in cycle.rounds:
        for edit in training_round.edits:
            number += 1
            if any(proposal in change.proposals for change in edit.changes):
                return number
    return None


def unwritten(cycle: Cycle) -> list[Proposal]:
    """Return the accepted proposals of this round that are not in the manual yet."""
    return [
        proposal
        for proposal in (cycle.round.proposals if cycle.rounds else ())
        if cycle.accepted(proposal)
        and not proposal.set_aside
        and written_in(cycle, proposal.number) is None
    ]


def show_differences(view: View) -> Response:
    """Show every item on which the judges of a round differ significantly."""
    number = view.asked("round", len(view.cycle.rounds))
    training_round = view.round(number)
    if training_round.blind:
        raise Refusal(409, "web.too-early")
    return view.page(
        "differences",
        round=training_round,
        marks=difference_views(view, number),
        talked=sorted({mark.item for mark in difference_views(view, number)}),
        verdict=verdict_of(view, number),
    )


def show_mark(view: View) -> Response:
    """Show one marked item: what was rated, who gave what, what was said."""
    round_number, number = (field.read(view.request.path_params) for field in MARK_PLACE)
    return mark_page(view, round_number, number)


def mark_page(
    view: View,
    round_number: int,
    number: int,
    status: int = 200,
    *,
    trouble: str = "",
    given: str = "",
) -> Response:
    """Draw the page of a marked item; `given` is a text that could not be taken."""
    mark = difference_view(view, round_number, number)
    now = round_number == len(view.cycle.rounds)
    return view.page(
        "mark",
        status,
        mark=mark,
        marks=len(view.round(round_number).marks),
        item=shown_item(view, mark.id, mark.criterion.part),
        talking=now and view.cycle.phase in ("socialisation", "externalisation"),
        trouble=trouble,
        given=given,
        about=f"mark.{round_number}.{number}",
    )


def show_talk(view: View) -> Response:
    """Show one item with all its criteria: who gave what, what was said, what is proposed."""
    return talk_page(view, *(field.read(view.request.path_params) for field in MARK_PLACE))


def talk_page(
    view: View,
    round_number: int,
    number: int,
    status: int = 200,
    *,
    trouble: str = "",
    given: Form | None = None,
) -> Response:
    """Draw the page of an item that is discussed; `given` is what could not be taken."""
    talk = item_talk(view, round_number, number)
    now = round_number == len(view.cycle.rounds)
    part = next((each.criterion.part for each in talk.criteria), "")
    return view.page(
        "talk",
        status,
        talk=talk,
        items=len(view.round(round_number).items),
        item=shown_item(view, talk.id, part),
        talking=now and view.cycle.phase in ("socialisation", "externalisation"),
        proposing=now and view.cycle.phase == "externalisation",
        trouble=trouble,
        given=given or {},
    )


def take_talk(view: View, form: Form) -> Response:
    """Keep what a judge says about an item: as a whole, or on one of its marked criteria."""
    round_number, number = ROUND.read(form), ITEM.read(form)
    talk = item_talk(view, round_number, number)
    try:
        text = TEXT.read(form)
        if not text:
            raise InvalidArgument("web.say-something")
        _check_same_round(view, round_number)
        about = Choice("about", ("", *(mark.criterion.key for mark in talk.marks)))
        view.apply(Said(view.whose, talk.id, about.read({"about": "", **form}), text), form)
    except NOT_TAKEN as error:
        trouble = view.reason(error)
        return talk_page(view, round_number, number, 422, trouble=trouble, given=form)
    return view.on(talk.place, form, "said")


def show_proposals(
    view: View, *, status: int = 200, trouble: str = "", about: int = 0, given: Form | None = None
) -> Response:
    """Show what was proposed in a round, and who agrees.

    `about` is the proposal that `trouble` is about, 0 for a new one.
    """
    number = view.asked("round", len(view.cycle.rounds))
    training_round = view.round(number)
    if training_round.phase in ("internalisation", "socialisation"):
        raise Refusal(409, "web.too-early")
    return view.page(
        "proposals",
        status,
        round=training_round,
        proposals=proposal_views(view, number),
        marks=[mark for mark in difference_views(view, number) if mark.said],
        proposing=number == len(view.cycle.rounds) and view.cycle.phase == "externalisation",
        trouble=trouble,
        troubled=about,
        given=given or {},
    )


def verdict_of(view: View, number: int) -> StopVerdict | None:
    """Return what the stop rule says of a round; None before it was compared."""
    return None if view.round(number).blind else view.cycle.verdict(number)


def show_changes(view: View) -> Response:
    """Say, to the page's script, what others have done since the page was drawn."""
    kind, *place = view.request.query_params.get("at", "").split(".")
    if kind not in PAGE_EVENTS:
        raise Refusal(422)
    about, numbers = None, [number for part in place if (number := whole_number(part)) is not None]
    if kind == "mark" and len(place) == len(numbers) == 2:
        mark = difference_view(view, *numbers)
        about = (mark.id, mark.criterion.key)
    words = changes_since(view.cycle, view.asked("since", 0), kind, reader=view.whose, about=about)
    return JSONResponse({"news": words})


def take_entry(view: View, form: Form) -> Response:
    """Keep what a judge says about a marked item."""
    round_number, number = ROUND.read(form), MARK.read(form)
    mark = difference_view(view, round_number, number)
    try:
        text = TEXT.read(form)
        if not text:
            raise InvalidArgument("web.say-something")
        _check_same_round(view, round_number)
        view.apply(Said(view.whose, mark.id, mark.criterion.key, text), form)
    except NOT_TAKEN as error:
        trouble, given = view.reason(error), form.get("text", "")
        return mark_page(view, round_number, number, 422, trouble=trouble, given=given)
    return view.on(mark.place, form, "said")


def take_proposal(view: View, form: Form) -> Response:
    """Keep what a judge proposes, with the marked items that led to it."""
    _check_reached(view)
    number = len(view.cycle.rounds)
    try:
        _check_same_round(view, ROUND.read(form))
        text = TEXT.read(form)
        if not text:
            raise InvalidArgument("web.propose-something")
        marks = tuple(
            (mark.id, mark.criterion.key)
            for mark in difference_views(view, number)
            if f"mark-{mark.number}" in form
        )
        if not marks:
            raise InvalidArgument("web.name-a-cause")
        view.apply(Proposed(view.whose, text, marks), form)
    except NOT_TAKEN as error:
        return show_proposals(view, status=422, trouble=view.reason(error), given=form)
    return view.on("/proposals", form, "new")


def take_vote(view: View, form: Form) -> Response:
    """Keep whether a judge agrees with a proposal, and a remark."""
    _check_reached(view)
    number = PROPOSAL.read(form)
    try:
        remark = REMARK.read(form)
        if "agrees" not in form:
            raise InvalidArgument("web.yes-or-no")
        view.apply(Agreed(view.whose, number, AGREES.read(form) == "yes", remark), form)
    except NOT_TAKEN as error:
        trouble = view.reason(error)
        return show_proposals(view, status=422, trouble=trouble, about=number, given=form)
    return view.on("/proposals", form, f"proposal-{number}")


def _check_reached(view: View) -> None:
    if view.cycle.phase in ("ready", "internalisation", "socialisation"):
        raise Refusal(409, "web.too-early")


def _check_same_round(view: View, number: int) -> None:
    if number != len(view.cycle.rounds):
        raise InvalidArgument("web.round-over", round=number)
