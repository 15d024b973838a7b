"""The verdicts and tables of `covary.reliability`, against the papers and by hand."""

import json
from itertools import combinations

import numpy as np
import pytest

from covary import Ratings, datasets, goodman_kruskal_gamma, reliability
from covary.analysis.reliability_result import Average, severity
from covary.errors import InvalidArgument
from covary.stats.coefficients.gamma import exchangeable_gamma
from covary.stats.patterns import collapse

MILD = [3, 3, 2, 2, 3, 2, 1, 2, 2, 3]
STRICT = [3, 2, 1, 1, 3, 2, 1, 1, 1, 2]


def overall(rows, **keywords):
    """Compare all judges of a matrix with a five-point scale unless another is given."""
    ratings = Ratings.from_wide(rows, **({"scale": "1-5"} | keywords))
    return reliability(ratings, rng=1).criteria[0].overall


@pytest.fixture(scope="module")
def qgstec():
    return reliability(datasets.load("qgstec-original"), rng=1, resamples=100)


def test_ten_items_by_judges_who_differ_in_severity_leave_it_open():
    found = overall(list(zip(MILD, STRICT, strict=True)), scale="1-3")
    assert found.verdict.word == "cannot tell yet"
    assert not found.verdict.sure
    assert [fact.state for fact in found.verdict.facts] == ["open"] * 3
    assert found.disagreement.severity > 0.5


def test_a_hundred_such_items_show_that_the_judges_differ_in_severity():
    found = overall(list(zip(MILD, STRICT, strict=True)) * 10, scale="1-3")
    assert found.verdict.word == "consistent, different severity"
    assert found.verdict.sure


def test_equally_strict_noisy_judges_are_not_said_to_differ_in_severity():
    """Noise of .7 item standard deviations: alpha .61, gamma .62, and no severity at all."""
    rng = np.random.default_rng(3)
    rows = rng.normal(3, 1, (1500, 1)) + 0.7 * rng.normal(size=(1500, 3))
    found = overall(np.clip(np.round(rows), 1, 5).astype(int))
    assert found.verdict.word == "consistent but noisy"
    assert "means over 3 of them reach .8" in found.verdict.sentence


def test_a_judge_half_a_point_higher_agrees_and_is_milder():
    rng = np.random.default_rng(4)
    items = rng.integers(2, 9, 300)
    found = overall(np.column_stack([items, items + (rng.random(300) < 0.5)]), scale="1-9")
    assert found.verdict.word == "agree; one is stricter"


def test_shuffled_ratings_are_not_reliable():
    rng = np.random.default_rng(5)
    assert overall(rng.integers(1, 6, (200, 3))).verdict.word == "not reliable"


def test_identical_judges_are_interchangeable():
    column = np.random.default_rng(5).integers(1, 6, 100)
    found = overall(np.column_stack([column] * 3))
    assert found.verdict.word == "interchangeable"


def test_near_constant_ratings_have_little_variation():
    rows = np.full((100, 3), 4)
    rows[:3, 0], rows[3:6, 1] = 5, 5
    assert overall(rows).verdict.word == "little variation"


def test_names_are_judged_by_agreement_alone():
    rows = [["a", "a"], ["b", "b"], ["c", "c"]] * 20
    found = overall(rows, scale=None, level="nominal")
    assert found.correlation is None
    assert found.verdict.word == "interchangeable"
    assert [fact.about for fact in found.verdict.facts] == ["agreement", "severity"]


def test_one_category_only_has_little_variation_and_no_number():
    found = overall([[2, 2]] * 10)
    assert found.verdict.word == "little variation"
    assert not found.agreement.defined


def test_one_judge_gives_an_undefined_verdict():
    found = reliability(Ratings.from_wide([[1], [2], [3], [4]], scale="1-5"), rng=1)
    assert found.criteria[0].overall.verdict.word == "undefined"
    assert found.criteria[0].pairs == ()


