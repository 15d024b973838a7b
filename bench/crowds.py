"""Crowds: arrangements of votes and combined votes, beside other programs, as tables.

python crowds.py             prints the tables
python crowds.py --write     and puts them into docs/benchmarks.md
"""

import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import argparse
import math
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

import aggregation
import arrangements
from machine import described

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
BEGIN, END = "<!-- crowds: begin -->", "<!-- crowds: end -->"
SIZES = (50_000, 1_000_000)
HEAD = ("votes", "judges", "method", "covary", "crowd-kit", "ratio", "right", "crowd-kit right")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put the tables into the docs")
    wanted = parser.parse_args()
    warnings.simplefilter("ignore")
    start = described()
    drawn = arrangements.measured()
    text = "\n\n".join(
        [
            "### Random arrangements of votes",
            _arranged(drawn),
            "### Combined votes",
            table(HEAD, [row for size in SIZES for row in _combined(size)]),
            f"Before: {start}\n\nAfter: {described()}\n\n"
            f"crowd-kit {version('crowd-kit')}, scikit-learn {version('scikit-learn')}, "
            f"pandas {version('pandas')}, NumPy {version('numpy')}.",
        ]
    )
    print(text)
    if not drawn.agree:
        print("the two ways to arrange votes have different means", file=sys.stderr)
        return 1
    if wanted.write:
        page = PAGE.read_text(encoding="utf-8")
        before, rest = page.split(BEGIN)
        after = rest.split(END)[1]
        PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")
    return 0


def _arranged(found: arrangements.Arranged) -> str:
    head = ("way", "30,000 arrangements of 405 × 3 votes, two experts, kappa and ICC", "ratio")
    rows = [
        ["covary", f"{found.ours:.2f} s", ""],
        ["a loop with scikit-learn's kappa", f"{found.theirs:.0f} s (from {arrangements.LOOPS})",
         f"{found.ratio:.0f}"],
    ]  # fmt: skip
    return table(head, rows)


def _combined(size: int) -> list[list[str]]:
    rows = []
    for judges, votes in aggregation.crowds(size):
        for each in aggregation.measured(size, judges, votes):
            tried = not math.isnan(each.theirs)
            rows.append(
                [f"{each.votes:,}", f"{judges:,}", each.method, f"{each.ours:.2f} s",
                 f"{each.theirs:.2f} s" if tried else "not tried",
                 f"{each.ratio:.1f}" if tried else "", f"{each.right:.3f}",
                 f"{each.their_right:.3f}" if tried else ""]
            )  # fmt: skip
            print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    return rows


def table(head: tuple[str, ...], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
