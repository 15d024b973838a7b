"""`covary report`: what it writes and prints, where, and when it refuses."""

import json
import os
from pathlib import Path

import pytest

from covary import Ratings
from covary.analysis.reliability import MOST_PAIRS
from covary.cli.screen import ProgressBar

QUICK = ("--scale", "1-5", "--no-intervals")


def test_without_intervals_the_screen_and_the_page_say_that_nothing_is_shown(run, ratings_file):
    ended = run("report", ratings_file, "--format", "markdown", *QUICK)
    assert ended.code == 0, ended.err
    assert "Without intervals nothing is shown. By the estimates alone, the judges" in " ".join(
        ended.out.split()
    )
    assert "?  singly?, means?" in ended.out  # the word, and what the ratings could be used for
    page = ratings_file.with_name("ratings-report.md").read_text("utf-8")
    verdicts, steps = page.split("## What to do next")
    assert "Without intervals nothing is shown. By the estimates alone, the judges" in verdicts
    assert " shown |" not in verdicts
    assert "ruled out |" not in verdicts
    assert steps.lstrip().startswith("- Compute intervals")
    assert "No intervals were computed, so nothing is shown." in steps


def beside(path):
    return sorted(each.name for each in path.parent.iterdir())


def test_the_report_goes_beside_the_ratings_and_its_short_form_is_printed(run, ratings_file):
    ended = run("report", ratings_file, "--scale", "1-5")
    assert (ended.code, ended.err) == (0, "")
    path = ratings_file.with_name("ratings-report.html")
    assert beside(ratings_file) == ["ratings-report.html", "ratings.csv"]
    assert path.read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html>")
    assert f"Written: {path}" in ended.out
    assert "'annotator' as the judge" in " ".join(ended.out.split())
    for word in ("fluency", "adequacy", "agreement", "correlation"):
        assert word in ended.out


@pytest.mark.parametrize(
    ("form", "ending", "mark"),
    [
        ("html", ".html", "<html"),
        ("markdown", ".md", "# "),
        ("latex", ".tex", "\\begin{document}"),
        ("json", ".json", '"criteria"'),
        ("csv", ".csv", ","),
    ],
)
def test_each_form_has_its_ending(run, ratings_file, form, ending, mark):
    assert run("report", ratings_file, "--format", form, *QUICK).code == 0
    path = ratings_file.with_name(f"ratings-report{ending}")
    assert mark in path.read_text(encoding="utf-8")


def test_the_ending_of_the_output_says_the_form(run, ratings_file, tmp_path):
    path = tmp_path / "out" / "numbers.json"
    path.parent.mkdir()
    assert run("report", ratings_file, "-o", path, *QUICK).code == 0
    assert isinstance(json.loads(path.read_text(encoding="utf-8")), dict)


