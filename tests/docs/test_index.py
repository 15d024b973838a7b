"""The first page of the documentation shows what its commands print."""

import shutil

from tests.docs.pages import DOCS, blocks
from tests.docs.test_tutorial import run, shows


def test_the_commands_that_end_by_themselves_print_what_the_first_page_shows(tmp_path):
    shutil.copy(DOCS / "examples" / "ratings.csv", tmp_path)
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    shown = [block.splitlines() for block in blocks(text, "console")]
    assert [lines[0].split()[2] for lines in shown] == ["report", "check", "init"]
    for first, *lines in shown[:2]:
        done = run(first.removeprefix("$ "), tmp_path)
        assert done.returncode == 0
        assert shows(done.stdout, lines), done.stdout
