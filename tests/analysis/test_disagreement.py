"""Severity, scale use and noise: from published tables, by hand, and from simulated truths."""

import numpy as np
import pytest
from scipy import stats

from covary import Ratings, disagreement
from covary.analysis.disagreement import decompose
from covary.stats.patterns import collapse

MILD = [3, 3, 2, 2, 3, 2, 1, 2, 2, 3]
STRICT = [3, 2, 1, 1, 3, 2, 1, 1, 1, 2]
SHROUT_FLEISS = [
    [9, 2, 5, 8],
    [6, 1, 3, 2],
    [8, 4, 6, 8],
    [7, 1, 2, 6],
    [10, 5, 6, 9],
    [6, 2, 4, 7],
]


def overall(rows, **options):
    return disagreement(Ratings.from_wide(rows, **options)).criteria[0].overall


def simulate(n, severities, noise, seed, spreads=None):
    rng = np.random.default_rng(seed)
    item = rng.normal(size=(n, 1)) * (1 if spreads is None else np.array(spreads))
    return item + np.array(severities) + noise * rng.normal(size=(n, len(severities)))


def test_variances_are_those_of_shrout_and_fleiss():
    """Shrout & Fleiss (1979), Table 2; R lme4 gives 2.556, 5.244 and 1.019, ICC(3,1) is .715."""
    parts = overall(SHROUT_FLEISS, level="interval")
    assert (parts.item, parts.judge, parts.rest) == pytest.approx(
        (2.5556, 5.2444, 1.0194), abs=1e-4
    )
    assert parts.without_severity == pytest.approx(0.71484, abs=1e-5)
    assert parts.agreement == pytest.approx(0.28976, abs=1e-5)  # ICC(2,1)
    assert parts.severity == pytest.approx(5.2444 / (5.2444 + 1.0194), abs=1e-4)


def test_two_judges_split_by_hand():
    """d = mild - strict has mean .6 and variance 2.4/9: severity (.36 - .02667)/2, rest .13333."""
    parts = overall(list(zip(MILD, STRICT, strict=True)), level="interval")
    assert parts.judge == pytest.approx((0.36 - 0.24 / 9) / 2)
    assert parts.rest == pytest.approx(1.2 / 9)
    assert parts.severity + parts.scale_use + parts.noise == pytest.approx(1)


def test_one_judge_at_three_times_the_spread_is_scale_use_and_not_noise():
    """Spreads of 1 and 3 without noise: the variance of differences is all (3 - 1)²."""
    parts = overall(simulate(400, [0, 0], 0.0, 1, spreads=[1, 3]), level="interval")
    assert parts.scale_use > 0.98
    noisy = overall(simulate(400, [0, 0], 0.5, 1), level="interval")
    assert noisy.scale_use < 0.02


@pytest.mark.parametrize("level", ["ordinal", "interval"])
def test_equally_strict_noisy_judges_have_no_severity(level):
    parts = overall(np.clip(np.round(simulate(300, [3, 3, 3], 0.7, 2)), 1, 5), level=level)
    assert parts.severity < 0.03
    assert parts.severity_interval.high < 0.1


@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_severity_is_found_where_every_rating_is_there_and_where_many_are_missing(missing):
    """Severities -1, 0, 1 (variance 1) and noise .5 (variance .25): a share of .8."""
    rows = simulate(400, [-1, 0, 1], 0.5, 3)
    rows[np.random.default_rng(4).random(rows.shape) < missing] = np.nan
    parts = overall(rows, level="interval")
    assert parts.method == ("REML" if missing else "mean squares")
    assert parts.severity == pytest.approx(0.8, abs=0.03)
    assert parts.severity_interval.low < 0.8 < parts.severity_interval.high
    assert parts.without_severity == pytest.approx(1 / 1.25, abs=0.05)
    assert parts.severity_of_others.high - parts.severity_of_others.low > 0.3  # three judges


def test_the_interval_for_these_judges_covers_with_severity_and_without():
    """The truth is 0 and 1/(1 + 1): of 300 studies each, at least 91 % of intervals hold it."""
    for shift, truth in ((0.0, 0.0), (1.0, 0.5)):
        held = 0
        for seed in range(300):
            rows = simulate(30, [-shift, 0, shift], 1.0, seed)
            patterns = collapse(Ratings.from_wide(rows, level="interval"))
            interval = decompose(patterns, "all judges", 0.95).severity_interval
            held += interval.low <= truth <= interval.high
        assert held >= 273


def test_names_are_split_by_category():
    """B says yes to every fourth item that A says no to: B's share of yes is higher by 1/8."""
    first = ["no"] * 80 + ["yes"] * 80
    second = ["yes", "no", "no", "no"] * 20 + ["yes"] * 80
    parts = overall(list(zip(first, second, strict=True)), level="nominal")
    assert parts.metric == "indicators"
    assert 0.05 < parts.severity < 0.2
    assert np.isnan(parts.scale_use)


