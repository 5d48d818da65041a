"""Returns a list where a set is asked for.

loses: repeated
says: Expected a set of
"""

def repeated(words):
    return sorted({w for w in words if words.count(w) > 1})
