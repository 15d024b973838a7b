"""Pages from templates, in which everything is escaped unless `markup` made it safe."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

from covary.web.files import address_of

__all__ = ["draw_page", "page"]


@cache
def templates() -> Environment:
    """Return the templates; each is read once."""
    environment = Environment(
        loader=PackageLoader("covary.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals["address_of"] = address_of
    return environment


def draw_page(name: str, /, **values: Any) -> str:
    """Write a page of this name (`item` is item.html) with these values."""
    return templates().get_template(f"{name}.html").render(values)


def page(name: str, /, status: int = 200, **values: Any) -> HTMLResponse:
    """Answer with a page."""
    return HTMLResponse(draw_page(name, **values), status)
