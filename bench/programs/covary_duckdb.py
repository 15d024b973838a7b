import duckdb
from long import Held, alpha, columns, reading

__all__ = ["alpha", "prepare"]


def prepare(x, wish):
    connection = duckdb.connect(config={"threads": 1})
    connection.register("given", columns(x))
    connection.execute("create table held as select * from given")
    return Held(connection.table("held"), reading(wish))
