"""Commands on files with few and with many judges, beside reading the file with pandas.

python judges.py                                   prints the table
python judges.py --judges 30 300 --ratings 1e4     only these sizes
python judges.py --write                           and puts it into docs/benchmarks.md

Each command runs in a process of its own, from start to end. A file has five ratings of each
item (three with three judges), eight systems and as many sources as that takes; every judge rates
about as much. Time is processor time by that of `pandas.read_csv` on the same file, without the
imports of pandas; memory is the most that the process held. Two experts, for the report on a crowd,
rate 300 of the items.
"""

import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from machine import described

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
BEGIN, END = "<!-- judges: begin -->", "<!-- judges: end -->"
JUDGES, RATINGS = (3, 30, 300, 3000), (1e4, 1e5, 1e6)
SYSTEMS = 8
EXPERT_ITEMS = 300
MOST_SECONDS = 120
COMMANDS = {
    "check": ("check",),
    "report": ("report",),
    "systems": ("systems",),
    "aggregate": ("aggregate", "-o", "combined.csv"),
    "crowd report": ("crowd", "report", "--experts", "experts.csv", "--scale", "1-5"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--judges", type=int, nargs="+", default=JUDGES)
    parser.add_argument("--ratings", type=float, nargs="+", default=RATINGS)
    parser.add_argument("--write", action="store_true", help="put the table into the docs")
    wanted = parser.parse_args()
    head = ("ratings", "judges", "pandas reads", *COMMANDS)
    lines = [_line(head), _line(["---"] * len(head))]
    print(*lines, sep="\n", flush=True)
    for ratings in wanted.ratings:
        for judges in wanted.judges:
            lines.append(_line(measured(int(ratings), judges)))
            print(lines[-1], flush=True)
    text = "\n".join(lines) + f"\n\n{described()}"
    print(text.splitlines()[-1])
    if wanted.write:
        before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
        page = f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}"
        PAGE.write_text(page, encoding="utf-8")


def measured(ratings: int, judges: int) -> list[str]:
    """One line of the table: a file is made, read by pandas, and given to each command."""
    with tempfile.TemporaryDirectory() as folder:
        votes = made(ratings, judges)
        votes.to_csv(Path(folder, "ratings.csv"), index=False)
        experts = votes[votes["item"].isin(votes["item"].unique()[:EXPERT_ITEMS])]
        experts = experts.groupby("item").head(2).copy()
        experts["judge"] = np.tile(["e1", "e2"], len(experts) // 2)
        experts.to_csv(Path(folder, "experts.csv"), index=False)
        reading = min(_reading(Path(folder, "ratings.csv")) for _ in range(5))
        cells = [_command(command, folder, reading) for command in COMMANDS.values()]
    return [f"{ratings:,}", f"{judges:,}", f"{reading * 1e3:.0f} ms", *cells]


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


def _command(command: tuple[str, ...], folder: str, reading: float) -> str:
    """The time of a command by that of reading, and its memory; or that it took too long."""
    words = [sys.executable, "-m", "covary", *command, "ratings.csv"]
    run = subprocess.Popen(
        words,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS)),
    )
    _, status, used = os.wait4(run.pid, 0)
    if os.WIFSIGNALED(status):
        return f"more than {MOST_SECONDS} s"
    seconds = used.ru_utime + used.ru_stime
    refused = " (refused)" if os.WEXITSTATUS(status) > 1 else ""
    return f"{seconds / reading:,.0f} ({seconds:.1f} s, {used.ru_maxrss / 1024:.0f} MB){refused}"


def _line(cells: list[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
