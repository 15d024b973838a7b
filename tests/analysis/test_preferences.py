"""Wins, losses and ties of each two systems, with sources as what is counted."""

from itertools import cycle

import numpy as np
import pytest

from covary import Preference, Ratings, VerbalScale, compare_scales, systems
from covary.analysis.preferences import (
    comparison_rows,
    preferences,
    share_interval,
    sign_test,
)
from covary.errors import InvalidArgument
from covary.reports.preferences import preferences_report
from covary.reports.reliability.document import report

JUDGEMENTS = [
    # source, the two systems, Ann's answer, Bo's answer
    ("s1", "x / y", "A", "A"),
    ("s2", "y / x", "B", "B"),
    ("s3", "x / y", "A", "tie"),
    ("s4", "y / x", "A", "A"),
    ("s5", "x / z", "B", "tie"),
    ("s6", "z / z", "A", "B"),  # texts of one system
]


def judgements(rows=JUDGEMENTS, *, scale=None, sources=True) -> Ratings:
    columns: dict[str, list] = {"item": [], "judge": [], "rating": [], "system": [], "source": []}
    for number, (source, pair, *answers) in enumerate(rows):
        for judge, answer in zip(("Ann", "Bo"), answers, strict=True):
            row = {"item": number, "judge": judge, "rating": answer, "system": pair}
            for name, value in (row | {"source": source}).items():
                columns[name].append(value)
    if not sources:
        del columns["source"]
    return Ratings(columns, scale=scale or Preference())


def test_wins_losses_and_ties_are_counted_whichever_text_stood_first():
    """By hand: of x and y, s1 2:0, s2 2:0, s3 1:0 with a tie, s4 0:2; of x and z 0:1 with a tie."""
    (own,) = preferences(judgements()).criteria
    first, second = own.pairs
    assert (first.first, first.second) == ("x", "y")
    assert (first.wins, first.losses, first.ties) == (5, 2, 1)
    assert (first.for_first, first.for_second, first.n_clusters) == (3, 1, 4)
    assert first.share == pytest.approx(5.5 / 8)
    assert first.stood_first == 4
    assert first.balanced
    assert (second.first, second.second) == ("x", "z")
    assert (second.wins, second.losses, second.ties, second.stood_first) == (0, 1, 1, 2)
    assert not second.balanced
    assert own.same_system == 2


def test_the_sign_test_counts_sources_and_is_exact():
    """scipy.stats.binomtest(3, 4).pvalue is 0.625 (SciPy 1.14); (7, 8) gives 0.0703125."""
    (own,) = preferences(judgements()).criteria
    assert own.pairs[0].p == pytest.approx(0.625)
    assert sign_test(7, 1) == 0.0703125
    assert sign_test(0, 0) == 1.0


def test_sides_are_counted_over_all_pairs():
    """By hand: A won in s1 2, s3 1, s4 2, s6 1; B in s2 2, s5 1, s6 1."""
    (own,) = preferences(judgements()).criteria
    assert (own.first_won, own.second_won) == (6, 4)


def test_the_interval_of_independent_judgements_is_wilsons():
    """Newcombe (1998), Table I: 81 of 263 has .2553 to .3662."""
    points = np.r_[np.ones(81), np.zeros(182)]
    share, low, high = share_interval(points, list(range(263)), 0.95)
    assert (share, low, high) == pytest.approx((81 / 263, 0.2553, 0.3662), abs=2e-3)


def test_judgements_that_repeat_each_other_within_a_source_count_once():
    points = np.r_[np.ones(12), np.zeros(8)]
    alone = share_interval(points, list(range(20)), 0.95)
    four_times = share_interval(np.repeat(points, 4), np.repeat(np.arange(20), 4).tolist(), 0.95)
    assert four_times == pytest.approx(alone, abs=0.01)


