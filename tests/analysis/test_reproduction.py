"""Printed tables come out again, and where they do not it is known why."""

import pytest

from covary.analysis.reproduction import (
    amidei_flickr_8k,
    amidei_table_7,
    cut_off_to,
    godwin_piwek_table_6,
    rounds_to,
)


@pytest.fixture(scope="module")
def table_7():
    return {(row.criterion, row.place, row.coefficient): row for row in amidei_table_7()}


def test_nine_of_the_ten_alphas_of_godwin_and_piwek_round_to_the_printed_value():
    rows = godwin_piwek_table_6()
    assert len(rows) == 10
    (other,) = [row for row in rows if not row.rounded]
    assert (other.criterion, other.place, other.printed) == ("correctness", "original", "0.409")
    assert other.computed == pytest.approx(0.413, abs=5e-4)
    assert "cleaned file" in other.remark


def test_every_cell_of_amidei_table_7_but_the_slip_is_the_printed_number_cut_off(table_7):
    assert len(table_7) == 80
    (slip,) = [row for row in table_7.values() if not row.truncated]
    assert (slip.criterion, slip.place, slip.printed) == ("correctness", "J1-J3", "0.67")
    assert slip.coefficient == "goodman_kruskal_gamma"
    assert slip.computed == pytest.approx(0.6344, abs=5e-5)
    assert not slip.rounded


def test_the_ambiguity_gammas_have_their_third_digit(table_7):
    """Computed from the published files independently of covary."""
    pairs = ("J1-J2", "J1-J3", "J1-J4", "J1-J6", "J2-J5", "J3-J5", "J4-J5", "J5-J6")
    known = (0.335, 0.330, 0.611, 0.218, 0.843, 0.512, 0.391, 0.750)
    found = [table_7["ambiguity", pair, "goodman_kruskal_gamma"].computed for pair in pairs]
    assert found == pytest.approx(known, abs=5e-4)


def test_the_column_headed_fleiss_is_not_fleiss(table_7):
    """NLTK's multi_kappa fits all cells cut off, true Fleiss 6; to two digits 9 when rounded."""
    row = table_7["ambiguity", "J1-J2", "cohen_kappa"]
    assert row.computed == pytest.approx(0.0655, abs=5e-5)
    assert row.rival == pytest.approx(-0.0337, abs=5e-5)
    kappas = [row for row in table_7.values() if row.rival is not None]
    assert sum(cut_off_to(row.printed, row.rival) for row in kappas) == 6
    two_digits = [row for row in kappas if row.printed != "0.2"]
    assert sum(rounds_to(row.printed, row.rival) for row in two_digits) == 9


def test_the_values_of_flickr_8k_come_out_when_its_columns_are_taken_for_judges():
    gamma, kappa = amidei_flickr_8k()
    assert gamma.computed == pytest.approx(0.98875, abs=5e-6)
    assert kappa.computed == pytest.approx(0.5259, abs=5e-5)
    assert kappa.rival == pytest.approx(0.5167, abs=5e-5)
    assert gamma.truncated
    assert kappa.truncated


@pytest.mark.parametrize(
    ("printed", "value", "rounded", "cut"),
    [
        ("0.23", 0.2384, False, True),
        ("0.24", 0.2384, True, False),
        ("0.2", 0.223, True, True),
        ("0.20", 0.223, False, False),
        ("-0.05", -0.0551, False, True),
        ("-0.06", -0.0551, True, False),
        ("1", 0.9999999999999997, True, True),
        ("0.45", 0.45 - 1e-16, True, True),
        ("-0.00013", -0.000134789, True, True),
    ],
)
def test_a_printed_number_claims_the_digits_that_it_shows(printed, value, rounded, cut):
    assert (rounds_to(printed, value), cut_off_to(printed, value)) == (rounded, cut)
