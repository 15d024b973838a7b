"""`covary crowd report`: a crowd beside experts, in every form, from files as people have them."""

import csv
import json
import re

import pytest

from tests.analysis.crowd_studies import PRINTED, drawn
from tests.cli.recruiting_studies import study, visited  # noqa: F401 (fixtures)

FORMS = {"html": ".html", "markdown": ".md", "latex": ".tex", "json": ".json", "csv": ".csv"}


def written(path, rows):
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(rows)
    return path


@pytest.fixture
def files(tmp_path):
    """Wide files: three votes and two experts on 60 turns of 12 sessions."""
    votes, experts, _ = drawn(5, items=60)
    names = [[f"t{n}", f"s{n % 12}"] for n in range(60)]
    head = ["item", "session"]
    return (
        written(tmp_path / "votes.csv", [[*head, "vote_1", "vote_2", "vote_3"],
                *([*name, *(each + 1)] for name, each in zip(names, votes, strict=True))]),
        written(tmp_path / "experts.csv", [[*head, "Ada", "Ben"],
                *([*name, *(each + 1)] for name, each in zip(names, experts, strict=True))]),
    )  # fmt: skip


def report(run, files, *more):
    votes, experts = files
    return run("crowd", "report", votes, "--experts", experts, "--scale", "1-3",
               "--permutations", "300", *more)  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_the_report_is_written_in_every_form(run, files, tmp_path, form):
    ended = report(run, files, "--format", form, "-o", tmp_path / f"crowd{FORMS[form]}")
    assert ended.code == 0, ended.err
    assert (tmp_path / f"crowd{FORMS[form]}").stat().st_size > 500
    assert "Cohen's kappa" in ended.out
    assert "The standard deviation over arrangements is not a standard error" in ended.out


def test_columns_of_votes_are_arranged_and_never_taken_for_judges(run, files, tmp_path):
    ended = report(run, files, "-o", tmp_path / "crowd.json")
    assert "are numbered votes, not individual judges" in ended.out
    found = json.loads((tmp_path / "crowd.json").read_text(encoding="utf-8"))["crowd"]
    assert {each["arrangements"] for each in found["arrangements"]} == {300}
    assert found["judges"]["known"] is False
    votes, _ = files
    ended = run("crowd", "report", votes, "--experts", votes, "--scale", "1-3")
    assert ended.code == 1
    assert "there is no agreement between such columns" in ended.err
    assert "random arrangements of the votes" in ended.err


def test_the_reliability_report_of_votes_follows_no_judge(run, files):
    ended = run("report", files[0], "--scale", "1-3", "--no-intervals", "--format", "markdown")
    assert "gamma of exchangeable ratings" in " ".join(ended.out.split())
    text = files[0].with_name("votes-report.md").read_text(encoding="utf-8")
    assert "exchangeable_gamma|" in text
    assert "cohen_kappa|" not in text


def test_prices_wage_methods_and_coefficients_reach_the_report(run, files, tmp_path):
    """60 items × 3 votes × .06 = 10.80."""
    ended = report(run, files, "--pay", "0.05", "--fee", "0.01", "--method", "majority",
                   "--coefficient", "scott_pi", "-o", tmp_path / "crowd.json")  # fmt: skip
    found = json.loads((tmp_path / "crowd.json").read_text(encoding="utf-8"))["crowd"]
    assert found["costs"]["crowd_cost"] == pytest.approx(10.80)
    assert found["methods"] == ["majority"]
    assert [name for name, _ in found["coefficients"]] == ["scott_pi"]
    assert "The crowd cost 10.80: " in ended.out


def test_the_same_seed_gives_the_same_report(run, files, tmp_path):
    made = [tmp_path / name for name in ("a.json", "b.json", "c.json")]
    for path, seed in zip(made, ("3", "3", "4"), strict=True):
        report(run, files, "--seed", seed, "-o", path)
    first, again, other = (path.read_text(encoding="utf-8") for path in made)
    assert first == again != other


