"""Simulated judges go the whole way of every template, and leave what people would leave."""

from dataclasses import replace

import pytest

from covary.errors import CovaryError
from covary.store import Store
from covary.store.export import ratings_of
from covary.study import TEMPLATES, read_study, write_template
from covary.study.model import Session
from covary.study.simulated_judges import simulated_judges
from covary.web.serving.simulated_training import simulate_with_training
from covary.web.serving.simulation import (
    PageVisitor,
    attend,
    background_server,
    simulate,
    without_waiting,
)
from tests.web import in_training, studies


def asked(study, sheet):
    return sum(len(study.criteria_of(task.part)) for task in sheet.tasks)


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_judge_answers_everything_on_the_sheet_once(tmp_path, template):
    write_template(tmp_path / "study", template)
    study = read_study(tmp_path / "study")
    with Store.open(tmp_path / "simulated.db") as store:
        done = simulate(study, store, simulated_judges(study, judges=1, seed=3))
        sheet = store.sheets.of(1)
        log = [answer for _, _, answer in store.answers.log()]
        kinds = [note.kind for note in store.notes.all(1)]
        assert store.check(study) == []
    assert done.answers == len(log) == asked(study, sheet)
    given = {(each.position, each.criterion) for each in log}
    assert len(given) == len(log)
    assert kinds.count("left") == len(sheet.tasks)
    assert kinds[-1] == "finished"


def test_many_judges_answer_as_they_would_have_and_as_their_seed_says(tmp_path):
    study = studies.study(tmp_path, *studies.EVERY)
    judges = simulated_judges(study, judges=3, severity=0.2, noise=0.1, seed=5)
    found = []
    for name in ("one.db", "two.db"):
        with Store.open(tmp_path / name) as store:
            store.sheets.put([studies.sheet(study, number) for number in (1, 2, 3)])
            said = []
            assert simulate(study, store, judges, progress=said.append).judges == 3
            assert said == ["1 of 3 judges", "2 of 3 judges", "3 of 3 judges"]
            rows = [(each.judge, each.answer) for each in store.answers.counted()]
        found.append({(who, a.position, a.criterion): a.rating for who, a in rows})
    assert found[0] == found[1]
    by_name = {f"simulated {judge.number}": judge for judge in judges}
    for (who, position, key), rating in found[0].items():
        task = studies.sheet(study).tasks[position - 1]
        criterion = next(each for each in study.criteria if each.key == key)
        answered = by_name[who].answer(criterion, study.item(task.item), task.occasion)
        assert rating == pytest.approx(answered, abs=0.06)  # a line is sent with one decimal


def test_occasions_follow_without_waiting(tmp_path):
    """Two occasions lie a day apart for people."""
    study = studies.bare(tmp_path, session=Session(occasion_gap_hours=24))
    with Store.open(tmp_path / "study.db") as store:
        store.sheets.put([studies.sheet(study, occasions=2)])
        simulate(study, store, simulated_judges(study, judges=1))
        assert store.answers.counts().answers == 6
        ratings = ratings_of(study, store)
        assert len(ratings) == 6


@pytest.mark.parametrize(("asked", "answers"), [({}, 6), ({"once": True}, 3)])
def test_a_judge_goes_through_both_occasions_unless_one_is_asked_for(tmp_path, asked, answers):
    study = without_waiting(studies.bare(tmp_path, session=Session(occasion_gap_hours=24)))
    (judge,) = simulated_judges(study, judges=1)
    with Store.open(tmp_path / "study.db") as store:
        store.sheets.put([studies.sheet(study, occasions=2)])
        _, token = store.judges.add()
        with background_server(study, store) as door:
            visitor = PageVisitor(*door)
            attend(study, judge, visitor, token, lambda: store.sheets.of(1), **asked)
            visitor.close()
        assert store.answers.counts().answers == answers


def test_simulated_judges_who_train_rate_every_item_of_a_round_on_every_scale(tmp_path):
    study = in_training.study(tmp_path, in_training.RELEVANCE, studies.VISUAL, sets=1)
    with Store.open(tmp_path / "study.db") as store:
        done, trained = simulate_with_training(
            study, store, simulated_judges(study, judges=3, seed=1), train=2
        )
        (first, *_) = store.training.cycle().rounds
        given = {place: set(ratings) for place, ratings in first.ratings.items()}
    asked = {"relevance", "Clarity"}
    assert sorted(given) == [
        (f"simulated {judge}", item) for judge in (1, 2) for item in sorted(first.items)
    ]
    assert all(keys == asked for keys in given.values())
    assert len(trained.differences) == 1
    assert done.answers == 3 * len(study.items_of("item")) * 2


def test_a_simulated_judge_who_is_refused_says_where(tmp_path):
    study = studies.bare(tmp_path)
    with Store.open(tmp_path / "study.db") as store:
        store.sheets.put([studies.sheet(replace(study, items=study.items[:1]))])
        store.set_state("paused")
        simulate(
            study, store, simulated_judges(study, judges=1)
        )  # a pause is a page without a form
        assert store.answers.counts().answers == 0
        store.set_state("open")
        store.sheets.put([studies.sheet(study, 2)])
        broken = replace(study, items=study.items[1:])
        with pytest.raises(CovaryError, match="simulated judge was refused at /judge"):
            simulate(broken, store, simulated_judges(broken, judges=2)[1:])
