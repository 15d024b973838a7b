"""Files as people have them: each becomes ratings, or an error that says what to do."""

import gzip
import json
import subprocess
import sys

import duckdb
import pytest

from covary.errors import InvalidArgument, RatingsError
from covary.formats import FORMATS, read
from covary.stats.patterns import collapse
from tests.formats.tables import rows

HEADER = "item,judge,rating\n"
FOUR = HEADER + "q1,Ann,4\nq1,Bo,5\nq2,Ann,1\nq2,Bo,2\n"


EXPECTED = [("q1", "Ann", 4), ("q1", "Bo", 5), ("q2", "Ann", 1), ("q2", "Bo", 2)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", FOUR),
        ("a.CSV", FOUR),
        ("a.tsv", FOUR.replace(",", "\t")),
        ("a.csv.gz", gzip.compress(FOUR.encode(), mtime=0)),
        ("bom.csv", "\ufeff" + FOUR),
        ("windows.csv", FOUR.replace("\n", "\r\n")),
        ("blank.csv", "\n\n" + FOUR.replace("q2,Ann", "\nq2,Ann") + "\n\n"),
        (
            "spaces.csv",
            FOUR.replace(HEADER, " item , judge,rating \n").replace(",Ann,4", ", Ann , 4 "),
        ),
        ("quoted.csv", FOUR.replace("q1,Ann", '"q1","Ann"')),
        ("ratings [1]*.csv", FOUR),
    ],
)
def test_a_text_file_is_read_whatever_program_wrote_it(file, name, content):
    assert rows(read(file(content, name))) == EXPECTED


def test_parquet_is_read(tmp_path):
    path = tmp_path / "a.parquet"
    duckdb.sql(
        "select * from (values ('q1', 'Ann', 4), ('q1', 'Bo', 5), ('q2', 'Ann', 1), "
        "('q2', 'Bo', 2)) as t(item, judge, rating)"
    ).write_parquet(str(path))
    assert rows(read(path)) == EXPECTED


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson"])
def test_json_lines_are_read(file, name):
    lines = [
        json.dumps(dict(zip(("item", "judge", "rating"), row, strict=True))) for row in EXPECTED
    ]
    assert rows(read(file("\n".join(lines), name))) == EXPECTED


def test_columns_scale_and_level_are_said_as_to_ratings(file):
    path = file("qid;who;score;aspect\nq1;Ann;4;fluency\nq1;Bo;5;fluency\n")
    ratings = read(
        path,
        separator=";",
        item="qid",
        judge="who",
        rating="score",
        criterion="aspect",
        scale="1-5",
    )
    assert ratings.criteria == ("fluency",)
    assert ratings.scale().categories == (1, 2, 3, 4, 5)
    assert rows(ratings) == [("q1", "Ann", 4), ("q1", "Bo", 5)]


@pytest.mark.parametrize("word", ["", "NA", "n/a", "#N/A", "NaN", "null", "-", " ", '""'])
def test_a_word_for_missing_is_missing(file, word):
    ratings = read(file(FOUR.replace("q2,Bo,2", f"q2,Bo,{word}")), scale="1-5")
    assert ratings.n_ratings == 3
    assert collapse(ratings).n_ratings == 3


def test_a_word_for_missing_late_in_json_lines_is_missing(file):
    path = file(
        '{"item": 1, "judge": "A", "rating": 2}\n{"item": 2, "judge": "A", "rating": "NA"}',
        "a.jsonl",
    )
    assert rows(read(path)) == [(1, "A", 2), (2, "A", None)]


def test_a_dash_is_a_rating_where_the_scale_has_it(file):
    path = file(HEADER + "q1,Ann,+\nq1,Bo,-\n")
    assert read(path, scale="-,+").n_ratings == 2
    assert read(path, scale={None: "-,+"}).n_ratings == 2
    assert read(path).n_ratings == 1


