"""`covary demo`: printed tables, what is wrong with real ratings, and the reports."""

import io
import re
import shlex
import shutil
from contextlib import redirect_stdout

import pytest

from covary.cli import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("demo") / "new" / "reports"


@pytest.fixture(scope="module")
def shown(folder):
    printed = io.StringIO()
    with redirect_stdout(printed):
        assert main(["demo", str(folder)]) == 0
    return printed.getvalue()


def part(text, start, end=None):
    found = text.split(f"\n{start}. ", 1)[1]
    return found.split(f"\n{end or start + 1}. ", 1)[0]


def line_with(text, start):
    (found,) = [line for line in text.splitlines() if line.strip().startswith(start)]
    return found.split()


def plain(text):
    return " ".join(text.split())


def test_it_fits_a_terminal_of_100_columns(shown):
    lines = shown.splitlines()
    assert max(len(line) for line in lines) <= 100
    assert all(line == line.rstrip() for line in lines)


def test_it_shows_table_6_of_godwin_and_piwek(shown):
    table = part(shown, 1)
    assert "0.348     0.3480             0.904     0.9040" in table
    assert "0.409     0.4130*            0.838     0.8380" in table
    assert "9 of 10" in table
    assert "cleaned file" in table


def test_it_shows_table_7_of_amidei_and_its_slip(shown):
    table = part(shown, 1)
    assert "0.63435*" in table
    assert "39 of 40 are the printed number when cut off" in table
    assert "   40 of 40 are the printed number when cut off." in table
    assert "correctness, J1-J3: a slip" in table


def test_it_says_that_the_printed_fleiss_is_congers(shown):
    assert "they are Conger's, which for two judges is Cohen's" in shown
    assert "ambiguity J1-J2: printed 0.06, Conger's 0.06554, Fleiss' -0.03374" in shown
    assert "only 6 of 40" in shown


def test_it_finds_that_the_columns_of_flickr_8k_are_sorted(shown):
    flickr = plain(part(shown, 2))
    assert "[sorted-columns]" in flickr
    assert "'j2' is 1,073 times above 'j1' and never below" in flickr
    assert "'j3' is 1,484 times above 'j2' and never below" in flickr


def test_it_says_that_the_printed_gamma_of_flickr_8k_is_an_artefact(shown):
    flickr = part(shown, 2)
    assert line_with(flickr, "gamma, as printed")[-1] == ".98"
    assert line_with(flickr, "gamma, the columns")[-1] == ".99"
    assert ".88" in line_with(flickr, "gamma, over arrangements")
    assert "artefact" in flickr


def test_it_finds_the_stray_ratings_the_confounding_and_the_useless_batch(shown):
    original = plain(part(shown, 3))
    for code in ("stray-category", "judge-system-confounding", "few-common-items"):
        assert f"[{code}]" in original
    assert "category 3 was used 2 times" in original
    assert "'J4' rated 0 of system 'b'" in original
    assert "'J2' rated 0 of system 'c'" in original
    assert "'J1' and 'J5': 7 items" in original


def test_it_finds_nothing_serious_in_the_ratings_after_the_guidelines(shown):
    assert "Serious" not in part(shown, 4)


def test_it_shows_agreement_before_and_after_with_intervals(shown):
    # Ordinal alpha as krippendorff 0.9.0 computes it: tests/published/cases/shipped.toml.
    table = part(shown, 5, "The reports")
    alphas = re.findall(r" (?:before|after) +(\S+) +\S+ to \S+", table)
    assert alphas == [".27", ".81", ".32", ".86", ".42", ".84", ".32", ".70", ".34", ".89"]


def test_it_shows_how_the_scales_were_used_before_and_after(shown):
    # Godwin & Piwek (2016), Figures 2 and 3; all three judges together.
    assert "1801/649/219/19" in shown
    assert "1095/533/773/287" in shown


def test_it_writes_the_reports_and_names_them(shown, folder):
    names = [
        "flickr8k-experts.html",
        "plan.html",
        "qgstec-original.html",
        "qgstec-reevaluated.html",
    ]
    assert sorted(each.name for each in folder.iterdir()) == [*names, "ratings.csv"]
    for name in names:
        assert f"  {folder / name}" in shown
        assert "<html" in (folder / name).read_text(encoding="utf-8")


def test_it_ends_with_three_things_to_try_that_work(shown, folder, tmp_path, monkeypatch):
    steps = shown.split("Three things to try next:")[1].splitlines()
    assert [line[:2] for line in steps if line[1:3] == ". "] == ["1.", "2.", "3."]
    commands = [shlex.split(line) for line in steps if line.startswith("   ")]
    assert [words[1] for words in commands] == [str(folder), "report", "systems", "init", "serve"]
    monkeypatch.chdir(tmp_path)
    shutil.copy(folder / "ratings.csv", tmp_path)
    for words in commands[1:4]:
        assert main(words[1:]) == 0


def test_a_file_is_no_folder(run, ratings_file):
    ended = run("demo", ratings_file)
    assert ended.code == 1
    assert "is a file" in ended.err
