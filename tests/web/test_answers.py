"""Answers are saved once, in order, and only where they belong."""

import json
from datetime import datetime

import pytest

from covary.store import Store
from covary.study.model import Item, Session
from covary.web.guard import Limit
from covary.web.site import Site
from tests.store.clock import Clock
from tests.web import studies
from tests.web.client import hidden


@pytest.fixture
def judge(enter, tmp_path):
    one = enter(studies.bare(tmp_path, studies.VERBAL, studies.VISUAL))
    one.enter()
    return one


def test_an_answer_is_durable_when_the_page_is_told_so(judge, tmp_path):
    assert judge.save("6").json() == {"saved": True, "late": False}
    with Store.open(tmp_path / "study.db") as other:
        (answer,) = other.answers.current(1).values()
    assert (answer.rating, answer.position, answer.criterion) == (6, 1, "Fluency")
    assert (answer.touched, answer.sequence) == (True, 1)
    assert answer.shown_at < answer.answered_at


def test_nobody_looks_at_a_page_longer_than_it_has_been_out(judge, store, monkeypatch):
    clock = Clock()
    ahead = type("datetime", (datetime,), {"now": staticmethod(clock.now)})
    monkeypatch.setattr("covary.web.guard.datetime", ahead)
    assert judge.save("6", seconds=1000.0).status_code == 200
    first = store.answers.at(1, 1, 1)[-1]
    assert first.seconds <= (first.answered_at - first.shown_at).total_seconds() + 0.001
    page = hidden(judge.page().text)["page"]
    clock.go_on(seconds=30)
    for sequence, (said, kept) in enumerate([(12.5, 12.5), (29, 29)], 2):
        assert judge.save("5", page=page, seconds=said, sequence=sequence).status_code == 200
        assert store.answers.at(1, 1, 1)[-1].seconds == kept
    clock.go_on(hours=-1)  # the clock is set back: there is nothing to compare with
    assert judge.save("4", page=page, seconds=50, sequence=9).status_code == 200
    assert store.answers.at(1, 1, 1)[-1].seconds == 50


def test_the_same_answer_twice_is_one_answer(judge, store):
    page = hidden(judge.page().text)["page"]
    for _ in range(2):
        assert judge.save("6", page=page, key="k").status_code == 200
    assert len(list(store.answers.log())) == 1


def test_one_key_for_two_answers_is_refused(judge, store):
    page = hidden(judge.page().text)["page"]
    judge.save("6", page=page, key="k")
    assert judge.save("2", page=page, key="k").status_code == 422
    assert [answer.rating for answer in store.answers.current(1).values()] == [6]


def test_an_answer_that_was_overtaken_does_not_count(judge, store):
    page = hidden(judge.page().text)["page"]
    assert judge.save("6", page=page, sequence=2).json() == {"saved": True, "late": False}
    assert judge.save("1", page=page, sequence=1).json() == {"saved": True, "late": True}
    assert [answer.rating for answer in store.answers.current(1).values()] == [6]


def test_next_has_the_last_word_over_a_save_that_comes_after_it(judge, store):
    fields = hidden(judge.page().text)
    form = fields | {"rating-0": "7", "rating-1": "20", "touched-1": "1", "sequence": "5"}
    judge.post("/judge/next", data=form)
    late = {"position": 1, "criterion": "Fluency", "rating": "1", "page": fields["page"],
            "sequence": 4, "key": "k"}  # fmt: skip
    answer = judge.post("/judge/answer", json=late, headers={"X-Covary-Token": fields["token"]})
    assert answer.json() == {"saved": True, "late": True}
    assert store.answers.current(1)[1, "Fluency"].rating == 7


