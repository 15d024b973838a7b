"""Whether a coefficient notices a change: the checks that the table of properties rests on."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from covary import UndefinedWarning
from tests.properties.tables import Change, Table

Value = Callable[[Table], Any]


def assert_unmoved(value: Value, change: Change, table: Table, seed: int, tolerance: float) -> None:
    """The value is the same before and after the change, or undefined both times."""
    changed = change(table, random.Random(seed))
    before, after = quietly(value, table), quietly(value, changed)
    np.testing.assert_allclose(after, before, rtol=0, atol=tolerance, err_msg=change.__name__)


def assert_moved(value: Value, change: Change, some: list[Table]) -> None:
    """The value is clearly different after the change, for one of some tables at least."""
    for number, table in enumerate(some):
        before, after = quietly(value, table), quietly(value, change(table, random.Random(number)))
        if np.shape(before) != np.shape(after) or not np.allclose(before, after, rtol=0, atol=1e-4):
            return
    raise AssertionError("the value never changes")


def quietly(value: Value, table: Table) -> Any:
    """Compute without the warning that a value is undefined; any other warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        return value(table)


def is_suitable(change_name: str, table: Table) -> bool:
    """Whether a change of a table asks the same question.

    Where the items with two ratings show one category only, an item with a single rating brings
    the second category, and with it a value where there was none. Some coefficients are undefined
    for a single item, and twice that item are two.
    """
    if change_name == "items_with_one_rating_added":
        return len({c for row in table.pairable for c in row if c is not None}) != 1
    return change_name != "every_item_twice" or len(table.pairable) != 1
