"""A real Chromium for pages: the machine's own, or the one that Playwright fetched."""

import os
import shutil
from pathlib import Path

import pytest

NAMES = (
    "chromium-headless-shell",  # the same engine without windows: a third of the processor time
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
NONE_FOUND = (
    "NO BROWSER: there is no chromium or google-chrome on this machine, so no page was looked at; "
    "install chromium-headless-shell or chromium (CI requires one), or name a browser in "
    "COVARY_CHROMIUM"
)
FLAGS = [
    "--no-sandbox",  # root has none
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def browser_path() -> str | None:
    named = os.environ.get("COVARY_CHROMIUM")
    installed = (found for name in NAMES if (found := shutil.which(name)))
    fetched = (
        file
        for kept in (".cache", "Library/Caches")  # of Linux, and of macOS
        for file in Path.home().glob(f"{kept}/ms-playwright/chromium*/*/*headless*shell")
    )
    return named or next(installed, None) or next(map(str, fetched), None)


@pytest.fixture(scope="module")
def browser():
    """A browser for one file of tests: while it runs, no other test can start an event loop."""
    path = browser_path()
    if path is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(NONE_FOUND)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield running
        running.close()
