"""Markdown that GitHub shows as the report meant it."""

import pytest

from covary.reports.blocks import Bullets, Code, Contents, Paragraph, Section
from covary.reports.markdown import to_markdown
from tests.reports.made_up import CONTENTS, TABLE


def body(*blocks):
    text = to_markdown(Contents("T", "", (Section("s", "S", blocks),)))
    return text.removeprefix("# T\n\n## S\n\n").removesuffix("\n")


def test_title_subtitle_and_sections_are_headings():
    lines = to_markdown(CONTENTS).splitlines()
    assert lines[0] == "# Report on &lt;b&gt;judges&lt;/b&gt; &amp; items"
    assert lines[2] == "*10 items, 2 judges*"
    assert "## Pairs\\_of judges" in lines


def test_a_table_has_its_caption_its_alignment_and_its_note():
    assert body(TABLE) == (
        "**Agreement \\| by pair**\n"
        "\n"
        "| pair | alpha |\n"
        "| :--- | ---: |\n"
        "| Ann &amp; Bo | .53 \\[.10, .80\\] |\n"
        "| J\\_1 \\| J\\_2 | – |\n"
        "\n"
        "– undefined: nobody &lt; 2."
    )


def test_every_row_of_every_table_has_as_many_cells_as_its_heading():
    rows = [line for line in to_markdown(CONTENTS).splitlines() if line.startswith("| ")]
    cells = [row.replace("\\|", "").count("|") - 1 for row in rows]
    assert set(cells) == {2, 3, 31}


def test_without_pictures_a_figure_is_its_table_and_no_caption():
    text = to_markdown(CONTENTS)
    assert "Gamma is above alpha" not in text
    assert "A dot plot" not in text
    assert text.count("**Agreement \\| by pair**") == 2


def test_a_picture_that_is_there_stands_above_its_title_and_its_table():
    text = to_markdown(CONTENTS, {"both": "figures/both.svg"})
    assert (
        "![A dot plot.](figures/both.svg)\n\n**Gamma is above alpha**\n\n"
        "**Agreement \\| by pair**\n\n| pair | alpha |"
    ) in text


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        ("text", "so"),
        ("lead", "so"),
        ("verdict", "**so**"),
        ("warning", "> [!WARNING]\n> so"),
        ("note", "> so"),
    ],
)
def test_each_kind_of_paragraph_is_as_loud_as_it_should_be(kind, written):
    assert body(Paragraph("so", kind)) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a < b > c & d", "a &lt; b &gt; c &amp; d"),
        ("*a* _b_ `c` ~d~ $e$", "\\*a\\* \\_b\\_ \\`c\\` \\~d\\~ \\$e\\$"),
        ("[link](x)", "\\[link\\](x)"),
        ("# no heading", "\\# no heading"),
        ("- no list", "\\- no list"),
        ("1. no list", "1\\. no list"),
        ("12) no list", "12\\) no list"),
        ("1.5 is a number", "1.5 is a number"),
        ("two\nlines", "two lines"),
        ("back\\slash", "back\\\\slash"),
    ],
    ids=lambda text: text[:8],
)
def test_every_character_means_itself(text, written):
    assert body(Paragraph(text)) == written


def test_a_fence_is_longer_than_the_backticks_inside():
    assert body(Code("a ``` b")) == "````\na ``` b\n````"


def test_bullets_are_a_list():
    assert body(Bullets(("a", "b|c"))) == "- a\n- b\\|c"
