"""Has the columns in another order."""

def by_group(s):
    return s.groupby('group')['score'].agg(['mean', 'count'])
