"""What the rounds of training changed: on the published ratings, by hand, and on known truth."""

import json
import math

import numpy as np
import pytest

from covary import Ratings, VerbalScale, VisualScale, YesNo, datasets
from covary.analysis.rounds import UPPER_BOUND, rounds
from covary.analysis.rounds.diagnosis import CAUSES, without_severity
from covary.analysis.rounds.differences import (
    ItemShare,
    differ,
    gap_of,
    threshold_of,
    threshold_words,
)
from covary.errors import InvalidArgument
from covary.ratings.frames import fetch
from covary.reports.document import to_json
from covary.scales import Preference
from covary.stats.patterns import collapse
from tests.training.courses import Thresholds, an_edit, in_combination, run_cycle

# Godwin & Piwek (2016): Table 6 (interval alpha; correctness is printed .409, the shipped table
# gives .413), and from the ratings they published: items with a range of more than one rank
# before and after, and the shares within one rank.
PUBLISHED = {
    "relevance": ((212, 12), (0.763, 0.987), (0.250, 0.806)),
    "question type": ((1, 0), (0.999, 1.000), (0.323, 0.859)),
    "correctness": ((215, 51), (0.760, 0.943), (0.413, 0.838)),
    "ambiguity": ((130, 21), (0.855, 0.977), (0.334, 0.688)),
    "variety": ((165, 15), (0.816, 0.983), (0.348, 0.904)),
}


@pytest.fixture(scope="module")
def published():
    before, after = datasets.load("qgstec-original"), datasets.load("qgstec-reevaluated")
    return rounds(before, after, level="interval", rng=1, resamples=200)


@pytest.mark.parametrize("criterion", PUBLISHED)
def test_the_published_ratings_give_the_published_numbers(published, criterion):
    differing, within, alphas = PUBLISHED[criterion]
    found = published[criterion]
    assert tuple(each.differing for each in found.rounds) == differing
    assert [each.n_items for each in found.rounds] == [895, 896]
    assert [each.within.value for each in found.rounds] == pytest.approx(within, abs=6e-4)
    assert [each.alpha.value for each in found.rounds] == pytest.approx(alphas, abs=6e-4)
    for each in found.rounds:
        assert each.alpha.interval.low < each.alpha.value < each.alpha.interval.high
    assert found.alpha_gap.value == pytest.approx(alphas[1] - alphas[0], abs=1e-3)
    assert found.alpha_gap.low > 0


def test_the_published_distributions_pool_three_judges(published):
    """Godwin & Piwek (2016), figures 2 and 3: nobody always rates at one point."""
    assert published["relevance"].last.counts == (1801, 649, 219, 19)
    assert published["correctness"].last.counts == (1095, 533, 773, 287)
    by_judge = published["relevance"].last.by_judge
    assert [judge for judge, _ in by_judge] == ["K1", "K2", "K3"]
    assert np.sum([counts for _, counts in by_judge], axis=0).tolist() == [1801, 649, 219, 19]


def test_the_order_of_the_systems_on_relevance_changed(published):
    found = published["relevance"].systems
    assert [name for name, _ in found.before] == ["b", "a", "c", "d"]
    assert [name for name, _ in found.after] == ["b", "c", "a", "d"]
    assert found.sentence.endswith("changed from b, a, c, d to b, c, a, d.")


def test_the_convergence_curve_adds_up_all_criteria(published):
    assert published.curve == (("before", 723, 4475), ("after", 99, 4480))


def test_a_scale_of_two_categories_and_one_that_everybody_uses_are_noted(published):
    notes = published["question type"].notes
    assert any("With 2 categories no two ratings can be more than 1 apart" in n for n in notes)
    assert any("In round after, 95% of the ratings" in n for n in notes)  # 2554 of 2688
    assert "The scale is not the same in all rounds." in notes


def test_the_statement_says_upper_bound_and_everything_is_plain(published):
    assert published.statement == UPPER_BOUND
    assert "upper bound" in UPPER_BOUND
    plain = json.loads(to_json(published.to_dict()))
    assert plain["criteria"][0]["rounds"][0]["alpha"]["level"] == "interval"


def test_low_agreement_before_training_points_to_the_guidelines(published):
    original = rounds(
        in_one_round(datasets.load("qgstec-original").select(criterion="relevance")), rng=1
    )
    (found,) = original.criteria
    assert found.diagnosis.low
    assert found.alpha_gap is None
    by_name = {each.name: each for each in found.diagnosis.causes}
    assert tuple(by_name) == CAUSES
    assert any("are not equally strict" in each.sentence for each in by_name[CAUSES[1]].evidence)
    assert published["relevance"].diagnosis.low is False


