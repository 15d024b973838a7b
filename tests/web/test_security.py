"""Who gets in, what a page may do, and what never reaches a judge."""

import logging
import re
import secrets
from dataclasses import replace

import pytest

from covary.errors import InvalidArgument
from covary.store import Store
from covary.study.model import Item, Session, Turn
from covary.web.guard import POLICY, Limit, Tokens
from covary.web.serving.app import create_app
from covary.web.serving.server import RedactSecrets
from tests.web import studies
from tests.web.client import Client, Judge, heading, hidden

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


def app_of(judge):
    return judge.http._transport.app


# links and cookies


def test_a_link_sets_a_cookie_that_scripts_cannot_read_and_is_then_out_of_sight(enter, tmp_path):
    judge = enter(studies.bare(tmp_path))
    answer = judge.get(f"/j/{judge.token}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/judge")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Secure" not in cookie
    assert judge.token not in judge.page().text


def test_behind_https_the_cookie_is_sent_by_https_only(enter, tmp_path):
    judge = enter(studies.bare(tmp_path), secure=True)
    answer = judge.get(f"/j/{judge.token}")
    assert answer.headers["set-cookie"].startswith("__Host-covary-judge-")
    assert "Secure" in answer.headers["set-cookie"]
    assert "max-age" in answer.headers["strict-transport-security"]
    assert heading(judge.page()) == "Item 1 of 3"


def test_two_studies_on_one_machine_do_not_take_each_others_cookies(enter, tmp_path):
    one = enter(studies.bare(tmp_path))
    with Store.open(tmp_path / "other.db") as other:
        site = create_app(studies.bare(tmp_path), other).state.site
        names = {site.cookie, site.cookie_of("researcher")}
    mine = app_of(one).state.site
    assert len(names | {mine.cookie, mine.cookie_of("researcher")}) == 4
    assert one.get(f"/j/{one.token}").headers["set-cookie"].startswith(f"{mine.cookie}=")


@pytest.mark.parametrize(
    ("host", "status"),
    [("study.test", 303), ("STUDY.test:8000", 303), ("[::1]:8000", 303), ("evil.test", 421),
     ("study.test.evil.test", 421), ("", 421), ("[", 421), ("127.0.0.1", 421)],
    ids=repr,
)  # fmt: skip
def test_only_the_addresses_that_were_given_are_answered(enter, tmp_path, host, status):
    judge = enter(studies.bare(tmp_path), hosts=frozenset({"study.test", "::1"}))
    answer = judge.get(f"/j/{judge.token}", headers={"Host": host})
    assert answer.status_code == status
    assert ("set-cookie" in answer.headers) == (status == 303)
    assert judge.get("/health", headers={"Host": host}).status_code == 200  # monitors may ask


@pytest.mark.parametrize(
    "token", ["x", "1", "' OR 1=1 --", "%00", "..x", "null", "a" * 3000, "é", "0" * 32]
)
def test_a_guessed_link_leads_nowhere(enter, tmp_path, token):
    judge = enter(studies.bare(tmp_path))
    answer = judge.get(f"/j/{token}")
    assert answer.status_code == 404
    assert "set-cookie" not in answer.headers


def test_nobody_gets_in_without_a_link_or_with_a_forged_cookie(enter, tmp_path, store):
    judge = enter(studies.bare(tmp_path))
    stranger = Client(app_of(judge))
    assert stranger.get("/judge").status_code == 403
    assert heading(stranger.get("/judge")) == "Please open your personal link"
    stranger.http.cookies.set(app_of(judge).state.site.cookie, secrets.token_urlsafe(24))
    for path in ("/judge", "/judge/item/1", "/judge/back", "/judge/guidelines", "/judge/image/x"):
        assert stranger.get(path).status_code == 403
    for path in ("answer", "next", "consent", "background", "continue", "preferred", "remarks"):
        assert stranger.post(f"/judge/{path}", data={"token": "x"}).status_code == 403
    stranger.close()
    assert store.notes.all() == []


