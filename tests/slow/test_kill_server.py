"""The server killed twenty times on each database while thirty judges save."""

from tests.store.databases import place, postgres  # noqa: F401 (fixtures)
from tests.web.killing import kill_while_judges_work


def test_twenty_kills_of_the_server_lose_and_double_nothing(place, tmp_path):  # noqa: F811
    found = kill_while_judges_work(tmp_path / "study", place, judges=30, kills=20)
    database = "PostgreSQL" if "://" in place else "SQLite"
    print(
        f"\n{database}: {found.kills} kills, {found.acknowledged} answers acknowledged, "
        f"{found.kept} kept; started again in "
        f"{min(found.seconds_to_start):.1f} to {max(found.seconds_to_start):.1f} s"
    )
    assert found.acknowledged > 600
    assert found.acknowledged <= found.kept <= found.acknowledged + 30 * (found.kills + 1)