def test_the_suspects_of_variety_are_those_that_the_paper_names(qgstec):
    """Amidei, Piwek & Willis (2019), section 4: judges 4 and 6 for variety, 2 for relevance."""
    by_name = {each.criterion: [s.judge for s in each.suspects] for each in qgstec.criteria}
    assert by_name["variety"] == ["J4", "J6"]
    assert by_name["relevance"] == ["J2"]


def test_a_suspect_is_shown_only_by_more_than_a_few_pairs_of_items(qgstec):
    """Question type: J1 and J3 have a gamma of -1 from 16 pairs of items (SURE is .05)."""
    shown = {(each.criterion, s.judge): s.shown for each in qgstec.criteria for s in each.suspects}
    assert shown == {
        ("question type", "J3"): False,
        ("relevance", "J2"): False,
        ("variety", "J4"): True,
        ("variety", "J6"): True,
    }
    sentence = next(part for part in qgstec.criteria if part.criterion == "relevance").suspects[0]
    assert "by chance" in sentence.sentence


def test_of_judges_who_are_alike_hardly_one_is_shown_and_one_of_noise_nearly_always():
    """Forty items, noise of .4 beside a quality of 1; then the last judge rates at random."""
    alike = noisy = 0
    for seed in range(15):
        rng = np.random.default_rng(seed)
        seen = rng.normal(size=40)[:, None] + rng.normal(size=(40, 6)) * 0.4
        alike += any(s.shown for s in _suspects(seen))
        seen[:, 5] = rng.normal(size=40)
        noisy += [s.judge for s in _suspects(seen) if s.shown] == [6]
    assert alike <= 1
    assert noisy >= 14


def _suspects(seen):
    ranks = (np.digitize(seen, [-1.2, -0.3, 0.3, 1.2]) + 1).tolist()
    return reliability(Ratings.from_wide(ranks, scale="1-5"), resamples=50).criteria[0].suspects


def test_batches_have_the_sizes_of_the_papers_table_6(qgstec):
    """Amidei et al. (2019), Table 6."""
    sizes = {batch.judges: batch.agreement.n_items for batch in qgstec.criteria[0].batches}
    assert sizes == {
        ("J1", "J2"): 80, ("J1", "J3"): 67, ("J1", "J4"): 81, ("J1", "J5"): 7, ("J1", "J6"): 106,
        ("J2", "J5"): 158, ("J3", "J5"): 125, ("J4", "J5"): 142, ("J5", "J6"): 129,
    }  # fmt: skip


def test_pairs_show_the_gammas_of_table_7_with_their_informative_share(qgstec):
    """Gamma -1 of question type, J1 and J3, rests on 16 of 2,211 pairs of items."""
    criterion = next(c for c in qgstec.criteria if c.criterion == "question type")
    pair = next(p for p in criterion.pairs if p.judges == ("J1", "J3"))
    assert pair.correlation.value == -1
    assert pair.correlation.details["pairs_of_items"] == 2211
    assert pair.correlation.details["concordant"] + pair.correlation.details["discordant"] == 16


def test_three_judges_get_an_interval_for_other_judges_too(qgstec):
    found = qgstec.criteria[0].overall
    assert found.agreement.interval.target == "these judges, other items"
    assert found.agreement_of_others.target == "other judges, other items"
    wide = found.agreement_of_others.high - found.agreement_of_others.low
    assert wide > found.agreement.interval.high - found.agreement.interval.low


