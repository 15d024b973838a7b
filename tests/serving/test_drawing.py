"""What a server does without: the engine that draws files, and the readers of foreign files."""

import ast
import subprocess
import sys
from pathlib import Path

import covary

PAGES = """
import sys
import covary
columns = {"item": [i for i in range(9) for _ in range(3)], "judge": ["a", "b\x07", "c"] * 9}
ratings = covary.Ratings(columns | {"rating": [1 + (i * 7) % 5 for i in range(27)]}, scale="1-5")
page = covary.report(ratings, rng=1).html()
assert page.count("<svg") > 2
print("vl_convert" in sys.modules)
"""


def test_a_page_with_pictures_never_loads_the_engine_that_draws_files():
    """It is compiled, and once fell over a control character in a judge's name."""
    done = subprocess.run([sys.executable, "-c", PAGES], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]


def test_a_server_neither_draws_with_the_engine_nor_reads_files_of_ratings():
    """Whatever the server imports, nothing of it calls compiled readers or the engine."""
    rooms = Path(covary.__file__).parent
    files = [ast.parse(file.read_text(encoding="utf-8")) for file in (rooms / "web").rglob("*.py")]
    nodes = [node for file in files for node in ast.walk(file)]
    modules = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    modules += [name.name for node in nodes if isinstance(node, ast.Import) for name in node.names]
    assert [name for name in modules if name.startswith(("covary.formats", "vl_convert"))] == []