def test_a_folder_gets_a_file_with_the_usual_name(run, ratings_file, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    assert run("report", ratings_file, "-o", folder, *QUICK).code == 0
    assert [each.name for each in folder.iterdir()] == ["ratings-report.html"]


def test_a_slash_at_the_end_asks_for_a_papers_folder(run, ratings_file, tmp_path):
    said = ("-o", f"{tmp_path}/paper/", "--coefficients", "alpha,kappa", "--table", "verdict")
    for _ in range(2):  # what covary wrote it may write again
        assert run("report", ratings_file, *said, *QUICK).code == 0
    names = {path.name for path in (tmp_path / "paper").iterdir()}
    assert {"methods.tex", "results.tex", "table.tex", "covary.bib", "tables.docx"} <= names
    table = (tmp_path / "paper" / "table.tex").read_text(encoding="utf-8")
    assert "criterion & $\\alpha$ & $\\kappa$ & verdict" in table


def test_the_columns_of_a_papers_tables_need_a_papers_folder(run, ratings_file):
    ended = run("report", ratings_file, "--coefficients", "alpha", *QUICK)
    assert ended.code == 2
    assert "-o paper/" in ended.err


def test_a_repeat_is_put_beside_the_first_study(run, ratings_file, tmp_path):
    first = tmp_path / "first.csv"
    first.write_bytes(ratings_file.read_bytes())
    ended = run("report", ratings_file, "--against", first, "--scale", "1-5")
    assert ended.code == 0, ended.err
    assert (ratings_file.parent / "ratings-against-first.html").is_file()
    assert "6 of 6 facts of the verdicts" in ended.out


def test_a_word_document_of_our_own_may_be_written_again(run, ratings_file, tmp_path):
    for _ in range(2):
        assert run("report", ratings_file, "-o", tmp_path / "r.docx", *QUICK).code == 0


def test_the_same_ratings_give_the_same_report(run, ratings_file, tmp_path):
    written = []
    for name in ("first.json", "second.json"):
        run("report", ratings_file, "--scale", "1-5", "-o", tmp_path / name)
        written.append((tmp_path / name).read_text(encoding="utf-8"))
    assert written[0] == written[1]
    assert '"seed": 0' in written[0]


def test_title_part_and_confidence_reach_the_report(run, ratings_file):
    ended = run("report", ratings_file, "--scale", "1-5", "--title", "Our <pilot>", "--only",
                "criterion=fluency", "--only", "group=expert", "--confidence", "0.9",
                "--format", "markdown")  # fmt: skip
    assert ended.code == 0
    text = ratings_file.with_name("ratings-report.md").read_text(encoding="utf-8")
    assert "pilot" in text
    assert "90" in text
    assert "fluency" in text
    assert "adequacy" not in text
    assert "Cy" not in text


def test_an_earlier_report_is_replaced(run, ratings_file):
    path = ratings_file.with_name("ratings-report.md")
    path.write_text("old, by covary")
    assert run("report", ratings_file, "--format", "markdown", *QUICK).code == 0
    assert path.read_text(encoding="utf-8") != "old, by covary"


def test_ratings_off_the_scale_are_refused_unless_set_aside(run, ratings_file):
    with ratings_file.open("a", encoding="utf-8") as file:
        file.write("q99,Bo,55,fluency,expert\n")
    ended = run("report", ratings_file, "--format", "json", *QUICK)
    assert ended.code == 1
    assert "q99" in ended.err
    assert beside(ratings_file) == ["ratings.csv"]
    assert run("report", ratings_file, "--format", "json", "--set-aside", *QUICK).code == 0


def test_the_input_is_never_written_over(run, ratings_file):
    before = ratings_file.read_bytes()
    link = ratings_file.with_name("link.csv")
    link.symlink_to(ratings_file)
    for path in (ratings_file, link):
        ended = run("report", ratings_file, "-o", path, *QUICK)
        assert ended.code == 2
        assert "is the input itself" in ended.err
    assert ratings_file.read_bytes() == before


@pytest.mark.parametrize("output", ["report.odt", "report.pdf"])
def test_an_ending_without_form_is_wrong_usage(run, ratings_file, output):
    ended = run("report", ratings_file, "-o", ratings_file.with_name(output), *QUICK)
    assert ended.code == 2
    assert "--format" in ended.err


def test_a_folder_that_is_not_there_is_said(run, ratings_file, tmp_path):
    ended = run("report", ratings_file, "-o", tmp_path / "none" / "report.html", *QUICK)
    assert ended.code == 1
    assert "does not exist" in ended.err
    assert ended.err.count("\n") == 1


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0,
    reason="no folder is closed to root: run the tests as another user",
)
def test_a_folder_that_cannot_be_written_to_is_said(run, ratings_file, tmp_path):
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    ended = run("report", ratings_file, "-o", folder, *QUICK)
    assert ended.code == 1
    assert "cannot be written to" in ended.err


def test_nothing_half_written_stays_when_writing_fails(run, ratings_file, monkeypatch):
    def fill_the_disk(path, *_, **__):
        path.write_text("half")
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(Path, "write_bytes", fill_the_disk)
    ended = run("report", ratings_file, *QUICK)
    assert ended.code == 1
    assert ended.err.startswith("covary: ")
    assert ended.err.endswith("No space left on device\n")
    assert beside(ratings_file) == ["ratings.csv"]


