"""Crowds and experts whose numbers are printed, can be counted by hand, or were drawn."""

import numpy as np

from covary import Ratings, VerbalScale

WORDS = ("invalid", "acceptable", "valid")
SCALE = VerbalScale(WORDS)

PRINTED = np.array([[78, 45, 21], [41, 63, 12], [4, 47, 94]])
"""A table of two experts on 405 turns with the agreement that Banchs (2016) prints."""


def two_experts():
    """The experts of `PRINTED`, one row for each item."""
    rows = [(WORDS[a], WORDS[b]) for a in range(3) for b in range(3) for _ in range(PRINTED[a, b])]
    return Ratings.from_wide(rows, scale=SCALE, judges=["expert 1", "expert 2"])


def drawn(seed, *, items=405, votes=3, crowd=0.5, expert=0.75, sessions=0, sway=0.0):
    """Codes of votes and of two experts, who give the true category so often and else guess.

    With sessions, a session is hard or easy: its votes are right more or less often by `sway`.
    Returns codes (0, 1, 2) and each item's session.
    """
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, items)
    session = np.arange(items) % sessions if sessions else np.arange(items)
    ease = np.where(rng.random(max(sessions, items)) < 0.5, sway, -sway)[session]

    def said(right):
        return np.where(rng.random(items) < right + ease, truth, rng.integers(0, 3, items))

    return (
        np.column_stack([said(crowd) for _ in range(votes)]),
        np.column_stack([said(expert) for _ in range(2)]),
        session,
    )


def long(codes, judges, *, session=None, seconds=None, start=0):
    """Ratings from codes; `judges[item][vote]` names who gave it, -1 is not a vote."""
    rows = {"item": [], "judge": [], "rating": [], "cluster": [], "seconds": []}
    for item, given in enumerate(codes):
        for place, code in enumerate(given):
            if code >= 0:
                rows["item"].append(f"t{item + start}")
                rows["judge"].append(judges[item][place])
                rows["rating"].append(WORDS[code])
                rows["cluster"].append(f"s{session[item]}" if session is not None else "")
                rows["seconds"].append(float(seconds[item][place]) if seconds is not None else 0.0)
    if session is None:
        del rows["cluster"]
    if seconds is None:
        del rows["seconds"]
    return Ratings(rows, scale=SCALE)


def crowd_and_experts(seed=0, *, people=33, **more):
    """A crowd of named people who vote unequally often, with times, and two experts."""
    votes, experts, session = drawn(seed, **{"sessions": 27, **more})
    rng = np.random.default_rng(seed + 1)
    weights = 1 / np.arange(1, people + 1)
    who = [
        [
            f"p{n}"
            for n in rng.choice(people, votes.shape[1], replace=False, p=weights / weights.sum())
        ]
        for _ in votes
    ]
    seconds = rng.lognormal(3.2, 0.5, votes.shape)
    names = [["expert 1", "expert 2"]] * len(experts)
    spent = rng.lognormal(2.6, 0.3, experts.shape)
    return (
        long(votes, who, session=session, seconds=seconds),
        long(experts, names, session=session, seconds=spent),
    )
