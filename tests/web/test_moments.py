"""How long what is remembered is relied on, by a clock that the test turns."""

from types import SimpleNamespace

import pytest

from covary.study.manual import edition_of
from covary.web import session_cache
from covary.web.serving import metrics
from covary.web.serving.metrics import Metrics, Readiness
from covary.web.session_cache import ManualInForce, SessionCache
from tests.web import in_training, studies


@pytest.fixture
def now(monkeypatch):
    moment = [100.0]
    clock = SimpleNamespace(monotonic=lambda: moment[0])
    monkeypatch.setattr(session_cache, "time", clock)
    monkeypatch.setattr(metrics, "time", clock)
    return moment


def test_whether_a_server_is_ready_is_looked_up_at_most_once_in_a_second(now):
    looked = []
    store = SimpleNamespace(check_ready=lambda: looked.append(now[0]))
    ready = Readiness(store, Metrics())
    for now[0] in (100.0, 100.9, 101.0, 101.1, 102.0, 102.2):
        assert ready.answer(None).status_code == 200
    assert looked == [100.0, 101.1, 102.2]


def test_a_server_that_is_not_ready_looks_again_after_a_second_and_says_so_meanwhile(now, caplog):
    broken = [True]

    def check():
        if broken[0]:
            raise OSError("full")

    ready = Readiness(SimpleNamespace(check_ready=check), Metrics())
    assert ready.answer(None).status_code == 503
    broken[0] = False
    assert ready.answer(None).status_code == 503
    now[0] += 1.1
    assert ready.answer(None).status_code == 200
    assert len(caplog.records) == 1


def test_the_manual_in_force_is_read_again_after_two_seconds_and_not_before(now, tmp_path):
    study, read = in_training.study(tmp_path), []
    editions = [edition_of(study)]
    training = SimpleNamespace(
        cycle=lambda: read.append(now[0]) or SimpleNamespace(editions=tuple(editions))
    )
    manual = ManualInForce(study, training)
    assert manual.known is study
    for now[0] in (100.0, 101.9, 102.0, 103.9, 104.0):
        manual.lately()
    assert read == [100.0, 102.0, 104.0]
    first = manual.known
    assert manual.now() is first, "the same edition makes the same study"
    editions.clear()
    assert manual.now() is study


@pytest.mark.parametrize(
    ("since_read", "since_look", "state", "mark", "recent"),
    [
        (1.9, None, "open", "a", True),
        (2.0, None, "open", "a", False),
        (9.0, 1.9, "open", "a", True),
        (9.0, 2.0, "open", "a", False),
        (9.0, 1.0, "paused", "a", False),
        (9.0, 1.0, "open", "b", False),
        (9.0, 1.0, "open", None, False),
    ],
)
def test_a_judge_is_relied_on_for_two_seconds_after_a_reading_or_a_look_that_saw_no_change(
    now, tmp_path, since_read, since_look, state, mark, recent
):
    sessions = SessionCache(ManualInForce(studies.bare(tmp_path), None), None)
    seat = SimpleNamespace(
        read_at=now[0] - since_read, state="open", mark="a", judge=SimpleNamespace(id=1)
    )
    if since_look is not None:
        marks = {} if mark is None else {1: mark}
        sessions._pulse = SimpleNamespace(state=state, marks=marks)
        sessions._confirmed_at = now[0] - since_look
    assert sessions._is_recent(seat) is recent


def test_those_who_came_first_are_forgotten_first(monkeypatch):
    monkeypatch.setattr(session_cache, "MOST_AT_WORK", 2)
    remembered = session_cache.OrderedDict.fromkeys("abc")
    session_cache._forget_oldest(remembered)
    assert list(remembered) == ["b", "c"]
