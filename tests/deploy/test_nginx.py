"""nginx, as covary ships its configuration, before a real server."""

import re
import urllib.error
import urllib.request
from http.client import HTTPConnection

import pytest

from covary.store import Store
from tests.deploy.nginx import needs_nginx, nginx_before, over_tls
from tests.serving.judging import Watching
from tests.serving.servers import serving
from tests.web.killing import judged, prepare
from tests.web.ports import free_port

ADDRESS = "https://study.example.org"

pytestmark = needs_nginx


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A server behind nginx: nginx, the server's own port, its store, a judge's token."""
    tmp_path = tmp_path_factory.mktemp("nginx")
    folder, place, port = tmp_path / "study", str(tmp_path / "study.db"), free_port()
    tokens = prepare(folder, place, 3)
    with (
        serving(folder, place, port, "--proxy", "--log", "--address", ADDRESS),
        nginx_before([port], tmp_path / "nginx") as nginx,
    ):
        yield nginx, port, folder, place, tokens


def ask(port, path, *, connect=over_tls, method="GET", body=None, **headers):
    connection = connect(port)
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body, {"Host": "study.example.org"} | headers)
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response, text


def test_a_judge_comes_in_over_https_and_saves(site):
    nginx, _, folder, place, tokens = site
    visitor = Watching("127.0.0.1", nginx.port, over=Once())
    visitor._connection = over_tls(nginx.port)
    judged(folder, place, visitor, 1, tokens[0])
    assert set(visitor.seen) <= {200, 303}
    assert len(visitor.acknowledged) == 4
    with Store.open(place) as store:
        assert {answer.key for _, _, answer in store.answers.log()} == set(visitor.acknowledged)
    (cookie,) = visitor._cookies
    assert cookie.startswith("__Host-covary-judge-")


class Once:
    """Says after four answers that it is enough."""

    def __init__(self):
        self.asked = 0

    def is_set(self):
        self.asked += 1
        return self.asked > 4


def test_who_comes_without_https_is_sent_to_https(site):
    nginx = site[0]
    response, _ = ask(
        nginx.plain, "/judge?x=1", connect=lambda port: HTTPConnection("127.0.0.1", port)
    )
    assert response.status == 301
    assert response.headers["location"] == "https://study.example.org/judge?x=1"


def test_pages_keep_their_headers_and_are_kept_to_https(site):
    response, _ = ask(site[0].port, "/judge")
    assert response.headers["strict-transport-security"] == "max-age=31536000"
    assert "default-src 'none'" in response.headers["content-security-policy"]
    assert response.headers["server"] == "nginx"


def test_a_form_of_this_site_is_told_from_one_of_another(site):
    """The server sees the host that the browser sees; otherwise every form would be refused."""
    nginx, _, _, _, tokens = site
    entered, _ = ask(nginx.port, f"/j/{tokens[2]}")
    cookie = entered.headers["set-cookie"].partition(";")[0]
    for _ in range(2):  # the first time a sheet is given out, and the browser sent on
        _, page = ask(nginx.port, "/judge", Cookie=cookie)
    token = re.search(r'name="token" value="([^"]+)"', page)[1]
    form = {"Content_Type": "application/x-www-form-urlencoded", "Cookie": cookie}
    for origin, status in (("https://study.example.org", 422), ("https://elsewhere.example", 403)):
        response, _ = ask(nginx.port, "/judge/next", method="POST", body=f"token={token}",
                          Origin=origin, **form)  # fmt: skip
        assert response.status == status  # 422: let in, and found to hold no answer


def test_counts_and_readiness_are_for_the_machine_itself(site):
    nginx, port, *_ = site
    for path in ("/metrics", "/ready"):
        assert ask(nginx.port, path)[0].status == 404
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}") as answer:
            assert answer.status == 200
    assert ask(nginx.port, "/health")[0].status == 200
    passed_on = urllib.request.Request(
        f"http://127.0.0.1:{port}/metrics", headers={"X-Forwarded-For": "192.0.2.1"}
    )
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(passed_on)


def test_personal_links_and_queries_are_in_nothing_that_nginx_writes(site, tmp_path):
    nginx, _, _, _, tokens = site
    path = f"/j/{tokens[1]}?PROLIFIC_PID=abc123"
    assert ask(nginx.port, path)[0].status == 303
    with nginx_before([free_port()], tmp_path / "nginx") as alone:  # no server answers: an error
        assert ask(alone.port, path)[0].status == 503
    for each in (nginx, alone):
        assert "start worker process" in each.written  # what it writes at all is here
        assert tokens[1] not in each.written
        assert "abc123" not in each.written


def test_a_body_that_is_too_large_is_refused_at_the_door(site):
    response, _ = ask(site[0].port, "/judge/answer", method="POST", body=b"x" * 70_000)
    assert response.status == 413


def test_where_no_server_answers_a_page_says_so_and_a_script_tries_again(tmp_path):
    with nginx_before([free_port()], tmp_path / "nginx") as nginx:
        response, page = ask(nginx.port, "/judge")
        assert response.status == 503
        assert response.headers["retry-after"] == "2"
        assert "All answers that were saved are kept" in page
