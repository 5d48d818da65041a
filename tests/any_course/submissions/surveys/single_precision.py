"""Works in single precision."""

def by_group(s):
    return s.groupby('group')['score'].agg(['mean', 'count']).astype('float32')
