"""`covary crowd` for a study: what it costs, whether it keeps the rules, who came, what is due."""

import csv
import re

import pytest

from covary.design import make_plan
from covary.store import Store
from covary.study import read_study
from tests.cli.recruiting_studies import (  # noqa: F401 (fixtures)
    ITEMS,
    TOML,
    answer_of,
    study,
    visited,
)
from tests.study.folders import write_study


def test_the_estimate_is_people_times_pay_and_fee(run, study):  # noqa: F811
    """6 × 2.00 = 12.00, a quarter of it 3.00; 10 minutes at 2.00 are 12.00 an hour."""
    ended = run("crowd", "cost", study)
    assert ended.code == 0, ended.err
    assert "6 × 2.00 = 12.00 GBP" in ended.out
    assert re.search(r"in all +15.00 GBP, 3.75 for each item", ended.out)
    assert re.search(r"time +10 minutes each, 1.0 hours in all", ended.out)
    assert re.search(r"an hour pays +12.00 GBP", ended.out)
    assert "less than" not in ended.out


def test_pay_under_the_minimum_wage_is_told_with_what_would_do(run, study):  # noqa: F811
    ended = run("crowd", "cost", study, "--minutes", "15", "--people", "20")
    assert "20 × 2.00 = 40.00 GBP" in ended.out
    assert "less than the minimum wage of 12.00; pay 3.00 or more" in ended.out


def test_a_study_without_recruiting_can_be_costed_by_options(run, tmp_path):
    folder = write_study(tmp_path / "talk", TOML, ITEMS)
    ended = run("crowd", "cost", folder, "--pay", "1.50", "--fee", "0.5")
    assert ended.code == 0, ended.err
    assert re.search(r"in all +12.00", ended.out)
    ended = run("crowd", "cost", folder)
    assert ended.code == 1
    assert "add a table [recruiting] to study.toml" in ended.err


def test_the_account_is_of_those_who_are_done(run, visited):  # noqa: F811
    """Two done: 4.00, and .20 for the one screened out; 4.00 in 30 minutes is 8.00 an hour."""
    ended = run("crowd", "cost", visited)
    assert "So far 2 people are done and 1 was screened out: 4.20 GBP in pay, 1.05 in" in ended.out
    assert "An hour paid 8.00 GBP, the median of people 9.00." in ended.out
    assert "bonuses of 2.00 in" in ended.out
    assert "2 done, 1 screened out, 1 failed checks, 1 withdrew, 1 at work" in ended.out


def test_the_rules_are_checked_and_a_broken_one_is_an_error(run, study):  # noqa: F811
    ended = run("crowd", "lint", study)
    assert ended.code == 0
    assert "should: checks: there is no attention check" in ended.out
    ended = run("crowd", "lint", study, "--message", "No.")
    assert ended.code == 1
    assert "must: rejection: the message has 3 characters" in ended.out


def test_the_link_has_the_parameters_of_the_platform_and_stays_until_it_is_replaced(
    run, study  # noqa: F811
):  # fmt: skip
    address = ("--address", "https://study.example.org/")
    first, again = (run("crowd", "link", study, *address) for _ in range(2))
    line = first.out.splitlines()[0]
    assert line == again.out.splitlines()[0]
    assert re.fullmatch(
        r"https://study\.example\.org/join/[\w-]{32}\?PROLIFIC_PID={{%PROLIFIC_PID%}}"
        r"&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
        line,
    )
    for code in ("DONE1", "OUT1", "FAIL1", "BACK1"):
        assert code in first.out
    other = run("crowd", "link", study, *address, "--new")
    assert other.out.splitlines()[0] != line
    assert run("crowd", "link", study, *address, "--revoke").code == 0
    with Store.open(study / "study.db") as store:
        assert store.visits.join_secret() is None


def test_a_link_can_be_tried_on_this_machine(run, study):  # noqa: F811
    ended = run("crowd", "link", study, "--address", "http://127.0.0.1:8000")
    assert ended.code == 0, ended.err
    assert ended.out.startswith("http://127.0.0.1:8000/join/")
    assert "works on this machine only" in ended.out


def test_a_link_without_https_or_recruiting_is_refused(run, study, tmp_path):  # noqa: F811
    ended = run("crowd", "link", study, "--address", "http://study.example.org")
    assert ended.code == 1
    assert "must begin with https://" in ended.err
    ended = run("crowd", "link", study, "--address", "http://127.0.0.1.example.org")
    assert ended.code == 1
    folder = write_study(tmp_path / "other", TOML, ITEMS)
    ended = run("crowd", "link", folder, "--address", "https://study.example.org")
    assert ended.code == 1
    assert 'done = "' in ended.out


def test_a_study_alone_says_how_it_stands_and_what_to_do_next(run, study):  # noqa: F811
    ended = run("crowd", study)
    assert ended.code == 0
    assert "6 people are wanted from Prolific. The study is not served yet" in ended.out
    assert "The whole will cost 15.00 GBP." in ended.out
    assert f"covary crowd link {study}" in ended.out
    assert run("crowd", "status", study).out == ended.out


def test_a_study_that_people_came_to_says_how_they_stand(run, visited):  # noqa: F811
    ended = run("crowd", visited)
    assert "6 came and 2 of them are done" in ended.out
    # 6 · 2.00 and a quarter; 0.20 and a quarter for the one who was screened out
    assert "The whole will cost 15.25 GBP, with 1 screened out so far." in ended.out
    assert f"covary crowd pay {visited}" in ended.out


