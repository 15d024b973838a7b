"""Modules form no circle, and none hides an import of covary inside a function.

The command line alone may: a database and a web server are loaded by the commands that need them.
"""

from graphlib import CycleError, TopologicalSorter

import pytest

from tests.architecture.source import Package, room_of

# `import covary` loads nothing: what shows and draws a result comes with the first that is shown
LOADED_WHEN_NEEDED = {
    ("cli", "store"),
    ("cli", "study"),
    ("cli", "web"),
    ("__init__", "ratings"),
    ("__init__", "reports"),
}


def circle(package: Package) -> list[str]:
    """The modules of one import circle, or nothing."""
    graph = {
        module.name: {found.target for found in package.imports(module)} - {module.name}
        for module in package.modules
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def hidden_imports(package: Package) -> list[str]:
    return [
        f"{module.place(found.line)} → {found.target}"
        for module in package.modules
        for found in package.imports(module)
        if found.hidden and (module.room, room_of(found.target)) not in LOADED_WHEN_NEEDED
    ]


def test_no_modules_import_each_other_in_a_circle(covary_source):
    assert circle(covary_source) == []


def test_no_import_of_covary_hides_in_a_function(covary_source):
    assert hidden_imports(covary_source) == []


def test_a_circle_of_three_is_found(made_up):
    package = made_up(
        {
            "stats/a.py": "from .b import x",
            "stats/b.py": "import covary.stats.c",
            "stats/c.py": "from covary.stats import a",
        }
    )
    assert set(circle(package)) == {"covary.stats.a", "covary.stats.b", "covary.stats.c"}


def test_a_package_that_names_its_modules_is_no_circle(made_up):
    package = made_up(
        {
            "stats/__init__.py": "from .a import x\nfrom . import b",
            "stats/a.py": "from .b import y",
            "stats/b.py": "import numpy",
        }
    )
    assert circle(package) == []


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    from covary.ratings import Ratings",
        "def f():\n    from .ratings import Ratings",
        "class C:\n    async def f(self):\n        if self:\n            import covary.ratings",
        "def f():\n    return importlib.import_module('covary.ratings')",
    ],
    ids=["absolute", "relative", "method", "import_module"],
)
def test_a_hidden_import_is_found(made_up, source):
    package = made_up({"ratings.py": "", "cli.py": source})
    assert [found.split(" → ")[1] for found in hidden_imports(package)] == ["covary.ratings"]


def test_a_heavy_library_may_wait_inside_a_function(made_up):
    package = made_up({"ratings.py": "", "cli.py": "def f():\n    from scipy import stats"})
    assert hidden_imports(package) == []
