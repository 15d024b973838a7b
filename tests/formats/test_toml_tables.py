"""Lines of keys: those that a person counts, and one for every key that Python finds."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covary.formats.toml_tables import find_key_lines
from tests.study.toml import written

TEXT = '''\
title = "a # no comment = 1"   # a comment with key = 2
"quoted key" = 1
long = """
[not.a.table]
key = 3
""\\"
"""
raw = \'\'\'
x = 1\'\'\'
after = 1.5

[table]
a.b = { c = [1, 2,
  3], d = "}" }
when = 1979-05-27 07:32:00

[[many]]
name = "first"
[many.below]
deep = [ [1], [2,
  { x = 1 } ] ]
[[many]]
name = "second"
[[many.below]]
name = "inner"
[[many.below]]
name = "inner too"
'''

LINES = {
    ("title",): 1,
    ("quoted key",): 2,
    ("long",): 3,
    ("raw",): 8,
    ("after",): 10,
    ("table",): 12,
    ("table", "a", "b", "c"): 13,
    ("table", "a", "b", "c", 2): 14,
    ("table", "a", "b", "d"): 14,
    ("table", "when"): 15,
    ("many",): 17,
    ("many", 0, "name"): 18,
    ("many", 0, "below", "deep", 1, 1, "x"): 21,
    ("many", 1, "name"): 23,
    ("many", 1, "below", 0, "name"): 25,
    ("many", 1, "below", 1): 26,
    ("many", 1, "below", 1, "name"): 27,
}


@pytest.mark.parametrize("path", LINES, ids=lambda path: ".".join(map(str, path)))
def test_a_key_is_found_in_its_line(path):
    assert find_key_lines(TEXT).lines[path] == LINES[path]


def test_a_missing_key_stands_where_its_table_begins():
    assert find_key_lines(TEXT).line(("many", 1, "gone", "further")) == 22
    assert find_key_lines(TEXT).line(("gone",)) is None


def test_nothing_inside_a_text_is_taken_for_a_key():
    places = find_key_lines(TEXT)
    assert not {("key",), ("not",), ("x",), ("not", "a", "table", "key")} & places.lines.keys()


def paths_of(content, path=()):
    """The way to every key and every element."""
    pairs = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in pairs:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from paths_of(value, (*path, key))


LEAVES = st.one_of(
    st.booleans(), st.integers(-9, 9), st.text(st.characters(exclude_categories=["Cs"]), max_size=9)
)
KEYS = st.text(st.sampled_from("ab-_ .[]{}=#\"'\n"), max_size=4)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_every_key_that_python_reads_has_a_place(content):
    text = written(content)
    assert tomllib.loads(text) == content
    assert set(find_key_lines(text).lines) == set(paths_of(content))
