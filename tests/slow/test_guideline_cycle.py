"""Simulated guideline cycles: the stop rule ends those that converge, and no others."""

import numpy as np

from covary.analysis.rounds import rounds
from tests.training.courses import Thresholds, run_cycle

CYCLES = 20


def courses(learning, most_rounds):
    return [
        run_cycle(Thresholds(seed, learning), most_rounds=most_rounds) for seed in range(CYCLES)
    ]


def shown(title, cycles):
    print(f"\n{title}")
    for cycle in cycles:
        marks = " → ".join(str(len(each.marks)) for each in cycle.rounds)
        print(f"  {marks:<50} {'stopped by the rule' if cycle.ended else 'goes on'}")


def test_thresholds_that_move_together_converge_and_are_stopped():
    """Each accepted rule moves every judge's cuts half of the way to the common ones."""
    cycles = courses(0.5, 10)
    shown("differences among 200 items, judges learn", cycles)
    assert all(cycle.ended is not None for cycle in cycles)
    for cycle in cycles:
        found = np.array([len(each.marks) for each in cycle.rounds])
        assert (np.diff(found) <= 2 * np.sqrt(found[:-1])).all()  # up by chance only
        assert found[-1] <= 0.05 * 200
    means = [np.mean([len(c.rounds[n].marks) for c in cycles if len(c.rounds) > n]) for n in (0, 1)]
    assert means[1] < means[0]


def test_thresholds_that_do_not_move_never_meet_the_rule():
    """Of judges whose cuts lie far apart, no round out of six is called a success."""
    cycles = [
        run_cycle(judges, most_rounds=6)
        for judges in (Thresholds(seed, 0.0) for seed in range(CYCLES))
        if np.ptp(judges.own[:, 0]) > 1.0
    ]
    shown("differences among 200 items, judges do not learn", cycles)
    assert len(cycles) >= CYCLES / 2
    assert not any(cycle.ended for cycle in cycles)


def test_the_interval_of_the_change_in_alpha_holds_what_it_promises():
    """Judges who rate alike in both rounds: the true change is 0, and 95 % intervals hold it."""
    held = []
    for seed in range(200):
        judges = Thresholds(seed, 0.0, spread=0.3, noise=0.5)
        cycle = run_cycle(judges, n_items=60, most_rounds=2)
        if len(cycle.rounds) < 2:
            continue
        (found,) = rounds(cycle.ratings(), rng=seed, resamples=50).criteria
        held.append(not found.alpha_gap.clear)
    share = np.mean(held)
    print(f"\nchange in alpha: {share:.1%} of {len(held)} intervals hold 0")
    assert len(held) > 100
    assert share > 0.95 - 3 * np.sqrt(0.95 * 0.05 / len(held))
