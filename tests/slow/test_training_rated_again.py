"""A dry run of training in which every set is rated once more after its discussion."""

from covary.cli.entry import main
from covary.store import Store


def test_simulated_judges_rate_a_set_again_after_its_discussion(capsys, tmp_path):
    study = tmp_path / "study"
    assert main(["init", str(study), "--template", "guidelines"]) == 0
    assert main(["design", str(study)]) == 0
    wide = ["--severity", "0.3", "--noise", "0.3", "--learning", "0.55", "--seed", "3"]
    assert main(["simulate", str(study), "--train", "3", "--again", *wide]) == 0
    assert "Rated again after the discussion" in capsys.readouterr().out
    with Store.open(study / "simulated.db") as store:
        rounds = store.training.cycle().rounds
    again = [turn for turn in rounds if turn.again is not None]
    assert again
    for turn in again:
        before = rounds[turn.again - 1]
        assert turn.items == before.items
        assert len(turn.marks) < len(before.marks)
