"""The guideline cycle by simulated judges and a simulated researcher, through the pages.

They rate each training set alone, say why on every difference, agree on a sentence for the
guidelines, write it down, and go round again until the stop rule is met or no set is left.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from covary.design.plan import Task
from covary.errors import CovaryError, InvalidArgument
from covary.store.store import Store
from covary.study.model import Study
from covary.study.simulated_judges import SimulatedJudge
from covary.training import Cycle
from covary.web.discussion.judge_pages import training_tasks
from covary.web.judge.item_page import draw_scale, rated_in_training
from covary.web.judge.sheets import prepare_sheets
from covary.web.serving.simulation import (
    PageForm,
    PageVisitor,
    Participant,
    SimulationSummary,
    VisitedPage,
    admit,
    answer_page,
    as_fields,
    attend_all,
    background_server,
    evaluate_first,
    without_waiting,
)

JUDGE, RESEARCHER = "/judge/round", "/researcher/rounds"

BEFORE_RATING = ("/judge/consent", "/judge/background", "/judge/continue")
"""What stands between a judge's link and the first item: consent, questions, the guidelines."""

SENTENCE = "Simulated rule {round}: give every {criterion} as was agreed in round {round}."
"""What simulated judges write into the guidelines; it only stands for what people would write."""


READERS_LEARN = 0.5
"""How much of what rounds teach reaches those who only read the manual: half as many rounds."""


def simulate_with_training(
    study: Study,
    store: Store,
    judges: Sequence[SimulatedJudge],
    *,
    train: int,
    learning: float = 0.5,
    again: bool = False,
    progress: Callable[[str], None] | None = None,
) -> tuple[SimulationSummary, TrainingSummary]:
    """Let the first judges write guidelines in rounds of training, then everybody rate the study.

    Parameters
    ----------
    study, store, judges, progress
        As for `covary.web.serving.simulation.simulate`.
    train
        So many of the judges train. Where the study has two occasions, they rate it once before
        the training and once after; the other judges come after it and have only the manual.
    learning
        What a round leaves of a judge's severity and noise, as a share.
    again
        Whether a set whose round did not meet the stop rule is rated once more after the
        discussion.
    """
    if not 2 <= train <= len(judges) or not study.training_sets:
        raise InvalidArgument("web.cannot-train", train=train, judges=len(judges))
    hurried = without_waiting(study)
    prepare_sheets(hurried, store)
    began = time.monotonic()
    everybody = [admit(store, judge) for judge in judges]
    with background_server(hurried, store) as door:
        if study.design.occasions > 1:
            evaluate_first(hurried, store)
            attend_all(hurried, store, door, everybody[:train], once=True)
        room = TrainingRoom.of(hurried, store, door, people=everybody[:train], learning=learning)
        trained = room.play(progress, again=again)
        room.close()
        rounds = len(trained.differences) + len(trained.left_again)
        later = [
            replace(person, judge=after_rounds(person.judge, share * rounds, learning))
            for place, person in enumerate(everybody)
            for share in (1.0 if place < train else READERS_LEARN,)
        ]
        attend_all(hurried, store, door, later, progress=progress)
    answers = store.answers.counts().answers
    return SimulationSummary(len(judges), answers, time.monotonic() - began), trained


@dataclass(frozen=True)
class TrainingSummary:
    """What a simulated training did: significant differences by round, and what ended it.

    `left_again` has those that were left where the items of a round were rated once more.
    """

    differences: tuple[int, ...]
    ended_by: str
    left_again: tuple[int, ...] = ()


