"""Who sees and does what in a round: nobody peeks, nobody speaks for another, texts stay texts."""

import re
from dataclasses import replace

import pytest

from covary.study.model import TrainingSettings
from tests.web import in_training
from tests.web.client import heading, hidden
from tests.web.in_training import RULE, Room, Trainee, edit
from tests.web.payloads import PAYLOADS

JSON = {"Accept": "application/json"}
PLACES = ("", "/item/1", "/rated", "/differences", "/differences?round=1", "/mark/1/1",
          "/proposals", "/manual", "/compare", "/edit", "/news?at=wait&since=0",
          "/news?at=desk&since=0", "/news?at=mark.1.1&since=0")  # fmt: skip


@pytest.fixture
def room(store, tmp_path):
    opened = Room(store, in_training.study(tmp_path))
    yield opened
    opened.close()


def events(room):
    return len(room.cycle.events)


def test_nothing_of_others_is_seen_before_everybody_has_finished_by_any_address(room):
    room.begun()
    bo = room.judges["Bo"]
    bo.rate({"Question 1.1?": 4, "Question 1.2?": 3})
    bo.finish()
    ann = room.judges["Ann"]
    empty = {place: ann.ask("GET", f"/judge/round{place}") for place in PLACES}
    for place, response in empty.items():
        assert "Bo" not in response.text, place
        assert "checked" not in response.text, place
        assert "sys-" not in response.text, place
    statuses = {place: response.status_code for place, response in empty.items()}
    assert statuses["/differences"] == statuses["/proposals"] == 409
    assert statuses["/mark/1/1"] == statuses["/news?at=mark.1.1&since=0"] == 404
    assert empty["/news?at=desk&since=0"].json() == {"news": "The round has moved on"}
    since = re.search(r"since=(\d+)", bo.page("/judge/round").text)[1]
    before = ann.get(f"/judge/round/news?at=wait&since={since}").json()
    cy = room.judges["Cy"]
    cy.rate({"Question 1.1?": 1, "Question 1.2?": 1})
    assert ann.get(f"/judge/round/news?at=wait&since={since}").json() == before == {"news": ""}
    assert re.search(r"since=(\d+)", bo.page("/judge/round").text)[1] == since
    cy.finish()
    told = ann.get(f"/judge/round/news?at=wait&since={since}").json()
    assert told == {"news": "1 judge has finished"}


def test_judges_read_aliases_and_numbers_or_names_where_the_study_says_so(room, store):
    room.discussed()
    seen = room.judges["Ann"].page("/judge/round/mark/1/1").text
    assert "Judge B" in seen
    assert "You" in seen
    for hidden_word in (">Bo<", ">Cy<", "sys-"):
        assert hidden_word not in seen
    named = replace(room.study, training=TrainingSettings(names="names"))
    other = Room(store, named, ())
    ann = Trainee(other.app, "Ann", room.judges["Ann"].token)
    ann.enter()
    assert ">Bo<" in ann.page("/judge/round/mark/1/1").text
    ann.close()
    other.close()


def test_a_form_with_another_judges_token_is_refused(room):
    room.compared()
    ann, bo = room.judges["Ann"], room.judges["Bo"]
    foreign = hidden(bo.page("/judge/round/mark/1/1").text)
    before = events(room)
    for path in ("/say", "/next", "/finish", "/propose", "/agree", "/edit"):
        form = foreign | {"text": "As if by Bo.", "once": "a" * 16}
        assert ann.post(f"/judge/round{path}", data=form).status_code == 403
        assert ann.post(f"/judge/round{path}", data={**form, "token": ""}).status_code == 403
    own = hidden(ann.page("/judge/round/mark/1/1").text) | {"text": "From elsewhere."}
    evil = {"Origin": "http://evil.test"}
    assert ann.post("/judge/round/say", data=own, headers=evil).status_code == 403
    desk = hidden(room.researcher.rounds().text)
    for path in ("/move-on", "/stop", "/edit", "/begin", "/open", "/leave", "/join", "/leave-out",
                 "/set-aside"):  # fmt: skip
        form = desk | {"token": foreign["token"], "reason": "r", "by": "researcher"}
        assert room.researcher.post(f"/researcher/rounds{path}", data=form).status_code == 403
        assert ann.post(f"/researcher/rounds{path}", data=desk).status_code == 403
    assert events(room) == before


def test_a_page_of_another_judge_saves_nothing(room):
    room.begun()
    ann, bo = room.judges["Ann"], room.judges["Bo"]
    foreign, own = hidden(bo.page("/judge/round").text), hidden(ann.page("/judge/round").text)
    body = {"position": 1, "criterion": "relevance", "rating": "2", "page": foreign["page"],
            "sequence": 1}  # fmt: skip
    headers = {"X-Covary-Token": own["token"]} | JSON
    assert ann.post("/judge/round/answer", json=body, headers=headers).status_code == 422
    for wrong in ({"rating": "9"}, {"criterion": "x"}, {"position": 7}, {"position": None}):
        sent = body | {"page": own["page"]} | wrong
        answer = ann.post("/judge/round/answer", json=sent, headers=headers)
        assert answer.status_code in (404, 422), wrong
    assert room.cycle.round.ratings == {}


