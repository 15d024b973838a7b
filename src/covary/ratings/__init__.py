"""The one table: a row per rating, its checks and its shapes."""

from covary.ratings.table import COLUMNS, Ratings

__all__ = ["COLUMNS", "Ratings"]
