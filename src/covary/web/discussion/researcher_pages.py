"""The researcher's pages of the cycle: where it stands, what can be done next, and doing it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, cast

from starlette.responses import Response
from starlette.routing import BaseRoute

from covary.analysis.rounds.differences import threshold_of
from covary.errors import InvalidArgument
from covary.study.model import Study
from covary.training import (
    Cycle,
    EvaluationFirst,
    JudgeJoined,
    JudgeLeft,
    MovedOn,
    SetAsideMark,
    SetAsideProposal,
    Stopped,
    awaits_training,
    begin,
    open_again,
    open_set,
    rule_of,
)
from covary.web.discussion.differences import (
    difference_view,
    show_changes,
    show_differences,
    show_mark,
    show_proposals,
    show_talk,
    unwritten,
    verdict_of,
)
from covary.web.discussion.judge_pages import judge_round_routes
from covary.web.discussion.manual import (
    MOST_FIELDS,
    show_comparison,
    show_editor,
    show_manual,
    take_edit,
)
from covary.web.discussion.view import STEP_NAMES, Naming, View, naming_for
from covary.web.forms import Form, Text, Whole
from covary.web.researcher.desk import Desk, Researcher, reads, takes
from covary.web.site import Site

FEWEST = 2


@dataclass(frozen=True)
class NextMove:
    """What comes next: in a sentence, what it waits for, and the step that can be taken.

    `to` is the step that a button takes, '' where the researcher cannot take one now.
    """

    words: str
    waits: str = ""
    to: str = ""
    button: str = ""


@dataclass(frozen=True)
class JudgeInRound:
    """A judge in the current round."""

    name: str
    called: str
    rated: int
    of: int
    finished: bool
    here: bool
    revoked: bool


@dataclass(frozen=True)
class TrainingSetUse:
    """A training set: its number, how many items it has, and in which round it was used."""

    number: int
    items: int
    used: int | None


def show_desk(view: View) -> Response:
    """Show where the cycle stands, and what can be done."""
    cycle = view.cycle
    if cycle.phase == "new":
        return _not_begun(view)
    rounds = [
        (training_round, verdict_of(view, training_round.number))
        for training_round in reversed(cycle.rounds)
    ]
    between = cycle.between_rounds
    return view.page(
        "desk",
        move=next_move(view),
        judges=judges_of(view),
        rounds=rounds,
        verdict=next((verdict for turn, verdict in rounds if turn.again is None), None),
        again=between and bool(cycle.rounds) and cycle.round.again is None,
        sets=training_sets(view),
        opening=between and not (cycle.rounds and unwritten(cycle)),
        joining=[name for name in _judges_with_links(view) if name not in cycle.judges]
        if between
        else [],
        between=between,
        fewest=FEWEST,
        stopping=cycle.phase != "ended",
        folder_differs=view.site.given.manual.version not in {e.version for e in cycle.editions},
    )


def _not_begun(view: View) -> Response:
    study = view.study
    judges = [judge for judge in view.site.store.judges.all() if not judge.revoked]
    sets = training_sets(view)
    needed = math.ceil(rule_of(study).fewest / len(study.criteria))
    return view.page(
        "begin",
        judges=judges,
        sets=sets,
        awaited=awaits_training(study, view.cycle),
        strangers=sorted({*study.training.editors} - {judge.name for judge in judges}),
        small=[f"set {each.number}" for each in sets if each.items < needed],
        needed=needed,
        thresholds=thresholds_of(study),
        evaluation=sum(item.kind not in ("training", "practice") for item in study.items),
        fewest=FEWEST,
    )


def _judges_with_links(view: View) -> list[str]:
    """The judges whose links let them in."""
    return [judge.name for judge in view.site.store.judges.all() if not judge.revoked]


def thresholds_of(study: Study) -> list[tuple[str, str]]:
    """Say for each criterion when ratings differ significantly."""
    thresholds = []
    for criterion in study.criteria:
        limit = threshold_of(criterion.scale, study.training.thresholds.get(criterion.key))
        unit = "points" if criterion.scale.categories is None else "rank" if limit == 1 else "ranks"
        words = f"more than {limit:g} {unit} apart" if limit else "at all different"
        thresholds.append((criterion.key, words))
    return thresholds


def training_sets(view: View) -> list[TrainingSetUse]:
    """Return the training sets of the study, and where each was used."""
    study, cycle = view.study, view.cycle
    used = {
        item: training_round.number
        for training_round in cycle.rounds
        for item in training_round.items
    }
    sets = []
    for number in study.training_sets:
        items = study.training_set(number)
        in_round = next((used[item.id] for item in items if item.id in used), None)
        sets.append(TrainingSetUse(number, len(items), in_round))
    return sets


def judges_of(view: View) -> list[JudgeInRound]:
    """Return how far each judge is in the current round, and who has left."""
    cycle = view.cycle
    revoked = {judge.name for judge in view.site.store.judges.all() if judge.revoked}
    asked = cycle.round.items if cycle.rounds else ()
    total = sum(len(cycle.round.asked(item, cycle.edition)) for item in asked)
    judges = []
    for name, called in view.naming.shown.items():
        ratings = cycle.round.ratings if cycle.rounds else {}
        rated = sum(len(rated_keys) for (judge, _), rated_keys in ratings.items() if judge == name)
        finished = bool(cycle.rounds) and name in cycle.round.finished
        here = name in cycle.judges
        judges.append(
            JudgeInRound(
                name=name,
                called=called,
                rated=rated,
                of=total,
                finished=finished,
                here=here,
                revoked=name in revoked,
            )
        )
    return judges


def next_move(view: View) -> NextMove:
    """Say what comes next, and what it waits for."""
    cycle = view.cycle
    if cycle.phase == "ended":
        return _ended(cycle)
    if cycle.phase == "ready":
        return NextMove("Open the first round: every judge rates a training set, alone.")
    if cycle.phase == "internalisation":
        return _while_rating(view)
    if cycle.phase == "socialisation":
        return _while_discussing(view)
    return _while_proposing(view) if cycle.phase == "externalisation" else _while_writing(view)


def _ended(cycle: Cycle) -> NextMove:
    assert cycle.ended is not None
    by = "the stop rule was met" if cycle.ended.by == "rule" else cycle.ended.reason
    return NextMove(
        f"Training has ended: {by}{'' if by.endswith('.') else '.'} Judges rate the study by the "
        "newest version of the guidelines."
    )


def _while_rating(view: View) -> NextMove:
    waiting = view.cycle.waiting_for()
    words = "The judges rate the training set, each alone. Then their ratings are compared."
    if waiting:
        return NextMove(words, f"Waiting for {view.naming.judges(waiting)} to finish.")
    return NextMove(
        "Every judge has finished. Compare the ratings, and let the judges see where they differ.",
        to="socialisation",
        button="Compare the ratings",
    )


def _while_discussing(view: View) -> NextMove:
    current = view.cycle.round
    if current.again is not None:
        left = len(current.marks)
        places = "difference is" if left == 1 else "differences are"
        return NextMove(
            f"The items of round {current.again} were rated again: {left} {places} left. Open the "
            "next round with a new training set, or let the judges discuss what is left.",
            to="" if current.undiscussed else "externalisation",
            button=f"Go on to “{STEP_NAMES['externalisation']}”",
        )
    if not current.marks:
        return NextMove(
            "The judges differ significantly on no item, so there is nothing to discuss.",
            to="externalisation",
            button=f"Go on to “{STEP_NAMES['externalisation']}”",
        )
    left = len(current.undiscussed)
    if left:
        places = "difference has" if left == 1 else "differences have"
        return NextMove(
            "The judges say how they came to the ratings that differ.",
            f"Waiting for the discussion: {left} {places} no entry yet. Set one aside, with a "
            "reason, where it needs no discussion.",
        )
    silent = sum(bool(current.silent(mark)) and not mark.set_aside for mark in current.marks)
    still = f" On {silent} of them not everybody has explained their rating yet." if silent else ""
    return NextMove(
        f"Every difference has been talked about.{still} Go on when the judges are ready to "
        "say what would have helped.",
        to="externalisation",
        button=f"Go on to “{STEP_NAMES['externalisation']}”",
    )


def _while_proposing(view: View) -> NextMove:
    cycle = view.cycle
    words = "The judges propose what the guidelines should say, and agree or object."
    waiting = [
        f"{view.naming.judges(cycle.undecided(proposal))} on proposal {proposal.number}"
        for proposal in cycle.round.proposals
        if cycle.undecided(proposal) and not proposal.set_aside
    ]
    if waiting:
        return NextMove(words, f"Waiting for an answer from {', from '.join(waiting)}.")
    if not cycle.round.proposals:
        words = f"{words} Nobody has proposed anything yet."
    else:
        words = "Everybody has said whether they agree. Write what was agreed into the guidelines."
    return NextMove(words, to="combination", button=f"Go on to “{STEP_NAMES['combination']}”")


def _while_writing(view: View) -> NextMove:
    left = unwritten(view.cycle)
    if left:
        numbers = ", ".join(str(proposal.number) for proposal in left)
        one = len(left) == 1
        return NextMove(
            "Write what the judges have agreed on into the guidelines.",
            f"{'Proposal' if one else 'Proposals'} {numbers} {'is' if one else 'are'} accepted "
            f"and not in the guidelines yet. Write {'it' if one else 'them'} down, or set "
            f"{'it' if one else 'them'} aside with a reason.",
        )
    return NextMove(
        "All that was agreed on is in the guidelines. Open the next round with a new training "
        "set, or end the training."
    )


SET, ROUND, MARK, PROPOSAL = Whole("set"), Whole("round"), Whole("mark"), Whole("proposal")
REASON = Text("reason", 2_000)


def begin_training(view: View, form: Form) -> Response:
    """Begin the cycle with the judges that were ticked and the manual as it is."""
    names = [
        judge.name
        for judge in view.site.store.judges.all()
        if not judge.revoked and f"judge-{judge.id}" in form
    ]
    event = begin(view.site.given, names)
    view.apply(event, form)
    view.site.manual.now()
    return view.on("", form)


def evaluate_first(view: View, form: Form) -> Response:
    """Let judges' links lead to the evaluation although no training has begun."""
    view.apply(EvaluationFirst(), form)
    return view.on("", form)


