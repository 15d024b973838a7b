"""The forms of an audit: they say the same, and nothing is lost."""

import csv
import io
import json
from functools import cache

import pytest

from covary.analysis.published import audit, audit_papers
from covary.reports.audit import AuditReport, audit_report


@cache
def made() -> AuditReport:
    return audit_report(audit_papers())


def test_the_first_table_holds_what_does_not_fit():
    section = made().contents.sections[0]
    table = next(block for block in section.blocks if getattr(block, "key", "") == "misfits")
    printed = [row[1] for row in table.rows]
    assert printed == [".595*", "0.67", "0.409", "6.81"]


def test_every_number_has_a_row_in_the_table_for_spreadsheets():
    rows = list(csv.DictReader(io.StringIO(made().csv())))
    assert len(rows) == sum(len(found.numbers) for found in made().audits)
    assert {row["verdict"] for row in rows} == {"fits", "fits only if", "does not fit", "derived"}
    wrong = next(row for row in rows if row["printed"] == ".595*")
    assert (wrong["title"], wrong["row"], wrong["column"]) == (
        "Belz & Kow (2011)",
        "Adequacy",
        "VAS (B)",
    )


def test_json_holds_the_numbers_that_are_not_rounded():
    found = json.loads(made().json())
    numbers = [n for a in found["audits"] for p in a["parts"] for n in p["numbers"]]
    wrong = next(n for n in numbers if n["printed"] == "6.81")
    assert wrong["data"]["hourly"] == {"pay": 6.0, "pay and fee": 7.2}


@pytest.mark.parametrize("form", ["html", "markdown", "latex"])
def test_every_form_for_readers_names_every_paper(form):
    text = getattr(made(), form)()
    for name in ("Belz", "Amidei", "Godwin", "Banchs"):
        assert name in text
    assert "6.81" in text


def test_every_number_stands_in_the_page_once():
    tables = [
        block
        for section in made().contents.sections[1:]
        for block in section.blocks
        if hasattr(block, "rows")
    ]
    assert sum(len(table.rows) for table in tables) == sum(len(a.numbers) for a in made().audits)
    keys = [table.key for table in tables]
    assert len(set(keys)) == len(keys)


def test_the_short_form_shows_misfits_and_counts_what_repeats():
    short = made().short()
    assert ".595* does not fit → **; * would fit 4 judges" in short
    assert "21 fit only if it is Cohen's kappa." in short
    assert max(map(len, short.splitlines())) <= 96
    assert len(made().short(everything=True)) > len(short)


def test_where_everything_fits_it_is_said(tmp_path):
    file = tmp_path / "numbers.toml"
    file.write_text('[[check]]\nkind = "arithmetic"\nplace = "p"\nprinted = "4"\nfrom = "2 + 2"\n')
    page = audit_report([audit(file)]).markdown()
    assert "Every number fits." in page
