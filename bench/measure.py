"""One measurement in a process of its own: python measure.py '{"program": …}' prints JSON.

The program is imported and called on a few items first, so that neither its imports nor the data
count. Peak memory is what the first call adds to the process. Time is processor time, because a
busy machine stretches that far less than time on the clock: the best of several calls where they
are short, and that of the only call where it is long.
"""

import gc
import json
import resource
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path

from data import Wish, matrix

MOST_MEMORY = 8 * 2**30
ENOUGH_SECONDS = 0.5
MOST_CALLS = 20
WARM_UP_ITEMS = 40


def main() -> None:
    job = json.loads(sys.argv[1])
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    try:
        found = measured(job)
    except MemoryError:
        found = {"failed": f"more than {MOST_MEMORY // 2**30} GB"}
    except Exception as fault:
        found = {"failed": f"{type(fault).__name__}: {fault}"}
    print(json.dumps(found))


def measured(job: dict) -> dict:
    wish = Wish(**job["wish"])
    tried = Wish(**{**job["wish"], "items": WARM_UP_ITEMS})
    ready(job, tried)()
    call = ready(job, wish)
    gc.collect()
    before = restarted_peak()
    seconds, value = timed(call)
    memory = peak() - before
    return {"value": value, "seconds": min(seconds, repeated(call, seconds)), "bytes": memory}


def ready(job: dict, wish: Wish) -> Callable[[], float]:
    """Import the program, make its data, and return the call that is measured."""
    program = import_module(f"programs.{job['program']}")
    given = matrix(wish)
    if hasattr(program, "prepare"):
        given = program.prepare(given, wish)
    return partial(getattr(program, job["function"]), given, **job["settings"])


def timed(call: Callable[[], float]) -> tuple[float, float]:
    """Processor time, which is no less than this thread's share of it.

    The check is there because a limit on processor time (RLIMIT_CPU) makes Linux read the clock of
    the process only now and then, so that short calls seem to take nothing.
    """
    start, own = time.process_time(), time.thread_time()
    value = call()
    own, seconds = time.thread_time() - own, time.process_time() - start
    if seconds < 0.9 * own:
        raise RuntimeError(f"the clock of the process counts {seconds} s, that of its thread {own}")
    return seconds, float(value)


def repeated(call: Callable[[], float], first: float) -> float:
    """The best time of as many further calls as fit; the first one's where none does."""
    calls = min(int(ENOUGH_SECONDS / max(first, 1e-9)), MOST_CALLS)
    return min((timed(call)[0] for _ in range(calls)), default=first)


def restarted_peak() -> int:
    """Forget earlier peaks where Linux lets us, so that making the data leaves no trace."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return peak()


def peak() -> int:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


if __name__ == "__main__":
    main()
