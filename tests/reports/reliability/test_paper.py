"""Fragments for a paper: they compile where papers are written, and say what an author would."""

import re
import shutil
import subprocess
import zipfile
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from covary import InvalidArgument, Ratings, datasets, report
from covary.reports.blocks import Column, Table
from covary.reports.latex_fragments import any_script, float_table
from covary.reports.references import PAPERS, bibliography, prose_text
from covary.reports.reliability.methods import full_methods
from covary.reports.reliability.paper import write_paper
from covary.reports.reliability.paper_tables import paper_table
from covary.reports.reliability.prose import methods_prose, results_prose
from tests.reports import studies
from tests.reports.test_latex import needs

# ACL's style has two columns of 7.7 cm, 0.6 cm apart, 11 point type and natbib.
TWO_COLUMNS = r"""\documentclass[11pt,a4paper,twocolumn]{article}
\usepackage[textwidth=16cm,textheight=24.7cm]{geometry}
\setlength{\columnsep}{0.6cm}
\usepackage{times}\usepackage{natbib}\usepackage{booktabs}\usepackage{graphicx}
\newcommand{\covaryfolder}{paper/}
"""
PLAIN = r"""\documentclass{article}
\usepackage{booktabs}\usepackage{graphicx}
"""
BODY = r"""\begin{document}
\section{Methods}\input{paper/methods}
\section{Results}\input{paper/results}
\input{paper/table}\input{paper/table-wide}
%s
\bibliographystyle{plain%s}\bibliography{paper/covary}
\appendix\input{paper/appendix}
\end{document}
"""


def compiled(folder, preamble, engine="pdflatex", natbib=""):
    """Compile a document with all fragments as an author does; return what TeX complains of."""
    figures = "\n".join(
        rf"\input{{paper/{path.stem}}}" for path in sorted((folder / "paper").glob("figure-*.tex"))
    )
    (folder / "main.tex").write_text(preamble + BODY % (figures, natbib), encoding="utf-8")
    tex = [engine, "-interaction=nonstopmode", "-halt-on-error", "main.tex"]
    for command in (tex, ["bibtex", "main"], tex, tex):
        run = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        said = run.stdout.decode("utf-8", "replace")
        assert run.returncode == 0, said[-3000:]
    log = (folder / "main.log").read_text(encoding="utf-8", errors="replace")
    return re.findall(r"Overfull \\hbox.*\n.*|.*undefined.*|Missing character.*", said + log)


@pytest.fixture(scope="module")
def continuous_paper(continuous_report, tmp_path_factory):
    folder = tmp_path_factory.mktemp("article")
    write_paper(continuous_report, folder / "paper")
    return folder


@needs("pdflatex")
@pytest.mark.parametrize(
    ("preamble", "natbib"), [(TWO_COLUMNS, "nat"), (PLAIN, "")], ids=["two columns", "plain"]
)
def test_the_fragments_compile_in_two_columns_of_acl_width_and_in_a_plain_article(
    continuous_paper, preamble, natbib
):
    assert compiled(continuous_paper, preamble, natbib=natbib) == []
    assert (continuous_paper / "main.pdf").stat().st_size > 50_000


MANY = "評価者", "سلمى الحكم", "🦊 & 50%"


@needs("lualatex")
@pytest.mark.skipif(
    "NotoColorEmoji" not in str(subprocess.run(["fc-list"], capture_output=True).stdout)
    if shutil.which("fc-list")
    else True,
    reason="there are no Noto fonts on this machine: apt-get install fonts-noto",
)
def test_names_in_any_script_compile_with_lualatex(tmp_path):
    rows = [(1, 2, 1), (2, 2, 3), (3, 3, 3), (1, 1, 2), (2, 3, 3), (3, 3, 2), (1, 1, 1), (2, 1, 2)]
    made = report(Ratings.from_wide(rows, judges=MANY, scale="1-3"), rng=1, title="流暢さ")
    write_paper(made, tmp_path / "paper")
    assert compiled(tmp_path, PLAIN + "\\input{paper/fonts}\n", "lualatex") == []


@needs("pdflatex")
def test_the_example_compiles_as_it_is_written(continuous_paper):
    tex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "example.tex"]
    run = subprocess.run(tex, cwd=continuous_paper / "paper", capture_output=True, check=False)
    assert run.returncode == 0, run.stdout.decode("utf-8", "replace")[-3000:]


