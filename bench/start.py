"""What a small file costs from start to end, beside what starting Python and reading cost anyway.

Processor time (user and system) of whole processes on 100 ratings, each kind of process in turn,
so that whatever else the machine does falls on all of them; medians of `--runs`.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

COMMANDS = {
    "python": ["-c", "pass"],
    "import numpy": ["-c", "import numpy"],
    "pandas reads": ["-c", "import pandas; pandas.read_csv('ratings.csv')"],
    "covary --version": ["-m", "covary", "--version"],
    "covary check": ["-m", "covary", "check", "ratings.csv"],
    "covary report": ["-m", "covary", "report", "ratings.csv", "-o", "report.html"],
    "covary systems": ["-m", "covary", "systems", "ratings.csv", "-o", "systems.html"],
}

RATIOS = (
    ("covary check", "import numpy"),
    ("covary report", "pandas reads"),
    ("covary systems", "pandas reads"),
)


def main() -> None:
    """Measure, and print a table and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        write_ratings(Path(folder, "ratings.csv"))
        for arguments in COMMANDS.values():
            seconds_of(arguments, folder)  # whatever is compiled once
        rounds = [
            {name: seconds_of(command, folder) for name, command in COMMANDS.items()}
            for _ in range(runs)
        ]
    print(f"| process on 100 ratings, {runs} runs | median | least |\n|---|---|---|")
    for name in COMMANDS:
        seconds = [done[name] for done in rounds]
        print(f"| `{name}` | {statistics.median(seconds):.2f} s | {min(seconds):.2f} s |")
    for own, other in RATIOS:
        ratio = statistics.median(done[own] / done[other] for done in rounds)
        print(f"{own} / {other}: {ratio:.2f}")


def write_ratings(file: Path) -> None:
    """Write 34 items of four systems, rated by three judges; the last item by one of them."""
    rows = ["item,judge,system,fluency"]
    for item in range(34):
        for place, judge in enumerate("ABC"):
            rows.append(f"i{item},{judge},s{item % 4},{1 + (item * 7 + place * (item % 3)) % 5}")
    file.write_text("\n".join(rows[:101]) + "\n", encoding="utf-8")


def seconds_of(arguments: list[str], folder: str) -> float:
    """The processor time of a process of Python, with its bytecode kept as it usually is."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
