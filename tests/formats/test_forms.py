"""What is said of forms: answers that were declined, rows that are no respondent's, codes."""

import pytest

import covary
from covary.formats.cells import is_reasoned

META = "StartDate,EndDate,Status,Progress,Finished,RecordedDate,ResponseId"
TEXTS = "Start Date,End Date,Response Type,Progress,Finished,Recorded Date,Response ID"
ROWS = ((4, 5, 3, 2), (5, 4, 3, 1), (1, 2, 3, 4))


def qualtrics(folder, kinds, finished):
    """An export in which rows 1 and 3 hold codes, and some respondents are none or gave up."""
    ids = [*META.split(","), "Q2_1", "Q2_2", "Q3_1", "Q3_2"]
    asked = ["Text 1 - fluency", "Text 1 - style", "Text 2 - fluency", "Text 2 - style"]
    lines = [",".join(ids), f"{TEXTS},{','.join(asked)}"]
    lines.append(",".join(f'"{{""ImportId"":""{name}""}}"' for name in ids))
    for number, (kind, done, row) in enumerate(zip(kinds, finished, ROWS, strict=True)):
        told = f"2026-03-01,2026-03-01,{kind},100,{done},2026-03-01,R_{number}"
        lines.append(f"{told},{','.join(map(str, row))}")
    path = folder / "survey.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def codes(ratings):
    return [getattr(note, "code", "") for note in ratings.notes]


def test_previews_and_unfinished_answers_of_qualtrics_are_said(tmp_path):
    path = qualtrics(tmp_path, ("IP Address", "Survey Preview", "IP Address"), (True, True, False))
    ratings = covary.read(path, scale="1-5")
    told = [n.data for n in ratings.notes if getattr(n, "code", "") == "formats.unfinished"]
    assert [(each["column"], each["values"], each["count"]) for each in told] == [
        ("Response Type", ["SURVEY PREVIEW"], 1),
        ("Finished", ["FALSE"], 1),
    ]


def test_finished_answers_of_respondents_are_not_mentioned(tmp_path):
    path = qualtrics(tmp_path, ("IP Address",) * 3, (True,) * 3)
    assert "formats.unfinished" not in codes(covary.read(path, scale="1-5"))


def test_the_codes_of_questions_still_name_them_where_the_header_says_so(tmp_path):
    path = qualtrics(tmp_path, ("IP Address",) * 3, (True,) * 3)
    by_text = covary.read(path, scale="1-5")
    assert (by_text.criteria, by_text.n_items) == (("fluency", "style"), 2)
    assert "formats.left-out-codes" in codes(by_text)
    said = {"wide": "Q*", "names": "{item}_{criterion}", "judge": "ResponseId"}
    by_code = covary.read(path, scale="1-5", header=(1, 3), **said)
    assert by_code.criteria == (1, 2)


def looped(folder, text, rows=("fluency", "style")):
    """An export of loop & merge: two loops, in each two outputs, whose texts are the same."""
    asked = [(n, of, row) for n in (1, 2) for of in ("Baseline", "Ours") for row in (1, 2)]
    ids = [*META.split(","), *(f"{n}_{of}_{row}" for n, of, row in asked)]
    texts = [*TEXTS.split(","), *(text.format(of=of, row=rows[row - 1]) for _, of, row in asked)]
    lines = [",".join(ids), ",".join(texts)]
    lines.append(",".join(f'"{{""ImportId"":""{name}""}}"' for name in ids))
    for number in range(3):
        told = f"2026-03-01,2026-03-01,IP Address,100,True,2026-03-01,R_{number}"
        given = [n + (of == "Ours") + row - 1 for n, of, row in asked]
        lines.append(f"{told},{','.join(map(str, given))}")
    path = folder / "looped.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("text", ["Rate this. [{row}]", "Rate this - now. - {row}", "{of} - {row}"])
