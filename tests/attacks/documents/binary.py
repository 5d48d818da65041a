"""Is every byte there is.

state: ungradable
says: is not a notebook
"""

document = bytes(range(256)) * 100
