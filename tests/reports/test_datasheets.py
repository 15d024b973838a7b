"""Datasheets: HEDS 3.0 in the form's own keys, GRRAS, a data statement, answers that close."""

import hashlib
import json
import tomllib
from dataclasses import replace
from itertools import product

import pytest

from covary import InvalidArgument, Ratings, read_study, report, write_template
from covary.reports.datasheets import answers_file, data_statement, grras_sheet, open_answers
from covary.reports.heds import blank_heds, fill_heds, heds_questions, read_heds
from covary.reports.reliability.checklist import ANSWERS
from covary.study.model import Recruiting
from covary.study.templates import TEMPLATES

FIELDS = "611a222a683664499b99c9cc49f53f94fe16913a0953c0da2ee96ffab53a41f9"
"""SHA-256 of the 569 keys of the published form (December 2024), one a line, in its order."""


def keys():
    return [key for question in heds_questions() for key in question.keys]


def test_the_keys_are_those_of_the_published_form():
    assert len(keys()) == 569
    assert hashlib.sha256("\n".join(keys()).encode()).hexdigest() == FIELDS
    numbers = {question.stem.rpartition("-")[2]: question.number for question in heds_questions()}
    assert numbers["number_of_system_outputs"] == "3.1.1"
    assert numbers["participant_criterion_definiiton"] == "4.3.2"  # the form spells it so
    assert numbers["scale_presented_as"] == "4.3.5"


@pytest.fixture(params=sorted(TEMPLATES))
def study(request, tmp_path):
    write_template(tmp_path / "study", request.param)
    return read_study(tmp_path / "study")


def test_a_template_study_fills_keys_of_the_form_alone_and_is_read_back_unchanged(study, tmp_path):
    sheet = fill_heds(study=study)
    assert list(sheet.values) == keys()
    path = tmp_path / "heds.json"
    path.write_text(sheet.json(), encoding="utf-8")
    assert read_heds(path).values == json.loads(path.read_text(encoding="utf-8")) == sheet.values
    assert read_heds(path).json() == path.read_text(encoding="utf-8")
    assert sheet.criteria == tuple(criterion.key for criterion in study.criteria)
    for criterion in study.criteria:
        asked = sheet.values["heds-criteria-criterion-response_elicitation-verbatim_question"]
        assert asked["data"][criterion.key] == criterion.question


def value(sheet, stem, criterion=""):
    return sheet.values[f"heds-{stem}"]["data"][criterion]


def test_scales_are_presented_as_they_are_drawn(tmp_path):
    write_template(tmp_path / "study", "verbal-and-visual")
    study = read_study(tmp_path / "study")
    sheet = fill_heds(study=study)
    shown = "criteria-criterion-response_elicitation-scale_presented_as"
    for criterion in study.criteria:
        line = criterion.scale.categories is None
        assert value(sheet, f"{shown}-3", criterion.key) is line  # a slider
        assert value(sheet, f"{shown}-1", criterion.key) is not line  # options to choose from


def test_a_preference_is_relative(tmp_path):
    write_template(tmp_path / "study", "preference")
    study = read_study(tmp_path / "study")
    sheet = fill_heds(study=study)
    mode = "criteria-criterion-evaluation_mode-absolute_or_relative-2"
    assert all(value(sheet, mode, criterion.key) is True for criterion in study.criteria)


def test_the_best_and_the_worst_are_relative_and_one_of_three_is_said_of_each_text(tmp_path):
    place = write_template(tmp_path / "study", "preference")[0].parent / "study.toml"
    toml = place.read_text(encoding="utf-8")
    scale = '{ kind = "preference", tie = "no difference" }'
    place.write_text(toml.replace(scale, '{ kind = "best-worst" }'), encoding="utf-8")
    study = read_study(place.parent)
    sheet = fill_heds(study=study)
    elicited = "criteria-criterion-response_elicitation"
    for criterion in study.criteria:
        key = criterion.key
        assert (
            value(sheet, "criteria-criterion-evaluation_mode-absolute_or_relative-2", key) is True
        )
        assert value(sheet, f"{elicited}-size_of_scale", key) == "3"
        assert value(sheet, f"{elicited}-list_or_range", key) == "worst, neither, best"


