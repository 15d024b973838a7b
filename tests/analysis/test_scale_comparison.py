"""What experiments share, validity, reliability, stability, preference and the summary."""

import json
import math

import numpy as np
import pytest
from scipy import stats

from covary import Ratings, VerbalScale
from covary.analysis.scale_comparison import compare_scales
from covary.analysis.scale_comparison.compare import count_leads
from covary.analysis.scale_comparison.experiments import align
from covary.analysis.scale_comparison.reliability import concordance
from covary.analysis.scale_comparison.validity import associate, fisher_interval, p_of_correlation
from covary.errors import InvalidArgument
from covary.stats.posthoc.comparisons import stars
from tests.analysis.scale_studies import TIED, latin, one_each, small, turned

QUICK = {"rng": 1, "resamples": 50}


@pytest.fixture(scope="module")
def found():
    study = small()
    return compare_scales(
        study.ratings, validity={"accuracy": study.accuracy}, preference=study.preference, **QUICK
    )


def other():
    return one_each([[1, 2, 3, 4, 5, 6], [1, 3, 2, 4, 6, 5]], prefix="K")


# Belz & Kow (2011), sections 6.1, 6.2 and 6.6: coefficients of system means and their stars.
PRINTED = [
    *(
        (r, 8, mark)
        for r, mark in [
            (0.957, "**"),
            (0.958, "**"),
            (0.819, "*"),
            (0.755, "*"),
            (0.874, "**"),
            (0.810, "*"),
            (0.948, "**"),
            (0.922, "**"),
            (0.864, "**"),
            (0.850, "**"),
            (0.937, "**"),
            (0.929, "**"),
            (0.870, "**"),
            (0.927, "**"),
            (0.906, "**"),
        ]
    ),
    *(
        (r, 11, mark)
        for r, mark in [
            (0.995, "**"),
            (0.989, "**"),
            (0.942, "**"),
            (0.832, "**"),
            (0.939, "**"),
            (0.836, "**"),
            (0.981, "**"),
            (0.870, "**"),
            (0.947, "**"),
            (0.709, "*"),
            (0.951, "**"),
            (0.656, "*"),
        ]
    ),
]


@pytest.mark.parametrize(("r", "n", "mark"), PRINTED)
def test_the_printed_correlations_get_their_printed_stars(r, n, mark):
    assert stars(p_of_correlation(r, n)) == mark


def test_the_weakest_printed_validity_and_its_interval():
    assert p_of_correlation(0.870, 8) == pytest.approx(0.0050, abs=5e-5)
    interval = fisher_interval(0.870, 8)
    assert (round(interval.low, 2), round(interval.high, 2)) == (0.43, 0.98)


def test_correlations_are_those_of_scipy():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=9), rng.integers(0, 4, 9).astype(float)
    found = associate(x, y)
    r, rho = stats.pearsonr(x, y), stats.spearmanr(x, y)
    assert (found.pearson, found.pearson_p) == pytest.approx((r.statistic, r.pvalue))
    assert (found.spearman, found.spearman_p) == pytest.approx((rho.statistic, rho.pvalue))
    limits = r.confidence_interval(0.95)
    assert (found.interval.low, found.interval.high) == pytest.approx((limits.low, limits.high))


def test_a_constant_side_or_two_systems_have_a_reason_and_no_number():
    flat = associate(np.ones(5), np.arange(5.0))
    assert math.isnan(flat.pearson)
    assert "same value" in flat.reason
    assert "needs three" in associate(np.arange(2.0), np.arange(2.0)).reason


def test_kendalls_w_over_systems_with_ties():
    found = compare_scales({"A": one_each(TIED), "B": other()}, **QUICK)
    w = found.criteria[0].reliability[0]
    assert w.w == pytest.approx(0.902, abs=5e-5)
    assert w.chi2 == pytest.approx(18.04, abs=5e-3)
    assert w.p == pytest.approx(0.0028967, abs=1e-6)
    assert w.interval.low <= w.w <= w.interval.high
    assert w.icc.defined
    assert w.gamma.defined


