"""Settings written into study.toml: values change, everything else stays."""

import tomllib

import pytest

from covary.errors import InvalidArgument
from covary.study.settings import set_design

WRITTEN = """\
# my study
title = "x"   # its title

[design]         # who rates what
kind = "overlap"    # each turn by three
judges_per_item = 3
judges = 6   # six of them
seed = 2016

# how they meet the items
[session]
break_every = 20
"""


@pytest.fixture
def study(tmp_path):
    (tmp_path / "study.toml").write_text(WRITTEN, encoding="utf-8")
    return tmp_path


def test_comments_and_layout_stay(study):
    changed = set_design(study, {"kind": "everyone", "judges": 5, "judges_per_item": None})
    assert changed == ("kind", "judges", "judges_per_item")
    expected = WRITTEN.replace('"overlap"', '"everyone"').replace("judges = 6", "judges = 5")
    expected = expected.replace("judges_per_item = 3\n", "")
    assert (study / "study.toml").read_text("utf-8") == expected


def test_a_new_key_comes_at_the_end_of_its_table(study):
    set_design(study, {"per_judge": 7})
    text = (study / "study.toml").read_text("utf-8")
    assert "seed = 2016\nper_judge = 7\n\n# how they meet" in text


def test_nothing_to_change_writes_nothing(study):
    assert set_design(study, {"judges": 6}) == ()
    assert (study / "study.toml").read_text("utf-8") == WRITTEN


def test_a_study_without_a_design_gets_one_and_keeps_its_line_ends(study):
    path = study / "study.toml"
    path.write_bytes(b'title = "x"\r\n[session]\r\nbreak_every = 3\r\n')
    set_design(study, {"kind": "everyone", "judges": 3})
    assert path.read_bytes().count(b"\r\n") == path.read_bytes().count(b"\n")
    assert tomllib.loads(path.read_text("utf-8"))["design"] == {"kind": "everyone", "judges": 3}


@pytest.mark.parametrize("line", ["design = {judges = 3}", "design.judges = 3"])
def test_a_table_in_another_notation_is_refused_with_the_lines_to_write(study, line):
    path = study / "study.toml"
    path.write_text(f'title = "x"\n{line}\n', encoding="utf-8")
    with pytest.raises(InvalidArgument, match="judges = 5"):
        set_design(study, {"judges": 5})
    assert line in path.read_text("utf-8")
