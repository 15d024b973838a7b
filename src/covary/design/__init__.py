"""Who rates what in which order, and what that balances."""

from covary.design.aspects import Aspect, Balance
from covary.design.balance import balance
from covary.design.files import read_plan, write_plan
from covary.design.make import make_plan, more_sheets, reissue
from covary.design.plan import Plan, Sheet, Task

__all__ = [
    "Aspect",
    "Balance",
    "Plan",
    "Sheet",
    "Task",
    "balance",
    "make_plan",
    "more_sheets",
    "read_plan",
    "reissue",
    "write_plan",
]
