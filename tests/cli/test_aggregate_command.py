"""`covary aggregate`: what it prints, what it writes, what it refuses."""

import csv
import json

import duckdb
import pytest

from covary.aggregate import METHODS
from tests.cli.conftest import written

VOTES = ["item,judge,rating"] + [
    f"t{number},{judge},{vote}"
    for number, votes in enumerate(["331", "311", "321", "332", "11", "33"])
    for judge, vote in zip(("Ann", "Bo", "Cy"), votes, strict=False)
]


@pytest.fixture
def votes_file(tmp_path):
    return written(tmp_path / "votes.csv", VOTES)


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("method", METHODS)
def test_every_method_prints_counts_and_writes_a_row_per_item(run, votes_file, method):
    ended = run("aggregate", votes_file, "--method", method, "--scale", "1-3")
    assert (ended.code, ended.err) == (0, "")
    assert "6 items, 16 votes" in ended.out
    assert "ties: " in ended.out
    assert ("starts agree" in ended.out) == (method in ("dawid-skene", "one-coin", "mace", "glad"))
    made = rows(votes_file.with_name("votes-combined.csv"))
    assert [row["item"] for row in made] == [f"t{number}" for number in range(6)]
    assert [row["votes"] for row in made] == ["3", "3", "3", "3", "2", "2"]
    assert (made[4]["rating"], made[5]["rating"]) == ("1", "3")


def test_banchs_two_methods_differ_where_valid_meets_invalid(run, votes_file, tmp_path):
    given = {}
    for method in ("banchs-a", "banchs-b"):
        path = tmp_path / f"{method}.csv"
        assert run("aggregate", votes_file, "--method", method, "--scale", "1-3", "-o", path)
        given[method] = [row["rating"] for row in rows(path)]
    assert given == {"banchs-a": list("222313"), "banchs-b": list("312313")}


def test_ties_shares_and_certainty_are_in_the_file(run, votes_file, tmp_path):
    path = tmp_path / "labels.csv"
    ended = run("aggregate", votes_file, "--method", "majority", "--scale", "1-3", "-o", path)
    assert "ties: 1 (rule: abstain: the item gets no rating)" in ended.out
    assert "items without rating: 1" in ended.out
    assert f"Written: {path}" in ended.out
    first, _, tied = rows(path)[:3]
    assert list(first) == ["item", "rating", "certainty", "votes", "tie", "share_1", "share_2",
                           "share_3"]  # fmt: skip
    assert (first["rating"], first["tie"], first["share_2"]) == ("3", "false", "0.0")
    assert float(first["certainty"]) == pytest.approx(2 / 3)
    assert (tied["rating"], tied["certainty"], tied["tie"]) == ("", "", "true")


@pytest.mark.parametrize("ending", [".jsonl", ".parquet", ".tsv"])
def test_the_ending_says_the_format(run, votes_file, tmp_path, ending):
    path = tmp_path / f"labels{ending}"
    ended = run("aggregate", votes_file, "--method", "mace", "--scale", "1-3", "-o", path)
    assert ended.code == 0
    relation = {
        ".jsonl": duckdb.read_json,
        ".parquet": duckdb.read_parquet,
        ".tsv": lambda name: duckdb.read_csv(name, sep="\t"),
    }[ending](str(path))
    made = relation.project("item, rating, probability_3").fetchall()
    assert made[5][:2] == ("t5", 3)
    assert made[5][2] > 0.5
    assert sorted(each.name for each in tmp_path.iterdir()) == [path.name, "votes.csv"]


def test_each_criterion_is_combined_on_its_own(run, ratings_file, tmp_path):
    path = tmp_path / "labels.jsonl"
    ended = run("aggregate", ratings_file, "--method", "median", "--scale", "1-5", "-o", path)
    assert "Median on fluency: 40 items, 120 votes" in ended.out
    assert "Median on adequacy: 40 items, 120 votes" in ended.out
    made = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(made) == 80
    assert {row["criterion"] for row in made} == {"fluency", "adequacy"}


def test_lines_have_means_with_standard_errors(run, tmp_path):
    lines = ["item,judge,rating", "a,x,10.5", "a,y,20.5", "b,x,7.25"]
    path = written(tmp_path / "lines.csv", lines)
    ended = run("aggregate", path, "--method", "mean", "--scale", "0-100")
    assert "ties" not in ended.out
    made = rows(tmp_path / "lines-combined.csv")
    assert [row["rating"] for row in made] == ["15.5", "7.25"]
    assert [row["standard_error"] for row in made] == ["5.0", ""]


