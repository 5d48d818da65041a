"""Has half a character in a cell.

score: 0
"""

document = b'{"cells": [{"cell_type": "code", "source": "x = \'\\ud800\'"}], "nbformat": 4}'
