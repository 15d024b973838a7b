"""The one table: whatever comes in, what is refused, and what can be chosen from it."""

import datetime
import decimal

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import covary
from covary import InvalidArgument, Level, Ratings, RatingsError, VerbalScale, VisualScale, YesNo
from covary.ratings import COLUMNS
from covary.ratings.frames import fetch
from tests.ratings.frames import ENGINES

SIX = {
    "item": ["q1", "q1", "q2", "q2", "q3", "q3"],
    "judge": ["Ann", "Bo", "Ann", "Bo", "Ann", "Bo"],
    "rating": [1, 2, 3, 3, 2, 1],
}


@pytest.fixture(params=ENGINES)
def engine(request):
    return ENGINES[request.param]


THREE = VerbalScale([1, 2, 3], level="interval")
WORDS = VerbalScale(["bad", "fair", "good"], level="interval")


def with_columns(**columns):
    return SIX | columns


def value(ratings, **options):
    return covary.krippendorff_alpha(ratings, interval=None, **options).value


# By hand: five disagreements of size 1 (2 items) and none elsewhere, ratings 1 1 2 2 3 3.
# Do = 2 (1 + 1) = 4; De = sum of all squared differences / (n - 1) = (2·4·(1 + 1 + 4)) / 5.
ALPHA = 1 - 4 / (48 / 5)


# Coming in


def test_every_engine_comes_in_as_it_is(engine):
    ratings = Ratings(engine(SIX), level="interval")
    assert (ratings.n_items, ratings.n_judges, ratings.n_ratings) == (3, 2, 6)
    assert ratings.judges == ("Ann", "Bo")
    assert value(ratings) == pytest.approx(ALPHA)
    assert repr(ratings) == "Ratings(6 ratings of 3 items by 2 judges)"
    assert len(ratings) == 6


def test_columns_of_other_names_are_named(engine):
    other = {"qid": SIX["item"], "who": SIX["judge"], "score": SIX["rating"]}
    ratings = Ratings(engine(other), item="qid", judge="who", rating="score", level="interval")
    assert value(ratings) == pytest.approx(ALPHA)
    assert ratings.columns == ("item", "judge", "rating")


def test_columns_of_covarys_names_are_found_by_themselves(engine):
    frame = with_columns(system=["a", "a", "b", "b", "b", "b"], colour=["x"] * 6)
    ratings = Ratings(engine(frame), level="interval")
    assert "system" in ratings.columns
    assert "colour" not in ratings.columns
    assert set(ratings.columns) <= set(COLUMNS)


def test_a_column_may_be_named_like_another_role(engine):
    """A column called system that holds the items is not also the system."""
    frame = {"system": SIX["item"], "judge": SIX["judge"], "rating": SIX["rating"]}
    ratings = Ratings(engine(frame), item="system", level="interval")
    assert ratings.columns == ("item", "judge", "rating")


def test_missing_ratings_are_no_category(engine):
    frame = SIX | {"rating": [1, 2, 3, None, 2, 1]}
    ratings = Ratings(engine(frame), level="interval")
    assert (ratings.n_items, ratings.n_ratings) == (3, 5)
    assert ratings.scale().categories == (1, 2, 3)


@pytest.mark.parametrize("kind", ["dict", "pandas", "polars", "pyarrow", "duckdb"])
def test_nan_and_null_are_the_same_missing_rating(kind):
    nan = SIX | {"rating": [1.0, 2.0, 3.0, float("nan"), 2.0, 1.0]}
    null = SIX | {"rating": [1.0, 2.0, 3.0, None, 2.0, 1.0]}
    first, second = (Ratings(ENGINES[kind](each), level="interval") for each in (nan, null))
    assert first.n_ratings == second.n_ratings == 5
    assert first.scale() == second.scale()
    assert value(first) == pytest.approx(value(second))


def test_whole_numbers_stored_as_floats_are_the_same_categories(engine):
    frame = SIX | {"rating": [float(r) for r in SIX["rating"]]}
    ratings = Ratings(engine(frame), scale=THREE)
    assert value(ratings) == pytest.approx(ALPHA)


