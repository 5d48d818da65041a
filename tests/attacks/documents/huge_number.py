"""Has a number of a million digits where nobody looks.

score: 0
"""

document = b'{"cells": [], "x": ' + b'9' * 1_000_000 + b'}'
