"""Every file of the gallery is read as a person would want, asked about, or refused with a way."""

import shlex

import click
import pytest

from covary.cli.reading import reads_ratings
from covary.errors import CovaryError
from covary.formats import read
from covary.ratings.frames import fetch
from covary.words import TERMINAL
from covary.words.data import spell_keywords
from tests.gallery.forms import FORMS
from tests.gallery.habits import HABITS
from tests.gallery.sheets import CASES as SHEETS
from tests.gallery.tools import TOOLS
from tests.gallery.unlabelled import UNLABELLED

CASES = [*SHEETS, *FORMS, *HABITS, *TOOLS, *UNLABELLED]

KEYS = ("item", "judge", "criterion", "occasion", "round")


@pytest.fixture
def place(tmp_path):
    """Write the files of a case, and return what is read: one path, or several."""

    def write(case):
        paths = []
        for name, content in case.files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, str):
                path.write_text(content, encoding="utf-8")
            else:
                path.write_bytes(content)
            paths.append(path)
        if case.folder:
            return tmp_path / case.folder
        return paths[0] if len(paths) == 1 else paths

    return write


def table(ratings, width):
    """The ratings by what names them: item, judge, and as many further keys as are wanted."""
    columns = fetch(ratings.frame)
    names = [name for name in KEYS if name in columns][:width]
    cells = zip(*(columns[name].tolist() for name in (*names, "rating")), strict=True)
    return {tuple(row[:-1]): row[-1] for row in cells if row[-1] is not None and row[-1] == row[-1]}


def rows_of(ratings):
    """All ratings with everything that is known of them, whatever their order."""
    columns = fetch(ratings.frame)
    names = sorted(columns)
    cells = zip(*(map(str, columns[name].tolist()) for name in names), strict=True)
    return [names, sorted(cells)]


def matches(ratings, case):
    width = len(next(iter(case.wanted)))
    found = table(ratings, width)
    lowered = {
        key: value.lower() if isinstance(value, str) else value for key, value in found.items()
    }
    return found == case.wanted or lowered == case.wanted


@click.command()
@reads_ratings
def command(reading):
    """Read as every command does."""
    return reading.ratings()


def by_command(path, keywords):
    """Read files with the options that a message or a preview prints."""
    options = shlex.split(spell_keywords(TERMINAL, keywords))
    paths = [str(part) for part in (path if isinstance(path, list) else [path])]
    return command.main([*paths, *options], standalone_mode=False)


def by_name(marked):
    return pytest.mark.parametrize("case", marked, ids=[case.name for case in marked])


def test_the_gallery_has_many_files_and_each_a_name_of_its_own():
    assert len(CASES) >= 150
    assert len({case.name for case in CASES}) == len(CASES)


@by_name([case for case in CASES if not case.asks and case.way_out is None])
def test_a_file_is_read_as_a_person_would_want_and_the_account_says_the_same(case, place):
    path = place(case)
    ratings = read(path, **case.said)
    assert matches(ratings, case), table(ratings, 3)
    if case.order:
        assert tuple(ratings.scales[None].categories) == case.order
    account = ratings.account
    again = None
    if account.added and not case.said:
        printed = by_command(path, account.added)
        assert rows_of(printed) == rows_of(ratings)
        again = printed if account.added == account.keywords else None
    again = read(path, **account.keywords) if again is None else again
    assert matches(again, case)
    assert not again.account.added


@by_name([case for case in CASES if case.asks])
def test_where_two_readings_are_possible_both_are_named_and_one_is_meant(case, place):
    path = place(case)
    with pytest.raises(CovaryError) as error:
        read(path)
    assert error.value.code == "formats.two-readings"
    readings = [by_command(path, keywords) for keywords in error.value.data["readings"]]
    assert sum(matches(ratings, case) for ratings in readings) == 1


@by_name([case for case in CASES if case.way_out is not None])
def test_a_refusal_names_the_way_out_and_the_way_out_works(case, place):
    path = place(case)
    with pytest.raises(CovaryError) as error:
        read(path)
    assert case.names in str(error.value)
    assert matches(by_command(path, case.way_out), case)


def test_names_that_differ_in_capitals_alone_are_said(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("item,judge,rating\nS1,Ann,1\nS1,Bo,2\nS2,ann,3\nS2,Bo,4\n", encoding="utf-8")
    assert "'Ann', 'ann' differ only in capitals" in str(read(path).notes[-1])


def test_columns_that_are_named_stay_as_they_are(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("item,rater1,score1,rater2,score2\nS1,Ann,1,Bo,2\nS2,Bo,3,Ann,4\n", "utf-8")
    assert sorted(read(path).judges) == ["Ann", "Bo"]
    assert sorted(read(path, wide=["score1", "score2"]).judges) == ["score1", "score2"]


def test_a_bad_cell_is_named_by_the_row_that_the_spreadsheet_counts(tmp_path):
    path = tmp_path / "a.csv"
    lines = ["Study of March,,", "item,judge,rating", "S1,Ann,1", "", "S1,Bo,2", "S2,Ann,goood"]
    path.write_text("\n".join([*lines, "S2,Bo,4"]) + "\n", encoding="utf-8")
    with pytest.raises(CovaryError) as error:
        read(path)
    assert "row 6: 'goood'" in str(error.value)
    with pytest.raises(CovaryError) as error:
        read(path, scale="1-3", answers={"goood": ""})
    assert "row 7: item 'S2', judge 'Bo', rating 4" in str(error.value)
