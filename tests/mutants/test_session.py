"""Only what shows while a module is loaded is loaded anew; all other code is exchanged in place."""

from pathlib import Path

import pytest

from tests.mutants.session import Question, called_while_loaded, exchanged

SOURCE = """
LIMIT = 3
TABLE = [2 * n for n in range(LIMIT)]

def double(n):
    return 2 * n

class Record:
    size = 7
    def half(self):
        return [n / 4 for n in (self.size,)]

def filled():
    return helper()

def helper():
    return 5

FULL = filled()
"""


def asked(before: str, after: str) -> Question:
    assert SOURCE.count(before) == 1
    return Question("file.py", SOURCE, SOURCE.replace(before, after), [], [])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("LIMIT = 3", "LIMIT = 4"),
        ("[2 * n for", "[2 + n for"),
        ("size = 7", "size = 8"),
        ("return 5", "return 6"),
    ],
    ids=["constant", "comprehension", "class", "called while loaded"],
)
def test_what_shows_while_a_module_is_loaded_is_not_exchanged(before, after):
    assert exchanged(Path("file.py"), asked(before, after)) is None


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [("return 2 * n", "return (\n2 + n)", "double"), ("n / 4", "n * 4", "Record.half")],
)
def test_functions_get_their_new_code_even_where_later_lines_have_moved(before, after, name):
    codes = exchanged(Path("file.py"), asked(before, after))
    assert codes is not None
    old, new = {}, {}
    exec(compile(SOURCE, "file.py", "exec"), old)
    exec(compile(SOURCE.replace(before, after), "file.py", "exec"), new)
    function = old["double"] if name == "double" else old["Record"].half
    code = function.__code__
    function.__code__ = codes[(code.co_qualname, code.co_firstlineno)]
    if name == "double":
        assert (old["double"](5), new["double"](5)) == (7, 7)
    else:
        assert old["Record"]().half() == new["Record"]().half() == [28]


def test_functions_called_while_a_file_is_loaded_are_known_at_any_depth():
    assert called_while_loaded(SOURCE) == {"filled", "helper"}
