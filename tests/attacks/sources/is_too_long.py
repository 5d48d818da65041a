"""Has more code than a notebook may have.

state: ungradable
says: 1000000|1,000,000
"""

cells = ["#" * 300_000 for _ in range(4)]
