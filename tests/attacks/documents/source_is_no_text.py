"""Has a cell whose source is a number.

state: ungradable
says: not a string
"""

document = b'{"cells": [{"cell_type": "code", "source": 7}]}'