def open_round(view: View, form: Form) -> Response:
    """Open a round with a training set that the evaluation does not show."""
    view.apply(open_set(view.study, SET.read(form)), form)
    return view.on("", form)


def rate_again(view: View, form: Form) -> Response:
    """Let the judges rate the items of this round once more, now that they have discussed them."""
    view.apply(open_again(view.cycle), form)
    return view.on("", form)


def move_on(view: View, form: Form) -> Response:
    """Go to the next step of the round."""
    to = cast(Literal["socialisation", "externalisation", "combination"], form.get("to", ""))
    view.apply(MovedOn(to), form)
    return view.on("", form)


def set_aside_mark(view: View, form: Form) -> Response:
    """Leave a marked item without discussion."""
    mark = difference_view(view, ROUND.read(form), MARK.read(form))
    view.apply(SetAsideMark(mark.id, mark.criterion.key, REASON.read(form)), form)
    return view.on(mark.place, form)


def set_aside_proposal(view: View, form: Form) -> Response:
    """Leave a proposal out of the guidelines."""
    number = PROPOSAL.read(form)
    view.apply(SetAsideProposal(number, REASON.read(form)), form)
    return view.on("/proposals", form, f"proposal-{number}")


def add_participant(view: View, form: Form) -> Response:
    """Let a judge take part from the next round on."""
    name = form.get("judge", "")
    if name not in _judges_with_links(view):
        raise InvalidArgument("web.no-such-participant")
    view.apply(JudgeJoined(name), form)
    return view.on("", form, "judges")


