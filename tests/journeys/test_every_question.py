"""Every kind of question, from study.toml through simulated judges to files and a report."""

import csv

import pytest

import covary
from tests.journeys.playing import covary as run

TOML = """\
title = "Every question"
guidelines = ""
items = "items.csv"
[[criterion]]
name = "Fluency"
question = "How fluent?"
scale = { kind = "verbal", categories = "1-7", ends = ["not at all", "completely"] }
cannot_judge = true
[[criterion]]
name = "Style"
question = "How good is the style?"
scale = { kind = "visual", labels = ["bad", "good"] }
[[criterion]]
name = "Words"
question = "How many words are wrong?"
scale = { kind = "number", low = 0, high = 20, best = "low" }
[[criterion]]
name = "True"
question = "Is it true?"
scale = { kind = "yes-no" }
[[criterion]]
name = "Errors"
question = "Which errors?"
scale = { kind = "several", answers = ["grammar", "spelling", "order"] }
when = { criterion = "Fluency", is = [1, 2, 3, 4] }
[[background]]
name = "tired"
question = "How tired are you?"
options = ["not", "very"]
ask = "between"
[[background]]
name = "hard"
question = "What was hard?"
ask = "after"
[design]
judges = 3
[session]
comments = true
break_every = 10
feedback = ["gold"]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("every")
    (folder / "study.toml").write_text(TOML, encoding="utf-8")
    items = [f"i{n},item,sys{n % 2},s{n // 2},Text number {n}.," for n in range(20)]
    rows = ["item,kind,system,source,text,expected_Fluency", *items, "g,gold,,,Gold.,7"]
    (folder / "items.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    run("simulate", folder, "--judges", "3", folder=folder)
    return folder


def rows_of(file):
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def test_every_kind_is_exported_and_read_back(folder):
    said = run("export", folder, "-o", folder / "ratings.csv", folder=folder)
    assert "could not judge" in said
    assert "comments and answers in words (not analysed)" in said
    ratings = covary.read(folder / "ratings.csv")
    assert set(ratings.criteria) == {"Fluency", "Style", "Words", "True"}
    rows = rows_of(folder / "ratings.csv")
    given = {(row["criterion"], row["judge"], row["item"]): row["rating"] for row in rows}
    assert len(given) == 3 * 20 * 4
    run("export", folder, "--all", "-o", folder, folder=folder)
    questions = rows_of(folder / "questions.csv")
    kinds = {row["question"] for row in questions}
    assert kinds == {"Fluency", "Errors", "Comment", "tired"}
    comments = [row for row in questions if row["question"] == "Comment"]
    assert len(comments) == 3 * 21
    undecided = [row for row in questions if row["cannot_judge"] == "yes"]
    assert {row["question"] for row in undecided} == {"Fluency"}
    assert all(given.get(("Fluency", row["judge"], row["item"]), "") == "" for row in undecided)
    fluency = [rating for (key, *_), rating in given.items() if key == "Fluency" and rating]
    low = [rating for rating in fluency if float(rating) <= 4]
    assert 0 < len(low) < 60
    asked = [row for row in questions if row["question"] == "Errors" and row["kind"] == "item"]
    assert len(asked) == len(low)
    assert {row["hard"] for row in rows_of(folder / "judges.csv")} == {"simulated"}


def test_the_report_says_who_could_not_judge_and_what_was_not_analysed(folder):
    run("report", folder, "-o", folder / "report.html", folder=folder)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "could not judge" in page
    assert "comments and answers in words (not analysed)" in page
    for criterion in ("Fluency", "Style", "Words", "True"):
        assert criterion in page
