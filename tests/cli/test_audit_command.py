"""`covary audit`: what it prints, what it writes, and how it ends."""

import json

import pytest


@pytest.fixture
def numbers(tmp_path):
    file = tmp_path / "numbers.toml"
    file.write_text(
        'title = "Made up"\n[[check]]\nkind = "arithmetic"\nplace = "section 4"\n'
        'printed = "36.92"\nfrom = "1215 / 33"\n',
        encoding="utf-8",
    )
    return file


def test_without_a_file_it_shows_what_it_finds_in_the_papers(run):
    ended = run("audit")
    assert ended.code == 0
    for words in (
        "Belz & Kow (2011): 72 printed numbers",
        "would fit 4 judges",
        "26.4 s at 0.05 or 31.7 s at 0.06",
    ):
        assert words in ended.out


def test_a_number_that_does_not_fit_is_shown_and_strict_ends_with_1(run, numbers):
    ended = run("audit", numbers)
    assert ended.code == 0
    assert "1 printed number checked: 1 does not fit." in ended.out
    assert "36.92 does not fit" in ended.out
    assert run("audit", numbers, "--strict").code == 1


def test_the_template_is_a_file_that_can_be_audited(run, tmp_path):
    file = tmp_path / "numbers.toml"
    file.write_text(run("audit", "--template").out, encoding="utf-8")
    assert run("audit", file, "--strict").code == 0


def test_forms_are_written_by_their_ending_and_printed_without_a_file(run, numbers, tmp_path):
    ended = run("audit", numbers, "-o", tmp_path / "audit.html")
    assert f"Written: {tmp_path / 'audit.html'}" in ended.out.replace("\n", " ")
    assert (tmp_path / "audit.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    printed = run("audit", numbers, "--format", "json").out
    assert json.loads(printed)["audits"][0]["title"] == "Made up"


def test_all_shows_what_fits_too(run, tmp_path):
    file = tmp_path / "n.toml"
    file.write_text('[[check]]\nkind = "arithmetic"\nplace = "p"\nprinted = "4"\nfrom = "2+2"\n')
    assert "- 4 fits" not in run("audit", file).out
    assert "- 4 fits" in run("audit", file, "--all").out


def test_each_fault_has_its_line(run, numbers):
    numbers.write_text(
        '[[check]]\nkind = "arithmetc"\n[[check]]\nkind = "cost"\nplace = "p"\nprinted = 1.50\n'
    )
    ended = run("audit", numbers)
    assert ended.code == 1
    lines = ended.err.splitlines()
    assert lines[0] == "covary: numbers.toml has 5 faults:"
    assert "did you mean 'arithmetic'?" in lines[1]
    assert any('line 6: check[2].printed: 1.50 is not in quotes; write "1.50"' in x for x in lines)


def test_a_file_that_is_not_there_is_an_error_in_one_line(run, tmp_path):
    ended = run("audit", tmp_path / "absent.toml")
    assert ended.code == 1
    assert len(ended.err.splitlines()) == 1
    assert "does not exist" in ended.err


@pytest.mark.parametrize("place", ["numbers.toml", ".", "no/such/audit.html", "audit.odt"])
def test_an_output_that_cannot_be_written_is_refused_before_anything_is_computed(
    run, numbers, tmp_path, place
):
    before = numbers.read_bytes()
    ended = run(
        "audit", numbers, "-o", tmp_path / place, *(["--format", "html"] if place[0] == "n" else [])
    )
    assert ended.code == 2
    assert numbers.read_bytes() == before
