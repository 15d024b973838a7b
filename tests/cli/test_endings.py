"""How a run ends: exit codes, one line per error, nothing left behind, no traceback."""

import os
import signal
import subprocess
import sys

import pytest

from covary.cli import main
from covary.errors import RatingsError
from covary.version import __version__

BAD = {
    "empty": (b"", "is empty"),
    "only a header": (b"item,judge,rating\n", "no ratings"),
    "blank judge": (b"item,judge,rating\na,,1\nb,x,2\n", "judge"),
    "words among numbers": (b"item,judge,rating\na,x,1\nb,x,good\na,y,2\nb,y,2\n", "good"),
    "ragged rows": (b"item,judge,rating\na,x,1,9,9\nb,y,2\n", "cells"),
    "no rating column": (b"item,judge,length\na,x,some\nb,y,words\n", "rating"),
    "not text": (b"\x00\x01\x02\xff\xfe" * 40, ""),
}


@pytest.fixture(params=BAD, ids=lambda name: name.replace(" ", "-"))
def bad(request, tmp_path):
    content, word = BAD[request.param]
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    return path, word


@pytest.mark.parametrize("command", ["check", "report"])
def test_a_bad_file_is_one_line_and_leaves_nothing_behind(run, bad, command):
    path, word = bad
    ended = run(command, path)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("covary: ")
    first, *ways_out = ended.err.splitlines()
    assert word in first
    assert not ways_out or any(line.startswith("    covary ") for line in ways_out)
    assert "Traceback" not in ended.err
    assert "unexpected" not in ended.err
    assert [each.name for each in path.parent.iterdir()] == ["bad.csv"]


def test_a_missing_file_is_said_with_a_near_name(run, ratings_file):
    ended = run("check", ratings_file.with_name("rating.csv"))
    assert ended.code == 1
    assert "did you mean 'ratings.csv'?" in ended.err
    assert "path=" not in ended.err


def test_a_folder_is_no_file(run, tmp_path):
    ended = run("check", tmp_path)
    assert ended.code == 1
    assert "is a folder" in ended.err


def test_a_kind_of_file_that_cannot_be_read_is_said(run, tmp_path):
    path = tmp_path / "ratings.docx"
    path.write_text("x")
    ended = run("check", path)
    assert ended.code == 1
    assert "cannot read" in ended.err


@pytest.mark.parametrize(
    "arguments", [["chek"], ["check"], ["check", "--loud"], ["demo", "a", "b"]], ids=" ".join
)
def test_wrong_usage_ends_with_2(run, arguments):
    ended = run(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert "Usage: covary" in ended.err


def test_a_near_command_is_proposed(run):
    assert "'check'" in run("chek").err


def test_the_version_is_told(run):
    ended = run("--version")
    assert (ended.code, ended.out) == (0, f"covary {__version__}\n")


@pytest.fixture
def broken(monkeypatch):
    def fail(*_, **__):
        raise RatingsError("row 3 is wrong;\n  correct it")

    monkeypatch.setattr("covary.cli.reading.read", fail)


def test_an_error_of_covary_is_one_line_and_ends_with_1(run, broken):
    ended = run("check", "a.csv")
    assert (ended.code, ended.err) == (1, "covary: row 3 is wrong; correct it\n")


@pytest.mark.parametrize(
    "arguments", [["--debug", "check", "a.csv"], ["check", "a.csv", "--debug"]]
)
def test_debug_shows_where_an_error_arose(broken, arguments):
    with pytest.raises(RatingsError):
        main(arguments)


def test_an_unexpected_error_is_one_line_that_names_debug(run, monkeypatch):
    monkeypatch.setattr("covary.cli.reading.read", lambda *_, **__: 1 / 0)
    ended = run("check", "a.csv")
    assert ended.code == 1
    assert "ZeroDivisionError" in ended.err
    assert "--debug" in ended.err
    assert ended.err.count("\n") == 1


def test_an_interrupted_run_ends_with_130_and_a_short_line(run, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("covary.cli.reading.read", interrupted)
    ended = run("check", "a.csv")
    assert (ended.code, ended.err.strip()) == (130, "covary: interrupted")


def started(*arguments, **keywords):
    return subprocess.Popen(
        [sys.executable, "-m", "covary", *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, **keywords,
    )  # fmt: skip


def test_python_m_covary_is_the_same_command():
    out, _ = started("--version").communicate()
    assert out.decode().split() == ["covary", __version__]


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
def test_control_c_leaves_no_traceback_and_no_half_report(tmp_path):
    with started("demo", tmp_path / "out") as process:
        process.stdout.readline()  # it has begun
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    assert process.returncode == 130
    assert err.decode().strip() == "covary: interrupted"
    assert not list(tmp_path.rglob("*.part*"))


@pytest.mark.skipif(os.name == "nt", reason="pipes break otherwise there")
def test_a_reader_who_leaves_early_causes_no_noise(tmp_path):
    with started("demo", tmp_path / "out") as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


def test_a_terminal_without_unicode_shows_question_marks(sorted_file):
    process = started(
        "check", sorted_file, "--wide", "J*", env={**os.environ, "PYTHONIOENCODING": "ascii"}
    )
    out, err = process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert out.isascii()


def test_commands_do_not_wait_for_pandas(ratings_file):
    script = (
        "import sys; from covary.cli import main; code = main(sys.argv[1:]); "
        "sys.exit(code or ('pandas' in sys.modules) * 9)"
    )
    command = [sys.executable, "-c", script, "check", str(ratings_file), "--scale", "1-5"]
    assert subprocess.run(command, capture_output=True).returncode == 0
