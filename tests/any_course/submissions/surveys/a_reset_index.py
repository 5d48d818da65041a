"""Loses the labels of the rows.

loses: answered
says: In result.index
"""

def answered(s):
    return s.dropna().reset_index(drop=True)
