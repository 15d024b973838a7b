"""What a round refuses: with the reason, a way on, and nothing lost."""

from dataclasses import replace
from html import unescape

import pytest

from covary.study.model import TrainingSettings
from tests.web import in_training, studies
from tests.web.client import heading, hidden
from tests.web.in_training import RULE, Room, edit

JSON = {"Accept": "application/json"}


@pytest.fixture
def room(store, tmp_path):
    opened = Room(store, in_training.study(tmp_path))
    yield opened
    opened.close()


def test_a_training_set_with_the_text_of_an_evaluation_item_is_refused_by_name(store, tmp_path):
    made = in_training.study(tmp_path)
    copied = replace(made.items[-1], id="copied", texts=(studies.TEXTS[0],), set=9)
    room = Room(store, replace(made, items=(*made.items, copied)))
    room.researcher.begin(1, 2, 3)
    refused = room.researcher.do("/open", set="9")
    assert refused.status_code == 409
    assert heading(refused) == "This was not done"
    assert "copied (the text of sys-alpha-1)" in unescape(refused.text)
    assert 'href="/researcher/rounds"' in refused.text
    assert room.cycle.phase == "ready"
    room.close()


def test_a_set_that_an_earlier_round_used_is_not_offered_and_is_refused(room):
    room.agreed()
    page = room.researcher.rounds("/edit")
    room.researcher.post("/researcher/rounds/edit", data=edit(page))
    assert "Set 2, 2 items" in room.researcher.rounds().text
    assert "Set 1, 2 items" not in room.researcher.rounds().text
    refused = room.researcher.do("/open", set="1")
    assert refused.status_code == 409
    assert "were in the training set of round 1" in refused.text
    assert room.researcher.do("/open", set="77").status_code == 409
    assert room.researcher.do("/open", set="x").status_code == 422


def test_one_judge_alone_cannot_begin(room):
    refused = room.researcher.begin(2)
    assert refused.status_code == 409
    assert "at least two judges" in refused.text
    assert room.cycle.phase == "new"
    assert room.researcher.rounds("/manual").url.path == "/researcher/rounds"


def test_nobody_moves_on_before_every_judge_has_finished(room):
    room.begun()
    ann = room.judges["Ann"]
    ann.rate({"Question 1.1?": 1, "Question 1.2?": 2})
    ann.finish()
    assert "Waiting for Bo (Judge B) and Cy (Judge C) to finish." in room.researcher.rounds().text
    refused = room.researcher.do("/move-on", to="socialisation")
    assert refused.status_code == 409
    assert "Bo, Cy have not finished round 1" in refused.text
    assert room.researcher.do("/move-on", to="combination").status_code == 409
    assert room.researcher.do("/move-on", to="nowhere").status_code == 409
    assert room.cycle.phase == "internalisation"


def test_a_judge_who_has_not_rated_everything_cannot_finish(room):
    room.begun()
    ann = room.judges["Ann"]
    form = hidden(ann.page("/judge/round").text) | {"once": "0" * 16}
    ann.post("/judge/round/next", data=form | {"rating-0": "2"})
    shown = ann.post("/judge/round/finish", data=form, follow_redirects=True)
    assert heading(shown) == "Item 2 of 2"
    assert room.cycle.round.finished == ()


def test_an_item_without_an_answer_is_not_left(room):
    room.begun()
    ann = room.judges["Ann"]
    shown = ann.post("/judge/round/next", data=hidden(ann.page("/judge/round").text))
    assert shown.status_code == 422
    assert "Please answer what is marked" in shown.text


def test_an_undiscussed_item_keeps_the_round_unless_it_is_set_aside_with_a_reason(room):
    room.compared()
    assert "1 difference has no entry yet" in room.researcher.rounds().text
    refused = room.researcher.do("/move-on", to="externalisation")
    assert refused.status_code == 409
    assert "sys-b-set1-1 (relevance)" in refused.text
    blank = room.researcher.do("/set-aside", round="1", mark="1", reason="  ")
    assert blank.status_code == 409
    assert "say why" in blank.text.lower()
    room.researcher.do("/set-aside", round="1", mark="1", reason="The sentence was cut off.")
    assert "Set aside: The sentence was cut off." in room.judges["Ann"].page().text
    moved = room.researcher.do("/move-on", to="externalisation")
    assert heading(moved) == "Round 1: propose"


