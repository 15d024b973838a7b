"""Which system is better: orders that are known, by hand, from papers and by drawing them."""

import json

import numpy as np
import pytest

from covary import Ratings, VerbalScale, datasets
from covary.analysis.systems import brief_systems, systems
from covary.errors import InvalidArgument
from covary.ratings.frames import fetch
from covary.stats.models.observations import observations
from covary.stats.posthoc import compare_means
from tests.analysis.system_studies import SMALL, confounded, crossed


def only(ratings, **keywords):
    (found,) = systems(ratings, **({"rng": 1, "resamples": 100} | keywords)).criteria
    return found


def order(found):
    return [score.system for score in found.systems]


@pytest.fixture(scope="module")
def small():
    return only(crossed(SMALL))


@pytest.fixture(scope="module")
def original():
    return only(datasets.load("qgstec-original"), criterion="relevance", error="additive")


def test_means_of_item_means_count_every_item_alike():
    """By hand: a has (1 + 5) / 2 and b (2.5 + 4) / 2; over ratings they have 2 and 3.25."""
    rows = [("a1", "a", 1), ("a1", "a", 1), ("a1", "a", 1), ("a2", "a", 5)]
    rows += [("b1", "b", 3), ("b1", "b", 2), ("b2", "b", 4), ("b2", "b", 4)]
    item, system, rating = zip(*rows, strict=True)
    table = {"item": item, "system": system, "judge": [*"xyzxxyxz"], "rating": rating}
    ratings = Ratings(table, scale="1-5")
    for means, expected in (("items", (3, 3.25)), ("ratings", (2, 3.25))):
        scores = sorted(only(ratings, means=means).systems, key=lambda score: score.system)
        assert tuple(score.mean for score in scores) == expected
    with pytest.raises(InvalidArgument, match="means"):
        systems(ratings, means="texts")


def test_means_medians_and_counts_are_those_of_the_ratings(small):
    means = {score.system: score.mean for score in small.systems}
    assert means == pytest.approx({"a": 11 / 6, "b": 23 / 6, "c": 19 / 6})
    a = small.systems[-1]
    assert (a.median, a.n_ratings, a.n_items, a.counts) == (2, 6, 3, (2, 3, 1, 0, 0))
    assert a.deviation == pytest.approx(np.std([1, 2, 2, 2, 1, 3], ddof=1))


def test_the_highest_mean_comes_first_where_high_is_best(small):
    assert order(small) == ["b", "c", "a"]
    assert [score.rank for score in small.systems] == [1, 2, 3]


def test_the_lowest_mean_comes_first_where_low_is_best():
    scale = VerbalScale([1, 2, 3, 4, 5], best="low")
    found = only(crossed(SMALL, scale=scale))
    assert order(found) == ["a", "c", "b"]
    assert found.systems[0].letters.startswith("a")
    assert found.systems[0].best > 0.9
    assert found.adjustment.before == ("a", "c", "b")


def test_the_mirrored_scale_gives_the_mirrored_answer(small):
    scale = VerbalScale([1, 2, 3, 4, 5], best="low")
    turned = {
        name: [tuple(6 - rating for rating in row) for row in rows] for name, rows in SMALL.items()
    }
    mirrored = only(crossed(turned, scale=scale))
    assert order(mirrored) == order(small)
    assert [s.best for s in mirrored.systems] == [s.best for s in small.systems]
    assert [s.letters for s in mirrored.systems] == [s.letters for s in small.systems]


def test_the_interval_is_that_of_the_additive_error_by_hand():
    small = only(crossed(SMALL), error="additive")
    values = np.array([rating for rows in SMALL.values() for row in rows for rating in row], float)
    cube = values.reshape(3, 3, 2)
    explained = sum(
        18 / cube.shape[axis] * np.sum((np.mean(cube, other) - values.mean()) ** 2)
        for axis, other in ((0, (1, 2)), (1, (0, 2)), (2, (0, 1)))
    )
    mse = (np.sum((values - values.mean()) ** 2) - explained) / 12
    assert small.additive.mse == pytest.approx(mse)
    half = 2.178812829663418 * np.sqrt(mse / 6)  # t of .975 with 12 degrees of freedom
    b = small.systems[0]
    assert (b.interval.low, b.interval.high) == pytest.approx((23 / 6 - half, 23 / 6 + half))


def test_intervals_end_where_the_scale_ends():
    found = only(crossed({"a": [(1, 1), (1, 2)], "b": [(5, 5), (4, 5)]}))
    assert found.systems[0].interval.high == 5
    assert found.systems[-1].interval.low == 1


