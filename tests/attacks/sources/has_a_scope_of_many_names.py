"""Defines ten thousand functions in a function of ten thousand names: each of them is looked at for each of these.

score: 40
"""

names = " = ".join(f"a{n}" for n in range(10_000))
cells = [f"def scale(X):\n    {names} = 0\n    return [{'lambda: 0, ' * 10_000}]"]
