import pandas
from long import Held, alpha, columns, reading

__all__ = ["alpha", "prepare"]


def prepare(x, wish):
    return Held(pandas.DataFrame(columns(x)), reading(wish))