def test_words_are_ratings(engine):
    frame = SIX | {"rating": ["good", "fair", "bad", "bad", "fair", "good"]}
    ratings = Ratings(engine(frame), scale=WORDS)
    assert value(ratings) == pytest.approx(ALPHA)
    assert Ratings(engine(frame)).scale().level is Level.NOMINAL


def test_yes_and_no_are_ratings(engine):
    frame = SIX | {"rating": [True, False, True, True, False, False]}
    ratings = Ratings(engine(frame), scale=YesNo())
    assert covary.percent_agreement(ratings, interval=None).value == pytest.approx(2 / 3)


def test_whole_number_names_of_items_and_judges_are_kept(engine):
    frame = SIX | {"item": [7, 7, 8, 8, 9, 9], "judge": [2, 10, 2, 10, 2, 10]}
    ratings = Ratings(engine(frame), level="interval")
    assert ratings.judges == (2, 10)
    assert value(ratings, judges=[2, 10]) == pytest.approx(ALPHA)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_categorical_columns_are_words(kind):
    words = ["good", "fair", "bad", "bad", "fair", "good"]
    frames = {
        "pandas": lambda: pandas.DataFrame(SIX | {"rating": words}).astype("category"),
        "polars": lambda: polars.DataFrame(SIX | {"rating": words}).cast(polars.Categorical),
        "pyarrow": lambda: pyarrow.table(
            {
                name: pyarrow.array(column).dictionary_encode()
                for name, column in (SIX | {"rating": words}).items()
            }
        ),
    }
    ratings = Ratings(frames[kind](), scale=WORDS)
    assert ratings.judges == ("Ann", "Bo")
    assert value(ratings) == pytest.approx(ALPHA)


@pytest.mark.parametrize("kind", ["polars", "pyarrow", "duckdb"])
def test_decimals_are_numbers(kind):
    frame = SIX | {"rating": [decimal.Decimal(str(r)) for r in SIX["rating"]]}
    ratings = Ratings(ENGINES[kind](frame), scale=THREE)
    assert value(ratings) == pytest.approx(ALPHA)


def test_pandas_nullable_numbers_keep_their_gaps():
    frame = pandas.DataFrame(SIX).assign(rating=pandas.array([1, 2, 3, None, 2, 1], dtype="Int64"))
    assert Ratings(frame, scale="1-3").n_ratings == 5


def test_plain_columns_may_be_arrays():
    frame = {name: np.array(column) for name, column in SIX.items()}
    assert value(Ratings(frame, level="interval")) == pytest.approx(ALPHA)


def test_names_in_any_script_and_with_markup_are_only_names(engine):
    judges = ["Åsa", "<b>Bo</b>"] * 3
    items = ["質問一"] * 2 + ["q'2\";--"] * 2 + ["ق٣"] * 2
    ratings = Ratings(engine(SIX | {"item": items, "judge": judges}), level="interval")
    assert set(ratings.judges) == {"Åsa", "<b>Bo</b>"}
    assert value(ratings) == pytest.approx(ALPHA)
    assert value(ratings, judges=["Åsa", "<b>Bo</b>"]) == pytest.approx(ALPHA)
    found = covary.pearson(ratings, interval=None)
    assert "<b>" not in found._repr_html_()


def test_columns_in_any_script_are_found(engine):
    frame = {"élément": SIX["item"], "juge": SIX["judge"], "cote": SIX["rating"]}
    ratings = Ratings(engine(frame), item="élément", judge="juge", rating="cote", level="interval")
    assert value(ratings) == pytest.approx(ALPHA)


def test_one_judge_can_be_held():
    ratings = Ratings({"item": [1, 2], "judge": ["Ann", "Ann"], "rating": [1, 2]})
    assert repr(ratings) == "Ratings(2 ratings of 2 items by 1 judge)"
    with pytest.warns(covary.UndefinedWarning, match=r"only one judge \(Ann\)"):
        covary.krippendorff_alpha(ratings)


