"""A person's script under a type checker: signatures complete, and a wrong keyword is found."""

import os
import subprocess
import sys
from pathlib import Path

import covary

USER_SCRIPT = """\
import covary

ratings = covary.read("ratings.csv", scale="1-5", item="qid", wide=["J1", "J2"])
alpha = covary.krippendorff_alpha(ratings, criterion="fluency", rng=1)
other = covary.krippendorff_alpha("ratings.csv", scale="1-5")
kappa = covary.cohen_kappa([1, 2, 3], [1, 2, 2], level="nominal")
matrix = covary.icc([[1, 2], [3, 3]], form="3,1", level="interval")
worst = min(alpha.value, other.value, kappa.value, matrix.value)
print(f"{alpha:.2f}", worst)
report = covary.report(ratings, "report.html", thresholds=covary.Thresholds())
print(report.short())
covary.cohen_kappa(ratings, confidance=0.9)
"""


def test_a_persons_script_is_checked_without_a_complaint_and_a_wrong_keyword_is_found(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(USER_SCRIPT, encoding="utf-8")
    checked = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--strict", "--no-error-summary"),
            *("--cache-dir", str(tmp_path / "cache"), script.name),
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(Path(covary.__file__).parents[1])},
    )
    complaints = [line for line in checked.stdout.splitlines() if ": error: " in line]
    assert [line.partition(": ")[0] for line in complaints] == ["script.py:12"], checked.stdout
