"""Who mistypes a command, an option, a choice or a column is told the nearest one."""

import pytest

import covary
from covary.errors import InvalidArgument
from covary.words.grammar import choose, nearest
from covary.words.grammar import did_you_mean as meant


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["reprot"], "there is no command 'reprot'; did you mean 'report'?"),
        (["aggregat"], "did you mean 'aggregate'?"),
        (["Serve"], "did you mean 'serve'?"),
        (["check-stor"], "did you mean 'check-store'?"),
        (["report", "x.csv", "--sclae", "1-5"], "no option --sclae; did you mean '--scale'?"),
        (["report", "x.csv", "--formt", "html"], "did you mean '--format'?"),
        (["report", "x.csv", "--format", "htlm"], "did you mean 'html'?"),
        (["init", "x", "--template", "dialog"], "did you mean 'dialogue'?"),
        (["aggregate", "x", "--method", "dawid_skene"], "did you mean 'dawid-skene'?"),
        (["check", "x.csv", "--level", "ordnal"], "did you mean 'ordinal'?"),
        (["check", "x.csv", "--only", "criterium=2"], "did you mean 'criterion'?"),
        (["crowd", "reprot"], "did you mean 'report'?"),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, list) else "",
)
def test_wrong_usage_names_what_was_probably_meant(run, arguments, said):
    ended = run(*arguments)
    assert ended.code == 2
    assert said in " ".join(ended.err.split())


def test_what_is_near_nothing_is_only_refused(run):
    ended = run("xyzzy")
    assert ended.code == 2
    assert "there is no command 'xyzzy'\n" in ended.err
    assert "did you mean" not in ended.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--judge", "anotator"], "did you mean 'annotator'?"),
        (["--only", "criterion=fluenci"], "did you mean 'fluency'?"),
        (["--only", "judge=ann"], "did you mean 'Ann'?"),
    ],
    ids=["column", "criterion", "judge"],
)
def test_a_column_or_value_that_is_not_there_is_told_with_the_nearest(
    run, ratings_file, arguments, said
):
    ended = run("check", ratings_file, *arguments)
    assert ended.code == 1
    assert said in ended.err


def test_a_study_that_is_not_there_is_told_with_the_nearest_one(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    covary.write_template("forecasts")
    ended = run("design", "forcasts", "--dry-run")
    assert ended.code == 1
    assert (
        "it has no study.toml; did you mean 'forecasts'? 'covary init' makes a study" in ended.err
    )


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: covary.datasets.load("qgstec-reevaluted"), "qgstec-reevaluated"),
        (lambda: covary.suitability("krippendorf_alpha", "nominal"), "krippendorff_alpha"),
        (lambda: covary.interpret(0.5, scales="landis"), "landis-koch"),
        (lambda: covary.as_scale("1-5", level="ordnal"), "ordinal"),
        (lambda: covary.write_template("x", "qgstec"), "qg-stec"),
    ],
    ids=["dataset", "coefficient", "bands", "level", "template"],
)
def test_python_suggests_too(call, said):
    with pytest.raises(InvalidArgument) as raised:
        call()
    assert f"did you mean '{said}" in str(raised.value)


def test_a_beginning_is_near_and_capitals_do_not_count():
    assert nearest("krippendorff", ["fleiss_kappa", "krippendorff_alpha"]) == "krippendorff_alpha"
    assert nearest("JUDGE", ["item", "judge"]) == "judge"
    assert nearest("x", ["item", "judge"]) is None
    assert meant("x", ["item"]) == ""
    assert choose("x", ["a1", "b1"]) == "choose one of 'a1', 'b1'"
