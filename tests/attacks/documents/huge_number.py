"""Has a number of a million digits.

state: ungradable
says: is not a notebook
"""

document = b'{"cells": [], "x": ' + b'9' * 1_000_000 + b'}'
