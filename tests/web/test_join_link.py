"""The open link: who is let in by it, who is not, and what hostile parameters do: nothing."""

from dataclasses import replace
from urllib.parse import quote

import pytest

from covary.study.model import Recruiting
from covary.web.serving.app import create_app
from covary.web.serving.server import _redacted
from tests.web import recruiting, studies
from tests.web.client import Client, heading, hidden
from tests.web.recruiting import BACK, Person, code, led_to, query


@pytest.fixture
def open_link(store):
    """Serve a study with two sheets; returns a client that has no cookie, and the link."""
    clients = []

    def opened(study):
        store.sheets.put([studies.sheet(study, number) for number in (1, 2)])
        clients.append(Client(create_app(study, store)))
        return clients[-1], f"/join/{store.visits.new_join_secret()}"

    yield opened
    for each in clients:
        each.close()


@pytest.fixture
def client_and_link(open_link, tmp_path):
    return open_link(recruiting.study(tmp_path))


HOSTILE = [
    query("<script>alert(1)</script>"),
    query(quote('"><img src=x onerror=alert(1)>')),
    query("a" * 65),
    query("a" * 20_000),
    query(quote("жен\u202eщина")),
    query("%00"),
    query("%ff%fe"),
    query("%ud800"),
    query("a'--"),
    query("a b"),
    query("a/../b"),
    query("=1+1"),
    query(""),
    query("p1", SESSION_ID="<b>"),
    query("p1", STUDY_ID="x" * 65),
    query("p1", SESSION_ID=""),
    query("p1") + "&PROLIFIC_PID=p2",
    query("p1") + "&PROLIFIC_PID=p1",
    "PROLIFIC_PID[]=p1&STUDY_ID=t1&SESSION_ID=s1",
    "PROLIFIC_PID=p1",
    "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
    "prolific_pid=p1&study_id=t1&session_id=s1",
    "participantId=p1&assignmentId=a1&projectId=q1",
    "survey_code=12",
    "&".join(f"a{n}=1" for n in range(60)) + "&" + query("p1"),
    "",
]


@pytest.mark.parametrize("sent", HOSTILE, ids=range(len(HOSTILE)))
def test_parameters_that_are_missing_or_strange_bring_nobody(client_and_link, store, sent):
    client, link = client_and_link
    page = client.get(f"{link}?{sent}")
    assert page.status_code == 400
    assert heading(page) == "This link is not complete"
    assert "PROLIFIC_PID, STUDY_ID, SESSION_ID" in page.text
    assert "<script>alert" not in page.text
    assert "onerror" not in page.text
    assert "set-cookie" not in page.headers
    assert store.judges.all() == store.visits.all() == []


@pytest.mark.parametrize("given", ["nonsense", "a" * 5000, "%00", "%ff", "жена", "..%2fjoin", ""])
def test_a_link_that_is_not_the_studys_lets_nobody_in(client_and_link, store, given):
    client, _ = client_and_link
    page = client.get(f"/join/{given}?{query('p1')}")
    assert page.status_code == 404
    assert store.judges.all() == []


def test_a_revoked_or_replaced_link_lets_nobody_new_in(client_and_link, store, tmp_path):
    client, link = client_and_link
    inside = Person(create_app(recruiting.study(tmp_path), store), "p0", store.visits.join_secret())
    inside.agree()
    new = store.visits.new_join_secret()
    page = client.get(f"{link}?{query('p1')}")
    assert (page.status_code, heading(page)) == (404, "This link is not valid")
    assert client.get(f"/join/{new}?{query('p1')}").status_code == 303
    store.visits.revoke_join_secret()
    assert client.get(f"/join/{new}?{query('p2')}").status_code == 404
    assert len(store.visits.all()) == 2
    assert "Practice 1 of 1" in inside.page().text  # who is in goes on
    inside.close()