def test_a_revoked_link_is_worth_nothing_at_once(enter, tmp_path, store):
    judge = enter(studies.bare(tmp_path))
    judge.enter()
    assert judge.save("3").status_code == 200
    store.judges.revoke(1)
    assert judge.page().status_code == 403
    assert judge.get(f"/j/{judge.token}").status_code == 404
    token = Tokens(store.secret()).form_token("1")
    assert judge.post("/judge/next", data={"token": token}).status_code == 403
    assert len(list(store.answers.log())) == 1


def test_a_replaced_link_is_stale_and_the_new_one_goes_on(enter, tmp_path, store):
    judge = enter(studies.bare(tmp_path))
    judge.enter()
    judge.send("next", rating_0="3")
    fresh = Judge(app_of(judge), store.judges.new_token(1))
    assert judge.page().status_code == 403
    assert heading(fresh.enter()) == "Item 2 of 3"
    fresh.close()


def test_many_failing_links_from_one_address_are_slowed_but_honest_ones_work(
    no_time_passes, enter, tmp_path
):
    judge = enter(studies.bare(tmp_path))
    codes = [judge.get(f"/j/{number}").status_code for number in range(40)]
    assert codes[:30] == [404] * 30
    assert codes[-1] == 429
    assert heading(judge.enter()) == "Item 1 of 3"


# forms


def test_a_page_of_one_judge_cannot_save_as_another(enter, tmp_path, store):
    one, other = enter(studies.bare(tmp_path), judges=2)
    theirs = hidden(other.enter().text)
    mine = hidden(one.enter().text)
    assert one.post("/judge/next", data=theirs | {"rating-0": "3"}).status_code == 403
    mixed = mine | {"page": theirs["page"], "rating-0": "3"}
    assert one.post("/judge/next", data=mixed).status_code == 422
    assert list(store.answers.log()) == []


@pytest.mark.parametrize("token", ["", "x", "0" * 32, "é", None], ids=repr)
def test_a_form_without_its_token_changes_nothing(enter, tmp_path, store, token):
    judge = enter(studies.bare(tmp_path))
    form = hidden(judge.enter().text) | {"rating-0": "3", "token": token}
    if token is None:
        del form["token"]
    assert judge.post("/judge/next", data=form).status_code == 403
    headers = {} if token in (None, "é") else {"X-Covary-Token": token}
    assert judge.post("/judge/answer", json={}, headers=headers).status_code == 403
    assert list(store.answers.log()) == []


FOREIGN = {
    "another origin": {"Origin": "https://evil.test"},
    "another port": {"Origin": "http://study.test:81"},
    "no origin": {"Origin": "null"},
    "cross-site": {"Sec-Fetch-Site": "cross-site"},
    "same-site": {"Sec-Fetch-Site": "same-site"},
    "typed in": {"Sec-Fetch-Site": "none"},
}


@pytest.mark.parametrize("headers", FOREIGN.values(), ids=FOREIGN)
def test_a_form_from_elsewhere_changes_nothing(enter, tmp_path, store, headers):
    judge = enter(studies.bare(tmp_path))
    form = hidden(judge.enter().text) | {"rating-0": "3"}
    assert judge.post("/judge/next", data=form, headers=headers).status_code == 403
    assert list(store.answers.log()) == []
    own = {"Sec-Fetch-Site": "same-origin", "Origin": "null"}
    assert judge.post("/judge/next", data=form, headers=own).status_code == 303


@pytest.mark.parametrize("agreed", [None, "maybe", ""])
def test_consent_is_yes_or_no(enter, tmp_path, store, agreed):
    judge = enter(studies.study(tmp_path))
    judge.enter()
    fields = {} if agreed is None else {"agreed": agreed}
    assert judge.send("consent", **fields).status_code == 422
    assert store.notes.all() == []


def test_a_background_answer_that_was_not_offered_is_refused(enter, tmp_path, store):
    judge = enter(studies.study(tmp_path))
    judge.enter()
    judge.send("consent", agreed="yes")
    assert judge.send("background", answer_0="perhaps").status_code == 422
    assert judge.send("background", answer_0="yes", answer_1="x" * 501).status_code == 422
    assert store.notes.all(kind="background") == []