def test_the_interval_never_has_width_zero():
    _, low, high = share_interval(np.ones(30), [n // 3 for n in range(30)], 0.95)
    assert high == pytest.approx(1.0)
    assert low == pytest.approx(1 / (1 + 1.959964**2 / 10), abs=1e-6)  # Wilson's of 10 of 10


def test_the_interval_covers_the_truth_where_sources_differ():
    """A simulation with known truth: 40 sources, five judges, a share that varies by source."""
    draw, inside = np.random.default_rng(3), 0
    for _ in range(300):
        chance = draw.beta(3, 2, 40)
        points = (draw.random((40, 5)) < chance[:, None]).astype(float).ravel()
        _, low, high = share_interval(points, np.repeat(np.arange(40), 5).tolist(), 0.95)
        inside += low <= 0.6 <= high
    assert 0.91 <= inside / 300 <= 0.985


def test_rows_for_models_of_comparisons_have_a_rank_and_a_position():
    rows = comparison_rows(judgements())
    assert len(rows) == 24
    first, second = rows[4:6]  # s2, Ann: y first, and B, the second, won
    assert (first["system"], first["rank"], first["position"]) == ("y", 2, 1)
    assert (second["system"], second["rank"], second["position"]) == ("x", 1, 2)
    tie = [row["rank"] for row in rows if row["set"] == 5]
    assert tie == [1, 1]


def test_a_plain_scale_of_three_answers_will_do():
    plain = judgements(scale=VerbalScale(["A", "tie", "B"]))
    assert preferences(plain).criteria[0].pairs == preferences(judgements()).criteria[0].pairs


@pytest.mark.parametrize(("first", "tie", "second"), [((-2, -1), 0, (1, 2)), ((-3, -1), 0, (2, 3))])
def test_of_graded_preferences_the_sign_is_the_side_and_strength_is_not_counted(first, tie, second):
    """Each answer for A becomes one of two numbers, by turns; the counts are those of the words."""
    strength = cycle((0, 1))
    number = {"A": first, "tie": (tie, tie), "B": second}
    rows = [
        (source, pair, *(number[answer][next(strength)] for answer in answers))
        for source, pair, *answers in JUDGEMENTS
    ]
    graded = judgements(rows, scale="-3-3")
    (own,), (plain,) = preferences(graded).criteria, preferences(judgements()).criteria
    assert own.pairs == plain.pairs
    assert (own.first_won, own.second_won, own.tie) == (plain.first_won, plain.second_won, 0)
    assert any("how strong a preference was is not counted" in str(note) for note in own.notes)
    assert not any("how strong" in str(note) for note in plain.notes)


def test_numbers_around_0_for_one_system_are_ratings():
    rows = [(source, "x", -1, 2) for source in ("s1", "s2", "s3")]
    with pytest.raises(InvalidArgument):
        preferences(judgements(rows, scale="-2-2"))


def test_without_sources_items_are_counted_and_that_is_said():
    (own,) = preferences(judgements(sources=False)).criteria
    assert own.unit == "item"
    assert any("No sources are known" in note for note in own.notes)


@pytest.mark.parametrize("pair", ["x / y / z", "a / b / c / d"])
def test_more_than_two_systems_are_refused(pair):
    with pytest.raises(InvalidArgument, match="two systems"):
        preferences(judgements([("s1", pair, "A", "B")]))


def test_ratings_without_systems_or_without_a_preference_are_refused():
    rows = {"item": [1, 2], "judge": ["Ann", "Ann"], "rating": ["A", "B"]}
    with pytest.raises(InvalidArgument, match="bart / t5"):
        preferences(Ratings(rows, scale=Preference()))
    five = {"item": [1, 2], "judge": ["Ann", "Ann"], "rating": [1, 5], "system": ["x", "y"]}
    with pytest.raises(InvalidArgument, match="do not say which of two"):
        preferences(Ratings(five, scale="1-5"))


def test_systems_and_scales_refuse_a_preference_and_say_what_to_do():
    for scale in (Preference(), VerbalScale(["A", "tie", "B"])):
        with pytest.raises(InvalidArgument, match="covary preferences"):
            systems(judgements(scale=scale))
    with pytest.raises(InvalidArgument, match="covary preferences"):
        compare_scales({"one": judgements(), "two": judgements()}, intervals=False)


def test_a_reliability_report_shows_wins_losses_and_ties_and_no_means_of_systems():
    made = report(judgements(), intervals=False)
    assert made.systems is None
    text = made.markdown()
    assert "Which output do judges prefer?" in text
    assert "The first system of each two against the second" in text


def test_the_report_has_every_form():
    made = preferences_report(judgements())
    assert "x" in made.short()
    assert made.csv().splitlines()[1].startswith(",x,y,5,2,1,0.6875,")
    assert '"wins": 5' in made.json()
    assert "sign test" in made.markdown()
    assert "\\begin{" in made.latex()
    assert "<table" in made.html()
