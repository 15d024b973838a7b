"""The Tab key: commands, options, choices, and the columns of the file on the line."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from covary.cli import main
from covary.cli.completion import VARIABLE


@pytest.fixture
def completed(monkeypatch, capsys):
    """What a shell would offer for the last word of a line."""

    def ask(line):
        monkeypatch.setenv(VARIABLE, "bash_complete")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
        assert main([]) == 0
        offered = capsys.readouterr().out.splitlines()
        return [each.partition(",")[2] for each in offered]

    return ask


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "ratings.csv").write_text("qid,annotator,score,free text\nq1,Ann,4,x\nq1,Bo,5,y\n")
    (tmp_path / "semicolon.csv").write_text("thing;who;mark\nt,a,1\n")
    (tmp_path / "broken.csv").write_bytes(b"\x00\xff")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_commands_are_completed(completed):
    assert completed("covary re") == ["report", "researcher-link", "restore"]


def test_options_and_choices_are_completed(completed):
    assert completed("covary report --no-i") == ["--no-intervals"]
    assert completed("covary report --format l") == ["latex"]
    assert "qg-stec" in completed("covary init --template q")


@pytest.mark.parametrize("option", ["--judge", "--item", "--rating", "--count"])
def test_columns_come_from_the_file_on_the_line(completed, folder, option):
    assert completed(f"covary report ratings.csv {option} ") == ["qid", "annotator", "score"]
    assert completed(f"covary report ratings.csv {option} a") == ["annotator"]
    assert completed(f"covary check semicolon.csv {option} ") == ["thing", "who", "mark"]


def test_several_columns_are_completed_one_after_another(completed, folder):
    assert completed("covary check ratings.csv --wide qid,s") == ["qid,score"]


def test_the_columns_of_a_named_experiment_are_completed(completed, folder):
    assert completed("covary compare vas=ratings.csv --system a") == ["annotator"]


@pytest.mark.parametrize("file", ["nowhere.csv", "broken.csv", "."])
def test_a_file_that_cannot_be_read_offers_nothing(completed, folder, file):
    assert [each for each in completed(f"covary report {file} --judge ") if each.isalpha()] == []


def test_levels_ends_and_filters_are_completed(completed):
    assert completed("covary check x --level or") == ["ordinal"]
    assert completed("covary check x --level fluency=nom") == ["fluency=nominal"]
    assert completed("covary check x --best ") == ["high", "low"]
    assert completed("covary check x --only jud") == ["judge="]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_a_script_that_asks_covary(run, shell):
    ended = run("completion", shell)
    assert ended.code == 0
    assert f"{VARIABLE}={shell}_complete" in ended.out


def test_an_unknown_shell_is_refused_with_those_that_are_known(run):
    ended = run("completion", "basch")
    assert ended.code == 2
    assert "did you mean 'bash'?" in ended.err


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on this machine")
def test_bash_itself_completes_with_the_script(run, folder, tmp_path):
    script = tmp_path / "covary.sh"
    script.write_text(run("completion", "bash").out)
    program = tmp_path / "covary"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m covary "$@"\n')
    program.chmod(0o755)
    line = (
        f'source "{script}"; COMP_WORDS=(covary report ratings.csv --judge an); COMP_CWORD=4; '
        '_covary_completion "$PATH_TO/covary"; echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", line],
        env={"PATH": "/usr/bin:/bin", "PATH_TO": str(Path(program).parent)},
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["annotator"]