def test_experts_may_stand_in_the_same_file_as_a_group(run, tmp_path):
    votes, experts, _ = drawn(6, items=40)
    rows = [["item", "judge", "rating", "group"]]
    for n in range(40):
        rows += [[f"t{n}", f"w{(n + slot) % 7}", votes[n, slot] + 1, "crowd"] for slot in range(3)]
        rows += [[f"t{n}", name, experts[n, place] + 1, "expert"]
                 for place, name in enumerate(("Ada", "Ben"))]  # fmt: skip
    file = written(tmp_path / "all.csv", rows)
    ended = run("crowd", "report", file, "--expert-group", "expert", "--scale", "1-3",
                "--arrangements", "200", "-o", tmp_path / "crowd.md")  # fmt: skip
    assert ended.code == 0, ended.err
    assert "with Ada" in ended.out
    assert "7 people gave 120 votes" in ended.out
    ended = run("crowd", "report", file, "--expert-group", "experts", "--scale", "1-3")
    assert "the groups of judges are 'crowd', 'expert'" in ended.err


def test_the_columns_of_the_experts_may_be_said(run, files, tmp_path):
    votes, experts = files
    text = experts.read_text(encoding="utf-8").replace("item,session,", "turn nr,talk,", 1)
    experts.write_text(text, encoding="utf-8")
    ended = report(run, files, "--experts-column", "item=turn nr", "--experts-wide", "Ada,Ben",
                   "-o", tmp_path / "crowd.md")  # fmt: skip
    assert ended.code == 0, ended.err
    assert run("crowd", "report", votes, "--experts", experts, "--experts-column", "nr").code == 2


@pytest.mark.parametrize("given", [(), ("--experts", "e.csv", "--expert-group", "x")])
def test_who_the_experts_are_must_be_said_once(run, files, given):
    ended = run("crowd", "report", files[0], *given)
    assert ended.code == 2
    assert "say who the experts are" in ended.err


def test_what_is_wrong_with_the_experts_is_said_of_them(run, files):
    files[1].write_text("item,Ada,Ben\nt1,1,9\nt2,2,1\n", encoding="utf-8")
    ended = report(run, files)
    assert ended.code == 1
    assert ended.err.startswith("covary: the experts: ")


def test_the_printed_agreement_of_two_experts_comes_back(run, tmp_path):
    """Banchs (2016): kappa .3736 and ICC .5454 between two experts on 405 turns."""
    assert PRINTED.sum() == 405
    pairs = [(a, b) for a in range(3) for b in range(3) for _ in range(PRINTED[a, b])]
    votes = written(
        tmp_path / "votes.csv",
        [
            ["item", "vote_1", "vote_2", "vote_3"],
            *([f"t{n}", a + 1, b + 1, a + 1] for n, (a, b) in enumerate(pairs)),
        ],
    )
    judged = written(tmp_path / "experts.csv", [["item", "A", "B"],
                     *([f"t{n}", a + 1, b + 1] for n, (a, b) in enumerate(pairs))])  # fmt: skip
    ended = run("crowd", "report", votes, "--experts", judged, "--scale", "1-3", "--pay", "0.05",
                "--fee", "0.01", "--arrangements", "200", "-o", tmp_path / "c.json")  # fmt: skip
    assert re.search(r"A with B: \.37", ended.out)
    assert "The crowd cost 72.90: 1,215 votes at 0.06." in ended.out
    found = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))["crowd"]
    between = {e["coefficient"]: e["value"] for e in found["agreement"] if e["kind"] == "experts"}
    assert between["cohen_kappa"] == pytest.approx(0.3736, abs=5e-5)
    assert between["fisher_icc"] == pytest.approx(0.5454, abs=5e-5)


def test_a_study_is_compared_on_its_own_scale(run, visited, tmp_path):  # noqa: F811
    """Two people rated all four items and one rated one; everybody said 3."""
    experts = written(tmp_path / "experts.csv", [["item", "Ada", "Ben"],
                      *([f"a{n}", 3, n] for n in range(1, 5))])  # fmt: skip
    ended = run("crowd", "report", visited, "--experts", experts, "--arrangements", "50",
                "--coefficient", "percent_agreement", "-o", tmp_path / "c.json")  # fmt: skip
    assert ended.code == 0, ended.err
    found = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))["crowd"]
    assert (found["n_items"], found["n_votes"]) == (4, 9)
    shares = {each["expert"]: each["mean"] for each in found["arrangements"]}
    assert shares == {"Ada": 1.0, "Ben": 0.25}
