"""`covary crowd` on Prolific: nothing is paid unless it was said, asked, and earned here."""

import pytest

from tests.cli.recruiting_studies import study, visited  # noqa: F401 (fixtures)
from tests.crowd.fake_prolific import TOKEN, FakeProlific, Served

WAITING = "AWAITING REVIEW"


@pytest.fixture
def fake():
    return FakeProlific(
        submissions=[
            {"id": "sub-p1", "participant_id": "p1", "status": WAITING, "study_code": "DONE1",
             "time_taken": 600},
            {"id": "sub-p2", "participant_id": "p2", "status": "APPROVED", "study_code": "DONE1",
             "time_taken": 1200},
            {"id": "sub-p4", "participant_id": "p4", "status": WAITING, "study_code": "FAIL1"},
            {"id": "sub-p5", "participant_id": "p5", "status": WAITING, "study_code": "DONE1"},
            {"id": "sub-x", "participant_id": "x", "status": WAITING, "study_code": "DONE1"},
        ]
    )  # fmt: skip


@pytest.fixture
def prolific(run, fake, monkeypatch):
    """Run a command against a Prolific on this machine."""
    monkeypatch.setenv("PROLIFIC_TOKEN", TOKEN)
    with Served(fake) as running:

        def command(name, *arguments):
            return run("crowd", name, *arguments, "--server", running.address)

        yield command


def paid(fake):
    """Whatever was sent that changes something."""
    return [each.path for each in fake.asked if each.method == "POST"]


def test_a_draft_has_link_codes_reward_time_and_places(prolific, fake, study):  # noqa: F811
    ended = prolific("draft", study, "--address", "https://study.example.org")
    assert ended.code == 0, ended.err
    made = fake.studies["study1"]
    assert made["name"] == "Small talk"
    assert made["external_study_url"].startswith("https://study.example.org/join/")
    assert made["external_study_url"].endswith("SESSION_ID={{%SESSION_ID%}}")
    assert [(each["code"], each["code_type"]) for each in made["completion_codes"]] == [
        ("DONE1", "COMPLETED"), ("OUT1", "OTHER"), ("FAIL1", "FAILED_ATTENTION_CHECK"),
        ("BACK1", "NO_CONSENT"),
    ]  # fmt: skip
    assert made["reward"] == 200
    assert made["estimated_completion_time"] == 10
    assert made["total_available_places"] == 6
    assert "publish" in ended.out
    assert fake.studies["study1"]["status"] == "UNPUBLISHED"


def test_publishing_says_what_it_costs_and_waits_to_be_told(prolific, fake, study):  # noqa: F811
    prolific("draft", study, "--address", "https://study.example.org")
    ended = prolific("publish", study, "--study-id", "study1")
    assert "This would publish study1 to 6 people, which will cost 15.00 GBP." in ended.out
    assert fake.studies["study1"]["status"] == "UNPUBLISHED"
    prolific("publish", study, "--study-id", "study1", "--now", "--yes")
    assert fake.studies["study1"]["status"] == "ACTIVE"


def test_submissions_stand_beside_what_the_study_knows(
    prolific, fake, visited, tmp_path  # noqa: F811
):  # fmt: skip
    ended = prolific("submissions", visited, "-o", tmp_path / "due.csv")
    assert ended.code == 0, ended.err
    assert fake.asked[0].query["study"] == "study1"
    assert "sub-p1: AWAITING REVIEW, done, 10.0 min; approve" in ended.out
    assert "sub-p5: AWAITING REVIEW, at work; look: came with the code" in ended.out
    assert "sub-x: AWAITING REVIEW, not here; look: came with the code" in ended.out
    assert (tmp_path / "due.csv").exists()
    assert paid(fake) == []


def test_only_who_finished_here_is_approved_and_only_when_said(
    prolific, fake, visited  # noqa: F811
):  # fmt: skip
    ended = prolific("approve", visited)
    assert "This would approve 1 submission, which pays 2.00 GBP" in ended.out
    assert paid(fake) == []
    ended = prolific("approve", visited, "--now", "--yes")
    assert ended.code == 0, ended.err
    assert paid(fake) == ["/api/v1/submissions/sub-p1/transition/"]
    assert "3 others wait for you, and are not approved" in ended.out


def test_a_no_is_a_no(prolific, fake, visited, monkeypatch):  # noqa: F811
    monkeypatch.setattr("click.confirm", lambda *_, **__: False)
    prolific("approve", visited, "--now")
    prolific("bonus", visited, "--now")
    prolific("publish", visited, "--now")
    assert paid(fake) == []