BAD = {
    "position of nobody": {"position": 99},
    "position zero": {"position": 0},
    "position below zero": {"position": -1},
    "position as text": {"position": "one"},
    "position true": {"position": True},
    "position missing": {"position": None},
    "position huge": {"position": 10**30},
    "foreign criterion": {"criterion": "Adequacy"},
    "no criterion": {"criterion": None},
    "criterion as list": {"criterion": ["Fluency"]},
    "off the scale": {"rating": "8"},
    "below the scale": {"rating": "0"},
    "between categories": {"rating": 3.5},
    "no rating": {"rating": None},
    "rating true": {"rating": True},
    "rating as list": {"rating": ["3"]},
    "rating as object": {"rating": {"$gt": 0}},
    "rating with a surrogate": {"rating": "\ud800"},
    "untouched category": {"touched": False},
    "touched as text": {"touched": "yes"},
    "no page": {"page": None},
    "made-up page": {"page": "0123456789abcdef-19"},
    "page with a surrogate": {"page": "\ud800"},
    "page without seal": {"page": ""},
    "sequence below zero": {"sequence": -1},
    "sequence as fraction": {"sequence": 1.5},
    "sequence too large": {"sequence": 10**12},
    "no key": {"key": ""},
    "long key": {"key": "k" * 101},
    "odd key": {"key": "k\n"},
    "key as number": {"key": 7},
    "line off its end": {"criterion": "Clarity", "rating": 100.1},
    "line before its start": {"criterion": "Clarity", "rating": -0.1},
    "line nowhere": {"criterion": "Clarity", "rating": "NaN"},
    "line far away": {"criterion": "Clarity", "rating": 1e400},
}


@pytest.mark.parametrize("change", BAD.values(), ids=BAD)
def test_what_does_not_belong_is_refused_and_nothing_is_stored(judge, store, change):
    fields = hidden(judge.page().text)
    body = {"position": 1, "criterion": "Fluency", "rating": "3", "page": fields["page"],
            "sequence": 1, "key": "k"}  # fmt: skip
    headers = {"X-Covary-Token": fields["token"], "Content-Type": "application/json"}
    answer = judge.post("/judge/answer", content=json.dumps(body | change), headers=headers)
    assert answer.status_code == 422
    assert "error" in answer.json()
    assert list(store.answers.log()) == []
    assert judge.post("/judge/answer", json=body, headers=headers).status_code == 200


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"nonsense", b"[]", b'"text"', b"null", b"1", b"\xff\xfe", b"[" * 50_000,
     b'{"position": 1', b"position=1"],
    ids=range(11),
)  # fmt: skip
def test_what_is_no_json_object_is_refused(judge, store, body):
    headers = {"X-Covary-Token": hidden(judge.page().text)["token"]}
    assert judge.post("/judge/answer", content=body, headers=headers).status_code == 400
    assert list(store.answers.log()) == []


@pytest.mark.parametrize("seconds", [-1, 1e9, "x", None, [], True, "inf"], ids=repr)
def test_a_time_that_makes_no_sense_is_not_kept_but_the_answer_is(judge, store, seconds):
    assert judge.save("3", seconds=seconds).status_code == 200
    (answer,) = store.answers.current(1).values()
    assert answer.seconds is None


def test_a_page_of_one_item_saves_no_other_item(judge, store):
    page = hidden(judge.page().text)["page"]
    judge.send("next", rating_0="3", rating_1="20", touched_1="1")
    before = len(list(store.answers.log()))
    assert judge.save("5", page=page, position=2).status_code == 422
    assert judge.save("5", position=1).status_code == 422
    assert len(list(store.answers.log())) == before


def test_an_item_further_on_is_not_answered_yet(judge, store):
    assert judge.save("5", position=3).status_code == 422
    form = hidden(judge.page().text) | {"position": "3", "rating-0": "3"}
    assert judge.post("/judge/next", data=form).status_code == 422
    assert list(store.answers.log()) == []


