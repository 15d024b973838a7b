"""Faults in the file of items, each with its line and its column."""

import json

import pytest

from covary.study import read_study
from tests.study.folders import ITEMS, TOML, faults_of, only_fault, write_study

CELLS = {
    "empty file": ("", None, "", "is empty"),
    "only names": ("item,text\n", None, "", "holds no items"),
    "no text column": ("item,source\na,s\n", 2, "text", "no text to judge"),
    "blank text": ("item,text\na,A\nb,  \n", 3, "text", "no text to judge"),
    "blank id": ("item,text\na,A\n,B\n", 3, "item", "is empty"),
    "same id": ("item,text\na,A\nb,B\na,C\n", 4, "item", "'a' is already in line 2"),
    "unknown kind": ("item,text,kind\na,A,praktice\nb,B,\n", 2, "kind", "'practice'"),
    "unknown column": ("item,text,sytem\na,A,x\n", 1, "sytem", "did you mean 'system'?"),
    "two columns": ("item,text,Text\na,A,B\n", 1, "Text", "two columns"),
    "long row": ("item,text\na,Hello, you\n", 2, "", "3 cells where the first row has 2"),
    "short row": ("item,text,source\na,A,s\nb,B\n", 3, "", "2 cells where the first row has 3"),
    "open quotation": ('item,text\na,A\nb,"B\nc,C\n', 3, "", "never closed"),
    "stray quotation": ('item,text\na,"A" B\n', 2, "", "write it twice"),
    "gap in texts": ("item,text_1,text_2\na,,B\nb,B,B\n", 2, "text", "fill them from text_1"),
    "text and text_1": ("item,text,text_1\na,A,B\n", 2, "text_1", "use one or the other"),
    "two of three systems": (
        "item,text_1,text_2,text_3,system_1,system_2\na,A,B,C,x,y\n", 2, "system", "2 systems for 3"
    ),
    "only practice": ("item,text,kind\na,A,practice\n", None, "kind", "there is no item to judge"),
    "id of two lines": ('item,text\n"a\nb",A\n', 2, "item", "one line"),
    "check without answer": ("item,text,kind\na,A,check\nb,B,\n", 2, "expected", "needs an exp"),
    "off the scale": (
        "item,text,kind,expected_Fluency\na,A,gold,6\n",
        2,
        "expected_Fluency",
        "'6' is not on the scale (ordinal: 1, 2, 3, 4, 5)",
    ),
    "unknown criterion": (
        "item,text,kind,expected_Fluecny\na,A,gold,4\n",
        2,
        "expected_Fluecny",
        "did you mean 'Fluency'?",
    ),
    "no object": ("item,text,kind,expected\na,A,gold,4\n", 2, "expected", "JSON object"),
    "image missing": ("item,text,image\na,A,a.png\n", 2, "image", "is missing"),
    "image outside": ("item,text,image\na,A,../a.png\n", 2, "image", "outside"),
    "image outside by detour": ("item,text,image\na,A,x/../../a.png\n", 2, "image", "outside"),
    "image from root": ("item,text,image\na,A,/etc/passwd\n", 2, "image", "outside"),
    "image by address": ("item,text,image\na,A,http://e.org/a.png\n", 2, "image", "downloads"),
    "image without scheme": ("item,text,image\na,A,//e.org/a.png\n", 2, "image", "downloads"),
    "image as data": ("item,text,image\na,A,data:image/png;base64\n", 2, "image", "downloads"),
    "no image": ("item,text,image\na,A,guidelines.md\n", 2, "image", "is not a supported image"),
}  # fmt: skip


@pytest.mark.parametrize("name", CELLS)
def test_a_wrong_cell_is_told_with_its_line_and_column(tmp_path, name):
    items, line, key, words = CELLS[name]
    folder = write_study(tmp_path, items=items)
    fault = only_fault(folder)
    assert (fault.file, fault.line, fault.key) == ("items.csv", line, key)
    assert words in fault.message


