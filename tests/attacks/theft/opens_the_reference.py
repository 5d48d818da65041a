"""Reads the reference solution.

score: 40
"""

steal(lambda: open(f'{COURSE}/solutions/little/little.py').read())
