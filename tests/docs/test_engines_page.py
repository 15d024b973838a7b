"""The page about engines: its commands and its Python run, and what it says of numbers is so."""

import re
import subprocess
import sys

import duckdb
import numpy as np
import pytest

import covary
from covary.ratings import memory_limit
from covary.stats import pair_counts, patterns
from tests.docs.pages import DOCS, blocks, links
from tests.docs.test_tutorial import run, shows

PAGE = (DOCS / "engines.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The page's ratings in three files of Parquet."""
    place = tmp_path_factory.mktemp("engines")
    (place / "ratings").mkdir()
    engine = duckdb.connect()
    engine.execute(f"create table rows as from '{DOCS / 'examples' / 'systems.csv'}'")
    for part in range(3):
        file = place / "ratings" / f"part-{part}.parquet"
        engine.execute(f"copy (from rows where rowid % 3 = {part}) to '{file}' (format parquet)")
    return place


@pytest.mark.parametrize("block", blocks(PAGE, "console"), ids=lambda block: block.split("\n")[0])
def test_a_command_prints_what_the_page_shows(block, folder):
    command, *shown = block.splitlines()
    done = run(command.removeprefix("$ "), folder)
    assert done.returncode == 0, done.stdout
    assert shows(done.stdout, shown), done.stdout


def test_the_python_of_the_page_prints_what_it_shows(folder):
    (code,), (shown,) = blocks(PAGE, "python"), blocks(PAGE, "text")
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=folder
    )
    assert done.stdout == shown


def test_the_limits_that_the_page_names_are_those_of_the_code():
    said = " ".join(PAGE.split())
    assert f"one for every {memory_limit.BYTES_EACH} bytes" in said
    assert f"{memory_limit.MOST_BROUGHT:,} for 2 GB" in said
    assert (
        memory_limit.most_ratings_within(memory_limit.parse_bytes("2GB"))
        == memory_limit.MOST_BROUGHT
    )
    assert f"about {memory_limit.LOOKED_AT:,} ratings" in said
    assert f"than {patterns.MOST_PATTERNS:,} patterns" in said
    assert f"draw {pair_counts.MOST_GROUPS} groups of items" in said


def test_steps_change_alpha_as_the_page_says():
    rng = np.random.default_rng(0)
    quality = rng.uniform(20, 80, (500, 1))
    line = np.clip(quality + rng.normal(0, 10, (500, 4)), 0, 100)
    ratings = covary.Ratings.from_wide(line, scale="0-100")
    found = [
        covary.krippendorff_alpha(each, interval=None).value
        for each in (ratings, ratings.in_steps(20), ratings.in_steps(5))
    ]
    said = re.search(r"alpha was (\.\d+) on the line, (\.\d+) in 20 steps and\s+(\.\d+) in 5", PAGE)
    assert [f"{value:.3f}".lstrip("0") for value in found] == list(said.groups())


def test_every_link_leads_to_a_page():
    assert [target for target in links(PAGE) if not (DOCS / target).is_file()] == []
