from functools import partial

import pytest

from covary.web.guard import Limit
from covary.web.serving.app import create_app
from tests.store.databases import empty_store
from tests.web.client import Judge
from tests.web.studies import sheet


@pytest.fixture
def store(tmp_path):
    with empty_store(tmp_path / "study.db") as opened:
        yield opened


@pytest.fixture
def enter(store):
    """Serve a study, and return the clients of as many judges as it has sheets."""
    clients = []

    def served(study, *, judges=1, secure=False, hosts=None, **more):
        if not store.sheets.all():
            store.sheets.put([sheet(study, number + 1, **more) for number in range(judges)])
        app = create_app(study, store, secure=secure, hosts=hosts)
        origin = "https://study.test" if secure else "http://study.test"
        made = [Judge(app, store.judges.add()[1], origin) for _ in range(judges)]
        clients.extend(made)
        return made[0] if judges == 1 else made

    yield served
    for client in clients:
        client.close()


@pytest.fixture
def no_time_passes(monkeypatch):
    """Whoever asks too often may not ask again soon, however long a busy machine takes."""
    monkeypatch.setattr("covary.web.site.Limit", partial(Limit, clock=lambda: 0.0))
