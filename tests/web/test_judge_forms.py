"""What the forms between items note, and when they note nothing: without a server, form by form."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from covary.study.model import Background, Manual, Session
from covary.web.forms import Refusal
from covary.web.judge import pages
from covary.web.judge.pages import since_last_read, trains
from covary.web.judge_flow import JudgeFlow
from tests.web import studies

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ASKED = tuple(
    Background(f"{ask} {name}", f"How {name}?", options, ask=ask, required=bool(options))
    for ask in ("before", "between", "after")
    for name, options in (("tired", ("not", "very")), ("else", ()))
)


@dataclass(frozen=True)
class Noted:
    kind: str
    data: dict = field(default_factory=dict)
    at: datetime = NOON


@dataclass
class Here:
    """As much of a visit as a form asks for; what is noted is kept."""

    flow: JudgeFlow
    noted: list = field(default_factory=list)
    sheet_number: int = 1

    @property
    def study(self):
        return self.flow.study

    def note(self, kind, data, key=None):
        self.noted.append((kind, data, key))

    def note_at(self, kind, position):
        self.noted.append((kind, position))

    def values(self):
        return {}


@pytest.fixture(autouse=True)
def drawn(monkeypatch):
    """A page is what it is drawn with."""

    def page(name, status=200, **values):
        return SimpleNamespace(name=name, status_code=status, **values)

    monkeypatch.setattr(pages, "page", page)


def left(*positions):
    return tuple(Noted("left", {"sheet": 1, "position": place}) for place in positions)


AGREED, TOLD = Noted("consent", {"agreed": True}), Noted("background")
READ = Noted("guidelines", {"version": "m1"})


def here(study, *notes):
    return Here(JudgeFlow(study, studies.sheet(study), notes, NOON))


@pytest.fixture
def study(tmp_path):
    """Every page between items: questions of each moment, a break after two, remarks."""
    made = studies.study(tmp_path, background=ASKED)
    return replace(made, session=Session(break_every=2, remarks=True, ask_preference=True))


ANSWERS = {"answer-0": "not", "answer-1": " So so. "}


@pytest.mark.parametrize(
    ("notes", "about", "noted"),
    [
        ((AGREED,), None, [("background", {"answers": 0}, "background")]),
        ((AGREED,), "0", [("background", {"answers": 0}, "background")]),
        ((AGREED,), "4", []),
        ((), None, []),
        (
            (AGREED, TOLD, READ, *left(1), Noted("practice-over", {"sheet": 1, "position": 2}),
             *left(2, 3)),
            "4", [("questions", {"answers": 2, "sheet": 1, "position": 4}, "questions:1:4")],
        ),
        (
            (AGREED, TOLD, READ, *left(1, 2, 3, 4)),
            "0", [("questions", {"answers": 4, "sheet": 1, "position": 0}, "questions:1:0")],
        ),
    ],
    ids=["before", "before, said", "of another page", "not yet", "between", "after"],
)  # fmt: skip
def test_questions_are_noted_where_they_were_asked_and_nowhere_else(study, notes, about, noted):
    visit = here(study, *notes)
    form = ANSWERS if about is None else ANSWERS | {"about": about}
    assert pages.take_background(visit, form).headers["location"] == "/judge"
    for kind, data, key in noted:
        names = [question.name for question in ASKED[data["answers"] : data["answers"] + 2]]
        data["answers"] = dict(zip(names, ("not", "So so."), strict=True))
        assert visit.noted == [(kind, data, key)]
    assert len(visit.noted) == len(noted)


def test_what_must_be_answered_is_asked_again_with_what_was_given(study):
    visit = here(study, AGREED)
    again = pages.take_background(visit, {"answer-1": "So."})
    assert (again.name, again.status_code) == ("background", 422)
    assert again.missing == ["before tired"]
    assert again.given == {"before tired": "", "before else": "So."}
    assert [question.name for question in again.questions] == ["before tired", "before else"]
    assert visit.noted == []


@pytest.mark.parametrize(("letters", "status"), [(500, 0), (501, 422)])
def test_an_answer_may_have_five_hundred_letters(study, letters, status):
    visit, form = here(study, AGREED), ANSWERS | {"answer-1": "x" * letters}
    if status:
        with pytest.raises(Refusal):
            pages.take_background(visit, form)
    else:
        pages.take_background(visit, form)
    assert len(visit.noted) == (status == 0)


PRACTISED = (AGREED, TOLD, READ, *left(1))


@pytest.mark.parametrize(
    ("notes", "step", "about", "noted"),
    [
        ((AGREED, TOLD), "guidelines", None,
         [("guidelines", {"version": "m1"}, "guidelines:m1")]),
        ((AGREED, TOLD), "guidelines", "2", []),
        ((AGREED, TOLD), "break", "0", []),
        (PRACTISED, "practice-over", "2", [("practice-over", 2)]),
        (PRACTISED, "practice-over", "3", []),
        (PRACTISED, "practice-over", None, []),
        ((AGREED,), "background", "0", []),
    ],
)  # fmt: skip
def test_going_on_passes_the_page_that_is_shown_and_no_other(study, notes, step, about, noted):
    visit = here(study, *notes)
    form = {"step": step} if about is None else {"step": step, "about": about}
    assert pages.take_continue(visit, form).status_code == 303
    assert visit.noted == noted


@pytest.mark.parametrize(
    ("notes", "agreed", "noted"),
    [((), "yes", True), ((), "no", False), ((Noted("consent", {"agreed": False}),), "yes", True),
     ((AGREED,), "no", None)],
)  # fmt: skip
def test_who_has_agreed_is_not_asked_again(study, notes, agreed, noted):
    visit = here(study, *notes)
    pages.take_consent(visit, {"agreed": agreed})
    said = [("consent", {"agreed": noted, "text": study.consent}, None)]
    assert visit.noted == ([] if noted is None else said)


def test_a_preference_and_remarks_are_noted_when_they_are_asked_for(tmp_path):
    parts = (replace(studies.VERBAL, part="words"), replace(studies.VISUAL, part="line"))
    session = Session(ask_preference=True, remarks=True)
    study = studies.bare(tmp_path, *parts, session=session)
    end = left(*range(1, 7))
    for chosen, part in (("0", "words"), ("1", "line"), ("none", None)):
        visit = here(study, *end)
        pages.take_preferred(visit, {"part": chosen, "reason": " It is. "})
        assert visit.noted == [("preferred", {"part": part, "reason": "It is."}, "preferred")]
        pages.take_remarks(visit, {"remarks": "x"})
        assert len(visit.noted) == 1
    with pytest.raises(Refusal):
        pages.take_preferred(here(study, *end), {"part": "2"})
    visit = here(study, *end, Noted("preferred"))
    pages.take_preferred(visit, {"part": "0"})
    assert visit.noted == []
    pages.take_remarks(visit, {"remarks": " Thanks. "})
    assert visit.noted == [("remarks", {"text": "Thanks."}, "remarks")]


@pytest.mark.parametrize(
    ("address", "finished", "shown", "at_once"),
    [
        ("https://a.example/", False, "https://a.example/", True),
        ("http://a.example/", False, "http://a.example/", True),
        ("https://a.example/", True, "https://a.example/", False),
        ("javascript:alert(1)", False, "", False),
        ("", False, "", False),
    ],
)
def test_the_end_leads_away_at_once_the_first_time_and_only_to_the_web(
    tmp_path, address, finished, shown, at_once
):
    study = studies.bare(tmp_path, session=Session(redirect=address))
    visit = here(study, *left(1, 2, 3), *([Noted("finished", {"sheet": 1})] * finished))
    end = pages._done(visit)
    assert (end.name, end.redirect, end.at_once) == ("done", shown, at_once)
    assert visit.noted == ([] if finished else [("finished", {"sheet": 1}, "finished:1")])


def trained(visit, *editions, phase="internalisation", judges=("Ann",)):
    """A visit of Ann's in a guideline cycle."""
    known = tuple(SimpleNamespace(version=version) for version in editions)
    cycle = SimpleNamespace(phase=phase, judges=judges, editions=known)
    visit.site = SimpleNamespace(training=SimpleNamespace(cycle=lambda: cycle))
    visit.judge = SimpleNamespace(name="Ann")
    return visit


