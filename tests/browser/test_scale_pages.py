"""The page of a comparison of scales: no barriers, nothing cut off, letters that can be read."""

import pytest

from covary.reports.scale_comparison import scale_report
from tests.analysis.scale_studies import small
from tests.browser.judging import looks_right_everywhere
from tests.browser.test_report_pages import LETTERS, opened


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    study = small(criteria=("clarity", "faithfulness-to-the-source-" * 3), judges=12)
    path = tmp_path_factory.mktemp("scales") / "scales.html"
    scale_report(
        study.ratings, path, validity={"accuracy": study.accuracy}, preference=study.preference,
        rng=1, resamples=50,
    )  # fmt: skip
    return path


def test_there_are_no_barriers_and_nothing_is_cut_off_or_loaded(browser, page_file):
    with opened(browser, page_file) as page:
        looks_right_everywhere(page)
        assert page.requests == [page.url]
        assert page.locator("main svg").count() >= 8


def test_pictures_can_be_read_on_a_phone(browser, page_file):
    with opened(browser, page_file, "phone") as page:
        assert min(page.evaluate(LETTERS)) >= 8  # pixels
