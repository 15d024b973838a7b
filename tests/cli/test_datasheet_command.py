"""`covary datasheet`: what it writes, and that it keeps what a person wrote."""

import json

QUICK = ("--scale", "1-5")
REVIEW = "heds-ethics-review_body"


def test_answers_and_a_sheet_that_somebody_filled_in_are_kept(run, ratings_file, tmp_path):
    folder = tmp_path / "sheets"
    ended = run("datasheet", ratings_file, *QUICK, "-o", folder)
    assert ended.code == 0, ended.err
    assert "questions of HEDS are open" in ended.out
    sheet = json.loads((folder / "heds.json").read_text(encoding="utf-8"))
    sheet[REVIEW]["data"][""] = "Ours."
    (folder / "heds.json").write_text(json.dumps(sheet), encoding="utf-8")
    (folder / "answers.toml").write_text('recruitment = "by e-mail"\n', encoding="utf-8")
    assert run("datasheet", ratings_file, *QUICK, "-o", folder).code == 0
    again = json.loads((folder / "heds.json").read_text(encoding="utf-8"))
    assert again[REVIEW]["data"][""] == "Ours."
    recruited = "heds-sample_evaluators_design-evaluators-recruitment_method"
    assert again[recruited]["data"][""] == "by e-mail"
    assert 'recruitment = "by e-mail"' in (folder / "answers.toml").read_text(encoding="utf-8")
    assert "by e-mail" in (folder / "data-statement.md").read_text(encoding="utf-8")


def test_a_sheet_with_strange_keys_is_refused_by_its_name(run, ratings_file, tmp_path):
    strange = tmp_path / "strange.json"
    strange.write_text('{"heds-colour": {}}', encoding="utf-8")
    ended = run("datasheet", ratings_file, *QUICK, "-o", tmp_path / "s", "--filled", strange)
    assert ended.code == 1
    assert "strange.json" in ended.err
    assert "heds-colour" in ended.err


def test_the_open_questions_are_written_and_closed_by_their_answers(run, ratings_file, tmp_path):
    answers = tmp_path / "answers.toml"
    said = ("report", ratings_file, *QUICK, "--no-intervals", "--write-answers", answers)
    assert run(*said).code == 0
    text = answers.read_text(encoding="utf-8")
    assert "# judges = " in text
    answers.write_text(text.replace('# judges = ""', 'judges = "students of a school"'), "utf-8")
    assert run(*said).code == 0
    assert 'judges = "students of a school"' in answers.read_text(encoding="utf-8")
    page = ratings_file.with_name("ratings-report.html").read_text(encoding="utf-8")
    assert "students of a school" in page
