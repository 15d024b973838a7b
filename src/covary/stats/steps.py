"""Ratings on a line that are too many to be brought: in steps, whose number follows the ratings.

As many steps are taken as leave a small table of tallies. A step moves no rating by more than half
its width. Over a step ratings are spread nearly evenly, which adds width² / 12 to their variance
(Sheppard 1898), so that agreement and correlation come out lower by about that share of the whole
variance. Gamma and tau-b come out higher, because they leave out, or half out, the ties that steps
make, about which the line says next to nothing. A note on every estimate tells how much.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from covary.ratings import Ratings
from covary.stats.patterns import Patterns, few_tallies
from covary.words import Note

STEPS = (60, 40, 20, 10)
"""The numbers of steps that are tried, the finest first."""

CODE = "stats.chosen-steps"


def countable(ratings: Ratings) -> Ratings:
    """Return the ratings as they can be counted where they live.

    These are the ratings themselves, except where they are too many to be brought and lie on a
    line: then they are put into as many steps as leave few tallies, and a note says so. Where no
    number of steps does, they come back as they are, and whoever counts them refuses.
    """
    lines = [name for name, scale in ratings.scales.items() if scale.categories is None]
    if not lines or not ratings.large:
        return ratings
    if "countable" not in ratings.cache:
        tries = (_in_steps(ratings, lines, steps) for steps in STEPS)
        ratings.cache["countable"] = next((found for found in tries if found), ratings)
    found: Ratings = ratings.cache["countable"]
    return found


def step_notes(ratings: Ratings) -> tuple[Any, ...]:
    """The notes that say how many steps were chosen."""
    return tuple(note for note in ratings.notes if getattr(note, "code", "") == CODE)


def _in_steps(ratings: Ratings, lines: list[Any], steps: int) -> Ratings | None:
    stepped = ratings.in_steps(steps)
    tallies = {}
    for criterion in lines:
        patterns = few_tallies(stepped, criterion)
        if patterns is None:
            return None
        tallies[criterion] = patterns
    spans = {name: ratings.scales[name] for name in lines}
    half = max((scale.high - scale.low) / steps / 2 for scale in spans.values())
    shares, ties = zip(*map(_effects, tallies.values()), strict=True)
    facts = {"steps": steps, "half": half, "share": max(shares), "ties": max(ties)}
    noted = ratings.with_notes(Note(CODE, **facts))
    stepped.notes = noted.notes
    stepped.cache |= {(name, False): patterns for name, patterns in tallies.items()}
    return stepped


def _effects(patterns: Patterns) -> tuple[float, float]:
    """By which share steps bring agreement down, and by which they bring gamma up.

    The first is a twelfth of a squared step by the variance; the second the odds that two items
    fall into the same step for either of two judges.
    """
    rows, _, codes = patterns.entries
    times = np.bincount(codes, patterns.counts[rows], minlength=patterns.n_values)
    used = times / max(times.sum(), 1)
    place = np.arange(used.size)
    variance = float(used @ (place - used @ place) ** 2)
    apart = float(1 - used @ used) ** 2
    return (min(1.0, 1 / 12 / variance), 1 / apart - 1) if variance else (1.0, 1.0)
