"""`covary plan`: what it writes and prints, and when it refuses."""

import json
import math
import shutil
import tomllib

import pytest

from covary.analysis.planning import StudySize, known_components, power
from covary.store import Store
from covary.store.export import first_ratings, ratings_of
from covary.study import read_study, write_template
from tests.cli import recruiting_studies
from tests.cli.conftest import written
from tests.journeys.playing import covary

study, visited = recruiting_studies.study, recruiting_studies.visited

APART = ("--judges-apart", "0.8", "--texts-apart", "0.6", "--severity-apart", "0.3")


@pytest.fixture
def pilot(tmp_path):
    """Shrout & Fleiss' six items by four judges."""
    rows = ["9,2,5,8", "6,1,3,2", "8,4,6,8", "7,1,2,6", "10,5,6,9", "6,2,4,7"]
    lines = ["item,A,B,C,D", *(f"i{number},{row}" for number, row in enumerate(rows))]
    return written(tmp_path / "pilot.csv", lines)


def test_the_plan_goes_beside_the_pilot_and_its_table_is_printed(run, pilot):
    ended = run("plan", pilot, "--scale", "1-10", "--level", "interval")
    assert ended.code == 0, ended.err
    assert (pilot.parent / "pilot-plan.html").exists()
    assert "2 " in ended.out  # two ratings an item for .8 in order


def test_values_need_more_ratings_than_the_order(run, pilot):
    out = pilot.parent / "plan.json"
    common = ("--scale", "1-10", "--level", "interval", "-o", out)
    votes = []
    for more in ((), ("--absolute",)):
        assert run("plan", pilot, *common, *more).code == 0
        (criterion,) = json.loads(out.read_text("utf-8"))["plan"]["criteria"]
        votes.append(criterion["votes"])
    assert votes == [2, 10]  # judges needed for .8, relative and absolute, from lme4's components


def test_more_votes_than_judges_are_refused(run, pilot):
    ended = run("plan", pilot, "--scale", "1-10", "--n-judges", "3", "--votes", "5")
    assert ended.code == 1
    assert "3" in ended.err


def test_plain_answers_take_the_place_of_a_pilot(run, tmp_path):
    out = tmp_path / "plan.json"
    ended = run("plan", *APART, "--n-items", "80", "--n-judges", "5", "-o", out)
    assert ended.code == 0, ended.err
    (criterion,) = json.loads(out.read_text("utf-8"))["plan"]["criteria"]
    # Variances π d² / 4: texts .2827, judges .5027 of which severity .0707; .8 needs
    # 4 × .4320 / .2827 = 6.1 ratings.
    assert criterion["components"]["variances"]["item"] == pytest.approx(0.2827, abs=1e-4)
    assert criterion["components"]["variances"]["residual"] == pytest.approx(0.4320, abs=1e-4)
    assert criterion["votes"] == 7


def test_without_a_pilot_the_study_that_is_forecast_is_named_and_no_pilot_is(run, tmp_path):
    """Whoever says neither judges nor votes must see which were taken."""
    page = tmp_path / "plan.md"
    ended = run("plan", "--judges-apart", 1, "--texts-apart", 1.2, "--n-items", 40, "-o", page)
    for told in (ended.out, page.read_text(encoding="utf-8")):
        words = " ".join(told.split())
        assert "Now: 40 items, 3 judges, 3 per item." in words
        assert "components of the pilot" not in words


def test_published_components_and_a_study_that_ships(run, tmp_path):
    out = tmp_path / "plan.json"
    published = ("item=0.591", "judge=0.196", "residual=0.727")
    known = [word for text in published for word in ("--component", text)]
    assert run("plan", *known, "-o", out).code == 0
    assert json.loads(out.read_text("utf-8"))["plan"]["criteria"][0]["votes"] == 5
    ended = run("plan", "--like", "latin-square-example", "-o", out)
    assert ended.code == 0, ended.err
    assert "latin-square-example" in ended.out


def test_nothing_to_plan_from_is_refused_with_the_ways_out(run):
    ended = run("plan")
    assert ended.code == 1
    for option in ("--like", "--component", "--judges-apart"):
        assert option in ended.err


def test_half_an_answer_is_refused_with_the_other_half(run):
    ended = run("plan", "--judges-apart", "1")
    assert ended.code == 2
    assert "--texts-apart" in ended.err


def test_a_preference_of_55_percent_takes_785_judgements(run):
    assert "785" in run("plan", "--preference", "0.55").out
    alike = run("plan", "--preference", "0.55", "--per-source", "5", "--icc", "0.25").out
    assert "1,570" in alike  # the design effect is 2
    assert "314 sources" in alike


def test_the_pay_follows_the_wage_where_none_is_said(run, tmp_path):
    out = tmp_path / "plan.json"
    sizes = ("--n-items", "10", "--n-judges", "4", "--votes", "4")
    paid = ("--wage", "12", "--seconds-each", "30", "--fee-share", "0.5", "--per-judge", "3")
    assert run("plan", *APART, *sizes, *paid, "-o", out).code == 0
    (criterion,) = json.loads(out.read_text("utf-8"))["plan"]["criteria"]
    account = criterion["account"]
    assert account["paid"] == pytest.approx(0.10 * account["ratings"])  # 12 / 120
    assert account["fees"] == pytest.approx(0.05 * account["ratings"])
    assert account["hourly"] == pytest.approx(12)
    assert account["hours"] == pytest.approx(account["ratings"] / 120)


