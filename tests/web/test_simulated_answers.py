"""What a simulated judge sends from a page, and how long it waits: without a server."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from covary.design.plan import Task
from covary.errors import CovaryError
from covary.scales import CannotJudge
from covary.study.model import Condition, Session
from covary.study.simulated_judges import Quality, SimulatedJudge
from covary.web.serving import simulation
from covary.web.serving.simulation import (
    AnsweredPage,
    PageForm,
    PageVisitor,
    VisitedPage,
    _as_sent,
    _leave,
    answer_page,
    without_waiting,
)
from tests.web import studies

JUDGE = SimulatedJudge(7, Quality())


class Visitor:
    """Keeps what is sent, and answers as it is told to."""

    def __init__(self, *statuses):
        self.statuses, self.saved, self.sent, self.got = iter(statuses), [], [], []

    def send_json(self, path, token, values):
        self.saved.append((path, token, values))
        return next(self.statuses, 200)

    def send(self, form, **values):
        self.sent.append((form.action, form.values | values))
        return VisitedPage(form.action, next(self.statuses, 200), "")

    def get(self, path):
        self.got.append(path)
        return VisitedPage(path, 200, "")


def page_of(study, visitor, judge=JUDGE, **values):
    form = PageForm("/judge/next", {"token": "t", "page": "p", "position": "1"} | values)
    return AnsweredPage(visitor, study, judge, form)


def task(study, position=1, **more):
    return Task(position, study.items[0].id, part=study.parts[0], **more)


def test_each_criterion_is_saved_as_it_is_met_and_the_form_holds_all_of_them(tmp_path):
    study = studies.bare(tmp_path, studies.VERBAL, studies.VISUAL, studies.YES)
    visitor = Visitor()
    fields = page_of(study, visitor).rate(task(study, 3))
    assert [path for path, _, _ in visitor.saved] == ["/judge/answer"] * 3
    assert [token for _, token, _ in visitor.saved] == ["t"] * 3
    sent = [values for _, _, values in visitor.saved]
    assert [each["criterion"] for each in sent] == ["Fluency", "Clarity", "True"]
    assert [each["sequence"] for each in sent] == [1, 2, 3]
    assert [each["key"] for each in sent] == ["7.3.0", "7.3.1", "7.3.2"]
    assert {(each["position"], each["page"], each["touched"]) for each in sent} == {(3, "p", True)}
    (seconds,) = {each["seconds"] for each in sent}
    assert fields["seconds"] == f"{seconds:.1f}"
    assert fields["sequence"] == "4"
    assert [fields[f"rating-{n}"] for n in range(3)] == [str(each["rating"]) for each in sent]
    assert fields["touched-1"] == "1"
    assert not {"touched-0", "touched-2"} & set(fields)


def test_a_turn_of_a_dialogue_names_its_fields_by_its_place_and_counts_its_scales_on(tmp_path):
    study = studies.bare(tmp_path, studies.VERBAL, studies.YES)
    visitor = Visitor()
    page = page_of(study, visitor, **{"page.2": "q"})
    fields = page.rate(task(study, 5), ".2", first=4)
    assert set(fields) == {"seconds.2", "sequence.2", "rating-4", "rating-5"}
    assert {values["page"] for _, _, values in visitor.saved} == {"q"}
    assert [values["sequence"] for _, _, values in visitor.saved] == [1, 2]


def test_the_turns_of_a_dialogue_are_rated_one_after_another(tmp_path):
    study = studies.bare(tmp_path, studies.VERBAL, studies.YES)
    visitor, sheet = Visitor(), studies.sheet(studies.bare(tmp_path, studies.VERBAL, studies.YES))
    values = {"turns": "2", "position.0": "2", "position.1": "3", "page.0": "a", "page.1": "b"}
    form = PageForm("/judge/dialogue", values | {"token": "t"})
    answer_page(visitor, study, sheet=sheet, judge=JUDGE, form=form)
    assert [(v["position"], v["page"], v["sequence"]) for _, _, v in visitor.saved] == [
        (2, "a", 1), (2, "a", 2), (3, "b", 1), (3, "b", 2),
    ]  # fmt: skip
    ((action, sent),) = visitor.sent
    assert action == "/judge/dialogue"
    assert {f"rating-{n}" for n in range(4)} <= set(sent)


def test_a_follow_up_is_answered_only_where_it_is_asked(tmp_path):
    follow = replace(studies.YES, when=Condition("Fluency", ()))
    study = studies.bare(tmp_path, studies.VERBAL, follow)
    for answers, asked in (((), 1), (tuple(range(1, 8)), 2)):
        when = replace(follow, when=Condition("Fluency", answers))
        visitor = Visitor()
        page_of(replace(study, criteria=(studies.VERBAL, when)), visitor).rate(task(study))
        assert len(visitor.saved) == asked


def test_a_hidden_repeat_is_answered_anew_and_an_occasion_too(tmp_path):
    study = studies.bare(tmp_path, studies.VISUAL)
    judge = SimulatedJudge(1, Quality(), noise=0.3)

    def rated(*given, **more):
        fields = page_of(study, Visitor(), judge).rate(task(study, *given, **more))
        return float(fields["rating-0"])

    item = study.items[0]
    repeat, second = (judge.answer(studies.VISUAL, item, again) for again in (-4, 2))
    assert rated(4, kind="repeat") == pytest.approx(repeat, abs=0.06)
    assert rated(4, occasion=2) == pytest.approx(second, abs=0.06)
    assert rated(4) == rated(1) != rated(4, kind="repeat")


def test_an_answer_that_is_refused_stops_the_simulation(tmp_path):
    study = studies.bare(tmp_path)
    with pytest.raises(CovaryError) as refused:
        page_of(study, Visitor(422)).rate(task(study, 3))
    assert refused.value.data == {"position": 3, "status": 422}


def test_answers_are_sent_as_the_page_would(tmp_path):
    control = simulation.draw_scale(studies.VERBAL, Task(1, "i")).control
    assert _as_sent(control, CannotJudge("Why?"), 2) == (
        {"cannot-2": "1", "reason-2": "Why?"}, {"cannot_judge": True, "reason": "Why?"},
    )  # fmt: skip
    assert simulation.as_fields("rating-1", [0, 2]) == {"rating-1-0": "1", "rating-1-2": "1"}
    assert simulation.as_fields("rating-1", "5") == {"rating-1": "5"}
    marks = {"best": 2, "worst": 1}
    assert simulation.as_fields("rating-1", marks) == {"rating-1-best": "2", "rating-1-worst": "1"}


@pytest.mark.parametrize(("status", "got"), [(409, ["/judge"]), (200, []), (422, [])])
def test_a_page_that_was_left_already_is_gone_on_from(status, got):
    visitor = Visitor(status)
    page = _leave(visitor, PageForm("/judge/next"), {"a": "b"})
    assert visitor.got == got
    assert page.status == (200 if got else status)


@pytest.mark.parametrize(
    ("action", "values", "choices", "sent"),
    [
        ("/judge/consent", {}, {"agreed": ["no"]}, {"agreed": "yes"}),
        ("/judge/background", {"answer-0": "", "token": "t"}, {}, {"answer-0": "simulated"}),
        ("/judge/background", {"answer-0": ""}, {"answer-0": ["x"]}, {"answer-0": "x"}),
        ("/judge/preferred", {"token": "t"}, {"part": ["1"]}, {"part": "1"}),
        ("/judge/remarks", {"remarks": ""}, {}, {"remarks": ""}),
    ],
)
def test_pages_without_scales_are_answered_with_what_they_offer(action, values, choices, sent):
    visitor = Visitor()
    form = PageForm(action, values, choices)
    answer_page(visitor, None, sheet=None, judge=JUDGE, form=form)
    assert visitor.sent == [(action, values | sent)]


def test_nobody_waits_between_two_occasions(tmp_path):
    study = studies.bare(tmp_path, session=Session(occasion_gap_hours=24, break_every=3))
    hurried = without_waiting(study)
    assert hurried.session == Session(occasion_gap_hours=0, break_every=3)


def test_a_visitor_waits_longer_each_time_and_never_longer_than_a_second(monkeypatch):
    waited, reply = [], (SimpleNamespace(status=200, headers=SimpleNamespace(
        get_all=lambda *_: [], get=lambda _: None)), "ok")  # fmt: skip
    replies = iter([None] * 7 + [reply])
    visitor = PageVisitor("127.0.0.1", 1)
    monkeypatch.setattr(visitor, "_attempt", lambda *_, **__: next(replies))
    monkeypatch.setattr(simulation.time, "sleep", waited.append)
    assert visitor.get("/").text == "ok"
    # by hand: twice as long each time
    assert waited == [0.05, 0.1, 0.2, 0.4, 0.8, 1.0, 1.0]


def test_a_time_on_an_item_is_about_eight_seconds_and_its_own(tmp_path):
    """The median of a lognormal time is its scale; 2,000 draws, six standard errors."""
    many = [simulation._seconds(JUDGE, Task(place, "i")) for place in range(1, 2001)]
    many.sort()
    assert many[1000] == pytest.approx(8.0, rel=0.07)
    spread = many[1682] / many[1000]  # 84.1 % lie below one standard deviation: exp(.4)
    assert spread == pytest.approx(1.49, rel=0.08)
    assert simulation._seconds(JUDGE, Task(1, "i")) == simulation._seconds(JUDGE, Task(1, "j"))
