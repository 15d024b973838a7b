"""Mathematics in the Markdown of items: TeX between its marks, kept from Markdown's own.

A formula is drawn as MathML, which browsers know: nothing is fetched or run for it. One with
anything unknown in it is shown as its source, in a fixed-width face.
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

from covary.web.mathml import CLASSES, TAGS, mathml

MATHEMATICS: Mapping[str, set[str]] = {
    **CLASSES,
    "code": {"math"},
    "pre": {"math"},
    "span": {"formula", "unbroken"},
}
"""The classes by which the stylesheet knows mathematics."""

ELEMENTS: Mapping[str, set[str]] = {**TAGS, "span": set()}
"""What formulas are made of, with the attributes of each."""

WIDE = 20
"""Signs of a formula beyond which it may not fit into a line of a telephone."""

SIGNS = re.compile(r"<[^>]*>|&[^;]*;|\s")

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

ENVIRONMENT = re.compile(r"\\begin\{(equation|align|gather|multline|eqnarray)(\*?)\}")
"""How a formula begins that needs no marks around it."""


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
        token.block = match.lastgroup in ("display", "square")
        token.content = next(group for group in match.groups() if group is not None).strip()
    state.pos = match.end()
    return True


def _block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    first = _line(state, start)
    environment = ENVIRONMENT.match(first)
    closing = f"\\end{{{''.join(environment.groups())}}}" if environment else BLOCKS.get(first[:2])
    if closing is None or state.is_code_block(start):
        return False
    lines = [first if environment else first[2:]]
    last = start
    while not lines[-1].endswith(closing):
        last += 1
        if last >= end:
            return False
        lines.append(_line(state, last))
    if not silent:
        source = "\n".join(lines)
        token = state.push("math_block", "pre", 0)
        token.content = (source if environment else source[: -len(closing)]).strip()
        state.line = last + 1
    return True


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]].rstrip()


def _draw(
    _renderer: RendererHTML, tokens: Sequence[Token], place: int, _: OptionsDict, __: EnvType
) -> str:
    token = tokens[place]
    drawn = mathml(token.content, display=token.block)
    if drawn is None:
        return f'<code class="math">{escape(token.content)}</code>'
    if token.block:
        return f'<span class="formula">{drawn}</span>'
    wide = len(SIGNS.sub("", drawn)) > WIDE
    return f'<span class="unbroken">{drawn}</span>' if wide else drawn


def _draw_block(
    _renderer: RendererHTML, tokens: Sequence[Token], place: int, _: OptionsDict, __: EnvType
) -> str:
    source = tokens[place].content
    drawn = mathml(source, display=True)
    if drawn is None:
        return f'<pre class="math">{escape(source)}</pre>\n'
    return f'<p><span class="formula">{drawn}</span></p>\n'
