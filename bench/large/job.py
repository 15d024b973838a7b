"""One measurement in a process of its own: python -m large.job '{"kind": …}' prints JSON.

`scan` reads every cell of the files once and adds up what is there. `covary` reads the folder as
`covary report` does and asks for alpha, Fleiss' kappa, AC1 and gamma of all pairs of judges, each
with its interval. Imports do not count, nor does starting Spark. Peak memory is that of the whole
process, from its beginning.
"""

import json
import os
import re
import resource
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

SEED = 1


def main() -> None:
    job = json.loads(sys.argv[1])
    warnings.simplefilter("ignore")
    call = JOBS[job["kind"]](job)
    begun, worked = time.perf_counter(), time.process_time()
    others = java()
    before = sum(map(processor, others))
    found = call()
    found |= {
        "seconds": time.perf_counter() - begun,
        "processor": time.process_time() - worked,
        "bytes": peak(),
        "java": sum(map(peak, others)),
        "java_processor": sum(map(processor, others)) - before,
    }
    print(json.dumps(found))


def peak(process: str = "self") -> int:
    """The most memory that a process ever held.

    Where Linux tells it, not from getrusage, which counts the process that started this one, too.
    """
    with suppress(OSError):
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def java() -> list[str]:
    """The processes of Java that this one started, itself or through a shell."""
    parents = {}
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parents[place.name] = statistics_of(place.name)[1]
    ours, more = {str(os.getpid())}, True
    while more:
        more = {name for name, parent in parents.items() if parent in ours} - ours
        ours |= more
    names = {name: Path(f"/proc/{name}/comm") for name in ours}
    return [name for name, place in names.items() if place.read_text().strip() == "java"]


def processor(process: str) -> float:
    """Processor seconds of a process, its own and the kernel's for it."""
    return sum(map(int, statistics_of(process)[11:13])) / os.sysconf("SC_CLK_TCK")


def statistics_of(process: str) -> list[str]:
    """What Linux tells of a process after its name: state, parent, …"""
    text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    return text.rpartition(")")[2].split()


def scan(job: dict) -> Callable[[], dict]:
    from covary.formats.tables import new_engine

    engine = new_engine(2 * 10**9)
    rows = engine.read_parquet(f"{job['folder']}/*.parquet")
    if job["crossed"]:
        every = "count(*), sum(item), max(source), max(system), max(judge), sum(rating)"
        return lambda: {"values": {"rows": rows.aggregate(every).fetchone()[0]}}
    asked = "count(*), sum(item), max(judge), sum(rating)"
    return lambda: {"values": {"rows": rows.aggregate(asked).fetchone()[0]}}


def covary(job: dict) -> Callable[[], dict]:
    import duckdb  # noqa: F401
    import scipy.special  # noqa: F401

    import covary as package

    if job["engine"] == "spark":
        started()
    questions = {"covary": asked, "votes": combined, "systems": compared, "report": reported}
    return lambda: questions[job["kind"]](package, job)


def started() -> None:
    """Start Spark, which takes some seconds whatever it is given."""
    from pyspark.sql import SparkSession

    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
                "spark.sql.shuffle.partitions": "16", "spark.driver.memory": "4g"}  # fmt: skip
    builder = SparkSession.builder.master("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    builder.getOrCreate().range(10).count()


def asked(package: Any, job: dict) -> dict:
    from covary.stats.patterns import collapse, has_too_many_patterns

    settings = {"scale": f"1-{job['categories']}", "engine": job["engine"], "memory": job["memory"]}
    begun = time.perf_counter()
    ratings = package.read(job["folder"], **settings)
    parts = {"reading": time.perf_counter() - begun}
    values = {}
    for name in ("krippendorff_alpha", "fleiss_kappa", "gwet_ac1", "goodman_kruskal_gamma"):
        begun = time.perf_counter()
        found = getattr(package, name)(ratings, rng=SEED)
        parts[name] = time.perf_counter() - begun
        values[name] = [found.value, found.interval.low, found.interval.high]
    values["pairs"] = [pair["value"] for pair in found.details["pairs"]]
    patterns = None if has_too_many_patterns(ratings) else int(collapse(ratings).counts.size)
    return {"values": values, "parts": parts, "patterns": patterns}


def read(package: Any, job: dict) -> Any:
    settings = {"scale": f"1-{job['categories']}", "engine": job["engine"], "memory": job["memory"]}
    return package.read(job["folder"], **settings)


def combined(package: Any, job: dict) -> dict:
    """Combine the votes by Dawid and Skene's model, and write a row for each item."""
    from covary.aggregate.large import large_table
    from covary.formats.long import write_rows
    from covary.ratings.engine_tables import as_relation

    begun = time.perf_counter()
    ratings = read(package, job)
    parts = {"reading": time.perf_counter() - begun}
    found = package.combine(ratings, "dawid-skene")
    parts["combining"] = time.perf_counter() - begun - parts["reading"]
    file = Path(job["folder"]).with_suffix(".parquet")
    write_rows(as_relation(large_table([found])), file)
    parts["written"] = file.stat().st_size
    file.unlink()
    shown = f"{found.n_items:,} items, {found.n_kinds:,} kinds of votes"
    return {"values": {"log-likelihood": found.convergence.log_likelihood}, "parts": parts,
            "shown": shown}  # fmt: skip


def compared(package: Any, job: dict) -> dict:
    """Compare the systems as `covary systems` does by default."""
    begun = time.perf_counter()
    ratings = read(package, job)
    parts = {"reading": time.perf_counter() - begun}
    (found,) = package.systems(ratings, rng=SEED).criteria
    values = {score.system: [score.mean, score.estimate] for score in found.systems}
    shown = f"{found.n_sources:,} sources, {found.n_items:,} texts"
    return {"values": values, "parts": parts, "shown": shown}


def reported(package: Any, job: dict) -> dict:
    """Write a whole report, as `covary report` does."""
    found = package.report(read(package, job), rng=SEED)
    return {"values": {"bytes": len(found.html())}, "shown": "a whole report"}


JOBS = {"scan": scan, **dict.fromkeys(("covary", "votes", "systems", "report"), covary)}


if __name__ == "__main__":
    main()
