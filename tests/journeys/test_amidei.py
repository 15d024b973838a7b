"""Amidei, Piwek & Willis (2019), from the files to their tables by the commands of its page alone.

Expected values are those of the paper's Tables 6 and 7, which truncate to two digits.
"""

import csv
import math

import pytest

from covary import datasets, write
from covary.analysis.judge_map import judge_maps
from tests.journeys.playing import covary, play, printed_by

PAGE = "amidei.md"

SHARED = {  # Table 6: items of each two judges
    "J1 – J2": 80, "J1 – J3": 67, "J1 – J4": 81, "J1 – J5": 7, "J1 – J6": 106,
    "J2 – J5": 158, "J3 – J5": 125, "J4 – J5": 142, "J5 – J6": 129,
}  # fmt: skip

PRINTED = {  # Table 7, some cells: judges, coefficient, criterion
    ("J1 – J2", "conger_kappa", "ambiguity"): 0.06,
    ("J5 – J6", "conger_kappa", "relevance"): 0.01,
    ("J1 – J2", "goodman_kruskal_gamma", "correctness"): 0.67,
    ("J1 – J3", "goodman_kruskal_gamma", "question type"): -1.0,
    ("J1 – J3", "goodman_kruskal_gamma", "variety"): 0.99,
    ("J5 – J6", "goodman_kruskal_gamma", "relevance"): 1.0,
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("amidei")
    write(datasets.load("qgstec-original"), folder / "batches.csv")
    write(datasets.load("flickr8k-experts"), folder / "flickr.csv")
    return folder


@pytest.fixture(scope="module")
def printed(place):
    return play(PAGE, place)


@pytest.fixture(scope="module")
def table(place, printed):
    with (place / "table-7.csv").open(newline="") as file:
        return {(row["judges"], row["coefficient"]): row for row in csv.DictReader(file)}


def test_sorted_columns_are_no_judges(printed):
    """F4, A10: 0 of 1,073 and 0 of 1,484 moves go down."""
    words = printed_by(printed, "check flickr.csv")
    assert "1,073 times above" in words
    assert "1,484 times above" in words
    assert "not individual judges" in words


def test_each_two_judges_share_the_items_of_table_6(table):
    for judges, items in SHARED.items():
        row = table[judges, "conger_kappa"]
        assert {row[f"items: {name}"] for name in ("relevance", "variety")} == {str(items)}
    assert sum(SHARED.values()) == 895


def test_cells_of_table_7_are_those_of_the_paper_truncated(table):
    for (judges, coefficient, criterion), value in PRINTED.items():
        cell = float(table[judges, coefficient][criterion])
        assert math.trunc(100 * cell) / 100 == value


def test_averages_are_signed_and_absolute(table):
    """A13, footnote 19: the five gammas of J1 and J3, of which one is -1."""
    row = table["J1 – J3", "goodman_kruskal_gamma"]
    cells = [float(row[name]) for name in datasets.load("qgstec-original").criteria]
    assert float(row["average"]) == pytest.approx(sum(cells) / 5)
    assert float(row["average_absolute"]) == pytest.approx(sum(map(abs, cells)) / 5)
    assert float(row["average_absolute"]) - float(row["average"]) == pytest.approx(0.4)


def test_judges_without_common_items_are_named(printed):
    words = printed_by(printed, "table")
    assert "share no item: J2 – J3; J2 – J4; J2 – J6; J3 – J4; J3 – J6; J4 – J6" in words


def test_the_report_has_batches_suspects_and_the_checklist(place, printed):
    html = (place / "amidei.html").read_text(encoding="utf-8")
    for words in ("J5", "batch", "GRRAS", "<svg"):
        assert words in html


def test_kappa_is_the_headline_where_it_is_asked_for(place, printed):
    """Table 7: the best two judges on variety are J1 and J3, on 67 questions."""
    (asked,) = (name for name in printed if "--headline" in name)
    words = printed_by(printed, asked)
    assert "agreement: Conger's kappa (ordinal)" in words
    html = (place / "amidei-kappa.html").read_text(encoding="utf-8")
    assert "The most reliable batch" in html
    assert "J1, J3 agree best in their batch of 67 items" in html


def test_the_most_reliable_batch_is_that_of_the_table(table):
    """The highest kappa on variety of all batches with ten questions or more."""
    cells = {
        judges: float(row["variety"])
        for (judges, name), row in table.items()
        if name == "conger_kappa" and judges in SHARED and int(row["items: variety"]) >= 10
    }
    assert max(cells, key=cells.get) == "J1 – J3"


def test_groups_have_the_layout_of_table_5(place):
    """All judges first, then each group, and the mean over criteria."""
    rows = [("item", "judge", "group", "criterion", "rating")]
    given = {"n1": (1, 2, 3, 4), "n2": (1, 2, 3, 4), "o1": (1, 1, 3, 2), "o2": (4, 2, 3, 1)}
    for judge, ratings in given.items():
        group = "native" if judge[0] == "n" else "other"
        for item, rating in enumerate(ratings):
            rows += [(f"i{item}", judge, group, name, rating) for name in ("fluency", "meaning")]
    with (place / "groups.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    words = " ".join(
        covary(
            "table", "groups.csv", "--scale", "1-4", "--by", "group",
            "--coefficient", "fleiss_kappa", folder=place,
        ).split()
    )  # fmt: skip
    assert "native 1.000 1.000 1.000 1.000 4" in words
    assert "all judges" in words
    assert "other" in words


def test_one_judge_is_predicted_from_another_with_its_error():
    """Can J_a be predicted from J_b? On items that were left out, for every two judges."""
    maps = judge_maps(datasets.load("qgstec-original"), criterion="correctness")
    assert {("J5", "J2"), ("J2", "J5")} <= {(each.judge, each.other) for each in maps}


def test_the_audit_finds_the_slip_of_table_7(printed):
    assert "does not fit" in printed_by(printed, "audit")
