"""Turns of dialogues become items, with the turns before them and without both ends."""

import json

import pytest

from covary.errors import InvalidArgument, StudyError
from covary.study import DialogueTurn, dialogue_items, read_dialogues, read_study, write_items
from tests.study.folders import TOML, write_study


def session(name, length, speakers="AB"):
    return [
        DialogueTurn(name, number, speakers[number % len(speakers)], f"{name} says {number}")
        for number in range(1, length + 1)
    ]


def csv_file(folder, *rows, header="session,turn,speaker,text"):
    file = folder / "dialogues.csv"
    file.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return file


def faults(file):
    with pytest.raises(StudyError) as found:
        read_dialogues(file)
    return [(each.line, each.key) for each in found.value.faults]


def test_both_ends_of_sixteen_sessions_leave_405_of_437_turns():
    """Banchs (2016): 437 turns in 16 sessions, 437 - 2 · 16 = 405."""
    lengths = [27] * 15 + [32]
    turns = [each for n, length in enumerate(lengths) for each in session(f"s{n}", length)]
    found = dialogue_items(turns)
    assert (found.sessions, found.turns, found.judged) == (16, 437, 437)
    assert (found.left_out, len(found.items)) == (32, 405)
    assert "405 items remain" in " ".join(found.sentences())


def test_the_context_is_the_three_turns_before_in_their_order():
    items = {each.id: each for each in dialogue_items(session("s", 6)).items}
    assert [each.text for each in items["s-5"].context] == ["s says 2", "s says 3", "s says 4"]
    assert [each.speaker for each in items["s-5"].context] == ["A", "B", "A"]
    assert [each.text for each in items["s-2"].context] == ["s says 1"]


def test_no_context_is_taken_from_another_session():
    found = dialogue_items(session("s", 3) + session("t", 3), skip_first=False)
    assert [each.context for each in found.items if each.id in ("s-1", "t-1")] == [(), ()]


def test_items_know_their_session_as_cluster_and_the_system():
    turn = DialogueTurn("s", 1, "bot", "Hello.", system="rules")
    (item,) = dialogue_items([turn], skip_first=False, skip_last=False).items
    assert (item.cluster, item.systems, item.texts) == ("s", ("rules",), ("Hello.",))


def test_only_the_named_speakers_are_judged_but_all_give_context():
    found = dialogue_items(session("s", 7), speakers=["B"], context=1)
    assert [each.id for each in found.items] == ["s-3", "s-5"]
    assert [each.context[0].speaker for each in found.items] == ["A", "A"]
    assert (found.turns, found.judged, found.left_out) == (7, 4, 2)


@pytest.mark.parametrize(
    ("first", "last", "ids"),
    [
        (False, False, ["s-1", "s-2", "s-3"]),
        (True, False, ["s-2", "s-3"]),
        (False, True, ["s-1", "s-2"]),
    ],
)
def test_each_end_can_be_kept(first, last, ids):
    found = dialogue_items(session("s", 3), skip_first=first, skip_last=last)
    assert [each.id for each in found.items] == ids


@pytest.mark.parametrize("length", [1, 2])
def test_a_session_that_is_all_ends_is_named(length):
    found = dialogue_items([*session("short", length), *session("long", 3)])
    assert found.empty_sessions == ("short",)
    assert (found.left_out, len(found.items)) == (length + 2, 1)
    assert any("'short'" in each for each in found.sentences())


def test_rows_may_stand_in_any_order():
    turns = session("s", 5)
    assert dialogue_items(turns[::-1]).items == dialogue_items(turns).items


@pytest.mark.parametrize("context", [-1, 1.5, True])
def test_a_context_that_is_no_number_of_turns_is_refused(context):
    with pytest.raises(InvalidArgument, match="context="):
        dialogue_items(session("s", 3), context=context)


def test_an_unknown_speaker_is_refused_with_those_there_are():
    with pytest.raises(InvalidArgument, match="'A', 'B'"):
        dialogue_items(session("s", 3), speakers=["bot"])


