"""Each recipe of docs/architecture.md is followed: one of each kind is added, and it works.

The additions go into a copy of the source: new files, and one line in each list that the recipe
names. A recipe that grows beyond three places in the source, or a list that has moved, fails here.
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.architecture.conftest import ROOT

MOST_PLACES = 3


@dataclass(frozen=True)
class Recipe:
    """New files, entries after a mark of existing files, a script, and what it prints."""

    files: dict[str, str] = field(default_factory=dict)
    entries: dict[str, tuple[str, str]] = field(default_factory=dict)
    script: str = ""
    prints: str = ""


COEFFICIENT = '''
"""How often do all judges of an item agree?"""

import numpy as np

from covary.scales import Level
from covary.stats.coefficient import Request, prepare
from covary.stats.intervals import IntervalSpec
from covary.stats.statistic import Linear, ratio


def unanimity(ratings, *, criterion=None):
    """How often do all judges of an item agree?"""
    spec = IntervalSpec.of(None, 0.95, 1000, None)
    request = Request(ratings=ratings, criterion=criterion, judges=None, spec=spec)
    patterns = prepare("unanimity", "unanimity", request, variant="", named=False).pairable
    rows = patterns.merged
    numbers = rows.numbers(Level.ORDINAL)
    alike = np.nanmin(numbers, axis=1) == np.nanmax(numbers, axis=1)
    sums = np.column_stack([alike, np.ones(len(alike))])
    share = Linear(rows, sums, lambda totals: ratio(totals[..., 0], totals[..., 1]))
    return patterns.estimate(share, settings={})
'''

SCALE = '''
@dataclass(frozen=True, init=False)
class Thumbs(Scale):
    """A thumb up or down."""

    kind: ClassVar[str] = "thumbs"
    appearance: ClassVar[str] = "a thumb up or down"

    def __init__(self) -> None:
        super().__init__(Level.ORDINAL, (0, 1), 0, 1, best="high")

    def to_table(self):
        return {"kind": self.kind}

    @classmethod
    def from_table(cls, table):
        return cls()


'''

QUESTION = '''
@dataclass(frozen=True, init=False)
class Severity(Scale):
    """How bad is it: nothing, minor, major; with marks in a row and words of its own."""

    kind: ClassVar[str] = "severity"
    appearance: ClassVar[str] = "three marks in a row"

    def __init__(self) -> None:
        super().__init__(Level.ORDINAL, (0, 1, 5), 0, 5, best="low")

    def answer_words(self):
        return {0: "none", 1: "minor", 5: "major"}

    def control(self, _drawing=PLAIN, /):
        words = self.answer_words()
        marks = (Choice(sent=str(n), rating=n, words=words[n]) for n in self.options)
        return ChoiceControl(look="severity", choices=tuple(marks))

    def to_table(self):
        return {"kind": self.kind}

    @classmethod
    def from_table(cls, table):
        return cls()


'''

FORMAT = '''
"""A file of lines such as `Ann gives q1 a 4`."""


def recognises(file):
    return file.path.suffix == ".gives"


def read(file):
    lines = (line.split() for line in file.path.read_text().splitlines())
    return file.records([{"item": w[2], "judge": w[0], "rating": int(w[4])} for w in lines])
'''

AGGREGATOR = '''
"""The best vote of each item."""

from covary.aggregate.method import Options, make_result, read_ordered_votes
from covary.aggregate.votes import Occasions


def best_vote(ratings, *, criterion=None, ties="upper", occasions="refuse", seed=0):
    """What is the best that anybody said?"""
    options = Options("best_vote", criterion=criterion, ties=ties, occasions=occasions, seed=seed)
    votes, notes = read_ordered_votes(options, ratings)
    return make_result(options, "Best vote", votes, votes.counts > 0, notes=notes)
'''

ANALYSIS = '''
"""How many ratings did each judge give?"""

from dataclasses import dataclass

from covary.ratings.frames import fetch


@dataclass(frozen=True, kw_only=True)
class Workloads:
    """How many ratings each judge gave."""

    counts: dict
    columns = ("judge", "ratings")

    def rows(self):
        return [{"judge": judge, "ratings": n} for judge, n in self.counts.items()]

    def to_dict(self):
        return {"judges": self.rows()}


def workloads(ratings):
    column = fetch(ratings.frame.select("judge"))["judge"].tolist()
    return Workloads(counts={judge: column.count(judge) for judge in sorted(set(column))})
'''

REPORT = '''
"""How many ratings each judge gave, in every form."""

from dataclasses import dataclass
from typing import ClassVar

from covary.analysis.workloads import Workloads, workloads
from covary.reports.blocks import Contents, Paragraph, Section
from covary.reports.document import Document


@dataclass(frozen=True, repr=False)
class WorkloadsReport(Document):
    """How many ratings each judge gave."""

    workloads: Workloads
    contents: Contents
    found_in: ClassVar[str] = "workloads"

    def short(self):
        return "; ".join(f"{row['judge']}: {row['ratings']}" for row in self.workloads.rows())


def workloads_report(ratings):
    result = workloads(ratings)
    text = Paragraph(f"{len(result.counts)} judges.")
    section = Section(key="who", title="Who rated", blocks=(text,))
    return WorkloadsReport(result, Contents(title="Workloads", subtitle="", sections=(section,)))
'''

COMMAND = '''
"""`covary workloads`: how many ratings did each judge give?"""

from pathlib import Path

import click

import covary
from covary.reports.workloads import workloads_report


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
def workloads(file):
    """Say how many ratings each judge gave."""
    click.echo(workloads_report(covary.read(file)).short())
'''

PAGE = """{% extends "researcher.html" %}
{% block title %}Colophon{% endblock %}
{% set here = "Colophon" %}
{% block main %}<h1>Made with {{ software }}</h1>{% endblock %}
"""

VISIT = """
import asyncio, pathlib, tempfile
import httpx
from covary.store import Store
from covary.study import read_study, write_template
from covary.web.serving.app import create_app

