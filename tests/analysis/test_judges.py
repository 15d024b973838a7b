"""Profiles of judges: hand arithmetic, NumPy's own line fit, and simulated judges."""

import json
import math

import numpy as np
import pytest

from covary import (
    Ratings,
    datasets,
    disagreement,
    judge_profiles,
    krippendorff_alpha,
    reliability,
)

MILD = [3, 3, 2, 2, 3, 2, 1, 2, 2, 3]
STRICT = [3, 2, 1, 1, 3, 2, 1, 1, 1, 2]


@pytest.fixture(scope="module")
def two():
    rows = list(zip(MILD, STRICT, strict=True))
    return judge_profiles(Ratings.from_wide(rows, scale="1-3", judges=["mild", "strict"]))


def long_table(numbers, **columns):
    """Write a matrix as one row per rating, judge by judge, in the order of its rows."""
    n_items, n_judges = numbers.shape
    made = {
        "item": np.tile(np.arange(n_items), n_judges),
        "judge": np.repeat(np.arange(n_judges), n_items),
        "rating": numbers.T.ravel(),
    }
    return made | {name: values.T.ravel() for name, values in columns.items()}


def test_severity_is_the_mean_difference_from_the_others(two):
    """The ratings add up to 23 and 17: six points over ten items."""
    assert two[0].severity.value == pytest.approx(0.6)
    assert two[1].severity.value == pytest.approx(-0.6)
    assert two[0].severity.low > 0
    assert two[0].mean == pytest.approx(2.3)


def test_consistency_is_the_correlation_with_the_others(two):
    """Pearson's r of the severity example."""
    assert two[0].consistency.value == pytest.approx(0.77984, abs=1e-5)
    assert two[0].consistency.low < 0.77984 < two[0].consistency.high


def test_slope_and_noise_are_those_of_a_fitted_line(two):
    slope, intercept = np.polyfit(STRICT, MILD, 1)
    left = np.asarray(MILD) - slope * np.asarray(STRICT) - intercept
    assert two[0].slope == pytest.approx(slope)
    assert two[0].noise == pytest.approx(math.sqrt(left @ left / 8))


def test_the_use_of_the_scale_is_counted(two):
    """The mild judge gives 3 four times, 2 five times and 1 once."""
    shares = np.array([0.1, 0.5, 0.4])
    assert two[0].extremes == pytest.approx(0.5)
    assert two[0].middle == pytest.approx(0.5)
    assert two[0].entropy == pytest.approx(float(-shares @ np.log(shares) / np.log(3)))


def test_a_sentence_says_who_is_mild_and_who_is_strict(two):
    assert two[0].sentence.startswith("mild is more lenient than the others by 0.60")
    assert two[1].sentence.startswith("strict is stricter than the others by 0.60")


def test_where_low_is_best_the_lower_judge_is_the_milder():
    rows = list(zip(MILD, STRICT, strict=True))
    from covary import VerbalScale

    scale = VerbalScale([1, 2, 3], best="low")
    found = judge_profiles(Ratings.from_wide(rows, scale=scale, judges=["up", "down"]))
    assert found[0].sentence.startswith("up is stricter")


def test_alpha_without_a_judge_is_the_alpha_of_the_rest():
    ratings = datasets.load("qgstec-reevaluated")
    found = judge_profiles(ratings, criterion="relevance")
    rest = krippendorff_alpha(
        ratings.select(criterion="relevance", judge=["K2", "K3"]), interval=None
    )
    assert found[0].judge == "K1"
    assert found[0].alpha_without == pytest.approx(rest.value, abs=1e-12)


def test_a_judge_who_guesses_is_noisy_and_a_careful_one_is_not():
    rng = np.random.default_rng(4)
    quality = rng.normal(0, 1, (300, 1))
    numbers = quality + rng.normal(0, 0.4, (300, 4))
    numbers[:, 3] = rng.normal(0, 1, 300)
    found = judge_profiles(Ratings.from_wide(numbers, level="interval", judges=list("abcx")))
    assert all(profile.consistency.value > 0.7 for profile in found[:3])
    assert abs(found[3].consistency.value) < 0.2
    assert "does not order items as the others do (r" in found[3].sentence


def test_drift_over_the_order_of_rating_is_found():
    """The second judge gains two points in three hundred ratings: 0.67 in a hundred."""
    rng = np.random.default_rng(8)
    numbers = rng.normal(50, 10, (300, 1)) + rng.normal(0, 1, (300, 3))
    numbers[:, 1] += np.linspace(0, 2, 300)
    order = np.tile(np.arange(300)[:, None], 3)
    found = judge_profiles(Ratings(long_table(numbers, order=order), level="interval"))
    assert found[1].drift.clear
    assert found[1].drift.slope == pytest.approx(2 / 3, abs=0.15)
    assert "drifts upward" in found[1].sentence


def test_a_sudden_change_is_placed():
    rng = np.random.default_rng(8)
    numbers = rng.normal(50, 10, (200, 1)) + rng.normal(0, 0.5, (200, 2))
    numbers[120:, 0] += 5
    order = np.tile(np.arange(200)[:, None], 2)
    found = judge_profiles(Ratings(long_table(numbers, order=order), level="interval"))
    assert abs(found[0].drift.change_at - 120) <= 3


def test_the_longest_run_follows_the_order_of_rating():
    """In the order of rating the first judge gives 2 four times running; the file is mixed up."""
    numbers = np.array([[1, 1], [2, 2], [2, 1], [2, 2], [2, 1], [3, 2]])
    mixed = np.array([4, 0, 5, 2, 1, 3])
    order = np.column_stack([mixed, mixed])
    found = judge_profiles(Ratings(long_table(numbers[mixed], order=order), scale="1-3"))
    assert [profile.longest_run for profile in found] == [4, 1]


