"""The parts of a study as experiments: ratings, measures, preferences."""

from dataclasses import replace

import pytest

from covary.errors import InvalidArgument
from covary.scales import VerbalScale, VisualScale
from covary.store.experiments import experiments_of, task_criteria
from covary.study.model import Criterion
from tests.store.made_up import answer, study

WORDS = Criterion("clarity", "How clear?", VerbalScale(range(1, 8)), part="VDS")
LINE = Criterion("clarity", "How clear?", VisualScale(), part="VAS")
CHOICE = Criterion("picture", "Which picture?", VerbalScale([1, 2]), part="task")


def described(*, criteria=(WORDS, LINE, CHOICE)):
    """Two systems on three sources; the right picture is always the first."""
    made = study(criteria=criteria)
    items = tuple(
        replace(item, expected={CHOICE.key: 1} if CHOICE in criteria else {},
                measures={"speed": 10.0 + int(item.id[1]) * (item.system == "b")})
        if item.kind == "item" else item
        for item in made.items
    )  # fmt: skip
    return replace(made, items=items)


@pytest.fixture
def answered(store):
    """Ann and Bo rate three items on both scales; Ann finds the picture of a, and not of b."""
    rows = []
    for judge in (1, 2):
        for position in (1, 2, 3, 4, 5, 6):
            where = {"judge": judge, "position": position}
            rows.append(answer(4, criterion=WORDS.key, **where))
            rows.append(answer(61.5, criterion=LINE.key, **where))
    store.answers.save(rows)
    for position in range(1, 7):
        item = answer(1, position=position).item
        store.answers.save(
            [answer(1 if item[0] == "a" else 2, position=position, criterion=CHOICE.key,
                    seconds=5.0 if item[0] == "a" else 9.0)]
        )  # fmt: skip
    store.notes.add(1, "preferred", {"part": "VAS", "reason": "finer"})
    store.notes.add(2, "preferred", {"part": ""})
    return store


def test_criteria_of_one_name_are_one_criterion_on_two_scales(answered):
    found = experiments_of(described(), answered)
    assert list(found.ratings) == ["VDS", "VAS"]
    assert {name: own.criteria for name, own in found.ratings.items()} == {
        "VDS": ("clarity",),
        "VAS": ("clarity",),
    }
    assert found.ratings["VDS"].scale("clarity") == WORDS.scale
    assert found.ratings["VAS"].scale("clarity") == LINE.scale
    assert found.ratings["VDS"].n_ratings == 12


def test_what_judges_prefer_is_what_they_said(answered):
    assert experiments_of(described(), answered).preferences == {"Ann": "VAS"}


def test_measures_in_the_items_are_means_by_system(answered):
    """By hand: a has 10 three times, b has 11, 12 and 13."""
    assert experiments_of(described(), answered).measures["speed"] == {"a": 10.0, "b": 12.0}


def test_a_task_with_known_answers_measures_accuracy_and_time(answered):
    assert list(task_criteria(described())) == [CHOICE.key]
    measures = experiments_of(described(), answered).measures
    assert measures["picture: accuracy"] == {"a": 1.0, "b": 0.0}
    assert measures["picture: seconds"] == {"a": 5.0, "b": 9.0}


def test_a_task_on_a_sheet_that_was_taken_back_or_without_a_known_answer_measures_nothing(answered):
    unknown = tuple(
        replace(item, expected={}) if item.id == "b1" else item for item in described().items
    )
    answered.answers.save(
        [answer(1, judge=2, position=place, criterion=CHOICE.key) for place in range(1, 7)]
    )
    measures = experiments_of(replace(described(), items=unknown), answered).measures
    assert measures["picture: accuracy"] == {"a": 1.0, "b": 0.5}
    answered.sheets.reclaim(1)
    measures = experiments_of(replace(described(), items=unknown), answered).measures
    assert measures["picture: accuracy"] == {"a": 1.0, "b": 1.0}, "Bo's alone"


def test_hidden_repeats_are_no_experiment_of_their_own(answered):
    answered.answers.save([answer(3, position=7, kind="repeat", criterion=WORDS.key)])
    ratings = experiments_of(described(), answered).ratings["VDS"]
    assert ratings.n_ratings == 12
    assert "store.hidden-repeats" in [note.code for note in ratings.notes]


def test_occasions_stay_occasions(answered):
    answered.answers.save([answer(3, position=8, occasion=2, criterion=WORDS.key)])
    ratings = experiments_of(described(), answered).ratings["VDS"]
    assert ratings.values("occasion") == ("1", "2")


def test_one_part_alone_is_refused_with_what_to_do(answered):
    with pytest.raises(InvalidArgument) as refused:
        experiments_of(described(), answered, parts=["VDS", "task"])
    assert refused.value.code == "store.one-experiment"
    assert "covary compare first.csv second.csv" in str(refused.value)
    with pytest.raises(InvalidArgument, match="not a part of the study: 'VDS', 'VAS', 'task'"):
        experiments_of(described(), answered, parts=["VSD"])
