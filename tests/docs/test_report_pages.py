"""Each section of a report has a page that says how to read it and how not to."""

import re
from pathlib import Path

import pytest

from covary.reports.reliability.document import report
from tests.reports import studies

FOLDER = Path(__file__).parents[2] / "docs" / "report"
PAGES = {
    "verdict": "verdict",
    "look": "look",
    "next": "next",
    "data": "defects",
    "agreement": "agreement-and-correlation",
    "disagreement": "disagreement",
    "pairs": "pairs",
    "lines": "judges-over-items",
    "distributions": "distributions",
    "judges": "judges",
    "groups": "groups-and-batches",
    "subsets": "other-choices-of-judges",
    "stability": "stability",
    "accuracy": "accuracy",
    "disputed": "disputed",
    "systems": "systems",
    "further": "further-coefficients",
    "methods": "methods",
    "checklist": "checklist",
    "signatures": "signatures",
}
"""The page of each section, by the section's key."""


def text_of(name):
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")


def test_every_section_of_a_report_has_its_page_under_its_title():
    made = report(studies.shipped("qgstec-original"), rng=1, intervals=False)
    for section in made.contents.sections:
        assert text_of(PAGES[section.key]).startswith(f"# {section.title}\n")


@pytest.mark.parametrize("name", PAGES.values())
def test_a_page_says_how_to_read_a_section_and_how_not_to(name):
    headings = re.findall(r"^## (.*)$", text_of(name), re.MULTILINE)
    assert headings == ["How to read it", "How not to read it"]


@pytest.mark.parametrize("name", sorted({*PAGES.values()} - {"defects"}))
def test_a_page_speaks_of_the_severity_example(name):
    assert "severity example" in " ".join(text_of(name).split())


def test_the_index_links_every_page():
    linked = re.findall(r"\]\(([a-z-]+)\.md\)", text_of("README"))
    assert sorted(linked) == sorted(PAGES.values())


def test_every_link_leads_to_a_file():
    pages = [*FOLDER.glob("*.md"), FOLDER.parent / "tutorial.md"]
    for page in pages:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).is_file(), f"{page.name} links {target}"


def test_the_numbers_of_the_severity_example_are_those_of_covary():
    only = report(studies.severity(), rng=1).reliability.criteria[0]
    values = {estimate.name: estimate.value for estimate in only.beside}
    assert only.overall.agreement.value == pytest.approx(0.525)
    assert only.overall.correlation.value == 1
    assert values["cohen_kappa"] == pytest.approx(0.565, abs=5e-4)
    (pair,) = only.pairs
    counts = pair.severity
    assert (counts.higher, counts.equal, counts.lower) == (0, 4, 6)
    assert counts.p == 2 / 2**6
    assert only.distribution == {"mild": (1, 5, 4), "strict": (5, 3, 2)}