folder = pathlib.Path(tempfile.mkdtemp())
write_template(folder / "study")
with Store.open(folder / "study.db") as store:
    app = create_app(read_study(folder / "study"), store)
    link = store.researchers.new_link()

    async def visit():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://study.test") as browser:
            await browser.get(f"/r/{link}")
            return await browser.get("/researcher/colophon")

    print("<h1>Made with covary</h1>" in asyncio.run(visit()).text)
"""

RECIPES = {
    "a coefficient": Recipe(
        files={"stats/coefficients/unanimity.py": COEFFICIENT},
        entries={
            "__init__.py": (r'_TABLE = """\n', "covary.stats.coefficients.unanimity unanimity\n"),
            "stats/suitability.py": (r'"identity": \(', '"unanimity", '),
        },
        script="import covary\nr = covary.Ratings.from_wide([[1, 1], [1, 2], [2, 2], [3, 3]], "
        "scale='1-3', level='nominal')\nprint(covary.unanimity(r).value, "
        "covary.suitability('unanimity', 'nominal').word)",
        prints="0.75 ok",
    ),
    "a scale": Recipe(
        entries={
            "scales/kinds.py": (r"\n(?=KINDS: )", SCALE),
            "scales/kinds.py ": (r"GraphicScale, YesNo, ", "Thumbs, "),
        },
        script="from covary.scales import KINDS\ns = KINDS['thumbs'](); print(s.describe(), "
        "[c.words for c in s.control().choices], s.simulate([0.9]), s.read('1'), s.threshold())",
        prints="ordinal: 0, 1 ['0', '1'] 1 1 1.0",
    ),
    "a kind of question": Recipe(
        entries={
            "scales/kinds.py": (r"\n(?=KINDS: )", QUESTION),
            "scales/kinds.py ": (r"GraphicScale, YesNo, ", "Severity, "),
            "scales/controls.py": (r'look: Literal\["list", ', '"severity", '),
        },
        script="from covary.scales import KINDS\ns = KINDS['severity'](); c = s.control(); "
        "print(c.look, c.rating('5'), c.words(1), s.simulate([1.0]))",
        prints="severity 5 minor 0",
    ),
    "a format": Recipe(
        files={"formats/gives.py": FORMAT},
        entries={
            "formats/catalogue.py": (
                r"\nFORMATS = \(\n",
                "    Format(name='gives', about='lines of words', module='gives'),\n",
            ),
        },
        script="import covary, pathlib, tempfile\n"
        "f = pathlib.Path(tempfile.mkdtemp(), 'a.gives')\n"
        "f.write_text('Ann gives q1 a 4\\nBo gives q1 a 5\\n')\n"
        "r = covary.read(f, scale='1-5'); print(r.judges, len(r))",
        prints="('Ann', 'Bo') 2",
    ),
    "an aggregator": Recipe(
        files={"aggregate/best_vote.py": AGGREGATOR},
        entries={
            "aggregate/combine.py": (
                r"\n(?=from covary\.aggregate\.banchs)",
                "from covary.aggregate.best_vote import best_vote\n",
            ),
            "aggregate/combine.py ": (
                r'        "banchs-b": banchs_b,\n',
                "        'best-vote': best_vote,\n",
            ),
        },
        script="import covary\nv = covary.Ratings.from_wide([[3, 3, 1], [1, 2, 1]], scale='1-3')\n"
        "print(covary.combine(v, 'best-vote').ratings)",
        prints="(3, 2)",
    ),
    "an analysis with its report, and a command": Recipe(
        files={
            "analysis/workloads.py": ANALYSIS,
            "reports/workloads.py": REPORT,
            "cli/workloads.py": COMMAND,
        },
        entries={
            "cli/entry.py": (
                r"\nRatings that you have\n",
                "    workloads        workloads   Say how many ratings each judge gave.\n",
            ),
        },
        script="import pathlib, tempfile\nfrom covary.cli import main\n"
        "f = pathlib.Path(tempfile.mkdtemp(), 'a.csv')\n"
        "f.write_text('item,judge,rating\\nq1,Ann,1\\nq2,Ann,2\\nq1,Bo,1\\n')\n"
        "main(['workloads', str(f)])",
        prints="Ann: 2; Bo: 1",
    ),
    "a page": Recipe(
        files={"web/templates/researcher-colophon.html": PAGE},
        entries={
            "web/researcher/routes.py": (
                r"\n(?=def show_export\()",
                "def show_colophon(who):\n    return who.page('colophon', software='covary')\n\n\n",
            ),
            "web/researcher/routes.py ": (
                r"(?=\n        reads\(desk, \"/researcher/export\")",
                "\n        reads(desk, '/researcher/colophon', show_colophon),",
            ),
        },
        script=VISIT,
        prints="True",
    ),
}


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory):
    """A copy of the source in which every recipe has been followed."""
    folder = tmp_path_factory.mktemp("kitchen")
    root = folder / "covary"
    shutil.copytree(ROOT / "src" / "covary", root, ignore=shutil.ignore_patterns("__pycache__"))
    for recipe in RECIPES.values():
        follow(recipe, root)
    return folder


