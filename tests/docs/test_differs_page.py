"""The page on how covary differs: its examples run beside the programs that it speaks of."""

import json
import re
import subprocess

import pytest

import covary
from tests.docs.pages import DOCS, ROOT, blocks

PAGE = (DOCS / "differs.md").read_text(encoding="utf-8")
EXAMPLES = list(zip(blocks(PAGE, "python"), blocks(PAGE, "text"), strict=True))
PEERS = ROOT / ".venv-bench" / "bin" / "python"
PACKAGES = {
    "krippendorff": "krippendorff", "statsmodels": "statsmodels", "scikit-learn": "scikit-learn",
    "NLTK": "nltk", "pingouin": "pingouin",
}  # fmt: skip
"""Packages of Python that the page names with a version, as it calls them."""


RUNNER = """
import contextlib, importlib.metadata, io, json, sys
given, told = json.load(sys.stdin), []
for code in given["examples"]:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, {})
    told.append(printed.getvalue())
versions = {name: importlib.metadata.version(name) for name in given["packages"]}
json.dump({"told": told, "versions": versions}, sys.stdout)
"""
"""Runs the examples in one process, because the packages take long to import."""


@pytest.fixture(scope="module")
def beside_peers():
    """What the examples print where the other programs are installed, and their versions."""
    if not PEERS.exists():
        pytest.skip("the packages to compare with are not installed; `make bench` installs them")
    given = {"examples": [code for code, _ in EXAMPLES], "packages": [*PACKAGES.values()]}
    done = subprocess.run(
        [PEERS, "-W", "ignore", "-c", RUNNER],
        input=json.dumps(given), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    "number", range(len(EXAMPLES)), ids=["kappas", "same", "unused", "missing"]
)
def test_an_example_prints_what_the_page_shows(number, beside_peers):
    assert beside_peers["told"][number] == EXAMPLES[number][1]


@pytest.mark.parametrize("name", PACKAGES)
def test_the_version_on_the_page_is_the_one_that_was_compared(name, beside_peers):
    said = re.search(rf"{name} ([\d.]+\d)", PAGE)[1]
    assert beside_peers["versions"][PACKAGES[name]] == said


def test_covary_gives_what_the_page_shows_of_it():
    """The same without the other programs, so that these lines are always tested."""
    steps = [[1, 1, 2], [2, 1, 2], [2, 2, 3], [3, 3, 4], [4, 4, 4], [4, 4, 4]]
    ratings = covary.Ratings.from_wide(steps, scale=covary.as_scale("1-4", level="nominal"))
    for name in ("fleiss_kappa", "conger_kappa", "light_kappa", "krippendorff_alpha"):
        value = getattr(covary, name)(ratings, interval=None).value
        assert f"\n{name:25}{value:.5f}\n" in EXAMPLES[0][1]
    constant = covary.Ratings.from_wide([[2, 2]] * 5, scale=covary.as_scale("1-3", level="nominal"))
    with pytest.warns(covary.UndefinedWarning):
        estimate = covary.cohen_kappa(constant)
    assert f"nan · {estimate.notes[-1]}\n" in EXAMPLES[1][1]
    assert covary.percent_agreement(constant).value == 1


def test_what_the_page_says_of_intervals_stands_in_their_table():
    table = (DOCS / "coverage.md").read_text(encoding="utf-8")
    assert "| 50×3, .6, **other judges** | .828" in table
    assert "83 % of simulated studies" in PAGE


def test_every_program_of_the_table_has_something_that_it_does_better():
    rows = PAGE.partition("| program | compared with it")[2].splitlines()[2:]
    cells = [row.strip("|").split("|") for row in rows if row.startswith("|")]
    assert len(cells) >= 10
    assert all(len(row) == 3 and row[2].strip() for row in cells)
