"""`covary.report`: what it holds, what it writes, and what it refuses."""

import json
import os
import stat

import pytest

from covary import InvalidArgument, Ratings, Report, datasets, report
from covary.analysis.verdict import Thresholds
from covary.reports import drawings
from covary.reports.blocks import Paragraph


def test_the_severity_example_gets_its_verdict(severe_report):
    assert isinstance(severe_report, Report)
    verdict = severe_report.reliability.criteria[0].overall.verdict
    assert verdict.word == "cannot tell yet"  # there are ten items
    assert "cannot tell yet" in severe_report.short()
    for form in (severe_report.html(), severe_report.markdown(), severe_report.latex()):
        assert "annot tell yet" in form
        assert "No verdict yet." in form
    assert severe_report.to_dict()["reliability"]["thresholds"]["agreement"] == 0.667


def test_thresholds_are_those_that_were_given(severe):
    strict = report(severe, rng=1, thresholds=Thresholds(agreement=0.9)).markdown()
    assert "agreement lies below .9" in strict
    assert ".9 for agreement" in strict


def test_sorted_columns_are_reported_as_slots_and_the_artefact_is_named():
    made = report(datasets.load("flickr8k-experts", judges="named"), intervals=False)
    assert made.ratings.slots
    assert made.reliability.slots
    assert made.profiles == ()
    assert [found.code for found in made.findings.serious] == ["sorted-columns"]
    words = " ".join(
        block.text for block in made.contents.sections[0].blocks if isinstance(block, Paragraph)
    )
    assert "not judges" in words
    assert "gamma of .98" in words  # the value that a paper printed as a correlation of judges
    assert "artefact" in words
    assert "sorted-columns" in made.short()


def test_judges_who_are_not_sorted_stay_judges(severe_report):
    assert not severe_report.ratings.slots
    assert len(severe_report.profiles) == 2


@pytest.mark.parametrize("ending", ["html", "md", "tex", "json", "csv"])
def test_the_ending_says_the_format(severe_report, tmp_path, ending):
    path = severe_report.write(tmp_path / f"made.{ending}")
    text = path.read_text(encoding="utf-8")
    forms = {
        "html": severe_report.html, "md": lambda: text, "tex": severe_report.latex,
        "json": severe_report.json, "csv": severe_report.csv,
    }  # fmt: skip
    assert text == forms[ending]()
    assert sorted(os.listdir(tmp_path)) == [
        *(["made-figures"] if ending == "md" else []),
        path.name,
    ]


def test_a_format_overrules_the_ending(severe_report, tmp_path):
    path = severe_report.write(tmp_path / "made.txt", format="latex")
    assert path.read_text(encoding="utf-8") == severe_report.latex()


def test_the_function_writes_what_the_object_would(severe, severe_report, tmp_path):
    made = report(severe, tmp_path / "made.tex", rng=1)
    assert (tmp_path / "made.tex").read_text(encoding="utf-8") == severe_report.latex()
    assert made.to_dict() == severe_report.to_dict()


def test_a_file_has_the_rights_of_any_new_file(severe_report, tmp_path):
    (tmp_path / "plain").write_text("")
    path = severe_report.write(tmp_path / "made.csv")
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)


def test_an_interrupted_writing_leaves_the_old_file_alone(severe_report, tmp_path, monkeypatch):
    path = tmp_path / "made.html"
    path.write_text("old", encoding="utf-8")

    def broken(_):
        raise RuntimeError("drawing failed")

    monkeypatch.setattr(drawings, "in_page_colours", broken)
    with pytest.raises(RuntimeError):
        severe_report.write(path)
    assert path.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["made.html"]


def test_a_file_that_cannot_be_written_is_a_clear_refusal(severe_report, tmp_path):
    (tmp_path / "made.csv").mkdir()
    with pytest.raises(InvalidArgument, match="cannot be written"):
        severe_report.write(tmp_path / "made.csv")
    assert os.listdir(tmp_path) == ["made.csv"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"path": "made.pdf"}, "written as 'made.pdf'.*'html'"),
        ({"path": "made"}, "written as 'made'"),
        ({"path": "made.html", "format": "pdf"}, "format='pdf'"),
        ({"path": "nowhere/made.html"}, "folder 'nowhere' does not exist"),
        ({"format": "md"}, "no path"),
        ({"criterion": "fluency"}, "criterion"),
    ],
    ids=["ending", "no ending", "format", "folder", "no path", "criterion"],
)
def test_a_wrong_call_is_refused_before_any_work(severe, arguments, words):
    called = []
    with pytest.raises(InvalidArgument, match=words):
        report(severe, progress=called.append, **arguments)
    assert called == []


def test_only_the_asked_criteria_and_group_are_reported(continuous):
    made = report(continuous, criterion="fluency", group="expert", intervals=False)
    assert [each.name for each in made.reliability.criteria] == ["fluency"]
    assert made.ratings.judges == ("Ann", "Bo")


def test_progress_is_told_from_the_first_step_to_the_last(severe, tmp_path):
    said = []
    report(severe, tmp_path / "made.csv", intervals=False, progress=said.append)
    assert said[0] == "checking the data"
    assert said[-1] == "writing"


def test_plain_values_are_those_of_the_json_form(severe_report):
    assert severe_report.to_dict() == json.loads(severe_report.json())


def test_the_short_form_has_both_coefficients_the_verdict_and_serious_defects(severe_report):
    head, row, *names = severe_report.short().splitlines()
    assert head.split() == ["criterion", "agreement", "correlation", "verdict", "usable"]
    assert row.endswith("singly?, means?")
    assert row.startswith("ratings    .53 [")
    assert names[0].startswith("agreement: Krippendorff's alpha (ordinal); correlation: Goodman")
    assert str(severe_report) == severe_report.short()


def test_the_short_form_says_why_a_number_is_missing():
    made = report(Ratings.from_wide([[1, 1], [1, 1], [1, 1]], scale="1-3"), intervals=False)
    lines = made.short().splitlines()
    assert lines[1].split("  ")[0] == "ratings"
    assert "–" in lines[1]
    assert "– Krippendorff's alpha; Goodman & Kruskal's gamma: only one category" in made.short()


def test_the_notebook_face_is_words_tables_and_the_first_picture(severe_report):
    face = severe_report._repr_html_()
    assert "<table" in face
    first = next(iter(severe_report.figures.values()))
    assert face.count("<figure>") == 1
    assert first.svg() in face
    assert "<style" not in face


def test_criteria_that_share_no_items_are_not_counted_as_so_many_items_each():
    """QG-STEC+ ships as counts of each criterion: 896 questions, not 4,480."""
    ratings = datasets.load("qgstec-reevaluated").select(criterion=["relevance", "variety"])
    assert "896 items on each criterion" in report(ratings, intervals=False).markdown()
