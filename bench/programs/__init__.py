"""One file per program, one function per coefficient: a matrix in, a number out.

Each function starts from the same NumPy matrix and does whatever its program needs first (a
transposed array, a data frame, a list of triples, `Ratings.from_wide`).
"""
