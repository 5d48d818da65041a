"""Has another column than the two that are asked for.

loses: by_group
says: The columns 'count' and 'mean' are missing
"""

def by_group(s):
    return s.groupby('group')[['score']].mean()
