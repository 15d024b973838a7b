"""Words for the size of a coefficient, at and beside every boundary, and how sure they are."""

import json
import math
from dataclasses import FrozenInstanceError
from statistics import NormalDist

import pytest

from covary.errors import InvalidArgument
from covary.scales import Level
from covary.stats.estimate import Estimate, Interval
from covary.stats.interpret import BANDS, Band, BandScale, interpret

JUST_BELOW = 1e-12


def estimate(name, value, *, error=math.nan, low=math.nan, high=math.nan, notes=()):
    interval = Interval(low, high, 0.95, "jackknife", standard_error=error)
    return Estimate(name, value, interval, 100, 3, 300, 0, Level.ORDINAL, notes=notes)


def word(scale, value):
    return interpret(value, scales=scale).bands[scale]


# Where each scale's boundaries belong: (value, its band, the band just below it).
BOUNDARIES = [
    # Amidei et al. (2019), Table 1
    ("krippendorff", 0.67, "tentative", "discard"),
    ("krippendorff", 0.8, "good", "tentative"),
    ("krippendorff", 1.0, "good", "good"),
    # Amidei et al. (2019), Table 2
    ("landis-koch", 0.0, "slight", "poor"),
    ("landis-koch", 0.2, "slight", "slight"),
    ("landis-koch", 0.4, "fair", "fair"),
    ("landis-koch", 0.6, "moderate", "moderate"),
    ("landis-koch", 0.8, "substantial", "substantial"),
    ("landis-koch", 1.0, "almost perfect", "almost perfect"),
    # Amidei et al. (2019), Table 4, whose intervals overlap; the upper band has the boundary
    ("rosenthal", 0.1, "small", "negligible"),
    ("rosenthal", 0.3, "medium", "small"),
    ("rosenthal", 0.5, "large", "medium"),
    ("rosenthal", 0.7, "very large", "large"),
    ("cohen", 0.1, "small", "negligible"),
    ("cohen", 0.3, "medium", "small"),
    ("cohen", 0.5, "large", "medium"),
    # Cicchetti (1994): below .40, .40 to .59, .60 to .74, .75 to 1.00
    ("cicchetti", 0.4, "fair", "poor"),
    ("cicchetti", 0.6, "good", "fair"),
    ("cicchetti", 0.75, "excellent", "good"),
    # Koo & Li (2016): below .5, .5 to .75, .75 to .9, greater than .9
    ("koo-li", 0.5, "moderate", "poor"),
    ("koo-li", 0.75, "good", "moderate"),
    ("koo-li", 0.9, "good", "good"),
]


@pytest.mark.parametrize(("scale", "value", "at", "below"), BOUNDARIES)
def test_a_boundary_belongs_to_the_band_that_its_authors_say(scale, value, at, below):
    assert word(scale, value) == at
    assert word(scale, value - JUST_BELOW) == below


@pytest.mark.parametrize(
    ("scale", "value", "above"),
    [
        ("landis-koch", 0.2, "fair"),
        ("landis-koch", 0.4, "moderate"),
        ("landis-koch", 0.6, "substantial"),
        ("landis-koch", 0.8, "almost perfect"),
        ("koo-li", 0.9, "excellent"),
    ],
)
def test_just_above_a_boundary_that_belongs_below_the_next_band_begins(scale, value, above):
    assert word(scale, value + JUST_BELOW) == above


@pytest.mark.parametrize("scale", BANDS)
def test_every_value_up_to_one_has_exactly_one_band(scale):
    bands = BANDS[scale].bands
    edges = [band.low for band in bands] + [band.high for band in bands]
    low = 0.0 if BANDS[scale].absolute else -1.5
    values = [
        value for value in (*edges, *(low + i / 997 for i in range(2500))) if low <= value <= 1
    ]
    assert all(sum(value in band for band in bands) == 1 for value in values)