@dataclass
class TrainingRoom:
    """Simulated judges by their names, each with a page of their own, and the researcher's.

    With each round the judges' severity and noise fall to `learning` of what they were.
    """

    study: Study
    store: Store
    judges: Mapping[str, SimulatedJudge]
    visitors: Mapping[str, PageVisitor]
    researcher: PageVisitor
    learning: float

    @classmethod
    def of(
        cls,
        study: Study,
        store: Store,
        door: tuple[str, int],
        *,
        people: Sequence[Participant],
        learning: float,
    ) -> TrainingRoom:
        """Let people in by their links."""
        visitors = {person.name: PageVisitor(*door) for person in people}
        for person in people:
            visitors[person.name].get(f"/j/{person.token}")
        return cls(
            study=study,
            store=store,
            judges={person.name: person.judge for person in people},
            visitors=visitors,
            researcher=PageVisitor(*door),
            learning=learning,
        )

    def close(self) -> None:
        """Let everybody leave."""
        for visitor in (*self.visitors.values(), self.researcher):
            visitor.close()

    def play(self, progress: Callable[[str], None] | None, *, again: bool) -> TrainingSummary:
        """Go through rounds until the stop rule is met or every training set was used.

        With `again`, what was discussed is rated once more before the next set.
        """
        self.researcher.get(f"/r/{self.store.researchers.new_link()}")
        self._do("/begin", **self._ticked())
        for number in self.study.training_sets:
            if progress:
                progress(f"training, round {len(self.cycle.rounds) + 1}")
            self._round("/open", set=str(number))
            if self.cycle.verdict().met:
                break
            if again:
                self._round("/open-again")
        self._end()
        cycle = self.cycle
        assert cycle.ended is not None
        new, repeated = (
            tuple(len(turn.marks) for turn in cycle.rounds if (turn.again is None) is wanted)
            for wanted in (True, False)
        )
        return TrainingSummary(new, cycle.ended.by, repeated)

    @property
    def cycle(self) -> Cycle:
        """The cycle as it stands."""
        return self.store.training.cycle()

    def _ticked(self) -> dict[str, str]:
        ids = {judge.name: judge.id for judge in self.store.judges.all()}
        return {f"judge-{ids[name]}": "1" for name in self.judges}

    def _round(self, opening: str, **values: str) -> None:
        self._do(opening, **values)
        seen = len(self.cycle.rounds) - 1
        for name, judge in self.judges.items():
            self._rate_alone(name, after_rounds(judge, seen, self.learning))
        self._do("/move-on", to="socialisation")
        self._discuss()
        self._do("/move-on", to="externalisation")
        self._agree()
        self._do("/move-on", to="combination")
        self._write_down()

    def _rate_alone(self, name: str, judge: SimulatedJudge) -> None:
        """Rate a training set, after whatever a judge is asked or shown before it."""
        (own,) = (each.id for each in self.store.judges.all() if each.name == name)
        tasks = training_tasks(self.study, self.cycle, own, self.store.secret())
        visitor = self.visitors[name]
        page = visitor.get("/judge")
        while name not in self.cycle.round.finished:
            form = _form(page, f"{JUDGE}/next", f"{JUDGE}/finish", *BEFORE_RATING)
            values = {}
            if form.action == f"{JUDGE}/next":
                values = _ratings(self.study, tasks[int(form.value("position")) - 1], judge)
            if form.action in BEFORE_RATING:
                page = answer_page(visitor, self.study, sheet=None, judge=judge, form=form)
            else:
                page = _sent(visitor.send(form, **values))

    def _discuss(self) -> None:
        current = self.cycle.round
        for name, visitor in self.visitors.items():
            for place, mark in enumerate(current.marks, start=1):
                page = visitor.get(f"{JUDGE}/mark/{current.number}/{place}")
                given = dict(mark.given)[name]
                _send(visitor, page, f"{JUDGE}/say", text=f"I saw it as {given}.")

    def _agree(self) -> None:
        current = self.cycle.round
        if not current.marks:
            return
        first, *others = self.visitors.values()
        text = SENTENCE.format(round=current.number, criterion=current.marks[0].criterion)
        ticked = {f"mark-{place}": "1" for place, _ in enumerate(current.marks, start=1)}
        page = first.get(f"{JUDGE}/proposals")
        _send(first, page, f"{JUDGE}/propose", text=text, **ticked)
        for visitor in others:
            _send(visitor, visitor.get(f"{JUDGE}/proposals"), f"{JUDGE}/agree", agrees="yes")

    def _write_down(self) -> None:
        for proposal in self.cycle.round.proposals:
            page = self.researcher.get(f"{RESEARCHER}/edit")
            form = _form(page, f"{RESEARCHER}/edit")
            changed = {
                "guidelines": f"{form.value('guidelines').rstrip()}\n\n{proposal.text}\n",
                "kind-0": "rule",
                "summary-0": f"what round {self.cycle.round.number} showed",
                "sentence-0": proposal.text,
                f"proposal-0-{proposal.number}": "1",
                "do": "save",
            }
            _sent(self.researcher.send(form, **changed))

    def _end(self) -> None:
        if self.cycle.verdict().met:
            self._do("/stop", by="rule")
        else:
            self._do("/stop", by="researcher", reason="No training set was left.")

    def _do(self, path: str, **values: str) -> None:
        page = self.researcher.get(RESEARCHER)
        form = _form(page, f"{RESEARCHER}{path}")
        hidden = {name: form.value(name) for name in ("token", "once")}
        _sent(self.researcher.send(PageForm(form.action, hidden), **values))


def after_rounds(judge: SimulatedJudge, rounds: float, learning: float) -> SimulatedJudge:
    """Return a judge whom so many rounds have brought nearer to the others."""
    left = learning**rounds
    return replace(judge, severity=judge.severity * left, noise=judge.noise * left)


def _ratings(study: Study, task: Task, judge: SimulatedJudge) -> dict[str, str]:
    """Return the fields of a page of a training item."""
    fields: dict[str, str] = {}
    for number, criterion in enumerate(rated_in_training(study, task.part)):
        control = draw_scale(criterion, task).control
        sent = control.sent(judge.answer(criterion, study.item(task.item)))
        fields |= as_fields(f"rating-{number}", sent)
        if control.needs_touch:
            fields[f"touched-{number}"] = "1"
    return fields


def _send(visitor: PageVisitor, page: VisitedPage, action: str, **values: str) -> VisitedPage:
    return _sent(visitor.send(_form(page, action), **values))


def _form(page: VisitedPage, *actions: str) -> PageForm:
    """Return the form of a page that leads to one of these places."""
    forms = page.forms
    for action in actions:
        if action in forms:
            return forms[action]
    raise CovaryError("web.simulated-judge-refused", path=page.path, status=page.status)


def _sent(page: VisitedPage) -> VisitedPage:
    if page.status != 200:
        raise CovaryError("web.simulated-judge-refused", path=page.path, status=page.status)
    return page
