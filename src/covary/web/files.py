"""The few files of the pages, held in memory under names that change with their contents."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

__all__ = ["address_of", "file_route", "if_changed"]

TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
FOR_A_YEAR = "public, max-age=31536000, immutable"


@dataclass(frozen=True)
class Kept:
    """One file: its bytes, a digest of them, what it is."""

    body: bytes
    digest: str
    type: str


@cache
def kept(name: str) -> Kept | None:
    """Return a file of the pages, or None where there is no such file."""
    place = files("covary.web").joinpath("static", name)
    ending = name.rpartition(".")[2]
    if ending not in TYPES or "/" in name or "\\" in name or not place.is_file():
        return None
    body = place.read_bytes()
    return Kept(body, hashlib.sha256(body).hexdigest()[:16], TYPES[ending])


def address_of(name: str) -> str:
    """Return the path under which a file is served; it changes when the file does."""
    found = kept(name)
    if found is None:
        raise LookupError(f"there is no file {name} among the files of the pages")
    return f"/static/{found.digest}/{name}"


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
    found = kept(request.path_params["name"])
    if found is None or found.digest != request.path_params["digest"]:
        raise HTTPException(404)
    headers = {"Cache-Control": FOR_A_YEAR}
    response = Response(found.body, media_type=found.type, headers=headers)
    return if_changed(request, response, found.digest)


def file_route() -> Route:
    """Return the route of the files."""
    return Route("/static/{digest}/{name}", serve_file)
