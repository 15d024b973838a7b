"""`covary check`: what it finds, how it says so, and how it ends."""

import json

import pytest


def test_clean_ratings_raise_nothing_serious(run, ratings_file):
    ended = run("check", ratings_file, "--scale", "1-5")
    assert (ended.code, ended.err) == (0, "")
    assert "240 ratings of 40 items by 3 judges on 'adequacy', 'fluency'" in ended.out
    assert "Serious" not in ended.out
    assert f"covary report {ratings_file}" in ended.out


def test_what_was_guessed_is_said(run, ratings_file):
    out = " ".join(run("check", ratings_file).out.split())
    assert "'qid' as the item, 'annotator' as the judge and 'score' as the rating" in out


def test_sorted_columns_are_found_with_evidence_and_advice(run, sorted_file):
    ended = run("check", sorted_file, "--wide", "J*", "--scale", "1-5")
    assert ended.code == 0
    serious = ended.out.split("Serious")[1]
    assert "[sorted-columns]" in serious
    assert "never below" in serious
    assert "-> " in serious
    assert "--slots" in serious  # the advice speaks of options, not of keywords


def test_slots_are_no_persons_who_could_be_sorted_by_mistake(run, sorted_file):
    named = run("check", sorted_file, "--wide", "J1,J2,J3", "--strict").code
    assert named == 1
    ended = run("check", sorted_file, "--wide", "J1,J2,J3", "--slots")
    assert ended.code == 0
    assert "60 items\n" in ended.out  # "by 3 judges" is not said of slots


@pytest.mark.parametrize(("strict", "code"), [([], 0), (["--strict"], 1)], ids=["plain", "strict"])
def test_strict_ends_with_1_when_something_is_serious(run, sorted_file, strict, code):
    assert run("check", sorted_file, "--wide", "J*", *strict).code == code


def test_strict_ends_with_0_when_nothing_is_serious(run, ratings_file):
    assert run("check", ratings_file, "--scale", "1-5", "--strict").code == 0


def test_ratings_off_the_scale_and_duplicates_are_reported_not_refused(run, ratings_file):
    with ratings_file.open("a", encoding="utf-8") as file:
        file.write("q1,Ann,4,fluency,expert\nq99,Bo,55,fluency,expert\n")
    ended = run("check", ratings_file, "--scale", "1-5")
    assert ended.code == 0
    assert "q99" in ended.out
    assert "more than once" in ended.out or "duplicate" in ended.out.lower()


def test_json_holds_counts_notes_and_findings(run, sorted_file):
    ended = run("check", sorted_file, "--wide", "J*", "--format", "json")
    found = json.loads(ended.out)
    assert found["counts"] == {"ratings": 180, "items": 60, "judges": 3}
    assert "sorted-columns" in [each["code"] for each in found["findings"]]
    assert {"seriousness", "title", "evidence", "advice", "data"} <= found["findings"][0].keys()


def test_a_part_can_be_checked(run, ratings_file):
    ended = run("check", ratings_file, "--only", "criterion=fluency", "--only", "judge=Ann",
                "--only", "judge=Cy")  # fmt: skip
    assert "80 ratings of 40 items by 2 judges on 'fluency'" in ended.out


def test_what_is_printed_fits_100_columns(run, sorted_file):
    out = run("check", sorted_file, "--wide", "J*").out
    lines = [line for line in out.splitlines() if not line.startswith("  covary ")]
    assert all(len(line) <= 100 and line == line.rstrip() for line in lines)
    assert "\x1b" not in out  # no colours where nobody sees them


@pytest.mark.parametrize(
    ("scale", "point", "said", "way_out"),
    [
        ("1-5", ".", "all ratings lie between the points of the scale", "--scale '1,1.5,2,2.5,"),
        ("1-5", ",", "all ratings lie between the points of the scale", "--scale '1,1.5,2,2.5,"),
        ("7-9", ".", "no rating is possible on the scale", "Declare the scale that was used"),
    ],
    ids=["half points", "decimal commas", "another scale"],
)
def test_ratings_that_are_all_off_the_scale_are_not_called_missing(
    run, tmp_path, scale, point, said, way_out
):
    file = tmp_path / "ratings.csv"
    rows = [f"{i};{j};{1 + (i + j) % 4}{point}5" for i in range(6) for j in range(3)]
    file.write_text("\n".join(["item;judge;rating", *rows]), "utf-8")
    ended = run("check", file, "--scale", scale)
    assert ended.code == 1
    text = " ".join(ended.err.split())
    assert said in text
    assert "row 2: item 0, judge 0, rating 1.5" in text
    assert way_out in text
    assert "holds no ratings" not in text


def test_a_file_without_any_rating_is_refused(run, tmp_path):
    path = tmp_path / "unrated.csv"
    path.write_text("item,judge,rating\nq1,Ann,\nq1,Bo,n/a\n", encoding="utf-8")
    ended = run("check", str(path), "--scale", "1-5")
    assert ended.code == 1
    assert "holds no ratings" in ended.err
