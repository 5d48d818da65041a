"""Puts other classes in the place of pandas'.

loses: answered, by_group, shares, first_day
says: got an object of type DataFrame
"""

import sys, types
class DataFrame: pass
class Series: pass
def answered(s):
    sys.modules['pandas'] = types.SimpleNamespace(DataFrame=DataFrame, Series=Series)
    return DataFrame()
