"""The verdict for every combination of agreement, order and severity."""

from dataclasses import replace

import pytest

from covary import Ratings, reliability
from covary.analysis.disagreement import Decomposition
from covary.analysis.verdict import (
    RatingUse,
    Thresholds,
    VerdictEvidence,
    verdict,
    with_width,
)
from covary.scales import Level
from covary.stats.estimate import Estimate, Interval
from covary.words import Note

SHOWN, RULED_OUT, OPEN = (0.8, 0.9), (0.1, 0.3), (0.4, 0.8)


def estimate(low, high, n_items=100):
    value = (low + high) / 2
    interval = Interval(low, high, 0.95, "made up")
    return Estimate("made_up", value, interval, n_items, 3, 3 * n_items, 0, Level.ORDINAL)


def split(low, high, **more):
    value, without = (low + high) / 2, 0.5
    return Decomposition(
        label="all judges",
        judges=("a", "b", "c"),
        n_items=100,
        metric="mid-ranks",
        method="mean squares",
        severity=value,
        severity_interval=Interval(low, high, 0.95, "made up"),
        noise=1 - value,
        agreement=0.4,
        without_severity=without,
        without_interval=Interval(0.45, 0.55, 0.95, "made up"),
        **more,
    )


def judged(agreement, order=None, severity=None, dominant=0.4, thresholds=None, **more):
    evidence = VerdictEvidence(
        agreement=agreement if isinstance(agreement, Estimate) else estimate(*agreement),
        correlation=None if order is None else estimate(*order),
        dominant=dominant,
        decomposition=None if severity is None else split(*severity),
        **more,
    )
    return verdict(evidence, thresholds or Thresholds())


HIGH, LOW, HOLDS = (0.4, 0.6), (0.0, 0.1), (0.1, 0.3)


@pytest.mark.parametrize(
    ("agreement", "order", "severity", "word"),
    [
        (SHOWN, SHOWN, LOW, "interchangeable"),
        (SHOWN, OPEN, LOW, "interchangeable"),
        (SHOWN, SHOWN, HOLDS, "interchangeable"),  # the share is small
        (SHOWN, SHOWN, (0.2, 0.5), "cannot tell yet"),  # and here it is not
        (SHOWN, SHOWN, HIGH, "agree; one is stricter"),
        (RULED_OUT, SHOWN, HIGH, "consistent, different severity"),
        (RULED_OUT, SHOWN, LOW, "consistent but noisy"),
        (RULED_OUT, SHOWN, HOLDS, "consistent, partly severity"),
        (RULED_OUT, SHOWN, None, "consistent, severity unknown"),
        (RULED_OUT, RULED_OUT, HIGH, "not reliable"),
        (RULED_OUT, RULED_OUT, LOW, "not reliable"),
        (RULED_OUT, (0.49, 0.78), LOW, "cannot tell yet"),
        ((0.6, 0.7), SHOWN, LOW, "cannot tell yet"),
        ((0.6, 0.7), RULED_OUT, LOW, "cannot tell yet"),
        ((0.667, 0.8), SHOWN, LOW, "interchangeable"),
        (SHOWN, None, LOW, "interchangeable"),
        (RULED_OUT, None, LOW, "not reliable"),
    ],
)
def test_the_word_follows_from_the_table_of_facts(agreement, order, severity, word):
    assert judged(agreement, order, severity).word == word


def test_one_category_with_nearly_all_ratings_is_little_variation_unless_agreement_is_shown():
    assert judged(RULED_OUT, OPEN, LOW, dominant=0.95).word == "little variation"
    assert judged(SHOWN, SHOWN, LOW, dominant=0.95).word == "interchangeable"


def test_what_cannot_be_told_says_what_is_known_and_what_is_open():
    sentence = judged((0.6, 0.7), SHOWN, LOW).sentence
    assert "Known: the judges order the items mostly alike" in sentence
    assert "less than 25% of the disagreement is severity" in sentence
    assert "Open: whether agreement, .65 [.60, .70], reaches .667" in sentence


def test_more_items_shorten_the_interval_by_the_root_of_their_number():
    """.75 ± .15 over 100 items misses .667 by .083: 100 (.15 / .083)² - 100 is 227, or 230."""
    fact = judged((0.6, 0.9), SHOWN, LOW).fact("agreement")
    assert fact.more_items == 230
    assert "about 230 more items" in judged((0.6, 0.9), SHOWN, LOW).sentence


def test_where_judges_share_too_few_items_common_items_are_asked_for_and_not_more_items():
    pairs = tuple({"items": n} for n in (1, 1, 2, 3, 12))
    order = replace(estimate(0.2, 0.9), settings={"combine": "pooled"}, details={"pairs": pairs})
    found = verdict(
        VerdictEvidence(agreement=estimate(*RULED_OUT), correlation=order, dominant=0.4)
    )
    assert (found.fact("order").common, found.fact("order").more_items) == (2, None)
    assert "share a median of 2 items: let the same judges rate 10 or more" in found.sentence
    settled = replace(order, interval=Interval(0.6, 0.9, 0.95, "made up"))
    found = verdict(
        VerdictEvidence(agreement=estimate(*RULED_OUT), correlation=settled, dominant=0.4)
    )
    assert found.fact("order").common is None