def test_groups_are_compared_where_there_are_several():
    rng = np.random.default_rng(0)
    quality = rng.integers(1, 6, 60)
    rows = {"item": [], "judge": [], "rating": [], "group": []}
    for judge, group in (("a", "native"), ("b", "native"), ("c", "other"), ("d", "other")):
        noise = rng.integers(-1, 2, 60) if group == "native" else rng.integers(-4, 5, 60)
        rows["item"] += range(60)
        rows["judge"] += [judge] * 60
        rows["rating"] += np.clip(quality + noise, 1, 5).tolist()
        rows["group"] += [group] * 60
    found = reliability(Ratings(rows, scale="1-5"), rng=1, resamples=100).criteria[0]
    assert [group.label for group in found.groups] == ["native", "other"]
    assert found.groups[0].agreement.value > found.groups[1].agreement.value + 0.3
    assert found.groups[0].judges == ("a", "b")


def test_the_mean_over_subsets_is_the_overall_mean():
    """The identity behind Amidei et al.'s footnote 16: .54 .29 .12 .12 average to .27."""
    rng = np.random.default_rng(3)
    rows = np.clip(rng.integers(1, 6, (80, 1)) + rng.integers(-2, 3, (80, 5)), 1, 5)
    ratings = Ratings.from_wide(rows, scale="1-5")
    found = reliability(ratings, rng=1, resamples=50).criteria[0]
    assert [s.size for s in found.subsets] == [3, 4]
    for subsets in found.subsets:
        assert subsets.mean == pytest.approx(found.overall.correlation.value, abs=1e-12)
    triples = [
        goodman_kruskal_gamma(ratings, judges=judges, interval=None).value
        for judges in combinations(ratings.judges, 3)
    ]
    assert found.subsets[0].low == pytest.approx(min(triples), abs=1e-12)
    assert found.subsets[0].high == pytest.approx(max(triples), abs=1e-12)


def test_averages_are_given_with_and_without_signs():
    """Amidei et al. (2019), footnote 19: J1 and J3, printed 0.72 without signs."""
    found = Average.of("gamma", [0.33, 0.67, -1, 0.63, 0.99])
    assert found.absolute == pytest.approx(0.724)
    assert found.signed == pytest.approx(0.324)


def test_the_flickr_columns_only_ever_rise():
    """5,822 rows: 1,073 rise from the first to the second column, 1,484 to the third, none fall."""
    patterns = collapse(datasets.load("flickr8k-experts", judges="named"))
    first, second = severity(patterns, "j1", "j2"), severity(patterns, "j2", "j3")
    assert (first.higher, first.lower) == (1073, 0)
    assert (second.higher, second.lower) == (1484, 0)
    assert first.sentence == "When j1 and j2 differ, j2 is higher in 1,073 of 1,073 items."


def test_slots_are_compared_over_all_arrangements():
    """Flickr-8k: gamma falls to .880 under random permutation within items."""
    ratings = datasets.load("flickr8k-experts")
    found = reliability(ratings, rng=1, resamples=100).criteria[0]
    assert found.overall.correlation.name == "exchangeable_gamma"
    assert found.overall.correlation.value == pytest.approx(0.880, abs=0.0005)
    assert found.overall.correlation.details["mean"] == pytest.approx(0.880, abs=0.0005)
    assert found.pairs == ()
    assert found.overall.agreement_of_others is None


def test_three_random_columns_keep_no_gamma_when_arranged():
    """Independent ratings, sorted in each row, look like a common order until they are arranged."""
    rng = np.random.default_rng(2)
    rows = np.sort(rng.choice([1, 2, 3, 4], p=[0.57, 0.28, 0.1, 0.05], size=(5000, 3)), axis=1)
    named = Ratings.from_wide(rows, scale="1-4")
    assert goodman_kruskal_gamma(named, interval=None).value > 0.7
    assert abs(exchangeable_gamma(named.as_slots(), interval=None).value) < 0.05


def test_distributions_are_those_of_the_papers_figure_3():
    found = reliability(datasets.load("flickr8k-experts"), rng=1, resamples=50).criteria[0]
    assert list(found.distribution.values()) == [
        (4120, 1109, 346, 247),
        (3327, 1666, 518, 311),
        (2350, 2222, 837, 413),
    ]