def test_the_frame_that_came_in_is_left_as_it_was(engine):
    frame = engine(SIX)
    before = str(frame)
    value(Ratings(frame, level="interval"))
    assert str(frame) == before


# Refused, with rows and the way out


def test_a_misspelt_column_gets_a_suggestion(engine):
    with pytest.raises(InvalidArgument, match=r"judge column 'juge'.*did you mean 'judge'"):
        Ratings(engine(SIX), judge="juge")


def test_a_missing_column_is_asked_for(engine):
    frame = {"item": SIX["item"], "who": SIX["judge"], "rating": SIX["rating"]}
    with pytest.raises(InvalidArgument, match=r"judge.*not in the data.*'who'.*judge='…'"):
        Ratings(engine(frame))


def test_one_column_cannot_have_two_roles(engine):
    with pytest.raises(InvalidArgument, match=r"'item' is given twice, as item and as cluster"):
        Ratings(engine(SIX), cluster="item")


def test_a_header_without_rows_is_refused():
    for frame in (
        {"item": [], "judge": [], "rating": []},
        polars.DataFrame(schema={"item": str, "judge": str, "rating": int}),
        pandas.DataFrame({"item": [], "judge": [], "rating": []}),
        pyarrow.table({"item": [], "judge": [], "rating": []}),
    ):
        with pytest.raises(RatingsError, match="no ratings"):
            Ratings(frame)


def test_no_columns_at_all_are_refused():
    with pytest.raises(InvalidArgument, match="no columns"):
        Ratings({})


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(InvalidArgument, match="different lengths"):
        Ratings(SIX | {"rating": [1, 2]})


@pytest.mark.parametrize("thing", [42, "ratings.csv", [[1, 2], [3, 4]], None], ids=repr)
def test_what_is_no_frame_is_refused_with_the_right_doors(thing):
    with pytest.raises(InvalidArgument, match=r"from_wide.*covary\.read"):
        Ratings(thing)


def test_a_column_that_is_no_list_is_refused():
    with pytest.raises(InvalidArgument, match="column 'judge' is a str"):
        Ratings(SIX | {"judge": "Ann"})


def test_two_ratings_by_one_judge_of_one_item_are_named(engine):
    frame = {name: [*column, column[0]] for name, column in SIX.items()}
    with pytest.raises(
        RatingsError, match=r"item 'q1', judge 'Ann' \(2 times\).*repeats='occasions'"
    ):
        Ratings(engine(frame))


def test_columns_whose_items_are_zero_and_minus_zero_name_one_item():
    frame = {"item": [0.0, -0.0, 1.0], "judge": ["Ann", "Ann", "Bo"], "rating": [1, 2, 3]}
    with pytest.raises(RatingsError, match="more than once"):
        Ratings(frame)


def test_a_rating_and_a_gap_by_one_judge_of_one_item_are_a_duplicate_too(engine):
    frame = {name: [*column, column[0]] for name, column in SIX.items()}
    frame["rating"][-1] = None
    with pytest.raises(RatingsError, match="more than once"):
        Ratings(engine(frame))


def test_repeats_become_occasions_when_the_caller_says_so(engine):
    frame = {name: column * 2 for name, column in SIX.items()}
    frame["rating"] = [1, 2, 3, 3, 2, 1, 3, 3, 3, 3, 1, 1]
    ratings = Ratings(engine(frame), repeats="occasions", level="interval")
    assert ratings.values("occasion") == (1, 2)
    assert value(ratings.select(occasion=1)) == pytest.approx(ALPHA)
    assert value(ratings.select(occasion=2)) == 1.0
    with pytest.raises(InvalidArgument, match=r"several values of occasion.*occasion=1"):
        value(ratings)


def test_an_occasion_column_tells_repeats_apart(engine):
    frame = {name: column * 2 for name, column in SIX.items()}
    frame["occasion"] = ["test"] * 6 + ["retest"] * 6
    ratings = Ratings(engine(frame), level="interval")
    assert ratings.values("occasion") == ("retest", "test")
    assert value(ratings.select(occasion="test")) == pytest.approx(ALPHA)


