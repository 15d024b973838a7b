"""Generated text is untrusted: whatever stands in a cell stays the text that it is."""

import csv
import io
import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covary.study import read_study
from tests.study.folders import TOML, faults_of, write_study

TAGS = ["script", "img", "svg", "iframe", "a", "style", "math", "body", "input", "template"]
WAYS = [
    "<{tag}>alert(1)</{tag}>",
    "<{tag} src=x onerror=alert(1)>",
    '"><{tag} onload="alert(1)">',
    "'><{tag} href='javascript:alert(1)'>",
    "<{tag}/onmouseover=alert`1`//",
    "<!--<{tag}>--><{tag}>",
    "&lt;{tag}&gt;alert(1)&#x3c;/{tag}>",
    "]]><{tag}>",
    "{{{{ {tag} }}}}{{% {tag} %}}${{{tag}}}",
    "<{tag}\t\nsrc=//example.org>",
    "</textarea></title><{tag}>",
    "javascript:/*--></{tag}>*/alert(1)",
    "<{tag} style=background:url(x)>",
    "\u202e<{tag}>\u2066",
    "＜{tag}＞",
    "<{tag}\x0bonclick=alert(1)>",
    "[x](javascript:alert(1)) <{tag}>",
    "../../<{tag}>",
    "'; DROP TABLE ratings; -- <{tag}>",
    "${{jndi:ldap://{tag}}}",
]
PAYLOADS = [way.format(tag=tag) for way, tag in itertools.product(WAYS, TAGS)]

CELLS = [
    '=HYPERLINK("http://example.org","x")',
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1:A9)",
    'say "yes", twice',
    "first line\nsecond line\n\n  indented",
    "\ttab",
    "semi;colon|pipe",
    "null",
    "NaN",
    "0123",
    "🏴󠁧󠁢󠁳󠁣󠁴󠁿 e\u0301 مرحبا 你好 \ufeff",
    "%00 %s %(x)s {} {0}",
    "\x1b[31mred\x1b[0m\x07",
    "a\u2028b\u2029c\x85d",
]


def table_of(texts):
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(["item", "text", "input", "system"])
    writer.writerows((f"i{number}", text, text, "x") for number, text in enumerate(texts))
    return stream.getvalue()


def test_there_are_200_payloads():
    assert len(set(PAYLOADS)) == 200


@pytest.mark.parametrize("texts", [PAYLOADS, CELLS], ids=["markup", "cells"])
def test_a_cell_of_a_table_stays_the_text_that_it_is(tmp_path, texts):
    folder = write_study(tmp_path)
    (folder / "items.csv").write_text(table_of(texts), encoding="utf-8", newline="")
    items = read_study(folder).items
    assert [each.texts for each in items] == [(text,) for text in texts]
    assert [each.input for each in items] == texts


@pytest.mark.parametrize("texts", [PAYLOADS, CELLS], ids=["markup", "cells"])
def test_a_text_in_json_lines_stays_the_text_that_it_is(tmp_path, texts):
    rows = [{"item": str(n), "texts": [text, text]} for n, text in enumerate(texts)]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    study = read_study(
        write_study(tmp_path, f'items = "items.jsonl"\n{TOML}', None, items__jsonl=lines)
    )
    assert [each.texts for each in study.items] == [(text, text) for text in texts]


def test_wording_of_the_researcher_stays_as_it_is(tmp_path):
    toml = TOML.replace(
        '"How well does it read?"', "'''  <b>How</b> well\n\tdoes & \"it\" read? '''"
    )
    assert read_study(write_study(tmp_path, toml)).criteria[0].question == (
        '  <b>How</b> well\n\tdoes & "it" read? '
    )


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r")).filter(
    str.strip), min_size=1, max_size=6))  # fmt: skip
def test_any_text_survives_a_table(tmp_path_factory, texts):
    folder = write_study(tmp_path_factory.mktemp("study"))
    (folder / "items.csv").write_text(table_of(texts), encoding="utf-8", newline="")
    assert [each.texts for each in read_study(folder).items] == [(text,) for text in texts]


@given(st.binary(max_size=300), st.sampled_from(["study.toml", "items.csv", "guidelines.md"]))
def test_any_bytes_are_read_or_told_as_faults(tmp_path_factory, content, name):
    folder = write_study(tmp_path_factory.mktemp("study"))
    (folder / name).write_bytes(content)
    faults_of(folder)  # which lets nothing but StudyError pass


@given(st.text(st.sampled_from("[]{}=\"#\n,. a1'kindscale"), max_size=60))
def test_any_scrap_of_toml_is_read_or_told_as_faults(tmp_path_factory, scrap):
    folder = write_study(tmp_path_factory.mktemp("study"), f"{scrap}\n{TOML}")
    assert all(each.file == "study.toml" and each.message for each in faults_of(folder))
