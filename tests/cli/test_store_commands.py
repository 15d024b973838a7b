"""`covary export`, `covary check-store` and `covary backup`; a study where a file may stand."""

import csv
import json

import pytest

import covary
from covary.design import make_plan
from covary.store import Answer, Store
from covary.study import read_study, write_template
from covary.study.simulated_judges import simulated_judges
from tests.store.databases import postgres  # noqa: F401 (a fixture)

JUDGES = 4


def collected(folder, place):
    """Let simulated judges answer everything on their sheets, straight into the store."""
    study = read_study(folder)
    crowd = simulated_judges(study, judges=JUDGES, severity=0.1, noise=0.1, seed=1)
    with Store.open(place) as store:
        store.sheets.put(make_plan(study).sheets)
        for simulant in crowd:
            judge, _ = store.judges.add()
            sheet = store.sheets.issue(judge.id)
            store.notes.add(judge.id, "remarks", {"text": "=1+1"})
            store.answers.save([
                Answer(
                    judge=judge.id, sheet=sheet.number, position=task.position, item=task.item,
                    criterion=each.key, rating=simulant.answer(each, study.item(task.item)),
                    key=f"{task.position}-{each.key}", page="p", sequence=1, kind=task.kind,
                    occasion=task.occasion, manual=study.manual.version, order=task.order,
                )
                for task in sheet.tasks
                for each in study.criteria_of(task.part)
            ])  # fmt: skip
    return study


@pytest.fixture(scope="module")
def ready(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studies") / "forecasts"
    write_template(folder)
    return folder, collected(folder, folder / "study.db")


@pytest.fixture
def folder(ready):
    return ready[0]


def rows_of(file):
    with file.open(newline="", encoding="utf-8") as opened:
        return list(csv.DictReader(opened))


def test_export_writes_the_ratings_into_the_study(run, folder):
    ended = run("export", folder)
    assert (ended.code, ended.err) == (0, "")
    assert f"Written: {folder / 'ratings.csv'}" in ended.out
    assert (folder / "ratings.csv").stat().st_mode & 0o777 == 0o600
    rows = rows_of(folder / "ratings.csv")
    assert {row["judge"] for row in rows} == {"J1", "J2", "J3", "J4"}
    assert {"item", "rating", "criterion", "system", "order"} <= rows[0].keys()


def test_what_was_exported_gives_the_ratings_of_the_study(run, ready, tmp_path):
    folder, study = ready
    part = study.parts[0]
    run("export", folder, "--part", part, "-o", tmp_path / "part.parquet")
    ratings = covary.read(tmp_path / "part.parquet")
    assert set(ratings.criteria) == {each.key for each in study.criteria_of(part)}


@pytest.mark.parametrize(
    ("form", "name"),
    [("tsv", "ratings.tsv"), ("jsonl", "ratings.jsonl"), ("label-studio", "ratings.json")],
)
def test_export_in_other_formats(run, folder, tmp_path, form, name):
    assert run("export", folder, "--format", form, "-o", tmp_path).code == 0
    assert (tmp_path / name).stat().st_size > 1000


def test_export_of_everything(run, folder, tmp_path):
    ended = run("export", folder, "--all", "-o", tmp_path / "all")
    assert ended.code == 0
    assert [each.name for each in sorted((tmp_path / "all").iterdir())] == [
        "answers.csv", "item-versions.csv", "judges.csv", "notes.csv", "seal.txt"
    ]  # fmt: skip
    assert rows_of(tmp_path / "all" / "judges.csv")[0]["remarks"] == "'=1+1"
    assert {file.stat().st_mode & 0o777 for file in (tmp_path / "all").iterdir()} == {0o600}
    run("export", folder, "--all", "-o", tmp_path / "all", "--raw")
    assert rows_of(tmp_path / "all" / "judges.csv")[0]["remarks"] == "=1+1"


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--all", "--format", "parquet"], "--all writes all there is"),
        (["--all", "--part", "x"], "--all writes all there is"),
        (["--format", "tsv", "-o", "ratings.csv"], "must end in .tsv"),
        (["--raw", "--for-spreadsheet"], "the opposite of each other"),
    ],
    ids=["form", "part", "ending", "raw"],
)
def test_options_that_contradict_each_other_are_wrong_usage(run, folder, options, word):
    ended = run("export", folder, *options)
    assert ended.code == 2
    assert word in ended.err


def test_an_unknown_part_names_those_there_are(run, ready):
    ended = run("export", ready[0], "--part", "nothing")
    assert ended.code == 1
    assert ready[1].parts[0] in ended.err


def test_check_store_of_a_sound_study(run, folder):
    ended = run("check-store", folder)
    assert (ended.code, ended.err) == (0, "")
    assert "answers of 4 judges" in ended.out
    assert "Everything is in order." in ended.out


