"""Markdown as language models write it: tables, headings, code and formulas, and nothing else."""

import unicodedata
import xml.etree.ElementTree as tree

import pytest
from hypothesis import given
from hypothesis import strategies as some

from covary.web.mathml import CLASSES, TAGS, mathml
from covary.web.mathml_symbols import (
    ACCENTS,
    ALPHABETS,
    BRACES,
    CLASSED,
    FUNCTIONS,
    LARGE,
    LETTERS,
    OPERATORS,
)
from covary.web.pages import from_item

X, Y, ONE, TWO = "<mi>x</mi>", "<mi>y</mi>", "<mn>1</mn>", "<mn>2</mn>"
OPEN = '<mo form="prefix" fence="true" stretchy="true">'
CLOSE = '<mo form="postfix" fence="true" stretchy="true">'
BLOCK = f'<span class="formula"><math display="block" alttext="x">{X}</math></span>'
GAP = '<mspace width="0.1667em"></mspace>'
ROUND = '<mo stretchy="false">'


def inside(source, *, display=False):
    """What a formula is drawn as, without the element around it."""
    drawn = mathml(source, display=display)
    assert drawn is not None
    assert drawn.startswith(f"<math{' display' * display}")
    return drawn.partition(">")[2].removesuffix("</math>")


@pytest.mark.parametrize(
    ("source", "drawn"),
    [
        ("x_1^2", f"<msubsup>{X}{ONE}{TWO}</msubsup>"),
        ("x^{2}_1", f"<msubsup>{X}{ONE}{TWO}</msubsup>"),
        ("x'", f'<msup>{X}<mo lspace="0" rspace="0">′</mo></msup>'),
        ("3.14", "<mn>3.14</mn>"),
        ("-x", f"<mrow><mo>−</mo>{X}</mrow>"),
        (r"\frac{x}{y}", f"<mfrac>{X}{Y}</mfrac>"),
        (r"\frac12", f"<mfrac>{ONE}{TWO}</mfrac>"),
        (r"\binom xy", f'<mrow>{OPEN}(</mo><mfrac linethickness="0">{X}{Y}</mfrac>'
         f"{CLOSE})</mo></mrow>"),
        (r"\sqrt{x}", f"<msqrt>{X}</msqrt>"),
        (r"\sqrt[y]x", f"<mroot>{X}{Y}</mroot>"),
        (r"\sum_1^2", f"<munderover><mo>∑</mo>{ONE}{TWO}</munderover>"),
        (r"\int_1^2", f"<msubsup><mo>∫</mo>{ONE}{TWO}</msubsup>"),
        (r"\int\limits_1", f"<munder><mo>∫</mo>{ONE}</munder>"),
        (r"\alpha\Omega", '<mrow><mi>α</mi><mi mathvariant="normal">Ω</mi></mrow>'),
        (r"\sin x", f"<mrow><mi>sin</mi>{GAP}{X}</mrow>"),
        (r"\mathbb{R}", "<mi>ℝ</mi>"),
        (r"\mathbf{A}", "<mi>𝐀</mi>"),
        (r"\boldsymbol{\beta}", "<mi>𝜷</mi>"),
        (r"\mathrm{Var}", "<mi>Var</mi>"),
        (r"\hat x", f'<mover accent="true">{X}<mo stretchy="false">^</mo></mover>'),
        (r"x \not= y", f"<mrow>{X}<mo>≠</mo>{Y}</mrow>"),
        (r"\left[x\right.", f"<mrow>{OPEN}[</mo>{X}</mrow>"),
        (r"\text{if $x$}", f"<mrow><mtext>if\u00a0</mtext>{X}</mrow>"),
        (r"\pmod y", '<mrow><mspace width="1em"></mspace><mo stretchy="false">(</mo><mi>mod</mi>'
         f'<mspace width="0.3333em"></mspace>{Y}<mo stretchy="false">)</mo></mrow>'),
        (r"\&", '<mi mathvariant="normal">&amp;</mi>'),
        (r"\text{50\% \& up}", "<mtext>50%\u00a0&amp;\u00a0up</mtext>"),
        (r"\boxed{x}", f'<mrow class="boxed">{X}</mrow>'),
        (r"1\sin x", f"<mrow>{ONE}{GAP}<mi>sin</mi>{GAP}{X}</mrow>"),
        (r"\cos\sin x", f"<mrow><mi>cos</mi>{GAP}<mi>sin</mi>{GAP}{X}</mrow>"),
        (r"1+\sin(x)", f"<mrow>{ONE}<mo>+</mo><mi>sin</mi>{ROUND}(</mo>{X}{ROUND})</mo></mrow>"),
        (r"x\sin", f"<mrow>{X}{GAP}<mi>sin</mi></mrow>"),
        (r"\sum\nolimits_1", f"<msub><mo>∑</mo>{ONE}</msub>"),
        (r"\max_x", f'<munder><mo movablelimits="true" lspace="0" rspace="0">max</mo>{X}</munder>'),
        (r"\operatorname*{arg\,max}_x", '<munder><mo movablelimits="true" lspace="0" rspace="0">'
         f"arg\u2009max</mo>{X}</munder>"),
        (r"\operatorname{rank} x", f"<mrow><mi>rank</mi>{GAP}{X}</mrow>"),
        (r"\underbrace{x}_y", f'<munder><munder>{X}<mo stretchy="true">⏟</mo></munder>'
         f"{Y}</munder>"),
        (r"\xrightarrow{x}", f'<mover><mo stretchy="true">→</mo>{X}</mover>'),
        (r"\xrightarrow[y]{x}", f'<munderover><mo stretchy="true">→</mo>{Y}{X}</munderover>'),
        (r"x''y", f'<mrow><msup>{X}<mo lspace="0" rspace="0">′′</mo></msup>{Y}</mrow>'),
        (r"x ≥ y", f"<mrow>{X}<mo>≥</mo>{Y}</mrow>"),
        (r"中", "<mtext>中</mtext>"),
        (r"\mathbf{ab}", "<mrow><mi>𝐚</mi><mi>𝐛</mi></mrow>"),
        (r"\left\{x\middle|y\right\rangle", f'<mrow>{OPEN}{{</mo>{X}<mo stretchy="true">|</mo>{Y}'
         f"{CLOSE}⟩</mo></mrow>"),
        (r"\left<x\right\uparrow", f"<mrow>{OPEN}⟨</mo>{X}{CLOSE}↑</mo></mrow>"),
        (r"\big(x", f'<mrow><mo stretchy="true" minsize="1.2em" maxsize="1.2em">(</mo>{X}</mrow>'),
        (r"\hspace{.5em}x", f'<mrow><mspace width=".5em"></mspace>{X}</mrow>'),
        (r"\text{50\%}", "<mtext>50%</mtext>"),
        (r"\widehat x", f'<mover accent="true">{X}<mo stretchy="true">^</mo></mover>'),
        (r"\sum_{\substack{x \\ y}}", '<munder><mo>∑</mo><mtable class="matrix"><mtr>'
         f"<mtd>{X}</mtd></mtr><mtr><mtd>{Y}</mtd></mtr></mtable></munder>"),
        (r"\displaystyle1", f'<mstyle displaystyle="true">{ONE}</mstyle>'),
        (r"x \\ y", '<mtable class="aligned" displaystyle="true">'
         f"<mtr><mtd>{X}</mtd></mtr><mtr><mtd>{Y}</mtd></mtr></mtable>"),
    ],
)  # fmt: skip
def test_a_formula_is_drawn_as_mathml(source, drawn):
    assert inside(source) == drawn