def follow(recipe: Recipe, root: Path) -> None:
    for name, text in recipe.files.items():
        path = root / name
        assert path.parent.is_dir(), f"the recipe names a folder that is gone: {name}"
        path.write_text(text.lstrip("\n"), encoding="utf-8")
    for name, (mark, entry) in recipe.entries.items():
        path = root / name.strip()
        text = path.read_text(encoding="utf-8")
        place = re.search(mark, text)
        assert place is not None, f"the recipe names a list that is gone: {mark} in {name}"
        path.write_text(text[: place.end()] + entry + text[place.end() :], encoding="utf-8")


@pytest.mark.parametrize("name", RECIPES)
def test_what_a_recipe_adds_works(kitchen, name):
    environment = {**os.environ, "PYTHONPATH": str(kitchen), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", RECIPES[name].script],
        capture_output=True,
        text=True,
        env=environment,
        cwd=kitchen,
    )
    assert (done.stdout.strip(), done.stderr) == (RECIPES[name].prints, "")


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_is_followed_in_three_places(name):
    recipe = RECIPES[name]
    places = {*recipe.files, *(file.strip() for file in recipe.entries)}
    assert len(places) <= MOST_PLACES + name.count(", and ")


@pytest.mark.parametrize("name", RECIPES)
def test_the_architecture_page_has_the_recipe(name):
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for part in re.split(r", and (?=a )", name):
        assert f"**{part.capitalize()}.**" in page


@pytest.mark.parametrize("name", RECIPES)
def test_the_architecture_page_names_every_list_of_the_recipe(name):
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    lists = {file.strip() for file in RECIPES[name].entries}
    assert [file for file in lists if f"`{file}`" not in page.replace("covary/__", "__")] == []