def test_ratings_outside_the_scale_are_listed_with_their_rows(engine):
    frame = SIX | {"rating": [1, 2, 7, 3, 2, 9]}
    with pytest.raises(RatingsError) as caught:
        Ratings(engine(frame), scale="1-3")
    said = str(caught.value)
    assert "row 3: item 'q2', judge 'Ann', rating 7" in said
    assert "row 6: item 'q3', judge 'Bo', rating 9" in said
    assert "mark them as missing" in said


def test_many_ratings_outside_the_scale_are_counted(engine):
    frame = {"item": list(range(50)), "judge": ["Ann"] * 50, "rating": [9] * 50}
    with pytest.raises(RatingsError, match=r"row 1: .* and 45 more"):
        Ratings(engine(frame), scale="1-3")


def test_ratings_outside_a_line_are_refused(engine):
    with pytest.raises(RatingsError, match=r"any number from 0 to 2\): row 3: "):
        Ratings(engine(SIX), scale=VisualScale(0, 2))


@pytest.mark.parametrize("kind", ["dict", "pandas", "polars"])
def test_an_infinite_rating_is_refused(kind):
    frame = SIX | {"rating": [1.0, 2.0, float("inf"), 3.0, 2.0, 1.0]}
    with pytest.raises(RatingsError, match="inf"):
        Ratings(ENGINES[kind](frame), level="interval")


def test_words_on_a_scale_of_numbers_are_refused(engine):
    frame = SIX | {"rating": ["good", "fair", "bad", "bad", "fair", "good"]}
    with pytest.raises(RatingsError, match=r"are words .'bad', 'fair', 'good'"):
        Ratings(engine(frame), scale="1-3")


def test_numbers_on_a_scale_of_words_are_refused(engine):
    with pytest.raises(RatingsError, match=r"are numbers .1.* has words"):
        Ratings(engine(SIX), scale="good,fair,bad")


def test_words_cannot_be_at_interval_level(engine):
    frame = SIX | {"rating": ["a", "b", "c", "c", "b", "a"]}
    with pytest.raises(InvalidArgument, match="needs numbers"):
        Ratings(engine(frame), level="interval")


@pytest.mark.parametrize("column", ["item", "judge"])
def test_a_row_without_item_or_judge_is_named(engine, column):
    names = [*SIX[column][:4], None, SIX[column][5]]
    with pytest.raises(RatingsError, match=r"row 5: .*Fill them in, or remove"):
        Ratings(engine(SIX | {column: names}), level="interval")


def test_a_column_that_mixes_numbers_and_words_is_refused():
    mixed = [1, "two", 3, 3, 2, 1]
    for frame in (SIX | {"rating": mixed}, pandas.DataFrame(SIX | {"rating": mixed})):
        with pytest.raises(InvalidArgument, match="mixes"):
            Ratings(frame)


@pytest.mark.parametrize("kind", ["dict", "pandas"])
def test_nan_among_words_is_a_missing_rating(kind):
    frame = SIX | {"rating": ["good", "bad", float("nan"), "good", None, "bad"]}
    ratings = Ratings(ENGINES[kind](frame))
    assert ratings.n_ratings == 4
    assert ratings.scale().categories == ("bad", "good")


def test_numbers_written_as_words_are_words(engine):
    """Nobody guesses that "1" means 1: a scale of numbers refuses it, and says why."""
    frame = SIX | {"rating": [str(r) for r in SIX["rating"]]}
    assert Ratings(engine(frame)).scale().level is Level.NOMINAL
    with pytest.raises(RatingsError, match="Convert the ratings"):
        Ratings(engine(frame), scale="1-3")


def test_dates_are_no_ratings():
    frame = SIX | {"rating": [datetime.date(2026, 1, day) for day in SIX["rating"]]}
    with pytest.raises((InvalidArgument, RatingsError)):
        Ratings(polars.DataFrame(frame), scale="1-3")