def test_a_missing_block_is_refused_with_its_reason():
    rows = [list(row) for row in TIED]
    rows[2][4] = None
    found = compare_scales({"A": one_each(rows), "B": other()}, **QUICK)
    gap, whole = found.criteria[0].reliability
    assert math.isnan(gap.w)
    assert "J2 rated nothing by s4" in gap.reason
    assert not math.isnan(whole.w)
    assert found.criteria[0].reliability_contrasts == ()


def test_drawn_judges_give_w_itself_when_each_is_drawn_once():
    ranks = np.array([stats.rankdata(row) for row in TIED])
    centred = ranks - ranks.mean(axis=1, keepdims=True)
    values = concordance(centred @ centred.T, np.ones((1, 4)))
    assert values[0] == pytest.approx(0.902, abs=5e-5)
    friedman = stats.friedmanchisquare(*np.array(TIED).T)
    assert values[0] == pytest.approx(friedman.statistic / (4 * 5))


def test_copies_of_a_judge_do_not_raise_w():
    ranks = np.array([stats.rankdata(row) for row in TIED])
    centred = ranks - ranks.mean(axis=1, keepdims=True)
    alike, copies = (
        concordance(centred @ centred.T, np.array([w], dtype=float))[0]
        for w in ([1, 1, 1, 1], [2, 2, 0, 0])
    )
    first, second = centred[:2]
    spread = (first @ first + second @ second) / 2
    pair = first @ second / spread
    assert copies == pytest.approx((1 + 3 * pair) / 4)
    assert copies < 1
    assert alike != copies


def test_validity_is_a_table_of_criterion_and_measure():
    study = small(criteria=("clarity", "readability"), occasions=1)
    speed = {name: 1 - value for name, value in study.accuracy.items()}
    found = compare_scales(
        study.ratings, validity={"accuracy": study.accuracy, "slowness": speed}, **QUICK
    )
    cells = {(one.label, one.criterion, one.measure): one.association for one in found.validity}
    assert len(cells) == 2 * 2 * 2
    for (label, criterion, measure), cell in cells.items():
        assert cell.n == 4
        if measure == "slowness":
            assert cell.pearson == pytest.approx(-cells[label, criterion, "accuracy"].pearson)


def test_a_measure_of_unknown_systems_is_refused_and_gaps_are_said():
    study = small()
    with pytest.raises(InvalidArgument, match="none of the systems"):
        compare_scales(study.ratings, validity={"speed": {"X": 1.0}}, **QUICK)
    some = {name: study.accuracy[name] for name in ("S01", "S02", "S03")}
    found = compare_scales(study.ratings, validity=some, **QUICK)
    assert any("not known for S04" in note for note in found.notes)
    assert found.validity[0].association.n == 3
    assert found.validity[0].association.interval is None  # three pairs have no Fisher interval


def test_stability_is_joined_by_item_and_not_by_place():
    first = {"i1": 1, "i2": 4, "i3": 2, "i4": 6, "i5": 5}
    second = {"i5": 6, "i4": 5, "i3": 3, "i2": 4, "i1": 2}
    kinder = {name: value + 2 for name, value in first.items()}
    again = {name: value + 3 for name, value in second.items()}
    occasions = [_rated({"Ann": first, "Bo": kinder}), _rated({"Bo": again, "Ann": second})]
    found = compare_scales({"VDS": occasions, "VAS": _rated({"Cy": first, "Di": second})}, **QUICK)
    (one,) = found.criteria[0].stability
    names = sorted(first)
    x = np.array([first[n] for n in names] + [kinder[n] for n in names], dtype=float)
    y = np.array([second[n] for n in names] + [again[n] for n in names], dtype=float)
    assert one.n_pairs == 10
    assert one.pooled == pytest.approx(np.corrcoef(x, y)[0, 1])
    own = np.corrcoef(x[:5], y[:5])[0, 1]
    assert one.centred == pytest.approx(own)  # both judges have the same deviations
    assert [judge.r for judge in one.judges] == pytest.approx([own, own])
    assert [judge.shift for judge in one.judges] == pytest.approx([0.4, 1.4])
    limits = stats.t.interval(0.95, 1, 0.9, stats.sem([0.4, 1.4]))
    assert (one.shift_interval.low, one.shift_interval.high) == pytest.approx(limits)
    assert one.same == pytest.approx(2 / 10)  # Ann's i2 and Bo's i4


