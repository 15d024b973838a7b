"""A store with two judges and their sheets, on each database."""

from collections.abc import Iterator

import pytest

from covary.store import Store
from tests.store.databases import empty_store, place, postgres  # noqa: F401 (fixtures)
from tests.store.made_up import sheets


@pytest.fixture
def empty(place) -> Iterator[Store]:  # noqa: F811
    with empty_store(place) as opened:
        yield opened


@pytest.fixture
def store(empty) -> Store:
    """Two judges, Ann (1) and Bo (2), on sheets 1 and 2 of 4; nothing answered yet."""
    empty.sheets.put(sheets(4))
    for name in ("Ann", "Bo"):
        judge, _ = empty.judges.add(name)
        empty.sheets.issue(judge.id)
    return empty
