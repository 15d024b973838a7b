"""Markdown as language models write it: tables, headings, code and formulas, and nothing else."""

import pytest

from covary.web.pages import from_item


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("so $x_1 + y_1$ is", '<p>so <code class="math">x_1 + y_1</code> is</p>'),
        ("it costs $5 and $6", "<p>it costs $5 and $6</p>"),
        (r"so \(a_b^*\) is", '<p>so <code class="math">a_b^*</code> is</p>'),
        ("$$\na_1\n+ b_1\n$$", '<pre class="math">a_1\n+ b_1</pre>'),
        ("\\[ a < b \\]", '<pre class="math">a &lt; b</pre>'),
        ("Then $$a_1 b_1$$ holds", '<p>Then <code class="math">a_1 b_1</code> holds</p>'),
        ("$$ <script>never closed", "<p>$$ &lt;script&gt;never closed</p>"),
        ("`$x$` is code", "<p><code>$x$</code> is code</p>"),
        ("```\n$$\n```", "<pre><code>$$\n</code></pre>"),
    ],
)
def test_formulas_are_shown_as_their_source(text, drawn):
    assert str(from_item(text)).strip() == drawn


def test_headings_begin_below_those_of_the_page_and_skip_none():
    drawn = str(from_item("# A\n\n### B\n\n# C"))
    assert drawn.split() == ["<h2>A</h2>", "<h3>B</h3>", "<h2>C</h2>"]


def test_a_wide_table_scrolls_by_itself_and_has_a_name():
    drawn = str(from_item("| a | b |\n|---|---|\n| 1 | 2 |", 'x" onclick="y'))
    assert drawn.startswith(
        '<div class="scroll" role="region" aria-label="x&#34; onclick=&#34;y" tabindex="0"><table>'
    )
    assert drawn.rstrip().endswith("</table></div>")


def test_links_and_pictures_stay_text():
    drawn = str(from_item("[a](https://example.org) ![b](c.png) <https://example.org>"))
    assert "<a" not in drawn
    assert "<img" not in drawn