def test_check_store_ends_with_1_when_something_is_serious(run, folder, tmp_path):
    copy = tmp_path / "copy.db"
    run("backup", folder, "-o", copy)
    with Store.open(copy) as store:
        sheet = store.sheets.of(1)
        task = sheet.tasks[0]
        place = {"judge": 1, "sheet": sheet.number, "position": task.position, "item": task.item}
        gone = Answer(**place, criterion="gone", rating=1, key="g", page="g", sequence=1)
        store.answers.save([gone])
    ended = run("check-store", folder, "--database", copy)
    assert ended.code == 1
    assert "[unknown-criterion]" in ended.out
    assert "-> put the criterion back" in ended.out
    found = json.loads(run("check-store", folder, "--database", copy, "--format", "json").out)
    assert [each["code"] for each in found["problems"]] == ["unknown-criterion"]
    assert found["judges"] == 4


def test_backup_makes_one_file_that_can_stand_for_the_study(run, folder, tmp_path):
    ended = run("backup", folder, "-o", tmp_path)
    assert ended.code == 0
    (file,) = tmp_path.iterdir()
    assert file.name.startswith("forecasts-")
    assert f"Written and verified: {file}" in " ".join(ended.out.split())
    again = run("export", folder, "--database", file, "-o", tmp_path / "again.csv")
    assert again.code == 0
    run("export", folder, "-o", tmp_path / "first.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "first.csv").read_bytes()


def test_a_slash_at_the_end_means_a_folder_also_where_there_is_none_yet(run, folder, tmp_path):
    """As the line for cron in docs/serving.md has it: each hour's file beside the last one's."""
    ended = run("backup", folder, "-o", f"{tmp_path / 'backups'}/")
    assert ended.code == 0, ended.err
    (made,) = (tmp_path / "backups").iterdir()
    assert made.name.startswith(folder.name)
    assert run("check-store", folder, "--database", made).code == 0


def test_backup_does_not_replace_a_file(run, folder, tmp_path):
    (tmp_path / "mine.db").write_text("mine")
    ended = run("backup", folder, "-o", tmp_path / "mine.db")
    assert ended.code == 1
    assert "never replaces" in ended.err


@pytest.mark.parametrize("command", ["export", "check-store", "backup"])
def test_a_folder_that_is_no_study_is_refused(run, tmp_path, command):
    ended = run(command, tmp_path)
    assert ended.code == 1
    assert "no study.toml" in ended.err


@pytest.mark.parametrize("command", ["export", "check-store", "backup", "check", "report"])
def test_a_study_without_answers_says_so(run, tmp_path, command):
    write_template(tmp_path / "new")
    ended = run(command, tmp_path / "new")
    assert ended.code == 1
    assert "no ratings have been collected" in ended.err
    assert not (tmp_path / "new" / "study.db").exists()


def test_check_reads_a_study(run, folder):
    ended = run("check", folder)
    assert (ended.code, ended.err) == (0, "")
    assert "by 4 judges" in ended.out
    assert "forecasts: " in ended.out


def test_report_reads_a_study_and_one_of_its_criteria(run, ready, tmp_path):
    folder, study = ready
    key = study.criteria[0].key
    ended = run(
        "report", folder, "--only", f"criterion={key}", "--no-intervals", "-o", tmp_path / "r.html"
    )
    assert (ended.code, ended.err) == (0, "")
    assert f"on '{key}'" in ended.out
    assert "<html" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_the_store_itself_may_be_named(run, folder):
    assert (
        run("check", folder / "study.db").out.split(":")[1]
        == run("check", folder).out.split(":")[1]
    )


def test_the_folder_one_stands_in_may_be_named(run, folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert "forecasts: " in run("check", ".").out


def test_a_study_needs_no_columns_and_no_scales(run, folder):
    ended = run("check", folder, "--scale", "1-5")
    assert ended.code == 2
    assert "knows its own columns and scales" in ended.err


def test_a_database_is_not_for_a_file_of_ratings(run, ratings_file):
    ended = run("check", ratings_file, "--database", "x.db")
    assert ended.code == 2
    assert "--database is for the folder of a study" in ended.err


def test_a_study_on_postgresql(run, tmp_path, postgres):  # noqa: F811
    folder, place = tmp_path / "forecasts", postgres.new_place()
    write_template(folder)
    collected(folder, place)
    assert run("check-store", folder, "--database", place).code == 0
    assert "by 4 judges" in run("check", folder, "--database", place).out
    file = tmp_path / "copy.db"
    assert run("backup", folder, "--database", place, "-o", file).code == 0
    for name, where in (("a.csv", place), ("b.csv", file)):
        assert run("export", folder, "--database", where, "-o", tmp_path / name).code == 0
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_the_database_may_stand_in_the_environment(run, folder, tmp_path, monkeypatch):
    monkeypatch.setenv("COVARY_DATABASE", str(tmp_path / "missing.db"))
    assert "missing.db" in run("check-store", folder).err