def test_each_rating_is_saved_as_it_is_given_and_twice_is_once(room):
    room.begun()
    ann = room.judges["Ann"]
    page = hidden(ann.page("/judge/round").text)
    body = {"position": 1, "criterion": "relevance", "rating": "2", "page": page["page"],
            "sequence": 1, "seconds": 3.5}  # fmt: skip
    headers = {"X-Covary-Token": page["token"]} | JSON
    for _ in range(2):
        answer = ann.post("/judge/round/answer", json=body, headers=headers)
        assert answer.json() == {"saved": True, "late": False}
    assert len([each for each in room.cycle.events if type(each).__name__ == "Rated"]) == 1
    assert 'value="2" checked' in ann.page("/judge/round/item/1").text
    changed = ann.post(
        "/judge/round/answer", json=body | {"rating": "3", "sequence": 2}, headers=headers
    )
    assert changed.status_code == 200
    assert list(room.cycle.round.ratings.values()) == [{"relevance": 3}]


def test_after_finishing_ratings_stay_as_they_are(room):
    room.begun()
    ann = room.judges["Ann"]
    page = hidden(ann.page("/judge/round").text)
    ann.rate({"Question 1.1?": 1, "Question 1.2?": 2})
    review = ann.page("/judge/round")
    assert heading(review) == "You have rated every item"
    ann.finish()
    kept = room.cycle.round.ratings
    body = {"position": 1, "criterion": "relevance", "rating": "4", "page": page["page"],
            "sequence": 9}  # fmt: skip
    headers = {"X-Covary-Token": page["token"]} | JSON
    refused = ann.post("/judge/round/answer", json=body, headers=headers)
    assert refused.status_code == 409
    assert "Judge A has finished round 1" in refused.json()["advice"]
    assert heading(ann.page("/judge/round/item/1")) == "You have finished this round"
    assert room.cycle.round.ratings == kept


def test_sending_a_form_twice_says_it_once(room):
    room.compared()
    ann = room.judges["Ann"]
    form = hidden(ann.page("/judge/round/mark/1/1").text) | {"text": "Once."}
    for _ in range(2):
        assert ann.post("/judge/round/say", data=form).status_code == 303
    assert [each.text for each in room.cycle.round.said] == ["Once."]
    other = ann.post("/judge/round/say", data=form | {"text": "Twice."})
    assert other.status_code == 422
    assert "Twice.</textarea>" in other.text
    assert ann.post("/judge/round/say", data=form | {"once": "x"}).status_code == 422


def test_every_form_of_a_page_has_a_name_of_its_own(room):
    room.discussed()
    for text in ("One.", "Two."):
        room.judges["Bo"].form("/propose", "/proposals", text=text, **{"mark-1": "1"})
    page = room.judges["Ann"].page("/judge/round/proposals").text
    names = re.findall(r'name="once" value="([0-9a-f]{16})"', page)
    assert len(names) == len(set(names)) == 3


def test_a_text_that_is_too_long_comes_back_to_be_shortened(room):
    room.compared()
    ann = room.judges["Ann"]
    long = ann.form("/say", "/mark/1/1", text="x" * 10_001)
    assert long.status_code == 422
    assert "10,001 letters long" in long.text
    assert "x" * 10_001 in long.text
    assert ann.form("/say", "/mark/1/1", text="x" * 70_000).status_code == 413
    assert room.cycle.round.said == ()


def test_a_manual_of_many_pages_can_be_saved_and_one_without_end_cannot(room):
    room.agreed()
    page = room.researcher.rounds("/edit")
    long = "Ein Übersetzungsfehler ist schlimmer als ein Tippfehler. 例えば。\n\n" * 1_500
    refused = room.researcher.post("/researcher/rounds/edit", data=edit(page, "x" * 200_001))
    assert refused.status_code == 422
    endless = edit(page, "x" * 1_100_000)
    assert room.researcher.post("/researcher/rounds/edit", data=endless).status_code == 413
    saved = room.researcher.post("/researcher/rounds/edit", data=edit(page, f"{long}{RULE}\n"))
    assert saved.status_code == 303
    assert room.cycle.edition.guidelines == f"{long}{RULE}\n"


