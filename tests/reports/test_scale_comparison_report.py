"""A comparison of scales in every form."""

import csv
import io
import json

import pytest

from covary.reports.blocks import Figure, Paragraph, Table
from covary.reports.scale_comparison import scale_report
from tests.analysis.scale_studies import TIED, one_each, small

QUICK = {"rng": 1, "resamples": 50}


@pytest.fixture(scope="module")
def made():
    study = small(criteria=("clarity", "readability"))
    return scale_report(
        study.ratings, validity={"accuracy": study.accuracy}, preference=study.preference, **QUICK
    )


def blocks(made, kind, key=""):
    found = []
    for section in made.contents.sections:
        if key in ("", section.key):
            found += [block for block in section.blocks if isinstance(block, kind)]
            if kind is Table:
                found += [b.table for b in section.blocks if isinstance(b, Figure) and b.table]
    return found


def test_every_property_has_its_section(made):
    assert [section.key for section in made.contents.sections] == [
        "answer",
        "compared",
        "interchangeability",
        "validity",
        "reliability",
        "stability",
        "sensitivity",
        "preference",
        "methods",
    ]


def test_the_answer_comes_first_and_names_margin_and_p(made):
    verdict = blocks(made, Paragraph, "answer")[0]
    assert verdict.kind == "verdict"
    assert "interchangeable" in verdict.text
    assert "margin 0.50" in verdict.text


def test_whether_judges_are_the_same_is_said(made):
    (same,) = [t for t in blocks(made, Table, "compared") if t.key == "same-judges"]
    assert same.rows == (("VDS and VAS", "no"),)


def test_numbers_in_tables_are_those_that_were_found(made):
    first = made.comparison.criteria[0]
    orders = next(t for t in blocks(made, Table) if t.key == "reliability-clarity")
    rows = {row[0]: row for row in orders.rows}
    w = first.reliability[0]
    assert rows["VDS (1)"][2].startswith(f"{w.w:.2f}".lstrip("0"))
    counts = next(t for t in blocks(made, Table) if t.key == "counts-clarity")
    told = first.sensitivity[0].additive
    assert counts.rows[0][2] == f"{told.n_significant} of {told.n_pairs}"
    assert "Tukey" in counts.note
    assert "additive model of system, judge, source" in counts.rows[0][3]


def test_each_picture_has_a_title_and_a_description_and_is_drawn(made):
    pictures = blocks(made, Figure)
    kinds = {picture.key.split("-")[0] for picture in pictures}
    assert kinds == {"against", "bland", "retests", "counts"}
    assert all(picture.title and picture.description for picture in pictures)
    page = made.html()
    assert page.count('<svg role="img"') == sum(len(picture.panels) for picture in pictures)
    assert all(picture.panels for picture in pictures)


def test_scale_against_scale_has_the_line_on_which_both_are_equal(made):
    picture = next(p for p in blocks(made, Figure) if p.key.startswith("against"))
    line = picture.spec["layer"][0]["data"]["values"]
    assert all(point["x"] == point["y"] for point in line)


def test_bland_altman_draws_the_margin_and_the_differences(made):
    picture = next(p for p in blocks(made, Figure) if p.key.startswith("bland"))
    heights = [
        layer["encoding"]["y"]["datum"]
        for layer in picture.spec["layer"]
        if "datum" in layer["encoding"]["y"]
    ]
    assert heights == [-0.5, 0.0, 0.5]
    one = made.comparison.criteria[0].interchange[1]
    drawn = {point["label"]: point for point in picture.spec["data"]["values"]}
    for name, x, y in zip(one.systems, *one.standard, strict=True):
        assert drawn[name]["y"] == pytest.approx(x - y)
        assert drawn[name]["low"] < drawn[name]["y"] < drawn[name]["high"]


def test_all_forms_say_the_same(made, tmp_path):
    for name in ("scales.md", "scales.tex", "scales.html"):
        text = made.write(tmp_path / name).read_text(encoding="utf-8")
        assert "nterchangeab" in text
    assert "\\begin{document}" in made.latex()
    plain = json.loads(made.json())
    assert plain["comparison"]["same_judges"] == [{"first": "VDS", "second": "VAS", "same": "no"}]
    assert len(plain["comparison"]["criteria"]) == 2


def test_the_table_for_spreadsheets_has_a_row_for_each_number(made):
    rows = list(csv.DictReader(io.StringIO(made.csv())))
    assert {row["property"] for row in rows} == {
        "interchangeability",
        "reliability",
        "stability",
        "sensitivity",
        "validity",
    }
    w = next(row for row in rows if row["measure"] == "Kendall's W")
    assert float(w["value"]) == made.comparison.criteria[0].reliability[0].w


def test_the_short_form_has_a_line_for_each_occasion(made):
    lines = made.short().splitlines()
    assert lines[0].split()[:3] == ["criterion", "experiment", "W"]
    assert sum(line.startswith("clarity ") for line in lines) == 4


def test_without_a_retest_a_measure_or_preferences_the_sections_say_so_or_stay_away():
    made = scale_report({"A": one_each(TIED), "B": one_each(TIED, prefix="K")}, **QUICK)
    keys = [section.key for section in made.contents.sections]
    assert "validity" not in keys
    assert "preference" not in keys
    (said,) = blocks(made, Paragraph, "stability")
    assert "No experiment was run twice" in said.text


def test_what_has_no_number_is_a_dash_with_its_reason():
    rows = [list(row) for row in TIED]
    rows[0][0] = None
    made = scale_report({"A": one_each(rows), "B": one_each(TIED, prefix="K")}, **QUICK)
    (table,) = [t for t in blocks(made, Table, "reliability") if t.key.startswith("reliability")]
    assert table.rows[0][2] == "–"
    assert "J0 rated nothing by s0" in table.note


def test_scales_that_are_not_interchangeable_are_not_marked_as_good():
    opposite = one_each([[7 - v for v in row] for row in TIED], prefix="K")
    made = scale_report({"A": one_each(TIED), "B": opposite}, **QUICK)
    page = made.html()
    assert 'class="verdict good"' not in page
    assert "not interchangeable on" in page


def test_scales_that_are_interchangeable_are_marked_as_good():
    study = small(criteria=("clarity",), systems=8, sources=16, judges=16)
    made = scale_report(study.ratings, margin=1.9, **QUICK)
    verdict = blocks(made, Paragraph, "answer")[0]
    assert verdict.head == "On clarity, VDS (1) and VAS (1) are interchangeable."
    assert verdict.tone == "good"
    assert 'class="verdict good"' in made.html()