LINES = {
    "no JSON": ('{"item": "a", "text": }', "", "is not JSON"),
    "no object": ("[1, 2]", "", "must be an object"),
    "a key twice": ('{"item": "a", "text": "A", "text": "B"}', "", "appears twice"),
    "unknown key": ('{"item": "a", "text": "A", "texd": "B"}', "texd", "did you mean 'text'?"),
    "no text": ('{"item": "a", "text": true}', "text", "is not text"),
    "no list": ('{"item": "a", "texts": "A"}', "texts", "must be a list"),
    "half a letter": ('{"item": "a", "text": "\\ud800"}', "text", "no page can show"),
    "NUL inside": (
        '{"item": "a", "text": "A", "context": ["\\u0000"]}', "context", "no page can show"
    ),
    "no turns": ('{"item": "a", "text": "A", "context": "x: y"}', "context", "must be a list"),
    "silent turn": (
        '{"item": "a", "text": "A", "context": [{"speaker": "x"}]}', "context", "has no text"
    ),
    "odd turn": ('{"item": "a", "text": "A", "context": [{"who": "x"}]}', "context", "must be {"),
    "true is not a rating": (
        '{"item": "a", "text": "A", "kind": "gold", "expected": {"Fluency": true}}',
        "expected_Fluency",
        "not on the scale",
    ),
    "huge number": (f'{{"item": {"9" * 5000}, "text": "A"}}', "", "is not JSON"),
}  # fmt: skip


@pytest.mark.parametrize("name", LINES)
def test_a_wrong_line_of_json_is_told(tmp_path, name):
    line, key, words = LINES[name]
    toml = f'items = "items.jsonl"\n{TOML}'
    lines = f'{{"item": "z", "text": "Z"}}\n{line}\n'
    fault = only_fault(write_study(tmp_path, toml, None, items__jsonl=lines))
    assert (fault.file, fault.line, fault.key) == ("items.jsonl", 2, key)
    assert words in fault.message


def test_a_column_that_others_call_otherwise_is_recognised(tmp_path):
    faults = faults_of(write_study(tmp_path, items="id,text\na,A\n"))
    assert [(each.key, each.line) for each in faults] == [("id", 1), ("item", 1)]
    assert "covary calls it 'item'" in faults[0].message


def test_texts_that_cannot_be_compared_are_told_item_by_item(tmp_path):
    toml = TOML.replace('{ kind = "verbal", categories = "1-5" }', '{ kind = "preference" }')
    items = "item,text_1,text_2,text_3\na,A,B,\nb,B,,\nc,A,B,C\n"
    faults = faults_of(write_study(tmp_path, toml, items))
    assert [(each.line, each.key) for each in faults] == [(3, "text"), (4, "text")]
    assert "'b' has 1 text, and 'Fluency' compares two" in faults[0].message


def test_only_items_of_a_part_that_compares_need_two_texts(tmp_path):
    toml = (
        TOML.replace("[[criterion]]", '[[criterion]]\npart = "one"', 1)
        + """
[[criterion]]
name = "Better"
part = "two"
question = "Which?"
scale = { kind = "preference" }
"""
    )
    items = "item,part,text_1,text_2\na,one,A,\nb,two,A,B\nc,two,A,\nd,,A,\n"
    faults = faults_of(write_study(tmp_path, toml, items))
    assert [(each.line, each.key) for each in faults] == [(4, "text"), (5, "text")]
    assert "'c' has 1 text, and 'Better (two)' compares two" in faults[0].message


SETS = "item,kind,system_1,system_2,system_3,text_1,text_2,text_3,expected_Fluency,set\n"


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        (
            "a,,x,,,One.,,,,",
            "'a' has 1 text, and 'Fluency' asks for the best and the worst of 2 to 6",
        ),
        ("a,,x,y,x,One.,Two.,Three.,,", "'a' has 3 texts by 2 systems"),
        ("a,,x,,,One.,Two.,Three.,,", "'a' has 3 texts by 1 system,"),
        (
            "a,gold,x,y,z,One.,Two.,Three.,2 > 4,",
            "expects of 'Fluency' a text that 'a' does not have",
        ),
        (
            "a,gold,x,y,z,One.,Two.,Three.,2,",
            "is not on the scale (the best and the worst of several",
        ),
        ("a,training,x,y,z,Uno.,Due.,Tre.,,1", "judges cannot train with 'Fluency'"),
    ],
)
def test_sets_of_which_the_best_and_the_worst_cannot_be_chosen_are_told(tmp_path, row, fault):
    toml = TOML.replace('{ kind = "verbal", categories = "1-5" }', '{ kind = "best-worst" }')
    fine = "b,,x,y,z,One.,Two.,Three.,,\nc,,x,y,,One.,Two.,,,\nd,gold,,,,One.,Two.,Three.,3 > 1,\n"
    assert faults_of(write_study(tmp_path / "fine", toml, SETS + fine)) == ()
    (found,) = faults_of(write_study(tmp_path / "faulty", toml, f"{SETS}{fine}{row}\n"))
    assert found.line == 5
    assert fault in found.message