def test_where_the_value_lies_on_the_threshold_no_number_of_items_is_promised():
    found = judged((0.616, 0.716), SHOWN, LOW)
    assert found.fact("agreement").more_items is None
    assert "too close" in found.sentence


@pytest.mark.parametrize(("n_items", "state"), [(10, "open"), (60, "shown")])
def test_an_interval_without_width_decides_only_where_there_are_items_enough(n_items, state):
    """No discordant pair in n items: (1 - p)^n = .025 bounds the share p of others.

    10 items leave p at .31 and gamma at .38 or more; 60 items leave .06 and .88.
    """
    found = VerdictEvidence(
        agreement=estimate(*RULED_OUT),
        correlation=estimate(1.0, 1.0, n_items),
        dominant=0.4,
        decomposition=split(*LOW),
    )
    assert verdict(found).fact("order").state == state


def test_means_of_many_ratings_can_be_used_where_single_ones_cannot():
    """Spearman and Brown: 39 ratings of agreement .2 have means of reliability .907."""
    found = judged((0.19, 0.21), SHOWN, LOW, ratings_per_item=39.0)
    single, means = found.uses
    assert (single.state, means.state) == ("ruled out", "shown")
    assert means.value == pytest.approx(39 * 0.2 / (1 + 38 * 0.2))
    assert "means over 39 ratings can be used" in means.sentence


def test_where_all_judges_rated_all_items_severity_cancels_in_their_means():
    """Of three ratings that agree to .5 without severity, means have 3 x .5 / 2 = .75."""
    evidence = VerdictEvidence(
        agreement=estimate(0.3, 0.4),
        correlation=estimate(*SHOWN),
        dominant=0.4,
        decomposition=split(*HIGH, complete=True),
        ratings_per_item=3.0,
    )
    assert verdict(evidence).uses[1].value == pytest.approx(0.75)


def test_so_many_judges_are_needed_as_spearman_and_brown_say():
    """.8 (1 - .2) / (.2 (1 - .8)) is 16, and .9 (1 - .2) / (.2 (1 - .9)) is 36."""
    found = judged(RULED_OUT, SHOWN, LOW)
    assert found.judges_needed == 16
    assert "means over 16 of them reach .8" in found.sentence
    higher = judged(RULED_OUT, SHOWN, LOW, thresholds=Thresholds(means=0.9))
    assert higher.judges_needed == 36


@pytest.mark.parametrize("severity", [LOW, HOLDS])
@pytest.mark.parametrize("complete", [False, True])
def test_means_over_so_many_ratings_have_the_reliability_that_they_were_asked_for(
    severity, complete
):
    """The number needed and the reliability of means rest on the same single rating."""
    evidence = VerdictEvidence(
        agreement=estimate(*RULED_OUT),
        correlation=estimate(*SHOWN),
        dominant=0.4,
        decomposition=split(*severity, complete=complete),
        ratings_per_item=2.0,
    )
    needed = verdict(evidence).judges_needed
    means = [
        verdict(replace(evidence, ratings_per_item=float(k))).uses[1].value
        for k in (needed - 1, needed)
    ]
    assert means[0] < 0.8 <= means[1] + 1e-9


def test_where_the_verdict_is_to_adjust_so_many_judges_are_needed_for_adjusted_means():
    """Single ratings agree to .5 without severity: .8 (1 - .5) / (.5 (1 - .8)) is 4."""
    found = judged(RULED_OUT, SHOWN, HIGH)
    assert found.judges_needed == 4
    assert "Adjusted, single ratings agree to .5" in found.sentence


def test_single_ratings_that_bear_nothing_may_bear_means():
    """Spearman and Brown: 39 ratings of agreement .2 have means of reliability .907."""
    found = judged((0.19, 0.21), (0.2, 0.3), LOW, ratings_per_item=39.0)
    assert found.word == "usable as means"
    assert "means over 39 ratings can be used (reliability .91 [.90, .91])" in found.sentence


def test_an_interval_that_may_not_decide_leaves_the_fact_and_the_means_open():
    """Five items whose ratings agree well; what has no interval is not "not reliable"."""
    doubtful = Interval(0.7, 1.0, 0.95, "made up", decisive=False)
    agreement = Estimate("made_up", 0.97, doubtful, 5, 3, 15, 0, Level.ORDINAL)
    parts = replace(split(*LOW, complete=True), without_severity=0.97, without_interval=None)
    found = verdict(
        VerdictEvidence(
            agreement=agreement,
            correlation=agreement,
            dominant=0.4,
            decomposition=parts,
            ratings_per_item=3.0,
        )
    )
    assert found.word == "cannot tell yet"
    assert [use.state for use in found.uses] == ["open", "open"]
    assert "agreement, .97 [.70, 1.00], reaches .667 (too few items)" in found.sentence