def test_a_study_that_does_not_recruit_has_no_link(open_link, tmp_path, store):
    client, link = open_link(studies.study(tmp_path))
    assert client.get(f"{link}?{query('p1')}").status_code == 404
    assert store.judges.all() == []


def test_guessing_is_slowed_down_and_those_with_the_link_are_not(
    no_time_passes, client_and_link, store
):
    """A university may sit behind one address: whoever guesses there must not lock others out."""
    client, link = client_and_link
    seen = [client.get(f"/join/guess{n}").status_code for n in range(40)]
    assert seen.count(404) == 30
    assert seen[-1] == 429
    arrived = [client.get(f"{link}?{query(f'p{n}')}").status_code for n in range(100)]
    assert set(arrived) == {303}
    assert len(store.visits.all()) == 100


def test_made_up_people_do_not_come_without_end(client_and_link, store, monkeypatch):
    monkeypatch.setattr(store.visits, "arrive", lambda *_: pytest.fail("nobody new any more"))
    client, link = client_and_link
    monkeypatch.setattr("covary.web.guard.Limit.allows", lambda *_: False)
    page = client.get(f"{link}?{query('p1')}")
    assert (page.status_code, heading(page)) == (429, "A moment, please")


def test_a_look_whether_the_link_is_there_brings_nobody(client_and_link, store):
    client, link = client_and_link
    ahead = client.get(f"{link}?{query('p1')}", headers={"Sec-Purpose": "prefetch"})
    assert ahead.status_code == client.ask("HEAD", f"{link}?{query('p1')}").status_code == 204
    assert store.judges.all() == []


def test_the_state_of_the_study_is_told_to_those_who_come(client_and_link, store, tmp_path):
    client, link = client_and_link
    done = Person(create_app(recruiting.study(tmp_path), store), "p0", store.visits.join_secret())
    done.work(*recruiting.right(recruiting.study(tmp_path)))
    at_work = Person(
        create_app(recruiting.study(tmp_path), store), "p5", store.visits.join_secret()
    )
    at_work.agree()
    for state, said in (("paused", "The study is paused"), ("closed", "The study is closed")):
        store.set_state(state)
        assert heading(client.get(f"{link}?{query('p1')}")) == said
        page = at_work.come()
        assert heading(page) == said
        assert led_to(page) == (f"{BACK}BACK1" if state == "closed" else None)
        assert code(done.come()) == "DONE1"  # whoever finished gets the code all the same
    page = client.get(f"{link}?{query('p1')}")
    assert led_to(page) == f"{BACK}BACK1"
    assert len(store.visits.all()) == 2
    for each in (done, at_work):
        each.close()


def test_a_judge_who_was_revoked_is_told_so(client_and_link, store):
    client, link = client_and_link
    client.get(f"{link}?{query('p1')}")
    store.judges.revoke(1)
    page = client.get(f"{link}?{query('p1')}")
    assert (page.status_code, heading(page)) == (403, "You cannot go on with this study")
    assert len(store.judges.all()) == 1


def test_the_cookie_is_no_scripts_and_the_token_in_no_page(client_and_link, store):
    client, link = client_and_link
    page = client.get(f"{link}?{query('p1')}")
    cookie = page.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert page.headers["location"] == "/judge"
    token = cookie.partition("=")[2].partition(";")[0]
    shown = client.get("/judge").text
    assert token not in shown
    assert store.visits.join_secret() not in shown
    assert "p1" not in shown.replace("p1 ", "")


def test_links_and_names_stay_out_of_the_log():
    assert _redacted("/join/abcdef?PROLIFIC_PID=p1") == "/join/…"


def test_a_judge_with_a_personal_link_meets_nothing_of_recruiting(open_link, store, tmp_path):
    made = recruiting.study(tmp_path)
    client, _ = open_link(made)
    _, token = store.judges.add()
    page = client.ask("GET", f"/j/{token}", follow_redirects=True)
    assert "I want to stop" not in page.text
    stopped = client.post("/judge/stop", data=hidden(page.text), follow_redirects=True)
    assert heading(stopped) == "Before you begin"
    assert client.get("/judge/stop").headers["location"] == "/judge"


