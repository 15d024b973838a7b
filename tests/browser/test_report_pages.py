"""Reports as a reader sees them: no barriers, nothing cut off, nothing loaded, light and dark."""

from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from covary import Ratings, datasets, report
from tests.browser.judging import barriers, looks_right_everywhere

SIZES = {"desk": (1280, 800), "phone": (360, 740)}

SCREENS, WORDS = 2, 900
"""How much a reader sees before anything is unfolded."""

FIRST_FOLD = "document.querySelector('details').getBoundingClientRect().top + scrollY"
UNFOLD = "document.querySelectorAll('details').forEach(fold => fold.open = true)"

PAPER = "getComputedStyle(document.documentElement).backgroundColor"
LETTERS = """[...document.querySelectorAll("svg text")].map(text =>
    parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a).filter(size => size > 0)"""


def simulated() -> Ratings:
    """A continuous study with groups, order and seconds, and names longer than a phone is wide."""
    rng = np.random.default_rng(7)
    names = ("item", "judge", "rating", "criterion", "group", "order", "seconds")
    rows = {name: [] for name in names}
    truth = rng.normal(55, 18, 24)
    long = "faithfulness-to-the-source-" * 3
    for criterion, noise in (("fluency", 6), (long, 20)):
        for place, judge in enumerate(("Ann", "Bo", f"judge-{'x' * 60}", "<Dee>")):
            for order, item in enumerate(rng.permutation(24)):
                rating = float(np.clip(truth[item] + 5 * place + rng.normal(0, noise), 0, 100))
                row = (f"q{item}", judge, rating, criterion, "crowd" if place > 1 else "expert",
                       order + 1, float(rng.lognormal(2, 0.4)))  # fmt: skip
                for name, value in zip(names, row, strict=True):
                    rows[name].append(value)
    return Ratings(rows, scale="0-100")


STUDIES = {
    "sorted": lambda: datasets.load("flickr8k-experts", judges="named"),
    "batches": lambda: datasets.load("qgstec-original", judges="named"),
    "guidelines": lambda: datasets.load("qgstec-reevaluated", judges="named"),
    "simulated": simulated,
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Write each report when it is first asked for."""
    folder = tmp_path_factory.mktemp("pages")

    def written(name):
        path = folder / f"{name}.html"
        if not path.exists():
            report(STUDIES[name](), path, rng=0, title=name)
        return path

    return written


@contextmanager
def opened(browser, path, size="desk", scheme="light"):
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    page.requests = []
    page.on("request", lambda sent: page.requests.append(sent.url))
    page.goto(path.as_uri())
    yield page
    context.close()


@pytest.mark.parametrize("study", STUDIES)
def test_what_decides_stands_on_two_screens_in_few_words(browser, pages, study):
    with opened(browser, pages(study)) as page:
        assert page.evaluate(FIRST_FOLD) <= SCREENS * page.viewport_size["height"]
        assert 200 < len(page.inner_text("body").split()) < WORDS
        assert page.locator("section > :is(.verdict, .verdicts)").count() >= 1
        assert page.locator("details").first.locator("summary span").inner_text()
        page.evaluate(UNFOLD)
        assert len(page.inner_text("body").split()) > 2 * WORDS


@pytest.mark.parametrize(
    ("study", "title"),
    [("sorted", "Flickr-8k"), ("batches", "QG-STEC"), ("guidelines", "QG-STEC+")],
)
def test_what_the_page_of_five_questions_quotes_stands_on_the_first_screens(
    browser, pages, study, title
):
    page = (Path(__file__).parents[2] / "docs" / "five-questions.md").read_text(encoding="utf-8")
    (part,) = [part for part in page.split("\n## ")[1:] if part.startswith(f"{title}\n")]
    quotes = [line[2:] for line in part.splitlines() if line.startswith("> ")]
    assert len(quotes) >= 3
    with opened(browser, pages(study)) as screen:
        shown = " ".join(screen.inner_text("body").split())
    for quote in quotes:
        assert quote in shown


def test_paper_holds_what_was_unfolded(browser, pages):
    with opened(browser, pages("guidelines")) as page:
        page.locator("#judges summary").first.click()
        page.emulate_media(media="print")
        assert page.locator("#judges table").first.is_visible()
        assert not page.locator("#pairs table").first.is_visible()
        assert page.locator("#pairs summary").first.is_visible()


def test_marks_tell_their_numbers_and_tables_that_scroll_say_so(browser, pages):
    with opened(browser, pages("batches"), "phone") as page:
        titles = page.locator("#agreement-picture svg title").all_text_contents()
        assert any("Krippendorff" in title and "[" in title for title in titles)
        assert page.locator("#verdict .scrolls").first.is_visible()
    with opened(browser, pages("batches")) as page:
        assert not page.locator("#verdict .scrolls.phone").first.is_visible()


@pytest.mark.parametrize("study", STUDIES)
def test_there_are_no_barriers_and_nothing_is_cut_off_or_loaded(browser, pages, study):
    with opened(browser, pages(study)) as page:
        page.evaluate(UNFOLD)
        looks_right_everywhere(page)
        assert page.requests == [page.url]
        assert page.locator("main svg").count() >= 2


def test_a_barrier_would_be_found(browser, tmp_path):
    path = tmp_path / "bad.html"
    path.write_text(
        "<!doctype html><html><title>x</title><main><h1>x</h1><p style='color:#bbb'>faint"
    )
    with opened(browser, path) as page:
        broken = {name for name, _ in barriers(page)}
    assert {"html-has-lang", "color-contrast"} <= broken


def test_the_page_takes_the_colours_of_the_reader_and_paper_is_light(browser, pages):
    with opened(browser, pages("simulated")) as page:
        for scheme, paper in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(21, 24, 28)")):
            page.emulate_media(color_scheme=scheme, media="screen")
            assert page.evaluate(PAPER) == paper
            page.emulate_media(media="print")
            assert page.evaluate(PAPER) == "rgb(255, 255, 255)"
            assert not page.locator(".skip").is_visible()
        page.emulate_media(media="screen")  # a keyboard reaches the report at once
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        assert page.evaluate("document.activeElement.getBoundingClientRect().top") >= 0
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "report"


def test_pictures_can_be_read_on_a_phone(browser, pages):
    with opened(browser, pages("simulated"), "phone") as page:
        page.evaluate(UNFOLD)
        sizes = page.evaluate(LETTERS)
    assert min(sizes) >= 8  # pixels
