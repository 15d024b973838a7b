"""How people of a platform leave: by which code, to which address, at once or with a click."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from covary.crowd.platforms import Visitor, platform_of
from covary.web import recruiting as web_recruiting
from covary.web.forms import notice
from covary.web.recruiting import (
    HOW_TO_RETURN,
    WayBack,
    _is_another,
    _is_complete,
    draw_end,
    way_back,
)
from covary.web.serving.app import create_app
from tests.web import recruiting
from tests.web.client import Client, heading, hidden
from tests.web.recruiting import BACK, RECRUITING, goes_to, led_to

CONNECT = replace(RECRUITING, platform="connect")
SONA = replace(
    RECRUITING, platform="sona", addresses={"done": "https://s.example/?survey_code=XXXX"}
)
PLAIN = replace(RECRUITING, platform="link")
OWN = "https://own.example/end"


def came(platform="SONA", participant="77"):
    return SimpleNamespace(platform=platform, participant=participant, submission="", study="")


@pytest.mark.parametrize(
    ("how", "end", "expected"),
    [
        (RECRUITING, "done", WayBack("DONE1", f"{BACK}DONE1")),
        (RECRUITING, "returned", WayBack("BACK1", f"{BACK}BACK1")),
        (replace(RECRUITING, returned=""), "returned",
         WayBack("", "", HOW_TO_RETURN["prolific"])),
        (replace(RECRUITING, done=""), "done", WayBack()),
        (replace(RECRUITING, addresses={"failed": OWN}), "failed", WayBack("FAIL1", OWN)),
        (CONNECT, "done", WayBack("DONE1")),
        (CONNECT, "returned", WayBack("BACK1", "", HOW_TO_RETURN["connect"])),
        (PLAIN, "screened_out", WayBack("OUT1")),
        (PLAIN, "returned", WayBack("BACK1", "", HOW_TO_RETURN["link"])),
        (replace(PLAIN, addresses={"returned": OWN}), "returned", WayBack("BACK1", OWN)),
    ],
)  # fmt: skip
def test_an_end_leads_back_by_an_address_a_code_or_words(how, end, expected):
    assert way_back(how, end, None) == expected
    assert way_back(how, end, came("Prolific", "p1")) == expected


def test_a_platform_that_credits_people_is_told_who_they_are():
    platform = platform_of(SONA)
    who = came(platform.name)
    address = platform.back_by(SONA.addresses["done"], Visitor(platform.name, "77"))
    assert "77" in address
    assert way_back(SONA, "done", who).address == address
    assert way_back(SONA, "done", None).address == SONA.addresses["done"]


@pytest.mark.parametrize(
    ("at_once", "address", "leads"), [(True, OWN, OWN), (False, OWN, None), (True, "", None)]
)
def test_the_last_page_leads_away_by_itself_only_where_there_is_somewhere_to_go(
    tmp_path, at_once, address, leads
):
    study = recruiting.study(tmp_path)
    drawn = draw_end(study, notice("web.full"), WayBack("C", address), at_once=at_once)
    page = SimpleNamespace(text=bytes(drawn.body).decode())
    assert goes_to(page) == leads
    assert led_to(page) == (address or None)
    drawn = draw_end(study, notice("web.full"), WayBack("C", address))
    assert goes_to(SimpleNamespace(text=bytes(drawn.body).decode())) is None


def test_the_page_that_asks_whether_to_stop_leads_on_and_not_to_itself(store, tmp_path):
    person = recruiting.people(store, recruiting.study(tmp_path), 1)[0]
    person.agree()
    assert 'href="/judge/stop"' in person.page().text
    page = person.page("/judge/stop")
    assert page.status_code == 200
    assert 'href="/judge/stop"' not in page.text
    person.send("stop")
    assert person.get("/judge/stop").headers["location"] == "/judge"  # it has ended
    person.close()


@pytest.mark.parametrize(
    ("changes", "complete"),
    [({}, True), ({"participant": ""}, False), ({"submission": ""}, False), ({"study": ""}, False),
     ({"platform": "SONA"}, False)],
)  # fmt: skip
def test_a_visitor_comes_with_all_that_the_platform_sends(changes, complete):
    prolific = platform_of(RECRUITING)
    visitor = Visitor(prolific.name, "p1", "s1", "t1")
    assert _is_complete(prolific, replace(visitor, **changes)) is complete
    sona = platform_of(SONA)
    assert _is_complete(sona, Visitor(sona.name, "p1")) is True


@pytest.mark.parametrize(
    ("keys", "submission", "known", "cookie", "another"),
    [
        ("", "s1", "s1", None, False),  # another device
        ("", "s2", "s1", None, True),
        ("", "s2", "s1", 1, False),  # the same browser
        ("", "s2", "s1", 2, True),  # the browser of somebody else
        ("", "s2", "", None, False),  # a platform that names no visits
        ("keys.json", "s2", "s1", None, False),  # nobody can write another's name
    ],
)
def test_a_second_person_with_one_name_is_another_where_nothing_speaks_for_the_first(
    tmp_path, keys, submission, known, cookie, another
):
    study = recruiting.study(tmp_path, replace(RECRUITING, keys=keys))
    judges = SimpleNamespace(by_token=lambda token: SimpleNamespace(id=int(token)))
    site = SimpleNamespace(study=study, cookie="c", store=SimpleNamespace(judges=judges))
    request = SimpleNamespace(cookies={} if cookie is None else {"c": str(cookie)})
    visitor = Visitor("Prolific", "p1", submission, "t1")
    assert _is_another(site, request, visitor, (1, known)) is another


def test_a_plain_link_shows_where_to_begin_until_somebody_has_begun(store, tmp_path):
    app = create_app(recruiting.study(tmp_path, PLAIN), store)
    path = f"/join/{store.visits.new_join_secret()}"
    linked = Client(app)
    linked.http.cookies.set(app.state.site.cookie, store.judges.add()[1])
    assert linked.get(path).status_code == 200  # a judge with a link is nobody recruited
    linked.close()
    for state, status in (("paused", 200), ("closed", 200)):
        store.set_state(state)
        client = Client(app)
        page = client.get(path)
        client.close()
        assert page.status_code == status
        assert 'name="once"' not in page.text
    assert "paused" not in heading(page).lower()


def test_a_browser_that_has_begun_by_a_plain_link_is_led_on(store, tmp_path):
    client = Client(create_app(recruiting.study(tmp_path, PLAIN), store))
    path = f"/join/{store.visits.new_join_secret()}"
    begun = client.post(path, data=hidden(client.get(path).text))
    again = client.get(path)
    client.close()
    for led in (begun, again):
        assert (led.status_code, led.headers["location"]) == (303, "/judge")


def test_the_sweep_looks_after_nobody_where_nobody_is_recruited(tmp_path):
    study = replace(recruiting.study(tmp_path), recruiting=None)
    site = SimpleNamespace(study=study, store=None)
    assert web_recruiting.reclaim_idle(site).abandoned == ()
