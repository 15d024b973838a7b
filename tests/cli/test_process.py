"""covary as a process of its own: what must be freed at the end still is."""

import subprocess
import sys

import pytest

SCRIPT = """
import atexit, gc
from covary import __main__ as process
process.main = lambda: 3
{before}
code = process.run()
print(code, gc.get_freeze_count() > 0, gc.isenabled())
"""


@pytest.mark.parametrize(
    ("before", "frozen"),
    [("", True), ("import sqlalchemy", False), ("import duckdb", False)],
)
def test_what_needs_to_be_closed_is_still_freed_at_the_end(before, frozen):
    script = SCRIPT.format(before=before)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.split() == ["3", str(frozen), "True"], done.stderr


def test_temporary_folders_go_with_the_process(tmp_path):
    script = (
        "import sys, tempfile; from covary import __main__ as process\n"
        f"kept = tempfile.TemporaryDirectory(dir={str(tmp_path)!r})\n"
        "kept.itself = kept\n"
        "process.main = lambda: 0\n"
        "sys.exit(process.run())"
    )
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)
    assert list(tmp_path.iterdir()) == []
