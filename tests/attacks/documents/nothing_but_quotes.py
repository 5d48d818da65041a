"""Opens and closes texts without end.

state: ungradable
says: is not a notebook
"""

document = b'"a' * 5_000_000
