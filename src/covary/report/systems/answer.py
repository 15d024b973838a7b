"""The opening of a comparison of systems: who is best, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Iterator

from covary.analysis.systems import CriterionSystems, Systems, SystemScore
from covary.analysis.systems.pairs import found_any
from covary.report.contents import Block, Bullets, Paragraph, Section
from covary.report.rounding import amount, percent
from covary.report.wording import headed, listing
from covary.stats.posthoc import Comparisons

__all__ = ["answer_section", "counted_pairs", "named", "on", "places_of", "tops"]

SURE = 0.95
"""From this probability up, the best system is called clearly the best."""


def answer_section(found: Systems) -> Section:
    """Say for each criterion who is best, in a sentence, and what to beware of."""
    blocks: list[Block] = [Paragraph(_answer(each), "verdict") for each in found.criteria]
    blocks += [
        Paragraph(on(each, each.adjustment.sentence), "warning")
        for each in found.criteria
        if each.adjustment.changed
    ]
    blocks += [
        Paragraph(f"{criterion} is not compared: {reason}.", "warning")
        for criterion, reason in found.left_out
    ]
    notes = list(_notes(found))
    if notes:
        blocks.append(Bullets(tuple(notes)))
    return Section("answer", "Which system is better?", tuple(blocks))


def _answer(each: CriterionSystems) -> str:
    """Name the best system, then what speaks for it."""
    first = tops(each)
    places = places_of(each)
    values = listing([amount(score.mean, places) for score in first])
    means = f"mean{'s' if len(first) > 1 else ''} {values}, {each.best}er is better"
    names = listing([score.name for score in first])
    head = f"{names} {'share' if len(first) > 1 else 'has'} the best mean"
    head = head if each.criterion is None else f"{each.name} – {head}"
    parts = [f"{head} ({means})."]  # a name keeps its small letter
    chance = first[0].best
    if len(first) == 1 and not math.isnan(chance):
        sure = "clearly" if chance >= SURE else "not surely"
        units = listing(each.ranks.drawn if each.ranks else ())
        parts.append(
            f"It is {sure} the best: with other {units} it would come first with probability "
            f"{percent(chance)}."
        )
    parts.append(counted_pairs(each))
    return " ".join(part for part in parts if part)


def counted_pairs(each: CriterionSystems) -> str:
    """Say how many pairs of systems differ significantly, by which procedure."""
    found = each.significance
    if found is None:
        return ""
    if isinstance(found, Comparisons) and not found_any(found):
        return f"No pair of systems can be tested: {'; '.join(found.notes) or 'p is undefined'}."
    pairs = "difference is" if found.n_pairs == 1 else "differences are"
    return (
        f"{found.n_significant:,} of {found.n_pairs:,} {pairs} significant at {found.alpha:g} by "
        f"{found.procedure}. The error is that of the {found.error}."
    )


def tops(each: CriterionSystems) -> list[SystemScore]:
    """The systems that share the first rank."""
    return [score for score in each.systems if score.rank == 1]


def _notes(found: Systems) -> Iterator[str]:
    """Every note once, with the criteria that it is about where there are several."""
    about: dict[str, list[str]] = {}
    for each in found.criteria:
        for note in each.notes:
            about.setdefault(note, []).append(each.name)
    for note, names in about.items():
        everywhere = len(names) == len(found.criteria)
        yield note if everywhere else f"{listing(names)}: {note[0].lower() + note[1:]}"


def named(each: CriterionSystems, text: str) -> str:
    """Put a criterion's name before a title, where it has one."""
    return headed(None if each.criterion is None else each.name, text)


def on(each: CriterionSystems, sentence: str) -> str:
    """Say what criterion a sentence is about, where it has a name."""
    if each.criterion is None:
        return sentence
    return f"On {each.name}, {sentence[0].lower() + sentence[1:]}"


def places_of(each: CriterionSystems) -> int:
    """How many decimals a mean on this scale deserves."""
    wide = each.scale.categories is None and each.scale.high - each.scale.low > 20
    return 1 if wide else 2
