"""The page about datasheets: its commands, in its order, write what it lists."""

import re
from pathlib import Path

from tests.docs.test_tutorial import run

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "datasheets.md").read_text(encoding="utf-8")


def test_the_commands_of_the_page_write_the_files_that_it_lists(tmp_path):
    (tmp_path / "ratings.csv").write_bytes((DOCS / "examples" / "ratings.csv").read_bytes())
    for command in re.findall(r"^\$ (covary .*)$", PAGE, re.MULTILINE):
        done = run(command, tmp_path)
        assert done.returncode == 0, done.stdout
    listed = re.findall(r"^\| `([\w.-]+)` \|", PAGE, re.MULTILINE)
    assert len(listed) == 5
    assert all((tmp_path / "sheets" / name).is_file() for name in listed)
    assert (tmp_path / "answers.toml").is_file()
