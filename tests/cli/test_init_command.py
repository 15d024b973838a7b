"""`covary init`: what it writes, what it refuses, and what to do next."""

import shlex

import pytest

from covary.study import TEMPLATES, read_study


def test_a_new_study_is_written_and_can_be_read(run, tmp_path):
    folder = tmp_path / "forecasts"
    ended = run("init", folder)
    assert (ended.code, ended.err) == (0, "")
    for name in ("study.toml", "guidelines.md", "items.csv"):
        assert f"  {folder / name}\n" in ended.out
    assert "32 items and 3 practice items" in " ".join(ended.out.split())
    assert read_study(folder).parts == ("VDS-7", "VAS")


@pytest.mark.parametrize("template", TEMPLATES)
def test_each_template_can_be_asked_for(run, tmp_path, template):
    ended = run("init", tmp_path / "new", "--template", template)
    assert ended.code == 0
    assert template in ended.out
    assert read_study(tmp_path / "new").criteria


def test_the_next_command_can_be_copied(run, tmp_path):
    folder = tmp_path / "my study"
    last = run("init", folder).out.rstrip().splitlines()[-1]
    assert shlex.split(last) == ["covary", "design", str(folder)]


def test_nothing_is_overwritten(run, tmp_path):
    run("init", tmp_path / "new")
    (tmp_path / "new" / "items.csv").write_text("mine")
    ended = run("init", tmp_path / "new")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("covary: ")
    assert "nothing is overwritten" in ended.err
    assert (tmp_path / "new" / "items.csv").read_text() == "mine"


def test_help_names_every_template(run):
    ended = run("init", "--help")
    assert ended.code == 0
    for template in TEMPLATES.values():
        assert template.name in ended.out
        assert template.about in ended.out


@pytest.mark.parametrize(
    "arguments", [["init"], ["init", "x", "--template", "likert"]], ids=["no name", "unknown"]
)
def test_wrong_usage_ends_with_2_and_writes_nothing(run, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    assert run(*arguments).code == 2
    assert list(tmp_path.iterdir()) == []


def test_faults_of_a_study_are_told_line_by_line(capsys):
    from covary.cli.entry import _exit_code
    from covary.cli.screen import Run
    from covary.errors import StudyError, StudyFault

    faults = [StudyFault("study.toml", line, "x", "is wrong") for line in (1, 2)]
    assert _exit_code(StudyError(faults, "forecasts"), Run()) == 1
    assert capsys.readouterr().err == (
        "covary: 2 faults in forecasts\n"
        "  study.toml, line 1: x: is wrong\n"
        "  study.toml, line 2: x: is wrong\n"
    )
