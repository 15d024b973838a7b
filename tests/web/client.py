"""A judge without a browser: asks the application in this process, and reads its forms."""

import asyncio
import re
from html import unescape
from html.parser import HTMLParser

import httpx

ORIGIN = "http://study.test"


class Client:
    """Requests one after another, with cookies, on a loop of their own."""

    def __init__(self, app, origin=ORIGIN):
        self.runner = asyncio.Runner()
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        self.http = httpx.AsyncClient(transport=transport, base_url=origin)

    def ask(self, method, path, **more):
        return self.runner.run(self.http.request(method, path, **more))

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def post(self, path, **more):
        headers = {"Origin": str(self.http.base_url).rstrip("/")} | more.pop("headers", {})
        return self.ask("POST", path, headers=headers, **more)

    def close(self):
        if not self.http.is_closed:
            self.runner.run(self.http.aclose())
            self.runner.close()


class Judge(Client):
    """A judge with a personal link."""

    def __init__(self, app, token, origin=ORIGIN):
        super().__init__(app, origin)
        self.token = token

    def enter(self):
        assert self.get(f"/j/{self.token}").status_code == 303
        return self.page()

    def page(self, path="/judge"):
        return self.ask("GET", path, follow_redirects=True)

    def send(self, path, **fields):
        """Send a form with the hidden fields of the page that is shown now."""
        form = hidden(self.page().text) | {name.replace("_", "-"): v for name, v in fields.items()}
        return self.post(f"/judge/{path}", data=form, follow_redirects=True)

    def go_on(self):
        return self.send("continue")

    def begin(self):
        """Agree, answer the background questions, read the guidelines."""
        self.enter()
        self.send("consent", agreed="yes")
        self.send("background", answer_0="yes")
        return self.go_on()

    def save(self, rating, *, criterion=None, sequence=1, key=None, position=None, **more):
        """Save one answer as the page's script does."""
        page = self.page().text
        fields = hidden(page)
        found = re.search(r'data-criterion="([^"]*)"', page)
        body = {
            "position": int(fields["position"]) if position is None else position,
            "criterion": unescape(found[1]) if criterion is None else criterion,
            "rating": rating,
            "touched": True,
            "page": fields.get("page"),
            "sequence": sequence,
            "key": key or f"{more.get('page', fields.get('page'))}.{sequence}",
            "seconds": 1.5,
        } | more
        return self.post("/judge/answer", json=body, headers={"X-Covary-Token": fields["token"]})


class Hidden(HTMLParser):
    """The hidden fields of the forms of a page."""

    def __init__(self):
        super().__init__()
        self.fields = {}

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if tag == "input" and found.get("type") == "hidden":
            self.fields[found["name"]] = found["value"]


def hidden(page: str) -> dict[str, str]:
    reader = Hidden()
    reader.feed(page)
    return reader.fields


def heading(response) -> str:
    return unescape(re.search(r"<h1>(.*?)</h1>", response.text, re.DOTALL)[1])
