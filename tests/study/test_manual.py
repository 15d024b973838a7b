"""A version of the manual changes with what a judge reads, and with nothing else."""

import pytest

from covary.study import read_study
from tests.study.folders import ITEMS, TOML, write_study


def version(folder, toml=TOML, guidelines="Judge each.\n", items=ITEMS):
    write_study(folder, toml, items)
    (folder / "guidelines.md").write_bytes(guidelines.encode())
    return read_study(folder).manual


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"Fluency"', '"Fluent"'),
        ("How well", "How badly"),
        ('"1-5"', '"1-4"'),
        ('categories = "1-5"', 'categories = "1-5", best = "low"'),
        ('categories = "1-5"', 'categories = "1-5", labels = ["a", "b", "c", "d", "e"]'),
        ('categories = "1-5"', 'categories = "1-5", vertical = true'),
        ('name = "Fluency"', 'name = "Fluency"\ndefinition = "x"'),
    ],
    ids=["name", "question", "categories", "end", "labels", "vertical", "definition"],
)
def test_a_change_of_the_scheme_changes_it(tmp_path, old, new):
    before = version(tmp_path)
    after = version(tmp_path, TOML.replace(old, new, 1))
    assert after.version != before.version
    assert after.scheme_version != before.scheme_version
    assert after.guidelines_version == before.guidelines_version


def test_a_change_of_the_guidelines_changes_it(tmp_path):
    before = version(tmp_path)
    after = version(tmp_path, guidelines="Judge each twice.\n")
    assert after.version != before.version
    assert after.scheme_version == before.scheme_version
    assert after.guidelines_version != before.guidelines_version


def test_items_design_titles_and_line_ends_do_not_change_it(tmp_path):
    before = version(tmp_path)
    toml = TOML.replace("Small", "Larger") + "\n[design]\njudges = 9\n"
    after = version(tmp_path, toml, "Judge each.\r\n", ITEMS + "a3,Three.,x,s2\n")
    assert after == before


def test_a_range_and_a_list_of_the_same_categories_are_one_scheme(tmp_path):
    before = version(tmp_path)
    assert version(tmp_path, TOML.replace('"1-5"', "[1, 2, 3, 4, 5]")) == before
    assert len(before.version) == 12
