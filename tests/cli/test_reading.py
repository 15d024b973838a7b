"""The options of reading: the same for every command, and each does what it says."""

import click
import pytest

from covary.cli.entry import covary
from covary.cli.reading import NAMES, OPTIONS, reads_ratings
from covary.ratings import COLUMNS

COMMANDS = tuple(covary.load_all().values())

READING = [
    command for command in COMMANDS if any("--input-format" in each.opts for each in command.params)
]


def shape(parameter):
    return parameter.name, parameter.opts, parameter.multiple, getattr(parameter, "help", None)


def of_reading(command):
    return [shape(each) for each in command.params if each.name in NAMES]


def test_every_command_that_reads_ratings_has_the_same_options():
    assert {"check", "report", "systems", "compare"} <= {command.name for command in READING}
    (file, *first), *others = (of_reading(command) for command in READING)
    assert len([file, *first]) == len(OPTIONS) == len(NAMES)
    for other in others:  # one may read several files
        assert [each for each in other if each[0] != "file"] == first


def test_every_column_of_the_table_can_be_named():
    assert {f"--{role}" for role in COLUMNS} <= {
        name for command in READING for each in command.params for name in each.opts
    }


def test_a_command_keeps_its_own_options_apart():
    @click.command()
    @reads_ratings
    @click.option("--loud", is_flag=True)
    def listen(reading, loud):
        return reading, loud

    reading, loud = listen.main(["a.csv", "--loud", "--item", "qid"], standalone_mode=False)
    assert loud
    assert (reading.file.name, reading.keywords) == ("a.csv", {"item": "qid"})


def keywords(*arguments):
    @click.command()
    @reads_ratings
    def listen(reading):
        return reading.keywords

    return listen.main(["a.csv", *arguments], standalone_mode=False)


def test_scales_ends_and_levels_meet_by_criterion():
    said = keywords("--scale", "1-3", "--scale", "fluency=1-5", "--best", "fluency=low",
                    "--level", "adequacy=nominal")["scale"]  # fmt: skip
    assert said["fluency"].categories == (1, 2, 3, 4, 5)
    assert said["fluency"].best == "low"
    assert (said[None].best, str(said[None].level)) == ("high", "ordinal")
    assert str(said["adequacy"].level) == "nominal"
    assert said["adequacy"].categories == (1, 2, 3)


def test_a_level_alone_goes_to_the_table():
    assert {str(level) for level in keywords("--level", "interval")["level"].values()} == {
        "interval"
    }


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (["--wide", "J*"], ["J*"]),
        (["--wide", "J1, J2"], ["J1, J2"]),
        (["--wide", "J1", "--wide", "J2"], ["J1", "J2"]),
        (["--wide", "all"], True),
    ],
    ids=["pattern", "commas", "repeated", "all"],
)
def test_wide_takes_names_patterns_or_all(said, meant):
    assert keywords(*said)["wide"] == meant


def test_flags_and_empty_names_become_keywords():
    said = keywords("--slots", "--occasions", "--criterion", "", "--rating", "a", "--rating", "b")
    assert said == {
        "judges": "slots", "repeats": "occasions", "criterion": None, "rating": ["a", "b"],
    }  # fmt: skip


@pytest.mark.parametrize(
    "arguments",
    [
        ["--scale", "1..x"],
        ["--scale", "fluency="],
        ["--best", "low"],
        ["--scale", "1-5", "--best", "middle"],
        ["--level", "high"],
        ["--only", "fluency"],
        ["--only", "colour=red"],
        ["--input-format", "excel"],
    ],
    ids=" ".join,
)
def test_what_cannot_be_meant_is_wrong_usage(run, ratings_file, arguments):
    ended = run("check", ratings_file, *arguments)
    assert ended.code == 2
    assert ended.out == ""
    assert "Usage: covary check" in ended.err
    assert "Traceback" not in ended.err


