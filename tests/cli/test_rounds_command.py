"""`covary rounds`: a study's guideline cycle, files before and after, a new group, the manual."""

import csv
import json
import shutil

import pytest

from covary import datasets
from covary.formats import write
from covary.store import Store
from covary.study import read_study, write_template
from covary.training import begin, open_set
from tests.cli.conftest import written
from tests.training.played import JUDGES, SENTENCES, evaluate, play


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A study whose judges went through two rounds and then rated the evaluation."""
    folder = tmp_path_factory.mktemp("played") / "questions"
    write_template(folder, "guidelines")
    study = read_study(folder)
    with Store.open(folder) as store:
        cycle = play(study, store)
        evaluate(study, store, (*JUDGES, "Dee", "Eva"), cycle.edition.version, wrong=("Dee",))
    return folder


@pytest.fixture
def folder(played, tmp_path):
    return shutil.copytree(played, tmp_path / "questions")


QUICK = ("--resamples", 20)


def test_a_study_tells_its_rounds_its_editions_and_how_it_ended(run, folder):
    ended = run("rounds", folder, *QUICK)
    assert (ended.code, ended.err) == (0, "")
    told = " ".join(ended.out.split())
    assert "9 items, 3 judges, 8 marked, 16 said, 1 proposed, 1 accepted, 1 changed" in told
    assert f"rule: what decides: {SENTENCES[0]}" in told
    assert "Training ended because the stop rule was met." in told
    assert "2 judges who took no part in the training rated the evaluation" in told
    assert "upper bound" in told
    assert "Relevance evaluation 12" in told
    page = (folder / "rounds.html").read_text(encoding="utf-8")
    for heading in (
        "Did the guidelines improve?", "Do the judges converge?", "Do the judges agree more?",
        "Do the guidelines work for others?", "How was the scale used?",
        "Did the order of the systems change?", "Where does disagreement come from?",
        "Which disagreement led to which sentence?", "How did the manual grow?",
        "What did the training take?", "Do judges drift after training?",
    ):  # fmt: skip
        assert f"{heading}</h2>" in page
    assert SENTENCES[0] in page


@pytest.mark.parametrize("ending", ["md", "tex", "json", "csv"])
def test_the_ending_says_the_form(run, folder, ending, tmp_path):
    path = tmp_path / f"out.{ending}"
    ended = run("rounds", folder, "-o", path, *QUICK, "--only", "criterion=Relevance")
    assert ended.code == 0, ended.err
    assert path.stat().st_size > 200
    if ending == "json":
        found = json.loads(path.read_text())["rounds"]
        assert found["rounds"] == [1, 2, "evaluation"]
        assert [each["criterion"] for each in found["criteria"]] == ["Relevance"]
        assert found["history"]["work"][0]["marked"] == 8
        assert found["criteria"][0]["fresh"]["xrr"]["details"]["normalised"] is not None


def test_the_thresholds_of_the_study_count_and_can_be_changed(run, folder, tmp_path):
    two = ("--only", "criterion=Relevance", "--only", "criterion=Question type")

    def thresholds(*said):
        path = tmp_path / f"out-{len(list(tmp_path.iterdir()))}.csv"
        run("rounds", folder, "-o", path, *QUICK, *two, *said)
        with path.open(newline="") as opened:
            return {row["criterion"]: float(row["threshold"]) for row in csv.DictReader(opened)}

    assert thresholds() == {"Question type": 0, "Relevance": 1}
    assert thresholds("--threshold", "Relevance=2") == {"Question type": 0, "Relevance": 2}
    assert thresholds("--threshold", 3) == {"Question type": 3, "Relevance": 3}


def test_it_reads_while_the_study_is_served_and_changes_nothing(run, folder):
    with Store.open(folder, serving=True) as serving:
        before = serving.training.events()
        assert run("rounds", folder, *QUICK).code == 0
        assert serving.training.events() == before
        assert serving.check(read_study(folder)) == []


def test_the_manual_and_what_changed_in_it_are_printed(run, folder):
    ended = run("rounds", folder, "--guidelines", "last")
    assert ended.code == 0
    assert "edition 2 of 2" in ended.out
    assert "1  fully relevant" in ended.out
    assert ended.out.rstrip().endswith(SENTENCES[0])
    first = run("rounds", folder, "--guidelines", 1).out
    assert SENTENCES[0] not in first
    changed = run("rounds", folder, "--diff", "first", "last").out
    assert f"+ {SENTENCES[0]}" in changed
    version = first.split()[1].rstrip(",")
    assert run("rounds", folder, "--diff", version[:6], 2).out == changed
    assert "Nothing changed." in run("rounds", folder, "--diff", 2, 2).out
    assert not (folder / "rounds.html").exists()


def test_an_edition_that_is_not_there_is_told_with_those_that_are(run, folder):
    ended = run("rounds", folder, "--guidelines", 3)
    assert ended.code == 1
    assert "'3' is not an edition of the manual; there are 1 (" in ended.err


def test_before_a_cycle_has_begun_it_says_what_to_do(run, tmp_path):
    write_template(tmp_path / "new", "guidelines")
    ended = run("rounds", tmp_path / "new")
    assert ended.code == 1
    assert "no guideline cycle has begun" in ended.err
    assert "covary serve" in ended.err
    with Store.open(tmp_path / "new"):
        pass
    ended = run("rounds", tmp_path / "new")
    assert "no guideline cycle has begun" in ended.err
    assert "no guideline cycle has begun" in run("rounds", tmp_path / "new", "--diff", 1, 2).err


def test_before_a_round_was_compared_it_says_where_things_stand(run, tmp_path):
    write_template(tmp_path / "new", "guidelines")
    study = read_study(tmp_path / "new")
    with Store.open(study.folder) as store:
        training = store.training
        training.apply(begin(study, JUDGES))
        training.apply(open_set(study, 1))
    ended = run("rounds", study.folder)
    assert ended.code == 1
    assert "in round 1 the judges rate alone; Ann, Bo, Cy still to finish" in " ".join(
        ended.out.split()
    )
    assert "no round has been compared yet" in ended.err


def test_a_cycle_counts_as_answers_beside_simulated_ones(run, folder):
    """What simulated judges rated must not hide a cycle of people."""
    shutil.copy(folder / "study.db", folder / "simulated.db")
    assert run("rounds", folder, *QUICK).err == ""


# files


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    folder = tmp_path_factory.mktemp("published")
    for name, file in (("qgstec-original", "before"), ("qgstec-reevaluated", "after")):
        write(datasets.load(name), folder / f"{file}.csv")
    return folder


SCALES = (
    "--scale", "1-4", "--scale", "question type=1-3", "--scale", "ambiguity=1-3",
    "--scale", "variety=1-3", "--best", "low", "--level", "interval",
)  # fmt: skip


def test_the_published_ratings_give_the_published_table(run, published, tmp_path):
    """Godwin & Piwek (2016), Table 6; correctness before is printed .409, the table gives .413."""
    path = tmp_path / "out.csv"
    ended = run("rounds", published / "before.csv", published / "after.csv", *SCALES, "-o", path)
    assert ended.code == 0, ended.err
    with path.open(newline="") as opened:
        rows = {(row["criterion"], row["round"]): row for row in csv.DictReader(opened)}
    found = {
        name: tuple(
            (int(rows[name, turn]["differing"]), round(float(rows[name, turn]["alpha"]), 3))
            for turn in ("before", "after")
        )
        for name in ("relevance", "question type", "correctness", "ambiguity", "variety")
    }
    assert found == {
        "relevance": ((212, 0.250), (12, 0.806)),
        "question type": ((1, 0.323), (0, 0.859)),
        "correctness": ((215, 0.413), (51, 0.838)),
        "ambiguity": ((130, 0.334), (21, 0.688)),
        "variety": ((165, 0.348), (15, 0.904)),
    }
    for row in rows.values():
        assert float(row["alpha_low"]) < float(row["alpha"]) < float(row["alpha_high"])
    assert "+.56 [+.4" in ended.out  # the change of relevance and of variety, from the values above


def rated(path, rows):
    lines = [f"{item},{judge},{rating}" for item, judge, rating in rows]
    return written(path, ["item,judge,rating", *lines])


def three(path, values):
    """Items i0, i1, … rated by Ann and Bo as the pairs say."""
    rows = [(f"i{n}", judge, value) for n, pair in enumerate(values)
            for judge, value in zip(("Ann", "Bo"), pair, strict=True)]  # fmt: skip
    return rated(path, rows)


def test_three_files_are_three_rounds_in_their_order(run, tmp_path):
    for name, values in {
        "c": [(1, 4), (2, 4), (3, 1)], "a": [(1, 3), (2, 3), (4, 4)], "b": [(1, 1), (2, 3), (4, 4)],
    }.items():  # fmt: skip
        three(tmp_path / f"{name}.csv", values)
    named = [f"{name}={tmp_path / file}" for name, file in
             (("one", "c.csv"), ("two", "a.csv"), ("three", "b.csv"))]  # fmt: skip
    ended = run("rounds", *named, "--scale", "1-4", "--format", "json", *QUICK)
    assert ended.code == 0, ended.err
    found = json.loads((tmp_path / "rounds.json").read_text())["rounds"]
    assert [(each["round"], each["differing"]) for each in found["curve"]] == [
        ("one", 3), ("two", 1), ("three", 0),
    ]  # fmt: skip


def test_one_file_with_a_column_of_rounds(run, tmp_path):
    lines = ["item,judge,rating,round", "a,Ann,1,1", "a,Bo,4,1", "b,Ann,2,2", "b,Bo,2,2"]
    ended = run("rounds", written(tmp_path / "all.csv", lines), "--scale", "1-4", *QUICK)
    assert ended.code == 0, ended.err
    assert "Written" in ended.out


def test_a_new_group_is_compared_by_its_items(run, tmp_path):
    values = [(1, 1), (2, 2), (4, 4), (3, 3), (1, 2), (4, 3), (2, 2), (1, 1)]
    after = three(tmp_path / "after.csv", values)
    before = three(tmp_path / "before.csv", [(a, 5 - b) for a, b in values])
    fresh = three(tmp_path / "fresh.csv", [(a, b) for b, a in values])
    path = tmp_path / "out.json"
    ended = run("rounds", before, after, "--fresh", fresh, "--scale", "1-4", "-o", path, *QUICK)
    assert ended.code == 0, ended.err
    assert "new group (fresh.csv): 16 ratings of 8 items by 2 judges" in ended.out
    (criterion,) = json.loads(path.read_text())["rounds"]["criteria"]
    assert criterion["fresh"]["xrr"]["value"] > 0.9
    assert criterion["fresh"]["gap"]["value"] == pytest.approx(0, abs=1e-12)


def test_a_study_takes_a_new_group_from_a_file(run, folder, tmp_path):
    with (tmp_path / "fresh.csv").open("w", newline="") as opened:
        out = csv.writer(opened)
        out.writerow(["item", "judge", "rating", "criterion"])
        for n in range(1, 13):
            for judge in ("X", "Y"):
                out.writerow([f"question-{n:02}", judge, n % 4 + 1, "Relevance"])
    path = tmp_path / "out.json"
    ended = run("rounds", folder, "--fresh", tmp_path / "fresh.csv", "-o", path, *QUICK,
                "--only", "criterion=Relevance")  # fmt: skip
    assert ended.code == 0, ended.err
    (criterion,) = json.loads(path.read_text())["rounds"]["criteria"]
    assert criterion["fresh"]["alpha_fresh"]["value"] == 1
    assert criterion["fresh"]["xrr"] is not None


def test_a_new_group_may_be_a_study_of_its_own(run, folder, played, tmp_path):
    path = tmp_path / "out.json"
    ended = run("rounds", folder / "study.db", "--fresh", played, "-o", path, *QUICK,
                "--only", "criterion=Relevance")  # fmt: skip
    assert ended.code == 0, ended.err
    (criterion,) = json.loads(path.read_text())["rounds"]["criteria"]
    assert criterion["fresh"]["gap"]["value"] < 0  # Dee turned the scale round
    assert criterion["fresh"]["xrr"]["value"] > 0.5  # three of its five judges are the authors


REFUSED = {
    "one file without rounds": (["a.csv"], 1, "a column 'round'"),
    "two of one name": (["a.csv", "other/a.csv"], 2, "two rounds are called 'a'"),
    "no number": (["a.csv", "b.csv", "--threshold", "x=y"], 2, "must end in a number"),
    "both thresholds": (
        ["a.csv", "b.csv", "--threshold", "1", "--threshold", "x=2"], 2, "one number for all",
    ),
    "negative": (["a.csv", "b.csv", "--threshold", "-1"], 1, "must be 0 or a positive number"),
    "a diff of files": (["a.csv", "b.csv", "--diff", "1", "2"], 2, "the cycle of one study"),
    "over an input": (["a.csv", "b.csv", "-o", "b.csv"], 2, "is the input itself"),
    "no file": (["a.csv", "gone.csv"], 1, "gone.csv"),
    "nothing": ([], 2, "Missing argument"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_done_is_said(run, tmp_path, monkeypatch, what):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other").mkdir()
    for name in ("a.csv", "b.csv", "other/a.csv"):
        three(tmp_path / name, [(1, 2), (3, 4)])
    arguments, code, said = REFUSED[what]
    scale = ["--scale", "1-4"] if arguments else []
    ended = run("rounds", *arguments, *scale)
    assert ended.code == code
    assert said in " ".join(ended.err.split())
    assert (tmp_path / "b.csv").read_text().startswith("item,judge,rating")


def test_a_study_refuses_columns_and_other_filters(run, folder):
    ended = run("rounds", folder, "--item", "qid")
    assert ended.code == 2
    assert "knows its own columns" in " ".join(ended.err.split())
    ended = run("rounds", folder, "--only", "judge=Ann")
    assert ended.code == 2
    assert "--only criterion=" in ended.err
