"""A picture drawn as SVG for a page: in the page's own colours, and described for everyone."""

from __future__ import annotations

import html
import re

from covary.report.contents import Figure
from covary.report.plots import GRID, INK, MUTED, PALETTE

__all__ = ["drawn"]

VARIABLES = {INK: "ink", MUTED: "muted", GRID: "line"} | {
    colour: f"series-{number}" for number, colour in enumerate(PALETTE, 1) if colour != INK
}
"""The variable of the stylesheet that stands for each colour, so that dark pages are dark."""

NARROW, ENLARGED = 400, 1.3
"""Pictures that fit a phone are drawn larger where there is room, and shrink where not."""

NUMBER = re.compile(r"(?<=[\s\",(MLHVCZhvcmlz-])(-?\d+\.\d{3,})")


def drawn(figure: Figure) -> str:
    """Draw a figure. Its words and its colours stay those of the page around it."""
    import vl_convert

    picture: str = vl_convert.vegalite_to_svg(figure.spec)
    return _described(_shortened(_coloured(picture)), figure)


def _coloured(picture: str) -> str:
    for colour, variable in VARIABLES.items():
        picture = re.sub(f'="{colour}"', f'="var(--{variable})"', picture, flags=re.IGNORECASE)
    return picture


def _shortened(picture: str) -> str:
    """Leave out what a reader cannot see: far decimals, and the marks of an editor."""
    picture = NUMBER.sub(lambda found: f"{float(found[1]):.2f}", picture)
    picture = re.sub(r' (?:aria-[a-z]+|role|class|pointer-events)="[^"]*"', "", picture)
    return re.sub(r'<path d="M0,0h0v0h0Z"/>|<g></g>', "", picture)


def _described(picture: str, figure: Figure) -> str:
    """Name and describe the picture, and give it a size that may shrink."""
    sizes = re.search(r'viewBox="0 0 (\d+(?:\.\d+)?) (\d+(?:\.\d+)?)"', picture)
    assert sizes is not None
    width = float(sizes[1]) * (ENLARGED if float(sizes[1]) <= NARROW else 1)
    names = f"{figure.key}-title {figure.key}-description"
    opening = (
        f'<svg role="img" aria-labelledby="{html.escape(names)}" {sizes[0]} '
        f'width="{width}">'
        f'<title id="{html.escape(figure.key)}-title">{html.escape(figure.title)}</title>'
        f'<desc id="{html.escape(figure.key)}-description">{html.escape(figure.description)}</desc>'
    )
    return re.sub(r"<svg[^>]*>", lambda _: opening, picture, count=1)
