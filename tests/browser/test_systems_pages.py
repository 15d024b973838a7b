"""Reports on systems as a reader sees them: no barriers, nothing cut off, nothing loaded."""

import numpy as np
import pytest

from covary import Ratings, datasets
from covary.reports.systems import systems_report
from tests.browser.judging import looks_right_everywhere
from tests.browser.test_report_pages import LETTERS, opened


def long_names() -> Ratings:
    """Twelve systems whose names are longer than a phone is wide, with ratings missing."""
    rng = np.random.default_rng(3)
    rows = {name: [] for name in ("item", "judge", "system", "source", "rating", "criterion")}
    for criterion in ("fluency", "faithfulness-to-the-source-" * 3):
        for system in range(12):
            name = f"system-{system}-{'x' * 50 if system % 3 else '<b>'}"
            for source in range(6):
                for judge in range(4):
                    if rng.random() < 0.6:
                        rating = np.clip(50 + 4 * system + 6 * judge + rng.normal(0, 9), 0, 100)
                        values = (f"{name}{source}", f"J{judge}", name, source, float(rating),
                                  criterion)  # fmt: skip
                        for column, value in zip(rows.values(), values, strict=True):
                            column.append(value)
    return Ratings(rows, scale="0-100")


STUDIES = {
    "severity": lambda: (datasets.load("qgstec-original"), {"human": "a"}),
    "long": lambda: (long_names(), {}),
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Write each report when it is first asked for."""
    folder = tmp_path_factory.mktemp("systems")

    def written(name):
        path = folder / f"{name}.html"
        if not path.exists():
            ratings, more = STUDIES[name]()
            systems_report(ratings, path, rng=1, resamples=100, **more)
        return path

    return written


@pytest.mark.parametrize("study", STUDIES)
def test_there_are_no_barriers_and_nothing_is_cut_off_or_loaded(browser, pages, study):
    with opened(browser, pages(study)) as page:
        looks_right_everywhere(page)
        assert page.requests == [page.url]
        assert page.locator("main svg").count() >= 6


def test_pictures_can_be_read_on_a_phone(browser, pages):
    with opened(browser, pages("severity"), "phone") as page:
        assert min(page.evaluate(LETTERS)) >= 8  # pixels


def test_nothing_is_drawn_over_the_edge_of_a_picture(browser, pages):
    with opened(browser, pages("long")) as page:
        beyond = page.evaluate(
            """[...document.querySelectorAll("svg text")].filter(text => {
                const box = text.getBoundingClientRect()
                const frame = text.ownerSVGElement.getBoundingClientRect()
                return box.width && (box.right > frame.right + 1 || box.left < frame.left - 1)
            }).map(text => text.textContent)"""
        )
        assert beyond == []
