"""Pictures of items, under names that do not tell where they come from."""

from __future__ import annotations

import hashlib
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from covary.web.files import if_changed
from covary.web.proof import opaque
from covary.web.site import Site

__all__ = ["image_address", "serve_image"]

TYPES = {
    ".avif": "image/avif",
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
}
ALONE = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""A drawing may have styles of its own, but runs nothing, even when it is opened by itself."""


def image_address(site: Site, image: str) -> str:
    """Return the path of an item's picture: its file name may name a system."""
    return f"/judge/image/{opaque(site.proof.secret, 'image', image)}"


def serve_image(site: Site, request: Request) -> Response:
    """Answer with a picture of the study to a judge of the study."""
    site.judge_of(request)
    asked = request.url.path
    for item in site.study.items:
        if item.image and image_address(site, item.image) == asked:
            return _picture(site.study.folder, item.image, request)
    raise HTTPException(404)


def _picture(folder: Path, image: str, request: Request) -> Response:
    place = (folder / image).resolve()
    kind = TYPES.get(place.suffix.lower())
    if kind is None or not place.is_relative_to(folder.resolve()) or not place.is_file():
        raise HTTPException(404)
    body = place.read_bytes()
    headers = {"Cache-Control": "private, max-age=3600", "Content-Security-Policy": ALONE}
    response = Response(body, media_type=kind, headers=headers)
    return if_changed(request, response, hashlib.sha256(body).hexdigest()[:16])
