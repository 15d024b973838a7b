import polars
from long import Held, alpha, columns, reading

__all__ = ["alpha", "prepare"]


def prepare(x, wish):
    return Held(polars.DataFrame(columns(x)), reading(wish))
