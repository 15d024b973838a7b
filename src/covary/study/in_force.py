"""The study under the edition of its manual that is in force."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from covary.study.model import Item, Study
from covary.study.versions import Edition

__all__ = ["in_force"]


def in_force(study: Study, edition: Edition) -> Study:
    """Return the study with the criteria and the manual of an edition.

    Judges then see this edition, and whatever they answer points to its version. Known answers
    that are not on the scales of the edition are left out.

    Examples
    --------
    >>> from pathlib import Path
    >>> from covary.scales import VerbalScale
    >>> from covary.study.manual import make_manual
    >>> from covary.study.model import Criterion
    >>> criteria = (Criterion("fluency", "How fluent?", VerbalScale([1, 2, 3])),)
    >>> study = Study(Path(), "Small", criteria, (), make_manual(criteria, "Read."))
    >>> newer = in_force(study, Edition(criteria, "Read twice."))
    >>> newer.manual.guidelines, newer.manual.version == study.manual.version
    ('Read twice.', False)
    """
    if edition.version == study.manual.version:
        return study
    return replace(
        study,
        criteria=edition.criteria,
        manual=edition.manual,
        parts=tuple(dict.fromkeys(each.part for each in edition.criteria)),
        items=tuple(_still_known(item, edition) for item in study.items),
    )


def _still_known(item: Item, edition: Edition) -> Item:
    scales = {each.key: each.scale for each in edition.criteria}
    kept = {
        key: answer
        for key, answer in item.expected.items()
        if key in scales and scales[key].accepts(answer)
    }
    if len(kept) == len(item.expected):
        return item
    return replace(item, expected=MappingProxyType(kept))
