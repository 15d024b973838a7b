"""The report on rounds: what it says, its pictures, and its forms."""

import csv
import io
import json

import pytest

from covary import Ratings, VisualScale, datasets
from covary.analysis.rounds import UPPER_BOUND, rounds
from covary.errors import InvalidArgument
from covary.reports.blocks import Figure, Paragraph, Table
from covary.reports.rounds import rounds_report
from tests.analysis.test_rounds import QUALITY, group
from tests.reports.conftest import HOSTILE
from tests.reports.test_latex import compiled, needs
from tests.training.courses import Thresholds, run_cycle


@pytest.fixture(scope="module")
def published():
    before, after = datasets.load("qgstec-original"), datasets.load("qgstec-reevaluated")
    return rounds_report(rounds(before, after, level="interval", rng=1, resamples=100))


@pytest.fixture(scope="module")
def trained():
    cycle = run_cycle(Thresholds(seed=3, learning=0.6))
    return rounds_report(rounds(cycle.ratings(), history=cycle.history(), rng=1, resamples=50))


def section(made, key):
    return next(each for each in made.contents.sections if each.key == key)


def blocks(made, key, kind):
    return [block for block in section(made, key).blocks if isinstance(block, kind)]


def test_the_sections_stand_in_their_order(published, trained):
    assert [each.key for each in published.contents.sections] == [
        "answer",
        "convergence",
        "agreement",
        "distributions",
        "systems",
        "diagnosis",
        "methods",
    ]
    assert "trace" in [each.key for each in trained.contents.sections]


def test_the_answer_tells_the_change_and_that_it_is_an_upper_bound(published):
    said = [each.text for each in blocks(published, "answer", Paragraph)]
    (relevance,) = [text for text in said if text.startswith("relevance")]
    assert relevance.startswith("relevance: alpha rose. From .25 [.1")
    assert "212 of 895 at first, 12 of 896 at last." in relevance
    assert UPPER_BOUND in said


def test_every_picture_carries_its_intervals_and_can_be_drawn(published):
    (curve,) = blocks(published, "convergence", Figure)
    assert curve.title == "723 items differ in the first round, 99 in the last"
    point = curve.spec["data"]["values"][0]
    assert point["low"] < point["share"] < point["high"]
    (alphas,) = blocks(published, "agreement", Figure)
    assert alphas.title == "Alpha rose on 5 of 5 criteria"
    assert len(alphas.spec["data"]["values"]) == 10
    assert all({"low", "high"} <= row.keys() for row in alphas.spec["data"]["values"])
    for figure in (curve, alphas, *blocks(published, "distributions", Figure)):
        assert figure.svg().startswith("<svg")


def test_the_tables_hold_the_published_numbers(published):
    (curve,) = blocks(published, "convergence", Figure)
    rows = {(row[0], row[1]): row for row in curve.table.rows}
    assert rows["variety", "before"][3:5] == ("165", "895")
    distributions = {
        each.title.split(":")[0]: each for each in blocks(published, "distributions", Figure)
    }
    pooled = [row for row in distributions["relevance"].table.rows if row[1] == "all judges"]
    assert pooled[1] == ("after", "all judges", "1,801", "649", "219", "19")
    (systems,) = blocks(published, "systems", Table)
    first = next(row for row in systems.rows if row[:2] == ("relevance", "a"))
    assert (first[2], first[4]) == ("2", "3")  # the rank of a before and after


def test_a_sentence_is_followed_to_its_items_and_to_alpha(trained):
    traced, behind = blocks(trained, "trace", Table)
    assert traced.rows[0][:4] == ("Rule 1 of the judges.", "rule", "1", "relevance")
    assert " and " in traced.rows[0][4]
    assert traced.rows[0][7].startswith("+")
    assert behind.rows[0][3].count(",") == 2  # three judges, each with a rating
    assert behind.rows[0][4].startswith("judge 1: why t")
    assert behind.rows[0][5] == "Rule 1 of the judges."
    assert "Changes of the manual after round 1: 1 rule." in trained.markdown()