def test_columns_can_be_said(run, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text(
        "thing;who;mark\n" + "".join(f"t{i};{j};{i % 3}\n" for i in range(9) for j in "ab")
    )
    ended = run("check", path, "--item", "thing", "--judge", "who", "--rating", "mark")
    assert ended.code == 0
    assert "18 ratings of 9 items by 2 judges" in ended.out


def test_numbers_can_be_kept_by_their_text(run, tmp_path):
    path = tmp_path / "numbered.csv"
    path.write_text(
        "item,judge,rating\n" + "".join(f"{i},{j},{i % 3}\n" for i in range(9) for j in (1, 2, 3))
    )
    assert "by 2 judges" in run("check", path, "--only", "judge=1", "--only", "judge=3").out


def test_who_names_a_criterion_where_a_column_is_meant_is_told_how(run, ratings_file):
    ended = run("check", ratings_file, "--criterion", "fluency")
    assert ended.code == 1
    assert "--only criterion=fluency" in ended.err


def test_every_command_is_in_the_help_and_has_an_example(run):
    listed = run("--help").out
    for command in COMMANDS:
        assert f"  {command.name} " in listed
        shown = run(command.name, "--help").out
        assert f"Examples:\n    covary {command.name}" in shown


ONCE = "text,who,score\nT1,Ann,4\n,Bo,5\nT2,Ann,1\n,Bo,2\n"
TWICE = "item,judge,rating\nT1,Ann,4\nT1,Bo,5\nT2,Ann,1\nT2,Bo,2\nT2,Bo,3\n"
CODED = "item,judge,rating\nT1,Ann,4\nT1,Bo,5\nT2,Ann,1\nT2,Bo,-99\n"
NESTED = '{"a": [{"item": "T1", "judge": "Ann", "rating": 4}], "b": [{"x": 1}]}'


@pytest.mark.parametrize(
    ("name", "content", "options", "way"),
    [
        (
            "a.csv",
            ONCE,
            ["--item", "text", "--annotator", "who", "--rating", "score"],
            ["--fill", "text"],
        ),
        ("a.csv", TWICE, [], ["--repeats", "last"]),
        ("a.csv", CODED, [], ["--answer", "-99="]),
        ("a.json", NESTED, [], ["--records", "a"]),
    ],
    ids=["empty cells", "repeats", "codes", "records"],
)
def test_what_a_refusal_tells_to_say_is_understood(run, tmp_path, name, content, options, way):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    refused = run("report", path, *options, "-o", "-", "--format", "json")
    assert refused.code != 0
    assert way[0] in refused.err
    assert run("check", path, *options, *way).code == 0


def test_a_rater_and_an_annotator_are_judges(run, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(ONCE.replace("\n,", "\nT9,"), encoding="utf-8")
    said = ("--item", "text", "--rating", "score")
    for option in ("--judge", "--rater", "--annotator"):
        assert run("check", path, *said, option, "who").code == 0


def test_a_best_end_for_all_goes_with_scales_by_criterion():
    said = keywords("--scale", "fluency=1-5", "--scale", "adequacy=1-3", "--best", "low",
                    "--best", "adequacy=high")["scale"]  # fmt: skip
    assert (said["fluency"].best, said["adequacy"].best) == ("low", "high")


def test_ratings_are_left_out_by_what_they_say(run, ratings_file):
    ended = run("check", ratings_file, "--without", "judge=Ann", "--format", "json")
    assert ended.code == 0
    assert "Ann" not in ended.out
    refused = run("check", ratings_file, "--only", "judge!=Ann")
    assert "say --without judge=Ann" in refused.err


def test_a_judge_is_left_out_by_the_pseudonym_of_the_report(run, ratings_file):
    ended = run("check", ratings_file, "--anonymous", "--without", "judge=J1", "--format", "json")
    named = run("check", ratings_file, "--anonymous", "--without", "judge=Ann", "--format", "json")
    assert ended.code == 0
    assert ended.out == named.out
    assert "J1" not in ended.out


def test_a_key_of_items_gives_the_systems_and_a_refusal_names_it(run, tmp_path):
    form, key = tmp_path / "form.csv", tmp_path / "key.csv"
    form.write_text("Respondent,q1,q2,q3,q4\nAnn,4,1,5,2\nBo,5,2,4,2\nCy,4,2,4,1\n")
    key.write_text("item,system\nq1,A\nq2,B\nq3,A\nq4,B\n")
    refused = run("systems", form, "--scale", "1-5")
    assert refused.code == 1
    assert "--items FILE" in " ".join(refused.err.split())
    made = run("systems", form, "--scale", "1-5", "--items", key)
    assert made.code == 0, made.err
    assert "4 of 4 items were found" in " ".join((made.out + made.err).split())
