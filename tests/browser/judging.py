"""A served study and judges who meet it in a real browser."""

import socket
import threading
import time
from contextlib import contextmanager

import uvicorn

from covary.store import Store
from covary.web.serving.app import create_app
from tests.web.studies import sheet

SIZES = {"desk": (1280, 900), "phone": (360, 740)}

PATIENCE = 60_000
"""Milliseconds that a page may take on a machine that is busy with other things."""


@contextmanager
def served(study, *, judges=1, **more):
    """Serve a study from a thread; yields the store and the links of its judges."""
    with Store.open(study.folder / "study.db") as store, socket.socket() as listening:
        store.sheets.put([sheet(study, number + 1, **more) for number in range(judges)])
        listening.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        config = uvicorn.Config(
            create_app(study, store), log_level="warning", timeout_graceful_shutdown=10
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        while thread.is_alive() and not server.started:
            time.sleep(0.01)
        assert server.started
        try:
            yield store, [f"{address}/j/{store.judges.add()[1]}" for _ in range(judges)]
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def opened(browser, link=None, size="desk", **more):
    """Open a page in a browser of its own; `page.requests` and `page.troubles` are kept."""
    width, height = SIZES[size]
    touch = {"has_touch": True, "is_mobile": True} if size == "phone" else {}
    context = browser.new_context(viewport={"width": width, "height": height}, **touch, **more)
    page = watched(context.new_page())
    if link:
        page.goto(link)
    yield page
    context.close()


def watched(page):
    """Keep what a page asks for and what goes wrong in it."""
    page.requests, page.troubles = [], []
    page.on("request", lambda sent: page.requests.append(sent.url))
    page.on("pageerror", lambda error: page.troubles.append(str(error)))
    page.on(
        "console",
        lambda said: page.troubles.append(said.text) if said.type in ("error", "warning") else None,
    )
    page.set_default_timeout(PATIENCE)
    return page


def heading(page, words):
    """Wait until a page of this heading is there."""
    page.get_by_role("heading", level=1, name=words, exact=True).wait_for()