def test_without_an_order_there_is_no_run(two):
    assert two[0].longest_run is None


def test_response_times_are_described():
    numbers = np.random.default_rng(1).integers(1, 6, (20, 2))
    seconds = np.full((20, 2), 8.0)
    seconds[:2, 0] = 1.0
    found = judge_profiles(Ratings(long_table(numbers, seconds=seconds), scale="1-5"))
    assert found[0].pace.median == 8
    assert found[0].pace.hasty == pytest.approx(0.1)
    assert found[1].pace.hasty == 0


def test_a_judge_who_shares_no_item_has_no_severity():
    rows = [[1, 2, None], [2, 2, None], [None, None, 3]]
    found = judge_profiles(Ratings.from_wide(rows, scale="1-3"))
    assert math.isnan(found[2].severity.value)
    assert "shares no item" in found[2].sentence


def test_slots_and_names_have_no_profiles():
    assert judge_profiles(datasets.load("flickr8k-experts")) == ()
    assert judge_profiles(Ratings.from_wide([["a", "b"], ["b", "c"]])) == ()


def test_profiles_can_be_written_as_json(two):
    json.dumps([profile.to_dict() for profile in two], allow_nan=False)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_without_a_judge_is_that_of_the_other_judges(level):
    rng = np.random.default_rng(3)
    values = np.clip(np.round(3 + rng.normal(size=(40, 1)) + rng.normal(size=(40, 6))), 1, 5)
    values[rng.random(values.shape) < 0.4] = np.nan
    item, judge = np.nonzero(~np.isnan(values))
    columns = {"item": item, "judge": judge, "rating": (values[item, judge] > 3).astype(int)}
    if level != "nominal":
        columns["rating"] = values[item, judge].astype(int)
    ratings = Ratings(columns, level=level)
    for profile in judge_profiles(ratings):
        others = [judge for judge in ratings.judges if judge != profile.judge]
        alone = krippendorff_alpha(ratings, judges=others, interval=None).value
        assert profile.alpha_without == pytest.approx(alone, abs=1e-10)


def test_a_scale_of_one_category_gives_no_warning_of_numpy(recwarn):
    judge_profiles(Ratings.from_wide([[3], [3]], judges=["only"]))
    assert not recwarn.list


def test_the_most_extreme_of_many_equal_judges_is_not_singled_out():
    """Of 200 equal judges some ten lie outside their own 95 % intervals in every study."""
    alone = together = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        quality = rng.normal(3, 1, (60, 1))
        rows = np.clip(np.round(quality + rng.normal(0, 0.7, (60, 200))), 1, 5)
        found = judge_profiles(Ratings.from_wide(rows, scale="1-5"))
        deviations = rows - (rows.sum(axis=1, keepdims=True) - rows) / 199
        t = deviations.mean(axis=0) / deviations.std(axis=0, ddof=1) * np.sqrt(60)
        alone += int(np.sum(np.abs(t) > 2.0))  # Student's 97.5 % with 59 degrees of freedom
        together += sum(p.severity.low > 0 or p.severity.high < 0 for p in found)
    assert alone > 50
    assert together <= 3  # one study in twenty is expected to name anybody


def test_a_judge_of_few_items_is_not_said_to_order_them_differently():
    rng = np.random.default_rng(6)
    quality = np.tile([-1, -0.6, -0.2, 0.2, 0.6, 1], 10)[:, None]
    rows = quality + rng.normal(0, 0.2, (60, 4))
    rows[6:, 3] = np.nan
    rows[:6, 3] = [0, 1, -1, 1, -1, 0.5]  # Pearson's r of about -.1
    found = judge_profiles(Ratings.from_wide(rows, level="interval"))
    assert found[3].consistency.value < 0.4
    assert found[3].likeness == "open"
    assert "may or may not order items as the others do (r" in found[3].sentence


@pytest.mark.parametrize(("items", "named"), [(2, False), (5, False), (6, True), (30, True)])
def test_differences_that_are_all_the_same_name_a_judge_only_where_they_are_many(items, named):
    """By the sign test: of two judges, .5 to the power of five is the first chance below .05."""
    first = [2 + item % 3 for item in range(items)]
    rows = [[given, given - 1] for given in first]
    ratings = Ratings.from_wide(rows, scale="1-5", judges=["mild", "strict"])
    assert ("stricter" in judge_profiles(ratings)[1].sentence) is named
    assert ("stricter" in disagreement(ratings).criteria[0].judges[1].sentence) is named


def test_a_report_says_one_severity_of_a_judge_in_all_its_parts():
    """Where two of six judges rated each item, the others' mean depends on who they were."""
    ratings = datasets.load("qgstec-original")
    parts = {part.criterion: part.judges for part in reliability(ratings, intervals=False).criteria}
    for profile in judge_profiles(ratings):
        (fitted,) = (j for j in parts[profile.criterion] if j.judge == profile.judge)
        severity = (profile.severity.value, profile.severity.low, profile.severity.high)
        assert severity == (fitted.value, fitted.low, fitted.high)
        assert profile.leniency == fitted.leniency


def test_judges_who_share_no_items_with_some_have_the_plain_difference():
    """A and B rated ten items, C and D ten others: nobody can compare A with C."""
    rows = [(2, 3, None, None)] * 5 + [(1, 3, None, None)] * 5
    rows += [(None, None, 4, 5)] * 4 + [(None, None, 5, 4)] * 6
    ratings = Ratings.from_wide(rows, scale="1-5", judges=["A", "B", "C", "D"])
    found = {p.judge: p.severity.value for p in judge_profiles(ratings)}
    assert found == pytest.approx({"A": -1.5, "B": 1.5, "C": 0.2, "D": -0.2})
