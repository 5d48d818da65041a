"""Returns a number with a billion digits.

loses: amount
says: got an object of type Decimal
"""

def amount(text):
    return Decimal('1e999999999')
