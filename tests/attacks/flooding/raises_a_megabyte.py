"""Raises errors with a megabyte of text each.

score: 40
"""


def scale(X):
    raise ValueError("é" * 1_000_000)
