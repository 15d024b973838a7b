"""Averages, totals, means, percentages, sums, cost and pay; the numbers are hand arithmetic."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covary.analysis.published.arithmetic import counts_for
from covary.analysis.published.digits import evaluate, parse
from tests.analysis.numbers_files import audited, check, only


def test_a_printed_number_keeps_what_it_claims():
    assert [parse(text).unit for text in ("0.2", "0.20", ".595*", "1,215")] == [
        Fraction(1, 10),
        Fraction(1, 100),
        Fraction(1, 1000),
        1,
    ]
    assert parse("−0.05").value == Fraction(-1, 20)
    assert parse("US$72.90").value == Fraction(729, 10)
    assert parse("18 %").percent
    assert parse(".595**").marks == "**"


@pytest.mark.parametrize("text", ["", "abc", "1.2.3", "12,15", "0.5 apples", "--1"])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(ValueError, match="not a printed number"):
        parse(text)


def test_halves_may_go_up_or_to_the_even_digit_and_never_down():
    # 9 of 24 is exactly 37.5%: rounded it is 38 either way, cut off it is 37
    assert parse("38%").rounded_from(Fraction(75, 2))
    assert not parse("37%").rounded_from(Fraction(75, 2))
    assert parse("37%").cut_off_from(Fraction(75, 2))
    assert parse("0.12").rounded_from(Fraction(1, 8))
    assert parse("0.13").rounded_from(Fraction(1, 8))


@given(st.fractions(-5, 5), st.integers(0, 4))
def test_rounding_moves_a_number_half_a_unit_and_cutting_off_less_than_one(number, places):
    like = parse(f"0.{'0' * places}" if places else "0")
    rounded, cut = like.shortened(number), like.shortened(number, cut_off=True)
    assert abs(rounded - number) <= like.unit / 2
    assert 0 <= abs(number) - abs(cut) < like.unit


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1215 / 33", Fraction(1215, 33)),
        ("405 * 3 * (0.05 + 0.01)", Fraction(729, 10)),
        ("-2 - -3", 1),
        ("1,215 − 15", 1200),
        ("(7 > 8) + (15 > 14)", 1),
        ("(1 < 2 < 3)", 1),
        (".5 + 0.10", Fraction(3, 5)),
    ],
)
def test_arithmetic_is_exact(text, value):
    assert evaluate(text) == value


@pytest.mark.parametrize(
    "text",
    ["2 ** 9999", "__import__('os')", "a + 1", "1 +", "1 / 0", "'x'", "True", "f(1)", "(" * 900],
)
def test_what_is_no_arithmetic_is_refused(text):
    with pytest.raises(ValueError, match=r"arithmetic|computed|zero"):
        evaluate(text)


def average(tmp_path, cells, printed):
    rows = "".join(f'rows."r{place}" = "{cell}"\n' for place, cell in enumerate(cells))
    return only(audited(tmp_path, check("averages", average=f'"{printed}"') + rows))


@pytest.mark.parametrize(
    ("cells", "printed", "judged"),
    [
        (("0.36", "0.55", "0.30", "0.20"), "0.35", "fits"),  # .3525
        (("0.59", "0.63", "0.39", "0.22"), "0.45", "fits only if it was cut off, not rounded"),
        (("0.59", "0.63", "0.39", "0.22"), "0.46", "fits"),  # .4575
        (
            ("0.5", "0.5", "0.6"),
            "0.50",
            "fits only if it was computed before the cells were rounded",
        ),
        (("0.59", "0.63", "0.39", "0.22"), "0.47", "does not fit"),
    ],
)
def test_averages_are_tried_rounded_cut_off_and_computed_before(tmp_path, cells, printed, judged):
    assert average(tmp_path, cells, printed).judged == judged


def test_a_cell_changes_the_average(tmp_path):
    assert average(tmp_path, ("0.1", "0.3"), "0.2").verdict == "fits"
    assert average(tmp_path, ("0.1", "0.9"), "0.2").verdict == "does not fit"


def test_a_total_that_is_off_by_one_does_not_fit(tmp_path):
    text = check("totals", total='"148"') + 'rows."a" = 80\nrows."b" = 67\n'
    found = only(audited(tmp_path, text))
    assert (found.verdict, found.expected) == ("does not fit", "147")


# Brown & Heathers (2017): 28 whole numbers can have the means 5.18 and 5.21, but not 5.19
@pytest.mark.parametrize(
    ("printed", "n", "verdict"),
    [
        ("5.19", 28, "does not fit"),
        ("5.18", 28, "fits"),
        ("3.48", 25, "fits"),
        ("3.45", 25, "does not fit"),
    ],
)
def test_a_mean_that_no_whole_numbers_have_is_noticed(tmp_path, printed, n, verdict):
    found = audited(tmp_path, check("means", n=str(n), printed=f'"{printed}"'))
    assert only(found).verdict == verdict


def test_a_mean_off_the_scale_does_not_fit(tmp_path):
    found = audited(tmp_path, check("means", n="20", scale="[1, 5]", printed='"5.20"'))
    assert only(found).verdict == "does not fit"


def test_with_many_ratings_every_mean_exists_and_the_audit_says_so(tmp_path):
    found = audited(tmp_path, check("means", n="100", printed='"3.47"'))
    assert "says nothing" in found.parts[0].conclusion


def test_one_mean_with_few_digits_does_not_say_that_the_test_tells_nothing_of_the_others(tmp_path):
    # Of 40 whole numbers every tenth exists, and of hundredths every fortieth: 3.14 does not.
    found = audited(
        tmp_path, check("means", n="40", columns='["a", "b"]', rows='{"x" = ["4.2", "3.13"]}')
    )
    assert "2 of 2 means" in found.parts[0].conclusion
    assert "says nothing" not in found.parts[0].conclusion


@given(st.integers(1, 400), st.data())
def test_a_count_is_among_those_that_give_its_percentage(n, data):
    count = data.draw(st.integers(0, n))
    printed = parse(f"{math.floor(Fraction(1000 * count, n) + Fraction(1, 2)) / 10:.1f}%")
    assert count in counts_for(printed, n)


def test_a_percentage_without_a_count_lists_the_counts(tmp_path):
    found = only(audited(tmp_path, check("percentages", printed='"67%"', of="24")))
    assert (found.verdict, found.expected) == ("fits", "16 / 24")


def test_a_percentage_that_no_count_gives_is_noticed(tmp_path):
    # 6 / 26 = 23.1% and 7 / 26 = 26.9%
    found = only(audited(tmp_path, check("percentages", printed='"25%"', of="26")))
    assert (found.verdict, found.arithmetic) == (
        "does not fit",
        "6 / 26 = 23.1% and 7 / 26 = 26.9%",
    )


def cost(tmp_path, printed):
    keys = {"items": "405", "assignments": "3", "pay": '"0.05"', "fee": '"0.01"'}
    return only(audited(tmp_path, check("cost", printed=f'"{printed}"', **keys)))


@pytest.mark.parametrize(
    ("printed", "judged"),
    [
        ("72.90", "fits"),
        ("60.75", "fits only if the fee was left out"),
        ("24.30", "fits only if each item was paid once"),
        ("73.90", "does not fit"),
    ],
)
def test_cost_is_items_times_assignments_times_pay_and_fee(tmp_path, printed, judged):
    assert cost(tmp_path, printed).judged == judged


@pytest.mark.parametrize(
    ("printed", "judged"),
    [
        ("6.00", "fits"),
        ("7.20", "fits only if it is the pay and fee"),
        ("6.05", "fits only if 30 s was rounded"),  # 29.75 s
        ("6.81", "does not fit"),
    ],
)
def test_hourly_pay_follows_from_the_seconds(tmp_path, printed, judged):
    pay = '{ "pay" = "0.05", "pay and fee" = "0.06" }'
    found = audited(tmp_path, check("pay", printed=f'"{printed}"', seconds='"30"', pay=pay))
    assert only(found).judged == judged


def test_an_average_outside_its_range_does_not_fit(tmp_path):
    text = check("ranges", columns='["average", "low", "high"]')
    text += 'rows."kappa" = ["0.40", "0.10", "0.88"]\nrows."alpha" = ["0.92", "0.37", "0.90"]\n'
    assert [n.verdict for n in audited(tmp_path, text).numbers] == ["fits", "does not fit"]


@pytest.mark.parametrize(
    "scale", ["landis-koch", "Landis & Koch", "Landis and Koch (1977)", "landis & koch, 1977"]
)
def test_a_word_belongs_to_a_scale(tmp_path, scale):
    text = check("interpretation", scale=f'"{scale}"', word='"fair"', printed='"0.5454"')
    found = only(audited(tmp_path, text))
    assert found.judged == "fits only if the scale is that of Cicchetti (1994)"