def test_tables_of_formulas_have_their_fences_columns_and_rules():
    def row(first, second, look="", other=""):
        return f"<mtr{look}><mtd{other}>{first}</mtd><mtd{other}>{second}</mtd></mtr>"

    left = ' class="left"'
    assert inside(r"\begin{pmatrix} x & y \\ 1 & 2 \end{pmatrix}") == (
        f'<mrow>{OPEN}(</mo><mtable class="matrix">{row(X, Y)}{row(ONE, TWO)}</mtable>'
        f"{CLOSE})</mo></mrow>"
    )
    assert inside(r"\begin{cases} x & 1 \\ y & 2 \end{cases}") == (
        f'<mrow>{OPEN}{{</mo><mtable class="cases">{row(X, ONE, other=left)}'
        f"{row(Y, TWO, other=left)}</mtable></mrow>"
    )
    assert inside(r"\begin{array}{l|r} x & y \\ \hline 1 & 2 \\ \end{array}") == (
        '<mtable class="matrix"><mtr><mtd class="left"><mi>x</mi></mtd>'
        '<mtd class="right barred"><mi>y</mi></mtd></mtr>'
        '<mtr class="barred"><mtd class="left"><mn>1</mn></mtd>'
        '<mtd class="right barred"><mn>2</mn></mtd></mtr></mtable>'
    )
    for columns, look in (("|lr", "left barred"), ("lr|", "left")):
        drawn = inside(rf"\begin{{array}}{{{columns}}} x & y \end{{array}}")
        assert drawn == (
            f'<mtable class="matrix"><mtr><mtd class="{look}">{X}</mtd>'
            f'<mtd class="right">{Y}</mtd></mtr></mtable>'
        )
    assert inside(r"\begin{matrix} x \\[2pt]y \end{matrix}") == (
        f'<mtable class="matrix"><mtr><mtd>{X}</mtd></mtr><mtr><mtd>{Y}</mtd></mtr></mtable>'
    )