def test_an_empty_entry_comes_back_with_the_reason(room):
    room.compared()
    for text in ("", "   \n "):
        refused = room.judges["Ann"].form("/say", "/mark/1/1", text=text)
        assert refused.status_code == 422
        assert "Write a sentence or two first" in refused.text
    assert room.cycle.round.said == ()


def test_a_proposal_needs_words_and_a_cause_and_keeps_what_was_written(room):
    room.discussed()
    ann = room.judges["Ann"]
    assert ann.form("/propose", "/proposals", text=" ", **{"mark-1": "1"}).status_code == 422
    refused = ann.form("/propose", "/proposals", text="Ask <b>whether</b> it can be answered.")
    assert refused.status_code == 422
    assert "Tick at least one item" in refused.text
    assert "Ask &lt;b&gt;whether&lt;/b&gt; it can be answered.</textarea>" in refused.text
    ann.form("/propose", "/proposals", text="Ask.", **{"mark-1": "1"})
    undecided = room.judges["Bo"].form("/agree", "/proposals", proposal="1", remark="Hm.")
    assert undecided.status_code == 422
    assert "Hm.</textarea>" in undecided.text
    unknown = room.judges["Bo"].form("/agree", "/proposals", proposal="9", agrees="no")
    assert unknown.status_code == 422
    waiting = room.researcher.do("/move-on", to="combination")
    assert waiting.status_code == 409
    assert "proposal 1 (Bo, Cy)" in waiting.text


def test_an_objection_stands_and_the_proposal_cannot_become_a_rule(room):
    room.discussed()
    room.judges["Bo"].form("/propose", "/proposals", text=RULE, **{"mark-1": "1"})
    room.judges["Ann"].form("/agree", "/proposals", proposal="1", agrees="no", remark="Too much.")
    room.judges["Cy"].form("/agree", "/proposals", proposal="1", agrees="yes")
    shown = room.judges["Bo"].page()
    assert "no consensus" in shown.text
    assert "Judge A" in shown.text
    room.researcher.do("/move-on", to="combination")
    page = room.researcher.rounds("/edit")
    refused = room.researcher.post("/researcher/rounds/edit", data=edit(page))
    assert refused.status_code == 422
    assert "names no proposal" in refused.text
    assert f"{RULE}\n</textarea>" in refused.text
    assert len(room.cycle.editions) == 1


def test_what_does_not_fit_is_told_to_scripts_as_json(room):
    room.begun()
    found = hidden(room.researcher.rounds().text)
    form = {"token": found["token"], "once": found["once"], "to": "combination"}
    told = room.researcher.post("/researcher/rounds/move-on", data=form, headers=JSON)
    assert told.status_code == 409
    assert told.json()["error"] == "This was not done"
    assert told.json()["advice"].startswith("After ‘Rate alone’ comes ‘Discuss’")
    asked = room.judges["Ann"].get("/judge/round/differences", headers=JSON)
    assert asked.status_code == 409
    assert asked.json()["error"]


def test_the_rule_ends_the_training_only_when_it_is_met(store, tmp_path):
    wish = TrainingSettings(share=0.5, at_least=0.1)
    room = Room(store, in_training.study(tmp_path, training=wish))
    room.begun().rated(Bo=(4, 1), Ann=(1, 4), Cy=(1, 4))
    assert room.researcher.do("/stop", by="rule").status_code == 409
    room.researcher.do("/move-on", to="socialisation")
    refused = room.researcher.do("/stop", by="rule")
    assert refused.status_code == 409
    assert "The stop rule is not met" in refused.text
    assert "End by the rule" not in room.researcher.rounds().text
    assert room.researcher.do("/stop", by="researcher", reason="").status_code == 409
    room.close()


def test_the_rule_ends_it_when_few_differences_are_left(store, tmp_path):
    wish = TrainingSettings(share=0.5, at_least=0.1)
    room = Room(store, in_training.study(tmp_path, training=wish))
    room.compared(Bo=(1, 2))
    assert "training may end" in room.researcher.rounds().text
    ended = room.researcher.do("/stop", by="rule")
    assert heading(ended) == "The training has ended"
    assert "the stop rule was met" in ended.text
    late = room.judges["Ann"].get("/judge/round")
    assert (late.status_code, late.headers["location"]) == (303, "/judge")
    room.close()
