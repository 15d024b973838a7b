"""Cycles to begin tests from, and judges with private thresholds."""

from itertools import count

import numpy as np

from covary.scales import VerbalScale, VisualScale
from covary.study.manual import Edition
from covary.study.model import Criterion
from covary.training import (
    Agreed,
    Began,
    Change,
    Changed,
    Cycle,
    Finished,
    MovedOn,
    Proposed,
    Rated,
    RoundOpened,
    Said,
    Stopped,
    StopRule,
)

RELEVANCE = Criterion("relevance", "How relevant?", VerbalScale([1, 2, 3, 4], best="low"))
FLUENCY = Criterion("fluency", "How fluent?", VisualScale())
FIRST = Edition((RELEVANCE, FLUENCY), "1 is best.\n")
JUDGES = ("Ann", "Bo", "Cy")

GIVEN = {  # relevance and fluency: t1 differs by 3 ranks, t2 by 21 points
    "Ann": {"t1": (1, 50), "t2": (2, 50)},
    "Bo": {"t1": (4, 60), "t2": (3, 71)},
    "Cy": {"t1": (2, 70), "t2": (2, 60)},
}


def begun(**more):
    return Cycle().apply(Began(FIRST, JUDGES, ("e1", "e2"), **more))


def rated(cycle, given=GIVEN, finish=True):
    """Apply everybody's ratings of a round."""
    for judge, items in given.items():
        for item, (relevance, fluency) in items.items():
            ratings = {"relevance": relevance, "fluency": fluency}
            cycle = cycle.apply(Rated(judge, item, ratings, seconds=10))
        cycle = cycle.apply(Finished(judge)) if finish else cycle
    return cycle


def in_socialisation():
    return rated(begun().apply(RoundOpened(("t1", "t2")))).apply(MovedOn("socialisation"))


def in_externalisation():
    cycle = in_socialisation()
    cycle = cycle.apply(Said("Bo", "t1", "relevance", "It asks about another sentence."))
    cycle = cycle.apply(Said("Ann", "t1", "relevance", "The topic is the same."))
    cycle = cycle.apply(Said("Bo", "t2", "fluency", "I forgive a missing article."))
    return cycle.apply(MovedOn("externalisation"))


RULE = "A question that the sentence cannot answer gets 3 or worse."


def in_combination():
    cycle = in_externalisation().apply(Proposed("Bo", RULE, (("t1", "relevance"),)))
    for judge in ("Ann", "Cy"):
        cycle = cycle.apply(Agreed(judge, 1, agrees=True))
    return cycle.apply(MovedOn("combination"))


def an_edit(cycle, sentence=RULE, based_on=None, criteria=None, **more):
    edition = Edition(
        criteria or cycle.edition.criteria, cycle.edition.guidelines + f"\n{sentence}\n"
    )
    change = Change("rule", "what cannot be answered", sentence, (1,))
    return Changed("Cy", based_on or cycle.edition.version, edition, (change,), **more)


class Thresholds:
    """Judges who see the same quality and cut it into four ranks at places of their own.

    With `learning`, each accepted rule moves every judge's cuts this share of the way to the
    common ones.
    """

    def __init__(self, seed, learning, judges=3, spread=0.9, noise=0.1):
        self.rng = np.random.default_rng(seed)
        self.names = tuple(f"judge {number + 1}" for number in range(judges))
        self.learning, self.noise = learning, noise
        self.common = np.array([-0.75, 0.0, 0.75])
        self.own = self.common + self.rng.normal(0, spread, (judges, 1))

    def rate(self, n_items):
        """The ranks that each judge gives to new items: judges × items."""
        quality = self.rng.normal(0, 1, n_items)
        seen = quality + self.rng.normal(0, self.noise, (len(self.names), n_items))
        return 1 + (seen[:, :, None] > self.own[:, None, :]).sum(axis=2)

    def learn(self):
        self.own += self.learning * (self.common - self.own)


def run_cycle(judges, n_items=200, most_rounds=8, rule=None):
    """Turn the cycle until the stop rule ends it, or `most_rounds` are over."""
    edition = Edition((RELEVANCE,), "1 is best.\n")
    cycle = Cycle().apply(Began(edition, judges.names, rule=rule or StopRule()))
    numbers = count(1)
    for turn in range(1, most_rounds + 1):
        items = tuple(f"t{next(numbers)}" for _ in range(n_items))
        cycle = cycle.apply(RoundOpened(items))
        for name, ranks in zip(judges.names, judges.rate(n_items), strict=True):
            for item, rank in zip(items, ranks.tolist(), strict=True):
                cycle = cycle.apply(Rated(name, item, {"relevance": rank}))
            cycle = cycle.apply(Finished(name))
        cycle = cycle.apply(MovedOn("socialisation"))
        if cycle.verdict().met:
            return cycle.apply(Stopped("rule"))
        cycle = _talked(cycle, judges.names, f"Rule {turn} of the judges.")
        judges.learn()
    return cycle


def _talked(cycle, names, sentence):
    marks = tuple(mark.key for mark in cycle.round.marks)
    for item, criterion in marks:
        cycle = cycle.apply(Said(names[0], item, criterion, f"why {item}"))
    cycle = cycle.apply(MovedOn("externalisation"))
    cycle = cycle.apply(Proposed(names[0], sentence, marks))
    number = cycle.proposals[-1].number
    for name in names[1:]:
        cycle = cycle.apply(Agreed(name, number, agrees=True))
    cycle = cycle.apply(MovedOn("combination"))
    edition = Edition(cycle.edition.criteria, f"{cycle.edition.guidelines}\n{sentence}\n")
    change = Change("rule", "a rule", sentence, (number,))
    return cycle.apply(Changed(names[0], cycle.edition.version, edition, (change,)))