def test_markup_in_every_text_stays_text(room):
    room.compared()
    texts = [text.replace("\x00", "") for text in PAYLOADS]
    ann, bo = room.judges["Ann"], room.judges["Bo"]
    everything = "\n".join(texts)[:9_000]
    ann.form("/say", "/mark/1/1", text=everything)
    room.researcher.do("/move-on", to="externalisation")
    bo.form("/propose", "/proposals", text=everything, **{"mark-1": "1"})
    for name in ("Ann", "Cy"):
        room.judges[name].form(
            "/agree", "/proposals", proposal="1", agrees="yes", remark=everything
        )
    room.researcher.do("/move-on", to="combination")
    sent = edit(
        room.researcher.rounds("/edit"), f"{everything}\n\n{RULE}\n",
        **{"summary-0": '"><script>alert(1)</script>', "question-0": "<script>alert(2)</script>",
           "definition-0": "<img src=x onerror=alert(3)>",
           **{f"label-0-{place}": f"<b>{place}</b>" for place in range(4)}},
    )  # fmt: skip
    assert room.researcher.post("/researcher/rounds/edit", data=sent).status_code == 303
    room.researcher.do("/leave", judge="Bo", reason="</p><script>alert(4)</script>")
    pages = [ann.page(f"/judge/round{path}") for path in PLACES[3:9]]
    pages += [room.researcher.rounds(path) for path in ("", *PLACES[3:10])]
    for page in pages:
        assert page.status_code == 200, page.url
        main = page.text.partition("<main")[2]
        for found in ("<script", "<img", "<svg", "<iframe", "<b>", "<style", "<object", "<link"):
            assert found not in main, (page.url, found)


def test_a_judge_who_has_left_is_told_and_the_others_go_on(room):
    room.begun()
    ann, cy = room.judges["Ann"], room.judges["Cy"]
    form = hidden(cy.page("/judge/round").text) | {"rating-0": "1"}
    blank = room.researcher.do("/leave", judge="Cy", reason="")
    assert blank.status_code == 409
    room.researcher.do("/leave", judge="Cy", reason="Cy is ill.")
    refused = cy.post("/judge/round/next", data=form)
    assert refused.status_code == 409
    assert heading(refused) == "You no longer take part in the training"
    assert cy.page("/judge/round").status_code == 409
    assert heading(cy.page()) == "Item 1 of 3"  # of the evaluation
    assert "has left" in room.researcher.rounds().text
    few = room.researcher.do("/leave", judge="Bo", reason="Also ill.")
    assert few.status_code == 409
    assert "nobody to differ" in few.text
    for name in ("Ann", "Bo"):
        room.judges[name].rate({"Question 1.1?": 1, "Question 1.2?": 2})
        room.judges[name].finish()
    assert "Everybody has finished" in ann.page().text
    room.researcher.do("/move-on", to="socialisation")
    assert "You all agree within the threshold" in ann.page().text


def test_a_judge_whose_link_was_revoked_is_pointed_out(room, store):
    room.begun()
    store.judges.revoke(2)
    shown = room.researcher.rounds().text
    assert "the link is revoked, so go on without this judge" in shown
    assert "Waiting for Ann (Judge A), Bo (Judge B) and Cy (Judge C)" in shown


def test_judges_join_between_rounds_only(room, store):
    room.begun()
    _, token = store.judges.add("Dee")
    early = room.researcher.do("/join", judge="Dee")
    assert early.status_code == 409
    assert "between rounds only" in early.text
    assert room.researcher.do("/join", judge="Nobody").status_code == 409
    dee = Trainee(room.app, "Dee", token)
    assert heading(dee.arrive()) == "Item 1 of 3"  # the evaluation is hers
    dee.close()


def test_a_paused_study_and_a_revoked_link_show_nothing(room, store):
    room.begun()
    ann = room.judges["Ann"]
    form = hidden(ann.page("/judge/round").text) | {"rating-0": "1"}
    store.set_state("paused")
    assert heading(ann.page("/judge/round")) == "The study is paused"
    assert ann.post("/judge/round/next", data=form).status_code == 409
    store.set_state("open")
    store.judges.revoke(1)
    assert ann.page("/judge/round").status_code == 403


def test_a_page_that_is_left_open_is_told_that_the_training_is_over(room):
    room.begun()
    room.researcher.do("/leave", judge="Cy", reason="Cy is ill.")
    for name, words in (
        ("Cy", "The training has ended for you"),
        ("Ann", "The round has moved on"),
    ):
        told = room.judges[name].get("/judge/round/news?at=wait&since=2", headers=JSON)
        assert (told.status_code, told.json()) == (200, {"news": words})


def test_a_judge_who_joined_rates_with_the_others_from_the_next_round_on(room, store):
    room.agreed()
    page = room.researcher.rounds("/edit")
    room.researcher.post("/researcher/rounds/edit", data=edit(page))
    _, token = store.judges.add("Dee")
    assert "<option>Dee</option>" in room.researcher.rounds().text
    room.researcher.do("/join", judge="Dee")
    again = room.researcher.do("/join", judge="Dee")
    assert again.status_code == 409
    assert "takes part already" in again.text
    room.researcher.do("/open", set="2")
    dee = Trainee(room.app, "Dee", token)
    assert heading(dee.arrive()) == "Item 1 of 2"
    assert "Dee (Judge D)" in room.researcher.rounds().text
    assert "Judge B" in dee.page("/judge/round/mark/1/1").text  # what was said before she came
    dee.close()