def test_words_alone_are_ratings(file):
    ratings = read(file(HEADER + "q1,Ann,good\nq1,Bo,bad\n"), scale="bad,good")
    assert rows(ratings) == [("q1", "Ann", "good"), ("q1", "Bo", "bad")]


def test_fractions_stay_fractions_and_whole_numbers_become_whole(file):
    assert rows(read(file(HEADER + "q1,Ann,3.5\nq2,Ann,4\n"))) == [
        ("q1", "Ann", 3.5),
        ("q2", "Ann", 4),
    ]
    ((_, _, rating),) = rows(read(file(HEADER + "q1,Ann,4.0\n")))
    assert isinstance(rating, int)


def test_names_that_are_all_whole_numbers_are_numbers_and_others_are_text(file):
    path = file("item,judge,rating,round\n001,2,4,1\n002,10,5,1\n")
    ratings = read(path)
    assert ratings.judges == (2, 10)
    assert ratings.values("item") == ("001", "002")
    assert ratings.select(round=1).n_ratings == 2


def test_a_file_may_vanish_once_it_was_read(file):
    path = file(FOUR)
    ratings = read(path)
    path.unlink()
    assert collapse(ratings).n_items == 2


def test_a_large_file_stays_where_it_lies(file, monkeypatch):
    monkeypatch.setattr(sys.modules["covary.formats.ratings_file"], "LARGEST_HELD", 0)
    monkeypatch.setattr(sys.modules["covary.formats.tables"], "LARGEST_SMALL", 0)
    path = file(FOUR)
    ratings = read(path)
    assert rows(ratings) == EXPECTED
    path.write_text(FOUR.replace("q2,Bo,2", "q2,Bo,3"))
    assert rows(ratings)[-1] == ("q2", "Bo", 3)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "ratings.csv is empty"),
        ("\ufeff\n \n", "ratings.csv is empty"),
        (HEADER, "header but no rows"),
        (HEADER + 'q1,Ann,4.5\nq1,Bo,"3,5"\n', "decimal commas: row 3: '3,5'"),
        (HEADER + 'q1,Ann,4\nq1,Bo,"1,500"\n', "1234 and not 1,234"),
        (HEADER + 'q1,Ann,good\nq1,Bo,"3,5"\nq2,Bo,2\n', "words among the numbers"),
        (FOUR.replace("Bo,2", "Bo,good"), "words among the numbers .* 'rating': row 5: 'good'"),
        (FOUR.replace("Bo,2", "Bo,inf"), "row 5: 'inf'"),
        (HEADER + "q1,Ann,4,7\n", "line 2: 4 cells where the first row has 3"),
        (HEADER + "q1,Ann\n", "line 2: 2 cells where the first row has 3"),
        (HEADER + 'q1,"Ann,4\nq2,Bo,3\n', "line 2: a quotation mark is opened and never closed"),
        ("item,judge,rating, Rating\nq1,Ann,4,5\n", "two columns called 'rating' and 'Rating'"),
        (HEADER.replace("\n", "\r\n") + "q1,Ann,4\nq1,Bo,5\r\n", "mixed"),
        (HEADER + "q1,Ann,4\n,Bo,5\n", "do not say which item"),
        (FOUR + "q2,Bo,3\n", "rated the same item more than once"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_said_in_a_sentence(file, content, said):
    with pytest.raises(RatingsError, match=said):
        read(file(content))


def test_at_most_five_rows_are_shown(file):
    numbers = "".join(f"p{n},Ann,1\n" for n in range(10))
    path = file(HEADER + numbers + "".join(f"q{n},Ann,bad\n" for n in range(1, 8)))
    with pytest.raises(RatingsError, match="row 16: 'bad' and more"):
        read(path)


def test_the_rare_kind_of_cells_is_named_and_not_the_common_one(file):
    """15 stray codes among answers A and B: the codes are named."""
    answers = "".join(f"p{n},Ann,{'AB'[n % 2]}\n" for n in range(90))
    path = file(HEADER + answers + "".join(f"q{n},Ann,9\n" for n in range(15)))
    with pytest.raises(RatingsError, match=r"numbers among the words .* row 92: '9'; row 93: '9'"):
        read(path)


@pytest.mark.parametrize("name", ["a.parquet", "a.jsonl"])
def test_a_file_that_is_not_what_its_ending_says_is_refused(file, name):
    with pytest.raises(RatingsError, match=rf"{name} cannot be read"):
        read(file("{hello", name))


def test_a_missing_file_is_refused_with_a_near_name(file):
    path = file(FOUR)
    with pytest.raises(InvalidArgument, match=r"does not exist; did you mean 'ratings\.csv'"):
        read(path.with_name("rating.csv"))
    with pytest.raises(InvalidArgument, match=r"does not exist$"):
        read(path.parent / "nowhere" / "x.csv")


def test_a_folder_is_refused_unless_it_is_one_of_potato(tmp_path):
    with pytest.raises(InvalidArgument, match="is a folder"):
        read(tmp_path)


def test_a_format_that_is_not_known_is_refused_with_the_known_ones(file):
    known = "'potato', 'qg-stec', 'label-studio', 'prodigy', 'argilla', 'doccano'"
    with pytest.raises(InvalidArgument, match=known):
        read(file(FOUR), format="excel")


def test_every_format_has_a_name_of_its_own_and_says_what_it_looks_like():
    assert len({each.name for each in FORMATS}) == len(FORMATS)
    assert all(each.about for each in FORMATS)


def test_what_is_asked_of_ratings_is_passed_on(file):
    ratings = read(file(FOUR + "q2,Bo,3\nq3,Bo,9\n"), scale="1-5", faulty="set-aside")
    assert len(ratings.faults) == 2
    assert ratings.n_ratings == 4


def test_nothing_is_noted_where_nothing_was_guessed(file):
    assert read(file(FOUR)).notes == ()


def test_reading_text_needs_no_pandas(file):
    script = (
        "import sys; from covary.formats.ratings_file import RatingsFile; "
        "from covary.formats import long, tables; tables.LARGEST_SMALL = 0; "
        "from pathlib import Path; long.read(RatingsFile(Path(sys.argv[1]), {})).fetchall(); "
        "print('duckdb' in sys.modules, 'pandas' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(file(FOUR))], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "False"]


@pytest.mark.parametrize("name", ["a.docx", "a.sav", "a", "a.parquet.gz"])
def test_an_unknown_ending_is_refused_with_the_known_ones(file, name):
    with pytest.raises(InvalidArgument, match=r"'\.csv', '\.tsv', .*'\.xml'"):
        read(file(FOUR, name))


def test_a_column_that_is_not_there_is_refused_with_those_that_are(file):
    path = file("item,judge,rating,note\nq1,Ann,4,x\n")
    with pytest.raises(InvalidArgument, match=r"'qid' is not in the data, which has .*, 'note'"):
        read(path, item="qid")


@pytest.mark.parametrize("separator", ["", "::"])
def test_a_separator_is_one_character(file, separator):
    with pytest.raises(InvalidArgument, match="one character"):
        read(file(FOUR), separator=separator)


def test_only_text_files_have_a_separator(file):
    with pytest.raises(InvalidArgument, match=r"only \.csv and \.tsv"):
        read(file("{}", "a.jsonl"), separator=";")


def test_a_column_without_any_rating_is_no_error_of_arithmetic(file):
    ratings = read(file(HEADER + "q1,Ann,NA\nq1,Bo,\n"))
    assert (ratings.n_ratings, ratings.n_items) == (0, 0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", r"a\.json holds no list of records"),
        ("null", r"a\.json holds no list of records"),
        ("[]", r"a\.json is empty"),
    ],
)
def test_json_without_records_is_said_to_have_none(file, text, said):
    with pytest.raises(RatingsError, match=said):
        read(file(text, "a.json"))
