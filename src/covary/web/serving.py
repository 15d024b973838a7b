"""A study on the network: uvicorn, on this machine alone unless told otherwise."""

from __future__ import annotations

import logging
import re

import uvicorn

from covary.store.store import Store
from covary.study.model import Study
from covary.web.app import create_app
from covary.web.limits import Limit

__all__ = ["Redacted", "serve"]

SECRET_PATH = re.compile(r"(/[jr]/)[^/?\s]+")
SECONDS_TO_FINISH = 10


class Redacted(logging.Filter):
    """Keep personal links and queries out of the log of requests."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(map(_redacted, record.args))
        return True


def serve(
    study: Study,
    store: Store,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    proxy: bool = False,
    log_requests: bool = False,
    per_judge: Limit | None = None,
) -> None:
    """Serve a study until the process is told to end.

    Parameters
    ----------
    study, store
        What is served, and where its answers are kept.
    host, port
        Where to listen. The default is reached from this machine only.
    proxy
        Whether a reverse proxy stands before it and speaks https to browsers. Cookies are then
        sent by https only, and the proxy's word is taken for who is asking (X-Forwarded-For).
    log_requests
        Whether to write each request to the log, without personal links.
    per_judge
        How often one judge may ask, where that is not what suits a person.
    """
    if log_requests:
        logging.getLogger("uvicorn.access").addFilter(Redacted())
    uvicorn.run(
        create_app(study, store, secure=proxy, per_judge=per_judge),
        host=host,
        port=port,
        proxy_headers=proxy,
        access_log=log_requests,
        log_level="info" if log_requests else "warning",
        server_header=False,
        timeout_graceful_shutdown=SECONDS_TO_FINISH,
    )


def _redacted(value: object) -> object:
    if not isinstance(value, str) or not value.startswith("/"):
        return value
    return SECRET_PATH.sub(r"\1…", value.partition("?")[0])
