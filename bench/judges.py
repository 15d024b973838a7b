"""Commands on files with few and with many judges, beside reading the file with pandas.

python judges.py                                   prints the table, cell by cell
python judges.py --judges 30 300 --ratings 1e4     only these sizes
python judges.py --only report --seconds 300       one command, with more time for each cell
python judges.py --write                           and puts each row into docs/benchmarks.md,
                                                   beside the rows that were not measured again

Each command runs in a process of its own, from start to end. A file has five ratings of each
item (three with three judges), eight systems and as many sources as that takes; every judge rates
about as much. Time is processor time, memory the most that the process held. The first ratio is to
a process that imports pandas and reads the file, the second to `pandas.read_csv` alone, which
imports nothing. A cell that exceeds its time or memory, or whose command crashed, says so, and more
ratings by as many judges are then not tried. Two experts, for the report on a crowd, rate 300 of
the items.
"""

import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from machine import described

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
BEGIN, END = "<!-- judges: begin -->", "<!-- judges: end -->"
JUDGES, RATINGS = (3, 30, 300, 3000), (1e4, 1e5, 1e6)
SYSTEMS = 8
EXPERT_ITEMS = 300
MOST_SECONDS, MOST_GIGABYTES = 60, 4
COMMANDS = {
    "check": ("check",),
    "report": ("report",),
    "systems": ("systems",),
    "aggregate": ("aggregate", "--method", "dawid-skene", "-o", "combined.csv"),
    "crowd report": ("crowd", "report", "--experts", "experts.csv", "--scale", "1-5"),
}
READING = "import pandas; pandas.read_csv('ratings.csv')"
NOT_TRIED = "not tried"
SAID = "errors.txt"
COMPILED = tempfile.TemporaryDirectory()


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a cell may take, and which commands are run."""

    seconds: int
    gigabytes: float
    commands: tuple[str, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--judges", type=int, nargs="+", default=JUDGES)
    parser.add_argument("--ratings", type=float, nargs="+", default=RATINGS)
    parser.add_argument("--only", nargs="+", choices=COMMANDS, default=tuple(COMMANDS))
    parser.add_argument("--seconds", type=int, default=MOST_SECONDS, help="the most for a cell")
    parser.add_argument("--gigabytes", type=float, default=MOST_GIGABYTES, help="the same")
    parser.add_argument("--write", action="store_true", help="put each row into the docs")
    wanted = parser.parse_args()
    limits = Limits(seconds=wanted.seconds, gigabytes=wanted.gigabytes, commands=tuple(wanted.only))
    head = ("ratings", "judges", "pandas reads", "as a process", *limits.commands)
    print(_line(head), _line(["---"] * len(head)), sep="\n", flush=True)
    exceeded: set[tuple[str, int]] = set()
    for ratings in sorted(wanted.ratings):
        for judges in wanted.judges:
            row = measured(int(ratings), judges, limits, exceeded)
            print(_line(row), flush=True)
            if wanted.write:
                _write(head, row)
    print(described())


def _write(head: tuple[str, ...], row: list[str]) -> None:
    """Put a row into the page, where the same ratings, judges and commands stood."""
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    own, after = rest.split(END)
    told = [_cells(line) for line in own.splitlines() if line.startswith("|")]
    names, rows = told[0], {tuple(cells[:2]): cells for cells in told[2:]}
    measured_now = dict(zip(head, row, strict=True))
    known = dict(zip(names, rows.get(tuple(row[:2]), [""] * len(names)), strict=True))
    rows[row[0], row[1]] = [measured_now.get(name, known[name]) for name in names]
    ordered = sorted(rows.values(), key=lambda cells: [int(n.replace(",", "")) for n in cells[:2]])
    lines = [_line(cells) for cells in (names, ["---"] * len(names), *ordered)]
    text = "\n".join(lines) + f"\n\n{described()}"
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def measured(
    ratings: int, judges: int, limits: Limits, exceeded: set[tuple[str, int]]
) -> list[str]:
    """One line of the table: a file is made, read by pandas, and given to each command."""
    with tempfile.TemporaryDirectory() as folder:
        votes = made(ratings, judges)
        votes.to_csv(Path(folder, "ratings.csv"), index=False)
        experts = votes[votes["item"].isin(votes["item"].unique()[:EXPERT_ITEMS])]
        experts = experts.groupby("item").head(2).copy()
        experts["judge"] = np.tile(["e1", "e2"], len(experts) // 2)
        experts.to_csv(Path(folder, "experts.csv"), index=False)
        alone = min(_reading(Path(folder, "ratings.csv")) for _ in range(5))
        process = min(_run([sys.executable, "-c", READING], folder, limits)[1] for _ in range(3))
        cells = []
        _run([sys.executable, "-m", "covary", "check", "experts.csv"], folder, limits)
        for name in limits.commands:
            cell, over = NOT_TRIED, (name, judges) in exceeded
            if not over:
                cell, over = _command(COMMANDS[name], folder, (process, alone), limits)
            if over:
                exceeded.add((name, judges))
            print(f"{ratings:,} ratings, {judges:,} judges, {name}: {cell}", file=sys.stderr)
            cells.append(cell)
    return [f"{ratings:,}", f"{judges:,}", f"{alone * 1e3:.0f} ms", f"{process:.1f} s", *cells]


def made(ratings: int, judges: int, seed: int = 1) -> pd.DataFrame:
    """Ratings from 1 to 5 by judges of different severity and care."""
    rng, each = np.random.default_rng(seed), min(5, judges)
    item = np.repeat(np.arange(ratings // each), each)
    first = rng.integers(0, judges, ratings // each)
    apart = rng.integers(1, max(judges // each, 2), ratings // each)
    steps = np.tile(np.arange(each), first.size) * np.repeat(apart, each)
    judge = (np.repeat(first, each) + steps) % judges
    if judges == each:
        judge = np.tile(np.arange(each), first.size)
    system, source = item % SYSTEMS, item // SYSTEMS
    place = rng.normal(0, 0.5, source.max() + 1)[source] + 0.1 * system
    place += rng.normal(0, 0.5, item.max() + 1)[item] + rng.normal(0, 0.5, judges)[judge]
    rating = np.clip(np.round(3 + place + rng.normal(0, 0.8, item.size)), 1, 5).astype(int)
    columns = {"item": item, "system": system, "source": source, "judge": judge}
    names = {name: np.char.add(name[0], codes.astype(str)) for name, codes in columns.items()}
    return pd.DataFrame({**names, "rating": rating})


def _reading(file: Path) -> float:
    start = time.process_time()
    pd.read_csv(file)
    return time.process_time() - start


def _command(
    command: tuple[str, ...], folder: str, reading: tuple[float, float], limits: Limits
) -> tuple[str, bool]:
    """The time of a command by that of reading, and its memory; or that it took too much."""
    words = [sys.executable, "-m", "covary", *command, "ratings.csv"]
    status, seconds, megabytes = _run(words, folder, limits)
    if os.WIFSIGNALED(status):
        return f"more than {limits.seconds} s", True
    if _crashed(folder):
        return "failed", True
    if megabytes > 0.9 * limits.gigabytes * 1024 and os.WEXITSTATUS(status) > 1:
        return f"more than {limits.gigabytes:g} GB", True
    refused = " (refused)" if os.WEXITSTATUS(status) > 1 else ""
    by_process, alone = (seconds / each for each in reading)
    return f"{by_process:.1f}, {alone:,.0f} ({seconds:.1f} s, {megabytes:.0f} MB){refused}", False


def _crashed(folder: str) -> bool:
    """Whether the last process ended by an error of its own; 1 is also what findings return."""
    said = Path(folder, SAID).read_text(encoding="utf-8", errors="replace")
    return "Traceback (most recent call last)" in said or "an unexpected " in said


def _run(words: list[str], folder: str, limits: Limits) -> tuple[int, float, float]:
    """Run a process within the limits: how it ended, its processor time, its memory in MB.

    Modules are compiled once, as where they are installed.
    """
    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def bounded() -> None:
        size = int(limits.gigabytes * 2**30)
        resource.setrlimit(resource.RLIMIT_CPU, (limits.seconds, limits.seconds))
        resource.setrlimit(resource.RLIMIT_DATA, (size, size))

    with Path(folder, SAID).open("wb") as said:
        run = subprocess.Popen(
            words,
            cwd=folder,
            env=own | {"PYTHONPYCACHEPREFIX": COMPILED.name},
            stdout=subprocess.DEVNULL,
            stderr=said,
            preexec_fn=bounded,
        )
        _, status, used = os.wait4(run.pid, 0)
    return status, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def _line(cells: list[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
