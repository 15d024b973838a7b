"""The Human Evaluation Datasheet, HEDS 3.0, in the JSON of its form: read, filled, written.

`heds.txt` has the form's questions; each becomes one key, or one for each of its options. What a
person filled in is never changed.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from covary.errors import InvalidArgument
from covary.records import dataclass
from covary.reports.formatting import variant, with_interval
from covary.reports.reliability.document import Report
from covary.scales import Level, Scale

if TYPE_CHECKING:
    from covary.study.model import Criterion, Study

CRITERIA = "criteria-criterion"
ELICITED = f"{CRITERIA}-response_elicitation"
DESIGN = "sample_evaluators_design"
MULTIPLE_CHOICE, CHECK_BOXES, SLIDER, OTHER = 1, 2, 3, 5
"""The options of how a scale is presented (4.3.5)."""
OWN_PLACE = 1
"""The option of where judges judge (3.3.7) that is a place of their own choice."""
REMOTE = ("prolific", "connect")
"""Platforms whose people judge where they are; those of others may sit in a laboratory."""
ESTIMATION, RELATIVE, FEEDBACK, LABELLING = 2, 3, 5, 7
"""The options of what form a response has (4.3.8)."""


class Question(NamedTuple):
    """A question of the form: its number, its key, how many options it has, and what it asks."""

    number: str
    stem: str
    options: int
    words: bool
    text: str

    @property
    def of_criterion(self) -> bool:
        """Whether it is asked for each criterion."""
        return self.stem.startswith(f"{CRITERIA}-")

    @property
    def keys(self) -> tuple[str, ...]:
        """Its keys in the JSON."""
        if not self.options:
            return (f"heds-{self.stem}",)
        chosen = [f"heds-{self.stem}-{n}" for n in range(1, self.options + 1)]
        return (*chosen, *([f"heds-{self.stem}-other_text"] if self.words else []))


@cache
def heds_questions() -> tuple[Question, ...]:
    """Return the questions of the form, in order.

    Examples
    --------
    >>> sum(len(question.keys) for question in heds_questions())
    569
    """
    text = files("covary.reports").joinpath("heds.txt").read_text(encoding="utf-8")
    lines = [line.split(" | ") for line in text.splitlines() if not line.startswith("#")]
    return tuple(
        Question(number, stem, int(options.strip("+-") or 0), text=words, words="+" in options)
        for number, stem, options, words in lines
    )


@dataclass(frozen=True)
class Heds:
    """A datasheet: the values of its JSON, by key."""

    values: dict[str, Any]

    @property
    def criteria(self) -> tuple[str, ...]:
        """The criteria that it describes."""
        return tuple(self.values.get(f"heds-{CRITERIA}", {}).get("control", {}))

    def answered(self, question: Question, criterion: str = "") -> bool:
        """Whether a question has an answer."""
        if question.stem == CRITERIA:
            return bool(self.criteria)
        given = (self.values.get(key, {}).get("data", {}).get(criterion) for key in question.keys)
        return any(value not in ("", None, False) for value in given)

    def open_questions(self) -> list[tuple[Question, str]]:
        """What is still to be asked: each question, with its criterion where it has one."""
        return [
            (question, criterion)
            for question in heds_questions()
            for criterion in (self.criteria if question.of_criterion else ("",))
            if not self.answered(question, criterion)
        ]

    def json(self) -> str:
        """Return the JSON that the form reads."""
        return json.dumps(self.values, indent=2, ensure_ascii=False) + "\n"


def blank_heds(criteria: Sequence[str]) -> Heds:
    """Return a datasheet without answers."""
    values: dict[str, Any] = {}
    for question in heds_questions():
        names = criteria if question.of_criterion else ("",)
        for key in question.keys:
            chosen = question.options and not key.endswith("-other_text")
            empty: Any = False if chosen else ""
            values[key] = {
                "data": dict.fromkeys(names, empty),
                "control": {},
                "text": dict.fromkeys(names, ""),
                "number": question.number,
            }
    control = {name: place == 0 for place, name in enumerate(criteria)}
    values[f"heds-{CRITERIA}"] = {"data": {}, "control": control, "text": {}, "number": "4"}
    return Heds(values)


def read_heds(path: Path) -> Heds:
    """Read a datasheet; a key that the form has not is refused, since it would be lost."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidArgument("heds.unreadable", path=path, reason=error) from None
    known = {key for question in heds_questions() for key in question.keys}
    strange = [key for key in values if key not in known] if isinstance(values, dict) else ["[]"]
    if strange:
        raise InvalidArgument("heds.unknown-keys", path=path, keys=strange)
    return Heds(values)


