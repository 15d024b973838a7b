"""Who gets in to the researchers' pages, and what is refused."""

import logging

import pytest

from covary.web.serving.app import create_app
from tests.web import studies
from tests.web.client import Client, heading, hidden
from tests.web.researching import Researcher

PAGES = (
    "", "/live", "/judges", "/judges/1", "/items", "/study", "/export", "/export?format=csv",
    "/export?format=everything", "/report", "/preview", "/preview/way/1/0", "/preview/item/0/0",
    "/preview/image/x",
)  # fmt: skip
FORMS = ("/state", "/links", "/judges/1/link", "/judges/1/revoke", "/judges/1/take-back")


@pytest.fixture
def served(store, tmp_path):
    study = studies.study(tmp_path)
    store.sheets.put([studies.sheet(study)])
    store.judges.add("Ann")
    made = []

    def client(kind=Researcher, secure=False):
        origin = "https://study.test" if secure else "http://study.test"
        app = create_app(study, store, secure=secure)
        made.append(kind(app, origin) if kind is Client else kind(app, store, origin))
        return made[-1]

    yield client
    for each in made:
        each.close()


def test_the_link_lets_one_browser_in_once(served, store):
    first, second = served(), served(Client)
    entered = first.get(f"/r/{first.link}")
    assert (entered.status_code, entered.headers["location"]) == (303, "/researcher")
    cookie = entered.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert heading(first.page()) == "How far the study is"
    late = second.get(f"/r/{first.link}")
    assert late.status_code == 403
    assert "covary researcher-link" in late.text
    assert "set-cookie" not in late.headers
    assert first.get(f"/r/{first.link}").status_code == 303  # who is in stays in


def test_over_https_the_cookie_is_sent_by_https_only(served):
    researcher = served(secure=True)
    cookie = researcher.get(f"/r/{researcher.link}").headers["set-cookie"]
    assert cookie.startswith("__Host-covary-researcher-")
    assert "Secure" in cookie


@pytest.mark.parametrize("way", [{"method": "HEAD"}, {"headers": {"Sec-Purpose": "prefetch"}}])
def test_looking_whether_the_link_is_there_does_not_use_it_up(served, way):
    researcher = served()
    looked = researcher.ask(way.pop("method", "GET"), f"/r/{researcher.link}", **way)
    assert "set-cookie" not in looked.headers
    assert heading(researcher.enter()) == "How far the study is"


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_refused_to_strangers_judges_and_the_formerly_signed_in(served, store, path):
    stranger = served(Client)
    refused = stranger.get(f"/researcher{path}")
    assert refused.status_code == 403
    assert "covary researcher-link" in refused.text
    token = store.judges.new_token(1)
    assert stranger.get(f"/j/{token}").status_code == 303
    site = stranger.http._transport.app.state.site
    stranger.http.cookies.set(site.cookie_of("researcher"), token)
    assert stranger.get(f"/researcher{path}").status_code == 403


def test_every_page_shown_to_a_researcher_has_a_strict_policy_and_is_not_kept(served):
    researcher = served()
    researcher.enter()
    for path in PAGES[:-1]:
        shown = researcher.page(path)
        policy = shown.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert shown.headers["cache-control"] == "no-store"
        assert shown.status_code in (200, 409), path


@pytest.mark.parametrize("path", FORMS)
@pytest.mark.parametrize(
    ("token", "headers"),
    [
        (None, {"Origin": "https://evil.example"}),
        (None, {"Sec-Fetch-Site": "cross-site"}),
        ("", {}),
        ("0" * 32, {}),
    ],
)
def test_a_form_from_elsewhere_changes_nothing(served, store, path, token, headers):
    researcher = served()
    researcher.enter()
    form = hidden(researcher.page("/judges").text) | {"state": "closed", "number": "3"}
    form |= {} if token is None else {"token": token}
    before = store.judges.all(), store.get_state(), store.notes.all()
    refused = researcher.post(f"/researcher{path}", data=form, headers=headers)
    assert refused.status_code == 403
    assert (store.judges.all(), store.get_state(), store.notes.all()) == before


def test_the_token_of_another_researcher_or_of_a_judge_is_refused(served, store):
    one, other = served(), served()
    one.enter()
    stolen = hidden(one.page("/judges").text)["token"]
    other.link = store.researchers.new_link(again=True)
    other.enter()
    refused = other.post("/researcher/state", data={"token": stolen, "state": "closed"})
    assert refused.status_code == 403
    assert store.get_state() == "open"


def test_no_get_changes_anything(served, store):
    researcher = served()
    researcher.enter()
    before = (
        store.judges.all(),
        store.notes.all(),
        store.sheets.holders(),
        store.answers.counts().answers,
    )
    for path in PAGES:
        researcher.page(path)
    assert researcher.ask("PUT", "/researcher/state").status_code == 405
    assert (
        store.judges.all(),
        store.notes.all(),
        store.sheets.holders(),
        store.answers.counts().answers,
    ) == before


def test_signing_out_ends_it_for_this_browser(served):
    researcher = served()
    researcher.enter()
    assert researcher.send("/sign-out").status_code == 403
    assert researcher.page().status_code == 403


def test_guessing_links_is_slowed_down(no_time_passes, served):
    stranger = served(Client)
    answers = {stranger.get(f"/r/{number}").status_code for number in range(60)}
    assert answers == {403, 429}


def test_no_secret_reaches_the_log(served, caplog):
    caplog.set_level(logging.DEBUG)
    researcher = served()
    researcher.enter()
    links = researcher.links(number="2")
    secrets = [researcher.link, *(link.rpartition("/")[2] for link in links.values())]
    assert len(secrets) == 3
    own = [record for record in caplog.records if not record.name.startswith("http")]
    assert not any(secret in record.getMessage() for record in own for secret in secrets)