def test_one_way_f_and_additive_f_share_their_sums_in_a_balanced_design():
    found = only(datasets.load("latin-square-example"))
    alone = {effect.name: effect for effect in found.one_way}
    assert set(alone) == {"system", "judge", "source"}
    system = alone["system"]
    rest = system.error_mean_square * system.error_df
    rest -= alone["judge"].sum_of_squares + alone["source"].sum_of_squares
    df = system.error_df - alone["judge"].df - alone["source"].df
    assert found.additive.effect("system").f == pytest.approx(system.mean_square / (rest / df))
    assert found.additive.balanced


def test_relevance_of_qgstec_is_ranked_as_godwin_and_piweks_data_have_it(original):
    assert original.adjustment.before == ("b", "a", "c", "d")
    assert original.adjustment.after == ("b", "d", "a", "c")
    assert order(original) == ["b", "d", "a", "c"]  # the rows stand as the letters compare
    assert original.adjustment.changed
    again = only(datasets.load("qgstec-reevaluated"), criterion="relevance")
    assert order(again) == ["b", "c", "a", "d"]
    assert again.adjustment.balanced
    assert not again.adjustment.changed


def test_adjusted_means_and_severities_are_least_squares(original):
    rows = fetch(datasets.load("qgstec-original").select(criterion="relevance").frame)
    names, system = np.unique(rows["system"].astype(str), return_inverse=True)
    judges, judge = np.unique(rows["judge"].astype(str), return_inverse=True)
    matrix = np.zeros((system.size, names.size + judges.size))
    matrix[np.arange(system.size), system] = 1
    matrix[np.arange(system.size), names.size + judge] = 1
    effects = np.linalg.lstsq(matrix, rows["rating"].astype(float), rcond=None)[0]
    wanted = effects[: names.size] - effects[0]
    found = {score.system: score.adjusted for score in original.systems}
    assert [found[name] - found["a"] for name in names] == pytest.approx(list(wanted))
    severe = effects[names.size :] - effects[names.size :].mean()
    assert original.adjustment.severities == pytest.approx(dict(zip(judges, severe, strict=True)))


def test_adjusting_leaves_the_mean_of_all_ratings_where_it_was(original):
    plain = sum(score.n_ratings * score.mean for score in original.systems)
    adjusted = sum(score.n_ratings * score.adjusted for score in original.systems)
    assert adjusted == pytest.approx(plain)


def test_severity_is_removed_from_a_ranking_that_it_had_turned_round():
    ratings, truth = confounded(np.random.default_rng(5))
    found = only(ratings)
    assert list(found.adjustment.before) != truth
    assert list(found.adjustment.after) == order(found) == truth
    first = next(score for score in found.systems if score.system == truth[0])
    assert first.adjusted_best > 0.8 > first.best


def test_by_default_the_error_is_that_of_the_mixed_model_of_the_design():
    found = only(datasets.load("qgstec-original"), criterion="relevance")
    assert found.error == "mixed"
    assert set(found.mixed.components) == {"item", "judge by system", "residual"}
    assert found.comparisons.error.startswith(found.mixed.method)
    again = brief_systems(datasets.load("qgstec-original"))
    short = {score.system: score.letters for score in again.criteria[3].systems}
    assert short == {score.system: score.letters for score in found.systems}


@pytest.mark.parametrize("error", ["one-way", "additive", "mixed"])
def test_each_error_is_named_in_the_comparisons(error):
    found = only(crossed(SMALL), error=error)
    assert found.comparisons.error.startswith(error)
    assert found.comparisons.n_pairs == 3


def test_the_additive_error_finds_more_than_the_one_way_error():
    data = datasets.load("latin-square-example")
    counts = [
        only(data, error=error).comparisons.n_significant for error in ("one-way", "additive")
    ]
    assert counts[0] < counts[1]


@pytest.mark.parametrize(
    "procedure",
    ["tukey", "games-howell", "scheffe", "lsd", "bonferroni", "holm", "bh", "nemenyi", "dunn"],
)
def test_each_procedure_compares_all_pairs_the_better_system_first(procedure):
    found = only(crossed(SMALL), procedure=procedure)
    assert [(pair.first, pair.second) for pair in found.pairs] == [
        ("b", "c"),
        ("b", "a"),
        ("c", "a"),
    ]
    assert all(pair.difference > 0 and pair.cliffs_delta > 0 for pair in found.pairs)
    assert all(pair.low != pair.low or pair.low < pair.difference for pair in found.pairs)


def test_pairs_have_their_sizes_by_hand(small):
    pair = small.pairs[1]  # b and a
    assert pair.difference == pytest.approx(2)
    spread = sum(small.mixed.components.values())
    assert pair.standardised == pytest.approx(2 / np.sqrt(spread))
    ratings = [[rating for row in SMALL[name] for rating in row] for name in "ba"]
    above = sum(x > y for x in ratings[0] for y in ratings[1])
    below = sum(x < y for x in ratings[0] for y in ratings[1])
    assert pair.cliffs_delta == pytest.approx((above - below) / 36)


