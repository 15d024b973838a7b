"""Discussion by item, what was said beside a proposal, and rating again before the next round."""

import re

import pytest

from covary.scales import VerbalScale
from covary.study.model import Criterion
from covary.training import Finished, MovedOn, Rated
from tests.web import in_training, studies
from tests.web.client import heading
from tests.web.in_training import RELEVANCE, RULE, Room, edit

CLARITY = Criterion("clarity", "How clear is the question?", VerbalScale([1, 2, 3, 4], best="low"))


@pytest.fixture
def room(store, tmp_path):
    opened = Room(store, in_training.study(tmp_path))
    yield opened
    opened.close()


@pytest.fixture
def both(store, tmp_path):
    """Judges who differ on relevance of the first item, and agree on its clarity."""
    opened = Room(store, in_training.study(tmp_path, RELEVANCE, CLARITY))
    opened.begun()
    for name, rank in (("Ann", 1), ("Bo", 4), ("Cy", 1)):
        for place, item in enumerate(opened.cycle.round.items):
            given = {"relevance": 2 if place else rank, "clarity": 3}
            opened.apply(Rated(name, item, given))
        opened.apply(Finished(name))
    opened.researcher.do("/move-on", to="socialisation")
    yield opened
    opened.close()


def test_an_item_is_discussed_with_all_its_criteria(both):
    ann = both.judges["Ann"]
    page = ann.page("/judge/round/talk/1/1")
    assert heading(page) == "Item 1"
    assert "1 of 2 criteria lies too far apart" in page.text
    for words in ("relevance", "clarity", "Question 1.1?", "Judge B"):
        assert words in page.text
    assert "sys-" not in page.text
    assert "/judge/round/talk/1/1" in ann.page("/judge/round/differences").text


def test_a_word_about_the_whole_item_moves_the_round_on(both):
    page = both.judges["Bo"].form("/talk", on="/talk/1/1", text="The topic is another one.")
    assert "The topic is another one." in page.text
    assert "You on the item as a whole" in page.text
    (said,) = both.cycle.round.said
    assert (said.judge, said.criterion) == ("Bo", "")
    assert "The topic is another one." in both.judges["Ann"].page("/judge/round/mark/1/1").text
    moved = both.researcher.do("/move-on", to="externalisation")
    assert both.cycle.phase == "externalisation", moved.text


@pytest.mark.parametrize(
    "wrong", [{"text": ""}, {"text": "x", "about": "clarity"}, {"text": "x", "about": "nothing"}]
)
def test_what_cannot_be_said_comes_back_with_its_text(both, wrong):
    page = both.judges["Bo"].form("/talk", on="/talk/1/1", **wrong)
    assert page.status_code == 422
    assert 'role="alert"' in page.text
    assert both.cycle.round.said == ()


@pytest.mark.parametrize("place", ["/talk/1/3", "/talk/1/0", "/talk/2/1", "/talk/x/1"])
def test_there_is_no_page_of_what_is_not_there(both, place):
    assert both.judges["Ann"].page(f"/judge/round{place}").status_code == 404


def test_nobody_reads_an_item_before_all_have_finished(room):
    room.begun()
    assert room.judges["Ann"].page("/judge/round/talk/1/1").status_code == 409


def test_what_was_said_stands_beside_the_proposal_and_the_new_text(room):
    room.discussed()
    page = room.judges["Bo"].form("/propose", on="/talk/1/1", text=RULE)
    assert RULE in page.text
    assert "Judge A" in page.text
    assert "Ann looked at it." in page.text  # beside the proposal
    assert "Ann looked at it." in room.researcher.rounds("/proposals").text
    assert RULE in room.judges["Cy"].page("/judge/round/talk/1/1").text
    for name in ("Ann", "Cy"):
        room.judges[name].form("/agree", on="/proposals", proposal="1", agrees="yes")
    room.researcher.do("/move-on", to="combination")
    editor = room.judges["Cy"].page("/judge/round/edit")
    assert "Ann looked at it." in editor.text


