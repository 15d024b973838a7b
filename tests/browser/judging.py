"""A served study and judges who meet it in a real browser."""

import socket
import threading
import time
from contextlib import contextmanager, suppress
from importlib.resources import files

import uvicorn
from playwright.sync_api import Error

from covary.store import Store
from covary.web.serving.app import create_app
from tests.web.studies import sheet

SIZES = {"desk": (1280, 900), "phone": (360, 740)}

WIDER = "document.documentElement.scrollWidth - window.innerWidth"
LOOKS = {"desk": "dark", "phone": "light"}
"""Each size and each scheme of colours, once."""

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
RUN_AXE = """axe.run(document, {resultTypes: ["violations"]})
    .then(found => [found.passes.length, found.violations])"""

PATIENCE = 180_000
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


def barriers(page):
    """What axe-core finds on a page, as it is in sight now."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    passes, violations = page.evaluate(RUN_AXE)
    assert passes > 5  # it did look
    return [(each["id"], [node["html"] for node in each["nodes"]]) for each in violations]


def eventually(check):
    """Wait until something holds; a page's own policy forbids it to be asked from within."""
    until = time.monotonic() + PATIENCE / 1000
    while True:
        with suppress(Error):  # the page is just going elsewhere
            if check():
                return
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.05)


def resize(page, size):
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})


def looks_right_everywhere(page, looks=LOOKS):
    """No barrier and nothing cut off, on a desk and on a phone, in the dark and in the light."""
    before = page.viewport_size
    for size, scheme in looks.items():
        resize(page, size)
        page.emulate_media(color_scheme=scheme)
        assert barriers(page) == [], (page.url, size)
        assert page.evaluate(WIDER) <= 0, (page.url, size)
    page.set_viewport_size(before)
