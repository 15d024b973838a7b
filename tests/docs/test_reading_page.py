"""How to read each number: an entry for every coefficient and every picture, as the code has it."""

import ast
import re
import sys
from functools import cache

import pytest

import covary
from covary.reports.reliability.document import report
from tests.docs.pages import DOCS, ROOT
from tests.properties.coefficients import public_coefficients
from tests.reports import studies

sys.path.insert(0, str(DOCS / "reference"))

from of_coefficients import facts, renewed

PAGE = (DOCS / "reading.md").read_text(encoding="utf-8")
ENTRIES = PAGE.split("\n### ")[1:]


def kinds_in(source):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Figure":
            (key,) = (word.value for word in node.keywords if word.arg == "key")
            key = key.args[0] if isinstance(key, ast.Call) else key
            yield key.value


@cache
def kinds_of_figures():
    """The first part of the key of every picture that some report draws."""
    files = (ROOT / "src" / "covary" / "reports").rglob("*.py")
    sources = (path.read_text(encoding="utf-8") for path in files)
    return {kind for source in sources if "Figure(" in source for kind in kinds_in(source)}


def test_the_page_says_what_the_code_says():
    assert renewed(PAGE) == PAGE, "run: python docs/reference/of_coefficients.py"


@pytest.mark.parametrize("name", sorted({*public_coefficients(), "xrr"}))
def test_every_coefficient_has_an_entry_with_advice(name):
    (entry,) = [each for each in ENTRIES if f"<!-- {name} -->" in each]
    assert "- **misleads** " in entry
    assert "- **in a paper**: " in entry


@pytest.mark.parametrize("kind", sorted(kinds_of_figures()))
def test_every_picture_has_an_entry(kind):
    (entry,) = [each for each in ENTRIES if f"<!-- figure {kind} -->" in each]
    assert len(entry.split("-->")[1].split()) > 15


def test_every_picture_of_a_report_is_of_a_kind_that_was_found():
    made = report(studies.shipped("qgstec-original"), rng=1, intervals=False)
    keys = [block.key for each in made.contents.sections for block in each.blocks
            if hasattr(block, "spec")]  # fmt: skip
    assert len(keys) > 3
    for key in keys:
        assert key.startswith(tuple(kinds_of_figures()))


def test_what_the_page_says_of_bands_is_so():
    said = "*tentative*, *substantial*, *very large*, *large*, *good* or *moderate*"
    assert f".7 is {said}" in " ".join(PAGE.split())
    words = re.findall(r"\*(.*?)\*", said)
    assert [scale.band(0.7) for scale in covary.BANDS.values()] == words


def test_the_numbers_of_the_page_are_those_of_covary():
    estimate = covary.krippendorff_alpha(studies.severity())
    low, high = estimate.interval.low, estimate.interval.high
    assert f".53, 95 % interval [{low:.2f}, {high:.2f}]".replace("0.", ".") in PAGE
    assert round(estimate.value, 3) == 0.525
    line = covary.Ratings.from_wide([[1, 3], [2, 4], [3, 5]], level="interval")
    assert covary.pearson(line, interval=None).value == pytest.approx(1)


def test_facts_name_scales_and_words():
    assert facts("gwet_ac1").splitlines()[2:] == [
        "- **range**: At most 1; 0 when agreement is what random rating of hard items would give.",
        "- **scales**: nominal (weak: ordinal)",
        "- **words**: Krippendorff (1980), Landis & Koch (1977)",
    ]
