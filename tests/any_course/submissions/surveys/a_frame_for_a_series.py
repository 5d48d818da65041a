"""Returns a DataFrame of one column where a Series is asked for.

loses: shares
says: Expected a pandas Series of 2, got a pandas DataFrame with columns proportion
"""

def shares(s):
    return s['group'].value_counts(normalize=True).sort_index().to_frame()
