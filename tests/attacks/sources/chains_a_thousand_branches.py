"""Has chains of more than a thousand branches, which a reader may follow too deeply.

score: 40
"""

chain = "if loot == -1: pass\n" + "".join(f"elif loot == {n}: pass\n" for n in range(1500))
inside = "def chained(x):\n    if x == -1: pass\n" + "".join(f"    elif x == {n}: pass\n" for n in range(1000))
cells = [chain, inside, "def scale(X):\n" + "".join(f"    {line}\n" for line in chain.splitlines()) + "    return X"]
