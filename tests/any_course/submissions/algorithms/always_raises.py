"""Raises the right error, always.

loses: amount
says: raised ValueError
"""

def amount(text):
    raise ValueError
