"""Ten million and a hundred million ratings: memory, time beside a plain scan, growth of the cost.

Every measurement is a process of its own, one after the other. Time is the processor's, because a
busy machine stretches that less than time on the clock, and is told as a ratio to a plain scan of
the same files in the same run; time on the clock stands beside it. Of Spark, the time and the
memory are those of Python and of Java. Ends with an error when DuckDB and Spark differ in any
digit, or when a memory bound is broken.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from machine import described

from large.data import Crossed, Shape, made
from large.page import drawn, table, written

MOST_BYTES = 2.1 * 10**9
SIZES = {"1e7": Shape(2_120_000), "1e8": Shape(21_200_000)}  # with a twentieth missing
CROSSED = {"1e7": Crossed(880_000), "1e8": Crossed(8_800_000)}
SMALL_MEMORY = [
    ("report", Shape(500_000, judges=20)),
    ("report", Shape(2_000_000)),
    ("report", Shape(500_000, judges=20, each=20)),
    ("votes", SIZES["1e7"]),
    ("systems", CROSSED["1e7"]),
]
ON_SPARK = ("1e7", "1e8")
SAID = {"each": "ratings of an item by 20 judges"}
GROWTH = {
    "items": [Shape(items) for items in (125_000, 250_000, 500_000, 1_000_000, 2_000_000)],
    "judges": [Shape(500_000, judges=judges) for judges in (5, 8, 12, 20, 40)],
    "each": [Shape(500_000, judges=20, each=each) for each in (5, 10, 20)],
    "categories": [Shape(500_000, categories=k) for k in (2, 3, 5, 7, 10)],
}
WHILE_GROWING, MOST_GROWING = "500MB", 500 * 10**6  # so that the ratings stay where they are
SCANS = 3


def main() -> int:
    wanted = arguments()
    parts, wrong = [], []
    folder = Path(tempfile.mkdtemp(prefix="covary-large-", dir=wanted.folder))
    try:
        sizes = [size for size in SIZES if size in wanted.sizes.split(",")]
        on_spark = wanted.spark.split(",")
        asked = wanted.parts.split(",")
        if "coefficients" in asked:
            text, wrong = of_sizes(sizes, folder, on_spark)
            parts.append(text)
        uses = [what for what in ("votes", "systems") if what in asked]
        if uses:
            text, broken = of_uses(uses, sizes, folder, on_spark)
            parts.append(text)
            wrong += broken
        if "memory" in asked:
            text, broken = of_small_memory(folder)
            parts.append(text)
            wrong += broken
        if wanted.growth:
            text, broken = of_growth(folder)
            parts.append(text)
            wrong += broken
    finally:
        shutil.rmtree(folder)
    text = "\n\n".join([*parts, f"Measured on: {described()}."])
    print(text)
    print(*wrong, sep="\n", file=sys.stderr)
    if wanted.write and not wrong:
        written(text)
    return 1 if wrong else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="1e7,1e8", help="which sizes: 1e7,1e8")
    parser.add_argument("--spark", default=",".join(ON_SPARK), help="which of them on Spark, too")
    parser.add_argument("--parts", default="coefficients,votes,systems,memory",
                        help="coefficients, votes, systems, memory")  # fmt: skip
    parser.add_argument("--no-growth", dest="growth", action="store_false", help="only the sizes")
    parser.add_argument("--folder", help="where the ratings are written for the time being")
    parser.add_argument("--write", action="store_true", help="put the tables into the docs")
    return parser.parse_args()


def of_sizes(sizes: list[str], folder: Path, on_spark: list[str]) -> tuple[str, list[str]]:
    lines, wrong = [], []
    for size in sizes:
        shape = SIZES[size]
        place = made(shape, folder)
        stored = sum(file.stat().st_size for file in place.iterdir())
        scans = [run("scan", shape, place) for _ in range(SCANS)]
        ours = run("covary", shape, place)
        scans += [run("scan", shape, place)]
        rows = scans[0]["values"]["rows"]
        lines.append([size, "DuckDB", f"{rows:,}", f"{stored / 1e6:.0f} MB", *shown(ours, scans)])
        if ours["bytes"] > MOST_BYTES:
            wrong.append(f"{size}: {ours['bytes'] / 1e9:.2f} GB of memory")
        if size in on_spark:
            spark = run("covary", shape, place, engine="spark")
            lines.append(["", "Spark, local", "", "", *shown(spark, scans)])
            if spark["values"] != ours["values"]:
                wrong.append(f"{size}: Spark {spark['values']}, DuckDB {ours['values']}")
        shutil.rmtree(place)
    head = ["ratings", "engine", "rows", "file", "plain scan", "all four, with intervals", "ratio",
            "on the clock", "of it reading", "patterns", "peak of Python", "peak of Java",
            "alpha"]  # fmt: skip
    return f"### Ten and a hundred million\n\n{table(head, lines)}", wrong


def shown(found: dict, scans: list[dict]) -> list[str]:
    """Write down one run."""
    value, low, high = found["values"]["krippendorff_alpha"]
    plain = statistics.median(each["processor"] for each in scans)
    processor = found["processor"] + found["java_processor"]
    return [
        f"{plain:.2f} s",
        f"{processor:.1f} s",
        f"**{processor / plain:.0f}**",
        f"{found['seconds']:.0f} s",
        f"{found['parts']['reading'] / found['seconds']:.0%}",
        f"{found['patterns']:,}",
        f"{found['bytes'] / 1e9:.2f} GB",
        f"{found['java'] / 1e9:.2f} GB" if found["java"] else "",
        f"{value:.6f} [{low:.6f}, {high:.6f}]",
    ]


def of_growth(folder: Path) -> tuple[str, list[str]]:
    """How the cost grows with items, judges and categories, one at a time."""
    rows, lines, wrong = [], [], []
    for grown, shapes in GROWTH.items():
        for shape in shapes:
            place = made(shape, folder)
            scans = [run("scan", shape, place)["processor"] for _ in range(SCANS)]
            plain = statistics.median(scans)
            found = run("covary", shape, place, memory=WHILE_GROWING)
            shutil.rmtree(place)
            amount, said = getattr(shape, grown), SAID.get(grown, grown)
            if found["bytes"] > MOST_GROWING:
                wrong.append(f"{amount} {grown}: {found['bytes'] / 1e9:.2f} GB of memory")
            rows.append({"grown": said, "amount": amount, "seconds": found["processor"],
                         "scan": plain, "gigabytes": found["bytes"] / 1e9})  # fmt: skip
            patterns = "too many" if found["patterns"] is None else f"{found['patterns']:,}"
            lines.append([said, f"{amount:,}", f"{shape.ratings:,}", patterns,
                          f"{found['processor']:.1f} s", f"{found['processor'] / plain:.0f}",
                          f"{found['bytes'] / 1e9:.2f} GB"])  # fmt: skip
    drawn(rows)
    head = ["grows", "to", "ratings (a twentieth missing)", "patterns", "all four, with intervals",
            "ratio to a scan", "peak memory"]  # fmt: skip
    return f"### How the cost grows\n\n{table(head, lines)}", wrong


def of_uses(
    uses: list[str], sizes: list[str], folder: Path, on_spark: list[str]
) -> tuple[str, list[str]]:
    """Votes into one rating for each item, and systems compared, both where the ratings live."""
    lines, wrong = [], []
    for size in sizes:
        for what in uses:
            shape = SIZES[size] if what == "votes" else CROSSED[size]
            place = made(shape, folder)
            scans = [run("scan", shape, place) for _ in range(SCANS)]
            plain = statistics.median(each["processor"] for each in scans)
            rows = scans[0]["values"]["rows"]
            for engine in ("duckdb", *(["spark"] if size in on_spark else ())):
                found = run(what, shape, place, engine=engine)
                spent = found["processor"] + found["java_processor"]
                lines.append([
                    size, what, found["shown"], "Spark, local" if found["java"] else "DuckDB",
                    f"{rows:,}", f"{plain:.2f} s", f"{spent:.1f} s", f"**{spent / plain:.0f}**",
                    f"{found['seconds']:.0f} s", f"{found['bytes'] / 1e9:.2f} GB",
                    f"{found['java'] / 1e9:.2f} GB" if found["java"] else "",
                ])  # fmt: skip
                if found["bytes"] > MOST_BYTES:
                    wrong.append(f"{size}, {what}: {found['bytes'] / 1e9:.2f} GB of memory")
            shutil.rmtree(place)
    head = ["ratings", "what", "of", "engine", "rows", "plain scan", "processor", "ratio",
            "on the clock", "peak of Python", "peak of Java"]  # fmt: skip
    return f"### Votes and systems\n\n{table(head, lines)}", wrong


def of_small_memory(folder: Path) -> tuple[str, list[str]]:
    """Whole reports, votes and systems where 500 MB are allowed."""
    lines, wrong = [], []
    for what, shape in SMALL_MEMORY:
        place = made(shape, folder)
        found = run(what, shape, place, memory=WHILE_GROWING)
        shutil.rmtree(place)
        ratings = getattr(shape, "ratings", None) or shape.sources * shape.systems * shape.judges
        lines.append([what, f"{ratings:,}", f"{shape.judges}", found["shown"],
                      f"{found['processor']:.1f} s", f"{found['seconds']:.0f} s",
                      f"{found['bytes'] / 1e9:.2f} GB"])  # fmt: skip
        if found["bytes"] > MOST_GROWING:
            wrong.append(f"{what}, {ratings:,}: {found['bytes'] / 1e9:.2f} GB of memory")
    head = ["what", "ratings (a twentieth missing)", "judges", "of", "processor", "on the clock",
            "peak memory"]  # fmt: skip
    return f"### Where 500 MB are allowed\n\n{table(head, lines)}", wrong


def run(
    kind: str, shape: Shape | Crossed, place: Path, engine: str = "duckdb", memory: str = "2GB"
) -> dict:
    job = {"kind": kind, "folder": str(place), "categories": shape.categories,
           "engine": engine, "memory": memory, "crossed": isinstance(shape, Crossed)}  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "large.job", json.dumps(job)],
        capture_output=True, text=True, cwd=Path(__file__).parents[1], env=os.environ,
    )  # fmt: skip
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        raise RuntimeError(f"{job}: {done.stderr[-2000:]}")
    found = json.loads(lines[-1])
    cost = f"{found['seconds']:.1f} s, {found['processor']:.2f} s of the processor"
    said = f"{cost}, {found['bytes'] / 1e9:.2f} GB {found.get('parts', '')}"
    if found["java"]:
        said += f", Java {found['java_processor']:.1f} s, {found['java'] / 1e9:.2f} GB"
    print(json.dumps(job), said, file=sys.stderr, flush=True)
    return found


if __name__ == "__main__":
    sys.exit(main())
