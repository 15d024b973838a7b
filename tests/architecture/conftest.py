from collections.abc import Callable
from pathlib import Path

import pytest

from tests.architecture.source import Package, read_package

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def repository() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def covary_source() -> Package:
    package = read_package(ROOT / "src" / "covary")
    assert package.modules, "no source to check"
    return package


@pytest.fixture
def made_up(tmp_path: Path) -> Callable[[dict[str, str]], Package]:
    """A package called covary, written from {path: source}, to show a checker its defect."""

    def write(files: dict[str, str]) -> Package:
        root = tmp_path / "covary"
        for name, text in {"__init__.py": "", **files}.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return read_package(root)

    return write
