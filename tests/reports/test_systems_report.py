"""The report on systems: what it says, its forms, and what it leaves out for good reasons."""

import csv
import io
import json

import jsonschema
import numpy as np
import pytest

from covary import Ratings, VerbalScale, datasets, report
from covary.errors import InvalidArgument
from covary.reports.blocks import Figure, Paragraph, Table
from covary.reports.reliability.document import schema
from covary.reports.systems import systems_report
from tests.analysis.system_studies import SMALL, confounded, crossed
from tests.reports.conftest import HOSTILE
from tests.reports.test_latex import compiled, needs

KEYS = [
    "answer",
    "means",
    "pairs",
    "ranks",
    "severity",
    "variance",
    "by-rank",
    "distributions",
    "methods",
]


@pytest.fixture(scope="module")
def relevance():
    data = datasets.load("qgstec-original")
    settings = {"rng": 1, "resamples": 200, "human": "a", "error": "additive"}
    return systems_report(data, criterion="relevance", **settings)


@pytest.fixture(scope="module")
def hostile():
    names = {system: f"{HOSTILE} {system}" for system in "abc"}
    table = {names[system]: rows for system, rows in SMALL.items()}
    return systems_report(crossed(table), rng=1, resamples=50, human=[names["a"]], title=HOSTILE)


@pytest.fixture(scope="module")
def many():
    """Seventy systems: too many for letters, for a list of pairs and for some pictures."""
    rng = np.random.default_rng(2)
    table = {
        f"s{number:02}": [tuple(np.clip(rng.integers(1, 6, 2), 1, 5).tolist()) for _ in range(4)]
        for number in range(70)
    }
    return systems_report(crossed(table), rng=1, resamples=50)


def section(made, key):
    return next(each for each in made.contents.sections if each.key == key)


def blocks(made, key, kind):
    return [block for block in section(made, key).blocks if isinstance(block, kind)]


def rows_of(made, key):
    figures = [figure.table for figure in blocks(made, key, Figure) if figure.table]
    (first, *_) = [*figures, *blocks(made, key, Table)]
    return {
        row[0]: dict(zip([c.title for c in first.columns], row, strict=True)) for row in first.rows
    }


def test_the_sections_stand_in_their_order(relevance):
    assert [each.key for each in relevance.contents.sections] == KEYS


def test_the_answer_names_the_best_system_and_warns_of_severity(relevance):
    verdict, warning = blocks(relevance, "answer", Paragraph)
    assert verdict.text.startswith("relevance – b has the best adjusted mean (")
    assert "It is shown to be better than d, a (human) and c. With other judges" in verdict.text
    assert "3 of 6 differences between systems are significant at 0.05." in verdict.text
    assert warning.kind == "warning"
    assert warning.text.endswith("changes the order from b, a, c, d to b, d, a, c.")


def test_means_stand_from_the_best_to_the_worst_and_people_are_marked(relevance):
    rows = rows_of(relevance, "means")
    assert list(rows) == ["b", "d", "a (human)", "c"]
    assert rows["b"]["mean"] == "1.17"
    assert rows["b"]["letters"] == "a"
    assert rows["a (human)"]["letters"] == "b"


def test_p_values_are_exact_and_carry_their_stars(relevance):
    rows = rows_of(relevance, "variance")
    assert rows["system"]["F, alone"] == "22.39 (3, 1,787)"
    assert rows["system"]["p"].endswith(" **")
    assert float(rows["system"]["p"].removesuffix(" **")) < 1e-6


def test_tests_by_rank_stand_beside_and_name_their_blocks(relevance):
    (shown,) = blocks(relevance, "by-rank", Table)
    assert [row[0].split(",")[0] for row in shown.rows] == [
        "analysis of variance",
        "Friedman's test within 4 judges who rated every system",
        "Kruskal & Wallis' test",
    ]
    said = blocks(relevance, "by-rank", Paragraph)[-1].text
    assert "ordered categories" in said


def test_the_methods_name_what_was_done_and_cite_it(relevance):
    text = relevance.markdown()
    for words in (
        "1,791 ratings, 896 items, 4 systems and 6 judges",
        "low end is best",
        "The texts of a were written by people",
        "type II sums of squares",
        "200 resamples, seed 1",
        "Piepho, H.-P. (2004)",
        "Owen, A. B. (2007)",
        "systems|procedure:tukey|error:additive",
    ):
        assert words in text.replace("\\", ""), words


def test_a_balanced_study_needs_no_slopes_and_says_why():
    made = systems_report(crossed(SMALL), rng=1, resamples=50)
    assert not blocks(made, "severity", Figure)
    assert "in the same proportions, so their severity" in made.markdown()


def test_the_picture_turns_round_where_low_is_best(relevance):
    def reversed_axis(made):
        (figure,) = blocks(made, "means", Figure)
        return figure.spec["layer"][0]["encoding"]["x"]["scale"]["reverse"]

    assert reversed_axis(relevance)
    assert not reversed_axis(systems_report(crossed(SMALL), rng=1, resamples=50))


def test_labels_of_the_slopes_do_not_lie_on_each_other(relevance):
    (figure,) = blocks(relevance, "severity", Figure)
    points = [p for p in figure.spec["data"]["values"] if p["when"] == "after"]
    heights = sorted(point["height"] for point in points)
    spread = max(p["score"] for p in points) - min(p["score"] for p in points)
    assert np.diff(heights).min() >= spread * 12 / figure.spec["height"]  # letters are 11 high
    assert np.mean(heights) == pytest.approx(np.mean([p["score"] for p in points]))


