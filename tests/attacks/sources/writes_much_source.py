"""Has most of a megabyte of code, as many small things as will go in.

score: 40
"""

cells = ["numbers = [" + "1," * 90_000 + "]", *(f"x{n} = [" + "[],()," * 10_000 + "]" for n in range(8)), "#" * 100_000]