@pytest.mark.parametrize(
    ("wrong", "advice"),
    [
        ({"judges": "people"}, r"judges='people'.*'named', 'slots'"),
        ({"repeats": "mean"}, r"repeats='mean'.*'error', 'occasions'"),
        ({"judge": None}, r"judge=None is only possible with judges='slots'"),
        ({"scale": "five"}, r"scale='five' is not understood"),
        ({"level": "metric"}, r"level='metric' is not a level"),
        ({"scale": {"fluency": "1-5"}}, r"names the criterion 'fluency'.*no criterion column"),
    ],
    ids=lambda each: str(each) if isinstance(each, dict) else "",
)
def test_a_wrong_argument_is_refused_with_advice(wrong, advice):
    with pytest.raises(InvalidArgument, match=advice):
        Ratings(SIX, **wrong)


def test_faulty_ratings_can_be_set_aside_and_are_listed(engine):
    """The first of two ratings counts, and a rating off the scale counts as missing."""
    frame = {name: [*column, column[0]] for name, column in SIX.items()}
    frame["rating"] = [1, 2, 3, 3, 2, 9, 3]
    ratings = Ratings(engine(frame), scale=THREE, faulty="set-aside")
    assert ratings.n_ratings == 5
    assert {(fault.kind, fault.count) for fault in ratings.faults} == {
        ("duplicate", 1),
        ("off-scale", 1),
    }
    kept = SIX | {"rating": [1, 2, 3, 3, 2, None]}
    assert value(ratings) == pytest.approx(value(Ratings(engine(kept), scale=THREE)))


def test_rows_are_counted_as_in_the_data_also_where_duplicates_are_set_aside(engine):
    """A window over the judge and the item must not change the order of the rows."""
    items = [f"t{n}" for n in range(40)]
    frame = {
        "item": [*items, *reversed(items), *items],
        "judge": ["Zoe"] * 40 + ["Ann"] * 40 + ["Zoe"] * 40,
        "rating": [*[1] * 39, 9, *[2] * 79, 2],
    }
    ratings = Ratings(engine(frame), scale=THREE, faulty="set-aside")
    [off] = [fault for fault in ratings.faults if fault.kind == "off-scale"]
    assert off.examples[0] | {"row": 40} == {"row": 40, "item": "t39", "judge": "Zoe", "rating": 9}
    assert off.examples[0].get("row", 40) == 40
    kept = [row["judge"] for row in ratings.rows()]
    assert kept == ["Zoe"] * 39 + ["Ann"] * 40


def test_sound_ratings_have_no_faults(engine):
    assert not Ratings(engine(SIX), scale=THREE, faulty="set-aside").faults


# Slots


def test_ratings_by_nobody_knows_whom_are_numbered_by_item(engine):
    frame = {"item": SIX["item"], "rating": SIX["rating"]}
    ratings = Ratings(engine(frame), judge=None, judges="slots", level="interval")
    assert ratings.judges == (1, 2)
    assert ratings.slots
    assert value(ratings) == pytest.approx(ALPHA)
    assert "judge" not in repr(ratings)


NEED_NAMES = ["cohen_kappa", "conger_kappa", "light_kappa", "goodman_kruskal_gamma",
              "kendall_tau_b", "spearman", "pearson", "kendall_w", "icc",
              "cronbach_alpha"]  # fmt: skip


@pytest.mark.parametrize("name", NEED_NAMES)
def test_what_follows_a_judge_refuses_slots_and_says_what_to_use(name):
    nominal = name.endswith("kappa")
    scale = VerbalScale([1, 2, 3], level="nominal" if nominal else "interval")
    ratings = Ratings(SIX, judges="slots", scale=scale)
    with pytest.raises(InvalidArgument, match=r"slots.*krippendorff_alpha"):
        getattr(covary, name)(ratings)


@pytest.mark.parametrize(
    "name", ["percent_agreement", "fleiss_kappa", "gwet_ac1", "scott_pi", "krippendorff_alpha"]
)
def test_what_does_not_follow_a_judge_takes_slots(name):
    ratings = Ratings(SIX, judges="slots", scale=VerbalScale([1, 2, 3], level="nominal"))
    assert getattr(covary, name)(ratings, interval=None).defined


