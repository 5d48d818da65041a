"""Imports a name of very many parts, which Python reads in quadratic time, in the cell that holds what is asked.

score: 40
"""

far = "import a" + ".a" * 3000
hidden = "import a\N{MIDDLE DOT}" + ".a\N{MIDDLE DOT}" * 20_000
cells = [f"def scale(X):\n    return X\n{far}", f"def scale(X):\n    return X\n{hidden}"]
