"""Who rates what in which order, and what that balances."""

from covary.design.adaptive import adaptive_sheets, fullest_load, is_adaptive, usual_load
from covary.design.balance import Aspect, Balance, balance
from covary.design.files import read_plan, write_plan
from covary.design.make import extension, make_plan, more_sheets, reissue, unplanned_items
from covary.design.plan import Plan, Sheet, Task

__all__ = [
    "Aspect",
    "Balance",
    "Plan",
    "Sheet",
    "Task",
    "adaptive_sheets",
    "balance",
    "extension",
    "fullest_load",
    "is_adaptive",
    "make_plan",
    "more_sheets",
    "read_plan",
    "reissue",
    "unplanned_items",
    "usual_load",
    "write_plan",
]
