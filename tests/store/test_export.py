"""What was collected, as ratings and as files."""

import csv
import json
from dataclasses import replace
from datetime import timedelta

import pytest

import covary
from covary.errors import InvalidArgument, RatingsError
from covary.ratings.frames import fetch
from covary.scales import CannotJudge, FreeText, Passage, VerbalScale
from covary.store.export import (
    collect,
    escape_formula,
    first_ratings,
    gold_ratings,
    ratings_of,
    write_everything,
    write_ratings,
)
from covary.study.model import Background, Criterion, Item
from tests.store.made_up import BETTER, CLARITY, FLUENCY, answer, study


def columns(ratings):
    found = fetch(ratings.frame)
    return {name: list(found[name]) for name in ratings.columns}


def read_csv(file):
    with file.open(newline="", encoding="utf-8") as opened:
        return list(csv.DictReader(opened))


@pytest.fixture
def place(tmp_path):
    """A file: what a store gives back is the same on both databases, as other tests show."""
    return str(tmp_path / "study.db")


@pytest.fixture
def answered(store):
    """Ann and Bo on two criteria, with changes, a late one, an untouched line and a repeat."""
    store.notes.add(1, "background", {"answers": {"native": "yes"}})
    store.notes.add(2, "background", {"answers": {"native": "no"}})
    store.notes.add(1, "preferred", {"part": "line", "reason": "=SUM(1)"})
    store.notes.add(1, "remarks", {"text": "-nice, all of it"})
    store.answers.save(
        [answer(4, sequence=1, seconds=3.5), answer(2, sequence=3), answer(5, sequence=2)]
    )
    store.answers.save(
        [answer(5, judge=2), answer(3, position=2), answer(4, position=7, kind="repeat")]
    )
    untouched = answer(50, judge=2, criterion=CLARITY.key, touched=False)
    store.answers.save([answer(71.5, criterion=CLARITY.key), untouched])
    for place, kind in enumerate(("practice", "check", "gold"), 20):
        store.answers.save([answer(1, position=place, item=kind, kind=kind)])
    store.answers.save([answer(3, position=30, item="gone")])
    return store


def test_ratings_have_what_the_study_knows_about_items_and_judges(answered):
    ratings = ratings_of(study(), answered)
    assert ratings.measured  # the page timed the answers, so times are seconds
    rows = sorted(zip(*(columns(ratings)[name] for name in
                        ("judge", "order", "criterion", "item", "system", "source", "group",
                         "occasion")), strict=True))  # fmt: skip
    assert rows == [
        ("Ann", 1, "clarity (line)", "a2", "a", "s2", "yes", "1"),
        ("Ann", 1, "fluency (words)", "a2", "a", "s2", "yes", "1"),
        ("Ann", 2, "fluency (words)", "a3", "a", "s3", "yes", "1"),
        ("Ann", 7, "fluency (words)", "a2", "a", "s2", "yes", "1 again"),
        ("Bo", 1, "clarity (line)", "a3", "a", "s3", "no", "1"),
        ("Bo", 1, "fluency (words)", "a3", "a", "s3", "no", "1"),
    ]


def test_gold_answers_are_ratings_beside_the_known_ones(answered):
    gold = Item("gold", ("text",), kind="gold", expected={FLUENCY.key: 3})
    known = replace(study(), items=tuple(gold if i.id == "gold" else i for i in study().items))
    ratings, answers = gold_ratings(known, answered)
    assert columns(ratings)["rating"] == [1]
    assert answers == {FLUENCY.key: {"gold": 3}}
    assert gold_ratings(study(), answered) is None  # nothing is known of its item


def test_only_the_answer_that_counts_is_a_rating(answered):
    found = columns(ratings_of(study(), answered, part="words").select(judge="Ann"))
    assert sorted(zip(found["order"], found["rating"], strict=True)) == [(1, 2), (2, 3), (7, 4)]


def test_ratings_up_to_a_moment_are_those_saved_by_then(store):
    store.answers.save([answer(4)])
    moment = [*store.answers.log()][-1][2].answered_at
    store.answers.save([answer(2, position=2)])
    assert columns(ratings_of(study(), store, until=moment))["rating"] == [4]
    later = moment + timedelta(days=1)
    assert sorted(columns(ratings_of(study(), store, until=later))["rating"]) == [2, 4]
    with pytest.raises(RatingsError):
        ratings_of(study(), store, until=moment - timedelta(days=1))


def test_what_is_known_of_a_judge_is_exported_and_nothing_where_nothing_is(store, tmp_path):
    store.judges.add("Cy", attributes={"platform": "Zoë"})
    write_everything(study(), store, tmp_path)
    known = {row["judge"]: row["attributes"] for row in read_csv(tmp_path / "judges.csv")}
    assert json.loads(known["Cy"]) == {"platform": "Zoë"}
    assert "Zoë" in known["Cy"], "letters are written as letters"
    assert known["Ann"] == ""