def test_a_remark_on_a_proposal_is_marked_as_ones_own_for_its_author_alone(room):
    room.discussed()
    room.judges["Bo"].form("/propose", on="/talk/1/1", text=RULE)
    ann, cy = room.judges["Ann"], room.judges["Cy"]
    ann.form("/agree", on="/proposals", proposal="1", agrees="no", remark="Too strict.")
    remark = '<p class="entry" dir="auto">Too strict.</p>'
    own = f'<li class="own"><p class="who">You</p>{remark}'
    assert own in ann.page("/judge/round/proposals").text
    assert f'<li><p class="who">Judge A</p>{remark}' in cy.page("/judge/round/proposals").text


def test_ratings_that_differ_are_listed_along_the_line_on_which_they_were_given(store, tmp_path):
    opened = Room(store, in_training.study(tmp_path, studies.VISUAL)).begun()
    for name, point in (("Ann", 90.0), ("Bo", 10.0), ("Cy", 50.0)):
        for item in opened.cycle.round.items:
            opened.apply(Rated(name, item, {"Clarity": point}))
        opened.apply(Finished(name))
    opened.apply(MovedOn("socialisation"))
    page = opened.researcher.rounds("/mark/1/1").text
    spread = page[page.index('<dl class="spread">') :]
    assert re.findall(r"<dt[^>]*>(.*?)</dt>", spread)[:3] == ["10", "50", "90"]
    opened.close()


def news(judge, place):
    """How to ask, from a page that is drawn now, for what others have done since."""
    since = re.search(r"since=(\d+)", judge.page("/judge/round/differences").text)[1]
    return lambda: judge.get(f"/judge/round/news?at={place}&since={since}").json()["news"]


def test_news_of_a_mark_is_what_was_said_of_that_mark(room):
    room.compared(Ann=(1, 1), Bo=(4, 4), Cy=(1, 1))  # they differ on both items
    ann = room.judges["Ann"]
    of_first, of_second = news(ann, "mark.1.1"), news(ann, "mark.1.2")
    room.judges["Bo"].form("/say", on="/mark/1/1", text="Not what was asked.")
    assert (of_first(), of_second()) == ("1 new entry", "")


def test_that_a_proposal_was_set_aside_is_news_of_the_proposals(room):
    room.discussed()
    room.judges["Bo"].form("/propose", on="/talk/1/1", text=RULE)
    ann = room.judges["Ann"]
    ask, nothing = news(ann, "proposals"), news(ann, "differences")
    assert ask() == ""
    room.researcher.do("/leave-out", "/proposals", proposal="1", reason="It is said already.")
    assert (ask(), nothing()) == ("Something was set aside", "")


def test_the_same_items_are_rated_again_before_the_next_round(room):
    room.agreed()
    cy = room.judges["Cy"]
    assert "Rate the same items again" not in room.researcher.rounds().text  # not written yet
    cy.post("/judge/round/edit", data=edit(cy.page("/judge/round/edit")))
    assert "Rate round 1 again" in room.researcher.rounds().text
    room.researcher.do("/open-again")
    assert (room.cycle.round.number, room.cycle.round.again) == (2, 1)
    ann = room.judges["Ann"]
    page = ann.arrive()
    assert "rate the items of round 1 again" in page.text
    assert "checked" not in page.text  # what was given before is not shown
    for judge in room.judges.values():
        judge.arrive()
        judge.rate({"Question 1.1?": 3, "Question 1.2?": 2})
        judge.finish()
    room.researcher.do("/move-on", to="socialisation")
    desk = room.researcher.rounds().text
    assert "The items of round 1 were rated again: 0 differences are left." in desk
    assert "2 (round 1 again)" in desk
    assert "End by the rule" not in desk
    room.researcher.do("/open", set="2")
    assert (room.cycle.round.number, room.cycle.round.again) == (3, None)
