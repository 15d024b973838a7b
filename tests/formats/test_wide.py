"""One column per judge, and one column per criterion."""

import duckdb
import pytest

import covary
from covary.errors import InvalidArgument, RatingsError
from covary.formats import read
from tests.formats.tables import rows

TABLE = "item,J1,J2,J3\nq1,1,2,\nq2,3,NA,3\n"
EXPECTED = [("q1", "J1", 1), ("q1", "J2", 2), ("q2", "J1", 3), ("q2", "J3", 3)]


@pytest.mark.parametrize("wide", [None, True, "J*", ["J1", "J2", "J3"]])
def test_one_column_per_judge_is_read_however_it_is_said(file, wide):
    assert rows(read(file(TABLE), wide=wide)) == EXPECTED


def test_reading_as_wide_is_said_where_nobody_asked_for_it(file):
    note = "Each of the columns 'J1', 'J2', 'J3' was read as one judge's ratings."
    assert read(file(TABLE)).notes == (note,)
    assert read(file(TABLE), wide="J*").notes == ()


def test_named_judges_are_seen_when_nothing_else_can_be_meant(file):
    ratings = read(file("qid,text,Ann,Bo\n1,hello,3,4\n2,you,,5\n"), scale="1-5")
    assert rows(ratings) == [(1, "Ann", 3), (1, "Bo", 4), (2, "Bo", 5)]


def test_chosen_columns_alone_are_judges(file):
    assert read(file(TABLE), wide=["J1", "J3"]).judges == ("J1", "J3")


def test_criterion_system_source_and_cluster_are_kept(file):
    header = "item,aspect,model,prompt,dialogue,J1,J2\n"
    ratings = read(file(header + "q1,fluency,A,p1,d1,1,2\nq1,clarity,A,p1,d1,2,2\n"))
    assert ratings.criteria == ("clarity", "fluency")
    assert rows(ratings, "system", "source", "cluster", "rating")[0] == ("A", "p1", "d1", 1)


def test_rows_are_items_where_no_column_names_them(file):
    ratings = read(file("J1,J2\n1,2\n3,3\n"))
    assert rows(ratings) == [(1, "J1", 1), (1, "J2", 2), (2, "J1", 3), (2, "J2", 3)]
    assert ratings.notes[1] == "No item column found: each row counts as one item."


def test_words_are_ratings_too(file):
    ratings = read(file("item,Ann,Bo\nq1,good,bad\nq2,bad,-\n"), wide=["Ann", "Bo"])
    assert rows(ratings) == [("q1", "Ann", "good"), ("q1", "Bo", "bad"), ("q2", "Ann", "bad")]


def test_judge_columns_with_gaps_keep_each_pair(file):
    lines = ["item,J1,J2,J3,J4,J5,J6", "a,1,2,,,,", "b,,,3,4,,", "c,,,,,1,1"]
    ratings = read(file("\n".join(lines)))
    assert (ratings.n_ratings, ratings.n_items, ratings.n_judges) == (6, 3, 6)


def test_a_judge_without_ratings_is_mentioned(file):
    ratings = read(file("item,J1,J2,J3\nq1,1,2,\nq2,3,4,\n"))
    assert ratings.judges == ("J1", "J2")
    assert ratings.notes[-1] == "There is no rating in the columns 'J3'."


def test_parquet_with_columns_of_several_kinds_is_read(tmp_path):
    path = tmp_path / "a.parquet"
    duckdb.sql("select 'q1' as item, 1 as J1, 2.5 as J2, '3' as J3").write_parquet(str(path))
    assert rows(read(path)) == [("q1", "J1", 1.0), ("q1", "J2", 2.5), ("q1", "J3", 3.0)]


def test_json_lines_are_read(file):
    path = file('{"item": "q1", "J1": 1, "J2": 2}\n{"item": "q2", "J1": 2}\n', "a.jsonl")
    assert rows(read(path)) == [("q1", "J1", 1), ("q1", "J2", 2), ("q2", "J1", 2)]


def test_numbers_that_may_be_criteria_are_not_taken_for_judges(file):
    ratings = read(file("item,fluency,adequacy\nq1,1,2\nq2,2,2\n"))
    assert set(ratings.criteria) == {"fluency", "adequacy"}
    assert ratings.slots


def test_numbers_of_another_size_are_not_taken_for_judges(file):
    path = file("item,Ann,Bo,letters\nq1,1,2,240\nq2,2,2,180\n")
    with pytest.raises(InvalidArgument, match=r"wide=\['Ann', 'Bo', 'letters'\]"):
        read(path)
    assert read(path, wide=["Ann", "Bo"]).n_ratings == 4


def test_a_word_among_numbers_is_refused_by_item_and_judge(file):
    with pytest.raises(RatingsError, match="item q2, judge J1: 'bad'"):
        read(file("item,J1,J2\nq1,1,2\nq2,bad,2\n"))


@pytest.mark.parametrize("wide", ["K*", ["J1", "J9"], []])
def test_columns_that_are_not_there_are_refused(file, wide):
    with pytest.raises(InvalidArgument, match="'J1', 'J2', 'J3'"):
        read(file(TABLE), wide=wide, format="wide")


