"""What the auditor finds in four papers, from their printed numbers and the ratings that ship."""

import re
from functools import cache

import pytest

from covary.analysis.published import Audit, audit
from covary.analysis.reproduction import amidei_table_7, godwin_piwek_table_6
from covary.datasets.shipped import paper, papers
from tests.analysis.numbers_files import rewritten


@cache
def of(name: str) -> Audit:
    return audit(name)


def part(name, words, kind=None):
    found = [p for p in of(name).parts if words in p.place and kind in (None, p.kind)]
    assert len(found) == 1, [p.place for p in of(name).parts]
    return found[0]


def test_every_printed_statistic_of_belz_and_kow_is_there():
    kinds = [number.kind for number in of("belz-kow-2011").numbers]
    assert kinds.count("f-ratios") == 24
    assert kinds.count("concordance") == 12
    assert kinds.count("correlations") == 24 + 4 + 3  # and stability, and validity


def test_every_star_of_the_f_ratios_and_correlations_fits():
    numbers = of("belz-kow-2011").numbers
    starred = [number for number in numbers if number.kind in ("f-ratios", "correlations")]
    assert {number.verdict for number in starred} == {"fits"}


def test_the_degrees_of_freedom_are_those_of_the_design():
    numbers = [n for n in of("belz-kow-2011").numbers if n.kind == "f-ratios"]
    found = {tuple(re.findall(r"\d+", n.arithmetic)[:2]) for n in numbers}
    assert found == {("7", "888"), ("111", "784"), ("10", "473"), ("21", "462")}


# from the printed F-ratios by hand: eta² = F df / (F df + n - 1 - df), and so on
ADDITIVE = {
    "Adequacy, VDS-7": ("10.22", "14.22", "1.43"),
    "Adequacy, VAS (A)": ("7.72", "15.15", "1.80"),
    "Fluency, VDS-7": ("16.99", "31.77", "1.27"),
    "Fluency, VAS (A)": ("21.00", "21.29", "1.48"),
    "Clarity, VDS-7 (A)": ("33.63", "8.69", "3.02"),
    "Clarity, VAS": ("39.52", "13.48", "3.92"),
    "Readability, VDS-7 (A)": ("36.76", "9.26", "4.22"),
    "Readability, VAS": ("38.76", "11.54", "6.67"),
}


@pytest.mark.parametrize("column", ADDITIVE)
def test_additive_f_ratios_follow_from_the_printed_one_way_ones(column):
    found = [n for n in of("belz-kow-2011").numbers if n.kind == "additive-f"]
    mine = tuple(n.expected.rstrip("*") for n in found if n.column == column)
    assert mine == ADDITIVE[column]


def test_in_one_model_text_type_is_significant_in_all_cells_and_vas_leads_in_three_of_four():
    found = [n for n in of("belz-kow-2011").numbers if n.kind == "additive-f"]
    text = [n for n in found if n.row == "Text Type"]
    assert sum("*" in n.printed for n in text) == 4
    assert all("*" in n.expected for n in text)
    system = [n.data["f"] for n in found if n.row == "System"]
    assert [vas > vds for vds, vas in zip(system[::2], system[1::2], strict=True)] == [
        False,
        True,
        True,
        True,
    ]


def test_the_one_w_that_does_not_fit_would_fit_four_judges():
    (wrong,) = of("belz-kow-2011").misfits
    assert (wrong.printed, wrong.row, wrong.column) == (".595*", "Adequacy", "VAS (B)")
    assert wrong.data["p"] == pytest.approx(2.3e-5, rel=0.02)
    assert wrong.data["fitting_counts"] == (4,)
    whole = part("belz-kow-2011", "Kendall's W of image")
    assert "(.595*, .729**) would fit 4 judges" in whole.conclusion


def test_sensitivity_counts_are_pairs_of_systems():
    found = {n.place: n for n in of("belz-kow-2011").numbers if n.kind == "arithmetic"}
    assert found["section 6.4, possible differences"].printed == "28"
    assert found["section 6.5, possible differences"].printed == "55"
    assert {number.verdict for number in found.values()} == {"fits"}


def test_the_averages_of_amidei_table_5_are_cut_off():
    for words, values in (
        ("Table 5, Fleiss", (0.3525, 0.4575, 0.2325)),
        ("Table 5, Goodman", (0.6525, 0.8325, 0.5075)),
    ):
        found = part("amidei-2019", words)
        assert [float(n.data["value"]) for n in found.numbers] == pytest.approx(values)
        assert all(n.data["cut_off"] for n in found.numbers)
        assert sum(n.data["rounded"] for n in found.numbers) == 2
        assert "cut off, not rounded" in found.conclusion


