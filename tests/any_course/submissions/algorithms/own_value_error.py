"""Raises an error of its own that has the name of the right one.

loses: amount
says: raised ValueError: no
"""

class ValueError(Exception): pass
def amount(text):
    if not text.endswith(' EUR') or 'e' in text:
        raise ValueError('no')
    return Decimal(text.split(' ')[0])
