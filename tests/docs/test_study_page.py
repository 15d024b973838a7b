"""The page about study folders: every example is read, and every key is on it."""

import dataclasses
import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from covary.scales.kinds import KINDS
from covary.study import read_study, write_template
from covary.study.items import COLUMNS
from covary.study.model import (
    Background,
    Criterion,
    DesignSettings,
    Population,
    Session,
    TrainingSettings,
)
from tests.study.folders import faults_of, write_study

PAGE = (Path(__file__).parents[2] / "docs" / "study.md").read_text(encoding="utf-8")

TOP = 'title = "An example"\n'
CRITERION = '[[criterion]]\nname = "Clarity"\nquestion = "?"\nscale = "1-7"\n'
ITEMS = """\
item,text_1,text_2,system_1,system_2,source
a,One.,Two.,forecaster,rules,day 1
b,One.,Two.,forecaster,rules,day 2
"""
TURNS = "item,text,speaker,cluster\na,Hello.,bot,one\nb,Bye.,bot,one\n"


def blocks(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def completed(toml):
    """Give a piece of study.toml what it lacks, so that it is a study."""
    if not toml.startswith("title"):
        toml = TOP + (toml if "[[criterion]]" in toml else f"{CRITERION}\n{toml}")
    return toml if "[[criterion]]" in toml else f"{toml}\n{CRITERION}"


@pytest.mark.parametrize("number", range(len(blocks("toml"))))
def test_every_example_of_a_study_file_is_read_without_fault(tmp_path, number):
    toml = completed(blocks("toml")[number])
    items = TURNS if 'page = "dialogue"' in toml else ITEMS
    folder = write_study(tmp_path, toml, items, consent__md="Yes.")
    assert [str(each) for each in faults_of(folder)] == []


def test_the_page_has_an_example_of_every_kind_of_scale_and_table():
    examples = "\n".join(blocks("toml"))
    for kind in KINDS:
        assert f'kind = "{kind}"' in examples
    for table in (
        "[design]",
        "[session]",
        "[population]",
        "[training]",
        "[[background]]",
        "[[criterion]]",
    ):
        assert table in examples


def test_the_example_of_a_table_is_read(tmp_path):
    (table,) = blocks("csv")
    study = read_study(write_study(tmp_path, TOP + CRITERION, table))
    assert [each.kind for each in study.items] == ["practice", "item", "item", "check"]
    assert dict(study.item("c1").expected) == {"Clarity": 7}


def test_the_example_of_json_lines_is_read(tmp_path):
    (lines,) = blocks("json")
    toml = f'items = "items.jsonl"\n{TOP}{CRITERION}'
    study = read_study(write_study(tmp_path, toml, None, items__jsonl=lines))
    assert study.item("t1").context[0].speaker == "Guest"
    assert study.item("t2").texts == ("Who drew it?", "Who drew the map?")


def test_the_faults_that_the_page_shows_are_told_like_that(tmp_path):
    toml = (
        'title = "x"\nlangauge = "en"\n\n[[criterion]]\nname = "Clarity"\nquestion = "?"\n'
        'scale = { kind = "verbal", categories = "1-7", labels = ["a", "b", "c", "d", "e", "f"] }\n'
    )
    rows = "".join(f"i{number},x,item\n" for number in range(12))
    folder = write_study(tmp_path / "forecasts", toml, f"item,text,kind\n{rows}j,x,practise\n")
    (shown,) = blocks("text")
    assert [f"  {each}" for each in faults_of(folder)] == shown.splitlines()[1:]


def test_the_python_of_the_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_template("forecasts")
    names: dict[str, object] = {}
    for code in blocks("python"):
        exec(code, names)
    assert "has 32 items and 3 practice items" in capsys.readouterr().out


def test_every_key_and_every_column_is_on_the_page():
    said = set(re.findall(r"`([a-z_]+)`", PAGE))
    examples = "\n".join(blocks("toml"))
    said |= set(re.findall(r"^([a-z_]+) =", examples, re.MULTILINE))
    for table in (DesignSettings, Session, Population, Background, TrainingSettings):
        assert {each.name for each in dataclasses.fields(table)} <= said
    assert {each.name for each in dataclasses.fields(Criterion)} - {"faces", "vertical"} <= said
    assert {*COLUMNS} <= said
    assert {"low", "high", "labels", "best", "level", "polarity", "descriptors", "tie"} <= said


@pytest.mark.parametrize(
    ("table", "heading"),
    [(DesignSettings, "The design"), (Session, "The session"), (TrainingSettings, "Training")],
    ids=str,
)
def test_the_defaults_on_the_page_are_those_of_covary(table, heading):
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    shown = dict(re.findall(r"^\| `(\w+)` \| (.*?) ?\|", section, re.MULTILINE))
    for each in dataclasses.fields(table):
        default = getattr(table(), each.name)
        plain = dict(default) if isinstance(default, Mapping) else default
        written = "" if default is None else json.dumps(plain)
        assert shown.pop(each.name).strip("`") == written, each.name
    assert shown == {}
