"""Text files with the faults that they have: each is read rightly or refused with the reason."""

import gzip

import pytest

from covary.errors import InvalidArgument, RatingsError
from covary.formats import read
from tests.formats.tables import rows

HEADER = "item,judge,rating\n"
FOUR = HEADER + "q1,Ann,4\nq1,Bo,5\nq2,Ann,1\nq2,Bo,2\n"
EXPECTED = [("q1", "Ann", 4), ("q1", "Bo", 5), ("q2", "Ann", 1), ("q2", "Bo", 2)]


@pytest.mark.parametrize(
    ("mark", "name", "said"),
    [
        (";", "a.csv", "semicolons"),
        ("\t", "a.csv", "tabs"),
        ("|", "a.csv", r"'\|'"),
        (",", "a.tsv", "commas"),
        (";", "a.txt", "semicolons"),
    ],
)
def test_another_separator_is_found_and_said(file, mark, name, said):
    ratings = read(file(FOUR.replace(",", mark), name))
    assert rows(ratings) == EXPECTED
    (note,) = ratings.notes
    assert note.startswith(f"The cells of {name} are separated by {said.replace(chr(92), '')}")


def test_a_comma_in_a_name_does_not_hide_the_semicolons(file):
    path = file("item;judge;rating;remark (good, bad)\nq1;Ann;4;so, so\nq1;Bo;5;no\n")
    assert rows(read(path)) == EXPECTED[:2]


def test_semicolons_in_text_do_not_hide_the_commas(file):
    path = file("item,judge,rating,remark\nq1,Ann,4,a;b;c;d\nq1,Bo,5,no\n")
    assert rows(read(path)) == EXPECTED[:2]


def test_the_line_in_which_excel_names_its_separator_is_understood(file):
    assert rows(read(file("sep=;\n" + FOUR.replace(",", ";")))) == EXPECTED


def test_a_separator_that_is_said_counts(file):
    assert rows(read(file(FOUR.replace(",", "~")), separator="~")) == EXPECTED


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_file_with_a_mark_of_its_encoding_is_read(file, encoding):
    path = file(FOUR.replace("Ann", "Zoë 北京"), encoding=encoding)
    assert rows(read(path))[0] == ("q1", "Bo", 5)
    assert "Zoë 北京" in read(path).judges


def test_windows_1252_is_read_and_said_wherever_its_first_letter_stands(file):
    early = read(file((HEADER + "q1,Zoé “Z”,4\n").encode("cp1252")))
    assert early.judges == ("Zoé “Z”",)
    assert early.notes == ("ratings.csv was read as WINDOWS-1252 text.",)
    many = "".join(f"q{n},Ann,4\n" for n in range(100_000))
    late = read(file((HEADER + many + "q1,Zoé,4\n").encode("cp1252")))
    assert late.judges == ("Ann", "Zoé")


def test_a_packed_file_in_another_encoding_is_read(file):
    path = file(gzip.compress((HEADER + "q1,Zoé,4\n").encode("cp1252")), "a.csv.gz")
    assert read(path).judges == ("Zoé",)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ((HEADER + "q1,Zo\x81é,4\n").encode("latin-1"), "neither UTF-8 nor Windows-1252"),
        (FOUR.encode("utf-16-le"), "not text that covary can read"),
        (FOUR.encode("utf-16") + b"\x00", "damaged UTF-16"),
    ],
    ids=["unknown", "unmarked", "cut"],
)
def test_other_encodings_are_told_how_to_become_utf_8(file, content, said):
    with pytest.raises((RatingsError, InvalidArgument), match=said):
        read(file(content))


def test_decimal_commas_are_read_and_said(file):
    path = file("item;judge;rating\nq1;Ann;3,5\nq1;Bo;4\nq2;Ann;0,125\n")
    ratings = read(path)
    assert rows(ratings) == [("q1", "Ann", 3.5), ("q1", "Bo", 4.0), ("q2", "Ann", 0.125)]
    assert "Decimal commas in the column 'rating' were read as decimal points." in ratings.notes


def test_decimal_commas_are_read_between_quotation_marks_too(file):
    assert rows(read(file(HEADER + 'q1,Ann,"3,5"\n'))) == [("q1", "Ann", 3.5)]


