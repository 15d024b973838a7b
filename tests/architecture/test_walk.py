"""A report of fifteen ratings walks through few files of covary."""

import re
import subprocess
import sys

MOST_FILES = 96
"""It was 101 when this was first counted; the aim is 50. Two of them spare a small report SciPy,
and four of them DuckDB and Narwhals."""

WALK = """
import inspect, sys
from pathlib import Path
import covary
from covary.cli import main

root, files, loading = str(Path(covary.__file__).parent), set(), 0

def look(frame, event, _):
    # A file counts when one of its functions is called, and not because it is loaded.
    global loading
    code = frame.f_code
    if code.co_name == "_find_and_load":
        loading += {"call": 1, "return": -1}.get(event, 0)
    elif event == "call" and not loading and code.co_flags & inspect.CO_OPTIMIZED:
        if code.co_filename.startswith(root) and not code.co_name.startswith("<"):
            files.add(code.co_filename[len(root) + 1 :])

sys.setprofile(look)
try:
    main(["report", "ratings.csv", "--scale", "1-5", "-o", "report.html"])
except SystemExit as end:
    assert not end.code
sys.setprofile(None)
print(*sorted(files), sep="\\n")
"""


def test_a_report_of_fifteen_ratings_walks_through_few_files(tmp_path):
    rows = [
        (item, judge, min(5, item + step))
        for item in range(1, 6)
        for step, judge in enumerate("ABC")
    ]
    lines = ["item,judge,rating", *(f"q{item},{judge},{rating}" for item, judge, rating in rows)]
    (tmp_path / "ratings.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", WALK], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    files = [line for line in done.stdout.splitlines() if re.fullmatch(r"\S+\.(py|html)", line)]
    assert (tmp_path / "report.html").stat().st_size > 10_000
    assert 20 < len(files) <= MOST_FILES, "\n".join(files)
