"""The short form of a comparison of systems for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from covary.analysis.systems import CriterionSystems, Systems, SystemScore
from covary.report.rounding import DASH, amount, count, percent
from covary.report.short import WIDTH, aligned
from covary.report.systems.answer import counted_pairs, places_of
from covary.report.systems.means import ends
from covary.report.tables import level_of

__all__ = ["short"]

MOST_LINES = 20
"""Systems that a terminal shows; the report holds the others."""


def short(found: Systems) -> str:
    """Write the table of each criterion, how many pairs differ, and what severity does."""
    parts = ["\n".join(_criterion(each, found.confidence)) for each in found.criteria]
    parts += [
        textwrap.fill(f"{criterion} is not compared: {reason}.", WIDTH)
        for criterion, reason in found.left_out
    ]
    return "\n\n".join(parts)


def _criterion(each: CriterionSystems, confidence: float) -> Iterator[str]:
    if each.criterion is not None:
        yield f"{each.name} ({each.best}er is better)"
    moved = not each.adjustment.balanced and each.adjustment.possible
    heads = ["system", "n", "mean", level_of(confidence), "letters", "P(best)"]
    heads += ["adjusted", "P(best), adjusted"] if moved else []
    rows = [_row(score, places_of(each), moved) for score in each.systems[:MOST_LINES]]
    yield from aligned([heads, *rows])
    if len(each.systems) > MOST_LINES:
        yield f"… and {len(each.systems) - MOST_LINES:,} more systems in the report."
    letters = "" if each.compared == "means" else f"The letters compare {each.compared}."
    for sentence in (f"{counted_pairs(each)} {letters}".strip(), each.adjustment.sentence):
        if sentence:
            yield textwrap.fill(sentence, WIDTH)


def _row(score: SystemScore, places: int, moved: bool) -> list[str]:
    cells = [
        score.name, count(score.n_ratings), amount(score.mean, places),
        ends(score.interval, places), score.letters or DASH, percent(score.best),
    ]  # fmt: skip
    return cells + ([amount(score.adjusted, places), percent(score.adjusted_best)] if moved else [])