def test_a_plan_is_written_into_a_study_and_kept_beside_it(run, tmp_path):
    study = tmp_path / "summaries"
    write_template(study, "duc-5")
    before = (study / "study.toml").read_text("utf-8")
    sizes = ("--systems-apart", "1.2", "--n-systems", "3", "--difference", "1.5")
    out = tmp_path / "plan.html"
    ended = run("plan", *APART, *sizes, "-o", out, "--write", study)
    assert ended.code == 0, ended.err
    kept = json.loads((study / "plan.json").read_text("utf-8"))
    design = tomllib.loads((study / "study.toml").read_text("utf-8"))["design"]
    assert design["judges"] == kept["size"]["judges"]
    assert design.get("judges_per_item", design["judges"]) == kept["size"]["votes"]
    comments = [line.partition("#")[2] for line in before.splitlines() if "#" in line]
    after = (study / "study.toml").read_text("utf-8")
    assert all(comment in after for comment in comments)
    text = (study / "plan.md").read_text("utf-8")
    assert "## Stopping" in text
    assert "1.50" in text
    assert "add items" in ended.out  # the template has fewer than the plan
    assert run("design", study).code == 0


SIZES = ("--systems-apart", "1.2", "--n-systems", "3", "--difference", "1.5", "--looks", "4")


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """A study that was planned with four looks, and is judged as far as simulated judges went."""
    folder = tmp_path_factory.mktemp("planned")
    study = folder / "summaries"
    write_template(study, "duc-5")
    covary("plan", *APART, *SIZES, "-o", folder / "a.html", "--write", study)
    covary("design", study)
    covary("simulate", study)
    return study


def test_a_running_study_tells_how_far_it_is_and_the_report_whether_the_plan_was_kept(
    run, running, tmp_path
):
    study = tmp_path / "summaries"
    shutil.copytree(running, study)
    ended = run("plan", study, "-o", tmp_path / "b.json")
    assert ended.code == 0, ended.err
    assert "planned" in ended.out
    assert "target .80" in ended.out
    both = json.loads((tmp_path / "b.json").read_text("utf-8"))
    found = both["progress"]
    assert found["record"]["difference"] == 1.5
    assert both["plan"]["goal"]["difference"] == 1.5  # what is cheapest must find it, too
    (study / "simulated.db").rename(study / "study.db")  # as if people had answered
    late = run("plan", *APART, *SIZES, "-o", tmp_path / "c.html", "--write", study)
    assert late.code == 1
    assert "answered" in late.err
    report = tmp_path / "report.md"
    told = run("report", study, "--no-intervals", "-o", report)
    assert told.code == 0
    assert "It was not kept: " in " ".join(told.out.split())
    assert "It was not kept: " in report.read_text("utf-8")


