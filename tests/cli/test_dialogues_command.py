"""`covary dialogues`: turns become items, with what was said before, and the counts are told."""

import json

import pytest

from covary.study import read_study
from tests.study.folders import TOML, write_study

SAID = {
    "s1": ["Hello.", "Is there a train?", "At noon.", "And later?", "At four.", "Bye."],
    "s2": ["Hi.", "Rain?", "No.", "Thanks."],
}


@pytest.fixture
def talks(tmp_path):
    """Bot and guest speak in turn; ten turns in two sessions."""
    lines = ["session,turn,speaker,text"]
    for session, said in SAID.items():
        lines += [
            f"{session},{n},{('bot', 'guest')[(n + 1) % 2]},{text}"
            for n, text in enumerate(said, start=1)
        ]
    path = tmp_path / "talks.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def items(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_first_and_last_turns_are_left_out_and_counted(run, talks):
    """10 turns less 2 × 2; Banchs (2016) went from 437 to 405 in 16 sessions the same way."""
    ended = run("dialogues", talks)
    assert ended.code == 0, ended.err
    assert "10 of 10 turns in 2 sessions could be judged." in ended.out
    assert "4 first and last turns were left out; 6 items remain." in ended.out
    made = items(talks.with_name("items.jsonl"))
    assert [each["item"] for each in made] == ["s1-2", "s1-3", "s1-4", "s1-5", "s2-2", "s2-3"]
    last = next(each for each in made if each["item"] == "s1-5")
    assert [turn["text"] for turn in last["context"]] == SAID["s1"][1:4]
    assert (last["speaker"], last["cluster"]) == ("bot", "s1")


def test_context_speakers_and_ends_are_chosen(run, talks, tmp_path):
    ended = run("dialogues", talks, "--speaker", "guest", "--context", "1", "--keep-first",
                "-o", tmp_path / "some.jsonl")  # fmt: skip
    assert ended.code == 0, ended.err
    made = items(tmp_path / "some.jsonl")
    assert [each["item"] for each in made] == ["s1-2", "s1-4", "s2-2"]
    assert [len(each["context"]) for each in made] == [1, 1, 1]


def test_items_go_into_a_study_that_can_be_read(run, talks, tmp_path):
    toml = f'items = "items.jsonl"\n{TOML}'
    folder = write_study(tmp_path / "study", toml, None)
    ended = run("dialogues", talks, "-o", folder)
    assert "covary design" in ended.out
    study = read_study(folder)
    assert len(study.items) == 6
    assert study.items[0].speaker == "guest"


def test_the_largest_set_of_sessions_that_two_judges_rated_is_kept(run, talks, tmp_path):
    rated = tmp_path / "rated.csv"
    rows = [("s1-3", "s1", "Ada"), ("s1-3", "s1", "Ben"), ("s1-4", "s1", "Ada"),
            ("s1-4", "s1", "Ben"), ("s2-2", "s2", "Ada"), ("s2-2", "s2", "Cy")]  # fmt: skip
    rated.write_text("item,session,judge,rating\n" + "".join(f"{','.join(r)},1\n" for r in rows))
    ended = run("dialogues", talks, "--rated", rated)
    assert ended.code == 0, ended.err
    assert "Ada and Ben rated 1 of 2 sessions" in ended.out
    assert {each["cluster"] for each in items(talks.with_name("items.jsonl"))} == {"s1"}


def test_nothing_is_overwritten_and_nothing_left_is_told(run, talks, tmp_path):
    assert run("dialogues", talks).code == 0
    ended = run("dialogues", talks)
    assert ended.code == 1
    assert "--force replaces it" in ended.err
    assert run("dialogues", talks, "--force").code == 0
    assert run("dialogues", talks, "-o", tmp_path / "items.csv").code == 2
    short = tmp_path / "short.csv"
    short.write_text("session,turn,speaker,text\ns,1,a,Hi\ns,2,b,Bye\n", encoding="utf-8")
    assert "no turn of short.csv is left" in run("dialogues", short, "--force").err


def test_every_fault_is_told_with_its_row(run, tmp_path):
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("session,turn,speaker,text\ns,1,a,\ns,x,b,Bye\n", encoding="utf-8")
    ended = run("dialogues", wrong)
    assert ended.code == 1
    assert "line 2" in ended.err
    assert "line 3" in ended.err
