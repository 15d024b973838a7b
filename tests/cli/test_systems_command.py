"""`covary systems`: what it writes and prints, where, and when it refuses."""

import json
import random

import pytest

from tests.cli.conftest import written

QUICK = ("--scale", "1-5", "--resamples", "50")


@pytest.fixture
def systems_file(tmp_path):
    """Three systems, eight sources, three judges; weaver is best and smith worst."""
    draw = random.Random(4)
    lines = ["text,annotator,score,model,input"]
    for model, quality in (("weaver", 4), ("potter", 3), ("smith", 2)):
        for number in range(8):
            for annotator in ("Ann", "Bo", "Cy"):
                score = min(5, max(1, quality + draw.choice((-1, 0, 0, 1))))
                lines.append(f"{model}-{number},{annotator},{score},{model},d{number}")
    return written(tmp_path / "scores.csv", lines)


NAMED = ("--system", "model", "--source", "input", "--item", "text")


def test_the_report_goes_beside_the_ratings_and_its_table_is_printed(run, systems_file):
    ended = run("systems", systems_file, *NAMED, *QUICK)
    assert (ended.code, ended.err) == (0, "")
    path = systems_file.with_name("scores-systems.html")
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert f"Written: {path}" in ended.out
    table = [line.split() for line in ended.out.splitlines()]
    heads = next(line for line in table if line[:1] == ["system"])
    assert heads[:7] == ["system", "n", "mean", "95%", "interval", "letters", "P(best)"]
    assert heads[7:] == ["ordinal", "ordinal", "letters"]
    start = table.index(heads)
    assert [line[0] for line in table[start + 1 : start + 4]] == ["weaver", "potter", "smith"]
    assert "3 of 3 differences between systems are significant at 0.05." in ended.out


def test_the_low_end_may_be_best(run, systems_file):
    out = run("systems", systems_file, *NAMED, *QUICK, "--best", "low").out.partition("P(best)")[2]
    assert out.index("smith") < out.index("potter") < out.index("weaver")


@pytest.mark.parametrize(
    ("form", "ending", "mark"),
    [("html", ".html", "<html"), ("markdown", ".md", "# Systems in scores.csv"),
     ("latex", ".tex", "\\begin{document}"), ("json", ".json", '"rank_tests"'),
     ("csv", ".csv", "criterion,system,human")],
)  # fmt: skip
def test_each_form_has_its_ending(run, systems_file, form, ending, mark):
    assert run("systems", systems_file, "--format", form, *NAMED, *QUICK).code == 0
    path = systems_file.with_name(f"scores-systems{ending}")
    assert mark in path.read_text(encoding="utf-8")


def test_a_folder_gets_a_file_with_the_usual_name(run, systems_file, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    assert run("systems", systems_file, "-o", folder, *NAMED, *QUICK).code == 0
    assert [each.name for each in folder.iterdir()] == ["scores-systems.html"]


def test_wishes_reach_the_comparison(run, systems_file, tmp_path):
    path = tmp_path / "x.json"
    wishes = ("--procedure", "holm", "--error", "mixed", "--human", "smith", "--seed", "9")
    assert run("systems", systems_file, "-o", path, *NAMED, *QUICK, *wishes).code == 0
    found = json.loads(path.read_text(encoding="utf-8"))["systems"]
    assert (found["procedure"], found["error"], found["seed"]) == ("holm", "mixed", 9)
    assert [each["human"] for each in found["criteria"][0]["systems"]] == [False, False, True]
    assert found["criteria"][0]["mixed"]["components"]["residual"] > 0


def test_the_same_seed_gives_the_same_file(run, systems_file, tmp_path):
    texts = []
    for name in ("first.json", "second.json"):
        run("systems", systems_file, "-o", tmp_path / name, *NAMED, *QUICK, "--seed", "3")
        texts.append((tmp_path / name).read_text(encoding="utf-8"))
    assert texts[0] == texts[1]


def test_ratings_without_systems_say_which_option_names_them(run, ratings_file):
    ended = run("systems", ratings_file, *QUICK)
    assert ended.code == 1
    assert "--system" in ended.err
    assert ended.err.count("\n") == 1
    assert not ratings_file.with_name("ratings-systems.html").exists()


def test_a_person_who_is_no_system_is_refused(run, systems_file):
    ended = run("systems", systems_file, *NAMED, *QUICK, "--human", "nobody")
    assert ended.code == 1
    assert "'nobody' cannot be marked as human" in ended.err
    assert "'weaver'" in ended.err


def test_the_input_is_never_written_over(run, systems_file):
    before = systems_file.read_bytes()
    ended = run("systems", systems_file, "-o", systems_file, "--format", "csv", *NAMED, *QUICK)
    assert ended.code == 2
    assert systems_file.read_bytes() == before


@pytest.mark.parametrize("option", [("--procedure", "duncan"), ("--error", "none")])
def test_unknown_wishes_are_wrong_usage(run, systems_file, option):
    assert run("systems", systems_file, *NAMED, *QUICK, *option).code == 2


def test_help_shows_examples_and_all_wishes(run):
    out = run("systems", "--help").out
    for word in ("covary systems ratings.csv --scale 1-5", "--procedure", "--error", "--human",
                 "games-howell", "--seed"):  # fmt: skip
        assert word in out
    assert "systems" in run("--help").out


def test_of_two_systems_it_is_said_whether_they_differ_by_the_error_that_follows_the_design(
    run, tmp_path
):
    """Three judges rate each text alike: sixty ratings, and only ten texts of each system."""
    draw = random.Random(1)
    lines = ["item,judge,rating,system"]
    for number in range(20):
        text = draw.gauss(50 + 4 * (number % 2), 12)
        lines += [
            f"t{number},{judge},{text + draw.gauss(0, 1):.1f},{'ab'[number % 2]}"
            for judge in ("Ann", "Bo", "Cy")
        ]
    path = written(tmp_path / "two.csv", lines)
    ended = run("systems", path, "--scale", "0-100", "--resamples", "50", "-o", tmp_path / "two.md")
    assert "The difference between the two systems is not significant at 0.05." in ended.out
    page = (tmp_path / "two.md").read_text(encoding="utf-8")
    (row,) = [line for line in page.splitlines() if line.startswith("| mixed model |")]
    assert "analysis of variance, one model" not in page
    assert row.endswith("| 0 of 1 |")
    assert "*" not in row


def test_a_slash_at_the_end_names_a_folder(run, systems_file, tmp_path):
    folder = tmp_path / "paper"
    assert run("systems", systems_file, *NAMED, *QUICK, "-o", f"{folder}/").code == 0
    assert [file.name for file in folder.iterdir()] == ["scores-systems.html"]
