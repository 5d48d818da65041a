"""Has millions of lists in place of cells.

state: ungradable
says: more than the 2000 cells
"""

document = b'{"cells": [' + b'[],' * 5_000_000 + b'[]]}'
