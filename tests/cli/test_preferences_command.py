"""`covary preferences`: from a file to counts, and what refuses such a file."""


def judgements(folder):
    lines = ["item,judge,rating,system,source"]
    for source in range(8):
        pair = "x / y" if source % 2 else "y / x"
        answer = "A" if (source % 2 == 1) == (source < 7) else "B"
        lines += [f"i{source},{judge},{answer},{pair},d{source}" for judge in ("Ann", "Bo")]
    path = folder / "judgements.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_wins_are_counted_and_written(run, tmp_path):
    """x wins seven of eight sources: p = 2 (1 + 8) / 2^8 = .0703."""
    done = run("preferences", judgements(tmp_path), "--scale", "A,tie,B")
    assert done.code == 0, done.err
    assert "7 : 1" in done.out
    assert ".070" in done.out
    assert "does not decide): x against y." in done.out.replace("\n", " ")
    assert (tmp_path / "judgements-preferences.html").exists()


def test_who_is_preferred_is_said_where_it_is_shown(run, tmp_path):
    """x wins ten of ten sources: p = 2 / 2^10; Wilson's interval begins at 10 / (10 + 1.96^2)."""
    lines = ["item,judge,rating,system,source"]
    lines += [
        f"i{n},Ann,{'A' if n % 2 else 'B'},{'x / y' if n % 2 else 'y / x'},d{n}" for n in range(10)
    ]
    path = tmp_path / "clear.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = run("preferences", path, "--scale", "A,tie,B")
    assert "Preferred: x to y (100% [72%, 100%] of their judgements)." in done.out


def test_systems_refuses_the_same_file_and_names_the_command(run, tmp_path):
    done = run("systems", judgements(tmp_path), "--scale", "A,tie,B")
    assert done.code == 1
    assert "covary preferences" in done.err


def arena(folder, ties=("tie",)):
    """Two judges and three questions; the second judge saw the systems in the other order."""
    lines = ["question_id,model_a,model_b,winner,judge,turn"]
    lines += [f"q{n},gpt,llama,{'model_a' if n else ties[0]},human,1" for n in range(3)]
    lines += [f"q{n},llama,gpt,{'model_b' if n else ties[-1]},llm,1" for n in range(3)]
    path = folder / "arena.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_check_of_comparisons_says_that_orders_differ_and_goes_on_with_preferences(run, tmp_path):
    done = run("check", arena(tmp_path))
    assert "some judges saw in one order and some in the other: 3." in done.out
    assert "were not read: 'turn'." in done.out
    *_, following = done.out.splitlines()
    assert following.strip().startswith("covary preferences ")


def test_what_means_neither_in_two_ways_is_refused_with_the_way_to_make_it_one(run, tmp_path):
    path = arena(tmp_path, ("tie", "tie (inconsistent)"))
    refused = run("preferences", path)
    assert refused.code == 1
    assert "merge them (--answer …)" in refused.err
    done = run("preferences", path, "--answer", "tie (inconsistent)=tie")
    assert done.code == 0, done.err
    # gpt wins q1 and q2 of both judges, and q0 is a tie for both: (4 + 2 / 2) / 6.
    (row,) = [line for line in done.out.splitlines() if line.startswith("gpt")]
    assert row.split()[1:6] == ["llama", "4", "2", "0", "83%"]


def test_numbers_around_0_beside_two_systems_are_preferences_by_their_sign(run, tmp_path):
    """Of ten sources x, the first system, has the negative answer in all: p = 2 / 2^10."""
    lines = ["item,judge,system_a,system_b,comparison"]
    lines += [f"i{n},Ann,x,y,{-1 - n % 2}" for n in range(10)] + ["i10,Ann,y,x,2", "i11,Ann,x,y,0"]
    path = tmp_path / "graded.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = run("preferences", path)
    assert done.code == 0, done.err
    row = next(line for line in done.out.splitlines() if line.startswith("x "))
    assert row.split()[2:5] == ["11", "1", "0"]  # wins, ties, losses: each by hand
    assert "how strong a preference was is not counted" in done.out.replace("\n", " ")
