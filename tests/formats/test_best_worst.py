"""Best-worst scaling from files, in the ways in which people write it; every count is by hand."""

import pytest

from covary import Preference, read, systems
from covary.analysis.preferences import preferences
from covary.errors import InvalidArgument, RatingsError
from covary.reports.preferences import preferences_report
from covary.scales.kinds import BestWorst

ROWS = [  # the set, who chose, what was shown, the best, the worst
    ("d1", "Ann", "w x y z", "w", "z"),
    ("d1", "Bo", "z w y x", "x", "z"),
    ("d2", "Ann", "w x y z", "w", "y"),
    ("d2", "Bo", "x y z w", "w", "z"),
]
SCORES = {"w": (3, 0, 4, 0.75), "x": (1, 0, 4, 0.25), "y": (0, 1, 4, -0.25), "z": (0, 3, 4, -0.75)}
"""By hand: how often each was the best, the worst and shown, and the share less the share."""


def written(tmp_path, head, rows):
    file = tmp_path / "choices.csv"
    file.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return file


def by_name(tmp_path):
    rows = [(s, j, *shown.split(), best, worst) for s, j, shown, best, worst in ROWS]
    return written(tmp_path, "tuple,annotator,item1,item2,item3,item4,best,worst", rows)


def scores(ratings):
    (own,) = preferences(ratings).criteria
    return {one.system: (one.best, one.worst, one.shown, one.score) for one in own.scores}


def test_each_output_that_was_shown_is_best_worst_or_neither(tmp_path):
    ratings = read(by_name(tmp_path))
    assert ratings.scales[None] == BestWorst()
    assert len(ratings) == 16
    assert sorted(ratings.values("system")) == ["w", "x", "y", "z"]
    assert scores(ratings) == {name: pytest.approx(own) for name, own in SCORES.items()}
    assert [one.system for one in preferences(ratings).criteria[0].scores] == ["w", "x", "y", "z"]


@pytest.mark.parametrize(
    "place",
    [str, lambda n: "abcd"[n - 1].upper(), lambda n: f"Item {n}"],
    ids=["number", "letter", "column"],
)
def test_the_best_and_the_worst_may_be_named_by_their_place(tmp_path, place):
    rows = []
    for name, judge, shown, best, worst in ROWS:
        outputs = shown.split()
        rows.append(
            (name, judge, *outputs, *(place(outputs.index(one) + 1) for one in (best, worst)))
        )
    head = "set,rater,Item 1,Item 2,Item 3,Item 4,Best one,Worst one"
    assert scores(read(written(tmp_path, head, rows))) == {
        name: pytest.approx(own) for name, own in SCORES.items()
    }


def test_without_judges_and_sets_the_outputs_name_the_set(tmp_path):
    """The file of Kiritchenko & Mohammad (2017): Item1 to Item4, BestItem, WorstItem."""
    rows = [("w", "x", "y", "z", "w", "z"), ("w", "x", "y", "v", "x", "v"), *[tuple("zywxyx")]]
    ratings = read(written(tmp_path, "Item1,Item2,Item3,Item4,BestItem,WorstItem", rows))
    assert ratings.slots
    assert sorted(ratings.values("source")) == ["v + w + x + y", "w + x + y + z"]
    (own,) = preferences(ratings).criteria
    assert own.n_judges == 0
    assert {one.system: (one.best, one.worst, one.shown) for one in own.scores} == {
        "w": (1, 0, 3), "x": (1, 1, 3), "y": (1, 0, 3), "z": (0, 1, 2), "v": (0, 1, 1),
    }  # fmt: skip


