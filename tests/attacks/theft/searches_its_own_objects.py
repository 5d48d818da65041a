"""Searches all objects it inherited for the secret.

score: 40
"""

import gc
for thing in gc.get_objects():
    if type(thing) is dict:
        for value in list(thing.values()):
            if isinstance(value, (str, bytes)) and (REVERSED[::-1] in value if isinstance(value, str) else REVERSED[::-1].encode() in value):
                steal(lambda: value)
