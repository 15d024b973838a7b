"""The page about crowds: its code runs and prints what it shows, and its names are right."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from covary.analysis.crowd.tables import COEFFICIENTS
from tests.docs.test_tutorial import shows

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "crowd.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A folder with the page's files in which all its code ran, and what it printed."""
    place = tmp_path_factory.mktemp("crowd")
    for name in ("crowd.csv", "experts.csv"):
        (place / name).write_bytes((DOCS / "examples" / name).read_bytes())
    code = "\n".join(blocks("python"))
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=place,
        encoding="utf-8",
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return place, ran.stdout


def test_the_rows_that_the_page_shows_open_the_file_that_ships():
    (shown,) = blocks("csv")
    assert (DOCS / "examples" / "crowd.csv").read_text(encoding="utf-8").startswith(shown)


def test_the_code_prints_what_the_page_shows(done):
    place, printed = done
    shown = [line for block in blocks("text") for line in block.splitlines()]
    assert shows(printed, shown), printed
    assert (place / "crowd.html").stat().st_size > 10_000


def test_what_the_page_says_of_the_files_is_so():
    crowd, experts = (
        (DOCS / "examples" / name).read_text(encoding="utf-8").splitlines()[1:]
        for name in ("crowd.csv", "experts.csv")
    )
    assert (len(crowd), len(experts)) == (24 * 5 * 5, 24 * 5 * 2)
    assert len({row.split(",")[2] for row in crowd}) == 12


def test_the_page_names_every_coefficient():
    for name in COEFFICIENTS:
        assert f"`{name}`" in PAGE, name


def test_every_link_leads_to_a_file():
    for target in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (DOCS / target).is_file(), target
