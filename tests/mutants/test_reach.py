"""An instrumented program does what it did, and says which statements it runs."""

import sys

from tests.mutants.__main__ import SOURCE as CODE
from tests.mutants.__main__ import Mutant, Reach, _asked_tests
from tests.mutants.changes import Change
from tests.mutants.reach import instrumented

SOURCE = '''"""Words."""
from __future__ import annotations

def sign(x):
    """More words."""
    if x > 0:
        return 1
    elif x < 0:
        return -1
    try:
        return 0
    finally:
        x = 2
'''


def test_statements_say_that_they_are_run_by_their_lines(monkeypatch):
    monkeypatch.syspath_prepend("tests/mutants/children")
    import covary_reach

    monkeypatch.setattr(covary_reach, "in_tests", True)
    space = {}
    exec(compile(instrumented(SOURCE, "a.py"), "a.py", "exec"), space)
    results = {}
    for x in (1, -1, 0):
        covary_reach.run.clear()
        value = space["sign"](x)
        results[value] = sorted(line for file, line in covary_reach.run if file == "a.py")
    sys.modules.pop("covary_reach")
    assert results == {1: [6, 7], -1: [6, 8, 9], 0: [6, 8, 10, 11, 13]}
    assert (space["__doc__"], space["sign"].__doc__) == ("Words.", "More words.")


def test_a_constant_that_only_other_files_use_is_asked_of_the_tests_that_run_those():
    """The symbols of formulas are tables, which the reader of formulas imports."""
    symbols, reader = "covary/web/mathml_symbols.py", "covary/web/mathml.py"
    ran = {"a::formula": reader, "b::symbols": symbols, "c::page": "covary/web/pages.py"}
    tests = {name: {"lines": {file: [1]}, "processor": 0.1} for name, file in ran.items()}
    source = (CODE / symbols).read_text(encoding="utf-8")
    line = source[: source.index('"array": Environment(given=True)')].count("\n") + 1
    mutant = Mutant("web", symbols, Change(line, 0, 0, "True", "False"))
    assert sorted(_asked_tests(mutant, Reach(tests, []), 60)) == ["a::formula", "b::symbols"]