def test_correlations_are_read_by_their_size_whatever_their_sign():
    assert word("rosenthal", -1) == "very large"
    assert word("cohen", -0.3) == "medium"
    assert word("krippendorff", -0.9) == "discard"


def test_the_words_of_godwin_and_piwek_for_their_table_6_come_out():
    """Four fair and one moderate; re-evaluated four almost perfect and one substantial."""
    original = [word("landis-koch", v) for v in (0.25, 0.323, 0.409, 0.334, 0.348)]
    again = [word("landis-koch", v) for v in (0.806, 0.859, 0.838, 0.688, 0.904)]
    assert sorted(original) == ["fair"] * 4 + ["moderate"]
    assert sorted(again) == ["almost perfect"] * 4 + ["substantial"]


def test_the_average_gammas_of_amidei_table_7_are_large_as_the_paper_says():
    """Printed averages; the paper: large, and in two cases very large, except two medium ones."""
    words = [word("rosenthal", v) for v in (0.62, 0.32, 0.61, 0.48, 0.76, 0.62, 0.56, 0.72)]
    assert {each: words.count(each) for each in words} == {"large": 4, "medium": 2, "very large": 2}


def test_gwets_rule_chooses_the_first_band_that_is_reached_with_certainty():
    """By hand for .75 and standard error .06: .202 almost perfect, .994 substantial or more."""
    reading = interpret(0.75, scales="landis-koch", standard_error=0.06)["landis-koch"]
    assert reading.probabilities["almost perfect"] == pytest.approx(0.202, abs=5e-4)
    assert reading.certainty == pytest.approx(0.994, abs=5e-4)
    assert (reading.band, reading.at_least) == ("substantial", "substantial")


def test_an_uncertain_value_reaches_a_lower_band_than_it_lies_in():
    """.75 with standard error .06 is at least .67 with probability .909, which is not enough."""
    reading = interpret(0.75, scales="krippendorff", standard_error=0.06)["krippendorff"]
    normal = NormalDist(0.75, 0.06)
    tentative_or_good = (normal.cdf(1) - normal.cdf(0.67)) / (normal.cdf(1) - normal.cdf(-1))
    assert sum(list(reading.probabilities.values())[1:]) == pytest.approx(tentative_or_good)
    assert (reading.band, reading.at_least) == ("tentative", "discard")


def test_a_correlation_near_zero_counts_both_signs():
    """0 with standard error .1: |r| < .1 holds with the probability of one standard deviation."""
    reading = interpret(0.0, scales="cohen", standard_error=0.1)["cohen"]
    assert reading.probabilities["negligible"] == pytest.approx(0.682689, abs=1e-6)


@pytest.mark.parametrize("scale", BANDS)
@pytest.mark.parametrize(("value", "error"), [(-0.4, 0.3), (0.0, 0.5), (0.9, 0.2), (1.0, 0.01)])
def test_the_probabilities_of_all_bands_add_up_to_one(scale, value, error):
    reading = interpret(value, scales=scale, standard_error=error)[scale]
    assert sum(reading.probabilities.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("name", "scales"),
    [
        ("krippendorff_alpha", ["krippendorff", "landis-koch"]),
        ("fleiss_kappa", ["krippendorff", "landis-koch"]),
        ("gwet_ac2", ["krippendorff", "landis-koch"]),
        ("goodman_kruskal_gamma", ["rosenthal", "cohen"]),
        ("kendall_tau_b", ["rosenthal", "cohen"]),
        ("icc", ["cicchetti", "koo-li"]),
        ("fisher_icc", ["cicchetti", "koo-li"]),
    ],
)
def test_an_estimate_is_read_on_the_scales_made_for_its_kind(name, scales):
    assert list(interpret(estimate(name, 0.5)).bands) == scales


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("percent_agreement", "not corrected for chance"),
        ("kendall_w", "not a correlation"),
        ("cronbach_alpha", "grows with the number of judges"),
        ("something_new", "there are no customary bands"),
    ],
)
def test_where_no_bands_suit_none_is_given_and_the_reason_is(name, reason):
    interpretation = interpret(estimate(name, 0.5))
    assert interpretation.readings == ()
    assert reason in interpretation.notes[0]
    assert interpret(estimate(name, 0.5), scales="koo-li").bands == {"koo-li": "moderate"}