def test_bonuses_reach_the_wage_and_are_paid_once(prolific, fake, visited):  # noqa: F811
    """p2 was approved: 20 minutes at 12.00 an hour are 4.00, of which 2.00 was paid."""
    ended = prolific("bonus", visited)
    assert "sub-p2: 2.00" in ended.out
    assert paid(fake) == []
    ended = prolific("bonus", visited, "--now", "--yes")
    set_up = next(each for each in fake.asked if each.path.endswith("/bonus-payments/"))
    assert set_up.content["csv_bonuses"] == "sub-p2,2.00"
    assert fake.paid == ["bonus1"]
    assert "Paid: 2.40." in ended.out
    fake.bonuses["sub-p2"] = [200]
    assert "Nobody is due a bonus." in prolific("bonus", visited).out


def test_other_bonuses_come_from_a_file(prolific, fake, visited, tmp_path):  # noqa: F811
    file = tmp_path / "bonuses.csv"
    file.write_text("submission,amount\nsub-p2,0.50\n", encoding="utf-8")
    prolific("bonus", visited, "--amounts", file, "--now", "--yes")
    set_up = next(each for each in fake.asked if each.path.endswith("/bonus-payments/"))
    assert set_up.content["csv_bonuses"] == "sub-p2,0.50"
    file.write_text("submission,amount\nsub-p1,0.50\n", encoding="utf-8")
    ended = prolific("bonus", visited, "--amounts", file, "--now", "--yes")
    assert "'sub-p1' is not an approved submission" in ended.err
    assert fake.paid == ["bonus1"]


def test_the_study_on_prolific_must_be_known(prolific, study):  # noqa: F811
    ended = prolific("approve", study)
    assert ended.code == 2
    assert "say --study-id" in ended.err


def test_a_token_is_asked_for_where_there_is_none_and_never_shown(
    run, visited, fake, monkeypatch  # noqa: F811
):  # fmt: skip
    monkeypatch.delenv("PROLIFIC_TOKEN", raising=False)
    ended = run("crowd", "approve", visited)
    assert ended.code == 1
    assert "environment variable PROLIFIC_TOKEN" in ended.err
    monkeypatch.setenv("PROLIFIC_TOKEN", "wrong-token-9")
    with Served(fake) as running:
        ended = run("crowd", "approve", visited, "--server", running.address)
    assert ended.code == 1
    assert "the token is wrong" in ended.err
    assert "wrong-token-9" not in ended.out + ended.err


DOWNLOADED = """\
Submission id,Participant id,Status,Custom study tasks accepted at,Started at,Completed at,\
Reviewed at,Archived at,Time taken,Completion code,Total approvals,Age,Sex
sub-p1,p1,AWAITING REVIEW,Not Applicable,2026-02-03T09:00:00.000Z,2026-02-03T09:10:00.000Z,,,600,\
DONE1,31,44,Female
sub-p5,p5,AWAITING REVIEW,Not Applicable,2026-02-03T09:00:00.000Z,2026-02-03T09:20:00.000Z,,,,\
DONE1,7,DATA_EXPIRED,Male
sub-p6,p6,RETURNED,Not Applicable,2026-02-03T09:00:00.000Z,,,,,,7,CONSENT_REVOKED,Male
"""
"""The columns of the file as Prolific's help pages list them; p2, who finished here, is missing."""


def test_the_file_that_prolific_downloads_stands_beside_the_study_without_a_token(
    run, visited, tmp_path, monkeypatch  # noqa: F811
):  # fmt: skip
    monkeypatch.delenv("PROLIFIC_TOKEN", raising=False)
    file = tmp_path / "prolific_export.csv"
    file.write_text("\ufeff" + DOWNLOADED, encoding="utf-8")
    ended = run("crowd", "submissions", visited, "--downloaded", file, "-o", tmp_path / "due.csv")
    assert ended.code == 0, ended.err
    assert "sub-p1: AWAITING REVIEW, done, 10.0 min; approve" in ended.out
    assert "sub-p5: AWAITING REVIEW, at work, 20.0 min; look: came with the code" in ended.out
    assert "sub-p6: RETURNED, returned" in ended.out
    assert "1 person finished here and is not in prolific_export.csv:\n  p2" in ended.out
    assert (tmp_path / "due.csv").read_text().count("\n") == 4


def test_a_file_that_is_no_list_of_submissions_is_refused(run, visited, tmp_path):  # noqa: F811
    file = tmp_path / "ratings.csv"
    file.write_text("Participant id,Status\np1,APPROVED\n")
    ended = run("crowd", "submissions", visited, "--downloaded", file)
    assert ended.code == 1
    assert "it has no column 'Submission id'" in " ".join(ended.err.split())
    file.write_text(DOWNLOADED + DOWNLOADED.splitlines()[1] + "\n")
    ended = run("crowd", "submissions", visited, "--downloaded", file)
    assert "'sub-p1' twice, in the lines 2 and 5" in " ".join(ended.err.split())


def test_a_list_of_submissions_is_not_read_as_ratings(run, tmp_path):
    file = tmp_path / "prolific_export.csv"
    file.write_text(DOWNLOADED)
    ended = run("check", file)
    assert ended.code == 1
    assert "'covary crowd submissions' reads it" in " ".join(ended.err.split())
