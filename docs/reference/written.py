"""The reference, from the code itself: `public` for Python names, `commands` for the shell."""

import importlib
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from of_commands import all_commands
from of_names import entries, formulas_kept, is_at_the_door, summary
from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.parsing import nested_parse_to_nodes

import covary


class Written(SphinxDirective):
    """A directive that writes reStructuredText and lets Sphinx read it."""

    def parsed(self, lines: list[str]) -> list[nodes.Node]:
        """Read lines as if they stood on the page; their headings become its sections."""
        source = f"<{self.name} on {self.env.docname}>"
        return nested_parse_to_nodes(
            self.state, StringList(lines, source), allow_section_headings=True
        )


class Public(Written):
    """The public names of a module: a summary of all, then each with its documentation.

    The names stand in the body; without a body, all that the module lists. A name that `covary`
    itself has is described there, and only pointed to from its own room.
    """

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"without": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """Write the summary and the entries."""
        module = importlib.import_module(self.arguments[0])
        left_out = self.options.get("without", "").split()
        named = " ".join(self.content).split()
        listed = named or [name for name in module.__all__ if name not in left_out]
        own = [name for name in listed if module is covary or not is_at_the_door(module, name)]
        return self.parsed([*summary(module, listed), *entries(module, own)])


class Commands(Written):
    """Every command of the command line, in its sections, with its options and examples."""

    def run(self) -> list[nodes.Node]:
        """Write a section for each command."""
        return self.parsed(list(all_commands()))


def keep_formulas(*event: Any) -> None:
    """Change the lines of a docstring, the last part of the event, before anything reads them."""
    lines = event[-1]
    lines[:] = formulas_kept(lines)


def readable_signature(*event: Any) -> tuple[str, str] | None:
    """Write `...` for a default that is made anew each time, which Python cannot show."""
    signature, returned = event[-2:]
    return (signature.replace("<factory>", "..."), returned) if signature else None


REPAIRS = {
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="This page">',
    "<pre>": '<pre tabindex="0">',
}
"""What Sphinx and its theme leave out, and a reader without mouse or eyes needs."""


def repair(app: Sphinx, error: Exception | None) -> None:
    """Complete every page: levels of headings, names of regions, code that scrolls."""
    for page in [] if error else Path(app.outdir).rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for wrong, right in REPAIRS.items():
            text = text.replace(wrong, right)
        page.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx about the directives."""
    app.add_lexer("csv", TextLexer)
    app.connect("autodoc-process-docstring", keep_formulas, priority=100)
    app.connect("autodoc-process-signature", readable_signature)
    app.connect("build-finished", repair)
    app.add_directive("public", Public)
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
