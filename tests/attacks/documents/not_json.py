"""Is a letter.

state: ungradable
says: is not a notebook
"""

document = b'Dear professor,'