def test_words_are_written_as_they_are(run, tmp_path):
    lines = ["item,judge,rating", "a,x,good", "a,y,good", "b,x,bad"]
    path = written(tmp_path / "words.csv", lines)
    assert run("aggregate", path, "--method", "majority").code == 0
    assert [row["rating"] for row in rows(tmp_path / "words-combined.csv")] == ["good", "bad"]


def test_every_occasion_can_count(run, tmp_path):
    path = written(tmp_path / "twice.csv", ["item,judge,rating", "a,x,1", "a,x,1", "a,y,2"])
    command = ("aggregate", path, "--method", "majority", "--scale", "1-2", "--occasions")
    refused = run(*command)
    assert refused.code == 1
    assert "--every-occasion" in refused.err
    assert run(*command, "--every-occasion").code == 0
    assert rows(tmp_path / "twice-combined.csv")[0]["rating"] == "1"


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--method", "median"), 1, "--scale '1-3'"),
        (("--method", "mace", "--slots", "--scale", "1-3"), 1, "do not need to know who voted"),
        (("--method", "vote"), 2, "is not one of"),
        (("--scale", "1-3"), 2, "Missing option '--method'"),
        (("--method", "median", "--smoothing", "1", "--scale", "1-3"), 2, "means nothing to"),
        (("--method", "majority", "--ties", "first"), 2, "is not one of"),
        (("--method", "majority", "--level", "nominal", "--ties", "lower"), 1, "ordered"),
        (("--method", "majority", "-o", "labels.xlsx"), 2, "must end in one of"),
        (("--method", "majority", "-o", "nowhere/labels.csv"), 1, "does not exist"),
    ],
    ids=["no-scale", "slots", "method", "no-method", "option", "ties", "names", "ending", "folder"],
)
def test_what_cannot_be_done_is_said_in_a_line_and_nothing_is_written(
    run, votes_file, options, code, words, monkeypatch
):
    monkeypatch.chdir(votes_file.parent)
    ended = run("aggregate", votes_file, *options)
    assert ended.code == code
    assert words in " ".join(ended.err.split())
    assert "Traceback" not in ended.err
    assert [each.name for each in votes_file.parent.iterdir()] == ["votes.csv"]


def test_the_input_is_never_overwritten(run, votes_file):
    ended = run("aggregate", votes_file, "--method", "majority", "-o", votes_file)
    assert ended.code == 2
    assert "is the input itself" in ended.err
    assert votes_file.read_text(encoding="utf-8").splitlines() == VOTES


def test_what_is_printed_fits_100_columns(run, votes_file):
    out = run("aggregate", votes_file, "--method", "glad", "--scale", "1-3").out
    shown = [line for line in out.splitlines() if not line.startswith("Written: ")]
    assert all(len(line) <= 100 or "|" in line for line in shown)


def test_known_answers_are_counted(run, votes_file, tmp_path):
    """Of four known answers one is wrong: Wilson's interval from 4.6 % to 69.9 %, by hand."""
    gold = written(tmp_path / "gold.csv", ["item,answer", "t0,3", "t1,1", "t2,2", "t3,1"])
    ended = run("aggregate", votes_file, "--method", "banchs-b", "--scale", "1-3", "--gold", gold)
    assert ended.code == 0
    assert "wrong ratings: 25.0% (95% interval 4.6% to 69.9%)" in ended.out
    assert "counted on 4 items with a known answer" in ended.out


def test_without_known_answers_a_few_votes_give_no_number(run, votes_file):
    ended = run("aggregate", votes_file, "--method", "dawid-skene", "--scale", "1-3")
    assert "no share of wrong ratings" in ended.out
    assert "--gold" in ended.out
    assert "wrong ratings: " not in ended.out.replace("no share of wrong ratings: ", "")


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["item,answer", "t0,3", "t0,1"], "gold.csv, line 3: item 't0' has the answer '1', and"),
        (["item,answer", "t0,7"], "gold.csv, line 2: '7' is not possible on the scale"),
        (["item,answer", "x,1"], "none of the 1 items with a known answer"),
        (["name,answer", "t0,1"], "no column 'item'"),
    ],
    ids=["twice", "off the scale", "elsewhere", "no item"],
)
def test_known_answers_that_cannot_be_used_are_named(run, votes_file, tmp_path, lines, words):
    gold = written(tmp_path / "gold.csv", lines)
    ended = run("aggregate", votes_file, "--method", "median", "--scale", "1-3", "--gold", gold)
    assert ended.code != 0
    assert words in ended.err.replace("\n", " ")
