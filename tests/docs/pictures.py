"""Takes the pictures of docs/images anew: `python -m tests.docs.pictures [report]`."""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import covary
from covary import datasets
from covary.store import Store
from covary.study import read_study, write_template
from covary.study.simulated_judges import simulated_judges
from covary.web.serving.simulation import background_server, simulate
from tests.browser.conftest import FLAGS, browser_path

IMAGES = Path(__file__).parents[2] / "docs" / "images"
WINDOW = {"width": 960, "height": 720}
ITEM = 'form[action="/judge/next"]'


def take(folder: Path) -> None:
    """Let six of eight judges work, then look at the seventh judge's page and at the dashboard."""
    write_template(folder)
    study = read_study(folder)
    with Store.open(folder / "study.db") as store:
        simulate(study, store, simulated_judges(study, judges=6))
        _, token = store.judges.add()
        with (
            background_server(study, store) as (host, port),
            sync_playwright() as playwright,
        ):
            browser = playwright.chromium.launch(executable_path=browser_path(), args=FLAGS)
            page = browser.new_page(viewport=WINDOW)
            page.goto(f"http://{host}:{port}/j/{token}")
            arrive(page)
            shoot_scales(page)
            page.goto(f"http://{host}:{port}/r/{store.researchers.new_link()}")
            while "being computed" in page.content():
                page.wait_for_timeout(1000)
                page.reload()
            page.screenshot(path=IMAGES / "dashboard.png", full_page=True)
            browser.close()


def take_report(folder: Path) -> None:
    """Report the ratings of QG-STEC+, and look at the first screen."""
    ratings = datasets.load("qgstec-reevaluated")
    covary.report(ratings, folder / "report.html", title="QG-STEC+")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=FLAGS)
        page = browser.new_page(viewport={"width": 1200, "height": 790})
        page.goto((folder / "report.html").as_uri())
        page.screenshot(path=IMAGES / "report.png")
        browser.close()


def arrive(page) -> None:
    """Go on until an item is shown."""
    while page.locator(ITEM).count() == 0:
        form = page.locator("form").first
        for choice in form.locator("select, input[type=radio]").all():
            if choice.get_attribute("type") == "radio":
                choice.check()
            else:
                choice.select_option(index=1)
        for text in form.locator("input[type=text], input[type=number], textarea").all():
            text.fill("30")
        agree = form.locator("button[value=yes]")
        (agree if agree.count() else form.locator("button").last).click()
        page.wait_for_load_state()


def shoot_scales(page) -> None:
    """Answer each item, and take a picture of the first of each kind of scale."""
    missing = {"line": "input[type=range]", "words": "fieldset input[type=radio]"}
    while missing:
        arrive(page)
        for name, found in list(missing.items()):
            if page.locator(f"{ITEM} {found}").count():
                answer(page)
                page.wait_for_selector("#state:has-text('Saved')")
                page.screenshot(path=IMAGES / f"judge-{name}.png", full_page=True)
                missing.pop(name)
                break
        else:
            answer(page)
        with page.expect_navigation():
            page.locator(f"{ITEM} button").last.click()


def answer(page) -> None:
    """Give some answer to every scale of the page."""
    for number, scale in enumerate(page.locator(f"{ITEM} fieldset").all()):
        line = scale.locator("input[type=range]")
        if line.count():
            box = line.bounding_box()
            page.mouse.click(box["x"] + box["width"] * (0.7 - 0.1 * number), box["y"] + 5)
        else:
            scale.locator("input[type=radio]").nth(4 + number).check()


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        take_report(Path(place))
        if sys.argv[1:] != ["report"]:
            take(Path(place) / "forecasts")