@pytest.mark.parametrize("more", ["", ",7"], ids=["", "with a source"])
def test_a_set_that_comes_up_twice_for_a_judge_counts_twice(tmp_path, more):
    """By hand: Ann sees w x y z twice, w best both times; Bo sees it once and v x y z once."""
    rows = [
        ("Ann", "w", "x", "y", "z", "w", "z"),
        ("Ann", "z", "y", "x", "w", "w", "y"),
        ("Bo", "w", "x", "y", "z", "x", "z"),
        ("Bo", "v", "x", "y", "z", "v", "z"),
    ]
    head = "annotator,item1,item2,item3,item4,best,worst" + (more and ",tuple,source")
    rows = [(*row, n, "s7") if more else row for n, row in enumerate(rows)]
    ratings = read(written(tmp_path, head, rows))
    assert len(ratings) == 16
    counts = {name: own[:3] for name, own in scores(ratings).items()}
    assert counts == {
        "w": (2, 0, 3), "x": (1, 0, 4), "y": (0, 1, 4), "z": (0, 3, 4), "v": (1, 0, 1),
    }  # fmt: skip


@pytest.mark.parametrize("day", ["", ",1"], ids=["", "with an occasion"])
def test_a_set_that_comes_up_again_is_of_the_same_source(tmp_path, day):
    """By hand: w wins s1 twice with Ann and once with Bo, x wins s2: 3 to 1 in 1 and 1 sources."""
    rows = [
        ("Ann", "s1", "w", "x", "y", "w", "y"),
        ("Ann", "s1", "y", "x", "w", "w", "y"),
        ("Bo", "s1", "w", "x", "y", "w", "y"),
        ("Bo", "s2", "w", "x", "y", "x", "y"),
    ]
    head = "judge,source,item1,item2,item3,best,worst" + (day and ",occasion")
    rows = [(*row, 1) if day else row for row in rows]
    ratings = read(written(tmp_path, head, rows))
    assert sorted(ratings.values("source")) == ["s1", "s2"]
    (own,) = preferences(ratings).criteria
    (pair,) = (one for one in own.pairs if (one.first, one.second) == ("w", "x"))
    assert (pair.wins, pair.losses, pair.n_clusters) == (3, 1, 2)
    assert (pair.for_first, pair.for_second) == (1, 1)


def test_one_set_given_twice_by_its_number_is_refused(tmp_path):
    rows = [("d1", "Ann", "w", "x", "y", "w", "y"), ("d1", "Ann", "w", "x", "y", "x", "y")]
    with pytest.raises(RatingsError, match="more than once"):
        read(written(tmp_path, "tuple,annotator,item1,item2,item3,best,worst", rows))


def test_where_all_rows_show_the_same_each_counts_as_a_source(tmp_path):
    rows = [("w", "x", "y", "w", "y"), ("y", "x", "w", "w", "x")]
    ratings = read(written(tmp_path, "Item1,Item2,Item3,Best,Worst", rows))
    assert sorted(ratings.values("source")) == [1, 2]
    assert any("each row counts as a source of its own" in note for note in ratings.notes)


def test_who_chooses_says_nothing_of_the_order_of_the_others(tmp_path):
    """Of w and x: Ann w, w; Bo x, w. Of x and y: d1 Bo x; d2 Ann x; the other two say nothing."""
    (own,) = preferences(read(by_name(tmp_path))).criteria
    pairs = {(one.first, one.second): (one.wins, one.ties, one.losses) for one in own.pairs}
    assert pairs[("w", "x")] == (3, 0, 1)
    assert pairs[("x", "y")] == (2, 0, 0)
    assert own.n_judgements == 4 * 5  # of the six pairs of four, each choice tells five
    assert not own.sides_known


def test_a_table_of_best_and_worst_outputs_alone_has_no_scores(tmp_path):
    rows = [("d1", "Ann", "best", "w"), ("d1", "Ann", "worst", "z"),
            ("d1", "Bo", "Best", "w"), ("d1", "Bo", "worst", "x")]  # fmt: skip
    ratings = read(written(tmp_path, "document,judge,choice,system", rows))
    (own,) = preferences(ratings).criteria
    pairs = {(one.first, one.second): (one.wins, one.losses) for one in own.pairs}
    assert pairs == {("w", "z"): (1, 0), ("w", "x"): (1, 0)}
    assert own.scores == ()


