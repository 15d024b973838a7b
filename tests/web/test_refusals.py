"""What a form or a page is answered when there is nothing for it to do."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from covary.store import StoreError
from covary.web.forms import Refusal
from covary.web.recruiting import take_practice_again, take_stop
from covary.web.researcher.people import JUDGE
from covary.web.serving.app import create_app
from tests.web import in_training, recruiting, studies
from tests.web.client import Client, hidden
from tests.web.in_training import Room


def test_the_first_address_of_a_server_leads_to_the_judges_page(enter, tmp_path):
    judge = enter(studies.bare(tmp_path))
    led = judge.get("/")
    assert (led.status_code, led.headers["location"]) == (303, "/judge")


@pytest.mark.parametrize("take", [take_practice_again, take_stop])
def test_forms_of_recruited_people_do_nothing_for_anybody_else(tmp_path, take):
    study = replace(recruiting.study(tmp_path), recruiting=None)
    flow = SimpleNamespace(sheet=None, notes=())
    here = SimpleNamespace(study=study, flow=flow, may_stop=False)
    led = take(here, {})
    assert (led.status_code, led.headers["location"]) == (303, "/judge")


def test_who_stops_when_the_place_was_given_on_is_led_on_to_be_told_so(
    store, tmp_path, monkeypatch
):
    person = recruiting.people(store, recruiting.study(tmp_path), 1)[0]
    person.agree()
    monkeypatch.setattr(store.visits, "end", lambda *_, **__: None)
    stopped = person.post("/judge/stop", data=hidden(person.page("/judge/stop").text))
    person.close()
    assert (stopped.status_code, stopped.headers["location"]) == (303, "/judge")


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_what_a_store_cannot_keep_at_the_moment_is_503_for_pages_and_scripts(
    enter, tmp_path, store, monkeypatch, accept
):
    judge = enter(studies.bare(tmp_path))
    judge.enter()

    def full(*_, **__):
        raise StoreError("store.stalled", seconds=5)

    monkeypatch.setattr(store, "get_state", full)
    refused = judge.get("/judge", headers={"Accept": accept})
    assert refused.status_code == 503
    if accept == "application/json":
        assert refused.json()["code"] == "web.503"


def test_the_page_of_a_judge_who_trains_is_not_shown_as_one_of_the_evaluation(store, tmp_path):
    room = Room(store, in_training.study(tmp_path)).begun()
    store.sheets.put([studies.sheet(room.study)])
    store.sheets.issue(1)
    with_sheet = room.researcher.page("/judges/1/page").text
    without = room.researcher.page("/judges/2/page").text
    room.close()
    assert "has no sheet" in without
    assert "has no sheet" not in with_sheet
    assert "Only a view" not in with_sheet


@pytest.mark.parametrize(
    ("path", "status"),
    [("/researcher/judges/99/page", 404), ("/researcher/judges/2147483647/page", 404),
     ("/researcher/judges/2147483648/page", 404), ("/researcher/judges/x/page", 404)],
)  # fmt: skip
def test_there_is_no_page_of_a_judge_who_is_not_there(store, tmp_path, path, status):
    room = Room(store, in_training.study(tmp_path))
    shown = room.researcher.get(path)
    room.close()
    assert shown.status_code == status


def test_the_number_of_a_judge_is_one_that_a_database_can_hold():
    """PostgreSQL's integers end at 2,147,483,647, and a higher one would be a fault of ours."""
    assert JUDGE.read({"judge": "2147483647"}) == 2**31 - 1
    with pytest.raises(Refusal):
        JUDGE.read({"judge": "2147483648"})


def test_a_form_that_a_browser_opens_as_a_page_leads_on_and_a_script_is_refused(store, tmp_path):
    app = create_app(studies.bare(tmp_path), store)
    client = Client(app)
    for path, onward in (
        ("/judge/next", "/judge"),
        ("/judge/round/say", "/judge/round"),
        ("/researcher/links", "/researcher"),
    ):
        led = client.get(path)
        assert (led.status_code, led.headers["location"]) == (303, onward)
    assert client.get("/judge/answer").status_code == 405
    assert client.ask("PUT", "/judge/next").status_code == 405
    client.close()