def test_fleiss_kappas_of_amidei_table_7_are_cohens_and_congers():
    found = part("amidei-2019", "Table 7, Fleiss")
    assert re.match(
        r"Cohen's kappa \(cut off\).*Conger's kappa \(cut off\) fit 40 of 40", found.conclusion
    )
    cells = {(n.row, n.column): n for n in found.numbers}
    # Cohen's kappa .0655 and -.0001 where Fleiss' is -.0337 and -.0784
    assert cells["ambiguity", "J1-J2"].data["value"] == pytest.approx(0.0655, abs=5e-5)
    assert cells["correctness", "J1-J6"].data["value"] == pytest.approx(-0.0001, abs=5e-5)
    assert found.count("does not fit") == 0
    fleiss = [row for row in amidei_table_7() if row.rival is not None]
    assert f"fits {sum(_rounds(row) for row in fleiss)} of 40 rounded" in found.conclusion


def _rounds(row):
    places = len(row.printed.partition(".")[2])
    return f"{row.rival:.{places}f}" == f"{float(row.printed):.{places}f}"


def test_the_slip_in_amidei_table_7_is_found_with_its_average():
    found = part("amidei-2019", "Table 7, Goodman")
    (slip,) = (n for n in found.numbers if n.verdict == "does not fit")
    assert (slip.row, slip.column, slip.printed) == ("correctness", "J1-J3", "0.67")
    assert slip.data["value"] == pytest.approx(0.6344, abs=5e-5)
    average = next(n for n in found.numbers if (n.row, n.column) == ("average", "J1-J3"))
    # (.33 + .63 - 1 + .63 + .99) / 5 = .316
    assert (average.printed, average.expected, average.verdict) == ("0.32", "0.31", "fits only if")
    assert "39 of 40" in found.conclusion


def test_shares_of_the_survey_of_amidei():
    found = [n for n in of("amidei-2019").numbers if n.kind == "percentages"]
    assert [(n.printed, n.verdict) for n in found] == [
        ("18%", "fits"),  # 24 / 135 = 17.8
        ("67%", "fits"),  # 16 / 24 = 66.7
        ("37%", "fits only if"),  # 9 / 24 = 37.5
        ("20%", "fits only if"),  # 5 / 24 = 20.8
        ("25%", "fits only if"),  # 7 / 28, not 7 / 24 = 29.2
    ]
    assert found[-1].condition == (
        "it is of the 28 uses of coefficients, not of the 24 papers that report agreement"
    )
    assert part("amidei-2019", "uses of coefficients").numbers[0].verdict == "fits"


def test_an_average_of_kappas_that_are_not_named_is_not_accepted():
    found = part("amidei-2019", "Table 3, average")
    assert [n.row for n in found.numbers if n.verdict != "fits"] == ["κ no better specified"]


def test_batches_of_amidei_table_6_are_those_of_the_ratings():
    found = part("amidei-2019", "Table 6")
    assert found.count("fits") == 9
    assert "895 items" in found.conclusion


def test_absolute_average_of_footnote_19():
    found = part("amidei-2019", "footnote 19").numbers[0]
    assert float(found.data["value"]) == pytest.approx(0.724)


def test_godwin_and_piwek_use_the_interval_metric():
    found = part("godwin-piwek-2016", "Table 6")
    assert found.conclusion.startswith("Krippendorff's alpha with the interval metric")
    assert "fit 9 of 10" in found.conclusion
    right = [n for n in found.numbers if n.verdict == "fits only if"]
    assert {n.condition for n in right} == {"it is Krippendorff's alpha with the interval metric"}
    (other,) = (n for n in found.numbers if n.verdict == "does not fit")
    assert (other.printed, other.row) == ("0.409", "correctness")  # of the authors' cleaned file


def test_banchs_costs_add_up_and_the_hourly_rate_does_not():
    found = of("banchs-2016")
    printed = {number.printed: number for number in found.numbers}
    for text in ("36.82", "72.90", "1,215", "405"):
        assert printed[text].verdict == "fits"
    (wrong,) = found.misfits
    assert wrong.expected == "6.00 or 7.20"
    assert {k: float(v) for k, v in wrong.data["seconds"].items()} == pytest.approx(
        {"pay": 26.43, "pay and fee": 31.72}, abs=0.005
    )


def test_both_files_of_printed_coefficients_say_the_same():
    seven = {(r.criterion, r.place, r.rival is None): r.printed for r in amidei_table_7()}
    for words, gamma in (("Table 7, Goodman", True), ("Table 7, Fleiss", False)):
        cells = [n for n in part("amidei-2019", words).numbers if n.row != "average"]
        assert {(n.row, n.column, gamma): n.printed for n in cells} == {
            key: text for key, text in seven.items() if key[2] is gamma
        }
    six = [row.printed for row in godwin_piwek_table_6()]
    assert sorted(n.printed for n in part("godwin-piwek-2016", "Table 6").numbers) == sorted(six)


def test_a_changed_number_is_noticed(tmp_path):
    for name, before, after in (
        ("belz-kow-2011", '"1.193"', '"1.193**"'),
        ("banchs-2016", '"72.90"', '"72.09"'),
        ("amidei-2019", "count = 16", "count = 17"),
    ):
        changed = rewritten(tmp_path, name, before, after)
        assert len(changed.misfits) > len(of(name).misfits)


def test_every_paper_says_where_its_numbers_are_from():
    for name in papers():
        assert len(of(name).source) > 20
        assert not re.search(r"= *-?\d*\.\d", paper(name)), "a printed number without quotes"