def _rated(table):
    rows = [
        (item, judge, value, f"s{item[1]}")
        for judge, own in table.items()
        for item, value in own.items()
    ]
    item, judge, rating, system = (list(column) for column in zip(*rows, strict=True))
    return Ratings(
        {"item": item, "judge": judge, "rating": rating, "system": system}, level="interval"
    )


def test_a_retest_by_other_judges_is_no_stability():
    occasions = [one_each(TIED), one_each(TIED, prefix="K")]
    found = compare_scales({"A": occasions, "B": other()}, **QUICK)
    (one,) = found.criteria[0].stability
    assert math.isnan(one.pooled)
    assert "no judge rated the same items" in one.reason


def test_an_occasion_column_is_test_and_retest(found):
    (vds, vas) = found.criteria[0].stability
    assert vds.occasions == vas.occasions == ("1", "2")
    assert vds.n_pairs == 8 * 8
    assert [part.label for part in found.criteria[0].parts] == [
        "VDS (1)",
        "VDS (2)",
        "VAS (1)",
        "VAS (2)",
    ]


def test_other_judges_are_drawn_independently_and_shared_ones_jointly(found):
    assert found.same_judges == (("VDS", "VAS", "no"),)
    assert "independently" in found.criteria[0].reliability_contrasts[0].drawn
    shared = compare_scales(small(same_judges=True, occasions=1).ratings, **QUICK)
    assert shared.same_judges == (("VDS", "VAS", "yes"),)
    assert "jointly" in shared.criteria[0].reliability_contrasts[0].drawn


def test_some_shared_judges_are_counted():
    both = align({"A": one_each(TIED), "B": one_each(TIED[:3])})
    found = compare_scales({"A": one_each(TIED), "B": one_each(TIED[:3])}, **QUICK)
    assert len(both.parts["ratings"]) == 2
    assert found.same_judges == (("A", "B", "3 of 4"),)


def test_a_scale_whose_low_end_is_best_is_turned_round():
    low = one_each(TIED, scale=VerbalScale(range(1, 5), best="low"))
    high = one_each(TIED, scale=VerbalScale(range(1, 5)), prefix="K")
    found = compare_scales({"low": low, "high": high}, **QUICK)
    assert found.criteria[0].interchange[0].association.pearson == pytest.approx(-1)
    assert any("reversed" in note for note in found.notes)


def test_a_scale_ten_times_as_long_and_turned_round_is_the_same_scale():
    found = compare_scales({"points": latin(), "line": turned()}, **QUICK)
    (one,) = found.criteria[0].interchange
    assert one.association.pearson == pytest.approx(1)
    assert one.distance.value == pytest.approx(0, abs=1e-6)
    assert one.same_judges == "yes"
    assert one.shared_items == 32
    assert any("no scale was declared" in note for note in found.notes)


def test_systems_that_are_not_shared_are_left_out_and_named():
    more = one_each([(*row, 5) for row in TIED])
    found = compare_scales({"A": more, "B": other()}, **QUICK)
    assert found.systems == ("s0", "s1", "s2", "s3", "s4", "s5")
    assert any("left out" in note and "s6" in note for note in found.notes)


def test_systems_are_matched_by_name_whatever_their_type():
    numbers = {
        "item": [1, 2, 10],
        "judge": ["a", "a", "a"],
        "rating": [1, 2, 3],
        "system": [1, 2, 10],
    }
    words = {
        name: [str(v) for v in own] if name == "system" else own for name, own in numbers.items()
    }
    aligned = align(
        {"A": Ratings(numbers, level="interval"), "B": Ratings(words, level="interval")}
    )
    first, second = aligned.parts["ratings"]
    assert first.systems == second.systems == ("1", "10", "2")
    assert first.means.tolist() == second.means.tolist() == [1, 3, 2]


