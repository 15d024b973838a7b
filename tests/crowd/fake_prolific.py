"""A small Prolific on this machine, which speaks the documented part of API v1."""

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

TOKEN = "secret-token-123"


@dataclass
class Asked:
    """One call as it came."""

    method: str
    path: str
    query: dict
    content: object
    token: str
    kind: str | None = None


@dataclass
class FakeProlific:
    """What there is, what was asked, and answers to give first (status, headers, content)."""

    submissions: list = field(default_factory=list)
    first: list = field(default_factory=list)
    asked: list = field(default_factory=list)
    page_size: int = 2
    paging: str = "links"
    studies: dict = field(default_factory=dict)
    paid: list = field(default_factory=list)
    bonuses: dict = field(default_factory=dict)

    def answer(self, asked):
        """Return status, headers and content of an answer."""
        self.asked.append(asked)
        if self.first:
            return self.first.pop(0)
        if asked.token != f"Token {TOKEN}":
            return 401, {}, {"error": {"status": 401, "title": "Not authorised", "detail": "Bad."}}
        parts = asked.path.strip("/").split("/")[2:]
        match asked.method, parts:
            case "POST", ["studies"]:
                self.studies["study1"] = {"status": "UNPUBLISHED", **asked.content}
                return 201, {}, {"id": "study1", "status": "UNPUBLISHED"}
            case "POST", ["studies", study, "transition"] if study in self.studies:
                self.studies[study]["status"] = "ACTIVE"
                return 200, {}, {"id": study, "status": "ACTIVE"}
            case "GET", ["submissions"]:
                return 200, {}, self.page(int(asked.query["page"]))
            case "GET", ["submissions", submission]:
                (known,) = [each for each in self.submissions if each["id"] == submission]
                return 200, {}, known | {"bonus_payments": self.bonuses.get(submission)}
            case "POST", ["submissions", "bonus-payments"]:
                rows = asked.content["csv_bonuses"].split("\n")
                cents = round(100 * sum(float(each.split(",")[1]) for each in rows))
                told = {"amount": cents, "fees": cents / 5, "total_amount": cents * 6 / 5}
                return 201, {}, {"id": "bonus1", **told}
            case "POST", ["submissions", submission, "transition"]:
                known = [each for each in self.submissions if each["id"] == submission]
                for each in known:
                    each["status"] = {"APPROVE": "APPROVED", "REJECT": "REJECTED"}[
                        asked.content["action"]
                    ]
                return (200, {}, known[0]) if known else (404, {}, {"error": {"detail": "None."}})
            case "POST", ["bulk-bonus-payments", bonus, "pay"]:
                self.paid.append(bonus)
                return 202, {}, None
        return 404, {}, {"error": {"status": 404, "title": "Not found", "detail": "No such page."}}

    def page(self, number):
        begin = (number - 1) * self.page_size
        results = self.submissions[begin : begin + self.page_size]
        more = begin + self.page_size < len(self.submissions)
        told = {"results": results}
        if self.paging == "links":
            told["_links"] = {"next": {"href": "https://elsewhere.example/" if more else None}}
        if self.paging in ("links", "count"):
            told["meta"] = {"count": len(self.submissions)}
        return told


class Served:
    """The fake, served on a free port while a test runs."""

    def __init__(self, fake):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.respond("GET")

            def do_POST(self):
                self.respond("POST")

            def respond(self, method):
                parts = urlsplit(self.path)
                length = int(self.headers.get("Content-Length") or 0)
                content = json.loads(self.rfile.read(length)) if length else None
                query = {name: values[0] for name, values in parse_qs(parts.query).items()}
                token = self.headers.get("Authorization", "")
                kind = self.headers.get("Content-Type")
                answer = fake.answer(Asked(method, parts.path, query, content, token, kind))
                if answer is None:  # the connection breaks
                    self.close_connection = True
                    return
                status, headers, body = answer
                written = body if isinstance(body, bytes) else json.dumps(body).encode()
                written = b"" if body is None else written
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(written)))
                self.end_headers()
                self.wfile.write(written)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