def in_one_round(*several, criterion=None):
    """Ratings of named judges as those of a single round."""
    parts = [fetch(each.frame.select("item", "judge", "rating")) for each in several]
    frame = {name: [v for part in parts for v in part[name].tolist()] for name in parts[0]}
    frame["round"] = [1] * len(frame["item"])
    return Ratings(frame, scale=several[0].scale(criterion))


@pytest.mark.parametrize(
    ("scale", "threshold", "words"),
    [
        (VerbalScale([1, 2, 3, 4]), 1, "more than one rank"),
        (VerbalScale(["a", "b", "c"], level="nominal"), 0, "any difference"),
        (VisualScale(), 20, "more than 20 points on the line from 0 to 100"),
        (VisualScale(0, 10), 2, "more than 2 points on the line from 0 to 10"),
        (YesNo(), 0, "any difference"),
        (Preference(tie=None), 0, "any difference"),
        (Preference(), 1, "more than one rank"),
    ],
    ids=repr,
)
def test_each_scale_has_its_threshold(scale, threshold, words):
    assert threshold_of(scale) == threshold
    assert threshold_words(scale, threshold) == words


@pytest.mark.parametrize("given", [-1, math.nan, math.inf])
def test_a_threshold_that_is_no_distance_is_refused(given):
    with pytest.raises(InvalidArgument, match="threshold="):
        threshold_of(VisualScale(), given)


def test_ranks_are_counted_and_not_the_numbers_on_the_scale():
    assert not differ(VerbalScale([0, 5, 10]), [0, 5], 1)
    assert differ(VerbalScale([0, 5, 10]), [0, 10], 1)
    assert differ(VerbalScale(["x", "y", "z"], level="nominal"), ["x", "y", "x"], 0)


def test_items_on_a_line_differ_by_points():
    """Two items: 10, 30 lie 20 apart and stay within the threshold; 10, 31 do not."""
    ratings = Ratings(
        {
            "item": [1, 1, 2, 2],
            "judge": ["a", "b"] * 2,
            "rating": [10, 30, 10, 31],
            "round": [1] * 4,
        },
        scale=VisualScale(),
    )
    (found,) = rounds(ratings, rng=1).criteria
    assert (found.first.differing, found.first.n_items) == (1, 2)
    (wider,) = rounds(ratings, rng=1, threshold=21).criteria
    assert wider.first.differing == 0


def test_wilson_and_newcombe_give_the_published_intervals():
    """Newcombe (1998), two papers: 15/148 has .0624 to .1605; 9/10 - 3/10 has .1705 to .8090."""
    share = ItemShare.of(15, 148)
    assert (share.low, share.high) == pytest.approx((0.0624, 0.1605), abs=5e-5)
    three, nine = ItemShare.of(3, 10), ItemShare.of(9, 10)
    gap = gap_of(*((s.value, s.low, s.high) for s in (three, nine)), 0.95)
    assert (gap.low, gap.high) == pytest.approx((0.1705, 0.8090), abs=5e-5)
    assert math.isnan(ItemShare.of(0, 0).low)


def test_without_severity_two_shifted_judges_agree_perfectly():
    """By hand: one judge always one higher; least squares takes just that away."""
    ratings = Ratings.from_wide([[1, 2], [2, 3], [4, 5], [3, 4]], scale="1-5", level="interval")
    plain, without = without_severity(collapse(ratings))
    assert plain == pytest.approx(1 - 7 * 4 / (8 * 84 - 24**2))  # (n-1) sum of d² / (n Σx² - (Σx)²)
    assert without == pytest.approx(1)


def group(judges, quality, severity, noise, seed, name="j"):
    """Judges of known severity and noise who cut the same quality into five ranks."""
    rng = np.random.default_rng(seed)
    columns = {"item": [], "judge": [], "rating": []}
    for number in range(judges):
        seen = quality + severity[number] + rng.normal(0, noise, quality.size)
        ranks = np.digitize(seen, [-1, -0.3, 0.3, 1]) + 1
        columns["item"] += [f"i{place}" for place in range(quality.size)]
        columns["judge"] += [f"{name}{number}"] * quality.size
        columns["rating"] += ranks.tolist()
    return Ratings(columns, scale=VerbalScale([1, 2, 3, 4, 5]))


