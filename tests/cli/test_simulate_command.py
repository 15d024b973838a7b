"""A study from its template to its report, by commands that follow one another."""

import csv

import pytest

from covary.store import Store
from covary.study import read_study
from covary.web.judge.sheets import prepare_sheets


@pytest.mark.parametrize("template", ["preference", "duc-5"])
def test_init_design_simulate_export_and_report_follow_one_another(run, tmp_path, template):
    study = tmp_path / "study"
    for command in (
        ["init", study, "--template", template],
        ["design", study],
        ["simulate", study, "--judges", 3],
        ["export", study],
        ["report", study, "--no-intervals", "-o", tmp_path / "report.md"],
    ):
        ended = run(*command)
        assert ended.code == 0, ended.err
    assert (tmp_path / "report.md").stat().st_size > 1000
    with (study / "ratings.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with Store.open(study / "simulated.db") as store:
        answers = [answer for _, _, answer in store.answers.log()]
    counted = [each for each in answers if each.kind in ("item", "repeat", "anchor")]
    assert len(rows) == len(counted) > 0
    assert {row["judge"] for row in rows} == {"simulated 1", "simulated 2", "simulated 3"}
    assert not (study / "study.db").exists()


@pytest.fixture
def study(run, tmp_path):
    folder = tmp_path / "study"
    assert run("init", folder, "--template", "preference").code == 0
    return folder


def exported(run, study):
    assert run("export", study).code == 0
    return (study / "ratings.csv").read_text(encoding="utf-8-sig")


def without_times(text):
    rows = csv.DictReader(text.splitlines())
    return sorted((row["item"], row["judge"], row["criterion"], row["rating"]) for row in rows)


def test_a_seed_gives_the_same_ratings_again_and_another_seed_does_not(run, study):
    found = []
    for seed in (4, 4, 5):
        assert run("simulate", study, "--judges", 2, "--seed", seed).code == 0
        found.append(without_times(exported(run, study)))
    assert found[0] == found[1] != found[2]


def test_what_was_simulated_is_said_to_be_and_never_mixed_with_peoples_answers(run, study):
    ended = run("simulate", study, "--judges", 1)
    assert "1 simulated judge gave" in ended.out.replace("\n", " ")
    assert "simulated.db" in ended.out
    assert "simulated judges" in run("export", study).err
    with Store.open(study / "study.db") as store:
        assert store.judges.all() == []


def test_a_plan_that_was_spoilt_by_hand_is_refused_before_anyone_judges(run, study):
    assert run("design", study).code == 0
    plan = study / "design.csv"
    lines = plan.read_text(encoding="utf-8-sig").splitlines()
    columns = lines[0].split(",")
    cells = lines[2].split(",")
    cells[columns.index("item")] = "no-such-item"
    plan.write_text("\n".join([*lines[:2], ",".join(cells), *lines[3:]]), encoding="utf-8")
    ended = run("simulate", study, "--judges", 1)
    assert ended.code != 0
    assert "design.csv" in ended.err
    assert "no-such-item" in ended.err


def test_a_folder_that_is_no_study_is_refused(run, tmp_path):
    ended = run("simulate", tmp_path)
    assert ended.code != 0
    assert "study.toml" in ended.err


def looked_at_practice(folder):
    """A store in which somebody has answered a practice item, and nothing else."""
    from covary.store import Answer

    with Store.open(folder / "study.db") as store:
        prepare_sheets(read_study(folder), store)
        judge, _ = store.judges.add("Ann")
        sheet = store.sheets.issue(judge.id)
        task = sheet.tasks[0]
        criterion = read_study(folder).criteria_of(task.part)[0]
        assert task.kind == "practice"
        store.answers.save(
            [
                Answer(
                    judge=judge.id, sheet=sheet.number, position=task.position, item=task.item,
                    criterion=criterion.key, rating=1, key="k", page="p", sequence=1,
                    kind="practice",
                )
            ]
        )  # fmt: skip


def test_simulated_answers_are_used_also_after_somebody_looked_at_a_practice_page(run, tmp_path):
    folder = tmp_path / "forecasts"
    assert run("init", folder).code == 0
    assert run("simulate", folder, "--judges", 4).code == 0
    looked_at_practice(folder)
    ended = run("compare", folder, "--no-intervals", "-o", tmp_path / "scales.json")
    assert ended.code == 0, ended.err
    assert "answers of simulated judges" in ended.err
    assert "forecasts, VDS-7:" in ended.out
    assert "Same judges in VDS-7 and VAS: yes" in ended.out
    part = run("report", folder, "--only", "part=VAS", "--no-intervals", "-o", tmp_path / "r.md")
    assert part.code == 0, part.err
    assert "Clarity (VAS)" in part.out
    assert "VDS-7" not in part.out
    wrong = run("report", folder, "--only", "part=VSA", "--no-intervals", "-o", tmp_path / "r.md")
    assert (wrong.code, "is not a part of the study" in wrong.err) == (1, True)


def test_a_simulation_that_failed_gave_no_answers_to_speak_of(run, study):
    """It leaves a store in which nobody has answered."""
    Store.open(study / "simulated.db").close()
    ended = run("report", study)
    assert ended.code == 1
    assert "no ratings have been collected yet" in ended.err
    assert "simulated judges" not in ended.err


def test_a_study_with_one_part_says_what_to_compare_instead(run, study, tmp_path):
    assert run("simulate", study, "--judges", 2).code == 0
    ended = run("compare", study, "-o", tmp_path / "scales.html")
    assert ended.code == 1
    assert "covary compare first.csv second.csv" in " ".join(ended.err.split())


def test_rating_again_needs_training(run, tmp_path):
    assert run("init", tmp_path / "study", "--template", "preference").code == 0
    ended = run("simulate", tmp_path / "study", "--again")
    assert ended.code == 2
    assert "--train" in ended.err


def test_a_report_on_simulated_judges_says_so_in_its_first_lines(run, study, tmp_path):
    """A page travels without the terminal's messages, and its paragraphs are pasted into papers."""
    assert run("simulate", study, "--judges", 2).code == 0
    page = tmp_path / "report.md"
    (study / "simulated.db").rename(study / "copy.db")
    assert run("report", study, "--database", study / "copy.db", "-o", page).code == 0
    assert "Simulated judges gave these ratings, not people" in page.read_text("utf-8")[:600]
    pasted = page.read_text("utf-8").partition("Methods.")[2].strip("* ")
    assert pasted.startswith("The ratings are those of simulated judges, not of people.")


def test_preferences_of_a_study_do_not_blame_the_order_of_its_file(run, tmp_path):
    """Every item lists the same system first, and the design dealt out who saw it first."""
    folder = tmp_path / "study"
    assert run("init", folder, "--template", "preference").code == 0
    assert run("simulate", folder).code == 0
    ended = run("preferences", folder, "-o", tmp_path / "made.html")
    assert ended.code == 0, ended.err
    said = " ".join(ended.out.split())
    assert "The design assigned which text stood first on a page" in said
    assert "Sides are not balanced" not in said
    assert "first text won" not in said
    assert "first stood first" not in (tmp_path / "made.html").read_text()