def test_tests_by_rank_stand_beside_the_tests_of_means(small):
    friedman, kruskal = small.rank_tests
    assert (friedman.blocks, friedman.n_blocks, friedman.df) == ("sources", 3, 2)
    assert friedman.statistic == pytest.approx(6)  # all three sources rank b, c, a
    assert kruskal.comparisons.n_pairs == 3
    assert any("ordinal" in note for note in small.notes)
    assert small.assumptions.doubtful


def test_very_many_systems_are_counted_as_tukeys_procedure_counts_them():
    rng = np.random.default_rng(3)
    quality = rng.normal(3, 0.4, 320)
    rows = {name: [] for name in ("item", "judge", "system", "source", "rating")}
    for system, centre in enumerate(quality):
        for judge in range(2):
            for source in range(3):
                rating = float(np.clip(centre + rng.normal(0, 0.2), 0, 100))
                values = (f"{system}-{source}", judge, system, source, rating)
                for name, value in zip(rows, values, strict=True):
                    rows[name].append(value)
    found = only(Ratings(rows, scale="0-100"), resamples=20, error="additive")
    assert found.comparisons is None
    assert found.pairs == ()
    assert found.counted.n_pairs == 320 * 319 // 2
    whole = compare_means(
        found.additive.means["system"], 6, found.additive.mse, found.additive.residual_df
    )
    assert found.counted.n_significant == whole.n_significant
    assert found.ranks.probabilities is None


def test_people_are_marked_and_unknown_people_refused():
    found = only(crossed(SMALL), human="b")
    assert [score.human for score in found.systems] == [True, False, False]
    assert found.systems[0].name == "b (human)"
    with pytest.raises(InvalidArgument, match="'z' cannot be marked as human"):
        systems(crossed(SMALL), human=["b", "z"])


def test_one_system_is_refused_with_what_to_do():
    with pytest.raises(InvalidArgument, match="one system, 'a'; a comparison needs at least two"):
        systems(crossed({"a": SMALL["a"]}))


def test_ratings_without_systems_are_refused():
    with pytest.raises(InvalidArgument, match="do not say the system"):
        systems(Ratings.from_wide([[1, 2], [2, 2]], scale="1-2"))


def test_names_without_order_are_refused():
    table = {"a": [("x", "y"), ("z", "x")], "b": [("y", "y"), ("x", "z")]}
    with pytest.raises(InvalidArgument, match="nominal"):
        systems(crossed(table, scale=None, level="nominal"))


def test_a_criterion_without_order_is_left_out_of_several_and_said():
    rows = fetch(crossed(SMALL).frame)
    n = len(rows["item"])
    both = {name: np.concatenate([column, column]) for name, column in rows.items()}
    both["criterion"] = np.array(["fluency"] * n + ["topic"] * n, dtype=object)
    nominal = VerbalScale([1, 2, 3, 4, 5], level="nominal")
    found = systems(Ratings(both, scale={"fluency": "1-5", "topic": nominal}), rng=1, resamples=50)
    assert [each.criterion for each in found.criteria] == ["fluency"]
    ((criterion, reason),) = found.left_out
    assert criterion == "topic"
    assert "nominal" in reason


def test_one_judge_is_an_answer():
    found = only(crossed({name: [row[:1] for row in rows] for name, rows in SMALL.items()}))
    assert found.ranks.drawn == ("sources",)
    assert "only one judge" in found.adjustment.sentence


def test_slots_are_compared_without_judges_and_refuse_the_mixed_model():
    ratings = crossed(SMALL, judges="slots")
    found = only(ratings)
    assert {effect.name for effect in found.one_way} == {"system", "source"}
    assert found.adjustment.reason == "the judges are not known"
    with pytest.raises(InvalidArgument, match="slots"):
        systems(ratings, error="mixed")


def test_judges_who_share_no_system_cannot_be_told_from_their_systems():
    table = {
        "a": [(1, 2, None, None), (2, 2, None, None)],
        "b": [(None, None, 3, 4), (None, None, 4, 4)],
    }
    found = only(crossed(table))
    assert not found.adjustment.possible
    assert "share no judge" in found.adjustment.reason
    assert np.isnan(found.systems[0].adjusted)
    assert any("The judge is left out" in note for note in found.notes)
    assert not found.testable
    assert found.ordinal is None
    assert found.systems[0].letters == ""