def test_answers_from_a_file_reach_the_checklist(run, ratings_file, tmp_path):
    answers = tmp_path / "answers.toml"
    answers.write_text('recruitment = "by e-mail"\nguidelines = "in the appendix"\n')
    out = tmp_path / "report.md"
    command = ("report", ratings_file, "--scale", "1-5", "--no-intervals", "-o", out)
    assert run(*command, "--answers", answers).code == 0
    assert "by e-mail" in out.read_text()
    answers.write_text('recruited = "by e-mail"\n')
    ended = run(*command, "--answers", answers)
    assert (ended.code, "is not asked for" in ended.err) == (1, True)
    answers.write_text("recruitment = by e-mail")
    ended = run(*command, "--answers", answers)
    assert (ended.code, "cannot be read" in ended.err) == (1, True)


GOLD = """item,judge,rating,gold
q1,Ann,1,1
q1,Bo,2,1
q2,Ann,3,3
q2,Bo,3,3
q3,Ann,2,
q3,Bo,2,
"""


def test_a_column_of_known_answers_gives_accuracy(run, tmp_path):
    file = tmp_path / "known.csv"
    file.write_text(GOLD, encoding="utf-8")
    ended = run("report", file, *QUICK, "--gold", file, "--format", "json")
    assert ended.code == 0, ended.err
    (found,) = json.loads(file.with_name("known-report.json").read_text())["accuracy"]["criteria"]
    rights = {judge["judge"]: judge["right"] for judge in found["judges"]}
    assert (rights, found["overall"]["items"]) == ({"Ann": 1.0, "Bo": 0.5}, 2)


def test_a_reference_judge_is_no_judge_of_the_agreement(run, tmp_path):
    file = tmp_path / "known.csv"
    file.write_text(GOLD.replace("q3,Bo,2,", "q3,Bo,2,\nq1,Cy,2,\nq2,Cy,3,"), encoding="utf-8")
    ended = run("report", file, *QUICK, "--reference", "Ann", "--format", "json")
    assert ended.code == 0, ended.err
    made = json.loads(file.with_name("known-report.json").read_text())
    assert made["reliability"]["counts"]["judges"] == 2
    assert [judge["judge"] for judge in made["accuracy"]["criteria"][0]["judges"]] == ["Bo", "Cy"]


def test_two_standards_are_wrong_usage(run, ratings_file):
    ended = run("report", ratings_file, *QUICK, "--gold", ratings_file, "--reference", "A")
    assert (ended.code, "leave out one" in ended.err) == (2, True)


@pytest.fixture
def addressed(tmp_path):
    lines = ["item,judge,rating"]
    for item, ratings in enumerate([(1, 1, 2), (2, 2, 3), (4, 3, 5), (5, 4, 5), (3, 2, 4)]):
        lines += [f"q{item},{who}@uni.example,{r}" for who, r in zip("abc", ratings, strict=True)]
    file = tmp_path / "ratings.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def test_e_mail_addresses_are_kept_out_of_a_papers_folder_by_an_option_that_is_said(run, addressed):
    paper = addressed.parent / "paper"
    said = run("report", addressed, "-o", f"{paper}/", *QUICK)
    assert "3 judges are named by e-mail address" in said.out
    assert "--anonymous" in said.out
    ended = run("report", addressed, "-o", f"{paper}/", "--anonymous", *QUICK)
    assert (ended.code, ended.err) == (0, "")
    assert "e-mail" not in ended.out
    texts = [file.read_bytes() for file in paper.rglob("*") if file.is_file()]
    assert any(b"J1" in text for text in texts)
    assert not any(b"uni.example" in text for text in texts)


def test_who_is_the_reference_keeps_the_name_among_anonymous_judges(run, addressed):
    who = ("--anonymous", "--reference", "b@uni.example")
    ended = run("report", addressed, "--format", "json", "-o", "-", *who, *QUICK)
    assert ended.code == 0, ended.err
    made = json.dumps(json.loads(ended.out))
    assert '"J1"' in made
    assert '"J2"' in made
    assert "a@uni" not in made
    assert "c@uni" not in made


@pytest.mark.parametrize(("judges", "steps"), [(4, 3 + 2 + 6), (12, 3 + 2 + 66), (13, 3 + 2)])
def test_pairs_are_steps_only_where_each_is_looked_at(judges, steps):
    """Six pairs of four judges and 66 of twelve; thirteen judges have too many."""
    bar = ProgressBar("")
    bar.expect(Ratings.from_wide([[1] * judges, [2] * judges], level="ordinal"), MOST_PAIRS)
    assert bar.total == steps
