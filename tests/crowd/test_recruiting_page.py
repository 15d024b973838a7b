"""The page about recruiting: its examples run and print what they show."""

import csv
import doctest
import re
from pathlib import Path

import pytest

from tests.crowd.fake_prolific import TOKEN, FakeProlific, Served
from tests.study.folders import write_study

PAGE = (Path(__file__).parents[2] / "docs" / "recruiting.md").read_text(encoding="utf-8")


def blocks(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (dialogues,) = blocks("csv")
    (tmp_path / "dialogues.csv").write_text(dialogues, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_example_prints_what_the_page_shows(folder):
    source = "\n".join(blocks("pycon"))
    found = doctest.DocTestParser().get_doctest(source, {}, "recruiting", None, 0)
    said = []
    doctest.DocTestRunner().run(found, out=said.append)
    assert len(found.examples) == len(re.findall("^>>> ", PAGE, re.MULTILINE)) > 0
    assert said == []


def test_the_rules_are_checked_as_the_page_says(folder, capsys):
    write_study(folder)
    exec(blocks("python")[0], {})
    assert "must: rejection: the message has 23 characters" in capsys.readouterr().out


def test_the_whole_way_on_prolific_runs(folder, monkeypatch):
    """600 s at 12.00 an hour are 2.00, so only the one who took 900 s is lifted, by 1.00."""
    fake = FakeProlific()
    fake.submissions = [
        {"id": "a", "participant_id": "p", "status": "APPROVED", "time_taken": 600},
        {"id": "b", "participant_id": "q", "status": "APPROVED", "time_taken": 900},
        {"id": "c", "participant_id": "r", "status": "AWAITING REVIEW", "study_code": "DONE1"},
    ]
    monkeypatch.setenv("PROLIFIC_TOKEN", TOKEN)
    with Served(fake) as running:
        code = blocks("python")[1].replace('_TOKEN"])', f'_TOKEN"], address="{running.address}")')
        code = code.replace("Codes.new()", 'Codes("DONE1", "OUT1", "FAIL1")')
        exec(code, {})
    assert fake.studies["study1"]["status"] == "ACTIVE"
    assert [each["status"] for each in fake.submissions] == ["APPROVED"] * 3
    set_up = next(each for each in fake.asked if each.path.endswith("/bonus-payments/"))
    assert set_up.content["csv_bonuses"] == "b,1.00"
    assert fake.paid == ["bonus1"]
    with (folder / "payments.csv").open(encoding="utf-8", newline="") as file:
        assert [each["to_do"] for each in csv.DictReader(file)] == ["", "", "approve"]
