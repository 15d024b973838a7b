"""Compare covary with other programs and print one table of ratios for each size.

Every measurement is a process of its own (measure.py), one after the other, so that programs share
neither memory nor caches. This file imports none of them. It ends with an error when two programs
that define the same coefficient differ; nothing depends on how long anything took.
"""

import argparse
import sys

from cases import CASES, LONG, SIZES, Case, Size
from machine import described
from processes import Bench, Outcome
from tables import Row, long_table, size_table, written

TOLERANCE = 1e-6
MODES = {"value": None, "interval": "auto", "resamples": "bootstrap"}
MISSING = 0.1


def main() -> int:
    wanted = arguments()
    bench = Bench()
    start = described()
    parts, wrong = [], []
    for size in SIZES:
        if wanted.size in size.name:
            rows = [row(bench, case, size) for case in chosen(wanted.only, size)]
            wrong += [fault for each in rows for fault in differences(each, size)]
            parts.append(size_table(size, rows))
    if not wanted.only:
        parts.append(long_table(long_rows(bench, wanted.size)))
    text = "\n\n".join([*parts, f"Before: {start}\n\nAfter: {described()}"])
    print(text)
    print(*wrong, sep="\n", file=sys.stderr)
    if wanted.write and not wrong:
        written(text)
    return 1 if wrong else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", default="", help="only sizes whose name holds this: 1e5")
    parser.add_argument(
        "--only", default="", help="only functions that hold one of these: cohen,icc"
    )
    parser.add_argument("--write", action="store_true", help="put the tables into the docs")
    return parser.parse_args()


def chosen(only: str, size: Size) -> list[Case]:
    fitting = (case for case in CASES if (case.line if size.continuous else case.categories))
    names = only.split(",")
    return [case for case in fitting if any(name in case.function for name in names)]


def row(bench: Bench, case: Case, size: Size) -> Row:
    wish = wished(case, size)
    ours = {
        mode: bench.run("covary", case.function, wish, {"interval": interval})
        for mode, interval in MODES.items()
    }
    theirs = [(peer, bench.run(peer.program, peer.function, wish, {})) for peer in case.peers]
    return Row(case, ours, theirs)


def wished(case: Case, size: Size) -> dict:
    return {
        "items": size.items,
        "judges": case.judges or size.judges,
        "continuous": size.continuous,
        "missing": MISSING if case.missing else 0.0,
    }


def differences(found: Row, size: Size) -> list[str]:
    """Say where covary has no value, or a program another one."""
    ours, where = found.ours["value"], f"{found.case.title} at {size.name}"
    if ours.value is None:
        return [f"{where}: {ours.failed}"]
    return [
        f"{where}: covary {ours.value}, {peer.program} {outcome.value}"
        for peer, outcome in found.theirs
        if outcome.value is not None and not abs(outcome.value - ours.value) < TOLERANCE
    ]


def long_rows(bench: Bench, wanted: str) -> list[tuple[Size, str, dict[str, Outcome]]]:
    """covary's alpha with its interval, from the matrix and from long frames."""
    rows = []
    for size in (size for size in SIZES if wanted in size.name):
        wish = {"items": size.items, "judges": size.judges, "continuous": size.continuous,
                "missing": MISSING}  # fmt: skip
        function = "alpha_interval" if size.continuous else "alpha_ordinal"
        found = {"covary": bench.run("covary", function, wish, {"interval": "auto"})}
        found |= {name: bench.run(name, "alpha", wish, {"interval": "auto"}) for name in LONG}
        rows.append((size, function, found))
    return rows


if __name__ == "__main__":
    sys.exit(main())
