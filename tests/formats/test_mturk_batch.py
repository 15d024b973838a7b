"""Batches of Mechanical Turk row by row: what was paid for how long, and which rows are broken."""

from decimal import Decimal

import pytest

from covary.crowd.cost import batch_cost
from covary.errors import RatingsError
from covary.formats.mturk import BATCH_COLUMNS, read_batch, write_batch
from tests.formats.test_mturk import FIXED, batch, by


def test_the_27_columns_stand_in_the_order_of_the_platform():
    assert list(BATCH_COLUMNS) == FIXED.split()
    assert len(BATCH_COLUMNS) == 27


def test_rewards_times_and_statuses_are_read(file):
    content = batch(
        by("w1", seconds="30", Reward="$0.05", MaxAssignments="3", **{"Answer.q": "4"}),
        by("w2", seconds="", Reward="", AssignmentStatus="submitted", **{"Answer.q": "3"}),
        by("w3", hit="h2", AssignmentStatus="Rejected", **{"Answer.q": "1"}),
    )
    found = read_batch(file(content))
    first, second, third = found.assignments
    assert (first.reward, first.seconds, first.of_hit) == (Decimal("0.05"), 30.0, 3)
    assert (second.reward, second.seconds, second.of_hit) == (None, None, None)
    assert (first.hit, first.worker, third.hit) == ("h1", "w1", "h2")
    assert dict(found.statuses) == {"Submitted": 1, "Approved": 1, "Rejected": 1}
    assert (found.broken, found.missing) == ((), ())


@pytest.mark.parametrize(
    ("change", "column", "words"),
    [
        ({"Reward": "five cents"}, "Reward", "'five cents' is not an amount"),
        ({"WorkTimeInSeconds": "-3"}, "WorkTimeInSeconds", "'-3' is not a number of seconds"),
        ({"AssignmentStatus": "Lost"}, "AssignmentStatus", "'Lost' is none of"),
        ({"WorkerId": ""}, "WorkerId", "is empty"),
        ({"HITId": " "}, "HITId", "is empty"),
        ({"AssignmentId": "a0"}, "AssignmentId", "'a0' is already in line 2"),
        ({"WorkerId": "w1"}, "WorkerId", "'w1' did HIT 'h1' in line 2 already"),
        ({"Answer.q": ""}, "", "no question was answered"),
    ],
)
def test_a_broken_row_is_named_with_its_line_and_what_is_wrong(file, change, column, words):
    answer = {"Answer.q": "4"}
    found = read_batch(file(batch(by("w1", **answer), by("w2", **answer) | change)))
    (broken,) = found.broken
    assert (broken.line, broken.column) == (3, column)
    assert words in str(broken)
    assert len(found.assignments) == 1


def test_rows_with_too_many_or_too_few_cells_are_named_and_the_others_kept(file):
    lines = batch(*(by(f"w{n}", **{"Answer.q": "4"}) for n in range(3))).splitlines()
    lines[2] += ',"more"'
    lines[3] = ",".join(lines[3].split(",")[:-3])
    found = read_batch(file("\n".join(lines)))
    assert [each.line for each in found.broken] == [3, 4]
    assert "31 cells where the first row has 30" in str(found.broken[0])
    assert [each.worker for each in found.assignments] == ["w0"]


def test_rows_without_approve_and_reject_at_their_end_are_whole(file):
    header, row = batch(by("w1", **{"Answer.q": "4"})).splitlines()
    short = row.removesuffix(',"",""')
    found = read_batch(file(f"{header}\n{short}\n"))
    assert found.broken == ()
    assert found.cells[0][-2:] == ("", "")


def test_a_row_over_several_lines_is_named_by_its_first(file):
    content = batch(
        by("w1", Title="Rate,\nplease", **{"Answer.q": "4"}),
        by("w2", Reward="?", **{"Answer.q": "1"}),
    )
    (broken,) = read_batch(file(content)).broken
    assert broken.line == 4


def test_what_is_no_batch_is_refused(file):
    with pytest.raises(RatingsError, match="not a batch of Mechanical Turk"):
        read_batch(file("item,judge,rating\nq1,Ann,4\n"))


def test_the_sound_rows_are_written_as_they_were(file, tmp_path):
    content = batch(by("w1", **{"Answer.q": "4"}), by("w2", Reward="?", **{"Answer.q": "1"}))
    again = read_batch(write_batch(read_batch(file(content)), tmp_path / "sound.csv"))
    assert [each.worker for each in again.assignments] == ["w1"]
    assert again.columns == read_batch(file(content)).columns


def test_fees_are_a_fifth_and_two_fifths_with_ten_assignments_and_a_cent_at_least(file):
    """.05 → .01; 1.00 → .20; 1.00 with ten assignments → .40; a rejected one costs nothing."""
    answer = {"Answer.q": "4"}
    content = batch(
        by("w1", seconds="30", Reward="$0.05", MaxAssignments="3", **answer),
        by("w2", seconds="600", Reward="$1.00", MaxAssignments="9", **answer),
        by("w3", seconds="600", Reward="$1.00", MaxAssignments="10", AssignmentStatus="Submitted",
           **answer),
        by("w4", Reward="$1.00", AssignmentStatus="Rejected", **answer),
    )  # fmt: skip
    cost = batch_cost(read_batch(file(content)).assignments)
    assert (cost.paid, cost.owed) == (Decimal("1.05"), Decimal("1.00"))
    assert cost.fees == Decimal("0.01") + Decimal("0.20") + Decimal("0.40")
    assert cost.total == Decimal("2.66")
    assert cost.hourly == pytest.approx(2.05 * 3600 / 1230)
    assert (cost.seconds_mean, cost.seconds_median) == (410.0, 600.0)


def test_banchs_rewards_of_five_cents_and_a_fee_of_one_cost_72_90(file):
    """405 HITs × 3 assignments × (.05 + .01), 1215 / 33 = 36.82 assignments of a worker."""
    rows = [
        by(f"w{(3 * hit + slot) % 33}", f"h{hit}", "30", Reward="$0.05", MaxAssignments="3",
           **{"Answer.q": "3"})
        for hit in range(405) for slot in range(3)
    ]  # fmt: skip
    found = read_batch(file(batch(*rows)))
    assert batch_cost(found.assignments).total == Decimal("72.90")
    assert batch_cost(found.assignments).hourly == pytest.approx(6.0)
    workers = {each.worker for each in found.assignments}
    assert round(len(found.assignments) / len(workers), 2) == 36.82
