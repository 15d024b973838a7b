"""What a researcher takes away: every format, everything, the full report."""

import base64
import csv
import hashlib
import io
import json
import re
import zipfile
from dataclasses import replace

import pytest

from covary.cli.export import ENDINGS
from covary.scales import VerbalScale
from covary.study.model import Criterion
from covary.web.researcher.routes import FORMATS
from covary.web.serving.app import create_app
from tests.web.researching import HOSTILE, Researcher, answer, many_items, rated

FIVE = Criterion("Fluency", "How fluent?", VerbalScale(range(1, 6)))
TONE = Criterion("Tone", "Which tone?", VerbalScale(["cold", "warm"]))
TABLE = {"Ann": [1, 2, 3, 4, 5, 3], "=Bob": [1, 2, 4, 4, 5, 2]}


@pytest.fixture
def researcher(store):
    made = []

    def of(study):
        made.append(Researcher(create_app(study, store), store))
        made[-1].enter()
        return made[-1]

    yield of
    for each in made:
        each.close()


@pytest.fixture
def study(tmp_path, store):
    made = many_items(tmp_path, 6, FIVE)
    rated(made, store, TABLE)
    return made


def test_every_format_of_the_command_line_is_there():
    assert FORMATS == ENDINGS


@pytest.mark.parametrize("form", FORMATS)
def test_each_format_is_a_file_with_every_rating(researcher, study, form):
    got = researcher(study).page(f"/export?format={form}")
    assert got.status_code == 200
    assert f'filename="ratings{FORMATS[form]}"' in got.headers["content-disposition"]
    body = got.content
    if form in ("csv", "tsv"):
        rows = list(csv.DictReader(io.StringIO(body.decode()), delimiter="\t,"[form == "csv"]))
        assert [int(row["rating"]) for row in rows if row["judge"] == "Ann"] == TABLE["Ann"]
    elif form == "jsonl":
        assert len([json.loads(line) for line in body.splitlines()]) == 12
    elif form == "label-studio":
        assert sum(len(task["annotations"]) for task in json.loads(body)) == 12
    else:
        assert body[:4] == body[-4:] == b"PAR1"


def test_a_spreadsheet_gets_no_formula_unless_texts_are_wanted_as_they_are(researcher, study):
    who = researcher(study)
    assert b",'=Bob," in who.page("/export?format=csv").content
    assert b",=Bob," in who.page("/export?format=csv&raw=1").content


def test_no_table_among_everything_holds_a_formula_unless_texts_are_wanted_as_they_are(
    researcher, study, store
):
    store.notes.add(1, "remarks", {"text": "=1+1"})
    who = researcher(study)
    for more, name, remark in (("", b"'=Bob", b"'=1+1"), ("&raw=1", b"=Bob", b"=1+1")):
        got = who.page(f"/export?format=everything{more}")
        with zipfile.ZipFile(io.BytesIO(got.content)) as found:
            for table in ("answers.csv", "judges.csv", "ratings.csv"):
                cells = re.split(rb"[,\r\n]+", found.read(table))
                assert name in cells, table
            assert remark in re.split(rb"[,\r\n]+", found.read("judges.csv"))


def test_everything_is_one_file_of_five_tables_and_the_seal(researcher, study, store):
    store.notes.add(1, "remarks", {"text": HOSTILE})
    who = researcher(study)
    got = who.page("/export?format=everything")
    assert got.headers["x-covary-seal"] == store.head()
    assert store.head() in who.page("/export").text
    with zipfile.ZipFile(io.BytesIO(got.content)) as found:
        assert sorted(found.namelist()) == [
            "answers.csv", "item-versions.csv", "judges.csv", "notes.csv", "ratings.csv",
            "seal.txt",
        ]  # fmt: skip
        assert found.read("seal.txt").decode().strip() == store.head()
        answers = list(csv.DictReader(io.StringIO(found.read("answers.csv").decode())))
        judges = list(csv.DictReader(io.StringIO(found.read("judges.csv").decode())))
    assert [int(row["rating"]) for row in answers[:6]] == TABLE["Ann"]
    assert judges[0]["remarks"] == HOSTILE


def test_where_there_is_nothing_the_page_says_so(researcher, store, tmp_path):
    study = many_items(tmp_path, 2, FIVE)
    who = researcher(study)
    nothing = who.page("/export?format=csv")
    assert nothing.status_code == 409
    assert "No ratings have been collected yet" in nothing.text
    assert "No ratings have been collected yet" in who.page("/report").text
    assert who.page("/export?format=everything").status_code == 200
    assert who.page("/export?format=exe").status_code == 422
    assert who.page("/export?format=csv&part=none").status_code == 409
    assert who.page("/report?about=love").status_code == 404


def test_the_report_may_have_its_own_style_and_nothing_else(researcher, study):
    who = researcher(study)
    made = who.page("/report")
    while "is being made" in made.text:
        made = who.page("/report")
    assert made.status_code == 200
    policy = made.headers["content-security-policy"]
    (style,) = re.findall(r"<style>(.*?)</style>", made.text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    )
    assert "Krippendorff" in made.text
    saved = who.page("/report?download=1")
    assert saved.headers["content-disposition"] == 'attachment; filename="report.html"'


def test_criteria_in_words_and_in_numbers_have_a_report_each(researcher, study, store):
    mixed = replace(study, criteria=(FIVE, TONE))
    for judge in store.judges.all():
        answer(store, judge.id, store.sheets.of(judge.id), ["cold", "warm"] * 3, criterion="Tone")
    who = researcher(mixed)
    assert "about=words" in who.page("/export").text
    for about, name in (("numbers", "Fluency"), ("words", "Tone")):
        made = who.page(f"/report?about={about}")
        while "is being made" in made.text:
            made = who.page(f"/report?about={about}")
        assert name in made.text
        assert "<style>" in made.text
