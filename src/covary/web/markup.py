"""Markdown of researchers, and the little markup that items may have, as safe HTML."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

__all__ = ["from_item", "from_researcher"]

IN_ITEMS = frozenset(
    {"p", "br", "em", "strong", "code", "pre", "ul", "ol", "li", "blockquote", "sub", "sup"}
)
"""What an item may have where the study opts in: emphasis, lists, code. No link, no picture."""

IN_GUIDELINES = IN_ITEMS | {
    "a", "h2", "h3", "h4", "h5", "h6", "hr", "s", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip

SCHEMES = {"http", "https", "mailto"}
SCROLLS = '<div class="scroll" role="region" aria-label="Table" tabindex="0">'
"""A wide table scrolls in its own box, by keyboard too."""

HIGHEST, LOWEST = 2, 6
"""Headings stand below the page's own."""


def from_item(text: str) -> Markup:
    """Draw the text of an item whose study opted into markup."""
    drawn = _item_reader().render(text)
    return Markup(nh3.clean(drawn, tags=set(IN_ITEMS), attributes={}))


def from_researcher(text: str) -> Markup:
    """Draw guidelines or a consent text: Markdown, without raw HTML and without pictures."""
    reader = _guidelines_reader()
    tokens = list(_nested(reader.parse(text)))
    drawn = reader.renderer.render(tokens, reader.options, {})
    safe = nh3.clean(
        drawn, tags=set(IN_GUIDELINES), attributes={"a": {"href", "title"}}, url_schemes=SCHEMES
    )
    return Markup(
        safe.replace("<table>", f"{SCROLLS}<table>").replace("</table>", "</table></div>")
    )


def _nested(tokens: Iterable[Token]) -> Iterable[Token]:
    """Renumber headings so that none skips a level, whatever the author began with."""
    above: list[int] = []
    for token in tokens:
        if token.type == "heading_open":
            level = int(token.tag[1])
            above = [each for each in above if each < level]
            above.append(level)
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(HIGHEST + len(above) - 1, LOWEST)}"
        yield token


@cache
def _item_reader() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).disable(["link", "image", "autolink"])


@cache
def _guidelines_reader() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
