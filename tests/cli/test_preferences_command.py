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
    assert (tmp_path / "judgements-preferences.html").exists()


def test_systems_refuses_the_same_file_and_names_the_command(run, tmp_path):
    done = run("systems", judgements(tmp_path), "--scale", "A,tie,B")
    assert done.code == 1
    assert "covary preferences" in done.err