def test_steps_cannot_be_skipped(enter, tmp_path, store):
    judge = enter(studies.study(tmp_path, session=Session(remarks=True)))
    judge.enter()
    for path, fields in {
        "background": {"answer_0": "yes"},
        "continue": {"step": "guidelines", "about": "0"},
        "preferred": {"part": "0"},
        "remarks": {"remarks": "x"},
    }.items():
        assert heading(judge.send(path, **fields)) == "Before you begin"
    assert judge.send("next", position="1", page="x", sequence="1").status_code == 422
    assert heading(judge.page("/judge/item/1")) == "Before you begin"
    assert store.notes.all() == []


# what a page may do


def test_every_answer_keeps_its_page_to_itself(enter, tmp_path):
    judge = enter(studies.bare(tmp_path))
    judge.enter()
    for path in ("/judge", "/nothing", "/health", "/judge/answer", "/j/x"):
        headers = judge.get(path).headers
        assert headers["content-security-policy"] == POLICY
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
    assert "unsafe" not in POLICY
    assert "frame-ancestors 'none'" in POLICY
    assert POLICY.startswith("default-src 'none'; script-src 'self'; style-src 'self'")


def test_pages_have_no_script_or_style_of_their_own(enter, tmp_path):
    judge = enter(studies.bare(tmp_path, *studies.EVERY))
    page = judge.enter().text
    assert re.findall(r"<script[^>]*>[^<]", page) == []
    assert "<style" not in page
    assert not re.search(r"\s(style|on\w+)=", page)
    assert re.findall(r'(?:src|href|action)="(?!/|#)', page) == []


def test_files_are_cached_by_their_contents(enter, tmp_path):
    judge = enter(studies.bare(tmp_path))
    page = judge.enter().text
    for path in re.findall(r'"(/static/[^"]+)"', page):
        answer = judge.get(path)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
        again = judge.get(path, headers={"If-None-Match": answer.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
    assert judge.get("/static/0000/style.css").status_code == 404


@pytest.mark.parametrize("name", ["..%2fapp.py", "%2e%2e/app.py", "nothing.css", "app.py", ""])
def test_no_other_file_is_served(enter, tmp_path, name):
    judge = enter(studies.bare(tmp_path))
    assert judge.get(f"/static/0/{name}").status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing", 404),
        ("POST", "/judge", 405),
        ("GET", "/judge/answer", 405),
        ("PUT", "/judge/next", 405),
        ("DELETE", "/judge", 405),
        ("GET", "/judge/item/x", 404),
        ("HEAD", "/health", 200),
    ],
)
def test_what_is_not_there_is_said_kindly(enter, tmp_path, method, path, status):
    answer = enter(studies.bare(tmp_path)).ask(method, path)
    assert answer.status_code == status
    if method != "HEAD" and path != "/judge/answer":
        assert "Open your personal link" in answer.text
    if status == 405:
        assert answer.headers["allow"]


def test_head_answers_like_get_without_a_body(enter, tmp_path):
    judge = enter(studies.bare(tmp_path))
    judge.enter()
    answer = judge.ask("HEAD", "/judge")
    assert (answer.status_code, answer.content) == (200, b"")


def test_a_fault_of_ours_is_a_kind_page_without_details(enter, tmp_path, store, monkeypatch):
    judge = enter(studies.bare(tmp_path))
    judge.enter()
    monkeypatch.setattr(store, "get_state", lambda: 1 / 0)
    answer = judge.page()
    assert answer.status_code == 500
    assert heading(answer) == "Something went wrong on our side"
    assert "ZeroDivision" not in answer.text
    assert answer.headers["content-security-policy"] == POLICY


def test_what_the_store_cannot_keep_as_it_stands_is_refused_and_no_fault_of_ours(
    enter, tmp_path, store, monkeypatch, caplog
):
    judge = enter(studies.study(tmp_path))
    judge.enter()

    def refuse(*_, **__):
        raise InvalidArgument("store.not-in-a-text", argument="data", value="\ud800")

    monkeypatch.setattr(store.notes, "add", refuse)
    refused = judge.send("consent", agreed="yes")
    assert refused.status_code == 422
    assert "d800" not in refused.text
    assert not caplog.records


# what never reaches a judge


