"""`covary crowd import`: votes, rewards, times and statuses of a batch; broken rows are named."""

import csv

from covary import read
from tests.formats.test_mturk import batch, by


def wrote(path, *rows):
    path.write_text(batch(*rows), encoding="utf-8")
    return path


def vote(worker, hit, answer, **cells):
    return by(worker, hit, "30", Reward="$0.05", MaxAssignments="3", **{"Answer.quality": answer},
              **cells)  # fmt: skip


def test_votes_are_written_and_the_batch_is_accounted_for(run, tmp_path):
    file = wrote(
        tmp_path / "batch.csv",
        vote("w1", "h1", "3", **{"Input.session": "s1"}),
        vote("w2", "h1", "2", **{"Input.session": "s1"}),
        vote("w1", "h2", "1", **{"Input.session": "s2"}, AssignmentStatus="Rejected"),
    )
    ended = run("crowd", "import", file, "-o", tmp_path / "votes.csv", "--scale", "1-3",
                "--assignments", tmp_path / "paid.csv", "--wage", "7.25")  # fmt: skip
    assert ended.code == 0, ended.err
    assert "3 assignments of 2 HITs by 2 people (2 Approved, 1 Rejected)" in ended.out
    assert "rewards 0.10 paid and 0.00 owed, fees 0.02: 0.12 in all" in ended.out
    assert "30.0 s an assignment on average" in ended.out
    assert "an hour paid 6.00, less than the wage of 7.25" in ended.out
    assert "Rejected assignments were left out: 1 (--keep-rejected keeps them)" in ended.out
    assert {(tmp_path / name).stat().st_mode & 0o777 for name in ("votes.csv", "paid.csv")} == {
        0o600
    }
    votes = read(tmp_path / "votes.csv", scale="1-3")
    assert (votes.n_ratings, votes.n_items, votes.n_judges) == (2, 1, 2)
    assert votes.values("cluster") == ("s1",)
    with (tmp_path / "paid.csv").open(encoding="utf-8", newline="") as stream:
        paid = list(csv.DictReader(stream))
    assert [(row["worker"], row["status"], row["reward"], row["seconds"]) for row in paid] == [
        ("w1", "Approved", "0.05", "30.0"),
        ("w2", "Approved", "0.05", "30.0"),
        ("w1", "Rejected", "0.05", "30.0"),
    ]


def test_broken_rows_are_named_and_nothing_is_written(run, tmp_path):
    file = wrote(tmp_path / "batch.csv", vote("w1", "h1", "3"), vote("", "h2", "3"))
    ended = run("crowd", "import", file, "-o", tmp_path / "votes.csv")
    assert ended.code == 1
    assert "line 3, WorkerId: is empty" in ended.out
    assert "1 row is broken and nothing was written" in ended.err
    assert not (tmp_path / "votes.csv").exists()
    ended = run("crowd", "import", file, "-o", tmp_path / "votes.csv", "--set-aside")
    assert ended.code == 0
    assert "1 row was left out." in ended.out
    assert read(tmp_path / "votes.csv").n_ratings == 1


def test_the_item_of_a_template_is_the_item(run, tmp_path):
    file = wrote(tmp_path / "batch.csv", vote("w1", "h1", "3", **{"Input.item": "turn 7"}))
    ended = run("crowd", "import", file, "-o", tmp_path / "votes.csv")
    assert "'Input.item' is the item, not 'HITId'" in ended.out
    assert read(tmp_path / "votes.csv").values("item") == ("turn 7",)


def test_the_batch_itself_is_not_overwritten(run, tmp_path):
    file = wrote(tmp_path / "batch.csv", vote("w1", "h1", "3"))
    assert run("crowd", "import", file, "-o", file).code == 2
    assert "HITId" in file.read_text(encoding="utf-8")
