"""What was read, as plain rows."""


def rows(ratings, *columns):
    """The ratings as a sorted list of tuples: item, judge, rating unless other columns are said."""
    wanted = columns or ("item", "judge", "rating")
    return sorted(ratings.frame.select(*wanted).to_native().fetchall(), key=str)
