"""The best and the worst of four texts, from `covary init` to `covary preferences`."""

import json

import pytest

import covary as library
from covary.study import read_study
from tests.journeys.playing import covary, run

SYSTEMS = ("rules", "chain", "people", "model")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A study from the template of preferences, edited to ask for the best and the worst."""
    place = tmp_path_factory.mktemp("best-worst")
    covary("init", "sets", "--template", "preference", folder=place)
    folder = place / "sets"
    toml = (folder / "study.toml").read_text(encoding="utf-8")
    assert '{ kind = "preference", tie = "no difference" }' in toml
    edited = toml.replace(
        '{ kind = "preference", tie = "no difference" }', '{ kind = "best-worst" }'
    )
    edited = edited.replace('human_systems = ["forecaster"]', 'human_systems = ["people"]')
    (folder / "study.toml").write_text(edited, encoding="utf-8")
    names = [f"{column}_{n}" for column in ("system", "text") for n in range(1, 5)]
    rows = [
        [f"set{n}", f"day {n}", *SYSTEMS, *(f"Text {n} of {system}." for system in SYSTEMS)]
        for n in range(1, 13)
    ]
    lines = [",".join(row) for row in (["item", "source", *names], *rows)]
    (folder / "items.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    covary("design", "sets", folder=place)
    covary("simulate", "sets", "--judges", "4", folder=place)
    return folder


def test_preferences_follow_what_the_judges_saw(folder):
    told = covary("preferences", "sets", "--format", "json", "-o", "p.json", folder=folder.parent)
    assert "simulated judges gave these answers" in told
    found = json.loads((folder.parent / "p.json").read_text(encoding="utf-8"))
    criteria = found["preferences"]["criteria"]
    assert [own["criterion"] for own in criteria] == ["Clarity", "Style"]
    for own in criteria:
        scores = own["scores"]
        assert {one["system"] for one in scores} == set(SYSTEMS)
        # by hand: 12 sets and 4 judges, each with one best, one worst, and 5 of 6 pairs told apart
        assert [one["shown"] for one in scores] == [48] * 4
        assert sum(one["best"] for one in scores) == sum(one["worst"] for one in scores) == 48
        assert own["n_judgements"] == 12 * 4 * 5
        assert own["n_judges"] == 4


def test_the_systems_stand_in_the_order_of_the_qualities_that_the_judges_were_given(folder):
    from covary.study.simulated_judges import Quality

    study = read_study(folder)
    ratings = library.read(_exported(folder))
    quality = Quality(0)
    for own in library.preferences(ratings).criteria:
        criterion = next(one for one in study.criteria if one.name == own.criterion)
        mean = {
            system: sum(quality.of(item, criterion, place) for item in study.items) / 12
            for place, system in enumerate(SYSTEMS)
        }
        assert own.scores[0].system == max(mean, key=mean.get)
        assert own.scores[-1].system == min(mean, key=mean.get)


def test_the_exported_file_says_the_same_as_the_study(folder):
    ratings = library.read(_exported(folder))
    said = covary("preferences", _exported(folder), folder=folder.parent)
    of_study = covary("preferences", "sets", folder=folder.parent)
    tables = [text[text.index("Clarity:") : text.index("In brackets")] for text in (said, of_study)]
    assert tables[0] == tables[1]
    assert set(ratings.columns) >= {"item", "judge", "rating", "system", "source", "cluster"}


def test_means_of_systems_are_refused_and_the_report_counts(folder):
    code, _, error = run(["systems", "sets"], folder.parent)
    assert code != 0
    assert "covary preferences" in error
    covary("report", "sets", "-o", "report.html", folder=folder.parent)
    page = (folder.parent / "report.html").read_text(encoding="utf-8")
    assert "Which output do judges prefer?" in page


def _exported(folder):
    file = folder.parent / "ratings.csv"
    if not file.exists():
        covary("export", "sets", "-o", file, folder=folder.parent)
    return file
