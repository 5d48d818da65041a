"""Returns a frozenset."""

def repeated(words):
    return frozenset(w for w in words if words.count(w) > 1)