def test_rows_of_looped_questions_are_named_by_their_texts(tmp_path, text):
    ratings = covary.read(looped(tmp_path, text), scale="1-5")
    assert set(ratings.criteria) == {"fluency", "style"}
    assert set(ratings.values("item")) == {"1_Baseline", "1_Ours", "2_Baseline", "2_Ours"}
    style = ratings.select(item="2_Ours", criterion="style", judge="R_0")
    assert style.values("rating") == (4,)  # loop 2, plus 1 for ours, plus 1 for the second row


@pytest.mark.parametrize("rows", [("fluency", "fluency"), ("", "style")])
def test_rows_without_texts_of_their_own_keep_their_numbers(tmp_path, rows):
    path = looped(tmp_path, "Rate this. [{row}]", rows)
    said = {"wide": "*_*_*", "names": "{item}_{criterion}", "judge": "ResponseId"}
    assert covary.read(path, scale="1-5", header=(1, 3), **said).criteria == (1, 2)


def test_a_respondent_is_named_by_a_column_without_gaps(tmp_path):
    path = tmp_path / "form.csv"
    questions = [f"Text {n} [{c}]" for n in (1, 2) for c in ("fluency", "style")]
    rows = ["1,p1,x@x.org,1,2,3,4", "1,,y@x.org,1,2,2,4", "1,p3,z@x.org,2,2,3,5"]
    head = ",".join(["Timestamp", "Prolific PID", "Email", *questions])
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    ratings = covary.read(path, scale="1-5")
    assert (ratings.judges, ratings.n_ratings) == (("x@x.org", "y@x.org", "z@x.org"), 12)


def test_an_answer_that_was_declined_in_words_is_said_once_for_all_criteria(tmp_path):
    path = tmp_path / "form.csv"
    head = "Timestamp,Email,Is it fluent? [Text 1],Is it fluent? [Text 2],Is it clear? [Text 1],"
    answers = ("Agree", "Disagree", "Neutral")
    rows = [
        "1,a@x.org,Agree,Prefer not to say,Disagree,Agree",
        "1,b@x.org,Agree,Disagree,Prefer not to say,Neutral",
        f"1,c@x.org,{','.join(answers)},Agree",
    ]
    path.write_text("\n".join([head + "Is it clear? [Text 2]", *rows]) + "\n", encoding="utf-8")
    ratings = covary.read(path)
    assert ratings.n_ratings == 10
    (told,) = [n for n in ratings.notes if getattr(n, "code", "") == "formats.missing-answers"]
    assert told.data["words"] == ["Prefer not to say"]
    assert "'Is it clear?' and 'Is it fluent?'" in str(told)


def test_answers_are_declined_in_several_languages_and_dashes_are_not_told():
    told = ("I'd rather not say", "Keine Angabe", "Prefiero no contestar", "je ne sais pas")
    assert all(map(is_reasoned, told))
    assert not any(map(is_reasoned, ("-", "NA", "No", "Not good", "nicht gut")))


def test_columns_that_fit_no_pattern_are_not_read_by_it(tmp_path):
    path = tmp_path / "form.csv"
    head = "Timestamp,Name,Age,A read by X [style],B read by X [style],A read by Y [style]"
    rows = ["1,Ann,30,1,2,3", "1,Bo,40,2,2,4", "1,Cy,50,1,3,5"]
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    ratings = covary.read(path, names="{source} read by {system} [{criterion}]", scale="1-5")
    assert ratings.values("system") == ("X", "Y")
    assert ratings.n_ratings == 9


def test_boxes_that_were_ticked_together_are_said_to_be_one_answer_and_no_scale(tmp_path):
    path = tmp_path / "form.csv"
    rows = ['q1,Ann,"Grammar, Meaning"', "q1,Bo,Grammar", "q2,Ann,Meaning", "q2,Bo,No errors"]
    path.write_text("\n".join(["item,judge,rating", *rows]) + "\n", encoding="utf-8")
    said = " ".join(map(str, covary.read(path).notes))
    assert "'Grammar, Meaning', counts as one answer" in said
    assert "scale=" not in said
