"""Returns an array where a DataFrame is asked for.

loses: answered
says: Expected a pandas DataFrame with columns day, group, score, got 
"""

def answered(s):
    return s.dropna().to_numpy()
