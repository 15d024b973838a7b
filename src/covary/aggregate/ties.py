"""What happens when votes point to more than one category: a rule that is declared and reported."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from covary.aggregate.votes import Ints
from covary.errors import InvalidArgument, choose
from covary.scales import Level, Scale

__all__ = ["ABSTAINED", "RULES", "TieRule", "check_rule", "settle"]

TieRule = Literal["abstain", "lower", "upper", "middle", "random"]

RULES: dict[str, str] = {
    "abstain": "the item gets no rating",
    "lower": "the first of them in the order of the scale",
    "upper": "the last of them in the order of the scale",
    "middle": "the category halfway between the first and the last of them; where that falls "
    "between two categories, the one nearer the middle of the scale; no rating where both are as "
    "near",
    "random": "one of them, drawn from the seed and the item's name, whatever the order of rows",
}
"""How several candidates become one rating."""

ORDERED = ("lower", "upper", "middle")
ABSTAINED = -1


def check_rule(method: str, rule: str, scale: Scale) -> None:
    """Refuse a rule that is not known, or that needs an order where there is none."""
    if rule not in RULES:
        raise InvalidArgument(
            f"ties={rule!r} is not a rule that {method} knows; {choose(rule, RULES)}"
        )
    named = scale.level is Level.NOMINAL and len(scale.categories or ()) > 2
    if rule in ORDERED and named:
        raise InvalidArgument(
            f"ties={rule!r} needs ordered ratings, and these are names; choose 'abstain' or "
            "'random'"
        )


def settle(
    tied: npt.NDArray[np.bool_], rule: str, *, items: Sequence[Any] = (), seed: int = 0
) -> Ints:
    """Choose one category for each row of candidates; -1 where the rule chooses none.

    Examples
    --------
    >>> settle(np.array([[True, False, True], [False, True, True]]), "middle").tolist()
    [1, 1]
    """
    size = tied.shape[1]
    first: Ints = tied.argmax(axis=1).astype(np.int64)
    last: Ints = size - 1 - tied[:, ::-1].argmax(axis=1).astype(np.int64)
    if rule == "lower":
        return first
    if rule == "upper":
        return last
    if rule == "middle":
        return _middle(first, last, size)
    chosen = np.where(tied.sum(axis=1) == 1, first, ABSTAINED).astype(np.int64)
    if rule == "random":
        for row in np.flatnonzero(chosen == ABSTAINED).tolist():
            candidates = np.flatnonzero(tied[row])
            chosen[row] = candidates[_number(seed, items[row]) % candidates.size]
    return chosen


def _middle(first: Ints, last: Ints, size: int) -> Ints:
    twice, centre = first + last, size - 1  # both in half steps
    below, above = twice // 2, (twice + 1) // 2
    nearer = np.sign(np.abs(2 * below - centre) - np.abs(2 * above - centre))
    chosen = np.where(nearer > 0, above, below)
    return np.where((below != above) & (nearer == 0), ABSTAINED, chosen).astype(np.int64)


def _number(seed: int, item: Any) -> int:
    """A number that looks random and depends on nothing but the seed and the item's name."""
    digest = hashlib.blake2b(f"{seed} {item}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")