# Several criteria


TWO_CRITERIA = {
    "item": SIX["item"] * 2,
    "judge": SIX["judge"] * 2,
    "rating": [*SIX["rating"], 5, 5, 4, 4, 1, 1],
    "criterion": ["fluency"] * 6 + ["relevance"] * 6,
}


def test_each_criterion_has_its_own_scale(engine):
    scales = {"fluency": THREE, "relevance": VerbalScale(range(1, 6), level="interval")}
    ratings = Ratings(engine(TWO_CRITERIA), scale=scales)
    assert ratings.criteria == ("fluency", "relevance")
    assert ratings.scale("fluency").categories == (1, 2, 3)
    assert value(ratings, criterion="fluency") == pytest.approx(ALPHA)
    assert value(ratings, criterion="relevance") == 1.0
    assert ratings.n_items == 3
    assert repr(ratings) == ("Ratings(12 ratings of 3 items by 2 judges on 'fluency', 'relevance')")


def test_observed_scales_are_per_criterion(engine):
    ratings = Ratings(engine(TWO_CRITERIA), level={"fluency": "ordinal", "relevance": "interval"})
    assert ratings.scale("fluency").categories == (1, 2, 3)
    assert ratings.scale("relevance").categories == (1, 4, 5)
    assert [str(ratings.scale(c).level) for c in ratings.criteria] == ["ordinal", "interval"]


def test_a_rating_outside_the_scale_of_its_criterion_is_refused(engine):
    with pytest.raises(RatingsError, match=r"scale for 'relevance'.*row 7: .*rating 5"):
        Ratings(engine(TWO_CRITERIA), scale={"fluency": "1-3", "relevance": "1-3"})


def test_a_criterion_must_be_chosen_where_there_are_several(engine):
    ratings = Ratings(engine(TWO_CRITERIA), scale="1-5")
    with pytest.raises(InvalidArgument, match=r"must be one of them.*'fluency', 'relevance'"):
        covary.krippendorff_alpha(ratings)
    with pytest.raises(InvalidArgument, match=r"criterion='style' is not among the criteria"):
        covary.krippendorff_alpha(ratings, criterion="style")


def test_a_scale_for_an_unknown_criterion_is_refused(engine):
    with pytest.raises(InvalidArgument, match=r"'style', but the ratings have 'fluency'"):
        Ratings(engine(TWO_CRITERIA), scale={"style": "1-5"})


@pytest.mark.parametrize("places", ["half points", "whole points"])
def test_steps_of_half_a_point_are_a_scale(engine, places):
    half = {"half points": [1.0, 1.5, 2.0, 2.0, 1.5, 1.0], "whole points": [1, 2, 2, 2, 1, 1]}[
        places
    ]
    scale = VerbalScale([1, 1.5, 2], level="interval")
    assert Ratings(engine(SIX | {"rating": half}), scale=scale).n_ratings == 6


@pytest.mark.parametrize("column", ["criterion", "occasion", "round", "cluster"])
def test_a_row_that_leaves_out_what_others_say_is_named(engine, column):
    """Rows without a cluster are not one cluster, and rows without an occasion not one occasion."""
    frame = SIX | {column: ["a", "a", "a", "a", None, "a"]}
    with pytest.raises(RatingsError, match=rf"which {column}: row 5: item 'q3'.*Fill them in"):
        Ratings(engine(frame), scale="1-5")


def test_a_criterion_without_any_rating_is_still_a_criterion(engine):
    """Its ratings are all missing: undefined, and not an unknown criterion."""
    frame = TWO_CRITERIA | {"rating": [*SIX["rating"], *[None] * 6]}
    ratings = Ratings(engine(frame), scale="1-5")
    assert ratings.criteria == ("fluency", "relevance")
    with pytest.warns(covary.UndefinedWarning):
        assert np.isnan(value(ratings, criterion="relevance"))


# Choosing


