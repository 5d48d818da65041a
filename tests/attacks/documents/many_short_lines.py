"""Has a cell of three million lines.

state: ungradable
says: more than the 1000000 characters
"""

document = b'{"cells": [{"cell_type": "code", "source": [' + b'"x\\n",' * 3_000_000 + b'""]}]}'
