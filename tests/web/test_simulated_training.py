"""What simulated judges learn from rounds of training, and who goes through them."""

from dataclasses import replace

import pytest

from covary.errors import InvalidArgument
from covary.store import Store
from covary.study.model import Criterion, DesignSettings
from covary.study.simulated_judges import Quality, SimulatedJudge, simulated_judges
from covary.web.serving.simulated_training import after_rounds, simulate_with_training
from tests.web import in_training, studies

LINE = Criterion("Clarity", "How clear?", studies.LINE)


def test_each_round_leaves_the_same_share_of_severity_and_noise():
    judge = SimulatedJudge(1, Quality(), severity=0.4, noise=0.2)
    taught = after_rounds(judge, 2, 0.5)
    assert (taught.severity, taught.noise) == pytest.approx((0.1, 0.05))
    assert after_rounds(judge, 0, 0.5) == judge


@pytest.mark.parametrize("train", [0, 1, 4])
def test_two_judges_or_more_can_train_and_no_more_than_there_are(tmp_path, train):
    study = in_training.study(tmp_path)
    judges = simulated_judges(study, judges=3)
    with Store.open(tmp_path / "s.db") as store, pytest.raises(InvalidArgument):
        simulate_with_training(study, store, judges, train=train)


def test_nobody_trains_without_training_sets(tmp_path):
    study = studies.bare(tmp_path)
    judges = simulated_judges(study, judges=3)
    with Store.open(tmp_path / "s.db") as store, pytest.raises(InvalidArgument):
        simulate_with_training(study, store, judges, train=2)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Two strangers who differ in severity train in two rounds, between two occasions; one reads.

    The lines are so far apart that every item is discussed.
    """
    folder = tmp_path_factory.mktemp("trained")
    study = in_training.study(folder, LINE, sets=2, design=DesignSettings(occasions=2))
    judges = [
        SimulatedJudge(number, Quality(), severity=severity, noise=0.02)
        for number, severity in ((1, -0.3), (2, 0.3), (3, 0.3))
    ]
    said = []
    with Store.open(folder / "s.db") as store:
        summary, training = simulate_with_training(
            study, store, judges, train=2, learning=0.9, again=True, progress=said.append
        )
        cycle = store.training.cycle()
        counted = [row.answer for row in store.answers.counted()]
        places = {n: {task.position: task for task in store.sheets.of(n).tasks} for n in (1, 2, 3)}
        answers = [(each, places[each.judge][each.position].occasion) for each in counted]
    return study, judges, summary, training, cycle, answers, said


def test_a_set_is_discussed_and_rated_once_more_before_the_next(trained):
    *_, training, cycle, _, said = trained
    assert [turn.again for turn in cycle.rounds] == [None, 1, None, 3]
    assert training.differences == (2, 2)
    assert training.left_again == (2, 2)
    assert training.ended_by == "researcher"  # the rule was not met
    assert said[:2] == ["training, round 1", "training, round 3"]


def test_what_judges_agree_on_stands_in_the_guidelines_of_the_next_round(trained):
    cycle = trained[4]
    written = [edition.guidelines for edition in cycle.editions]
    assert len(written) == 1 + len(cycle.rounds)
    assert "Simulated rule 1: give every Clarity as was agreed in round 1." in written[1]
    assert written[1].rstrip() in written[2]


def test_judges_rate_as_they_did_before_the_training_and_as_they_learnt_after_it(trained):
    study, judges, summary, _, cycle, answers, _ = trained
    rounds = len(cycle.rounds)
    now = {1: 1.0, 2: 1.0, 3: 0.5}  # who only reads learns half as much
    for answer, occasion in answers:
        number = answer.judge  # they were let in by their numbers
        learnt = rounds * now[number] if occasion == 2 or number == 3 else 0
        judge = after_rounds(judges[number - 1], learnt, 0.9)
        expected = judge.answer(LINE, study.item(answer.item), occasion)
        assert answer.rating == pytest.approx(expected, abs=0.06), (number, occasion)
    assert summary.answers == len(answers) == 3 * 2 * len(study.items_of("item"))


def test_judges_who_agree_meet_the_rule_and_stop(tmp_path):
    study = in_training.study(tmp_path, LINE, sets=2)
    study = replace(study, training=replace(study.training, at_least=0.3))  # Wilson: 2 of 2, .34
    judge = SimulatedJudge(1, Quality(), noise=0.0)
    with Store.open(tmp_path / "s.db") as store:
        _, training = simulate_with_training(study, store, [judge, replace(judge, number=2)],
                                             train=2)  # fmt: skip
    assert (training.differences, training.ended_by) == ((0,), "rule")