QUALITY = np.random.default_rng(11).normal(0, 1, 250)


def test_a_fresh_group_that_has_only_noise_more_measures_the_same_thing():
    authors = group(3, QUALITY, [0, 0, 0], 0.2, 1)
    fresh = group(3, QUALITY, [0, 0, 0], 0.8, 2, "f")
    (found,) = rounds(authors, authors, fresh=fresh, same_items=True, rng=1, resamples=300).criteria
    assert found.fresh.gap.high < 0
    assert found.fresh.gap.method == "both drawn together"
    assert found.fresh.xrr.details["normalised"] > 0.95
    assert "nearly the same thing" in found.fresh.sentence
    assert "not in the manual" in found.fresh.sentence
    evidence = found.diagnosis.causes[1].evidence
    assert any(each.speaks == "for" and "A new group" in each.sentence for each in evidence)


def test_a_fresh_group_that_looks_at_something_else_is_found():
    other = np.random.default_rng(12).normal(0, 1, QUALITY.size)
    authors = group(3, QUALITY, [0, 0, 0], 0.2, 1)
    fresh = group(3, 0.5 * QUALITY + 0.87 * other, [0, 0, 0], 0.2, 2, "f")
    (found,) = rounds(authors, authors, fresh=fresh, rng=1, resamples=200).criteria
    assert not found.fresh.gap.clear
    assert found.fresh.xrr.details["normalised"] < 0.7
    assert "not quite the same thing" in found.fresh.sentence


def test_nothing_is_claimed_of_a_fresh_group_that_agrees_no_better_than_chance():
    """Its noise divides by almost nothing: the normalised value may be 2 and means nothing."""
    rng = np.random.default_rng(13)
    authors = group(3, QUALITY[:30], [0, 0, 0], 0.2, 1)
    fresh = group(2, rng.normal(0, 0.3, 30), [0, 0], 2.0, 2, "f")
    (found,) = rounds(authors, authors, fresh=fresh, rng=1, resamples=200).criteria
    assert found.fresh.fresh.interval.low < 0
    assert "cannot be said" in found.fresh.sentence
    assert "not shown to be better than chance" in found.fresh.sentence


def test_a_few_items_do_not_show_that_two_groups_measure_the_same():
    other = np.random.default_rng(14).normal(0, 1, 40)
    authors = group(3, QUALITY[:40], [0, 0, 0], 0.5, 1)
    fresh = group(3, 0.9 * QUALITY[:40] + 0.4 * other, [0, 0, 0], 0.5, 2, "f")
    (few,) = rounds(authors, authors, fresh=fresh, rng=1, resamples=300).criteria
    low, high = (few.fresh.xrr.details[f"normalised_{end}"] for end in ("low", "high"))
    assert low < 0.8
    assert high > 0.9
    assert "is not shown" in few.fresh.sentence
    evidence = few.diagnosis.causes[1].evidence
    (said,) = [each for each in evidence if "A new group" in each.sentence]
    assert said.speaks == "unknown"  # the gap is not clear, and may be large


def test_a_fresh_group_with_other_items_is_compared_in_alpha_only():
    authors = group(3, QUALITY, [0, 0, 0], 0.2, 1)
    parts = {"item": ["x", "x", "y", "y"], "judge": ["a", "b"] * 2, "rating": [1, 1, 2, 3]}
    fresh = Ratings(parts, scale=VerbalScale([1, 2, 3, 4, 5]))
    (found,) = rounds(authors, authors, fresh=fresh, rng=1, resamples=50).criteria
    assert found.fresh.xrr is None
    assert "no item was rated by both" in found.fresh.reason


def test_drawing_the_same_items_together_narrows_the_change():
    before = group(3, QUALITY, [0.4, -0.4, 0], 0.5, 3)
    after = group(3, QUALITY, [0, 0, 0], 0.5, 3)
    apart, together = (
        rounds(before, after, same_items=same, rng=1, resamples=400).criteria[0].alpha_gap
        for same in (False, True)
    )
    assert together.value == pytest.approx(apart.value)
    assert together.high - together.low < apart.high - apart.low


