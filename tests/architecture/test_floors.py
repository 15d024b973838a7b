"""A room knows only lower floors, and the few neighbours that are named here."""

import pytest

from tests.architecture.source import Package, room_of

FLOORS = {
    "__init__": 6,
    "__main__": 6,
    "cli": 5,
    "web": 4,
    "store": 4,
    "reports": 4,
    "crowd": 4,
    "analysis": 3,
    "design": 3,
    "study": 3,
    "training": 3,
    "stats": 2,
    "aggregate": 2,
    "formats": 2,
    "datasets": 2,
    "ratings": 1,
    "errors": 0,
    "words": 0,
    "version": 0,
    "records": 0,
    "scales": 0,
}

# (who, knows whom) on the same floor
NEIGHBOURS = {
    ("__main__", "__init__"),
    ("web", "store"),
    ("web", "reports"),
    ("web", "crowd"),  # people whom a platform sends come in and go back through pages
    ("training", "analysis"),
    ("training", "study"),
    ("design", "analysis"),
    ("design", "study"),
    ("aggregate", "stats"),
    ("datasets", "formats"),
    ("scales", "errors"),
    ("errors", "words"),
    ("errors", "records"),
    ("scales", "records"),
    ("words", "records"),
}


def may_know(room: str, other: str) -> bool:
    return room == other or FLOORS[other] < FLOORS[room] or (room, other) in NEIGHBOURS


def imports_off_the_stairs(package: Package) -> list[str]:
    """Imports that go up, or sideways to a room that is not a named neighbour."""
    return [
        f"{module.place(found.line)} {module.room} → {room_of(found.target)}"
        for module in package.modules
        for found in package.imports(module)
        if not may_know(module.room, room_of(found.target))
    ]


def rooms_without_floor(package: Package) -> set[str]:
    return {module.room for module in package.modules} - FLOORS.keys()


def test_every_room_has_a_floor(covary_source):
    assert rooms_without_floor(covary_source) == set()


def test_no_room_knows_a_higher_floor_or_a_stranger_beside_it(covary_source):
    assert imports_off_the_stairs(covary_source) == []


@pytest.mark.parametrize(
    ("path", "line", "step"),
    [
        ("ratings.py", "from covary.stats import alpha", "ratings → stats"),
        ("ratings.py", "import covary.stats.alpha", "ratings → stats"),
        ("ratings.py", "from .stats.alpha import value", "ratings → stats"),
        ("stats/alpha.py", "from ..analysis import answer", "stats → analysis"),
        ("stats/__init__.py", "from ..datasets import table", "stats → datasets"),
        ("store/rows.py", "from covary.web import page", "store → web"),
        ("errors.py", "from covary import Ratings", "errors → __init__"),
    ],
)
def test_the_stairs_catch_a_wrong_step(made_up, path, line, step):
    rooms = ("stats", "analysis", "datasets", "web")
    package = made_up(
        {f"{room}/__init__.py": "" for room in rooms} | {"stats/alpha.py": "", path: line}
    )
    assert [found.split(" ", 1)[1] for found in imports_off_the_stairs(package)] == [step]


def test_the_stairs_allow_lower_floors_named_neighbours_and_the_outside(made_up):
    package = made_up(
        {
            "errors.py": "import numpy",
            "scales.py": "from covary.errors import InvalidArgument",
            "ratings.py": "from . import errors, scales",
            "formats/csv.py": "from ..ratings import Ratings",
            "datasets/__init__.py": "from ..formats import csv",
        }
    )
    assert imports_off_the_stairs(package) == []


def test_a_room_that_nobody_planned_is_noticed(made_up):
    assert rooms_without_floor(made_up({"attic/boxes.py": ""})) == {"attic"}
