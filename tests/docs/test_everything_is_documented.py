"""Every public name stands on a page of the reference, and every command on another."""

import importlib
import pkgutil
import re
import sys

import pytest

import covary
from covary.cli.entry import SECTIONS
from covary.cli.entry import covary as program
from tests.docs.pages import DOCS

COMMANDS = tuple(program.load_all().values())

REFERENCE = DOCS / "reference"
sys.path.insert(0, str(REFERENCE))

from of_commands import all_commands  # noqa: E402
from of_names import described, formulas_kept  # noqa: E402

PAGES = "\n".join(page.read_text(encoding="utf-8") for page in REFERENCE.glob("*.rst"))
ASKED = re.findall(
    r"^\.\. public:: (\S+)\n((?:   :.*\n)*)(?:\n((?:   .*\n)+))?", PAGES, re.MULTILINE
)
PACKAGES = [
    module
    for each in pkgutil.walk_packages(covary.__path__, "covary.")
    if each.ispkg and not each.name.startswith("covary.cli")
    for module in [importlib.import_module(each.name)]
    if getattr(module, "__all__", ())
]
"""The rooms that say which of their names are public."""


def test_every_name_at_the_door_stands_on_one_page():
    names = " ".join(names for module, _, names in ASKED if module == "covary").split()
    assert sorted(names) == sorted(covary.__all__)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_every_room_with_public_names_has_a_page(package):
    own = set(package.__all__) - set(covary.__all__)
    assert not own or package.__name__ in {module for module, _, _ in ASKED}


@pytest.mark.parametrize("package", [covary, *PACKAGES], ids=lambda package: package.__name__)
def test_every_public_name_says_what_it_is(package):
    silent = [name for name in package.__all__ if not described(package, name).strip()]
    assert silent == [], "write a docstring, or a string below the assignment"


def test_every_command_stands_in_one_section():
    listed = [command.name for commands in SECTIONS.values() for command in commands]
    assert sorted(listed) == sorted(command.name for command in COMMANDS)
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_reference_shows_a_command_with_its_examples(command):
    lines = list(all_commands())
    start = lines.index(f".. program:: covary {command.name}")
    rest = lines[start + 1 :]
    ends = [i for i, line in enumerate(rest) if line.startswith(".. program:: covary ")]
    own = [line for line in rest[: ends[0] if ends else None] if not line.startswith(".. program")]
    assert f"covary {command.name}" in own
    assert any(line.strip().startswith(f"covary {command.name}") for line in own[3:])


def test_a_formula_is_no_markup():
    assert formulas_kept(["|a - d| / n and 2 * p_ of `x_`, *really*"]) == [
        r"\|a - d\| / n and 2 \* p\_ of `x_`, *really*"
    ]
    assert formulas_kept([">>> a * b", "6"]) == [">>> a * b", "6"]