class SheetAnswer(NamedTuple):
    """An answer that is known: to which question, which option or words, on which criterion."""

    stem: str
    words: str = ""
    option: int = 0
    criterion: str = ""


def fill_heds(
    report: Report | None = None,
    study: Study | None = None,
    answers: dict[str, Any] | None = None,
    filled: Heds | None = None,
) -> Heds:
    """Fill what a study, its ratings and the researcher's answers know; leave the rest.

    What `filled` holds already stays as it is.
    """
    names = _criterion_names(report, study)
    sheet = blank_heds(names) if filled is None else Heds(copy.deepcopy(filled.values))
    known = [*_from_study(study, answers or {})]
    if report is not None:
        known += _from_report(report)
    by_stem = {question.stem: question for question in heds_questions()}
    for answer in known:
        question = by_stem[answer.stem]
        if not sheet.answered(question, answer.criterion):
            _put(sheet.values, question, answer)
    return sheet


def _put(values: dict[str, Any], question: Question, answer: SheetAnswer) -> None:
    if answer.criterion and answer.criterion not in Heds(values).criteria:
        return
    blank = {"data": {}, "control": {}, "text": {}, "number": question.number}
    keys = question.keys
    places: dict[str, Any] = {keys[answer.option - 1]: True} if answer.option else {}
    if answer.words:
        places |= {keys[-1]: answer.words}
    for key, value in places.items():
        values.setdefault(key, copy.deepcopy(blank)).setdefault("data", {})
        values[key]["data"][answer.criterion] = value


def _criterion_names(report: Report | None, study: Study | None) -> list[str]:
    if study is not None:
        return [criterion.key for criterion in study.criteria]
    return [] if report is None else [part.name for part in report.reliability.criteria]


def _from_study(study: Study | None, answers: dict[str, Any]) -> Iterator[SheetAnswer]:
    yield from _from_answers(answers)
    if study is None:
        return
    judged = study.items_of("item")
    made = f" by {len(study.systems)} systems" if study.systems else ""
    yield SheetAnswer(f"{DESIGN}-sample-number_of_system_outputs", f"{len(judged)} outputs{made}.")
    about = study.population
    characteristics = f"{DESIGN}-evaluators-characteristics"
    if about.who:
        yield SheetAnswer(characteristics, about.who)
    if study.recruiting is not None and study.recruiting.pay is not None:
        paid = f"{study.recruiting.pay} {study.recruiting.currency} per person."
        yield SheetAnswer(f"{DESIGN}-evaluators-evaluators-payment", paid, 1)
    if study.recruiting is not None and study.recruiting.platform in REMOTE:
        place = f"{DESIGN}-experimental_design-experimental_conditions"
        yield SheetAnswer(place, option=OWN_PLACE)
    yield from _quality(study)
    free = "Judges rate in their own browser, at their own pace, and may stop and come back."
    yield SheetAnswer(f"{DESIGN}-experimental_design-evaluator_freedom", free, 5)
    if study.session.remarks:
        words = "Judges can write remarks on the study and on items."
        yield SheetAnswer(f"{DESIGN}-experimental_design-evaluators_can_ask_questions", words, 3)
    for criterion in study.criteria:
        yield from _from_criterion(criterion)


def _quality(study: Study) -> Iterator[SheetAnswer]:
    """Attention checks and items with known answers are automatic checks."""
    stem = f"{DESIGN}-experimental_design-quality_assurance"
    checks, gold = len(study.items_of("check")), len(study.items_of("gold"))
    if not checks and not gold:
        return
    parts = [f"{checks} attention checks"] if checks else []
    parts += [f"{gold} items with known answers"] if gold else []
    yield SheetAnswer(f"{stem}-method", option=2)
    yield SheetAnswer(f"{stem}-description", f"{' and '.join(parts)} among the items.")


def _from_answers(answers: dict[str, Any]) -> Iterator[SheetAnswer]:
    """What the researcher says for the checklist answers questions of the form too."""
    places = {
        "recruitment": f"{DESIGN}-evaluators-recruitment_method",
        "experience": f"{DESIGN}-evaluators-training_practice",
        "process": f"{DESIGN}-experimental_design-collection_method",
        "guidelines": f"{DESIGN}-experimental_design-what_evaluators_see-description",
        "sample_size": f"{DESIGN}-sample-statistical_power-method",
        "judges": f"{DESIGN}-evaluators-characteristics",
    }
    for name, stem in places.items():
        text = answers.get(name)
        if isinstance(text, str) and text.strip():
            yield SheetAnswer(stem, str(text))
    if str(answers.get("data") or "").strip():
        yield SheetAnswer("paper_and_resources-resources-links", str(answers["data"]), 1)


