"""Places of recruited people who went away, taken back every minute while the server runs."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator

from starlette.concurrency import run_in_threadpool

from covary.web.recruiting.recruited import reclaim_idle
from covary.web.site import Site

__all__ = ["sweeping"]

SECONDS_BETWEEN = 60.0

log = logging.getLogger(__name__)


@contextlib.asynccontextmanager
async def sweeping(site: Site) -> AsyncIterator[None]:
    """Look after abandoned places for as long as this lasts; nothing where nobody is recruited."""
    if site.study.recruiting is None:
        yield
        return
    task = asyncio.create_task(_sweep(site))
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _sweep(site: Site) -> None:
    while True:
        await asyncio.sleep(SECONDS_BETWEEN)
        try:
            await run_in_threadpool(reclaim_idle, site)
        except Exception:  # the next minute is another chance
            log.exception("abandoned places could not be taken back")
