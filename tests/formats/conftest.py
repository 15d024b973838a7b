"""Files that a test writes by hand."""

import pytest


@pytest.fixture
def file(tmp_path):
    """Write a file and return its path."""

    def write(content, name="ratings.csv", encoding="utf-8"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return path

    return write
