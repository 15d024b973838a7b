"""Belz & Kow (2011), played from an empty folder to the tables, by public commands alone.

Their second pair of experiments: 22 judges rate the outputs of 11 systems for 22 dates, on seven
described categories (VDS) and on a line (VAS), in repeated Latin squares, and once more for
stability. Judges are simulated and go through the pages over HTTP; nothing is edited between.
"""

import csv
import json
from collections import Counter

import pytest

from covary.scales import VerbalScale
from covary.study import read_study
from covary.study.model import Criterion, Item
from covary.study.simulated_judges import Quality
from tests.journeys.playing import covary

SEED = 5
SYSTEMS = tuple(f"system {letter}" for letter in "ABCDEFGHIJK")
DATES = tuple(f"date {number}" for number in range(1, 23))

CLARITY = Criterion("Clarity", "How clear?", VerbalScale(range(1, 8)), part="VDS")

CRITERION = """
[[criterion]]
name = "Clarity"
part = "{part}"
question = "How easy is it to understand what is being forecast?"
scale = {scale}
"""

STUDY = (
    'title = "How clear are these forecasts?"\n'
    + CRITERION.format(part="VDS", scale='{ kind = "verbal", categories = "1-7" }')
    + CRITERION.format(part="VAS", scale='{ kind = "visual", labels = ["unclear", "clear"] }')
    + """
[design]
kind = "latin-squares"
judges = 22
seed = 2011
occasions = 2

[session]
ask_preference = true
"""
)


def true_quality(system):
    """What a simulated system is worth on Clarity, over all dates."""
    return sum(
        Quality(SEED).of(Item(f"{system}, {date}", ("x",), (system,), source=date), CLARITY)
        for date in DATES
    ) / len(DATES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A study as a researcher writes it, with the accuracy of readers as an outside measure."""
    place = tmp_path_factory.mktemp("journey") / "forecasts"
    place.mkdir()
    (place / "study.toml").write_text(STUDY)
    (place / "guidelines.md").write_text("Judge each forecast on its own.\n")
    with (place / "items.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["item", "text", "system", "source", "measure_accuracy"])
        for system in SYSTEMS:
            for date in DATES:
                name = f"{system}, {date}"
                table.writerow([name, f"Wind on {date}.", system, date, true_quality(system)])
    covary("design", place)
    covary("simulate", place, "--seed", SEED)
    return place


def test_the_squares_are_those_of_the_paper(folder):
    """22 judges, 22 dates, 11 systems: each system twice per judge, each output twice (B7)."""
    plan = list(csv.DictReader((folder / "design.csv").read_text().splitlines()))
    first = [row for row in plan if row["part"] == "VDS" and row["occasion"] == "1"]
    study = read_study(folder)
    systems = Counter((row["sheet"], study.item(row["item"]).system) for row in first)
    dates = Counter((row["sheet"], study.item(row["item"]).source) for row in first)
    assert set(systems.values()) == {2}
    assert set(dates.values()) == {1}
    assert set(Counter(row["item"] for row in first).values()) == {2}


def test_the_five_properties_come_from_the_study_alone(folder, tmp_path):
    covary("compare", folder, "--format", "json", "-o", tmp_path / "scales.json")
    found = json.loads((tmp_path / "scales.json").read_text())
    text = json.dumps(found)
    assert '"VDS"' in text
    assert '"VAS"' in text
    printed = covary("compare", folder, "-o", tmp_path / "scales.html")
    words = " ".join(printed.split())
    assert "484" in text  # 22 judges times 22 dates, on each occasion (B17)
    assert words.count("of 55") >= 2  # 55 = C(11, 2) pairs of systems (B19)
    assert "Same judges in VDS and VAS: yes" in words
    assert "judges who said so would rather use" in words
    html = (tmp_path / "scales.html").read_text()
    for heading in ("accuracy", "Validity", "Stability", "Interchangeab"):
        assert heading in html


def test_agreement_counts_first_ratings_and_says_so(folder, tmp_path):
    printed = covary("report", folder, "--no-intervals", "-o", tmp_path / "report.html")
    words = " ".join(printed.split())
    assert "968 later ratings are set aside, for stability" in words  # 484 on each scale
    assert "ratings.select" not in printed


def test_systems_stand_in_the_order_that_was_simulated(folder, tmp_path):
    out = tmp_path / "systems.json"
    covary("systems", folder, "--only", "part=VAS", "--resamples", 50, "-o", out)
    (criterion,) = json.loads(out.read_text())["systems"]["criteria"]
    order = [score["system"] for score in criterion["systems"]]
    truth = sorted(SYSTEMS, key=true_quality, reverse=True)
    assert order[0] == truth[0]
    assert order[-1] == truth[-1]


def test_the_export_has_every_occasion(folder, tmp_path):
    covary("export", folder, "-o", tmp_path / "ratings.csv")
    with (tmp_path / "ratings.csv").open(encoding="utf-8-sig", newline="") as file:
        occasions = Counter((row["criterion"], row["occasion"]) for row in csv.DictReader(file))
    assert set(occasions.values()) == {484}
    assert len(occasions) == 4