def test_ratings_alone_fill_what_they_know(severe_report):
    sheet = fill_heds(severe_report)
    design = "sample_evaluators_design"
    assert value(sheet, f"{design}-evaluators-number_of_evaluators") == "2"
    elicited = "criteria-criterion-response_elicitation"
    assert value(sheet, f"{elicited}-size_of_scale", "ratings") == "3"
    assert value(sheet, f"{elicited}-list_or_range", "ratings") == "1, 2, 3"
    score = value(sheet, f"{elicited}-inter_annotator-agreement_score", "ratings")
    assert score.startswith("Krippendorff's alpha .53 [")  # .525 by hand
    asked = {question.number for question, _ in sheet.open_questions()}
    assert {"1.1.2", "3.2.3", "4.3.7", "5.1"} <= asked
    assert not {"3.2.1", "4.3.3", "4.3.11.2"} & asked


def test_what_a_person_filled_in_is_kept(severe_report):
    mine = blank_heds(["ratings"])
    mine.values["heds-ethics-review_body"]["data"][""] = "The board of our school."
    mine.values["heds-sample_evaluators_design-evaluators-number_of_evaluators"]["data"][""] = "two"
    sheet = fill_heds(severe_report, filled=mine)
    assert value(sheet, "ethics-review_body") == "The board of our school."
    assert value(sheet, "sample_evaluators_design-evaluators-number_of_evaluators") == "two"
    assert value(mine, "sample_evaluators_design-sample-number_of_system_outputs") == ""
    assert value(sheet, "sample_evaluators_design-sample-number_of_system_outputs") != ""


@pytest.mark.parametrize("text", ['{"heds-nonsense": {}}', "[1]", "no json"])
def test_what_is_no_sheet_is_refused_with_its_name(text, tmp_path):
    path = tmp_path / "sheet.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidArgument, match=r"sheet\.json"):
        read_heds(path)


def test_answers_that_are_filled_in_and_given_back_close_the_open_questions(severe):
    made = report(severe, rng=1)
    asked = answers_file(made, {}, {}, "answers.toml")
    assert tomllib.loads(asked) == {}  # nothing is answered before somebody answers
    lines = [line.removeprefix("# ") for line in asked.splitlines() if " = " in line]
    assert [line.partition(" = ")[0] for line in lines] == [*ANSWERS]
    filled = tomllib.loads("\n".join(line.replace('""', '"on reliability"') for line in lines))
    assert open_answers(made, filled) == []
    again = answers_file(made, filled, filled, "answers.toml")
    assert tomllib.loads(again) == filled
    closed = report(severe, rng=1, answers=filled).markdown()
    assert "21 of 21 points are answered, 0 fail and 0 cannot be answered" in closed


def test_grras_and_the_data_statement_say_what_is_known_and_what_is_to_be_written(severe_report):
    answers = {"recruitment": "by a notice in the library"}
    sheet = grras_sheet(severe_report, answers)
    assert sheet.count("\n## ") == 15
    statement = data_statement(severe_report, answers)
    assert "20 ratings of 10 items by 2 judges, 2 per item." in statement
    assert "by a notice in the library" in statement
    assert "To be written: what the judges were told" in statement
    assert len(statement.split()) < 600  # about a page


def test_compared_systems_say_how_ratings_became_scores_and_how_these_were_tested():
    table = {"item": [], "source": [], "system": [], "judge": [], "rating": []}
    for source, system, judge in product(range(8), "AB", ("Ann", "Bo", "Cy")):
        rating = 1 + (source + 2 * (system == "B") + (judge == "Cy")) % 5
        row = (f"{source} {system}", source, system, judge, rating)
        for column, cell in zip(table.values(), row, strict=True):
            column.append(cell)
    sheet = fill_heds(report(Ratings(table, scale="1-5"), rng=1, intervals=False))
    elicited = "criteria-criterion-response_elicitation"
    scores = value(sheet, f"{elicited}-response_aggregation", "ratings")
    assert "mean of the ratings of each system" in scores
    method = value(sheet, f"{elicited}-effect_size_method", "ratings")
    assert "Tukey" in method
    assert "at 0.05" in method
    asked = {question.number for question, _ in sheet.open_questions()}
    assert not {"4.3.9", "4.3.10"} & asked


def test_people_of_a_platform_judge_at_a_place_of_their_own(tmp_path):
    write_template(tmp_path / "study", "preference")
    study = read_study(tmp_path / "study")
    place = "sample_evaluators_design-experimental_design-experimental_conditions-1"
    assert value(fill_heds(study=study), place) is False  # they may sit in a laboratory
    recruited = replace(study, recruiting=Recruiting(done="D1", screened_out="O1"))
    assert value(fill_heds(study=recruited), place) is True
