"""The page on the check: its example runs, and it names every finding that has a curve."""

import csv
import re
from contextlib import redirect_stdout
from io import StringIO

from tests.docs.pages import DOCS, blocks

PAGE = (DOCS / "check.md").read_text(encoding="utf-8")


def test_the_example_prints_what_the_page_shows():
    printed = StringIO()
    with redirect_stdout(printed):
        exec(compile(blocks(PAGE, "python")[0], "check.md", "exec"), {})
    assert printed.getvalue() == blocks(PAGE, "text")[0]


def test_every_finding_that_is_drawn_is_explained():
    with (DOCS / "images" / "check-power.csv").open(encoding="utf-8", newline="") as file:
        drawn = {row["finding"] for row in csv.DictReader(file)}
    explained = set(re.findall(r"`([a-z-]+)`", PAGE))
    assert drawn <= explained


def test_the_bound_of_the_false_alarms_is_that_of_none_in_a_thousand():
    """Clopper and Pearson: none of n has the upper 95 % bound 1 - .025 ** (1 / n)."""
    assert f"{1 - 0.025 ** (1 / 1000):.1%}" == "0.4%"
    assert "bound for the true rate is .4 %" in PAGE