def test_a_line_for_each_judge_says_who_is_stricter_and_by_how_much():
    rows = list(zip(MILD, STRICT, strict=True))
    ratings = Ratings.from_wide(rows, scale="1-3", judges=["mild", "strict"])
    judges = disagreement(ratings).criteria[0].judges
    assert judges[1].sentence == "strict is stricter than the other by 0.60 [0.23, 0.97]."
    assert judges[0].sentence == "mild is more lenient than the other by 0.60 [0.23, 0.97]."


def test_judges_who_share_no_item_are_refused_with_the_reason():
    rows = [[1, 2, None, None], [2, 3, None, None], [None, None, 3, 3], [None, None, 1, 2]]
    parts = overall(rows, level="interval")
    assert not parts.defined
    assert "2 groups that share no item" in parts.sentence


def test_slots_and_unanimous_judges_have_a_reason_and_no_shares():
    rows = [[1, 1], [2, 2], [3, 3]]
    assert overall(rows, level="ordinal").reason.code == "disagreement.none"
    slots = Ratings.from_wide(rows, level="ordinal", judges="slots")
    assert disagreement(slots).criteria[0].overall.reason.code == "disagreement.slots"


def test_every_group_and_pair_has_a_row():
    columns = {"item": [], "judge": [], "rating": [], "group": []}
    rows = simulate(40, [0, 0, 1, 1], 0.5, 5)
    for item, row in enumerate(rows):
        for judge, rating in enumerate(row):
            group = "novice" if judge > 1 else "expert"
            for name, value in zip(columns, (item, f"J{judge}", rating, group), strict=True):
                columns[name].append(value)
    parts = disagreement(Ratings(columns, level="interval"))
    kinds = [row["comparison"] for row in parts.rows()]
    assert (kinds.count("overall"), kinds.count("group"), kinds.count("pair")) == (1, 2, 6)
    assert parts.to_dict()["criteria"][0]["groups"][0]["label"] == "expert"


def test_clusters_make_the_interval_wider():
    """Ten copies of each item say nothing new: with clusters the interval is that of the 30."""
    rows = simulate(30, [0, 0.5], 0.5, 6)
    copies = {"item": [], "judge": [], "rating": [], "cluster": []}
    for number, row in enumerate(np.repeat(rows, 10, axis=0)):
        for judge, rating in enumerate(row):
            for name, value in zip(copies, (number, judge, rating, number // 10), strict=True):
                copies[name].append(value)
    clustered = disagreement(Ratings(copies, level="interval")).criteria[0].overall
    once = overall(rows, level="interval")
    assert clustered.severity_interval.low == pytest.approx(once.severity_interval.low, abs=0.02)


def test_differences_that_cancel_leave_severity_possible():
    """One item higher by each judge: the means are equal by chance, which is not a certainty."""
    rows = [[1 + n % 5] * 2 for n in range(28)] + [[2, 3], [3, 2]]
    known = overall(rows, scale="1-5").severity_interval
    assert known.low == 0
    assert 0.05 < known.high < 0.5


def test_intervals_of_judges_hold_for_all_of_them_at_once():
    """By hand: a judge less the mean of the others, item by item, with Šidák's level for three."""
    rows = np.round(simulate(40, [0, 0, 0.5], 0.7, 7), 1)
    judges = disagreement(Ratings.from_wide(rows, level="interval")).criteria[0].judges
    level = 0.95 ** (1 / 3)
    for place, judge in enumerate(judges):
        apart = rows[:, place] - np.delete(rows, place, axis=1).mean(axis=1)
        reach = stats.t.ppf((1 + level) / 2, 39) * apart.std(ddof=1) / np.sqrt(40)
        assert judge.value == pytest.approx(apart.mean())
        assert (judge.low, judge.high) == pytest.approx(
            (apart.mean() - reach, apart.mean() + reach)
        )
        alone = 2 * stats.t.sf(abs(apart.mean()) / (apart.std(ddof=1) / np.sqrt(40)), 39)
        assert judge.p == pytest.approx(1 - (1 - alone) ** 3)


def test_a_judge_of_few_items_is_known_by_these_alone():
    """Three items of sixty: the root of 20, and Student's t of 2 instead of 59 degrees of freedom.

    At Šidák's level for four judges t is 8.9 and not 2.6. Together 15, less what three values miss.
    """
    ratios = []
    for seed in range(20):
        rows = simulate(60, [0, 0, 0, 0], 0.5, seed)
        rows[3:, 3] = np.nan
        judges = disagreement(Ratings.from_wide(rows, level="interval")).criteria[0].judges
        widths = [judge.high - judge.low for judge in judges]
        ratios.append(np.log(widths[3] / np.mean(widths[:3])))
    assert 8 < np.exp(np.mean(ratios)) < 20


def test_the_share_of_severity_lies_within_its_interval_where_judges_rate_five_items_each():
    rng = np.random.default_rng(1)
    rows = np.full((100, 60), np.nan)
    for row, quality in zip(rows, rng.normal(size=100), strict=True):
        who = rng.choice(60, 3, replace=False)
        row[who] = np.clip(np.round(3 + quality + 0.7 * rng.normal(size=3)), 1, 5)
    rows = rows[:, ~np.isnan(rows).all(axis=0)]
    parts = overall(rows, scale="1-5")
    assert parts.severity_interval.low <= parts.severity <= parts.severity_interval.high