def test_text_of_the_right_to_left_keeps_its_words_together():
    written = any_script("by سلمى الحكم, 中 & x")
    assert r"by \covaryrtl{سلمى الحكم}{" in written
    assert r"\covarytext{中}{{[}U+4E2D{]}} \& x" in written


def test_whatever_a_fragment_cites_is_in_its_bibliography(continuous_paper):
    folder = continuous_paper / "paper"
    cited = set()
    for file in folder.glob("*.tex"):
        for keys in re.findall(r"\\citep\{([^}#]+)\}", file.read_text(encoding="utf-8")):
            cited |= {*keys.split(",")}
    entries = set(re.findall(r"^@\w+\{(.+),$", (folder / "covary.bib").read_text(), re.MULTILINE))
    assert cited
    assert cited <= entries


def test_every_paper_becomes_an_entry_with_author_year_title_and_a_place():
    written = bibliography(PAPERS)
    entries = written.strip().split("\n\n")
    assert len(entries) == len(PAPERS)
    for entry in entries:
        assert all(f"  {name} = {{" in entry for name in ("author", "year", "title"))
        assert re.search(r"  (journal|booktitle|publisher|howpublished) = ", entry)
    assert "author = {Kendall, M. G. and Babington Smith, B.}," in written
    assert "number = {4},\n  pages = {555--596}," in written


def test_the_methods_of_the_severity_example_read_as_in_a_paper():
    ratings = studies.severity()
    text = prose_text(methods_prose(studies.measured(ratings), ratings))
    assert text.startswith(
        "Both judges rated all 10 items, which gives 2 ratings per item. The scale is ordinal, 1 "
        "to 3. We report Krippendorff's α with the ordinal distance (Krippendorff 2004) for "
        "agreement beside Goodman and Kruskal's γ (Goodman & Kruskal 1954) for order."
    )


def test_items_are_sources_by_systems():
    ratings = datasets.load("latin-square-example")
    text = prose_text(methods_prose(studies.measured(ratings), ratings))
    assert "32 ratings of 32 items (8 sources × 4 systems), 1 rating per item." in text


@pytest.mark.parametrize("name", ["qgstec-original", "qgstec-reevaluated", "flickr8k-experts"])
def test_the_methods_are_about_a_third_of_what_they_are_in_full(name):
    ratings = studies.shipped(name)
    result = studies.measured(ratings)
    short = prose_text(methods_prose(result, ratings)).split()
    full = " ".join(block.text for block in full_methods(result, ratings, None)[:-1]).split()
    assert len(short) <= 0.4 * len(full)


def test_the_results_give_both_coefficients_and_k_beside_the_reliability_of_means():
    # alpha .525 and gamma 1 by hand; the mean of two ratings is over k = 2
    text = prose_text(results_prose(studies.measured(studies.severity())))
    assert text.startswith("Agreement is α = .53 [")
    assert "order is γ = 1.00 [" in text
    assert "(k = 2)" in text


def test_an_undefined_coefficient_is_said_with_its_reason():
    text = prose_text(results_prose(studies.measured(studies.constant())))
    assert text.startswith("Agreement is undefined: only one category (2) was used")


def test_a_reviewer_gets_a_column_of_kappa_and_an_icc_of_means_its_k():
    result = studies.measured(studies.severity())
    made = paper_table(result, ["alpha", "kappa", "icc-k"], ["items", "verdict"])
    titles = [column.title for column in made.columns]
    assert titles == ["criterion", "items", "α", "κ", "ICC(2,k), k = 2", "verdict"]
    ((_, items, alpha, kappa, *_),) = made.rows
    assert (items, alpha.split()[0]) == ("10", ".53")
    # 4 of 10 are equal; by chance .5·.1 + .3·.5 + .2·.4 = .28, so kappa is .12/.72
    assert kappa.split()[0] == ".17"


def test_a_coefficient_that_there_is_not_is_refused_with_those_there_are():
    result = studies.measured(studies.severity())
    with pytest.raises(InvalidArgument, match="'ac1'") as caught:
        paper_table(result, ["ac1"])
    assert "ac2" in caught.value.allowed