EVERYTHING = TWO_CRITERIA | {
    "system": ["x", "x", "x", "x", "y", "y"] * 2,
    "source": ["s1", "s1", "s2", "s2", "s1", "s1"] * 2,
    "group": ["native", "crowd"] * 6,
    "occasion": [1] * 12,
    "round": [1] * 6 + [2] * 6,
    "manual": ["v1"] * 6 + ["v2"] * 6,
    "cluster": ["d1", "d1", "d1", "d1", "d2", "d2"] * 2,
    "order": list(range(12)),
    "seconds": [1.5] * 12,
}

CHOICES = {
    "criterion": ("fluency", 6),
    "item": (["q1", "q2"], 8),
    "judge": ("Ann", 6),
    "system": ("y", 4),
    "source": ("s2", 4),
    "group": (["native"], 6),
    "occasion": (1, 12),
    "round": (2, 6),
    "manual": ("v2", 6),
    "cluster": ("d1", 8),
    "order": ([0, 1, 2], 3),
    "rating": ([1, 2], 6),
}


@pytest.mark.parametrize("column", CHOICES)
def test_ratings_are_chosen_by_column(engine, column):
    wanted, left = CHOICES[column]
    ratings = Ratings(engine(EVERYTHING), scale="1-5")
    chosen = ratings.select(**{column: wanted})
    assert isinstance(chosen, Ratings)
    assert chosen.n_ratings == left
    assert ratings.n_ratings == 12


def test_choices_add_up(engine):
    scales = {"fluency": THREE, "relevance": "1-5"}
    chosen = Ratings(engine(EVERYTHING), scale=scales).select(
        criterion="fluency", system=["x", "y"], judge=["Ann", "Bo"]
    )
    assert chosen.criteria == ("fluency",)
    assert value(chosen) == pytest.approx(ALPHA)
    assert chosen.select(judge="Ann").judges == ("Ann",)


def test_choosing_nothing_keeps_everything(engine):
    assert Ratings(engine(EVERYTHING), scale="1-5").select().n_ratings == 12


@pytest.mark.parametrize(
    ("wanted", "advice"),
    [
        ({"judge": "Zoe"}, r"no rating has judge='Zoe'; there are 'Ann', 'Bo'"),
        ({"judge": ["Ann", "Zoe"]}, r"judge='Zoe'"),
        ({"criterion": "style"}, r"criterion='style'"),
        ({"colour": "red"}, r"have no 'colour', only"),
    ],
    ids=str,
)
def test_choosing_what_is_not_there_is_refused(engine, wanted, advice):
    with pytest.raises(InvalidArgument, match=advice):
        Ratings(engine(EVERYTHING), scale="1-5").select(**wanted)


def test_chosen_ratings_keep_the_whole_scale(engine):
    """AC1 counts the categories that are possible, not those that are left."""
    ratings = Ratings(engine(SIX), scale="1-3").select(item=["q1", "q3"])
    assert ratings.scale().categories == (1, 2, 3)


def test_the_level_is_guessed_and_said_to_be(engine):
    with pytest.warns(covary.SuitabilityWarning):
        found = covary.fleiss_kappa(Ratings(engine(SIX)), interval=None)
    assert found.level is Level.ORDINAL
    assert any("guessed" in note for note in found.notes)


def test_coefficients_that_count_categories_refuse_undeclared_ones(engine):
    ratings = Ratings(engine(SIX), level="nominal")
    for name in ("gwet_ac1", "brennan_prediger"):
        with pytest.raises(InvalidArgument, match=r"declare them.*scale='1-5'"):
            getattr(covary, name)(ratings)


def test_items_in_two_clusters_are_refused(engine):
    frame = SIX | {"cluster": ["a", "b", "a", "a", "b", "b"]}
    with pytest.raises(RatingsError, match=r"'q1' lie in more than one cluster"):
        value(Ratings(engine(frame), level="interval"))


