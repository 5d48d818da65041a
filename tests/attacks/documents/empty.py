"""Is empty.

state: ungradable
says: is empty
"""

document = b''