def test_a_table_too_wide_for_a_column_stacks_its_intervals_and_then_takes_both():
    head = (Column("criterion", "left"), *(Column(f"c{n}") for n in range(4)))
    row = ("fluency", *([".53 [.10, .80]"] * 4))
    narrow = Table(key="k", caption="C", columns=head, rows=(row,))
    assert r"\shortstack[r]{.53\\{[}.10, .80{]}}" in float_table(narrow)
    assert r"\begin{table}[" in float_table(narrow)
    wide = replace(narrow, columns=head + head[1:], rows=(row + row[1:],))
    assert r"\begin{table*}[" in float_table(wide)


def test_word_gets_the_paragraphs_and_every_row_of_the_tables(severe_report, tmp_path):
    write_paper(severe_report, tmp_path / "paper")
    with zipfile.ZipFile(tmp_path / "paper" / "tables.docx") as archive:
        names = archive.namelist()
        tree = ElementTree.fromstring(archive.read("word/document.xml"))
    assert "[Content_Types].xml" in names
    space = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
    first = next(tree.iter(f"{space}tbl"))
    rows = [
        ["".join(cell.itertext()) for cell in row.iter(f"{space}tc")]
        for row in first.iter(f"{space}tr")
    ]
    assert rows[0] == ["criterion", "α", "γ"]
    assert rows[1][1].startswith(".53 [")
    assert "Both judges rated all 10 items" in "".join(tree.itertext())


def test_hostile_names_stay_names_in_word(hostile_report, tmp_path):
    hostile_report.write(tmp_path / "x.docx")
    with zipfile.ZipFile(tmp_path / "x.docx") as archive:
        text = "".join(ElementTree.fromstring(archive.read("word/document.xml")).itertext())
    assert '<script>alert("x")</script>' in text


@needs("libreoffice", "libreoffice-writer")
def test_word_documents_open(severe_report, tmp_path):
    severe_report.write(tmp_path / "x.docx")
    command = ["libreoffice", "--headless", f"-env:UserInstallation=file://{tmp_path}/office"]
    command += ["--convert-to", "pdf", "x.docx"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    assert (tmp_path / "x.pdf").stat().st_size > 5_000


def test_markdown_has_its_pictures_beside_it(severe_report, tmp_path):
    severe_report.write(tmp_path / "r.md")
    text = (tmp_path / "r.md").read_text(encoding="utf-8")
    linked = re.findall(r"!\[[^]]*\]\(([^)]+)\)", text)
    assert linked
    assert all((tmp_path / path).is_file() for path in linked)
    assert sorted(linked) == sorted(
        f"r-figures/{p.name}" for p in (tmp_path / "r-figures").iterdir()
    )


def test_a_criterion_that_is_a_question_stands_in_quotation_marks():
    question = "How fluent is this summary?"
    rows = [
        {"item": item, "judge": judge, "rating": (item + step) % 5 + 1, "criterion": name}
        for name in (question, "tone")
        for item in range(6)
        for step, judge in enumerate("AB")
    ]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    text = prose_text(results_prose(studies.measured(Ratings(columns, scale="1-5"))))
    assert f"On “{question}”, agreement" in text
    assert "On tone, agreement" in text


def test_a_paper_has_the_systems_where_the_ratings_name_them(tmp_path):
    """By hand: x has the mean 4.5, y 1.5."""
    columns = {"item": [], "judge": [], "rating": [], "system": []}
    for n in range(20):
        for place, judge in enumerate("AB"):
            system = "xy"[n % 2]
            row = (f"{n}", judge, (4 if system == "x" else 1) + place, system)
            for column, value in zip(columns.values(), row, strict=True):
                column.append(value)
    made = report(Ratings(columns, scale="1-5"))
    write_paper(made, tmp_path / "paper")
    systems = (tmp_path / "paper" / "systems.tex").read_text(encoding="utf-8")
    assert "4.50" in systems
    assert "1.50" in systems
    assert "systems.tex" in (tmp_path / "paper" / "README.md").read_text(encoding="utf-8")
    del columns["system"]
    write_paper(report(Ratings(columns, scale="1-5")), tmp_path / "other")
    assert not (tmp_path / "other" / "systems.tex").exists()
    assert "systems.tex" not in (tmp_path / "other" / "README.md").read_text(encoding="utf-8")
