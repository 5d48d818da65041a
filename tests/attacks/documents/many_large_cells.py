"""Has little code in each cell, and too much in all.

state: ungradable
says: more than the 1000000 characters
"""

document = b'{"cells": [' + b','.join([b'{"cell_type": "code", "source": "# ' + b'x' * 10_000 + b'"}'] * 1500) + b']}'
