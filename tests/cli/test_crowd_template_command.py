"""`covary crowd template`: a task goes out, and its results come back."""

import csv

from covary import read
from tests.formats.test_mturk import batch, by


def test_a_task_goes_out_and_its_results_come_back(run, tmp_path):
    assert run("init", tmp_path / "talk", "--template", "dialogue").code == 0
    ended = run("crowd", "template", tmp_path / "talk", "-o", tmp_path / "task")
    assert ended.code == 0, ended.err
    with (tmp_path / "task" / "task.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert f"{len(rows)} items; marks: speaker_1, turn_1" in ended.out
    preview = (tmp_path / "task" / "preview.html").read_text(encoding="utf-8")
    assert rows[0]["text"] in preview
    assert "${" in (tmp_path / "task" / "task.html").read_text(encoding="utf-8")
    inputs = [{f"Input.{name}": cell for name, cell in row.items()} for row in rows]
    results = [
        by(worker, f"h{n}", **each, **{"Answer.Validity": "valid"})
        for n, each in enumerate(inputs)
        for worker in ("w1", "w2")
    ]
    (tmp_path / "batch.csv").write_text(batch(*results), encoding="utf-8")
    ended = run("crowd", "import", tmp_path / "batch.csv", "-o", tmp_path / "votes.csv")
    assert ended.code == 0, ended.err
    votes = read(tmp_path / "votes.csv", scale="invalid,acceptable,valid")
    assert set(votes.values("item")) == {row["item"] for row in rows}
    assert votes.criteria == ("Validity",)
    assert votes.n_judges == 2


def test_a_file_in_the_way_is_told(run, tmp_path):
    run("init", tmp_path / "talk", "--template", "dialogue")
    (tmp_path / "task").write_text("mine", encoding="utf-8")
    ended = run("crowd", "template", tmp_path / "talk", "-o", tmp_path / "task")
    assert ended.code == 1
    assert "is a file; name a folder" in ended.err