def _from_criterion(criterion: Criterion) -> Iterator[SheetAnswer]:
    key = criterion.key
    yield SheetAnswer(
        f"{ELICITED}-qc_name-participant_criterion_name", criterion.name, criterion=key
    )
    if criterion.definition:
        yield SheetAnswer(
            f"{ELICITED}-participant_criterion_definiiton", criterion.definition, criterion=key
        )
    yield SheetAnswer(f"{ELICITED}-verbatim_question", criterion.question, criterion=key)
    look = criterion.scale.control().look
    shown = {"line": SLIDER, "several": CHECK_BOXES}.get(look, MULTIPLE_CHOICE)
    words = "" if look not in ("digits", "text") else f"A field for {look}."
    shown = OTHER if words else shown
    yield SheetAnswer(f"{ELICITED}-scale_presented_as", words, shown, key)
    relative = criterion.scale.compares
    mode = f"{CRITERIA}-evaluation_mode-absolute_or_relative"
    yield SheetAnswer(mode, option=2 if relative else 1, criterion=key)
    form = RELATIVE if relative else _form_of_response(criterion.scale, look)
    yield SheetAnswer(f"{ELICITED}-form_of_response", option=form, criterion=key)
    yield from _from_scale(criterion.scale.rated, key)


def _form_of_response(scale: Scale, look: str) -> int:
    if look == "text":
        return FEEDBACK
    return LABELLING if scale.level is Level.NOMINAL else ESTIMATION


def _from_scale(scale: Scale, criterion: str) -> Iterator[SheetAnswer]:
    size, answers = "continuous", f"{scale.low:g} to {scale.high:g}"
    if scale.categories is not None:
        size = str(len(scale.categories))
        answers = ", ".join(map(str, scale.categories))
    yield SheetAnswer(f"{ELICITED}-size_of_scale", size, criterion=criterion)
    yield SheetAnswer(f"{ELICITED}-list_or_range", answers, criterion=criterion)


def _from_report(report: Report) -> Iterator[SheetAnswer]:
    """What the ratings know: how many, on which scales, and how far judges agree."""
    result = report.reliability
    if not result.slots:
        yield SheetAnswer(f"{DESIGN}-evaluators-number_of_evaluators", str(result.n_judges))
    outputs = f"{result.n_items} items were rated."
    yield SheetAnswer(f"{DESIGN}-sample-number_of_system_outputs", outputs)
    for part in result.criteria:
        name = part.name
        yield SheetAnswer(f"{ELICITED}-qc_name-participant_criterion_name", name, criterion=name)
        if part.scale.declared:
            yield from _from_scale(part.scale, name)
        estimates = [side.estimate for side in part.overall.sides if side.estimate.defined]
        if estimates:
            method = "; ".join(variant(estimate) for estimate in estimates)
            score = "; ".join(
                f"{estimate.title} {with_interval(estimate)}" for estimate in estimates
            )
            stem = f"{ELICITED}-inter_annotator-agreement"
            yield SheetAnswer(stem, method, criterion=name)
            yield SheetAnswer(f"{stem}_score", score, criterion=name)
    yield from _compared_systems(report)
    yield from _retests(report)


def _compared_systems(report: Report) -> Iterator[SheetAnswer]:
    """How ratings became scores of systems, and how these were tested."""
    for one in report.systems.criteria if report.systems is not None else ():
        scores = "The mean of the ratings of each system, over its items and judges."
        if one.compared != "means":
            scores += f" Systems are compared by their {one.compared}."
        yield SheetAnswer(f"{ELICITED}-response_aggregation", scores, criterion=one.name)
        tested = one.significance
        if tested is not None and one.testable:
            method = (
                f"Differences between the {one.compared} of systems, in points of the scale; "
                f"{tested.procedure} at {tested.alpha:g}, with the error of the {tested.error}."
            )
            yield SheetAnswer(f"{ELICITED}-effect_size_method", method, criterion=one.name)


def _retests(report: Report) -> Iterator[SheetAnswer]:
    for part in report.stability.criteria if report.stability is not None else ():
        if part.alpha is not None and part.alpha.defined:
            stem = f"{ELICITED}-intra_annotator-intra_annotator_agreement"
            method = f"{variant(part.alpha)} of first and second ratings"
            yield SheetAnswer(stem, method, criterion=part.name)
            yield SheetAnswer(f"{stem}_score", with_interval(part.alpha), criterion=part.name)
