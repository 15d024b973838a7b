"""The command line: what it prints, and how it ends."""

import subprocess
import sys

import pytest

from covary import cli
from covary.errors import RatingsError
from covary.version import __version__


@pytest.fixture(scope="module")
def shown():
    return "\n".join(cli.demo())


def test_demo_ends_well_and_prints_its_lines(capsys, shown):
    assert cli.main(["demo"]) == 0
    printed = capsys.readouterr()
    assert printed.out.split() == shown.split()
    assert printed.err == ""


def test_demo_fits_a_terminal_of_100_columns_and_any_encoding(capsys):
    cli.main(["demo"])
    lines = capsys.readouterr().out.splitlines()
    assert max(len(line) for line in lines) <= 100
    assert all(line.isascii() and line == line.rstrip() for line in lines)


def line_with(text, start):
    (found,) = [line for line in text.splitlines() if line.strip().startswith(start)]
    return found.split()


def test_demo_shows_table_6_of_godwin_and_piwek(shown):
    table = shown.split("2. Amidei")[0]
    assert line_with(table, "variety") == ["variety", "0.348", "0.3480", "0.904", "0.9040"]
    assert line_with(table, "correctness") == ["correctness", "0.409", "0.4130*", "0.838", "0.8380"]
    assert "9 of 10" in table
    assert "cleaned file" in table


def test_demo_shows_table_7_of_amidei_and_its_slip(shown):
    table = shown.split("2. Amidei")[1].split("3. Amidei")[0]
    assert table.count("printed   ") == 10
    assert "0.63435*" in table
    assert "39 of 40 are the printed number when cut off" in table
    assert "40 of 40 are the printed number when cut off" in table
    assert "correctness, J1-J3: a slip" in table


def test_demo_says_that_the_printed_fleiss_is_congers(shown):
    assert "they are Conger's, which for two judges is\n   Cohen's" in shown
    assert "ambiguity J1-J2: printed 0.06, Conger's 0.06554, Fleiss' -0.03374" in shown


def test_demo_warns_that_the_columns_of_flickr_8k_are_sorted(shown):
    part = shown.split("3. Amidei")[1]
    for value in ("0.98875", "0.5259", "0.5167", "sorted"):
        assert value in part


def test_demo_ends_with_what_to_try_next(shown):
    assert shown.split("Try next")[1].strip().endswith("print(covary.interpret(alpha))")


def test_what_demo_proposes_runs(shown, capsys):
    proposed = shown.split("Try next, in Python:")[1].split("and on your own")[0]
    exec(compile("\n".join(line.strip() for line in proposed.splitlines()), "demo", "exec"), {})
    assert "Krippendorff's alpha" in capsys.readouterr().out


def test_the_version_is_told(capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"covary {__version__}\n"


def test_help_lists_the_commands(capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(["--help"])
    assert end.value.code == 0
    assert "demo" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["dmeo"], ["demo", "--loud"]])
def test_wrong_usage_ends_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(arguments)
    assert end.value.code == 2
    assert "usage: covary" in capsys.readouterr().err


@pytest.fixture
def broken(monkeypatch):
    def fail():
        yield "a line"
        raise RatingsError("row 3 is wrong;\n  correct it")

    monkeypatch.setattr(cli, "COMMANDS", (("demo", fail, "fails"),))


def test_an_error_of_covary_is_one_line_and_ends_with_1(broken, capsys):
    assert cli.main(["demo"]) == 1
    assert capsys.readouterr().err == "covary: row 3 is wrong; correct it\n"


@pytest.mark.parametrize("arguments", [["--debug", "demo"], ["demo", "--debug"]])
def test_debug_shows_where_an_error_arose(broken, arguments):
    with pytest.raises(RatingsError):
        cli.main(arguments)


def test_python_m_covary_is_the_same_command():
    command = [sys.executable, "-m", "covary", "--version"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"covary {__version__}\n")