def test_rows_without_a_choice_are_left_out_and_said(tmp_path):
    rows = [*[tuple("wxywy")], ("w", "x", "y", "w", "")]
    ratings = read(written(tmp_path, "Item1,Item2,Item3,Best,Worst", rows))
    assert len(ratings) == 3
    assert any("were left out: 1." in note for note in ratings.notes)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("wxyqy", "row 3: 'Best' names 'q', which is not among what was shown: 'w', 'x', 'y'"),
        ("wxyww", "row 3: the best and the worst must be two different ones"),
        ("wwyyw", "row 3: the best and the worst must be two different ones"),
    ],
)
def test_a_choice_that_cannot_be_is_refused_with_its_row(tmp_path, row, said):
    file = written(tmp_path, "Item1,Item2,Item3,Best,Worst", [tuple("wxywy"), tuple(row)])
    with pytest.raises(RatingsError, match=r"choices\.csv") as caught:
        read(file)
    assert said in " ".join(str(caught.value).split())


def test_choices_beside_others_are_no_ratings_of_systems(tmp_path):
    with pytest.raises(InvalidArgument, match="what one gains another"):
        systems(read(by_name(tmp_path)))


def test_columns_of_judges_with_a_best_and_a_worst_are_no_choices(tmp_path):
    """Two columns that were shown are a preference, and a rating called best is a rating."""
    file = written(tmp_path, "item,judge,best", [(1, "Ann", 3), (1, "Bo", 4), (2, "Ann", 2)])
    assert len(read(file, rating="best")) == 3


def test_ranks_have_their_best_at_one(tmp_path):
    rows = [
        (d, j, s, n) for d in ("d1", "d2") for j in ("Ann", "Bo") for n, s in enumerate("xyz", 1)
    ]
    file = written(tmp_path, "document,judge,system,rank", rows)
    ratings = read(file)
    assert ratings.scales[None].best == "low"
    assert any("ranks from 1, the best, to 3" in note for note in ratings.notes)
    (own,) = preferences(ratings).criteria
    pairs = {(one.first, one.second): (one.wins, one.losses) for one in own.pairs}
    assert pairs == {("x", "y"): (4, 0), ("x", "z"): (4, 0), ("y", "z"): (4, 0)}
    assert own.ranked == 0
    declared = preferences(read(file, scale="1-3")).criteria[0]
    assert declared.pairs[0].wins == 0
    assert declared.ranked == 3
    assert any("(--scale 1-3 --best low)" in note for note in declared.notes)


GRADED = ["A is much better", "A is slightly better", "tie", "B is slightly better", "B>>A"]


@pytest.mark.parametrize(
    "answers",
    [GRADED[:4], ["A>>B", "A>B", "A=B", "B>A"], ["[[A>>B]]", "[[A>B]]", "[[A=B]]", "[[B>A]]"]],
)
def test_how_much_better_one_is_is_read_as_which(tmp_path, answers):
    rows = [(f"d{n}", "Ann", "x", "y", answer) for n, answer in enumerate(answers)]
    file = written(tmp_path, "document,judge,model_a,model_b,preference", rows)
    ratings = read(file)
    assert ratings.scales[None] == Preference("A", "B", tie="tie")
    assert any("how much better one is was not counted" in note for note in ratings.notes)
    (pair,) = preferences(ratings).criteria[0].pairs
    assert (pair.wins, pair.ties, pair.losses) == (2, 1, 1)


def test_a_report_of_choices_has_the_scores_and_calls_pairs_comparisons(tmp_path):
    made = preferences_report(read(by_name(tmp_path)))
    assert "| w | 3 | 0 | 4 | .75 " in made.markdown()
    assert "20 comparisons" in made.markdown()
    assert "judgement" not in made.markdown()
    assert "preference: 20 comparisons of 2 sources by 2 judges" in made.short()
