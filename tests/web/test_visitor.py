"""A visitor reads forms as a browser does, and does not give up when the server is away."""

import socket
import time
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import ClassVar

import pytest

from covary.web.serving.simulation import PageVisitor, VisitedPage

PAGE = """\
<form action="/judge/consent" method="post"><input type="hidden" name="token" value="t&amp;1">
<button name="agreed" value="yes">Yes</button><button name="agreed" value="no">No</button></form>
<form action="/judge/next"><fieldset data-criterion="Clarity (words)">
<input type="radio" name="rating-0" value="1"><input type="radio" name="rating-0" value="2" checked>
</fieldset><input type="text" name="remark"><textarea name="long"></textarea>
<select name="years"><option value="">Choose</option><option value="3">3</option></select>
<select name="field"><option value="">Choose</option><option value="art">Art</option>
<option value="law" selected>Law</option><option value="war">War</option></select>
<datalist><option value="9"></datalist><input type="checkbox" name="late" value="1">
<input type="checkbox" name="early" value="1" checked></form>
<input name="outside" value="x">
"""


def test_forms_are_read_with_their_values_and_choices():
    forms = VisitedPage("/", 200, PAGE).forms
    assert list(forms) == ["/judge/consent", "/judge/next"]
    consent, rating = forms.values()
    assert (consent.values, consent.choices) == ({"token": "t&1"}, {"agreed": ["yes", "no"]})
    assert rating.values == {
        "rating-0": "2", "remark": "", "long": "", "years": "3", "field": "law", "early": "1",
    }  # fmt: skip
    assert rating.choices == {"rating-0": ["1", "2"]}
    assert rating.criteria == ["Clarity (words)"]
    assert rating.value("nothing") == ""


def test_a_text_area_without_a_name_or_outside_every_form_sends_nothing():
    page = """<form action="/a"><textarea>no name</textarea>
        <textarea name="why">\nbecause\nof</textarea> and more</form>
        <form action="/b"><textarea name="cut">begun</form>
        <textarea name="alone">nobody's</textarea>"""
    forms = VisitedPage("/", 200, page).forms
    assert forms["/a"].values == {"why": "because\nof"}  # the first line end is not the text's
    assert set(forms) == {"/a", "/b"}


class Answering(BaseHTTPRequestHandler):
    """Follows a list of what to do: a status, or 0 to hang up without a word."""

    plan: ClassVar[list[int]] = []
    seen: ClassVar[list[tuple[str, str, str, bytes]]] = []
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        size = int(self.headers.get("content-length", 0))
        cookie = self.headers.get("cookie", "")
        self.seen.append((self.command, self.path, cookie, self.rfile.read(size)))
        status = self.plan.pop(0) if self.plan else 200
        if status == 0:
            self.close_connection = True
            return
        self.send_response(status)
        if status == 303:
            self.send_header("Location", "/after")
            self.send_header("Set-Cookie", "who=me; HttpOnly")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    do_POST = do_GET

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    Answering.plan, Answering.seen = [], []
    served = HTTPServer(("127.0.0.1", 0), Answering)
    thread = Thread(target=served.serve_forever, daemon=True)
    thread.start()
    yield served
    served.shutdown()
    thread.join()
    served.server_close()


@pytest.fixture
def visitor(server):
    one = PageVisitor(*server.server_address, patience=180)
    yield one
    one.close()


def test_a_visitor_follows_where_a_page_leads_and_keeps_cookies(server, visitor):
    Answering.plan = [303]
    assert visitor.get("/begin") == VisitedPage("/after", 200, "ok")
    assert [seen[:3] for seen in Answering.seen] == [
        ("GET", "/begin", ""),
        ("GET", "/after", "who=me"),
    ]


@pytest.mark.parametrize("trouble", [0, 429, 503])
def test_a_request_that_came_to_nothing_is_sent_again_as_it_was(server, visitor, trouble):
    Answering.plan = [trouble, trouble, 200]
    assert visitor.send_json("/judge/answer", "t", {"key": "k"}) == 200
    bodies = [body for *_, body in Answering.seen]
    assert bodies == [b'{"key": "k"}'] * 3


def test_a_refusal_is_not_repeated(server, visitor):
    Answering.plan = [422]
    assert visitor.send_json("/judge/answer", "t", {}) == 422
    assert len(Answering.seen) == 1


def test_patience_ends(server):
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    began = time.monotonic()
    with (
        closing(PageVisitor("127.0.0.1", port, patience=0.2)) as alone,
        pytest.raises(ConnectionRefusedError),
    ):
        alone.get("/")
    assert time.monotonic() - began > 0.2
    Answering.plan = [503] * 100
    with closing(PageVisitor(*server.server_address, patience=0.2)) as hurried:
        assert hurried.get("/").status == 503
