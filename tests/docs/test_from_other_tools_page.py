"""The page for who comes from R, pingouin or Excel: what it prints is what the others give."""

import contextlib
import io
import re
import tomllib
import warnings

import pytest

from covary.errors import CovaryWarning
from tests.docs.pages import DOCS, ROOT, blocks

PAGE = (DOCS / "from-other-tools.md").read_text(encoding="utf-8")
ORDER = (
    "kappa",
    "quadratic_kappa",
    "fleiss",
    "alpha_interval",
    "icc(2,1)",
    "icc(3,1)",
    "icc(1,1)",
    "pearson",
    "cronbach",
)


@pytest.fixture(scope="module")
def cases():
    path = ROOT / "tests" / "published" / "cases" / "intraclass.toml"
    found = tomllib.loads(path.read_text(encoding="utf-8"))["case"]
    return {case["name"].removeprefix("severity_shift_"): case["expected"] for case in found}


def test_the_example_prints_what_stands_below_it():
    (code,) = blocks(PAGE, "python")
    (shown,) = blocks(PAGE, "text")
    with contextlib.redirect_stdout(io.StringIO()) as printed, warnings.catch_warnings():
        warnings.simplefilter("ignore", CovaryWarning)
        exec(code, {})
    assert printed.getvalue() == shown


def test_both_tables_have_the_values_of_the_other_programs(cases):
    wanted = [f"{cases[name]:.5f}" for name in ORDER]
    (shown,) = blocks(PAGE, "text")
    assert [line.split()[0] for line in shown.splitlines()] == wanted
    table = re.findall(r"^\|.* \| (\.\d{5}) \|$", PAGE.split("## Cohen")[0], re.MULTILINE)
    assert [f"0{value}" for value in table] == wanted


def test_kappa_in_a_spreadsheet_is_the_same_by_hand():
    observed, chance, kappa = (
        float(value) for value in re.findall(r"^\| `D\d`.* \| (\.\d+) \|$", PAGE, re.MULTILINE)
    )
    (code,) = blocks(PAGE, "python")
    a, b = (
        [int(digit) for digit in re.findall(r"\d", row)]
        for row in re.findall(r"^[ab] = \[(.*)\]$", code, re.MULTILINE)
    )
    assert observed == sum(x == y for x, y in zip(a, b, strict=True)) / 10
    assert chance == sum(a.count(rank) * b.count(rank) for rank in (1, 2, 3)) / 100
    assert kappa == pytest.approx((observed - chance) / (1 - chance), abs=5e-6)
