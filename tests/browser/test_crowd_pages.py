"""Reports on a crowd as a reader sees them: no barriers, nothing cut off, nothing loaded."""

import pytest

from covary import Ratings
from covary.reports.crowd import crowd_report
from tests.analysis.crowd_studies import SCALE, WORDS, crowd_and_experts, drawn
from tests.browser.judging import looks_right_everywhere
from tests.browser.test_report_pages import LETTERS, opened


def plain():
    crowd, experts = crowd_and_experts(votes=5)
    return crowd, experts, {"pay": 0.05, "fee": 0.01, "wage": 7.25, "expert_pay": 0.4}


def long_names():
    """Three experts with names wider than a phone, slots, every way to combine an item's votes."""
    votes, experts, _ = drawn(2, items=60, votes=4)
    third = drawn(3, items=60)[1][:, :1]
    rows = [[WORDS[c] for c in (*pair, *one)] for pair, one in zip(experts, third, strict=True)]
    names = ["expert-" + "x" * 60, "<b>Bo</b>", "Cy"]
    return (
        Ratings.from_wide([[WORDS[c] for c in row] for row in votes], scale=SCALE, judges="slots"),
        Ratings.from_wide(rows, scale=SCALE, judges=names),
        {"methods": ("banchs-a", "banchs-b", "majority", "median", "mean")},
    )


STUDIES = {"plain": plain, "long": long_names}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Write each report when it is first asked for."""
    folder = tmp_path_factory.mktemp("crowds")

    def written(name):
        path = folder / f"{name}.html"
        if not path.exists():
            crowd, experts, more = STUDIES[name]()
            crowd_report(crowd, experts, path, rng=1, arrangements=2000, resamples=100, **more)
        return path

    return written


@pytest.mark.parametrize("study", STUDIES)
def test_there_are_no_barriers_and_nothing_is_cut_off_or_loaded(browser, pages, study):
    with opened(browser, pages(study)) as page:
        looks_right_everywhere(page)
        assert page.requests == [page.url]
        assert page.locator("main figure").count() == 4


@pytest.mark.parametrize("study", STUDIES)
def test_pictures_can_be_read_on_a_phone_and_keep_their_words_inside(browser, pages, study):
    with opened(browser, pages(study), "phone") as page:
        assert min(page.evaluate(LETTERS)) >= 8  # pixels
        beyond = page.evaluate(
            """[...document.querySelectorAll("svg text")].filter(text => {
                const box = text.getBoundingClientRect()
                const frame = text.ownerSVGElement.getBoundingClientRect()
                return box.width && (box.right > frame.right + 1 || box.left < frame.left - 1)
            }).map(text => text.textContent)"""
        )
        assert beyond == []
