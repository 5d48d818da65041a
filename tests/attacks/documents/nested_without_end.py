"""Is JSON nested 100,000 deep.

state: ungradable
says: is not a notebook
"""

document = b'[' * 100_000