ALIGNED, CENTRED = ("", "", "right left", True), ("", "", "-", True)
ENVIRONMENTS = {
    "matrix": ("", "", "-", False), "smallmatrix": ("", "", "-", False),
    "pmatrix": ("(", ")", "-", False), "bmatrix": ("[", "]", "-", False),
    "Bmatrix": ("{", "}", "-", False), "vmatrix": ("|", "|", "-", False),
    "Vmatrix": ("‖", "‖", "-", False), "cases": ("{", "", "left left", False),
    "dcases": ("{", "", "left left", True), "rcases": ("", "}", "left left", False),
    "aligned": ALIGNED, "align": ALIGNED, "align*": ALIGNED, "split": ALIGNED,
    "eqnarray": ("", "", "right -", True), "gathered": CENTRED, "gather": CENTRED,
    "multline": CENTRED, "equation": CENTRED, "displaymath": CENTRED,
}  # fmt: skip


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_each_environment_has_the_fences_columns_and_size_of_amsmath(name):
    opening, closing, looks, display = ENVIRONMENTS[name]
    drawn = inside(rf"\begin{{{name}}} x & y \end{{{name}}}")
    fences = [f"{OPEN}{opening}</mo>"] * bool(opening) + [f"{CLOSE}{closing}</mo>"] * bool(closing)
    assert drawn.count("form=") == len(fences)
    assert all(fence in drawn for fence in fences)
    assert ('displaystyle="true"' in drawn) is display
    given = ["-", "-"] if looks == "-" else looks.split()
    cells = tree.fromstring(drawn).iter("mtd")
    assert [cell.get("class", "-") for cell in cells] == given


@pytest.mark.parametrize(
    "name", ["widehat", "widetilde", "overrightarrow", "overleftarrow", "hat", "vec", "bar"]
)
def test_only_wide_accents_stretch_over_what_they_stand_on(name):
    wide = name.startswith(("wide", "over"))
    assert f'stretchy="{"true" if wide else "false"}"' in inside(rf"\{name}{{xy}}")


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("so $x$ is", f'<p>so <math alttext="x">{X}</math> is</p>'),
        (r"so \(x\) is", f'<p>so <math alttext="x">{X}</math> is</p>'),
        ("$$\nx\n$$", f"<p>{BLOCK}</p>"),
        ("\\[ x \\]", f"<p>{BLOCK}</p>"),
        ("So $$x$$ is", f"<p>So {BLOCK} is</p>"),
        ("it costs $5 and $6", "<p>it costs $5 and $6</p>"),
        (r"so \(a_b^*\unheard\) is", r'<p>so <code class="math">a_b^*\unheard</code> is</p>'),
        ("$$\n\\unheard\n< b_1\n$$", '<pre class="math">\\unheard\n&lt; b_1</pre>'),
        ("$$ <script>never closed", "<p>$$ &lt;script&gt;never closed</p>"),
        ("`$x$` is code", "<p><code>$x$</code> is code</p>"),
        ("```\n$$\n```", "<pre><code>$$\n</code></pre>"),
        ("$$x$$", f"<p>{BLOCK}</p>"),
        ("$$x\n\n$$\nso", f"<p>{BLOCK}</p>\n<p>so</p>"),
        ("  $$\n  x\n\n  $$", f"<p>{BLOCK}</p>"),
        ("> $$\n> x\n\n$$", "<blockquote>\n<p>$$\nx</p>\n</blockquote>\n<p>$$</p>"),
    ],
)  # fmt: skip
def test_formulas_stand_in_markdown_and_what_is_unknown_is_shown_as_its_source(text, drawn):
    assert str(from_item(text)).strip() == drawn