def test_a_judge_who_reads_the_manual_differently_points_to_training():
    rng = np.random.default_rng(5)
    good = group(3, QUALITY, [0, 0, 0], 0.2, 1)
    alone = group(1, rng.normal(0, 1, QUALITY.size), [0], 0.2, 1, "odd")
    (found,) = rounds(in_one_round(good, alone), rng=1).criteria
    training = found.diagnosis.causes[2]
    assert any("Without odd0" in each.sentence for each in training.evidence)
    assert found.diagnosis.low


def test_drift_and_times_come_from_the_last_round_where_they_are_known():
    rng = np.random.default_rng(3)
    n = 60
    base = rng.integers(20, 60, n)
    frame = {"item": [], "judge": [], "rating": [], "round": [], "order": [], "seconds": []}
    for judge, slope in (("calm", 0.0), ("drifting", 0.5)):
        frame["item"] += [f"i{k}" for k in range(n)]
        frame["judge"] += [judge] * n
        frame["rating"] += [float(b + slope * k) for k, b in enumerate(base)]
        frame["round"] += [1] * n
        frame["order"] += list(range(n))
        frame["seconds"] += [2.0] * n
    found = rounds(Ratings(frame, scale=VisualScale()), rng=1)
    drifts = dict(found.criteria[0].drifts)
    assert drifts["drifting"].clear
    assert drifts["drifting"].slope == pytest.approx(50)  # half a point a rating, over a hundred
    assert [(each.judge, each.seconds) for each in found.times] == [
        ("calm", 120),
        ("drifting", 120),
    ]


def test_a_cycle_is_traced_from_disagreement_to_sentence_to_alpha():
    cycle = run_cycle(Thresholds(seed=3, learning=0.6))
    found = rounds(cycle.ratings(), history=cycle.history(), rng=1, resamples=100)
    (relevance,) = found.criteria
    assert [each.differing for each in relevance.rounds] == [len(r.marks) for r in cycle.rounds]
    assert len(found.traced) == sum(len(r.marks) for r in cycle.rounds[:-1])
    first = found.traced[0]
    assert first.link.sentence == "Rule 1 of the judges."
    assert first.before.value < first.after.value
    assert first.gap.low > 0
    assert "it led to the rule change 'Rule 1 of the judges.'" in first.sentence
    assert relevance.alpha_gap.low > 0
    assert "fell from" in relevance.diagnosis.causes[1].evidence[1].sentence


def test_the_last_change_of_a_cycle_has_no_later_round():
    cycle = in_combination()
    cycle = cycle.apply(an_edit(cycle))
    found = rounds(cycle.ratings(), history=cycle.history(), rng=1, resamples=50)
    (traced,) = found.traced
    assert traced.after is None
    assert traced.sentence.endswith("No later round was rated.")
    assert {each.seconds for each in found.times} == {20}


def test_wrong_calls_say_what_to_do():
    plain = group(2, QUALITY, [0, 0], 0.2, 1)
    with pytest.raises(InvalidArgument, match=r"rounds\(before, after\)"):
        rounds(plain)
    with pytest.raises(InvalidArgument, match="order belongs to"):
        rounds(plain, plain, order=[1])
    frame = {"item": [1, 1], "judge": ["a", "b"], "rating": [1, 2], "round": ["x", "x"]}
    with pytest.raises(InvalidArgument, match="must name rounds once each; the ratings have 'x'"):
        rounds(Ratings(frame, scale="1-2"), order=["x", "z"])


def test_one_round_that_nobody_shares_has_no_numbers_and_says_why():
    frame = {"item": [1, 2], "judge": ["a", "b"], "rating": [1, 2], "round": [1, 1]}
    (found,) = rounds(Ratings(frame, scale="1-4"), rng=1).criteria
    assert found.first.n_items == 0
    assert math.isnan(found.first.within.value)
    assert math.isnan(found.first.alpha.value)
    assert found.first.alpha.notes
    assert found.diagnosis.low  # nothing shows that it is not


def test_where_judges_never_differ_the_note_says_what_the_interval_means():
    columns = {"item": [], "judge": [], "rating": []}
    for item in range(12):
        for judge in "ABC":
            for column, value in zip(columns.values(), (item, judge, 1 + item % 4), strict=True):
                column.append(value)
    agreed = Ratings(columns, scale="1-4")
    columns["rating"][0] = 3
    (one,) = rounds({"1": agreed, "2": Ratings(columns, scale="1-4")}).criteria
    (note,) = [note for note in one.notes if note.code == "rounds.never-differ"]
    assert "In round 1 judges never differed" in note
    assert "how little 12 items without any difference show" in note
