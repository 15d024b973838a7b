"""The server killed while judges save; `tests/slow` does so twenty times on each database."""

from tests.web.killing import kill_while_judges_work


def test_a_kill_of_the_server_loses_and_doubles_nothing(tmp_path):
    place = str(tmp_path / "study.db")
    found = kill_while_judges_work(tmp_path / "study", place, judges=6, kills=1)
    assert found.acknowledged >= 12
    assert found.acknowledged <= found.kept <= found.acknowledged + 12
