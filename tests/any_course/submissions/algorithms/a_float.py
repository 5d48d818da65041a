"""Reads a float.

loses: amount
says: Expected a Decimal, got a float, which is not exact
"""

def amount(text):
    number, unit = text.split(' ')
    if unit != 'EUR': raise ValueError
    return float(number)