@pytest.mark.parametrize(
    ("versions", "editions", "judges", "expected"),
    [
        ((), ("m1",), ("Ann",), {"changed": False, "compare": ""}),
        (("m0",), ("m1", "m2"), ("Ann",), {"changed": True, "compare": ""}),
        (("m1",), ("m1", "m2"), ("Bo",), {"changed": True, "compare": ""}),
        (("m0", "m1"), ("m1", "m2", "m3"), ("Ann",),
         {"changed": True, "compare": "/judge/round/compare?old=1&new=3"}),
        (("m1", "m2"), ("m1", "m2", "m3"), ("Ann",),
         {"changed": True, "compare": "/judge/round/compare?old=2&new=3"}),
    ],
)  # fmt: skip
def test_who_has_read_older_guidelines_is_told_and_who_trains_may_compare(
    study, versions, editions, judges, expected
):
    notes = tuple(Noted("guidelines", {"version": version}) for version in versions)
    assert since_last_read(trained(here(study, *notes), *editions, judges=judges)) == expected


@pytest.mark.parametrize(
    ("notes", "phase", "judges", "expected"),
    [
        ((), "internalisation", ("Ann",), False),  # consent comes first
        ((AGREED,), "internalisation", ("Ann",), False),
        ((AGREED, TOLD), "internalisation", ("Ann",), False),  # the guidelines come first
        ((AGREED, TOLD), "socialisation", ("Ann",), True),
        ((AGREED, TOLD, READ), "internalisation", ("Ann",), True),
        ((AGREED, TOLD, READ), "internalisation", ("Bo",), False),
        ((AGREED, TOLD, READ), "new", ("Ann",), False),
        ((AGREED, TOLD, READ), "ended", ("Ann",), False),
        ((AGREED, TOLD, READ), "ready", ("Ann",), True),
    ],
)
def test_a_judge_trains_after_consent_questions_and_guidelines_while_the_cycle_runs(
    study, notes, phase, judges, expected
):
    assert trains(trained(here(study, *notes), phase=phase, judges=judges)) is expected


def test_each_step_is_drawn_with_what_it_shows(study):
    blank = replace(study, manual=Manual("", "m1"))
    assert "short texts" in pages._step_values(*at(study))["text"]
    assert pages._step_values(*at(study, AGREED))["given"] == {}
    values = pages._step_values(*at(blank, AGREED, TOLD, *left(1)))
    assert (values["step"].name, values["progress"].place, values["part"]) == (
        "practice-over", 1, None,
    )  # fmt: skip
    reading = here(study, AGREED, TOLD)
    trained(reading, "m1")
    values = pages._step_values(reading, reading.flow.step())
    assert (values["again"], values["changed"]) == (False, False)
    remarks = (AGREED, TOLD, READ, *left(1, 2, 3, 4), Noted("questions", {"position": 0}))
    assert pages._step_values(*at(study, *remarks)) == {}


def at(study, *notes):
    visit = here(study, *notes)
    return visit, visit.flow.step()