def remove_participant(view: View, form: Form) -> Response:
    """Go on without a judge."""
    view.apply(JudgeLeft(form.get("judge", ""), REASON.read(form)), form)
    return view.on("", form, "judges")


def stop_training(view: View, form: Form) -> Response:
    """End the training, by the rule or on the researcher's word."""
    by: Literal["rule", "researcher"] = "rule" if form.get("by") == "rule" else "researcher"
    view.apply(Stopped(by, "" if by == "rule" else REASON.read(form)), form)
    return view.on("", form)


HOME = "/researcher/rounds"

READERS: dict[str, Callable[[View], Response]] = {
    "": show_desk,
    "/differences": show_differences,
    "/mark/{round}/{number}": show_mark,
    "/talk/{round}/{number}": show_talk,
    "/proposals": show_proposals,
    "/manual": show_manual,
    "/compare": show_comparison,
    "/edit": show_editor,
    "/news": show_changes,
}
TAKERS: dict[str, Callable[[View, Form], Response]] = {
    "/begin": begin_training,
    "/evaluate": evaluate_first,
    "/open": open_round,
    "/open-again": rate_again,
    "/move-on": move_on,
    "/set-aside": set_aside_mark,
    "/leave-out": set_aside_proposal,
    "/join": add_participant,
    "/leave": remove_participant,
    "/stop": stop_training,
    "/edit": take_edit,
}


def round_routes(site: Site) -> list[BaseRoute]:
    """Return the routes of the guideline cycle."""
    desk = Desk(site)
    return [
        *judge_round_routes(site),
        *(reads(desk, f"{HOME}{path}", _reader(work)) for path, work in READERS.items()),
        *(takes(desk, f"{HOME}{path}", _taker(work), MOST_FIELDS) for path, work in TAKERS.items()),
    ]


def _reader(work: Callable[[View], Response]) -> Callable[[Researcher], Response]:
    def read(who: Researcher) -> Response:
        view = _view(who)
        if view.cycle.phase == "new" and work is not show_desk:
            return view.on()
        return view.guarded(lambda: work(view))

    return read


def _taker(work: Callable[[View, Form], Response]) -> Callable[[Researcher, Form], Response]:
    def take(who: Researcher, form: Form) -> Response:
        view = _view(who)
        return view.guarded(lambda: work(view, form))

    return take


def _view(who: Researcher) -> View:
    """Return the cycle as a researcher sees it: with names, and aliases where judges have them."""
    site = who.desk.site
    study, cycle = site.manual.now(), site.training.cycle()
    aliases = naming_for(cycle, aliases=study.training.names == "aliases").shown
    called = {
        name: name if name == alias else f"{name} ({alias})" for name, alias in aliases.items()
    }
    numbers = naming_for(cycle, aliases=False).numbers
    return View(
        site=site,
        study=study,
        cycle=cycle,
        naming=ResearcherNaming(called, numbers),
        request=who.request,
        home=HOME,
        frame="round-researcher.html",
        token=site.tokens.form_token(who.whose),
        more={"state": who.desk.store.get_state()},
    )


class ResearcherNaming(Naming):
    """A researcher is told names and ids as they are."""

    def alias(self, name: str) -> str:
        """Return the name itself."""
        return name

    def item(self, name: str) -> str:
        """Return the id itself."""
        return name