def test_a_reliability_of_means_is_not_below_zero():
    found = judged((-0.5, 0.1), (-0.3, 0.1), LOW, ratings_per_item=2.0)
    assert (found.uses[1].low, found.uses[1].value) == (0.0, 0.0)


def test_judges_who_order_items_in_opposite_ways_are_told_so_and_not_to_average():
    agreement = estimate(-0.9, -0.6)
    found = verdict(
        VerdictEvidence(
            agreement=agreement, correlation=estimate(-1.0, -0.7), dominant=0.4, decomposition=None
        )
    )
    assert found.word == "not reliable"
    assert "averaging would not help" in found.sentence
    assert "opposite ways" in found.sentence


def test_names_have_shares_and_no_means():
    found = judged((0.4, 0.8), None, LOW, ratings_per_item=3.0)
    assert "shares of each category over 3 ratings" in found.uses[1].sentence


def test_thresholds_are_arguments():
    assert judged((0.7, 0.78), SHOWN, LOW).word == "interchangeable"
    strict = Thresholds(agreement=0.8)
    assert judged((0.7, 0.78), SHOWN, LOW, thresholds=strict).word == "consistent but noisy"


def test_without_judges_severity_stays_unknown():
    slots = Decomposition(
        label="",
        judges=(),
        n_items=9,
        metric="mid-ranks",
        reason=Note("disagreement.slots"),
    )
    evidence = VerdictEvidence(
        agreement=estimate(*RULED_OUT),
        correlation=estimate(*SHOWN),
        dominant=0.4,
        decomposition=slots,
        slots=True,
    )
    found = verdict(evidence)
    assert found.word == "consistent, severity unknown"
    assert "severity cannot be told apart from noise" in found.sentence


def test_the_ranking_of_systems_is_a_use_of_its_own():
    ranking = RatingUse(purpose="system means", state="shown", threshold=0.8, value=0.9)
    found = judged(RULED_OUT, RULED_OUT, LOW, system_means=ranking)
    assert found.word == "not reliable"
    assert [use.purpose for use in found.uses] == ["single ratings", "system means"]


def test_without_intervals_the_points_give_the_word_and_nothing_is_shown():
    point = Estimate("made_up", 0.9, None, 10, 2, 20, 0, Level.ORDINAL)
    evidence = VerdictEvidence(
        agreement=point, correlation=point, dominant=0.4, decomposition=split(*LOW), points=True
    )
    found = verdict(evidence)
    assert (found.word, found.sure) == ("interchangeable", False)
    assert {claim.state for claim in (*found.facts, *found.uses)} == {"open"}
    assert found.sentence.startswith(
        "Without intervals nothing is shown. By the estimates alone, the judges agree: "
    )


def test_every_word_has_a_sentence_and_plain_values():
    for word_case in ((SHOWN, SHOWN, LOW), (RULED_OUT, SHOWN, HIGH), (OPEN, OPEN, HOLDS)):
        found = judged(*word_case)
        values = found.to_dict()
        assert values["sentence"].endswith(".")
        assert [fact["about"] for fact in values["facts"]] == ["agreement", "order", "severity"]


def test_groups_of_judges_that_share_no_item_are_not_said_to_agree_with_each_other():
    both = [
        (f"{group}{item}", judge)
        for group, pair in enumerate(("AB", "CD"))
        for item in range(60)
        for judge in pair
    ]
    values = [1 + (int(name) * 7) % 5 for name, _ in both]
    columns = {"item": [i for i, _ in both], "judge": [j for _, j in both], "rating": values}
    found = reliability(Ratings(columns, scale="1-5")).criteria[0].overall.verdict
    assert "within 2 groups of judges that share no item" in found.sentence
    assert "was not tested" in found.sentence


def test_sparse_judges_leave_as_many_units_as_pairs_of_items_that_two_of_them_share():
    """16 pairs of items in the same order, none opposite: (1 - p)^16 = .025 at p = .206.

    So the order of 120 items is 1 with a lower end of 1 - 2 p = .588, as of Clopper and Pearson.
    """
    perfect = replace(estimate(1.0, 1.0, 120), details={"concordant": 16, "discordant": 0})
    shown = with_width("order", perfect)
    assert shown.interval.low == pytest.approx(0.588, abs=5e-4)
    assert (shown.interval.high, shown.interval.decisive) == (1.0, True)
    assert "16 pairs of items" in shown.notes[-1]
    few = replace(perfect, details={"concordant": 6, "discordant": 0})
    found = VerdictEvidence(agreement=estimate(*RULED_OUT), correlation=few, dominant=0.4)
    assert verdict(found).fact("order").state == "open"


def test_an_interval_with_width_is_left_as_it_is():
    found = estimate(0.2, 0.4)
    assert with_width("agreement", found) is found