def test_an_item_that_was_left_is_not_changed_where_nobody_goes_back(enter, tmp_path, store):
    judge = enter(studies.bare(tmp_path, session=Session(go_back=False)))
    fields = hidden(judge.enter().text)
    judge.send("next", rating_0="3")
    saving = {"position": 1, "criterion": "Fluency", "rating": "7", "page": fields["page"],
              "sequence": 9, "key": "k"}  # fmt: skip
    answer = judge.post("/judge/answer", json=saving, headers={"X-Covary-Token": fields["token"]})
    assert answer.status_code == 409
    assert store.answers.current(1)[1, "Fluency"].rating == 3


@pytest.mark.parametrize("path", ["answer", "next", "consent", "remarks"])
@pytest.mark.parametrize("announced", [True, False])
def test_a_body_that_is_too_large_is_refused_before_it_is_read(judge, store, path, announced):
    body = b"x" * 70_000
    content = body if announced else iter_bytes(body)
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = judge.post(f"/judge/{path}", content=content, headers=headers)
    assert answer.status_code == 413
    assert list(store.answers.log()) == []


async def iter_bytes(body):
    for start in range(0, len(body), 1000):
        yield body[start : start + 1000]


@pytest.mark.parametrize("kind", ["text/plain", "multipart/form-data", "application/json", ""])
def test_a_form_of_another_kind_stores_nothing(judge, store, kind):
    headers = {"Content-Type": kind}
    answer = judge.post("/judge/next", content=b"position=1&rating-0=3", headers=headers)
    assert answer.status_code in (400, 403)
    assert list(store.answers.log()) == []


def test_two_judges_with_one_key_do_not_meet(enter, tmp_path, store):
    one, other = enter(studies.bare(tmp_path), judges=2)
    one.enter()
    other.enter()
    assert one.save("3", key="k").status_code == 200
    assert other.save("5", key="k").status_code == 200
    assert [store.answers.current(judge)[1, "Fluency"].rating for judge in (1, 2)] == [3, 5]


def test_answers_of_an_abandoned_sheet_are_not_added_to(enter, tmp_path, store):
    judge = enter(studies.bare(tmp_path))
    fields = hidden(judge.enter().text)
    store.sheets.reclaim(1)
    saving = {"position": 1, "criterion": "Fluency", "rating": "7", "page": fields["page"],
              "sequence": 9, "key": "k"}  # fmt: skip
    answer = judge.post("/judge/answer", json=saving, headers={"X-Covary-Token": fields["token"]})
    assert answer.status_code == 422
    assert list(store.answers.log()) == []


def test_a_judge_who_hurries_beyond_reason_is_slowed_down(enter, tmp_path, monkeypatch):
    usual = Site.usual_pace()
    at_once = Limit(usual.per_second, usual.burst, clock=lambda: 0.0)  # however busy the machine is
    monkeypatch.setattr(Site, "usual_pace", lambda: at_once)
    judge = enter(studies.bare(tmp_path))
    judge.enter()
    codes = [judge.page().status_code for _ in range(usual.burst)]
    assert codes[0] == 200
    assert codes[-1] == 429


def test_an_answer_is_about_the_picture_that_the_page_has_shown(enter, tmp_path, store):
    """A file may be exchanged while the study is served; a page that showed the old one is void."""
    picture = tmp_path / "plot.png"
    picture.write_bytes(b"the first")
    judge = enter(studies.bare(tmp_path, items=(Item("i", ("Rain.",), image="plot.png"),)))
    old = hidden(judge.enter().text)["page"]
    assert judge.save("3", page=old).status_code == 200
    picture.write_bytes(b"the second")
    assert judge.save("4", page=old, sequence=2).status_code == 422
    assert judge.save("5", sequence=3).status_code == 200
    first, second = (answer for _, _, answer in store.answers.log())
    assert (first.rating, second.rating) == (3, 5)
    assert first.item_version != second.item_version


def test_no_form_takes_a_file(judge, store):
    fields = hidden(judge.page().text) | {"rating-0": "3", "rating-1": "20", "touched-1": "1"}
    sent = judge.post("/judge/next", data=fields, files={"paper": ("paper.txt", b"words")})
    assert sent.status_code == 400
    assert list(store.answers.log()) == []
