"""Thirty judges on PostgreSQL while two servers are replaced ten times, in three ways."""

from functools import partial

import pytest

from tests.deploy.nginx import needs_nginx
from tests.serving.rolling import processes_replaced, servers_replaced
from tests.store.databases import postgres  # noqa: F401 (a fixture)

WAYS = {
    "servers-behind-a-proxy": servers_replaced,
    "processes-of-one-server": processes_replaced,
    "servers-behind-nginx": partial(servers_replaced, nginx=True),
}


@pytest.mark.parametrize(
    "way",
    [pytest.param(way, marks=[needs_nginx] if "nginx" in way else []) for way in WAYS],
)
def test_replacing_servers_again_and_again_loses_and_doubles_nothing(
    way,
    postgres,  # noqa: F811
    tmp_path,
):
    work = WAYS[way](tmp_path / "study", postgres.new_place(), judges=30, times=5)
    print(
        f"\n{way}: 10 replacements, {work.acknowledged} answers acknowledged, "
        f"{work.kept} kept; {sum(work.seen.values())} pages and replies, statuses "
        f"{dict(sorted(work.seen.items()))}, {work.cut_off} connections found closed"
    )
    assert set(work.seen) <= {200, 303}, "a judge was shown an error"
    assert work.acknowledged >= 300
    assert work.acknowledged <= work.kept <= work.acknowledged + 30
