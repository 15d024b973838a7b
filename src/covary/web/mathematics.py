"""Mathematics in the Markdown of items: TeX between its marks, kept from Markdown's own.

A formula is shown as its source, in a fixed-width face: every judge sees the same, nothing is
fetched or run for it, and no underscore in it becomes emphasis.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

MATHEMATICS: Mapping[str, set[str]] = {"code": {"math"}, "pre": {"math"}}
"""The classes by which the stylesheet knows mathematics."""

INLINE = re.compile(
    r"\$\$(?P<display>.+?)\$\$"
    r"|\$(?P<dollars>(?!\s)[^$\n]*[^$\s\\])\$(?!\d)"
    r"|\\\((?P<round>.+?)\\\)"
    r"|\\\[(?P<square>.+?)\\\]",
    re.DOTALL,
)
"""A dollar before a space, or a second one before a digit, is money."""

BLOCKS = {"$$": "$$", "\\[": "\\]"}
"""How a formula of its own lines begins and ends."""


def mathematics(reader: MarkdownIt) -> MarkdownIt:
    """Let a reader of Markdown know formulas."""
    reader.inline.ruler.before("escape", "math", _inline)
    reader.block.ruler.before(
        "fence", "math_block", _block, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )
    reader.add_render_rule("math", _draw)
    reader.add_render_rule("math_block", _draw_block)
    return reader


def _inline(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "$\\":
        return False
    match = INLINE.match(state.src, state.pos)
    if match is None:
        return False
    if not silent:
        token = state.push("math", "code", 0)
        token.content = next(group for group in match.groups() if group is not None).strip()
    state.pos = match.end()
    return True


def _block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    first = _line(state, start)
    closing = BLOCKS.get(first[:2])
    if closing is None or state.is_code_block(start):
        return False
    lines = [first[2:]]
    last = start
    while not lines[-1].endswith(closing):
        last += 1
        if last >= end:
            return False
        lines.append(_line(state, last))
    if not silent:
        token = state.push("math_block", "pre", 0)
        token.content = "\n".join(lines)[: -len(closing)].strip()
        state.line = last + 1
    return True


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]].rstrip()


def _draw(
    _renderer: RendererHTML, tokens: Sequence[Token], place: int, _: OptionsDict, __: EnvType
) -> str:
    return f'<code class="math">{escape(tokens[place].content)}</code>'


def _draw_block(
    _renderer: RendererHTML, tokens: Sequence[Token], place: int, _: OptionsDict, __: EnvType
) -> str:
    return f'<pre class="math">{escape(tokens[place].content)}</pre>\n'
