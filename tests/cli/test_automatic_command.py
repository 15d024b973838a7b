"""`covary automatic`: from files to the answer, and what refuses them."""

import json

PEOPLE = {"Ann": 0, "Bo": 1, "Cy": 0}


def files(folder, *, texts=36, name="gpt"):
    """People who differ a little, and a model that rates as Ann does, also 36 further texts."""
    rated, scored = ["item,judge,rating"], [f"item,{name},bleu"]
    for n in range(2 * texts):
        truth = 2 + n % 3
        scored.append(f"t{n},{truth},{truth / 10 + n % 5 / 100:.2f}")
        if n < texts:
            rated += [f"t{n},{judge},{truth + (n % 4 == k)}" for judge, k in PEOPLE.items()]
    people, scores = folder / "people.csv", folder / "scores.csv"
    people.write_text("\n".join(rated) + "\n", encoding="utf-8")
    scores.write_text("\n".join(scored) + "\n", encoding="utf-8")
    return people, scores


def test_a_file_of_scores_is_a_column_for_each_automatic_judge(run, tmp_path):
    people, scores = files(tmp_path)
    done = run("automatic", people, "--scale", "1-5", "--scores", scores)
    assert done.code == 0, done.err
    assert "gpt may take a person's place" in " ".join(done.out.split())
    assert "bleu does not rate on the people's scale" in " ".join(done.out.split())
    assert (tmp_path / "people-automatic.html").exists()


def test_a_file_of_scores_may_name_the_judge_in_a_column(run, tmp_path):
    people, _ = files(tmp_path)
    long = tmp_path / "long.csv"
    rows = [f"t{n},gpt,{2 + n % 3}" for n in range(36)]
    long.write_text("item,judge,score\n" + "\n".join(rows) + "\n", encoding="utf-8")
    done = run("automatic", people, "--scale", "1-5", "--scores", long, "--format", "json")
    assert done.code == 0, done.err
    found = json.loads((tmp_path / "people-automatic.json").read_text(encoding="utf-8"))
    assert [judge["judge"] for judge in found["automatic"]["judges"]] == ["gpt"]


def test_a_judge_of_the_file_may_be_automatic(run, tmp_path):
    people, _ = files(tmp_path)
    whole = people.read_text(encoding="utf-8")
    people.write_text(whole + "".join(f"t{n},gpt,{2 + n % 3}\n" for n in range(36)), "utf-8")
    done = run("automatic", people, "--scale", "1-5", "--automatic", "gpt", "--margin", "0.1")
    assert done.code == 0, done.err
    assert "(margin .1)" in done.out


def test_without_automatic_judges_the_command_says_how_to_name_them(run, tmp_path):
    people, _ = files(tmp_path)
    done = run("automatic", people, "--scale", "1-5")
    assert done.code == 1
    assert "--automatic NAME" in done.err
    assert "--scores FILE" in done.err


def test_every_form_is_written(run, tmp_path):
    people, scores = files(tmp_path)
    for ending in ("html", "md", "tex", "docx", "json", "csv"):
        target = tmp_path / f"answer.{ending}"
        done = run("automatic", people, "--scale", "1-5", "--scores", scores, "-o", target)
        assert done.code == 0, done.err
        assert target.stat().st_size > 300


def test_scores_without_numbers_are_refused(run, tmp_path):
    people, scores = files(tmp_path)
    scores.write_text("item,remark\nt1,fine\nt2,odd\n", encoding="utf-8")
    done = run("automatic", people, "--scale", "1-5", "--scores", scores)
    assert done.code == 1
    assert "scores.csv" in done.err


def test_a_cell_that_words_have_spoilt_does_not_make_a_judge_vanish(run, tmp_path):
    people, scores = files(tmp_path)
    whole = scores.read_text(encoding="utf-8")
    scores.write_text(whole.replace("t3,2,", "t3,Score: 2,"), encoding="utf-8")
    done = run("automatic", people, "--scale", "1-5", "--scores", scores)
    assert done.code == 1
    assert "words among the numbers" in done.err
    assert "item t3, judge gpt: 'Score: 2'" in done.err


def test_a_column_that_words_have_spoilt_beside_others_is_named(run, tmp_path):
    people, scores = files(tmp_path)
    head, *rows = scores.read_text(encoding="utf-8").splitlines()
    rows = [f"{row},{0.5 + n / 1000:.3f}" for n, row in enumerate(rows)]
    rows[3] = rows[3].replace("t3,2,", "t3,Score: 2,")
    scores.write_text("\n".join([f"{head},chrf", *rows]) + "\n", encoding="utf-8")
    done = run("automatic", people, "--scale", "1-5", "--scores", scores)
    assert done.code == 1
    assert "'Score: 2'" in done.err


def test_items_without_an_automatic_rating_are_said_with_names_that_may_differ(run, tmp_path):
    people, scores = files(tmp_path)
    whole = scores.read_text(encoding="utf-8")
    scores.write_text(whole.replace("\nt3,", "\nT-3,"), encoding="utf-8")
    done = run("automatic", people, "--scale", "1-5", "--scores", scores)
    said = " ".join(done.out.split())
    assert "gpt has no rating of 1 of the 36 items that people rated (such as 't3')" in said
    assert "are they named alike?" in said


def test_a_row_of_scores_that_stands_twice_is_named_and_the_way_out_works(run, tmp_path):
    people, scores = files(tmp_path)
    whole = scores.read_text(encoding="utf-8")
    scores.write_text(whole + "t3,2,0.23\n", encoding="utf-8")
    done = run("automatic", people, "--scale", "1-5", "--scores", scores)
    assert done.code == 1
    assert "item 't3', judge 'gpt' (2 times)" in done.err
    again = run("automatic", people, "--scale", "1-5", "--scores", scores, "--repeats", "first")
    assert again.code == 0, again.err
