"""Who is who on the pages of the guideline cycle: names or aliases, and items by number.

Judges never see the id of an item, which may well contain a system's name, and see the names of
other judges only where the study says so. Aliases are made here and stored nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from string import ascii_uppercase

from covary.training import Began, Cycle, JudgeJoined

__all__ = ["Naming", "alias", "everybody", "naming_for"]


def everybody(cycle: Cycle) -> tuple[str, ...]:
    """Return all who ever took part, in the order in which they came, those who left too."""
    found: dict[str, None] = {}
    for event in cycle.events:
        if isinstance(event, Began):
            found |= dict.fromkeys(event.judges)
        elif isinstance(event, JudgeJoined):
            found[event.judge] = None
    return tuple(found)


def alias(place: int) -> str:
    """Return the alias of the judge at a place, counted from 0.

    Examples
    --------
    >>> [alias(place) for place in (0, 25, 26, 52)]
    ['Judge A', 'Judge Z', 'Judge AA', 'Judge BA']
    """
    letters = ""
    while place >= 0:
        place, letter = divmod(place, len(ascii_uppercase))
        letters = ascii_uppercase[letter] + letters
        place -= 1
    return f"Judge {letters}"


@dataclass(frozen=True)
class Naming:
    """What judges are called on a page, by their names, and the numbers of items by their ids.

    `own` is who reads the page, and called "You"; nobody where a researcher does.
    """

    shown: Mapping[str, str]
    numbers: Mapping[str, int]
    own: str = ""

    def judge(self, name: str) -> str:
        """Return what a judge, or whoever else wrote something, is called."""
        return "You" if name and name == self.own else self.shown.get(name, name)

    def judges(self, names: Iterable[str]) -> str:
        """Return several judges as one would say them.

        Examples
        --------
        >>> Naming({}, {}, own="Bo").judges(["Ann", "Bo", "Cy"])
        'Ann, you and Cy'
        """
        called = [self.judge(name) for name in names]
        called = [each.lower() if each == "You" and place else each
                  for place, each in enumerate(called)]  # fmt: skip
        return " and ".join(filter(None, [", ".join(called[:-1]), *called[-1:]]))

    def number(self, item: str) -> int:
        """Return the number of an item in its round."""
        return self.numbers.get(item, 0)

    def plain(self, message: str) -> str:
        """Say a message of the cycle without a name or an id that this reader is not shown.

        Examples
        --------
        >>> Naming({"Ann": "Judge A"}, {"sys-b-1": 4}).plain("Ann has not rated sys-b-1 yet")
        'Judge A has not rated item 4 yet'
        """
        instead = {item: f"item {number}" for item, number in self.numbers.items()}
        instead |= {name: called for name, called in self.shown.items() if name != called}
        if not instead:
            return message
        longest = sorted(instead, key=len, reverse=True)
        pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)"
        return re.sub(pattern, lambda found: instead[found[0]], message)


def naming_for(cycle: Cycle, *, own: str = "", aliases: bool) -> Naming:
    """Return what a judge is shown: aliases, or the names where the study chose them."""
    names = everybody(cycle)
    shown = {name: alias(place) if aliases else name for place, name in enumerate(names)}
    numbers = {
        item: number for each in cycle.rounds for number, item in enumerate(each.items, start=1)
    }
    return Naming(shown, numbers, own)