# other platforms


def test_connect_comes_by_its_own_parameters_and_goes_back_by_its_address(
    open_link, store, tmp_path
):
    ways = {"done": "https://connect.example/p/9/complete?participantId=XX&k=1"}
    made = recruiting.study(tmp_path, Recruiting(platform="connect", addresses=ways))
    client, link = open_link(made)
    assert client.get(f"{link}?{query('p1')}").status_code == 400
    person = Person(create_app(made, store), "q", store.visits.join_secret())
    person.get(f"{link}?participantId=q7&assignmentId=a7&projectId=r7")
    person.send("consent", agreed="yes")
    person.go_on()
    for rating in recruiting.right(made):
        page = person.rate(rating)
    assert led_to(page) == "https://connect.example/p/9/complete?participantId=q7&k=1"
    assert code(page) is None
    person.close()


def test_sona_credits_the_participant_who_came(open_link, store, tmp_path):
    ways = {"done": "https://x.sona-systems.com/credit?token=9&survey_code=XXXX"}
    made = recruiting.study(tmp_path, Recruiting(platform="sona", addresses=ways))
    _, link = open_link(made)
    person = Person(create_app(made, store), "q", store.visits.join_secret())
    person.get(f"{link}?survey_code=1234")
    person.send("consent", agreed="yes")
    person.go_on()
    for rating in recruiting.right(made):
        page = person.rate(rating)
    assert led_to(page) == "https://x.sona-systems.com/credit?token=9&survey_code=1234"
    person.close()


def test_by_a_plain_link_a_browser_is_one_judge(open_link, store, tmp_path):
    made = recruiting.study(tmp_path, Recruiting(platform="link", done="THANKS"))
    client, link = open_link(made)
    page = client.get(link)
    assert heading(page) == "Take part in a study"
    assert store.judges.all() == []  # a program that only follows links brings nobody
    form = hidden(page.text)
    for _ in range(2):  # clicked twice
        assert client.post(link, data=form).headers["location"] == "/judge"
    assert client.get(link).headers["location"] == "/judge"
    assert [each.platform for each in store.visits.all()] == ["link"]
    wrong = [form | {"once": "0" * 32}, form | {"token": "x"}, form | {"once": "<b>"}, {}]
    assert [client.post(link, data=each).status_code for each in wrong] == [403, 403, 400, 400]
    elsewhere = client.post(link, data=form, headers={"Origin": "https://evil.example"})
    assert elsewhere.status_code == 403


def test_no_begin_form_brings_people_where_a_platform_sends_them(client_and_link, store):
    client, link = client_and_link
    assert client.post(link, data={"once": "0" * 32}).status_code == 400
    assert store.judges.all() == []


def test_without_a_code_for_it_people_are_told_how_to_return(open_link, store, tmp_path):
    made = recruiting.study(tmp_path, Recruiting(done="D1"))
    open_link(made)
    person = Person(create_app(made, store), "p1", store.visits.join_secret())
    person.agree()
    page = person.send("stop")
    assert code(page) is None
    assert led_to(page) is None
    assert "Stop without completing" in page.text
    person.close()


def test_a_study_whose_table_was_taken_out_goes_on_for_those_who_came(open_link, store, tmp_path):
    made = recruiting.study(tmp_path)
    open_link(made)
    person = Person(create_app(made, store), "p1", store.visits.join_secret())
    person.agree()
    person.close()
    again = Person(
        create_app(replace(made, recruiting=None), store), "p1", store.visits.join_secret()
    )
    again.get(f"/j/{store.visits.arrive('Prolific', 'p1').token}")
    assert "Practice 1 of 1" in again.page().text
    again.close()