def test_declared_looks_are_kept_and_told_at_their_ratings_only(run, running, tmp_path):
    assert "looked at 4 times" in (running / "plan.md").read_text("utf-8")
    kept = json.loads((running / "plan.json").read_text("utf-8"))
    assert kept["looks"] == 4
    late = run("plan", running, "--looks", "5")
    assert late.code == 1
    assert "--write" in late.err
    ended = run("plan", running, "-o", tmp_path / "b.json")
    assert ended.code == 0, ended.err
    found = json.loads((tmp_path / "b.json").read_text("utf-8"))["progress"]["criteria"][0]
    systems, items, votes = (kept["size"][name] for name in ("systems", "items", "votes"))
    quarter = systems * items * votes / 4
    reached = min(int(found["ratings"] // quarter), 4)
    assert found["look"]["number"] == reached
    if reached < 4:
        assert found["look"]["next_due"] == math.ceil((reached + 1) * quarter)
        assert f"{(reached + 1) / 4:.0%} of the plan" in " ".join(ended.out.split())


def test_the_pay_is_that_of_the_people_who_are_recruited(run, visited, tmp_path):
    ended = run("plan", visited, "-o", tmp_path / "plan.json")
    assert ended.code == 0, ended.err
    price = json.loads((tmp_path / "plan.json").read_text("utf-8"))["plan"]["price"]
    assert price["rating"] == pytest.approx(0.50)  # 2.00 for a person, who rates all four items
    assert price["fee_share"] == pytest.approx(0.25)
    assert float(price["wage"]) == pytest.approx(12)
    own = run("plan", visited, "--pay", "0.08", "-o", tmp_path / "plan.json")
    assert own.code == 0, own.err
    price = json.loads((tmp_path / "plan.json").read_text("utf-8"))["plan"]["price"]
    assert price["rating"] == pytest.approx(0.08)


def test_a_look_is_about_the_answers_that_came_first(visited):
    # Two people rated four items, each in one moment, the second ten minutes after the first.
    with Store.open(visited / "study.db") as store:
        own = read_study(visited)
        first = first_ratings(own, store, None, 2)
        assert (first.n_ratings, len(first.values("judge"))) == (4, 1)
        assert first_ratings(own, store, "Fluency", 5).n_ratings == 8
        every = ratings_of(own, store).n_ratings
        assert first_ratings(own, store, None, every + 9).n_ratings == every


def test_a_pilot_on_another_scale_says_how_many_items_tell_the_two_apart(run, pilot):
    other = written(
        pilot.parent / "slider.csv",
        ["item,A,B,C,D", *(f"i{n},{n}0,{n}4,{n}{n},{n}{7 - n}" for n in range(1, 7))],
    )
    out = pilot.parent / "plan.json"
    common = ("--scale", "1-10", "--level", "interval", "-o", out)
    ended = run("plan", pilot, *common, "--against", other, "--against-scale", "0-100")
    assert ended.code == 0, ended.err
    (criterion,) = json.loads(out.read_text("utf-8"))["plan"]["criteria"]
    scales = criterion["scales"]
    # Shrout & Fleiss' single ratings: .715 in order; the other judges order all items alike.
    assert scales["first"] == pytest.approx(0.715, abs=1e-3)
    assert scales["second"] > 0.95
    assert (scales["items"], scales["votes"]) == (6, 4)
    assert "on the other" in ended.out


def test_reliabilities_alone_say_how_many_items_tell_two_scales_apart(run):
    ended = run("plan", "--two-scales", "0.75", "0.45", "--n-items", "40", "--votes", "3")
    assert ended.code == 0, ended.err
    # z = ½ log((1 + 2ρ) / (1 - ρ)) is 1.151 and .620, each with the variance 3 / (4 · 38): their
    # difference of .531 has the error .199. Φ(.531 / .199 - 1.96) = Φ(.715) = .76, and
    # (2.802 / .531)² · 3 / 2 + 2 = 43.7.
    assert "in 76% of studies, and 44 items in 80%" in " ".join(ended.out.split())


def test_another_scale_needs_a_pilot_on_this_one(run, pilot):
    ended = run("plan", "--against", pilot)
    assert ended.code == 2
    assert "name FILE" in ended.err


def test_a_difference_alone_is_planned_for_where_nobody_says_how_far_systems_lie_apart(
    run, tmp_path
):
    study = tmp_path / "summaries"
    write_template(study, "duc-5")
    out = tmp_path / "plan.json"
    sizes = ("--n-systems", "3", "--difference", "0.5")
    assert run("plan", *APART, *sizes, "-o", out, "--write", study).code == 0
    (criterion,) = json.loads(out.read_text("utf-8"))["plan"]["criteria"]
    size = StudySize(**criterion["best"]["size"])
    variances = criterion["components"]["variances"]
    known = known_components(**{name.replace(" ", "_"): own for name, own in variances.items()})
    assert power(known, size, difference=0.5, compared=3).power >= 0.8
    text = (study / "plan.md").read_text("utf-8")
    assert "with 80% power" in text
    assert "generalisability" not in text  # of systems that are not said to differ


def test_no_power_is_promised_that_the_study_does_not_have(run, tmp_path):
    study = tmp_path / "summaries"
    write_template(study, "duc-5")
    sizes = ("--n-systems", "2", "--n-items", "5", "--n-judges", "3", "--difference", "0.01")
    done = run("plan", *APART, "--tastes-apart", "0.5", *sizes, "-o", tmp_path / "p.html",
               "--write", study)  # fmt: skip
    assert done.code == 0, done.err
    text = (study / "plan.md").read_text("utf-8")
    assert "A difference of 0.01 is found in 5% of such studies." in text
    assert "80% power" not in text


def test_only_chooses_among_the_criteria_of_a_study_that_ships(run, tmp_path):
    out = tmp_path / "plan.json"
    ended = run("plan", "--like", "qgstec-original", "--only", "criterion=correctness", "-o", out)
    assert ended.code == 0, ended.err
    criteria = json.loads(out.read_text("utf-8"))["plan"]["criteria"]
    assert [one["components"]["criterion"] for one in criteria] == ["correctness"]


def test_what_says_how_a_file_is_read_needs_a_file(run):
    ended = run("plan", *APART, "--scale", "1-5", "--only", "criterion=x")
    assert ended.code == 2
    assert "--scale and --only say how ratings are read" in ended.err
    one = run("plan", *APART, "--scale", "1-5")
    assert one.code == 2
    assert "--scale says how ratings are read" in one.err
    assert "name one, or leave --scale out" in " ".join(one.err.split())


def test_an_answer_that_makes_no_report_refuses_a_file_for_it(run, tmp_path):
    for asked in (["--preference", "0.55"], ["--two-scales", "0.45", "0.6"]):
        done = run("plan", *asked, "-o", tmp_path / "plan.html")
        assert done.code == 2
        assert "leave out -o" in done.err
        assert not list(tmp_path.iterdir())