def test_the_ends_of_the_interval_have_words_too():
    """Koo & Li (2016) read the interval: .60 to .85 is moderate to good."""
    reading = interpret(estimate("icc", 0.74, low=0.6, high=0.85))["koo-li"]
    assert reading.span == ("moderate", "good")
    assert "(interval: moderate to good)" in str(reading)


def test_the_span_of_a_correlation_whose_interval_holds_zero_begins_at_negligible():
    reading = interpret(estimate("spearman", 0.1, low=-0.35, high=0.55))["rosenthal"]
    assert reading.span == ("negligible", "large")


def test_the_standard_error_comes_from_the_estimate_unless_it_is_given():
    own = estimate("fleiss_kappa", 0.75, error=0.06)
    assert interpret(own)["landis-koch"].certainty == pytest.approx(0.994, abs=5e-4)
    assert interpret(own, standard_error=0.2)["landis-koch"].at_least == "moderate"


def test_an_undefined_coefficient_has_no_band_but_its_reason():
    interpretation = interpret(estimate("fleiss_kappa", math.nan, notes=("only one category",)))
    assert interpretation.readings == ()
    assert interpretation.notes == ("only one category",)
    assert str(interpretation) == "fleiss_kappa: undefined\n  note: only one category"
    assert interpret(math.nan, scales="cohen").notes == (
        "the value is not a number, so no band holds it",
    )


@pytest.mark.parametrize(("value", "error"), [(0.9, 0.0), (-1.7, 0.2)])
def test_without_a_usable_standard_error_there_is_a_word_but_no_probability(value, error):
    interpretation = interpret(estimate("icc", value, error=error))
    assert interpretation["koo-li"].at_least is None
    assert "no probabilities" in interpretation.notes[0]


def test_one_in_floating_point_arithmetic_is_one():
    assert word("landis-koch", 1.0000000000000007) == "almost perfect"


def test_an_interpretation_cannot_be_changed_and_becomes_plain_values():
    interpretation = interpret(estimate("icc", 0.74, error=0.05, low=0.6, high=0.85))
    with pytest.raises(FrozenInstanceError):
        interpretation.value = 1
    plain = json.loads(json.dumps(interpretation.to_dict()))
    assert plain["readings"][1]["band"] == "moderate"
    assert plain["readings"][1]["span"] == ["moderate", "good"]
    assert interpret(math.nan, scales="cohen").to_dict()["value"] is None


def test_a_scale_of_ones_own_can_be_used():
    own = BandScale(
        "ours", "Ours", "house rule", (Band("no", -math.inf, 0.5, "()"), Band("yes", 0.5, 1, "[]"))
    )
    assert interpret(0.5, scales=[own, "cohen"]).bands == {"ours": "yes", "cohen": "large"}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: interpret(0.5), "name scales="),
        (lambda: interpret(0.5, scales="landis"), "'landis-koch'"),
        (lambda: interpret(1.5, scales="cohen"), "larger than 1"),
        (lambda: interpret("high", scales="cohen"), "an Estimate or a number"),
        (lambda: interpret(0.5, scales="cohen", standard_error=-1), "standard_error=-1"),
        (lambda: interpret(0.5, scales="cohen")["koo-li"], "only on 'cohen'"),
    ],
    ids=["no scale", "unknown scale", "too large", "no number", "negative error", "not read"],
)
def test_a_wrong_call_says_what_to_do(call, said):
    with pytest.raises(InvalidArgument, match=said):
        call()
