"""Raises another error than the one that is asked for.

loses: amount
says: raised AssertionError
"""

def amount(text):
    assert text.endswith(' EUR')
    return Decimal(text.split(' ')[0])
