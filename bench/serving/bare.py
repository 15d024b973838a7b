"""The yardstick: Starlette, uvicorn and SQLite, one durable commit for each save, no checks at all.

`python -m serving.bare FILE PORT`
"""

import json
import sqlite3
import sys

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

__all__ = ["create_app"]

TABLE = """CREATE TABLE IF NOT EXISTS answers (
    id INTEGER PRIMARY KEY, judge TEXT, position INTEGER, criterion TEXT, rating TEXT, page TEXT,
    sequence INTEGER, key TEXT, seconds REAL)"""
ROW = "INSERT INTO answers VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)"
FIELDS = ("position", "criterion", "rating", "page", "sequence", "key", "seconds")


def create_app(file: str) -> Starlette:
    """Return the application; its one connection commits on the loop, which is the quickest way."""
    connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(TABLE)

    async def save(request: Request) -> JSONResponse:
        sent = json.loads(await request.body())
        row = (request.headers.get("cookie"), *(sent[name] for name in FIELDS))
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(ROW, row)
        connection.execute("COMMIT")
        return JSONResponse({"saved": True})

    async def health(_: Request) -> JSONResponse:
        return JSONResponse({"status": "ok"})

    return Starlette(
        routes=[Route("/judge/answer", save, methods=["POST"]), Route("/health", health)]
    )


if __name__ == "__main__":
    uvicorn.run(create_app(sys.argv[1]), port=int(sys.argv[2]), access_log=False,
                log_level="warning")  # fmt: skip
