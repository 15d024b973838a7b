"""What a reader of a comparison of systems should know, as notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from covary.analysis.systems.models import Models, Observed
from covary.analysis.systems.pairs import MOST_COMPARED
from covary.analysis.systems.ranks import Cells, RankProbabilities
from covary.analysis.systems.result import SystemPair
from covary.ratings import Ratings
from covary.scales import Level, Scale
from covary.stats.posthoc import Comparisons
from covary.words import Note


def occasion_notes(ratings: Ratings) -> list[Any]:
    """Repeat what was said of ratings of later occasions."""
    return [note for note in ratings.notes if "later" in getattr(note, "facts", ())]


def scale_notes(scale: Scale, *, ranked: bool = True) -> Iterator[Note]:
    """Say which end is taken for the best, and what means of ordered categories assume."""
    if scale.best is None:
        yield Note("systems.best-not-declared")
    if scale.level < Level.INTERVAL:
        code = "systems.equal-steps" if ranked else "systems.equal-steps-alone"
        yield Note(code, level=str(scale.level))


def pair_notes(pairs: Comparisons | None) -> list[Note]:
    """Say what the procedure says of its pairs, or that they are too many."""
    if pairs is None:
        return [Note("systems.pairs-counted", most=MOST_COMPARED)]
    return [Note("systems.about-pairs", note=note) for note in pairs.notes]


def size_notes(pairs: tuple[SystemPair, ...], compared: str) -> Iterator[Note]:
    """Name the pairs whose two sizes point in different directions."""
    opposite = [
        f"{pair.first} and {pair.second}"
        for pair in pairs
        if pair.standardised * pair.cliffs_delta < 0
    ]
    if opposite:
        yield Note("systems.opposite-sizes", pairs=opposite, compared=compared)


def text_notes(observed: Observed) -> Iterator[Note]:
    """Name the systems of which one text was rated: what is said of them is said of that text."""
    single = np.flatnonzero(observed.units_of("item") == 1)
    if single.size:
        names = [observed.names["system"][place] for place in single]
        yield Note("systems.one-text", systems=names)


def undrawn(observed: Observed, cells: Cells, models: Models) -> list[Note]:
    """Why no rank has a probability, though something can be drawn."""
    covariance = models.term.covariance
    if covariance is not None and np.isnan(covariance).any():
        return [Note("systems.ranks-unconnected")]
    if f"{cells.unit}s" not in cells.drawn:
        return []
    number = observed.units_of(cells.unit)
    if number.min() > 1 or number.max() == 1:
        return []
    names = [observed.names["system"][place] for place in np.flatnonzero(number == 1)]
    return [Note("systems.ranks-thin", systems=names, unit=cells.unit)]


def draw_notes(cells: Cells, ranks: RankProbabilities | None) -> Iterator[Note]:
    """Say where nothing could be drawn, and which resamples say nothing."""
    if not cells.drawn:
        yield Note("systems.nothing-to-draw")
    if ranks is not None and ranks.undefined:
        counts = {"undefined": ranks.undefined, "resamples": ranks.resamples}
        yield Note("systems.undefined-resamples", **counts)
