"""The JSON form keeps to the schema that ships, and holds every number as it was computed."""

import json
import math
from dataclasses import replace

import jsonschema
import pytest

import covary
from covary.reports.reliability.document import report, schema
from tests.reports import studies

VALIDATOR = jsonschema.Draft202012Validator


@pytest.fixture(
    scope="module",
    params=["severity", "two_criteria", "names", "constant", "qgstec-original", "flickr8k-experts"],
)
def study(request):
    name = request.param
    return studies.shipped(name) if "-" in name else getattr(studies, name)()


def written(ratings):
    return json.loads(report(ratings, rng=7, intervals=ratings.n_ratings < 5000).json())


def test_the_schema_itself_is_valid():
    VALIDATOR.check_schema(schema())


def test_every_report_keeps_to_the_schema(study):
    VALIDATOR(schema()).validate(written(study))


def test_the_version_and_the_software_are_said():
    found = written(studies.severity())
    assert found["version"] == 1
    assert found["software"] == f"covary {covary.__version__}"


def test_numbers_are_not_rounded():
    found = written(studies.severity())
    (only,) = found["reliability"]["criteria"]
    alpha = covary.krippendorff_alpha(studies.severity(), interval=None).value
    assert only["overall"]["agreement"]["value"] == alpha
    assert math.isclose(alpha, 0.525, abs_tol=1e-12)
    assert only["overall"]["correlation"]["value"] == 1
    assert only["counts"] == {"items": 10, "judges": 2, "ratings": 20}


def test_undefined_is_null_with_a_reason():
    (only,) = written(studies.constant())["reliability"]["criteria"]
    assert only["overall"]["agreement"]["value"] is None
    assert only["overall"]["agreement"]["notes"]


def test_nan_never_reaches_the_text():
    text = report(studies.constant(), rng=7).json()
    assert "NaN" not in text
    assert "Infinity" not in text


def test_judges_have_their_profiles():
    found = written(studies.severity())
    severity = {each["judge"]: each["severity"]["value"] for each in found["judges"]}
    assert severity == pytest.approx({"mild": 0.6, "strict": -0.6})


def test_names_of_judges_that_are_numbers_stay_numbers():
    ratings = covary.Ratings.from_wide([[1, 2], [2, 2], [3, 1], [3, 3]], scale="1-3")
    assert written(ratings)["reliability"]["criteria"][0]["overall"]["judges"] == [1, 2]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda found: found.pop("version"),
        lambda found: found.update(version=2),
        lambda found: found.update(more=1),
        lambda found: found["reliability"].pop("seed"),
        lambda found: found["reliability"]["criteria"][0]["overall"].pop("verdict"),
        lambda found: found["reliability"]["criteria"][0]["overall"]["agreement"].update(value="x"),
        lambda found: found["reliability"]["criteria"][0]["overall"]["agreement"].update(
            value=None, notes=[]
        ),
    ],
    ids=["no version", "another version", "more", "no seed", "no verdict", "text", "no reason"],
)
def test_the_schema_refuses_what_is_wrong(spoil):
    found = written(studies.severity())
    spoil(found)
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR(schema()).validate(found)


def test_findings_are_listed():
    made = report(studies.severity(), rng=7)
    found = covary.analysis.forensics.Finding("unit-of-times", "look", data={"median": math.nan})
    made = replace(made, findings=covary.analysis.forensics.Findings((found,)))
    (only,) = json.loads(made.json())["findings"]
    assert only["code"] == "unit-of-times"
    assert only["data"] == {"median": None}
