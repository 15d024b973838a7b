"""What the training cycle refuses; each message says why and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from covary.errors import InvalidArgument

if TYPE_CHECKING:
    from covary.study.versions import Edition, ManualDifferences

__all__ = ["Refused", "StaleEdit", "names", "so_many"]


class Refused(InvalidArgument):
    """An event that the training cycle cannot take now; nothing has changed."""


class StaleEdit(Refused):
    """An edit of the manual that began from an older version than the current one.

    Nothing is lost: `proposed` is the edition that was refused, `current` the one that others
    have written meanwhile, and `differences` what they changed, so that both can be put together.
    """

    def __init__(
        self, message: str, proposed: Edition, current: Edition, differences: ManualDifferences
    ) -> None:
        super().__init__(message)
        self.proposed, self.current, self.differences = proposed, current, differences


def so_many(number: int, one: str, many: str) -> str:
    """Write a number with its words: `1 item is`, `2 items are`."""
    return f"{number} {one if number == 1 else many}"


def names(values: Iterable[object], most: int = 20) -> str:
    """Name things for a message, plainly: `a, b, c and 4 more`."""
    shown = [str(each) for each in values]
    rest = len(shown) - most
    return ", ".join(shown[:most]) + (f" and {rest} more" if rest > 0 else "")
