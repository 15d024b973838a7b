"""Judges and a researcher go through whole rounds over HTTP."""

import re
from dataclasses import replace

import pytest

from tests.web import in_training, studies
from tests.web.client import heading, hidden
from tests.web.in_training import RULE, Room, edit


@pytest.fixture
def room(store, tmp_path):
    opened = Room(store, in_training.study(tmp_path))
    yield opened
    opened.close()


def test_a_whole_round_and_the_next(room):
    begin = room.researcher.rounds()
    assert heading(begin) == "Train judges and improve the guidelines"
    assert heading(room.researcher.begin(1, 2, 3)) == "Ready for the first round"
    assert heading(room.researcher.do("/open", set="1")) == "Round 1: rate alone"
    ann = room.judges["Ann"]
    assert heading(ann.enter()) == "Guidelines"
    assert heading(ann.go_on()) == "Item 1 of 2"
    room.rated_by_form()
    assert heading(ann.page()) == "Everybody has finished"
    assert "Every judge has finished" in room.researcher.rounds().text
    room.researcher.do("/move-on", to="socialisation")
    assert heading(ann.page()) == "Where you differ"
    said = ann.form("/say", "/mark/1/1", text="It is about the sentence.")
    assert heading(said) == "Item 1: relevance"
    assert "It is about the sentence." in room.judges["Bo"].page("/judge/round/mark/1/1").text
    room.researcher.do("/move-on", to="externalisation")
    room.judges["Bo"].form("/propose", "/proposals", text=RULE, **{"mark-1": "1"})
    for name in ("Ann", "Cy"):
        room.judges[name].form("/agree", "/proposals", proposal="1", agrees="yes", remark="Good.")
    assert "consensus" in room.researcher.rounds("/proposals").text
    room.researcher.do("/move-on", to="combination")
    blocked = room.researcher.rounds()
    assert "Proposal 1 is accepted and not in the guidelines yet" in blocked.text
    page = room.researcher.rounds("/edit")
    saved = room.researcher.post("/researcher/rounds/edit", data=edit(page), follow_redirects=True)
    assert heading(saved) == "The guidelines, version 2"
    assert "Open round 2" in room.researcher.rounds().text
    room.researcher.do("/open", set="2")
    assert heading(ann.page()) == "Guidelines"
    assert RULE in ann.page().text
    room.rated_by_form(Bo=(1, 2))
    room.researcher.do("/move-on", to="socialisation")
    assert "training goes on" in room.researcher.rounds().text  # two items prove little
    ended = room.researcher.do("/stop", by="researcher", reason="It is only a test.")
    assert heading(ended) == "The training has ended"
    assert heading(ann.page()) == "Item 1 of 3"
    assert [each.number for each in room.cycle.rounds] == [1, 2]


def test_judges_who_train_rate_everything_whatever_is_optional_afterwards(store, tmp_path):
    """They train to agree, and agreement is counted over all of them and all items."""
    lax = replace(in_training.RELEVANCE, cannot_judge=True, optional=True)
    opened = Room(store, in_training.study(tmp_path, lax)).begun()
    ann = opened.judges["Ann"]
    page = ann.page("/judge/round")
    assert heading(page) == "Item 1 of 2"
    assert "I cannot judge this" not in page.text
    for nothing in ({}, {"cannot-0": "1"}):
        refused = ann.post("/judge/round/next", data=hidden(page.text) | nothing)
        assert refused.status_code == 422
    assert opened.cycle.round.ratings == {}
    opened.close()


def test_judges_of_the_evaluation_answer_under_the_newest_edition(room, store):
    room.agreed()
    _, token = store.judges.add("Dee")
    outsider = in_training.Trainee(room.app, "Dee", token)
    outsider.arrive()
    old = room.study.manual.version
    assert outsider.save("2").status_code == 200
    page = room.researcher.rounds("/edit")
    room.researcher.post("/researcher/rounds/edit", data=edit(page))
    refused = outsider.post("/judge/answer", json={}, headers={"X-Covary-Token": "x"})
    assert refused.status_code == 403
    assert heading(outsider.page()) == "Guidelines"
    assert RULE in outsider.page().text
    outsider.go_on()
    assert outsider.save("3").status_code == 200
    answers = [answer.manual for _, _, answer in store.answers.log()]
    assert answers == [old, room.cycle.edition.version]
    assert answers[0] != answers[1]
    outsider.close()


def test_with_several_parts_every_item_is_rated_in_each(store, tmp_path):
    words = replace(in_training.RELEVANCE, part="words")
    line = replace(studies.YES, part="yes or no")
    made = in_training.study(tmp_path, words, line, parts=("words", "yes or no"))
    room = Room(store, made).begun()
    ann = room.judges["Ann"]
    asked = []
    for place in range(1, 5):
        page = ann.page("/judge/round")
        assert heading(page) == f"Item {place} of 4"
        asked.append(re.search(r'data-criterion="([^"]*)"', page.text)[1])
        ann.post("/judge/round/next", data=hidden(page.text) | {"rating-0": "1"})
    assert asked == ["relevance (words)"] * 2 + ["True (yes or no)"] * 2
    assert heading(ann.page("/judge/round")) == "You have rated every item"
    given = room.cycle.round.ratings
    assert [set(each) for each in given.values()] == [{"relevance (words)", "True (yes or no)"}] * 2
    room.close()


def test_a_preference_means_the_same_text_whichever_stands_left(store, tmp_path):
    made = in_training.study(tmp_path, studies.BETTER, sets=1, items=8)
    pairs = tuple(
        replace(each, texts=(f"First of {each.id}.", f"Second of {each.id}."))
        if each.kind == "training" else each
        for each in made.items
    )  # fmt: skip
    room = Room(store, replace(made, items=pairs)).begun()
    lefts = set()
    for judge in room.judges.values():
        for _ in range(8):
            page = judge.page("/judge/round")
            left = re.search(r'<div class="judged[^"]*" dir="auto"[^>]*>(.*?)</div>', page.text)[1]
            lefts.add(left.split()[0])
            chosen = "left" if left.startswith("Second") else "right"
            judge.post("/judge/round/next", data=hidden(page.text) | {"rating-0": chosen})
    assert lefts == {"First", "Second"}
    ratings = [given["Better"] for given in room.cycle.round.ratings.values()]
    assert ratings == ["B"] * 24
    room.close()


def test_each_judge_has_an_order_of_their_own_that_stays(store, tmp_path):
    room = Room(store, in_training.study(tmp_path, items=9)).begun()

    def order(judge):
        pages = [judge.page(f"/judge/round/item/{place}").text for place in range(1, 10)]
        return [re.search(r"Question 1\.(\d)", page)[1] for page in pages]

    orders = [order(judge) for judge in room.judges.values()]
    assert order(room.judges["Ann"]) == orders[0]
    assert all(sorted(each) == list("123456789") for each in orders)
    assert len({tuple(each) for each in orders}) > 1
    room.close()
