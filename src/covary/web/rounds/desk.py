"""The researcher's page of the cycle: where it stands, whose turn it is, what can be done next."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.responses import Response

from covary.analysis.rounds.thresholds import threshold_of
from covary.study.model import Study
from covary.training import Cycle
from covary.web.rounds.pages import verdict_of
from covary.web.rounds.talk import unwritten
from covary.web.rounds.view import STEPS, View

__all__ = ["Move", "next_move", "show_desk"]

FEWEST = 2


@dataclass(frozen=True)
class Move:
    """What comes next: in a sentence, what it waits for, and the step that can be taken.

    `to` is the step that a button takes, '' where the researcher cannot take one now.
    """

    words: str
    waits: str = ""
    to: str = ""
    button: str = ""


@dataclass(frozen=True)
class Taking:
    """A judge in the current round."""

    name: str
    called: str
    rated: int
    of: int
    finished: bool
    here: bool
    revoked: bool


@dataclass(frozen=True)
class TrainingSet:
    """A training set: its number, how many items it has, and in which round it was used."""

    number: int
    items: int
    used: int | None


def show_desk(view: View, *, status: int = 200, trouble: str = "") -> Response:
    """Show where the cycle stands, and what can be done."""
    cycle = view.cycle
    if cycle.phase == "new":
        return _not_begun(view, status, trouble)
    rounds = [(each, verdict_of(view, each.number)) for each in reversed(cycle.rounds)]
    between = cycle.phase in ("ready", "combination")
    return view.page(
        "desk",
        status,
        move=next_move(view),
        judges=judges_of(view),
        rounds=rounds,
        verdict=rounds[0][1] if rounds else None,
        sets=sets_of(view),
        opening=between and not (cycle.rounds and unwritten(cycle)),
        joining=[name for name in _known(view) if name not in cycle.judges] if between else [],
        between=between,
        fewest=FEWEST,
        stopping=cycle.phase != "ended",
        trouble=trouble,
        folder_differs=view.site.given.manual.version not in {e.version for e in cycle.editions},
    )


def _not_begun(view: View, status: int, trouble: str) -> Response:
    study = view.study
    return view.page(
        "begin",
        status,
        judges=[judge for judge in view.site.store.judges() if not judge.revoked],
        sets=sets_of(view),
        thresholds=thresholds_of(study),
        evaluation=sum(each.kind not in ("training", "practice") for each in study.items),
        fewest=FEWEST,
        trouble=trouble,
    )


def _known(view: View) -> list[str]:
    """The judges whose links let them in."""
    return [judge.name for judge in view.site.store.judges() if not judge.revoked]


def thresholds_of(study: Study) -> list[tuple[str, str]]:
    """Say for each criterion when ratings differ significantly."""
    found = []
    for each in study.criteria:
        limit = threshold_of(each.scale, study.training.thresholds.get(each.key))
        unit = "points" if each.scale.categories is None else "rank" if limit == 1 else "ranks"
        words = f"more than {limit:g} {unit} apart" if limit else "at all different"
        found.append((each.key, words))
    return found


def sets_of(view: View) -> list[TrainingSet]:
    """Return the training sets of the study, and where each was used."""
    study, cycle = view.study, view.cycle
    used = {item: each.number for each in cycle.rounds for item in each.items}
    found = []
    for number in study.training_sets:
        items = study.training_set(number)
        in_round = next((used[each.id] for each in items if each.id in used), None)
        found.append(TrainingSet(number, len(items), in_round))
    return found


def judges_of(view: View) -> list[Taking]:
    """Return how far each judge is in the current round, and who has left."""
    cycle = view.cycle
    revoked = {judge.name for judge in view.site.store.judges() if judge.revoked}
    asked = len(cycle.round.items) * len(cycle.edition.keys) if cycle.rounds else 0
    found = []
    for name, called in view.naming.shown.items():
        ratings = cycle.round.ratings if cycle.rounds else {}
        rated = sum(len(given) for (judge, _), given in ratings.items() if judge == name)
        finished = bool(cycle.rounds) and name in cycle.round.finished
        here = name in cycle.judges
        found.append(Taking(name, called, rated, asked, finished, here, name in revoked))
    return found


def next_move(view: View) -> Move:
    """Say what comes next, and what it waits for."""
    cycle = view.cycle
    if cycle.phase == "ended":
        return _ended(cycle)
    if cycle.phase == "ready":
        return Move("Open the first round: every judge rates a training set, alone.")
    if cycle.phase == "internalisation":
        return _while_rating(view)
    if cycle.phase == "socialisation":
        return _while_discussing(view)
    return _while_proposing(view) if cycle.phase == "externalisation" else _while_writing(view)


def _ended(cycle: Cycle) -> Move:
    assert cycle.ended is not None
    by = "the stop rule was met" if cycle.ended.by == "rule" else cycle.ended.reason
    return Move(
        f"Training has ended: {by}{'' if by.endswith('.') else '.'} Judges rate the study by the "
        "newest version of the guidelines."
    )


def _while_rating(view: View) -> Move:
    waiting = view.cycle.waiting_for()
    words = "The judges rate the training set, each alone. Then their ratings are compared."
    if waiting:
        return Move(words, f"Waiting for {view.naming.judges(waiting)} to finish.")
    return Move(
        "Every judge has finished. Compare the ratings, and let the judges see where they differ.",
        to="socialisation", button="Compare the ratings",
    )  # fmt: skip


def _while_discussing(view: View) -> Move:
    current = view.cycle.round
    if not current.marks:
        return Move(
            "The judges differ significantly on no item, so there is nothing to discuss.",
            to="externalisation", button=f"Go on to “{STEPS['externalisation']}”",
        )  # fmt: skip
    left = len(current.undiscussed)
    if left:
        places = "difference has" if left == 1 else "differences have"
        return Move(
            "The judges say how they came to the ratings that differ.",
            f"Waiting for the discussion: {left} {places} no entry yet. Set one aside, with a "
            "reason, where it needs no discussion.",
        )
    silent = sum(bool(current.silent(mark)) and not mark.set_aside for mark in current.marks)
    still = f" On {silent} of them not everybody has explained their rating yet." if silent else ""
    return Move(
        f"Every difference has been talked about.{still} Go on when the judges are ready to "
        "say what would have helped.",
        to="externalisation", button=f"Go on to “{STEPS['externalisation']}”",
    )  # fmt: skip


def _while_proposing(view: View) -> Move:
    cycle = view.cycle
    words = "The judges propose what the guidelines should say, and agree or object."
    waiting = [
        f"{view.naming.judges(cycle.undecided(each))} on proposal {each.number}"
        for each in cycle.round.proposals
        if cycle.undecided(each) and not each.set_aside
    ]
    if waiting:
        return Move(words, f"Waiting for a word of {', of '.join(waiting)}.")
    if not cycle.round.proposals:
        words = f"{words} Nobody has proposed anything yet."
    else:
        words = "Everybody has said whether they agree. Write what was agreed into the guidelines."
    return Move(words, to="combination", button=f"Go on to “{STEPS['combination']}”")


def _while_writing(view: View) -> Move:
    left = unwritten(view.cycle)
    if left:
        numbers = ", ".join(str(each.number) for each in left)
        one = len(left) == 1
        return Move(
            "Write what the judges have agreed on into the guidelines.",
            f"{'Proposal' if one else 'Proposals'} {numbers} {'is' if one else 'are'} accepted "
            f"and not in the guidelines yet. Write {'it' if one else 'them'} down, or set "
            f"{'it' if one else 'them'} aside with a reason.",
        )
    return Move(
        "All that was agreed on is in the guidelines. Open the next round with a new training "
        "set, or end the training."
    )