def test_criteria_keep_their_scales(answered):
    ratings = ratings_of(study(), answered)
    assert ratings.scales == {FLUENCY.key: FLUENCY.scale, CLARITY.key: CLARITY.scale}


def test_an_untouched_line_is_a_missing_rating(answered):
    ratings = ratings_of(study(), answered, criteria=[CLARITY.key])
    assert ratings.n_ratings == 1
    assert "1 untouched scale counts as missing." in ratings.notes


def test_what_was_left_out_is_counted(answered):
    (first, *_) = ratings_of(study(), answered).notes
    assert first == (
        "Left out: 1 practice answer, 1 answer to a check, 1 answer to an item with a known answer "
        "and 1 answer about an item or criterion that the study no longer has."
    )


def test_practice_can_be_kept(answered):
    assert "practice" in columns(ratings_of(study(), answered, practice=True))["item"]


def test_answers_on_a_sheet_that_was_taken_back_are_left_out_unless_wanted(answered):
    answered.sheets.reclaim(1)
    ratings = ratings_of(study(), answered)
    assert ratings.judges == ("Bo",)
    assert "4 answers on sheets that were taken back" in ratings.notes[0]
    assert ratings_of(study(), answered, abandoned=True).judges == ("Ann", "Bo")


def test_items_without_a_cluster_are_clusters_of_their_own(answered):
    whole = study()
    items = tuple(
        Item(**vars(each) | {"cluster": "c" if each.id == "a2" else None}) for each in whole.items
    )
    found = columns(ratings_of(type(whole)(**vars(whole) | {"items": items}), answered))
    assert set(zip(found["item"], found["cluster"], strict=True)) == {("a2", "c"), ("a3", "a3")}


def test_columns_that_say_nothing_are_left_out(store):
    store.answers.save([answer(4)])
    assert ratings_of(study(background=()), store).columns == (
        "item", "judge", "rating", "criterion", "system", "source", "manual", "order", "text"
    )  # fmt: skip


def test_no_ratings_yet_is_said(store):
    with pytest.raises(RatingsError, match="no ratings have been collected yet"):
        ratings_of(study(), store)
    store.answers.save([answer(1, item="practice", kind="practice")])
    with pytest.raises(RatingsError, match="there are only 1 practice answer"):
        ratings_of(study(), store)


def test_parts_and_criteria_that_do_not_exist_are_refused(store):
    with pytest.raises(InvalidArgument, match="'words', 'line'"):
        ratings_of(study(), store, part="pictures")
    with pytest.raises(InvalidArgument, match="fluency"):
        ratings_of(study(), store, criteria=["fluency"])


def test_a_rating_off_the_scale_is_refused_or_set_aside(store):
    store.answers.save([answer(9), answer(2, position=2)])
    with pytest.raises(RatingsError, match="9"):
        ratings_of(study(), store)
    assert ratings_of(study(), store, faulty="set-aside").n_ratings == 1


MIXED = study(criteria=(FLUENCY, BETTER))


def test_numbers_and_words_in_one_table_are_refused_and_each_can_be_had(store):
    store.answers.save([answer(4), answer("same", criterion=BETTER.key), answer("A", position=2,
                criterion=BETTER.key)])  # fmt: skip
    with pytest.raises(
        InvalidArgument, match=r"in words and 'fluency .words.' is answered in numbers"
    ):
        ratings_of(MIXED, store)
    assert ratings_of(MIXED, store, part="pairs").n_ratings == 2
    assert ratings_of(MIXED, store, criteria=[FLUENCY.key]).n_ratings == 1


def test_numbers_and_words_can_be_written_to_one_file(store, tmp_path):
    store.answers.save([answer(4), answer("same", criterion=BETTER.key)])
    file, _ = write_ratings(MIXED, store, tmp_path / "ratings.csv")
    assert sorted(row["rating"] for row in read_csv(file)) == ["4", "same"]


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_a_file_that_was_written_can_be_read(answered, tmp_path, ending):
    file, _ = write_ratings(study(), answered, tmp_path / f"ratings.{ending}", part="words")
    ratings = covary.read(file, scale="1-5")
    assert ratings.n_ratings == 4
    assert set(ratings.columns) >= {"item", "judge", "rating", "criterion", "system", "occasion"}


def test_label_studio_gets_its_json(answered, tmp_path):
    file, _ = write_ratings(study(), answered, tmp_path / "ratings.json", part="words")
    tasks = json.loads(file.read_text())
    assert {task["data"]["item"] for task in tasks} == {"a2", "a3"}