def test_of_a_recording_alone_the_best_and_the_worst_cannot_be_chosen(tmp_path):
    toml = TOML.replace('{ kind = "verbal", categories = "1-5" }', '{ kind = "best-worst" }')
    items = "item,audio,text_1,text_2\na,both.mp3,,\nb,,One.,Two.\n"
    fault = only_fault(write_study(tmp_path, toml, items, both__mp3="x"))
    assert "'a' has 0 texts" in fault.message


def test_a_follow_up_cannot_wait_for_the_best_and_the_worst(tmp_path):
    toml = (
        TOML.replace('{ kind = "verbal", categories = "1-5" }', '{ kind = "best-worst" }')
        + """
[[criterion]]
name = "Why"
question = "Why?"
scale = { kind = "text" }
when = { criterion = "Fluency", is = ["1 > 2"] }
"""
    )
    items = "item,text_1,text_2\na,A,B\n"
    assert "no follow-up can wait" in only_fault(write_study(tmp_path, toml, items)).message


def test_a_fault_of_a_criterion_is_not_told_twice_through_its_expected_answers(tmp_path):
    toml = TOML.replace('"verbal"', '"verbl"')
    items = "item,text,kind,expected_Fluency\na,A,gold,6\n"
    assert only_fault(write_study(tmp_path, toml, items)).key == "criterion[1].scale.kind"


def test_a_name_that_two_parts_share_must_be_said_in_full(tmp_path):
    two = TOML.replace('name = "Fluency"', 'name = "Fluency"\npart = "one"')
    toml = two + two.partition("\n")[2].replace('"one"', '"two"')
    items = "item,kind,text,expected_Fluency\na,gold,A,5\n"
    fault = only_fault(write_study(tmp_path, toml, items))
    assert "stands for 'Fluency (one)' and 'Fluency (two)'" in fault.message


def test_a_wrong_separator_is_explained(tmp_path):
    faults = faults_of(write_study(tmp_path, items="item/text\na/A\n"))
    assert "the first row is one cell, 'item/text': are commas missing?" in faults[-1].message


def test_lines_are_counted_through_cells_of_several_lines(tmp_path):
    items = 'item,text\r\na,"one\r\ntwo\r\nthree"\r\n\r\nb,\r\n'
    folder = write_study(tmp_path)
    (folder / "items.csv").write_bytes(items.encode())
    assert only_fault(folder).line == 6


def test_a_cell_too_long_for_a_table_can_go_into_json_lines(tmp_path):
    text = "x" * 200_000
    assert (
        ".jsonl" in only_fault(write_study(tmp_path / "a", items=f"item,text\na,{text}\n")).message
    )
    lines = json.dumps({"item": "a", "text": text})
    toml = f'items = "items.jsonl"\n{TOML}'
    assert faults_of(write_study(tmp_path / "b", toml, None, items__jsonl=lines)) == ()


def test_faults_of_items_do_not_hide_each_other(tmp_path):
    rows = "".join(f"i{number},,x,s\n" for number in range(50))
    faults = faults_of(write_study(tmp_path, items=ITEMS + rows))
    assert [each.line for each in faults] == list(range(4, 54))


def test_measures_from_elsewhere_are_numbers_by_their_names(tmp_path):
    items = "item,text,system,source,measure_accuracy,Measure speed\na1,One.,x,s1,0.9,\n"
    (item,) = read_study(write_study(tmp_path, items=items)).items
    assert dict(item.measures) == {"accuracy": 0.9}
    wrong = items.replace("0.9", "fast")
    fault = only_fault(write_study(tmp_path, items=wrong))
    assert (fault.line, fault.key) == (2, "measure_accuracy")
    assert "must be a number" in str(fault)
