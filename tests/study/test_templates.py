"""The studies to begin from: each works as it stands and is what it says."""

import itertools
from collections import Counter

import pytest

from covary.crowd.lint import lint
from covary.crowd.platforms import study_cost
from covary.design.make import make_plan
from covary.errors import InvalidArgument
from covary.scales import Level, Preference, VerbalScale, VisualScale
from covary.study import TEMPLATES, read_study, write_template


@pytest.fixture
def written(tmp_path):
    def study(template):
        write_template(tmp_path / template, template)
        return read_study(tmp_path / template)

    return study


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_is_read_without_fault_and_makes_a_plan(written, template):
    study = written(template)
    assert study.notes == ()
    assert study.consent.strip()
    assert study.items_of("practice")
    assert len(make_plan(study).sheets) == study.design.judges


@pytest.mark.parametrize("template", TEMPLATES)
def test_what_a_judge_may_see_names_no_system(written, template):
    study = written(template)
    ids = " ".join(each.id for each in study.items)
    assert not [system for system in study.systems if system in ids]


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_explains_itself(tmp_path, template):
    paths = write_template(tmp_path, template)
    assert [path.name for path in paths][:2] == ["study.toml", "guidelines.md"]
    toml = paths[0].read_text(encoding="utf-8")
    assert toml.startswith("#")
    assert "made up" in toml
    assert "[population]" in toml


def test_two_scales_measure_the_same_criteria(written):
    study = written("verbal-and-visual")
    assert study.parts == ("VDS-7", "VAS")
    listed, line = (study.criteria_of(part) for part in study.parts)
    assert [each.name for each in listed] == [each.name for each in line]
    assert [each.question for each in listed] == [each.question for each in line]
    for each in listed:
        assert isinstance(each.scale, VerbalScale)
        assert (each.scale.categories, each.vertical) == ((1, 2, 3, 4, 5, 6, 7), True)
        assert each.scale.best == "high"
    assert listed[1].scale.labels[-1] == "perfectly clear"  # Belz & Kow 2011, section 2
    for each in line:
        assert isinstance(each.scale, VisualScale)
        assert (each.scale.low, each.scale.high, each.faces) == (0, 100, True)
    assert study.session.ask_preference
    assert study.session.break_every


def test_the_forecasts_fill_whole_squares(written):
    study = written("verbal-and-visual")
    judged = Counter((each.source, each.system) for each in study.items_of("item"))
    assert set(judged) == set(itertools.product(study.sources, study.systems))
    assert set(judged.values()) == {1}
    assert (len(study.systems), len(study.sources)) == (4, 8)
    assert study.design.judges % len(study.systems) == 0
    texts = [each.texts[0] for each in study.items]
    assert len(set(texts)) == len(texts)


def test_duc_has_its_five_words_and_the_question_above(written):
    study = written("duc-5")
    for each in study.criteria:  # Figure 1 of Belz & Kow 2011
        assert each.scale.labels == (
            "Very Poor", "Poor", "Barely Acceptable", "Good", "Very Good"
        )  # fmt: skip
        assert len(each.question) > 60
    assert dict(study.items_of("check")[0].expected) == {"Grammaticality": 2}


def test_qg_stec_has_its_five_ranges_and_1_is_best(written):
    study = written("qg-stec")
    ranges = {each.name: len(each.scale.categories) for each in study.criteria}
    assert ranges == {  # Tables 1 to 5 of Godwin & Piwek 2016
        "Relevance": 4,
        "Question type": 2,
        "Correctness and fluency": 4,
        "Ambiguity": 3,
        "Variety": 3,
    }
    assert {each.scale.best for each in study.criteria} == {"low"}
    assert {len(each.texts) for each in study.items} == {2}
    assert all(each.input for each in study.items)


def test_a_dialogue_is_judged_turn_by_turn_with_three_turns_before(written):
    study = written("dialogue")
    (validity,) = study.criteria
    assert validity.scale.categories == ("invalid", "acceptable", "valid")
    assert (validity.scale.level, validity.scale.best) == (Level.ORDINAL, "high")
    turns = study.items_of("item")
    assert max(len(each.context) for each in turns) == 3
    assert all(each.context[-1].speaker == "Guest" for each in turns)
    greetings = ("Hello!", "Goodbye", "Enjoy your meal")  # first and last turns of a session
    assert not [each for each in turns if each.texts[0].startswith(greetings)]
    assert len({each.cluster for each in turns}) == 2


def test_a_preference_meets_every_pair_of_systems_once_per_source(written):
    study = written("preference")
    assert all(isinstance(each.scale, Preference) for each in study.criteria)
    assert study.criteria[0].scale.categories == ("A", "no difference", "B")
    pairs = Counter((each.source, frozenset(each.systems)) for each in study.items_of("item"))
    assert len(pairs) == 4 * 6
    assert set(pairs.values()) == {1}


def test_a_crowd_keeps_prolifics_rules_and_is_paid_its_wage(written):
    """1.20 for 6 minutes are 12.00 an hour; 24 items × 5 ratings are 12 people × 10 items."""
    study = written("crowd")
    assert lint(study) == ()
    assert study_cost(study).hourly == 12
    rated = Counter(task.item for sheet in make_plan(study).sheets for task in sheet.tasks)
    assert {rated[each.id] for each in study.items_of("item")} == {5}
    assert {rated[each.id] for each in study.items_of("check")} == {12}
    assert study.recruiting.qualify == 1
    assert all(each.expected for each in study.items_of("practice"))


def test_nothing_is_overwritten(tmp_path):
    (tmp_path / "guidelines.md").write_text("mine")
    with pytest.raises(InvalidArgument, match=r"holds 'guidelines\.md' already"):
        write_template(tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["guidelines.md"]
    assert (tmp_path / "guidelines.md").read_text() == "mine"


def test_a_folder_that_holds_ratings_is_left_alone(tmp_path):
    (tmp_path / "study.db").write_bytes(b"ratings")
    with pytest.raises(InvalidArgument, match=r"study\.db"):
        write_template(tmp_path)


def test_other_files_in_the_folder_do_no_harm(tmp_path):
    (tmp_path / "README.md").write_text("mine")
    assert len(write_template(tmp_path)) == 3


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "study").write_text("mine")
    with pytest.raises(InvalidArgument, match="is a file"):
        write_template(tmp_path / "study")


def test_an_unknown_template_is_told_with_the_nearest(tmp_path):
    with pytest.raises(InvalidArgument, match="did you mean 'dialogue'"):
        write_template(tmp_path / "new", "dialog")
    assert not (tmp_path / "new").exists()