def test_everything_is_written_as_it_came(answered, tmp_path):
    files = write_everything(study(), answered, tmp_path)
    assert [file.name for file in files] == [
        "answers.csv", "judges.csv", "notes.csv", "item-versions.csv", "seal.txt"
    ]  # fmt: skip
    rows = read_csv(files[0])
    assert [row["rating"] for row in rows[:3]] == ["4", "2", "5"]
    assert [(row["late"], row["change"]) for row in rows[:3]] == [
        ("no", "no"), ("no", "yes"), ("yes", "yes")
    ]  # fmt: skip
    assert {"touched", "manual", "order_shown", "shown_at", "seconds"} <= rows[0].keys()
    assert rows[0]["answered_at"].endswith("+00:00")
    ann, bo = read_csv(files[1])
    assert (ann["native"], ann["preferred"], ann["remarks"]) == ("yes", "line", "-nice, all of it")
    assert (bo["group"], bo["sheet"], bo["remarks"]) == ("no", "2", "")
    assert len(read_csv(files[2])) == 4


def test_nothing_that_lets_anyone_in_is_written(answered, tmp_path):
    _, token = answered.judges.add("Cy")
    session = answered.researchers.claim(answered.researchers.new_link())
    with answered.database.reading() as connection:
        hashes = connection.exec_driver_sql(
            "SELECT token_hash FROM judges UNION ALL SELECT session_hash FROM researchers"
        ).scalars()
        secrets = [token, session, answered.secret().hex(), *hashes]
    write_everything(study(), answered, tmp_path)
    write_ratings(study(), answered, tmp_path / "ratings.csv")
    written = "".join(file.read_text() for file in tmp_path.glob("*.csv"))
    assert not [each for each in secrets if each in written]


def test_ratings_under_two_manuals_are_said_to_be_and_under_one_not(store):
    store.answers.save([answer(4), answer(5, position=2)])
    assert not [note for note in ratings_of(study(), store).notes if "manual" in note]
    store.answers.save([answer(4, position=3, manual="m2")])
    (said,) = [note for note in ratings_of(study(), store).notes if "manual" in note]
    assert "m1" in said
    assert "m2" in said


def test_for_a_spreadsheet_no_text_is_a_formula(answered, tmp_path):
    plain = write_everything(study(), answered, tmp_path)[1]
    assert read_csv(plain)[0]["preferred_because"] == "=SUM(1)"
    safe = read_csv(write_everything(study(), answered, tmp_path, spreadsheet=True)[1])[0]
    assert (safe["preferred_because"], safe["remarks"]) == ("'=SUM(1)", "'-nice, all of it")


def test_ratings_for_a_spreadsheet_keep_their_numbers(store, tmp_path):
    judge, _ = store.judges.add("=cmd|'/c calc'!A1")
    store.sheets.issue(judge.id)
    scale = type(CLARITY)("clarity", "?", type(CLARITY.scale)(-10, 10), part="line")
    store.answers.save([answer(-5.5, judge=3, criterion=scale.key)])
    file, _ = write_ratings(study(criteria=(scale,)), store, tmp_path / "r.csv", spreadsheet=True)
    (row,) = read_csv(file)
    assert (row["judge"], row["rating"]) == ("'=cmd|'/c calc'!A1", "-5.5")
    with pytest.raises(InvalidArgument, match="spreadsheet"):
        write_ratings(study(), store, tmp_path / "r.parquet", spreadsheet=True)
    as_it_is, _ = write_ratings(study(criteria=(scale,)), store, tmp_path / "plain.csv")
    assert read_csv(as_it_is)[0]["judge"] == "=cmd|'/c calc'!A1"


def test_ratings_of_a_study_name_its_newest_seal(answered):
    before = ratings_of(study(), answered).notes[-1]
    assert f"newest seal of the study: {answered.head()} " in before
    answered.answers.save([answer(3, judge=2, position=9, key="later")])
    assert answered.head() in ratings_of(study(), answered).notes[-1]
    assert ratings_of(study(), answered).notes[-1] != before


@pytest.mark.parametrize(
    ("text", "written"),
    [("-5", "-5"), ("+", "+"), ("-1,5", "-1,5"), ("-x", "'-x"), ("@A1", "'@A1"), ("-1+1", "'-1+1")],
)
def test_a_number_is_no_formula(text, written):
    assert escape_formula(text) == written


def test_answers_to_questions_and_of_who_could_not_judge_have_a_table_of_their_own(store, tmp_path):
    asked = replace(study(), questions=(replace(FLUENCY, name="why", part="words"),))
    (question,) = asked.questions
    store.answers.save([answer(4), answer("it is", criterion=question.key)])
    store.answers.save([answer(CannotJudge("blank"), position=2)])
    store.notes.add(2, "questions", {"position": 3, "answers": {"tired": "a little"}})
    store.notes.add(2, "questions", {"position": 0, "answers": {"tired": "no"}})
    files = {file.name: file for file in write_everything(asked, store, tmp_path)}
    rows = read_csv(files["questions.csv"])
    kept = ("judge", "question", "answer", "cannot_judge", "reason", "kind")
    assert [tuple(row[name] for name in kept) for row in rows] == [
        ("Ann", question.key, "it is", "no", "", "item"),
        ("Ann", FLUENCY.key, "", "yes", "blank", "item"),
        ("Bo", "tired", "a little", "no", "", "between items"),
    ]
    assert rows[0]["item"] == answer().item


