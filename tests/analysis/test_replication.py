"""How close a repeat is to the first study: CV*, sets of scores, labels and findings."""

import csv
import math
from fractions import Fraction
from importlib.resources import files
from itertools import combinations

import numpy as np
import pytest

from covary import InvalidArgument, Ratings, cv_star, datasets, replication, replication_report


def test_cv_star_of_two_means_depends_on_where_the_scale_begins():
    """Computed by hand: 199.401 |a - b|/(a + b) of 4.2 and 3.8, and of 3.2 and 2.8."""
    assert cv_star([4.2, 3.8]).value == pytest.approx(9.970, abs=5e-4)
    assert cv_star([4.2, 3.8], minimum=1).value == pytest.approx(13.293, abs=5e-4)


def test_cv_star_of_seven_scores_is_that_of_the_authors_script():
    """Belz's script prints these for 7 scores of mean 85.58285714285714 (its documentation)."""
    shape = np.array([-3, -2, -1, 0, 1, 2, 3]) / math.sqrt(28 / 6)
    c4 = math.sqrt(2 / 6) * math.gamma(3.5) / math.gamma(3)
    found = cv_star(85.58285714285714 + shape * 1.2904233075765223 * c4)
    assert found.value == pytest.approx(1.5616560359100269)
    assert found.deviation == pytest.approx(1.2904233075765223)
    assert (found.low, found.high) == pytest.approx((0.4514829817654973, 2.1293636333875474))


def test_equal_scores_vary_by_nothing_and_scores_at_the_minimum_have_no_cv():
    assert cv_star([2.5, 2.5], minimum=1).value == 0
    nothing = cv_star([1, 1], minimum=1)
    assert math.isnan(nothing.value)
    assert "lowest end" in nothing.reason
    with pytest.raises(InvalidArgument, match="two or more scores"):
        cv_star([3])


def orders_of(name):
    """Which of two systems has the lower mean, from the shipped file alone."""
    text = files("covary.datasets").joinpath("data", f"qgstec-{name}.csv").read_text("utf-8")
    sums = {}
    for row in csv.DictReader(text.splitlines()):
        given = [int(row[judge]) for judge in row if judge[0] in "JK" and row[judge]]
        total = sums.setdefault((row["criterion"], row["system"]), [0, 0])
        total[0] += sum(given) * int(row["items"])
        total[1] += len(given) * int(row["items"])
    means = {key: Fraction(*total) for key, total in sums.items()}
    criteria, systems = ({key[n] for key in means} for n in (0, 1))
    return {
        (criterion, a, b): means[criterion, a] < means[criterion, b]
        for criterion in criteria
        for a, b in combinations(sorted(systems), 2)
    }


@pytest.fixture(scope="module")
def qgstec():
    old, new = (datasets.load(f"qgstec-{name}") for name in ("original", "reevaluated"))
    return replication(new, old, items="different")


def test_the_share_of_upheld_orders_is_that_of_the_shipped_means(qgstec):
    old, new = orders_of("original"), orders_of("reevaluated")
    upheld = sum(old[key] == new[key] for key in old)
    assert qgstec.upheld("pair") == (upheld, 30)


def test_a_scale_that_changed_has_no_cv_and_says_why(qgstec):
    changed = next(part for part in qgstec.criteria if part.criterion == "question type")
    assert math.isnan(changed.scores[0].cv.value)
    assert "different ends" in changed.scores[0].cv.reason
    differing = {one.name for one in qgstec.properties if not one.same}
    assert {"scale of question type", "judges", "ratings per item"} <= differing
    assert "systems" not in differing


def test_items_that_are_not_the_same_have_no_labels_in_common(qgstec):
    assert all(part.labels is None and part.shared == 0 for part in qgstec.criteria)


def study(ratings, judges=("A", "B")):
    """Four systems with two items each; `ratings` are those of both judges, item by item."""
    names = ("item", "judge", "rating", "system")
    rows = [
        (f"q{item}", judge, rating, f"s{item // 2}")
        for item, given in enumerate(ratings)
        for judge, rating in zip(judges, given, strict=True)
    ]
    return Ratings(dict(zip(names, zip(*rows, strict=True), strict=True)), scale="1-5")


FIRST = [(1, 1), (1, 2), (2, 2), (3, 3), (4, 4), (3, 4), (5, 5), (5, 4)]
SECOND = [(1, 1), (2, 2), (4, 4), (4, 3), (3, 3), (3, 4), (5, 5), (5, 5)]


def test_sets_of_scores_labels_and_findings_by_hand():
    found = replication(study(SECOND, ("C", "D")), study(FIRST))
    (part,) = found.criteria
    by_name = {score.system: (score.old, score.new) for score in part.scores}
    assert by_name["s1"] == (2.5, 3.75)
    # CV* of 2.5 and 3.75 on a scale that begins at 1: 199.401 × 1.25/4.25
    score = next(score for score in part.scores if score.system == "s1")
    assert score.cv.value == pytest.approx(199.4011 * 1.25 / 4.25, abs=1e-3)
    systems = next(sets for sets in part.sets if sets.of == "systems")
    # means 1.25 2.5 3.75 4.75 and 1.5 3.75 3.25 5; ranks 1 2 3 4 and 1 3 2 4
    assert systems.spearman == pytest.approx(0.8)
    assert systems.pearson == pytest.approx(np.corrcoef([1.25, 2.5, 3.75, 4.75],
                                                        [1.5, 3.75, 3.25, 5])[0, 1])  # fmt: skip
    assert part.upheld("pair") == (5, 6)
    assert part.upheld("best") == (1, 1)
    assert part.shared == 8
    judges = next(one for one in found.properties if one.name == "shared judges")
    assert judges.old == "0 of 2 judges in both"


def test_a_study_beside_itself_agrees_with_itself():
    (part,) = replication(study(FIRST), study(FIRST)).criteria
    assert part.labels.value == 1
    assert all(finding.upheld for finding in part.findings)
    assert all(score.cv.value == 0 for score in part.scores)


def test_studies_without_a_common_criterion_are_refused():
    table = {"item": [1, 2], "judge": ["A", "A"], "rating": [1, 2], "criterion": ["x", "x"]}
    with pytest.raises(InvalidArgument, match="no criterion in common"):
        replication(study(FIRST), Ratings(table, scale="1-5"))


def test_the_report_says_it_in_every_form(tmp_path):
    for ending in ("html", "md", "tex", "json", "csv", "docx"):
        path = tmp_path / f"made.{ending}"
        made = replication_report(study(SECOND), study(FIRST), path)
        assert path.stat().st_size > 500
    assert "5 of 6 pairs of systems" in made.short()
    assert "P = .83" in made.markdown()


def test_every_column_of_the_report_has_a_name():
    first, again = (datasets.load(f"qgstec-{name}") for name in ("original", "reevaluated"))
    made = replication_report(again, first, items="different")
    tables = [
        block for part in made.contents.sections for block in part.blocks if block.shape == "table"
    ]
    assert len(tables) >= 2
    assert all(column.title for each in tables for column in each.columns)
