"""A compact letter display: systems that share a letter do not differ significantly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

__all__ = ["compact_letters"]

ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST_GROUPS = 1_000
"""With more groups than this, letters would take long and say nothing."""

SMALL = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def compact_letters(apart: Iterable[tuple[int, int]], places: Sequence[float]) -> tuple[str, ...]:
    """Give each system letters so that two share one exactly if they are not apart.

    Parameters
    ----------
    apart
        The pairs of systems that differ significantly, by number.
    places
        The systems' means; the letter a goes to the highest.

    Returns
    -------
    tuple of str
        One string for each system. After 52 letters they go on as a₂, b₂ … Nothing where there
        would be more than 1,000 groups.

    Notes
    -----
    The groups are those of Piepho's insert and absorb: the largest ones without a significant pair.
    Then a letter is swept from a system wherever all that it says is said by others. Where groups
    are runs of neighbours in the ranking, as they are for equal standard errors, they are found at
    once and kept whole. Patterns that are not transitive (A and C differ, B differs from neither)
    come out right.

    References
    ----------
    Piepho (2004), An algorithm for a letter-based representation of all-pairwise comparisons,
    Journal of Computational and Graphical Statistics 13: 456-466.

    Examples
    --------
    >>> compact_letters([(0, 2)], [3.0, 2.0, 1.0])
    ('a', 'ab', 'b')
    """
    order = sorted(range(len(places)), key=lambda system: _height(places[system]))
    rank = {system: place for place, system in enumerate(order)}
    pairs = sorted(sorted((rank[a], rank[b])) for a, b in apart)
    groups = _runs(pairs, len(places))
    if groups is None:
        groups = _swept(_groups(pairs, len(places)), len(places))
    if len(places) and not groups:
        return ()
    letters = [""] * len(places)
    for number, group in enumerate(sorted(map(_members, groups))):
        for place in group:
            letters[order[place]] += _letter(number)
    return tuple(letters)


def _height(mean: float) -> float:
    return -mean if mean == mean else 0.0


def _runs(pairs: list[list[int]], size: int) -> list[int] | None:
    """The groups where they are runs of neighbours in the ranking; None where they are not.

    A run ends before the first system that differs from its first, and all later ones must differ
    too, which is so whenever all standard errors are equal.
    """
    ends, later = [size] * size, [0] * size
    for first, second in pairs:
        ends[first] = min(ends[first], second)
        later[first] += 1
    whole = all(later[first] == size - ends[first] for first in range(size))
    if not whole or any(a > b for a, b in pairwise(ends)):
        return None
    starts = [first for first in range(size) if not first or ends[first] > ends[first - 1]]
    return [(1 << ends[first]) - (1 << first) for first in starts]


def _groups(pairs: list[list[int]], size: int) -> list[int]:
    """The largest groups without a pair that differs, one bit for each system.

    They are the cliques of a graph (Bron & Kerbosch 1973): `held` is a group so far, `open` who may
    still join it, `seen` who may join but was tried before.
    """
    alike = [((1 << size) - 1) & ~(1 << place) for place in range(size)]
    for first, second in pairs:
        alike[first] &= ~(1 << second)
        alike[second] &= ~(1 << first)
    found: list[int] = []
    waiting = [(0, (1 << size) - 1, 0)]
    while waiting and len(found) <= MOST_GROUPS:
        held, open_, seen = waiting.pop()
        if not open_ | seen:
            found.append(held)
            continue
        pivot = max(_members(open_ | seen), key=lambda place: (open_ & alike[place]).bit_count())
        for place in _members(open_ & ~alike[pivot]):
            waiting.append((held | 1 << place, open_ & alike[place], seen & alike[place]))
            open_ &= ~(1 << place)
            seen |= 1 << place
    return found if len(found) <= MOST_GROUPS else []


def _swept(groups: list[int], size: int) -> list[int]:
    """Take a letter from a system where other letters already join it to all its companions."""
    groups = list(groups)
    holders = [{n for n, group in enumerate(groups) if group >> place & 1} for place in range(size)]
    for number in range(len(groups)):
        for place in _members(groups[number]):
            joined = 0
            for other in holders[place] - {number}:
                joined |= groups[other]
            if joined and groups[number] & ~joined == 0:
                groups[number] &= ~(1 << place)
                holders[place].remove(number)
    return [group for group in dict.fromkeys(groups) if group]


def _members(group: int) -> list[int]:
    """The places of the bits that are set."""
    found = []
    while group:
        low = group & -group
        found.append(low.bit_length() - 1)
        group ^= low
    return found


def _letter(number: int) -> str:
    turn, place = divmod(number, len(ALPHABET))
    return ALPHABET[place] + (str(turn + 1).translate(SMALL) if turn else "")