def test_many_systems_are_cut_short_and_say_so(many):
    text = many.markdown()
    assert "With 70 systems, the 2,415 pairs are not listed one by one." in text
    assert "Only in the JSON form of this report: 10 systems more" in text
    assert "There are too many systems for letters." in text
    (means,) = blocks(many, "means", Figure)
    assert "The best 30 of 70 systems." in means.description
    assert not blocks(many, "ranks", Figure)
    assert len(json.loads(many.json())["systems"]["criteria"][0]["systems"]) == 70
    assert "… and 50 more systems in the report." in many.short()


def test_the_json_form_is_not_rounded_and_holds_no_nan(relevance):
    found = json.loads(relevance.json())["systems"]
    (only,) = found["criteria"]
    assert found["seed"] == 1
    assert only["systems"][0]["mean"] == pytest.approx(387 / 330, abs=1e-12)  # sum by count
    assert only["counts"]["pairs"] == len(only["pairs"]) == 6
    assert only["adjustment"]["changed"]
    assert "NaN" not in relevance.json()


def test_the_csv_form_has_a_row_for_each_system(relevance):
    rows = list(csv.DictReader(io.StringIO(relevance.csv())))
    assert [row["system"] for row in rows] == ["b", "d", "a", "c"]
    assert [row["human"] for row in rows] == ["no", "no", "yes", "no"]
    assert [row["adjusted_rank"] for row in rows] == ["1", "2", "3", "4"]
    assert float(rows[0]["mean"]) == pytest.approx(387 / 330)


def test_markup_in_names_stays_text(hostile):
    page = hostile.html()
    assert "<script>" not in page.replace("<style>", "")
    assert "&lt;script&gt;" in page
    json.loads(hostile.json())


@needs("pdflatex")
def test_the_latex_form_compiles(relevance, hostile, tmp_path):
    for made in (relevance, hostile):
        compiled(made.latex(), tmp_path)


def test_a_notebook_shows_the_answer_the_means_and_a_picture(relevance):
    shown = relevance._repr_html_()
    assert "b has the best adjusted mean" in shown
    assert shown.count("<figure>") == 1
    assert str(relevance) == relevance.short()
    assert repr(relevance).startswith("SystemsReport(Ratings(")


@pytest.mark.parametrize("ending", ["html", "md", "tex", "json", "csv"])
def test_the_ending_says_the_format(relevance, tmp_path, ending):
    path = tmp_path / f"systems.{ending}"
    relevance.write(path)
    assert path.stat().st_size > 200
    pictures = {"systems-figures"} if ending == "md" else set()  # Markdown points to its pictures
    assert {each.name for each in tmp_path.iterdir()} == {path.name} | pictures


def test_a_place_that_cannot_be_written_is_refused_before_any_work(tmp_path):
    told = []
    with pytest.raises(InvalidArgument, match=r"written as 'x\.odt'"):
        systems_report(crossed(SMALL), tmp_path / "x.odt", progress=told.append)
    with pytest.raises(InvalidArgument, match="systems_report got format='md' and no path"):
        systems_report(crossed(SMALL), format="md", progress=told.append)
    assert told == []


def test_the_terminal_shows_the_adjusted_means_where_they_differ():
    ratings, truth = confounded(np.random.default_rng(5))
    lines = systems_report(ratings, rng=1, resamples=100).short().splitlines()
    assert lines[0].split("  ")[-1].strip() == "P(best)"
    assert f"to {', '.join(truth)}" in " ".join(lines)


def test_a_reliability_report_has_a_short_section_on_systems():
    data = datasets.load("qgstec-original").select(criterion="relevance")
    made = report(data, rng=1, intervals=False)
    (shown,) = blocks(made, "systems", Table)
    assert [row[1] for row in shown.rows] == ["b", "a", "c", "d"]
    text = made.markdown()
    assert "On relevance, b is rated best. It is shown to be better than a, c and d." in text
    found = json.loads(made.json())
    jsonschema.Draft202012Validator(schema()).validate(found)
    assert [each["system"] for each in found["systems"][0]["systems"]] == ["b", "a", "c", "d"]
    assert not found["systems"][0]["order_changed_by_severity"]


def test_the_ordinal_model_stands_beside_the_means_with_the_fit_of_judges():
    made = systems_report(datasets.load("qgstec-reevaluated"), criterion="correctness", rng=1)
    systems, judges = blocks(made, "ordinal", Table)
    assert [row[0] for row in systems.rows] == ["b", "a", "c", "d"]
    assert [column.title for column in judges.columns][-2:] == ["infit", "outfit"]
    assert len(judges.rows) == 3
    assert "finds the same differences" in made.short().replace("\n", " ")


@pytest.mark.parametrize(
    "ratings",
    [
        Ratings.from_wide([[1, 2], [2, 2], [3, 1]], scale="1-3"),
        crossed({"a": SMALL["a"]}),
        crossed(SMALL, scale=VerbalScale([1, 2, 3, 4, 5], level="nominal")),
    ],
    ids=["no systems", "one system", "names"],
)
def test_a_reliability_report_leaves_the_section_out_where_nothing_can_be_compared(ratings):
    made = report(ratings, rng=1, intervals=False)
    assert "systems" not in [each.key for each in made.contents.sections]
    assert "systems" not in json.loads(made.json())