def test_only_systems_that_share_a_judge_are_tested():
    left, right = [(1, 2), (2, 2), (1, 1)], [(4, 5), (4, 4), (5, 5)]
    table = {
        "a": [(*row, None, None) for row in left],
        "b": [(*row, None, None) for row in right],
        "c": [(None, None, *row) for row in right],
    }
    found = only(crossed(table))
    tested = {(pair.first, pair.second): pair for pair in found.pairs}
    assert tested["b", "a"].significant
    assert np.isnan(tested["c", "a"].p_adjusted)
    assert np.isnan(tested["c", "a"].low)
    assert not any(score.letters for score in found.systems)
    assert found.ordinal is None
    assert any("2 of 3 pairs cannot be tested" in note for note in found.notes)


def test_one_rating_of_each_system_gives_means_and_no_test():
    found = only(crossed({"a": [(1,)], "b": [(3,)]}))
    assert order(found) == ["b", "a"]
    assert np.isnan(found.systems[0].interval.low)
    assert found.systems[0].letters == ""
    assert found.ranks is None
    assert any("ranks have no probabilities" in note for note in found.notes)


def test_equal_ratings_are_no_order():
    found = only(crossed({name: [(3, 3), (3, 3)] for name in "ab"}), resamples=2000)
    assert [score.rank for score in found.systems] == [1, 1]
    assert found.systems[0].best == pytest.approx(0.5, abs=0.05)
    assert found.systems[0].letters == ""


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        ({"procedure": "duncan"}, "procedure"),
        ({"error": "none"}, "error"),
        ({"confidence": 95}, "confidence"),
        ({"resamples": 1}, "resamples"),
        ({"criterion": "fluency"}, "criterion"),
    ],
)
def test_wrong_wishes_are_refused_with_what_is_allowed(keywords, said):
    with pytest.raises(InvalidArgument, match=said):
        systems(crossed(SMALL), **keywords)


def test_only_ratings_are_taken():
    with pytest.raises(InvalidArgument, match="takes Ratings, got a list"):
        systems([[1, 2]])


def test_nemenyi_without_common_blocks_says_what_to_use():
    table = {"a": [(1, None), (None, None)], "b": [(None, 3), (None, 4)]}
    with pytest.raises(InvalidArgument, match="dunn"):
        systems(crossed(table), procedure="nemenyi")


def test_the_same_seed_gives_the_same_answer_and_another_seed_another():
    first, second, third = (only(crossed(SMALL), rng=seed).ranks for seed in (4, 4, 5))
    assert first == second
    assert first.seed == 4
    assert first.expected != third.expected


def test_everything_can_be_written_as_json(original):
    found = systems(datasets.load("qgstec-original"), rng=1, resamples=20)
    text = json.dumps(found.to_dict(), allow_nan=False)
    assert json.loads(text)["criteria"][3]["adjustment"]["after"] == ["b", "a", "c", "d"]
    assert str(found).count("\n") >= 10


def test_a_brief_comparison_has_means_letters_and_the_count(original):
    relevance = brief_systems(datasets.load("qgstec-original")).criteria[3]
    assert [score.letters for score in relevance.systems] == [s.letters for s in original.systems]
    assert relevance.comparisons.n_significant == original.comparisons.n_significant
    assert relevance.ranks is None
    assert relevance.rank_tests == ()


def test_progress_is_told_for_each_criterion():
    told = []
    systems(crossed(SMALL), rng=1, resamples=20, progress=told.append)
    assert told == [
        "ratings: means",
        "ratings: pairs of systems",
        "ratings: ranks",
        "ratings: tests by rank",
    ]


def test_the_layout_of_missing_ratings_is_compared():
    table = {"a": [(1, None), (2, 2), (None, 3)], "b": [(3, 4), (None, 4), (3, None)]}
    found = only(crossed(table))
    assert observations(crossed(table)).n_ratings == found.n_ratings == 8
    assert found.additive.method.endswith("type II sums of squares")
    assert order(found) == ["b", "a"]


def test_the_ordinal_model_has_the_terms_and_degrees_of_freedom_of_the_design():
    """Asked for or by default, opinions of judges stay where the mixed model keeps them."""
    rng = np.random.default_rng(5)
    quality = rng.normal(0, 0.7, (3, 10, 1)) + rng.normal(0, 0.9, (3, 1, 4))
    drawn = np.searchsorted([-1.5, -0.5, 0.5, 1.5], quality + rng.normal(0, 0.7, (3, 10, 4))) + 1
    ratings = crossed({name: drawn[place].tolist() for place, name in enumerate("abc")})
    default, asked = (only(ratings, error=error) for error in ("design", "ordinal"))
    assert default.mixed.components["judge by system"] > 0
    assert asked.error == "ordinal"
    assert "judge by system" in asked.comparisons.error
    df = default.mixed.df[0, 1]
    assert f"{df:.4g} degrees of freedom" in asked.comparisons.error
    assert asked.comparisons.pairs == default.ordinal.comparisons.pairs
