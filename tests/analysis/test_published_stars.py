"""Stars against degrees of freedom; p-values are those of SciPy's distributions."""

import pytest
from scipy import stats

from covary.analysis.published.digits import p_text, stars_of
from tests.analysis.numbers_files import audited, check, only


@pytest.mark.parametrize(
    ("keys", "p"),
    [
        ({"kind": "f-ratios", "df": "[7, 888]", "printed": '"8.822**"'}, stats.f.sf(8.822, 7, 888)),
        ({"kind": "correlations", "n": "8", "printed": '".755*"'}, 2 * stats.t.sf(2.8203, 6)),
        ({"kind": "t-tests", "df": "38", "printed": '"-2.14*"'}, 2 * stats.t.sf(2.14, 38)),
        ({"kind": "chi-squares", "df": "3", "printed": '"12.9**"'}, stats.chi2.sf(12.9, 3)),
        (
            {"kind": "concordance", "items": "8", "judges": "8", "printed": '".471**"'},
            stats.chi2.sf(8 * 7 * 0.471, 7),
        ),
    ],
    ids=lambda value: value["kind"] if isinstance(value, dict) else "",
)
def test_a_star_that_fits_its_degrees_of_freedom_fits(tmp_path, keys, p):
    number = only(audited(tmp_path, check(**keys)))
    assert number.verdict == "fits"
    assert number.data["p"] == pytest.approx(p, rel=1e-3)


@pytest.mark.parametrize("printed", [".770**", ".770"])
def test_a_star_too_many_and_a_star_too_few_do_not_fit(tmp_path, printed):
    # r of .770 with 8 pairs: t = 2.956 with 6 degrees of freedom, p = .025
    found = only(audited(tmp_path, check("correlations", n="8", printed=f'"{printed}"')))
    assert found.verdict == "does not fit"
    assert found.expected.startswith("*;")


def test_a_misfit_says_how_many_would_fit(tmp_path):
    # two-sided .01 limits of r in printed tables: .7977 for 9 pairs, .7646 for 10
    found = only(audited(tmp_path, check("correlations", n="8", printed='".770**"')))
    assert found.expected == "*; ** would fit 10 or more pairs"


def test_a_p_value_on_the_border_depends_on_digits_that_are_not_printed(tmp_path):
    # the two-sided .05 limit of t with 10 degrees of freedom is 2.228
    found = only(audited(tmp_path, check("t-tests", df="10", printed='"2.2*"')))
    assert found.verdict == "fits only if"
    assert "unprinted digits" in found.condition


def test_a_one_sided_test_is_proposed_where_it_explains_the_stars(tmp_path):
    # t = 2.00 with 20 degrees of freedom: p = .059 two-sided, .030 one-sided
    found = only(audited(tmp_path, check("t-tests", df="20", printed='"2.00*"')))
    assert found.judged == "fits only if the test was one-sided"


@pytest.mark.parametrize(
    ("printed", "verdict"),
    [
        ("2.14 (p = .039)", "fits"),  # 2 * t.sf(2.14, 38) = .0389
        ("2.14, p < .05", "fits"),
        ("2.14 (p = .029)", "does not fit"),
        ("2.14, p < .01", "does not fit"),
        ("1.14, ns", "fits"),
        ("2.14, n.s.", "does not fit"),
    ],
)
def test_what_is_printed_about_p_is_compared_with_p(tmp_path, printed, verdict):
    assert (
        only(audited(tmp_path, check("t-tests", df="38", printed=f'"{printed}"'))).verdict
        == verdict
    )


def test_stars_mean_what_the_file_says(tmp_path):
    marks = '{ "*" = ".10", "**" = ".05" }'
    text = check("t-tests", df="38", printed='"1.80*"', marks=marks)  # p = .080
    assert only(audited(tmp_path, text)).verdict == "fits"


def test_degrees_of_freedom_follow_from_levels_and_n(tmp_path):
    text = check("f-ratios", n="896", levels="{ System = 8, Text = 112 }")
    text += 'columns = ["F"]\nrows."System" = ["8.822**"]\nrows."Text" = ["1.193"]\n'
    lines = [number.arithmetic for number in audited(tmp_path, text).numbers]
    assert [line.partition(" =")[0] for line in lines] == ["F(7, 888)", "F(111, 784)"]


def test_f_ratios_that_no_balanced_design_can_have_are_noticed(tmp_path):
    # one factor's share is 200 * 7 / (200 * 7 + 888) = .61; two of them are more than everything
    text = check("f-ratios", n="896", levels="{ A = 8, B = 8 }", balanced="true")
    text += 'columns = ["F"]\nrows."A" = ["200**"]\nrows."B" = ["200**"]\n'
    wrong = audited(tmp_path, text).misfits
    assert [number.expected for number in wrong] == ["impossible", "impossible"]


def test_marks_of_p_values():
    assert [stars_of(p) for p in (0.2, 0.05, 0.049, 0.01, 0.009)] == ["", "", "*", "*", "**"]
    assert [p_text(p) for p in (0.0389, 0.5, 1, 2.34e-5)] == [".039", ".50", "1", "2.3e-5"]