def test_turns_made_in_memory_are_checked_too():
    with pytest.raises(StudyError, match="goes from turn 1 to 3"):
        dialogue_items([each for each in session("s", 3) if each.number != 2])


@pytest.mark.parametrize(
    ("turn", "key"),
    [
        (DialogueTurn("", 1, "A", "Hello."), "session"),
        (DialogueTurn("s" * 151, 1, "A", "Hello."), "session"),
        (DialogueTurn("s", 1, "A", " "), "text"),
    ],
)
def test_a_turn_made_in_memory_needs_session_and_text(turn, key):
    with pytest.raises(StudyError) as found:
        dialogue_items([turn])
    assert [each.key for each in found.value.faults] == [key]


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl"])
def test_the_three_kinds_of_file_hold_the_same_turns(tmp_path, ending):
    rows = [("s", 1, "A", 'Well, "yes".'), ("s", 2, "B", "No.")]
    file = tmp_path / f"dialogues.{ending}"
    names = ("session", "turn", "speaker", "text")
    if ending == "jsonl":
        lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
    else:
        mark = {"csv": ",", "tsv": "\t"}[ending]
        cells = [[str(each).replace('"', '""') for each in row] for row in rows]
        lines = [mark.join(names), *(mark.join(f'"{each}"' for each in row) for row in cells)]
    file.write_text("\n".join(lines), encoding="utf-8")
    found = read_dialogues(file)
    assert [(each.session, each.number, each.speaker, each.text) for each in found] == rows


def test_every_fault_is_told_at_once_with_its_row(tmp_path):
    file = csv_file(tmp_path, ",1,A,Hello.", "s,1,A,", "s,2,B,Yes.", "s,2,A,Again.", "s,5,B,Late.")
    assert faults(file) == [(2, "session"), (3, "text"), (5, "turn"), (6, "turn")]


def test_a_number_that_is_none_is_one_fault_and_no_gap_besides(tmp_path):
    assert faults(csv_file(tmp_path, "s,1,A,Hi.", "s,two,B,Yes.", "s,3,A,No.")) == [(3, "turn")]


def test_an_empty_text_is_no_gap_besides(tmp_path):
    assert faults(csv_file(tmp_path, "s,1,A,Hi.", "s,2,B, ", "s,3,A,No.")) == [(3, "text")]


@pytest.mark.parametrize("header", ["session,turn,speaker", "dialogue,turn,speaker,text"])
def test_a_missing_column_is_named_once(tmp_path, header):
    missing = "text" if "text" not in header else "session"
    assert faults(csv_file(tmp_path, "s,1,A,Hi.", "s,2,A,Hi.", header=header)) == [(1, missing)]


def test_lines_that_are_no_json_objects_are_named(tmp_path):
    file = tmp_path / "d.jsonl"
    file.write_text('[1]\n{"session":\n', encoding="utf-8")
    assert [line for line, _ in faults(file)] == [1, 2]


@pytest.mark.parametrize("name", ["none.csv", "dialogues.xml"])
def test_a_file_that_is_not_there_or_not_known_is_a_fault(tmp_path, name):
    (tmp_path / "dialogues.xml").write_text("<a/>", encoding="utf-8")
    assert faults(tmp_path / name) == [(None, "")]


def test_a_file_without_turns_is_a_fault(tmp_path):
    assert faults(csv_file(tmp_path)) == [(None, "")]


def test_items_that_were_written_are_read_back_by_a_study(tmp_path):
    lines = "\u2028 and\nlines: “quoted”"
    turns = [*session("s", 4), DialogueTurn("s", 5, "A", lines, "rules"), *session("t", 3)]
    found = dialogue_items(turns, skip_last=False)
    folder = write_study(tmp_path, f'items = "items.jsonl"\n{TOML}', None)
    write_items(found, folder / "items.jsonl")
    assert read_study(folder).items == found.items


def test_items_with_context_are_written_as_json_lines_only(tmp_path):
    with pytest.raises(InvalidArgument, match=r"\.jsonl"):
        write_items(dialogue_items(session("s", 3)), tmp_path / "items.csv")
