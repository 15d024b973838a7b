"""The page of a comparison of scales: no barriers, nothing cut off, letters that can be read."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from covary.reports.scale_comparison import scale_report
from tests.analysis.scale_studies import small
from tests.browser.test_report_pages import LETTERS, SIZES, opened


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    study = small(criteria=("clarity", "faithfulness-to-the-source-" * 3), judges=12)
    path = tmp_path_factory.mktemp("scales") / "scales.html"
    scale_report(
        study.ratings, path, validity={"accuracy": study.accuracy}, preference=study.preference,
        rng=1, resamples=50,
    )  # fmt: skip
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_there_are_no_barriers_and_nothing_is_cut_off_or_loaded(browser, page_file, size, scheme):
    with opened(browser, page_file, size, scheme) as page:
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        assert len(found.response["passes"]) > 20
        assert page.requests == [page.url]
        assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
        assert page.locator("main svg").count() >= 8


def test_pictures_can_be_read_on_a_phone(browser, page_file):
    with opened(browser, page_file, "phone") as page:
        assert min(page.evaluate(LETTERS)) >= 8  # pixels