@pytest.mark.parametrize(
    ("experiments", "words"),
    [
        (lambda: {"A": one_each(TIED)}, "two or more experiments"),
        (lambda: [one_each(TIED), other()], "by name"),
        (lambda: {"A": one_each(TIED), "B": [[1, 2]]}, "takes Ratings"),
        (lambda: {"A": one_each([[1], [2]]), "B": one_each([[1], [2]])}, "at least 3 systems"),
        (lambda: {"A": one_each(TIED), "B": _renamed(other())}, "share no system"),
        (lambda: {"A": one_each(TIED), "B": Ratings.from_wide([[1, 2]])}, "which system"),
        (lambda: {"A": one_each(TIED), "B": other().as_slots()}, "slots"),
        (lambda: {"A": [latin(), small().ratings["VDS"]], "B": latin()}, "occasions itself"),
        (lambda: {"A": _about("x"), "B": _about("y")}, "share no criterion"),
    ],
)
def test_what_cannot_be_compared_is_refused(experiments, words):
    with pytest.raises(InvalidArgument, match=words):
        compare_scales(experiments(), **QUICK)


def _renamed(ratings):
    columns = dict(ratings.frame.to_native().fetchnumpy())
    columns["system"] = np.array([f"other {name}" for name in columns["system"]], dtype=object)
    return Ratings(columns, level="interval")


def _about(criterion):
    columns = dict(one_each(TIED).frame.to_native().fetchnumpy())
    n = len(columns["item"])
    columns["criterion"] = np.array([criterion, "only"] * (n // 2), dtype=object)
    columns["criterion"][columns["criterion"] == "only"] = f"{criterion}-2"
    return Ratings(columns, level="interval")


@pytest.mark.parametrize(
    "keywords",
    [
        {"margin": 0},
        {"margin": 5},
        {"alpha": 0.7},
        {"procedure": "guess"},
        {"criterion": "beauty"},
        {"preference": {"J1": "GRS"}},
    ],
)
def test_wishes_that_make_no_sense_are_refused(keywords):
    study = small(criteria=("clarity", "readability"), occasions=1)
    with pytest.raises(InvalidArgument, match=next(iter(keywords))):
        compare_scales(study.ratings, **QUICK, **keywords)


def test_the_only_criterion_cannot_be_called_otherwise():
    with pytest.raises(InvalidArgument, match="only 'clarity'"):
        compare_scales(small(occasions=1).ratings, criterion="beauty", **QUICK)


def test_preferences_are_counted_and_tested():
    study = small(occasions=1)
    said = {f"J{n}": "VAS" if n < 9 else "VDS" for n in range(10)} | {"J10": None}
    found = compare_scales(study.ratings, preference=said, **QUICK).preference
    assert (found.counts, found.n, found.undecided) == ({"VDS": 1, "VAS": 9}, 10, 1)
    assert found.p == pytest.approx(stats.binomtest(9, 10).pvalue)


def test_the_summary_says_who_is_ahead_how_often(found):
    text = " ".join(found.summary)
    assert "interchangeable on clarity" in text
    assert "of 1 criterion" in text
    assert "judges who said so would rather use" in text
    assert str(found) == "\n".join(found.summary)


def test_the_counts_that_belz_and_kow_print_give_their_sentence():
    counts = [(8, 7), (14, 15), (24, 25), (23, 26)]  # sections 6.4 and 6.5
    said = count_leads("VDS", "VAS", counts).sentence("finds more differences", ("case", "cases"))
    assert said == "VAS finds more differences in 3 of 4 cases."
    even = count_leads("A", "B", [(1, 2), (2, 1)]).sentence("wins")
    assert even == "Each of A and B wins on 1 of 2 criteria."
    assert count_leads("A", "B", [(1, 1)]).sentence("wins").startswith("Neither A nor B")
    assert count_leads("A", "B", [(math.nan, 1)]).sentence("wins") is None


def test_everything_found_is_plain_and_repeats_with_its_seed(found):
    text = json.dumps(found.to_dict(), allow_nan=False)
    study = small()
    again = compare_scales(
        study.ratings, validity={"accuracy": study.accuracy}, preference=study.preference, **QUICK
    )
    assert json.dumps(again.to_dict(), allow_nan=False) == text