def test_an_environment_needs_no_marks_and_a_long_formula_in_a_line_may_scroll():
    drawn = str(from_item("\\begin{align*}\nx &= 1 \\\\\ny &= 2\n\\end{align*}\nso"))
    assert drawn.count("<mtr>") == 2
    assert drawn.endswith("<p>so</p>\n")
    assert '<span class="unbroken"><math' in str(from_item(f"${'+'.join('abcdefghijklm')}$"))


HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.mark.parametrize(
    "source",
    [rf"\text{{{HOSTILE}}}", HOSTILE, rf"\operatorname{{{HOSTILE}}}", rf"\tag{{{HOSTILE}}}",
     rf"\begin{{{HOSTILE}}}\end{{{HOSTILE}}}", rf"\hspace{{{HOSTILE}}}", r'\text{x" onclick="y}'],
)  # fmt: skip
def test_nothing_in_a_formula_becomes_markup(source):
    drawn = str(from_item(f"$${source}$$"))
    assert "<img" not in drawn
    assert 'alttext="\\text{x" onclick' not in drawn


@pytest.mark.parametrize(
    "source",
    [r"\unheard", r"\frac{1}", "{x", "x}", r"\left(x", r"\right)", r"\begin{matrix} x", "x & y",
     r"\begin{array}{p{3cm}} x \end{array}", "%x", "x_", r"\text{a $x}", r"\color{red}{x}", "\\",
     "{" * 3000, r"\frac" * 700, r"\displaystyle" * 300, "x" * 5000, r"\displaystylex1",
     r"1 + 1 + 1 + 1 + \displaystylex",
     r"\sum\limitsx_1", r"\begin{matrix} x \\[2pt y \end{matrix}",
     r"\not\alpha", r"\hspace{3cm}", r"\text{a\b}", r"\text{a {b} c}", "\u202e"],
)  # fmt: skip
def test_a_formula_that_is_not_wholly_known_is_not_drawn(source):
    assert mathml(source) is None


def test_sixty_things_within_each_other_are_drawn_wherever_they_stand_and_no_more():
    for beside in ("", "{x}" * 40):
        assert mathml(beside + r"\displaystyle" * 59 + "1") is not None
        assert mathml(beside + r"\displaystyle" * 60 + "1") is None
    assert mathml("x" * 4000) is not None
    assert "display" not in mathml("x")
    assert mathml("x" * 4001) is None


def test_letters_of_other_faces_are_the_letters_that_unicode_says_they_are():
    def plain(letter):
        return unicodedata.normalize("NFKC", letter)

    for name, table in ALPHABETS.items():
        assert [plain(changed) for changed in table.values()] == list(map(plain, table)), name
        assert len(set(table.values())) == len(table), name


@pytest.mark.parametrize(("signs", "kept_whole"), [(20, False), (21, True)])
def test_only_a_long_formula_in_a_line_is_kept_in_a_box_of_its_own(signs, kept_whole):
    assert ('<span class="unbroken">' in str(from_item(f"${'x' * signs}$"))) is kept_whole


ALLOWED = {
    tag: attributes | ({"class"} if tag in CLASSES else set()) for tag, attributes in TAGS.items()
}
PIECES = [
    *(f"\\{name} " for names in (ACCENTS, BRACES, CLASSED, FUNCTIONS, LARGE, LETTERS, OPERATORS)
      for name in names),
    *"xy12{}{}^_'&()|+-., ", r"\\", r"\frac", r"\left(", r"\right)", r"\begin{cases}",
    r"\end{cases}", r"\text{a}", r"\sqrt[3]", "<", "é", "中", "\u202e",
]  # fmt: skip


@given(some.lists(some.sampled_from(PIECES), max_size=12).map("".join))
def test_whatever_is_drawn_is_well_formed_and_passes_the_cleaning_whole(source):
    drawn = mathml(source)
    if drawn is None:
        return
    for element in tree.fromstring(drawn).iter():
        assert set(element.keys()) <= ALLOWED[element.tag]
    assert str(from_item(f"\\({source}\\)")).count("<m") in (0, drawn.count("<m"))


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
