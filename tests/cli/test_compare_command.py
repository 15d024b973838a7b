"""`covary compare`: files, names, scales by name, and refusals."""

import json

import pytest

from tests.analysis.scale_studies import small

SCALES = ("--scale", "VDS=1-7", "--scale", "VAS=0-100")


@pytest.fixture
def files(tmp_path):
    small(criteria=("clarity", "readability")).write(tmp_path)
    return tmp_path


def test_the_report_goes_beside_the_first_file_and_its_short_form_is_printed(run, files):
    beside = ("--validity", files / "accuracy.csv", "--preference", files / "preference.csv")
    ended = run("compare", files / "VDS.csv", files / "VAS.csv", *SCALES, *beside)
    assert (ended.code, ended.err) == (0, "")
    path = files / "scale-comparison.html"
    assert f"Written: {path}" in ended.out
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    for words in ("VDS (1)", "VAS (2)", "Same judges in VDS and VAS: no.", "would rather use"):
        assert words in ended.out


@pytest.mark.parametrize("ending", ["md", "tex", "json", "csv"])
def test_the_ending_says_the_form(run, files, ending):
    path = files / f"out.{ending}"
    ended = run("compare", files / "VDS.csv", files / "VAS.csv", *SCALES, "-o", path,
                "--no-intervals")  # fmt: skip
    assert ended.code == 0, ended.err
    assert path.stat().st_size > 1000


def test_scale_best_and_level_may_be_about_one_experiment(run, files):
    path = files / "out.json"
    ended = run("compare", files / "VDS.csv", files / "VAS.csv", *SCALES, "--best", "VDS=low",
                "--level", "VDS=interval", "-o", path, "--no-intervals")  # fmt: skip
    assert ended.code == 0, ended.err
    parts = json.loads(path.read_text())["comparison"]["criteria"][0]["parts"]
    assert parts[0]["scale"].startswith("interval: 1, 2")
    assert (parts[0]["best"], parts[-1]["best"]) == ("low", "high")
    assert parts[-1]["scale"] == "interval: any number from 0 to 100"


def test_files_of_one_name_are_test_and_retest(run, files):
    rows = (files / "VDS.csv").read_text().splitlines()
    for occasion in "12":
        own = [rows[0], *(row for row in rows[1:] if row.endswith(f",{occasion}"))]
        (files / f"run{occasion}.csv").write_text("\n".join(own) + "\n")
    path = files / "out.json"
    ended = run("compare", f"VDS={files / 'run1.csv'}", f"VDS={files / 'run2.csv'}",
                f"line={files / 'VAS.csv'}", "--scale", "VDS=1-7", "-o", path,
                "--no-intervals")  # fmt: skip
    assert ended.code == 0, ended.err
    found = json.loads(path.read_text())["comparison"]
    assert found["experiments"] == ["VDS", "line"]
    assert found["criteria"][0]["stability"][0]["n_pairs"] == 64


def test_a_scale_that_was_not_declared_is_guessed_and_that_is_said(run, files):
    ended = run("compare", files / "VDS.csv", files / "VAS.csv", "--no-intervals")
    assert ended.code == 0
    assert "VDS: no scale was declared" in " ".join(ended.out.split())


def test_one_criterion_can_be_kept(run, files):
    path = files / "out.json"
    ended = run("compare", files / "VDS.csv", files / "VAS.csv", *SCALES, "-o", path,
                "--only", "criterion=clarity", "--no-intervals")  # fmt: skip
    assert ended.code == 0, ended.err
    assert len(json.loads(path.read_text())["comparison"]["criteria"]) == 1


def test_one_file_is_no_comparison(run, files):
    ended = run("compare", files / "VDS.csv")
    assert ended.code == 2
    assert "two or more experiments" in ended.err


def test_two_files_of_one_stem_must_be_told_apart(run, files):
    (files / "other").mkdir()
    (files / "other" / "VDS.csv").write_bytes((files / "VAS.csv").read_bytes())
    ended = run("compare", files / "VDS.csv", files / "other" / "VDS.csv", files / "VAS.csv")
    assert ended.code == 2
    assert "NAME=FILE" in ended.err


def test_a_report_never_overwrites_an_input(run, files):
    ended = run("compare", files / "VDS.csv", files / "VAS.csv", *SCALES, "-o", files / "VAS.csv")
    assert ended.code == 2
    assert "input itself" in ended.err


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda row: row.replace("system", "who").replace("source", "text"), "VAS: the ratings do"),
        (lambda row: row.replace(",S0", ",T0"), "share no system"),
        (lambda row: row.replace("clarity", "x").replace("readability", "y"), "no criterion"),
        (lambda row: row.replace(",1", ",1.5x"), "VAS"),
    ],
    ids=["no system", "other systems", "other criteria", "bad ratings"],
)
def test_experiments_that_cannot_be_compared_end_with_one_clear_line(run, files, change, words):
    path = files / "VAS.csv"
    path.write_text("\n".join(change(row) for row in path.read_text().splitlines()) + "\n")
    ended = run("compare", files / "VDS.csv", path, "--no-intervals")
    assert ended.code == 1
    assert words in ended.err
    assert ended.err.count("\n") == 1 or "\n    covary " in ended.err


def test_one_system_only_is_refused(run, files):
    ended = run("compare", files / "VDS.csv", files / "VAS.csv", "--only", "system=S01")
    assert ended.code == 1
    assert "at least 3 systems" in ended.err


def test_other_items_are_compared_on_the_systems_they_share(run, files):
    path = files / "VAS.csv"
    rows = path.read_text().splitlines()
    path.write_text("\n".join([rows[0], *(f"new-{row}" for row in rows[1:])]) + "\n")
    out = files / "out.json"
    ended = run("compare", files / "VDS.csv", path, *SCALES, "-o", out, "--no-intervals")
    assert ended.code == 0, ended.err
    pairs = json.loads(out.read_text())["comparison"]["criteria"][0]["interchangeability"]
    assert pairs[1]["shared_items"] == 0


def test_the_same_seed_gives_the_same_report(run, files):
    texts = []
    for name in ("one.json", "two.json"):
        run("compare", files / "VDS.csv", files / "VAS.csv", *SCALES, "-o", files / name,
            "--seed", "3", "--no-intervals")  # fmt: skip
        texts.append((files / name).read_text())
    assert texts[0] == texts[1]
