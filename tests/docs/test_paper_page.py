"""The page about papers: its commands write what it lists, and its paragraph is theirs."""

import re
from pathlib import Path

from tests.docs.test_tutorial import run

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "paper.md").read_text(encoding="utf-8")


def test_the_folder_has_what_the_page_lists_and_the_methods_read_as_it_says(tmp_path):
    (tmp_path / "ratings.csv").write_bytes((DOCS / "examples" / "ratings.csv").read_bytes())
    for command in re.findall(r"^\$ (covary .*)$", PAGE, re.MULTILINE):
        done = run(command, tmp_path)
        assert done.returncode == 0, done.stdout
    listed = re.findall(r"`([\w.-]+\.\w+)`", PAGE.partition("The fragments")[0])
    assert listed
    assert all((tmp_path / "paper" / name).is_file() for name in listed)
    quoted = " ".join(re.findall(r"^> (.*)$", PAGE, re.MULTILINE))
    assert quoted in (tmp_path / "paper" / "report.md").read_text("utf-8").replace("&amp;", "&")
