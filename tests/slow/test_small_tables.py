"""A thousand generated tables mean the same to the small reader and to DuckDB."""

import pytest

from tests.formats.test_small_table import compare_generated


@pytest.mark.parametrize("block", range(20))
def test_generated_tables_are_the_same_to_both_readers(block, tmp_path, monkeypatch):
    seeds = range(50 * block, 50 * block + 50)
    assert compare_generated(seeds, tmp_path, monkeypatch) > 9
