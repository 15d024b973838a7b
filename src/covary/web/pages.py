"""Pages from templates, the files they need, and Markdown made into safe HTML."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import nh3
from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from covary.study.model import Study
from covary.web.mathematics import ELEMENTS, MATHEMATICS, mathematics
from covary.words.page_words import ENGLISH, PageWords, direction_of, page_words

FILE_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
FOR_A_YEAR = "public, max-age=31536000, immutable"


@dataclass(frozen=True)
class StaticFile:
    """One file: its bytes, a digest of them, what it is."""

    body: bytes
    digest: str
    type: str


@cache
def static_file(name: str) -> StaticFile | None:
    """Return a file of the pages, or None where there is no such file."""
    place = files("covary.web").joinpath("static", name)
    ending = name.rpartition(".")[2]
    if ending not in FILE_TYPES or "/" in name or "\\" in name or not place.is_file():
        return None
    body = place.read_bytes()
    return StaticFile(body, hashlib.sha256(body).hexdigest()[:16], FILE_TYPES[ending])


def address_of(name: str) -> str:
    """Return the path under which a file is served; it changes when the file does."""
    file = static_file(name)
    if file is None:
        raise LookupError(f"there is no file {name} among the files of the pages")
    return f"/static/{file.digest}/{name}"


def if_changed(request: Request, response: Response, digest: str) -> Response:
    """Answer 304 where the browser has the file already."""
    tag = f'"{digest}"'
    response.headers["ETag"] = tag
    if tag in request.headers.get("if-none-match", ""):
        headers = {name: response.headers[name] for name in ("ETag", "Cache-Control")}
        return Response(status_code=304, headers=headers)
    return response


async def serve_file(request: Request) -> Response:
    """Serve a stylesheet or a script."""
    file = static_file(request.path_params["name"])
    if file is None or file.digest != request.path_params["digest"]:
        raise HTTPException(404)
    headers = {"Cache-Control": FOR_A_YEAR}
    response = Response(file.body, media_type=file.type, headers=headers)
    return if_changed(request, response, file.digest)


def file_route() -> Route:
    """Return the route of the files."""
    return Route("/static/{digest}/{name}", serve_file)


SCRIPT_WORDS = (
    "Saved",
    "Remove",
    "Saving …",
    "Please answer what is marked before you go on.",
    "Your answers cannot be saved at the moment. Leave this page open: they are kept here and "
    "sent as soon as the connection is back.",
    "Your link is no longer valid here, so nothing more can be saved. Please open your link again.",
    "This can no longer be changed. Reload the page to go on where you are now.",
    "This answer was not accepted. Reload the page and try again.",
    "The study is paused. Your answers are kept in this browser and sent when it goes on.",
)
"""What the script of an item's page says, in English, which is its key."""


@cache
def templates(words: PageWords) -> Environment:
    """Return the templates with the words of a study's pages; each is read once."""
    environment = Environment(
        loader=PackageLoader("covary.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        auto_reload=False,
    )
    environment.globals |= {
        "address_of": address_of,
        "words": words,
        "_": words.text,
        "ngettext": words.counted,
        "script_words": lambda: json.dumps({text: words.text(text) for text in SCRIPT_WORDS}),
    }
    return environment


IN_ENGLISH = ("researcher", "round-")


def draw_page(name: str, /, **values: Any) -> str:
    """Write a page of this name (`item` is item.html) with these values.

    Judges' pages speak the language of their study; researchers' pages, and those of the guideline
    cycle but for its items, speak English.
    """
    study: Study = values["study"]
    english = name.startswith(IN_ENGLISH) and name != "round-item"
    words = page_words(ENGLISH) if english else page_words(study.language, study.words)
    if "notice" in values:
        values["notice"] = values["notice"].translated(words)
    values["direction"] = "ltr" if english else direction_of(study.language)
    return templates(words).get_template(f"{name}.html").render(values)


def table_name(study: Study) -> str:
    """Return what a table is called on the judges' pages of a study."""
    return page_words(study.language, study.words).text(TABLE)


def page(name: str, /, status: int = 200, **values: Any) -> HTMLResponse:
    """Answer with a page."""
    return HTMLResponse(draw_page(name, **values), status)


IN_ITEMS = frozenset(
    {"p", "br", "em", "strong", "s", "code", "pre", "ul", "ol", "li", "blockquote", "sub", "sup"}
    | {"h2", "h3", "h4", "h5", "h6", "hr", "table", "thead", "tbody", "tr", "th", "td"}
)
"""What an item may have where the study opts in: what models write. No link, no picture."""

TABLE = "Table"
"""What a wide table is called to those who listen, in English."""

IN_GUIDELINES = IN_ITEMS | {"a"}

SCHEMES = {"http", "https", "mailto"}
HIGHEST, LOWEST = 2, 6
"""Headings stand below the page's own."""


def from_item(text: str, table: str = TABLE) -> Markup:
    """Draw the text of an item whose study opted into markup; `table` names tables to listeners."""
    drawn = _drawn(_item_reader(), text)
    safe = nh3.clean(
        drawn,
        tags=set(IN_ITEMS) | set(ELEMENTS),
        attributes=dict(ELEMENTS),
        allowed_classes=MATHEMATICS,
    )
    return _scrolling(safe, table)


def from_researcher(text: str, table: str = TABLE) -> Markup:
    """Draw guidelines or a consent text: Markdown, without raw HTML and without pictures."""
    drawn = _drawn(_guidelines_reader(), text)
    safe = nh3.clean(
        drawn, tags=set(IN_GUIDELINES), attributes={"a": {"href", "title"}}, url_schemes=SCHEMES
    )
    return _scrolling(safe, table)


def _drawn(reader: MarkdownIt, text: str) -> str:
    tokens = list(_nested(reader.parse(text)))
    drawn: str = reader.renderer.render(tokens, reader.options, {})
    return drawn


def _scrolling(safe: str, name: str) -> Markup:
    """Let a wide table scroll in its own box, by keyboard too."""
    box = f'<div class="scroll" role="region" aria-label="{escape(name)}" tabindex="0">'
    return Markup(safe.replace("<table>", f"{box}<table>").replace("</table>", "</table></div>"))


def _nested(tokens: Iterable[Token]) -> Iterable[Token]:
    """Renumber headings so that none skips a level, whatever the author began with."""
    above: list[int] = []
    for token in tokens:
        if token.type == "heading_open":
            level = int(token.tag[1])
            above = [outer for outer in above if outer < level]
            above.append(level)
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(HIGHEST + len(above) - 1, LOWEST)}"
        yield token


@cache
def _item_reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    return mathematics(reader).disable(["link", "image", "autolink"])


@cache
def _guidelines_reader() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
