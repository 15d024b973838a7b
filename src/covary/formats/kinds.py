"""Criteria answered with numbers beside criteria answered with words: which are read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from covary.errors import listed
from covary.formats.cells import MISSING

__all__ = ["criteria_of_one_kind", "records_of_one_kind"]


def criteria_of_one_kind(
    criteria: Sequence[str], numeric: Collection[str], notes: list[str]
) -> list[str]:
    """Keep the criteria with numbers where there are some, and say which were left out.

    Ratings are all numbers or all words; a question for comments must not turn the numbers into
    words.
    """
    words = [each for each in criteria if each not in numeric]
    if not words or not numeric:
        return list(criteria)
    notes.append(
        f"There are words in {listed(words)} and numbers in {listed(numeric)}; only the numbers "
        f"were read (rating={words!r} reads the words)."
    )
    return [each for each in criteria if each in numeric]


def records_of_one_kind(
    records: list[dict[str, Any]], wanted: str | Sequence[str] | None, notes: list[str]
) -> list[dict[str, Any]]:
    """Keep the wanted criteria, or those of one kind where nobody said which."""
    criteria = list(dict.fromkeys(record["criterion"] for record in records))
    if wanted is None:
        numeric = [
            each
            for each in criteria
            if all(_is_number(r["rating"]) for r in records if r["criterion"] == each)
        ]
        kept = criteria_of_one_kind(criteria, numeric, notes)
    else:
        kept = [wanted] if isinstance(wanted, str) else list(wanted)
    return [record for record in records if record["criterion"] in kept]


def _is_number(rating: Any) -> bool:
    if rating is None or str(rating).strip().lower() in ("", *MISSING):
        return True
    try:
        float(rating)
    except (TypeError, ValueError):
        return False
    return True
