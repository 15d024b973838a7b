"""The command `covary`, or `python -m covary`: the command line as a process of its own.

Python looks for circles of objects that nobody needs while modules are loaded, where there are
none, and once more at the end, when all goes: a third of the time of a short command.
"""

import gc
import sys

gc.set_threshold(50_000)

from covary.cli import main  # noqa: E402

CLOSED_WHEN_FREED = ("duckdb", "sqlalchemy")
"""What closes its files when it is freed."""


def run() -> int:
    """Run the command line, and leave without looking for circles."""
    code = main()
    if sys.modules.keys().isdisjoint(CLOSED_WHEN_FREED):
        gc.freeze()
    return code


if __name__ == "__main__":
    sys.exit(run())
