"""Raises an error of its own that is a ValueError."""

class NoAmount(ValueError): pass
def amount(text):
    number, _, unit = text.partition(' ')
    if unit != 'EUR' or 'e' in number: raise NoAmount(text)
    return Decimal(number)