def test_a_level_applies_to_a_scale_in_short_form_and_must_fit_any_other():
    columns = {
        "item": ["a", "a", "a", "a"], "judge": ["A", "B", "A", "B"], "rating": [1, 2, 3, 4],
        "criterion": ["kind", "kind", "rank", "rank"],
    }  # fmt: skip
    made = Ratings(columns, scale="1-4", level={"kind": "nominal"})
    assert [str(made.scales[name].level) for name in ("kind", "rank")] == ["nominal", "ordinal"]
    wide = Ratings.from_wide([[1, 2], [2, 2]], scale="1-4", level="nominal")
    assert wide.scales[None].level is Level.NOMINAL
    with pytest.raises(InvalidArgument, match="level='nominal' does not fit the scale"):
        Ratings(columns, scale=VerbalScale([1, 2, 3, 4]), level="nominal")


RETEST = {
    "item": ["a", "a", "b", "b", "c"],
    "judge": ["Ann", "Ann", "Ann", "Ann", "Ann"],
    "rating": [1, 2, 3, None, 2],
    "occasion": ["retest", "test", "retest", "test", "retest"],
}
"""By hand: of a the test counts, of b only the retest was answered, of c there is no test."""


def test_each_judges_first_rating_of_an_item_counts(engine):
    ratings = Ratings(engine(RETEST), scale=THREE)
    first = ratings.first_occasion()
    assert (first.n_ratings, first.n_items) == (3, 3)
    assert "occasion" not in first.columns
    values = fetch(first.frame.select("item", "rating"))
    assert dict(zip(values["item"].tolist(), values["rating"].tolist(), strict=True)) == {
        "a": 2, "b": 3, "c": 2
    }  # fmt: skip
    (note,) = first.notes
    assert (note.facts["later"], list(note.facts["occasions"])) == (1, ["test", "retest"])


def test_ratings_of_one_occasion_are_returned_as_they_are():
    ratings = Ratings({**RETEST, "occasion": [1] * 5, "item": list("abcde")}, scale=THREE)
    assert ratings.first_occasion() is ratings


def test_criteria_are_told_apart_when_first_ratings_are_kept():
    table = {
        "item": ["a"] * 4, "judge": ["Ann"] * 4, "rating": [1, 2, 3, 1],
        "criterion": ["x", "y", "x", "y"], "occasion": ["1", "2", "1 again", "1"],
    }  # fmt: skip
    first = Ratings(table, scale=THREE).first_occasion()
    values = fetch(first.frame.select("criterion", "rating"))
    assert dict(zip(values["criterion"].tolist(), values["rating"].tolist(), strict=True)) == {
        "x": 1, "y": 1
    }  # fmt: skip


def test_anonymous_judges_have_numbers_in_the_order_of_their_names_in_every_engine(engine):
    ratings = Ratings(engine(SIX), scale="1-3").anonymous()
    assert ratings.judges == ("J1", "J2")
    rows = {(row["item"], row["judge"]): row["rating"] for row in ratings.rows()}
    assert rows == {
        (item, {"Ann": "J1", "Bo": "J2"}[judge]): rating
        for item, judge, rating in zip(*SIX.values(), strict=True)
    }


def test_anonymous_judges_of_a_matrix_and_of_rows_set_aside_have_no_names_either():
    wide = Ratings.from_wide([[1, 2], [3, 3]], judges=["ann@x.example", "Bo"])
    assert wide.anonymous().judges == ("J1", "J2")
    twice = {name: [*cells, cells[0]] for name, cells in SIX.items()}
    ratings = Ratings(twice, scale="1-3", faulty="set-aside").anonymous()
    assert ratings.faults
    assert not any("Ann" in fault.message for fault in ratings.faults)
    assert ratings.judges == ("J1", "J2")


def test_hundreds_of_anonymous_judges_sort_as_they_are_numbered():
    names = [f"w{n}" for n in range(300)]
    table = {"item": ["q"] * 300, "judge": names, "rating": [1, 2, 3] * 100}
    judges = Ratings(table).anonymous().judges
    assert (judges[0], judges[-1], len(judges)) == ("J001", "J300", 300)


def test_judges_who_are_not_known_stay_so():
    assert Ratings.from_wide([[1, 2], [3, 3]], judges="slots").anonymous().slots