def test_columns_without_names_are_numbered_and_asked_for(file):
    path = file("q1,Ann,4\nq1,Bo,5\n")
    with pytest.raises(InvalidArgument, match=r"columns are 'column 1', 'column 2', 'column 3'"):
        read(path)
    ratings = read(path, header=0, item="column 1", judge="column 2", rating="column 3")
    assert rows(ratings) == [("q1", "Ann", 4), ("q1", "Bo", 5)]


def test_a_small_matrix_without_names_is_read_in_two_ways_and_a_long_one_by_items(file):
    with pytest.raises(RatingsError, match=r"2 ways.*header=0, wide=.*'\{judge\}'.*'\{item\}'"):
        read(file("1,2,3\n2,2,1\n"))
    ratings = read(file("1\t2\tNA\n" * 60, "a.tsv"))
    assert (ratings.n_items, ratings.judges) == (60, ("column 1", "column 2"))
    assert "no header row" in ratings.notes[0]


def test_words_without_names_of_columns_are_refused_with_the_first_row_shown(file):
    with pytest.raises(InvalidArgument, match=r"'q1', 'Ann', 'good'.*item,judge,rating"):
        read(file("q1,Ann,good\nq1,Bo,bad\n"))


def test_judges_named_by_numbers_are_no_data(file):
    ratings = read(file("item,1,2\nq1,3,4\nq2,3,3\n"), scale="1-5")
    assert ratings.judges == (1, 2)


def test_spaces_of_every_kind_do_not_count(file):
    path = file("item ,\u00a0judge, rating\nq1,\u00a0Ann ,\t4\u00a0\nq1, Bo\u3000,5\n")
    assert rows(read(path)) == EXPECTED[:2]


def test_quoted_newlines_html_and_unicode_stay_in_their_cells(file):
    path = file(HEADER[:-1] + ',text\nq1,Ann,4,"<b>two\nlines</b> & ""quotes"", 北"\nq1,Bo,5,\n')
    assert rows(read(path)) == EXPECTED[:2]
    path = file('item,judge,rating\n"<i>a\nb</i>",Ann,4\n')
    assert rows(read(path)) == [("<i>a\nb</i>", "Ann", 4)]


@pytest.mark.parametrize(
    "content",
    [
        FOUR.replace("\n", ",\n"),
        FOUR.replace("\n", ",\n").replace("rating,", "rating"),
        FOUR.replace("rating", "rating,"),
    ],
    ids=["everywhere", "below the names", "behind the names"],
)
def test_a_separator_at_the_end_of_rows_is_no_column(file, content):
    assert rows(read(file(content))) == EXPECTED


def test_rows_of_separators_alone_are_no_ratings(file):
    assert rows(read(file(FOUR + ",,\n,,\n"))) == EXPECTED


def test_the_line_of_a_ragged_row_is_named(file):
    with pytest.raises(RatingsError, match=r"ratings\.csv, line 4: 2 cells .* has 3"):
        read(file(FOUR.replace("q2,Ann,1", "q2,Ann")))


def test_further_columns_are_ignored_in_silence(file):
    ratings = read(file("item,judge,rating,remark,x 1\nq1,Ann,4,hm,1\nq1,Bo,5,,2\n"))
    assert ratings.columns == ("item", "judge", "rating")
    assert ratings.notes == ()


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("item,a,b", "the judge or the rating"),
        ("a,judge,b", "the item or the rating"),
        ("a,b,rating", "the item or the judge"),
        ("item,judge,b", "holds the rating"),
        ("item,b,rating", "holds the judge"),
    ],
)
def test_what_is_not_there_is_named_with_what_is(file, header, said):
    with pytest.raises(InvalidArgument, match=rf"{said}.*Say which column"):
        read(file(header + "\nx,y,z\nx,w,z\n"))


def test_a_hundred_thousand_rows_are_read_right(file):
    lines = (f"q{n // 5},J{n % 5},{n % 3 + 1}\n" for n in range(100_000))
    ratings = read(file(HEADER + "".join(lines)), scale="1-3")
    assert (ratings.n_ratings, ratings.n_items, ratings.n_judges) == (100_000, 20_000, 5)
