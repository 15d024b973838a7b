"""Every report on a study names the newest seal of its store, in every form."""

import ast
import json
from pathlib import Path

import pytest

import covary.reports
from covary import datasets
from covary.reports.reliability.disputed import disputed_report
from covary.reports.systems.document import systems_report
from covary.words import Note

SEAL = "137:4be1c5d2a90f3b66"
ABOUT_NO_RATINGS = {"audit.py"}


@pytest.fixture(scope="module")
def ratings():
    loaded = datasets.load("latin-square-example")
    return loaded.with_notes(Note("store.sealed", head=SEAL))


@pytest.mark.parametrize("make", [systems_report, disputed_report])
def test_a_report_on_a_study_names_its_newest_seal(make, ratings):
    more = {"resamples": 10, "rng": 1} if make is systems_report else {}
    made = make(ratings, **more)
    for text in (made.html(), made.markdown(), made.latex()):
        assert SEAL in text
    assert json.loads(made.json())["seals"] == [SEAL]


def test_a_report_on_a_file_names_none():
    made = disputed_report(datasets.load("latin-square-example"))
    assert "seal" not in made.contents.subtitle
    assert "seals" not in json.loads(made.json())


def test_a_report_on_two_studies_names_both_and_none_twice(ratings):
    made = disputed_report(ratings).sealed(ratings, "9:00", ratings)
    assert made.contents.seals == (SEAL, "9:00")


def test_every_document_on_ratings_is_sealed():
    """A new kind of report fails here until it names the seal."""
    for file in sorted(Path(covary.reports.__file__).parent.rglob("*.py")):
        tree = ast.parse(file.read_text())
        documents = [
            each.name
            for each in ast.walk(tree)
            if isinstance(each, ast.ClassDef)
            and any(getattr(base, "id", "") == "Document" for base in each.bases)
        ]
        calls = {each.attr for each in ast.walk(tree) if isinstance(each, ast.Attribute)}
        assert not documents or "sealed" in calls or file.name in ABOUT_NO_RATINGS, file
