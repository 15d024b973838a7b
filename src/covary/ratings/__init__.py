"""The one table: a row per rating, its checks and its shapes."""

from covary.ratings.conversion import COLUMNS
from covary.ratings.table import Ratings

__all__ = ["COLUMNS", "Ratings"]
