"""[recruiting] of study.toml: what it says, and every fault in it with its line."""

from decimal import Decimal

import pytest

from covary.study import read_study
from tests.study.folders import ITEMS, TOML, faults_of, only_fault, write_study

BEGIN = '[recruiting]\ndone = "C1"\n'
CHECKED = (
    "item,text,kind,expected_Fluency\na1,One.,item,\np1,Try.,practice,3\n"
    "c1,Please choose 4.,check,4\n"
)


def written(folder, table, items=ITEMS, toml=TOML):
    return write_study(folder, f"{toml}\n{table}", items)


def test_a_study_without_the_table_does_not_recruit(tmp_path):
    assert read_study(write_study(tmp_path)).recruiting is None


def test_everything_that_can_be_said(tmp_path):
    table = """
[design]
judges = 12

[recruiting]
platform = "prolific"
done = "C1"
screened_out = "C2"
failed = "C3"
returned = "C4"
currency = "GBP"
pay = 2.5
screen_out_pay = "0.10"
fee_share = "0.33"
minimum_wage = 12
minutes = 10
places = 12
abandon_after_minutes = 45
qualify = 0.8
attempts = 3
failed_checks_allowed = 0
"""
    found = read_study(written(tmp_path, table, CHECKED)).recruiting
    assert (found.done, found.screened_out, found.failed, found.returned) == (
        "C1", "C2", "C3", "C4",
    )  # fmt: skip
    assert (found.pay, found.fee, found.minimum_wage) == (Decimal("2.5"), 0, 12)
    assert (found.screen_out_pay, found.fee_share) == (Decimal("0.10"), Decimal("0.33"))
    assert (found.places, found.abandon_after_minutes, found.minutes) == (12, 45, 10)
    assert (found.qualify, found.attempts, found.failed_checks_allowed) == (0.8, 3, 0)


def test_little_is_needed(tmp_path):
    found = read_study(written(tmp_path, BEGIN)).recruiting
    assert (found.platform, found.places, found.abandon_after_minutes) == ("prolific", None, 120)
    assert (found.qualify, found.failed_checks_allowed, found.pay) == (None, None, None)


def test_with_a_code_for_it_one_failed_check_is_allowed(tmp_path):
    """In a study of five minutes or more, Prolific asks for two failed checks."""
    found = read_study(written(tmp_path, f'{BEGIN}failed = "C3"', CHECKED)).recruiting
    assert found.failed_checks_allowed == 1


def test_other_platforms_have_addresses(tmp_path):
    table = (
        '[recruiting]\nplatform = "sona"\n[recruiting.addresses]\ndone = "https://x.example/?a=1"'
    )
    assert read_study(written(tmp_path, table)).recruiting.addresses == {
        "done": "https://x.example/?a=1"
    }


def test_a_plain_link_needs_no_code(tmp_path):
    found = read_study(written(tmp_path, '[recruiting]\nplatform = "link"')).recruiting
    assert found.done == ""


@pytest.mark.parametrize(
    ("table", "key", "words"),
    [
        ("[recruiting]", "done", "is missing; set done"),
        ('[recruiting]\nplatform = "connect"', "done", "under [recruiting.addresses]"),
        ('[recruiting]\nplatform = "prolfic"\ndone = "C"', "platform", "did you mean 'prolific'"),
        (f'{BEGIN}failed = "C1"', "failed", "is the code of done too"),
        (f'{BEGIN}returned = "a b"', "returned", "is not a code"),
        (f'{BEGIN}pay = "two"', "pay", "is not an amount of money"),
        (f"{BEGIN}pay = -1", "pay", "is not an amount of money"),
        (f"{BEGIN}pay = nan", "pay", "is not an amount of money"),
        (f"{BEGIN}pay = true", "pay", "is not an amount of money"),
        (f"{BEGIN}minutes = 0", "minutes", "must be more than 0"),
        (f"{BEGIN}abandon_after_minutes = -5", "abandon_after_minutes", "at least 0"),
        (f"{BEGIN}places = 0", "places", "whole number of at least 1"),
        (f"{BEGIN}places = 3", "places", "set judges = 3 under [design]"),
        (f"{BEGIN}attempts = 0", "attempts", "at least 1"),
        (f"{BEGIN}payment = 2", "payment", "unknown key"),
        (f'{BEGIN}[recruiting.addresses]\nback = "x"', "addresses.back", "unknown key"),
        (f'{BEGIN}screened_out = "C2"\nqualify = 1', "qualify", "no practice item has an expected"),
        (f'{BEGIN}failed = "C2"\nfailed_checks_allowed = 1', "failed_checks_allowed",
         "no check item has an expected"),
        ('[recruiting]\nplatform = "sona"\n[recruiting.addresses]\ndone = "http://x.example"',
         "addresses.done", "must be an address with https://"),
        (f'{BEGIN}[recruiting.addresses]\ndone = "https://x.example"', "addresses",
         "made from the code"),
    ],
)  # fmt: skip
def test_a_fault_says_where_and_what(tmp_path, table, key, words):
    fault = only_fault(written(tmp_path, table))
    assert (fault.file, fault.key) == ("study.toml", f"recruiting.{key}")
    assert words in fault.message
    assert fault.line is not None


@pytest.mark.parametrize(("share", "right"), [(0, False), (1.5, False), (0.5, True), (1, True)])
def test_what_qualifies_is_a_share(tmp_path, share, right):
    table = f'{BEGIN}screened_out = "C2"\nqualify = {share}'
    assert (faults_of(written(tmp_path, table, CHECKED)) == ()) is right


def test_an_end_without_a_way_back_is_a_fault(tmp_path):
    fault = only_fault(written(tmp_path, f"{BEGIN}qualify = 1", CHECKED))
    assert fault.key == "recruiting.screened_out"
    fault = only_fault(written(tmp_path, f"{BEGIN}failed_checks_allowed = 1", CHECKED))
    assert fault.key == "recruiting.failed"


def test_a_table_of_the_wrong_kind_is_a_fault(tmp_path):
    assert (
        "must be a table"
        in faults_of(written(tmp_path, "", toml='recruiting = "yes"\n' + TOML))[0].message
    )
