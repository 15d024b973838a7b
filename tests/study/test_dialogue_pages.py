"""What a study must be like to show whole dialogues, each fault at its line."""

import pytest

from covary.study import read_study
from tests.study.folders import TOML, faults_of, write_study

DESIGN = '[design]\norder = "as-listed"\npage = "dialogue"\n'
ITEMS = "item,text,cluster,speaker\n\na,A.,s1,bot\nb,B.,s1,bot\nc,C.,s2,bot\n"


def test_a_study_of_dialogues_is_read(tmp_path):
    study = read_study(write_study(tmp_path, f"{TOML}\n{DESIGN}", ITEMS))
    assert study.design.page_of("") == "dialogue"


@pytest.mark.parametrize(
    ("toml", "items", "place"),
    [
        (DESIGN.replace('order = "as-listed"\n', ""), ITEMS, ("study.toml", 9, "design.page")),
        (f"{DESIGN}repeats = 1\n", ITEMS, ("study.toml", 11, "design.repeats")),
        (DESIGN, ITEMS.replace("b,B.,s1", "b,B.,"), ("items.csv", 4, "cluster")),
        (DESIGN, f"{ITEMS}d,D.,s1,bot\n", ("items.csv", 6, "cluster")),
        (DESIGN, ITEMS.replace("speaker", "input"), ("items.csv", 3, "text")),
    ],
)
def test_each_fault_stands_at_its_line(tmp_path, toml, items, place):
    fault = faults_of(write_study(tmp_path, f"{TOML}\n{toml}", items))[0]
    assert (fault.file, fault.line, fault.key) == place


def test_words_cannot_be_marked_in_a_whole_dialogue(tmp_path):
    marking = TOML + "passages = true\n"
    (fault,) = faults_of(write_study(tmp_path, f"{marking}\n{DESIGN}", ITEMS))
    assert fault.key == "design.page"