def secretive(folder):
    """A study in which every name of a system is the same odd word."""
    item = Item(
        "ZZSYSTEM-1", ("One.", "Two."), ("ZZSYSTEM", "ZZSYSTEM-b"), source="ZZSYSTEM-source",
        image="ZZSYSTEM/plot.png", image_text="a plot", cluster="ZZSYSTEM",
        context=(Turn("Ann", "Hello"),), expected={"Fluency": "ZZSYSTEM"},
    )  # fmt: skip
    (folder / "ZZSYSTEM").mkdir()
    (folder / "ZZSYSTEM" / "plot.png").write_bytes(PNG)
    items = (item, replace(item, id="ZZSYSTEM-2"))
    return studies.bare(folder, items=items, human_systems=("ZZSYSTEM",))


def test_no_name_of_a_system_reaches_a_judge(enter, tmp_path):
    judge = enter(secretive(tmp_path))
    answers = [judge.get(f"/j/{judge.token}"), judge.page(), judge.save("3")]
    answers += [judge.send("next", rating_0="4"), judge.page("/judge/item/1"), judge.page("/x")]
    for answer in answers:
        assert "zzsystem" not in (answer.text + str(answer.headers) + str(answer.url)).lower()


def test_a_picture_is_served_to_judges_under_a_name_that_tells_nothing(enter, tmp_path):
    judge = enter(secretive(tmp_path))
    path = re.search(r'<img src="([^"]+)" alt="a plot">', judge.enter().text)[1]
    answer = judge.get(path)
    assert (answer.content, answer.headers["content-type"]) == (PNG, "image/png")
    assert "sandbox" in answer.headers["content-security-policy"]
    stranger = Client(app_of(judge))
    assert stranger.get(path).status_code == 403
    stranger.close()
    assert judge.get("/judge/image/" + "0" * 32).status_code == 404


@pytest.mark.parametrize("image", ["../secret.png", "study.db", "plot.html", "nothing.png"])
def test_only_pictures_inside_the_study_are_served(enter, tmp_path, image):
    folder = tmp_path / "inside"
    folder.mkdir()
    (tmp_path / "secret.png").write_bytes(PNG)
    (folder / "plot.html").write_text("<script>alert(1)</script>")
    (folder / "study.db").write_bytes(b"SQLite")
    judge = enter(studies.bare(folder, items=(Item("i", ("x",), image=image),)))
    path = re.search(r'<img src="([^"]+)"', judge.enter().text)[1]
    assert judge.get(path).status_code == 404


def test_no_answer_of_another_judge_reaches_a_judge(enter, tmp_path):
    one, other = enter(studies.bare(tmp_path, studies.VISUAL), judges=2)
    one.enter()
    one.save(61.7)
    page = other.enter().text
    assert "61.7" not in page
    assert 'value="50.0"' in page


def test_the_log_of_requests_tells_no_link():
    record = logging.LogRecord(
        "uvicorn.access", logging.INFO, "", 0, '%s - "%s %s HTTP/%s" %d',
        ("127.0.0.1:1", "GET", "/j/abc-DEF_123?PROLIFIC_PID=5f", "1.1", 303), None,
    )  # fmt: skip
    assert RedactSecrets().filter(record)
    assert record.getMessage() == '127.0.0.1:1 - "GET /j/… HTTP/1.1" 303'


# limits


def test_a_bucket_fills_again_with_time():
    clock = [0.0]
    limit = Limit(per_second=2, burst=3, clock=lambda: clock[0])
    assert [limit.allows("a") for _ in range(4)] == [True, True, True, False]
    assert limit.allows("b")
    clock[0] = 0.5
    assert [limit.allows("a") for _ in range(2)] == [True, False]
    clock[0] = 100
    assert [limit.allows("a") for _ in range(4)] == [True, True, True, False]


def test_names_that_are_full_again_are_forgotten(monkeypatch):
    clock = [0.0]
    limit = Limit(per_second=1, burst=1, clock=lambda: clock[0])
    monkeypatch.setattr("covary.web.guard.MOST_NAMES", 10)
    for number in range(11):
        limit.allows(str(number))
    clock[0] = 5
    limit.allows("new")
    assert list(limit._buckets) == ["new"]