def test_the_first_ratings_are_so_many_in_the_order_of_their_answers(store):
    for place in range(1, 6):
        store.answers.save([answer(place, position=place)])
        store.answers.save([answer(10.0 * place, position=place, criterion=CLARITY.key)])
    own = {"criterion": FLUENCY.key}
    assert sorted(columns(first_ratings(study(), store, number=2, **own))["rating"]) == [1, 2]
    assert len(columns(first_ratings(study(), store, number=9, **own))["rating"]) == 5
    both = columns(first_ratings(study(), store, None, 3))["rating"]
    assert sorted(both) == [1, 2, 10]


def test_answers_that_are_no_ratings_are_counted_by_why(store):
    """In one's own words, several choices, and a criterion that the study no longer has."""
    why = Criterion("why", "Why?", FreeText(), part="words")
    ticks = Criterion("ticks", "Which?", VerbalScale([1, 2]), part="words")
    asked = replace(study(), questions=(why, ticks))
    store.answers.save([answer(4)])
    store.answers.save([answer("because", criterion=why.key), answer(1, criterion=ticks.key)])
    store.answers.save([answer("of this", position=2, criterion=why.key)])
    store.answers.save([answer(place, position=place, criterion="gone") for place in (2, 3)])
    collection = collect(asked, store)
    assert collection.left_out == {"words": 2, "question": 1, "stranger": 2}
    own = collect(asked, store, criteria=[FLUENCY.key])
    assert own.left_out == collection.left_out
    assert collect(asked, store, criteria=[CLARITY.key]).columns["item"] == []


def test_who_was_recruited_and_failed_or_stopped_is_left_out_for_that_reason(store):
    for name, ending in (("p1", "failed checks"), ("p2", "withdrew"), ("p3", "done")):
        judge = store.visits.arrive("Prolific", name).judge.id
        sheet = store.visits.take_place(judge)
        store.answers.save([answer(4, judge=judge, sheet=sheet)])
        store.visits.end(judge, ending)
        store.sheets.reclaim(judge, free=False)
    left_out = collect(study(), store).left_out
    assert left_out == {"failed checks": 1, "withdrew": 1, "abandoned": 1}


def test_marked_passages_that_count_have_a_table_of_their_own(store, tmp_path):
    marked = (Passage("text 1", 3, 7, "größ"), Passage("input", 0, 1, "="))
    store.answers.save([answer(4, passages=marked), answer(2, position=2)])
    store.answers.save([answer(1, judge=2, passages=marked[:1])])
    store.sheets.reclaim(2)  # Bo's mark is left out with the answer
    files = {file.name: file for file in write_everything(study(), store, tmp_path)}
    rows = [tuple(row.values())[:8] for row in read_csv(files["passages.csv"])]
    assert rows == [
        (answer().item, "Ann", FLUENCY.key, "4", "text 1", "3", "7", "größ"),
        (answer().item, "Ann", FLUENCY.key, "4", "input", "0", "1", "="),
    ]


def test_questions_between_the_items_are_no_columns_of_the_judges(store, tmp_path):
    asked = (
        Background("native", "Is it your first language?", ("yes", "no")),
        Background("tired", "Are you tired?", ("yes", "no"), ask="between"),
    )
    write_everything(study(background=asked), store, tmp_path)
    (row, _) = read_csv(tmp_path / "judges.csv")
    assert "native" in row
    assert "tired" not in row


def test_gold_answers_that_do_not_count_are_not_compared(store):
    """On a sheet that was taken back, on another criterion, and on one whose answer is unknown."""
    gold = Item("gold", ("text",), kind="gold", expected={FLUENCY.key: 3})
    known = replace(study(), items=tuple(gold if i.id == "gold" else i for i in study().items))
    for judge in (1, 2):
        store.answers.save([answer(judge, judge=judge, position=9, item="gold", kind="gold")])
    line = answer(50, position=9, item="gold", kind="gold", criterion=CLARITY.key)
    store.answers.save([line, answer(4)])
    ratings, _ = gold_ratings(known, store)
    assert sorted(columns(ratings)["rating"]) == [1, 2]
    assert gold_ratings(known, store, criteria=[CLARITY.key]) is None
    store.sheets.reclaim(1)
    ratings, _ = gold_ratings(known, store)
    assert columns(ratings)["rating"] == [2]
