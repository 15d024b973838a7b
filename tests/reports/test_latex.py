"""LaTeX that compiles, with every character as it was meant."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from covary import VerbalScale, datasets, read
from covary.analysis.rounds import rounds
from covary.reports.blocks import Contents, Section
from covary.reports.crowd import crowd_report
from covary.reports.latex import escape, to_latex, typewriter
from covary.reports.reliability.checklist import checklist
from covary.reports.reliability.methods import methods
from covary.reports.rounds import rounds_report
from covary.reports.scale_comparison import scale_report
from covary.reports.systems import systems_report
from tests.reports import studies
from tests.reports.made_up import CONTENTS

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"

TEX = "texlive-latex-extra texlive-luatex"


def needs(program, packages=TEX):
    """Skip a test where a program is missing, and say in what packages it is."""
    reason = f"there is no {program} on this machine: apt-get install {packages}"
    return pytest.mark.skipif(shutil.which(program) is None, reason=reason)


def compiled(text, folder):
    """Compile twice, as longtable wants, and return what TeX said."""
    (folder / "report.tex").write_text(text, encoding="ascii")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "report.tex"]
    for _ in range(2):
        run = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        said = run.stdout.decode("utf-8", "replace")
        assert run.returncode == 0, said[-3000:]
    return said


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("50 % & $5", r"50 \% \& \$5"),
        ("J_1 #2 {x}", r"J\_1 \#2 \{x\}"),
        ("a\\b ~ ^", r"a\textbackslash{}b \textasciitilde{} \textasciicircum{}"),
        ("a < b > c | d", r"a \textless{} b \textgreater{} c \textbar{} d"),
        ("[.1, .5]*", r"{[}.1, .5{]}{*}"),
        ("1–2 — x", "1--2 --- x"),
        ("--format ---", "-{}-format -{}-{}-"),
        ("α ≥ .8 × κ, Δ, Α", r"$\alpha$ $\geq$ .8 $\times$ $\kappa$, $\Delta$, A"),
        ("Müller, Audigé, Hróbjartsson", r"M\"{u}ller, Audig\'{e}, Hr\'{o}bjartsson"),
        ("naïve Šø ß", r"na\"{\i}ve \v{S}\o{} \ss{}"),
        ("“q” ‘s’ …", r"``q'' `s' \dots{}"),
        ("a → b − 1", r"a $\rightarrow$ b $-$ 1"),
        ("中", "{[}U+4E2D{]}"),
        ("two\nlines", "two lines"),
        ("10 %\u00a0x", r"10 \%~x"),
    ],
    ids=lambda text: text[:6],
)
def test_special_characters_are_written_out(text, written):
    assert escape(text) == written


def test_what_is_to_be_copied_keeps_its_hyphens_and_may_break_after_separators():
    assert typewriter("  a|b -- c") == r"~~a\char124{}\allowbreak{}b {-}{-} c"


def test_the_document_is_plain_ascii_with_booktabs_tables():
    text = to_latex(CONTENTS)
    assert text.isascii()
    assert text.startswith("\\documentclass")
    assert text.endswith("\\end{document}\n")
    assert text.count("\\begin{longtable}") == text.count("\\end{longtable}") > 4
    for rule in ("\\toprule", "\\midrule", "\\bottomrule"):
        assert rule in text
    assert "\\hline" not in text


def test_a_row_is_written_cell_by_cell():
    lines = to_latex(CONTENTS).splitlines()
    assert r"Ann \& Bo & .53 {[}.10, .80{]} \\" in lines
    assert r"J\_1 \textbar{} J\_2 & -- \\" in lines


def test_a_table_wider_than_the_page_is_set_in_parts_that_repeat_the_first_column():
    text = to_latex(CONTENTS)
    parts = int(re.search(r"A matrix of 30 judges \(part 1 of (\d)\)", text)[1])
    assert parts > 1
    assert f"A matrix of 30 judges (part {parts} of {parts})" in text
    assert text.count("\njudge 29 & ") == parts


def test_a_figure_becomes_its_table_without_the_caption_of_a_picture_that_is_not_there():
    text = to_latex(CONTENTS)
    assert "Gamma is above alpha" not in text
    assert "A dot plot" not in text
    assert text.count(r"\caption{Agreement \textbar{} by pair") == 2


@needs("pdflatex")
def test_every_kind_of_block_compiles_without_running_over_the_margin(tmp_path):
    said = compiled(to_latex(CONTENTS), tmp_path)
    assert (tmp_path / "report.pdf").stat().st_size > 10_000
    assert "Overfull" not in said


@needs("pdflatex")
def test_every_printable_character_of_latin_and_greek_compiles(tmp_path):
    ranges = ((0x20, 0x7F), (0xA0, 0x180), (0x391, 0x3CA), (0x2010, 0x2040), (0x2190, 0x2265))
    texts = ["".join(chr(n) for n in range(*each)) for each in ranges]
    blocks = "\n\n".join(escape(" ".join(text)) for text in texts)
    document = to_latex(CONTENTS).replace("\\end{document}", blocks + "\n\\end{document}")
    compiled(document, tmp_path)


@needs("pdflatex")
@pytest.mark.parametrize("study", ["severity", "two_criteria", "names", "constant"])
def test_methods_and_checklist_compile(study, tmp_path):
    ratings = getattr(studies, study)()
    found = studies.measured(ratings)
    sections = (
        Section("methods", "Methods", methods(found, ratings, None)),
        Section("checklist", "Checklist", checklist(found, ratings, None)),
    )
    compiled(to_latex(Contents("A study", "", sections)), tmp_path)


def systems_of():
    return systems_report(datasets.load("latin-square-example"), resamples=100, rng=1)


def scales_of():
    made = datasets.simulate_scales(systems=3, sources=6, judges=6, seed=1)
    return scale_report(made.ratings, resamples=50, rng=1)


def rounds_of():
    both = (datasets.load(f"qgstec-{name}") for name in ("original", "reevaluated"))
    return rounds_report(rounds(*both, criterion="relevance", resamples=50, rng=1))


def crowd_of():
    scale = VerbalScale(["invalid", "acceptable", "valid"])
    both = (read(EXAMPLES / f"{name}.csv", scale=scale) for name in ("crowd", "experts"))
    return crowd_report(*both, arrangements=100, resamples=50, pay=0.05, fee=0.01, rng=1)


@needs("pdflatex")
@pytest.mark.parametrize("made", [systems_of, scales_of, rounds_of, crowd_of])
def test_the_reports_of_the_analyses_compile_and_keep_to_the_page(made, tmp_path):
    said = compiled(made().latex(), tmp_path)
    assert "Overfull" not in said