def test_the_manual_the_work_and_the_stop_rule_have_their_sections(trained):
    (editions,) = blocks(trained, "manual", Table)
    assert [row[0] for row in editions.rows] == ["1", "2", "3"]
    assert editions.rows[1][2:] == ("1", "judge 1", "rule", "a rule", "Rule 1 of the judges.")
    (work,) = blocks(trained, "training", Table)
    assert [row[2:4] for row in work.rows] == [("3", "200")] * 3
    assert work.rows[0][6:] == ("1 of 1", "1")
    told = trained.markdown()
    assert "Training ended because the stop rule was met." in told
    assert "training goes on" in told
    assert "training may end" in told


def test_times_and_drift_have_their_sections():
    n = 40
    frame = {"item": [], "judge": [], "rating": [], "order": [], "seconds": []}
    for judge, slope in (("calm", 0.0), ("drifting", 0.5)):
        frame["item"] += [f"i{k}" for k in range(n)]
        frame["judge"] += [judge] * n
        frame["rating"] += [30 + k % 7 + slope * k for k in range(n)]
        frame["order"] += list(range(n))
        frame["seconds"] += [3.0] * n
    one = Ratings(frame, scale=VisualScale())
    made = rounds_report(rounds({"trial": one, "evaluation": one}, rng=1, resamples=50))
    (drift,) = blocks(made, "drift", Table)
    assert ("ratings", "drifting") in [row[:2] for row in drift.rows]
    assert "In round evaluation, 2 of 2 slopes are clearly not 0" in made.markdown()
    assert "Each judge spent 4.0 minutes on rating in 2 rounds" in made.markdown()


def test_a_new_group_has_its_section():
    authors, fresh = group(3, QUALITY, [0] * 3, 0.2, 1), group(3, QUALITY, [0] * 3, 0.8, 2, "f")
    made = rounds_report(rounds(authors, authors, fresh=fresh, rng=1, resamples=100))
    (listed,) = blocks(made, "fresh", Table)
    assert listed.rows[0][3].startswith("-")
    assert listed.rows[0][5].count("[") == 1  # the normalised value has its interval, too
    assert "alpha, new group" in made.short()
    assert "not in the manual" in made.markdown()
    assert "Cross-replication reliability" in made.markdown()


def test_the_json_form_is_not_rounded_and_holds_no_nan(published):
    found = json.loads(published.json())["rounds"]
    assert found["curve"][0] == {"round": "before", "differing": 723, "n_items": 4475}
    relevance = next(each for each in found["criteria"] if each["criterion"] == "relevance")
    assert relevance["rounds"][1]["within"]["value"] == pytest.approx(884 / 896, abs=1e-15)
    assert "NaN" not in published.json()


def test_the_csv_and_the_short_form_have_a_line_for_each_round(published):
    rows = list(csv.DictReader(io.StringIO(published.csv())))
    assert len(rows) == 10
    found = {(row["criterion"], row["round"]): row for row in rows}
    assert found["correctness", "after"]["differing"] == "51"
    assert float(found["correctness", "after"]["alpha"]) == pytest.approx(0.838, abs=5e-4)
    assert "upper bound" in published.short()
    assert len([line for line in published.short().splitlines() if " before " in line]) == 5


def test_markup_in_names_stays_text(tmp_path):
    ratings = group(2, QUALITY[:20], [0, 0.5], 0.2, 1, HOSTILE)
    made = rounds_report(rounds(ratings, ratings, rng=1, resamples=50), title=HOSTILE)
    assert "<script>" not in made.html()
    assert "&lt;script&gt;" in made.html()


@needs("pdflatex")
def test_the_latex_form_compiles(published, trained, tmp_path):
    for made in (published, trained):
        compiled(made.latex(), tmp_path)


def test_a_file_is_written_by_its_ending_or_refused_before(published, tmp_path):
    rounds_report(published.rounds, tmp_path / "rounds.md")
    assert "# Did the guidelines improve?" in (tmp_path / "rounds.md").read_text("utf-8")
    with pytest.raises(InvalidArgument, match=r"written as 'x\.odt'"):
        rounds_report(published.rounds, tmp_path / "x.odt")


def test_a_notebook_shows_the_answer(published):
    assert "212 of 895 at first" in published._repr_html_()
    assert repr(published) == "RoundsReport(2 rounds)"
