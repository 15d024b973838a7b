"""How the command line behaves to other programs, and to files that are not its own."""

import json
import shlex

import pytest

FILE = "document,system,annotator,score\n" + "".join(
    f"d{d},{s},{j},{1 + (d + n + m) % 5}\n"
    for d in range(1, 9)
    for n, s in enumerate("AB")
    for m, j in enumerate(("e1", "e2", "e3"))
)


@pytest.fixture
def ratings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.csv").write_text(FILE, encoding="utf-8")
    return tmp_path


def test_a_result_on_standard_output_stands_there_alone(run, ratings):
    done = run("report", "r.csv", "--format", "json", "--no-intervals", "-o", "-")
    assert json.loads(done.out)["title"] == "Reliability of r.csv"
    assert "48 ratings of 16 items" in done.err
    assert not (ratings / "r-report.json").exists()


def test_a_file_of_somebody_else_is_not_replaced_and_an_own_one_is(run, ratings):
    (ratings / "mine.html").write_text("<p>mine</p>")
    refused = run("report", "r.csv", "--no-intervals", "-o", "mine.html")
    assert (refused.code, "--force" in refused.err) == (1, True)
    assert run("report", "r.csv", "--no-intervals", "-o", "mine.html", "--force").code == 0
    assert run("report", "r.csv", "--no-intervals", "-o", "mine.html").code == 0


def test_the_next_command_is_complete_and_works(run, ratings):
    shown = run("check", "r.csv", "--scale", "1-5", "--strict").out
    command = shown.splitlines()[-1].split()
    assert command[:3] == ["covary", "report", "r.csv"]
    assert command[3:] == [
        *("--scale", "1-5", "--item", "document", "--judge", "annotator", "--rating", "score")
    ]
    assert run(*command[1:], "--no-intervals").code == 0


def test_a_scale_that_runs_downwards_is_explained(run, ratings):
    done = run("check", "r.csv", "--scale", "5-1")
    assert (done.code, "--scale 1-5, and --best low" in done.err) == (2, True)


def test_both_commands_are_named_where_a_file_can_be_read_in_two_ways_and_both_work(run, ratings):
    (ratings / "w.csv").write_text("what,Ann,Bo,Cy\na,1,2,1\nb,3,3,4\nc,5,5,4\nd,1,2,2\n")
    done = run("check", "w.csv", "--scale", "1-5")
    assert (done.code, "2 ways" in done.err) == (1, True)
    for names in ("{judge}", "{item}"):
        said = f"covary check w.csv --scale 1-5 --wide Ann --wide Bo --wide Cy --names '{names}'"
        assert said in done.err
        wide = ("--wide", "Ann", "--wide", "Bo", "--wide", "Cy", "--names", names)
        assert run("check", "w.csv", "--scale", "1-5", *wide).code == 0


def test_several_files_are_one_per_judge(run, ratings):
    for judge, scores in {"Ann": (1, 2, 3), "Bo": (1, 3, 3)}.items():
        rows = "".join(f"t{n},{score}\n" for n, score in enumerate(scores))
        (ratings / f"ratings_{judge}.csv").write_text("item,score\n" + rows)
    files = ("ratings_Ann.csv", "ratings_Bo.csv")
    done = run("check", *files, "--files", "judge")
    assert done.out.startswith("ratings_Ann.csv and ratings_Bo.csv: 6 ratings of 3 items")
    run("report", *files, "--files", "judge", "-o", "both.md", "--no-intervals")
    title, *_ = (ratings / "both.md").read_text("utf-8").replace("\\", "").splitlines()
    assert title.endswith("ratings_Ann.csv and ratings_Bo.csv")


def test_a_rating_off_the_scale_is_refused_with_the_way_to_leave_it_out(run, ratings):
    refused = run("report", "r.csv", "--scale", "1-4")
    assert refused.code == 1
    assert "or leave them out (--set-aside)" in refused.err
    assert run("report", "r.csv", "--scale", "1-4", "--no-intervals", "--set-aside").code == 0


def test_a_judge_who_is_called_by_joined_emojis_is_named_so(run, ratings):
    rows = "".join(f"t{n},{judge},{n}\n" for n in (1, 2, 3) for judge in ("👩‍🔬", "Bo"))
    (ratings / "emoji.csv").write_text("item,judge,rating\n" + rows, encoding="utf-8")
    assert "'Bo' and '👩‍🔬': 3 items" in run("check", "emoji.csv", "--scale", "1-5").out


def test_a_table_averages_without_signs_only_where_some_value_is_negative(run, ratings):
    (ratings / "t.csv").write_text(
        "item,judge,up,down\n" + "".join(f"t{n},{j},{n},{n}\n" for n in (1, 2, 3) for j in "AB")
    )
    rho = ("--scale", "1-3", "--coefficient", "spearman")
    alike = run("table", "t.csv", "--rating", "up", "--rating", "down", *rho).out
    assert "average" in alike
    assert "unsigned" not in alike
    (ratings / "s.csv").write_text(
        "item,judge,up,down\n"
        + "".join(f"t{n},{j},{n},{n if j == 'A' else 4 - n}\n" for n in (1, 2, 3) for j in "AB")
    )
    # rho is 1 on one criterion and -1 on the other: 0 with signs, 1 without.
    turned = run("table", "s.csv", "--rating", "up", "--rating", "down", *rho).out
    row = next(line for line in turned.splitlines() if "all judges" in line)
    assert sorted(row.split()[2:6]) == ["-1.000", "0.000", "1.000", "1.000"]


def test_the_command_after_a_check_works_also_where_something_was_set_aside(run, ratings):
    (ratings / "twice.csv").write_text(FILE + "d1,A,e1,1\n", encoding="utf-8")
    *_, following = run("check", "twice.csv", "--scale", "1-5").out.splitlines()
    assert following.endswith(" --set-aside")
    assert run(*shlex.split(following)[1:], "--no-intervals").code == 0


def test_a_threshold_that_no_coefficient_reaches_is_wrong_usage(run, ratings):
    refused = run("report", "r.csv", "--threshold", "agreement=2")
    assert (refused.code, "between 0 and 1" in refused.err) == (2, True)


def test_a_link_to_nothing_is_not_what_was_meant(run, ratings):
    (ratings / "link.csv").symlink_to("nowhere")
    assert "did you mean 'link.csv'" not in run("check", "link.csv").err