def test_a_column_of_judges_and_columns_as_judges_exclude_each_other(file):
    with pytest.raises(InvalidArgument, match="judge='item' cannot be chosen"):
        read(file(TABLE), wide="J*", judge="item")


def test_wide_false_asks_for_a_long_table(file):
    with pytest.raises(InvalidArgument, match="the judge or the rating"):
        read(file(TABLE), wide=False)


def test_one_item_twice_is_refused(file):
    with pytest.raises(RatingsError, match="more than once"):
        read(file("item,J1,J2\nq1,1,2\nq1,2,2\n"))


def test_one_column_per_criterion_is_read_when_rating_names_several(file):
    path = file("item,judge,fluency,adequacy\nq1,Ann,1,2\nq1,Bo,3,\n")
    expected = [
        ("q1", "Ann", "adequacy", 2),
        ("q1", "Ann", "fluency", 1),
        ("q1", "Bo", "fluency", 3),
    ]
    ratings = read(path, rating=["fluency", "adequacy"])
    assert rows(ratings, "item", "judge", "criterion", "rating") == expected
    found = read(path)
    assert rows(found, "item", "judge", "criterion", "rating") == expected
    assert "each column of ratings as a criterion" in found.notes[0]


def test_criteria_may_be_named_by_a_pattern(file):
    path = file("item,judge,q_fluency,q_clarity\nq1,Ann,1,2\n")
    assert read(path, rating="q_*").criteria == ("q_clarity", "q_fluency")


@pytest.mark.parametrize("wide", [None, True, "vote_*"])
def test_numbers_of_votes_are_no_persons(file, wide):
    path = file("item,vote_1,vote_2,vote_3\nq1,1,2,1\nq2,3,3,2\nq3,1,1,2\n")
    ratings = read(path, wide=wide, scale="1-3")
    assert ratings.slots
    assert (
        "'vote_1', 'vote_2', 'vote_3' are numbered votes, not individual judges" in ratings.notes[0]
    )
    with pytest.raises(InvalidArgument, match="random arrangements of the votes"):
        covary.cohen_kappa(ratings, weights="quadratic")


@pytest.mark.parametrize("word", ["Assignment ", "slot", "HIT-"])
def test_numbers_of_assignments_are_no_persons_either(file, word):
    assert read(file(f"item,{word}1,{word}2\nq1,1,2\nq2,2,2\n"), wide=f"{word}*").slots


def test_whoever_numbered_the_persons_so_may_say_it(file):
    path = file("item,vote_1,vote_2\nq1,1,2\nq2,3,3\n")
    assert not read(path, judges="named", wide="vote_*").slots
    assert not read(file("item,vote_1,Ann\nq1,1,2\nq2,3,3\n"), wide=["vote_1", "Ann"]).slots


def test_files_of_one_criterion_each_are_about_the_same_items_row_by_row(tmp_path):
    """As QG-STEC was published: a file for each criterion, without a row of names or of items."""
    for name, text in {"Fluency": "1\t2\n3\t3\n2\t2\n", "Meaning": "1\t1\n2\t3\n"}.items():
        (tmp_path / f"ratings_{name}.tsv").write_text(text)
    files = sorted(tmp_path.glob("*.tsv"))
    ratings = read(files, header=0, wide=True, files="criterion", scale="1-3")
    assert set(ratings.values("item")) == {1, 2, 3}
    assert ratings.criteria == ("Fluency", "Meaning")
    (short,) = (note for note in ratings.notes if note.code == "formats.rows-short")
    assert short.facts["short"] == {"Meaning": 2}
    assert "'Meaning' has fewer than the 3 rows of the longest: Meaning 2" in str(short)


def test_a_stray_word_in_a_judges_column_is_named_and_the_judge_is_not_dropped(file):
    table = "item,Ann,Bo,Cy\nq1,1,2,3\nq2,oops,4,4\nq3,2,2,1\n"
    with pytest.raises(RatingsError, match="item q2, judge Ann: 'oops'"):
        read(file(table), scale="1-5")
    ratings = read(file(table), scale="1-5", answers={"oops": None})
    assert ratings.n_judges == 3
    assert ratings.n_ratings == 8


def test_columns_that_were_not_read_are_named(file):
    ratings = read(file("item,Ann,Bo,Weather\nq1,1,2,fine\nq2,3,4,hail\n"), scale="1-5")
    assert any("Columns that were not read: 'Weather'" in str(note) for note in ratings.notes)


def test_a_pattern_may_hold_the_comma_of_a_question(file):
    asked = ["Overall, is it good?", "Is it true?"]
    names = [f"{question} [Item {n}]" for question in asked for n in (1, 2, 3)]
    header = ",".join(f'"{name}"' for name in names)
    path = file(f"Email Address,{header}\na@x.org,1,2,3,2,1,1\nb@x.org,2,2,3,1,1,2\n")
    ratings = read(path)
    added = ratings.account.added
    assert added["wide"] == ["Overall, is it good? [Item *", "Is it true? [Item *"]
    assert rows(read(path, **added)) == rows(ratings)