def test_a_seed_repeats_everything():
    ratings = Ratings.from_wide(list(zip(MILD, STRICT, strict=True)), scale="1-3")
    first, second = (reliability(ratings, rng=7).to_dict() for _ in range(2))
    assert first == second
    assert first["seed"] == 7


def test_everything_can_be_written_as_json(qgstec):
    written = json.loads(json.dumps(qgstec.to_dict(), allow_nan=False))
    assert len(written["criteria"]) == 5


def test_intervals_can_be_left_out(qgstec):
    found = reliability(datasets.load("qgstec-original"), criterion="variety", intervals=False)
    assert found.criteria[0].overall.agreement.interval is None
    variety = next(each for each in qgstec.criteria if each.criterion == "variety")
    assert found.criteria[0].overall.agreement.value == variety.overall.agreement.value


def test_an_unknown_criterion_is_refused():
    with pytest.raises(InvalidArgument, match="fluency"):
        reliability(datasets.load("qgstec-original"), criterion="fluency")


def test_progress_is_told_step_by_step():
    said = []
    reliability(
        Ratings.from_wide(list(zip(MILD, STRICT, strict=True)), scale="1-3"),
        intervals=False,
        progress=said.append,
    )
    assert said[0] == "ratings: all judges"
    assert len(said) >= 3


def test_the_difference_between_groups_has_an_interval():
    """Native judges who nearly agree, others who guess: the difference is clear."""
    rng = np.random.default_rng(0)
    quality = rng.integers(1, 6, 120)
    numbers = np.column_stack(
        [quality, np.clip(quality + rng.integers(-1, 2, 120), 1, 5), *rng.integers(1, 6, (2, 120))]
    )
    rows = {
        "item": np.tile(np.arange(120), 4),
        "judge": np.repeat(list("abcd"), 120).tolist(),
        "rating": numbers.T.ravel(),
        "group": np.repeat(["native", "native", "other", "other"], 120).tolist(),
    }
    found = reliability(Ratings(rows, scale="1-5"), rng=1, resamples=200).criteria[0]
    (difference,) = found.differences
    native, other = (group.agreement.value for group in found.groups)
    assert difference.value == pytest.approx(native - other, abs=1e-12)
    assert 0 < difference.interval.low < difference.value < difference.interval.high
    assert difference.sentence == "native judges agree more than other judges."


def test_groups_of_equal_judges_cannot_be_told_apart():
    rng = np.random.default_rng(1)
    numbers = np.clip(rng.integers(1, 6, (60, 1)) + rng.integers(-1, 2, (60, 4)), 1, 5)
    rows = {
        "item": np.tile(np.arange(60), 4),
        "judge": np.repeat(list("abcd"), 60).tolist(),
        "rating": numbers.T.ravel(),
        "group": np.repeat(["x", "x", "y", "y"], 60).tolist(),
    }
    found = reliability(Ratings(rows, scale="1-5"), rng=1, resamples=200).criteria[0]
    assert found.differences[0].interval.low < 0 < found.differences[0].interval.high


def test_a_retest_changes_no_agreement_between_judges():
    table = {"item": list("abcd") * 2, "judge": ["Ann"] * 4 + ["Bo"] * 4,
             "rating": [1, 2, 3, 3, 1, 2, 2, 3], "occasion": ["1"] * 8}  # fmt: skip
    again = {name: values * 2 for name, values in table.items()}
    again["occasion"] = ["1"] * 8 + ["2"] * 8
    again["rating"] = [*table["rating"], 3, 3, 1, 1, 2, 1, 3, 1]
    once, twice = (
        reliability(Ratings(data, scale="1-3"), intervals=False) for data in (table, again)
    )
    assert once.n_ratings == twice.n_ratings == 8
    assert [row["value"] for row in once.rows() if "value" in row] == [
        row["value"] for row in twice.rows() if "value" in row
    ]
    assert str(once) == str(twice)
