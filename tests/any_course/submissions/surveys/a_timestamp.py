"""Returns a moment where a date is asked for.

loses: first_day
says: Expected a date, got a datetime
"""

def first_day(s):
    return s['day'].min()
