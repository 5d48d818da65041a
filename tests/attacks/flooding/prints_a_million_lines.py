"""Prints more lines than anybody reads.

score: 40
"""


print("\n" * 60_000)
print("x\n" * 1_000_000)
