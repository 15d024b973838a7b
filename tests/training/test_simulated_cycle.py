"""Judges whose thresholds move together converge; judges whose thresholds do not never do."""

from tests.training.courses import Thresholds, run_cycle


def differing(cycle):
    return [len(each.marks) for each in cycle.rounds if not each.blind]


def test_differences_fall_from_round_to_round_until_the_rule_ends_it():
    cycle = run_cycle(Thresholds(seed=3, learning=0.6))
    found = differing(cycle)
    assert found == sorted(found, reverse=True)
    assert found[0] > 10 * found[-1]
    assert cycle.ended is not None
    assert cycle.ended.by == "rule"
    assert len(cycle.editions) == len(cycle.rounds)  # one rule after each round but the last


def test_thresholds_that_stay_where_they_are_never_meet_the_rule():
    cycle = run_cycle(Thresholds(seed=3, learning=0.0), most_rounds=5)
    assert cycle.ended is None
    assert not any(cycle.verdict(each.number).met for each in cycle.rounds)
    assert min(differing(cycle)) > 0.5 * max(differing(cycle))
