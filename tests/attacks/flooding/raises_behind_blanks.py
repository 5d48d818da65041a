"""Raises an error behind 97 kB of blanks.

score: 40
says: ValueError|Right on|error
"""


def scale(X):
    raise ValueError(" " * 97_000 + "x")
