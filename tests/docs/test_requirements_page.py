"""The page of requirements: all 101 are on it, and every example gives what stands beside it."""

import re
import warnings

import pytest

from tests.docs.pages import DOCS, blocks

PAGE = (DOCS / "requirements.md").read_text(encoding="utf-8")
ROW = re.compile(
    r"^\| ([A-D]\d+) \| (.+?) \| \[\S+\]\((\S+)\) \| `(.+)` \| `(.+)` \|$", re.MULTILINE
)
ROWS = {found[0]: found for found in ROW.findall(PAGE)}
NUMBERS = {"A": 34, "B": 28, "C": 21, "D": 18}
"""How many requirements each of the four papers makes."""


@pytest.fixture(scope="module")
def names():
    """What the lines at the top of the page define."""
    (setup,) = blocks(PAGE, "python")
    defined = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(setup, defined)
    return defined


def test_every_requirement_is_on_the_page_once_and_in_order():
    wanted = [f"{paper}{number + 1}" for paper, all_ in NUMBERS.items() for number in range(all_)]
    assert [found[0] for found in ROW.findall(PAGE)] == wanted
    assert len(wanted) == 101


@pytest.mark.parametrize("name", ROWS)
def test_an_example_gives_what_stands_beside_it(name, names):
    _, _, where, example, shown = ROWS[name]
    assert (DOCS / where).is_file()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert str(eval(example, names)) == shown
