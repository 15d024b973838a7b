"""`import covary` loads no heavy library."""

import subprocess
import sys
from pathlib import Path

HEAVY = (
    "scipy.stats",
    "matplotlib",
    "starlette",
    "uvicorn",
    "sqlalchemy",
    "duckdb",
    "pandas",
    "polars",
    "pyarrow",
)

SCRIPT = """
import sys
sys.path[:0] = {folders!r}
import covary
print(*sorted(set({heavy!r}) & sys.modules.keys()))
"""


def loaded_by_import(*folders: Path) -> list[str]:
    """The heavy modules that a fresh Python has loaded after `import covary`."""
    script = SCRIPT.format(folders=[str(folder) for folder in folders], heavy=HEAVY)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_importing_covary_loads_no_heavy_library():
    assert loaded_by_import() == []


def test_a_heavy_library_loaded_by_a_module_below_is_found(made_up, tmp_path):
    made_up({"__init__.py": "from . import ratings", "ratings.py": "import duckdb"})
    (tmp_path / "duckdb.py").write_text("")
    assert loaded_by_import(tmp_path) == ["duckdb"]