def test_a_folder_that_is_no_study_and_a_command_that_is_none_are_told(run, tmp_path):
    ended = run("crowd", tmp_path)
    assert ended.code == 2
    assert "is not the folder of a study" in ended.err
    assert "did you mean 'cost'?" in run("crowd", "cots", tmp_path).err


def test_the_people_are_described(run, visited):  # noqa: F811
    """Items judged: 4, 4, 2 (taken back) and 1; of the sheets that count 4, 4 and 1.

    Gini of 1, 4, 4: (-2·1 + 0·4 + 2·4) / (3·9) = 6/27 = .22; the busiest has 4/9.
    """
    ended = run("crowd", "people", visited)
    assert ended.code == 0, ended.err
    said = {
        line.strip()[:34].strip(): line.strip()[34:].strip() for line in ended.out.splitlines()[1:]
    }
    assert said["done"] == "2"
    assert said["came more than once"] == "1"
    assert (said["of a person, fewest"], said["of a person, most"]) == ("1", "4")
    assert said["of a person, mean"] == "3.00"
    assert said["Gini"] == "0.22"
    assert said["share of the busiest"] == "44.4%"
    assert said["minutes of who is done, median"] == "15.0"


def test_judges_with_personal_links_are_described_too(run, study):  # noqa: F811
    plan = make_plan(read_study(study))
    with Store.open(study / "study.db") as store:
        store.sheets.put(plan.sheets)
        ended = run("crowd", "people", study)
        assert "nobody has come or judged anything yet" in ended.err
        judge = store.judges.add("Ann")[0].id
        sheet = store.sheets.issue(judge)
        store.answers.save([answer_of(judge, sheet.number, task) for task in sheet.tasks[:3]])
    ended = run("crowd", "people", study)
    assert "1 by personal links" in ended.out
    assert re.search(r"of a person, most +3", ended.out)


def test_nobody_who_came_is_told(run, study):  # noqa: F811
    for command in ("people", "pay"):
        ended = run("crowd", command, study)
        assert ended.code == 1


def test_the_payments_hold_a_row_for_everybody_who_came(run, visited, tmp_path):  # noqa: F811
    """20 minutes at 12.00 an hour are 4.00, of which 2.00 was paid."""
    ended = run("crowd", "pay", visited, "-o", tmp_path / "due.csv")
    assert ended.code == 0, ended.err
    assert (tmp_path / "due.csv").stat().st_mode & 0o777 == 0o600
    with (tmp_path / "due.csv").open(encoding="utf-8", newline="") as stream:
        rows = {row["participant"]: row for row in csv.DictReader(stream)}
    told = {name: (row["ended"], row["pay"], row["top_up"]) for name, row in rows.items()}
    assert told == {
        "p1": ("done", "2.00", "0.00"),
        "p2": ("done", "2.00", "2.00"),
        "p3": ("screened out", "0.20", "0.00"),
        "p4": ("failed checks", "0.00", "0.00"),
        "p5": ("at work", "0.00", "0.00"),
        "p6": ("returned", "0.00", "0.00"),
    }
    assert rows["p5"]["submission"] == "sub-p5-again"
    assert rows["p1"]["to_do"] == "approve"
    assert "3 of them due 4.20 GBP" in ended.out
    assert "1 of them need a bonus, 2.00 GBP in all" in ended.out


@pytest.mark.parametrize(
    ("command", "words"),
    [("cost", "2 done"), ("status", "2 done"), ("people", "6 people came"), ("pay", "6 visits")],
)
def test_another_database_may_be_named(run, visited, tmp_path, command, words):  # noqa: F811
    moved = tmp_path / "elsewhere.db"
    with Store.open(visited / "study.db") as store:
        store.backup(moved)
    (visited / "study.db").unlink()
    ended = run("crowd", command, visited, "--database", moved)
    assert ended.code == 0, ended.err
    assert words in ended.out


def test_votes_on_items_are_costed_before_there_is_a_study(run):
    """Banchs (2016): 405 turns, three votes, $.05 and a fee of $.01 each: 72.90 dollars."""
    ended = run("crowd", "cost", "--items", "405", "--votes", "3", "--pay", "0.05", "--fee", "0.01")
    assert ended.code == 0, ended.err
    assert re.search(r"assignments +1,215 \(405 items × 3 votes\)", ended.out)
    assert re.search(r"in all +72.90, 0.18 for each item", ended.out)


def test_assignments_of_several_items_take_a_known_time(run):
    """100 items, 3 votes, 10 at once: 30 assignments of 1.00 and 20 %, five minutes each."""
    votes = ("--items", "100", "--votes", "3", "--per", "10")
    prices = ("--pay", "1", "--fee-share", "0.2", "--minutes", "5", "--wage", "12")
    ended = run("crowd", "cost", *votes, *prices)
    assert re.search(r"in all +36.00", ended.out)
    assert re.search(r"time +2.5 hours in all, an hour pays 12.00", ended.out)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--items", "405"], "--items and --votes"),
        (["--items", "405", "--votes", "3"], "--pay"),
        (["here", "--items", "405"], "give either them or a study"),
    ],
    ids=["votes", "pay", "study"],
)
def test_a_plan_that_lacks_something_says_what(run, options, words):
    ended = run("crowd", "cost", *options)
    assert ended.code != 0
    assert words in ended.err.replace("\n", " ")
